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

from firebreak.fire.compiled import compiled
from firebreak.fire.queue_kernel import (
    cell_of,
    compact,
    drop_first,
    later,
    push,
    time_of,
    word_of,
)
from firebreak.fire.ring import IGNITION, REACH, SEGMENT_CODE, SPOT, UNBURNED
from firebreak.fire.spotting import spot_ignites, spot_target
from firebreak.fire.way_kernel import (
    CLOSED,
    NARROW,
    NEAR,
    OPEN,
    SEGMENT_A,
    SEGMENT_B,
    STEP_COL,
    STEP_ROW,
    TOUCHING,
    Lie,
    arrive_across,
    intensity,
    kind_of,
    row_at,
    row_end,
    segment_cost,
    segment_open,
    segment_weight,
    step_cost,
    step_open,
)

UNSEEN, FINAL, SILENT = 0, 1, 2  # of a cell: not final; final; burned and sends nothing


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
    """Scratch memory, one row per thread: time f32, code u8, weight f32, status u8, below f64,
    classes u8, thrower i32 (of the ember that lit a cell), stack i32, [T, P] each, order i32
    [T, 2 P] and queue u64 [T, Q].

    Between fires every time is inf, every code UNBURNED and every status 0: each fire cleans up the
    cells it burned, so that its cost does not depend on the size of the map.
    """

    time: NDArray[np.float32]
    code: NDArray[np.uint8]
    weight: NDArray[np.float32]
    status: NDArray[np.uint8]
    order: NDArray[np.int32]
    below: NDArray[np.float64]
    classes: NDArray[np.uint8]
    thrower: NDArray[np.int32]
    stack: NDArray[np.int32]
    queue: NDArray[np.uint64]


class Work(NamedTuple):
    """A thread's part of the workspace."""

    time: NDArray[np.float32]
    code: NDArray[np.uint8]
    weight: NDArray[np.float32]
    status: NDArray[np.uint8]
    order: NDArray[np.int32]
    below: NDArray[np.float64]
    classes: NDArray[np.uint8]
    thrower: NDArray[np.int32]
    stack: NDArray[np.int32]
    queue: NDArray[np.uint64]


@intrinsic
def lowest_bit(typing_context, word):
    """Index of the lowest set bit of a uint64 that is not zero."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], cgutils.true_bit)

    return signature, generate


@compiled()
def _ember_lands(parent, row, spots, lie):
    """(padded cell that the ember of a burning cell sets on fire, minutes until it burns there);
    (-1, 0.0) if none. Breaks and bare ground do not catch fire.
    """
    width = lie.width
    rows, cols = lie.state.shape[0] // width - 2 * REACH, width - 2 * REACH
    down, right, metres = spot_target(
        lie.key, parent, parent // width - REACH, parent % width - REACH, rows, cols,
        spots.cell_size_m, spots.cells[0, row, parent], spots.cells[1, row, parent],
        spots.cells[2, row, parent], spots.cells[3, row, parent], spots.winds[1, row],
        spots.winds[2, row])
    if down < 0:
        return -1, 0.0
    target = (down + REACH) * width + right + REACH
    kind = kind_of(target, lie)
    if kind in (CLOSED, NARROW) or not spot_ignites(lie.key, parent, spots.winds[0, row]):
        return -1, 0.0
    return target, metres * spots.winds[3, row] + spots.delay_min


@compiled()
def _under_next_weather(ways, first, row, child, segment, time_a, time_b, offset, t, weight):
    """The better of (t, weight) and of the point of the segment that suits the next weather, in
    which the way ends.
    """
    other = segment_weight(ways.metric[row + 1], child, segment, time_a, time_b)
    if other < 0.0:
        return t, weight
    start = time_a + other * (np.float64(time_b) - time_a)
    late = arrive_across(ways, first, start, child, segment + SEGMENT_CODE, other, offset)
    return (late, other) if late < t else (t, weight)


@compiled()
def enqueue(child, t, size, time, queue):
    """Puts a cell whose time improved into the queue; returns the queue's size."""
    if size == queue.shape[0]:
        size = compact(queue, size, time)
    push(queue, size, word_of(t, child))
    return size + 1


@compiled()
def spread(size, burned, duration, first, ways, spots, lie, work):
    """Lets fire spread from the cells in the queue until it is empty; returns the number of cells
    burned, whose first `burned` were final before.

    first: the travel field's row of the fire's first weather.
    """
    time, code, weight, status = work.time, work.code, work.weight, work.status
    queue, order, offset, state = work.queue, work.order, lie.offset, lie.state
    row, row_begin, until = first, np.float64(0.0), row_end(ways, first, first)
    metric, unit_time = ways.metric[row], ways.unit_time[row]
    segments, accepts, sends = ways.segments[row], ways.accepts[row], ways.sends[row]
    while size > 0:
        word = queue[0]
        drop_first(queue, size)
        size -= 1
        parent = cell_of(word)
        if status[parent] != UNSEEN:
            continue
        now = time_of(word)
        order[burned] = parent
        burned += 1
        if state[parent] != OPEN and kind_of(parent, lie) == NARROW:
            status[parent] = SILENT
            continue
        status[parent] = FINAL
        if now >= until:
            row = row_at(ways, first, now)
            row_begin, until = (row - first) * ways.step_min, row_end(ways, first, row)
            metric, unit_time = ways.metric[row], ways.unit_time[row]
            segments, accepts, sends = ways.segments[row], ways.accepts[row], ways.sends[row]
        soonest = later(now)
        if spots.cells.shape[1] > 0:
            child, delay = _ember_lands(parent, row, spots, lie)
            if child >= 0 and status[child] == UNSEEN:
                t = max(np.float32(now + delay), soonest)
                if t <= duration and t < time[child]:
                    time[child], code[child], weight[child] = t, SPOT, 0.0
                    work.thrower[child] = parent
                    size = enqueue(child, t, size, time, queue)
        steps = np.uint64(sends[parent])
        while steps != 0:
            step = np.int64(lowest_bit(steps))
            steps &= steps - np.uint64(1)
            child = parent - offset[step]
            if status[child] != UNSEEN:
                continue
            kind = np.int64(state[child])
            if kind != OPEN and kind != NEAR:
                kind = kind_of(child, lie)
                if kind == CLOSED:
                    continue
            before = time[child]
            best, best_code, best_weight = before, np.int64(code[child]), np.float64(weight[child])
            if accepts[child] & (np.uint32(1) << np.uint32(step)) != 0 and (
                    kind == OPEN or step_open(child, step, lie)):
                if step < 8:
                    late = now + (0.5 * np.float64(unit_time[child, step])
                                  + 0.5 * np.float64(unit_time[parent, step]))
                else:
                    late = now + step_cost(metric, unit_time, child, step, offset)
                if late > until:
                    late = arrive_across(ways, first, now, child, step, 0.0, offset)
                t = max(np.float32(late), soonest)
                if t < best or (t == best and step < best_code):
                    best, best_code, best_weight = t, step, 0.0
            ending = segments[child] & TOUCHING[step]
            while ending != 0:
                segment = np.int64(lowest_bit(ending))
                ending &= ending - np.uint64(1)
                cell_a = child + offset[SEGMENT_A[segment]]
                cell_b = child + offset[SEGMENT_B[segment]]
                # Evaluated once, when the later end is final.
                if status[cell_a] != FINAL or status[cell_b] != FINAL:
                    continue
                if kind != OPEN and not segment_open(child, segment, lie):
                    continue
                w = segment_weight(metric, child, segment, time[cell_a], time[cell_b])
                late = np.inf
                if w >= 0.0:
                    start = time[cell_a] + w * (np.float64(time[cell_b]) - time[cell_a])
                    late = start + segment_cost(metric, child, segment, w, offset)
                    if start < row_begin or late > until:
                        late = arrive_across(ways, first, start, child, segment + SEGMENT_CODE, w,
                                             offset)
                if late > until:
                    late, w = _under_next_weather(ways, first, row, child, segment, time[cell_a],
                                                  time[cell_b], offset, late, w)
                # In a fire that burns again the other end may be the later one.
                t = max(np.float32(late), later(max(time[cell_a], time[cell_b])))
                if t < best or (t == best and segment + SEGMENT_CODE < best_code):
                    best, best_code, best_weight = t, segment + SEGMENT_CODE, w
            if best <= duration and best_code != code[child]:
                time[child], code[child], weight[child] = best, best_code, best_weight
                if best < before:
                    size = enqueue(child, best, size, time, queue)
    return burned


@compiled()
def burn_one(duration, first, ways, spots, lie, work):
    """Burns one fire into a clean thread's workspace; returns the number of cells burned."""
    work.time[lie.source] = 0.0
    work.code[lie.source] = IGNITION
    work.weight[lie.source] = 0.0
    push(work.queue, 0, word_of(np.float32(0.0), lie.source))
    return spread(1, 0, duration, first, ways, spots, lie, work)


@compiled()
def clean(burned, work):
    """Makes the workspace ready for the next fire."""
    for k in range(burned):
        cell = work.order[k]
        work.time[cell] = np.inf
        work.code[cell] = UNBURNED
        work.status[cell] = UNSEEN


@compiled()
def classify(burned, first, ways, limits, work):
    """Class of intensity u8 [P] in which each burned cell burned."""
    for k in range(burned):
        cell = work.order[k]
        here = intensity(ways, row_at(ways, first, work.time[cell]), cell,
                         np.int64(work.code[cell]), np.float64(work.weight[cell]))
        work.classes[cell] = np.searchsorted(limits, here, side="right")


@compiled()
def loss_of(burned, value, work):
    """The fire's loss; what each burned cell loses goes into `below`.

    value f32 [C, P]; classes are looked at where C is above 1.
    """
    order, below = work.order, work.below
    loss = 0.0
    for k in range(burned):
        cell = order[k]
        worth = value[0, cell] if value.shape[0] == 1 else value[work.classes[cell], cell]
        below[cell] = worth
        loss += worth
    return loss


@compiled()
def hand_down(burned, offset, work):
    """Turns what each cell loses into what is lost in the fire's tree below it, itself included.

    Each cell hands its sum to its parents by weight, last burned first (a topological order).
    """
    order, below, code = work.order, work.below, work.code
    for k in range(burned - 1, 0, -1):
        cell = order[k]
        parents = np.int64(code[cell])
        if parents < SEGMENT_CODE:
            below[cell + offset[parents]] += below[cell]
        elif parents == SPOT:
            below[work.thrower[cell]] += below[cell]
        else:
            segment = parents - SEGMENT_CODE
            share = np.float64(work.weight[cell]) * below[cell]
            below[cell + offset[SEGMENT_B[segment]]] += share
            below[cell + offset[SEGMENT_A[segment]]] += below[cell] - share


@compiled()
def _burn_listed(fire, thread, offset, width, ways, spots, rules, fires, overlays, results,
                 scratch):
    """Burns one fire of the table with a thread's workspace and writes its results."""
    work = Work(scratch.time[thread], scratch.code[thread], scratch.weight[thread],
                scratch.status[thread], scratch.order[thread], scratch.below[thread],
                scratch.classes[thread], scratch.thrower[thread], scratch.stack[thread],
                scratch.queue[thread])
    first, overlay = fires.row[fire], fires.overlay[fire]
    stream = first // ways.steps if rules.breach.shape[0] > 0 else 0
    lie = Lie(overlays.state[overlay], fires.source[fire], fires.key[fire],
              rules.breach[stream:stream + 1].reshape(-1), rules.leak, width, offset)
    burned = burn_one(fires.duration[fire], first, ways, spots, lie, work)
    if ways.heat.shape[0] > 0:
        classify(burned, first, ways, rules.class_limits, work)
    results.loss[fire] = loss_of(burned, overlays.value[overlay], work)
    if fire < results.downstream.shape[0]:
        hand_down(burned, offset, work)
    _write(fire, burned, work, results)
    clean(burned, work)


@compiled()
def _write(fire, burned, work, results):
    """Puts a burned fire into those results that have a row for it."""
    if fire < results.arrival.shape[0]:
        results.arrival[fire] = np.inf
        for k in range(burned):
            results.arrival[fire, work.order[k]] = work.time[work.order[k]]
    if fire < results.code.shape[0]:
        results.code[fire] = UNBURNED
        for k in range(burned):
            results.code[fire, work.order[k]] = work.code[work.order[k]]
    if fire < results.downstream.shape[0]:
        results.downstream[fire] = 0.0
        for k in range(burned):
            results.downstream[fire, work.order[k]] = work.below[work.order[k]]
    if fire < results.classes.shape[0]:
        results.classes[fire] = UNBURNED
        for k in range(burned):
            results.classes[fire, work.order[k]] = work.classes[work.order[k]]


@numba.njit(cache=True, parallel=True)
def burn_many(which, width, ways, spots, rules, fires, overlays, results, scratch):
    """Burns the fires listed in `which`, in parallel, into `results`."""
    offset = STEP_ROW * width + STEP_COL
    for i in numba.prange(which.shape[0]):
        _burn_listed(which[i], numba.get_thread_id(), offset, width, ways, spots, rules, fires,
                     overlays, results, scratch)


@compiled()
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


@compiled()
def burned_near(cell, reach, width, codes, out):
    """Sets out[fire] = 1, u8 [F], for each fire that burned a cell within `reach` of `cell`."""
    for fire in range(codes.shape[0]):
        for row in range(-reach, reach + 1):
            for col in range(-reach, reach + 1):
                if codes[fire, cell + row * width + col] != UNBURNED:
                    out[fire] = 1
