"""Local search by swaps: breaks are taken away and placed anew where they save most.

A move takes away one break and places it where it saves most of all cells tried. Where no such move
helps any more, several breaks that lie together are taken away and placed one by one, cells passed
over by chance, so that lines can move. A move that loses more than a little is taken back, and the
best plan seen is kept: the plan never gets worse on the plan fires.

Sources: Shaw (1998), doi:10.1007/3-540-49481-2_30, for taking away what lies together; Christiaens
& Vanden Berghe (2020), doi:10.1287/trsc.2019.0914, for passing over by chance; Dueck (1993),
doi:10.1006/jcph.1993.1010, for how much may be lost.
"""

from collections.abc import Callable

import numpy as np

from firebreak.planning.board import Board
from firebreak.planning.filling import (
    Candidates,
    and_near,
    best_first,
    by_downstream_value,
    fill,
    passing_over,
)
from firebreak.planning.limits import Effort
from firebreak.planning.rounds import Placement, Task
from firebreak.planning.starts import starts_of
from firebreak.seeding import generator

CANDIDATES, REACH = 16, 1
"""A break is tried in this many cells by downstream value, and so near to other breaks."""

TOGETHER = 4
"""Breaks that one move takes away at most."""

PASSED_OVER = 0.3
MAY_LOSE = 0.03
"""Share of the best loss by which the current plan may be worse than the best."""

_HELPS = 1e-9  # relative; less is rounding


def place_swap(task: Task) -> Placement:
    """Swaps from the best quick plan until the limit is reached.

    Raises:
        InputError: as the method of the start.
    """
    found, spent = starts_of(task)
    effort = Effort(task.search, task.told)
    rng = generator(task.seed, "swap", task.problem.scene.key)
    board = Board(task.problem)
    candidates = and_near(by_downstream_value(CANDIDATES), REACH)
    ends = []
    for start in found:
        board.become(start)
        one_by_one(board, candidates, effort)
        ends.append((board.loss, list(board.cells)))
    board.become(min(ends)[1])

    def refill() -> None:
        passing_over(board, candidates, PASSED_OVER, rng)

    together(board, refill, effort, rng)
    return Placement(np.array(best_first(board), np.int64), spent + board.simulations)


def one_by_one(board: Board, candidates: Candidates, effort: Effort) -> None:
    """Moves single breaks until no move helps, or the limit is reached."""
    waiting, idle = list(board.cells), 0
    while idle < len(waiting) and effort.left():
        cell = waiting.pop(0)
        before, loss = set(board.cells), board.loss
        move(board, [cell], lambda: fill(board, candidates), effort)
        if board.loss < loss * (1.0 - _HELPS):
            idle = 0
            waiting += sorted(set(board.cells) - before)
        else:
            board.become(sorted(before))
            waiting.append(cell)
            idle += 1


def together(board: Board, refill: Callable[[], None], effort: Effort, rng: np.random.Generator,
             most: int = TOGETHER, slack: float = MAY_LOSE) -> None:
    """Takes away breaks that lie together and refills the board until the limit is reached; leaves
    the best plan seen.
    """
    best, best_loss = list(board.cells), board.loss
    while effort.left() and board.cells:
        before = list(board.cells)
        move(board, neighbours(board, int(rng.integers(1, most + 1)), rng), refill, effort)
        if board.loss < best_loss * (1.0 - _HELPS):
            best, best_loss = list(board.cells), board.loss
        elif board.loss > best_loss * (1.0 + slack * (1.0 - effort.share())):
            board.become(before)
    board.become(best)


def neighbours(board: Board, count: int, rng: np.random.Generator) -> list[int]:
    """A random break and those that lie nearest to it, nearness blurred by up to 2 cells."""
    cells = np.array(board.cells)
    row, col = np.divmod(cells, board.shape[1])
    k = int(rng.integers(cells.size))
    away = np.hypot(row - row[k], col - col[k]) + rng.uniform(0.0, 2.0, cells.size)
    away[k] = -1.0
    return cells[np.argsort(away, kind="stable")[:count]].tolist()


def move(board: Board, removed: list[int], refill: Callable[[], None], effort: Effort) -> None:
    """Takes breaks away and spends what that frees again."""
    evaluated = board.evaluated
    board.change(removed, [])
    refill()
    effort.evaluated += board.evaluated - evaluated
