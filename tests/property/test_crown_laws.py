"""What must hold of crown fire whatever the forest, the weather and the terrain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.behavior.crown import critical_intensity, critical_rate, scott_reinhardt
from firebreak.fire.behavior.crown_fire import Site, crowning_wind, has_crowns, rothermel_run
from firebreak.fire.behavior.rothermel import fuel_bed, fuel_particles
from firebreak.fire.behavior.surface import point_behavior
from firebreak.fire.behavior.types import ACTIVE_CROWN_FIRE, PASSIVE_CROWN_FIRE, SURFACE_FIRE
from firebreak.fire.behavior.wind import wind_adjustment_factor
from firebreak.fire.behavior_models import BehaviorModel, fire_behavior
from firebreak.landscape.fuels import FUEL_MODELS, UNBURNABLE
from firebreak.landscape.landscape import Landscape
from firebreak.units import METRES_PER_FOOT
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios

LINKS = st.sampled_from(["finney", "scott-reinhardt", "cruz"])
SEEDS = st.integers(0, 100_000)
ROUNDING = 1.0 + 1e-9


def forest(seed, size=8, **change) -> Landscape:
    """A map of every fuel under crowns of all kinds, one cell in four without."""
    rng = np.random.default_rng(seed)
    shape = (size, size)
    height = rng.uniform(3.0, 30.0, shape)
    grids = {
        "fuel_model": rng.choice([*FUEL_MODELS, *UNBURNABLE], shape), "elevation_m": 0.0,
        "slope_tan": rng.uniform(0.0, 1.0, shape), "aspect_deg": rng.uniform(0.0, 359.9, shape),
        "canopy_cover": rng.uniform(0.1, 1.0, shape) * (rng.random(shape) < 0.75),
        "canopy_height_m": height, "canopy_base_height_m": rng.uniform(0.01, 0.7, shape) * height,
        "canopy_bulk_density_kg_m3": rng.uniform(0.02, 0.4, shape), "value": 1.0, "cost": 1.0,
        "treatable": True} | change
    return Landscape(name="forest", cell_size_m=30.0, transform=(30.0, 0.0, 0.0, 0.0, -30.0, 0.0),
                     **{name: np.broadcast_to(grid, shape) for name, grid in grids.items()})


def weather(seed, count=3, **change) -> WeatherScenarios:
    rng = np.random.default_rng(seed + 1)
    dead = rng.uniform(0.02, 0.15, count)
    given_ = {"wind_20ft_m_min": rng.uniform(0.0, 900.0, count),
              "wind_from_deg": rng.uniform(0.0, 360.0, count), "dead_moisture_1h": dead,
              "dead_moisture_10h": dead + 0.01, "dead_moisture_100h": dead + 0.02,
              "live_moisture_herb": rng.uniform(0.3, 1.2, count),
              "live_moisture_woody": rng.uniform(0.6, 1.5, count),
              "foliar_moisture": rng.uniform(0.7, 1.3, count)}
    return make_scenarios(**given_ | change)


@given(SEEDS, LINKS)
@settings(max_examples=40)
def test_crowns_only_add_to_the_surface_fire(seed, link):
    land, scenarios = forest(seed), weather(seed)
    surface = fire_behavior(land, scenarios, BehaviorModel(crown="none"))
    found = fire_behavior(land, scenarios, BehaviorModel(crown=link))
    crowned = found.fire_type >= PASSIVE_CROWN_FIRE
    assert all(np.isfinite(field).all() for field in found)
    assert (found.rate_of_spread_m_min >= surface.rate_of_spread_m_min).all()
    assert (found.fireline_intensity_kw_m >= surface.fireline_intensity_kw_m / ROUNDING).all()
    assert ((found.crown_fraction_burned > 0) <= crowned).all()
    assert (found.crown_fraction_burned <= 1.0).all()
    assert (crowned <= has_crowns(land)[None]).all()
    for one, other in zip(found, surface, strict=True):
        np.testing.assert_array_equal(one[~crowned], other[~crowned])
    assert (surface.fire_type == SURFACE_FIRE * (surface.rate_of_spread_m_min > 0)).all()


@given(SEEDS, LINKS, st.floats(0.0, 300.0), st.floats(0.0, 0.5))
@settings(max_examples=40)
def test_more_wind_upslope_or_more_slope_downwind_never_slows_crown_fire(seed, link, gust, rise):
    # All slopes face east and the wind blows from the east.
    model, eastern = BehaviorModel(crown=link), {"aspect_deg": 90.0}
    land = forest(seed, **eastern)
    calm = weather(seed, wind_from_deg=90.0)
    gusty = calm._replace(wind_20ft_m_min=calm.wind_20ft_m_min + gust)
    steep = forest(seed, slope_tan=land.slope_tan + rise, **eastern)
    rate = fire_behavior(land, calm, model).rate_of_spread_m_min
    for scenarios, ground in ((gusty, land), (calm, steep)):
        assert (fire_behavior(ground, scenarios, model).rate_of_spread_m_min
                >= rate / ROUNDING).all()


@given(SEEDS, LINKS, st.floats(0.0, 0.3), st.floats(0.0, 0.1))
@settings(max_examples=40)
def test_moister_needles_or_dead_fuel_never_speed_crown_fire(seed, link, foliar, dead):
    land, model, dry = forest(seed), BehaviorModel(crown=link), weather(seed)
    moist = dry._replace(foliar_moisture=dry.foliar_moisture + foliar,
                         dead_moisture_1h=dry.dead_moisture_1h + dead,
                         dead_moisture_10h=dry.dead_moisture_10h + dead,
                         dead_moisture_100h=dry.dead_moisture_100h + dead)
    # Van Wagner's exponential is steeper the later crowns light: above the critical rate, where
    # nine tenths burn anyhow, moister needles raise Finney's fraction a little.
    surface = fire_behavior(land, dry, BehaviorModel(crown="none")).rate_of_spread_m_min
    usual = surface < critical_rate(np.maximum(land.canopy_bulk_density_kg_m3, 0.01))
    dry_rate, moist_rate = (fire_behavior(land, scenarios, model).rate_of_spread_m_min[usual]
                            for scenarios in (dry, moist))
    assert (moist_rate <= dry_rate * ROUNDING).all()


@given(SEEDS, LINKS)
@settings(max_examples=20)
def test_many_scenarios_at_once_equal_one_at_a_time(seed, link):
    land, scenarios, model = forest(seed), weather(seed), BehaviorModel(crown=link)
    together = fire_behavior(land, scenarios, model)
    for s in range(3):
        alone = fire_behavior(land, WeatherScenarios(*(part[s:s + 1] for part in scenarios)),
                              model)
        for many, one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(many[s:s + 1], one)


def test_all_kinds_of_fire_occur_with_every_link():
    land, scenarios = forest(7, size=30), weather(7, count=6)
    for link in ("finney", "scott-reinhardt", "cruz"):
        kinds = fire_behavior(land, scenarios, BehaviorModel(crown=link)).fire_type
        assert set(np.unique(kinds)) == {0, SURFACE_FIRE, PASSIVE_CROWN_FIRE, ACTIVE_CROWN_FIRE}


@pytest.mark.parametrize("missing", ["canopy_cover", "canopy_height_m", "canopy_base_height_m",
                                     "canopy_bulk_density_kg_m3"])
def test_a_canopy_that_lacks_a_layer_does_not_burn(missing):
    found = fire_behavior(forest(3, **{missing: 0.0}), weather(3))
    assert set(np.unique(found.fire_type)) == {0, SURFACE_FIRE}
    assert not found.crown_fraction_burned.any()


def test_active_crown_fire_heads_downwind_in_the_ellipse_of_its_wind():
    land = forest(1, fuel_model=165, slope_tan=0.0, canopy_cover=0.5, canopy_height_m=15.0,
                  canopy_base_height_m=0.5, canopy_bulk_density_kg_m3=0.3)
    found = fire_behavior(land, weather(1, wind_20ft_m_min=600.0, wind_from_deg=250.0,
                                        dead_moisture_1h=0.04),
                          BehaviorModel(crown="scott-reinhardt"))
    assert (found.fire_type == ACTIVE_CROWN_FIRE).all()
    np.testing.assert_allclose(found.heading_deg, 70.0)
    ratio = 1.0 + 0.125 * 600.0 / 26.8224
    np.testing.assert_allclose((found.rate_of_spread_m_min + found.backing_rate_m_min)
                               / (2.0 * found.flanking_rate_m_min), ratio)


def one_stand(**change):
    """A stand of 15-m trees above understory fuel, on a slope that faces south."""
    return forest(1, size=1, **{
        "fuel_model": 165, "slope_tan": 0.4, "aspect_deg": 180.0, "canopy_cover": 0.5,
        "canopy_height_m": 15.0, "canopy_base_height_m": 0.5,
        "canopy_bulk_density_kg_m3": 0.2} | change)


WEST_WIND = {"wind_20ft_m_min": [300.0, 700.0], "wind_from_deg": 270.0, "dead_moisture_1h": 0.04,
             "dead_moisture_10h": 0.05, "dead_moisture_100h": 0.06, "live_moisture_herb": 0.6,
             "live_moisture_woody": 0.8, "foliar_moisture": 1.0}


def moistures_of(west_wind):
    return {name: west_wind[name] for name in west_wind if "_moisture_" in name}


def test_a_stand_burns_as_the_equations_of_scott_and_reinhardt_say():
    land, scenarios = one_stand(), make_scenarios(**WEST_WIND)
    found = fire_behavior(land, scenarios, BehaviorModel(crown="scott-reinhardt"))
    moist = moistures_of(WEST_WIND)
    bed = fuel_bed(fuel_particles([FUEL_MODELS[10]]), **moist)
    site = Site(scenarios.wind_20ft_m_min, np.full(2, 270.0), np.full(2, 0.4), np.full(2, 180.0))
    factor = wind_adjustment_factor(FUEL_MODELS[165].depth_ft * METRES_PER_FOOT, 0.5, 15.0,
                                    14.5 / 15.0)
    critical, run = critical_rate(np.full(2, 0.2)), rothermel_run(bed, site)

    def surface_in(wind_20ft):
        return point_behavior(165, **moist, midflame_wind_m_min=wind_20ft * factor,
                              wind_from_deg=270.0, slope_tan=0.4, aspect_deg=180.0)

    surface = surface_in(scenarios.wind_20ft_m_min)
    start = (critical_intensity(0.5, 1.0) * surface.rate_of_spread_m_min
             / surface.fireline_intensity_kw_m)
    full = surface_in(crowning_wind(bed, site, critical)).rate_of_spread_m_min
    linked = scott_reinhardt(surface.rate_of_spread_m_min, start, run.rate_m_min, critical, full)
    assert linked.fire_type.tolist() == [PASSIVE_CROWN_FIRE, ACTIVE_CROWN_FIRE]
    assert 0.0 < linked.crown_fraction_burned[0] < 1.0
    for name, values in (("fire_type", linked.fire_type), ("rate_of_spread_m_min",
                         linked.rate_m_min), ("heading_deg", run.heading_deg),
                         ("crown_fraction_burned", linked.crown_fraction_burned)):
        np.testing.assert_allclose(getattr(found, name).ravel(), values, rtol=1e-6)
    # The crown fire feels more of the wind than the sheltered fire below: it turns further from
    # the slope, which runs north.
    assert (surface.heading_deg + 10.0 < found.heading_deg.ravel()).all()
    assert (found.heading_deg < 90.0).all()


def test_passive_fire_of_finney_keeps_heading_and_ellipse_of_the_surface_fire():
    land = one_stand(canopy_bulk_density_kg_m3=0.02)
    scenarios = make_scenarios(**WEST_WIND)
    surface = fire_behavior(land, scenarios, BehaviorModel(crown="none"))
    found = fire_behavior(land, scenarios, BehaviorModel(crown="finney"))
    assert (found.fire_type == PASSIVE_CROWN_FIRE).all()
    for name in ("rate_of_spread_m_min", "heading_deg", "backing_rate_m_min",
                 "flanking_rate_m_min"):
        np.testing.assert_array_equal(getattr(found, name), getattr(surface, name))
    assert (found.fireline_intensity_kw_m > surface.fireline_intensity_kw_m).all()
