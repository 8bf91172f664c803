"""The compiled minimum-travel-time solver: one fire at a time, many fires in parallel.

Each cell is final when it leaves the queue. It is reached by a single step from a final cell, or
through the facet between two final cells, at the point of the facet where it burns first. A
child is never earlier than the later of its parents, so the order of leaving the queue is a
topological order of the parents, and stopping at the duration is exact.

No fastmath, a fixed order of evaluation and ties broken by parent code and cell index: a fire has
the same bits in any batch, on any thread.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.effects.spotting_kernel import spot_ignites, spot_target
from firebreak.fire.solver.constant_weather_kernel import (
    spread_constant_weather,
    suits_constant_weather,
)
from firebreak.fire.solver.crews_kernel import (
    corner_held,
    end_if_contained,
    holds,
    stop,
    stopped_cell,
    unburn,
)
from firebreak.fire.solver.tables import BURNED_NO_SPREAD, FINAL, UNSEEN, Workspace
from firebreak.fire.travel.arc_kernel import (
    CLOSED,
    FACET_A,
    FACET_B,
    NARROW_BREAK,
    NEAR,
    OPEN,
    TOUCHING,
    Arcs,
    CrewRule,
    Crews,
    FireView,
    arrive_across,
    facet_cost,
    facet_open,
    facet_weight,
    kind_of,
    may_hold,
    row_at,
    row_end,
    step_cost,
    step_open,
)
from firebreak.fire.travel.heap_kernel import (
    cell_of,
    compact,
    drop_first,
    later,
    lowest_bit,
    push,
    time_of,
    word_of,
)
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, REACH, SPOT


@compiled()
def _ember_lands(parent, row, spots, view):
    """(padded cell that the ember of a burning cell sets on fire, minutes until it burns there);
    (-1, 0.0) if none. Breaks and bare ground do not catch fire.
    """
    width = view.width
    rows, cols = view.state.shape[0] // width - 2 * REACH, width - 2 * REACH
    down, right, metres = spot_target(
        view.key, parent, parent // width - REACH, parent % width - REACH, rows, cols,
        spots.cell_size_m, spots.cells[0, row, parent], spots.cells[1, row, parent],
        spots.cells[2, row, parent], spots.cells[3, row, parent], spots.winds[1, row],
        spots.winds[2, row])
    if down < 0:
        return -1, 0.0
    target = (down + REACH) * width + right + REACH
    kind = kind_of(target, view)
    if kind in (CLOSED, NARROW_BREAK) or not spot_ignites(view.key, parent, spots.winds[0, row]):
        return -1, 0.0
    return target, metres * spots.winds[3, row] + spots.delay_min


@compiled()
def under_next_weather(arcs, first, row, child, facet, time_a, time_b, offset, t, weight):
    """The better of (t, weight) and of the point of the facet that suits the next weather, in
    which the arc ends.
    """
    other = facet_weight(arcs.metric[row + 1], child, facet, time_a, time_b)
    if other < 0.0:
        return t, weight
    start = time_a + other * (np.float64(time_b) - time_a)
    late = arrive_across(arcs, first, start, child, facet + FACET_CODE, other, offset)
    return (late, other) if late < t else (t, weight)


@compiled()
def enqueue(child, t, size, time, queue):
    """Puts a cell whose time improved into the queue; returns the queue's size."""
    if size == queue.shape[0]:
        size = compact(queue, size, time)
    push(queue, size, word_of(t, child))
    return size + 1


@compiled()
def spread(size, burned, duration, first, arcs, spots, view, crews, work):
    """Lets fire spread from the cells in the queue until it is empty; returns the number of cells
    burned, whose first `burned` were final before.

    first: the travel field's row of the fire's first weather.
    """
    time, code, weight, status = work.time, work.code, work.weight, work.status
    queue, order, offset, state = work.queue, work.order, view.offset, view.state
    row, row_begin, until = first, np.float64(0.0), row_end(arcs, first, first)
    metric, unit_time = arcs.metric[row], arcs.unit_time[row]
    facets, accepts, sends = arcs.facets[row], arcs.accepts[row], arcs.sends[row]
    while size > 0:
        word = queue[0]
        drop_first(queue, size)
        size -= 1
        parent = cell_of(word)
        if status[parent] != UNSEEN:
            continue
        now = time_of(word)
        if state[parent] != OPEN and may_hold(parent, view) and (
                holds(parent, now, first, arcs, view, crews, work)):
            burned = stop(parent, burned, view, work)
            continue
        order[burned] = parent
        burned += 1
        if state[parent] != OPEN and kind_of(parent, view) == NARROW_BREAK:
            status[parent] = BURNED_NO_SPREAD
            continue
        status[parent] = FINAL
        if now >= until:
            row = row_at(arcs, first, now)
            row_begin, until = (row - first) * arcs.step_min, row_end(arcs, first, row)
            metric, unit_time = arcs.metric[row], arcs.unit_time[row]
            facets, accepts, sends = arcs.facets[row], arcs.accepts[row], arcs.sends[row]
        soonest = later(now)
        if spots.cells.shape[1] > 0:
            child, delay = _ember_lands(parent, row, spots, view)
            if child >= 0 and status[child] == UNSEEN:
                t = max(np.float32(now + delay), soonest)
                if t <= duration and t < time[child]:
                    time[child], code[child], weight[child] = t, SPOT, 0.0
                    work.thrower[child] = parent
                    size = enqueue(child, t, size, time, queue)
        steps = np.uint64(sends[parent])
        while steps != 0:
            step = np.int64(lowest_bit(steps))
            steps &= steps - np.uint64(1)
            child = parent - offset[step]
            if status[child] != UNSEEN:
                continue
            kind = np.int64(state[child])
            if kind != OPEN and kind != NEAR:
                kind = kind_of(child, view)
                if kind == CLOSED:
                    continue
            before = time[child]
            best, best_code, best_weight = before, np.int64(code[child]), np.float64(weight[child])
            if accepts[child] & (np.uint32(1) << np.uint32(step)) != 0 and (
                    kind == OPEN or step_open(child, step, view)):
                if step < 8:
                    late = now + (0.5 * np.float64(unit_time[child, step])
                                  + 0.5 * np.float64(unit_time[parent, step]))
                else:
                    late = now + step_cost(metric, unit_time, child, step, offset)
                if late > until:
                    late = arrive_across(arcs, first, now, child, step, 0.0, offset)
                t = max(np.float32(late), soonest)
                if (t < best or (t == best < np.inf and step < best_code)) and (
                        kind == OPEN or not corner_held(child, step, now, t, first, arcs, view,
                                                        crews, work)):
                    best, best_code, best_weight = t, step, 0.0
            ending = facets[child] & TOUCHING[step]
            while ending != 0:
                facet = np.int64(lowest_bit(ending))
                ending &= ending - np.uint64(1)
                cell_a = child + offset[FACET_A[facet]]
                cell_b = child + offset[FACET_B[facet]]
                # Evaluated once, when the later end is final.
                if status[cell_a] != FINAL or status[cell_b] != FINAL:
                    continue
                if kind != OPEN and not facet_open(child, facet, view):
                    continue
                w = facet_weight(metric, child, facet, time[cell_a], time[cell_b])
                late = np.inf
                if w >= 0.0:
                    start = time[cell_a] + w * (np.float64(time[cell_b]) - time[cell_a])
                    late = start + facet_cost(metric, child, facet, w, offset)
                    if start < row_begin or late > until:
                        late = arrive_across(arcs, first, start, child, facet + FACET_CODE, w,
                                             offset)
                if late > until:
                    late, w = under_next_weather(arcs, first, row, child, facet, time[cell_a],
                                                  time[cell_b], offset, late, w)
                # In a fire that burns again the other end may be the later one.
                t = max(np.float32(late), later(max(time[cell_a], time[cell_b])))
                if t < best or (
                        t == best < np.inf and facet + FACET_CODE < best_code):
                    best, best_code, best_weight = t, facet + FACET_CODE, w
            if best <= duration and best_code != code[child]:
                time[child], code[child], weight[child] = best, best_code, best_weight
                if best < before:
                    size = enqueue(child, best, size, time, queue)
    return burned


@compiled()
def of_thread(scratch, thread):
    """A thread's part of the workspace."""
    return workspace_on(scratch.time[thread], scratch.code[thread], scratch.weight[thread], thread,
                        scratch)


@compiled()
def workspace_on(time, code, weight, thread, scratch):
    """A thread's part of the workspace, with arrays [P] of a fire in place of its own."""
    return Workspace(time, code, weight, scratch.status[thread],
                     scratch.order[thread], scratch.below[thread], scratch.classes[thread],
                     scratch.thrower[thread], scratch.stack[thread], scratch.queue[thread],
                     scratch.entry[thread], scratch.counts[thread],
                     scratch.occupied[thread], scratch.current[thread], scratch.found[thread],
                     scratch.tried[thread], scratch.late[thread], scratch.share[thread],
                     scratch.ends[thread], scratch.near_weight[thread], scratch.stopped[thread])


@compiled(inline="always")
def _crew_of(numbers):
    """A `CrewRule`, which cannot be in what several threads are given, from its numbers."""
    return CrewRule(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
                    numbers[6])


@compiled()
def view_of(fire, state, offset, width, rules, fires):
    """One fire's view of the land under an overlay's codes u8 [P]."""
    row, until = 0, 0
    if rules.breach.shape[0] > 0:
        row = fires.row[fire] // rules.rows_a_breach
        until = row + (1 if rules.breach[row, 0] >= 0.0 else 0)
    manned = rules.ready.shape[0] > 0 and rules.ready[fires.overlay[fire], 0] < np.inf
    return FireView(state, fires.source[fire], fires.key[fire],
                    rules.breach[row:until].reshape(-1), rules.leak, width, offset, manned)


@compiled()
def arcs_under(fire, arcs, rules, fires):
    """The travel field that one fire runs on, with as many weather steps as its own streams have.
    """
    if rules.steps.shape[0] == 0:
        return arcs
    return Arcs(arcs.metric, arcs.unit_time, arcs.facets, arcs.accepts, arcs.sends, arcs.heat,
                rules.steps[fires.overlay[fire]], arcs.step_min, arcs.edges, arcs.bucket_min,
                arcs.sends_far)


@compiled()
def crews_of(fire, rules, fires):
    """The crews that one fire meets."""
    overlay = fires.overlay[fire] if rules.ready.shape[0] > 0 else 0
    return Crews(rules.ready[overlay:overlay + 1].reshape(-1), _crew_of(rules.crew))


@compiled()
def burn_one(duration, first, arcs, spots, view, crews, work):
    """Burns one fire into a clean thread's workspace; returns the number of cells burned. A fire
    that the initial attack contains ends there.
    """
    burned = _burn_out(duration, first, arcs, spots, view, crews, work)
    if crews.rule.attack_min < duration:
        burned = end_if_contained(burned, first, arcs, view, crews.rule, work)
    return burned


@compiled()
def _burn_out(duration, first, arcs, spots, view, crews, work):
    if spots.cells.shape[1] == 0 and suits_constant_weather(arcs, view):
        return spread_constant_weather(duration, first, arcs, view, work)
    work.time[view.source] = 0.0
    work.code[view.source] = IGNITION
    work.weight[view.source] = 0.0
    push(work.queue, 0, word_of(np.float32(0.0), view.source))
    return spread(1, 0, duration, first, arcs, spots, view, crews, work)


@compiled()
def clean(burned, work):
    """Makes the workspace ready for the next fire."""
    for k in range(burned):
        unburn(work.order[k], work)
    for k in range(work.stopped[0]):
        unburn(stopped_cell(k, work), work)
    work.stopped[0] = 0
