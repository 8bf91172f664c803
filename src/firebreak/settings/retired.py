"""Names that the product no longer has, each with what to use instead.

A file may go on saying the default of a retired setting, which changes nothing: runs and plans of
earlier versions are read as they were.
"""

from collections.abc import Callable
from typing import NamedTuple

from firebreak.checks import InputError, fail

LAST = "last in version 1.0"


class RetiredOption(NamedTuple):
    """keys: as files have it, with its table. default: the value that files may go on saying.
    remedy: what to use instead.
    """

    keys: tuple[str, ...]
    default: object
    remedy: str


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
    "evaluations": RetiredOption(
        ("evaluations",), None, "give --time-limit, or leave it out"),
    "search_from": RetiredOption(
        ("search_from",), None, "leave it out: dqn-search starts from the plan of dqn-lookahead"),
    "spread": RetiredOption(
        ("fire.spread", "fires.spread"), "front",
        "leave it out: every fire spreads as the elliptical front"),
}
"""By the option's name in Python."""

_IMITATION = "leave it out: the agent learns from demonstrations as from its own steps"
_RETURNS = "leave it out: returns of whole plans improved no policy"
_LOCKSTEP = "leave it out: rounds as they come were no faster than those in lockstep"
_ITSELF = "leave it out: the run makes its learner steps itself"
KEYS = (
    RetiredOption(("agent.target_share",), 0.0,
                  "leave it out: weights are copied every agent.target_period steps"),
    RetiredOption(("agent.dueling",), False, "leave it out: it improved no policy"),
    RetiredOption(("agent.imitation",), 0.0, _IMITATION),
    RetiredOption(("agent.imitation_finish",), 2000, _IMITATION),
    RetiredOption(("agent.margin",), 0.5, _IMITATION),
    RetiredOption(("agent.return_share",), 0.0, _RETURNS),
    RetiredOption(("agent.return_actions",), 8, _RETURNS),
    RetiredOption(("agent.return_fires",), 1000, _RETURNS),
    RetiredOption(("landscapes.train_maps",), [], "name it in landscapes.maps: blocks of it train"),
    RetiredOption(("mixture.cell_sizes_m",), [], "join cells with landscapes.aggregate"),
    RetiredOption(("train.mode",), "lockstep", _LOCKSTEP),
    RetiredOption(("train.collector_wait_s",), 5.0, _LOCKSTEP),
    RetiredOption(("train.learners",), 0, _ITSELF),
    RetiredOption(("train.learner_executor",), "processes", _ITSELF),
)
"""Keys of a run's file that were no options."""

COMMANDS = {"policy": "convert a policy.pt with scripts/convert_policy.py"}
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

LISTS = ("evaluation.methods",)
"""Keys of files that list methods."""


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
    """Tells a retired key of a file that says its default; `place` says where a key stands.

    Raises:
        InputError: a retired key that says anything else.
    """
    option = option_of_key(key)
    if option is not None and value != option.default:
        raise fail(expected="a key of this version", given=f"'{key}' = {str(value)[:80]}, {LAST}",
                   where=place(key), remedy=option.remedy)
    return option is not None


def retired_method(name: str, where: str) -> InputError | None:
    """The error for a retired planning method; None if it is none."""
    return None if name not in METHODS else fail(
        expected="a planning method", given=f"'{name}', {LAST}", where=where,
        remedy=METHODS[name])


def without_former_defaults(key: str, value: object) -> object:
    """A value of a file, by its key with its table, without methods that only the default named."""
    if key not in LISTS or not isinstance(value, list):
        return value
    return [name for name in value if name not in FORMER_DEFAULTS]
