"""Every way to make a plan, by name, and what is known of it without making one.

A method's functions are named and loaded when they are called, so that a list of methods, or a
refusal, loads neither the simulator nor a network. `making.make_plan` calls them.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from firebreak import installed
from firebreak.checks import fail, unknown_name
from firebreak.planning.core.limits import MAX_TREATABLE, check_size
from firebreak.planning.core.plan import EXISTING
from firebreak.settings.retired import retired_method

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.fire import Scene
    from firebreak.planning.core.rounds import PlanningCase


class Candidate(NamedTuple):
    """Place and bounds of a method that a chooser tries.

    Attributes:
        order: its place in the fixed order, the quickest kind first; a tie goes to the first.
        most_cells: treatable cells above which it is left out; None: none.
        large: whether it is tried again on maps that are planned by windows.
        most_trials: of a method that tries all cells at every step, the treatable cells times the
            cells that the budget buys times the plan fires above which it is left out, as it is
            where trials are slow, see `search.filling.tries_quickly`; None: none.
        closes: it is tried where closing may pay, see `barriers.offer.may_close`.
        rates: it is tried among corridors too where trials are slow, as it burns no fire for them.
        slow_cells: cells of the map above which it is left out among corridors where trials are
            slow; None: none.
    """

    order: int
    most_cells: int | None = None
    most_trials: int | None = None
    closes: bool = False
    large: bool = False
    rates: bool = False
    slow_cells: int | None = None

    def fits(self, scene: "Scene", budget_share: float, plan_fires: int) -> bool:
        """True where the method is tried there."""
        from firebreak.planning.barriers.offer import may_close
        from firebreak.planning.search.filling import tries_quickly

        treatable = int(scene.landscape.treatable.sum())
        trials = budget_share * treatable * treatable * plan_fires
        return ((self.most_cells is None or treatable <= self.most_cells
                 or (self.large and treatable > MAX_TREATABLE))
                and (not self.closes or may_close(scene))
                and (self.most_trials is None
                     or (trials <= self.most_trials
                         and tries_quickly(scene.field))))


MOST_CELLS_OF_PATTERNS = 100 * 100
"""Treatable cells up to which strips and betweenness, which seldom save most, are tried too."""
MOST_TRIALS_OF_GREEDY = 4_000_000
"""About as long as the other candidates take together."""


Function = str | Callable[..., Any]
"""A function, or its name below this package, such as "search.filling.place_greedy"."""


class Method(NamedTuple):
    """The facts of a method that are known without calling it.

    Attributes:
        description: one line for --help and the documentation.
        place: the function that chooses the cells: it takes a `core.rounds.Task` and gives a
            `Placement`; see `called`.
        treats: whether it treats anything.
        stochastic: its plan differs from seed to seed; tables show the mean over several.
        guided: follows the policy that is given.
        check_policy: the function that refuses a policy that it cannot follow; None where it
            follows any.
        check_case: that which refuses a map, or breaks and fires on it, that it cannot plan for;
            None where it plans for any.
        searches: goes on until a limit.
        takes_lines: chooses among lines that the user supplies, beside its own breaks.
        rates_lines: chooses among lines alone, by what it says of their cells.
        offered: pieces of barriers are among its lines where closing them pays.
        compared: stands beside the plan that `firebreak plan` makes.
        tries_breaks: burns the plan fires for every candidate break, which is slow where that
            cannot be done in place.
        keeps_fires: holds the plan fires burning under its breaks; else they burn one by one.
        candidate: how the choosers try it; None where they do not.
        handed: a function that was handed in from Python, which other processes do not have.
    """

    description: str
    place: Function
    treats: bool = True
    stochastic: bool = False
    guided: bool = False
    check_policy: Function | None = None
    check_case: Function | None = None
    searches: bool = False
    takes_lines: bool = False
    rates_lines: bool = False
    offered: bool = False
    compared: bool = False
    tries_breaks: bool = False
    keeps_fires: bool = True
    candidate: Candidate | None = None
    handed: bool = False


def called(name: Function) -> Callable[..., Any]:
    """The function of a method's entry; where it is named it is loaded."""
    if not isinstance(name, str):
        return name
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"firebreak.planning.{module}"), function)
    return found


_ANEW = "burns the plan fires anew as the plan grows"

METHODS: dict[str, Method] = {
    "none": Method("treats no cell", "ranking.place_none", treats=False, compared=True,
                   keeps_fires=False),
    "random": Method("treats random cells", "ranking.place_random", stochastic=True,
                     compared=True, keeps_fires=False, rates_lines=True),
    "burn-probability": Method(
        f"treats the cells that burn most often; {_ANEW}",
        "ranking.place_burn_probability", compared=True, rates_lines=True),
    "downstream-value": Method(
        f"treats the cells with the most value burned behind them; {_ANEW}",
        "ranking.place_downstream_value", compared=True,
        candidate=Candidate(1, rates=True), rates_lines=True),
    "betweenness": Method(
        f"treats the cells on the most paths of fire; {_ANEW}", "ranking.place_betweenness",
        candidate=Candidate(2, MOST_CELLS_OF_PATTERNS, large=True), rates_lines=True),
    "segments": Method(
        "places straight lines, each time the line that saves most per cost on the plan fires",
        "patterns.line_greedy.place_line_greedy", tries_breaks=True, takes_lines=True, offered=True,
        candidate=Candidate(4, MAX_TREATABLE)),
    "enclose": Method(
        "closes the barrier that keeps most value from fire, by a smallest cut, or builds the best "
        "parts of one; spends what is left as segments does", "barriers.enclose.place_enclose",
        tries_breaks=True, takes_lines=True, candidate=Candidate(6, closes=True)),
    "strips": Method(
        "places equal strips across the wind of the worst weather", "patterns.strips.place_strips",
        keeps_fires=False, candidate=Candidate(0, MOST_CELLS_OF_PATTERNS)),
    "greedy": Method(
        "treats one cell after another, each time the cell that saves most on the plan fires; "
        "tries all cells", "search.filling.place_greedy", check_case="search.filling.check_case",
        tries_breaks=True, candidate=Candidate(7, most_trials=MOST_TRIALS_OF_GREEDY)),
    "dqn": Method(
        f"treats the cells or lines that a trained policy values most; {_ANEW}",
        "learned.policy.place_dqn", guided=True,
        candidate=Candidate(3), rates_lines=True),
    "dqn-lookahead": Method(
        "as dqn, but burns the plan fires with each of the policy's best lines before it places "
        "one", "learned.lookahead.place_dqn_lookahead", guided=True,
        check_policy="learned.lookahead.check_places_lines", tries_breaks=True, takes_lines=True,
        offered=True, candidate=Candidate(5, MAX_TREATABLE, slow_cells=MAX_TREATABLE)),
    "dqn-search": Method(
        "starts from the plan of dqn-lookahead and replaces a few lines at a time, as the policy "
        "and the plan fires propose", "learned.guided.place_dqn_search", guided=True, searches=True,
        tries_breaks=True, takes_lines=True, offered=True),
}

CANDIDATES: tuple[str, ...] = tuple(name for _, name in sorted(
    (method.candidate.order, name) for name, method in METHODS.items()
    if method.candidate is not None))
"""The methods that choosers try, in their fixed order."""

AUTO = "auto"
CHOOSERS: dict[str, str] = {
    AUTO: f"makes the plans of {', '.join(CANDIDATES)} (of corridors or given lines those that "
          "choose among them) and keeps the one that saves most on fires that no method was given"}
"""The choosers, which make plans with several methods and keep one; see `evaluation.auto`."""

DEFAULT = AUTO
"""The method where none is named."""

AT_EXISTING_COST = "-at-existing-cost"
"""The end of the name of a plan that may spend what the existing network costs."""

POLICY_METHOD = "dqn"
"""The method that follows a policy and nothing else: what a trained policy is judged as."""


GIVEN = Method("a plan that was made elsewhere", "")

_NAME = re.compile(r"[A-Za-z][\w-]{0,60}")


def _own(load: Callable[[], Callable[..., Any]], name: str, description: str, *,
         handed: bool) -> Method:
    """The entry of a user's function, which is loaded when it plans; it burns fires one by one."""
    return Method(description, lambda task: called("core.own_method.place_own")(load(), name, task),
                  keeps_fires=False, handed=handed)


def with_function(function: Callable[..., Any], where: str) -> str:
    """Makes a user's function a method under its own name, which it returns; one that was handed in
    before under that name gives way.

    Raises:
        InputError: a function without a name, or with that of another method.
    """
    name = getattr(function, "__name__", type(function).__name__)
    if not _NAME.fullmatch(name):
        raise fail(expected="a function with a name, which tables show", given=name[:80],
                   where=where, remedy="define it with def")
    if name in {*CHOOSERS, EXISTING} or (name in METHODS and not METHODS[name].handed):
        raise fail(expected="a function of a name that no method has", given=f"'{name}'",
                   where=where, remedy="rename it")
    METHODS[name] = _own(lambda: function, name, "a function that was handed in", handed=True)
    return name


METHODS |= {name: _own(partial(installed.loaded, one), name,
                       f"a method of the package {installed.package_of(one)}", handed=False)
            for name, one in installed.added(
                installed.METHODS, {*METHODS, *CHOOSERS, EXISTING}).items()}


def method_of(name: str) -> Method:
    """The method of a plan's name; GIVEN where the name is that of a file or of existing breaks."""
    return METHODS.get(name, GIVEN)


def check_methods(names: Sequence[str], where: str, *, choosers: bool = False) -> None:
    """Refuses names that are no method, before any work is done.

    choosers: whether one that chooses among methods will do as well.

    Raises:
        InputError: an unknown name; the nearest one is suggested.
    """
    known = [*(CHOOSERS if choosers else ()), *METHODS]
    for name in names:
        if name in CHOOSERS and not choosers:
            raise fail(expected="a method that makes its own plan",
                       given=f"'{name}', which chooses among methods", where=where,
                       remedy=f"name one of them: {', '.join(CANDIDATES)}")
        if name not in known:
            raise retired_method(name, where) or unknown_name("method", name, known, where)
    if not names or len(set(names)) < len(names):
        raise fail(expected="one or more methods, each once", given=", ".join(names) or "none",
                   where=where, remedy=f"choose from {', '.join(known)}")


def check_takes_lines(method: str, *, alone: bool = False) -> None:
    """Refuses a method that cannot choose among lines.

    alone: it may have no other breaks.

    Raises:
        InputError: naming those that can.
    """
    takers = [name for name, own in METHODS.items()
              if own.takes_lines or (alone and own.rates_lines)]
    if method not in takers and method not in CHOOSERS and method_of(method).treats:
        raise fail(expected=f"a method that chooses among corridors or given lines: "
                            f"{', '.join([*takers, *CHOOSERS])}",
                   given=f"'{method}', which places cells", where="--method",
                   remedy="name one of these, or plan with cells alone (--cells, no --lines)")


def check_policy(method: str, policy: "Policy | None") -> None:
    """Refuses a policy that a method cannot follow.

    Raises:
        InputError: naming methods that follow it.
    """
    check = METHODS[method].check_policy
    if policy is not None and check is not None:
        called(check)(policy)


def check_case(method: str, case: "PlanningCase") -> None:
    """Refuses land, breaks and fires that a method cannot plan for, before a scene is made.

    Raises:
        InputError: naming what it can.
    """
    if METHODS[method].guided:
        check_size(case.land, method, case.smaller)
    check = METHODS[method].check_case
    if check is not None:
        called(check)(case)
