"""What must hold of FBP fire behaviour on any map in any weather."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fbp_maps import fbp_map, fbp_weather
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.fbp import on_landscape as fbp_landscape
from firebreak.fire.fbp.on_landscape import fbp_fire_behavior
from firebreak.fire.fbp.system import fbp_behavior
from firebreak.landscape.fbp_codes import FBP_CODES
from firebreak.landscape.fuel_systems import FBP

ANY_CODE = st.sampled_from(sorted(FBP_CODES))
BURNABLE = st.sampled_from(FBP.burnable_codes.tolist())
ANGLES = st.floats(0.0, 359.9)
FFMC = st.floats(60.0, 99.0)
BUI = st.floats(5.0, 250.0)
WIND = st.floats(0.0, 90.0)
SLOPE = st.floats(0.0, 1.2)
# The two pieces of the wind function miss each other by 3e-4 at 40 km/h; the steepest spread curve
# (C-1) raises that to the power 4.5.
SEAM = (1.0 + 3e-4) ** 5


@st.composite
def maps(draw, codes=ANY_CODE):
    """A map of 1 x 1 to 4 x 5 cells and 1 to 4 scenarios."""
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    fuel = [[draw(codes) for _ in range(shape[1])] for _ in range(shape[0])]
    count = draw(st.integers(1, 4))
    land = fbp_map(
        fuel, slope_tan=rng.choice([0.0, 0.05, 0.3, 0.8], shape),
        aspect_deg=rng.uniform(0.0, 360.0, shape), grass_curing=rng.uniform(0.0, 1.0, shape),
        canopy_base_height_m=rng.choice([0.0, 2.0, 9.0], shape), canopy_height_m=12.0,
        canopy_bulk_density_kg_m3=rng.choice([0.0, 0.1], shape))
    weather = fbp_weather(
        wind_10m_km_h=rng.choice([0.0, 12.0, 39.9, 40.1, 80.0], count),
        wind_from_deg=rng.uniform(0.0, 360.0, count), ffmc=rng.uniform(50.0, 99.0, count),
        bui=rng.uniform(0.0, 200.0, count), foliar_moisture_pct=rng.uniform(80.0, 130.0, count))
    return land, weather


def head_of(code, *, slope=0.0, aspect=0.0, **weather):
    """Rates of the head [S] in one cell."""
    land = fbp_map([code], slope_tan=slope, aspect_deg=aspect)
    return fbp_fire_behavior(land, fbp_weather(**weather)).rate_of_spread_m_min[:, 0, 0]


@given(maps())
@settings(max_examples=60, deadline=None)
def test_behaviour_is_finite_ordered_and_only_where_fuel_burns(case):
    land, weather = case
    fire = fbp_fire_behavior(land, weather)
    for name, grid in fire._asdict().items():
        assert grid.shape == (weather.weight.size, *land.shape)
        assert np.isfinite(grid).all(), name
        assert (grid >= 0).all(), name
        assert not grid[:, ~land.burnable].any(), name
        assert not grid[fire.rate_of_spread_m_min == 0.0].any(), name
    assert (fire.backing_rate_m_min <= fire.rate_of_spread_m_min).all()
    assert (fire.flanking_rate_m_min <= fire.rate_of_spread_m_min * (1.0 + 1e-12)).all()
    assert (fire.heading_deg < 360.0).all()
    assert (fire.crown_fraction_burned <= 1.0).all()
    assert (fire.fire_type > 0).tolist() == (fire.rate_of_spread_m_min > 0.0).tolist()


@pytest.mark.slow
@given(maps(), st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_a_batch_equals_single_scenarios_and_single_cells(case, at_once):
    land, weather = case
    together = fbp_fire_behavior(land, weather)
    scenario, row, col = (n - 1 for n in (weather.weight.size, *land.shape))
    lone = type(weather)(*(values[scenario:] for values in weather))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fbp_landscape, "_CELLS_AT_ONCE", at_once)
        pieces = fbp_fire_behavior(land, weather)
        single = fbp_fire_behavior(land.crop(row, col, 1, 1), lone)
    for name in FireBehavior._fields:
        np.testing.assert_allclose(getattr(pieces, name), getattr(together, name), rtol=1e-12,
                                   err_msg=name)
        np.testing.assert_allclose(getattr(single, name)[0, 0, 0],
                                   getattr(together, name)[scenario, row, col], rtol=1e-12,
                                   err_msg=name)


@pytest.mark.slow
@given(maps(BURNABLE), st.sampled_from([90.0, 180.0, 270.0, 77.7]))
@settings(max_examples=40, deadline=None)
def test_turning_wind_and_terrain_turns_the_heading(case, turn):
    land, weather = case
    fire = fbp_fire_behavior(land, weather)
    turned = fbp_fire_behavior(
        fbp_map(land.fuel_model, **{
            name: getattr(land, name) for name in (
                "slope_tan", "grass_curing", "canopy_base_height_m", "canopy_height_m",
                "canopy_bulk_density_kg_m3")}, aspect_deg=(land.aspect_deg + turn) % 360.0),
        weather._replace(wind_from_deg=(weather.wind_from_deg + turn) % 360.0))
    for name in set(FireBehavior._fields) - {"heading_deg", "fire_type"}:
        # Aspects are float32; wind and slope may nearly cancel.
        np.testing.assert_allclose(getattr(turned, name), getattr(fire, name), rtol=1e-3,
                                   atol=1e-6, err_msg=name)
    directed = fire.rate_of_spread_m_min > 1.01 * fire.backing_rate_m_min
    apart = (turned.heading_deg - fire.heading_deg - turn + 180.0) % 360.0 - 180.0
    assert np.abs(apart[directed]).max(initial=0.0) < 0.05


@given(BURNABLE, FFMC, BUI, WIND, WIND, SLOPE, ANGLES)
@settings(deadline=None)
def test_more_wind_up_the_slope_never_slows_the_head(code, ffmc, bui, wind, more, slope, aspect):
    # The wind blows from where the slope faces, that is straight up the slope.
    calm, windy = head_of(code, slope=slope, aspect=aspect, wind_from_deg=aspect, ffmc=ffmc,
                          bui=bui, wind_10m_km_h=[wind, wind + more])
    assert windy * SEAM >= calm


@given(BURNABLE, FFMC, BUI, WIND, SLOPE, ANGLES, st.floats(0.0, 10.0))
@settings(deadline=None)
def test_drier_fine_fuel_never_slows_the_head_up_the_slope(code, ffmc, bui, wind, slope, aspect,
                                                           drier):
    # Against a steep slope it may: there the slope's wind shrinks faster than the index grows.
    moist, dry = head_of(code, slope=slope, aspect=aspect, wind_from_deg=aspect, bui=bui,
                         wind_10m_km_h=wind, ffmc=[ffmc, min(ffmc + drier, 101.0)])
    assert dry * SEAM >= moist


@given(BURNABLE, FFMC, BUI, st.floats(0.0, 60.0), WIND)
@settings(deadline=None)
def test_drier_duff_never_slows_the_head(code, ffmc, bui, drier, wind):
    moist, dry = head_of(code, ffmc=ffmc, bui=[bui, bui + drier], wind_10m_km_h=wind)
    assert dry * (1.0 + 1e-12) >= moist


@given(BURNABLE, FFMC, WIND, st.floats(0.0, 0.6), ANGLES, ANGLES)
@settings(deadline=None)
def test_single_precision_grids_cost_no_more_than_their_rounding(code, ffmc, wind, slope, aspect,
                                                                 origin):
    fuel = FBP_CODES[code]
    exact = fbp_behavior(
        fuel.fuel_type, ffmc=ffmc, bui=90.0, wind_10m_km_h=wind, wind_from_deg=origin,
        slope_pct=100.0 * slope, aspect_deg=aspect, foliar_moisture_pct=100.0,
        percent_conifer=fuel.percent_conifer, percent_dead_fir=fuel.percent_dead_fir)
    head = head_of(code, slope=slope, aspect=aspect, ffmc=ffmc, bui=90.0, wind_10m_km_h=wind,
                   wind_from_deg=origin)
    # A slope wind at the seam or at its limit may fall on the other side.
    assert head[0] == pytest.approx(exact.rate_of_spread_m_min[0], rel=2e-3, abs=1e-9)
