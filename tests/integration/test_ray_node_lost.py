"""A node of a Ray cluster dies in the middle of a run: the other makes its calls, the bits stay."""

import time
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from firebreak.checks import ResourceFailedError
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from firebreak.fire import FireConditions, burn, make_scene, parts
from firebreak.fire.fires import FireRegime
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.evaluation.losses import burned_by_workers, burner_recipe
from ray_workers import TwoNodes, nodes_of_workers
from worked import make_tally

# Warnings are Ray's own.
pytestmark = [pytest.mark.ray, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


def test_a_node_that_comes_later_takes_calls(nodes: TwoNodes) -> None:
    with closing(open_executor("ray", Recipe(make_tally), 2)) as executor:
        for worker in (0, 1):
            executor.submit(worker, "count")
        while len(executor.idle) < 2:
            executor.answers()
        nodes.kill_second()
        executor.submit(0, "late", 0.1, 0)
        executor.submit(1, "late", 0.1, 1)
        found = []
        while len(found) < 2:
            found += executor.answers()
        assert sorted(found) == [(0, 0), (1, 1)]
        nodes.cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
        ids, end = set(), time.monotonic() + 120.0
        while len(ids) < 2 and time.monotonic() < end:
            for worker in executor.idle:
                executor.submit(worker, "late", 0.05, worker)
            while executor.answers():
                pass
            ids = set(living_processes(executor))
        assert len(ids) == 2
        assert executor.given_up == 0


def living_processes(executor: Any) -> list[int]:
    found = []
    for worker in executor.idle:
        executor.submit(worker, "process_id")
    while len(executor.idle) < executor.workers:
        found += [answer.value for answer in executor.answers()]
    return found


@pytest.mark.parametrize("address", [None, "127.0.0.1:1"])
def test_ray_that_does_not_start_in_time_is_one_sentence(
        monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    ray = pytest.importorskip("ray")
    from firebreak.executors import ray_core

    def times_out(**_: object) -> None:
        raise (Exception if address is None else TimeoutError)(
            "The current node timed out during startup. This could\nbe anything.")

    monkeypatch.setattr(ray, "init", times_out)
    monkeypatch.setattr(ray_core, "check_address", lambda _: None)
    monkeypatch.setenv("RAY_ADDRESS", address or "")
    with pytest.raises(ResourceFailedError, match=r"^--executor ray: Ray did not start on (this "
                                                  r"machine|127\.0\.0\.1:1) \(The current node "
                                                  r"timed out[^\n]*--executor processes$"):
        open_executor("ray", Recipe(make_tally), 1)


@pytest.mark.parametrize("workers", [2, 0], ids=["two", "every CPU"])
def test_fires_of_a_large_map_outlive_a_node(nodes: TwoNodes, workers: int,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_FIRES", 5)  # of the driver: it says what parts there are
    wide = make_scene(generate(3, 24), FireConditions(
        scenarios=4, regime=FireRegime(burned_share=0.05)), 3, tiled=True)
    fires = wide.fires("test", 120)
    here = burn(wide, fires, want="statistics")
    burned: list[int] = []

    def kill(fires: int) -> None:
        burned.append(fires)
        if len(burned) == 5:
            nodes.kill_second()
            nodes_of_workers(lambda alive: alive < 2)

    with closing(open_executor("ray", burner_recipe([wide]), workers)) as executor:
        assert executor.workers == 2
        nodes_of_workers(lambda alive: alive == 2)
        there = burned_by_workers(executor, wide, fires, report=kill)
        assert executor.restarts >= 1
    assert len(burned) > 20
    for ours, theirs in zip(here, there, strict=True):
        np.testing.assert_array_equal(ours, theirs)
