"""Dijkstra's algorithm over the eight neighbours, on a calendar in place of a heap.

Arrivals are booked into days (`calendar_kernel`). All cells of a day send fire at once, in any
order: a cell that another one of its day reaches earlier sends again (delta-stepping: Meyer &
Sanders 2003, J. Algorithms 49). Arrival times are the only solution of their equations and a parent
is the first code among those that give it, so neither depends on the order. A day that is over is
laid down by (time, cell).

What looks roundabout is there because branches that cannot be predicted cost more than the work:
neighbours are looked at eight at a time, those reached are listed, and lists are booked in loops
that run straight through.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.around_kernel import shut_around
from firebreak.fire.calendar_kernel import NEVER, book, cell_in, day_of, next_day, open_day
from firebreak.fire.fire_tables import SENDERS
from firebreak.fire.lanes_kernel import (
    STEP_OF_LANE,
    lanes_equal,
    lay_in_order,
    list_reached,
    prefetch,
)
from firebreak.fire.queue_kernel import drop_first, last_moment, later, push, time_of, word_of
from firebreak.fire.ring import IGNITION
from firebreak.fire.way_kernel import CLOSED, NARROW, NEAR, OPEN

_CODE = STEP_OF_LANE.astype(np.uint8)
_ONE, _THREE, _SEVEN = (np.uint64(n) for n in (1, 3, 7))
_COUNTED = 64  # a longer day is sorted by a heap


@compiled()
def suits_graph(ways, spots, lie):
    """Can `spread_on_graph` burn this fire? It knows no embers, no breaches, no weather that
    changes and no ignition in a break.
    """
    return (ways.graph and ways.day_min.shape[0] > 0 and ways.steps == 1
            and spots.cells.shape[1] == 0 and lie.breach.shape[0] == 0
            and lie.state[lie.source] in (OPEN, NEAR))


@compiled(inline="always")
def _send(first, end, edges, limit, lie, work):
    """Lists what the cells today[first:end] reach; returns how many ways."""
    today, state = work.today, lie.state
    width, found = np.uint64(lie.width), np.uint64(0)
    for i in range(first, end):
        word = today[i]
        cell, now = cell_in(word), time_of(word)
        shut = np.uint64(0)
        if state[cell] != OPEN:
            if state[cell] == NARROW:
                continue
            closed = lanes_equal(state, cell, width, np.uint8(CLOSED))
            shut = shut_around(cell, closed, lie)
        found = list_reached(edges, cell, work.time, width, now, later(now), limit, shut,
                             work.found, found)
    return found


@compiled(inline="always")
def _book(found, day, per_min, count, far, edges, work):
    """Books the cells that were found reached; returns (cells of today, entries of the heap)."""
    time, code = work.time, work.code
    for i in range(found):
        word = work.found[i]
        t, child, by = time_of(word), cell_in(word) >> _THREE, _CODE[word & _SEVEN]
        if t >= time[child]:
            if t == time[child] and by < code[child]:
                code[child] = by
            continue
        time[child], code[child] = t, by
        prefetch(edges, child << _THREE)
        entry, on = word_of(t, child), day_of(t, per_min)
        if on == day:
            work.today[count] = entry
            count += _ONE
        else:
            far = book(entry, on, day, far, work)
    return count, far


@compiled(inline="always")
def _that_stand(first, end, to, work):
    """Moves those of the entries today[first:end] that no better one has replaced to today[to:];
    returns where they end.
    """
    today = work.today
    for i in range(first, end):
        word = today[i]
        today[to] = word
        to += np.uint64(work.time[cell_in(word)] == time_of(word))
    return to


@compiled(inline="always")
def _lay_down(count, burned, work):
    """Writes the day's cells into `order` by (time, cell); returns where they end."""
    today, order = work.today, work.order
    if count <= np.uint64(_COUNTED):
        for i in range(count, count + np.uint64(8)):
            today[i] = NEVER
        first = np.uint64(0)
        while first < count:
            lay_in_order(today, first, count, order, burned)
            first += np.uint64(8)
    else:
        for i in range(count):
            push(today, np.int64(i), today[i])
        for i in range(count):
            order[burned + i] = np.int32(cell_in(today[np.uint64(0)]))
            drop_first(today, np.int64(count - i))
    return burned + count


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
    day, count, burned, far = zero, _ONE, zero, np.int64(0)
    while day != NEVER:
        sent = zero
        while sent < count:
            if count > room:
                kept = _that_stand(zero, sent, zero, work)
                count, sent = _that_stand(sent, count, kept, work), kept
            end = min(sent + np.uint64(SENDERS), count)
            found = _send(sent, end, edges, limit, lie, work)
            count, far = _book(found, day, per_min, count, far, edges, work)
            sent = end
        burned = _lay_down(_that_stand(zero, count, zero, work), burned, work)
        day = next_day(day, per_min, far, work)
        if day != NEVER:
            count, far = open_day(day, per_min, far, work)
    return np.int64(burned)
