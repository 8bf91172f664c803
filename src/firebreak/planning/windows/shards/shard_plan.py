"""Plans of shards: which fires share one, what it holds, the lines that it is asked about, and the
unit of what it answers.

Chance events belong to fire and cell of the whole map. A part that has all columns counts its cells
as the map does, but for those above it, so shards of fires that meet chances have all columns.
Embers fly any distance, so shards of fires that throw them have the whole map.
"""

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import RIM, Scene
from firebreak.landscape.raster.windows import Window
from firebreak.planning.windows.cores import Box


class Wanted(NamedTuple):
    """A line to rate, by number, and the fires of the shard on which, i32; None for all."""

    line: int
    fires: NDArray[np.int32] | None = None


class Rating(NamedTuple):
    """Ratings of n lines. fires: of each line the numbers within the shard of those fires, of the
    ones wanted, that depend on it, i32; saved: of each of these, whole units i64.
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
        """Lines of some, in order, whose box meets a window."""
        if not numbers:
            return []
        which = np.array(numbers, np.int64)
        (top, left), (bottom, right) = ((row[which], col[which]) for row, col in self._ends)
        meets = ((top < window.row + window.rows) & (bottom >= window.row)
                 & (left < window.col + window.cols) & (right >= window.col))
        return which[meets].tolist()


ROOM = 2 * RIM
"""Cells between what fires burn untreated and what a shard cuts off. Breaks hold fires back, but
where one comes round another way it may burn a cell or two more."""

CERTAIN = ("never", "flame-length")
"""Rules of breach that leave nothing to chance."""

PLACES = 2
"""Fires of a shard that burn in storage at a time, where the others wait in their boxes."""
_FIRE_BYTES = 9
"""Of a cell of a shard for each fire in a place; of a cell of its box for a fire that waits."""
CELL_BYTES = 205
"""Of a cell beside its fires, for hard breaks in one weather; others hold more, see
`memory.cell_bytes`."""
_UNIT_BITS = 48
_MOST_FIRES = 2**14
"""Whose losses, each less than 2^48 units, add up in 62 bits."""


class ShardPlan(NamedTuple):
    """Content of a shard. box: cells that its fires burn untreated; stream: their weather; fires:
    i64 [n], their numbers; places: in storage, of n fires at most.
    """

    box: Box
    stream: int
    fires: NDArray[np.int64]
    places: int = 2**20


def shards_of(boxes: Sequence[Box], streams: NDArray[np.int64], most_fires: int = 2**20,
              places: int = 2**20, cell_bytes: int = CELL_BYTES) -> list[ShardPlan]:
    """Fires of one stream that lie together share a shard where that takes less memory.

    Args:
        boxes, streams: of each fire.
        most_fires: of a shard.
        places: of fires in a shard; with few, the others wait in their boxes, which takes less
            memory where fires are large, and more time.
        cell_bytes: of a cell of a shard beside its fires.
    """
    box = np.array(boxes, np.int64).reshape(-1, 4)
    found: list[ShardPlan] = []
    for stream in np.unique(streams).tolist():
        left = [np.flatnonzero(streams == stream)]
        while left:
            fires = left.pop()
            halves = _halves(box, fires)
            if fires.size > 1 and (
                    fires.size > most_fires or _bytes(box, fires, places, cell_bytes)
                    > sum(_bytes(box, half, places, cell_bytes) for half in halves)):
                left += halves[::-1]
            else:
                found.append(ShardPlan(_around(box[fires]), stream, np.sort(fires), places))
    return found


def bytes_of_shards(shards: Sequence[ShardPlan], boxes: Sequence[Box],
                    cell_bytes: int = CELL_BYTES) -> int:
    """Bytes that all shards hold, about; see `shards_of`."""
    box = np.array(boxes, np.int64).reshape(-1, 4)
    return sum(_bytes(box, shard.fires, shard.places, cell_bytes) for shard in shards)


def cells_of(shard: ShardPlan) -> int:
    """Number of cells that a shard covers, about."""
    top, left, bottom, right = shard.box
    return (bottom - top + 2 * ROOM) * (right - left + 2 * ROOM)


def loss_bound(scene: Scene, fires: int, heaviest: int = 1) -> float:
    """The bound that sets the unit of all shards alike: more than a fire can lose, as often as it
    counts, `Fires.heaviest`, and so much more that savings of all fires add up in 62 bits.
    """
    burnable = scene.landscape.burnable
    most = float(scene.value_by_class.max(axis=0)[burnable].sum(dtype=np.float64)) * heaviest
    return most * 2.0**max(ceil(log2(max(fires, 1) / _MOST_FIRES)), 0)


def loss_unit(bound: float) -> float:
    """Whole units in a loss of 1, alike in all shards; see `loss_bound`."""
    return 2.0**(_UNIT_BITS - ceil(log2(max(bound, 1e-9))))


def known_boxes(boxes: Sequence[Box], scene: Scene) -> list[Box]:
    """Parts of the map on which fires of these boxes burn as on all of it."""
    rows, cols = scene.landscape.shape
    own = scene.conditions
    if own.spotting is not None:
        return [(0, 0, rows, cols)] * len(boxes)
    drawn_by_cell = own.breach not in CERTAIN or scene.landscape.bare_m is not None
    if own.meets_crews or drawn_by_cell:
        return [(top, 0, bottom, cols) for top, _, bottom, _ in boxes]
    return list(boxes)


def _around(boxes: NDArray[np.int64]) -> Box:
    top, left = boxes[:, :2].min(axis=0).tolist()
    bottom, right = boxes[:, 2:].max(axis=0).tolist()
    return top, left, bottom, right


def _bytes(box: NDArray[np.int64], fires: NDArray[np.int64], places: int, cell_bytes: int) -> int:
    waiting = 0
    if places < fires.size:
        own = box[fires]
        waiting = int(((own[:, 2] - own[:, 0]) * (own[:, 3] - own[:, 1])).sum())
    cells = cells_of(ShardPlan(_around(box[fires]), 0, fires))
    return (cells * (cell_bytes + _FIRE_BYTES * min(fires.size, places))
            + _FIRE_BYTES * waiting)


def _halves(box: NDArray[np.int64], fires: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Along the longer side, as many on one as on the other."""
    middle = box[fires, :2] + box[fires, 2:]
    side = int(np.argmax(np.ptp(middle, axis=0)))
    order = fires[np.lexsort((fires, middle[:, side]))]
    return [order[:order.size // 2], order[order.size // 2:]]
