"""The compiled minimum-travel-time solver: one fire at a time, many fires in parallel.

Each cell is final when it leaves the queue. It is reached by a single step from a final cell, or
through the segment between two final cells, at the point of the segment where it burns first. A
child is never earlier than the later of its parents, so the order of leaving the queue is a
topological order of the parents, and stopping at the duration is exact. Without segments the same
code is Dijkstra's algorithm over the eight neighbours (`graph`); most such fires are left to the
faster `graph_kernel`.

No fastmath, a fixed order of evaluation and ties broken by parent code and cell index: a fire has
the same bits in any batch, on any thread.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.fire_tables import FINAL, SILENT, UNSEEN, Workspace
from firebreak.fire.graph_kernel import spread_on_graph, suits_graph
from firebreak.fire.queue_kernel import (
    cell_of,
    compact,
    drop_first,
    later,
    lowest_bit,
    push,
    time_of,
    word_of,
)
from firebreak.fire.ring import IGNITION, REACH, SEGMENT_CODE, SPOT, UNBURNED
from firebreak.fire.spotting import spot_ignites, spot_target
from firebreak.fire.steady_kernel import spread_steadily, suits_steady
from firebreak.fire.way_kernel import (
    CLOSED,
    NARROW,
    NEAR,
    OPEN,
    SEGMENT_A,
    SEGMENT_B,
    TOUCHING,
    Lie,
    arrive_across,
    kind_of,
    row_at,
    row_end,
    segment_cost,
    segment_open,
    segment_weight,
    step_cost,
    step_open,
)


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
                if t < best or (t == best < np.inf and step < best_code):
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
                if t < best or (
                        t == best < np.inf and segment + SEGMENT_CODE < best_code):
                    best, best_code, best_weight = t, segment + SEGMENT_CODE, w
            if best <= duration and best_code != code[child]:
                time[child], code[child], weight[child] = best, best_code, best_weight
                if best < before:
                    size = enqueue(child, best, size, time, queue)
    return burned


@compiled()
def of_thread(scratch, thread, code):
    """A thread's part of the workspace, with `code` u8 [P] in place of its own."""
    return Workspace(scratch.time[thread], code, scratch.weight[thread], scratch.status[thread],
                     scratch.order[thread], scratch.below[thread], scratch.classes[thread],
                     scratch.thrower[thread], scratch.stack[thread], scratch.queue[thread],
                     scratch.entry[thread], scratch.booked[thread],
                     scratch.busy[thread], scratch.today[thread], scratch.found[thread],
                     scratch.tried[thread], scratch.late[thread], scratch.share[thread],
                     scratch.ends[thread], scratch.near_weight[thread])


@compiled()
def lie_of(fire, state, offset, width, ways, rules, fires):
    """How the land lies for a fire under an overlay's codes u8 [P]."""
    stream = fires.row[fire] // ways.steps if rules.breach.shape[0] > 0 else 0
    return Lie(state, fires.source[fire], fires.key[fire],
               rules.breach[stream:stream + 1].reshape(-1), rules.leak, width, offset)


@compiled()
def burn_one(duration, first, ways, spots, lie, work):
    """Burns one fire into a clean thread's workspace; returns the number of cells burned."""
    if suits_graph(ways, spots, lie):
        return spread_on_graph(duration, first, ways, lie, work)
    if spots.cells.shape[1] == 0 and suits_steady(ways, lie):
        return spread_steadily(duration, first, ways, lie, work)
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
