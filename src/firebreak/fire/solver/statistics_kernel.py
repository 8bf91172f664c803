"""Compiled burning of many fires into sums over fires: memory grows with the map and the threads,
never with fires x cells.

All sums are whole numbers, so that the order of fires, and with it blocks and threads, changes no
bit. Each thread adds into a part of its own.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from firebreak.compiled import compiled, compiled_arrays
from firebreak.fire.solver.burn_kernel import classify, hand_down, loss_of
from firebreak.fire.solver.crews_kernel import stopped_cell
from firebreak.fire.solver.front_kernel import (
    arcs_under,
    burn_one,
    clean,
    crews_of,
    of_thread,
    view_of,
)
from firebreak.fire.travel.arc_kernel import STEP_COL, STEP_ROW
from firebreak.fire.travel.stencil import REACH

MADE, MISSED = 0, 1  # of a fire: added; came near a tile that is not ready and was left out


class Sums(NamedTuple):
    """Sums over fires by thread, and how they are scaled.

    burned: i32 [T, C, P], fires that burned the cell in each class of intensity.
    below: i64 [T, P], value lost below the cell times `per_value`; no columns if not wanted.
    arrival: i64 [T, P], minutes times `per_minute`; no columns if not wanted.
    stopped: i32 [T, P], fires that crews stopped at a break in the cell; no columns where nobody
        does.
    """

    burned: NDArray[np.int32]
    below: NDArray[np.int64]
    arrival: NDArray[np.int64]
    stopped: NDArray[np.int32]
    per_value: float
    per_minute: float


class Tracks(NamedTuple):
    """Burned cells in the order in which they burned: cell i32, time f32 [<= F, P], with rows for
    the first fires only, or none; burned i64 [F], cells; latest f64 [F], minutes.
    """

    cell: NDArray[np.int32]
    time: NDArray[np.float32]
    burned: NDArray[np.int64]
    latest: NDArray[np.float64]


class Tiles(NamedTuple):
    """Where the travel field is ready: u8 [N] tiles of `side` x `side` cells, `across` in a row of
    tiles; no tiles where all of it is. requested: u8 [T, N], tiles that fires came near.
    """

    ready: NDArray[np.uint8]
    requested: NDArray[np.uint8]
    side: int
    across: int


@compiled()
def _stays_inside(burned, width, tiles, requested, work):
    """Whether all cells that burned, or at which crews held a break, lie so far inside tiles that
    are ready that the fire read no other; sets the tiles that it came near in requested u8 [N].
    """
    rows, cols = work.time.shape[0] // width - 2 * REACH, width - 2 * REACH
    inside = True
    for k in range(burned + work.stopped[0]):
        cell = work.order[k] if k < burned else stopped_cell(k - burned, work)
        row, col = cell // width - REACH, cell % width - REACH
        for down in (max(row - REACH, 0), min(row + REACH, rows - 1)):
            for right in (max(col - REACH, 0), min(col + REACH, cols - 1)):
                tile = down // tiles.side * tiles.across + right // tiles.side
                if tiles.ready[tile] == 0:
                    requested[tile] = 1
                    inside = False
    return inside


@compiled()
def _add(burned, classed, sums, thread, work):
    """Adds a burned fire to its thread's sums."""
    count, below, arrival = sums.burned[thread], sums.below[thread], sums.arrival[thread]
    for k in range(burned):
        cell = work.order[k]
        count[np.int64(work.classes[cell]) if classed else 0, cell] += 1
        if below.shape[0] > 0:
            below[cell] += np.int64(work.below[cell] * sums.per_value + 0.5)
        if arrival.shape[0] > 0:
            arrival[cell] += np.int64(work.time[cell] * sums.per_minute + 0.5)
    if sums.stopped.shape[1] > 0:
        for k in range(work.stopped[0]):
            sums.stopped[thread, stopped_cell(k, work)] += 1


@compiled()
def _sum_listed(fire, thread, offset, width, every, spots, rules, fires, overlays, sums, tracks,
                tiles, state, loss, scratch):
    """Burns one fire of the table with a thread's workspace and adds it to the sums."""
    work = of_thread(scratch, thread)
    first, overlay = fires.row[fire], fires.overlay[fire]
    arcs = arcs_under(fire, every, rules, fires)
    view = view_of(fire, overlays.state[overlay], offset, width, rules, fires)
    burned = burn_one(fires.duration[fire], first, arcs, spots, view,
                      crews_of(fire, rules, fires), work)
    state[fire] = MADE
    if tiles.ready.shape[0] > 0 and not _stays_inside(burned, width, tiles, tiles.requested[thread],
                                                      work):
        state[fire] = MISSED
        clean(burned, work)
        return
    if arcs.heat.shape[0] > 0:
        classify(burned, first, arcs, rules.class_limits, work)
    loss[fire] = loss_of(burned, overlays.value[overlay], work)
    tracks.burned[fire] = burned
    # Cells burn in the order of their times.
    tracks.latest[fire] = work.time[work.order[burned - 1]]
    if sums.burned.shape[0] > 0:
        if sums.below.shape[1] > 0:
            hand_down(burned, offset, work)
        _add(burned, arcs.heat.shape[0] > 0, sums, thread, work)
    if fire < tracks.cell.shape[0]:
        for k in range(burned):
            tracks.cell[fire, k] = work.order[k]
            tracks.time[fire, k] = work.time[work.order[k]]
    clean(burned, work)


@compiled_arrays(parallel=True)
def sum_many(which, width, arcs, spots, rules, fires, overlays, sums, tracks, tiles, state, loss,
             scratch):
    """Burns the fires listed in `which`, in parallel, into sums, tracks and loss f64 [F]; state u8
    [F] says which were added.
    """
    offset = STEP_ROW * width + STEP_COL
    for i in numba.prange(which.shape[0]):
        _sum_listed(which[i], numba.get_thread_id(), offset, width, arcs, spots, rules, fires,
                    overlays, sums, tracks, tiles, state, loss, scratch)
