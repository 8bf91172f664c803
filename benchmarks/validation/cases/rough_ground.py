"""Rough ground: corrugated slopes against the integral of 1/rate, and against a slow reference.

The ground is a sine of some cells along the wind. What it takes fire to run along it is the
integral of 1/rate, here over an eighth of the cell. The reference for fires from a point, with the
wind across the corrugation, is a search for the least time (Dijkstra) over steps of up to five
cells on a fifth of the cell; it shares the fire behaviour with firebreak, and none of the travel.
"""

import math
from typing import NamedTuple

import numpy as np
from benchmarks.validation.growth import arrival, ellipse_of_cells, field_of, off
from benchmarks.validation.registry import Case, Check, Measured, Places
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.travel.travel_field import TravelField
from firebreak.landscape.landscape import Landscape
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.moisture import moisture_scenario
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios

Floats = NDArray[np.float64]

CELL_M, LENGTH, FINE = 30.0, 64, 8
FUELS = (("rothermel", 122), ("rothermel", 145), ("fbp", 2), ("fbp", 31))
PERIODS, AMPLITUDES, WIND_KM_H = (1, 2, 4, 8), (0.2, 0.4, 0.6), 20.0
SIDE, PART, FAR_CELLS, REACH = 32, 5, 10.0, 5


class Ground(NamedTuple):
    """A corrugation: rise over run at its steepest, cells from crest to crest."""

    amplitude: float
    period: float

    def slope_east(self, cells: Floats) -> Floats:
        """Rise over run to the east."""
        return self.amplitude * np.cos(2.0 * math.pi * cells / self.period)


def weather(wind_from_deg: float) -> WeatherScenarios:
    """One weather in which both fuel systems burn."""
    return make_scenarios(
        wind_20ft_m_min=WIND_KM_H * M_MIN_PER_KM_H, wind_from_deg=wind_from_deg,
        fine_fuel_moisture_code=90.0, **moisture_scenario("D2L2")._asdict())


def land_of(fuel: tuple[str, int], ground: Ground, rows: int, cols: int, parts: int) -> Landscape:
    """A corrugated land of one fuel; a cell is cut into so many parts along each side."""
    shape = (rows * parts, cols * parts)
    slope = np.broadcast_to(ground.slope_east((np.arange(shape[1]) + 0.5) / parts), shape)
    none, size = np.zeros(shape, np.float32), CELL_M / parts
    return Landscape(
        name="corrugated", fuel_system=fuel[0], fuel_model=np.full(shape, fuel[1], np.int16),
        elevation_m=none, slope_tan=np.abs(slope).astype(np.float32),
        aspect_deg=np.where(slope > 0.0, 270.0, 90.0).astype(np.float32), canopy_cover=none,
        canopy_height_m=none, canopy_base_height_m=none, canopy_bulk_density_kg_m3=none,
        value=none + 1, cost=none + 1, treatable=none == 0, cell_size_m=size,
        transform=(size, 0.0, 0.0, 0.0, -size, 0.0))


def minutes_east(land: Landscape) -> Floats:
    """Minutes through each cell of a row, by the rate of the head, or of the back where the ground
    turns the head round.
    """
    behavior = fire_behavior(land, weather(270.0))
    turned = np.cos(np.radians(behavior.heading_deg[0, 0] - 90.0)) < 0.0
    rate = np.where(turned, behavior.backing_rate_m_min[0, 0], behavior.rate_of_spread_m_min[0, 0])
    return land.cell_size_m * np.hypot(1.0, land.slope_tan[0]) / rate


def travel_of(land: Landscape, wind_from_deg: float) -> TravelField:
    """The engine's travel field."""
    return field_of(ellipse_of_cells(fire_behavior(land, weather(wind_from_deg))),
                    land.cell_size_m, slope_tan=land.slope_tan.astype(np.float64),
                    aspect_deg=land.aspect_deg.astype(np.float64))


def run_east(land: Landscape, first: int, last: int) -> float:
    """Minutes that the engine takes from one cell of a row to another."""
    times = arrival(travel_of(land, 270.0), (0, 0))[0]
    return float(times[last] - times[first])


def along(_: Places) -> Measured:
    first, last = 8, 56  # whole corrugations
    fine_off, own_off = dict.fromkeys(PERIODS, 0.0), 0.0
    for fuel in FUELS:
        for period in PERIODS:
            for amplitude in AMPLITUDES:
                ground = Ground(amplitude, period)
                land = land_of(fuel, ground, 1, LENGTH, 1)
                found, own = run_east(land, first, last), minutes_east(land)
                own_min = own[first:last].sum() + 0.5 * (own[last] - own[first])
                fine = minutes_east(land_of(fuel, ground, 1, LENGTH, FINE))
                middle = FINE // 2
                fine_min = fine[first * FINE + middle:last * FINE + middle].sum()
                own_off = max(own_off, abs(found / own_min - 1.0))
                fine_off[period] = max(fine_off[period], abs(found / fine_min - 1.0))
    return {"difference from the integral over the engine's own cells": own_off,
            **{f"difference from the integral, {_cells(period)} from crest to crest": worst
               for period, worst in fine_off.items()}}


def _cells(count: int) -> str:
    return f"{count} cell{'' if count == 1 else 's'}"


def _minutes(behavior: FireBehavior, land: Landscape, east: float, north: float) -> Floats:
    """Minutes [H, W] over a displacement on the map, metres, in each cell's ellipse."""
    up = np.radians(land.aspect_deg.astype(np.float64)) + math.pi
    climb = (np.hypot(1.0, land.slope_tan) - 1.0) * (east * np.sin(up) + north * np.cos(up))
    over_east, over_north = east + climb * np.sin(up), north + climb * np.cos(up)
    heading = np.radians(behavior.heading_deg[0])
    ahead = over_east * np.sin(heading) + over_north * np.cos(heading)
    across = over_east * np.cos(heading) - over_north * np.sin(heading)
    head, back = behavior.rate_of_spread_m_min[0], behavior.backing_rate_m_min[0]
    half, centre = 0.5 * (head + back), 0.5 * (head - back)
    a, b = 1.0 - (centre / half)**2, centre * ahead / half**2
    c = (ahead / half)**2 + (across / behavior.flanking_rate_m_min[0])**2
    times: Floats = (np.sqrt(b * b + a * c) - b) / a
    return times


def least_times(land: Landscape, wind_from_deg: float, source: tuple[int, int]) -> Floats:
    """Least times [H, W] from a cell over steps of up to REACH cells, half of a step's samples in
    its two ends.
    """
    behavior, (rows, cols) = fire_behavior(land, weather(wind_from_deg)), land.shape
    cells, edges = np.arange(rows * cols).reshape(rows, cols), []
    for down in range(-REACH, REACH + 1):
        for right in range(-REACH, REACH + 1):
            if math.gcd(down, right) != 1:
                continue
            minutes = _minutes(behavior, land, right * land.cell_size_m, -down * land.cell_size_m)
            row, col = (np.arange(max(0, -step), side - max(0, step))
                        for step, side in ((down, rows), (right, cols)))
            samples = np.linspace(0.0, 1.0, 2 * max(abs(down), abs(right)) + 1)
            weight = np.full(samples.size, 1.0 / (samples.size - 1))
            weight[[0, -1]] *= 0.5
            taken = sum(w * minutes[np.ix_(row + round(t * down), col + round(t * right))]
                        for t, w in zip(samples.tolist(), weight.tolist(), strict=True))
            edges.append((cells[np.ix_(row, col)].ravel(),
                          cells[np.ix_(row + down, col + right)].ravel(), np.ravel(taken)))
    start, end, cost = (np.concatenate(part) for part in zip(*edges, strict=True))
    graph = coo_array((cost, (start, end)), shape=(cells.size, cells.size)).tocsr()
    found: Floats = dijkstra(graph, indices=cells[source]).reshape(rows, cols)
    return found


def oblique(_: Places) -> Measured:
    measured: dict[str, float] = {}
    for name, fuel in (("Rothermel", FUELS[0]), ("FBP", FUELS[2])):
        ground, wind, source = Ground(0.4, 8.0), 225.0, (SIDE - 6, 6)
        land = land_of(fuel, ground, SIDE, SIDE, 1)
        found, middle = arrival(travel_of(land, wind), source), PART // 2
        fine = least_times(land_of(fuel, ground, SIDE, SIDE, PART), wind,
                           (source[0] * PART + middle, source[1] * PART + middle))
        row, col = np.indices(land.shape)
        far = np.hypot(row - source[0], col - source[1]) > FAR_CELLS
        mean, worst = off(found[far], fine[middle::PART, middle::PART][far])
        measured |= {f"mean difference of arrival, {name}": mean,
                     f"greatest difference of arrival, {name}": worst}
    return measured


CASES = (
    Case(identifier="ROUGH-ALONG", title="corrugated slopes along the wind", area="numerics",
         source="integral of 1/rate over an eighth of the cell",
         inputs="slopes to 20, 40 and 60 % in one, two, four and eight cells of 30 m, as at the "
                "cells' centres; GS2, SH5, C-2, O-1a; 20 km/h along them",
         checks=(Check("difference from the integral over the engine's own cells", "at most",
                       0.005),
                 *(Check(f"difference from the integral, {_cells(period)} from crest to crest",
                         "at most", 0.05) for period in PERIODS)),
         measure=along, known=True,
         remark="The travel rule loses nothing: what is off are slopes that cells cannot hold. In "
                "one cell all centres see the steepest rise; in two and four they see less than "
                "the slopes that the integral passes, so fire runs too fast there, not too slow."),
    Case(identifier="ROUGH-OBLIQUE", title="a fire from a point, its wind across a corrugation",
         area="numerics",
         source="least times over steps of up to five cells on a fifth of the cell",
         inputs="slopes to 40 % in eight cells of 30 m, wind of 20 km/h at 45 degrees to them; GS2 "
                "and C-2; cells beyond ten",
         checks=tuple(Check(f"{which} difference of arrival, {name}", "at most", limit)
                      for name in ("Rothermel", "FBP")
                      for which, limit in (("mean", 0.05), ("greatest", 0.1))),
         measure=oblique, slow=True, known=True,
         remark="Slopes turn and quicken FBP fires more than Rothermel's: from crest to valley C-2 "
                "goes from 43 to 14 m/min and turns by 60 degrees. Neighbours differ by more than "
                "the factor of 1.3 up to which long arcs are open, so the front has eight "
                "directions there and burns too little: 92 % of the area, 78 % where crests are "
                "four cells apart. Steps of up to three cells timed over all cells that they cross "
                "would be off by 3 %; to open the engine's arcs, which are timed by their ends, by "
                "6 %. Fires in mountains, such as FIRE-ARROWHEAD, lie in this limit."),
)
