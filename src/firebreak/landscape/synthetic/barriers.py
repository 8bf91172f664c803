"""Rivers and roads of synthetic landscapes: thin unburnable lines from edge to edge, with gaps.

A line is the cheapest path over a cost grid that moves one column at a time and at most one row
up or down, found column by column; it therefore follows valleys, or gentle ground, as a river or
a road would.
"""

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int64]


def cheapest_crossing(cost: NDArray[np.float64]) -> NDArray[np.int64]:
    """The row in each column of the cheapest west-east path over `cost` [rows, cols]."""
    rows, cols = cost.shape
    total = np.full(rows + 2, np.inf)
    total[1:-1] = cost[:, 0]
    came_from = np.zeros((cols, rows), dtype=np.int64)
    for col in range(1, cols):
        options = np.stack((total[1:-1], total[:-2], total[2:]))
        choice = options.argmin(axis=0)
        came_from[col] = choice
        total[1:-1] = options.min(axis=0) + cost[:, col]
    shift = (0, -1, 1)
    path = np.empty(cols, dtype=np.int64)
    path[-1] = int(total[1:-1].argmin())
    for col in range(cols - 1, 0, -1):
        path[col - 1] = path[col] + shift[came_from[col, path[col]]]
    return path


def line_across(rng: np.random.Generator, cost: NDArray[np.float64], *, pull: float,
                thick: bool) -> Cells:
    """The cells of one line across the map, in order, int64 [n, 2] of (row, col).

    The line runs from west to east or from north to south and is drawn towards a straight course
    between two random ends.

    Args:
        rng: the stream to draw from.
        cost: [rows, cols], cost of a cell, of order 1.
        pull: cost per cell off the straight course; large is straight.
        thick: whether neighbouring cells of the line share a side; else they may touch at corners.
    """
    southward = rng.random() < 0.5
    grid = cost.T if southward else cost
    rows, cols = grid.shape
    ends = rng.uniform(0.1, 0.9, size=2) * (rows - 1)
    course = np.linspace(ends[0], ends[1], cols)
    off_course = np.abs(np.arange(rows)[:, None] - course[None, :])
    path = cheapest_crossing(grid + pull * off_course)
    cells = _cells_of(path, thick)
    return cells[:, ::-1] if southward else cells


def _cells_of(path: NDArray[np.int64], thick: bool) -> Cells:
    cells = np.stack((path, np.arange(len(path))), axis=1)
    if not thick:
        return cells
    corners = np.stack((path[1:], np.arange(len(path) - 1)), axis=1)
    both = np.empty((2 * len(path) - 1, 2), dtype=np.int64)
    both[0::2] = cells
    both[1::2] = corners
    moved = np.ones(len(both), dtype=bool)
    moved[1::2] = path[1:] != path[:-1]
    return both[moved]


def open_gaps(rng: np.random.Generator, cells: Cells, expected: float) -> Cells:
    """`cells` without a few stretches of 1 to 3 cells: a Poisson number of `expected` mean."""
    count = int(rng.poisson(expected))
    starts = rng.integers(0, len(cells), size=count)
    lengths = rng.integers(1, 4, size=count)
    kept = np.ones(len(cells), dtype=bool)
    for start, length in zip(starts, lengths, strict=True):
        kept[start:start + length] = False
    return cells[kept]
