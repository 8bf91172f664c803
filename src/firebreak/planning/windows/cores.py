"""The windows of a large map: cores that tile it and that windows may treat, a margin around each,
in which fires start and spread, and lines across the seams between them.

Windows do not see what their neighbours propose, so two lines that almost meet at a seam get a
third that joins them; it is rated again when they are taken, for it lies beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.landscape.raster.windows import Window
from firebreak.line_actions import line_steps

CORE_CELLS = 128
"""Cells along a side of a core, about."""
STAY = 0.75
"""Share of fires that get no further from their start than the margin."""
LEAST_MARGIN, MARGIN_STEP = 16, 8

Box = tuple[int, int, int, int]
"""Top, left, bottom, right: half-open."""


MOST_FIRES = 256
"""Plan fires of a window, at most: all of them judge."""
OVER = 2.0
"""Times its share of the budget that a window proposes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """The cut of a large map into windows.

    Attributes:
        core: cells along a side of what a window treats, about.
        margin: cells around it; None: as far as most fires get.
        most_fires: of a window.
    """

    core: int = CORE_CELLS
    margin: int | None = None
    most_fires: int = MOST_FIRES


WINDOWS = WindowSettings()
"""Those of usual windows."""


class Core(NamedTuple):
    """A window. inside: what it may treat; whole: with the margin, cut off at the map's edge."""

    number: int
    inside: Window
    whole: Window


def cores_of(shape: tuple[int, int], side: int, margin: int) -> list[Core]:
    """Cores of about `side` x `side` cells that tile a map, row by row."""
    rows, cols = (np.linspace(0, size, max(1, round(size / side)) + 1).round().astype(int).tolist()
                  for size in shape)
    boxes = [(top, left, bottom, right) for top, bottom in pairwise(rows)
             for left, right in pairwise(cols)]
    return [Core(number, window_of(box), window_of(widened(box, margin, shape)))
            for number, box in enumerate(boxes)]


def window_of(box: Box) -> Window:
    """A box as a window."""
    top, left, bottom, right = box
    return Window(top, left, bottom - top, right - left)


def widened(box: Box, by: int, shape: tuple[int, int]) -> Box:
    """A box with so many cells more on every side, cut off at the map's edge."""
    top, left, bottom, right = box
    return (max(top - by, 0), max(left - by, 0), min(bottom + by, shape[0]),
            min(right + by, shape[1]))


def margin_for(reach: NDArray[np.int64], side: int) -> int:
    """The margin, at most a core, that STAY of the fires, of reach i64 [F] cells, stay within."""
    wanted = int(np.quantile(reach, STAY, method="higher"))
    return min(max(-(-wanted // MARGIN_STEP) * MARGIN_STEP, LEAST_MARGIN), max(side, LEAST_MARGIN))


def check_margin(margin: int, reach: NDArray[np.int64], name: str) -> None:
    """Refuses a margin that half of the fires get beyond.

    Raises:
        InputError: naming how far they get.
    """
    usual = int(np.quantile(reach, 0.5, method="higher"))
    if margin < usual:
        raise fail(expected=f"a margin of at least {usual} cells, which half of the fires stay "
                            "within", given=f"{margin}", where=f"landscape {name}",
                   remedy="raise it, or leave it out")


def reach_of(source: NDArray[np.int64], boxes: Sequence[Box], cols: int) -> NDArray[np.int64]:
    """Distance that fires get from their flat ignition cells, see `margin_for`."""
    row, col = np.divmod(source, cols)
    box = np.array(boxes, np.int64).reshape(-1, 4)
    return np.max([row - box[:, 0], col - box[:, 1], box[:, 2] - 1 - row, box[:, 3] - 1 - col],
                  axis=0)


def share_beyond(source: NDArray[np.int64], boxes: Sequence[Box], cores: Sequence[Core],
                 shape: tuple[int, int]) -> float:
    """The share of fires that touch a rim, inside the map, of the window they start in."""
    of_cell = _core_of_cells(cores, shape).ravel()
    beyond = 0
    for cell, (top, left, bottom, right) in zip(source.tolist(), boxes, strict=True):
        own = cores[int(of_cell[cell])].whole
        beyond += (0 < own.row >= top or 0 < own.col >= left
                   or shape[0] > own.row + own.rows <= bottom
                   or shape[1] > own.col + own.cols <= right)
    return beyond / max(source.size, 1)


def _core_of_cells(cores: Sequence[Core], shape: tuple[int, int]) -> NDArray[np.int64]:
    """The number of the core of each cell, i64 [H, W]."""
    core_of = np.empty(shape, np.int64)
    for core in cores:
        core_of[core.inside.slices] = core.number
    return core_of


GAP = 6
"""Cells (Chebyshev) between lines of two cores that a line across a seam joins, at most."""


def seam_lines(lines: Sequence[NDArray[np.int64]], landscape: Landscape, cores: Sequence[Core],
               *, joined: bool) -> list[NDArray[np.int64]]:
    """Lines of flat treatable cells that no other line has, each between two lines of different
    cores; nearest pairs first.

    joined: by edges, see `line_steps`.
    """
    cells = np.concatenate([np.empty(0, np.int64), *lines])
    line_of = np.repeat(np.arange(len(lines)), [line.size for line in lines])
    if not cells.size:
        return []
    own = _core_of_cells(cores, landscape.shape).ravel()[cells]
    place = np.stack(np.divmod(cells, landscape.shape[1]), axis=1)
    pairs = cKDTree(place).query_pairs(GAP, p=np.inf, output_type="ndarray")
    pairs = pairs[own[pairs[:, 0]] != own[pairs[:, 1]]]
    apart = np.abs(place[pairs[:, 0]] - place[pairs[:, 1]]).max(axis=1)
    taken = mask_of_cells(cells, landscape.shape)
    found: list[NDArray[np.int64]] = []
    done: set[tuple[int, int]] = set()
    for k in np.lexsort((pairs[:, 1], pairs[:, 0], apart)).tolist():
        one, other = sorted(line_of[pairs[k]].tolist())
        if (one, other) in done:
            continue
        done.add((one, other))  # they touch, or their nearest cells cannot be joined
        if apart[k] > 1:
            line = _between(place[pairs[k, 0]], place[pairs[k, 1]], landscape, taken, joined)
            if line.size:
                found.append(line)
                taken.ravel()[line] = True
    return found


def _between(first: NDArray[np.int64], last: NDArray[np.int64], landscape: Landscape,
             taken: NDArray[np.bool_], joined: bool) -> NDArray[np.int64]:
    """Open cells on a straight line between two; none where one burns and is not treatable."""
    down, right = (last - first).tolist()
    count = 2 * max(abs(down), abs(right)) + 2 if joined else max(abs(down), abs(right)) + 1
    steps = first + line_steps((down, right), count, joined)
    end = np.flatnonzero((steps == last).all(axis=1))
    row, col = steps[1:end[0]].T
    free = ~taken[row, col]
    if (landscape.burnable & ~landscape.treatable)[row[free], col[free]].any():
        return np.empty(0, np.int64)
    new = free & landscape.treatable[row, col]
    return row[new] * landscape.shape[1] + col[new]
