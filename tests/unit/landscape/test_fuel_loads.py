"""Which fuel model stands for less fuel of a kind, or more."""

import numpy as np
import pytest

from firebreak.fire.behavior.surface import point_behavior
from firebreak.landscape.fbp_codes import FBP_CODES
from firebreak.landscape.fuel_systems import FBP
from firebreak.landscape.fuels import FUEL_MODELS, FUEL_NAMES, fine_load_lb_ft2, with_load

CODES = sorted(FUEL_MODELS)
FACTORS = (0.1, 0.25, 0.5, 0.67, 0.75, 1.0, 1.25, 1.5, 3.0)


@pytest.mark.parametrize("code", CODES)
def test_more_of_the_fuel_is_never_a_model_of_less(code):
    loads = [fine_load_lb_ft2(with_load(code, factor)) for factor in FACTORS]
    assert loads == sorted(loads)
    assert with_load(code, 1.0) == code
    assert loads[0] <= fine_load_lb_ft2(code) <= loads[-1]


def test_the_fine_load_is_that_of_the_paper():
    # Scott & Burgan 2005: SH5 6.50 and TL8 5.80 short tons an acre.
    per_ton_acre = 2000.0 / 43560.0
    assert fine_load_lb_ft2(145) == pytest.approx(6.5 * per_ton_acre)
    assert fine_load_lb_ft2(188) == pytest.approx(5.8 * per_ton_acre)


@pytest.mark.parametrize("live", [(0.3, 0.6), (0.5, 0.8), (0.9, 1.2)])
@pytest.mark.parametrize("wind", [40.0, 80.0, 160.0])
def test_less_fuel_never_has_longer_flames(wind, live):
    found = point_behavior(
        CODES, dead_moisture_1h=0.04, dead_moisture_10h=0.05, dead_moisture_100h=0.06,
        live_moisture_herb=live[0], live_moisture_woody=live[1], midflame_wind_m_min=wind,
        wind_from_deg=0.0, slope_tan=0.0, aspect_deg=0.0)
    flame = dict(zip(CODES, found.flame_length_m.tolist(), strict=True))
    rate = dict(zip(CODES, found.rate_of_spread_m_min.tolist(), strict=True))
    for code in CODES:
        for factor in (0.25, 0.5, 0.75):
            less = with_load(code, factor)
            where = f"{FUEL_NAMES[code]} x {factor} is {FUEL_NAMES[less]}"
            assert flame[less] <= flame[code] * (1.0 + 1e-9), where
            assert rate[less] <= 1.3 * rate[code], where


def test_half_the_fuel_is_another_model_where_there_is_one():
    changed = [code for code in CODES if with_load(code, 0.5) != code]
    assert len(changed) >= 20
    assert with_load(145, 0.5) == 141  # SH5 -> SH1


def test_the_fbp_system_has_no_ladder_of_loads():
    for code in FBP_CODES:
        if code in FBP.burnable_codes:
            assert FBP.with_load(code, 1.0) == code == FBP.with_load(code, 1.5)
            assert FBP.with_load(code, 0.5) == FBP.least_load(code)
    assert np.size(FBP.burnable_codes)
