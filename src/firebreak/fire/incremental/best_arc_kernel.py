"""Compiled choice of the best of the arcs into a cell from cells that are known to burn.

An arc counts as when the fire burns anew: it is looked at in the weather in which the last of its
ends burns, and goes through as many weather steps as it takes. So its time is a function of the
times of its ends alone.

Constant weather, in which most fires of training burn, has functions of its own: what several
weather steps need, compiled into the same loop, made a step of the environment 5 % slower.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.solver.front_kernel import lowest_bit, under_next_weather
from firebreak.fire.solver.tables import FINAL, UNSEEN
from firebreak.fire.travel.arc_kernel import (
    FACET_A,
    FACET_B,
    NARROW_BREAK,
    OPEN,
    arrive_across,
    facet_cost,
    facet_open,
    facet_weight,
    kind_of,
    row_at,
    row_end,
    step_cost,
    step_open,
)
from firebreak.fire.travel.heap_kernel import later
from firebreak.fire.travel.stencil import FACET_CODE, UNBURNED

ALL_ARCS = ~np.uint64(0)  # as bits, of steps or of facets


@compiled(inline="always")
def _sends(cell, view, work):
    """Is a cell known to burn and to pass fire on?"""
    status = work.status[cell]
    if status == UNSEEN:
        kind = view.state[cell]
        return work.code[cell] != UNBURNED and (kind == OPEN or kind_of(cell, view) != NARROW_BREAK)
    return status == FINAL


@compiled()
def _facet_time(child, facet, time_a, time_b, first, row, arcs, view):
    """(time, weight) of the arc through a facet whose later end burned in the weather of `row`, one
    of several steps.
    """
    begin, until = (row - first) * arcs.step_min, row_end(arcs, first, row)
    weight = facet_weight(arcs.metric[row], child, facet, time_a, time_b)
    late = np.inf
    if weight >= 0.0:
        start = time_a + weight * (np.float64(time_b) - time_a)
        late = start + facet_cost(arcs.metric[row], child, facet, weight, view.offset)
        if start < begin or late > until:
            late = arrive_across(arcs, first, start, child, facet + FACET_CODE, weight, view.offset)
    if late > until:
        late, weight = under_next_weather(arcs, first, row, child, facet, time_a, time_b,
                                          view.offset, late, weight)
    return late, weight


@compiled(inline="always")
def _step_through_weathers(child, step, first, arcs, view, work):
    """`_by_step` in weather of several steps."""
    now = work.time[child + view.offset[step]]
    row, late = row_at(arcs, first, now), np.inf
    if arcs.accepts[row, child] & (np.uint32(1) << np.uint32(step)) != 0:
        late = now + step_cost(arcs.metric[row], arcs.unit_time[row], child, step, view.offset)
        if late > row_end(arcs, first, row):
            late = arrive_across(arcs, first, now, child, step, 0.0, view.offset)
    return max(np.float32(late), later(now))


@compiled(inline="always")
def _facet_through_weathers(child, facet, best, first, arcs, view, work):
    """`_through_facet` in weather of several steps."""
    time, offset = work.time, view.offset
    cell_a, cell_b = child + offset[FACET_A[facet]], child + offset[FACET_B[facet]]
    t, w = np.float32(np.inf), -1.0
    last = max(time[cell_a], time[cell_b])
    if last < best and _sends(cell_a, view, work) and _sends(cell_b, view, work):
        row, late = row_at(arcs, first, last), np.inf
        if arcs.facets[row, child] & (np.uint64(1) << np.uint64(facet)) != 0:
            late, w = _facet_time(child, facet, time[cell_a], time[cell_b], first, row, arcs, view)
        t = max(np.float32(late), later(last))
    return t, w


@compiled()
def _best_through_weathers(steps, facets, best, best_code, best_weight, child, kind, first, arcs,
                           view, work):
    """`best_arc` in weather of several steps."""
    open_steps, open_facets = np.uint64(0), np.uint64(0)
    for row in range(first, first + arcs.steps):  # which of them counts depends on the ends
        open_steps |= np.uint64(arcs.accepts[row, child])
        open_facets |= arcs.facets[row, child]
    steps &= open_steps
    facets &= open_facets
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - np.uint64(1)
        parent = child + view.offset[step]
        if work.time[parent] < best and _sends(parent, view, work):
            t = _step_through_weathers(child, step, first, arcs, view, work)
            if (t < best or (t == best < np.inf and step < best_code)) and (
                    kind == OPEN or step_open(child, step, view)):
                best, best_code, best_weight = t, step, 0.0
    while facets != 0:
        facet = np.int64(lowest_bit(facets))
        facets &= facets - np.uint64(1)
        t, w = _facet_through_weathers(child, facet, best, first, arcs, view, work)
        if (t < best or (t == best < np.inf and facet + FACET_CODE < best_code)) and (
                kind == OPEN or facet_open(child, facet, view)):
            best, best_code, best_weight = t, facet + FACET_CODE, w
    return best, best_code, best_weight


@compiled(inline="always")
def _by_step(child, step, metric, unit_time, view, work):
    """Time of the single step from a cell that is known to send, as if no break closed it."""
    now = work.time[child + view.offset[step]]
    return max(np.float32(now + step_cost(metric, unit_time, child, step, view.offset)), later(now))


@compiled(inline="always")
def _through_facet(child, facet, best, metric, view, work):
    """(time, weight) of the arc through a facet as if no break closed it; inf where its ends are
    not known, or it is later than `best`.
    """
    time, offset = work.time, view.offset
    cell_a, cell_b = child + offset[FACET_A[facet]], child + offset[FACET_B[facet]]
    t, w = np.float32(np.inf), -1.0
    # The child would burn after the later end.
    last = max(time[cell_a], time[cell_b])
    if last < best and _sends(cell_a, view, work) and _sends(cell_b, view, work):
        w = facet_weight(metric, child, facet, time[cell_a], time[cell_b])
        if w >= 0.0:
            late = (time[cell_a] + w * (np.float64(time[cell_b]) - time[cell_a])
                    + facet_cost(metric, child, facet, w, offset))
            t = max(np.float32(late), later(last))
    return t, w


@compiled(inline="always")
def best_arc(steps, facets, best, best_code, best_weight, child, kind, first, arcs, view, work):
    """(time, code, weight) of the best of what is given and of the open arcs from known cells among
    these, as bits u64.
    """
    if arcs.steps > 1:
        return _best_through_weathers(steps, facets, best, best_code, best_weight, child, kind,
                                      first, arcs, view, work)
    metric, unit_time = arcs.metric[first], arcs.unit_time[first]
    steps &= np.uint64(arcs.accepts[first, child])
    facets &= arcs.facets[first, child]
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - np.uint64(1)
        parent = child + view.offset[step]
        if work.time[parent] < best and _sends(parent, view, work):
            t = _by_step(child, step, metric, unit_time, view, work)
            if (t < best or (t == best < np.inf and step < best_code)) and (
                    kind == OPEN or step_open(child, step, view)):
                best, best_code, best_weight = t, step, 0.0
    while facets != 0:
        facet = np.int64(lowest_bit(facets))
        facets &= facets - np.uint64(1)
        t, w = _through_facet(child, facet, best, metric, view, work)
        # Whether it is open is asked last: that takes longest.
        if (t < best or (t == best < np.inf and facet + FACET_CODE < best_code)) and (
                kind == OPEN or facet_open(child, facet, view)):
            best, best_code, best_weight = t, facet + FACET_CODE, w
    return best, best_code, best_weight
