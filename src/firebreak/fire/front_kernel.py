"""The compiled minimum-travel-time solver: one fire at a time, many fires in parallel.

Each cell is final when it leaves the queue. It is reached by a single step from a final cell, or
through the segment between two final cells, at the point of the segment where it burns first. A
child is never earlier than the later of its parents, so the order of leaving the queue is a
topological order of the parents, and stopping at the duration is exact. Without segments the same
code is Dijkstra's algorithm over the eight neighbours (`graph`).

No fastmath, a fixed order of evaluation and ties broken by parent code and cell index: a fire has
the same bits in any batch, on any thread.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from firebreak.fire.keyed import DRAW_BREACH, uniform
from firebreak.fire.queue_kernel import push, replace_root
from firebreak.fire.ring import IGNITION, REACH, SEGMENT_CODE, SPOT, UNBURNED
from firebreak.fire.spotting import spot_ignites, spot_target
from firebreak.fire.way_kernel import (
    BREAK,
    CLOSED,
    NARROW,
    NEAR,
    OPEN,
    SEGMENT_A,
    SEGMENT_B,
    STEP_COL,
    STEP_ROW,
    TOUCHING,
    arrive_across,
    intensity,
    row_at,
    row_end,
    segment_cost,
    segment_open,
    segment_weight,
    step_cost,
    step_open,
)

_SILENT = -3  # queue position of a cell that burned and sends nothing
_FINAL = -2  # queue position of a cell whose time is final
_UNSEEN = -1


class Rules(NamedTuple):
    """What breaks do.

    leak: fire passes between two breaks that touch at a corner.
    breach: f32 [S, P], probability that a break in the cell is breached under each stream of
        weather, or no rows: breaks are never breached.
    class_limits: f64 [C - 1], intensities between the classes of the value tables, kW/m.
    """

    leak: bool
    breach: NDArray[np.float32]
    class_limits: NDArray[np.float64]


class FireTable(NamedTuple):
    """F fires: row i64 [F] of the travel field (the first of the stream), overlay i64 [F], padded
    ignition cell i64 [F], duration f64 [F] in minutes, key u64 [F] of the fire's random numbers.
    """

    row: NDArray[np.int64]
    overlay: NDArray[np.int64]
    source: NDArray[np.int64]
    duration: NDArray[np.float64]
    key: NDArray[np.uint64]


class Overlays(NamedTuple):
    """V break overlays: state u8 [V, P] (codes of `way_kernel`), value f32 [V, C, P], what burning
    costs in each of C classes of intensity; C is 1 where intensity does not matter.
    """

    state: NDArray[np.uint8]
    value: NDArray[np.float32]


class Results(NamedTuple):
    """Where results go: loss f64 [F]; arrival f64, code u8, downstream, classes u8 [<= F, P], which
    have rows for the first fires only, or none.
    """

    arrival: NDArray[np.float64]
    code: NDArray[np.uint8]
    downstream: NDArray
    classes: NDArray[np.uint8]
    loss: NDArray[np.float64]


class Workspace(NamedTuple):
    """Scratch memory, a set per thread: reals [T, 4, P], integers [T, 3, P], bytes [T, 3, P]."""

    reals: NDArray[np.float64]
    integers: NDArray[np.int64]
    bytes: NDArray[np.uint8]


@intrinsic
def _lowest_bit(typing_context, word):
    """Index of the lowest set bit of a uint64 that is not zero."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], cgutils.true_bit)

    return signature, generate


@numba.njit(cache=True)
def _state_in_fire(base, source, key, stream, breach, state):
    """The overlay as one fire meets it: breaches are drawn, and the ignition cell burns even where
    it is treated.
    """
    state[:] = base
    if breach.shape[0] > 0:
        for cell in range(base.shape[0]):
            if base[cell] == BREAK or base[cell] == NARROW:
                if uniform(key, cell, DRAW_BREACH) < breach[stream, cell]:
                    state[cell] = NEAR
                elif base[cell] == BREAK:
                    state[cell] = CLOSED
    if state[source] != OPEN:
        state[source] = NEAR


@numba.njit(cache=True)
def _ember_lands(parent, row, width, key, spots, state):
    """(padded cell that the ember of a burning cell sets on fire, minutes until it burns there);
    (-1, 0.0) if none. Breaks and bare ground do not catch fire.
    """
    rows, cols = state.shape[0] // width - 2 * REACH, width - 2 * REACH
    down, right, metres = spot_target(
        key, parent, parent // width - REACH, parent % width - REACH, rows, cols,
        spots.cell_size_m, spots.cells[0, row, parent], spots.cells[1, row, parent],
        spots.cells[2, row, parent], spots.cells[3, row, parent], spots.winds[1, row],
        spots.winds[2, row])
    if down < 0:
        return -1, 0.0
    target = (down + REACH) * width + right + REACH
    if (state[target] != OPEN and state[target] != NEAR) or not spot_ignites(
            key, parent, spots.winds[0, row]):
        return -1, 0.0
    return target, metres * spots.winds[3, row] + spots.delay_min


@numba.njit(cache=True)
def _under_next_weather(ways, first, row, child, segment, time_a, time_b, width, t, weight):
    """The better of (t, weight) and of the point of the segment that suits the next weather, in
    which the way ends.
    """
    other = segment_weight(ways.metric[row + 1], child, segment, time_a, time_b)
    if other < 0.0:
        return t, weight
    start = time_a + other * (time_b - time_a)
    late = arrive_across(ways, first, start, child, segment + SEGMENT_CODE, other, width)
    return (late, other) if late < t else (t, weight)


@numba.njit(cache=True)
def burn_one(source, duration, first, key, width, ways, spots, leak, state,
             time, code, weight, order, keys, cells, position):
    """Burns one fire into the workspace; returns the number of cells burned.

    first: the travel field's row of the fire's first weather. key: of its random numbers. state
    u8 [P]: what is open.
    time f64, code u8, weight f64, order i64, keys f64, cells i64, position i64 [P]: workspace.
    """
    time[:] = np.inf
    code[:] = UNBURNED
    position[:] = _UNSEEN
    time[source] = 0.0
    code[source] = IGNITION
    weight[source] = 0.0
    push(0, 0.0, source, keys, cells, position)
    size = 1
    burned = 0
    row, row_begin, until = first, 0.0, row_end(ways, first, first)
    metric, unit_time = ways.metric[row], ways.unit_time[row]
    segments, accepts, sends = ways.segments[row], ways.accepts[row], ways.sends[row]
    while size > 0:
        parent = cells[0]
        now = keys[0]
        size -= 1
        if size > 0:
            replace_root(size, keys[size], cells[size], keys, cells, position)
        order[burned] = parent
        burned += 1
        if state[parent] == NARROW:
            position[parent] = _SILENT
            continue
        position[parent] = _FINAL
        if now >= until:
            row = row_at(ways, first, now)
            row_begin, until = (row - first) * ways.step_min, row_end(ways, first, row)
            metric, unit_time = ways.metric[row], ways.unit_time[row]
            segments, accepts, sends = ways.segments[row], ways.accepts[row], ways.sends[row]
        if spots.cells.shape[1] > 0:
            child, delay = _ember_lands(parent, row, width, key, spots, state)
            if child >= 0 and position[child] > _FINAL:
                t = max(now + delay, np.nextafter(now, np.inf))
                if t <= duration and t < time[child]:
                    time[child] = t
                    code[child] = SPOT
                    weight[child] = parent
                    place = position[child]
                    if place == _UNSEEN:
                        place = size
                        size += 1
                    push(place, t, child, keys, cells, position)
        steps = np.uint64(sends[parent])
        while steps != 0:
            step = np.int64(_lowest_bit(steps))
            steps &= steps - np.uint64(1)
            child = parent - STEP_ROW[step] * width - STEP_COL[step]
            if position[child] <= _FINAL or state[child] == CLOSED:
                continue
            best, best_code, best_weight = time[child], np.int64(code[child]), weight[child]
            if step_open(child, step, width, accepts, state, leak):
                t = now + step_cost(metric, unit_time, child, step, width)
                if t > until:
                    t = arrive_across(ways, first, now, child, step, 0.0, width)
                t = max(t, np.nextafter(now, np.inf))
                if t < best or (t == best and step < best_code):
                    best, best_code, best_weight = t, step, 0.0
            ending = segments[child] & TOUCHING[step]
            while ending != 0:
                segment = np.int64(_lowest_bit(ending))
                ending &= ending - np.uint64(1)
                a, b = SEGMENT_A[segment], SEGMENT_B[segment]
                cell_a = child + STEP_ROW[a] * width + STEP_COL[a]
                cell_b = child + STEP_ROW[b] * width + STEP_COL[b]
                # Evaluated once, when the later end is final.
                if position[cell_a] != _FINAL or position[cell_b] != _FINAL:
                    continue
                if not segment_open(child, segment, width, state):
                    continue
                w = segment_weight(metric, child, segment, time[cell_a], time[cell_b])
                t = np.inf
                if w >= 0.0:
                    start = time[cell_a] + w * (time[cell_b] - time[cell_a])
                    t = start + segment_cost(metric, child, segment, w, width)
                    if start < row_begin or t > until:
                        t = arrive_across(ways, first, start, child, segment + SEGMENT_CODE, w,
                                          width)
                if t > until:
                    t, w = _under_next_weather(ways, first, row, child, segment, time[cell_a],
                                               time[cell_b], width, t, w)
                t = max(t, np.nextafter(now, np.inf))
                if t < best or (t == best and segment + SEGMENT_CODE < best_code):
                    best, best_code, best_weight = t, segment + SEGMENT_CODE, w
            if best <= duration and best_code != code[child]:
                time[child] = best
                code[child] = best_code
                weight[child] = best_weight
                place = position[child]
                if place == _UNSEEN:
                    place = size
                    size += 1
                push(place, best, child, keys, cells, position)
    return burned


@numba.njit(cache=True)
def _classify(burned, first, ways, limits, order, time, code, weight, classes):
    """Class of intensity u8 [P] in which each burned cell burned."""
    for k in range(burned):
        cell = order[k]
        here = intensity(ways, row_at(ways, first, time[cell]), cell, np.int64(code[cell]),
                         weight[cell])
        classes[cell] = np.searchsorted(limits, here, side="right")


@numba.njit(cache=True)
def hand_down(burned, order, code, weight, classes, value, width, downstream):
    """Value burned in the fire's tree below each cell, the cell itself included; the fire's loss.

    value f32 [C, P]; classes u8 [P] are looked at where C is above 1. Each cell hands its sum to
    its parents by weight, last burned first (a topological order).
    """
    loss = 0.0
    for k in range(burned):
        cell = order[k]
        worth = value[0, cell] if value.shape[0] == 1 else value[classes[cell], cell]
        downstream[cell] = worth
        loss += worth
    for k in range(burned - 1, 0, -1):
        cell = order[k]
        parents = np.int64(code[cell])
        if parents < SEGMENT_CODE:
            downstream[cell + STEP_ROW[parents] * width + STEP_COL[parents]] += downstream[cell]
        elif parents == SPOT:
            downstream[np.int64(weight[cell])] += downstream[cell]
        else:
            a = SEGMENT_A[parents - SEGMENT_CODE]
            b = SEGMENT_B[parents - SEGMENT_CODE]
            share = weight[cell] * downstream[cell]
            downstream[cell + STEP_ROW[b] * width + STEP_COL[b]] += share
            downstream[cell + STEP_ROW[a] * width + STEP_COL[a]] += downstream[cell] - share
    return loss


@numba.njit(cache=True)
def _burn_listed(fire, thread, width, ways, spots, rules, fires, overlays, results, scratch):
    """Burns one fire of the table with a thread's workspace and writes its results."""
    time, weight = scratch.reals[thread, 0], scratch.reals[thread, 1]
    keys, downstream = scratch.reals[thread, 2], scratch.reals[thread, 3]
    order, cells, position = (scratch.integers[thread, 0], scratch.integers[thread, 1],
                              scratch.integers[thread, 2])
    code, state, classes = (scratch.bytes[thread, 0], scratch.bytes[thread, 1],
                            scratch.bytes[thread, 2])
    first, overlay, source = fires.row[fire], fires.overlay[fire], fires.source[fire]
    _state_in_fire(overlays.state[overlay], source, fires.key[fire], first // ways.steps,
                   rules.breach, state)
    burned = burn_one(source, fires.duration[fire], first, fires.key[fire], width, ways, spots,
                      rules.leak, state, time, code, weight, order, keys, cells, position)
    if ways.heat.shape[0] > 0:
        _classify(burned, first, ways, rules.class_limits, order, time, code, weight, classes)
    results.loss[fire] = hand_down(burned, order, code, weight, classes, overlays.value[overlay],
                                   width, downstream)
    if fire < results.arrival.shape[0]:
        results.arrival[fire] = time
    if fire < results.code.shape[0]:
        results.code[fire] = code
    if fire < results.downstream.shape[0]:
        results.downstream[fire] = 0.0
        for k in range(burned):
            results.downstream[fire, order[k]] = downstream[order[k]]
    if fire < results.classes.shape[0]:
        results.classes[fire] = UNBURNED
        for k in range(burned):
            results.classes[fire, order[k]] = classes[order[k]]


@numba.njit(cache=True, parallel=True)
def burn_many(which, width, ways, spots, rules, fires, overlays, results, scratch):
    """Burns the fires listed in `which`, in parallel, into `results`."""
    for i in numba.prange(which.shape[0]):
        _burn_listed(which[i], numba.get_thread_id(), width, ways, spots, rules, fires, overlays,
                     results, scratch)


@numba.njit(cache=True)
def depends_on(cell, sources, codes, closes_step, closes_code, out):
    """Sets out[fire] = 1, u8 [F], for each fire that may change when `cell` becomes a break.

    A fire changes if it burned the cell, or if some child's recorded step or segment crosses the
    cell or is a diagonal beside it. closes_step i64 [K] (offset of the child), closes_code i64 [K]:
    made by `travel.closing_table`. A fire that starts in the cell does not change.
    """
    for fire in range(codes.shape[0]):
        if sources[fire] == cell:
            continue
        if codes[fire, cell] != UNBURNED:
            out[fire] = 1
            continue
        for k in range(closes_step.shape[0]):
            if codes[fire, cell + closes_step[k]] == closes_code[k]:
                out[fire] = 1
                break


@numba.njit(cache=True)
def burned_near(cell, reach, width, codes, out):
    """Sets out[fire] = 1, u8 [F], for each fire that burned a cell within `reach` of `cell`."""
    for fire in range(codes.shape[0]):
        for row in range(-reach, reach + 1):
            for col in range(-reach, reach + 1):
                if codes[fire, cell + row * width + col] != UNBURNED:
                    out[fire] = 1
