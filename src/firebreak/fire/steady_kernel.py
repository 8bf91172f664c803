"""The front of fires in constant weather, without embers, breaches and ignitions in breaks.

The same ways in the same order of evaluation as in `front_kernel`, so with the same bits; but cells
become final some at a time. Arrivals are booked into days (`calendar_kernel`), a day is put in
order when it is opened, and a batch of its cells lists what it sends before any of it is taken: a
way depends on the times of final cells alone. If one of the ways leads to a cell that burns before
the last of the batch, which is rare, the batch ends before: later cells send again.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.around_kernel import shut_around
from firebreak.fire.calendar_kernel import NEVER, book, cell_in, day_of, next_day, open_day
from firebreak.fire.fire_tables import BATCH
from firebreak.fire.front_list_kernel import ENDS, SPANS, arrive_listed, list_inside
from firebreak.fire.lanes_kernel import (
    STEP_OF_LANE,
    lanes_equal,
    lanes_final,
    list_reached,
    prefetch,
    put_in_order,
)
from firebreak.fire.queue_kernel import last_moment, later, lowest_bit, time_of, word_of
from firebreak.fire.ring import IGNITION, SEGMENT_CODE
from firebreak.fire.way_kernel import (
    CLOSED,
    NARROW,
    NEAR,
    OPEN,
    SEGMENT_A,
    SEGMENT_B,
    TOUCHING,
    segment_open,
    step_open,
)

_NONE, _ONE, _THREE, _FOUR, _SEVEN, _EIGHT = (np.uint64(n) for n in (0, 1, 3, 4, 7, 8))
_FIVE = np.uint64(5)  # numbers of a cell's metric
_BATCH, _COUNTED = np.uint64(BATCH), np.uint64(64)  # longer days are sorted by insertion
_CODE = np.uint64(255)  # of the words that list ways
_FAR = ~np.uint64(255)  # segments that are not unit ones
STEP_CODE = STEP_OF_LANE.astype(np.uint8)


@compiled()
def suits_steady(ways, lie):
    """Does this fire, if it throws no embers, burn as the functions here assume?"""
    return (not ways.graph and ways.edges.shape[0] > 0 and ways.day_min.shape[0] > 0
            and ways.steps == 1 and lie.breach.shape[0] == 0
            and lie.state[lie.source] in (OPEN, NEAR))


@compiled(inline="always")
def _sends_by(cell, last, lie, time):
    """Was a cell final when the cell of the word `last` became so, and does it pass fire on?"""
    return word_of(time[cell], cell) <= last and lie.state[cell] != NARROW


@compiled(inline="always")
def _list_far(steps, last, row, ways, lie, work, count):
    """Lists the long steps, and the segments that are not unit ones, that a cell completes; returns
    the new count.

    last: the cell's word, it just became final; steps: bits of those that lead to its children.
    """
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - _ONE
        child = np.int64(cell_in(last)) - lie.offset[step]
        kind = lie.state[child]
        if kind == CLOSED or word_of(work.time[child], child) <= last:
            continue
        name = np.uint64(child) << _EIGHT
        if step >= 8 and ways.accepts[row, child] & (np.uint32(1) << np.uint32(step)) != 0 and (
                kind == OPEN or step_open(child, step, lie)):
            work.tried[count] = name | np.uint64(step)
            count += _ONE
        ending = ways.segments[row, child] & TOUCHING[step] & _FAR
        while ending != 0:
            segment = np.int64(lowest_bit(ending))
            ending &= ending - _ONE
            if _sends_by(child + lie.offset[SEGMENT_A[segment]], last, lie, work.time) and (
                    _sends_by(child + lie.offset[SEGMENT_B[segment]], last, lie, work.time)) and (
                    kind == OPEN or segment_open(child, segment, lie)):
                work.tried[count] = name | np.uint64(segment + SEGMENT_CODE)
                count += _ONE
    return count


@compiled(inline="always")
def _list_sent(first, end, limit, row, edges, metric, ways, lie, work):
    """Lists what the cells today[first:end] send: single unit steps in `found`, other ways in
    `tried`, and in `ends` how many after each cell; returns the two counts.
    """
    time, state, width = work.time, lie.state, np.uint64(lie.width)
    steps, others = _NONE, _NONE
    for k in range(first, end):
        word = work.today[k]
        cell, now = cell_in(word), time_of(word)
        # Where no tile of a wide scene is made yet, nothing is sent.
        if time[cell] == now and state[cell] != NARROW and ways.sends[row, cell] != 0:
            sending = lanes_final(time, cell, width, now)
            into, shut = ~sending & _CODE, sending
            if state[cell] != OPEN:
                closed = lanes_equal(state, cell, width, np.uint8(CLOSED))
                into &= ~closed
                sending &= ~lanes_equal(state, cell, width, np.uint8(NARROW))
                shut |= shut_around(cell, closed, lie)
            steps = list_reached(edges, cell, time, width, now, later(now), limit, shut,
                                 work.found, steps)
            others = list_inside(metric, cell, time, width, now, sending, into, work.tried, others)
            far = np.uint64(ways.sends_far[row, cell])
            if far != 0:
                others = _list_far(far, word, row, ways, lie, work, others)
        work.ends[k - first, 0], work.ends[k - first, 1] = steps, others
    return steps, others


@compiled(inline="always")
def arrive(count, metric, offset, work):
    """Makes arrival times and weights of the ways listed in `tried`."""
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
def batch_until(t, first, end, today):
    """The end of the part of a batch today[first:end] that burns before a time: of one cell, or
    more.
    """
    while end > first + _ONE and time_of(today[end - _ONE]) >= t:
        end -= _ONE
    return end


@compiled(inline="always")
def insert(word, first, count, today):
    """Puts a word into its place among today[first:count], which are in order."""
    place = count
    while place > first and today[place - _ONE] > word:
        today[place] = today[place - _ONE]
        place -= _ONE
    today[place] = word


@compiled(inline="always")
def _take(t, child, code, weight, limit, day, per_min, end, count, far, work):
    """Gives a cell the way if it is the better one; returns (how many entries are of today, entries
    of the heap). Today's entries are in order from `end` on.
    """
    known = work.time[child]
    if t < known and t <= limit:
        work.time[child], work.code[child], work.weight[child] = t, code, weight
        on, word = day_of(t, per_min), word_of(t, child)
        if on == day:
            insert(word, end, count, work.today)
            count += _ONE
        else:
            far = book(word, on, day, far, work)
    elif t == known and t <= limit and code < work.code[child]:
        work.code[child], work.weight[child] = code, weight
    return count, far


@compiled(inline="always")
def sort_day(count, edges, metric, width, work):
    """Puts today's entries in order, and asks for what their cells will read."""
    today, copy = work.today, work.found
    if count > _COUNTED:
        for k in range(_ONE, count):
            insert(today[k], _NONE, k, today)
        return
    for k in range(count):
        copy[k] = today[k]
        cell = cell_in(today[k])
        prefetch(edges, cell * _EIGHT)
        north = (cell - width - _ONE) * _FIVE
        prefetch(metric, north)
        prefetch(metric, north + width * _FIVE)
        prefetch(metric, north + np.uint64(2) * width * _FIVE)
    for k in range(count, count + _EIGHT):
        copy[k] = NEVER
    k = _NONE
    while k < count:
        put_in_order(copy, k, count, today)
        k += _EIGHT


@compiled()
def spread_steadily(duration, row, ways, lie, work):
    """Burns a fire into a clean workspace; returns the number of cells burned.

    Needs `suits_steady`. Leaves `status` alone.
    """
    edges, metric = ways.edges[row].reshape(-1), ways.metric[row].reshape(-1)
    today, found, tried, ends = work.today, work.found, work.tried, work.ends
    per_min, limit = 1.0 / ways.day_min[row], last_moment(duration)
    work.time[lie.source] = 0.0
    work.code[lie.source] = IGNITION
    work.weight[lie.source] = 0.0
    today[_NONE] = word_of(np.float32(0.0), lie.source)
    day, count, burned, far = _NONE, _ONE, _NONE, np.int64(0)
    while day != NEVER:
        first = _NONE
        while first < count:
            end = min(first + _BATCH, count)
            steps, others = _list_sent(first, end, limit, row, edges, metric, ways, lie, work)
            arrive(others, metric, lie.offset, work)
            end = batch_until(first_arrival(steps, others, work), first, end, today)
            steps, others = ends[end - first - _ONE, 0], ends[end - first - _ONE, 1]
            # Segments first: most are better than the step of their later end.
            for k in range(others):
                count, far = _take(
                    work.late[k], tried[k] >> _EIGHT, np.uint8(tried[k] & _CODE), work.share[k],
                    limit, day, per_min, end, count, far, work)
            for k in range(steps):
                count, far = _take(
                    time_of(found[k]), cell_in(found[k]) >> _THREE, STEP_CODE[found[k] & _SEVEN],
                    np.float32(0.0), limit, day, per_min, end, count, far, work)
            for k in range(first, end):
                cell = cell_in(today[k])
                work.order[burned] = np.int32(cell)
                burned += np.uint64(work.time[cell] == time_of(today[k]))
            first = end
        day = next_day(day, per_min, far, work)
        if day != NEVER:
            count, far = open_day(day, per_min, far, work)
            sort_day(count, edges, metric, np.uint64(lie.width), work)
    return np.int64(burned)
