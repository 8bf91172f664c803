"""Breaks on a travel field: an overlay of codes, which arcs a break closes, and treated fuel where
breaks burn, which is written over the land's.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from firebreak.fire.travel.arcs import (
    BREAK,
    CLOSED,
    HELD_BREAK,
    NARROW_BREAK,
    NEAR,
    OPEN,
)
from firebreak.fire.travel.stencil import FACET_CODE, REACH, STENCIL
from firebreak.fire.travel.travel_field import (
    BreakRules,
    TravelField,
    Treated,
    open_arcs,
    pad,
    padded_cells,
    padded_width,
    row_arrays,
)


def break_state(rules: BreakRules) -> int:
    """Code of a break in the engine's overlay; OPEN for breaks that burn as treated fuel."""
    if rules.treated is not None:
        return HELD_BREAK if rules.held else OPEN
    return _bare_state(rules)


def _bare_state(rules: BreakRules) -> int:
    """Code of a break of bare ground."""
    return NARROW_BREAK if rules.strips else BREAK if rules.breach.size else CLOSED


def open_state(burnable: NDArray[np.bool_], breaks: NDArray[np.bool_],
               rules: BreakRules) -> NDArray[np.uint8]:
    """u8 [H, W] -> padded [P]: codes of `arcs`.

    The engine looks at breaks beside a long step only where the receiving cell says NEAR.
    """
    rows, cols = breaks.shape
    kind = np.full(breaks.shape, break_state(rules))
    if rules.bare.size:
        kind[rules.bare] = _bare_state(rules)
    ground = rules.ground if rules.ground.size else np.zeros(breaks.shape, np.uint8)
    near = _within(breaks & (kind != OPEN) | (ground != 0), REACH)
    # Fuel in a break that burns beside bare ground is near it like any other.
    kind[near & (kind == OPEN)] = NEAR
    state = np.where(burnable, np.where(breaks, kind, np.where(near, NEAR, OPEN)), CLOSED)
    state = np.where(ground != 0, ground, state)
    return pad(state.astype(np.uint8)).reshape((rows + 2 * REACH) * padded_width(cols))


def closing_table(width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Arcs that a new break closes: pairs (offset of the child from the break, parent code).

    A diagonal beside the break is listed although it closes only if its other side is closed too:
    burning that fire anew then changes nothing.
    """
    pairs = []
    for step in (1, 3, 5, 7):
        for side in (step - 1, (step + 1) % 8):
            pairs.append((-(STENCIL.steps[side, 0] * width + STENCIL.steps[side, 1]), step))
    for crosses, counts, base in (
            (STENCIL.step_crosses, STENCIL.step_cross_count, 0),
            (STENCIL.facet_crosses, STENCIL.facet_cross_count, FACET_CODE)):
        for index, count in enumerate(counts):
            for row, col in crosses[index, :count]:
                pairs.append((-(row * width + col), base + index))
    table = np.array(pairs, np.int64)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])


def treated_part(field: TravelField, treated: TravelField) -> Treated:
    """The part that `treat` puts into cells of `field`: the travel field of the treated landscape.
    """
    return Treated(treated.metric, treated.unit_time, treated.rate,
                   treated.heat if field.heat.size else field.heat, treated.spots)


def treat(field: TravelField, cells: NDArray[np.int64],
          before: TravelField | None = None) -> None:
    """Writes treated fuel into padded `cells` of a field that the caller owns, where breaks burn
    (`BreakRules.treated`), and remakes what that opens and closes around them.

    before: the field of untreated fuel, if this is to be written instead.
    """
    treated = field.breaks.treated if before is None else before
    if treated is not None and cells.size:
        _write(field, slice(None), _Near.of(cells, field.shape), treated)


@contextmanager
def treated_for(field: TravelField, cells: NDArray[np.int64], streams: Sequence[int],
                before: TravelField | None = None) -> Iterator[None]:
    """The same for a cell or more in the streams of weather with these first rows, until the
    context ends, which puts back what was there: quicker than making it again. Nothing else is
    written there meanwhile.
    """
    treated, kept = field.breaks.treated if before is None else before, []
    assert treated is not None, "breaks that burn"
    near = _Near.of(cells, field.shape)
    for first in streams:
        rows = slice(first, first + field.steps)
        own = field._replace(
            **{name: array[rows] for name, array in row_arrays(field).items()},
            spots=field.spots._replace(cells=field.spots.cells[:, rows]))
        kept += [(array, places, array[:, places]) for places, arrays in (
            (cells, (own.metric, own.unit_time, own.rate, own.heat, *own.spots.cells)),
            (near.own, (own.facets, own.accepts)),
            (near.further, (own.sends, own.sends_far, own.edges)))
            for array in arrays if array.size]
        _write(own, rows, near, treated)
    try:
        yield
    finally:
        for array, places, values in kept:
            array[:, places] = values


class _Near(NamedTuple):
    """Padded cells, and those of the map within one and two steps of them."""

    cells: NDArray[np.int64]
    own: NDArray[np.int64]
    further: NDArray[np.int64]

    @classmethod
    def of(cls, cells: NDArray[np.int64], shape: tuple[int, int]) -> "_Near":
        return cls(cells, *(_around(cells, reach * REACH, shape) for reach in (1, 2)))


def _write(field: TravelField, rows: slice, near: _Near, treated: TravelField | Treated) -> None:
    """Writes fuel of some rows into the cells of a field of these rows."""
    cells = near.cells
    for array, made in ((field.metric, treated.metric), (field.unit_time, treated.unit_time),
                        (field.rate, treated.rate), (field.heat, treated.heat)):
        if array.size:
            array[:, cells] = made[rows, cells]
    if field.spots.cells.size:
        field.spots.cells[:, :, cells] = treated.spots.cells[:, rows, cells]
    open_arcs(field, near.own, near.further)


def shaded(field: TravelField, breaks: NDArray[np.bool_]) -> TravelField:
    """The field with treated fuel in its breaks: a copy, or itself where breaks do not burn."""
    return Shading(field).under(breaks)


class Shading:
    """A field under breaks that come and go, with treated fuel where they burn: a copy that is
    written anew where breaks differ, or itself where none burns.
    """

    def __init__(self, field: TravelField) -> None:
        self._plain, self._own = field, field
        self._burning = np.zeros(field.shape, np.bool_)

    def under(self, breaks: NDArray[np.bool_]) -> TravelField:
        """The field under breaks bool [H, W], until it is asked for under others."""
        field, rules, before = self._plain, self._plain.breaks, self._burning
        burning = breaks & ~rules.bare if rules.bare.size else breaks.copy()
        if rules.treated is None or not (before.any() or burning.any()):
            return field
        if self._own is field:
            self._own = field._replace(
                **{name: array.copy() for name, array in row_arrays(field).items()},
                bucket_min=field.bucket_min.copy(),
                spots=field.spots._replace(cells=field.spots.cells.copy()))
        for cells, fuel in ((burning & ~before, None), (before & ~burning, field)):
            treat(self._own, padded_cells(np.flatnonzero(cells), field.shape[1]), before=fuel)
        self._burning = burning
        return self._own


def _within(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Cells within so many rows and columns of those of a mask."""
    return maximum_filter(mask, 2 * reach + 1, mode="constant") if mask.any() else mask.copy()


def _around(cells: NDArray[np.int64], reach: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Padded cells of the map (not of its padding) within `reach` of padded cells, at least one."""
    width = shape[1] + 2 * REACH
    rows, cols = np.divmod(cells, width)
    top, left = (max(int(own.min()) - reach, REACH) for own in (rows, cols))
    below, right = (min(int(own.max()) + reach + 1, REACH + size)
                    for own, size in zip((rows, cols), shape, strict=True))
    listed = np.zeros((below - top, right - left), np.bool_)  # of a few cells a small part
    listed[rows - top, cols - left] = True
    near = np.nonzero(_within(listed, reach))
    return (near[0] + top) * width + near[1] + left
