"""Compiled re-burning: what a new break changes in a fire, and nothing else.

A hard break takes ways away. Forgotten are the cells that fire reached through it, those whose
recorded way it closes, and all that depend on either through their parents. They are solved again
from the rim of what still stands; every other cell keeps its time, unless a way through a cell that
now burns later has become the better one. The result has the bits of burning anew, because a cell's
time is the least of its ways' times, each a function of the final times of the way's ends alone,
whatever the order in which they are looked at.

Fires keep what that takes: the cells they burned in the order of time, with time and weight, in one
arena with room for a fixed number of cells, and the codes of all cells. A fire that has no room
burns anew. Sums over fires are whole numbers, so taking a fire's part out and putting the new one
in leaves no trace of rounding.
"""

import numba
import numpy as np

from firebreak.fire.burn_kernel import classify, hand_down, loss_of
from firebreak.fire.compiled import compiled
from firebreak.fire.fire_tables import FINAL, SILENT, UNSEEN
from firebreak.fire.front_kernel import burn_one, enqueue, lowest_bit, of_thread
from firebreak.fire.queue_kernel import cell_of, drop_first, later, time_of
from firebreak.fire.ring import SEGMENT_CODE, STEPS, UNBURNED
from firebreak.fire.way_kernel import (
    CLOSED,
    NARROW,
    OPEN,
    SEGMENT_A,
    SEGMENT_B,
    STEP_COL,
    STEP_ROW,
    TOUCHING,
    Lie,
    kind_of,
    segment_cost,
    segment_open,
    segment_weight,
    step_cost,
    step_open,
)

_KEPT, _KEPT_SILENT = 3, 4  # status of cells that stand from before; see `front_kernel`


@compiled()
def _recall(fire, store, lie, work):
    """Puts a kept fire into the workspace."""
    start = store.start[fire]
    for k in range(store.size[fire]):
        cell = store.cell[start + k]
        work.order[k] = cell
        work.time[cell] = store.time[start + k]
        work.weight[cell] = store.weight[start + k]
        work.status[cell] = _KEPT
        if lie.state[cell] != OPEN and kind_of(cell, lie) == NARROW:
            work.status[cell] = _KEPT_SILENT


@compiled(inline="always")
def _forget(cell, forgotten, work):
    work.status[cell] = UNSEEN
    work.time[cell] = np.inf
    work.code[cell] = UNBURNED
    work.stack[forgotten] = cell
    return forgotten + 1


@compiled(inline="always")
def _comes_by(code, step):
    """Is the cell at `step` a parent of a cell of this code?"""
    if code < SEGMENT_CODE:
        return code == step
    if code >= SEGMENT_CODE + SEGMENT_A.shape[0]:
        return False
    return TOUCHING[step] & (np.uint64(1) << np.uint64(code - SEGMENT_CODE)) != 0


@compiled()
def _forget_children(parent, forgotten, offset, work):
    for step in range(STEPS):
        child = parent - offset[step]
        if _comes_by(np.int64(work.code[child]), step):
            forgotten = _forget(child, forgotten, work)
    return forgotten


@compiled()
def _forget_descendants(forgotten, offset, work):
    """Forgets all that depends on the cells on the stack; returns how many stand there then."""
    done = 0
    while done < forgotten:
        forgotten = _forget_children(np.int64(work.stack[done]), forgotten, offset, work)
        done += 1
    return forgotten


@compiled()
def _forget_what_depends(breaks, new, lie, work):
    """Forgets what depends on a slot's new breaks, i64 [M]; returns how many cells."""
    forgotten = 0
    for cell in breaks:
        kind = kind_of(cell, lie)
        if kind != CLOSED and kind != NARROW:
            continue  # where the fire starts, or breached: nothing changes
        if work.code[cell] != UNBURNED:
            if kind == NARROW:
                work.status[cell] = _KEPT_SILENT
                forgotten = _forget_children(cell, forgotten, lie.offset, work)
            else:
                forgotten = _forget(cell, forgotten, work)
        for k in range(new.closes_step.shape[0]):
            child = cell + new.closes_step[k]
            if work.code[child] == new.closes_code[k]:
                forgotten = _forget(child, forgotten, work)
    return _forget_descendants(forgotten, lie.offset, work)


@compiled(inline="always")
def _sends(status):
    return status in (FINAL, _KEPT)


@compiled(inline="always")
def _through_segment(child, segment, kind, metric, lie, work):
    """(time, weight) of the way through a segment, inf where it is closed or its ends are not
    known.
    """
    time, offset = work.time, lie.offset
    cell_a, cell_b = child + offset[SEGMENT_A[segment]], child + offset[SEGMENT_B[segment]]
    t, w = np.float32(np.inf), -1.0
    if _sends(work.status[cell_a]) and _sends(work.status[cell_b]) and (
            kind == OPEN or segment_open(child, segment, lie)):
        w = segment_weight(metric, child, segment, time[cell_a], time[cell_b])
        if w >= 0.0:
            late = (time[cell_a] + w * (np.float64(time[cell_b]) - time[cell_a])
                    + segment_cost(metric, child, segment, w, offset))
            t = max(np.float32(late), later(max(time[cell_a], time[cell_b])))
    return t, w


@compiled(inline="always")
def _by_step(child, step, kind, metric, unit_time, lie, work):
    """Time of the single step from a cell that is known to send; inf where it is closed."""
    parent = child + lie.offset[step]
    t = np.float32(np.inf)
    if kind == OPEN or step_open(child, step, lie):
        late = work.time[parent] + step_cost(metric, unit_time, child, step, lie.offset)
        t = max(np.float32(late), later(work.time[parent]))
    return t


@compiled()
def _or_by_segment(best, best_code, best_weight, child, segments, kind, metric, lie, work):
    """(time, code, weight) of the best of what is given and the ways through segments, bits u64."""
    while segments != 0:
        segment = np.int64(lowest_bit(segments))
        segments &= segments - np.uint64(1)
        t, w = _through_segment(child, segment, kind, metric, lie, work)
        if t < best or (t == best < np.inf and segment + SEGMENT_CODE < best_code):
            best, best_code, best_weight = t, segment + SEGMENT_CODE, w
    return best, best_code, best_weight


@compiled()
def _best_way(child, kind, row, ways, lie, work):
    """(time, code, weight) of the best way to a cell from all that are known."""
    metric, unit_time = ways.metric[row], ways.unit_time[row]
    best, best_code = np.float32(np.inf), np.int64(UNBURNED)
    steps = np.uint64(ways.accepts[row, child])
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - np.uint64(1)
        if _sends(work.status[child + lie.offset[step]]):
            t = _by_step(child, step, kind, metric, unit_time, lie, work)
            if t < best or (t == best < np.inf and step < best_code):
                best, best_code = t, step
    return _or_by_segment(best, best_code, 0.0, child, ways.segments[row, child], kind, metric, lie,
                          work)


@compiled()
def _ways_by(step, child, kind, row, ways, lie, work):
    """(time, code, weight) of the better of what the cell has and the ways that its parent at
    `step` completes, which just became final.
    """
    metric, unit_time = ways.metric[row], ways.unit_time[row]
    best, best_code = work.time[child], np.int64(work.code[child])
    best_weight = np.float64(work.weight[child])
    if ways.accepts[row, child] & (np.uint32(1) << np.uint32(step)) != 0:
        t = _by_step(child, step, kind, metric, unit_time, lie, work)
        if t < best or (t == best < np.inf and step < best_code):
            best, best_code, best_weight = t, step, 0.0
    return _or_by_segment(best, best_code, best_weight, child,
                          ways.segments[row, child] & TOUCHING[step], kind, metric, lie, work)


@compiled()
def _queue_forgotten(forgotten, size, duration, row, ways, lie, work):
    """Queues the cells on the stack that are reached from known ones; returns the queue's size."""
    for k in range(forgotten):
        cell = np.int64(work.stack[k])
        kind = kind_of(cell, lie)
        if kind == CLOSED:
            continue
        t, code, weight = _best_way(cell, kind, row, ways, lie, work)
        if t <= duration and code != UNBURNED:
            work.time[cell], work.code[cell], work.weight[cell] = t, code, weight
            size = enqueue(cell, t, size, work.time, work.queue)
    return size


@compiled()
def _solve_again(size, known, duration, row, ways, lie, work):
    """Lets fire spread from the queue into the forgotten cells; returns where the cells that it
    reached end in `order`, behind the `known` ones.

    A cell that still stands may burn earlier than before: a later end of a segment can lead to a
    better point of it, see `way_kernel.segment_weight`. It is then forgotten too.
    """
    burned = known
    while size > 0:
        word = work.queue[0]
        drop_first(work.queue, size)
        size -= 1
        parent = cell_of(word)
        # An entry counts if the cell still has its time: forgetting may have taken it back.
        if work.status[parent] != UNSEEN or work.time[parent] != time_of(word):
            continue
        now = work.time[parent]
        work.order[burned] = parent
        burned += 1
        if kind_of(parent, lie) == NARROW:
            work.status[parent] = SILENT
            continue
        work.status[parent] = FINAL
        steps = np.uint64(ways.sends[row, parent])
        while steps != 0:
            step = np.int64(lowest_bit(steps))
            steps &= steps - np.uint64(1)
            child = parent - lie.offset[step]
            status = work.status[child]
            if status in (FINAL, SILENT) or work.time[child] <= now:
                continue
            kind = kind_of(child, lie)
            if kind == CLOSED:
                continue
            t, code, weight = _ways_by(step, child, kind, row, ways, lie, work)
            if t > duration or code == work.code[child]:
                continue
            if status == UNSEEN:
                sooner = t < work.time[child]
                work.time[child], work.code[child], work.weight[child] = t, code, weight
                if sooner:
                    size = enqueue(child, t, size, work.time, work.queue)
            else:
                forgotten = _forget_descendants(_forget(child, 0, work), lie.offset, work)
                size = _queue_forgotten(forgotten, size, duration, row, ways, lie, work)
    return burned


@compiled()
def _in_order(known, burned, work):
    """Makes one run in order of (time, cell) of `order`: of the first `known` those that stand, and
    of those that were reached anew; returns how many there are.
    """
    time, order, stack = work.time, work.order, work.stack
    kept = 0
    for k in range(known):
        if work.status[order[k]] >= _KEPT:
            order[kept] = order[k]
            kept += 1
    fresh = burned - known
    for k in range(fresh):
        stack[k] = order[known + k]
    place, new, old = kept + fresh - 1, fresh - 1, kept - 1
    while new >= 0:
        cell = stack[new]
        if old >= 0 and (time[order[old]] > time[cell]
                         or (time[order[old]] == time[cell] and order[old] > cell)):
            order[place] = order[old]
            old -= 1
        else:
            order[place] = cell
            new -= 1
        place -= 1
    return kept + fresh


@compiled()
def _take_out(fire, slot, thread, store):
    """Takes a shown fire's part out of its slot's sums."""
    if store.kept[fire]:
        for k in range(store.start[fire], store.start[fire] + store.size[fire]):
            cell = store.cell[k]
            store.burned[thread, slot, cell] -= 1
            store.downstream[thread, slot, cell] -= store.below[fire, cell]
        return
    for cell in range(store.code.shape[1]):
        if store.code[fire, cell] != UNBURNED:
            store.burned[thread, slot, cell] -= 1
            store.downstream[thread, slot, cell] -= store.below[fire, cell]


@compiled()
def _put_in(fire, slot, thread, burned, store, work):
    """Puts a shown fire's part into its slot's sums."""
    scale = store.scale[slot]
    for k in range(burned):
        cell = work.order[k]
        below = np.int32(np.rint(work.below[cell] * scale))
        store.below[fire, cell] = below
        store.burned[thread, slot, cell] += 1
        store.downstream[thread, slot, cell] += below


@compiled()
def _keep(fire, burned, store, work):
    """Keeps a fire where it has room, and cleans up (but for the codes, which stay)."""
    start = store.start[fire]
    if burned > store.room[fire]:
        start = -1
        store.start[fire] = -1
    store.size[fire] = burned
    store.kept[fire] = start >= 0
    for k in range(burned):
        cell = work.order[k]
        if start >= 0:
            store.cell[start + k] = cell
            store.time[start + k] = work.time[cell]
            store.weight[start + k] = work.weight[cell]
        work.time[cell] = np.inf
        work.status[cell] = UNSEEN


@compiled()
def _reburn(fire, thread, offset, width, ways, spots, rules, fires, overlays, new, store, scratch):
    work = of_thread(scratch, thread, store.code[fire])
    first, slot = fires.row[fire], fires.overlay[fire]
    stream = first // ways.steps if rules.breach.shape[0] > 0 else 0
    lie = Lie(overlays.state[slot], fires.source[fire], fires.key[fire],
              rules.breach[stream:stream + 1].reshape(-1), rules.leak, width, offset)
    shown = fire < store.below.shape[0]
    if shown:
        _take_out(fire, slot, thread, store)
    if store.kept[fire]:
        _recall(fire, store, lie, work)
        known, duration = store.size[fire], fires.duration[fire]
        forgotten = _forget_what_depends(new.cells[slot, :new.how_many[slot]], new, lie, work)
        size = _queue_forgotten(forgotten, 0, duration, first, ways, lie, work)
        burned = _solve_again(size, known, duration, first, ways, lie, work)
        burned = _in_order(known, burned, work)
    else:
        work.code[:] = UNBURNED
        burned = burn_one(fires.duration[fire], first, ways, spots, lie, work)
    if ways.heat.shape[0] > 0:
        classify(burned, first, ways, rules.class_limits, work)
    store.loss[fire] = loss_of(burned, overlays.value[slot], work)
    if shown:
        hand_down(burned, offset, work)
        _put_in(fire, slot, thread, burned, store, work)
    _keep(fire, burned, store, work)


@numba.njit(cache=True, parallel=True)
def reburn_many(which, width, ways, spots, rules, fires, overlays, new, store, scratch):
    """Burns the fires listed in `which` again, in parallel; fires that keep nothing burn anew."""
    offset = STEP_ROW * width + STEP_COL
    for i in numba.prange(which.shape[0]):
        _reburn(which[i], numba.get_thread_id(), offset, width, ways, spots, rules, fires, overlays,
                new, store, scratch)
