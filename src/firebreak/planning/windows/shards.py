"""Fires of the whole map in shards: each holds a few, of one stream of weather, on the part of the
map that they come near. Shards answer in whole numbers, so which fires lie in which changes no bit.

Chance events belong to fire and cell of the whole map. A part that has all columns counts its cells
as the map does, but for those above it, so shards of fires that meet chances have all columns.
Embers fly any distance, so shards of fires that throw them have the whole map.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import saved_by_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.slots import Slots, sizes_for
from firebreak.env.trials_anew import saved_anew
from firebreak.fire import (
    REACH,
    RIM,
    FireBehavior,
    Fires,
    Scene,
    WideScene,
    Workspace,
    padded_width,
    scene_in,
    workspace,
)
from firebreak.landscape.raster.windows import Window
from firebreak.layout import OBSERVATION
from firebreak.planning.windows.burning import BurningFires
from firebreak.planning.windows.cores import Box, widened, window_of

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
"""Of a cell of a shard beside its fires, where breaks are hard and weather is constant, about. With
others shards hold more, see `memory.cell_bytes`."""
_UNIT_BITS = 48
_MOST_FIRES = 2**14
"""Whose losses, each less than 2^48 units, add up in 62 bits."""


class ShardPlan(NamedTuple):
    """What a shard holds. box: cells that its fires burn untreated; stream: their weather; fires:
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
    """How many cells a shard covers, about."""
    top, left, bottom, right = shard.box
    return (bottom - top + 2 * ROOM) * (right - left + 2 * ROOM)


def loss_bound(scene: WideScene, fires: int) -> float:
    """What sets the unit of all shards alike: more than a fire can lose, and so much more that
    savings of all fires add up in 62 bits.
    """
    burnable = scene.landscape.burnable
    most = float(scene.value_by_class.max(axis=0)[burnable].sum(dtype=np.float64))
    return most * 2.0**max(ceil(log2(max(fires, 1) / _MOST_FIRES)), 0)


def loss_unit(bound: float) -> float:
    """Whole units in a loss of 1, of all shards alike; see `loss_bound` and `Slots.loss_unit`."""
    return 2.0**(_UNIT_BITS - ceil(log2(max(bound, 1e-9))))


def known_boxes(boxes: Sequence[Box], scene: WideScene) -> list[Box]:
    """Of fires that burn these boxes, the parts of the map on which they burn as on all of it."""
    rows, cols = scene.landscape.shape
    own = scene.conditions
    if own.spotting is not None:
        return [(0, 0, rows, cols)] * len(boxes)
    if own.meets_crews or own.breach not in CERTAIN:
        return [(top, 0, bottom, cols) for top, _, bottom, _ in boxes]
    return list(boxes)


def room_to_burn(scene: WideScene) -> Workspace:
    """Room for a fire on the whole map, for all shards of a process."""
    rows, cols = scene.landscape.shape
    return workspace((rows + 2 * REACH) * padded_width(cols))


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


class Shard:
    """The fires of a shard, kept burning under the lines that were taken so far.

    scratch: room for a fire on the whole map, which shards that burn in turn share; its own if not
    given.
    """

    _window: Window
    _own_scene: Scene
    _slots: Slots
    _burning: BurningFires

    def __init__(self, scene: WideScene, plan: ShardPlan, fires: Fires, bound: float,
                 scratch: Workspace | None = None) -> None:
        self._scene, self._plan, self._fires, self._bound = scene, plan, fires, bound
        self._scratch = scratch
        self.taken: tuple[int, ...] = ()
        self._room = 0
        self._begin(ROOM)

    def lost(self) -> int:
        """What its fires lose under the lines taken, in whole units."""
        unit = self._slots.loss_unit(0)
        return int((self._burning.loss * unit).astype(np.int64).sum())

    def take(self, taken: tuple[int, ...], lines: LineTable) -> None:
        """Brings the shard to where these lines, by number, are broken."""
        if taken[:len(self.taken)] != self.taken:
            self._begin(self._room)
        while True:
            near = lines.near(taken[len(self.taken):], self._window)
            free = self._slots.available[0].ravel()
            new = [own[free[own]] for own in (self._own(lines[k]) for k in near)]
            new = [own for own in new if own.size]
            self.taken = taken
            if not new:
                return
            self._burning.break_lines(new)
            if not self._burning.beyond:
                return
            self._begin(2 * self._room)

    def rate(self, wanted: Sequence[Wanted], lines: LineTable) -> Rating:
        """What each of these lines alone saves besides those taken."""
        every = np.arange(self._fires.source.size)
        some = [every if one.fires is None else one.fires.astype(np.int64) for one in wanted]
        while True:
            found = self._rating(self._free(wanted, lines), some)
            if found is not None:
                return found
            taken = self.taken
            self._begin(2 * self._room)
            self.take(taken, lines)

    def worth(self, wanted: Sequence[Wanted], lines: LineTable) -> Rating:
        """What each of these lines, which were taken, saves beside the others."""
        every = np.arange(self._fires.source.size)
        own = [self._own(lines[one.line]) for one in wanted]
        while True:
            found = self._rating(own, [every] * len(own), standing=True)
            if found is not None:
                return found
            taken = self.taken
            self._begin(2 * self._room)
            self.take(taken, lines)
            own = [self._own(lines[one.line]) for one in wanted]

    def _rating(self, lines: Sequence[NDArray[np.int64]], some: Sequence[NDArray[np.int64]], *,
                standing: bool = False) -> Rating | None:
        """The rating of lines on some fires; None where a fire came to what is cut off."""
        parts: list[list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = [[] for _ in lines]
        tries = (partial(self._anew, standing=True) if standing else
                 self._in_place if trial_in_place(self._slots, 0) else self._anew)
        for fires, places, asked in self._burning.tried(lines, some, standing=standing):
            own = np.flatnonzero(asked.any(axis=0)).tolist()
            found = tries([lines[k] for k in own], places, asked[:, own])
            if found is None:
                return None
            for k, (rows, saved) in zip(own, found, strict=True):
                parts[k].append((fires[rows], saved))
        return Rating([np.concatenate([fires for fires, _ in own]).astype(np.int32) if own else
                       NO_FIRES for own in parts],
                      [np.concatenate([saved for _, saved in own]) if own else NO_UNITS
                       for own in parts])

    def _in_place(self, lines: Sequence[NDArray[np.int64]], places: NDArray[np.int64],
                  asked: NDArray[np.bool_]) -> "_Tried":
        saved, tried = saved_by_lines(self._slots, 0, lines, places)
        depend = [np.flatnonzero(tried[:, k] & asked[:, k]) for k in range(len(lines))]
        return [(rows, saved[rows, k]) for k, rows in enumerate(depend)]

    def _anew(self, lines: Sequence[NDArray[np.int64]], places: NDArray[np.int64],
              asked: NDArray[np.bool_], *, standing: bool = False) -> "_Tried | None":
        order = np.argsort(places)
        found = saved_anew(self._slots, 0, lines, [
            places[order][asked[order, k]] for k in range(len(lines))], self._rim(),
            standing=standing)
        if found.beyond:
            return None
        tried = []
        for own, saved in zip(found.fires, found.saved, strict=True):
            rows = order[np.searchsorted(places, own, sorter=order)]
            rising = np.argsort(rows)
            tried.append((rows[rising], saved[rising]))
        return tried

    def _free(self, wanted: Sequence[Wanted], lines: LineTable) -> list[NDArray[np.int64]]:
        """The cells of lines that lie in the shard and are not broken, as its own."""
        free = self._slots.available[0].ravel()
        return [cells[free[cells]] for cells in (self._own(lines[one.line]) for one in wanted)]

    def _begin(self, room: int) -> None:
        """Burns its fires untreated, with so many cells of room around them or more."""
        while True:
            self._let_go()
            self.taken = ()
            if room != self._room:
                self._make_scene(room)
            own = self._own_fires()
            self._slots = slots_for(self._own_scene, min(own.source.size, self._plan.places),
                                    self._scratch)
            self._slots.load(0, Problem(
                scene=self._own_scene, plan_fires=own.first(0), reward_fires=own.first(0),
                budget=np.inf, budget_share=1.0,
                layers=np.empty((len(OBSERVATION.static), 0, 0), np.uint8)))
            # One scale of value for all shards: a crop's own would round otherwise.
            self._slots.fires.begin(0, self._slots.value[0], self._bound)
            self._burning = BurningFires(self._slots, own, self._sides())
            if not self._burning.beyond:
                return
            room *= 2

    def _let_go(self) -> None:
        """Gives up the fires that it kept, before others take as much room again."""
        if hasattr(self, "_slots"):
            del self._slots, self._burning

    def _make_scene(self, room: int) -> None:
        """The part of the map that it burns on, with its travel times."""
        if hasattr(self, "_own_scene"):
            del self._own_scene
        self._room = room
        self._window = window_of(widened(self._plan.box, room, self._scene.landscape.shape))
        self._own_scene = own_scene(self._scene, self._window, self._plan.stream)

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


_Tried = list[tuple[NDArray[np.int64], NDArray[np.int64]]]
"""By line the rows of the fires that depend on it, and what it saves of each."""


def slots_for(scene: Scene, places: int, scratch: Workspace | None) -> Slots:
    """Storage for fires of a shard on its own scene."""
    # As reward fires they keep no trees: only what they lose is asked for.
    return Slots(sizes_for(scene, 1, 0, places), borrows=scene.field.breaks.treated is None,
                 scratch=scratch, observed=False)


def own_scene(whole: WideScene, window: Window, stream: int) -> Scene:
    """The scene of a shard, without what no fire reads once its travel times are made."""
    scene = scene_in(whole, window, stream)
    field, none = scene.field, np.empty((0, 0, 0))
    if field.breaks.treated is None:
        field = field._replace(rate=np.empty((field.rate.shape[0], 0), np.float32))
    return replace(scene, field=field, behavior=FireBehavior(
        none, none, none, none, none, none, none, none.astype(np.uint8)))


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
