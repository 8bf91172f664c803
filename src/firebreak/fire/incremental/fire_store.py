"""The fires of N slots, kept burning: only what a new break changes is burned again."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.fire.burn_setup import table_of, workspace
from firebreak.fire.fires import WHOLE, Fires
from firebreak.fire.incremental.aside import AsideFire, PaddedBox, extent, put_in, taken_out
from firebreak.fire.incremental.field_store import FieldStore
from firebreak.fire.incremental.kernels import (
    breaks_affect,
    burned_near,
    depends_on,
    list_change,
    reburn_many,
    try_lines,
)
from firebreak.fire.incremental.structs import (
    Candidates,
    ChangedCells,
    Changes,
    KeptFires,
    ValueUnits,
    crossing_of,
    in_units,
)
from firebreak.fire.solver.kernels import burn_many
from firebreak.fire.solver.structs import FireTable, Overlays, Results, Workspace
from firebreak.fire.travel.breaks import closing_table
from firebreak.fire.travel.stencil import REACH, UNBURNED
from firebreak.fire.travel.travel_field import BreakRules, TravelField, padded_width, unpad
from firebreak.native_library import hold, zeros

MAX_CHANGES = 64
"""Breaks of one slot that come or go between two burns; fires that more of them change burn anew.
"""
_MOST_LAID_OUT = 2**25  # cells of fires that burn anew
_MOST_PARTS = 2**31 - 1  # of the fires of a slot, which threads count in int32
_MAX_SHARED, _MAX_COUNTED = 30, 48  # powers of two that bound what a fire loses, in whole numbers


class FireStore:
    """Fires by id: slot * K + k for plan fires, then N * K + slot * R + r for reward fires.

    Of every fire it holds its loss, and when and how each cell was reached; of the plan fires also
    the downstream value of each cell, and the sums of each slot.

    affected: i64 [F], how many breaks have come or gone near enough to a fire to change it, or
    what another break would change in it.

    scratch: room to burn in, for a map of this size or a larger one, which stores may share that
    burn in turn; its own if not given.
    """

    def __init__(self, shape: tuple[int, int], slots: int, plan_fires: int, reward_fires: int,
                 classes: int = 1, scratch: Workspace | None = None) -> None:
        self.width = padded_width(shape[1])
        self._shape, self._counts = shape, (slots, plan_fires, reward_fires)
        cells = (shape[0] + 2 * REACH) * self.width
        n_plan_fires, fires = slots * plan_fires, slots * (plan_fires + reward_fires)
        summed = cells if plan_fires else 0
        self._table = hold(zeros(FireTable, F=fires, L=0))
        self._table.overlay[:] = [*np.repeat(np.arange(slots), plan_fires),
                                  *np.repeat(np.arange(slots), reward_fires)]
        self._scratch = hold(workspace(cells) if scratch is None else scratch)
        self._shares = scratch is not None
        threads = self._scratch.time.shape[0]
        self._store = hold(zeros(KeptFires, F=fires, K=n_plan_fires, P=cells, T=threads,
                                 V=slots if plan_fires else 0))
        self._store.time[:], self._store.code[:] = np.inf, UNBURNED
        self._value = hold(zeros(ValueUnits, V=slots, C=classes, P=cells))
        self._value.unit[:] = 1.0
        self._whole = np.ones(slots, np.int64)
        self._new = hold(zeros(ChangedCells, V=slots, M=MAX_CHANGES))
        self._crossing = hold(crossing_of(closing_table(self.width)))
        self._changes = hold(zeros(Changes, T=threads, P=cells))
        self._states = np.zeros((threads, cells), np.uint8)
        self._in_use = np.zeros(fires, np.bool_)
        self._stale = np.zeros(fires, np.uint8)
        self.affected = np.zeros(fires, np.int64)
        self._burned = np.zeros((slots, summed), np.int64)
        self._downstream = np.zeros((slots, summed), np.int64)
        self._aside: dict[int, AsideFire] = {}

    def arrays(self) -> Iterator[NDArray]:
        """All arrays held, but for room that is shared."""
        yield from () if self._shares else self._scratch
        yield from (*self._table, *self._store, *self._value, *self._new,
                    *self._crossing, *self._changes, self._states, self._in_use,
                    self._stale, self.affected, self._burned, self._downstream, self._whole)

    @property
    def loss(self) -> NDArray[np.float64]:
        """[F], of each fire, as often as it counts."""
        return self._store.loss

    @property
    def code(self) -> NDArray[np.uint8]:
        """[F, P], how each fire reached each cell."""
        return self._store.code

    @property
    def source(self) -> NDArray[np.int64]:
        """[F], padded ignition cell of each fire."""
        return self._table.source

    def ids_of(self, slot: int) -> tuple[slice, slice]:
        """Ids of a slot's plan fires and of its reward fires."""
        slots, n_plan_fires, n_reward_fires = self._counts
        first = slots * n_plan_fires + slot * n_reward_fires
        return (slice(slot * n_plan_fires, (slot + 1) * n_plan_fires),
                slice(first, first + n_reward_fires))

    def streams(self, which: NDArray[np.int64]) -> NDArray[np.int64]:
        """First rows of the streams of weather in which some fires, by id, burn."""
        table = self._table
        later = table.later_row[which][table.begin[which] < np.inf]
        return np.unique(np.concatenate([table.row[which], later]))

    def begin(self, slot: int, value: NDArray[np.float32], most: float, whole: int = 1) -> None:
        """Invalidates the slot's fires and sums. value: f32 [C, P], what burning costs; most: what
        a fire can lose, as often as it counts; whole: parts of a fire that weights count.
        """
        self._new.how_many[slot] = 0
        self._burned[slot] = 0
        self._downstream[slot] = 0
        bound = np.ceil(np.log2(max(most, 1e-9)))
        self._whole[slot] = whole
        self._value.unit[slot] = 2.0**(_MAX_COUNTED - bound)
        self._value.value_by_class[slot] = in_units(value, self.value_unit(slot))
        self._value.share[slot] = in_units(value, self._share_unit(slot))

    def unit(self, slot: int) -> float:
        """Whole numbers in a loss of 1, a power of two."""
        return float(self._value.unit[slot])

    def value_unit(self, slot: int) -> float:
        """Whole numbers in a value of 1, of which weights make losses."""
        return self.unit(slot) / int(self._whole[slot])

    def _share_unit(self, slot: int) -> float:
        return self.unit(slot) * 2.0**(_MAX_SHARED - _MAX_COUNTED)

    def revalue(self, slot: int, places: NDArray[np.int64], value: NDArray[np.float32]) -> None:
        """Burning padded cells costs something else now, f32 [C, n]; `burn` must follow."""
        self._value.value_by_class[slot][:, places] = in_units(value, self.value_unit(slot))
        self._value.share[slot][:, places] = in_units(value, self._share_unit(slot))
        self._new.revalued[slot] = True

    def load(self, ids: slice, fires: Fires, first_row: int, field: TravelField) -> None:
        """Puts fires into a slot, whose field has its rows from `first_row` on; they burn at the
        next `burn`.

        Raises:
            InputError: more fires with weights than a slot can count.
        """
        count, own = fires.source.size, table_of(field, fires)
        if int(own.weight.sum()) > _MOST_PARTS:
            raise fail(expected=f"plan fires that count for at most {_MOST_PARTS // WHOLE:,}",
                       given=f"{counted(count, 'fire')}", where="fires",
                       remedy="draw fewer")
        slot = int(self._table.overlay[ids.start]) if count else 0
        own = own._replace(weight=own.weight * (self._whole[slot] // fires.whole),
                           row=own.row + first_row, later_row=own.later_row + first_row)
        for name in ("source", "row", "duration", "key", "weight"):
            getattr(self._table, name)[ids][:count] = getattr(own, name)
        self._make_periods(own.begin.shape[1])
        periods = slice(own.begin.shape[1])
        self._table.begin[ids] = np.inf
        for name in ("later_row", "begin", "pause"):
            getattr(self._table, name)[ids][:count, periods] = getattr(own, name)
        self._in_use[ids] = False
        self._in_use[ids][:count] = True
        self._store.kept[ids] = False
        if ids.stop <= self._store.size.size:
            self._store.below[ids] = 0
            self._store.size[ids] = 0
        self._stale[ids] = 1
        self.affected[ids] += 1

    def _make_periods(self, later: int) -> None:
        """Makes room for fires of so many later burning periods."""
        table, count = self._table, self._table.row.size
        more = later - table.begin.shape[1]
        if more > 0:
            self._table = hold(FireTable(
                table.row, table.overlay, table.source, table.duration, table.key,
                table.weight, np.pad(table.later_row, ((0, 0), (0, more))),
                np.concatenate([table.begin, np.full((count, more), np.inf)], axis=1),
                np.pad(table.pause, ((0, 0), (0, more)))))

    def breaks_at(self, which: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """New breaks at padded cells of slots, which burn nothing or send nothing."""
        breaks_affect(which, places, self.width, *self._counts[1:], self._table.source,
                      self._store.code, self._crossing, self._new, self._store.kept, self._stale,
                      self.affected)

    def starts_at(self, slot: int, place: int) -> None:
        """Mark fires that start in a padded cell to burn again: what they burn counts otherwise
        now.
        """
        for some in self.ids_of(slot):
            self._stale[some] |= self._table.source[some] == place

    def _affects(self, place: int, reach: int, some: slice) -> NDArray[np.bool_]:
        near = burned_near(place, reach, self.width, self._store.code[some])
        self.affected[some] += near
        return near

    def opens_at(self, slot: int, place: int, embers: bool) -> None:
        """Remove the break at a padded cell: fire may come to it or cross it from close by; embers
        come from anywhere.
        """
        list_change(slot, place, *self._counts[1:], self._new, self._store.kept, self._stale)
        for some in self.ids_of(slot):
            near = self._affects(place, REACH, some)
            self._stale[some] |= True if embers else near

    def changes_at(self, slot: int, place: int) -> None:
        """Other fuel at a padded cell, or a break that crews may hold: fires near it may change,
        and burn anew.
        """
        for some in self.ids_of(slot):
            self._stale[some] |= self._affects(place, 2 * REACH, some)
            self._store.kept[some] &= self._stale[some] == 0

    def burn(self, fields: FieldStore, overlays: Overlays) -> int:
        """Burns what is stale; returns the number of fires."""
        which = np.flatnonzero((self._stale != 0) & self._in_use)
        self._stale[:] = 0
        if which.size == 0:
            self._forget_changes()
            return 0
        # Fires of one weather after the other read the same travel field.
        which = which[np.argsort(self._table.row[which], kind="stable")]
        reburn_many(which, self.width, fields.arcs, fields.spots, fields.rules, self._table,
                    overlays, self._new, self._crossing, self._value, self._changes, self._store,
                    self._scratch)
        self._forget_changes()
        self._collect(np.unique(self._table.overlay[which]))
        return int(which.size)

    def _forget_changes(self) -> None:
        self._new.how_many[:] = 0
        self._new.revalued[:] = False

    def burns_anew(self, which: NDArray[np.int64]) -> None:
        """Fires, by id, that burn anew as a whole at the next `burn`."""
        self._store.kept[which] = False
        self._stale[which] = 1

    def put_aside(self, fire: int, number: int, known: PaddedBox | None = None) -> PaddedBox:
        """Takes a reward fire that is not stale out of its place, and keeps it by a number. Returns
        the box of padded cells that it came to; known: see `extent`.
        """
        box = extent(self._store.code[fire].reshape(-1, self.width), known)
        self._aside[number] = taken_out(fire, box, self._table, self._store, self.width)
        self._in_use[fire] = False
        return box

    def bring_back(self, fire: int, number: int) -> None:
        """Puts a fire that was put aside into a place of the same slot that is free."""
        put_in(fire, self._aside.pop(number), self._table, self._store, self.width)
        self._in_use[fire] = True

    def _collect(self, slots: NDArray[np.int64]) -> None:
        """Adds what each thread has changed in the sums of `slots`. One row after the other: to
        pick rows by their numbers would copy them.
        """
        for total, part in ((self._burned, self._store.burned),
                            (self._downstream, self._store.downstream)):
            for slot in slots.tolist() if part.size else ():  # without plan fires there are no sums
                for change in part[:, slot]:
                    total[slot] += change
                part[:, slot] = 0

    def try_lines(self, which: NDArray[np.int64], cells: NDArray[np.int64],
                  first: NDArray[np.int64], candidates: Candidates, fields: FieldStore,
                  overlays: Overlays) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Savings of each of n lines of padded cells alone in each fire, i64 [len(which), n], see
        `kernels.try_lines`, and whether a fire would burn a new cell with some of them, bool
        [len(which)]. No embers, crews or breaks that burn.
        """
        self._check_burned()
        saved = np.empty((which.size, first.size - 1), np.int64)
        beyond = np.zeros(which.size, np.bool_)
        try_lines(which, self.width, cells, first, candidates, fields.arcs, fields.rules,
                  self._table, overlays, self._value, self._crossing, self._changes, self._states,
                  self._store, self._scratch, saved, beyond)
        return saved, beyond

    def loss_anew(self, which: NDArray[np.int64], fields: FieldStore, overlays: Overlays,
                  beyond: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Losses of some fires, as often as each counts, burned anew as things stand; nothing is
        kept of them. beyond: bool [len(which)], takes whether each comes to a cell that the fire
        that is kept does not come to.
        """
        loss, cells = np.empty(which.size), self._states.shape[1]
        some = max(1, which.size if beyond is None else _MOST_LAID_OUT // cells)
        for first in range(0, which.size, some):
            own = which[first:first + some]
            part = slice(first, first + own.size)
            code = np.empty((0 if beyond is None else own.size, cells), np.uint8)
            none, empty = np.empty((0, 0)), np.empty((0, 0), np.uint8)
            burn_many(np.arange(own.size), self.width, fields.arcs, fields.spots, fields.rules,
                      FireTable._make(column[own] for column in self._table), overlays,
                      Results(none, code, none, empty, loss[part]), self._scratch)
            if beyond is not None:
                beyond[part] = ((code != UNBURNED)
                                & (self._store.code[own] == UNBURNED)).any(axis=1)
        return loss * (self._table.weight[which] / self._whole[self._table.overlay[which]])

    def may_change(self, places: NDArray[np.int64], which: NDArray[np.int64], *,
                   nearby: bool) -> NDArray[np.int64]:
        """Indices of those fires that may change with breaks in padded cells; nearby: also those
        that burn close by, see `BreakRules`.
        """
        self._check_burned()
        whole = which.size and which[-1] - which[0] + 1 == which.size  # which need no copy
        code = self._store.code[which[0]:which[-1] + 1] if whole else self._store.code[which]
        out, starts_elsewhere = np.zeros(which.size, np.uint8), np.full(which.size, -1)
        for place in places.tolist():
            if nearby:
                out |= burned_near(place, 2 * REACH, self.width, code)
            else:
                depends_on(place, starts_elsewhere, code, self._crossing, out)
        return np.flatnonzero(out)

    def depending_on(self, places: NDArray[np.int64], which: slice,
                     rules: BreakRules) -> NDArray[np.uint8]:
        """1 for each of those fires, by id, that may burn otherwise with breaks in padded cells."""
        sources, codes = self._table.source[which], self._store.code[which]
        out = np.zeros(sources.size, np.uint8)
        for place in places.tolist():
            if rules.acts_nearby:
                out |= burned_near(place, 2 * REACH, self.width, codes)
                continue
            depends_on(place, sources, codes, self._crossing, out)
            if rules.strips:
                out |= sources == place
        return out

    def whole_value(self, slot: int, places: NDArray[np.int64] | slice = slice(None),
                    ) -> NDArray[np.float32]:
        """Value lost where padded cells of a slot burn f32 [C, n], rounded to whole units: its sums
        have no rounding, in whichever order.
        """
        return (self._value.value_by_class[slot][:, places]
                / self.value_unit(slot)).astype(np.float32)

    def _check_burned(self) -> None:
        assert not (self._stale[self._in_use] != 0).any(), "breaks came or went since `burn`"

    def plan_sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Over the plan fires of every slot, i64 [N, P]: parts of fires that burned a cell, and
        downstream value in whole units of these; f64 [N], units in a value of 1.
        """
        unit = self._value.unit * 2.0**(_MAX_SHARED - _MAX_COUNTED)
        return self._burned, self._downstream, unit

    def sums(self, slot: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Over the slot's plan fires, [H, W]: parts of fires that burned a cell, see `Fires`, and
        downstream value.
        """
        below = self._downstream[slot] / (self._share_unit(slot) * int(self._whole[slot]))
        return unpad(self._burned[slot], self._shape), unpad(below, self._shape)
