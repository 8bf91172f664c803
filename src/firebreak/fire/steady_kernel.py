"""The front of fires in constant weather, without embers, breaches and ignitions in breaks.

The same ways in the same order of evaluation as in `front_kernel`, so with the same bits; but what
a cell sends to its eight neighbours, which is nearly all, is one vector for all of them. What goes
further (long steps, segments that end in one) follows one by one.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.fire_tables import FINAL, SILENT, UNSEEN
from firebreak.fire.front_lanes_kernel import pull_around, push_around
from firebreak.fire.lanes_kernel import STEP_OF_LANE, lanes_after, lanes_equal
from firebreak.fire.queue_kernel import (
    compact,
    drop_first,
    last_moment,
    later,
    lowest_bit,
    push,
    time_of,
    word_of,
)
from firebreak.fire.ring import IGNITION, SEGMENT_CODE, UNBURNED
from firebreak.fire.segment_lanes import LANE_OF_STEP
from firebreak.fire.way_kernel import (
    CLOSED,
    NARROW,
    NEAR,
    OPEN,
    SEGMENT_A,
    SEGMENT_B,
    TOUCHING,
    segment_cost,
    segment_open,
    segment_weight,
    step_cost,
    step_open,
)

_LOW, _ONE, _THREE, _SEVEN = (np.uint64(n) for n in (2**32 - 1, 1, 3, 7))
_TO_TIME, _CODE = np.uint64(24), np.uint64(255)  # of the words of `pull_around`
_FAR = ~np.uint64(255)  # segments that are not unit ones
_STEP = STEP_OF_LANE


@compiled()
def suits_steady(first, ways, lie):
    """Does this fire, if it throws no embers, burn as the functions here assume?"""
    # Every burnable cell has its unit segments, but on the graph none has any.
    return (ways.edges.shape[0] > 0 and ways.steps == 1 and lie.breach.shape[0] == 0
            and lie.state[lie.source] in (OPEN, NEAR) and ways.segments[first, lie.source] != 0)


@compiled(inline="always")
def shut_around(cell, closed, lie):
    """Bits of the neighbours to which no step leads from a cell near a break, or from which none
    leads to it; closed: those that do not burn.
    """
    if lie.leak:
        return closed
    beside = closed | lanes_equal(lie.state, cell, np.uint64(lie.width), np.uint8(NARROW))
    north, west, east, south = (beside >> _ONE, beside >> _THREE, beside >> np.uint64(4),
                                beside >> np.uint64(6))
    return closed | (north & west & _ONE) | ((north & east & _ONE) << np.uint64(2)) | (
        (south & west & _ONE) << np.uint64(5)) | ((south & east & _ONE) << _SEVEN)


@compiled(inline="always")
def _known_around(cell, lie, work):
    """Bits of the neighbours that stand or are final, of a fire that burns again, and pass fire on;
    those that stand without having burned have a time of inf.
    """
    width = np.uint64(lie.width)
    stand = lanes_equal(work.status, cell, width, np.uint8(UNSEEN))
    if lie.state[cell] != OPEN:
        stand &= ~lanes_equal(lie.state, cell, width, np.uint8(NARROW))
    return stand | lanes_equal(work.status, cell, width, np.uint8(FINAL))


@compiled(inline="always")
def pull_steadily(child, row, ways, lie, work):
    """(time, code, weight) of the best way into a cell of a fire that burns again, through unit
    steps and unit segments from known cells; (inf, UNBURNED, 0.0) if there is none.
    """
    cell, width, shut = np.uint64(child), np.uint64(lie.width), np.uint64(0)
    if lie.state[cell] != OPEN:
        closed = lanes_equal(lie.state, cell, width, np.uint8(CLOSED))
        shut = shut_around(cell, closed, lie)
    word = pull_around(ways.edges[row].reshape(-1), ways.metric[row].reshape(-1), cell, work.time,
                       width, _known_around(cell, lie, work), shut, work.near_weight)
    t, code = time_of(word << _TO_TIME), np.int64(word & _CODE)
    if t == np.inf:
        return t, np.int64(UNBURNED), 0.0
    if code < SEGMENT_CODE:
        return t, code, 0.0
    return t, code, np.float64(work.near_weight[LANE_OF_STEP[code - SEGMENT_CODE]])


@compiled(inline="always")
def push_steadily(parent, now, wanted, limit, row, ways, lie, work):
    """Bits of the neighbours among those `wanted` that a cell of a fire that burns again, final at
    `now`, gives a better way, in a time of `limit` at most; the ways are in the workspace then.
    """
    cell, width, shut = np.uint64(parent), np.uint64(lie.width), np.uint64(0)
    into = wanted & lanes_after(work.time, cell, width, now)
    if lie.state[cell] != OPEN:
        closed = lanes_equal(lie.state, cell, width, np.uint8(CLOSED))
        into &= ~closed
        shut = shut_around(cell, closed, lie)
    return push_around(ways.edges[row].reshape(-1), ways.metric[row].reshape(-1), cell, work.time,
                       work.code, width, now, limit, _known_around(cell, lie, work), into, shut,
                       work.near_time, work.near_weight, work.near_code)


@compiled()
def _way_far(parent, step, now, row, ways, lie, work):
    """(time, code, weight) of the best that a child at a step has once its parent is final, among
    what it had, a long step and the segments that are not unit ones.
    """
    child, offset = parent - lie.offset[step], lie.offset
    metric, kind = ways.metric[row], lie.state[child]
    best, best_code = work.time[child], np.int64(work.code[child])
    best_weight = np.float64(work.weight[child])
    if step >= 8 and ways.accepts[row, child] & (np.uint32(1) << np.uint32(step)) != 0 and (
            kind == OPEN or step_open(child, step, lie)):
        late = now + step_cost(metric, ways.unit_time[row], child, step, offset)
        t = max(np.float32(late), later(now))
        if t < best or (t == best < np.inf and step < best_code):
            best, best_code, best_weight = t, step, 0.0
    ending = ways.segments[row, child] & TOUCHING[step] & _FAR
    while ending != 0:
        segment = np.int64(lowest_bit(ending))
        ending &= ending - _ONE
        cell_a, cell_b = child + offset[SEGMENT_A[segment]], child + offset[SEGMENT_B[segment]]
        if work.status[cell_a] != FINAL or work.status[cell_b] != FINAL or (
                kind != OPEN and not segment_open(child, segment, lie)):
            continue
        w = segment_weight(metric, child, segment, work.time[cell_a], work.time[cell_b])
        if w < 0.0:
            continue
        start = work.time[cell_a] + w * (np.float64(work.time[cell_b]) - work.time[cell_a])
        late = start + segment_cost(metric, child, segment, w, offset)
        t = max(np.float32(late), later(now))
        if t < best or (t == best < np.inf and segment + SEGMENT_CODE < best_code):
            best, best_code, best_weight = t, segment + SEGMENT_CODE, w
    return best, best_code, best_weight


@compiled(inline="always")
def _take(child, t, code, weight, size, work):
    """Gives a cell a better way; returns the queue's size."""
    sooner = t < work.time[child]
    work.time[child], work.code[child], work.weight[child] = t, code, weight
    if sooner:
        if size == work.queue.shape[0]:
            size = compact(work.queue, size, work.time)
        push(work.queue, size, word_of(t, child))
        size += 1
    return size


@compiled()
def spread_steadily(duration, row, ways, lie, work):
    """Burns a fire into a clean workspace; returns the number of cells burned.

    Needs `suits_steady`.
    """
    edges, metric = ways.edges[row].reshape(-1), ways.metric[row].reshape(-1)
    sends, sends_far, state = ways.sends[row], ways.sends_far[row], lie.state
    time, status, queue, order = work.time, work.status, work.queue, work.order
    width, limit = np.uint64(lie.width), last_moment(duration)
    time[lie.source] = 0.0
    work.code[lie.source] = IGNITION
    work.weight[lie.source] = 0.0
    push(queue, 0, word_of(np.float32(0.0), lie.source))
    size, burned = 1, 0
    while size > 0:
        word = queue[0]
        drop_first(queue, size)
        size -= 1
        parent = word & _LOW
        if status[parent] != UNSEEN:
            continue
        now = time_of(word)
        order[burned] = np.int32(parent)
        burned += 1
        if state[parent] == NARROW or sends[parent] == 0:
            status[parent] = SILENT
            continue
        status[parent] = FINAL
        sending = lanes_equal(status, parent, width, np.uint8(FINAL))
        into = lanes_equal(status, parent, width, np.uint8(UNSEEN))
        shut = np.uint64(0)
        if state[parent] != OPEN:
            closed = lanes_equal(state, parent, width, np.uint8(CLOSED))
            into &= ~closed
            shut = shut_around(parent, closed, lie)
        better = push_around(edges, metric, parent, time, work.code, width, now, limit, sending,
                             into, shut, work.near_time, work.near_weight, work.near_code)
        while better != 0:
            lane = lowest_bit(better)
            better &= better - _ONE
            child = np.uint64(np.int64(parent) - lie.offset[_STEP[lane]])
            size = _take(child, work.near_time[lane], work.near_code[lane], work.near_weight[lane],
                         size, work)
        far = np.uint64(sends_far[parent])
        while far != 0:
            step = np.int64(lowest_bit(far))
            far &= far - _ONE
            child = np.uint64(np.int64(parent) - lie.offset[step])
            if status[child] == UNSEEN and state[child] != CLOSED:
                t, code, weight = _way_far(np.int64(parent), step, now, row, ways, lie, work)
                if t <= limit and code != work.code[child]:
                    size = _take(child, t, code, weight, size, work)
    return burned
