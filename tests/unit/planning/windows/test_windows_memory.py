"""What does not fit the memory is refused with what would, and what would does."""

import re
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.executors.base import Executor
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import InProcess
from firebreak.fire import FireConditions, FireRegime, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.windows import memory
from firebreak.planning.windows.cores import Box, cores_of
from firebreak.planning.windows.make import make_region
from firebreak.planning.windows.memory import (
    cell_bytes,
    check_memory,
    fitting_shards,
    windows_bytes,
)
from firebreak.planning.windows.region import Region, RegionWorker
from firebreak.planning.windows.shards.shard import Shard, room_to_burn
from firebreak.planning.windows.shards.shard_plan import (
    PLACES,
    LineTable,
    bytes_of_shards,
    loss_bound,
    shards_of,
)

SIZE, MARGIN = 120, 16


@pytest.fixture(scope="module")
def region() -> Region:
    wide = make_scene(generate(5, SIZE), FireConditions(
        scenarios=2, regime=FireRegime(duration_min=60.0)), 5, tiled=True)
    return make_region(wide, 0.1, "downstream-value", seed=5, plan_fires=200)


def boxes_of(region: Region, fires: int) -> list[Box]:
    """Of `fires` plan fires that burn 30 x 30 cells each."""
    row, col = np.divmod(region.fires.source[:fires], SIZE)
    return [(r, c, r + 30, c + 30) for r, c in zip(
        np.minimum(row, SIZE - 30).tolist(), np.minimum(col, SIZE - 30).tolist(), strict=True)]


def told(region: Region, core: int, fires: int) -> int:
    boxes = boxes_of(region, fires)
    executor = Executor(InProcess(Recipe(dict)), 1)
    shards = fitting_shards(replace(region, fires=region.fires.first(fires)), boxes, executor)
    return check_memory(region, cores_of((SIZE, SIZE), core, MARGIN), MARGIN, 64,
                        shards, boxes, executor)


def limited(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    for module in (memory, sys.modules["firebreak.free_memory"]):
        monkeypatch.setattr(module, "free_bytes", lambda: free)


def test_windows_that_would_fit_are_named(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    large, small = (windows_bytes(region, cores_of((SIZE, SIZE), core, MARGIN), 64, [], [], 1)
                    for core in (120, 32))
    limited(monkeypatch, (large.peak + small.peak) // 2)
    with pytest.raises(InputError, match=r"1 window of 120 x 120 cells with 64 plan "
                                         r"fires, .*; use --window-cells \d+$") as error:
        told(region, 120, 0)
    named = int(str(error.value).rsplit(" ", 1)[1])
    assert 16 <= named < 120
    told(region, named, 0)


def test_a_number_of_plan_fires_that_would_fit_is_named(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes, cores = boxes_of(region, 200), cores_of((SIZE, SIZE), 32, MARGIN)
    least = windows_bytes(region, cores, 64, shards_of(boxes, region.fires.scenario, places=PLACES),
                          boxes, 1).peak
    limited(monkeypatch, round(0.97 * least))
    with pytest.raises(InputError, match=r"200 plan fires on it, .*; use --plan-fires") as error:
        told(region, 32, 200)
    found = re.search(r"--plan-fires (\d+)", str(error.value))
    assert found is not None
    assert 60 < int(found[1]) < 200
    told(region, 32, int(found[1]))


def test_fires_wait_where_a_place_for_each_would_not_fit(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = [(0, 0, 100, 100)] * 200
    executor = Executor(InProcess(Recipe(dict)), 1)
    limited(monkeypatch, 10**12)
    [one, *_] = every = fitting_shards(region, boxes, executor)
    assert one.places >= one.fires.size > PLACES
    needed = bytes_of_shards(every, boxes, cell_bytes(region.scene))
    limited(monkeypatch, needed)
    waiting = fitting_shards(region, boxes, executor)
    assert {shard.places for shard in waiting} == {PLACES}
    assert bytes_of_shards(waiting, boxes, cell_bytes(region.scene)) < needed


def test_every_fire_has_a_place_only_where_memory_is_left_for_pieces(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = [(0, 0, 100, 100)] * 200
    executor = Executor(InProcess(Recipe(dict)), 1)
    needed = memory._land(region, 1) + memory._laying(region) + bytes_of_shards(
        shards_of(boxes, region.fires.scenario), boxes, cell_bytes(region.scene))
    for times, all_have_places in ((1.1, False), (1.3, True)):
        limited(monkeypatch, round(times * needed))
        shards = fitting_shards(region, boxes, executor)
        assert all(shard.places > PLACES for shard in shards) == all_have_places


def test_as_many_windows_at_once_as_there_are_processes(region: Region) -> None:
    cores = cores_of((SIZE, SIZE), 32, MARGIN)
    one, two = (windows_bytes(region, cores, 64, [], [], count) for count in (1, 2))
    assert two.windows == 2 * one.windows
    assert two.land > one.land


def test_a_shard_that_begins_anew_holds_nothing_twice(region: Region) -> None:
    boxes = [(0, 0, SIZE, SIZE)] * 200
    lines = LineTable([np.arange(9) + SIZE * row for row in range(20, 100, 20)], SIZE)
    (plan, *_) = shards_of(boxes, region.fires.scenario, places=PLACES)
    tracemalloc.start()
    shard = Shard(region.scene, plan, region.fires.part(plan.fires),
                  loss_bound(region.scene, 200), room_to_burn(region.scene))
    shard.take((0, 1, 2), lines)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    shard.take((1, 2, 3), lines)
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    again = shard._slots.owned_bytes()
    assert after < held + 0.1 * again
    assert peak < held + 0.2 * again


def test_a_worker_gives_back_what_its_shards_took(region: Region,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    worker = RegionWorker(region)
    monkeypatch.setattr("firebreak.planning.windows.region.give_back_freed",
                        lambda: held.append(worker.shards_held()))
    worker.receive([np.arange(9)])
    plan = shards_of(boxes_of(region, 4), region.fires.scenario[:4])[0]
    worker.lost(0, plan, (0,))
    assert worker.shards_held() == 1
    worker.receive([])
    assert held == [0, 0]


def test_a_shard_that_could_not_be_made_is_made_when_it_is_asked_again(
        region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, anew = RegionWorker(region), RegionWorker(region)
    lines = [np.arange(9) + SIZE * row for row in range(20, 100, 20)]
    worker.receive(lines)
    anew.receive(lines)
    plan = shards_of(boxes_of(region, 4), region.fires.scenario[:4])[0]
    worker.lost(0, plan, (0,))

    def full(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("firebreak.planning.windows.shards.shard.ProblemBatch", full)
        with pytest.raises(MemoryError):
            worker.lost(0, plan, (1, 2))
    assert worker.lost(0, plan, (1, 2)) == anew.lost(0, plan, (1, 2))
