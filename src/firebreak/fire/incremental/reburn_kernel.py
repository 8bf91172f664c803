"""Compiled re-burning: what a change of breaks changes in a fire, and nothing else.

Fires keep what `repair_kernel` takes: time, weight and code of every cell. The work on a fire is
done on them in place, and its cost follows the cells that change: what they lose and hand down is
corrected in the sums (`sums_kernel`).
"""

import numba
import numpy as np

from firebreak.compiled import compiled, compiled_arrays
from firebreak.fire.incremental.propagate_kernel import propagate
from firebreak.fire.incremental.repair_kernel import change, commit
from firebreak.fire.solver.crews_kernel import stopped_cell
from firebreak.fire.solver.front_kernel import (
    arcs_under,
    burn_one,
    crews_of,
    view_of,
    workspace_on,
)
from firebreak.fire.solver.sums_kernel import (
    add_fire,
    close_ranks,
    correct,
    lost_anywhere,
    lost_before,
    lost_now,
    subtract_fire,
)
from firebreak.fire.solver.tables import UNSEEN, Changes
from firebreak.fire.travel.arc_kernel import STEP_COL, STEP_ROW
from firebreak.fire.travel.stencil import UNBURNED


@compiled()
def in_place(fire, thread, store, scratch):
    """A workspace on a kept fire's own arrays."""
    return workspace_on(store.time[fire], store.code[fire], store.weight[fire], thread, scratch)


@compiled()
def changes_of_thread(changes, thread):
    """A thread's part of the memory for changes."""
    return Changes(changes.cell[thread], changes.time[thread], changes.weight[thread],
                   changes.code[thread], changes.how_many[thread], changes.more[thread])


@compiled()
def _burn_on(fire, slot, thread, arcs, rules, fires, new, crossing, values, view, changed,
             store, work):
    """Solves a kept fire again where breaks came or went."""
    first, limits, duration = fires.row[fire], rules.class_limits, fires.duration[fire]
    value, share = values.value_by_class[slot], values.share[slot]
    n_plan_fires = fire < store.below.shape[0]
    size = change(new.cells[slot, :new.how_many[slot]], duration, crossing, first, arcs, view,
                  changed, work)
    fresh = propagate(size, duration, first, arcs, view, changed, work)
    if new.revalued[slot]:
        store.lost[fire] = lost_anywhere(first, arcs, limits, value, work)
        if n_plan_fires:
            subtract_fire(fire, slot, thread, store)
            stands = close_ranks(fire, fresh, store, work)
            add_fire(fire, slot, thread, stands + fresh, first, view.offset, arcs, limits, share,
                     store, work)
    else:
        store.lost[fire] += (lost_now(fresh, first, arcs, limits, value, work)
                             - lost_before(first, arcs, limits, value, changed))
        if n_plan_fires:
            correct(fire, slot, thread, fresh, view.offset, share, store, changed, work)
    commit(changed, work)


@compiled()
def _burn_anew(fire, slot, thread, arcs, spots, rules, fires, values, view, crews, store, work):
    first, limits = fires.row[fire], rules.class_limits
    n_plan_fires = fire < store.below.shape[0]
    if n_plan_fires:
        subtract_fire(fire, slot, thread, store)
    for cell in range(work.code.shape[0]):
        work.time[cell] = np.inf
        work.code[cell] = UNBURNED
    burned = burn_one(fires.duration[fire], first, arcs, spots, view, crews, work)
    store.lost[fire] = lost_now(burned, first, arcs, limits, values.value_by_class[slot], work)
    for k in range(burned):
        work.status[work.order[k]] = UNSEEN
    for k in range(work.stopped[0]):  # their times and codes stay: fire was there
        work.status[stopped_cell(k, work)] = UNSEEN
    work.stopped[0] = 0
    if n_plan_fires:
        for k in range(burned):
            store.order[fire, k] = work.order[k]
        add_fire(fire, slot, thread, burned, first, view.offset, arcs, limits, values.share[slot],
                 store, work)


@compiled()
def _reburn(fire, thread, offset, width, every, spots, rules, fires, overlays, new, crossing,
            values, changes, store, scratch):
    slot = fires.overlay[fire]
    work = in_place(fire, thread, store, scratch)
    arcs = arcs_under(fire, every, rules, fires)
    view = view_of(fire, overlays.state[slot], offset, width, rules, fires)
    if store.kept[fire]:
        _burn_on(fire, slot, thread, arcs, rules, fires, new, crossing, values, view,
                 changes_of_thread(changes, thread), store, work)
    else:
        crews = crews_of(fire, rules, fires)
        _burn_anew(fire, slot, thread, arcs, spots, rules, fires, values, view, crews, store, work)
        store.kept[fire] = (spots.cells.shape[1] == 0 and not view.manned
                            and crews.rule.attack_min == np.inf)
    store.loss[fire] = np.float64(store.lost[fire]) / values.unit[slot]


@compiled_arrays(parallel=True)
def reburn_many(which, width, arcs, spots, rules, fires, overlays, new, crossing, values, changes,
                store, scratch):
    """Burns the fires listed in `which` again, in parallel; fires that keep nothing burn anew."""
    offset = STEP_ROW * width + STEP_COL
    for i in numba.prange(which.shape[0]):
        _reburn(which[i], numba.get_thread_id(), offset, width, arcs, spots, rules, fires, overlays,
                new, crossing, values, changes, store, scratch)
