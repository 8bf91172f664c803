"""What breaks would save that are not there: each tried alone on fires that burn, and undone."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.env.slots import Slots
from firebreak.fire.overlay import break_state
from firebreak.fire.travel import padded_cells, unpad
from firebreak.fire.what_if_kernel import NOT_TRIED, Candidates, in_units


def gains(slots: Slots, slot: int, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """By how much the mean loss of a slot's plan fires falls if one cell alone is broken next.

    f64 [n], of flat `cells`; 0 where there can be no break. Nothing changes; what breaks have
    come or gone must have been burned by `Slots.update`. The same as placing each cell and taking
    it away again, but for the rounding of the mean.
    """
    count = slots.problem(slot).plan_fires.source.size
    saved = savings(slots, slot, cells, np.arange(count))[0]
    return saved.sum(axis=0) / (slots.loss_unit(slot) * max(count, 1))


def tried_in_place(slots: Slots, slot: int) -> bool:
    """Whether fires are solved again where a break changes them; else they burn anew, which they do
    with breaks that burn, embers and weather that changes.
    """
    field = slots.problem(slot).scene.field
    return field.breaks.treated is None and field.steps == 1 and not field.spots.cells.size


def line_savings(slots: Slots, slot: int, lines: Sequence[NDArray[np.int64]],
                 ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """By how much the mean loss of a slot's plan fires falls with the breaks of each line alone,
    f64 [n], and how many fires burned for it, i64 [n]. lines: flat cells that are not broken.

    Nothing changes; for slots that are `tried_in_place`.
    """
    count = slots.problem(slot).plan_fires.source.size
    first = np.cumsum([0, *(line.size for line in lines)])
    cells = padded_cells(np.concatenate([*lines, np.empty(0, np.int64)]), slots.sizes.shape[1])
    made = slots.fires.try_lines(slots.plan_ids(slot).start + np.arange(count), cells, first,
                                 _candidates(slots, slot, np.empty(0, np.int32)), slots.fields,
                                 slots.overlays)
    tried = made != NOT_TRIED
    saved = np.where(tried, made, 0).sum(axis=0)
    return saved / (slots.loss_unit(slot) * max(count, 1)), tried.sum(axis=0)


def _candidates(slots: Slots, slot: int, row: NDArray[np.int32]) -> Candidates:
    """Breaks as the slot's problem has them. row: see `Candidates`."""
    rules, value = slots.problem(slot).scene.field.breaks, slots.value[slot]
    left = value * np.float32(rules.lost) if rules.lost > 0.0 else value[:0]
    return Candidates(row, slot, break_state(rules), in_units(left, slots.loss_unit(slot)))


def savings(slots: Slots, slot: int, cells: NDArray[np.int64], fires: NDArray[np.int64],
            ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """What each of `cells`, broken alone, saves of each of the plan fires numbered `fires`.

    Returns whole units i64 [len(fires), n], see `Slots.loss_unit`, and bool [len(fires)]: with some
    of the breaks the fire would burn a cell that it does not burn without.
    """
    field, shape = slots.problem(slot).scene.field, slots.sizes.shape
    free = unpad(field.burnable, shape) & ~slots.breaks[slot]
    which = slots.plan_ids(slot).start + fires
    if not tried_in_place(slots, slot):
        return _burned_anew(slots, slot, cells, which, free), np.ones(fires.size, np.bool_)
    cells_free = np.flatnonzero(free.ravel()[cells])
    saved = np.zeros((fires.size, cells.size), np.int64)
    if not cells_free.size or not fires.size:
        return saved, np.zeros(fires.size, np.bool_)
    row = np.full(slots.cells, -1, np.int32)
    places = padded_cells(cells[cells_free], shape[1])
    row[places] = np.arange(places.size, dtype=np.int32)
    made, beyond = slots.fires.try_breaks(which, _candidates(slots, slot, row), slots.fields,
                                          slots.overlays)
    saved[:, cells_free] = made[:, row[places]]
    return saved, beyond


def _burned_anew(slots: Slots, slot: int, cells: NDArray[np.int64], which: NDArray[np.int64],
                 free: NDArray[np.bool_]) -> NDArray[np.int64]:
    """`savings` of any kind of break in any weather: the fires it may change burn anew."""
    unit = slots.loss_unit(slot)
    saved = np.zeros((which.size, cells.size), np.int64)
    shaded = slots.problem(slot).scene.field.breaks.treated is not None
    for k in np.flatnonzero(free.ravel()[cells]).tolist():
        place = int(padded_cells(cells[k:k + 1], slots.sizes.shape[1])[0])
        rows = slots.fires.may_change(place, which, burns=shaded)
        own = which[rows]
        before = slots.fires.loss[own]
        slots.write_break(slot, int(cells[k]), broken=True)
        after = slots.fires.loss_anew(own, slots.fields, slots.overlays)
        slots.write_break(slot, int(cells[k]), broken=False)
        saved[rows, k] = np.rint((before - after) * unit).astype(np.int64)
    return saved
