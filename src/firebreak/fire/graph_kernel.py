"""Dijkstra's algorithm over the eight neighbours, on a calendar in place of a heap.

Arrivals are booked into days of equal length (Dial 1969: Algorithm 360, Commun. ACM 12). All cells
of a day send fire at once, in any order: a cell that another one of its day reaches earlier sends
again (delta-stepping: Meyer & Sanders 2003, J. Algorithms 49). Arrival times are the only solution
of their equations and a parent is the first code among those that give it, so neither depends on
the order. A day that is over is laid down by (time, cell).

What looks roundabout is there because branches that cannot be predicted cost more than the work:
neighbours are looked at eight at a time, those reached are listed, and lists are booked in loops
that run straight through.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.fire_tables import DAYS, SENDERS
from firebreak.fire.lanes_kernel import (
    STEP_OF_LANE,
    lanes_equal,
    lay_in_order,
    list_reached,
    prefetch,
)
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
from firebreak.fire.ring import IGNITION
from firebreak.fire.way_kernel import CLOSED, NARROW, NEAR, OPEN

_CODE = STEP_OF_LANE.astype(np.uint8)
_LOW, _ONE, _THREE, _SEVEN = (np.uint64(n) for n in (2**32 - 1, 1, 3, 7))
_NEVER = np.uint64(2**64 - 1)
_COUNTED = 64  # a longer day is sorted by a heap


@compiled()
def suits_graph(ways, spots, lie):
    """Can `spread_on_graph` burn this fire? It knows no embers, no breaches, no weather that
    changes and no ignition in a break.
    """
    return (ways.day_min.shape[0] > 0 and spots.cells.shape[1] == 0 and lie.breach.shape[0] == 0
            and lie.state[lie.source] in (OPEN, NEAR))


@compiled(inline="always")
def _cell(word):
    """The cell of an entry, unsigned: numba looks for negative indices otherwise."""
    return word & _LOW


@compiled(inline="always")
def _day(time, per_min):
    return np.uint64(np.float64(time) * per_min)


@compiled(inline="always")
def _shut(state, cell, width, leak):
    """Lanes that breaks and unburnable cells near `cell` close."""
    closed = lanes_equal(state, cell, width, np.uint8(CLOSED))
    if leak:
        return closed
    beside = closed | lanes_equal(state, cell, width, np.uint8(NARROW))
    north, west, east, south = (beside >> _ONE, beside >> _THREE, beside >> np.uint64(4),
                                beside >> np.uint64(6))
    return closed | (north & west & _ONE) | ((north & east & _ONE) << np.uint64(2)) | (
        (south & west & _ONE) << np.uint64(5)) | ((south & east & _ONE) << _SEVEN)


@compiled(inline="always")
def _send(first, end, edges, limit, lie, work):
    """Lists what the cells today[first:end] reach; returns how many ways."""
    today, state = work.today, lie.state
    width, found = np.uint64(lie.width), np.uint64(0)
    for i in range(first, end):
        word = today[i]
        cell, now = _cell(word), time_of(word)
        shut = np.uint64(0)
        if state[cell] != OPEN:
            if state[cell] == NARROW:
                continue
            shut = _shut(state, cell, width, lie.leak)
        found = list_reached(edges, cell, work.time, width, now, later(now), limit, shut,
                             work.found, found)
    return found


@compiled(inline="always")
def _book(found, day, per_min, count, used, far, edges, work):
    """Books the cells that were found reached; returns (cells of today, entries in use, entries of
    the heap).
    """
    time, code = work.time, work.code
    for i in range(found):
        word = work.found[i]
        t, child, by = time_of(word), _cell(word) >> _THREE, _CODE[word & _SEVEN]
        if t >= time[child]:
            if t == time[child] and by < code[child]:
                code[child] = by
            continue
        time[child], code[child] = t, by
        prefetch(edges, child << _THREE)
        entry, on = word_of(t, child), _day(t, per_min)
        if on == day:
            work.today[count] = entry
            count += _ONE
        elif on - day < np.uint64(DAYS) and used < np.uint64(work.entry.shape[0]):
            place = on & np.uint64(DAYS - 1)
            work.entry[used] = entry
            work.link[used] = work.head[place]
            work.head[place] = np.int32(used)
            work.busy[place >> np.uint64(6)] |= _ONE << (place & np.uint64(63))
            used += _ONE
        else:
            if far == work.queue.shape[0]:
                far = compact(work.queue, far, time)
            push(work.queue, far, entry)
            far += 1
    return count, used, far


@compiled(inline="always")
def _that_stand(first, end, to, work):
    """Moves those of the entries today[first:end] that no better one has replaced to today[to:];
    returns where they end.
    """
    today = work.today
    for i in range(first, end):
        word = today[i]
        today[to] = word
        to += np.uint64(work.time[_cell(word)] == time_of(word))
    return to


@compiled(inline="always")
def _lay_down(count, burned, work):
    """Writes the day's cells into `order` by (time, cell); returns where they end."""
    today, order = work.today, work.order
    if count <= np.uint64(_COUNTED):
        for i in range(count, count + np.uint64(8)):
            today[i] = _NEVER
        first = np.uint64(0)
        while first < count:
            lay_in_order(today, first, count, order, burned)
            first += np.uint64(8)
    else:
        for i in range(count):
            push(today, np.int64(i), today[i])
        for i in range(count):
            order[burned + i] = np.int32(_cell(today[np.uint64(0)]))
            drop_first(today, np.int64(count - i))
    return burned + count


@compiled(inline="always")
def _next_day(day, per_min, far, work):
    """The next day for which anything is booked, _NEVER if there is none."""
    busy = work.busy
    place = (day + _ONE) & np.uint64(DAYS - 1)
    block, begin = place >> np.uint64(6), place & np.uint64(63)
    bits = busy[block] >> begin
    found = _NEVER
    if bits != 0:
        found = day + _ONE + lowest_bit(bits)
    else:
        start = day + _ONE + np.uint64(64) - begin
        for k in range(np.uint64(DAYS // 64)):
            bits = busy[(block + _ONE + k) & np.uint64(DAYS // 64 - 1)]
            if bits != 0:
                found = start + np.uint64(64) * k + lowest_bit(bits)
                break
    if far > 0:
        found = min(found, _day(time_of(work.queue[0]), per_min))
    return found


@compiled(inline="always")
def _open_day(day, per_min, far, work):
    """Takes a day's entries that stand into `today`; returns (how many, entries of the heap)."""
    count = np.uint64(0)
    place = day & np.uint64(DAYS - 1)
    entry = work.head[place]
    work.head[place] = -1
    work.busy[place >> np.uint64(6)] &= ~(_ONE << (place & np.uint64(63)))
    while entry >= 0:
        word = work.entry[np.uint64(entry)]
        entry = work.link[np.uint64(entry)]
        work.today[count] = word
        count += np.uint64(work.time[_cell(word)] == time_of(word))
    while far > 0 and _day(time_of(work.queue[0]), per_min) == day:
        word = work.queue[0]
        drop_first(work.queue, far)
        far -= 1
        work.today[count] = word
        count += np.uint64(work.time[_cell(word)] == time_of(word))
    return count, far


@compiled()
def spread_on_graph(duration, row, ways, lie, work):
    """Burns a fire of constant weather into a clean workspace; returns the number of cells burned.

    Needs `suits_graph`. Leaves `status` and `weight` alone.
    """
    edges, per_min = ways.edges[row].reshape(-1), 1.0 / ways.day_min[row]
    limit = last_moment(duration)
    source, zero = np.uint64(lie.source), np.uint64(0)
    room = np.uint64(work.today.shape[0] - 8 * SENDERS - 8)
    work.time[source] = 0.0
    work.code[source] = IGNITION
    work.today[zero] = word_of(np.float32(0.0), source)
    day, count, burned, used, far = zero, _ONE, zero, zero, np.int64(0)
    while day != _NEVER:
        sent = zero
        while sent < count:
            if count > room:
                kept = _that_stand(zero, sent, zero, work)
                count, sent = _that_stand(sent, count, kept, work), kept
            end = min(sent + np.uint64(SENDERS), count)
            found = _send(sent, end, edges, limit, lie, work)
            count, used, far = _book(found, day, per_min, count, used, far, edges, work)
            sent = end
        burned = _lay_down(_that_stand(zero, count, zero, work), burned, work)
        day = _next_day(day, per_min, far, work)
        if day != _NEVER:
            count, far = _open_day(day, per_min, far, work)
    return np.int64(burned)
