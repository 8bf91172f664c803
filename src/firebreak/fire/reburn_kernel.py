"""Compiled re-burning: what a change of breaks changes in a fire, and nothing else.

Fires keep what `resolve_kernel` takes: time, weight and code of every cell. The work on a fire is
done on them in place, and its cost follows the cells that change: what they lose and hand down is
corrected in the sums (`sums_kernel`).
"""

import numba
import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.fire_tables import UNSEEN, Changes, Workspace
from firebreak.fire.front_kernel import burn_one, lie_of
from firebreak.fire.resolve_kernel import change, settle
from firebreak.fire.ring import UNBURNED
from firebreak.fire.solve_kernel import solve_again
from firebreak.fire.sums_kernel import (
    close_ranks,
    correct,
    lost_anywhere,
    lost_before,
    lost_now,
    put_in,
    take_out,
)
from firebreak.fire.way_kernel import STEP_COL, STEP_ROW


@compiled()
def in_place(fire, thread, store, scratch):
    """A workspace on a kept fire's own arrays."""
    return Workspace(store.time[fire], store.code[fire], store.weight[fire], scratch.status[thread],
                     scratch.order[thread], scratch.below[thread], scratch.classes[thread],
                     scratch.thrower[thread], scratch.stack[thread], scratch.queue[thread],
                     scratch.entry[thread], scratch.booked[thread],
                     scratch.busy[thread], scratch.today[thread], scratch.found[thread],
                     scratch.tried[thread], scratch.late[thread], scratch.share[thread],
                     scratch.ends[thread], scratch.near_weight[thread])


@compiled()
def changes_of_thread(changes, thread):
    """A thread's part of the memory for changes."""
    return Changes(changes.cell[thread], changes.time[thread], changes.weight[thread],
                   changes.code[thread], changes.how_many[thread], changes.more[thread])


@compiled()
def _burn_on(fire, slot, thread, ways, rules, fires, new, crossing, values, lie, changed,
             store, work):
    """Solves a kept fire again where breaks came or went."""
    first, limits, duration = fires.row[fire], rules.class_limits, fires.duration[fire]
    worth, share = values.worth[slot], values.share[slot]
    shown = fire < store.below.shape[0]
    size = change(new.cells[slot, :new.how_many[slot]], duration, crossing, first, ways, lie,
                  changed, work)
    fresh = solve_again(size, duration, first, ways, lie, changed, work)
    if new.revalued[slot]:
        store.lost[fire] = lost_anywhere(first, ways, limits, worth, work)
        if shown:
            take_out(fire, slot, thread, store)
            stands = close_ranks(fire, fresh, store, work)
            put_in(fire, slot, thread, stands + fresh, first, lie.offset, ways, limits, share,
                   store, work)
    else:
        store.lost[fire] += (lost_now(fresh, first, ways, limits, worth, work)
                             - lost_before(first, ways, limits, worth, changed))
        if shown:
            correct(fire, slot, thread, fresh, lie.offset, share, store, changed, work)
    settle(changed, work)


@compiled()
def _burn_anew(fire, slot, thread, ways, spots, rules, fires, values, lie, store, work):
    first, limits = fires.row[fire], rules.class_limits
    shown = fire < store.below.shape[0]
    if shown:
        take_out(fire, slot, thread, store)
    for cell in range(work.code.shape[0]):
        work.time[cell] = np.inf
        work.code[cell] = UNBURNED
    burned = burn_one(fires.duration[fire], first, ways, spots, lie, work)
    store.lost[fire] = lost_now(burned, first, ways, limits, values.worth[slot], work)
    for k in range(burned):
        work.status[work.order[k]] = UNSEEN
    if shown:
        for k in range(burned):
            store.order[fire, k] = work.order[k]
        put_in(fire, slot, thread, burned, first, lie.offset, ways, limits, values.share[slot],
               store, work)


@compiled()
def _reburn(fire, thread, offset, width, ways, spots, rules, fires, overlays, new, crossing, values,
            changes, store, scratch):
    slot = fires.overlay[fire]
    work = in_place(fire, thread, store, scratch)
    lie = lie_of(fire, overlays.state[slot], offset, width, ways, rules, fires)
    if store.kept[fire]:
        _burn_on(fire, slot, thread, ways, rules, fires, new, crossing, values, lie,
                 changes_of_thread(changes, thread), store, work)
    else:
        _burn_anew(fire, slot, thread, ways, spots, rules, fires, values, lie, store, work)
        store.kept[fire] = ways.steps == 1 and spots.cells.shape[1] == 0
    store.loss[fire] = np.float64(store.lost[fire]) / values.unit[slot]


@numba.njit(cache=True, parallel=True)
def reburn_many(which, width, ways, spots, rules, fires, overlays, new, crossing, values, changes,
                store, scratch):
    """Burns the fires listed in `which` again, in parallel; fires that keep nothing burn anew."""
    offset = STEP_ROW * width + STEP_COL
    for i in numba.prange(which.shape[0]):
        _reburn(which[i], numba.get_thread_id(), offset, width, ways, spots, rules, fires, overlays,
                new, crossing, values, changes, store, scratch)
