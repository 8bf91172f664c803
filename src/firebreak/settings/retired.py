"""Names that the product no longer has, each with what to use instead.

A file may go on saying the default of a retired setting, which changes nothing: runs and plans of
earlier versions are read as they were.
"""

from collections.abc import Callable
from typing import NamedTuple

from firebreak.checks import InputError, fail

LAST = "last in version 1.0"
ANY = "any"


class RetiredOption(NamedTuple):
    """keys: in files, with tables. default: what they may still say, or ANY. remedy: instead."""

    keys: tuple[str, ...]
    default: object
    remedy: str

    def changes(self, value: object) -> bool:
        """Tells a value that would change something."""
        return self.default is not ANY and value != self.default


_COSTS = "give costs by a treatment (--treatment) or by cell (--cost)"
OPTIONS = {
    "batch": RetiredOption(
        ("batch",), None, "leave it out: a plan takes about 50 rounds"),
    "break_fuel": RetiredOption(
        ("breaks.break_fuel", "breaks.fuel"), None,
        "name what a treatment leaves in a table (treatments)"),
    "corridors": RetiredOption(
        ("place.corridors",), False,
        "leave it out: a map is planned with corridors unless --cells is given"),
    "cost_per_ha": RetiredOption(
        ("place.cost_per_ha",), None, _COSTS),
    "cost_slope": RetiredOption(
        ("place.cost_slope",), 0.0, _COSTS),
    "duration_spread": RetiredOption(
        ("fire.duration_spread",), 0.5,
        "leave it out: durations vary, and that of a single fire is --duration-min"),
    "edge_share": RetiredOption(
        ("fire.edge_share", "fires.edge_share"), 0.0,
        "give --ignitions with weights along the edge"),
    "evaluations": RetiredOption(
        ("evaluations",), None, "give --time-limit, or leave it out"),
    "length_to_width": RetiredOption(
        ("fire.length_to_width", "fires.length_to_width"), "behave",
        "leave it out: the ellipse is that of BEHAVE and FlamMap"),
    "least_score": RetiredOption(
        ("least_score",), 0.0, "leave it out: a plan burns lines to choose among them"),
    "perturb": RetiredOption(
        ("perturb",), False, "plan with --report full, which says the same"),
    "picture": RetiredOption(
        ("picture",), None, "leave it out: a GIS draws the lines, and a plan of them has pictures"),
    "ray_address": RetiredOption(
        ("windows.ray_address", "train.ray_address"), None,
        "set the variable RAY_ADDRESS to HOST:PORT of the cluster's head, as for Ray itself"),
    "search_from": RetiredOption(
        ("search_from",), None, "leave it out: dqn-search starts from the plan of dqn-lookahead"),
    "spread": RetiredOption(
        ("fire.spread", "fires.spread"), "front",
        "leave it out: every fire spreads as the elliptical front"),
    "treated_flame_m": RetiredOption(
        ("breaks.treated_flame_m",), None,
        "leave it out: name the treatments, and by --treatable the cells for them"),
    "wind_limit": RetiredOption(
        ("fire.wind_limit", "fires.wind_limit"), "none",
        "leave it out: no wind is too strong to quicken fire (Andrews et al. 2013)"),
    "window_margin": RetiredOption(
        ("windows.window_margin",), None,
        "leave it out: the margin follows from how far fires spread"),
    "worker_limit_s": RetiredOption(
        ("windows.worker_limit_s",), None,
        "leave it out: a worker that ends is replaced; after a stop the same command goes on"),
    "year": RetiredOption(
        ("weather.year", "fires.year"), ANY,
        "leave it out: nothing follows from the year of .wtr and .wnd files"),
}
"""By the option's name in Python."""

_IMITATION = "leave it out: the agent learns from demonstrations as from its own steps"
_RETURNS = "leave it out: returns of whole plans improved no policy"
_COPIES = "leave it out: copy the run's folder while it trains, for example with rsync or rclone"
_LOCKSTEP = "leave it out: rounds as they come were no faster than those in lockstep"
_ITSELF = "leave it out: the run makes its learner steps itself"
KEYS = (
    RetiredOption(("artifacts.store",), None, _COPIES),
    RetiredOption(("artifacts.queue",), 64, _COPIES),
    RetiredOption(("artifacts.attempts",), 3, _COPIES),
    RetiredOption(("artifacts.drain_s",), 60.0, _COPIES),
    RetiredOption(("agent.target_share",), 0.0,
                  "leave it out: weights are copied every agent.target_period steps"),
    RetiredOption(("agent.demonstration_steps",), 2000,
                  "leave it out: agent.demonstrations is a share of all episodes"),
    RetiredOption(("agent.dueling",), False, "leave it out: it improved no policy"),
    RetiredOption(("agent.imitation",), 0.0, _IMITATION),
    RetiredOption(("agent.imitation_finish",), 2000, _IMITATION),
    RetiredOption(("agent.margin",), 0.5, _IMITATION),
    RetiredOption(("agent.gain_capacity",), 4000,
                  "set replay.capacity: gains are held with the transitions"),
    RetiredOption(("agent.return_share",), 0.0, _RETURNS),
    RetiredOption(("agent.return_actions",), 8, _RETURNS),
    RetiredOption(("agent.return_fires",), 1000, _RETURNS),
    RetiredOption(("landscapes.train_maps",), [], "name it in landscapes.maps: blocks of it train"),
    RetiredOption(("mixture.cell_sizes_m",), [], "join cells with landscapes.aggregate"),
    RetiredOption(("mixture.synthetic",), 0.0,
                  "leave it out: train on windows or on synthetic land (landscapes.kind)"),
    RetiredOption(("train.mode",), "lockstep", _LOCKSTEP),
    RetiredOption(("train.collector_wait_s",), 5.0, _LOCKSTEP),
    RetiredOption(("train.learners",), 0, _ITSELF),
    RetiredOption(("train.learner_executor",), "processes", _ITSELF),
    RetiredOption(("evolution",), None, "leave it out: there are no populations"),
    RetiredOption(("trials",), None, "leave it out: call train once for each value"),
)
"""Keys of a run's file that were no options."""

TABLES = ("evolution", "trials")
"""Tables that `train` wrote but never read: whatever they say changes nothing in a run."""

COMMANDS = {
    "evolve": "use train: it made better policies in as many environment steps",
    "policy": "convert a policy.pt with scripts/convert_policy.py",
    "trials": "call train once for each value, with --set; Optuna and Ray Tune search",
}
"""The remedy for each retired command."""

METHODS = {
    "anneal": "use dqn-search",
    "dominator": "use segments or betweenness",
    "downstream-value-static": "use downstream-value",
    "greedy-filtered": "use segments or greedy",
    "milp": "use greedy or dqn-search",
    "regression": "use dqn",
    "swap": "use dqn-search",
    "tom": "use segments or strips",
    "value-hazard": "use downstream-value",
}
"""The remedy for each retired planning method."""

FORMER_DEFAULTS = ("downstream-value-static",)
"""Retired methods that files of earlier versions name although nobody asked for them."""


def retired_option(name: str, where: str) -> InputError | None:
    """The error for a retired option, as it was typed or as a keyword; None if it is none."""
    option = OPTIONS.get(name.lstrip("-").replace("-", "_"))
    return None if option is None else fail(
        expected="an option of this version", given=f"'{name}', {LAST}", where=where,
        remedy=option.remedy)


def retired_command(name: str) -> InputError | None:
    """The error for a retired command; None if it is none."""
    return None if name not in COMMANDS else fail(
        expected="a command of this version", given=f"'{name}', {LAST}", where="COMMAND",
        remedy=COMMANDS[name])


def option_of_key(key: str) -> RetiredOption | None:
    """The retired option that a key of a file, with its table, stands for."""
    return next((option for option in (*OPTIONS.values(), *KEYS) if key in option.keys), None)


def is_idle(key: str, value: object, place: Callable[[str], str]) -> bool:
    """Tells a retired key of a file that says its default, or a table of such keys; `place` says
    where a key stands.

    Raises:
        InputError: a retired key that says anything else.
    """
    option = option_of_key(key)
    if option is None and isinstance(value, dict):
        return all(is_idle(f"{key}.{name}", one, place) for name, one in value.items())
    if option is not None and option.changes(value):
        raise fail(expected="a key of this version", given=f"'{key}' = {str(value)[:80]}, {LAST}",
                   where=place(key), remedy=option.remedy)
    return option is not None


def retired_method(name: str, where: str) -> InputError | None:
    """The error for a retired planning method; None if it is none."""
    return None if name not in METHODS else fail(
        expected="a planning method", given=f"'{name}', {LAST}", where=where,
        remedy=METHODS[name])


def without_former_defaults(methods: object) -> object:
    """The methods that a file lists without those that only the default named."""
    if not isinstance(methods, list):
        return methods
    return [name for name in methods if name not in FORMER_DEFAULTS]
