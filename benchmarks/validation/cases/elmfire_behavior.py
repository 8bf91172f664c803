"""Fire behaviour against ELMFIRE's suite of verification: cases 25, 26 and 34 to 40.

Numbers and tolerances are those that berkeley-firelab/ELMFIRE_VnV_Suite states in the reports of
its cases (and in its GUIDE harness, from which cases 20 to 29 come). Where a case gives a number
for one of many variants, that number is compared and the other variants must respond in one
direction.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.validation.land import land_of, weather_of
from benchmarks.validation.registry import Case, Check, Measured, Places
from numpy.typing import ArrayLike, NDArray

from firebreak.fire.behavior.rothermel import fuel_bed, fuel_particles
from firebreak.fire.behavior.surface import SurfaceSpread, point_behavior
from firebreak.fire.behavior_models import BehaviorModel, fire_behavior
from firebreak.landscape.fuels import FUEL_MODELS
from firebreak.units import KW_M2_PER_BTU_FT2_MIN, M_MIN_PER_MPH

Floats = NDArray[np.float64]

SUITE = "ELMFIRE_VnV_Suite"
FUELS = {2: 0.823796, 9: 0.306627, 102: 0.228507, 165: 0.325722, 188: 0.275244}
"""Rates without wind and slope by fuel model, m/min: case 34."""
INTENSITIES = {2: 675.184, 9: 477.714, 102: 186.041, 165: 1595.730, 188: 646.706}
"""Reaction intensities, kW/m2: case 34."""
WINDS_MPH = (0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0)
SLOPES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
DEAD_RATIOS = (0.1, 0.25, 0.5, 0.7, 0.85, 0.95, 1.0, 1.1)
EXTINCTION_PCT = {3: 25.0, 186: 25.0}  # FBFM3 and TL6, which have no live fuel
LIVE_PCT = (60.0, 70.0, 90.0, 120.0, 150.0, 180.0, 200.0)
HERB_PCT = (30.0, 45.0, 60.0, 75.0, 90.0, 100.0, 110.0, 120.0, 135.0, 200.0)
ANGLES = {0: (0.0, 15.7713, 1.63745), 45: (27.3422, 14.6898, 1.60074),
          90: (56.5586, 11.6383, 1.49586), 135: (93.7779, 7.25716, 1.33838),
          180: (180.0, 3.95566, 1.20547)}
"""Wind-to over upslope, degrees: direction, degrees, rate, m/min, length to width: case 40."""
CROWNS = {1: (0, 1.809), 5: (1, 10.06), 10: (2, 35.3)}
"""Wind, mi/h: class of crown fire (none, passive, active), rate, m/min: case 26."""


def _fire(fuel: ArrayLike, *, dead: Sequence[ArrayLike] = (5.0, 7.0, 9.0), herb: ArrayLike = 90.0,
          woody: ArrayLike = 90.0, midflame_mph: ArrayLike = 0.0, from_deg: ArrayLike = 270.0,
          slope_tan: ArrayLike = 0.0, aspect_deg: ArrayLike = 270.0) -> SurfaceSpread:
    """Surface fires [N]; moistures in percent."""
    def share(pct: ArrayLike) -> Floats:
        return np.asarray(pct, np.float64) / 100.0

    return point_behavior(
        fuel, dead_moisture_1h=share(dead[0]), dead_moisture_10h=share(dead[1]),
        dead_moisture_100h=share(dead[2]), live_moisture_herb=share(herb),
        live_moisture_woody=share(woody), midflame_wind_m_min=np.asarray(midflame_mph)
        * M_MIN_PER_MPH, wind_from_deg=from_deg, slope_tan=slope_tan, aspect_deg=aspect_deg)


def _rates(fuel: int, **given: Any) -> Floats:
    return np.atleast_1d(_fire(fuel, **given).rate_of_spread_m_min)


def _greatest_step(rates: Floats, rises: bool) -> float:
    """Greatest step of a row of rates against the direction expected; 0 if there is none."""
    steps = np.diff(rates)
    return float(max(0.0, (-steps if rises else steps).max()))


def fuels(_: Places) -> Measured:
    measured: dict[str, float] = {}
    for code in FUELS:
        bed = fuel_bed(fuel_particles([FUEL_MODELS[code]]), dead_moisture_1h=0.05,
                       dead_moisture_10h=0.07, dead_moisture_100h=0.09, live_moisture_herb=0.9,
                       live_moisture_woody=0.9)
        measured |= {f"rate, model {code}": float(_rates(code)[0]),
                     f"reaction intensity, model {code}": float(
                         np.ravel(bed.reaction_intensity_btu_ft2_min)[0] * KW_M2_PER_BTU_FT2_MIN)}
    return measured


def winds(_: Places) -> Measured:
    return {"rate, model 2, 4 mi/h at midflame": float(_rates(2, midflame_mph=4.0)[0]),
            "greatest fall of the rate with wind": max(_greatest_step(
                _rates(code, midflame_mph=np.array(WINDS_MPH)), True) for code in FUELS)}


def slopes(_: Places) -> Measured:
    steep = float(np.tan(np.radians(11.0)))
    return {"rate, model 2, 11 degrees": float(_rates(2, slope_tan=steep)[0]),
            "greatest fall of the rate with slope": max(_greatest_step(
                _rates(code, slope_tan=np.array(SLOPES)), True) for code in FUELS)}


def dead_moisture(_: Places) -> Measured:
    ratios = np.array(DEAD_RATIOS)
    by_fuel = {code: _rates(code, dead=[ratios * limit] * 3)
               for code, limit in EXTINCTION_PCT.items()}
    return {"rate, model 3, half the moisture of extinction": float(
                by_fuel[3][DEAD_RATIOS.index(0.5)]),
            "greatest rate at extinction and above": float(
                max(rates[ratios >= 1.0].max() for rates in by_fuel.values())),
            "greatest rise of the rate with moisture": max(
                _greatest_step(rates, False) for rates in by_fuel.values())}


def live_moisture(_: Places) -> Measured:
    by_fuel = {code: _rates(code, dead=[8.0] * 3, woody=np.array(LIVE_PCT))
               for code in (142, 146, 148)}
    return {"rate, SH2, live wood at 70 %": float(by_fuel[142][LIVE_PCT.index(70.0)]),
            "rate, SH2, live wood at 90 %": float(by_fuel[142][LIVE_PCT.index(90.0)]),
            "greatest rise of the rate with moisture": max(
                _greatest_step(rates, False) for rates in by_fuel.values())}


def curing(_: Places) -> Measured:
    by_fuel = {code: _rates(code, dead=[5.0] * 3, herb=np.array(HERB_PCT), midflame_mph=6.0)
               for code in (102, 123)}
    return {"rate, GR2, live herbs at 75 %, 6 mi/h at midflame": float(
                by_fuel[102][HERB_PCT.index(75.0)]),
            "greatest rise of the rate with moisture": max(
                _greatest_step(rates, False) for rates in by_fuel.values())}


def wind_and_slope(_: Places) -> Measured:
    measured: dict[str, float] = {}
    for angle in ANGLES:
        found = _fire(2, herb=60.0, midflame_mph=4.0, from_deg=angle + 180.0,
                      slope_tan=float(np.tan(np.radians(27.0))), aspect_deg=180.0)
        heading = float(np.ravel(found.heading_deg)[0])
        measured |= {f"direction, wind at {angle} degrees": (heading + 90.0) % 360.0 - 90.0,
                     f"rate, wind at {angle} degrees": float(
                         np.ravel(found.rate_of_spread_m_min)[0]),
                     f"length to width, wind at {angle} degrees": float(
                         np.ravel(found.length_to_width)[0])}
    return measured


def moisture_quadrants(_: Places) -> Measured:
    fire = fire_behavior(land_of([[3]], 30.0), weather_of(dead_pct=([6.0, 12.0, 18.0, 25.0], 7.0,
                                                                    8.0)))
    rates = fire.rate_of_spread_m_min[:, 0, 0]
    return {f"rate at {pct} %": float(rate) for pct, rate in zip((6, 12, 18, 25), rates,
                                                                strict=True)}


def crown(_: Places) -> Measured:
    land = land_of([[3]], 30.0, canopy_cover=0.8, canopy_height_m=5.5, canopy_base_height_m=1.6,
                   canopy_bulk_density_kg_m3=0.1)
    fire = fire_behavior(land, weather_of(np.array([*CROWNS], np.float64)),
                         BehaviorModel(crown="cruz"))
    measured: dict[str, float] = {}
    for row, mph in enumerate(CROWNS):
        measured |= {f"class at {mph} mi/h": float(fire.fire_type[row, 0, 0]) - 1.0,
                     f"rate at {mph} mi/h": float(fire.rate_of_spread_m_min[row, 0, 0])}
    return measured


def _is(quantity: str, limit: float, expected: float, unit: str = "m/min") -> Check:
    return Check(quantity, "relative", limit, expected, unit)


def _never(quantity: str) -> Check:
    return Check(quantity, "at most", 0.0, unit="m/min")


DRY = "dead moisture 5, 7 and 9 %, live 90 %"
CASES = (
    Case(identifier="ELMFIRE-25", title="moisture quadrants", area="theory",
         source=f"{SUITE}, CASE25_MQD", inputs=(
             "model 3, no wind, 1-h moisture 6, 12, 18 and 25 % (weathers, not quadrants: "
             "firebreak's moisture is one over the map)"),
         checks=(_is("rate at 6 %", 0.1, 1.511), _is("rate at 12 %", 0.1, 1.089),
                 _is("rate at 18 %", 0.1, 0.801),
                 Check("rate at 25 %", "absolute", 0.05, 0.0, "m/min")),
         measure=moisture_quadrants),
    Case(identifier="ELMFIRE-26", title="surface, passive and active crown fire", area="theory",
         source=f"{SUITE}, CASE26_CNF", inputs=(
             "model 3, moisture 6, 7, 8, 60 and 90 %, cover 80 %, height 5.5 m, base 1.6 m, 0.10 "
             "kg/m3, foliage 100 % (not stated), crown fire of Cruz et al. 2005, 1, 5 and 10 mi/h "
             "at 20 ft"),
         checks=tuple(check for mph, (kind, rate) in CROWNS.items() for check in (
             Check(f"class at {mph} mi/h", "absolute", 0.5, float(kind)),
             _is(f"rate at {mph} mi/h", 0.1, rate))),
         measure=crown),
    Case(identifier="ELMFIRE-34", title="sweep of fuel models", area="theory",
         source=f"{SUITE}, CASE34_FMS", inputs=f"five models, {DRY}, no wind, no slope",
         checks=tuple(check for code in FUELS for check in (
             _is(f"rate, model {code}", 0.02, FUELS[code]),
             _is(f"reaction intensity, model {code}", 0.01, INTENSITIES[code], "kW/m2"))),
         measure=fuels),
    Case(identifier="ELMFIRE-35", title="sweep of wind", area="theory",
         source=f"{SUITE}, CASE35_WSS", inputs=f"five models, {DRY}, 0 to 12 mi/h at midflame",
         checks=(_is("rate, model 2, 4 mi/h at midflame", 0.02, 8.852700),
                 _never("greatest fall of the rate with wind")), measure=winds),
    Case(identifier="ELMFIRE-36", title="sweep of slope", area="theory",
         source=f"{SUITE}, CASE36_SLS", inputs=f"five models, {DRY}, slopes of 0 to 100 %",
         checks=(_is("rate, model 2, 11 degrees", 0.02, 1.595491),
                 _never("greatest fall of the rate with slope")), measure=slopes),
    Case(identifier="ELMFIRE-37", title="sweep of dead moisture", area="theory",
         source=f"{SUITE}, CASE37_DMS", inputs=(
             "models 3 and TL6, 0.1 to 1.1 of the moisture of extinction"),
         checks=(_is("rate, model 3, half the moisture of extinction", 0.02, 1.069455),
                 Check("greatest rate at extinction and above", "at most", 0.001, unit="m/min"),
                 _never("greatest rise of the rate with moisture")), measure=dead_moisture),
    Case(identifier="ELMFIRE-38", title="sweep of live moisture", area="theory",
         source=f"{SUITE}, CASE38_LMS", inputs="SH2, SH6, SH8, dead 8 %, live wood 60 to 200 %",
         checks=(_is("rate, SH2, live wood at 70 %", 0.02, 0.0800849),
                 _is("rate, SH2, live wood at 90 %", 0.02, 0.0579864),
                 _never("greatest rise of the rate with moisture")), measure=live_moisture),
    Case(identifier="ELMFIRE-39", title="sweep of curing", area="theory",
         source=f"{SUITE}, CASE39_DHC", inputs=(
             "GR2 and GS3, dead 5 %, live wood 90 %, live herbs 30 to 200 %, 6 mi/h at midflame"),
         checks=(_is("rate, GR2, live herbs at 75 %, 6 mi/h at midflame", 0.02, 10.857030),
                 _never("greatest rise of the rate with moisture")), measure=curing),
    Case(identifier="ELMFIRE-40", title="wind and slope together", area="theory",
         source=f"{SUITE}, CASE40_WSD", inputs=(
             "model 2, 27 degrees, 4 mi/h at midflame, moisture 5, 7, 9, 60 and 90 %, wind at 0 to "
             "180 degrees to upslope"),
         checks=tuple(check for angle, (heading, rate, ratio) in ANGLES.items() for check in (
             Check(f"direction, wind at {angle} degrees", "absolute", 5.0, heading, "degrees"),
             _is(f"rate, wind at {angle} degrees", 0.05, rate),
             _is(f"length to width, wind at {angle} degrees", 0.1, ratio, ""))),
         measure=wind_and_slope),
)
