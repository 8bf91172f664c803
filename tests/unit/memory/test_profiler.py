"""What a run holds: owned bytes by path, live objects, snapshots."""

import gc
from typing import NamedTuple

import numpy as np
import torch

from firebreak.memory.owned import owned
from firebreak.memory.process import peak_rss_bytes, rss_bytes
from firebreak.memory.profiler import reading
from firebreak.memory.registry import live_counts, track, untrack


class Holder:
    def __init__(self) -> None:
        self.array = np.zeros(100)
        self.tensor = torch.zeros(50, dtype=torch.uint8)
        self.deep = {"list": [np.zeros(10, np.uint8), np.zeros(20, np.uint8)], 3: np.zeros(5)}


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


def test_bytes_are_named_by_the_path_that_owns_them() -> None:
    assert owned({"run": Holder()}).owned_bytes == {
        "run.array": 800, "run.tensor": 50, "run.deep.list[]": 10 + 20, "run.deep[]": 40}


def test_shared_storage_counts_once_and_a_view_counts_its_base() -> None:
    base = np.zeros(1000)
    tensor = torch.zeros(64)
    held = {"view": base[:2], "again": base, "row": tensor[:3], "whole": tensor}
    assert owned(held).owned_bytes == {"view": 8000, "row": 256}


def test_named_tuples_and_cycles_are_walked_once() -> None:
    loop: dict[str, object] = {"pair": Pair(np.zeros(4), np.zeros(8))}
    loop["self"] = loop
    assert owned({"root": loop}).owned_bytes == {"root.pair.left": 32, "root.pair.right": 64}


def test_live_counts_fall_when_things_die() -> None:
    before = live_counts().get("Holder", 0)
    things = [Holder() for _ in range(3)]
    for thing in things:
        track(thing)
    assert live_counts()["Holder"] == before + 3
    untrack(things[0])
    assert live_counts()["Holder"] == before + 2
    del things, thing
    gc.collect()
    assert live_counts()["Holder"] == before


def test_snapshot_sees_a_big_array() -> None:
    big = np.ones(4_000_000)
    row = reading({"kept": {"big": big}})
    assert row["owned_bytes"]["kept.big"] == big.nbytes
    assert row["rss_bytes"] > big.nbytes
    assert row["threads"] >= 1
    assert row["open_files"] > 0
    assert peak_rss_bytes() >= 0.5 * rss_bytes()
