"""Compiled solving again: what a change of breaks changes in one fire.

A break that is new takes ways away. Forgotten are the cells that fire reached through it, those
whose recorded way it closes, and all that depend on either through their parents. A break that is
gone adds ways: forgotten are the cells that these serve better, and all that depend on them. What
is forgotten is solved again from the rim of what still stands; every other cell keeps its time,
unless a way through a cell that now burns at another time has become the better one. The result has
the bits of burning anew, because a cell's time is the least of its ways' times, each a function of
the final times of the way's ends alone, whatever the order in which they are looked at.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.around_kernel import ask_around, known_around, pull_steadily
from firebreak.fire.fire_tables import FINAL, UNSEEN
from firebreak.fire.forget_kernel import (
    forget,
    forget_closed,
    forget_descendants,
    has_children,
    note,
)
from firebreak.fire.front_kernel import enqueue, lowest_bit
from firebreak.fire.queue_kernel import later
from firebreak.fire.ring import SEGMENT_CODE, UNBURNED
from firebreak.fire.steady_kernel import suits_steady
from firebreak.fire.way_kernel import (
    CLOSED,
    NARROW,
    OPEN,
    SEGMENT_A,
    SEGMENT_B,
    kind_of,
    segment_cost,
    segment_open,
    segment_weight,
    step_cost,
    step_open,
)


@compiled()
def _forget_opened(cell, forgotten, crossing, row, ways, lie, changes, work):
    """Forgets what ways that no break closes any more serve better, among the cells that burned;
    and the cell itself if it burned and sent nothing, so that it is looked at again.
    """
    if work.code[cell] != UNBURNED and not has_children(cell, lie.offset, work):
        forgotten = forget(cell, forgotten, changes, work)
    for k in range(crossing.child.shape[0]):
        child = cell + crossing.child[k]
        if work.code[child] != UNBURNED and child != lie.source:
            code = _better_across(child, k, crossing, row, ways, lie, work)[1]
            if code != work.code[child]:
                forgotten = forget(child, forgotten, changes, work)
    return forgotten


_FAR = ~np.uint64(255)  # of the bits of ways: all but unit ones


@compiled(inline="always")
def _sends(cell, lie, work):
    """Is a cell known to burn and to pass fire on?"""
    status = work.status[cell]
    if status == UNSEEN:
        kind = lie.state[cell]
        return work.code[cell] != UNBURNED and (kind == OPEN or kind_of(cell, lie) != NARROW)
    return status == FINAL


@compiled(inline="always")
def _through_segment(child, segment, best, metric, lie, work):
    """(time, weight) of the way through a segment as if it were open; inf where its ends are not
    known, or it is later than `best`.
    """
    time, offset = work.time, lie.offset
    cell_a, cell_b = child + offset[SEGMENT_A[segment]], child + offset[SEGMENT_B[segment]]
    t, w = np.float32(np.inf), -1.0
    # The child would burn after the later end.
    if max(time[cell_a], time[cell_b]) < best and _sends(cell_a, lie, work) and _sends(
            cell_b, lie, work):
        w = segment_weight(metric, child, segment, time[cell_a], time[cell_b])
        if w >= 0.0:
            late = (time[cell_a] + w * (np.float64(time[cell_b]) - time[cell_a])
                    + segment_cost(metric, child, segment, w, offset))
            t = max(np.float32(late), later(max(time[cell_a], time[cell_b])))
    return t, w


@compiled(inline="always")
def by_step(child, step, metric, unit_time, lie, work):
    """Time of the single step from a cell that is known to send, as if it were open."""
    parent = child + lie.offset[step]
    late = work.time[parent] + step_cost(metric, unit_time, child, step, lie.offset)
    return max(np.float32(late), later(work.time[parent]))


@compiled(inline="always")
def or_by_segment(best, best_code, best_weight, child, segments, kind, metric, lie, work):
    """(time, code, weight) of the best of what is given and the ways through segments, bits u64."""
    while segments != 0:
        segment = np.int64(lowest_bit(segments))
        segments &= segments - np.uint64(1)
        t, w = _through_segment(child, segment, best, metric, lie, work)
        # Whether it is open is asked last: that takes longest.
        if (t < best or (t == best < np.inf and segment + SEGMENT_CODE < best_code)) and (
                kind == OPEN or segment_open(child, segment, lie)):
            best, best_code, best_weight = t, segment + SEGMENT_CODE, w
    return best, best_code, best_weight


@compiled(inline="always")
def _best_of(steps, segments, best, best_code, best_weight, child, kind, row, ways, lie, work):
    """(time, code, weight) of the best of what is given and of ways from known cells, bits u64."""
    metric, unit_time = ways.metric[row], ways.unit_time[row]
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - np.uint64(1)
        parent = child + lie.offset[step]
        if work.time[parent] < best and _sends(parent, lie, work):
            t = by_step(child, step, metric, unit_time, lie, work)
            if (t < best or (t == best < np.inf and step < best_code)) and (
                    kind == OPEN or step_open(child, step, lie)):
                best, best_code, best_weight = t, step, 0.0
    return or_by_segment(best, best_code, best_weight, child, segments, kind, metric, lie, work)


@compiled()
def _better_across(child, k, crossing, row, ways, lie, work):
    """(time, code, weight) of the better of what the k-th child around a break has and the ways
    that cross the break.
    """
    kind = kind_of(child, lie)
    time, code = work.time[child], np.int64(work.code[child])
    weight = np.float64(work.weight[child])
    if kind == CLOSED:
        return time, code, weight
    return _best_of(np.uint64(ways.accepts[row, child] & crossing.steps[k]),
                    ways.segments[row, child] & crossing.segments[k], time, code, weight, child,
                    kind, row, ways, lie, work)


@compiled(inline="always")
def _queue(cell, size, duration, row, ways, lie, work):
    """Queues a forgotten cell if known ones reach it; returns the queue's size."""
    kind = kind_of(cell, lie)
    if kind == CLOSED:
        return size
    steps, segments = np.uint64(ways.accepts[row, cell]), ways.segments[row, cell]
    t, code, weight = np.float32(np.inf), np.int64(UNBURNED), 0.0
    if suits_steady(ways, lie):
        t, code, weight = pull_steadily(cell, row, ways, lie, work)
        steps, segments = steps & _FAR, segments & _FAR
    if (steps | segments) != 0:
        t, code, weight = _best_of(steps, segments, t, code, weight, cell, kind, row, ways, lie,
                                   work)
    if t <= duration and code != UNBURNED:
        work.time[cell], work.code[cell], work.weight[cell] = t, code, weight
        size = enqueue(cell, t, size, work.time, work.queue)
    return size


@compiled(inline="always")
def _keep_reached(count, row, ways, lie, work):
    """Keeps those of the first `count` cells on the stack to which ways from known cells may lead,
    and asks for what these take; returns how many.
    """
    edges, metric = ways.edges[row].reshape(-1), ways.metric[row].reshape(-1)
    kept = 0
    for k in range(count):
        cell = np.uint64(work.stack[k])
        if known_around(cell, lie, work) != 0 or (
                np.uint64(ways.accepts[row, cell]) | ways.segments[row, cell]) & _FAR != 0:
            work.stack[kept] = np.int32(cell)
            kept += 1
            ask_around(cell, edges, metric, np.uint64(lie.width))
    return kept


@compiled()
def _queue_stack(count, size, duration, row, ways, lie, work):
    """Queues those of the first `count` cells on the stack that known ones reach; returns the
    queue's size.
    """
    # One place that calls, once for many cells: a call hands over hundreds of words.
    if suits_steady(ways, lie):
        count = _keep_reached(count, row, ways, lie, work)
    for k in range(count):
        size = _queue(np.int64(work.stack[k]), size, duration, row, ways, lie, work)
    return size


@compiled()
def _queue_opened(cell, size, duration, row, ways, lie, changes, work):
    """Queues a cell whose break is gone, if known cells reach it; returns the queue's size."""
    if work.code[cell] == UNBURNED:
        note(cell, changes, work)
        work.stack[0] = cell
        size = _queue_stack(1, size, duration, row, ways, lie, work)
    return size


@compiled()
def _queue_across(cell, size, duration, crossing, row, ways, lie, changes, work):
    """Queues what ways across a break that is gone let burn for the first time, or earlier; returns
    the queue's size.
    """
    for k in range(crossing.child.shape[0]):
        child = cell + crossing.child[k]
        if work.status[child] == UNSEEN and work.code[child] != UNBURNED:
            continue
        t, code, w = _better_across(child, k, crossing, row, ways, lie, work)
        if t <= duration and code != work.code[child]:
            note(child, changes, work)
            work.time[child], work.code[child], work.weight[child] = t, code, w
            size = enqueue(child, t, size, work.time, work.queue)
    return size


@compiled()
def change(cells, duration, crossing, row, ways, lie, changes, work):
    """Forgets what breaks that came or went at `cells` i64 [M] change, and queues what known cells
    reach; returns the queue's size. `solve_again` does the rest.
    """
    forgotten, far = 0, ways.sends_far[row]
    for cell in cells:
        kind = kind_of(cell, lie)
        if kind in (CLOSED, NARROW):
            forgotten = forget_closed(cell, kind, forgotten, crossing, far, lie, changes, work)
    forgotten = forget_descendants(forgotten, 0, far, lie.width, lie.offset, changes, work)
    noted = changes.how_many[0]
    for cell in cells:
        if kind_of(cell, lie) not in (CLOSED, NARROW) and cell != lie.source:
            forgotten = _forget_opened(cell, forgotten, crossing, row, ways, lie, changes, work)
    if changes.how_many[0] > noted:
        forgotten = forget_descendants(forgotten, noted, far, lie.width, lie.offset, changes, work)
    size = _queue_stack(forgotten, 0, duration, row, ways, lie, work)
    for cell in cells:
        if kind_of(cell, lie) not in (CLOSED, NARROW) and cell != lie.source:
            size = _queue_opened(cell, size, duration, row, ways, lie, changes, work)
    # Only then: a way across one of the cells may lead into another, which must have seen all ways.
    for cell in cells:
        if kind_of(cell, lie) not in (CLOSED, NARROW) and cell != lie.source:
            size = _queue_across(cell, size, duration, crossing, row, ways, lie, changes, work)
    return size


@compiled()
def start_over(cell, size, duration, row, ways, lie, changes, work):
    """Forgets a cell that stands and what depends on it, and queues them; returns the queue's size.
    """
    noted = changes.how_many[0]
    forgotten = forget_descendants(forget(cell, 0, changes, work), noted, ways.sends_far[row],
                                   lie.width, lie.offset, changes, work)
    return _queue_stack(forgotten, size, duration, row, ways, lie, work)


@compiled()
def settle(changes, work):
    """Makes the fire stand as it is now, and forgets what changed."""
    for k in range(changes.how_many[0]):
        work.status[changes.cell[k]] = UNSEEN
    changes.how_many[0] = 0


@compiled()
def undo(changes, work):
    """Makes the fire what it was before the changes, and forgets them."""
    for k in range(changes.how_many[0]):
        cell = changes.cell[k]
        work.time[cell], work.code[cell] = changes.time[k], changes.code[k]
        work.weight[cell] = changes.weight[k]
        work.status[cell] = UNSEEN
    changes.how_many[0] = 0
