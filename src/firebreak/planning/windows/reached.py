"""What fires of the whole map burn, found by the workers of an executor."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.executors.base import Executor, call_all
from firebreak.planning.windows.cores import Core
from firebreak.planning.windows.footprints import Footprint
from firebreak.planning.windows.region import Region, RegionWorker

_FIRES_PER_CALL, _CLOSE_BY = 32, 64
_CELLS_PER_CALL = 2**18
"""A call takes room for the whole map: on larger maps it has more fires, in proportion."""


def footprints_by_workers(region: Region, numbers: NDArray[np.int64], cores: Sequence[Core],
                          executor: Executor) -> list[Footprint]:
    """Of fires by number; fires of one weather that start close by burn together, since a call
    makes the travel times of where its fires come.
    """
    row, col = np.divmod(region.fires.source[numbers], region.scene.landscape.shape[1])
    order = numbers[np.lexsort((col // _CLOSE_BY, row // _CLOSE_BY,
                                region.fires.scenario[numbers]))]
    size = _FIRES_PER_CALL * max(1, region.scene.landscape.fuel_model.size // _CELLS_PER_CALL)
    calls = [(order[k:k + size], cores) for k in range(0, order.size, size)]
    made = [one for part in call_all(executor, RegionWorker.footprints.__name__, calls)
            for one in part]
    by_number = dict(zip(order.tolist(), made, strict=True))
    return [by_number[number] for number in numbers.tolist()]
