"""Breaks placed one by one where each saves most on the plan fires, until the budget is spent.

Source of the greedy rule: Nemhauser, Wolsey & Fisher (1978), An analysis of approximations for
maximizing submodular set functions; its bound does not hold here, for a second break that closes a
gap saves more than alone.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.board import Board
from firebreak.planning.progress import Told, untold
from firebreak.planning.rounds import spaced_best

Candidates = Callable[[Board], NDArray[np.int64]]
"""The cells, flat, lowest first, among which the next break is sought."""


def every_cell(board: Board) -> NDArray[np.int64]:
    """All that may be broken."""
    return board.available()


def by_downstream_value(count: int) -> Candidates:
    """The `count` available cells with the most value burned behind them per cost."""
    def candidates(board: Board) -> NDArray[np.int64]:
        cells = board.available()
        if cells.size <= count:
            return cells
        score = board.downstream_value()[cells] / board.price(cells)
        return np.sort(cells[np.argsort(-score, kind="stable")[:count]])
    return candidates


def ranked(board: Board, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """`cells` by the loss that each saves per cost, then by downstream value per cost, then by
    index.
    """
    price = board.price(cells)
    below = board.downstream_value()[cells] / price
    return cells[np.lexsort((cells, -below, -board.gains(cells) / price))]


def fill(board: Board, candidates: Candidates, batch: int = 1, told: Told = untold) -> None:
    """Places breaks until no candidate is affordable, `batch` spaced ones per round; `told` hears
    the share of the budget that is spent.
    """
    while (cells := candidates(board)).size:
        told(board.spent_share())
        order = ranked(board, cells)
        if batch == 1:
            board.place(int(order[0]))
            continue
        score = np.zeros(board.shape)
        score.ravel()[order] = np.arange(order.size, 0, -1)
        for cell in spaced_best(score, score > 0, batch):
            if cell in board.available():
                board.place(cell)


def best_first(board: Board) -> list[int]:
    """The board's breaks in an order of which every beginning is a plan for a smaller budget: each
    next one saves most after those before it. The board is left with the same breaks.
    """
    chosen = set(board.cells)
    board.change(list(board.cells), [])

    def own(of: Board) -> NDArray[np.int64]:
        return np.array(sorted(chosen - set(of.cells)), np.int64)

    fill(board, own)
    return list(board.cells)


def and_near(others: Candidates, reach: int) -> Candidates:
    """`others`, and all available cells within `reach` rows and columns of a break."""
    def candidates(board: Board) -> NDArray[np.int64]:
        cells = board.available()
        return np.union1d(cells[board.beside(reach)[cells]], others(board))
    return candidates


def passing_over(board: Board, candidates: Candidates, chance: float,
                 rng: np.random.Generator) -> None:
    """As `fill`, but every candidate is passed over with a chance, so that repeats differ."""
    while (cells := candidates(board)).size:
        order = ranked(board, cells)
        kept = order[rng.random(order.size) >= chance]
        board.place(int((kept if kept.size else order)[0]))
