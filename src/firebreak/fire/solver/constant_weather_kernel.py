"""The front of fires in constant weather, without embers, breaches and ignitions in breaks.

The same arcs in the same order of evaluation as in `front_kernel`, so with the same bits; but cells
become final some at a time. Arrivals are put into buckets (`bucket_queue_kernel`), a bucket is put
in order when it is opened, and a batch of its cells lists what it sends before any of it is taken:
a arc depends on the times of final cells alone. If one of the arcs leads to a cell that burns
before the last of the batch, which is rare, the batch ends before: later cells send again.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.solver.bucket_queue_kernel import (
    NEVER,
    bucket_of,
    cell_in,
    insert_entry,
    next_bucket,
    open_bucket,
)
from firebreak.fire.solver.front_batch_kernel import ENDS, SPANS, arrive_listed, list_inside
from firebreak.fire.solver.neighbors_kernel import shut_around
from firebreak.fire.solver.tables import BATCH
from firebreak.fire.travel.arc_kernel import (
    CLOSED,
    FACET_A,
    FACET_B,
    NARROW_BREAK,
    NEAR,
    OPEN,
    TOUCHING,
    facet_open,
    step_open,
)
from firebreak.fire.travel.heap_kernel import last_moment, later, lowest_bit, time_of, word_of
from firebreak.fire.travel.simd import (
    STEP_OF_LANE,
    lanes_equal,
    lanes_final,
    list_reached,
    prefetch,
    put_in_order,
)
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION

_NONE, _ONE, _THREE, _FOUR, _SEVEN, _EIGHT = (np.uint64(n) for n in (0, 1, 3, 4, 7, 8))
_FIVE = np.uint64(5)  # numbers of a cell's metric
_BATCH, _COUNTED = np.uint64(BATCH), np.uint64(64)  # longer buckets are sorted by insertion
_CODE = np.uint64(255)  # of the words that list arcs
_FAR = ~np.uint64(255)  # facets that are not unit ones
STEP_CODE = STEP_OF_LANE.astype(np.uint8)


@compiled()
def suits_constant_weather(arcs, view):
    """Does this fire, if it throws no embers, burn as the functions here assume?"""
    return (arcs.edges.shape[0] > 0 and arcs.bucket_min.shape[0] > 0 and arcs.steps == 1
            and view.breach.shape[0] == 0 and not view.manned
            and view.state[view.source] in (OPEN, NEAR))


@compiled(inline="always")
def _sends_by(cell, last, view, time):
    """Was a cell final when the cell of the word `last` became so, and does it pass fire on?"""
    return word_of(time[cell], cell) <= last and view.state[cell] != NARROW_BREAK


@compiled(inline="always")
def _list_far(steps, last, row, arcs, view, work, count):
    """Lists the long steps, and the facets that are not unit ones, that a cell completes; returns
    the new count.

    last: the cell's word, it just became final; steps: bits of those that lead to its children.
    """
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - _ONE
        child = np.int64(cell_in(last)) - view.offset[step]
        kind = view.state[child]
        if kind == CLOSED or word_of(work.time[child], child) <= last:
            continue
        name = np.uint64(child) << _EIGHT
        if step >= 8 and arcs.accepts[row, child] & (np.uint32(1) << np.uint32(step)) != 0 and (
                kind == OPEN or step_open(child, step, view)):
            work.tried[count] = name | np.uint64(step)
            count += _ONE
        ending = arcs.facets[row, child] & TOUCHING[step] & _FAR
        while ending != 0:
            facet = np.int64(lowest_bit(ending))
            ending &= ending - _ONE
            if _sends_by(child + view.offset[FACET_A[facet]], last, view, work.time) and (
                    _sends_by(child + view.offset[FACET_B[facet]], last, view, work.time)) and (
                    kind == OPEN or facet_open(child, facet, view)):
                work.tried[count] = name | np.uint64(facet + FACET_CODE)
                count += _ONE
    return count


@compiled(inline="always")
def _list_sent(first, end, limit, row, edges, metric, arcs, view, work):
    """Lists what the cells current[first:end] send: single unit steps in `found`, other arcs in
    `tried`, and in `ends` how many after each cell; returns the two counts.
    """
    time, state, width = work.time, view.state, np.uint64(view.width)
    steps, others = _NONE, _NONE
    for k in range(first, end):
        word = work.current[k]
        cell, now = cell_in(word), time_of(word)
        # Where no tile of a wide scene is made yet, nothing is sent.
        if time[cell] == now and state[cell] != NARROW_BREAK and arcs.sends[row, cell] != 0:
            sending = lanes_final(time, cell, width, now)
            into, shut = ~sending & _CODE, sending
            if state[cell] != OPEN:
                closed = lanes_equal(state, cell, width, np.uint8(CLOSED))
                into &= ~closed
                sending &= ~lanes_equal(state, cell, width, np.uint8(NARROW_BREAK))
                shut |= shut_around(cell, closed, view)
            steps = list_reached(edges, cell, time, width, now, later(now), limit, shut,
                                 work.found, steps)
            others = list_inside(metric, cell, time, width, now, sending, into, work.tried, others)
            far = np.uint64(arcs.sends_far[row, cell])
            if far != 0:
                others = _list_far(far, word, row, arcs, view, work, others)
        work.ends[k - first, 0], work.ends[k - first, 1] = steps, others
    return steps, others


@compiled(inline="always")
def arrive(count, metric, offset, work):
    """Makes arrival times and weights of the arcs listed in `tried`."""
    if count > 0:
        for k in range(count, count + _THREE):  # four at a time
            work.tried[k] = work.tried[_NONE]
    k = _NONE
    while k < count:
        arrive_listed(metric, work.time, work.tried, k, ENDS, SPANS, offset, work.late, work.share)
        k += _FOUR


@compiled(inline="always")
def first_arrival(steps, others, work):
    """The earliest of the arrivals in `found` and `late`; inf if there is none."""
    t = np.float32(np.inf)
    for k in range(others):
        t = min(t, work.late[k])
    for k in range(steps):
        t = min(t, time_of(work.found[k]))
    return t


@compiled(inline="always")
def batch_until(t, first, end, current):
    """The end of the part of a batch current[first:end] that burns before a time: of one cell, or
    more.
    """
    while end > first + _ONE and time_of(current[end - _ONE]) >= t:
        end -= _ONE
    return end


@compiled(inline="always")
def insert(word, first, count, current):
    """Puts a word into its place among current[first:count], which are in order."""
    place = count
    while place > first and current[place - _ONE] > word:
        current[place] = current[place - _ONE]
        place -= _ONE
    current[place] = word


@compiled(inline="always")
def _take(t, child, code, weight, limit, bucket, per_min, end, count, far, work):
    """Gives a cell the arc if it is the better one; returns (how many entries are of current,
    entries of the heap). Today's entries are in order from `end` on.
    """
    known = work.time[child]
    if t < known and t <= limit:
        work.time[child], work.code[child], work.weight[child] = t, code, weight
        on, word = bucket_of(t, per_min), word_of(t, child)
        if on == bucket:
            insert(word, end, count, work.current)
            count += _ONE
        else:
            far = insert_entry(word, on, bucket, far, work)
    elif t == known and t <= limit and code < work.code[child]:
        work.code[child], work.weight[child] = code, weight
    return count, far


@compiled(inline="always")
def sort_bucket(count, edges, metric, width, work):
    """Puts current's entries in order, and prefetches what their cells will read."""
    current, copy = work.current, work.found
    if count > _COUNTED:
        for k in range(_ONE, count):
            insert(current[k], _NONE, k, current)
        return
    for k in range(count):
        copy[k] = current[k]
        cell = cell_in(current[k])
        prefetch(edges, cell * _EIGHT)
        north = (cell - width - _ONE) * _FIVE
        prefetch(metric, north)
        prefetch(metric, north + width * _FIVE)
        prefetch(metric, north + np.uint64(2) * width * _FIVE)
    for k in range(count, count + _EIGHT):
        copy[k] = NEVER
    k = _NONE
    while k < count:
        put_in_order(copy, k, count, current)
        k += _EIGHT


@compiled()
def spread_constant_weather(duration, row, arcs, view, work):
    """Burns a fire into a clean workspace; returns the number of cells burned.

    Needs `suits_constant_weather`. Leaves `status` alone.
    """
    edges, metric = arcs.edges[row].reshape(-1), arcs.metric[row].reshape(-1)
    current, found, tried, ends = work.current, work.found, work.tried, work.ends
    per_min, limit = 1.0 / arcs.bucket_min[row], last_moment(duration)
    work.time[view.source] = 0.0
    work.code[view.source] = IGNITION
    work.weight[view.source] = 0.0
    current[_NONE] = word_of(np.float32(0.0), view.source)
    bucket, count, burned, far = _NONE, _ONE, _NONE, np.int64(0)
    while bucket != NEVER:
        first = _NONE
        while first < count:
            end = min(first + _BATCH, count)
            steps, others = _list_sent(first, end, limit, row, edges, metric, arcs, view, work)
            arrive(others, metric, view.offset, work)
            end = batch_until(first_arrival(steps, others, work), first, end, current)
            steps, others = ends[end - first - _ONE, 0], ends[end - first - _ONE, 1]
            # Facets first: most are better than the step of their later end.
            for k in range(others):
                count, far = _take(
                    work.late[k], tried[k] >> _EIGHT, np.uint8(tried[k] & _CODE), work.share[k],
                    limit, bucket, per_min, end, count, far, work)
            for k in range(steps):
                count, far = _take(
                    time_of(found[k]), cell_in(found[k]) >> _THREE, STEP_CODE[found[k] & _SEVEN],
                    np.float32(0.0), limit, bucket, per_min, end, count, far, work)
            for k in range(first, end):
                cell = cell_in(current[k])
                work.order[burned] = np.int32(cell)
                burned += np.uint64(work.time[cell] == time_of(current[k]))
            first = end
        bucket = next_bucket(bucket, per_min, far, work)
        if bucket != NEVER:
            count, far = open_bucket(bucket, per_min, far, work)
            sort_bucket(count, edges, metric, np.uint64(view.width), work)
    return np.int64(burned)
