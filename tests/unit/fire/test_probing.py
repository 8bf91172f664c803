"""The proposal that probe fires find: true in the mean, and worth its while where fires seldom
meet value.
"""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.fire import (
    FireConditions,
    FireRegime,
    Scene,
    burn,
    burn_field,
    effective_number,
    make_scene,
    with_proposal,
)
from firebreak.fire.making import with_travel
from firebreak.fire.probing import backwards, weather_groups
from firebreak.fire.scene import PROBE_SET, PROPOSED
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.fire_counts import (
    FEWEST_MEETING,
    enough_plan_fires,
    most_plan_fires,
)


def scene_of(seed: int, size: int, houses: int, minutes: float, *, scenarios: int = 8,
             edge_share: float = 0.0, tiled: bool = False) -> Scene:
    """Houses in one corner of a synthetic map."""
    land, rng = generate(seed, size), np.random.default_rng(seed)
    corner = np.zeros(land.shape, bool)
    corner[:size // 6, :size // 6] = True
    cells = np.flatnonzero(land.burnable & corner if (land.burnable & corner).any()
                           else land.burnable)
    value = np.zeros(land.shape, np.float32)
    np.add.at(value.ravel(), rng.choice(cells, houses), 1.0)
    return make_scene(replace(land, value=value), FireConditions(
        scenarios=scenarios, regime=FireRegime(duration_min=minutes, edge_share=edge_share)),
        seed, tiled=tiled)


def test_backwards_takes_as_long_as_forwards() -> None:
    scene = scene_of(3, 40, 1, 60.0, scenarios=2)
    back = with_travel(backwards(scene))
    cells = np.random.default_rng(1).choice(np.flatnonzero(scene.landscape.burnable), 12)
    fires = scene.fires("test", 12)._replace(source=cells, duration_min=np.full(12, np.inf))
    there, again = (burn_field(one.field, fires, want="arrival").arrivals_min.reshape(12, -1)
                    for one in (scene, back))
    for one in range(12):
        for other in range(12):
            if fires.scenario[one] == fires.scenario[other] and one != other:
                assert again[other, cells[one]] == pytest.approx(there[one, cells[other]],
                                                                 rel=0.15)


@pytest.mark.slow
def test_means_are_those_of_plain_draws() -> None:
    off = []
    for seed in range(20):
        scene = scene_of(seed, 48, 12, 90.0)
        proposed = with_proposal(scene)
        assert proposed.proposal is not None
        plain, drawn = (burn(scene, one.fires("test", 2500)).loss for one in (scene, proposed))
        spread = np.sqrt((plain.var() + drawn.var()) / plain.size)
        off.append((drawn.mean() - plain.mean()) / spread)
    assert abs(np.sum(off)) / np.sqrt(len(off)) < 3.0
    assert np.abs(off).max() < 4.0


@pytest.mark.slow
def test_where_few_fires_meet_value_the_mean_is_five_times_surer() -> None:
    ratios, numbers = [], []
    for seed in range(4):
        scene = scene_of(seed, 120, 12, 60.0)
        plain = burn(scene, scene.fires("test", 4000)).loss
        assert 0.0 < (plain > 0.0).mean() < 0.05
        fires = with_proposal(scene).fires("test", 4000)
        drawn = burn(scene, fires).loss
        ratios.append(plain.var() / drawn.var())
        numbers.append(effective_number(fires.times[drawn > 0.0]) / np.count_nonzero(plain))
    assert np.median(ratios) >= 5.0
    assert np.median(numbers) >= 3.0


def test_the_scene_stays_where_a_proposal_adds_nothing() -> None:
    everywhere = make_scene(generate(1, 24), FireConditions(scenarios=2), 1)
    from_edge, worthless = scene_of(1, 24, 3, 60.0, edge_share=0.5), scene_of(1, 24, 0, 60.0)
    for scene in (from_edge, worthless):
        assert with_proposal(scene) is scene
    plain = with_proposal(everywhere)
    assert plain.meets is not None
    assert 0.5 <= plain.meets <= 1.0
    assert plain.fires("test", 5).weight is None


@pytest.mark.slow
def test_plan_fires_are_so_many_that_enough_meet_value() -> None:
    found = []
    for seed in range(4):
        scene = with_proposal(scene_of(seed, 48, 24, 120.0))
        count = enough_plan_fires(scene, None, least=1)
        assert 1 < count < most_plan_fires(scene.landscape.fuel_model.size)
        fires = scene.fires("plan", count)
        found.append(effective_number(fires.times[burn(scene, fires).loss > 0.0]))
    assert FEWEST_MEETING <= np.median(found) <= 1.5 * FEWEST_MEETING


def test_the_number_of_plan_fires_is_as_asked_or_within_bounds() -> None:
    scene = scene_of(1, 24, 3, 60.0)
    assert [enough_plan_fires(scene, asked) for asked in (None, 7)] == [256, 7]
    seldom, always = (replace(scene, meets=meets) for meets in (0.0, 1.0))
    assert enough_plan_fires(seldom, 7) == 7
    assert enough_plan_fires(seldom, None) == most_plan_fires(24 * 24) == 1024
    assert enough_plan_fires(seldom, None, least=3000) == 3000
    assert enough_plan_fires(always, None) == 256
    assert most_plan_fires(1000 * 1000) == 100


def test_a_tiled_scene_finds_the_same_as_one_that_holds_its_travel_times() -> None:
    one, other = (with_proposal(scene_of(5, 40, 5, 60.0, tiled=tiled)) for tiled in (False, True))
    for fire_set in PROPOSED:
        for mine, theirs in zip(one.fires(fire_set, 40), other.fires(fire_set, 40), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_probes_are_no_fires_that_count() -> None:
    scene = with_proposal(scene_of(5, 40, 5, 60.0))
    sets = [set(scene.fires(name, 600).key.tolist())
            for name in (*PROPOSED, PROBE_SET, "simulate", "reward")]
    assert len(set.union(*sets)) == sum(map(len, sets))
    for name in (PROBE_SET, "simulate", "reward", "show", "explore"):
        assert scene.fires(name, 5).weight is None


def test_weathers_of_one_group_blow_alike() -> None:
    scene = scene_of(2, 24, 3, 60.0, scenarios=60)
    group, weather = weather_groups(scene), scene.scenarios
    assert group.tolist() == np.unique(group, return_inverse=True)[1].tolist()
    for number in range(group.max() + 1):
        own = group == number
        angle = np.radians(weather.wind_from_deg[own])
        assert np.hypot(np.cos(angle).mean(), np.sin(angle).mean()) > np.cos(np.radians(11.3))
