"""Burning fires: the arrays in, losses and maps out. Breaks are an overlay on the travel field.

Many fires burn at once on the threads that `set_threads` allows; the numbers do not depend on how
many. Sums over fires take the memory of some maps per thread, whatever the number of fires.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fires import Fires
from firebreak.fire.jobs import (
    Job,
    arcs_of,
    make_job,
    rules_of,
    table_of,
    value_under,
    workspace,
)
from firebreak.fire.solver.kernels import burn_many
from firebreak.fire.solver.structs import Results
from firebreak.fire.sums import BurnStatistics, add_fires, new_sums, statistics_of, times_of
from firebreak.fire.travel.travel_field import TravelField, padded_width, unpad

__all__ = [
    "BurnStatistics",
    "BurnedFires",
    "arcs_of",
    "burn",
    "burn_arrival",
    "burn_loss",
    "burn_statistics",
    "burn_times",
    "rules_of",
    "value_under",
    "workspace",
]

MAX_FIRES, MAX_CELLS = 64, 6_000_000  # of the dense maps held at once


class BurnedFires(NamedTuple):
    """F fires, burned.

    loss: f64 [F], value burned per fire.
    arrival_time_min: f64 [F, H, W], inf = unburned.
    parent_code: u8 [F, H, W], see `stencil`; HELD where crews stopped the fire at a break.
    downstream_value: f64 [F, H, W], value burned in the fire's tree below each cell.
    """

    loss: NDArray[np.float64]
    arrival_time_min: NDArray[np.float64]
    parent_code: NDArray[np.uint8]
    downstream_value: NDArray[np.float64]


def burn(field: TravelField, fires: Fires, value: NDArray[np.float32],
         breaks: NDArray[np.bool_] | None = None) -> BurnedFires:
    """Burns fires and keeps everything: for tests, pictures and small sets.

    Args:
        value: [H, W], lost where a cell burns; or [C, H, W], lost where it burns in each class of
            flame length (see `losses`).
        breaks: bool [H, W], what they do is said by `field.breaks`. A fire that starts in a hard
            break still starts: that cell burns and spreads in that fire as if untreated.
    """
    job = make_job(field, value, breaks)
    arrival, code, downstream = (_dense(fires.source.size, job, kind)
                                 for kind in (np.float64, np.uint8, np.float64))
    loss = _run(job, fires, arrival=arrival, code=code, downstream=downstream)
    shape = field.shape
    return BurnedFires(loss, unpad(arrival, shape), unpad(code, shape), unpad(downstream, shape))


def burn_arrival(field: TravelField, fires: Fires,
                 breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Arrival times [F, H, W] alone, minutes, inf = unburned."""
    job = make_job(field, np.ones(field.shape, np.float32), breaks)
    arrival = _dense(fires.source.size, job, np.float64)
    _run(job, fires, arrival=arrival)
    return unpad(arrival, field.shape)


def burn_statistics(field: TravelField, fires: Fires, value: NDArray[np.float32],
                    breaks: NDArray[np.bool_] | None = None) -> BurnStatistics:
    """Burns fires and keeps sums: any number of fires in the memory of some maps per thread."""
    job = make_job(field, value, breaks)
    table_of(field, fires)  # checks what the sums' units are made from
    sums = new_sums(job, fires)
    loss = add_fires(job, fires, sums).loss
    return statistics_of(sums, loss, job.overlays.value[0], field.shape)


def burn_times(field: TravelField) -> Callable[[Fires], list[NDArray[np.float32]]]:
    """A function that burns fires on the field: arrival times of the cells that each fire burned,
    minutes, in the order of time. Scratch memory is shared by all its calls.
    """
    job = make_job(field, np.ones(field.shape, np.float32), None)
    return lambda fires: times_of(job, fires).times


def burn_loss(field: TravelField, fires: Fires, value: NDArray[np.float32],
              breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Loss of each fire [F] and nothing else: the fastest way to judge a set of breaks."""
    return _run(make_job(field, value, breaks), fires)


def _dense(fires: int, job: Job, kind: type) -> NDArray:
    return np.empty((fires, job.cells), kind)


def _run(job: Job, fires: Fires, *, arrival: NDArray | None = None, code: NDArray | None = None,
         downstream: NDArray | None = None) -> NDArray[np.float64]:
    """Burns fires; results that are not asked for get no rows."""
    table = table_of(job.field, fires)
    count = fires.source.size
    loss = np.empty(count)
    reals, bytes_ = np.empty((0, job.cells)), np.empty((0, job.cells), np.uint8)
    results = Results(reals if arrival is None else arrival, bytes_ if code is None else code,
                      reals if downstream is None else downstream, bytes_, loss)
    burn_many(np.arange(count), padded_width(job.field.shape[1]), job.arcs, job.spots, job.rules,
              table, job.overlays, results, job.scratch)
    return loss
