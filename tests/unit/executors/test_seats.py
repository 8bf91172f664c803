"""Workers on a back end whose nodes die: their calls go to others, and nobody waits for ever."""

import warnings
from collections import deque
from typing import Any

import numpy as np
import pytest

from firebreak.executors.base import Executor, call_all
from firebreak.executors.calls import (
    Done,
    LazyThing,
    Lost,
    Message,
    Recipe,
    Reply,
    WorkerLostError,
)
from worked import Tally, make_tally

CHUNKS = [(7, k) for k in range(12)]
EXPECTED = [Tally().drawn(*chunk) for chunk in CHUNKS]


class Nodes:
    """Actors on nodes of one CPU each, in this process. `dies_at`: number of the call in which the
    node of each of these workers dies; none has a CPU for a replacement then.
    """

    name = "nodes"

    def __init__(self, count: int, dies_at: dict[int, int] | None = None, *,
                 slow_to_start: int = 0, broken: bool = False) -> None:
        self.free, self.calls = count, 0
        self.dies_at = dies_at or {}
        self.slow_to_start, self.broken = slow_to_start, broken
        self.things: dict[int, LazyThing] = {}
        self.dead: set[int] = set()
        self.asked: dict[int, int] = {}
        self.sent: deque[tuple[int, Message]] = deque()
        self.made_by: list[int] = []

    def start(self, worker: int) -> None:
        self.dead.discard(worker)
        self.things.pop(worker, None)
        self.asked[worker] = 0
        if self.free:
            self.free -= 1
            self.things[worker] = LazyThing(Recipe(make_tally))

    def probe(self, worker: int) -> None:
        self.asked[worker] = 0

    def started(self, worker: int) -> Done | Lost | None:
        self.asked[worker] += 1
        if worker in self.dead or self.broken:
            return Lost("no such module")
        if worker not in self.things or self.asked[worker] <= self.slow_to_start:
            return None
        return Done(None)

    def send(self, worker: int, message: Message) -> None:
        self.sent.append((worker, message))

    def wait(self, workers: list[int], timeout_s: float | None) -> list[tuple[int, Reply]]:
        worker, message = self.sent.popleft()
        self.calls += 1
        for node, call in list(self.dies_at.items()):
            if call == self.calls:
                del self.dies_at[node]
                self.dead.add(node)
        if worker in self.dead:
            return [(worker, Lost("its node is gone"))]
        self.made_by.append(worker)
        return [(worker, self.things[worker].serve(message))]

    def hold(self, payload: Any) -> Any:
        return payload

    def stop(self, worker: int) -> None:
        self.things.pop(worker, None)
        self.sent = deque(pair for pair in self.sent if pair[0] != worker)

    def close(self) -> None:
        self.things.clear()


def test_a_call_of_a_lost_node_is_made_by_a_worker_that_lives() -> None:
    nodes = Nodes(2, {1: 4})
    executor = Executor(nodes, 2, start_limit_s=0.2)
    with pytest.warns(UserWarning, match=r"worker 1 of 2 \(nodes\) is given up: it did not begin "
                                         r"within 0\.2 s; 1 go on"):
        answers = call_all(executor, "late", [(0.05, k) for k in range(12)])
    assert answers == list(range(12))
    assert executor.given_up == 1
    assert set(nodes.made_by[4:]) == {0}


def test_the_bits_are_those_of_a_whole_cluster() -> None:
    whole = call_all(Executor(Nodes(3), 3), "drawn", CHUNKS)
    executor = Executor(Nodes(3, {0: 3, 2: 3}), 3, start_limit_s=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert call_all(executor, "drawn", CHUNKS) == whole == EXPECTED


def test_a_replacement_that_takes_its_time_gets_calls_again() -> None:
    nodes = Nodes(3, {1: 3}, slow_to_start=3)
    executor = Executor(nodes, 2)
    nodes.free = 1
    assert call_all(executor, "late", [(0.02, k) for k in range(20)]) == list(range(20))
    assert 1 in nodes.made_by[5:]
    assert (executor.restarts, executor.given_up) == (1, 0)


def test_a_replacement_is_given_the_payload_anew() -> None:
    nodes = Nodes(2, {1: 3})
    executor = Executor(nodes, 2)
    nodes.free = 1
    executor.share(np.full(4, 0.5))
    assert call_all(executor, "weighted", [(k,) for k in range(8)]) == [2.0 * k for k in range(8)]
    assert executor.restarts == 1


def test_idle_workers_of_a_lost_node_do_not_cost_a_call_its_attempts() -> None:
    """Five of six workers die together, one of them in the only call."""
    nodes = Nodes(6, dict.fromkeys(range(5), 7))
    executor = Executor(nodes, 6, start_limit_s=0.2)
    assert call_all(executor, "count", [()] * 6) == [1] * 6
    executor.submit(0, "drawn", *CHUNKS[0])
    assert [answer.value for answer in executor.answers()] == EXPECTED[:1]


def test_when_no_worker_is_left_the_run_ends_in_one_sentence() -> None:
    executor = Executor(Nodes(0), 2, start_limit_s=0.1)
    executor.submit(0, "count")
    with (pytest.raises(WorkerLostError, match=r"no worker of 2 \(nodes\) is left: it did not "
                                               r"begin within 0\.1 s; see that CPUs are free"),
          pytest.warns(UserWarning, match="given up")):
        executor.answers()


def test_workers_that_die_as_they_begin_say_of_what() -> None:
    executor = Executor(Nodes(9, broken=True), 2)
    with (pytest.raises(WorkerLostError, match=r"died 3 times before its first call \(no such "
                                               r"module\)"),
          pytest.warns(UserWarning, match="given up")):
        call_all(executor, "count", [()])


def test_waiting_for_a_worker_to_begin_keeps_to_the_callers_time() -> None:
    executor = Executor(Nodes(0), 1)
    executor.submit(0, "count")
    assert executor.answers(timeout_s=0.1) == []
    assert executor.idle == []
