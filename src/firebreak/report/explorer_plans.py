"""The plans that the explorer shows side by side, made a round at a time so that others get a turn.

The plan that is looked at comes from outside. The honest alternatives, downstream value and greedy,
are made here on the same plan fires and for the same budget, as `make_plan` would make them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.problem import Problem, problem_of
from firebreak.env.slots import Slots
from firebreak.fire.scene import Scene
from firebreak.planning.board import Board
from firebreak.planning.filling import by_downstream_value, fill
from firebreak.planning.greedy import FILTERED
from firebreak.planning.limits import SEARCH
from firebreak.planning.rounds import Placement, Task, default_batch, place_by_score
from firebreak.report.explorer_state import Estimate, ExplorerState

DOWNSTREAM, GREEDY = "downstream-value", "greedy-filtered"
CURVE_POINTS = 17

Breathe = Callable[[], None]
"""Called between two rounds."""


class ShownPlan(NamedTuple):
    """A plan on the page.

    Attributes:
        name: of the method, or of the file it was read from.
        cells: flat, in order of placement.
        steps: numbers of cells at which the curve was looked at, 0 and all of them included.
        curve: what the explore fires lose less at these steps.
    """

    name: str
    cells: tuple[int, ...]
    steps: tuple[int, ...]
    curve: tuple[Estimate, ...]


def shown_plan(state: ExplorerState, name: str, cells: NDArray[np.int64],
               breathe: Breathe) -> ShownPlan:
    """A plan with its curve."""
    order = tuple(cells.tolist())
    steps = key_steps(len(order))
    curve = []
    for step in steps:
        curve.append(state.outcome(order[:step]).reduction)
        breathe()
    return ShownPlan(name, order, steps, tuple(curve))


def key_steps(count: int) -> tuple[int, ...]:
    """Up to CURVE_POINTS numbers of cells, spread evenly from none to `count`."""
    return tuple(np.unique(np.linspace(0, count, CURVE_POINTS).round().astype(int)).tolist())


def other_methods(scene: Scene, method: str) -> list[str]:
    """The methods to hold a plan against. Greedy is left out where each look burns fires anew."""
    field = scene.field
    slow = field.breaks.treated is not None or field.steps > 1 or field.spots.cells.size > 0
    return [name for name in (DOWNSTREAM, GREEDY)
            if name != method and not (slow and name == GREEDY)]


def compared_plan(scene: Scene, budget_share: float, plan_fires: int, method: str,
                  breathe: Breathe) -> NDArray[np.int64]:
    """The cells, in order, of one of `other_methods`."""
    fires = scene.fires("plan", plan_fires)
    problem = problem_of(scene, budget_share, fires, fires.first(0))
    batch = default_batch(scene.landscape, budget_share)
    if method == DOWNSTREAM:
        return _by_downstream_value(problem, batch, breathe)
    nominees = by_downstream_value(FILTERED)

    def candidates(board: Board) -> NDArray[np.int64]:
        breathe()
        return nominees(board)

    board = Board(problem)
    fill(board, candidates, batch)
    return board.placement().cells


def _by_downstream_value(problem: Problem, batch: int, breathe: Breathe) -> NDArray[np.int64]:
    def score(slots: Slots) -> NDArray[np.float64]:
        breathe()
        return slots.maps(0)[1] / problem.scene.landscape.cost

    def no_other(method: str) -> Placement:
        raise AssertionError(f"downstream value asked for {method}")

    return place_by_score(Task(problem, 0, batch, None, SEARCH, no_other), score).cells
