"""Fires on a tiled scene against the same fires on a scene that holds everything, bit for bit."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps

from firebreak.fire import (
    BurnResult,
    FireConditions,
    FireRegime,
    Fires,
    PartsTotal,
    Scene,
    burn,
    burn_part,
    burn_plans,
    burn_tracks,
    engine,
    make_scene,
    parts,
    spread,
    tiles,
)
from firebreak.fire.effects.breaks import HoldRule
from firebreak.fire.effects.losses import BURNED, LayerKind, ResponseFunction
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.fire.travel.travel_field import BreakRules
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.seeding import generator
from firebreak.weather.scenarios import WindClimate, draw_scenarios
from firebreak.weather.streams import make_streams
from strategies import of_widths, random_case, with_roads

SMALL = FireRegime(burned_share=0.03)
STRONG = WindClimate(wind_20ft_mean_m_min=900.0, wind_20ft_spread_m_min=200.0)
MIXED = Treatment(kind="shaded", by_cell=(Treatment(width_m=4.0), Treatment(kind="shaded")))
CONDITIONS = {
    "plain": FireConditions(scenarios=3, regime=SMALL),
    "strong wind": FireConditions(scenarios=3, regime=SMALL, climate=STRONG),
    "by flame length": FireConditions(scenarios=3, regime=SMALL, response=BURNED),
    "value layers": FireConditions(scenarios=3, regime=SMALL, layers=(
        LayerKind(name="houses", weight=3.0, response=ResponseFunction(
            name="houses", loss=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0))), LayerKind(name="trees"))),
    "shaded breaks": FireConditions(scenarios=2, regime=SMALL, response=BURNED,
                                    treatment=Treatment(kind="shaded")),
    "narrow breached breaks": FireConditions(scenarios=2, regime=SMALL, breach="wilson",
                                             treatment=Treatment(width_m=4.0)),
    "breaks of several widths": FireConditions(scenarios=2, regime=SMALL, breach="wilson"),
    "breached breaks and embers": FireConditions(
        scenarios=2, regime=SMALL, breach="wilson", treatment=Treatment(width_m=1.0),
        climate=STRONG, spotting=SpottingModel(surface_brands_per_ha=2.0)),
    "mixed treatments": FireConditions(scenarios=2, regime=SMALL, breach="wilson", treatment=MIXED),
    "roads, mixed treatments of several widths, and crews": FireConditions(
        scenarios=2, regime=SMALL, breach="wilson", treatment=MIXED,
        hold=HoldRule(by="hand", response_min=20.0)),
    "crews at shaded breaks": FireConditions(
        scenarios=2, regime=SMALL, treatment=Treatment(kind="shaded"),
        hold=HoldRule(by="hand", response_min=20.0)),
    "few crews at breached breaks": FireConditions(
        scenarios=2, regime=SMALL, breach="wilson", treatment=Treatment(width_m=1.0),
        hold=HoldRule(by="equipment", response_min=0.0, crew_km=0.2)),
    "initial attack": FireConditions(scenarios=2, regime=SMALL, attack_min=10.0),
    "roads": FireConditions(scenarios=2, regime=SMALL, climate=STRONG),
    "roads, breached breaks and embers": FireConditions(
        scenarios=2, regime=SMALL, breach="wilson", treatment=Treatment(width_m=1.0),
        climate=STRONG, spotting=SpottingModel(surface_brands_per_ha=2.0)),
    "roads and shaded breaks": FireConditions(scenarios=2, regime=SMALL, response=BURNED,
                                              treatment=Treatment(kind="shaded")),
    "given durations": FireConditions(scenarios=2, regime=FireRegime(duration_min=400.0)),
    "burning periods": FireConditions(
        scenarios=2, regime=FireRegime(hours=2.0, periods=2.6), climate=STRONG),
    "burning periods and crews": FireConditions(
        scenarios=2, regime=FireRegime(hours=1.0, periods=1.5), breach="wilson",
        treatment=Treatment(width_m=1.0), spotting=SpottingModel(surface_brands_per_ha=1.0),
        hold=HoldRule(by="equipment", response_min=70.0, crew_km=0.2), attack_min=90.0),
    "fires everywhere": FireConditions(scenarios=2, regime=FireRegime(burned_share=0.6)),
}
QUICK = ("plain", "roads", "burning periods", "value layers", "shaded breaks", "initial attack",
         "given durations")
NAMES = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
         for name in CONDITIONS]


def land_of(name: str) -> Landscape:
    """A map of its own for each of the conditions, with the value layers that they have."""
    land = generate(3, (52, 61)) if name == "plain" else generate(4, (47, 58))
    if "roads" in name:
        land = with_roads(land)
    if "widths" in name:
        land = of_widths(land)
    if "mixed" in name:
        land = replace(land, treatment=np.random.default_rng(5).integers(
            0, 2, land.shape).astype(np.int16))
    layers = tuple(np.random.default_rng(k).random(land.shape).astype(np.float32)
                   for k, _ in enumerate(CONDITIONS[name].layers))
    return replace(land, layers=layers) if layers else land


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
    monkeypatch.setattr(engine, "AT_ONCE", 5)
    monkeypatch.setattr(tiles, "SIDE", 7)
    monkeypatch.setattr(tiles, "AT_ONCE", 5)


def assert_same(one, other) -> None:
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def slow_result(scene: Scene, fires: Fires, breaks) -> BurnResult:
    """Every fire burned alone with dense maps, whose means are taken."""
    value, loss, arrival, often = scene.value_by_class, [], [], np.zeros(scene.landscape.shape)
    below = np.zeros(often.shape)
    for k in range(fires.source.size):
        one = burn_maps(scene.field, fires.part(slice(k, k + 1)), value, breaks)
        loss.append(one.loss[0])
        arrival.append(one.arrival_time_min[0])
        often += np.isfinite(arrival[-1])
        below += one.downstream_value[0]
    reached = np.where(np.isfinite(arrival), arrival, 0.0).sum(axis=0)
    mean = np.divide(reached, often, out=np.full(often.shape, np.inf), where=often > 0)
    return BurnResult(np.array(loss), often / len(loss), below / len(loss), mean,
                      arrivals_min=np.array(arrival))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("small_tiles")
def test_fires_burn_alike_whole_tiled_and_one_by_one(name: str) -> None:
    land, conditions = land_of(name), CONDITIONS[name]
    whole, tiled = (make_scene(land, conditions, 1, tiled=tiled) for tiled in (False, True))
    fires = tiled.fires("test", 24)
    assert_same(whole.fires("test", 24), fires)
    np.testing.assert_array_equal(whole.value_by_class, tiled.value_by_class)
    grid = barred(land)
    for breaks in (None, grid):
        slow = slow_result(whole, fires, breaks)
        for scene in (whole, tiled):
            made = burn(scene, fires, breaks, want="statistics")
            np.testing.assert_array_equal(made.loss, slow.loss)
            np.testing.assert_array_equal(burn(scene, fires, breaks).loss, slow.loss)
            np.testing.assert_array_equal(made.burn_probability, slow.burn_probability)
            arrival = burn(scene, fires, breaks, want="arrival")
            np.testing.assert_array_equal(arrival.loss, slow.loss)
            np.testing.assert_array_equal(arrival.arrivals_min, slow.arrivals_min)
            for mean in ("downstream_value", "arrival_time_min"):
                np.testing.assert_allclose(getattr(made, mean), getattr(slow, mean), rtol=1e-6,
                                           atol=1e-9 * slow.loss.max())
        assert_same(burn(whole, fires, breaks, want="statistics"),
                    burn(tiled, fires, breaks, want="statistics"))
    for scene in (whole, tiled):
        losses = burn_plans(scene, fires, [None, np.flatnonzero(grid), grid])
        assert_same(losses, [burn(whole, fires, breaks).loss for breaks in (None, grid, grid)])
        for breaks in (None, grid) if scene is whole else ():
            total = PartsTotal(scene, fires, breaks)
            for k in np.random.default_rng(0).permutation(24):
                own = np.array([k])
                total.add(own, burn_part(scene, fires.part(own), breaks, total.units))
            assert_same(burn(tiled, fires, breaks, want="statistics"), total.result())
    tracks = [{}, {}]
    for scene, own in zip((whole, tiled), tracks, strict=True):
        burn_tracks(scene, fires, lambda k, cells, times, own=own: own.update(
            {k: (cells.tolist(), times.tolist())}))
    assert tracks[0] == tracks[1]
    free = burn(whole, fires, want="arrival").arrivals_min.reshape(24, -1)
    for k, (cells, times) in tracks[1].items():
        assert sorted(cells) == np.flatnonzero(np.isfinite(free[k])).tolist()
        np.testing.assert_array_equal(free[k][cells], times)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("small_tiles")
def test_parts_in_any_order_have_the_sums_of_all_fires(
        name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "STRIP_CELLS", 700)
    monkeypatch.setattr(parts, "PART_FIRES", 6)
    land = land_of(name)
    wide = make_scene(land, CONDITIONS[name], 1, tiled=True)
    fires = wide.fires("test", 40)
    own = parts.parts_of(fires, land.shape)
    assert len(own) > 7
    assert max(map(len, own)) <= 6
    assert sorted(np.concatenate(own).tolist()) == list(range(40))
    for breaks in (None, barred(land)):
        sums, cells = parts.PartsTotal(wide, fires, breaks), []
        for k in np.random.default_rng(0).permutation(len(own)):
            made = parts.burn_part(wide, fires.part(own[k]), breaks, sums.units)
            cells.append(made.below.size)
            sums.add(own[k], made)
        assert min(cells) < land.burnable.size
        assert_same(burn(wide, fires, breaks, want="statistics"), sums.result())


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
    scene, wide = make_scene(land, conditions, 1), make_scene(land, conditions, 1, tiled=True)
    breaks = np.zeros(land.shape, bool)
    breaks[::3] = True
    breaks[:, ::4] = True
    breaks &= land.treatable
    fires = wide.fires("test", 40)
    whole = burn(scene, fires, breaks, want="statistics")
    assert whole.loss.any()
    assert whole.held_probability.any() == (conditions.hold is not None)
    alone = [burn(wide, fires.part(np.array([k])), breaks).loss[0]
             for k in range(40)]
    np.testing.assert_array_equal(whole.loss, alone)


@pytest.mark.usefixtures("small_tiles")
def test_weather_that_changes_by_the_hour_is_the_same_on_a_tiled_scene() -> None:
    land = generate(5, 45)
    steps = draw_scenarios(WindClimate(), generator(0, "weather", "x"), 6)
    weather = make_streams(steps, 3, 60.0)
    scene, wide = (make(land, FireConditions(regime=SMALL), 2, weather)
                   for make in (make_scene, partial(make_scene, tiled=True)))
    fires = wide.fires("test", 30)
    assert (fires.duration_min > 60.0).any()
    assert_same(burn(scene, fires, barred(land), want="statistics"),
                burn(wide, fires, barred(land), want="statistics"))


def test_a_break_where_nothing_is_made_counts_as_crossed() -> None:
    """An ember that falls into it then asks for its tile, instead of going out."""
    case = random_case(np.random.default_rng(0), 9, 8)
    chance = np.zeros((1, case.field().burnable.size), np.float32)
    sample = case.field()._replace(breaks=BreakRules(breach=chance))
    field = tiles.empty_field(sample, np.ones((20, 30), bool), np.zeros((0, 0), np.uint8))
    assert (field.breaks.breach > 1.0).all()
    assert field.breaks.breach.shape == (1, 26 * 36)


@pytest.mark.usefixtures("small_tiles")
def test_travel_times_are_made_where_fires_come_and_nowhere_else(monkeypatch) -> None:
    made = np.zeros((91, 84), int)
    put = tiles._put

    def counted(field, window, make) -> None:
        made[window.slices] += 1
        put(field, window, make)

    monkeypatch.setattr(tiles, "_put", counted)
    conditions = FireConditions(scenarios=1, regime=FireRegime(duration_min=30.0))
    wide = make_scene(generate(2, made.shape), conditions, 0, tiled=True)
    fires = wide.fires("test", 3)
    burned = burn(wide, fires, want="statistics").burn_probability > 0
    assert (made[burned] == 1).all()
    assert made.max() == 1  # no tile twice
    assert made.mean() < 0.5


@pytest.mark.usefixtures("small_tiles")
def test_treated_fuel_is_made_where_breaks_are_and_nowhere_else(monkeypatch) -> None:
    sizes: list[int] = []
    whole = tiles.spread_on

    def told(land, *rest):
        sizes.append(land.fuel_model.size)
        return whole(land, *rest)

    monkeypatch.setattr(tiles, "spread_on", told)
    conditions = FireConditions(scenarios=1, regime=SMALL, treatment=Treatment(kind="shaded"))
    scene = make_scene(generate(2, (60, 60)), conditions, 0, tiled=True)
    fires, breaks = scene.fires("test", 3), np.zeros((60, 60), np.bool_)
    burn(scene, fires, breaks)
    assert set(sizes) == {1}  # samples alone
    breaks.ravel()[fires.source] = True
    burn(scene, fires, breaks)
    assert max(sizes) > 1


def test_maps_of_fire_behavior_do_not_depend_on_the_bands(monkeypatch) -> None:
    land, breaks = generate(3, (33, 20)), barred(generate(3, (33, 20)))
    conditions = CONDITIONS["shaded breaks"]
    wide, scene = make_scene(land, conditions, 1, tiled=True), make_scene(land, conditions, 1)

    def rates(behavior):
        return {"rate": behavior.rate_of_spread_m_min.sum(axis=0)}

    whole = wide.mean_behavior(None, rates)["rate"]
    np.testing.assert_array_equal(whole, scene.behavior.rate_of_spread_m_min.sum(axis=0))
    under = wide.mean_behavior(breaks, rates)["rate"]
    np.testing.assert_array_equal(under[~breaks], whole[~breaks])
    assert (under[breaks] != whole[breaks]).any()
    monkeypatch.setattr(spread, "BAND_CELLS", 100)
    np.testing.assert_array_equal(wide.mean_behavior(breaks, rates)["rate"], under)
