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


def place_greedy(task: Task) -> Placement:
    """Every step the break that saves most per cost, of all cells.

    Raises:
        InputError: a map above 40 x 40 cells (above 64 x 64 for up to 256 plan fires).
    """
    if not exact_is_affordable(task.problem):
        rows, cols = task.problem.scene.landscape.shape
        raise fail(expected=f"at most 40 x 40 cells, or 64 x 64 with up to {FEW_FIRES} plan fires",
                   given=f"{rows} x {cols} with {task.problem.plan_fires.source.size}",
                   where="method greedy",
                   remedy="use greedy-filtered, or name a part of the map with --area")
    return _greedy(task, every_cell, keep_gains=True)


def place_greedy_filtered(task: Task) -> Placement:
    """As `greedy` among the FILTERED cells of every step with the most value burned behind them."""
    return _greedy(task, by_downstream_value(FILTERED), keep_gains=False)


def exact_is_affordable(problem: Problem) -> bool:
    """Whether trying every cell at every step is within reach."""
    rows, cols = problem.scene.landscape.shape
    few = problem.plan_fires.source.size <= FEW_FIRES
    return rows * cols <= (MOST_CELLS_OF_FEW_FIRES if few else MOST_CELLS)


def _greedy(task: Task, candidates: Candidates, keep_gains: bool) -> Placement:
    board = Board(task.problem, keep_gains)
    fill(board, candidates, task.batch, task.told)
    return board.placement()
