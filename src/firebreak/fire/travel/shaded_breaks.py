"""Breaks that burn as treated fuel: their part of the travel field is written over the land's."""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import (
    TravelField,
    Treated,
    open_arcs,
    padded_cells,
    padded_width,
)


def treated_part(field: TravelField, treated: TravelField) -> Treated:
    """What `treat` puts into cells of `field`: the travel field of the treated landscape."""
    return Treated(treated.metric, treated.unit_time, treated.rate,
                   treated.heat if field.heat.size else field.heat, treated.spots)


def treat(field: TravelField, cells: NDArray[np.int64]) -> None:
    """Writes treated fuel into padded `cells` of a field that the caller owns, where breaks burn
    (`BreakRules.treated`), and remakes what that opens and closes around them.
    """
    treated = field.breaks.treated
    if treated is None or cells.size == 0:
        return
    for own, made in ((field.metric, treated.metric), (field.unit_time, treated.unit_time),
                      (field.rate, treated.rate), (field.heat, treated.heat)):
        if own.size:
            own[:, cells] = made[:, cells]
    if field.spots.cells.size:
        field.spots.cells[..., cells] = treated.spots.cells[..., cells]
    open_arcs(field, _around(cells, REACH, field.shape), _around(cells, 2 * REACH, field.shape))


def untreat(field: TravelField, cells: NDArray[np.int64], own: TravelField) -> None:
    """Takes `treat` back: writes what `own`, the field of untreated fuel, has in `cells`."""
    before = Treated(own.metric, own.unit_time, own.rate, own.heat, own.spots)
    treat(field._replace(breaks=field.breaks._replace(treated=before)), cells)


def shaded(field: TravelField, breaks: NDArray[np.bool_]) -> TravelField:
    """The field with treated fuel in its breaks: a copy, or itself where breaks do not burn."""
    burning = breaks & ~field.breaks.bare if field.breaks.bare.size else breaks
    if field.breaks.treated is None or not burning.any():
        return field
    own = field._replace(metric=field.metric.copy(), unit_time=field.unit_time.copy(),
                         rate=field.rate.copy(), facets=field.facets.copy(),
                         accepts=field.accepts.copy(), sends=field.sends.copy(),
                         heat=field.heat.copy(), edges=field.edges.copy(),
                         bucket_min=field.bucket_min.copy(), sends_far=field.sends_far.copy(),
                         spots=field.spots._replace(cells=field.spots.cells.copy()))
    treat(own, padded_cells(np.flatnonzero(burning), field.shape[1]))
    return own


def _around(cells: NDArray[np.int64], reach: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Padded cells of the map (not of its padding) within `reach` of padded `cells`."""
    near = np.zeros((shape[0] + 2 * REACH, shape[1] + 2 * REACH), np.bool_)
    for row, col in zip(*np.divmod(cells, padded_width(shape[1])), strict=True):
        near[max(row - reach, 0):row + reach + 1, max(col - reach, 0):col + reach + 1] = True
    inside = np.zeros_like(near)
    inside[REACH:-REACH, REACH:-REACH] = True
    return np.flatnonzero(near & inside)
