"""A fire that counts for so much is that fire twice, each counting for half: in every statistic
that averages or counts fires.

Means divide by the number of fires, which the second copy raises by one, so sums are compared.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.env.gains import gains_of_cells, gains_of_lines, saved_anew
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch, Sizes, sizes_for
from firebreak.fire import (
    HEAVIEST,
    WHOLE,
    FireConditions,
    Fires,
    FireStore,
    HoldRule,
    KnownFires,
    PartsTotal,
    Scene,
    burn,
    burn_field,
    burn_part,
    effective_number,
    make_scene,
    pad,
    parts_of,
)
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.evaluation.build_order import in_build_order
from firebreak.planning.evaluation.choice import choice_fires, race
from firebreak.planning.evaluation.doubt import doubt
from firebreak.planning.evaluation.effect import by_weather, chance_of, effect_of, exceedance, risk
from firebreak.planning.evaluation.intervals import fire_groups, single_fires
from firebreak.planning.evaluation.judging import judge_scene
from firebreak.planning.evaluation.losses import worst_tenth_mean, worst_tenth_parts
from firebreak.planning.evaluation.refine import saved_by_each
from firebreak.planning.making import make_plan
from firebreak.planning.ranking import TreeSums, conditional_value
from firebreak.planning.windows.make import make_region
from firebreak.planning.windows.region import RegionWorker, footprints_of
from firebreak.planning.windows.shards.shard_plan import Wanted, known_boxes, shards_of
from strategies import Case, cases, problem_on

SIZE, FIRES = 16, 24


def weighted(fires: Fires, seed: int) -> Fires:
    """The fires with weights that can be halved."""
    half = np.random.default_rng(seed).integers(1, HEAVIEST * WHOLE // 2, fires.source.size)
    return fires._replace(weight=2 * half)


def doubled(fires: Fires, which: int) -> Fires:
    """The fires with one of them twice, each with half of its weight."""
    number = np.sort([*range(fires.source.size), which])
    twice = fires.part(number)
    return twice._replace(weight=np.where(number == which, twice.parts // 2, twice.parts))


def both(fires: Fires, seed: int) -> tuple[Fires, Fires]:
    one = weighted(fires, seed)
    return one, doubled(one, seed % fires.source.size)


def slots_with(case: Case, fires: Fires) -> ProblemBatch:
    """The case's breaks under fires that all burn in one slot, as plan and as reward fires."""
    count = fires.source.size
    slots = ProblemBatch(Sizes(1, case.burnable.shape, 2, count, count))
    slots.load(0, problem_on(case, fires, fires))
    slots.update(SLOT_0, fresh=True)
    for cell in np.flatnonzero(case.breaks).tolist():
        slots.place(0, cell)
    slots.update(SLOT_0)
    return slots


@settings(max_examples=60, deadline=None)
@given(case=cases(most_side=12), seed=st.integers(0, 2**32 - 1))
def test_sums_over_fires_that_burn_once(case: Case, seed: int) -> None:
    one, two = both(case.fires, seed)
    found = [burn_field(case.field(), fires, case.value, case.breaks, want="statistics")
             for fires in (one, two)]
    assert found[0].loss.sum() == pytest.approx(found[1].loss.sum(), rel=1e-12)
    for name in ("burn_probability", "downstream_value", "lost", "class_probability"):
        sums = [getattr(own, name) * own.loss.size for own in found]
        np.testing.assert_allclose(*sums, rtol=1e-12, err_msg=name)
    np.testing.assert_array_equal(found[0].arrival_time_min, found[1].arrival_time_min)
    plain = burn_field(case.field(), case.fires, case.value, case.breaks)
    np.testing.assert_allclose(found[0].loss, plain.loss * one.weight / WHOLE, rtol=1e-12)


@settings(max_examples=40, deadline=None)
@given(case=cases(most_side=12), seed=st.integers(0, 2**32 - 1))
def test_sums_over_fires_that_are_kept(case: Case, seed: int) -> None:
    made, worth = [], case.value.astype(np.float64)
    free = np.flatnonzero(case.burnable & ~case.breaks)
    for fires in both(case.fires, seed):
        slots, count = slots_with(case, fires), fires.source.size
        trees, sums = slots.plan_trees(0), TreeSums(case.burnable.shape)
        lines = [free[k:k + 3] for k in range(0, free.size, 3)]
        places = np.arange(count)
        anew = saved_anew(slots, lines, [places] * len(lines), np.zeros_like(case.breaks))
        made.append([
            *(count * part for part in slots.maps(0)), count * slots.plan_loss(0),
            count * slots.reward_losses(SLOT_0), count * slots.untreated_plan_loss,
            count * gains_of_cells(slots, np.arange(case.burnable.size)),
            count * gains_of_lines(slots, lines)[0],
            np.array([own.sum() for own in anew.saved]) / slots.loss_unit(0),
            trees.loss.sum(), sums.paths(trees, pad(worth)),
            *sums.flow(trees.code, pad(worth), trees.times)])
        moving = slots.layers[0, :2].astype(int)
        made[-1].append(moving)
    for one, two in zip(*(own[:-1] for own in made), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
    # Chance and downstream value are shown relative to their own largest or usual one.
    assert np.abs(made[0][-1] - made[1][-1]).max() <= 1


@settings(max_examples=25, deadline=None)
@given(case=cases(most_side=12), seed=st.integers(0, 2**32 - 1))
def test_kept_fires_lose_what_fires_that_burn_once_lose(case: Case, seed: int) -> None:
    fires = weighted(case.fires, seed)
    slots = slots_with(case, fires)
    once = burn_field(case.field(), fires, case.value, case.breaks, want="statistics")
    np.testing.assert_allclose(slots.plan_trees(0).loss, once.loss, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(slots.maps(0)[0], once.burn_probability, rtol=1e-12)
    np.testing.assert_allclose(slots.maps(0)[1], once.downstream_value, rtol=1e-6, atol=1e-6)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, HEAVIEST * WHOLE // 2),
                          st.integers(0, 5)), min_size=1, max_size=40), st.integers(0, 10**6))
def test_order_statistics_and_intervals(rows: list[tuple[int, int, int]], which: int) -> None:
    loss, half, weather = (np.array(column) for column in zip(*rows, strict=True))
    made = []
    for fires in (np.arange(loss.size), np.sort([*range(loss.size), which % loss.size])):
        times = 2.0 * half[fires] / WHOLE
        if fires.size > loss.size:
            times = np.where(fires == which % loss.size, times / 2.0, times)
        own, count = loss[fires] * times, fires.size
        saved, groups = 0.5 * own * (weather[fires] % 2), fire_groups(weather[fires], own, times)
        mean = groups.mean(own)
        shared = groups.saving(saved, own) + groups.saving(saved, own, own)
        parts, tail = worst_tenth_parts(own, times)
        x, chance = exceedance(own, times)
        made.append([
            worst_tenth_mean(own, times), chance_of(own, times, np.arange(10.0)),
            np.interp(np.arange(10.0), x, chance), tail.sum(), parts.sum() / count,
            count * mean.mean, *(np.array(shared) if groups.weathers else ()),
            *(count * np.array(mean[1:]) if groups.weathers else ())])
    for one, two in zip(*made, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
    assert single_fires(3, np.ones(3)).mean(np.arange(3.0)).mean == 1.0


@given(st.lists(st.integers(1, HEAVIEST * WHOLE), min_size=1, max_size=30))
def test_the_effective_number_is_that_of_kish(parts: list[int]) -> None:
    times = np.array(parts) / WHOLE
    assert 1.0 <= effective_number(times) <= times.size * (1 + 1e-12)
    assert effective_number(np.full(7, 0.3)) == pytest.approx(7.0)


KINDS = {"hard": {}, "held": {"treatment": Treatment(kind="shaded"), "hold": HoldRule(
    by="hand", response_min=5.0)}, "narrow": {"treatment": Treatment(width_m=10.0)}}


@pytest.fixture(params=KINDS)
def scenes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch,
           ) -> tuple[Scene, Scene]:
    """Two scenes: in the second, one fire of every set is there twice."""
    draw, conditions = Scene.fires, FireConditions(scenarios=5, **KINDS[request.param])
    one, two = (make_scene(generate(3, SIZE), conditions, 3) for _ in range(2))

    def fires(scene: Scene, fire_set: str, count: int) -> Fires:
        # The sets of the second scene are longer by the copy.
        plain = draw(scene, fire_set, count - (scene is two))
        own = weighted(plain, len(fire_set))
        return doubled(own, 7) if scene is two else own

    monkeypatch.setattr(Scene, "fires", fires)
    return one, two


def segments_of(scene: Scene) -> list[Corridor]:
    made = make_plan(scene, 0.1, FIRES, "downstream-value", seed=1)
    return break_segments_of(made.break_mask(), scene.landscape, 120.0)


def test_what_plans_are_judged_by(scenes: tuple[Scene, Scene]) -> None:
    one, two = scenes
    segments = segments_of(one)
    mask = np.zeros(one.landscape.shape, bool)
    for segment in segments:
        mask.ravel()[segment.cells] = True
    made = []
    for scene, count in ((one, FIRES), (two, FIRES + 1)):
        effect = effect_of(scene, segments, count)
        fires = scene.fires("choice", count)
        whole, saved = saved_by_each(KnownFires(scene, fires, mask), segments,
                                      range(len(segments)))
        found, lines = risk(effect), by_weather(effect, scene)
        held = burn(scene, fires, mask, want="statistics").held_probability
        order = in_build_order(scene, segments, count)
        value, _ = conditional_value(scene, fires)
        made.append([
            count * effect.loss.mean(axis=1), count * effect.before, count * effect.after,
            *(count * np.array(own) for own in (effect.engaged, effect.held) if own is not None),
            found["mean_loss_reduction"], found["cvar90_reduction"].mean,
            found["cvar90_before"].mean, found["cvar90_after"].mean,
            count * found["mean_loss_before"].low, count * found["mean_loss_after"].high,
            *([line[name] for line in lines]
              for name in ("mean_loss_before", "mean_loss_after", "reduction")),
            count * whole, count * saved, count * held, value,
            [int(segment.cells[0]) for segment in order]])
    for first, second in zip(*made, strict=True):
        np.testing.assert_allclose(np.array(first, float), np.array(second, float), rtol=1e-9,
                                   atol=1e-9)
    assert effect.protected == pytest.approx(effect_of(one, segments, FIRES).protected, rel=0.5)


def test_what_plans_are_compared_and_chosen_by(scenes: tuple[Scene, Scene]) -> None:
    one, two = scenes
    plans = {name: make_plan(one, 0.08, FIRES, name, seed=1)
             for name in ("random", "downstream-value")}
    rows, shares, left = [], [], []
    for scene, count in ((one, FIRES), (two, FIRES + 1)):
        result = judge_scene(scene, {name: [plan] for name, plan in plans.items()}, count, count)
        rows.append([result.rows[name]._replace(seconds=0.0, simulations=0.0, plan_fires=0)[6:]
                     for name in plans])
        fires = choice_fires(scene, count)
        saved = race(list(plans), lambda name, part, fires=fires: fires.savings(plans[name], part),
                     count, 2)
        shares.append([float(own.mean()) for own in saved.values()])
        under = doubt(scene, plans, count, 1, draws=2)
        left.append([under.own, *(own.reduction for own in under.by_kind.values())])
    unlike = {"untreated_loss_in_unit", "untreated_burned_share"}
    for first, second in zip(*rows, strict=True):
        for name, a, b in zip(result.rows["random"]._fields[6:], first, second, strict=True):
            if isinstance(a, float) and name not in unlike:
                assert a == pytest.approx(b, rel=1e-9), name
    assert shares[0] == pytest.approx(shares[1], rel=1e-9)
    for first, second in zip(*left, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-9)


@pytest.mark.parametrize("scenes", ["hard"], indirect=True)
@pytest.mark.parametrize("method", ["burn-probability", "downstream-value", "betweenness",
                                    "segments", "strips", "greedy"])
def test_plans_of_methods(scenes: tuple[Scene, Scene], method: str) -> None:
    one, two = (make_plan(scene, 0.06, FIRES + k, method, seed=2)
                for k, scene in enumerate(scenes))
    assert one.cells.tolist() == two.cells.tolist()


def test_shards_of_a_map_of_any_size() -> None:
    wide = make_scene(generate(5, 60), FireConditions(scenarios=2), 5, tiled=True)
    region = make_region(wide, 0.1, "downstream-value", seed=5, plan_fires=FIRES)
    free = np.flatnonzero(wide.landscape.treatable)
    lines = [free[k:k + 6] for k in range(0, free.size - 6, free.size // 20)]
    made = []
    for fires in both(region.fires, 11):
        own = region.__class__(**{name: getattr(region, name) for name in (
            "scene", "method", "policy", "search", "share", "seed", "rules")}, fires=fires)
        worker = RegionWorker(own)
        worker.receive(lines)
        boxes = known_boxes([one.box for one in footprints_of(wide, fires, ())], wide)
        lost, saved = 0, np.zeros(len(lines), np.int64)
        for number, shard in enumerate(shards_of(boxes, fires.scenario, 5)):
            lost += worker.lost(number, shard, (1, 2))
            found = worker.rate(number, shard, (), [Wanted(k) for k in range(len(lines))])
            saved += np.array([one.sum() for one in found.saved])
        whole = worker.losses(fires, [np.concatenate(lines[1:3])]).sum()
        assert whole == pytest.approx(lost, rel=1e-9)
        made.append((lost, saved.tolist()))
    assert made[0] == made[1]
    assert made[0][0] > 0


def test_parts_in_any_order_have_the_bits_of_all_fires(scenes: tuple[Scene, Scene]) -> None:
    scene = scenes[0]
    fires = scene.fires("test", 60)
    total = PartsTotal(scene, fires)
    parts = parts_of(fires, scene.landscape.shape)
    for which in parts[::-1]:
        total.add(which, burn_part(scene, fires.part(which), None, total.units))
    for one, two in zip(total.result(), burn(scene, fires, want="statistics"), strict=True):
        np.testing.assert_array_equal(one, two)


def test_weights_out_of_range_are_refused(scenes: tuple[Scene, Scene]) -> None:
    scene = scenes[0]
    fires = scene.fires("plan", 3)
    for weight in ([0, 1, 1], [1, HEAVIEST * WHOLE + 1, 1], [1, 1]):
        with pytest.raises(InputError, match="weights"):
            burn(scene, fires._replace(weight=np.array(weight)))
    many, store = 110_000, FireStore((1, 1), 1, 1, 0)
    with pytest.raises(InputError, match="draw fewer"):
        store.load(slice(0, 1), fires.part(np.zeros(many, int))._replace(
            weight=np.full(many, HEAVIEST * WHOLE)), 0, scene.field)


def test_plain_and_weighted_fires_may_share_a_slot(scenes: tuple[Scene, Scene]) -> None:
    scene = scenes[0]
    plan = scene.fires("plan", 9)
    plain = scene.fires("reward", 9)._replace(weight=None)
    slots = ProblemBatch(sizes_for(scene, 1, 9, 9))
    slots.load(0, problem_of(scene, 0.1, plan, plain))
    slots.update(SLOT_0, fresh=True)
    assert slots.plan_loss(0) == pytest.approx(burn(scene, plan).loss.mean())
    assert slots.reward_losses(SLOT_0)[0] == pytest.approx(burn(scene, plain).loss.mean())


@settings(max_examples=20, deadline=None)
@given(case=cases(most_side=12))
def test_fires_that_all_count_once_are_plain_fires(case: Case) -> None:
    once = case.fires._replace(weight=np.full(case.fires.source.size, WHOLE))
    plain, whole = (slots_with(case, fires) for fires in (case.fires, once))
    np.testing.assert_array_equal(plain.layers, whole.layers)
    for one, two in zip(plain.maps(0), whole.maps(0), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6)
    assert plain.plan_loss(0) == pytest.approx(whole.plan_loss(0), rel=1e-9)
