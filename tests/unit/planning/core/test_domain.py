"""The domain of an area: how far fires reach it from, where they start, and what counts."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.fire import FireConditions, FireRegime, burn, make_scene
from firebreak.landscape.landscape import AREA, BEYOND, MARGIN, Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core import domain
from firebreak.planning.core.area import View
from firebreak.planning.core.domain import (
    SECTORS,
    Domain,
    Probe,
    Surroundings,
    find_domain,
    reach_of,
    sector_of,
    upwind_sectors,
    widened,
)
from firebreak.weather.scenarios import make_scenarios
from firebreak.weather.streams import constant

SIZE = 60
WIND_FROM_NORTH = constant(make_scenarios(
    wind_20ft_m_min=[300.0, 400.0], wind_from_deg=[350.0, 10.0], dead_moisture_1h=0.05,
    dead_moisture_10h=0.06, dead_moisture_100h=0.07, live_moisture_herb=0.6,
    live_moisture_woody=0.9))
CONDITIONS = FireConditions(weather=WIND_FROM_NORTH,
                            regime=FireRegime(duration_min=20.0, duration_sigma=0.3))


def land_of(seed: int = 4) -> Landscape:
    return replace(generate(seed, (SIZE, SIZE), family="grassland"), name="a map")


def area_of(rows: slice = slice(24, 36), cols: slice = slice(20, 40)) -> np.ndarray:
    area = np.zeros((SIZE, SIZE), bool)
    area[rows, cols] = True
    return area


def found_for(land: Landscape, area: np.ndarray, conditions: FireConditions = CONDITIONS,
              seed: int = 0) -> tuple[Landscape, tuple[int, int], Domain]:
    return find_domain(land, area, conditions, seed, lambda _: None)


def test_margins_are_the_quantiles_of_the_reach_by_sector() -> None:
    land, area = land_of(), area_of()
    scene = make_scene(replace(land, zone=np.where(area, AREA, MARGIN).astype(np.int8),
                               value=np.where(area, land.value, 0.0)), CONDITIONS, 0)
    probe = domain._probed(scene)
    fires = scene.fires("probe", probe.source.size)
    np.testing.assert_array_equal(probe.source, fires.source)
    arrival = burn(scene, fires, want="arrival").arrivals_min
    reach = []
    for source, own in zip(fires.source.tolist(), arrival, strict=True):
        row, col = np.nonzero(np.isfinite(own))
        start = divmod(source, SIZE)
        reach.append(max(np.hypot(row - start[0], col - start[1])) * land.cell_size_m)
    np.testing.assert_allclose(probe.reach_m, reach)
    np.testing.assert_allclose(probe.lost, (np.isfinite(arrival) & area).sum(axis=(1, 2)))

    upwind = upwind_sectors(scene)
    assert upwind.tolist() == [name == "N" for name in SECTORS]
    margin = reach_of(probe, Surroundings.of(scene.landscape), upwind)
    row, col = np.divmod(probe.source, SIZE)
    north = np.where(row < 24, 24 - row, np.where(row > 35, 35 - row, 0))
    east = np.where(col < 20, col - 20, np.where(col > 39, col - 39, 0))
    bearing = np.degrees(np.arctan2(east, north)) % 360.0
    for k, name in enumerate(SECTORS):
        own = ((north != 0) | (east != 0)) & (np.round(bearing / 45.0) % 8 == k)
        assert own.sum() >= domain.FEWEST_FIRES
        assert margin[k] == pytest.approx(np.quantile(np.array(reach)[own],
                                                      0.95 if name == "N" else 0.75)), name


def test_only_the_area_counts_and_fires_start_within_the_margin_alone() -> None:
    land, area = land_of(), area_of()
    made, (top, left), facts = found_for(land, area)
    assert made.shape == facts.shape
    assert made.zone is not None
    np.testing.assert_array_equal(made.value > 0.0, made.inside & (made.value > 0.0))
    assert made.value[made.inside].sum() == land.value[area].sum()
    assert not (made.treatable & ~made.inside).any()
    np.testing.assert_array_equal(made.fuel_model[made.inside], land.fuel_model[area])
    around = Surroundings.of(made)
    near = around.distance_m <= np.array(facts.margin_m)[around.sector] + 1e-6
    np.testing.assert_array_equal(made.zone != BEYOND, near)
    assert (made.ignition_weight[~near] == 0.0).all()
    fires = make_scene(made, CONDITIONS, 0).fires("test", 500)
    assert near.ravel()[fires.source].all()
    assert (~made.inside).ravel()[fires.source].any()
    # A shift by whole cells: what lies where on the map lies there in the domain.
    assert made.transform[2] == land.transform[2] + left * land.cell_size_m
    assert made.transform[5] == land.transform[5] - top * land.cell_size_m


def test_a_whole_map_goes_on_as_its_mirror_image_unless_it_says_where_fires_start() -> None:
    land = land_of()
    _, offset, facts = found_for(land, np.ones((SIZE, SIZE), bool))
    assert min(offset) < 0
    assert 0.0 < facts.mirrored < 1.0
    assert "mirror image" in facts.words()
    weight = np.ones((SIZE, SIZE))
    weight[3, 4] = 7.0
    known, offset, facts = found_for(replace(land, ignition_weight=weight), area_of(
        slice(2, 60), slice(0, 60)))
    assert facts.mirrored == 0.0
    assert "mirror" not in facts.words()
    assert min(offset) >= 0
    assert known.shape[0] <= SIZE


def test_the_domain_is_found_again_and_its_weather_does_not_hang_on_the_margin() -> None:
    land, area = land_of(), area_of()
    drawn = replace(CONDITIONS, weather=None)
    first, again = found_for(land, area, drawn), found_for(land, area, drawn)
    assert first[0].checksum() == again[0].checksum()
    assert first[1:] == again[1:]
    longer = replace(drawn, regime=replace(drawn.regime, duration_min=40.0))
    wider = found_for(land, area, longer)
    assert wider[0].shape > first[0].shape
    assert wider[0].fire_checksum() == first[0].fire_checksum()
    one, other = (make_scene(made[0], drawn, 0) for made in (first, wider))
    np.testing.assert_array_equal(one.scenarios.wind_from_deg, other.scenarios.wind_from_deg)


def test_a_domain_is_bounded_by_memory_and_says_so(monkeypatch) -> None:
    land, area = land_of(), area_of()
    monkeypatch.setattr(domain, "MOST_ROW_CELLS", 2 * 400)
    monkeypatch.setattr(domain, "DISTRICT_SPARE", 0.5)
    made, _, facts = found_for(land, area)
    assert made.fuel_model.size <= 400
    assert facts.bounded == "memory"
    assert "memory" in facts.words()
    even = facts._replace(margin_m=(1500.0,) * 8, bounded="", mirrored=0.0)
    assert even.words() == "fires also start around the area, up to 1.5 km from it"
    uneven = even._replace(margin_m=(900.0, *even.margin_m[1:]))
    assert "up to so many km from it: N 0.9, NE 1.5, E 1.5," in uneven.words()


def test_margins_are_widened_while_starts_in_their_outer_fifth_lose_much() -> None:
    land = replace(land_of(), zone=np.where(area_of(), AREA, MARGIN).astype(np.int8))
    around, margin = Surroundings.of(land), np.full(8, 300.0)
    outside = np.flatnonzero((around.distance_m > 0.0).ravel())
    far = np.flatnonzero(((around.distance_m > 240.0) & (around.distance_m <= 300.0)).ravel())
    everything = np.full(8, 1e9)

    def probe(cells: np.ndarray, lost: float) -> Probe:
        loss = np.zeros(outside.size)
        loss[np.isin(outside, cells)] = lost
        loss[around.distance_m.ravel()[outside] <= 60.0] = 1.0
        return Probe(outside, np.zeros(outside.size), loss)

    kept, outer = widened(margin, everything, probe(far, 0.0), around)
    assert (kept == 300.0).all()
    assert outer == 0.0
    wide, outer = widened(margin, everything, probe(far, 5.0), around)
    assert (wide == 375.0).all()  # then they lie within four fifths of it
    assert outer < domain.OUTER_LOSS
    always = Probe(outside, np.zeros(outside.size), np.ones(outside.size))
    wide, outer = widened(margin, everything, always, around)
    np.testing.assert_allclose(wide, 300.0 * 1.25**3)
    assert outer >= domain.OUTER_LOSS
    # Where no more is to be had, what is asked of is what can be had.
    _, outer = widened(margin, np.full(8, 100.0), probe(far, 5.0), around)
    assert outer == 0.0


def test_sectors_are_centred_on_the_winds_of_the_compass() -> None:
    bearings = np.array([0.0, 22.4, 22.6, 90.0, 180.0, 269.0, 337.4, 337.6, 360.0, -45.0])
    assert [SECTORS[k] for k in sector_of(bearings)] == [
        "N", "N", "NE", "E", "S", "W", "NW", "N", "N", "NW"]


def test_few_fires_of_a_sector_stand_for_none() -> None:
    land = replace(land_of(), zone=np.where(area_of(), AREA, MARGIN).astype(np.int8))
    around = Surroundings.of(land)
    north = np.flatnonzero(((around.distance_m > 0.0) & (around.sector == 0)).ravel())[:7]
    inside = np.flatnonzero(land.inside.ravel())[:20]
    source = np.concatenate([north, inside])
    probe = Probe(source, np.concatenate([np.full(7, 900.0), np.full(20, 100.0)]),
                  np.zeros(source.size))
    np.testing.assert_allclose(reach_of(probe, around, np.zeros(8, bool)), np.quantile(
        probe.reach_m, 0.75))


def test_no_two_sets_of_fires_meet() -> None:
    made, *_ = found_for(land_of(), area_of())
    scene = make_scene(made, CONDITIONS, 0)
    keys = [scene.fires(name, 300).key for name in (
        "probe", "plan", "choice", "test", "reward", "simulate", "show")]
    assert np.unique(np.concatenate(keys)).size == 300 * len(keys)


def test_a_view_has_the_cells_around_the_area_and_leaves_others_out() -> None:
    made, *_ = found_for(land_of(), area_of())
    view = View.of(made)
    assert view.land.shape == (12, 20)
    np.testing.assert_array_equal(view.land.fuel_model, land_of().fuel_model[24:36, 20:40])
    numbers = np.arange(made.fuel_model.size).reshape(made.shape)
    every = view.cells(numbers.ravel())
    np.testing.assert_array_equal(every, np.arange(12 * 20))
    np.testing.assert_array_equal(view.cells(view.grid(numbers).ravel()[[7, 3]]), [7, 3])
    alone = View.of(land_of())
    assert alone.land.shape == (SIZE, SIZE)
