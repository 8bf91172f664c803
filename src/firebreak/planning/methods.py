"""Every way to make a plan, by name, and the one function that makes them.

All methods see the same keyed plan fires of a scene: they differ only in the plan that they make.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import numpy as np

from firebreak.agent.policy_file import Policy
from firebreak.checks import fail, unknown_name
from firebreak.env.storage.problem import Problem, problem_of
from firebreak.fire import Fires, Scene
from firebreak.planning.core.fire_counts import check_plan_fires
from firebreak.planning.core.limits import SEARCH, SearchOptions
from firebreak.planning.core.plan import Plan, check_plan, cost_of, cost_unit
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.core.rounds import Job, Placement, Task, default_batch
from firebreak.planning.core.rules import FREE, PlanRules, place_under
from firebreak.planning.learned import guided, lookahead
from firebreak.planning.learned import policy as learned
from firebreak.planning.patterns import line_greedy, strips
from firebreak.planning.ranking import simple, trees
from firebreak.planning.search import greedy
from firebreak.planning.warm_up import warm_up
from firebreak.settings.retired import retired_method


class Candidate(NamedTuple):
    """How a chooser tries a method.

    Attributes:
        order: its place in the fixed order, the quickest kind first; a tie goes to the first.
        most_cells: treatable cells above which it is left out; None: none.
        most_trials: of a method that tries all cells at every step, the treatable cells times the
            cells that the budget buys times the plan fires above which it is left out, as it is
            where trials are slow, see `greedy.tries_quickly`; None: none.
    """

    order: int
    most_cells: int | None = None
    most_trials: int | None = None

    def fits(self, scene: Scene, budget_share: float, plan_fires: int) -> bool:
        """Whether the method is tried there."""
        treatable = int(scene.landscape.treatable.sum())
        trials = budget_share * treatable * treatable * plan_fires
        return ((self.most_cells is None or treatable <= self.most_cells)
                and (self.most_trials is None
                     or (trials <= self.most_trials
                         and greedy.tries_quickly(scene.field))))


MOST_CELLS_OF_PATTERNS = 100 * 100
"""Treatable cells up to which strips and betweenness, which seldom save most, are tried too."""
MOST_TRIALS_OF_GREEDY = 4_000_000
"""About as long as the other candidates take together."""


class Method(NamedTuple):
    """What is known of a method without calling it.

    Attributes:
        description: one line for --help and the documentation.
        place: chooses the cells.
        treats: whether it treats anything.
        stochastic: its plan differs from seed to seed; tables show the mean over several.
        guided: follows the policy that is given.
        check_policy: refuses a policy that it cannot follow; None where it follows any.
        check_job: refuses a map, or breaks and fires on it, that it cannot plan for; None where it
            plans for any.
        searches: goes on until a limit.
        takes_lines: chooses among lines that the user supplies.
        compared: stands beside the plan that `firebreak plan` makes.
        tries_breaks: burns the plan fires for every candidate break, which is slow where that
            cannot be done in place.
        keeps_fires: holds the plan fires burning under its breaks; else they burn one by one.
        candidate: how the choosers try it; None where they do not.
    """

    description: str
    place: Callable[[Task], Placement]
    treats: bool = True
    stochastic: bool = False
    guided: bool = False
    check_policy: Callable[[Policy], None] | None = None
    check_job: Callable[[Job], None] | None = None
    searches: bool = False
    takes_lines: bool = False
    compared: bool = False
    tries_breaks: bool = False
    keeps_fires: bool = True
    candidate: Candidate | None = None


def _order(method: Method) -> int:
    return -1 if method.candidate is None else method.candidate.order


_ANEW = "burns the plan fires anew as the plan grows"

METHODS: dict[str, Method] = {
    "none": Method("treats no cell", simple.place_none, treats=False, compared=True,
                   keeps_fires=False),
    "random": Method("treats random cells", simple.place_random, stochastic=True, compared=True,
                     keeps_fires=False),
    "burn-probability": Method(
        f"treats the cells that burn most often; {_ANEW}",
        simple.place_burn_probability, compared=True),
    "downstream-value": Method(
        f"treats the cells with the most value burned behind them; {_ANEW}",
        simple.place_downstream_value, compared=True, candidate=Candidate(1)),
    "betweenness": Method(
        f"treats the cells on the most paths of fire; {_ANEW}", trees.place_betweenness,
        candidate=Candidate(2, MOST_CELLS_OF_PATTERNS)),
    "segments": Method(
        "places straight lines, each time the line that saves most per cost on the plan fires",
        line_greedy.place_line_greedy, tries_breaks=True, takes_lines=True,
        candidate=Candidate(4)),
    "strips": Method(
        "places equal strips across the wind of the worst weather", strips.place_strips,
        keeps_fires=False, candidate=Candidate(0, MOST_CELLS_OF_PATTERNS)),
    "greedy": Method(
        "treats one cell after another, each time the cell that saves most on the plan fires; "
        "tries all cells", greedy.place_greedy, check_job=greedy.check_job, tries_breaks=True,
        candidate=Candidate(6, most_trials=MOST_TRIALS_OF_GREEDY)),
    "dqn": Method(
        f"treats the cells or lines that a trained policy values most; {_ANEW}",
        learned.place_dqn, guided=True,
        candidate=Candidate(3)),
    "dqn-lookahead": Method(
        "as dqn, but burns the plan fires with each of the policy's best lines before it places "
        "one", lookahead.place_dqn_lookahead, guided=True,
        check_policy=lookahead.check_places_lines, tries_breaks=True, takes_lines=True,
        candidate=Candidate(5)),
    "dqn-search": Method(
        "starts from the plan of dqn-lookahead and replaces a few lines at a time, as the policy "
        "and the plan fires propose", guided.place_dqn_search, guided=True, searches=True,
        tries_breaks=True, takes_lines=True),
}

CANDIDATES: tuple[str, ...] = tuple(sorted(
    (name for name, method in METHODS.items() if method.candidate is not None),
    key=lambda name: _order(METHODS[name])))
"""The methods that choosers try, in their fixed order."""

AUTO = "auto"
CHOOSERS: dict[str, str] = {
    AUTO: f"makes the plans of {', '.join(CANDIDATES)} and keeps the one that saves most on fires "
          "that no method was given"}
"""What makes plans with several methods and keeps one of them; see `evaluation.auto`."""

DEFAULT = AUTO
"""What plans where no method is named."""

POLICY_METHOD = "dqn"
"""The method that follows a policy and nothing else: what a trained policy is judged as."""


def _place_nothing(task: Task) -> Placement:
    raise AssertionError("a plan that was made elsewhere is not made here")


GIVEN = Method("a plan that was made elsewhere", _place_nothing)


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


def check_takes_lines(method: str) -> None:
    """Refuses a method that cannot choose among lines that are given.

    Raises:
        InputError: naming those that can.
    """
    takers = [name for name, own in METHODS.items() if own.takes_lines]
    if method not in takers and method not in CHOOSERS:
        raise fail(expected=f"a method that chooses among given lines: "
                            f"{', '.join([*takers, *CHOOSERS])}",
                   given=f"'{method}'", where="--method", remedy="name one of these, or leave out "
                                                                 "--lines")


def check_policy(method: str, policy: Policy | None) -> None:
    """Refuses a policy that a method cannot follow.

    Raises:
        InputError: naming methods that follow it.
    """
    check = METHODS[method].check_policy
    if policy is not None and check is not None:
        check(policy)


def check_job(method: str, job: Job) -> None:
    """Refuses land, breaks and fires that a method cannot plan for, before a scene is made.

    Raises:
        InputError: naming what it can.
    """
    if METHODS[method].guided:
        learned.check_size(job.land, method, job.smaller)
    check = METHODS[method].check_job
    if check is not None:
        check(job)


def make_plan(scene: Scene, budget_share: float, plan_fires: int, method: str, *, seed: int,
              policy: Policy | None = None, batch: int | None = None,
              search: SearchOptions = SEARCH, rules: PlanRules = FREE,
              report: Reporter = no_report, begun: Plan | None = None,
              fires: Fires | None = None) -> Plan:
    """The plan of a method for a scene.

    Args:
        budget_share: share of the cost of all treatable cells, (0, 1].
        plan_fires: number of fires of the set "plan" that the method sees.
        method: a name in METHODS.
        seed: of random methods; the fires are keyed by the scene's seed.
        policy: for learned methods.
        batch: cells placed per simulation, spaced apart; None: as many as need about 50 rounds.
        search: limits of methods that search.
        rules: what the plan must keep to; cells that it must have come first in it. A method that
            treats nothing treats nothing all the same.
        report: takes the share of the plan that is made; it falls where short pieces are planned
            anew.
        begun: the method's own plan under the same rules but for `least_m`, to go on from.
        fires: plan fires to show instead, as many.

    Raises:
        InputError: an unknown method, no policy for a learned one, a budget that buys nothing,
            limits of a search that allow nothing, fires that burn nothing of value, a map that the
            method is not made for.
    """
    check_methods([method], "--method")
    search.check()
    warm_up()
    check_plan_fires(scene, plan_fires, kept=METHODS[method].keeps_fires)
    began = perf_counter()
    fires = scene.fires("plan", plan_fires) if fires is None else fires
    land = scene.landscape
    problem = problem_of(scene, budget_share, fires, fires.first(0))
    rules.check(problem)
    if rules.lines is not None:
        check_takes_lines(method)
    if not METHODS[method].treats:
        rules = replace(rules, include=np.empty(0, np.int64), shortest_m=0.0, least_m=0.0)

    def place(ruled: Problem) -> Placement:
        return METHODS[method].place(Task(
            ruled, seed, batch or default_batch(land, budget_share), policy, search, report,
            rules.lines))

    budget = problem.budget if rules.budget is None else rules.budget
    placed = place_under(rules, problem, budget, place,
                         None if begun is None else Placement(begun.cells, begun.simulations))
    plan = Plan(method=method, cells=placed.cells, shape=land.shape,
                cost=cost_of(placed.cells, land), cost_unit=cost_unit(land),
                currency=land.currency, budget=budget, budget_share=budget_share,
                landscape=land.name, landscape_checksum=scene.landscape.checksum(),
                plan_fires=plan_fires, seed=seed, seconds=perf_counter() - began,
                simulations=placed.simulations,
                policy=policy.provenance if policy and METHODS[method].guided else None)
    check_plan(plan, land)
    report(1.0)
    return plan
