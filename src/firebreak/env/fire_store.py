"""The fires of N slots, kept burning: only what a new break changes is burned again."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firebreak.env.field_store import FieldStore
from firebreak.fire.burn_kernel import burn_many, burned_near, depends_on
from firebreak.fire.engine import workspace
from firebreak.fire.fire_tables import (
    ChangedCells,
    Crossing,
    FireTable,
    Overlays,
    Results,
    Store,
    changes_of,
)
from firebreak.fire.fires import Fires
from firebreak.fire.reburn_kernel import reburn_many
from firebreak.fire.ring import REACH, UNBURNED
from firebreak.fire.travel import closing_table, padded_cells, padded_width, unpad
from firebreak.fire.what_if_kernel import Candidates, crossed_by, standing_of, try_breaks

MOST_CHANGES = 64
"""Breaks of one slot that come or go between two burns; fires that more of them change burn anew.
"""
ROOM_SHARE = 0.35
"""Cells that all fires of a slot together can keep, as a share of fires times cells."""
_MOST_SCALED = 2.0**30


class FireStore:
    """Fires by id: slot * K + k for plan fires, then N * K + slot * R + r for reward fires.

    Of every fire it holds its loss and how each cell was reached; of those that breaks have changed
    also the times, as long as there is room. Of the plan fires of each slot it holds the sums.

    concerned: i64 [F], how many breaks have come or gone near enough to a fire to change it, or
    what another break would change in it.
    """

    def __init__(self, shape: tuple[int, int], slots: int, plan_fires: int, reward_fires: int,
                 ) -> None:
        self.width = padded_width(shape[1])
        self._shape = shape
        cells = (shape[0] + 2 * REACH) * self.width
        fires = slots * (plan_fires + reward_fires)
        self._table = FireTable(
            np.zeros(fires, np.int64),
            np.concatenate([np.repeat(np.arange(slots), plan_fires),
                            np.repeat(np.arange(slots), reward_fires)]),
            np.zeros(fires, np.int64), np.zeros(fires), np.zeros(fires, np.uint64))
        self._scratch = workspace(cells)
        threads = self._scratch.time.shape[0]
        self._arena = int(ROOM_SHARE * (plan_fires + reward_fires) * cells)
        room = slots * self._arena
        self._store = Store(
            np.empty(room, np.int32), np.empty(room, np.float32), np.empty(room, np.float32),
            np.full(fires, -1, np.int64), np.zeros(fires, np.int32), np.zeros(fires, np.int32),
            np.zeros(fires, np.bool_), np.full((fires, cells), UNBURNED, np.uint8),
            np.zeros(fires), np.zeros((slots * plan_fires, cells), np.int32), np.ones(slots),
            np.zeros((threads, slots, cells), np.int32),
            np.zeros((threads, slots, cells), np.int64))
        self._new = ChangedCells(np.zeros((slots, MOST_CHANGES), np.int64),
                                 np.zeros(slots, np.int64))
        self._crossing = Crossing(*closing_table(self.width))
        self._changes = changes_of(threads, cells)
        self._in_use = np.zeros(fires, np.bool_)
        self._stale = np.zeros(fires, np.uint8)
        self.concerned = np.zeros(fires, np.int64)
        self._standing = standing_of(threads, cells)
        self._crossed = crossed_by(self._crossing)
        self._arena_used = np.zeros(slots, np.int64)
        self._burned = np.zeros((slots, cells), np.int64)
        self._downstream = np.zeros((slots, cells), np.int64)

    def arrays(self) -> Iterator[NDArray]:
        """All arrays held."""
        yield from (*self._table, *self._scratch, *self._store, *self._new, *self._crossing,
                    *self._changes, self._in_use, self._stale, self._arena_used, self._burned,
                    self._downstream, self.concerned, *self._standing, *self._crossed)

    @property
    def loss(self) -> NDArray[np.float64]:
        """[F], of each fire."""
        return self._store.loss

    @property
    def code(self) -> NDArray[np.uint8]:
        """[F, P], how each fire reached each cell."""
        return self._store.code

    @property
    def source(self) -> NDArray[np.int64]:
        """[F], padded ignition cell of each fire."""
        return self._table.source

    def begin(self, slot: int, total_value: float) -> None:
        """Forgets the slot's fires and sums; `total_value`: the most that a fire can lose."""
        self._arena_used[slot] = 0
        self._new.how_many[slot] = 0
        self._burned[slot] = 0
        self._downstream[slot] = 0
        self._store.scale[slot] = _MOST_SCALED / max(total_value, 1e-9)

    def load(self, ids: slice, fires: Fires, first_row: int, steps: int) -> None:
        """Puts fires into a slot; they burn at the next `burn`."""
        count = fires.source.size
        self._table.source[ids][:count] = padded_cells(fires.source, self._shape[1])
        self._table.row[ids][:count] = first_row + fires.scenario * steps
        self._table.duration[ids][:count] = fires.duration_min
        self._table.key[ids][:count] = fires.key
        self._in_use[ids] = False
        self._in_use[ids][:count] = True
        self._store.start[ids] = -1
        self._store.kept[ids] = False
        self._store.code[ids] = UNBURNED
        self._stale[ids] = 1
        self.concerned[ids] += 1

    def breaks_at(self, slot: int, place: int, ids: tuple[slice, ...], narrow: bool) -> None:
        """A new break that burns nothing or sends nothing, at a padded cell."""
        self._list_change(slot, place, ids)
        for some in ids:
            self._concerns(place, REACH, some)
            depends_on(place, self._table.source[some], self._store.code[some], *self._crossing,
                       self._stale[some])
            if narrow:  # what burns in the break itself now counts less
                self._stale[some] |= self._table.source[some] == place

    def _concerns(self, place: int, reach: int, some: slice) -> None:
        near = np.zeros(self._stale[some].size, np.uint8)
        burned_near(place, reach, self.width, self._store.code[some], near)
        self.concerned[some] += near

    def opens_at(self, slot: int, place: int, ids: tuple[slice, ...], embers: bool) -> None:
        """No break any more at a padded cell: fire may come to it or cross it from close by; embers
        come from anywhere.
        """
        self._list_change(slot, place, ids)
        for some in ids:
            self._concerns(place, REACH, some)
            if embers:
                self._stale[some] = 1
            else:
                burned_near(place, REACH, self.width, self._store.code[some], self._stale[some])

    def _list_change(self, slot: int, place: int, ids: tuple[slice, ...]) -> None:
        if self._new.how_many[slot] == MOST_CHANGES:
            for some in ids:
                self._store.kept[some] &= self._stale[some] == 0
            self._new.how_many[slot] = 0
        self._new.cells[slot, self._new.how_many[slot]] = place
        self._new.how_many[slot] += 1

    def changes_at(self, place: int, ids: tuple[slice, ...]) -> None:
        """Other fuel at a padded cell: fires near it may slow down or speed up, and burn anew."""
        for some in ids:
            burned_near(place, 2 * REACH, self.width, self._store.code[some], self._stale[some])
            self._store.kept[some] &= self._stale[some] == 0
            self._concerns(place, 2 * REACH, some)

    def burn(self, fields: FieldStore, overlays: Overlays) -> int:
        """Burns what is stale; returns the number of fires."""
        which = np.flatnonzero((self._stale != 0) & self._in_use)
        self._stale[:] = 0
        if which.size == 0:
            return 0
        ways, spots = fields.ways(), fields.spots()
        if ways.steps == 1 and spots.cells.shape[1] == 0:
            self._make_room(which)
        reburn_many(which, self.width, ways, spots, fields.rules(), self._table, overlays,
                    self._new, self._crossing, self._changes, self._store, self._scratch)
        self._new.how_many[:] = 0
        for total, part in ((self._burned, self._store.burned),
                            (self._downstream, self._store.downstream)):
            slots = np.unique(self._table.overlay[which])
            total[slots] += part[:, slots].sum(axis=0)
            part[:, slots] = 0
        return int(which.size)

    def try_breaks(self, which: NDArray[np.int64], candidates: Candidates, fields: FieldStore,
                   overlays: Overlays) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """What each of n breaks alone would save of each fire, i64 [len(which), n], and whether a
        fire would burn a new cell with some of them, bool [len(which)]. Hard breaks, constant
        weather, no embers.
        """
        self._check_burned()
        saved = np.empty((which.size, int(candidates.row.max()) + 1), np.int64)
        beyond = np.zeros(which.size, np.uint8)
        try_breaks(which, self.width, candidates, fields.ways(), fields.spots(), fields.rules(),
                   self._table, overlays, self._crossing, self._crossed, self._standing,
                   self._changes, self._store, self._scratch, saved, beyond)
        return saved, beyond != 0

    def loss_anew(self, which: NDArray[np.int64], fields: FieldStore,
                  overlays: Overlays) -> NDArray[np.float64]:
        """Losses of some fires, burned anew as things stand; nothing is kept of them."""
        none, cells = np.empty((0, 0)), np.empty((0, 0), np.uint8)
        loss = np.empty(self._in_use.size)
        burn_many(which, self.width, fields.ways(), fields.spots(), fields.rules(), self._table,
                  overlays, Results(none, cells, none, cells, loss), self._scratch)
        return loss[which]

    def may_change(self, place: int, which: NDArray[np.int64], *,
                   burns: bool) -> NDArray[np.int64]:
        """Indices of those fires that may change with a break in a padded cell; burns: the break
        does.
        """
        self._check_burned()
        out, code = np.zeros(which.size, np.uint8), self._store.code[which]
        if burns:
            burned_near(place, 2 * REACH, self.width, code, out)
        else:
            depends_on(place, np.full(which.size, -1), code, *self._crossing, out)
        return np.flatnonzero(out)

    def _check_burned(self) -> None:
        assert not (self._stale[self._in_use] != 0).any(), "breaks came or went since `burn`"

    def _make_room(self, which: NDArray[np.int64]) -> None:
        """Room for fires that burn for the second time: a break has changed them, others will."""
        store = self._store
        wanting = which[(store.start[which] < 0) & (store.size[which] > 0)
                        & (store.code[which, self._table.source[which]] != UNBURNED)]
        for slot in np.unique(self._table.overlay[wanting]).tolist():
            own = wanting[self._table.overlay[wanting] == slot]
            # Fires burn less under every break, but for a few cells of mixed fuel.
            room = store.size[own] + store.size[own] // 16 + 8
            ends = self._arena_used[slot] + np.cumsum(room, dtype=np.int64)
            fits = ends <= self._arena
            store.start[own[fits]] = slot * self._arena + (ends - room)[fits]
            store.room[own[fits]] = room[fits]
            self._arena_used[slot] = ends[fits].max(initial=self._arena_used[slot])

    def sums(self, slot: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Over the slot's plan fires, [H, W]: fires that burned a cell, and downstream value."""
        below = self._downstream[slot] / self._store.scale[slot]
        return unpad(self._burned[slot], self._shape), unpad(below, self._shape)
