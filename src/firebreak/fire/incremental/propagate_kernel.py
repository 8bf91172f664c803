"""Compiled propagation of what `repair_kernel` has invalidated and queued: fire spreads from the
rim of what stands into the invalidated cells.

A cell that still stands may burn earlier than before: a later end of a facet can lead to a better
point of it, see `arc_kernel.facet_weight`. It is then invalidated too.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.incremental.best_arc_kernel import best_arc
from firebreak.fire.incremental.invalidate_kernel import INVALIDATED, note
from firebreak.fire.incremental.repair_kernel import start_over
from firebreak.fire.solver.bucket_queue_kernel import cell_in
from firebreak.fire.solver.constant_weather_kernel import (
    STEP_CODE,
    arrive,
    batch_until,
    first_arrival,
    suits_constant_weather,
)
from firebreak.fire.solver.front_batch_kernel import list_inside
from firebreak.fire.solver.front_kernel import enqueue
from firebreak.fire.solver.neighbors_kernel import prefetch_around, shut_around
from firebreak.fire.solver.tables import BATCH, BURNED_NO_SPREAD, FINAL, UNSEEN
from firebreak.fire.travel.arc_kernel import (
    CLOSED,
    NARROW_BREAK,
    OPEN,
    TOUCHING,
    kind_of,
)
from firebreak.fire.travel.heap_kernel import (
    cell_of,
    drop_first,
    last_moment,
    later,
    lowest_bit,
    push,
    time_of,
)
from firebreak.fire.travel.simd import lanes_after, lanes_equal, lanes_final, list_reached
from firebreak.fire.travel.stencil import UNBURNED

_NONE, _ONE, _THREE, _SEVEN, _EIGHT = (np.uint64(n) for n in (0, 1, 3, 7, 8))
_BATCH, _CODE, _STANDS = np.uint64(BATCH), np.uint64(255), np.uint8(UNSEEN)
_NEAR = np.uint64(255)  # the steps to the neighbours
_BUCKETS_TOGETHER = 4.0  # of a bucket queue: what is invalidated is a part of a front only


@compiled(inline="always")
def _arcs_by(step, child, kind, row, arcs, view, work):
    """(time, code, weight) of the better of what the cell has and the arcs that its parent at
    `step` completes, which just became final.
    """
    return best_arc(np.uint64(1) << np.uint64(step), TOUCHING[step], work.time[child],
                    np.int64(work.code[child]), np.float64(work.weight[child]), child, kind, row,
                    arcs, view, work)


@compiled(inline="always")
def _reach(child, t, code, weight, size, duration, row, arcs, view, changes, work):
    """Takes a better arc into a cell; returns the queue's size."""
    if work.status[child] == INVALIDATED or work.code[child] == UNBURNED:
        note(child, changes, work)
        sooner = t < work.time[child]
        work.time[child], work.code[child], work.weight[child] = t, code, weight
        if sooner:
            size = enqueue(child, t, size, work.time, work.queue)
    else:
        size = start_over(child, size, duration, row, arcs, view, changes, work)
    return size


@compiled(inline="always")
def _send_far(parent, now, steps, size, duration, row, arcs, view, changes, work):
    """Lets fire spread from a cell by steps, as bits, and the facets that end there; returns the
    queue's size.
    """
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - _ONE
        child = parent - view.offset[step]
        if work.time[child] <= now:
            continue
        kind = kind_of(child, view)
        if kind == CLOSED:
            continue
        t, code, weight = _arcs_by(step, child, kind, row, arcs, view, work)
        if t <= duration and code != work.code[child]:
            size = _reach(child, t, code, weight, size, duration, row, arcs, view, changes, work)
    return size


@compiled()
def _propagate_one_by_one(size, duration, row, arcs, view, changes, work):
    """`propagate` for any fire."""
    burned = 0
    while size > 0:
        word = work.queue[0]
        drop_first(work.queue, size)
        size -= 1
        parent = cell_of(word)
        # An entry counts if the cell still has its time: invalidation may have taken it back.
        if work.status[parent] != INVALIDATED or work.time[parent] != time_of(word):
            continue
        work.order[burned] = parent
        burned += 1
        if kind_of(parent, view) == NARROW_BREAK:
            work.status[parent] = BURNED_NO_SPREAD
            continue
        work.status[parent] = FINAL
        sends = np.uint64(arcs.sends[row, parent]) if arcs.steps == 1 else (
            _NEAR | np.uint64(arcs.sends_far[row, parent]))
        size = _send_far(parent, work.time[parent], sends, size, duration, row, arcs, view, changes,
                         work)
    return burned


@compiled(inline="always")
def _list_sent(first, end, limit, edges, metric, sends_far, view, work):
    """Lists what the cells current[first:end] send to their neighbours, up to one that sends
    further, see `constant_weather_kernel`; returns the end then.
    """
    time, status, state, width = work.time, work.status, view.state, np.uint64(view.width)
    steps, others, k = _NONE, _NONE, first
    while k < end:
        word = work.current[k]
        cell, now = cell_in(word), time_of(word)
        if time[cell] == now and status[cell] == INVALIDATED and state[cell] != NARROW_BREAK:
            # A cell that stands may be the later end of a facet: it will not send again.
            sending = lanes_equal(status, cell, width, _STANDS) | lanes_final(time, cell, width,
                                                                              now)
            into, shut = lanes_after(time, cell, width, now), _NONE
            if state[cell] != OPEN:
                closed = lanes_equal(state, cell, width, np.uint8(CLOSED))
                into &= ~closed
                sending &= ~lanes_equal(state, cell, width, np.uint8(NARROW_BREAK))
                shut = shut_around(cell, closed, view)
            steps = list_reached(edges, cell, time, width, now, later(now), limit, shut | ~into,
                                 work.found, steps)
            others = list_inside(metric, cell, time, width, now, sending, into, work.tried, others)
            if sends_far[cell] != 0:
                end = k + _ONE
        work.ends[k - first, 0], work.ends[k - first, 1] = steps, others
        k += _ONE
    return end


@compiled(inline="always")
def _may_improve_kept(t, child, work):
    """Does the cell keep its arrival from before, and might the arc improve it?"""
    return (t <= work.time[child]) & (work.status[child] == _STANDS) & (
        work.code[child] != UNBURNED)


@compiled(inline="always")
def _any_may_improve_kept(steps, others, work):
    """`_may_improve_kept` of any of the arcs listed."""
    found = False
    for k in range(others):
        found |= _may_improve_kept(work.late[k], work.tried[k] >> _EIGHT, work)
    for k in range(steps):
        found |= _may_improve_kept(time_of(work.found[k]), cell_in(work.found[k]) >> _THREE, work)
    return found


@compiled(inline="always")
def _take(t, child, code, weight, limit, size, edges, metric, width, changes, work):
    """Gives a cell the arc if it is the better one; returns (would have to be invalidated first:
    then nothing is done, the queue's size).
    """
    known = work.time[child]
    if t > known or t > limit or code == work.code[child] or (
            t == known and code > work.code[child]):
        return False, size
    if work.status[child] != INVALIDATED and work.code[child] != UNBURNED:
        return True, size
    note(child, changes, work)
    work.time[child], work.code[child], work.weight[child] = t, code, weight
    if t < known:
        size = enqueue(np.int64(child), t, size, work.time, work.queue)
        prefetch_around(child, edges, metric, width)
    return False, size


@compiled(inline="always")
def _next_batch(size, together, work):
    """Takes a batch from the queue into `current`: the next cell, and what burns within `together`
    minutes of it; returns (how many, the queue's size).
    """
    count, until = _NONE, np.float32(np.inf)
    while size > 0 and count < _BATCH and time_of(work.queue[0]) <= until:
        word = work.queue[0]
        drop_first(work.queue, size)
        size -= 1
        cell = cell_in(word)
        # An entry counts if the cell still has its time: invalidation may have taken it back. A
        # cell that was invalidated and queued again at the same time has two.
        if work.status[cell] == INVALIDATED and work.time[cell] == time_of(word) and (
                count == 0 or work.current[count - _ONE] != word):
            if count == 0:
                until = np.float32(time_of(word) + together)
            work.current[count] = word
            count += _ONE
    return count, size


@compiled()
def _propagate_constant_weather(size, duration, row, arcs, view, changes, work):
    """`propagate` for fires that `suits_constant_weather`: batch by batch, as
    `spread_constant_weather`, but with a
    heap: so few cells are in a queue at a time that buckets would cost more.
    """
    edges, metric = arcs.edges[row].reshape(-1), arcs.metric[row].reshape(-1)
    width = np.uint64(view.width)
    sends_far, current, ends, status = arcs.sends_far[row], work.current, work.ends, work.status
    together, limit = _BUCKETS_TOGETHER * arcs.bucket_min[row], last_moment(duration)
    burned = _NONE
    count, size = _next_batch(np.int64(size), together, work)
    while count > 0:
        whole = _list_sent(_NONE, count, limit, edges, metric, sends_far, view, work)
        steps, others = ends[whole - _ONE, 0], ends[whole - _ONE, 1]
        arrive(others, metric, view.offset, work)
        end = batch_until(first_arrival(steps, others, work), _NONE, whole, current)
        if end > _ONE and _any_may_improve_kept(steps, others, work):
            end = _ONE
        for k in range(end, count):
            push(work.queue, size, current[k])
            size += 1
        steps, others = ends[end - _ONE, 0], ends[end - _ONE, 1]
        improved_kept, is_kept = _NONE, False
        # Facets first: most are better than the step of their later end.
        for k in range(others):
            child = work.tried[k] >> _EIGHT
            is_kept, size = _take(work.late[k], child, np.uint8(work.tried[k] & _CODE),
                                  work.share[k], limit, size, edges, metric, width, changes, work)
            improved_kept = child if is_kept else improved_kept
        for k in range(steps):
            word = work.found[k]
            child = cell_in(word) >> _THREE
            is_kept, size = _take(time_of(word), child, STEP_CODE[word & _SEVEN], np.float32(0.0),
                                  limit, size, edges, metric, width, changes, work)
            improved_kept = child if is_kept else improved_kept
        if improved_kept != 0:
            # Only of a batch of one cell, which is final, and sends again what is better then.
            size = start_over(np.int64(improved_kept), size, duration, row, arcs, view, changes,
                              work)
            count = _ONE
            continue
        for k in range(end):
            cell = cell_in(current[k])
            work.order[burned] = np.int32(cell)
            burned += _ONE
            status[cell] = BURNED_NO_SPREAD if view.state[cell] == NARROW_BREAK else FINAL
        last = cell_in(current[end - _ONE])
        if end == whole and sends_far[last] != 0 and status[last] == FINAL:
            size = _send_far(np.int64(last), work.time[last], np.uint64(sends_far[last]), size,
                             duration, row, arcs, view, changes, work)
        count, size = _next_batch(size, together, work)
    return np.int64(burned)


@compiled()
def propagate(size, duration, row, arcs, view, changes, work):
    """Lets fire spread from the queue into the invalidated cells; returns how many it reached,
    which are in `order` then.
    """
    if suits_constant_weather(arcs, view):
        return _propagate_constant_weather(size, duration, row, arcs, view, changes, work)
    return _propagate_one_by_one(size, duration, row, arcs, view, changes, work)
