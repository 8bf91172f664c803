"""A local Ray cluster of two nodes: the same answers as in this process, killed workers too."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.executors.base import Executor, call_all, map_chunks
from firebreak.executors.calls import Recipe, WorkerLostError
from firebreak.executors.choice import open_executor
from firebreak.fire import FireConditions, burn, make_scene, parts
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.evaluation.losses import burned_by_workers, burner_recipe
from firebreak.train.config.load import load_config
from firebreak.train.rollout.player import make_player, weights_of
from ray_workers import nodes_of_workers
from tiny import TINIER
from worked import Tally, make_tally

# Warnings are Ray's own.
pytestmark = [pytest.mark.ray, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]

CHUNKS = [(7, k) for k in range(9)]
EXPECTED = [Tally(100).drawn(*chunk) for chunk in CHUNKS]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster of two nodes of one CPU each, that of RAY_ADDRESS."""
    pytest.importorskip("ray")
    import ray
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Nodes start with this environment and must find what workers hold here.
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), before])
    cluster = Cluster(initialize_head=True, head_node_args={
        "num_cpus": 1, "include_dashboard": False, "object_store_memory": 100_000_000})
    cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
    cluster.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = cluster.address
    yield
    ray.shutdown()
    cluster.shutdown()
    del os.environ["RAY_ADDRESS"]
    os.environ["PYTHONPATH"] = before


@pytest.fixture
def executor(cluster: None) -> Iterator[Executor]:
    with closing(open_executor("ray", Recipe(make_tally, (100,)), 2)) as found:
        yield found


def test_there_are_two_nodes_and_a_worker_on_each(executor: Executor) -> None:
    assert len(nodes_of_workers(lambda alive: alive == 2)) == 2
    call_all(executor, "count", [(), ()])


def test_lockstep_gives_the_bits_of_this_process(executor: Executor) -> None:
    assert list(map_chunks(executor, "drawn", CHUNKS)) == list(enumerate(EXPECTED))


def test_payloads_and_arrays_travel(executor: Executor) -> None:
    executor.share(np.full(4, 0.5))
    assert call_all(executor, "weighted", [(k,) for k in range(5)]) == [2.0 * k for k in range(5)]
    large = np.arange(100_000.0)
    assert np.array_equal(call_all(executor, "doubled", [(large,)])[0]["doubled"], 2.0 * large)


def test_a_killed_actor_is_replaced_and_the_result_is_the_same(
        executor: Executor, tmp_path: Path) -> None:
    marker = tmp_path / "kill"
    marker.touch()
    before = executor.restarts
    answers = call_all(executor, "killed_once", [(*chunk, str(marker)) for chunk in CHUNKS])
    assert answers == EXPECTED
    assert executor.restarts > before


def test_an_actor_killed_from_outside_in_a_call_is_replaced(executor: Executor) -> None:
    executor.submit(1, "late", 1.0, 5)
    number = process_ids_of(executor, 0)
    executor.submit(0, "late", 1.0, 6)
    time.sleep(0.3)
    os.kill(number, signal.SIGKILL)
    found = []
    while len(found) < 2:
        found += executor.answers()
    assert sorted(found) == [(0, 6), (1, 5)]


def process_ids_of(executor: Executor, worker: int) -> int:
    executor.submit(worker, "process_id")
    while not (found := [a for a in executor.answers() if a.worker == worker]):
        pass
    return int(found[0].value)


def test_bad_input_in_an_actor_is_bad_input_here(executor: Executor) -> None:
    executor.submit(0, "bad_input")
    with pytest.raises(InputError, match="a good call, got a bad one; mend it"):
        executor.answers()


class Interfering:
    """A back end, one of whose actors is killed right after a call was sent to it."""

    def __init__(self, backend: Any, at_call: int) -> None:
        self.backend, self.left = backend, at_call

    def __getattr__(self, name: str) -> Any:
        return getattr(self.backend, name)

    def send(self, worker: int, message: Any) -> None:
        if self.left == 0:
            number = self.backend._ray.get(self.backend._actors[worker].process_id.remote())
        self.backend.send(worker, message)
        if self.left == 0:
            os.kill(number, signal.SIGKILL)
        self.left -= 1


def two_workers(recipe: Recipe, killed_at: int) -> Executor:
    found = open_executor("ray", recipe, 2)
    backend: Any = Interfering(found.backend, killed_at)
    found.backend = backend
    return found


def test_fires_give_the_same_figures_though_an_actor_is_killed(
        cluster: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_FIRES", 50)  # of the driver: it says what parts there are
    scenes = [make_scene(generate(seed, 12), FireConditions(scenarios=2), 3) for seed in (3, 4)]
    fires = scenes[1].fires("test", 500)
    with closing(two_workers(burner_recipe(scenes), killed_at=4)) as found:
        there = burned_by_workers(found, scenes[1], fires, place=1)
        assert found.restarts == 1
    for ours, theirs in zip(burn(scenes[1], fires, want="statistics"), there, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_collected_episodes_are_the_same_though_an_actor_is_killed(cluster: None) -> None:
    config = load_config("quick", TINIER)
    weights = weights_of(make_player(config).network)
    calls = [(config.agent, 4 * k, 0, k) for k in range(6)]
    recipe = Recipe(make_player, (config,))
    reference = open_executor("in-process", recipe)
    reference.share(weights)
    here = call_all(reference, "play", calls)
    with closing(two_workers(recipe, killed_at=3)) as found:
        found.share(weights)
        there = call_all(found, "play", calls)
        assert found.restarts == 1
    for one, other in zip(here, there, strict=True):
        for (mine, whole), (theirs, other_whole) in zip(one, other, strict=True):
            assert whole == other_whole
            assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


def test_more_workers_than_cpus_are_refused_instead_of_waited_for(cluster: None) -> None:
    with pytest.raises(InputError, match="at most the 2 workers that the cluster has CPUs for"):
        open_executor("ray", Recipe(make_tally), 3)


def test_an_actor_that_dies_every_time_stops_the_run_with_its_index(executor: Executor) -> None:
    executor.retries = 1
    executor.submit(0, "killed")
    with pytest.raises(WorkerLostError, match=r"worker 0 of 2 \(ray\) died 2 times"):
        executor.answers()
