"""Simulated annealing: single breaks move about, losing moves are taken with falling probability.

A step takes one break away, looks at a few other places for it, and lets it walk among them by
Metropolis' rule before it is placed again; the best plan seen is kept. The temperature falls
geometrically to the share COLD of what it is at first, when the median losing move is taken with
probability HOT.

Sources: Metropolis et al. (1953), doi:10.1063/1.1699114; Kirkpatrick, Gelatt & Vecchi (1983),
doi:10.1126/science.220.4598.671.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.board import Board
from firebreak.planning.filling import best_first, every_cell, fill
from firebreak.planning.limits import Effort
from firebreak.planning.rounds import Placement, Task
from firebreak.planning.starts import best_of, starts_of
from firebreak.seeding import generator

HOT, COLD = 0.01, 0.02
LOOKS = 12
"""Other places that a break is tried in before it is placed again."""

REACH = 2
SAMPLED = 20
"""Breaks whose moves are sampled to set the temperature."""


def place_anneal(task: Task) -> Placement:
    """Anneals the best quick plan until the limit is reached.

    Raises:
        InputError: as the method of the start.
    """
    found, spent = starts_of(task)
    effort = Effort(task.search, task.told)
    rng = generator(task.seed, "anneal", task.problem.scene.key)
    board = Board(task.problem)
    best_of(board, found)
    anneal(board, effort, rng)
    fill(board, every_cell)
    return Placement(np.array(best_first(board), np.int64), spent + board.simulations)


def anneal(board: Board, effort: Effort, rng: np.random.Generator, hot: float = HOT,
           cold: float = COLD, looks: int = LOOKS) -> None:
    """Anneals until the limit is reached; leaves the best plan seen."""
    best, best_loss = list(board.cells), board.loss
    rises = _sampled_rises(board, effort, rng, looks)
    if rises.size == 0:
        return
    first = float(np.median(rises)) / -np.log(hot)
    while effort.left():
        step(board, first * cold ** effort.share(), effort, rng, looks)
        if board.loss < best_loss:
            best, best_loss = list(board.cells), board.loss
    board.become(best)


def step(board: Board, temperature: float, effort: Effort, rng: np.random.Generator,
         looks: int) -> None:
    """Lets one break, drawn at random, walk among the places looked at."""
    cell = int(rng.choice(board.cells))
    board.remove(cell)
    places, gains = _look(board, cell, effort, rng, looks)
    at = 0
    for k in range(1, places.size):
        if gains[k] >= gains[at] or rng.random() < np.exp((gains[k] - gains[at]) / temperature):
            at = k
    board.place(int(places[at]))


def _sampled_rises(board: Board, effort: Effort, rng: np.random.Generator,
                   looks: int) -> NDArray[np.float64]:
    """Rises of the mean loss by moves that lose."""
    rises = [np.empty(0)]
    for cell in rng.permutation(board.cells)[:SAMPLED].tolist():
        if not effort.left():
            break
        board.remove(cell)
        _, gains = _look(board, cell, effort, rng, looks)
        rises.append(gains[0] - gains[1:])
        board.place(cell)
    found = np.concatenate(rises)
    return found[found > 0.0]


def _look(board: Board, cell: int, effort: Effort, rng: np.random.Generator,
          looks: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cell just freed and other available ones, and what a break saves in each."""
    available = board.available()
    weight = _weight(board, available)
    count = min(looks, int(np.count_nonzero(weight)))
    others = rng.choice(available, count, replace=False, p=weight)
    places = np.concatenate([[cell], others[others != cell]])
    effort.evaluated += places.size
    return places, board.gains(places)


def _weight(board: Board, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chances of cells to be looked at: half by downstream value, half by being near a break."""
    below = np.sqrt(board.downstream_value()[cells] / board.price(cells))
    near = board.beside(REACH)[cells].astype(np.float64)
    parts = [part / part.sum() for part in (below, near) if part.sum() > 0.0]
    return sum(parts, np.zeros(cells.size)) / len(parts) if parts else np.full(
        cells.size, 1.0 / cells.size)
