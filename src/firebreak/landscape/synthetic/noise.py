"""Smooth random fields, and the lines that cross them.

A field is white noise shaped in the frequency domain to a power law with a knee. Above the knee
(the correlation length) it is white, below it the amplitude falls with the wave number to the power
of the exponent: about 1.5 gives ragged, 3 gives rounded patches.

Rivers and roads are thin lines from edge to edge, with gaps. A line is the cheapest path over a
cost grid that moves one column at a time and at most one row up or down, found column by column; it
therefore follows valleys, or gentle ground, as a river or a road would.
"""

import numpy as np
import scipy.fft
from numpy.typing import NDArray

Cells = NDArray[np.int64]


def power_law_noise(rng: np.random.Generator, count: int, shape: tuple[int, int], *,
                    correlation_cells: float, exponent: float, stretch: float = 1.0,
                    angle_rad: float = 0.0) -> NDArray[np.float64]:
    """`count` independent fields of mean 0 and variance 1, float64 [count, rows, cols].

    Args:
        rng: the stream to draw from.
        count: number of fields.
        shape: (rows, columns).
        correlation_cells: wavelength of the knee, in cells, > 0.
        exponent: fall of the amplitude below the knee, > 0.
        stretch: length of features along `angle_rad` over their width, >= 1.
        angle_rad: direction of the long axis, from east towards south.
    """
    rows, cols = shape
    # The transform is periodic: a margin keeps opposite edges of the map from matching.
    margin = int(min(2.0 * correlation_cells * stretch, max(shape))) + 1
    padded = (scipy.fft.next_fast_len(rows + margin, real=True),
              scipy.fft.next_fast_len(cols + margin, real=True))
    gain = _gain(padded, correlation_cells, exponent, stretch, angle_rad)
    white = rng.standard_normal((count, *padded))
    field = scipy.fft.irfft2(scipy.fft.rfft2(white) * gain, s=padded)[:, :rows, :cols]
    return standardise(field)


def _gain(shape: tuple[int, int], correlation_cells: float, exponent: float, stretch: float,
          angle_rad: float) -> NDArray[np.float64]:
    south = scipy.fft.fftfreq(shape[0])[:, None]
    east = scipy.fft.rfftfreq(shape[1])[None, :]
    along = np.cos(angle_rad) * east + np.sin(angle_rad) * south
    across = np.cos(angle_rad) * south - np.sin(angle_rad) * east
    knee_waves = correlation_cells**2 * (stretch * along**2 + across**2 / stretch)
    gain = (1.0 + knee_waves) ** (-0.5 * exponent)
    gain[0, 0] = 0.0
    return gain


def standardise(field: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each map of [..., rows, cols] brought to mean 0 and variance 1; a constant map to 0."""
    centred = field - field.mean(axis=(-2, -1), keepdims=True)
    spread = np.sqrt(np.mean(centred**2, axis=(-2, -1), keepdims=True))
    return centred / np.where(spread > 0, spread, 1.0)


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
        thick: neighbouring cells of the line share a side; else they may touch at corners.
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
