"""What a plan by windows takes of memory, told before any of it is taken: the land and its plan
fires in each worker, then the largest window in each, then all shards.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from firebreak.executors.base import Executor
from firebreak.fire import WideScene
from firebreak.free_memory import check_free, free_bytes
from firebreak.planning.core.fire_counts import planning_bytes
from firebreak.planning.methods import method_of
from firebreak.planning.windows.cores import Box, Core, cores_of
from firebreak.planning.windows.region import Region
from firebreak.planning.windows.shards import ShardPlan, bytes_of_shards

BURN_BYTES = 385
"""Of a cell of the map: what burns fires on all of it, one thread."""
_SMALLER_CORES = (96, 64, 48, 32, 16)


class WindowsBytes(NamedTuple):
    """Bytes at the peak. land: in all workers; windows: while they are planned; shards: while they
    judge, which is after that.
    """

    land: int
    windows: int
    shards: int

    @property
    def peak(self) -> int:
        """Of all together."""
        return self.land + max(self.windows, self.shards)


def windows_bytes(region: Region, cores: Sequence[Core], fires: int, shards: Sequence[ShardPlan],
                  boxes: Sequence[Box], at_once: int) -> WindowsBytes:
    """What a plan by windows takes beside the process itself.

    Args:
        fires: of a window, at most.
        boxes: of the fires of shards.
        at_once: windows that are planned at the same time, each in a process of its own.
    """
    scene, cells = region.scene, region.scene.landscape.fuel_model.size
    copies = _land_bytes(scene) * (at_once - 1)
    return WindowsBytes(
        copies + BURN_BYTES * cells, at_once * _most_of_windows(region, cores, fires),
        bytes_of_shards(shards, boxes, scene.streams.steps_per_stream))


def check_memory(region: Region, cores: Sequence[Core], margin: int, fires: int,
                 shards: Sequence[ShardPlan], boxes: Sequence[Box], executor: Executor) -> int:
    """Refuses windows or shards that would not fit this machine's memory; says what would. On Ray
    each node has its own. Returns the bytes that the plan takes at its peak, about.

    Raises:
        InputError: naming both sizes and what to change.
    """
    at_once = executor.workers if executor.backend.name != "in-process" else 1
    needed = windows_bytes(region, cores, fires, shards, boxes, at_once)
    if executor.backend.name == "ray":
        return needed.peak
    rows, cols = region.scene.landscape.shape
    where = f"a plan by windows of {region.scene.landscape.name}"
    side = max((core.whole for core in cores), key=lambda one: one.rows * one.cols)
    land = {f"{rows:,} x {cols:,} cells": needed.land}
    check_free({**land, f"{at_once} at once of windows of {side.rows:,} x {side.cols:,} cells with "
                        f"{fires:,} plan fires": needed.windows}, where=where,
               remedy=_smaller_windows(region, margin, fires, at_once, needed.land))
    count = region.fires.source.size
    fitting = int(0.9 * count * (free_bytes() - needed.land) / max(needed.shards, 1))
    check_free({**land, f"{count:,} plan fires on it": needed.shards}, where=where,
               remedy=(f"use --plan-fires {fitting}, or a part of the map with --area"
                       if fitting > 0 else "name a part of the map with --area"))
    return needed.peak


def _most_of_windows(region: Region, cores: Sequence[Core], fires: int) -> int:
    """Bytes of the window that takes most."""
    learned = method_of(region.method).guided
    return max(sum(planning_bytes((core.whole.rows, core.whole.cols), region.scene.conditions,
                                  fires, learned=learned)) for core in cores)


def _smaller_windows(region: Region, margin: int, fires: int, at_once: int, land: int) -> str:
    """Windows that would fit, in the words of an option."""
    for workers in dict.fromkeys((at_once, 1)):
        for core in _SMALLER_CORES:
            cores = cores_of(region.scene.landscape.shape, core, margin)
            if land + workers * _most_of_windows(region, cores, fires) < free_bytes():
                fewer = " --workers 1" if workers < at_once else ""
                return f"use --window-cells {core}{fewer}"
    return "name a part of the map with --area, or use a machine with more memory"


def _land_bytes(scene: WideScene) -> int:
    """Of what each worker has: the map, what burns cost, and the weather."""
    parts = [scene.value_by_class, *scene.streams.steps,
             *(getattr(scene.landscape, field.name) for field in fields(scene.landscape))]
    return sum(part.nbytes for part in parts if isinstance(part, np.ndarray))
