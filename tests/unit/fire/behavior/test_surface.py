"""What must hold of surface fire whatever the fuel, the weather and the terrain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire.behavior.surface import point_behavior, surface_spread
from firebreak.fire.behavior.wind import wind_adjustment_factor
from firebreak.fire.behavior_models import BehaviorModel, fire_behavior
from firebreak.landscape.fuels import FUEL_MODELS, UNBURNABLE
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.units import METRES_PER_FOOT
from firebreak.weather.scenarios import (
    WeatherScenarios,
    WindClimate,
    draw_scenarios,
    make_scenarios,
)

CODES = st.sampled_from(sorted(FUEL_MODELS))
ANGLES = st.floats(0.0, 359.999)
WINDS = st.floats(0.0, 900.0)
SLOPES = st.floats(0.0, 1.5)
ROUNDING = 1.0 + 1e-12


@st.composite
def moistures(draw):
    return {"dead_moisture_1h": draw(st.floats(0.01, 0.5)),
            "dead_moisture_10h": draw(st.floats(0.01, 0.5)),
            "dead_moisture_100h": draw(st.floats(0.01, 0.5)),
            "live_moisture_herb": draw(st.floats(0.2, 3.0)),
            "live_moisture_woody": draw(st.floats(0.3, 3.0))}


def make_landscape(fuel_model, **layers):
    shape = np.shape(fuel_model)
    flat = {"elevation_m": 0, "slope_tan": 0, "aspect_deg": 0, "canopy_cover": 0,
            "canopy_height_m": 0, "canopy_base_height_m": 0, "canopy_bulk_density_kg_m3": 0,
            "value": 1, "cost": 1, "treatable": True}
    grids = {name: np.broadcast_to(layer, shape) for name, layer in (flat | layers).items()}
    return Landscape(name="case", fuel_model=np.asarray(fuel_model), cell_size_m=30.0,
                     transform=(30.0, 0.0, 0.0, 0.0, -30.0, 0.0), **grids)


def random_landscape(seed, size=9):
    rng = np.random.default_rng(seed)
    codes = [*FUEL_MODELS, *UNBURNABLE, NODATA]
    height = rng.uniform(0.1, 30, (size, size))
    return make_landscape(
        rng.choice(codes, (size, size)), slope_tan=rng.uniform(0, 1, (size, size)),
        aspect_deg=rng.uniform(0, 359.9, (size, size)), canopy_height_m=height,
        canopy_cover=rng.uniform(0, 1, (size, size)), canopy_base_height_m=0.3 * height)


@given(CODES, moistures(), st.tuples(*[st.floats(0.0, 0.3)] * 3), WINDS, SLOPES, ANGLES, ANGLES)
def test_wetter_dead_fuel_never_speeds_the_head(code, moist, wetter, wind, slope, aspect, origin):
    dead = [name for name in moist if name.startswith("dead")]
    pair = moist | {name: np.array([moist[name], moist[name] + more])
                    for name, more in zip(dead, wetter, strict=True)}
    dry, wet = point_behavior(code, **pair, midflame_wind_m_min=wind, wind_from_deg=origin,
                              slope_tan=slope, aspect_deg=aspect).rate_of_spread_m_min
    assert wet <= dry * ROUNDING


@given(st.sampled_from([code for code, model in FUEL_MODELS.items() if not model.dynamic]),
       moistures(), st.floats(0.0, 0.5), WINDS)
def test_wetter_live_fuel_never_speeds_the_head_of_static_models(code, moist, more, wind):
    pair = moist | {name: np.array([moist[name], moist[name] + more])
                    for name in moist if name.startswith("live")}
    dry, wet = point_behavior(code, **pair, midflame_wind_m_min=wind, wind_from_deg=0.0,
                              slope_tan=0.0, aspect_deg=0.0).rate_of_spread_m_min
    assert wet <= dry * ROUNDING


def test_wetter_herbs_of_dynamic_models_may_carry_fire_that_cured_ones_do_not():
    # Cured herbs take the moisture of dead fuel, too wet here; live ones burn at 41 %.
    moist = {"dead_moisture_1h": 0.31, "dead_moisture_10h": 0.03, "dead_moisture_100h": 0.10,
             "live_moisture_woody": 1.6}
    rates = point_behavior(103, **moist, live_moisture_herb=[0.27, 0.41], wind_from_deg=0.0,
                           midflame_wind_m_min=100.0, slope_tan=0.0,
                           aspect_deg=0.0).rate_of_spread_m_min
    assert rates[0] == 0.0
    assert rates[1] > 0.1


@given(CODES, moistures(), WINDS, SLOPES, ANGLES, ANGLES)
def test_single_precision_input_is_enough(code, moist, wind, slope, aspect, origin):
    given_ = moist | {"midflame_wind_m_min": wind, "slope_tan": slope, "aspect_deg": aspect,
                      "wind_from_deg": origin}
    double = point_behavior(code, **given_)
    single = point_behavior(code, **{name: np.float32(value) for name, value in given_.items()})
    # Near extinction fire is the small difference of large numbers: measured by that of dry fuel.
    dry = point_behavior(code, **given_ | dict.fromkeys(moist, 0.05))
    for name in ("rate_of_spread_m_min", "fireline_intensity_kw_m", "length_to_width"):
        one, other, scale = (float(getattr(part, name)[0]) for part in (double, single, dry))
        assert abs(one - other) <= 1e-5 * max(one, scale)


def test_fuel_wetter_than_extinction_burns_nowhere():
    land = random_landscape(5)
    weather = make_scenarios(
        wind_20ft_m_min=[0.0, 600.0], wind_from_deg=90.0, dead_moisture_1h=0.6,
        dead_moisture_10h=0.6, dead_moisture_100h=0.6, live_moisture_herb=3.0,
        live_moisture_woody=3.0)
    for crown in ("none", "finney", "scott-reinhardt", "cruz"):
        found = fire_behavior(land, weather, BehaviorModel(crown=crown))
        assert land.burnable.any()
        assert not any(field.any() for field in found)


@given(CODES, moistures(), WINDS, st.floats(0.0, 300.0), SLOPES, st.floats(0.0, 1.0), ANGLES)
def test_more_wind_upslope_or_more_slope_downwind_never_slows(code, moist, wind, gust, slope, rise,
                                                              aspect):
    calm, gusty, steep = point_behavior(
        code, **moist, midflame_wind_m_min=[wind, wind + gust, wind], wind_from_deg=aspect,
        slope_tan=[slope, slope, slope + rise], aspect_deg=aspect).rate_of_spread_m_min
    assert gusty >= calm / ROUNDING
    assert steep >= calm / ROUNDING


@given(CODES, moistures(), st.floats(1.0, 900.0))
def test_a_north_wind_on_flat_land_drives_the_fire_south(code, moist, wind):
    spread = point_behavior(code, **moist, midflame_wind_m_min=wind, wind_from_deg=0.0,
                            slope_tan=0.0, aspect_deg=123.0)
    assert spread.heading_deg == pytest.approx(180.0)


@pytest.mark.slow
@given(CODES, moistures(), st.floats(0.01, 1.5), ANGLES)
def test_without_wind_fire_runs_upslope(code, moist, slope, aspect):
    spread = point_behavior(code, **moist, midflame_wind_m_min=0.0, wind_from_deg=10.0,
                            slope_tan=slope, aspect_deg=aspect)
    turn = (spread.heading_deg - aspect) % 360.0
    assert turn == pytest.approx(180.0)


@given(CODES, moistures(), WINDS, SLOPES, ANGLES, ANGLES, ANGLES)
def test_turning_the_world_turns_the_heading_only(code, moist, wind, slope, aspect, origin, turn):
    spread = point_behavior(
        code, **moist, midflame_wind_m_min=wind, slope_tan=slope,
        wind_from_deg=[origin, (origin + turn) % 360.0], aspect_deg=[aspect, aspect + turn])
    one, other = spread.rate_of_spread_m_min
    assert other == pytest.approx(one, rel=1e-6, abs=1e-9)
    if spread.length_to_width.min() > 1.01:  # else too round to have a heading
        turned = spread.heading_deg[1] - spread.heading_deg[0] - turn
        assert (turned + 180.0) % 360.0 == pytest.approx(180.0, abs=1e-3)


@given(CODES, moistures(), WINDS, SLOPES, ANGLES, ANGLES)
def test_results_are_finite_and_in_range(code, moist, wind, slope, aspect, wind_from):
    spread = point_behavior(code, **moist, midflame_wind_m_min=wind, wind_from_deg=wind_from,
                            slope_tan=slope, aspect_deg=aspect)
    assert all(np.isfinite(field).all() for field in spread)
    assert spread.rate_of_spread_m_min >= 0.0
    assert 0.0 <= spread.heading_deg < 360.0
    assert 1.0 <= spread.length_to_width <= 8.0


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_cells_that_do_not_burn_do_not_spread(seed):
    land = random_landscape(seed)
    scenarios = draw_scenarios(WindClimate(), np.random.default_rng(seed), 3)
    spread = surface_spread(land, scenarios)
    assert all(field.shape == (3, 9, 9) and field.dtype == np.float64 for field in spread)
    still = ~np.broadcast_to(land.burnable, (3, 9, 9))
    for name, field in spread._asdict().items():
        assert (field[still] == (1.0 if name == "length_to_width" else 0.0)).all()


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_maps_and_tables_agree(seed):
    land = random_landscape(seed)
    scenarios = draw_scenarios(WindClimate(), np.random.default_rng(seed), 2)
    spread = surface_spread(land, scenarios)
    rows, cols = np.nonzero(land.burnable)
    codes = land.fuel_model[rows, cols]
    depth_m = np.array([FUEL_MODELS[int(code)].depth_ft for code in codes]) * METRES_PER_FOOT
    height_m = land.canopy_height_m[rows, cols].astype(float)
    crown_ratio = 1.0 - land.canopy_base_height_m[rows, cols] / height_m
    factor = wind_adjustment_factor(depth_m, land.canopy_cover[rows, cols], height_m, crown_ratio)
    table = point_behavior(
        codes, dead_moisture_1h=scenarios.dead_moisture_1h[1],
        dead_moisture_10h=scenarios.dead_moisture_10h[1],
        dead_moisture_100h=scenarios.dead_moisture_100h[1],
        live_moisture_herb=scenarios.live_moisture_herb[1],
        live_moisture_woody=scenarios.live_moisture_woody[1],
        midflame_wind_m_min=factor * scenarios.wind_20ft_m_min[1],
        wind_from_deg=scenarios.wind_from_deg[1], slope_tan=land.slope_tan[rows, cols],
        aspect_deg=land.aspect_deg[rows, cols])
    for on_map, in_table in zip(spread, table, strict=True):
        np.testing.assert_allclose(on_map[1, rows, cols], in_table, rtol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_many_scenarios_at_once_equal_one_at_a_time(seed):
    land = random_landscape(seed)
    scenarios = draw_scenarios(WindClimate(), np.random.default_rng(seed), 5)
    together = surface_spread(land, scenarios)
    for s in range(5):
        alone = surface_spread(land, WeatherScenarios(*(part[s:s + 1] for part in scenarios)))
        for many, one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(many[s:s + 1], one)


def test_a_map_without_fuel_is_all_still():
    spread = surface_spread(make_landscape(np.full((3, 4), 98)),
                            draw_scenarios(WindClimate(), np.random.default_rng(0), 2))
    assert spread.rate_of_spread_m_min.shape == (2, 3, 4)
    assert not spread.rate_of_spread_m_min.any()


def test_a_canopy_slows_the_fire_below_it():
    cover = np.array([[0.0, 0.8]])
    land = make_landscape(np.full((1, 2), 165), canopy_cover=cover, canopy_height_m=20.0)
    weather = make_scenarios(
        wind_20ft_m_min=400.0, wind_from_deg=90.0, dead_moisture_1h=0.05, dead_moisture_10h=0.06,
        dead_moisture_100h=0.07, live_moisture_herb=0.6, live_moisture_woody=0.9)
    rate = surface_spread(land, weather).rate_of_spread_m_min
    assert rate[0, 0, 1] < 0.5 * rate[0, 0, 0]


FLAT_CASE = {"dead_moisture_1h": 0.06, "dead_moisture_10h": 0.07, "dead_moisture_100h": 0.08,
             "live_moisture_herb": 0.6, "live_moisture_woody": 0.9, "midflame_wind_m_min": 100.0,
             "wind_from_deg": 0.0, "slope_tan": 0.0, "aspect_deg": 0.0}


def test_unburnable_codes_of_a_table_do_not_spread():
    spread = point_behavior([98, 1, 91], **FLAT_CASE)
    np.testing.assert_array_equal(spread.rate_of_spread_m_min > 0, [False, True, False])
    np.testing.assert_array_equal(spread.length_to_width[[0, 2]], 1.0)


@pytest.mark.parametrize(("code", "change", "words"), [
    (17, {}, "unknown codes 17"),
    (1.5, {}, "unknown codes 1.5"),
    (1, {"slope_tan": -0.1}, "slope_tan"),
    (1, {"slope_tan": np.nan}, "slope_tan"),
    (1, {"slope_tan": np.inf}, "slope_tan"),
    (1, {"dead_moisture_1h": 6.0}, "write 6 % as 0.06"),
    (1, {"midflame_wind_m_min": -1.0}, "midflame_wind_m_min"),
])
def test_bad_cases_are_refused(code, change, words):
    with pytest.raises(InputError, match=words):
        point_behavior(code, **FLAT_CASE | change)
