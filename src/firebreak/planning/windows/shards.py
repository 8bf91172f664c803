"""Fires of the whole map in shards: each holds a few, of one stream of weather, on the part of the
map that they come near. Shards answer in whole numbers, so which fires lie in which changes no bit.

Chance events belong to fire and cell of the whole map. A part that has all columns counts its cells
as the map does, but for those above it, so shards of fires that meet chances have all columns.
Embers fly any distance, so shards of fires that throw them have the whole map.
"""

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import saved_by_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.slots import SLOT_0, Slots, sizes_for
from firebreak.env.trials_anew import saved_anew
from firebreak.fire import RIM, UNBURNED, Fires, WideScene, scene_in, unpad
from firebreak.landscape.raster.windows import Window
from firebreak.layout import OBSERVATION
from firebreak.planning.windows.cores import Box, widened, window_of

ROOM = 2 * RIM
"""Cells between what fires burn untreated and what a shard cuts off. Breaks hold fires back, but
where one comes round another way it may burn a cell or two more."""

CERTAIN = ("never", "flame-length")
"""Rules of breach that leave nothing to chance."""

_FIRE_BYTES, _CELL_BYTES = 9, 400
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


def bytes_of_shards(shards: Sequence[ShardPlan], boxes: Sequence[Box], steps: int) -> int:
    """Bytes that all shards take, about. steps: rows of a stream of weather."""
    box = np.array(boxes, np.int64).reshape(-1, 4)
    return sum(_bytes(box, shard.fires, steps) for shard in shards)


def loss_bound(scene: WideScene, fires: int) -> float:
    """What sets the unit of all shards alike: more than a fire can lose, and so much more that
    savings of all fires add up in 62 bits.
    """
    burnable = scene.landscape.burnable
    most = float(scene.value_by_class.max(axis=0)[burnable].sum(dtype=np.float64))
    return most * 2.0**max(ceil(log2(max(fires, 1) / _MOST_FIRES)), 0)


def known_boxes(boxes: Sequence[Box], scene: WideScene) -> list[Box]:
    """Of fires that burn these boxes, the parts of the map on which they burn as on all of it."""
    rows, cols = scene.landscape.shape
    own = scene.conditions
    if own.spotting is not None:
        return [(0, 0, rows, cols)] * len(boxes)
    if own.meets_crews or own.breach not in CERTAIN:
        return [(top, 0, bottom, cols) for top, _, bottom, _ in boxes]
    return list(boxes)


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


class Shard:
    """The fires of a shard, kept burning under the lines that were taken so far."""

    def __init__(self, scene: WideScene, plan: ShardPlan, fires: Fires, bound: float) -> None:
        self._scene, self._plan, self._fires, self._bound = scene, plan, fires, bound
        self.taken: tuple[int, ...] = ()
        self._begin(ROOM)

    def lost(self) -> int:
        """What its fires lose under the lines taken, in whole units."""
        unit = self._slots.loss_unit(0)
        return int((self._slots.fires.loss * unit).astype(np.int64).sum())

    def take(self, taken: tuple[int, ...], lines: LineTable) -> None:
        """Brings the shard to where these lines, by number, are broken."""
        if taken[:len(self.taken)] != self.taken:
            self._begin(self._room)
        while True:
            new = [self._own(lines[k]) for k in lines.near(taken[len(self.taken):], self._window)]
            cells = np.concatenate([np.empty(0, np.int64), *new])
            self.taken = taken
            if not cells.size:
                return
            self._slots.place_each(np.zeros(cells.size, np.int64), cells)
            self._slots.update(SLOT_0)
            if not self._near_rim():
                return
            self._begin(2 * self._room)

    def rate(self, wanted: Sequence[Wanted], lines: LineTable) -> Rating:
        """What each of these lines alone saves besides those taken."""
        every = np.arange(self._fires.source.size)
        some = [every if one.fires is None else one.fires.astype(np.int64) for one in wanted]
        if self._in_place:
            return self._rate_in_place(self._free(wanted, lines), some)
        while True:
            found = saved_anew(self._slots, 0, self._free(wanted, lines), some, self._rim())
            if not found.beyond:
                return Rating([fires.astype(np.int32) for fires in found.fires], found.saved)
            taken = self.taken
            self._begin(2 * self._room)
            self.take(taken, lines)

    def _rate_in_place(self, lines: Sequence[NDArray[np.int64]],
                       some: Sequence[NDArray[np.int64]]) -> Rating:
        fires = np.unique(np.concatenate(some))
        saved, tried = saved_by_lines(self._slots, 0, lines, fires)
        own = [np.searchsorted(fires, one) for one in some]
        own = [rows[tried[rows, k]] for k, rows in enumerate(own)]
        return Rating([fires[rows].astype(np.int32) for rows in own],
                      [saved[rows, k] for k, rows in enumerate(own)])

    def _free(self, wanted: Sequence[Wanted], lines: LineTable) -> list[NDArray[np.int64]]:
        """The cells of lines that lie in the shard and are not broken, as its own."""
        free = self._slots.available[0].ravel()
        return [cells[free[cells]] for cells in (self._own(lines[one.line]) for one in wanted)]

    def _begin(self, room: int) -> None:
        shape = self._scene.landscape.shape
        while True:
            self._room, self.taken = room, ()
            self._window = window_of(widened(self._plan.box, room, shape))
            scene = scene_in(self._scene, self._window, self._plan.stream)
            own = self._own_fires()
            # As reward fires they keep no trees: only what they lose is asked for.
            self._slots = Slots(sizes_for(scene, 1, 0, own.source.size),
                                borrows=scene.field.breaks.treated is None)
            self._slots.load(0, Problem(
                scene=scene, plan_fires=own.first(0), reward_fires=own, budget=np.inf,
                budget_share=1.0,
                layers=np.zeros((len(OBSERVATION.static), *scene.landscape.shape), np.uint8)))
            # One scale of value for all shards: a crop's own would round otherwise.
            self._slots.fires.begin(0, self._slots.value[0], self._bound)
            self._slots.update(SLOT_0)
            self._in_place = trial_in_place(self._slots, 0)
            self._looked_at = np.zeros(own.source.size, np.int64)
            if not self._near_rim():
                return
            room *= 2

    def _own_fires(self) -> Fires:
        window, cols = self._window, self._scene.landscape.shape[1]
        fires = self._fires._replace(scenario=np.zeros_like(self._fires.scenario))
        if window.cols == cols:
            return fires.on_rows(window.row, cols)
        row, col = np.divmod(fires.source, cols)
        return fires._replace(source=(row - window.row) * window.cols + col - window.col)

    def _own(self, line: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells of a line that lie in the shard, as its own."""
        window, (row, col) = self._window, np.divmod(line, self._scene.landscape.shape[1])
        row, col = row - window.row, col - window.col
        inside = (row >= 0) & (row < window.rows) & (col >= 0) & (col < window.cols)
        return (row * window.cols + col)[inside]

    def _near_rim(self) -> bool:
        """Whether a fire that may have changed since this was last asked burns so near to what is
        cut off that it may have read beyond.
        """
        affected = self._slots.fires.affected
        changed = np.flatnonzero(affected != self._looked_at)
        self._looked_at = affected.copy()
        code = unpad(self._slots.fires.code, (self._window.rows, self._window.cols))
        return any(bool((code[(changed, *side)] != UNBURNED).any()) for side in self._sides())

    def _sides(self) -> list[tuple[slice, slice]]:
        """Rows and columns of the cells near to what is cut off, side by side."""
        own, (rows, cols) = self._window, self._scene.landscape.shape
        every, first, last = slice(None), slice(RIM), slice(-RIM, None)
        return [side for side, is_cut in (
            ((first, every), own.row > 0), ((every, first), own.col > 0),
            ((last, every), own.row + own.rows < rows),
            ((every, last), own.col + own.cols < cols)) if is_cut]

    def _rim(self) -> NDArray[np.bool_]:
        """bool [h, w], the cells near to what is cut off."""
        rim = np.zeros((self._window.rows, self._window.cols), np.bool_)
        for side in self._sides():
            rim[side] = True
        return rim


def _around(boxes: NDArray[np.int64]) -> Box:
    top, left = boxes[:, :2].min(axis=0).tolist()
    bottom, right = boxes[:, 2:].max(axis=0).tolist()
    return top, left, bottom, right


def _bytes(box: NDArray[np.int64], fires: NDArray[np.int64], steps: int = 1) -> int:
    top, left, bottom, right = _around(box[fires])
    cells = (bottom - top + 2 * ROOM) * (right - left + 2 * ROOM)
    return cells * (_CELL_BYTES * steps + _FIRE_BYTES * fires.size)


def _halves(box: NDArray[np.int64], fires: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Along the longer side, as many on one as on the other."""
    middle = box[fires, :2] + box[fires, 2:]
    side = int(np.argmax(np.ptp(middle, axis=0)))
    order = fires[np.lexsort((fires, middle[:, side]))]
    return [order[:order.size // 2], order[order.size // 2:]]
