"""Lines that shards rate, by number, and what shards answer."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.raster.windows import Window


class Wanted(NamedTuple):
    """A line to rate, by number, and the fires of the shard on which, i32; None for all."""

    line: int
    fires: NDArray[np.int32] | None = None


class Rating(NamedTuple):
    """Of n lines. fires: of each line the numbers within the shard of those fires, of the ones
    wanted, that depend on it, i32; saved: of each of these, whole units i64.
    """

    fires: list[NDArray[np.int32]]
    saved: list[NDArray[np.int64]]


NO_FIRES, NO_UNITS = np.empty(0, np.int32), np.empty(0, np.int64)
"""Of a line that none of the fires depends on: most, where all shards are asked about all lines."""


class LineTable:
    """Lines of flat cells of the whole map by number, none of them empty, and where each lies: a
    shard passes over those that lie elsewhere without looking at their cells.
    """

    def __init__(self, lines: Sequence[NDArray[np.int64]], cols: int) -> None:
        self._lines = lines
        first = np.cumsum([0, *(line.size for line in lines)])[:-1]
        cells = np.concatenate([np.empty(0, np.int64), *lines])
        self._ends = [(end(row, first), end(col, first)) for row, col in [np.divmod(cells, cols)]
                      for end in (np.minimum.reduceat, np.maximum.reduceat)] if len(lines) else []

    def __getitem__(self, number: int) -> NDArray[np.int64]:
        return self._lines[number]

    def __len__(self) -> int:
        return len(self._lines)

    def near(self, numbers: Sequence[int], window: Window) -> list[int]:
        """Those of some lines, in order, whose box meets a window."""
        if not numbers:
            return []
        which = np.array(numbers, np.int64)
        (top, left), (bottom, right) = ((row[which], col[which]) for row, col in self._ends)
        meets = ((top < window.row + window.rows) & (bottom >= window.row)
                 & (left < window.col + window.cols) & (right >= window.col))
        return which[meets].tolist()
