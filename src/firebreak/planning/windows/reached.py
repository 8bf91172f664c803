"""Fires of the whole map, burned by the workers of an executor: where they get, what they
lose under plans, and what each segment of a plan saves of fires that it was not made from.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.executors.base import Executor, call_all, map_chunks
from firebreak.fire import Fires
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.windows.cores import Core
from firebreak.planning.windows.memory import shards_in_turn
from firebreak.planning.windows.region import Footprint, Region, RegionWorker
from firebreak.planning.windows.shards.shard_plan import known_boxes

_FIRES_PER_CALL, _CLOSE_BY = 32, 64
_CELLS_PER_CALL = 2**18
"""A call takes room for the whole map: on larger maps it has more fires, in proportion."""


def footprints_by_workers(region: Region, numbers: NDArray[np.int64], cores: Sequence[Core],
                          executor: Executor) -> list[Footprint]:
    """Footprints by fire; fires of one weather close by share a call, which makes travel times."""
    parts = _parts(region.fires.part(numbers), region)
    calls = [(numbers[part], cores) for part in parts]
    made = [one for part in call_all(executor, RegionWorker.footprints.__name__, calls)
            for one in part]
    by_number = dict(zip(np.concatenate(parts).tolist(), made, strict=True))
    return [by_number[place] for place in range(numbers.size)]


def losses_by_workers(region: Region, fires: Fires, plans: Sequence[NDArray[np.int64]],
                      executor: Executor) -> NDArray[np.int64]:
    """Loss of each of some fires under each of some sets of breaks, flat cells, whole units i64
    [plans, F], those of shards. A call burns its fires under all of them, since it makes the travel
    times of where they come; calls are as long as one another, for every worker to have some.
    """
    count = -(-len(_parts(fires, region)) // executor.workers) * executor.workers
    parts = [part for part in np.array_split(_close_by(fires, region), count) if part.size]
    lost = np.zeros((len(plans), fires.source.size), np.int64)
    for part, own in zip(parts, call_all(executor, RegionWorker.losses.__name__, [
            (fires.part(part), plans) for part in parts]), strict=True):
        lost[:, part] = own
    return lost


def _parts(fires: Fires, region: Region) -> list[NDArray[np.int64]]:
    """The numbers of fires that burn in one call."""
    rows, cols = region.scene.landscape.shape
    order = _close_by(fires, region)
    size = _FIRES_PER_CALL * max(1, rows * cols // _CELLS_PER_CALL)
    return [order[k:k + size] for k in range(0, order.size, size)]


def _close_by(fires: Fires, region: Region) -> NDArray[np.int64]:
    """The numbers of fires, those of one weather that start close by one after another."""
    row, col = np.divmod(fires.source, region.scene.landscape.shape[1])
    return np.lexsort((col // _CLOSE_BY, row // _CLOSE_BY, fires.scenario))


def saved_in_order(region: Region, segments: Sequence[NDArray[np.int64]], executor: Executor,
                   report: Reporter = no_report) -> list[float]:
    """Shares of the untreated loss of a region's fires that each segment saves once those before it
    stand. A worker holds one shard at a time, with as many fires as the memory takes.

    Args:
        segments: flat cells of each.
        executor: of workers for this region, see `make.region_recipe`.
        report: takes fires as they are done.

    Raises:
        InputError: a shard of one fire does not fit the memory that is free.
    """
    numbers = np.arange(region.fires.source.size)
    boxes = [one.box for one in footprints_by_workers(region, numbers, (), executor)]
    shards = shards_in_turn(region, known_boxes(boxes, region.scene), executor)
    executor.share(list(segments))
    lost = np.zeros(len(segments) + 1, np.int64)
    calls = [(shard,) for shard in shards]
    for place, own in map_chunks(executor, RegionWorker.lost_in_order.__name__, calls, "async"):
        lost += own
        report(shards[place].fires.size)
    saved = lost[:-1] - lost[1:]
    return [part / max(int(lost[0]), 1) for part in saved.tolist()]
