"""The windows of a large map: cores that tile it, and the margin around each.

A window may treat its core; in its margin fires start and spread, so that it sees what comes into
its core. How wide the margin must be follows from how far fires get.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.raster.windows import Window

CORE_CELLS = 128
"""Cells along a side of a core, about."""
STAY = 0.75
"""Share of fires that get no further from their start than the margin."""
LEAST_MARGIN, MARGIN_STEP = 16, 8

Box = tuple[int, int, int, int]
"""Top, left, bottom, right: half-open."""


class Core(NamedTuple):
    """A window. inside: what it may treat; whole: with the margin, cut off at the map's edge."""

    number: int
    inside: Window
    whole: Window


def cores_of(shape: tuple[int, int], side: int, margin: int) -> list[Core]:
    """Cores of about `side` x `side` cells that tile a map, row by row."""
    rows, cols = (np.linspace(0, size, max(1, round(size / side)) + 1).round().astype(int).tolist()
                  for size in shape)
    found: list[Core] = []
    for top, bottom in pairwise(rows):
        for left, right in pairwise(cols):
            found.append(Core(len(found), window_of((top, left, bottom, right)),
                              window_of(widened((top, left, bottom, right), margin, shape))))
    return found


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
    """The margin that STAY of the fires do not get beyond, but no wider than a core.

    reach: i64 [F], cells that each gets away from its start along a row or a column.
    """
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
                   remedy="raise --window-margin or leave it out")


def reach_of(source: NDArray[np.int64], boxes: Sequence[Box], cols: int) -> NDArray[np.int64]:
    """How far fires get from their flat ignition cells, see `margin_for`."""
    row, col = np.divmod(source, cols)
    box = np.array(boxes, np.int64).reshape(-1, 4)
    return np.max([row - box[:, 0], col - box[:, 1], box[:, 2] - 1 - row, box[:, 3] - 1 - col],
                  axis=0)


def share_beyond(source: NDArray[np.int64], boxes: Sequence[Box], cores: Sequence[Core],
                 shape: tuple[int, int]) -> float:
    """The share of fires that touch the rim of the window of the core in which they start, where
    the map goes on.
    """
    of_cell = np.empty(shape, np.int64)
    for core in cores:
        of_cell[core.inside.slices] = core.number
    beyond = 0
    for cell, (top, left, bottom, right) in zip(source.tolist(), boxes, strict=True):
        own = cores[int(of_cell.ravel()[cell])].whole
        beyond += (0 < own.row >= top or 0 < own.col >= left
                   or shape[0] > own.row + own.rows <= bottom
                   or shape[1] > own.col + own.cols <= right)
    return beyond / max(source.size, 1)
