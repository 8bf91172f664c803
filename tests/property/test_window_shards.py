"""Shards = whole, bit for bit: for any split of the fires, any order of calls, any executor."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.executors.base import closing
from firebreak.executors.choice import open_executor
from firebreak.fire import FireConditions, FireRegime, burn_loss, make_wide_scene
from firebreak.fire.scene import make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.windows.footprints import footprints_of
from firebreak.planning.windows.make import (
    Region,
    WindowPlan,
    WindowSettings,
    make_region,
    plan_by_windows,
    region_recipe,
)
from firebreak.planning.windows.region import RegionWorker
from firebreak.planning.windows.shards import Shard, ShardPlan, loss_bound, shards_of

SIZE, FIRES = 90, 24


class Case(NamedTuple):
    region: Region
    boxes: list
    lines: list


def made(**conditions: object) -> Case:
    wide = make_wide_scene(generate(5, SIZE), FireConditions(
        scenarios=2, regime=FireRegime(burned_share=0.01), **conditions), 5)  # type: ignore[arg-type]
    region = make_region(wide, 0.1, "downstream-value", seed=5, plan_fires=FIRES)
    boxes = [one.box for one in footprints_of(wide, region.fires, ())]
    rng = np.random.default_rng(1)
    free = np.flatnonzero(wide.landscape.treatable)
    lines = [np.intersect1d(free, cell + SIZE * (k % 2) * np.arange(9) + (k % 2 == 0)
                            * np.arange(9)) for k, cell in enumerate(rng.choice(free, 60))]
    taken = np.zeros(SIZE * SIZE, bool)
    apart = []
    for line in lines:
        if line.size and not taken[line].any():
            apart.append(line)
            taken[line] = True
    return Case(region, boxes, apart)


@pytest.fixture(scope="module")
def case() -> Case:
    return made()


def whole_rating(case: Case, taken: tuple[int, ...], numbers: list[int]) -> list[int]:
    """All fires in one shard a stream, on the whole map."""
    wide, fires = case.region.scene, case.region.fires
    total = np.zeros(len(numbers), np.int64)
    for stream in np.unique(fires.scenario).tolist():
        own = np.flatnonzero(fires.scenario == stream)
        shard = Shard(wide, ShardPlan((0, 0, SIZE, SIZE), stream, own), fires.part(own),
                      loss_bound(wide, fires.source.size))
        shard.take(taken, case.lines)
        total += shard.rate(numbers, case.lines).saved
    return total.tolist()


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), most=st.sampled_from([1, 2, 5, 99]))
def test_ratings_are_those_of_the_whole_map_for_any_split(case: Case, seed: int,
                                                          most: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(case.lines)).tolist()
    taken, numbers = tuple(order[:rng.integers(0, 12)]), order[12:]
    worker = RegionWorker(case.region)
    worker.receive(case.lines)
    shards = shards_of(case.boxes, case.region.fires.scenario, most)
    assert sorted(np.concatenate([shard.fires for shard in shards]).tolist()) == list(range(FIRES))
    total = np.zeros(len(numbers), np.int64)
    for k in rng.permutation(len(shards)).tolist():
        if rng.random() < 0.5:  # what it held before must not matter
            worker.rate(k, shards[k], tuple(order[:3]), numbers[:1])
        total += worker.rate(k, shards[k], taken, numbers).saved
    assert total.tolist() == whole_rating(case, taken, numbers)
    assert total.any()


def test_what_lines_save_is_what_fires_lose_less(case: Case) -> None:
    wide, fires = case.region.scene, case.region.fires
    scene = make_scene(wide.landscape, wide.conditions, 5)
    mask = np.zeros((SIZE, SIZE), bool)
    before = burn_loss(scene.field, fires, scene.value_by_class).sum()
    taken: tuple[int, ...] = ()
    saved = 0
    for line in range(8):
        saved += whole_rating(case, taken, [line])[0]
        taken += (line,)
        mask.ravel()[case.lines[line]] = True
    after = burn_loss(scene.field, fires, scene.value_by_class, mask).sum()
    unit = 2.0**(48 - int(np.ceil(np.log2(loss_bound(wide, FIRES)))))
    assert saved / unit == pytest.approx(before - after, rel=1e-9)
    assert saved > 0


def planned(region: Region, name: str, workers: int, most: int = 2**20) -> WindowPlan:
    with closing(open_executor(name, region_recipe(region), workers)) as executor:  # type: ignore[arg-type]
        return plan_by_windows(region, 0.1, executor, WindowSettings(core=45),
                               most_shard_fires=most)


def test_a_plan_has_the_same_bits_for_any_shards_and_workers(case: Case) -> None:
    one = planned(case.region, "in-process", 1)
    assert one.windows == 4
    assert 0 < one.taken < one.lines
    assert one.plan.cost <= one.plan.budget * (1.0 + 1e-9)
    for other in (planned(case.region, "in-process", 3), planned(case.region, "in-process", 2, 1)):
        assert (other.plan.cells == one.plan.cells).all()
        assert other.promised == one.promised
        assert other.risen == one.risen
    fires = case.region.fires
    scene = make_scene(case.region.scene.landscape, case.region.scene.conditions, 5)
    before = burn_loss(scene.field, fires, scene.value_by_class).sum()
    after = burn_loss(scene.field, fires, scene.value_by_class, one.plan.break_mask()).sum()
    assert one.promised == pytest.approx(1.0 - after / before, rel=1e-9)


@pytest.mark.slow
def test_a_plan_has_the_same_bits_in_processes(case: Case) -> None:
    one, two = planned(case.region, "in-process", 1), planned(case.region, "processes", 2)
    assert (one.plan.cells == two.plan.cells).all()
    assert one.promised == two.promised
