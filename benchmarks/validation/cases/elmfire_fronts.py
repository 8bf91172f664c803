"""Straight fronts, breaks and slopes against ELMFIRE's suite of verification: cases 31 and 33.

These cases compare firebreak's fires with each other, by tolerances of the suite. The place of the
first front is not stated there, nor is the moisture of live wood; at 60 % model 10 burns at the
0.426 m/min that the suite does state.
"""

import math

import numpy as np
from benchmarks.validation.growth import (
    AT_ONCE_M_MIN,
    Grid,
    arrival,
    ellipse_of_cells,
    field_of,
    grid_of,
)
from benchmarks.validation.land import land_of, weather_of
from benchmarks.validation.registry import Case, Check, Measured, Places
from numpy.typing import NDArray

from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.travel.travel_field import Ellipse
from firebreak.weather.scenarios import WeatherScenarios

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

SUITE = "ELMFIRE_VnV_Suite"
CELL_M, FACE_M, STRIP_M, HALF_HEIGHT_M, BAND_M = 5.0, -95.0, 50.0, 600.0, 350.0
STATIONS_M = (-50.0, -20.0, 10.0, 40.0, 70.0, 100.0)
BEYOND_M = tuple(25.0 + 31.25 * k for k in range(9))
DIAGONAL_M = -200.0  # the place of the diagonal front's face, along its normal
STOP_MIN = 720.0


def _weather(wind_mph: float = 0.0) -> WeatherScenarios:
    return weather_of(wind_mph, 270.0, dead_pct=(3.0, 5.0, 6.0), live_pct=(30.0, 60.0))


def _from_strip(fuel: NDArray[np.int64], strip: Mask, wind_mph: float = 0.0) -> Floats:
    """Arrival times of a fire that starts in all cells of a strip."""
    fire = ellipse_of_cells(fire_behavior(land_of(fuel, CELL_M), _weather(wind_mph)))
    head, back, flank = (np.where(strip, AT_ONCE_M_MIN, grid) for grid in fire[:3])
    rows, cols = np.nonzero(strip)
    ellipse = Ellipse(head, back, flank, fire.heading_deg)
    return arrival(field_of(ellipse, CELL_M, burnable=fuel != 91),
                   (int(rows[rows.size // 2]), int(cols[rows.size // 2])), minutes=STOP_MIN)


def _variation(times: Floats) -> float:
    """Standard deviation over mean of the times at a station; inf where fire did not come."""
    return float(times.std() / times.mean()) if np.isfinite(times).all() else math.inf


def _at(grid: Grid, times: Floats, east_m: float) -> Floats:
    """Times of the column nearest to a place, in the band around the middle."""
    col = int(np.abs(grid.east[0] - east_m).argmin())
    return times[np.abs(grid.north[:, col]) <= BAND_M, col]


def fronts(_: Places) -> Measured:
    grid = grid_of(300, 300, CELL_M)
    strip = (grid.east < FACE_M) & (grid.east > FACE_M - STRIP_M) & (
        np.abs(grid.north) < HALF_HEIGHT_M)
    uniform, jump = np.full(strip.shape, 10), np.where(grid.east < 0.0, 10, 3)
    across, along = (grid.east + grid.north) / math.sqrt(2), (grid.east - grid.north) / math.sqrt(2)
    slant = (across < DIAGONAL_M) & (across > DIAGONAL_M - STRIP_M) & (
        np.abs(along) < HALF_HEIGHT_M)
    diagonal = _from_strip(uniform, slant)
    varies = []
    for beyond in BEYOND_M:
        off = np.abs(across - DIAGONAL_M - beyond)
        varies.append(_variation(diagonal[(off < off.min() + 0.01) & (np.abs(along) <= BAND_M)]))
    calm, windy = _from_strip(jump, strip), _from_strip(jump, strip, 1.0)
    barrier = (grid.east > 0.0) & (grid.east < 30.0)
    closed = np.where(barrier, 91, uniform)
    gapped = np.where(barrier & (np.abs(grid.north) > 50.0), 91, uniform)
    shares = [float(np.isfinite(_at(grid, _from_strip(fuel, strip), 100.0)).mean())
              for fuel in (closed, gapped)]
    return {"variation along a diagonal front": max(varies),
            "variation along a front that changes its fuel": max(
                _variation(_at(grid, calm, east)) for east in STATIONS_M),
            "minutes from before to behind the change": float(
                np.median(_at(grid, calm, 100.0)) - np.median(_at(grid, calm, -50.0))),
            "arrival with wind over without": float(
                np.median(_at(grid, windy, 100.0)) / np.median(_at(grid, calm, 100.0))),
            "share burned behind a closed break": shares[0],
            "share burned more behind a gap": shares[1] - shares[0]}


def _extent(times: Floats) -> tuple[int, int]:
    burned = np.isfinite(times)
    return int(burned.any(axis=0).sum()), int(burned.any(axis=1).sum())


def slope(_: Places) -> Measured:
    size, times = 400, []
    fuel, middle = np.full((size, size), 10), (size // 2, size // 2)
    for angle in (0.0, 30.0):
        tan = np.full((size, size), math.tan(math.radians(angle)))
        aspect = np.full((size, size), 270.0)
        land = land_of(fuel, CELL_M, slope_tan=tan, aspect_deg=aspect)
        fire = ellipse_of_cells(fire_behavior(land, _weather()))
        times.append(arrival(field_of(fire, CELL_M, slope_tan=tan, aspect_deg=aspect), middle,
                             minutes=120.0))
    (wide, high), (long, broad) = (_extent(grid) for grid in times)
    both = np.isfinite(times[0]) & np.isfinite(times[1])
    scale = max(float(np.quantile(times[1][both], 0.9)), 1.0 / 60.0)
    return {"difference of extents on level ground": abs(wide - high) / max(wide, high),
            "greater over lesser extent on the slope": max(long, broad) / min(long, broad),
            "mean difference of arrival over its 90th percentile": float(
                np.abs(times[1][both] - times[0][both]).mean() / scale)}


CASES = (
    Case(identifier="ELMFIRE-31", title="straight fronts across fuels and breaks",
         area="numerics", source=f"{SUITE}, CASE31_PFT", inputs=(
             "300 x 300 cells of 5 m, model 10 (model 3 east of the middle), dead moisture 3, 5 "
             "and 6 %, live wood 60 %, front at 95 m west of the middle, none or 1 mi/h of wind, "
             "30 m of model 91 with and without a gap of 100 m, 12 hours"),
         checks=(Check("variation along a diagonal front", "at most", 0.03),
                 Check("variation along a front that changes its fuel", "at most", 0.03),
                 Check("minutes from before to behind the change", "at least", 0.0, unit="min"),
                 Check("arrival with wind over without", "at most", 0.95),
                 Check("share burned behind a closed break", "at most", 0.0),
                 Check("share burned more behind a gap", "at least", 0.1)),
         measure=fronts),
    Case(identifier="ELMFIRE-33", title="directions of spread on a slope", area="numerics",
         source=f"{SUITE}, CASE33_SDO", inputs=(
             "400 x 400 cells of 5 m, model 10, dead moisture 3, 5 and 6 %, live wood 60 %, no "
             "wind, level and at 30 degrees, 2 hours"),
         checks=(Check("difference of extents on level ground", "at most", 0.05),
                 Check("greater over lesser extent on the slope", "at least", 1.1),
                 Check("mean difference of arrival over its 90th percentile", "at least", 0.05)),
         measure=slope),
)
