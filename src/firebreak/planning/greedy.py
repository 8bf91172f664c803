"""Greedy by the loss that each break saves on the plan fires, exactly burned."""

from firebreak.checks import fail
from firebreak.env.problem import Problem
from firebreak.planning.board import Board
from firebreak.planning.filling import Candidates, by_downstream_value, every_cell, fill
from firebreak.planning.rounds import Placement, Task

FILTERED = 64
"""Cells with the most downstream value that `greedy-filtered` tries at every step."""

MOST_CELLS = 40 * 40
MOST_CELLS_OF_FEW_FIRES, FEW_FIRES = 64 * 64, 256
"""Treatable cells, which are what is tried: a margin in which fires only burn costs little."""


def place_greedy(task: Task) -> Placement:
    """Every step the break that saves most per cost, of all cells.

    Raises:
        InputError: more treatable cells than on 40 x 40 (on 64 x 64 for up to 256 plan fires).
    """
    if not exact_is_affordable(task.problem):
        raise fail(expected=f"at most {MOST_CELLS:,} treatable cells, or "
                            f"{MOST_CELLS_OF_FEW_FIRES:,} with up to {FEW_FIRES} plan fires",
                   given=f"{_treatable(task.problem):,} with "
                         f"{task.problem.plan_fires.source.size:,}",
                   where="method greedy",
                   remedy="use greedy-filtered, or name a part of the map with --area")
    return _greedy(task, every_cell, keep_gains=True)


def place_greedy_filtered(task: Task) -> Placement:
    """As `greedy` among the FILTERED cells of every step with the most value burned behind them."""
    return _greedy(task, by_downstream_value(FILTERED), keep_gains=False)


def exact_is_affordable(problem: Problem) -> bool:
    """Whether trying every cell at every step is within reach."""
    few = problem.plan_fires.source.size <= FEW_FIRES
    return _treatable(problem) <= (MOST_CELLS_OF_FEW_FIRES if few else MOST_CELLS)


def _treatable(problem: Problem) -> int:
    return int(problem.scene.landscape.treatable.sum())


def _greedy(task: Task, candidates: Candidates, keep_gains: bool) -> Placement:
    board = Board(task.problem, keep_gains)
    fill(board, candidates, task.batch, task.told)
    return board.placement()
