"""Fires on a wide scene against the same fires on a scene that holds everything, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.fire import engine, travel_windows, wide_behavior, wide_parts, wide_scene
from firebreak.fire.effects.crews import HoldRule
from firebreak.fire.effects.losses import BURNED
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.fire.scene import FireConditions, FireRegime, make_scene
from firebreak.fire.travel.travel_field import BreakRules
from firebreak.fire.wide_scene import make_wide_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.seeding import generator
from firebreak.weather.scenarios import WindClimate, draw_scenarios
from firebreak.weather.streams import make_streams
from strategies import random_case

SMALL = FireRegime(burned_share=0.03)
STRONG = WindClimate(wind_20ft_mean_m_min=900.0, wind_20ft_spread_m_min=200.0)
CONDITIONS = {
    "plain": FireConditions(scenarios=3, regime=SMALL),
    "strong wind": FireConditions(scenarios=3, regime=SMALL, climate=STRONG),
    "by flame length": FireConditions(scenarios=3, regime=SMALL, response=BURNED),
    "shaded breaks": FireConditions(scenarios=2, regime=SMALL, response=BURNED,
                                    treatment=Treatment(kind="shaded")),
    "narrow breached breaks": FireConditions(scenarios=2, regime=SMALL, breach="wilson",
                                             treatment=Treatment(width_m=4.0)),
    "breached breaks and embers": FireConditions(
        scenarios=2, regime=SMALL, breach="wilson", treatment=Treatment(width_m=1.0),
        climate=STRONG, spotting=SpottingModel(surface_brands_per_ha=2.0)),
    "crews at shaded breaks": FireConditions(
        scenarios=2, regime=SMALL, treatment=Treatment(kind="shaded"),
        hold=HoldRule(by="hand", response_min=20.0)),
    "few crews at breached breaks": FireConditions(
        scenarios=2, regime=SMALL, breach="wilson", treatment=Treatment(width_m=1.0),
        hold=HoldRule(by="equipment", response_min=0.0, crew_km=0.2)),
    "initial attack": FireConditions(scenarios=2, regime=SMALL, attack_min=10.0),
    "given durations": FireConditions(scenarios=2, regime=FireRegime(duration_min=400.0)),
    "fires everywhere": FireConditions(scenarios=2, regime=FireRegime(burned_share=0.6)),
}
QUICK = ("plain", "shaded breaks", "initial attack", "given durations")
NAMES = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
         for name in CONDITIONS]


def barred(land, seed=0):
    """A landscape's breaks: some lines."""
    breaks = np.zeros(land.shape, bool)
    rng = np.random.default_rng(seed)
    breaks[::6] = True
    breaks[:, rng.integers(0, land.shape[1], 2)] = True
    return breaks & land.treatable & (rng.random(land.shape) < 0.95)


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles as small as they may be, and few fires at once, so that fires come near many."""
    monkeypatch.setattr(travel_windows, "SIDE", 7)
    monkeypatch.setattr(wide_scene, "AT_ONCE", 5)


def assert_same(one, other) -> None:
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("small_tiles")
def test_a_wide_scene_has_the_fires_and_sums_of_a_scene(name: str) -> None:
    land, conditions = generate(3, (52, 61)), CONDITIONS[name]
    scene, wide = make_scene(land, conditions, 1), make_wide_scene(land, conditions, 1)
    fires = wide.fires("test", 40)
    assert_same(scene.fires("test", 40), fires)
    np.testing.assert_array_equal(scene.value_by_class, wide.value_by_class)
    for breaks in (None, barred(land)):
        assert_same(engine.burn_statistics(scene.field, fires, scene.value_by_class, breaks),
                    wide_scene.burn_wide_statistics(wide, fires, breaks))
        np.testing.assert_array_equal(
            engine.burn_arrival(scene.field, fires.first(1), breaks)[0],
            wide_scene.burn_wide_arrival(wide, fires.first(1), breaks))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("small_tiles")
def test_parts_in_any_order_have_the_sums_of_all_fires(
        name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide_parts, "STRIP_CELLS", 700)
    monkeypatch.setattr(wide_parts, "PART_FIRES", 6)
    land = generate(3, (52, 61))
    wide = make_wide_scene(land, CONDITIONS[name], 1)
    fires = wide.fires("test", 40)
    parts = wide_parts.parts_of(fires, land.shape)
    assert len(parts) > 7
    assert max(map(len, parts)) <= 6
    assert sorted(np.concatenate(parts).tolist()) == list(range(40))
    for breaks in (None, barred(land)):
        sums, cells = wide_parts.WideSums(wide, fires, breaks), []
        for k in np.random.default_rng(0).permutation(len(parts)):
            made = wide_parts.burn_part(wide, fires.part(parts[k]), breaks, sums.units)
            cells.append(made.below.size)
            sums.add(parts[k], made)
        assert min(cells) < land.burnable.size
        assert_same(wide_scene.burn_wide_statistics(wide, fires, breaks), sums.statistics())


FAR_OFF = FireConditions(
    scenarios=2, regime=FireRegime(duration_min=12.0),
    climate=WindClimate(wind_20ft_mean_m_min=1500.0, wind_20ft_spread_m_min=200.0),
    spotting=SpottingModel(surface_brands_per_ha=60.0, ignition_delay_min=0.5))
BY_HAND = HoldRule(by="hand", response_min=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("conditions", [
    replace(FAR_OFF, treatment=Treatment(kind="shaded"), hold=BY_HAND),
    replace(FAR_OFF, treatment=Treatment(kind="shaded"), hold=replace(BY_HAND, crew_km=0.1)),
    replace(FAR_OFF, breach="wilson", treatment=Treatment(width_m=1.0), hold=BY_HAND),
    replace(FAR_OFF, attack_min=6.0)], ids=["held", "held by few", "breached and held",
                                            "initial attack"])
@pytest.mark.usefixtures("small_tiles")
def test_what_embers_do_far_off_does_not_hang_on_the_other_fires(
        conditions: FireConditions) -> None:
    """An ember may fall onto a break in a tile that is not made, where all fire seems cold."""
    land = replace(generate(3, (90, 120)), cell_size_m=8.0)
    scene, wide = make_scene(land, conditions, 1), make_wide_scene(land, conditions, 1)
    breaks = np.zeros(land.shape, bool)
    breaks[::3] = True
    breaks[:, ::4] = True
    breaks &= land.treatable
    fires = wide.fires("test", 40)
    whole = engine.burn_statistics(scene.field, fires, scene.value_by_class, breaks)
    assert whole.loss.any()
    assert whole.held_probability.any() == (conditions.hold is not None)
    alone = [wide_scene.burn_wide_statistics(wide, fires.part(np.array([k])), breaks).loss[0]
             for k in range(40)]
    np.testing.assert_array_equal(whole.loss, alone)


@pytest.mark.usefixtures("small_tiles")
def test_weather_that_changes_by_the_hour_is_the_same_on_a_wide_scene() -> None:
    land = generate(5, 45)
    steps = draw_scenarios(WindClimate(), generator(0, "weather", "x"), 6)
    weather = make_streams(steps, 3, 60.0)
    scene, wide = (make(land, FireConditions(regime=SMALL), 2, weather)
                   for make in (make_scene, make_wide_scene))
    fires = wide.fires("test", 30)
    assert (fires.duration_min > 60.0).any()
    assert_same(engine.burn_statistics(scene.field, fires, scene.value_by_class, barred(land)),
                wide_scene.burn_wide_statistics(wide, fires, barred(land)))


def test_a_break_where_nothing_is_made_counts_as_crossed() -> None:
    """An ember that falls into it then asks for its tile, instead of going out."""
    case = random_case(np.random.default_rng(0), 9, 8)
    chance = np.zeros((1, case.field().burnable.size), np.float32)
    sample = case.field()._replace(breaks=BreakRules(breach=chance))
    field = travel_windows.empty_field(sample, np.ones((20, 30), bool))
    assert (field.breaks.breach > 1.0).all()
    assert field.breaks.breach.shape == (1, 26 * 36)


@pytest.mark.usefixtures("small_tiles")
def test_travel_times_are_made_where_fires_come_and_nowhere_else(monkeypatch) -> None:
    made = np.zeros((91, 84), int)
    put = travel_windows._put

    def counted(field, window, make) -> None:
        made[window.slices] += 1
        put(field, window, make)

    monkeypatch.setattr(travel_windows, "_put", counted)
    conditions = FireConditions(scenarios=1, regime=FireRegime(duration_min=30.0))
    wide = make_wide_scene(generate(2, made.shape), conditions, 0)
    fires = wide.fires("test", 3)
    burned = wide_scene.burn_wide_statistics(wide, fires).burn_probability > 0
    assert (made[burned] == 1).all()
    assert made.max() == 1  # no tile twice
    assert made.mean() < 0.5


def test_maps_of_fire_behavior_do_not_depend_on_the_bands(monkeypatch) -> None:
    land, breaks = generate(3, (33, 20)), barred(generate(3, (33, 20)))
    conditions = CONDITIONS["shaded breaks"]
    wide, scene = make_wide_scene(land, conditions, 1), make_scene(land, conditions, 1)

    def rates(behavior):
        return {"rate": behavior.rate_of_spread_m_min.sum(axis=0)}

    whole = wide_scene.mean_behavior(wide, None, rates)["rate"]
    np.testing.assert_array_equal(whole, scene.behavior.rate_of_spread_m_min.sum(axis=0))
    under = wide_scene.mean_behavior(wide, breaks, rates)["rate"]
    np.testing.assert_array_equal(under[~breaks], whole[~breaks])
    assert (under[breaks] != whole[breaks]).any()
    monkeypatch.setattr(wide_behavior, "BAND_CELLS", 100)
    np.testing.assert_array_equal(wide_scene.mean_behavior(wide, breaks, rates)["rate"], under)
