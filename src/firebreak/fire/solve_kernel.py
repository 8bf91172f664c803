"""Compiled solving of what `resolve_kernel` has forgotten and queued: fire spreads from the rim of
what stands into the forgotten cells.

A cell that still stands may burn earlier than before: a later end of a segment can lead to a better
point of it, see `way_kernel.segment_weight`. It is then forgotten too.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.around_kernel import ask_around, shut_around
from firebreak.fire.calendar_kernel import cell_in
from firebreak.fire.fire_tables import BATCH, FINAL, SILENT, UNSEEN
from firebreak.fire.forget_kernel import FORGOTTEN, note
from firebreak.fire.front_kernel import enqueue
from firebreak.fire.front_list_kernel import list_inside
from firebreak.fire.lanes_kernel import lanes_after, lanes_equal, lanes_final, list_reached
from firebreak.fire.queue_kernel import (
    cell_of,
    drop_first,
    last_moment,
    later,
    lowest_bit,
    push,
    time_of,
)
from firebreak.fire.resolve_kernel import by_step, or_by_segment, start_over
from firebreak.fire.ring import UNBURNED
from firebreak.fire.steady_kernel import (
    STEP_CODE,
    arrive,
    batch_until,
    first_arrival,
    suits_steady,
)
from firebreak.fire.way_kernel import CLOSED, NARROW, OPEN, TOUCHING, kind_of, step_open

_NONE, _ONE, _THREE, _SEVEN, _EIGHT = (np.uint64(n) for n in (0, 1, 3, 7, 8))
_BATCH, _CODE, _STANDS = np.uint64(BATCH), np.uint64(255), np.uint8(UNSEEN)
_DAYS_TOGETHER = 4.0  # of a calendar: what is forgotten is a part of a front only


@compiled(inline="always")
def _ways_by(step, child, kind, row, ways, lie, work):
    """(time, code, weight) of the better of what the cell has and the ways that its parent at
    `step` completes, which just became final.
    """
    metric, unit_time = ways.metric[row], ways.unit_time[row]
    best, best_code = work.time[child], np.int64(work.code[child])
    best_weight = np.float64(work.weight[child])
    if ways.accepts[row, child] & (np.uint32(1) << np.uint32(step)) != 0:
        t = by_step(child, step, metric, unit_time, lie, work)
        if (t < best or (t == best < np.inf and step < best_code)) and (
                kind == OPEN or step_open(child, step, lie)):
            best, best_code, best_weight = t, step, 0.0
    return or_by_segment(best, best_code, best_weight, child,
                          ways.segments[row, child] & TOUCHING[step], kind, metric, lie, work)


@compiled(inline="always")
def _reach(child, t, code, weight, size, duration, row, ways, lie, changes, work):
    """Takes a better way into a cell; returns the queue's size."""
    if work.status[child] == FORGOTTEN or work.code[child] == UNBURNED:
        note(child, changes, work)
        sooner = t < work.time[child]
        work.time[child], work.code[child], work.weight[child] = t, code, weight
        if sooner:
            size = enqueue(child, t, size, work.time, work.queue)
    else:
        size = start_over(child, size, duration, row, ways, lie, changes, work)
    return size


@compiled(inline="always")
def _send_far(parent, now, steps, size, duration, row, ways, lie, changes, work):
    """Lets fire spread from a cell by steps, as bits, and the segments that end there; returns the
    queue's size.
    """
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - _ONE
        child = parent - lie.offset[step]
        if work.time[child] <= now:
            continue
        kind = kind_of(child, lie)
        if kind == CLOSED:
            continue
        t, code, weight = _ways_by(step, child, kind, row, ways, lie, work)
        if t <= duration and code != work.code[child]:
            size = _reach(child, t, code, weight, size, duration, row, ways, lie, changes, work)
    return size


@compiled()
def _solve_one_by_one(size, duration, row, ways, lie, changes, work):
    """`solve_again` for any fire."""
    burned = 0
    while size > 0:
        word = work.queue[0]
        drop_first(work.queue, size)
        size -= 1
        parent = cell_of(word)
        # An entry counts if the cell still has its time: forgetting may have taken it back.
        if work.status[parent] != FORGOTTEN or work.time[parent] != time_of(word):
            continue
        work.order[burned] = parent
        burned += 1
        if kind_of(parent, lie) == NARROW:
            work.status[parent] = SILENT
            continue
        work.status[parent] = FINAL
        size = _send_far(parent, work.time[parent], np.uint64(ways.sends[row, parent]), size,
                         duration, row, ways, lie, changes, work)
    return burned


@compiled(inline="always")
def _list_sent(first, end, limit, edges, metric, sends_far, lie, work):
    """Lists what the cells today[first:end] send to their neighbours, up to one that sends further,
    see `steady_kernel`; returns the end then.
    """
    time, status, state, width = work.time, work.status, lie.state, np.uint64(lie.width)
    steps, others, k = _NONE, _NONE, first
    while k < end:
        word = work.today[k]
        cell, now = cell_in(word), time_of(word)
        if time[cell] == now and status[cell] == FORGOTTEN and state[cell] != NARROW:
            # A cell that stands may be the later end of a segment: it will not send again.
            sending = lanes_equal(status, cell, width, _STANDS) | lanes_final(time, cell, width,
                                                                              now)
            into, shut = lanes_after(time, cell, width, now), _NONE
            if state[cell] != OPEN:
                closed = lanes_equal(state, cell, width, np.uint8(CLOSED))
                into &= ~closed
                sending &= ~lanes_equal(state, cell, width, np.uint8(NARROW))
                shut = shut_around(cell, closed, lie)
            steps = list_reached(edges, cell, time, width, now, later(now), limit, shut | ~into,
                                 work.found, steps)
            others = list_inside(metric, cell, time, width, now, sending, into, work.tried, others)
            if sends_far[cell] != 0:
                end = k + _ONE
        work.ends[k - first, 0], work.ends[k - first, 1] = steps, others
        k += _ONE
    return end


@compiled(inline="always")
def _stands(t, child, work):
    """Does a cell stand that the way might serve?"""
    return (t <= work.time[child]) & (work.status[child] == _STANDS) & (
        work.code[child] != UNBURNED)


@compiled(inline="always")
def _any_stands(steps, others, work):
    """`_stands` of any of the ways listed."""
    found = False
    for k in range(others):
        found |= _stands(work.late[k], work.tried[k] >> _EIGHT, work)
    for k in range(steps):
        found |= _stands(time_of(work.found[k]), cell_in(work.found[k]) >> _THREE, work)
    return found


@compiled(inline="always")
def _take(t, child, code, weight, limit, size, edges, metric, width, changes, work):
    """Gives a cell the way if it is the better one; returns (would have to be forgotten first: then
    nothing is done, the queue's size).
    """
    known = work.time[child]
    if t > known or t > limit or code == work.code[child] or (
            t == known and code > work.code[child]):
        return False, size
    if work.status[child] != FORGOTTEN and work.code[child] != UNBURNED:
        return True, size
    note(child, changes, work)
    work.time[child], work.code[child], work.weight[child] = t, code, weight
    if t < known:
        size = enqueue(np.int64(child), t, size, work.time, work.queue)
        ask_around(child, edges, metric, width)
    return False, size


@compiled(inline="always")
def _next_batch(size, together, work):
    """Takes a batch from the queue into `today`: the next cell, and what burns within `together`
    minutes of it; returns (how many, the queue's size).
    """
    count, until = _NONE, np.float32(np.inf)
    while size > 0 and count < _BATCH and time_of(work.queue[0]) <= until:
        word = work.queue[0]
        drop_first(work.queue, size)
        size -= 1
        cell = cell_in(word)
        # An entry counts if the cell still has its time: forgetting may have taken it back. A cell
        # that was forgotten and queued again at the same time has two.
        if work.status[cell] == FORGOTTEN and work.time[cell] == time_of(word) and (
                count == 0 or work.today[count - _ONE] != word):
            if count == 0:
                until = np.float32(time_of(word) + together)
            work.today[count] = word
            count += _ONE
    return count, size


@compiled()
def _solve_steadily(size, duration, row, ways, lie, changes, work):
    """`solve_again` for fires that `suits_steady`: batch by batch, as `spread_steadily`, but with a
    heap: so few cells are in a queue at a time that days would cost more.
    """
    edges, metric = ways.edges[row].reshape(-1), ways.metric[row].reshape(-1)
    width = np.uint64(lie.width)
    sends_far, today, ends, status = ways.sends_far[row], work.today, work.ends, work.status
    together, limit = _DAYS_TOGETHER * ways.day_min[row], last_moment(duration)
    burned = _NONE
    count, size = _next_batch(np.int64(size), together, work)
    while count > 0:
        whole = _list_sent(_NONE, count, limit, edges, metric, sends_far, lie, work)
        steps, others = ends[whole - _ONE, 0], ends[whole - _ONE, 1]
        arrive(others, metric, lie.offset, work)
        end = batch_until(first_arrival(steps, others, work), _NONE, whole, today)
        if end > _ONE and _any_stands(steps, others, work):
            end = _ONE
        for k in range(end, count):
            push(work.queue, size, today[k])
            size += 1
        steps, others = ends[end - _ONE, 0], ends[end - _ONE, 1]
        forgets, stands = _NONE, False
        # Segments first: most are better than the step of their later end.
        for k in range(others):
            child = work.tried[k] >> _EIGHT
            stands, size = _take(work.late[k], child, np.uint8(work.tried[k] & _CODE),
                                 work.share[k], limit, size, edges, metric, width, changes, work)
            forgets = child if stands else forgets
        for k in range(steps):
            word = work.found[k]
            child = cell_in(word) >> _THREE
            stands, size = _take(time_of(word), child, STEP_CODE[word & _SEVEN], np.float32(0.0),
                                 limit, size, edges, metric, width, changes, work)
            forgets = child if stands else forgets
        if forgets != 0:
            # Only of a batch of one cell, which is final, and sends again what is better then.
            size = start_over(np.int64(forgets), size, duration, row, ways, lie, changes, work)
            count = _ONE
            continue
        for k in range(end):
            cell = cell_in(today[k])
            work.order[burned] = np.int32(cell)
            burned += _ONE
            status[cell] = SILENT if lie.state[cell] == NARROW else FINAL
        last = cell_in(today[end - _ONE])
        if end == whole and sends_far[last] != 0 and status[last] == FINAL:
            size = _send_far(np.int64(last), work.time[last], np.uint64(sends_far[last]), size,
                             duration, row, ways, lie, changes, work)
        count, size = _next_batch(size, together, work)
    return np.int64(burned)


@compiled()
def solve_again(size, duration, row, ways, lie, changes, work):
    """Lets fire spread from the queue into the forgotten cells; returns how many it reached, which
    are in `order` then.
    """
    if suits_steady(ways, lie):
        return _solve_steadily(size, duration, row, ways, lie, changes, work)
    return _solve_one_by_one(size, duration, row, ways, lie, changes, work)
