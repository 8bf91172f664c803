"""Local search: single breaks, or whole lines, are taken away and placed anew where they save most.

Where no move of one break helps any more, a large neighbourhood search takes away several that lie
together and skips cells at random, so that lines can move. A line that closes a gap saves nothing
once one of its cells is gone, so a plan of lines moves by whole lines. A move that loses more than
a little is taken back, and the best plan seen is kept. With few plan fires moves of breaks soon fit
these only: `improved` makes rounds of them, which end in plans among which other fires choose.

Sources: Shaw (1998), doi:10.1007/3-540-49481-2_30, for taking away what lies together; Christiaens
& Vanden Berghe (2020), doi:10.1287/trsc.2019.0914, for skipping at random; Dueck (1993),
doi:10.1006/jcph.1993.1010, for how much may be lost.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError
from firebreak.env.storage.problem import Problem
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.limits import Effort, SearchOptions
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.core.rounds import Placement
from firebreak.planning.core.rules import PlanRules, place_under
from firebreak.planning.search.filling import Candidates, by_downstream_value, fill, with_neighbours
from firebreak.planning.search.plan_state import PlanState

CANDIDATES, REACH = 16, 1
"""A break is tried in this many cells by downstream value, and so near to other breaks."""

MAX_REMOVED = 4
"""Breaks that one move takes away at most."""

MAY_LOSE = 0.03
"""Share of the best loss by which the current plan may be worse than the best."""

_HELPS = 1e-9  # relative; less is rounding


def local_search(state: PlanState, candidates: Candidates, effort: Effort) -> None:
    """Moves single breaks until no move helps, or the limit is reached."""
    waiting, idle = list(state.cells), 0
    while idle < len(waiting) and effort.left():
        cell = waiting.pop(0)
        before, loss = set(state.cells), state.loss
        move(state, [cell], lambda: fill(state, candidates, go_on=effort.in_time), effort)
        if state.loss < loss * (1.0 - _HELPS):
            idle = 0
            waiting += sorted(set(state.cells) - before)
        else:
            state.become(sorted(before))
            waiting.append(cell)
            idle += 1


def large_neighbourhood_search(state: PlanState, refill: Callable[[], None], effort: Effort,
                               rng: np.random.Generator, slack: float = MAY_LOSE) -> None:
    """Takes breaks that lie together away and refills the plan; leaves the best plan seen."""
    best, best_loss = list(state.cells), state.loss
    while effort.left() and state.cells:
        before = list(state.cells)
        move(state, neighbours(state, int(rng.integers(1, MAX_REMOVED + 1)), rng), refill, effort)
        if state.loss < best_loss * (1.0 - _HELPS):
            best, best_loss = list(state.cells), state.loss
        elif state.loss > best_loss * (1.0 + slack * (1.0 - effort.share())):
            state.become(before)
    state.become(best)


def neighbours(state: PlanState, count: int, rng: np.random.Generator) -> list[int]:
    """A random break and those that lie nearest to it, nearness blurred by up to 2 cells."""
    cells = np.array(state.cells)
    row, col = np.divmod(cells, state.shape[1])
    k = int(rng.integers(cells.size))
    away = np.hypot(row - row[k], col - col[k]) + rng.uniform(0.0, 2.0, cells.size)
    away[k] = -1.0
    return cells[np.argsort(away, kind="stable")[:count]].tolist()


def move(state: PlanState, removed: list[int], refill: Callable[[], None], effort: Effort) -> None:
    """Takes breaks away and spends what that frees again."""
    evaluated = state.evaluated
    state.change(removed, [])
    refill()
    effort.evaluated += state.evaluated - evaluated


FIRST = 500
"""Plans that are tried in the first round."""
MOST_BURNS, MOST_BURNS_ANEW = 400_000, 50_000
"""Plan fires times plans tried, in all rounds; where each trial burns its fires anew."""


def rounds_of(problem: Problem) -> Iterator[int]:
    """Numbers of plans that rounds may try, by the number of plan fires and the speed of trials."""
    left = ((MOST_BURNS_ANEW if problem.scene.field.burns_anew else MOST_BURNS)
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


Line = list[int]
"""Flat cells of a line that were broken with it."""

LINES_REMOVED, LINES_LOSE = 3, 0.02
"""Lines that one move takes away at most, and what `MAY_LOSE` is for lines."""

BLUR = 6.0
"""Cells by which the nearness of lines is blurred, so that moves from one line differ."""


def move_lines(state: PlanState, lines: Sequence[Line], refill: Callable[[list[Line]], list[Line]],
               effort: Effort, rng: np.random.Generator, rules: BuildRules) -> list[Line]:
    """Moves lines until the limit is reached; leaves the best plan seen and returns its lines.
    Lines that stay take over where they cross those that go.

    Args:
        lines: of the plan that `state` has; they have no cell in common.
        refill: spends what is left of the budget and returns the lines that it placed; takes those
            that were just removed. Stopped by the limit of time it may leave something.
    """
    best, best_loss = list(lines), state.loss
    now = list(best)
    while effort.left() and now:
        gone = near_lines(now, state.shape[1], int(rng.integers(1, LINES_REMOVED + 1)), rng)
        evaluated, too_many = state.evaluated, rules.too_many(state.breaks())
        after = rules.with_crossings([line for k, line in enumerate(now) if k not in gone],
                                     [cell for k in sorted(gone) for cell in now[k]],
                                     state.breaks())
        stays = {cell for line in after for cell in line}
        removed = [[cell for cell in now[k] if cell not in stays] for k in sorted(gone)]
        state.change([cell for line in removed for cell in line], [])
        after += refill(removed)
        effort.evaluated += state.evaluated - evaluated
        may = rules.too_many(state.breaks()) <= too_many
        if may and state.loss < best_loss * (1.0 - _HELPS):
            best, best_loss = after, state.loss
        elif not may or state.loss > best_loss * (1.0 + LINES_LOSE * (1.0 - effort.share())):
            state.become([cell for line in now for cell in line])
            continue
        now = after
    state.become([cell for line in best for cell in line])
    return best


def near_lines(lines: Sequence[Line], cols: int, count: int, rng: np.random.Generator) -> set[int]:
    """Numbers of a random line and of those whose middles lie nearest to its own, blurred."""
    middle = np.array([np.mean(np.divmod(np.array(line), cols), axis=1) for line in lines])
    k = int(rng.integers(len(lines)))
    away = np.hypot(*(middle - middle[k]).T) + rng.uniform(0.0, BLUR, len(lines))
    away[k] = -1.0
    return set(np.argsort(away, kind="stable")[:count].tolist())


def lines_best_first(state: PlanState, lines: Sequence[Line],
                     go_on: Callable[[], bool]) -> list[Line]:
    """The plan's lines, the next saving most per cost after those before it, so that every
    beginning is a plan for a smaller budget. Where it may not go on, the others follow as they
    were.
    """
    left, ordered = list(lines), []
    state.become([])
    while len(left) > 1 and go_on():
        saved = [trial.saved_per_cost for trial in state.try_lines(left)]
        ordered.append(left.pop(int(np.argmax(saved))))
        state.change([], ordered[-1])
    ordered += left
    state.become([cell for line in ordered for cell in line])
    return ordered
