"""Part of a fire's front that lights the crowns: the head, by travel, or by the front's normal.

The readings and their closed forms are in `benchmarks.validation.crown_direction`; the numbers of
Pyretechnics in tests/physics/data/crown_direction.csv, which `other_crown_direction.py` wrote.
firebreak judges at the head: its fires are compared with that closed form and with the one by
travel, Pyretechnics' own fires with the one by normal.
"""

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.validation.crown_direction import (
    MAP_M,
    MINUTES,
    MOISTURE,
    STAND,
    UNIT_M,
    WINDS_20FT_KM_H,
    WINDS_FROM_DEG,
    Rates,
    area,
    judged_at_head,
    judged_by_normal,
    judged_by_travel,
)
from benchmarks.validation.growth import arrival, ellipse_of_cells, field_of
from benchmarks.validation.land import land_of
from benchmarks.validation.registry import Case, Check, Measured

from firebreak.fire.behavior.crown import critical_intensity
from firebreak.fire.behavior_models import BehaviorModel, fire_behavior
from firebreak.landscape.landscape import Landscape
from firebreak.units import M_MIN_PER_KM_H
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios

RECORDED = Path(__file__).resolve().parents[3] / "tests/physics/data/crown_direction.csv"
NEAR_CLOSED_FORM = 0.08  # of the ellipse: what `front` loses where it is four times its width
LEVEL_SET = 0.12  # of the ellipse: what a level set on cells of 2.5 m adds
FINEST_M = 2.5  # coarser cells are in the file too: they show what the grid adds


@cache
def rates_of(wind_20ft_km_h: float) -> Rates:
    """Our surface and crown fire of the stand."""
    land, weather = stand(3), weather_of(wind_20ft_km_h, 270.0)
    surface = fire_behavior(land, weather, BehaviorModel(crown="none"))
    crown = fire_behavior(land, weather, BehaviorModel(crown="cruz"))
    head = float(surface.rate_of_spread_m_min[0, 1, 1])
    critical = float(critical_intensity(STAND["canopy_base_height_m"], MOISTURE["foliar_moisture"]))
    return Rates(head, float(surface.backing_rate_m_min[0, 1, 1]),
                 float(crown.rate_of_spread_m_min[0, 1, 1]),
                 float(crown.backing_rate_m_min[0, 1, 1]),
                 head * critical / float(surface.fireline_intensity_kw_m[0, 1, 1]))


def stand(size: int) -> Landscape:
    """The stand as a landscape of size x size cells of UNIT_M."""
    trees: dict[str, Any] = {name: np.float32(value) for name, value in STAND.items()
                             if name != "fuel_model"}
    return land_of(np.full((size, size), STAND["fuel_model"], np.int16), UNIT_M, **trees)


def weather_of(wind_20ft_km_h: float, wind_from_deg: float) -> WeatherScenarios:
    """One scenario with the moistures of the stand."""
    return make_scenarios(wind_20ft_m_min=[wind_20ft_km_h * M_MIN_PER_KM_H],
                          wind_from_deg=[wind_from_deg], **MOISTURE)


@cache
def burned_here(wind_20ft_km_h: float, wind_from_deg: float) -> int:
    """Cells of UNIT_M that a fire from the middle of the stand burns in our engine."""
    size = round(MAP_M / UNIT_M)
    fire = fire_behavior(stand(size), weather_of(wind_20ft_km_h, wind_from_deg),
                         BehaviorModel(crown="cruz"))
    times = arrival(field_of(ellipse_of_cells(fire), UNIT_M), (size // 2, size // 2),
                    minutes=MINUTES)
    return int(np.isfinite(times).sum())


def at_head(wind: float) -> Measured:
    """Our `cruz`, and the ellipse of Pyretechnics' crown fire over the whole stand."""
    exact = area(judged_at_head(recorded_rates()[wind]))
    return {_area_from(source): (float(burned_here(wind, source)), exact)
            for source in WINDS_FROM_DEG}


def by_travel(wind: float) -> Measured:
    """Our `cruz`, and the exact shape of the reading by travel, both as shares of the ellipse
    judged at the head: the two readings differ by less than the engine's own error.
    """
    rates = rates_of(wind)
    whole = area(judged_at_head(rates))
    return {_share_from(source): (burned_here(wind, source) / whole,
                                  area(judged_by_travel(rates)) / whole)
            for source in WINDS_FROM_DEG}


def by_normal(wind: float, recorded: Path = RECORDED) -> Measured:
    """Pyretechnics at its finest cells, and the Wulff shape of its own rates, both as shares of the
    ellipse judged at the head.
    """
    rates = recorded_rates(recorded)[wind]
    whole = area(judged_at_head(rates))
    return {_share_from(row["wind_from_deg"]): (
        row["burned_ha"] * 1e4 / UNIT_M**2 / whole, area(judged_by_normal(rates)) / whole)
        for row in read_recorded(recorded)
        if row["wind_20ft_km_h"] == wind and row["cell_m"] == FINEST_M}


def recorded_rates(recorded: Path = RECORDED) -> dict[float, Rates]:
    """Pyretechnics' surface and crown fire of the stand, by the wind at 20 ft in km/h."""
    return {row["wind_20ft_km_h"]: Rates(*(row[name] for name in Rates._fields))
            for row in read_recorded(recorded)}


def read_recorded(path: Path) -> list[dict[str, float]]:
    """Rows of a file that `other_crown_direction.py` wrote; its last column names the program."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: float(text) for name, text in row.items() if name != "source"}
                for row in csv.DictReader(file)]


def _area_from(wind_from_deg: float) -> str:
    return f"burned area, wind from {wind_from_deg:g} degrees"


def _share_from(wind_from_deg: float) -> str:
    return f"burned share of the ellipse at the head, wind from {wind_from_deg:g} degrees"


def _inputs(wind: float, cell_m: float) -> str:
    moistures = ", ".join(f"{100.0 * share:g}" for share in MOISTURE.values())
    return (f"a level stand of fuel model {STAND['fuel_model']:g}, crowns from "
            f"{STAND['canopy_base_height_m']:g} m to {STAND['canopy_height_m']:g} m, cover "
            f"{100.0 * STAND['canopy_cover']:g} %, {STAND['canopy_bulk_density_kg_m3']:g} kg/m3, "
            f"moistures {moistures} %, {wind:g} km/h at 20 ft, {MINUTES:g} min from a point, "
            f"{MAP_M:,.0f} m a side in cells of {cell_m:g} m")


def _shares(tolerance: float) -> tuple[Check, ...]:
    return tuple(Check(_share_from(source), "absolute", tolerance) for source in WINDS_FROM_DEG)


def _head_case(wind: float) -> Case:
    return Case(
        identifier=f"CROWN-HEAD-{wind:g}", known=True, area="theory",
        title=f"`cruz` at {wind:g} km/h against the closed form of crowns judged at the head",
        source="closed form: ellipse of Pyretechnics' rates of Cruz et al. 2005",
        inputs=_inputs(wind, UNIT_M), measure=lambda _: at_head(wind),
        checks=tuple(Check(_area_from(source), "relative", NEAR_CLOSED_FORM, unit="cells")
                     for source in WINDS_FROM_DEG))


def _travel_case(wind: float) -> Case:
    return Case(
        identifier=f"CROWN-TRAVEL-{wind:g}", known=True, area="theory",
        title=f"`cruz` at {wind:g} km/h against the closed form of crowns judged by travel",
        source="closed form: hull of the speeds judged by travel, over the crown fire's ellipse",
        inputs=_inputs(wind, UNIT_M), measure=lambda _: by_travel(wind),
        checks=_shares(NEAR_CLOSED_FORM))


def _normal_case(wind: float) -> Case:
    return Case(
        identifier=f"CROWN-NORMAL-{wind:g}", known=True, area="theory",
        title=f"Pyretechnics (not firebreak) at {wind:g} km/h against the closed form of crowns "
              "judged by normal",
        source="closed form: Wulff shape of the speed across the front (Osher & Merriman 1997) "
               "over the crown fire's ellipse; Pyretechnics' fires as recorded",
        inputs=_inputs(wind, FINEST_M), measure=lambda _: by_normal(wind),
        checks=_shares(LEVEL_SET))


CASES = tuple(case(wind) for case in (_head_case, _travel_case, _normal_case)
              for wind in WINDS_20FT_KM_H)
