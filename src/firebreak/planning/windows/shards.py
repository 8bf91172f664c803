"""Fires of the whole map in shards: each holds a few, of one stream of weather, on the part of the
map that they come near. Shards answer in whole numbers, so which fires lie in which changes no bit.
"""

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import saved_by_lines
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.slots import SLOT_0, Slots, sizes_for
from firebreak.fire import RIM, UNBURNED, Fires, WideScene, scene_in, unpad
from firebreak.landscape.raster.windows import Window
from firebreak.layout import OBSERVATION
from firebreak.planning.windows.cores import Box, widened, window_of

ROOM = 2 * RIM
"""Cells between what fires burn untreated and what a shard cuts off. Breaks hold fires back, but
where one comes round another way it may burn a cell or two more."""

_FIRE_BYTES, _CELL_BYTES = 18, 400
"""Of a cell of a shard: for each fire, and for its travel field and room to work."""
_MOST_FIRES = 2**14
"""Whose losses, each less than 2^48 units, add up in 62 bits."""


class ShardPlan(NamedTuple):
    """What a shard holds. box: cells that its fires burn untreated; stream: their weather; fires:
    i64 [n], their numbers.
    """

    box: Box
    stream: int
    fires: NDArray[np.int64]


def shards_of(boxes: Sequence[Box], streams: NDArray[np.int64],
              most_fires: int = 2**20) -> list[ShardPlan]:
    """Fires of one stream that lie together share a shard where that takes less memory.

    Args:
        boxes, streams: of each fire.
        most_fires: of a shard.
    """
    box = np.array(boxes, np.int64).reshape(-1, 4)
    found: list[ShardPlan] = []
    for stream in np.unique(streams).tolist():
        left = [np.flatnonzero(streams == stream)]
        while left:
            fires = left.pop()
            halves = _halves(box, fires)
            if fires.size > 1 and (fires.size > most_fires
                                   or _bytes(box, fires) > sum(_bytes(box, k) for k in halves)):
                left += halves[::-1]
            else:
                found.append(ShardPlan(_around(box[fires]), stream, np.sort(fires)))
    return found


def loss_bound(scene: WideScene, fires: int) -> float:
    """What sets the unit of all shards alike: more than a fire can lose, and so much more that
    savings of all fires add up in 62 bits.
    """
    burnable = scene.landscape.burnable
    most = float(scene.value_by_class.max(axis=0)[burnable].sum(dtype=np.float64))
    return most * 2.0**max(ceil(log2(max(fires, 1) / _MOST_FIRES)), 0)


class Rating(NamedTuple):
    """Of n lines: saved: whole units, summed over the shard's fires, i64 [n]; fires: by line, the
    numbers within the shard of the fires that depend on it.
    """

    saved: NDArray[np.int64]
    fires: list[NDArray[np.int32]]


class Shard:
    """The fires of a shard, kept burning under the lines that were taken so far."""

    def __init__(self, scene: WideScene, plan: ShardPlan, fires: Fires, bound: float) -> None:
        self._scene, self._plan, self._fires, self._bound = scene, plan, fires, bound
        self.taken: tuple[int, ...] = ()
        self._begin(ROOM)

    def untreated(self) -> int:
        """What its fires lose without breaks, in whole units; before any line is taken."""
        unit = self._slots.loss_unit(0)
        return sum(int(loss * unit) for loss in self._slots.plan_trees(0).loss.tolist())

    def take(self, taken: tuple[int, ...], lines: Sequence[NDArray[np.int64]]) -> None:
        """Brings the shard to where these lines, by number, are broken."""
        if taken[:len(self.taken)] != self.taken:
            self._begin(self._room)
        while True:
            new = [self._own(lines[k]) for k in taken[len(self.taken):]]
            cells = np.concatenate([np.empty(0, np.int64), *new])
            self._slots.place_each(np.zeros(cells.size, np.int64), cells)
            self._slots.update(SLOT_0)
            self.taken = taken
            if not self._near_rim():
                return
            self._begin(2 * self._room)

    def rate(self, numbers: Sequence[int], lines: Sequence[NDArray[np.int64]]) -> Rating:
        """What each of these lines alone saves besides those taken."""
        free = self._slots.available[0].ravel()
        own = [cells[free[cells]] for cells in (self._own(lines[k]) for k in numbers)]
        saved, tried = saved_by_lines(self._slots, 0, own, np.arange(self._fires.source.size))
        return Rating(saved.sum(axis=0),
                      [np.flatnonzero(tried[:, k]).astype(np.int32) for k in range(len(numbers))])

    def _begin(self, room: int) -> None:
        shape = self._scene.landscape.shape
        while True:
            self._room, self.taken = room, ()
            self._window = window_of(widened(self._plan.box, room, shape))
            scene = scene_in(self._scene, self._window, self._plan.stream)
            row, col = np.divmod(self._fires.source, shape[1])
            own = self._fires._replace(
                source=(row - self._window.row) * self._window.cols + col - self._window.col,
                scenario=np.zeros_like(self._fires.scenario))
            self._slots = Slots(sizes_for(scene, 1, own.source.size, 0), borrows=True)
            self._slots.load(0, Problem(
                scene=scene, plan_fires=own, reward_fires=own.first(0), budget=np.inf,
                budget_share=1.0,
                layers=np.zeros((len(OBSERVATION.static), *scene.landscape.shape), np.uint8)))
            # One scale of value for all shards: a crop's own would round otherwise.
            self._slots.fires.begin(0, self._slots.value[0], self._bound)
            self._slots.update(SLOT_0, fresh=True)
            if not self._near_rim():
                return
            room *= 2

    def _own(self, line: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells of a line that lie in the shard, as its own."""
        window, (row, col) = self._window, np.divmod(line, self._scene.landscape.shape[1])
        row, col = row - window.row, col - window.col
        inside = (row >= 0) & (row < window.rows) & (col >= 0) & (col < window.cols)
        return (row * window.cols + col)[inside]

    def _near_rim(self) -> bool:
        """Whether a fire burns so near to what is cut off that it may have read beyond."""
        if self._window == Window(0, 0, *self._scene.landscape.shape):
            return False
        burned = unpad((self._slots.plan_trees(0).code != UNBURNED).any(axis=0),
                       (self._window.rows, self._window.cols))
        rows, cols = self._scene.landscape.shape
        own = self._window
        return bool((own.row > 0 and burned[:RIM].any())
                    or (own.col > 0 and burned[:, :RIM].any())
                    or (own.row + own.rows < rows and burned[-RIM:].any())
                    or (own.col + own.cols < cols and burned[:, -RIM:].any()))


def _around(boxes: NDArray[np.int64]) -> Box:
    top, left = boxes[:, :2].min(axis=0).tolist()
    bottom, right = boxes[:, 2:].max(axis=0).tolist()
    return top, left, bottom, right


def _bytes(box: NDArray[np.int64], fires: NDArray[np.int64]) -> int:
    top, left, bottom, right = _around(box[fires])
    cells = (bottom - top + 2 * ROOM) * (right - left + 2 * ROOM)
    return cells * (_CELL_BYTES + _FIRE_BYTES * fires.size)


def _halves(box: NDArray[np.int64], fires: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Along the longer side, as many on one as on the other."""
    middle = box[fires, :2] + box[fires, 2:]
    side = int(np.argmax(np.ptp(middle, axis=0)))
    order = fires[np.lexsort((fires, middle[:, side]))]
    return [order[:order.size // 2], order[order.size // 2:]]
