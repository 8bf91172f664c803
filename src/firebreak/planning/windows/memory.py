"""The memory of a plan by windows, told before any of it is taken: the land and its plan
fires in each worker, then the largest window in each, then all shards, then what burns fires under
rows across the whole map.
"""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import NamedTuple

import numpy as np

from firebreak.checks import counted
from firebreak.executors.base import Executor
from firebreak.fire import Scene, workspace
from firebreak.free_memory import check_free, free_bytes
from firebreak.landscape.raster.windows import Window
from firebreak.planning.core.fire_counts import planning_bytes
from firebreak.planning.methods import METHODS
from firebreak.planning.windows.cores import Box, Core, cores_of
from firebreak.planning.windows.region import Region
from firebreak.planning.windows.shards.shard import own_scene, slots_for
from firebreak.planning.windows.shards.shard_plan import (
    PLACES,
    ShardPlan,
    bytes_of_shards,
    cells_of,
    shards_of,
)

BURN_BYTES = 385
"""Of a cell of the map: what burns fires on all of it, one thread."""
ROWS_BYTES = 120
"""Of a cell of the map: what lays rows across it."""
_SPARE = 1.25
"""Times the memory of shards that must be free: other programs need some too."""
_SAMPLE = 48
"""Cells along a side of the part of a map on which it is looked up what a shard's cell takes."""
_MAKING_BYTES = 124
"""Of a cell for each row of weather but one, while a shard's travel times are made (measured)."""
_SMALLER_CORES = (96, 64, 48, 32, 16)
_FEWER_FIRES = (256, 64, 16, 4, 1)


class WindowsBytes(NamedTuple):
    """Bytes at the peak. land: in all workers; windows: while they are planned; shards: while they
    judge, which is after that, with what lays rows across the map beside them; rows: while fires
    burn under such rows.
    """

    land: int
    windows: int
    shards: int
    rows: int

    @property
    def peak(self) -> int:
        """Bytes of all together."""
        return self.land + max(self.windows, self.shards, self.rows)


def windows_bytes(region: Region, cores: Sequence[Core], fires: int, shards: Sequence[ShardPlan],
                  boxes: Sequence[Box], at_once: int) -> WindowsBytes:
    """Bytes of a plan by windows beside the process itself.

    Args:
        fires: of a window, at most.
        boxes: of the fires of shards.
        at_once: windows that are planned at the same time, each in a process of its own.
    """
    return WindowsBytes(
        _land(region, at_once), at_once * _most_of_windows(region, cores, fires),
        _of_shards(region, shards, boxes, at_once, cell_bytes(region.scene)) + _laying(region),
        BURN_BYTES * (at_once - 1) * region.scene.landscape.fuel_model.size + _laying(region))


def cell_bytes(scene: Scene) -> int:
    """Bytes of a cell of a shard beside its fires, as one on a small part of the map has them."""
    rows, cols = (min(side, _SAMPLE) for side in scene.landscape.shape)
    own = own_scene(scene, Window(0, 0, rows, cols), 0)
    slots = slots_for(own, 0, workspace(own.field.burnable.size))
    # The land is a part of the map's own arrays. Slots without a problem hold no travel times, or
    # room for a copy of those of the scene.
    held = slots.owned_bytes() + _bytes_in(own.field) + _bytes_in(own.value_by_class)
    return held // own.field.burnable.size


def _of_shards(region: Region, shards: Sequence[ShardPlan], boxes: Sequence[Box],
               at_once: int, each: int) -> int:
    """Bytes of shards at their peak, while the last are made. each: see `cell_bytes`."""
    largest = max(map(cells_of, shards), default=0)
    making = _MAKING_BYTES * (region.scene.streams.steps_per_stream - 1) * largest
    return bytes_of_shards(shards, boxes, each) + at_once * making


def _land(region: Region, at_once: int) -> int:
    scene = region.scene
    each = sum(map(_bytes_in, (scene.value_by_class, scene.streams.steps, scene.landscape)))
    return each * (at_once - 1) + BURN_BYTES * scene.landscape.fuel_model.size


def _laying(region: Region) -> int:
    return ROWS_BYTES * region.scene.landscape.fuel_model.size


def _at_once(executor: Executor) -> int:
    """Processes on this machine that work for a plan."""
    return executor.workers if executor.backend.name != "in-process" else 1


def fitting_shards(region: Region, boxes: Sequence[Box], executor: Executor,
                   most_fires: int = 2**20) -> list[ShardPlan]:
    """Shards with a place for every fire, where these fit easily, else smaller ones in which fires
    wait; which, changes no bit. boxes: of the plan fires, see `known_boxes`.
    """
    at_once, each = _at_once(executor), cell_bytes(region.scene)
    every, waiting = (shards_of(boxes, region.fires.scenario, most_fires, places, each)
                      for places in (2**20, PLACES))
    needed, less = (_of_shards(region, shards, boxes, at_once, each)
                    for shards in (every, waiting))
    beside = _land(region, at_once) + _laying(region)
    if (executor.backend.name == "ray" or needed <= less
            or _SPARE * (beside + needed) <= free_bytes()):
        return every
    return waiting


def shards_in_turn(region: Region, boxes: Sequence[Box], executor: Executor) -> list[ShardPlan]:
    """Shards of which each process holds one at a time: with so few fires that these fit this
    machine's memory. Which, changes no sum over their fires.

    boxes: of the region's fires, see `known_boxes`.

    Raises:
        InputError: shards of one fire do not fit.
    """
    free, at_once, each = free_bytes(), _at_once(executor), cell_bytes(region.scene)
    for most_fires in (2**20, *_FEWER_FIRES):
        shards = shards_of(boxes, region.fires.scenario, most_fires, cell_bytes=each)
        largest = max((_of_shards(region, [one], boxes, 1, each) for one in shards), default=0)
        if executor.backend.name == "ray" or at_once * largest <= free:
            return shards
    check_free({f"{counted(at_once, 'test fire')} at a time": at_once * largest},
               where=f"the report of a plan by windows of {region.scene.landscape.name}",
               remedy="use --report none" + (", or --workers 1" if at_once > 1 else ""))
    return shards


def check_memory(region: Region, cores: Sequence[Core], margin: int, fires: int,
                 shards: Sequence[ShardPlan], boxes: Sequence[Box], executor: Executor) -> int:
    """Refuses windows or shards that would not fit this machine's memory; says what would. On Ray
    each node has its own. Returns the bytes that the plan takes at its peak, about.

    Raises:
        InputError: naming both sizes and what to change.
    """
    at_once = _at_once(executor)
    needed = windows_bytes(region, cores, fires, shards, boxes, at_once)
    if executor.backend.name == "ray":
        return needed.peak
    free, (rows, cols) = free_bytes(), region.scene.landscape.shape
    where = f"a plan by windows of {region.scene.landscape.name}"
    land = {f"{rows:,} x {cols:,} cells": needed.land}
    if needed.land + needed.rows > free:
        check_free({**land, f"rows across it in {counted(at_once, 'worker')}": needed.rows},
                   where=where, remedy="use --workers 1, or name a part of the map with --area")
    if needed.land + needed.windows > free:
        side = max((core.whole for core in cores), key=lambda one: one.rows * one.cols)
        words = (f"{counted(at_once, 'window')} of {side.rows:,} x {side.cols:,} cells with "
                 f"{fires:,} plan fires")
        check_free({**land, words: needed.windows}, where=where,
                   remedy=_smaller_windows(region, margin, fires, at_once, free - needed.land))
    if needed.peak > free:
        left = free - needed.land - _laying(region)
        check_free({**land, f"{len(boxes):,} plan fires on it": needed.shards}, where=where,
                   remedy=_fewer_fires(region, boxes, at_once, left))
    return needed.peak


def _most_of_windows(region: Region, cores: Sequence[Core], fires: int) -> int:
    """Bytes of the window that takes most."""
    learned = METHODS[region.method].guided
    return max(sum(planning_bytes((core.whole.rows, core.whole.cols), region.scene.conditions,
                                  fires, learned=learned)) for core in cores)


def _smaller_windows(region: Region, margin: int, fires: int, at_once: int, left: int) -> str:
    """Windows that would fit into so many bytes, in the words of an option."""
    for workers in dict.fromkeys((at_once, 1)):
        for core in _SMALLER_CORES:
            cores = cores_of(region.scene.landscape.shape, core, margin)
            if workers * _most_of_windows(region, cores, fires) < left:
                fewer = " --workers 1" if workers < at_once else ""
                return f"use --window-cells {core}{fewer}"
    return "name a part of the map with --area, or use a machine with more memory"


def _fewer_fires(region: Region, boxes: Sequence[Box], at_once: int, left: int) -> str:
    """Plan fires that would fit into so many bytes, in the words of an option."""
    each = cell_bytes(region.scene)
    for tenths in range(9, 0, -1):
        count = len(boxes) * tenths // 10
        shards = shards_of(boxes[:count], region.fires.scenario[:count], places=PLACES,
                           cell_bytes=each)
        if count and _of_shards(region, shards, boxes[:count], at_once, each) < left:
            return f"use --plan-fires {count}, or a part of the map with --area"
    return "name a part of the map with --area, or use a machine with more memory"


def _bytes_in(thing: object) -> int:
    """Bytes of the arrays in an array, or in the fields of a record or of its records."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if is_dataclass(thing):
        thing = tuple(getattr(thing, field.name) for field in fields(thing))
    return sum(map(_bytes_in, thing)) if isinstance(thing, tuple) else 0
