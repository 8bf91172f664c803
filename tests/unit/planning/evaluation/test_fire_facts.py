"""The numbers of a set of fires: hours, hectares, where they come from, what to doubt."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp

from firebreak.checks import InputError
from firebreak.fire import (
    FireConditions,
    FireRegime,
    Fires,
    Scene,
    burn,
    effective_number,
    fire_keys,
    make_scene,
)
from firebreak.landscape.formats.tables import read_fire_sizes
from firebreak.landscape.landscape import AREA, MARGIN
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.fire_counts import FEWEST_MEETING, most_plan_fires
from firebreak.planning.evaluation.fire_facts import (
    FireFacts,
    fact_words,
    fire_facts,
    size_words,
)
from firebreak.weather.scenarios import make_scenarios

SIDE = 24
KM_H = 1000.0 / 60.0


def scene_of(winds_km_h: list[float], crs: str | None = "EPSG:32611") -> Scene:
    """Land of one fuel without slope, with a value in every cell."""
    land = generate(3, SIDE)
    flat = np.zeros(land.shape, np.float32)
    land = replace(land, crs=crs, fuel_model=np.full(land.shape, 101, np.int16), elevation_m=flat,
                   slope_tan=flat, value=np.ones(land.shape, np.float32))
    weather = make_scenarios(
        wind_20ft_m_min=[KM_H * speed for speed in winds_km_h], wind_from_deg=270.0,
        dead_moisture_1h=0.06, dead_moisture_10h=0.07, dead_moisture_100h=0.08,
        live_moisture_herb=0.6, live_moisture_woody=0.9)
    return make_scene(land, FireConditions(regime=FireRegime(duration_min=60.0)), 0, weather)


def fires_at(cells: list[int], hours: list[float], scenario: list[int] | None = None) -> Fires:
    count = len(cells)
    return Fires(np.array(cells), np.array(scenario or [0] * count), 60.0 * np.array(hours),
                 fire_keys(0, "x", "y", count))


MIDDLE = SIDE // 2 * SIDE + SIDE // 2


def test_hours_and_hectares_are_those_of_the_fires() -> None:
    scene = scene_of([10.0, 20.0])
    fires = fires_at([MIDDLE] * 4, [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1])
    facts = fire_facts(scene, fires)
    arrivals = burn(scene, fires, want="arrival").arrivals_min
    burned = np.isfinite(arrivals).sum(axis=(1, 2)) * scene.landscape.cell_size_m**2 / 1e4
    np.testing.assert_array_equal(facts.sizes_ha, burned)
    np.testing.assert_allclose(facts.hours, [0.1, 0.2, 0.4, 0.4])
    assert facts.hectares[-1] == burned.max()
    assert [one.wind_km_h for one in facts.winds] == [10, 20]
    assert [one.share for one in facts.winds] == [0.5, 0.5]
    np.testing.assert_allclose(facts.winds[1].hours, [0.3, 0.3, 0.4, 0.4])
    assert facts.burned_ha == pytest.approx(burned.mean())
    assert facts.lost == pytest.approx(burn(scene, fires).loss.mean()
                                       * scene.landscape.cell_size_m**2 / 1e4)


def test_fires_that_reach_the_edge_or_start_outside_are_counted_with_their_loss() -> None:
    scene = scene_of([10.0])
    fires = fires_at([MIDDLE, 0, MIDDLE], [0.05, 0.05, 100.0])
    area = np.zeros(scene.landscape.shape, np.bool_)
    area[SIDE // 2, SIDE // 2] = True
    scene = replace(scene, landscape=replace(
        scene.landscape, zone=np.where(area, AREA, MARGIN).astype(np.int8)))
    facts = fire_facts(scene, fires)
    loss = burn(scene, fires).loss
    assert facts.at_edge == pytest.approx(2 / 3)
    assert facts.lost_from_edge == pytest.approx(loss[1:].sum() / loss.sum())
    assert facts.outside == pytest.approx(1 / 3)
    assert facts.lost_from_outside == pytest.approx(loss[1] / loss.sum())
    away = np.hypot(SIDE // 2, SIDE // 2) * scene.landscape.cell_size_m / 1e3
    np.testing.assert_allclose(facts.away_km, away)
    assert f"half of them within {away:.1f} km" in " ".join(fact_words(facts))


def doubts_of(scene: Scene, fires: Fires, plan_fires: Fires | None = None) -> str:
    return " ".join(fire_facts(scene, fires, plan_fires).doubts)


def test_a_small_fire_in_the_middle_gives_no_cause_for_doubt() -> None:
    scene = scene_of([10.0])
    many = fires_at([MIDDLE] * FEWEST_MEETING, [0.1] * FEWEST_MEETING)
    assert doubts_of(scene, many, many) == ""


def test_each_doubt_is_raised_by_its_cause() -> None:
    scene = scene_of([10.0, 40.0, 100.0])
    assert "more than 24 hours of one weather" in doubts_of(scene, fires_at([MIDDLE], [25.0]))
    assert "reach the edge" in doubts_of(scene, fires_at([0], [0.1]))
    facts = fire_facts(scene, fires_at([MIDDLE], [0.1]), fires_at([MIDDLE] * 2, [0.1] * 2))
    most = most_plan_fires(scene.landscape.fuel_model.size)
    assert ("The 2 plan fires tell as much as 2 plain draws that meet value, where 100 are wanted: "
            f"give more (--plan-fires; without it at most {most:,} are taken here)."
            ) in facts.doubts
    assert ("methods plan with 2 fires, which tell as much as 2 plain draws that meet value"
            in fact_words(facts))
    assert "no wind-driven runs" in doubts_of(scene, fires_at([MIDDLE], [0.1], [2]))
    assert "no wind-driven runs" not in doubts_of(scene, fires_at([MIDDLE], [0.1], [1]))


def test_fires_that_shrink_with_wind_are_doubted_and_fires_that_grow_are_not() -> None:
    scene = scene_of([10.0, 20.0, 30.0, 40.0])
    weathers = [k for k in range(4) for _ in range(5)]
    steady, shrinking = [0.3] * 20, [(3.0, 1.0, 0.2, 0.02)[k] for k in weathers]
    assert "where the wind is stronger" not in doubts_of(
        scene, fires_at([MIDDLE] * 20, steady, weathers))
    assert "where the wind is stronger" in doubts_of(
        scene, fires_at([MIDDLE] * 20, shrinking, weathers))


def test_synthetic_land_has_no_surroundings_to_doubt() -> None:
    assert doubts_of(scene_of([10.0], crs=None), fires_at([0], [50.0])) == ""


def test_equal_draws_count_for_themselves_and_others_for_less() -> None:
    assert effective_number(np.full(7, 3.0)) == pytest.approx(7.0)
    assert effective_number(np.array([1.0, 3.0])) == pytest.approx(16.0 / 10.0)
    assert effective_number(np.empty(0)) == 0.0


def test_the_distance_of_sizes_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    ours, theirs = rng.exponential(50.0, 40), rng.exponential(90.0, 30)
    words = size_words(ours, theirs)
    assert f"{ks_2samp(ours, theirs).statistic:.2f}" in words.rpartition(" ")[2]
    assert "30 on record" in words
    doubled = size_words(ours, theirs, np.full(40, 2.0))
    assert doubled == words


def test_sizes_are_read_in_hectares_and_acres(tmp_path: Path) -> None:
    file = tmp_path / "sizes.csv"
    file.write_text("year,hectares\n2001,3\n2002,4.5\n")
    np.testing.assert_array_equal(read_fire_sizes(file), [3.0, 4.5])
    file.write_text("FIRE_SIZE\n100\n")
    np.testing.assert_allclose(read_fire_sizes(file), [40.468564])


@pytest.mark.parametrize(("text", "words"), [
    ("", "an empty file"), ("size\n1\n", "hectares or acres"), ("ha\n", "at least one fire"),
    ("ha\n-1\n", "line 2"), ("ha\nnan\n", "line 2"), ("ha\nmany\n", "line 2"),
    ("year,ha\n2001\n", "line 2")])
def test_sizes_that_are_none_are_refused_by_their_line(tmp_path: Path, text: str,
                                                       words: str) -> None:
    file = tmp_path / "sizes.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        read_fire_sizes(file)


def test_facts_are_of_one_shape() -> None:
    facts = fire_facts(scene_of([10.0]), fires_at([MIDDLE], [0.1]))
    assert isinstance(facts, FireFacts)
    assert facts.away_km.size == 0
