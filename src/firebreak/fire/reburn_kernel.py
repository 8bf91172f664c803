"""Compiled re-burning: what a change of breaks changes in a fire, and nothing else.

Fires keep what `resolve_kernel` takes: the cells they burned in the order of time, with time and
weight, in one arena with room for a fixed number of cells, and the codes of all cells. A fire that
has no room burns anew. Sums over fires are whole numbers, so taking a fire's part out and putting
the new one in leaves no trace of rounding.
"""

import numba
import numpy as np

from firebreak.fire.burn_kernel import classify, hand_down, loss_of
from firebreak.fire.compiled import compiled
from firebreak.fire.fire_tables import UNSEEN, Changes
from firebreak.fire.front_kernel import burn_one, of_thread
from firebreak.fire.resolve_kernel import KEPT, KEPT_SILENT, change, solve_again, standing
from firebreak.fire.ring import UNBURNED
from firebreak.fire.way_kernel import STEP_COL, STEP_ROW, Lie


@compiled()
def recall(fire, store, lie, work):
    """Puts a kept fire into the workspace."""
    start = store.start[fire]
    for k in range(store.size[fire]):
        cell = store.cell[start + k]
        work.order[k] = cell
        work.time[cell] = store.time[start + k]
        work.weight[cell] = store.weight[start + k]
        work.status[cell] = standing(cell, lie)


@compiled()
def _in_order(known, burned, work):
    """Makes one run in order of (time, cell) of `order`: of the first `known` those that stand, and
    of those that were reached anew; returns how many there are.
    """
    time, order, stack = work.time, work.order, work.stack
    kept = 0
    for k in range(known):
        if work.status[order[k]] in (KEPT, KEPT_SILENT):
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
def _forget_changes(changed, work):
    """Cells that do not burn any more are like those that never did."""
    for k in range(changed.how_many[0]):
        cell = changed.cell[k]
        if work.code[cell] == UNBURNED:
            work.status[cell] = UNSEEN
    changed.how_many[0] = 0


@compiled()
def _reburn(fire, thread, offset, width, ways, spots, rules, fires, overlays, new, crossing,
            changes, store, scratch):
    work = of_thread(scratch, thread, store.code[fire])
    changed = Changes(changes.cell[thread], changes.how_many[thread])
    first, slot = fires.row[fire], fires.overlay[fire]
    stream = first // ways.steps if rules.breach.shape[0] > 0 else 0
    lie = Lie(overlays.state[slot], fires.source[fire], fires.key[fire],
              rules.breach[stream:stream + 1].reshape(-1), rules.leak, width, offset)
    shown = fire < store.below.shape[0]
    if shown:
        _take_out(fire, slot, thread, store)
    if store.kept[fire]:
        recall(fire, store, lie, work)
        known, duration = store.size[fire], fires.duration[fire]
        size = change(new.cells[slot, :new.how_many[slot]], duration, crossing, first, ways, lie,
                      changed, work)
        burned = solve_again(size, known, duration, first, ways, lie, changed, work)
        burned = _in_order(known, burned, work)
        _forget_changes(changed, work)
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
def reburn_many(which, width, ways, spots, rules, fires, overlays, new, crossing, changes, store,
                scratch):
    """Burns the fires listed in `which` again, in parallel; fires that keep nothing burn anew."""
    offset = STEP_ROW * width + STEP_COL
    for i in numba.prange(which.shape[0]):
        _reburn(which[i], numba.get_thread_id(), offset, width, ways, spots, rules, fires, overlays,
                new, crossing, changes, store, scratch)
