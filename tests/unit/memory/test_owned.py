"""The walk from roots reaches whatever keeps memory alive, and counts it once."""

import functools
import gc
import subprocess
import sys
import tracemalloc
import types
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from firebreak.memory.owned import owned, package_globals
from firebreak.memory.process import heap_bytes
from firebreak.memory.profiler import (
    MAX_SHARE_OF_TIME,
    READ_AT_FIRST,
    SINGLE,
    Profiler,
    grown,
    reading,
)
from firebreak.memory.registry import census


@dataclass(frozen=True, slots=True)
class Slotted:
    array: np.ndarray


class Inherited(Slotted):
    __slots__ = ("more",)


def array(size: int = 100) -> np.ndarray:
    return np.ones(size, np.uint8)


def closure() -> Any:
    held = array()
    return lambda: held


def cached() -> Any:
    @functools.cache
    def make(key: int) -> np.ndarray:
        return array()
    make(1)
    return make


def bounded_cache() -> Any:
    @functools.lru_cache(maxsize=4)
    def make(key: int) -> np.ndarray:
        return array()
    make(1)
    return make


def running_generator() -> Iterator[int]:
    held = array()
    yield held.size


def started() -> Iterator[int]:
    generator = running_generator()
    next(generator)
    return generator


def with_gradient() -> torch.Tensor:
    tensor = torch.zeros(10, dtype=torch.float32, requires_grad=True)
    tensor.sum().backward()
    return tensor


def with_attribute() -> torch.Tensor:
    tensor = torch.zeros(10, dtype=torch.uint8)
    tensor.origin = array(90)  # type: ignore[attr-defined]
    return tensor


def objects() -> np.ndarray:
    things = np.empty(2, object)
    things[0] = array(84)
    return things


@pytest.mark.parametrize(("make", "size"), [
    (lambda: Slotted(array()), 100), (lambda: [array(40), (array(60),)], 100),
    (lambda: deque([array()], maxlen=3), 100), (lambda: {"a": {3: array()}}, 100),
    (lambda: frozenset({Slotted}), 0), (closure, 100), (cached, 100), (bounded_cache, 100),
    (started, 100), (lambda: functools.partial(print, array()), 100),
    (lambda: types.SimpleNamespace(x=array()).__getattribute__, 0),
    (lambda: Holder().method, 100), (with_gradient, 80), (with_attribute, 100), (objects, 100),
    (lambda: torch.zeros(25, dtype=torch.float32), 100), (lambda: b"x" * 5000, 5033),
    (lambda: "short", 0), (lambda: array()[10:20], 100), (lambda: array().view(np.int8), 100),
    (lambda: np.frombuffer(bytearray(100), np.uint8), 100),
])
def test_every_way_to_hold_memory_is_walked(make: Any, size: int) -> None:
    assert sum(owned({"root": make()}).owned_bytes.values()) == size


class Holder:
    def __init__(self) -> None:
        self.held = array()

    def method(self) -> int:
        return self.held.size


def test_a_tensor_and_the_array_it_shares_memory_with_count_once() -> None:
    base = np.zeros(1000)
    tensor = torch.zeros(64)
    shared = {"a": base, "b": torch.from_numpy(base), "c": tensor.numpy(), "d": tensor}
    assert owned(shared).owned_bytes == {"a": 8000, "c": 256}


@given(st.integers(0, 2**32 - 1))
def test_nested_containers_lose_no_byte_and_no_entry(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def build(depth: int) -> tuple[Any, int, int]:
        """A random tree, its bytes and its entries."""
        if depth == 0 or rng.random() < 0.3:
            size = int(rng.integers(0, 50))
            return np.zeros(size, np.uint8), size, 0
        parts = [build(depth - 1) for _ in range(rng.integers(0, 5))]
        things = [part[0] for part in parts]
        names = [f"k{n}" if rng.random() < 0.5 else n for n in range(len(parts))]
        made = dict(zip(names, things, strict=True)) if rng.random() < 0.5 else things
        return made, sum(p[1] for p in parts), len(parts) + sum(p[2] for p in parts)
    thing, size, entries = build(5)
    held = owned({"root": thing})
    assert sum(held.owned_bytes.values()) == size
    assert sum(held.items.values()) == entries


def test_containers_count_entries_and_bounded_ones_their_bound() -> None:
    held = {"list": [1, 2], "deque": deque(range(5)), "history": deque([1.0], maxlen=1000),
            "cache": bounded_cache(), "dict": dict.fromkeys(range(40), 0.0)}
    items = owned({"run": held}).items
    assert items.pop("run.cache[]") == 1  # the dict inside, which holds what the cache answered
    assert items == {"run": 5, "run.list": 2, "run.deque": 5, "run.history": 1000, "run.cache": 4,
                     "run.dict": 40}


def test_members_share_a_path_and_deep_owners_are_added_up() -> None:
    deep = [{"a": {"b": {"c": {"d": {"e": array(7)}}}}} for _ in range(3)]
    assert owned({"run": deep}).owned_bytes == {"run[].a.b.c.d.e": 21}
    assert owned({"run": {"x": deep}}).owned_bytes == {"run.x[].a.b.c.d": 21}
    many = {f"episode{k}": array(10) for k in range(100)}
    assert owned({"run": many}).owned_bytes == {"run[]": 1000}


def test_what_modules_and_classes_keep_has_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from firebreak.env import sources
    monkeypatch.setattr(sources, "_CACHE", {"a": array(70)}, raising=False)
    monkeypatch.setattr(sources.ProblemSource, "seen", [array(30)], raising=False)
    held = owned(package_globals())
    assert held.owned_bytes["env.sources._CACHE.a"] == 70
    # A class that gains an attribute later is not looked at again; one made so is.
    assert held.items["env.sources._CACHE"] == 1


@pytest.mark.slow
def test_census_counts_younger_objects_by_class() -> None:
    from firebreak.landscape.synthetic.generate import generate
    gc.collect()
    gc.freeze()
    try:
        before = census()
        lands = [generate(k, 8) for k in range(3)]
        kept = (torch.zeros(2, requires_grad=True) * 2.0).sum()
        after = census()
        assert after.kinds["Landscape"] - before.kinds.get("Landscape", 0) == len(lands) == 3
        assert after.graph_tensors - before.graph_tensors == 1
        del lands, kept
        gc.collect()
        assert census().kinds.get("Landscape", 0) == before.kinds.get("Landscape", 0)
        assert census().graph_tensors == before.graph_tensors
    finally:
        gc.unfreeze()


@pytest.mark.slow
def test_a_phase_says_what_it_added_and_a_loop_phase_is_read_when_due() -> None:
    run: dict[str, Any] = {"kept": []}
    profiler = Profiler(lambda: {"run": run}, lambda: {"run.kept": 0.5})
    profiler.full("baseline")
    with profiler.phase("collect"):
        run["kept"].append(array(2000))
    assert [row["phase"] for row in profiler.take_rows()] == ["baseline"]
    profiler.full("cleanup")
    with profiler.phase("collect"):
        run["kept"].append(array(3000))
    with profiler.phase("collect"):
        run["kept"].append(array(3000))
    with profiler.phase("evaluate"):
        run["kept"].append(array(4000))
    rows = profiler.take_rows()
    assert [row["phase"] for row in rows] == ["cleanup", "collect", "evaluate"]
    # By its own path: other tests of this process may have part-filled a cache of the package.
    assert rows[0]["filled"]["run.kept"] == 0.5
    assert rows[0]["owned_bytes"]["run.kept[]"] == 2000
    assert rows[1]["grown"]["owned_bytes:run.kept[]"] == 3000
    assert rows[1]["grown"]["items:run.kept"] == 1
    assert rows[2]["grown"]["owned_bytes:run.kept[]"] == 4000
    assert profiler.take_rows() == []
    assert profiler.seconds > 0.0


@pytest.mark.slow
def test_what_lies_between_phases_is_put_down_to_none() -> None:
    run: dict[str, Any] = {"kept": []}
    profiler = Profiler(lambda: {"run": run})
    profiler.full("cleanup")
    profiler.take_rows()
    run["kept"].append(array(5000))
    with profiler.phase("collect"):
        pass
    assert "owned_bytes:run.kept[]" not in profiler.take_rows()[0]["grown"]


@pytest.mark.slow
def test_readings_keep_within_their_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def slow(*_: object, **__: object) -> dict[str, Any]:
        now[0] += 1.0
        return {name: 0 for name in SINGLE} | {
            name: {} for name in ("owned_bytes", "items", "live", "objects", "filled")}
    monkeypatch.setattr("firebreak.memory.profiler.reading", slow)
    profiler = Profiler(dict, clock=lambda: now[0])
    profiler.full("baseline")
    read = 0
    for _ in range(5_000):
        now[0] += 10.0
        profiler.full("cleanup")
        with profiler.phase("evaluate"):
            pass
        read += sum(row["phase"] == "cleanup" for row in profiler.take_rows())
        if read == READ_AT_FIRST - 1:
            assert now[0] < 20.0 * READ_AT_FIRST  # at every cleanup, until there are enough
            spent, begin = profiler.seconds, now[0]
    share = (profiler.seconds - spent) / (now[0] - begin)
    assert 0.9 * MAX_SHARE_OF_TIME < share < 1.1 * MAX_SHARE_OF_TIME
    assert read > 2 * READ_AT_FIRST
    with profiler.phase("evaluate"):
        pass
    assert profiler.take_rows() == []
    with profiler.phase("figure", once=True):
        pass
    profiler.full("end")
    assert [row["phase"] for row in profiler.take_rows()] == ["figure", "end"]


@pytest.mark.slow
def test_an_error_inside_a_phase_is_not_swallowed() -> None:
    profiler = Profiler(dict)
    with pytest.raises(OverflowError), profiler.phase("evaluate"):
        raise OverflowError
    assert profiler.take_rows() == []


@pytest.mark.slow
def test_grown_names_what_differs_largest_first() -> None:
    before = reading({"run": {"a": array(5000), "b": array(1000)}})
    after = reading({"run": {"a": array(1000), "c": array(2500)}})
    changes = {name: value for name, value in grown(before, after).items() if "run" in name}
    assert changes == {"owned_bytes:run.a": -4000, "owned_bytes:run.c": 2500,
                       "owned_bytes:run.b": -1000}


@pytest.mark.slow
def test_pythons_own_heap_is_traced_on_demand() -> None:
    assert reading({})["python_heap_bytes"] is None
    tracemalloc.start()
    try:
        kept = [str(k) * 50 for k in range(1000)]
        assert reading({})["python_heap_bytes"] > sum(map(len, kept))
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_children_are_counted_with_their_memory() -> None:
    before = reading({})
    child = subprocess.Popen(
        [sys.executable, "-c", "input(); kept = b'x' * 30_000_000; print(flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        after = reading({})
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        grown = reading({})
    finally:
        child.communicate(b"\n")
    assert after["children"] == before["children"] + 1
    assert after["children_bytes"] > before["children_bytes"]
    assert grown["children_bytes"] - after["children_bytes"] == pytest.approx(30e6, rel=0.2)
    assert reading({})["children"] == before["children"]


@pytest.mark.skipif(sys.platform != "linux", reason="the C library does not tell")
def test_the_c_heap_counts_an_array_that_numpy_holds() -> None:
    grown = []
    for _ in range(5):  # what earlier tests left may be freed in between, some bytes at a time
        gc.collect()
        heap_bytes()  # what the first reading allocates for good is not what is counted
        before = heap_bytes() or 0
        big = np.ones(3_000_000, np.uint8)
        grown.append((heap_bytes() or 0) - before)
        del big
    # a reading's own objects come and go between two readings, some hundred bytes either way
    assert any(abs(more - 3_000_000) < 100_000 for more in grown), grown
