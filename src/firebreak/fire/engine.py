"""Burning fires: the arrays in, losses and maps out. Breaks are an overlay on the travel field.

Many fires burn at once on the threads that `set_threads` allows; the numbers do not depend on how
many. Memory is bounded by blocks of fires.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.fire import front_kernel
from firebreak.fire.fires import Fires
from firebreak.fire.travel import TravelField, open_state, pad, padded_cells, padded_width, unpad

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


class Workspace(NamedTuple):
    """Scratch memory, one row set per thread: reals [T, 4, P], integers [T, 3, P], codes [T, P]."""

    reals: NDArray[np.float64]
    integers: NDArray[np.int64]
    codes: NDArray[np.uint8]


def workspace(cells: int) -> Workspace:
    """Scratch memory for maps of `cells` padded cells, for as many threads as there can ever be:
    numba's setting is per Python thread and may change while the memory lives.
    """
    threads = most_threads()
    return Workspace(np.empty((threads, 4, cells)), np.empty((threads, 3, cells), np.int64),
                     np.empty((threads, cells), np.uint8))


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

    loss: f64 [F], value burned per fire.
    burn_probability: share of the fires that burned the cell.
    downstream_value: value burned in the fires' trees below the cell, mean over all fires.
    arrival_time_min: mean over the fires that burned the cell, inf where none did.
    """

    loss: NDArray[np.float64]
    burn_probability: NDArray[np.float64]
    downstream_value: NDArray[np.float64]
    arrival_time_min: NDArray[np.float64]


def burn(field: TravelField, fires: Fires, value: NDArray[np.float32],
         breaks: NDArray[np.bool_] | None = None) -> BurnedFires:
    """Burns fires and keeps everything: for tests, pictures and small sets.

    Args:
        value: [H, W], lost where a cell burns.
        breaks: bool [H, W], hard breaks. A fire that starts in one still starts: that cell burns
            and spreads in that fire as if untreated.
    """
    cells = field.metric.shape[1]
    count = fires.source.size
    arrival = np.empty((count, cells))
    code = np.empty((count, cells), np.uint8)
    downstream = np.empty((count, cells))
    loss = _run(field, fires, value, breaks, arrival, code, downstream, workspace(cells))
    shape = field.shape
    return BurnedFires(loss, unpad(arrival, shape), unpad(code, shape), unpad(downstream, shape))


def burn_arrival(field: TravelField, fires: Fires,
                 breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Arrival times [F, H, W] alone, minutes, inf = unburned."""
    cells = field.metric.shape[1]
    arrival = np.empty((fires.source.size, cells))
    _run(field, fires, np.ones(field.shape, np.float32), breaks, arrival,
         np.empty((0, cells), np.uint8), np.empty((0, cells)), workspace(cells))
    return unpad(arrival, field.shape)


def burn_statistics(field: TravelField, fires: Fires, value: NDArray[np.float32],
                    breaks: NDArray[np.bool_] | None = None) -> BurnStatistics:
    """Burns fires in blocks and keeps sums: any number of fires in the memory of one block."""
    cells = field.metric.shape[1]
    size, scratch = _block_size(cells), workspace(cells)
    arrival, code = np.empty((size, cells)), np.empty((size, cells), np.uint8)
    downstream = np.empty((size, cells))
    burned, below, reached = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    losses = []
    for block in _blocks(fires, size):
        n = block.source.size
        losses.append(_run(field, block, value, breaks, arrival[:n], code[:n], downstream[:n],
                           scratch))
        burns = code[:n] != front_kernel.UNBURNED
        burned += burns.sum(axis=0)
        below += downstream[:n].sum(axis=0)
        reached += arrival[:n].sum(axis=0, where=burns)
    count = fires.source.size
    mean_arrival = np.divide(reached, burned, out=np.full(cells, np.inf), where=burned > 0)
    return BurnStatistics(np.concatenate(losses), *(
        unpad(total, field.shape) for total in (burned / count, below / count, mean_arrival)))


def burn_loss(field: TravelField, fires: Fires, value: NDArray[np.float32],
              breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Loss of each fire [F] and nothing else: the fastest way to judge a set of breaks."""
    cells = field.metric.shape[1]
    nothing = np.empty((0, cells))
    return _run(field, fires, value, breaks, nothing, np.empty((0, cells), np.uint8), nothing,
                workspace(cells))


def burn_losses(field: TravelField, fires: Fires, values: NDArray[np.float32],
                breaks: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Losses [K, F] of fires counted in K value layers [K, H, W]."""
    cells = field.metric.shape[1]
    size, scratch = _block_size(cells), workspace(cells)
    code = np.empty((size, cells), np.uint8)
    flat = pad(values).astype(np.float64)
    losses = np.empty((values.shape[0], fires.source.size))
    done = 0
    for block in _blocks(fires, size):
        n = block.source.size
        _run(field, block, values[0], breaks, np.empty((0, cells)), code[:n],
             np.empty((0, cells)), scratch)
        burned = (code[:n] != front_kernel.UNBURNED).astype(np.float64)
        # einsum sums each fire in cell order, so a fire's loss does not depend on its block.
        losses[:, done:done + n] = np.einsum("kp,fp->kf", flat, burned, optimize=False)
        done += n
    return losses


def _block_size(cells: int) -> int:
    return max(1, min(MOST_FIRES, MOST_CELLS // cells))


def _blocks(fires: Fires, size: int) -> list[Fires]:
    return [Fires(fires.source[i:i + size], fires.scenario[i:i + size],
                  fires.duration_min[i:i + size])
            for i in range(0, fires.source.size, size)]


def _run(field: TravelField, fires: Fires, value: NDArray[np.float32],
         breaks: NDArray[np.bool_] | None, arrival: NDArray, code: NDArray, downstream: NDArray,
         scratch: Workspace) -> NDArray[np.float64]:
    rows, cols = field.shape
    closed = np.zeros((rows, cols), np.bool_) if breaks is None else breaks
    burnable = unpad(field.burnable, field.shape)
    _check_fires(field, fires, burnable)
    count = fires.source.size
    loss = np.empty(count)
    front_kernel.burn_many(
        np.arange(count), padded_width(cols), fires.scenario, np.zeros(count, np.int64),
        padded_cells(fires.source, cols), fires.duration_min, field.metric, field.unit_time,
        field.segments, field.accepts, field.sends, open_state(burnable, closed)[None],
        pad(value)[None], arrival, code, downstream, loss, *scratch)
    return loss


def _check_fires(field: TravelField, fires: Fires, burnable: NDArray[np.bool_]) -> None:
    """The compiled code trusts its indices; this is where they are checked."""
    scenarios = field.metric.shape[0]
    if fires.source.size == 0:
        raise fail(expected="at least 1 fire", given="none", where="fires",
                   remedy="draw some first")
    inside = (fires.source >= 0) & (fires.source < burnable.size)
    if not inside.all() or not burnable.ravel()[fires.source].all():
        raise fail(expected="ignitions in burnable cells of the map", given="one elsewhere",
                   where="fires", remedy="draw ignitions from landscape.burnable")
    if (fires.scenario < 0).any() or (fires.scenario >= scenarios).any():
        raise fail(expected=f"weather scenarios 0 to {scenarios - 1}", given="another one",
                   where="fires", remedy="draw fires with the weights of these scenarios")
    if np.isnan(fires.duration_min).any() or (fires.duration_min < 0).any():
        raise fail(expected="durations of 0 minutes or more", given="nan or below 0",
                   where="fires", remedy="check the fire regime")
