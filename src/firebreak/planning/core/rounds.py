"""Placing cells round by round: burn the plan fires, score the cells, place the best, burn again.

The loop that every re-simulating method shares. Between rounds only those fires burn anew that a
new break changes; the unit of `simulations` is one burn of all plan fires.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import PART_OF_MAP
from firebreak.env.core import begin, place_available
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch, sizes_for
from firebreak.fire import FireConditions
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.kernels import choose_spaced
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.progress import Reporter, no_report

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

ROUNDS = 50
"""About as many rounds as a large plan takes where the batch is not given."""

SPACING = 3
"""Cells of one round are at least this far apart (Chebyshev): each would change its neighbours'
scores."""


class PlanningCase(NamedTuple):
    """Land, conditions and fires that a method is to plan for, known before a scene is made.

    smaller: what to ask for instead of a map that is too large, in words.
    """

    land: Landscape
    conditions: FireConditions
    plan_fires: int
    smaller: str = PART_OF_MAP

    @classmethod
    def of(cls, problem: Problem) -> "PlanningCase":
        """Case of a problem, whose scene is made."""
        scene = problem.scene
        return cls(scene.landscape, scene.conditions, problem.plan_fires.source.size)


class Task(NamedTuple):
    """The input of a method. batch: cells per round; policy: for learned methods; search: for
    methods that search; report: takes the share of the plan that is made; lines: that the user
    supplies.
    """

    problem: Problem
    seed: int
    batch: int
    policy: "Policy | None"
    search: SearchOptions
    report: Reporter = no_report
    lines: Corridors | None = None


class Placement(NamedTuple):
    """cells: int64 [n], in order of placement; simulations: burns of all plan fires; notes: see
    `Plan`.
    """

    cells: NDArray[np.int64]
    simulations: float
    notes: dict[str, float] | None = None


Score = Callable[[ProblemBatch], NDArray[np.floating]]
"""Scores [H, W] of all cells of slot 0 under the breaks so far; larger is better."""


def place_by_score(task: Task, score: Score) -> Placement:
    """Places the best available cells round by round until none is affordable; of corridors, where
    the task has any, each time the one whose cells score most per cost.

    Raises:
        InputError: the plan fires burn nothing of value.
    """
    slots = loaded(task.problem)
    n_plan_fires = task.problem.plan_fires.source.size
    rules = None if task.lines is None else BuildRules(task.lines, task.problem.scene.landscape)
    cells: list[int] = []
    burned = n_plan_fires
    while True:
        placed = place_available(slots, spaced_best(
            score(slots), slots.available[0], task.batch) if rules is None else
            best_run(rules, score(slots), slots))
        cells += placed
        if not placed or not slots.available[0].any():
            return Placement(np.array(cells, np.int64), burned / n_plan_fires)
        task.report(spent_share(slots, task.problem))
        burned += slots.update(SLOT_0)


def spent_share(slots: ProblemBatch, problem: Problem) -> float:
    """Share of a problem's budget that is spent, 0 to 1."""
    return 1.0 - float(slots.budget_left[0]) / problem.budget


def spaced_best(score: NDArray[np.floating], available: NDArray[np.bool_],
                count: int) -> list[int]:
    """Flat indices of up to `count` available cells, best first, at least SPACING apart.

    Ties go to the lower index.
    """
    allowed = np.flatnonzero(available)
    order = allowed[np.argsort(-score.ravel()[allowed], kind="stable")]
    near = np.zeros(available.shape, np.bool_)
    chosen: list[int] = []
    for cell in order.tolist():
        row, col = divmod(cell, available.shape[1])
        if near[row, col]:
            continue
        chosen.append(cell)
        if len(chosen) == count:
            break
        reach = SPACING - 1
        near[max(row - reach, 0):row + SPACING, max(col - reach, 0):col + SPACING] = True
    return chosen


def best_run(rules: BuildRules, score: NDArray[np.floating], slots: ProblemBatch) -> list[int]:
    """The cells that may be built of the run whose cells score most per cost [H, W], of those that
    may come next and can be paid for; none where none can.
    """
    land = slots.problem(0).scene.landscape  # whole runs, also of cells too dear for what is left
    free, rated = (land.treatable & ~slots.breaks[0]).ravel(), score.ravel()
    cost = land.cost.ravel().astype(np.float64)
    left = spendable(float(slots.budget_left[0]))
    best, most = np.empty(0, np.int64), -np.inf
    own = [run[free[run]] for run in rules.runs]
    for cells, may in zip(own, rules.allow(slots.breaks[0], own), strict=True):
        price = float(cost[cells].sum())
        if may and cells.size and price <= left:
            mean = float((rated[cells] * cost[cells]).sum()) / price
            if mean > most:
                best, most = cells, mean
    chosen: list[int] = best.tolist()
    return chosen


class LineList(NamedTuple):
    """Lines of flat cells, best first: cells i64 [T], those of line k from first[k] to
    first[k + 1], i64 [n + 1]. A line has a cell at least.
    """

    cells: NDArray[np.int64]
    first: NDArray[np.int64]


def line_list(lines: Sequence[NDArray[np.int64]]) -> LineList:
    """Lines one by one, of flat cells, as a list."""
    return LineList(np.concatenate([np.empty(0, np.int64), *lines]),
                    np.cumsum([0, *(line.size for line in lines)]))


def spaced_lines(lists: Iterable[LineList], max_cells: int,
                 shape: tuple[int, int]) -> list[NDArray[np.int64]]:
    """The first line and further ones at least SPACING away, up to `max_cells` cells in all.

    Args:
        lists: best first; a later one is asked for only if those before it are not enough.
    """
    near, count = np.zeros(shape, np.bool_), np.zeros(1, np.int64)
    found: list[NDArray[np.int64]] = []
    for own in lists:
        chosen = np.zeros(own.first.size - 1, np.bool_)
        choose_spaced(own.cells, own.first, max_cells, SPACING, near, count, chosen)
        found += [own.cells[own.first[k]:own.first[k + 1]] for k in np.flatnonzero(chosen).tolist()]
        if count[0] >= max_cells:
            break
    return found


def afford(order: NDArray[np.int64], cost: NDArray[np.float32],
           budget: float) -> NDArray[np.int64]:
    """The cells of `order` that the budget buys, each taken if what is left pays for it.

    Args:
        order: int64 [n], flat cells.
        cost: [H, W].
    """
    prices = cost.ravel()[order].astype(np.float64)
    cheapest = float(prices.min(initial=np.inf))
    left = budget
    chosen = []
    for cell, price in zip(order.tolist(), prices.tolist(), strict=True):
        if price <= spendable(left):
            chosen.append(cell)
            left -= price
        elif cheapest > spendable(left):
            break
    return np.array(chosen, np.int64)


def spendable(left: float) -> float:
    """Price that the rest of a budget pays for, as in the environment: sums of costs carry
    rounding.
    """
    return left * (1.0 + 1e-9) + 1e-9


def default_batch(landscape: Landscape, budget_share: float) -> int:
    """Cells per round, so that a plan takes about ROUNDS rounds; 1 up to half as many again."""
    return max(1, round(int(budget_share * int(landscape.treatable.sum())) / ROUNDS))


def loaded(problem: Problem) -> ProblemBatch:
    """One slot that holds the problem, its plan fires burned; taken from the problem before where
    that had the same fires (`Problem.again`).
    """
    again = problem.again
    if again is not None and again.slots is not None and again.slots.burned_for(0, problem):
        again.slots.turn_to(0, problem)
        return again.slots
    slots = ProblemBatch(sizes_for(problem.scene, 1, problem.plan_fires.source.size,
                            problem.reward_fires.source.size),
                  borrows=problem.scene.field.breaks.treated is None)
    begin(slots, SLOT_0, [problem])
    if again is not None:
        again.slots = slots
    return slots
