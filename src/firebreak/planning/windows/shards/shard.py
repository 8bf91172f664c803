"""A shard: a few fires that burn, and that are tried again for the lines that it is asked about."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import saved_anew, saved_by_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch, sizes_for
from firebreak.fire import (
    REACH,
    RIM,
    FireBehavior,
    Fires,
    Scene,
    Workspace,
    padded_width,
    workspace,
)
from firebreak.landscape.raster.windows import Window
from firebreak.layout import OBSERVATION
from firebreak.planning.core.area import in_window
from firebreak.planning.windows.cores import widened, window_of
from firebreak.planning.windows.shards.burning import BurningFires
from firebreak.planning.windows.shards.shard_plan import (
    NO_FIRES,
    NO_UNITS,
    ROOM,
    LineTable,
    Rating,
    ShardPlan,
    Wanted,
)


class Shard:
    """The fires of a shard, burning under the lines taken so far; scratch: room for a whole fire.
    """

    _window: Window
    _own_scene: Scene
    _slots: ProblemBatch
    _burning: BurningFires

    def __init__(self, scene: Scene, plan: ShardPlan, fires: Fires, bound: float,
                 scratch: Workspace | None = None) -> None:
        self._scene, self._plan, self._fires, self._bound = scene, plan, fires, bound
        self._scratch = scratch
        self.taken: tuple[int, ...] = ()
        self._room = 0
        self._begin(ROOM)

    def lost(self) -> int:
        """Losses of its fires under the lines taken, in whole units."""
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

    def rate(self, wanted: Sequence[Wanted], lines: LineTable, *,
             standing: bool = False) -> Rating:
        """Savings by each line besides those taken; standing: by each of some that were taken."""
        every = np.arange(self._fires.source.size)
        some = [every if one.fires is None else one.fires.astype(np.int64) for one in wanted]
        while True:
            own = [self._own(lines[one.line]) for one in wanted]
            if not standing:  # cells that are broken save nothing
                free = self._slots.available[0].ravel()
                own = [cells[free[cells]] for cells in own]
            found = self._rating(own, some, standing=standing)
            if found is not None:
                return found
            taken = self.taken
            self._begin(2 * self._room)
            self.take(taken, lines)

    def _rating(self, lines: Sequence[NDArray[np.int64]], some: Sequence[NDArray[np.int64]], *,
                standing: bool = False) -> Rating | None:
        """The rating of lines on some fires; None where a fire came to what is cut off."""
        parts: list[list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = [[] for _ in lines]
        tries = (partial(self._anew, standing=True) if standing else
                 self._in_place if trial_in_place(self._slots) else self._anew)
        for fires, places, on_fires in self._burning.tried(lines, some, standing=standing):
            own = np.flatnonzero(on_fires.any(axis=0)).tolist()
            found = tries([lines[k] for k in own], places, on_fires[:, own])
            if found is None:
                return None
            for k, (rows, saved) in zip(own, found, strict=True):
                parts[k].append((fires[rows], saved))
        return Rating([np.concatenate([fires for fires, _ in own]).astype(np.int32) if own else
                       NO_FIRES for own in parts],
                      [np.concatenate([saved for _, saved in own]) if own else NO_UNITS
                       for own in parts])

    def _in_place(self, lines: Sequence[NDArray[np.int64]], places: NDArray[np.int64],
                  on_fires: NDArray[np.bool_]) -> "_Tried":
        saved, tried = saved_by_lines(self._slots, lines, places)
        depend = [np.flatnonzero(tried[:, k] & on_fires[:, k]) for k in range(len(lines))]
        return [(rows, saved[rows, k]) for k, rows in enumerate(depend)]

    def _anew(self, lines: Sequence[NDArray[np.int64]], places: NDArray[np.int64],
              on_fires: NDArray[np.bool_], *, standing: bool = False) -> "_Tried | None":
        order, rim = np.argsort(places), np.zeros((self._window.rows, self._window.cols), np.bool_)
        for side in self._sides():
            rim[side] = True
        found = saved_anew(self._slots, lines, [
            places[order][on_fires[order, k]] for k in range(len(lines))], rim,
            standing=standing)
        if found.beyond:
            return None
        tried = []
        for own, saved in zip(found.fires, found.saved, strict=True):
            rows = order[np.searchsorted(places, own, sorter=order)]
            rising = np.argsort(rows)
            tried.append((rows[rising], saved[rising]))
        return tried

    def _begin(self, room: int) -> None:
        """Burns its fires untreated, with so many cells of room around them or more."""
        while True:
            if hasattr(self, "_slots"):  # before others take as much room again
                del self._slots, self._burning
            self.taken = ()
            if room != self._room:
                if hasattr(self, "_own_scene"):
                    del self._own_scene
                self._room = room
                self._window = window_of(widened(self._plan.box, room,
                                                 self._scene.landscape.shape))
                self._own_scene = own_scene(self._scene, self._window, self._plan.stream)
            own = self._own_fires()
            self._slots = slots_for(self._own_scene, min(own.source.size, self._plan.places),
                                    self._scratch)
            self._slots.load(0, Problem(
                scene=self._own_scene, plan_fires=own.first(0), reward_fires=own.first(0),
                budget=np.inf, budget_share=1.0,
                layers=np.empty((len(OBSERVATION.static), 0, 0), np.uint8)))
            # One scale of value for all shards: a crop's own would round otherwise.
            self._slots.fires.begin(0, self._slots.value[0], self._bound, own.whole)
            self._burning = BurningFires(self._slots, own, self._sides())
            if not self._burning.beyond:
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
        return in_window(line, self._window, self._scene.landscape.shape[1])

    def _sides(self) -> list[tuple[slice, slice]]:
        """Rows and columns of the cells near to what is cut off, side by side."""
        own, (rows, cols) = self._window, self._scene.landscape.shape
        every, first, last = slice(None), slice(RIM), slice(-RIM, None)
        return [side for side, is_cut in (
            ((first, every), own.row > 0), ((every, first), own.col > 0),
            ((last, every), own.row + own.rows < rows),
            ((every, last), own.col + own.cols < cols)) if is_cut]


_Tried = list[tuple[NDArray[np.int64], NDArray[np.int64]]]
"""By line the rows of the fires that depend on it, and what it saves of each."""


def slots_for(scene: Scene, places: int, scratch: Workspace | None) -> ProblemBatch:
    """Storage for fires of a shard on its own scene."""
    # As reward fires they keep no trees: only what they lose is asked for.
    return ProblemBatch(sizes_for(scene, 1, 0, places), borrows=scene.field.breaks.treated is None,
                 scratch=scratch, observed=False)


def own_scene(whole: Scene, window: Window, stream: int) -> Scene:
    """The scene of a shard, without what no fire reads once its travel times are made."""
    scene = whole.part(window, stream)
    field, none = scene.field, np.empty((0, 0, 0))
    if field.breaks.treated is None:
        field = field._replace(rate=np.empty((field.rate.shape[0], 0), np.float32))
    return replace(scene, travel=field, behavior=FireBehavior(
        none, none, none, none, none, none, none, none.astype(np.uint8)))


def room_to_burn(scene: Scene) -> Workspace:
    """Room for a fire on the whole map, for all shards of a process."""
    rows, cols = scene.landscape.shape
    return workspace((rows + 2 * REACH) * padded_width(cols))
