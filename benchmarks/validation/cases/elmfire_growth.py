"""Growth of fires against ELMFIRE's suite of verification: cases 15 to 24, 28, 29 and 32, and the
Monte Carlo over an ignition mask.

Numbers and tolerances as in `elmfire_behavior`. A fire of firebreak starts in one cell; where the
suite starts from a circle, the cells of the circle burn in no time.
"""

import math
from dataclasses import replace

import numpy as np
from benchmarks.validation.growth import (
    Grid,
    arrival,
    ellipse_of_cells,
    equivalent_radius,
    field_of,
    grid_of,
    order,
    straight_min,
    uniform,
)
from benchmarks.validation.land import land_of, weather_of
from benchmarks.validation.registry import Case, Check, Measured, Places
from benchmarks.validation.shapes import Shape
from numpy.typing import NDArray

from firebreak.fire import FireConditions, burn, make_scene
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.fires import FireRegime
from firebreak.fire.travel.travel_field import Ellipse
from firebreak.weather.streams import constant

Floats = NDArray[np.float64]

SUITE = "ELMFIRE_VnV_Suite"
GUIDE_CELLS, GUIDE_M = 126, 30.0
RATE_M_MIN, MINUTES = 0.697992, 6.0  # of cases 15 and 17
QUADRANTS = {"NW, model 8": 0.080, "NE, model 7": 0.472, "SW, model 4": 1.492,
             "SE, model 2": 0.871}
FIRES = 2000  # of the Monte Carlo
ATTACKED = 20_000


def _circle_fire(size: int, cell_m: float, radius_m: float) -> tuple[Grid, Floats]:
    """Arrival times of a fire that starts as a circle and runs at RATE_M_MIN in all directions."""
    grid = grid_of(size, size, cell_m)
    circle = np.hypot(grid.east, grid.north) <= radius_m
    shape = Shape(RATE_M_MIN, RATE_M_MIN, RATE_M_MIN, 0.0)
    return grid, arrival(field_of(uniform(shape, (size, size), circle), cell_m),
                         grid.near(0.0, 0.0))


def _rate_along(times: Floats, cell_m: float) -> float:
    """Rate of a front over a row of arrival times, by least squares, m/min."""
    return float(1.0 / np.polyfit(cell_m * np.arange(times.size), times, 1)[0])


def constant_rate(_: Places) -> Measured:
    grid, times = _circle_fire(200, 1.0, 5.0)
    row, col = grid.near(0.0, 0.0)
    return {"radius after 360 s": equivalent_radius(times, MINUTES, 1.0),
            "rate of the front": _rate_along(times[row, col + 8:col + 60], 1.0)}


def no_spread(_: Places) -> Measured:
    grid = grid_of(200, 200, 1.0)
    still = Ellipse(*np.zeros((4, 1, 200, 200)))
    times = arrival(field_of(still, 1.0), grid.near(0.0, 0.0), minutes=10.0 / 60.0)
    return {"radius of what burned": math.sqrt(np.isfinite(times).sum() / math.pi)}


def spatial_convergence(_: Places) -> Measured:
    sides, start = (128, 256, 512, 1024), 20.0
    cells = [256.0 / side for side in sides]
    radius = start + RATE_M_MIN * MINUTES
    errors = [abs(equivalent_radius(_circle_fire(side, cell, start)[1], MINUTES, cell) - radius)
              for side, cell in zip(sides, cells, strict=True)]
    return {"order of the radius": order(cells, errors),
            "error of the radius, 1,024 cells": errors[-1]}


def _grown(fire: FireBehavior, source: tuple[int, int], slope_tan: Floats | None = None,
           aspect_deg: Floats | None = None) -> Floats:
    return arrival(field_of(ellipse_of_cells(fire), GUIDE_M, slope_tan=slope_tan,
                            aspect_deg=aspect_deg), source)


def _fuel(code: int) -> NDArray[np.int64]:
    return np.full((GUIDE_CELLS, GUIDE_CELLS), code)


def point(_: Places) -> Measured:
    fire, middle = fire_behavior(land_of(_fuel(3), GUIDE_M), weather_of()), GUIDE_CELLS // 2
    times = _grown(fire, (middle, middle))
    grid = grid_of(GUIDE_CELLS, GUIDE_CELLS, GUIDE_M)
    east, north = grid.east - 0.5 * GUIDE_M, grid.north + 0.5 * GUIDE_M
    far = np.hypot(east, north)
    ring = (far > 20 * GUIDE_M) & (far < 55 * GUIDE_M)
    rates = far[ring] / times[ring]
    return {"rate of the cells": float(fire.rate_of_spread_m_min[0, middle, middle]),
            "rate of the front east": _rate_along(times[middle, middle + 5:middle + 55], GUIDE_M),
            "greatest over least rate of all directions": float(rates.max() / rates.min())}


def wind(_: Places) -> Measured:
    land, size = land_of(_fuel(5), GUIDE_M), GUIDE_CELLS
    fire = fire_behavior(land, weather_of(6.0, 180.0))
    source = (int(0.6 * size), size // 2)
    times = _grown(fire, source)
    edge = min(times[0].min(), times[-1].min(), times[:, 0].min(), times[:, -1].min())
    rows, cols = np.nonzero(times < edge)
    spread = np.linalg.eigvalsh(np.cov(np.stack([rows, cols])))
    ahead = times[source[0] - 50:source[0] - 5, source[1]][::-1]
    return {"rate of the head": float(fire.rate_of_spread_m_min[0, 0, 0]),
            "rate of the front ahead": _rate_along(ahead, GUIDE_M),
            "length to width of the burned cells": math.sqrt(spread[1] / spread[0])}


def valley(_: Places) -> Measured:
    east = np.arange(GUIDE_CELLS)[None] >= GUIDE_CELLS // 2
    slope = np.where(east, math.tan(math.radians(5.0)), math.tan(math.radians(15.0)))
    slope = np.repeat(slope, GUIDE_CELLS, axis=0)
    aspect = np.repeat(np.where(east, 270.0, 90.0), GUIDE_CELLS, axis=0)
    fire = fire_behavior(land_of(_fuel(3), GUIDE_M, slope_tan=slope, aspect_deg=aspect),
                         weather_of())
    row = GUIDE_CELLS // 2
    times = _grown(fire, (row, row), slope_tan=slope, aspect_deg=aspect)
    sides = {"east, 5 degrees": (times[row, row + 5:row + 55], 5.0),
             "west, 15 degrees": (times[row, row - 55:row - 5][::-1], 15.0)}
    measured = {f"rate of the front on the ground, {words}": _rate_along(
        front, GUIDE_M / math.cos(math.radians(angle))) for words, (front, angle) in sides.items()}
    return measured | {f"rate of the cells, {words}": float(
        fire.rate_of_spread_m_min[0, row, col]) for words, col in (
            ("east, 5 degrees", -1), ("west, 15 degrees", 0))}


def fuel_quadrants(_: Places) -> Measured:
    half = GUIDE_CELLS // 2
    codes = np.block([[np.full((half, half), 8), np.full((half, half), 7)],
                      [np.full((half, half), 4), np.full((half, half), 2)]])
    rates = fire_behavior(land_of(codes, GUIDE_M), weather_of()).rate_of_spread_m_min[0]
    return {f"rate, {words}": float(rates[row, col]) for words, (row, col) in zip(
        QUADRANTS, ((0, 0), (0, -1), (-1, 0), (-1, -1)), strict=True)}


def rotation(_: Places) -> Measured:
    """A map of random rates, and the same map and wind turned by 90 degrees."""
    size, rng = 121, np.random.default_rng(32)
    rates = np.exp(rng.normal(1.0, 0.7, (1, size, size)))
    shape = Ellipse(rates, 0.2 * rates, 0.4 * rates, np.full_like(rates, 25.0))
    head, back, flank = (np.rot90(grid, axes=(1, 2)) for grid in shape[:3])
    turned = Ellipse(head, back, flank, np.full_like(rates, (25.0 - 90.0) % 360.0))
    source = (30, 80)
    minutes = 40.0 * size / 10.0
    first = np.rot90(arrival(field_of(shape, 30.0), source, minutes=minutes))
    second = arrival(field_of(turned, 30.0), (size - 1 - source[1], source[0]), minutes=minutes)
    both = np.isfinite(first) & np.isfinite(second)
    scale = max(float(np.quantile(first[both], 0.9)), 1.0)
    return {"intersection over union": float(
                both.sum() / (np.isfinite(first) | np.isfinite(second)).sum()),
            "mean difference of arrival over its 90th percentile": float(
                np.abs(first[both] - second[both]).mean() / scale)}


def _mask_times(inside: NDArray[np.bool_], grid: Grid, target: tuple[int, int],
                ) -> tuple[Floats, Shape]:
    """Arrival times at a target of fires drawn in a mask; the ellipse that they burn by."""
    size = grid.east.shape
    land = land_of(np.full(size, 102), grid.cell_m, ignition_weight=inside.astype(float))
    weather = weather_of(15.0, 180.0, dead_pct=(3.0, 4.0, 5.0), live_pct=(30.0, 60.0))
    long = FireConditions(regime=FireRegime(duration_min=1e5, duration_sigma=0.0))
    scene = make_scene(land, long, 0, weather=weather)
    fires = scene.fires("test", FIRES)
    times = np.concatenate([burn(scene, fires.part(slice(k, k + 100)), want="arrival").arrivals_min[
        :, target[0], target[1]] for k in range(0, FIRES, 100)])
    fire = scene.behavior
    return times, Shape(*(float(grids[0, 0, 0]) for grids in (
        fire.rate_of_spread_m_min, fire.backing_rate_m_min, fire.flanking_rate_m_min,
        fire.heading_deg)))


def initial_attack(_: Places) -> Measured:
    size, cell_m = 81, 10.0
    land, weather = land_of(np.full((size, size), 3), cell_m), weather_of()
    fire, middle = fire_behavior(land, weather), size // 2
    rate, heat = (float(grid[0, middle, middle]) for grid in (
        fire.rate_of_spread_m_min, fire.fireline_intensity_kw_m))
    # ln E = ln(0.54 / 0.46), solved for the hectares of a circle of this intensity.
    area_ha = ((4.6835 - 0.00041 * heat - math.log(0.54 / 0.46)) / (0.7043 + 0.000052 * heat))
    minutes = math.sqrt(area_ha * 1e4 / math.pi) / rate
    conditions = FireConditions(
        regime=FireRegime(duration_min=2.0 * minutes, duration_sigma=0.0), attack_min=minutes)
    start = np.zeros((size, size), np.float32)
    start[middle, middle] = 1.0
    scene = make_scene(replace(land, ignition_weight=start), conditions, 0, constant(weather))
    loss = burn(scene, scene.fires("test", ATTACKED)).loss
    return {"share of fires contained by initial attack": float(
        (loss * cell_m**2 / 1e4 < 2.0 * area_ha).mean())}


def ignition_mask(_: Places) -> Measured:
    cell_m = 5.0
    grid = grid_of(80, 60, cell_m)  # the square's corner lies 100 m from west and from south
    east, north = grid.east + 50.0, grid.north + 100.0
    target = grid.near(2.5, 102.5)
    at = (float(east[target]), float(north[target]))
    masks = {"square of 100 m": lambda x, y: (x > 0) & (x < 100) & (y > 0) & (y < 100),
             "circle of 20 m": lambda x, y: np.hypot(x - 50.0, y - 50.0) < 20.0}
    fine_x, fine_y = np.meshgrid(*(np.arange(0.25, 100.0, 0.5),) * 2)
    measured: dict[str, float | tuple[float, float]] = {}
    for words, holds in masks.items():
        times, shape = _mask_times(holds(east, north), grid, target)
        points = holds(fine_x, fine_y)
        exact = straight_min(shape, at[0] - fine_x[points], at[1] - fine_y[points])
        measured[f"mean arrival, {words}"] = (float(times.mean()), float(exact.mean()))
        for share in (0.1, 0.5, 0.9):
            measured[f"arrival of {share:.0%} of the fires, {words}"] = (
                float(np.quantile(times, share)), float(np.quantile(exact, share)))
    return measured


def _is(quantity: str, limit: float, expected: float | None, unit: str = "m/min") -> Check:
    return Check(quantity, "relative", limit, expected, unit)


GUIDE = f"{GUIDE_CELLS} x {GUIDE_CELLS} cells of {GUIDE_M:g} m, moisture 6, 7, 8, 60 and 90 %"
CASES = (
    Case(identifier="ELMFIRE-15", title="constant rate of spread", area="numerics",
         source=f"{SUITE}, CASE15_CRO", inputs=(
             "200 x 200 cells of 1 m, circle of 5 m, 0.697992 m/min, 360 s"),
         checks=(_is("rate of the front", 0.05, 0.697992),
                 Check("radius after 360 s", "absolute", 2.0, 9.187952, "m")),
         measure=constant_rate),
    Case(identifier="ELMFIRE-16", title="no spread", area="numerics",
         source=f"{SUITE}, CASE16_NSP", inputs=(
             "200 x 200 cells of 1 m, rate 0 (the engine's slowest is 0.00001 cells/min), 10 s"),
         checks=(Check("radius of what burned", "at most", 2.5, unit="m"),), measure=no_spread),
    Case(identifier="ELMFIRE-17", title="spatial convergence", area="numerics",
         source=f"{SUITE}, CASE17_SCV", inputs=(
             "256 m in 128, 256, 512 and 1,024 cells a side, circle of 20 m, 0.697992 m/min, "
             "360 s"),
         checks=(Check("order of the radius", "at least", 0.8),
                 Check("error of the radius, 1,024 cells", "at most", 1.0, unit="m")),
         measure=spatial_convergence, slow=True),
    Case(identifier="ELMFIRE-18", title="temporal convergence", area="numerics",
         source=f"{SUITE}, CASE18_TCV", inputs="a sequence of time steps",
         checks=(Check("order of the radius", "at least", 0.8),),
         missing="firebreak has no time step: cells burn in the order of their times"),
    Case(identifier="ELMFIRE-20", title="point ignition, no wind", area="theory",
         source=f"{SUITE}, CASE20_PIG", inputs=f"model 3, {GUIDE}",
         checks=(_is("rate of the cells", 0.1, 1.51), _is("rate of the front east", 0.1, 1.51),
                 Check("greatest over least rate of all directions", "at most", 1.05)),
         measure=point),
    Case(identifier="ELMFIRE-21", title="wind-driven ellipse", area="theory",
         source=f"{SUITE}, CASE21_WDE", inputs=f"model 5, 6 mi/h at 20 ft, {GUIDE}",
         checks=(_is("rate of the head", 0.1, 3.635), _is("rate of the front ahead", 0.1, 3.635),
                 _is("length to width of the burned cells", 0.1, 1.24, "")),
         measure=wind),
    Case(identifier="ELMFIRE-22", title="opposing slopes of a valley", area="theory",
         source=f"{SUITE}, CASE22_VSL", inputs=f"model 3, no wind, {GUIDE}",
         checks=tuple(_is(f"{words}, {side}", 0.1, rate)
                      for side, rate in (("east, 5 degrees", 1.92), ("west, 15 degrees", 5.37))
                      for words in ("rate of the cells", "rate of the front on the ground")),
         measure=valley),
    Case(identifier="ELMFIRE-23", title="fuel quadrants", area="theory",
         source=f"{SUITE}, CASE23_FQD", inputs=f"models 8, 7, 4 and 2, no wind, {GUIDE}",
         checks=tuple(_is(f"rate, {words}", 0.1, rate) for words, rate in QUADRANTS.items()),
         measure=fuel_quadrants),
    Case(identifier="ELMFIRE-24", title="fuels, slopes and wind together", area="theory",
         source=f"{SUITE}, CASE24_CXI", inputs="the quadrants of case 23 on the valley of case 22",
         checks=(Check("greatest rate", "relative", 0.1, unit="m/min"),),
         missing="the suite gives neither a number nor a tolerance"),
    Case(identifier="ELMFIRE-28", title="slower spread at night", area="scenarios",
         source=f"{SUITE}, CASE28_OVA", inputs="three days, model 3, no wind",
         checks=(Check("hour at which the slow spread begins", "absolute", 1.0, 17.5, "h"),
                 Check("hour at which it ends", "absolute", 1.0, 7.5, "h")),
         missing="firebreak has no multiplier by the hour of the day; its weather changes instead"),
    Case(identifier="ELMFIRE-29", title="initial attack", area="scenarios",
         source=f"{SUITE}, CASE29_SUP", inputs=(
             f"{ATTACKED:,} fires in model 3, no wind, {GUIDE.split(', ', 1)[1]}, 81 x 81 cells of "
             "10 m; the suite states no minute of the attack: it comes when the law gives 0.54 for "
             "a circle of fire"),
         checks=(Check("share of fires contained by initial attack", "absolute", 0.05, 0.54),),
         measure=initial_attack),
    Case(identifier="ELMFIRE-29E", title="extended attack", area="scenarios",
         source=f"{SUITE}, CASE29_SUP", inputs="model 8",
         checks=(Check("end of the fire under extended attack", "relative", 0.15, 88200.0, "s"),),
         missing="firebreak has no extended attack: crews hold breaks, and build no line"),
    Case(identifier="ELMFIRE-32", title="a map and its wind turned by 90 degrees",
         area="numerics", source=f"{SUITE}, CASE32_RCV (random fuel instead of an L of fire)",
         inputs="121 x 121 cells of 30 m, rates drawn cell by cell, length to width 1.5",
         checks=(Check("intersection over union", "at least", 0.99),
                 Check("mean difference of arrival over its 90th percentile", "at most", 0.02)),
         measure=rotation),
    Case(identifier="ELMFIRE-MASK", title="Monte Carlo over an ignition mask", area="scenarios",
         source=f"{SUITE}, ignition_mask_bp_convergence; expected by integration", inputs=(
             f"GR2, moisture 3, 4, 5, 30 and 60 %, 15 mi/h at 20 ft from the south, 60 x 80 cells "
             f"of 5 m, {FIRES:,} drawn fires, target at (50, 200) m, square with a corner at the "
             "origin, circle in its middle"),
         checks=tuple(_is(f"{words}, {mask}", limit, None, "min")
                      for mask in ("square of 100 m", "circle of 20 m")
                      for words, limit in (("mean arrival", 0.03),
                                           *((f"arrival of {share}% of the fires", 0.04)
                                             for share in (10, 50, 90)))),
         measure=ignition_mask, slow=True),
)
