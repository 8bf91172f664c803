"""Fires for the cases: grids of ellipses, ignitions of any shape, and times in closed form."""

import math
from typing import NamedTuple

import numpy as np
from benchmarks.validation.shapes import Shape
from numpy.typing import NDArray

from firebreak.fire import burn_field
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.fires import Fires
from firebreak.fire.travel.travel_field import (
    Ellipse,
    TravelField,
    field_from_ellipse,
    in_streams,
)

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

AT_ONCE_M_MIN = 1e6
"""Rate of spread of cells that stand for an ignition of some extent: it burns in no time."""


class Grid(NamedTuple):
    """Places of cell centres, metres east and north of a point, [H, W] each."""

    east: Floats
    north: Floats
    cell_m: float

    def near(self, east: float, north: float) -> tuple[int, int]:
        """Row and column of the cell whose centre is nearest to a point."""
        away = (self.east - east)**2 + (self.north - north)**2
        row, col = np.unravel_index(int(away.argmin()), away.shape)
        return int(row), int(col)


def grid_of(rows: int, cols: int, cell_m: float) -> Grid:
    """Centres of the cells of a map, from the map's middle."""
    east = (np.arange(cols) - 0.5 * (cols - 1)) * cell_m
    north = (0.5 * (rows - 1) - np.arange(rows)) * cell_m
    places = np.broadcast_arrays(east[None], north[:, None])
    return Grid(places[0], places[1], cell_m)


def uniform(shape: Shape, size: tuple[int, int], at_once: Mask | None = None) -> Ellipse:
    """One ellipse everywhere, [1, H, W]; cells of `at_once` [H, W] burn in no time."""
    grids = [np.full((1, *size), value) for value in shape[:4]]
    if at_once is not None:
        for grid in grids[:3]:
            grid[0, at_once] = AT_ONCE_M_MIN
    return Ellipse(*grids)


def ellipse_of_cells(behavior: FireBehavior) -> Ellipse:
    """The ellipses of a fire's behaviour."""
    return Ellipse(behavior.rate_of_spread_m_min, behavior.backing_rate_m_min,
                   behavior.flanking_rate_m_min, behavior.heading_deg)


def field_of(ellipse: Ellipse, cell_m: float, *, burnable: Mask | None = None,
             slope_tan: Floats | None = None, aspect_deg: Floats | None = None,
             step_min: float | None = None) -> TravelField:
    """The travel field; rows of weather follow each other every `step_min`, if given."""
    shape = ellipse.head.shape[1:]
    field = field_from_ellipse(ellipse, np.ones(shape, bool) if burnable is None else burnable,
                               cell_m, slope_tan, aspect_deg)
    return field if step_min is None else in_streams(field, ellipse.head.shape[0], step_min)


def arrival(field: TravelField, source: tuple[int, int], breaks: Mask | None = None,
            minutes: float = np.inf) -> Floats:
    """Arrival times [H, W] of the fire from one cell, minutes."""
    nought = np.zeros(1, np.int64)
    cell = np.array([source[0] * field.shape[1] + source[1]])
    fires = Fires(cell, nought, np.array([minutes]), nought.astype(np.uint64))
    return burn_field(field, fires, None, breaks, want="arrival").arrivals_min[0]


def straight_min(shape: Shape, east: Floats, north: Floats) -> Floats:
    """Minutes in which fire of one ellipse runs straight over displacements, metres."""
    heading = math.radians(shape.heading_deg)
    along = east * math.sin(heading) + north * math.cos(heading)
    across = east * math.cos(heading) - north * math.sin(heading)
    half, centre = 0.5 * (shape.head + shape.back), 0.5 * (shape.head - shape.back)
    # |(d / t - centre)| = 1 on the ellipse, a square equation in t.
    a = 1.0 - (centre / half)**2
    b = centre * along / half**2
    c = (along / half)**2 + (across / shape.flank)**2
    return (np.sqrt(b * b + a * c) - b) / a


def normal_rate(shape: Shape, towards_deg: float) -> float:
    """Rate at which a long straight front advances along its normal, m/min."""
    turn = math.radians(towards_deg - shape.heading_deg)
    half, centre = 0.5 * (shape.head + shape.back), 0.5 * (shape.head - shape.back)
    return centre * math.cos(turn) + math.hypot(half * math.cos(turn),
                                                shape.flank * math.sin(turn))


def off(found: Floats, expected: Floats) -> tuple[float, float]:
    """Mean and greatest relative difference of arrival times; inf where fire did not come."""
    share = np.abs(found / expected - 1.0)
    return float(share.mean()), float(share.max())


def order(cells_m: list[float], errors: list[float]) -> float:
    """Order of convergence: the slope of log error over log cell size, by least squares."""
    return float(np.polyfit(np.log(cells_m), np.log(errors), 1)[0])


def equivalent_radius(arrival_min: Floats, minutes: float, cell_m: float, parts: int = 4) -> float:
    """Radius of the circle of the burned area, the front interpolated between cell centres."""
    rows, cols = arrival_min.shape
    late = np.minimum(arrival_min, 4.0 * minutes)
    row, col = ((np.arange(n * parts) + 0.5) / parts - 0.5 for n in (rows, cols))
    inside = 0
    for block in np.array_split(row, max(1, rows * parts // 256)):
        top = np.clip(np.floor(block).astype(int), 0, rows - 2)
        down = np.clip(block - top, 0.0, 1.0)[:, None]
        strip = late[top] * (1.0 - down) + late[top + 1] * down
        left = np.clip(np.floor(col).astype(int), 0, cols - 2)
        right = np.clip(col - left, 0.0, 1.0)
        inside += int((strip[:, left] * (1.0 - right) + strip[:, left + 1] * right
                       <= minutes).sum())
    return math.sqrt(inside * (cell_m / parts)**2 / math.pi)
