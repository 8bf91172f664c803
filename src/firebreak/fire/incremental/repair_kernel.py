"""Compiled repair: what a change of breaks changes in one fire.

A break that is new takes arcs away. Invalidated are the cells that fire reached through it, those
whose recorded arc it closes, and all that depend on either through their parents. A break that is
gone adds arcs: invalidated are the cells that these serve better, and all that depend on them. What
is invalidated is repaired from the rim of what still stands; every other cell keeps its time,
unless an arc through a cell that now burns at another time has become the better one. The result
has the bits of burning anew, because a cell's time is the least of its arcs' times, each a function
of the final times of the arc's ends alone, whatever the order in which they are looked at.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.incremental.best_arc_kernel import ALL_ARCS, best_arc
from firebreak.fire.incremental.invalidate_kernel import (
    has_children,
    invalidate,
    invalidate_closed,
    invalidate_descendants,
    note,
)
from firebreak.fire.solver.constant_weather_kernel import suits_constant_weather
from firebreak.fire.solver.front_kernel import enqueue
from firebreak.fire.solver.neighbors_kernel import (
    known_around,
    prefetch_around,
    pull_constant_weather,
)
from firebreak.fire.solver.tables import UNSEEN
from firebreak.fire.travel.arc_kernel import (
    CLOSED,
    NARROW_BREAK,
    kind_of,
)
from firebreak.fire.travel.stencil import UNBURNED


@compiled()
def _invalidate_opened(cell, invalidated, crossing, row, arcs, view, changes, work):
    """Invalidates what arcs that no break closes any more serve better, among the cells that
    burned; and the cell itself if it burned and sent nothing, so that it is looked at again.
    """
    if work.code[cell] != UNBURNED and not has_children(cell, view.offset, work):
        invalidated = invalidate(cell, invalidated, changes, work)
    for k in range(crossing.child.shape[0]):
        child = cell + crossing.child[k]
        if work.code[child] != UNBURNED and child != view.source:
            code = _better_across(child, k, crossing, row, arcs, view, work)[1]
            if code != work.code[child]:
                invalidated = invalidate(child, invalidated, changes, work)
    return invalidated


_FAR = ~np.uint64(255)  # of the bits of arcs: all but unit ones


@compiled()
def _better_across(child, k, crossing, row, arcs, view, work):
    """(time, code, weight) of the better of what the k-th child around a break has and the arcs
    that cross the break.
    """
    kind = kind_of(child, view)
    time, code = work.time[child], np.int64(work.code[child])
    weight = np.float64(work.weight[child])
    if kind == CLOSED:
        return time, code, weight
    return best_arc(np.uint64(crossing.steps[k]), crossing.facets[k], time, code, weight, child,
                    kind, row, arcs, view, work)


@compiled(inline="always")
def _queue(cell, size, duration, row, arcs, view, work):
    """Queues an invalidated cell if known ones reach it; returns the queue's size."""
    kind = kind_of(cell, view)
    if kind == CLOSED:
        return size
    among = ALL_ARCS
    t, code, weight = np.float32(np.inf), np.int64(UNBURNED), 0.0
    if suits_constant_weather(arcs, view):
        t, code, weight = pull_constant_weather(cell, row, arcs, view, work)
        among = _FAR & (np.uint64(arcs.accepts[row, cell]) | arcs.facets[row, cell])
    if among != 0:
        t, code, weight = best_arc(among, among, t, code, weight, cell, kind, row, arcs, view, work)
    if t <= duration and code != UNBURNED:
        work.time[cell], work.code[cell], work.weight[cell] = t, code, weight
        size = enqueue(cell, t, size, work.time, work.queue)
    return size


@compiled(inline="always")
def _keep_reached(count, row, arcs, view, work):
    """Keeps those of the first `count` cells on the stack to which arcs from known cells may lead,
    and prefetches what these take; returns how many.
    """
    edges, metric = arcs.edges[row].reshape(-1), arcs.metric[row].reshape(-1)
    kept = 0
    for k in range(count):
        cell = np.uint64(work.stack[k])
        if known_around(cell, view, work) != 0 or (
                np.uint64(arcs.accepts[row, cell]) | arcs.facets[row, cell]) & _FAR != 0:
            work.stack[kept] = np.int32(cell)
            kept += 1
            prefetch_around(cell, edges, metric, np.uint64(view.width))
    return kept


@compiled()
def _queue_stack(count, size, duration, row, arcs, view, work):
    """Queues those of the first `count` cells on the stack that known ones reach; returns the
    queue's size.
    """
    # One place that calls, once for many cells: a call hands over hundreds of words.
    if suits_constant_weather(arcs, view):
        count = _keep_reached(count, row, arcs, view, work)
    for k in range(count):
        size = _queue(np.int64(work.stack[k]), size, duration, row, arcs, view, work)
    return size


@compiled()
def _queue_opened(cell, size, duration, row, arcs, view, changes, work):
    """Queues a cell whose break is gone, if known cells reach it; returns the queue's size."""
    if work.code[cell] == UNBURNED:
        note(cell, changes, work)
        work.stack[0] = cell
        size = _queue_stack(1, size, duration, row, arcs, view, work)
    return size


@compiled()
def _queue_across(cell, size, duration, crossing, row, arcs, view, changes, work):
    """Queues what arcs across a break that is gone let burn for the first time, or earlier; returns
    the queue's size.
    """
    for k in range(crossing.child.shape[0]):
        child = cell + crossing.child[k]
        if work.status[child] == UNSEEN and work.code[child] != UNBURNED:
            continue
        t, code, w = _better_across(child, k, crossing, row, arcs, view, work)
        if t <= duration and code != work.code[child]:
            note(child, changes, work)
            work.time[child], work.code[child], work.weight[child] = t, code, w
            size = enqueue(child, t, size, work.time, work.queue)
    return size


@compiled()
def change(cells, duration, crossing, row, arcs, view, changes, work):
    """Invalidates what breaks that came or went at `cells` i64 [M] change, and queues what known
    cells reach; returns the queue's size. `propagate` does the rest.
    """
    invalidated, far = 0, arcs.sends_far[row]
    for cell in cells:
        kind = kind_of(cell, view)
        if kind in (CLOSED, NARROW_BREAK):
            invalidated = invalidate_closed(cell, kind, invalidated, crossing, far, view, changes,
                                            work)
    invalidated = invalidate_descendants(invalidated, 0, far, view.width, view.offset, changes,
                                         work)
    noted = changes.how_many[0]
    for cell in cells:
        if kind_of(cell, view) not in (CLOSED, NARROW_BREAK) and cell != view.source:
            invalidated = _invalidate_opened(cell, invalidated, crossing, row, arcs, view, changes,
                                             work)
    if changes.how_many[0] > noted:
        invalidated = invalidate_descendants(invalidated, noted, far, view.width, view.offset,
                                             changes, work)
    size = _queue_stack(invalidated, 0, duration, row, arcs, view, work)
    for cell in cells:
        if kind_of(cell, view) not in (CLOSED, NARROW_BREAK) and cell != view.source:
            size = _queue_opened(cell, size, duration, row, arcs, view, changes, work)
    # Only then: an arc across one of the cells may lead into another, which must have seen all
    # arcs.
    for cell in cells:
        if kind_of(cell, view) not in (CLOSED, NARROW_BREAK) and cell != view.source:
            size = _queue_across(cell, size, duration, crossing, row, arcs, view, changes, work)
    return size


@compiled()
def start_over(cell, size, duration, row, arcs, view, changes, work):
    """Invalidates a cell that stands and what depends on it, and queues them; returns the queue's
    size.
    """
    noted = changes.how_many[0]
    invalidated = invalidate_descendants(invalidate(cell, 0, changes, work), noted,
                                         arcs.sends_far[row],
                                         view.width, view.offset, changes, work)
    return _queue_stack(invalidated, size, duration, row, arcs, view, work)


@compiled()
def commit(changes, work):
    """Makes the fire stand as it is now, and invalidates what changed."""
    for k in range(changes.how_many[0]):
        work.status[changes.cell[k]] = UNSEEN
    changes.how_many[0] = 0


@compiled()
def rollback(changes, work):
    """Makes the fire what it was before the changes, and invalidates them."""
    for k in range(changes.how_many[0]):
        cell = changes.cell[k]
        work.time[cell], work.code[cell] = changes.time[k], changes.code[k]
        work.weight[cell] = changes.weight[k]
        work.status[cell] = UNSEEN
    changes.how_many[0] = 0
