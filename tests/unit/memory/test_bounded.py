"""A container with a bound that fills is no leak; what grows in it or beside it is one."""

import queue
from collections import deque
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from firebreak.memory.owned import owned
from firebreak.memory.profiler import Profiler
from firebreak.memory.verdict import judge
from unit.memory.rows import MB, row, series

KB = 1_000


def readings(held: Any, add: Any, count: int = 30) -> list[dict[str, Any]]:
    """Rows of a made-up process that holds the thing; add: called with each episode before it is
    read. What the readings count in the container is what the process has.
    """
    rows = [row(0, "baseline")]
    for episode in range(10, 10 * count + 10, 10):
        for k in range(episode - 10, episode):
            add(k)
        found = owned({"run": {"held": held}})
        arrays = sum(found.owned_bytes.values())
        inside = found.bounded_bytes
        rows.append(row(
            episode, owned_bytes=found.owned_bytes, items=found.items, filled=found.filled,
            bounded_bytes=inside, bounded_blocks=found.bounded_blocks,
            bounded_objects=found.bounded_objects, heap_bytes=200 * MB + arrays + inside,
            objects={name: 8 + number for name, number in found.bounded_objects.items()},
            python_blocks=10**6 + found.bounded_blocks, rss_bytes=500 * MB + arrays + inside,
            mapped_bytes={"heap": 200 * MB + arrays, "anonymous mappings":
                          250 * MB + inside}))
    return rows


def rewards(k: int) -> list[dict[str, float]]:
    return [{"reward": k + n / 16} for n in range(10)]


@pytest.mark.parametrize("bound", [50, 299])
@pytest.mark.parametrize("make", [lambda k: np.full(2 * KB, k), rewards, float,
                                  lambda k: profiler_of(k)])
def test_a_deque_that_fills_is_no_leak_before_and_after_it_is_full(bound: int, make: Any) -> None:
    held: deque[Any] = deque(maxlen=bound)
    verdict = judge(readings(held, lambda k: held.append(make(k))))
    assert verdict.state in ("ok", "filling"), verdict.growths


def test_what_a_deque_holds_is_judged_from_when_it_was_full() -> None:
    """Full late, so that most of the growth lies in the later half; then constant."""
    held: deque[Any] = deque(maxlen=530)
    assert judge(readings(held, lambda k: held.append(np.full(2 * KB, k)), 60)).state == "ok"


def profiler_of(k: int) -> Profiler:
    """Any object of this package's classes."""
    return Profiler(dict, clock=lambda: float(k))


def test_the_same_without_a_bound_is_a_leak() -> None:
    held: deque[Any] = deque()
    verdict = judge(readings(held, lambda k: held.append(np.full(2 * KB, k))))
    assert verdict.state == "leak"
    assert {g.owner for g in verdict.growths if g.kind == "items"} == {"run.held"}


def test_a_bounded_queue_and_cache_that_fill_are_no_leak() -> None:
    waiting: queue.Queue[Any] = queue.Queue(maxsize=200)

    def put(k: int) -> None:
        if waiting.full():
            waiting.get()
        waiting.put(np.full(2 * KB, k))
    assert judge(readings(waiting, put)).state in ("ok", "filling")

    @lru_cache(maxsize=200)
    def made(k: int) -> np.ndarray:
        return np.full(2 * KB, k)
    assert judge(readings(made, made)).state in ("ok", "filling")


def test_members_that_grow_in_a_full_deque_are_a_leak() -> None:
    held: deque[list[Any]] = deque([[], []], maxlen=2)
    verdict = judge(readings(held, lambda k: held[k % 2].append(np.full(2 * KB, k))))
    assert verdict.state == "leak"
    assert {g.kind for g in verdict.growths} >= {"owned_bytes", "items"}


def test_ever_more_bounded_containers_are_a_leak() -> None:
    held: list[deque[int]] = []
    verdict = judge(readings(held, lambda k: held.append(deque([k], maxlen=9))))
    assert verdict.state == "leak"
    assert next(g.owner for g in verdict.growths
                if g.state == "leak" and g.kind == "items") == "run.held"


def test_a_leak_beside_a_deque_that_fills_is_found() -> None:
    held: deque[Any] = deque(maxlen=5000)
    rows = readings(held, lambda k: held.append(np.full(2 * KB, k)))
    leaking = [r | {"heap_bytes": r["heap_bytes"] + 50 * KB * r["episodes"]} for r in rows]
    assert [g.kind for g in judge(leaking).growths if g.state == "leak"] == ["heap_bytes"]


def test_the_share_in_use_and_what_lies_inside_are_counted() -> None:
    inside = owned({"run": {"last": deque([1.5, 2.5, np.zeros(100), profiler_of(3)], maxlen=8),
                            "full": deque([1.5], maxlen=1), "free": deque([1.5])}})
    assert inside.filled == {"run.last": 0.5}
    assert inside.owned_bytes == {"run.last[]": 800}
    assert inside.bounded_objects["Profiler"] == 1
    assert inside.bounded_blocks >= 6
    assert inside.bounded_bytes < 10_000
    assert owned({"run": [1.5]})[3:] == (0, 0, {})


@pytest.mark.slow
def test_a_row_says_how_full_bounded_containers_are() -> None:
    run = {"losses": deque([0.5], maxlen=4)}
    profiler = Profiler(lambda: {"run": run}, lambda: {"run.replay": 0.25})
    profiler.full("cleanup")
    made = profiler.take_rows()[0]
    assert made["filled"]["run.losses"] == 0.25
    assert made["filled"]["run.replay"] == 0.25
    assert {"mapped_bytes", "bounded_bytes", "bounded_blocks", "bounded_objects"} <= made.keys()


def test_rows_without_these_fields_are_read() -> None:
    rows = [{name: value for name, value in r.items()
             if not name.startswith(("bounded", "filled"))} for r in series()]
    assert judge(rows).state == "ok"
