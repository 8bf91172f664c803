"""Surface fire against BEHAVE's own library, as pyrothermel has it, on random cases of every model.

pyrothermel is compiled where it is installed, in about 20 minutes: `pip install pyrothermel`. Its
US units are asked for: in its metric ones the surface of the fuel is converted the wrong way, and
rates are up to 2.4 times as fast. BEHAVE limits the wind.
"""

from typing import Any

import numpy as np
import pytest

from firebreak.fire.behavior.surface import point_behavior
from firebreak.fire.behavior.wind import wind_adjustment_factor
from firebreak.landscape.fuels import FUEL_MODELS
from firebreak.units import (
    FEET_PER_METRE,
    KW_M_PER_BTU_FT_S,
    M_MIN_PER_CHAIN_HOUR,
    M_MIN_PER_MPH,
    METRES_PER_FOOT,
)

pytestmark = pytest.mark.interop
CASES = 20
NEAR_EXTINCTION = 161
"""TU1, one of whose cases hardly burns: what is left of its damping enlarges rounding."""
MOISTURES = {"dead_moisture_1h": (0.02, 0.3), "dead_moisture_10h": (0.02, 0.3),
             "dead_moisture_100h": (0.02, 0.3), "live_moisture_herb": (0.3, 1.5),
             "live_moisture_woody": (0.6, 1.5)}


def theirs(code: int, moistures: np.ndarray, wind_mph: float, **given: Any) -> dict[str, float]:
    """Surface fire of a case in the direction of its fastest spread: chains an hour, feet, BTU."""
    program = pytest.importorskip("pyrothermel")
    run = program.PyrothermelRun(
        program.FuelModel.from_existing(code, "us_standard"),
        program.MoistureScenario(*map(float, moistures)), wind_mph, "us_standard", **given)
    return run.run_surface_fire_in_direction_of_max_spread()


@pytest.mark.parametrize("code", sorted(FUEL_MODELS))
def test_fuel_models_agree_with_behave(code: int) -> None:
    rng = np.random.default_rng(code)
    moisture = {name: rng.uniform(*bounds, CASES) for name, bounds in MOISTURES.items()}
    wind_mph, slope_deg = rng.uniform(0.0, 15.0, CASES), rng.uniform(0.0, 45.0, CASES)
    wind_from, aspect = rng.uniform(0.0, 360.0, (2, CASES))
    table = np.stack(list(moisture.values()), axis=1)
    behave = [theirs(code, table[k], float(wind_mph[k]), wind_direction=float(wind_from[k]),
                     slope=float(slope_deg[k]), aspect=float(aspect[k])) for k in range(CASES)]
    ours = point_behavior(
        np.full(CASES, code), **moisture, midflame_wind_m_min=wind_mph * M_MIN_PER_MPH,
        wind_from_deg=wind_from, slope_tan=np.tan(np.radians(slope_deg)), aspect_deg=aspect,
        wind_limit="rothermel")

    compared = ((ours.rate_of_spread_m_min, "spread_rate", M_MIN_PER_CHAIN_HOUR),
                (ours.flame_length_m, "flame_length", METRES_PER_FOOT),
                (ours.fireline_intensity_kw_m, "fireline_intensity", KW_M_PER_BTU_FT_S))
    for own, name, unit in compared:
        expected = unit * np.array([case[name] for case in behave])
        assert (expected > 0.0).any()
        np.testing.assert_allclose(own, expected, rtol=1e-4 if code == NEAR_EXTINCTION else 1e-9,
                                   atol=1e-9, err_msg=name)


@pytest.mark.parametrize(("cover", "height_m", "ratio"), [
    (0.0, 0.0, 0.0), (0.8, 15.0, 0.5), (0.3, 8.0, 0.9), (0.1, 20.0, 0.2)])
def test_winds_under_a_canopy_agree_with_behave(cover: float, height_m: float,
                                                ratio: float) -> None:
    for code, model in FUEL_MODELS.items():
        behave = theirs(code, np.array([0.06, 0.07, 0.08, 0.6, 0.9]), 30.0,
                        wind_input_mode="twenty_foot", canopy_cover=cover,
                        canopy_height=height_m * FEET_PER_METRE, canopy_ratio=ratio)
        own = wind_adjustment_factor(model.depth_ft * METRES_PER_FOOT, cover, height_m, ratio)
        np.testing.assert_allclose(30.0 * own, behave["midflame_windspeed"], rtol=1e-9,
                                   err_msg=model.name)
