"""What each segment of a large plan saves of fires that it was not made from, in shards."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.executors.base import Executor
from firebreak.planning.core.progress import Reporter, no_report
from firebreak.planning.windows.footprints import footprints_of
from firebreak.planning.windows.judged import Judge
from firebreak.planning.windows.kept import NOTHING_KEPT
from firebreak.planning.windows.region import Region
from firebreak.planning.windows.shards import Wanted


def saved_in_order(region: Region, segments: Sequence[NDArray[np.int64]], executor: Executor,
                   report: Reporter = no_report) -> list[float]:
    """Shares of the untreated loss of a region's fires that each segment saves once those before it
    stand.

    Args:
        segments: flat cells of each.
        executor: of workers for this region, see `make.region_recipe`.
        report: takes segments as they are done.
    """
    boxes = [one.box for one in footprints_of(region.scene, region.fires, ())]
    lines = list(segments)
    judge = Judge(region, boxes, lines, executor, NOTHING_KEPT, 2**20)
    untreated = judge.lost()
    saved = []
    for k in range(len(lines)):
        wanted = {shard: [Wanted(k)] for shard in judge.meets[k]}
        found = judge.rate(tuple(range(k)), wanted) if wanted else {}
        saved.append(sum(int(part.sum()) for rating in found.values() for part in rating.saved))
        report(1)
    return [part / max(untreated, 1) for part in saved]
