"""Fuels and canopies against ELMFIRE's suite of verification: cases 41 and 42.

Numbers and tolerances as in `elmfire_behavior`.
"""

from typing import Any

import numpy as np
from benchmarks.validation.land import land_of, weather_of
from benchmarks.validation.registry import Case, Check, Measured, Places

from firebreak.fire.behavior.rothermel import fuel_bed, fuel_particles
from firebreak.fire.behavior_models import BehaviorModel, fire_behavior
from firebreak.landscape.fuels import FuelModel
from firebreak.units import KW_M2_PER_BTU_FT2_MIN, M_MIN_PER_FT_MIN

SUITE = "ELMFIRE_VnV_Suite"
BASE = FuelModel(250, "CFP", False, 0.10, 0.05, 0.02, 0.0, 0.08, 2000.0, 9999.0, 1600.0, 1.0, 0.25,
                 8000.0)
VARIANTS: dict[str, tuple[dict[str, Any], float, float]] = {
    "as given": ({}, 0.411242, 1045.499),
    "1-h load 0.05 lb/ft2": ({"load_1h_lb_ft2": 0.05}, 0.253350, 688.121),
    "1-h load 0.15 lb/ft2": ({"load_1h_lb_ft2": 0.15}, 0.551674, 1379.611),
    "1-h ratio 1,000/ft": ({"sav_1h_ft": 1000.0}, 0.241692, 960.426),
    "1-h ratio 3,000/ft": ({"sav_1h_ft": 3000.0}, 0.662626, 1074.561),
    "depth 0.5 ft": ({"depth_ft": 0.5}, 0.225975, 910.468),
    "depth 2 ft": ({"depth_ft": 2.0}, 0.694647, 991.942),
    "extinction at 15 %": ({"extinction_moisture": 0.15}, 0.371790, 945.198),
    "extinction at 35 %": ({"extinction_moisture": 0.35}, 0.438500, 1114.797),
    "heat 6,000 BTU/lb": ({"heat_btu_lb": 6000.0}, 0.308432, 784.125),
    "heat 10,000 BTU/lb": ({"heat_btu_lb": 10000.0}, 0.514053, 1306.874),
}
"""Change of BASE, the rate in m/min and the reaction intensity in kW/m2: case 41."""
CANOPIES = {"no canopy": (0.0, 0.0, 7.534727), "cover 10 %, height 15 m": (0.1, 15.0, 5.105849)}
"""Cover, height in m, and rate in m/min: case 42."""


def custom_fuel(_: Places) -> Measured:
    measured: dict[str, float] = {}
    for words, variant in VARIANTS.items():
        bed = fuel_bed(fuel_particles([BASE._replace(**variant[0])]), dead_moisture_1h=0.05,
                       dead_moisture_10h=0.07, dead_moisture_100h=0.09, live_moisture_herb=0.9,
                       live_moisture_woody=0.9)
        measured |= {
            f"rate, {words}": float(np.ravel(bed.base_rate_ft_min)[0] * M_MIN_PER_FT_MIN),
            f"reaction intensity, {words}": float(
                np.ravel(bed.reaction_intensity_btu_ft2_min)[0] * KW_M2_PER_BTU_FT2_MIN)}
    return measured


def canopies(_: Places) -> Measured:
    weather = weather_of(10.0, 270.0, dead_pct=(5.0, 7.0, 9.0), live_pct=(90.0, 90.0))
    measured: dict[str, float] = {}
    for words, canopy in CANOPIES.items():
        cover, height = canopy[:2]
        land = land_of([[2]], 10.0, canopy_cover=cover, canopy_height_m=height)
        fire = fire_behavior(land, weather, BehaviorModel(crown="none"))
        measured[f"rate, {words}"] = float(fire.rate_of_spread_m_min[0, 0, 0])
    return measured


CASES = (
    Case(identifier="ELMFIRE-41", title="a fuel model of one's own", area="theory",
         source=f"{SUITE}, CASE41_CFP", inputs=(
             "loads 0.10, 0.05, 0.02 and 0.08 (wood) lb/ft2, ratios 2,000 and 1,600 (wood)/ft, "
             "depth 1 ft, extinction at 25 %, 8,000 BTU/lb, one number changed at a time; dead "
             "moisture 5, 7 and 9 %, live 90 %, no wind"),
         checks=tuple(check for words, (_, rate, intensity) in VARIANTS.items() for check in (
             Check(f"rate, {words}", "relative", 0.02, rate, "m/min"),
             Check(f"reaction intensity, {words}", "relative", 0.01, intensity, "kW/m2"))),
         measure=custom_fuel),
    Case(identifier="ELMFIRE-42", title="wind below a canopy", area="theory",
         source=f"{SUITE}, CASE42_WAF", inputs=(
             "model 2, 10 mi/h at 20 ft, dead moisture 5, 7 and 9 %, live 90 %, crowns down to "
             "the ground, no crown fire"),
         checks=tuple(Check(f"rate, {words}", "relative", 0.03, rate, "m/min")
                      for words, (_, _, rate) in CANOPIES.items()),
         measure=canopies, remark=(
             "Where crowns fill less than 5 % of the space below the treetops, BEHAVE and "
             "firebreak take the wind over open fuel; ELMFIRE blends it with the wind below the "
             "canopy.")),
)
