"""What each segment of a large plan saves of fires that it was not made from, shard by shard."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.executors.base import Executor, map_chunks
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.windows.memory import shards_in_turn
from firebreak.planning.windows.reached import footprints_by_workers
from firebreak.planning.windows.region import Region, RegionWorker
from firebreak.planning.windows.shards.shard_plan import known_boxes


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
