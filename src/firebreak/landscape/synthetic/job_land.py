"""Draws of what a planner's job adds to a landscape: values, a town, the part that may be treated,
breaks that stand already, and costs that rise with the slope.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.noise import line_across, open_gaps, power_law_noise, standardise

PartKind = Literal["ring", "ridge", "road"]
PART_KINDS: tuple[PartKind, ...] = ("ring", "ridge", "road")
LEAST_PART = 0.1
"""Of the cells that may be treated, a drawn part holds at least this share."""
MOST_EXISTING = 0.1
"""Of the cells that may be treated, breaks that stand take at most this share."""

_CORRIDOR_CELLS = (1.0, 4.0)  # on either side of the line
_RING_INSIDE, _RING_WIDTH = (0.04, 0.20), (0.06, 0.20)  # of the longer side
_STRETCH = (0.35, 1.0)  # of a line across the map that is built
_GAPS = 1.5  # of a line that is built, in the mean
_MOST_SETTLEMENTS = 6
_OPEN_LAND_VALUE = 0.1  # where settlements are worth 1 and more
_BESIDE_TOWN = 0.002  # value of open land where a town is worth 1
_TOWN_PLACE, _TOWN_RAGGED = (0.38, 0.62), 0.25  # of the side; of the radius


def draw_value(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    """A value map [H, W], all positive: of settlements (half of the draws), of one district worth
    several times the rest, or varying smoothly.
    """
    kind = rng.choice(("settlements", "district", "smooth"), p=(0.5, 0.25, 0.25))
    if kind == "settlements":
        return _settlements(rng, shape).astype(np.float32)
    field = power_law_noise(rng, 1, shape, correlation_cells=0.4 * max(shape), exponent=3.0)[0]
    if kind == "district":
        inside = field > np.quantile(field, rng.uniform(0.6, 0.9))
        return np.where(inside, rng.uniform(3.0, 20.0), 1.0).astype(np.float32)
    return np.exp(rng.uniform(0.3, 1.0) * field).astype(np.float32)


def _settlements(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Round clusters of houses, dense inside and thinning out, on land of little value."""
    rows, cols = np.indices(shape)
    value = np.full(shape, _OPEN_LAND_VALUE)
    for _ in range(int(rng.integers(1, _MOST_SETTLEMENTS, endpoint=True))):
        row, col = rng.uniform(0, shape[0]), rng.uniform(0, shape[1])
        radius = rng.uniform(0.03, 0.12) * max(shape)
        distance2 = (rows - row)**2 + (cols - col)**2
        value += rng.uniform(0.5, 3.0) * np.exp(-0.5 * distance2 / radius**2)
    return value


def with_town(rng: np.random.Generator, land: Landscape, radius: tuple[float, float]) -> Landscape:
    """The landscape with a ragged town, which is nearly all its value and may not be treated, and
    with fires that start at the map's edge. radius: bounds, share of the shorter side.
    """
    side = min(land.shape)
    rows, cols = np.indices(land.shape)
    ragged = power_law_noise(rng, 1, land.shape, correlation_cells=4.0, exponent=2.0)[0]
    row, col = rng.uniform(*_TOWN_PLACE, 2) * land.shape
    away = np.hypot(rows + 0.5 - row, cols + 0.5 - col) / (rng.uniform(*radius) * side)
    edge = np.ones(land.shape, np.bool_)
    edge[1:-1, 1:-1] = False
    town = (away + _TOWN_RAGGED * ragged < 1.0) & ~edge
    return replace(land, value=np.where(town, 1.0, _BESIDE_TOWN).astype(np.float32),
                   treatable=land.treatable & ~town, ignition_weight=edge.astype(np.float32))


def draw_part(rng: np.random.Generator, land: Landscape) -> NDArray[np.bool_]:
    """The part of a landscape that may be treated, bool [H, W]: a ring around a point of value, or
    a corridor along a ridge or a road.

    The ring lies around the cell worth most, or around any cell where all are worth the same. A
    road takes gentle ground, a ridge high ground. Each is as wide as it was drawn, or wider until
    it holds `LEAST_PART` of the treatable cells; where none are, it is the whole map.
    """
    kind = PART_KINDS[int(rng.integers(len(PART_KINDS)))]
    distance, inside, width = _ring(rng, land) if kind == "ring" else _corridor(rng, land, kind)
    beyond = np.where(distance >= inside, distance - inside, inside - distance + width)
    own = np.sort(beyond[land.treatable])
    if own.size == 0:
        return np.ones(land.shape, np.bool_)
    enough = own[min(int(np.ceil(LEAST_PART * own.size)), own.size) - 1]
    part: NDArray[np.bool_] = land.treatable & (beyond <= max(width, float(enough)))
    return part


def _ring(rng: np.random.Generator,
          land: Landscape) -> tuple[NDArray[np.float64], float, float]:
    """Distance from the point, the radius inside and the width, in cells."""
    longer = max(land.shape)
    drawn = rng.integers(land.shape[0]), rng.integers(land.shape[1])
    worth = np.where(land.burnable, land.value, 0.0)
    flat = worth.max() == worth[land.burnable].min(initial=worth.max())
    row, col = drawn if flat else np.unravel_index(int(worth.argmax()), land.shape)
    rows, cols = np.indices(land.shape)
    return (np.hypot(rows - row, cols - col), rng.uniform(*_RING_INSIDE) * longer,
            rng.uniform(*_RING_WIDTH) * longer)


def _corridor(rng: np.random.Generator, land: Landscape,
              kind: PartKind) -> tuple[NDArray[np.float64], float, float]:
    """Distance from the line, 0, and the width on either side, in cells."""
    line = _course(rng, land, kind)
    rows, cols = np.indices(land.shape)
    # Cells of the line are few; the distance to each of them is small work.
    apart = np.hypot(rows[..., None] - line[:, 0], cols[..., None] - line[:, 1])
    return apart.min(axis=2), 0.0, rng.uniform(*_CORRIDOR_CELLS)


def _course(rng: np.random.Generator, land: Landscape, kind: PartKind) -> NDArray[np.int64]:
    """Cells [n, 2] of a line across the map whose neighbours share a side: over high ground for a
    ridge, over gentle ground for a road.
    """
    dislike = (-standardise(land.elevation_m.astype(np.float64)) if kind == "ridge"
               else standardise(land.slope_tan.astype(np.float64)))
    wander = power_law_noise(rng, 1, land.shape, correlation_cells=6.0, exponent=2.0)[0]
    return line_across(rng, 1.5 * dislike + 0.5 * wander, pull=0.08, thick=True)


def draw_existing(rng: np.random.Generator, land: Landscape) -> NDArray[np.int64]:
    """Flat cells i64 [n], rising, of breaks that are built already: stretches of one or two lines
    along ridges and roads, with gaps, on treatable cells.
    """
    chosen = np.zeros(land.shape, np.bool_)
    room = int(MOST_EXISTING * land.treatable.sum())
    for _ in range(int(rng.integers(1, 2, endpoint=True))):
        line = _course(rng, land, ("ridge", "road")[int(rng.integers(2))])
        count = round(rng.uniform(*_STRETCH) * len(line))
        first = int(rng.integers(len(line) - count + 1))
        line = open_gaps(rng, line[first:first + count], _GAPS)
        line = line[land.treatable[line[:, 0], line[:, 1]]]
        new = line[~chosen[line[:, 0], line[:, 1]]][:room]
        chosen[new[:, 0], new[:, 1]] = True
        room -= len(new)
    return np.flatnonzero(chosen)


def slope_costs(land: Landscape, per_slope: float) -> NDArray[np.float32]:
    """Costs [H, W] that a slope of 100 % raises by `per_slope`, a share; else those of the map."""
    costs: NDArray[np.float32] = (land.cost * (1.0 + per_slope * land.slope_tan)).astype(np.float32)
    return costs
