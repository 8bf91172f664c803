"""The chance that a line is held, as a score from 0 to 1.

O'Connor, Calkin & Thompson 2017 (doi:10.1071/WF16135) name what foretells where large fires stop:
the distance to roads, barriers, ridges and valleys, steep slopes, the rate of spread and the
resistance to control. The score is the mean of one share for each of these. It is not their model,
which was fitted to perimeters: the curves and the equal weights below are assumed, and were not
fitted to anything.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.candidates.lines import Kind, fuel_kinds
from firebreak.landscape.landscape import NODATA, Landscape

Grid = NDArray[np.float64]

ROAD_M, BARRIER_M, TERRAIN_M = 300.0, 200.0, 150.0
"""Metres from a road, from ground that does not burn, and from a ridge or a valley, at which the
share falls to 1/e. Assumed."""
STEEP_TAN = 0.6
"""Slope from which the share for the slope is 0. Assumed."""
LEAST_BARRIER_HA = 2.0
"""Ground that does not burn is a barrier from this size on. Assumed."""
CONTROL = {"GR1": 0.9, "GS1": 0.6, "SH1": 0.3, "TL1": 0.6}
"""Ease of making a line in a kind of fuel, by the name of the fuel with the least load of that
kind; other fuels 0.5. Assumed: grass is easy, shrubs are hard."""
OTHER_FUEL = 0.5
CANOPY_SHARE = 0.5
"""Share of the ease that a closed canopy takes away. Assumed."""

PARTS = ("near_road", "near_barrier", "near_ridge", "near_valley", "gentle_slope", "slow_spread",
         "easy_control")


class Score(NamedTuple):
    """Of a line: the means of each of PARTS along it, and of these."""

    score: float
    parts: dict[str, float]


def scores_of(landscape: Landscape, lines: list[Corridor],
              masks: dict[Kind, NDArray[np.bool_]], rate_of_spread_m_min: Grid) -> list[Score]:
    """The score of each line.

    Args:
        masks: where ridges, valleys and roads run.
        rate_of_spread_m_min: [H, W], of the head of a fire, in whatever weather: its rank counts.
    """
    grids = shares(landscape, masks, rate_of_spread_m_min)
    found = []
    for line in lines:
        parts = {name: float(grid.ravel()[line.path].mean()) for name, grid in grids.items()}
        found.append(Score(float(np.mean(list(parts.values()))), parts))
    return found


def shares(landscape: Landscape, masks: dict[Kind, NDArray[np.bool_]],
           rate_of_spread_m_min: Grid) -> dict[str, Grid]:
    """Maps [H, W] of each of PARTS, 0 to 1."""
    size = landscape.cell_size_m
    return {
        "near_road": _nearness(masks["road"], ROAD_M, size),
        "near_barrier": _nearness(barriers(landscape), BARRIER_M, size),
        "near_ridge": _nearness(masks["ridge"], TERRAIN_M, size),
        "near_valley": _nearness(masks["valley"], TERRAIN_M, size),
        "gentle_slope": np.clip(1.0 - landscape.slope_tan.astype(np.float64) / STEEP_TAN, 0.0, 1.0),
        "slow_spread": _slowness(landscape, rate_of_spread_m_min),
        "easy_control": ease_of_control(landscape)}


def _nearness(mask: NDArray[np.bool_], metres: float, cell_size_m: float) -> Grid:
    """exp(-distance / metres); 0 where there is nothing to be near to."""
    if not mask.any():
        return np.zeros(mask.shape)
    return np.asarray(np.exp(-ndimage.distance_transform_edt(~mask) * cell_size_m / metres))


def barriers(landscape: Landscape) -> NDArray[np.bool_]:
    """Ground that does not burn [H, W], in stretches of LEAST_BARRIER_HA at least."""
    return large_of(~landscape.burnable & (landscape.fuel_model != NODATA), landscape)


def large_of(mask: NDArray[np.bool_], landscape: Landscape) -> NDArray[np.bool_]:
    """The stretches of a mask of LEAST_BARRIER_HA at least; corners join."""
    patches, count = ndimage.label(mask, np.ones((3, 3)))
    sizes = np.bincount(patches.ravel(), minlength=count + 1)
    return mask & (sizes[patches] * landscape.cell_size_m**2 >= LEAST_BARRIER_HA * 1e4)


def _slowness(landscape: Landscape, rate: Grid) -> Grid:
    """The share of the cells that burn in which fire runs faster; 1 where nothing burns."""
    found = np.ones(landscape.shape)
    own = rate[landscape.burnable]
    ordered = np.sort(own)
    faster = own.size - np.searchsorted(ordered, own, side="right")
    found[landscape.burnable] = faster / max(own.size, 1)
    return found


def ease_of_control(landscape: Landscape) -> Grid:
    """Ease of making a line in each cell [H, W], 0 to 1; see CONTROL."""
    fuels = landscape.fuels
    ease = np.ones(landscape.shape)
    for code in fuels.burnable_codes.tolist():
        least = fuels.label(fuels.least_load(code))
        ease[landscape.fuel_model == code] = CONTROL.get(least, OTHER_FUEL)
    return ease * (1.0 - CANOPY_SHARE * landscape.canopy_cover.astype(np.float64)
                   * (fuel_kinds(landscape) > 0))
