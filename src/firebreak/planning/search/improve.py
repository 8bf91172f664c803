"""A plan whose breaks are moved, in rounds after each of which it can be judged.

Single breaks move on the plan fires as `swap.local_search` has it. With few plan fires such moves
soon fit these fires only: rounds of moves, each twice as long as the one before, end in plans among
which other fires choose.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError
from firebreak.env.storage.problem import Problem
from firebreak.planning.core.limits import Effort, SearchOptions
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.core.rounds import Placement
from firebreak.planning.core.rules import PlanRules, place_under
from firebreak.planning.search.filling import by_downstream_value, fill, with_neighbours
from firebreak.planning.search.plan_state import PlanState
from firebreak.planning.search.swap import CANDIDATES, REACH, local_search

FIRST = 500
"""Plans that are tried in the first round."""
MOST_BURNS, MOST_BURNS_ANEW = 400_000, 50_000
"""Plan fires times plans tried, in all rounds; where each trial burns its fires anew."""


def rounds_of(problem: Problem) -> Iterator[int]:
    """How many plans each round may try, by the number of plan fires and how fast trials are."""
    anew = problem.scene.field.breaks.burns_anew or problem.scene.field.spots.cells.size > 0
    left = ((MOST_BURNS_ANEW if anew else MOST_BURNS)
            // max(problem.plan_fires.source.size, 1))
    size = FIRST
    while left >= size:
        yield size
        left, size = left - size, 2 * size


def improve(problem: Problem, cells: NDArray[np.int64], rules: PlanRules, budget: float,
            evaluations: int) -> Placement:
    """A plan with breaks moved to where the plan fires lose less, what is left of its budget spent.

    Args:
        problem: without rules.
        cells: int64 [n], flat, the plan; those that the rules include too.
        rules: without lines to choose among; short pieces are removed, as for any method.
        evaluations: plans that may be tried; no more moves begin after so many.

    Raises:
        InputError: no piece is long enough.
    """
    effort = Effort(SearchOptions(evaluations=evaluations))
    candidates = with_neighbours(by_downstream_value(CANDIDATES), REACH)
    start = cells[~np.isin(cells, rules.include)].tolist()

    def place(ruled: Problem) -> Placement:
        state = PlanState(ruled)
        state.become(start)
        start.clear()  # what short pieces cost is spent anew beside what is kept of the plan
        fill(state, candidates)
        local_search(state, candidates, effort)
        return state.placement()

    first = place_under(replace(rules, least_m=0.0), problem, budget, place)
    return place_under(rules, problem, budget, place, first) if rules.least_m > 0.0 else first


def improved(problem: Problem, cells: NDArray[np.int64], rules: PlanRules, budget: float,
             judge: Callable[[NDArray[np.int64]], None], report: Reporter = no_report) -> float:
    """Moves the breaks of a plan round by round; returns burns of all plan fires.

    Args:
        problem, cells, rules, budget: see `improve`.
        judge: told the cells of the plan after each round, int64 [n].
        report: takes the share of the rounds that is done.
    """
    simulations, rounds = 0.0, list(rounds_of(problem))
    for done, evaluations in enumerate(rounds):
        report(sum(rounds[:done]) / sum(rounds))
        try:
            placed = improve(problem, cells, rules, budget, evaluations)
        except InputError:  # moves that leave short pieces only
            break
        simulations += placed.simulations
        if set(placed.cells.tolist()) == set(cells.tolist()):
            break
        judge(placed.cells)
        cells = placed.cells
    report(1.0)
    return simulations
