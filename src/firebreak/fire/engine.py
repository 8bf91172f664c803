"""Burning fires: the arrays in, losses and maps out. Breaks are an overlay on the travel field.

Many fires burn at once on the threads that `set_threads` allows; the numbers do not depend on how
many. Memory is bounded by blocks of fires.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire.burn_kernel import burn_many
from firebreak.fire.fire_tables import FireTable, Overlays, Results, Rules, Workspace
from firebreak.fire.fires import Fires, check_fires
from firebreak.fire.losses import CLASSES, intensity_edges_kw_m
from firebreak.fire.ring import UNBURNED
from firebreak.fire.travel import (
    TravelField,
    open_state,
    pad,
    padded_cells,
    padded_width,
    shaded,
    unpad,
)
from firebreak.fire.way_kernel import Spots, Ways

MOST_FIRES, MOST_CELLS = 64, 6_000_000  # of the dense maps held at once


def most_threads() -> int:
    """The threads this process may use: its cores, or NUMBA_NUM_THREADS."""
    return int(numba.config.NUMBA_NUM_THREADS)


def set_threads(count: int) -> None:
    """Sets how many threads burn fires, for the calling Python thread.

    Raises:
        InputError: below 1, or above what the machine was started with.
    """
    most = most_threads()
    if not 1 <= count <= most:
        raise fail(expected=f"1 to {most} threads", given=f"{count}", where="threads",
                   remedy="lower it, or set NUMBA_NUM_THREADS before starting")
    numba.set_num_threads(count)


def workspace(cells: int) -> Workspace:
    """Scratch memory for maps of `cells` padded cells, for as many threads as there can ever be:
    numba's setting is per Python thread and may change while the memory lives.
    """
    shape = (most_threads(), cells)
    return Workspace(
        np.full(shape, np.inf, np.float32), np.full(shape, UNBURNED, np.uint8),
        np.zeros(shape, np.float32), np.zeros(shape, np.uint8),
        np.zeros((shape[0], 2 * cells), np.int32), np.zeros(shape), np.zeros(shape, np.uint8),
        np.zeros(shape, np.int32), np.zeros(shape, np.int32),
        np.zeros((shape[0], 2 * cells + 64), np.uint64))


class BurnedFires(NamedTuple):
    """F fires, burned.

    loss: f64 [F], value burned per fire.
    arrival_time_min: f64 [F, H, W], inf = unburned.
    parent_code: u8 [F, H, W], see `ring`.
    downstream_value: f64 [F, H, W], value burned in the fire's tree below each cell.
    """

    loss: NDArray[np.float64]
    arrival_time_min: NDArray[np.float64]
    parent_code: NDArray[np.uint8]
    downstream_value: NDArray[np.float64]


class BurnStatistics(NamedTuple):
    """Over F fires; maps are f64 [H, W].

    loss: f64 [F], value lost per fire.
    burn_probability: share of the fires that burned the cell.
    downstream_value: value lost in the fires' trees below the cell, mean over all fires.
    arrival_time_min: mean over the fires that burned the cell, inf where none did.
    lost: value lost in the cell, mean over all fires.
    class_probability: f64 [C, H, W], share of the fires that burned the cell in each class of
        flame length; one class where the field has no intensities.
    """

    loss: NDArray[np.float64]
    burn_probability: NDArray[np.float64]
    downstream_value: NDArray[np.float64]
    arrival_time_min: NDArray[np.float64]
    lost: NDArray[np.float64]
    class_probability: NDArray[np.float64]


def burn(field: TravelField, fires: Fires, value: NDArray[np.float32],
         breaks: NDArray[np.bool_] | None = None) -> BurnedFires:
    """Burns fires and keeps everything: for tests, pictures and small sets.

    Args:
        value: [H, W], lost where a cell burns; or [C, H, W], lost where it burns in each class of
            flame length (see `losses`).
        breaks: bool [H, W], what they do is said by `field.breaks`. A fire that starts in a hard
            break still starts: that cell burns and spreads in that fire as if untreated.
    """
    job = _job(field, value, breaks)
    arrival, code, downstream = (_dense(fires.source.size, job, kind)
                                 for kind in (np.float64, np.uint8, np.float64))
    loss = _run(job, fires, arrival=arrival, code=code, downstream=downstream)
    shape = field.shape
    return BurnedFires(loss, unpad(arrival, shape), unpad(code, shape), unpad(downstream, shape))


def burn_arrival(field: TravelField, fires: Fires,
                 breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Arrival times [F, H, W] alone, minutes, inf = unburned."""
    job = _job(field, np.ones(field.shape, np.float32), breaks)
    arrival = _dense(fires.source.size, job, np.float64)
    _run(job, fires, arrival=arrival)
    return unpad(arrival, field.shape)


def burn_statistics(field: TravelField, fires: Fires, value: NDArray[np.float32],
                    breaks: NDArray[np.bool_] | None = None) -> BurnStatistics:
    """Burns fires in blocks and keeps sums: any number of fires in the memory of one block."""
    job = _job(field, value, breaks)
    size, cells = _block_size(job.cells), job.cells
    arrival, code, downstream = (_dense(size, job, kind)
                                 for kind in (np.float64, np.uint8, np.float64))
    classes = _dense(size if field.heat.size else 0, job, np.uint8)
    count = CLASSES if field.heat.size else 1
    burned, below, reached = np.zeros((count, cells)), np.zeros(cells), np.zeros(cells)
    losses = []
    for block in _blocks(fires, size):
        n = block.source.size
        losses.append(_run(job, block, arrival=arrival[:n], code=code[:n],
                           downstream=downstream[:n], classes=classes[:n]))
        burns = code[:n] != UNBURNED
        for k in range(count):
            burned[k] += ((classes[:n] == k) if field.heat.size else burns).sum(axis=0)
        below += downstream[:n].sum(axis=0)
        reached += arrival[:n].sum(axis=0, where=burns)
    every = burned.sum(axis=0)
    mean_arrival = np.divide(reached, every, out=np.full(cells, np.inf), where=every > 0)
    n = fires.source.size
    worth = job.overlays.value[0].astype(np.float64)
    lost = (burned * worth).sum(axis=0) if worth.shape[0] == count else every * worth[0]
    return BurnStatistics(np.concatenate(losses), *(
        unpad(total, field.shape)
        for total in (every / n, below / n, mean_arrival, lost / n, burned / n)))


def burn_loss(field: TravelField, fires: Fires, value: NDArray[np.float32],
              breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Loss of each fire [F] and nothing else: the fastest way to judge a set of breaks."""
    return _run(_job(field, value, breaks), fires)


class _Job(NamedTuple):
    """One landscape under one set of breaks, as the compiled code takes it."""

    field: TravelField
    cells: int
    ways: Ways
    spots: Spots
    rules: Rules
    overlays: Overlays
    scratch: Workspace


def ways_of(field: TravelField) -> Ways:
    """The part of a travel field that fires run on."""
    return Ways(field.metric, field.unit_time, field.segments, field.accepts, field.sends,
                field.heat, field.steps, field.step_min)


def rules_of(field: TravelField) -> Rules:
    """What breaks do, for the compiled code."""
    return Rules(field.breaks.leak, field.breaks.breach, intensity_edges_kw_m())


def value_under(value: NDArray[np.float32], breaks: NDArray[np.bool_],
                lost: float) -> NDArray[np.float32]:
    """What burning costs [C, P] where a narrow break leaves the share `lost` of its cell."""
    layers = value if value.ndim == 3 else value[None]
    return pad(np.where(breaks, layers * np.float32(lost), layers) if lost > 0.0 else layers)


def _job(field: TravelField, value: NDArray[np.float32],
         breaks: NDArray[np.bool_] | None) -> _Job:
    closed = np.zeros(field.shape, np.bool_) if breaks is None else breaks
    own = shaded(field, closed)
    _check_value(own, value)
    cells = own.metric.shape[1]
    overlays = Overlays(
        open_state(unpad(own.burnable, own.shape), closed, own.breaks)[None],
        value_under(value, closed, own.breaks.lost)[None])
    return _Job(own, cells, ways_of(own), own.spots, rules_of(own), overlays, workspace(cells))


def _check_value(field: TravelField, value: NDArray[np.float32]) -> None:
    classes = value.shape[0] if value.ndim == 3 else 1
    if value.shape[-2:] != field.shape or classes not in (1, CLASSES) or (
            classes > 1 and not field.heat.size):
        raise fail(expected=f"values {field.shape}, or of {CLASSES} classes of flame length on a "
                            "field with intensities", given=f"{value.shape}", where="fires",
                   remedy="make the scene with the response functions that the values need")


def _dense(fires: int, job: _Job, kind: type) -> NDArray:
    return np.empty((fires, job.cells), kind)


def _block_size(cells: int) -> int:
    return max(1, min(MOST_FIRES, MOST_CELLS // cells))


def _blocks(fires: Fires, size: int) -> list[Fires]:
    return [fires.part(slice(i, i + size)) for i in range(0, fires.source.size, size)]


def _run(job: _Job, fires: Fires, *, arrival: NDArray | None = None, code: NDArray | None = None,
         downstream: NDArray | None = None, classes: NDArray | None = None,
         ) -> NDArray[np.float64]:
    """Burns fires; results that are not asked for get no rows."""
    # The compiled code trusts its indices; this is where they are checked.
    check_fires(fires, unpad(job.field.burnable, job.field.shape),
                job.field.metric.shape[0] // job.field.steps)
    count, cols = fires.source.size, job.field.shape[1]
    loss = np.empty(count)
    reals, bytes_ = np.empty((0, job.cells)), np.empty((0, job.cells), np.uint8)
    table = FireTable(fires.scenario * job.field.steps, np.zeros(count, np.int64),
                      padded_cells(fires.source, cols), fires.duration_min, fires.key)
    results = Results(reals if arrival is None else arrival, bytes_ if code is None else code,
                      reals if downstream is None else downstream,
                      bytes_ if classes is None else classes, loss)
    burn_many(np.arange(count), padded_width(cols), job.ways, job.spots, job.rules, table,
              job.overlays, results, job.scratch)
    return loss
