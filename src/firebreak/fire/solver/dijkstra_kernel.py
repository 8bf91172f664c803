"""Dijkstra's algorithm over the eight neighbours, on a bucket queue in place of a heap.

Arrivals are put into buckets (`bucket_queue_kernel`). All cells of a bucket send fire at once, in
any
order: a cell that another one of its bucket reaches earlier sends again (delta-stepping: Meyer &
Sanders 2003, J. Algorithms 49). Arrival times are the only solution of their equations and a parent
is the first code among those that give it, so neither depends on the order. A bucket that is over
is laid down by (time, cell).

What looks roundabout is there because branches that cannot be predicted cost more than the work:
neighbours are looked at eight at a time, those reached are listed, and lists are counts in loops
that run straight through.
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
from firebreak.fire.solver.neighbors_kernel import shut_around
from firebreak.fire.solver.tables import SENDERS
from firebreak.fire.travel.arc_kernel import CLOSED, NARROW_BREAK, NEAR, OPEN
from firebreak.fire.travel.heap_kernel import drop_first, last_moment, later, push, time_of, word_of
from firebreak.fire.travel.simd import (
    STEP_OF_LANE,
    lanes_equal,
    lay_in_order,
    list_reached,
    prefetch,
)
from firebreak.fire.travel.stencil import GRAPH, IGNITION

_CODE = STEP_OF_LANE.astype(np.uint8)
_ONE, _THREE, _SEVEN = (np.uint64(n) for n in (1, 3, 7))
_COUNTED = 64  # a longer bucket is sorted by a heap


@compiled()
def suits_graph(arcs, spots, view):
    """Can `spread_on_graph` burn this fire? It knows no embers, no breaches, no weather that
    changes and no ignition in a break.
    """
    return (arcs.spread == GRAPH and arcs.bucket_min.shape[0] > 0 and arcs.steps == 1
            and spots.cells.shape[1] == 0 and view.breach.shape[0] == 0
            and not view.manned
            and view.state[view.source] in (OPEN, NEAR))


@compiled(inline="always")
def _send(first, end, edges, limit, view, work):
    """Lists what the cells current[first:end] reach; returns how many arcs."""
    current, state = work.current, view.state
    width, found = np.uint64(view.width), np.uint64(0)
    for i in range(first, end):
        word = current[i]
        cell, now = cell_in(word), time_of(word)
        shut = np.uint64(0)
        if state[cell] != OPEN:
            if state[cell] == NARROW_BREAK:
                continue
            closed = lanes_equal(state, cell, width, np.uint8(CLOSED))
            shut = shut_around(cell, closed, view)
        found = list_reached(edges, cell, work.time, width, now, later(now), limit, shut,
                             work.found, found)
    return found


@compiled(inline="always")
def _insert(found, bucket, per_min, count, far, edges, work):
    """Inserts the cells that were found reached; returns (cells of current, entries of the heap).
    """
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
        entry, on = word_of(t, child), bucket_of(t, per_min)
        if on == bucket:
            work.current[count] = entry
            count += _ONE
        else:
            far = insert_entry(entry, on, bucket, far, work)
    return count, far


@compiled(inline="always")
def _keep_current(first, end, to, work):
    """Moves those of the entries current[first:end] that no better one has replaced to
    current[to:]; returns where they end.
    """
    current = work.current
    for i in range(first, end):
        word = current[i]
        current[to] = word
        to += np.uint64(work.time[cell_in(word)] == time_of(word))
    return to


@compiled(inline="always")
def _write_in_order(count, burned, work):
    """Writes the bucket's cells into `order` by (time, cell); returns where they end."""
    current, order = work.current, work.order
    if count <= np.uint64(_COUNTED):
        for i in range(count, count + np.uint64(8)):
            current[i] = NEVER
        first = np.uint64(0)
        while first < count:
            lay_in_order(current, first, count, order, burned)
            first += np.uint64(8)
    else:
        for i in range(count):
            push(current, np.int64(i), current[i])
        for i in range(count):
            order[burned + i] = np.int32(cell_in(current[np.uint64(0)]))
            drop_first(current, np.int64(count - i))
    return burned + count


@compiled()
def spread_on_graph(duration, row, arcs, view, work):
    """Burns a fire of constant weather into a clean workspace; returns the number of cells burned.

    Needs `suits_graph`. Leaves `status` and `weight` alone.
    """
    edges, per_min = arcs.edges[row].reshape(-1), 1.0 / arcs.bucket_min[row]
    limit = last_moment(duration)
    source, zero = np.uint64(view.source), np.uint64(0)
    room = np.uint64(work.current.shape[0] - 8 * SENDERS - 8)
    work.time[source] = 0.0
    work.code[source] = IGNITION
    work.current[zero] = word_of(np.float32(0.0), source)
    bucket, count, burned, far = zero, _ONE, zero, np.int64(0)
    while bucket != NEVER:
        sent = zero
        while sent < count:
            if count > room:
                kept = _keep_current(zero, sent, zero, work)
                count, sent = _keep_current(sent, count, kept, work), kept
            end = min(sent + np.uint64(SENDERS), count)
            found = _send(sent, end, edges, limit, view, work)
            count, far = _insert(found, bucket, per_min, count, far, edges, work)
            sent = end
        burned = _write_in_order(_keep_current(zero, count, zero, work), burned, work)
        bucket = next_bucket(bucket, per_min, far, work)
        if bucket != NEVER:
            count, far = open_bucket(bucket, per_min, far, work)
    return np.int64(burned)
