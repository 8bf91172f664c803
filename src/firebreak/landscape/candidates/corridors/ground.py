"""The ground that corridors run over: ridges, roads, edges of fuels, bare ground, houses; and how
hard it is to build a break in each cell.

The factors of the surface are assumed. They order ground as crews do, ridges and roads first
(O'Connor, Calkin & Thompson 2017, doi:10.1071/WF16135), and were not fitted to anything.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.checks import fail
from firebreak.landscape.candidates.lines import (
    BASIN_HA,
    candidate_lines,
    fuel_kinds,
    masks_of,
    narrow_ground,
)
from firebreak.landscape.landscape import NODATA, Landscape

Mask = NDArray[np.bool_]

HOUSE_BUFFER_M = 30.0
"""Distance from a house within which no corridor runs, where nobody says another."""
MOST_HELD = 0.1
"""Values stand for houses where at most this share of the data holds any."""
RIDGE_M = 150.0
"""Length from which a ridge is one."""
STEEP_TAN = 0.4
"""Slope at which building is twice as hard."""
ON_RIDGE, BY_RIDGE, BY_ROAD, ON_EDGE = 0.35, 0.7, 0.3, 0.6
"""Factors of the surface on a ridge, beside one, on or beside a road, at an edge of fuels."""
NARROW_BARE, WIDE_BARE, UNTREATABLE = 0.4, 3.0, 12.0
"""The surface on bare ground that is narrow or wide, and on ground that burns and is not treatable.
"""
LEAST_SURFACE = 0.05
LEAST_WIDE_HA = 2.0
"""Ground that does not burn is wide from this size on."""
CONTROL = {"GR1": 0.9, "GS1": 0.6, "SH1": 0.3, "TL1": 0.6}
"""Ease of making a line in a kind of fuel, by the name of the fuel with the least load of that
kind; other fuels 0.5: grass is easy, shrubs are hard."""
OTHER_FUEL = 0.5
CANOPY_SHARE = 0.5
"""Share of the ease that a closed canopy takes away."""

_AROUND = np.ones((3, 3), np.bool_)


class GroundMaps(NamedTuple):
    """Maps [H, W].

    Attributes:
        ridge, road, edge: bool, on or beside a ridge or a road, and at an edge of fuels.
        on_ridge: bool, thin.
        wide: int, the number of a wide stretch of bare ground, from 1; 0 elsewhere.
        near_houses: bool, in a house's cell or its buffer.
        house_m: distance to the nearest house, inf without any.
        surface: how hard it is to build there, 1 on ordinary ground; inf where a corridor may not
            run.
    """

    ridge: Mask
    road: Mask
    edge: Mask
    on_ridge: Mask
    wide: NDArray[np.int32]
    near_houses: Mask
    house_m: NDArray[np.float64]
    surface: NDArray[np.float64]


def ground_of(land: Landscape, house_buffer_m: float = HOUSE_BUFFER_M,
              basin_ha: float = BASIN_HA) -> GroundMaps:
    """The ground of a landscape; basin_ha: see `lines.BASIN_HA`."""
    roads = None if land.road_m is None else land.road_m == 0.0
    masks = masks_of(land, roads, basin_ha)
    on_ridge = np.zeros(land.shape, np.bool_)
    for line in candidate_lines(land, {"ridge": masks["ridge"]}, RIDGE_M):
        on_ridge.ravel()[line.path] = True
    houses = houses_of(land)
    near = within(houses, house_buffer_m, land.cell_size_m)
    wide = large_of(~land.burnable & (land.fuel_model != NODATA) & ~narrow_ground(land), land)
    ridge, road = beside(on_ridge), beside(masks["road"])
    house_m = (ndimage.distance_transform_edt(~houses) * land.cell_size_m if houses.any()
               else np.full(land.shape, np.inf))
    return GroundMaps(ridge, road, masks["fuel-edge"], on_ridge,
                      ndimage.label(wide, _AROUND)[0].astype(np.int32), near, house_m,
                      _surface(land, on_ridge, ridge, road, masks["fuel-edge"], wide, near))


def _surface(land: Landscape, on_ridge: Mask, ridge: Mask, road: Mask, edge: Mask, wide: Mask,
             closed: Mask) -> NDArray[np.float64]:
    usual = np.median(land.cost[land.treatable]) if land.treatable.any() else 1.0
    hard = land.cost.astype(np.float64) / usual
    hard *= 1.0 + (land.slope_tan.astype(np.float64) / STEEP_TAN)**2
    hard *= 1.5 - ease_of_control(land)
    for where, factor in ((on_ridge, ON_RIDGE), (ridge & ~on_ridge, BY_RIDGE), (road, BY_ROAD),
                          (edge, ON_EDGE)):
        hard[where] *= factor
    bare = ~land.burnable
    hard[bare] = NARROW_BARE
    hard[wide] = WIDE_BARE
    hard[land.burnable & ~land.treatable] = UNTREATABLE
    hard = np.maximum(hard, LEAST_SURFACE)
    hard[closed | (land.fuel_model == NODATA)] = np.inf
    return hard


def large_of(mask: Mask, landscape: Landscape) -> Mask:
    """The stretches of a mask of LEAST_WIDE_HA at least; corners join."""
    patches, count = ndimage.label(mask, _AROUND)
    sizes = np.bincount(patches.ravel(), minlength=count + 1)
    return mask & (sizes[patches] * landscape.cell_size_m**2 >= LEAST_WIDE_HA * 1e4)


def ease_of_control(landscape: Landscape) -> NDArray[np.float64]:
    """Ease of making a line in each cell [H, W], 0 to 1; see CONTROL."""
    fuels = landscape.fuels
    ease = np.ones(landscape.shape)
    for code in fuels.burnable_codes.tolist():
        least = fuels.label(fuels.least_load(code))
        ease[landscape.fuel_model == code] = CONTROL.get(least, OTHER_FUEL)
    return ease * (1.0 - CANOPY_SHARE * landscape.canopy_cover.astype(np.float64)
                   * (fuel_kinds(landscape) > 0))


def beside(mask: Mask) -> Mask:
    """A mask and the cells that touch it."""
    return np.asarray(ndimage.binary_dilation(mask, _AROUND))


def houses_of(land: Landscape) -> Mask:
    """The cells of houses [H, W]: those of value where few cells of the area hold any; none where
    value lies everywhere, as timber does. Of several layers each counts by itself.
    """
    found = np.zeros(land.shape, np.bool_)
    area = (land.fuel_model != NODATA) & land.inside
    for layer in land.layers or (land.value,):
        held = layer > 0.0
        if np.count_nonzero(held & area) <= MOST_HELD * np.count_nonzero(area):
            found |= held
    return found


def within(mask: Mask, distance_m: float, cell_size_m: float) -> Mask:
    """The cells of a mask and those whose ground is nearer to the middle of one than a distance:
    where in its cell a house stands is not known.
    """
    if not mask.any():
        return mask
    row, col = ndimage.distance_transform_edt(~mask, return_distances=False, return_indices=True)
    rows, cols = np.indices(mask.shape)
    # From a middle to a square it is half a cell less than to its middle.
    apart = np.hypot(*(np.maximum(np.abs(away) - 0.5, 0.0) for away in (rows - row, cols - col)))
    return mask | (apart * cell_size_m < distance_m)


def check_houses(land: Landscape, house_buffer_m: float) -> None:
    """Refuses a buffer that leaves nothing to treat.

    Raises:
        InputError: there is treatable ground, all of it within the buffer.
    """
    near = within(houses_of(land), house_buffer_m, land.cell_size_m)
    if land.treatable.any() and not (land.treatable & ~near).any():
        raise fail(expected="treatable ground outside the buffer of houses", given="none",
                   where="--house-buffer", remedy="lower it, or widen the area")
