"""Compiled what-ifs: what each of many breaks alone would save of each fire, nothing kept of them.

Each break that a kept fire depends on is tried in turn on the fire's own arrays: what depends on it
is invalidated and repaired as in `repair_kernel`, what was lost before and after is counted over
the cells that this changed, and they are put back. There is nothing to hand down
and no order to restore. Losses are whole numbers, so that sums over fires have no rounding.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from firebreak.compiled import compiled, compiled_arrays
from firebreak.fire.incremental.affected_kernel import depends
from firebreak.fire.incremental.propagate_kernel import propagate
from firebreak.fire.incremental.reburn_kernel import changes_of_thread, in_place
from firebreak.fire.incremental.repair_kernel import change, rollback
from firebreak.fire.solver.front_kernel import arcs_under, view_of
from firebreak.fire.solver.sums_kernel import class_of, lost_before, lost_now
from firebreak.fire.solver.tables import Crossing
from firebreak.fire.travel.arc_kernel import NEAR, OPEN, STEP_COL, STEP_ROW
from firebreak.fire.travel.stencil import FACET_CODE, FACETS, REACH, UNBURNED

NOT_TRIED = np.iinfo(np.int64).min
"""In place of what a break saves that a fire does not depend on."""


class Candidates(NamedTuple):
    """Breaks to try in one slot, n of them in padded cells.

    row: i32 [P], their number where there is one, else -1; empty for lines. slot: theirs. kind:
    what they become, see `arc_kernel`. left: i64 [C, P], what burning costs in a break that is
    narrower than its cell, or no rows.
    """

    row: NDArray[np.int32]
    slot: int
    kind: int
    left: NDArray[np.int64]


class Crossed(NamedTuple):
    """Cells that each arc crosses: cell i64 [88, K], offset from the child; how_many i64 [88]."""

    cell: NDArray[np.int64]
    how_many: NDArray[np.int64]


def in_units(value: NDArray[np.float32], unit: float) -> NDArray[np.int64]:
    """Losses as whole numbers, `unit` of them in a loss of 1."""
    return np.rint(value.astype(np.float64) * unit).astype(np.int64)


def crossed_of(crossing: Crossing) -> Crossed:
    """The same pairs by arc."""
    masks = [*((crossing.steps >> np.uint32(code)) & 1 for code in range(FACET_CODE)),
             *((crossing.facets >> np.uint64(code)) & np.uint64(1) for code in range(FACETS))]
    own = [-crossing.child[mask != 0] for mask in masks]
    cell = np.zeros((len(own), max(cells.size for cells in own)), np.int64)
    for code, cells in enumerate(own):
        cell[code, :cells.size] = cells
    return Crossed(cell, np.array([cells.size for cells in own], np.int64))


@compiled()
def _set_state(cells, kind, like, view):
    """The overlay's codes with breaks of this kind in cells, whose surroundings are `like` else;
    as it was before if the kind is OPEN.
    """
    for cell in cells:
        for down in range(-REACH, REACH + 1):
            for right in range(-REACH, REACH + 1):
                near = cell + down * view.width + right
                code = like[near]
                view.state[near] = NEAR if kind != OPEN and code == OPEN else code
    if kind != OPEN:
        for cell in cells:
            view.state[cell] = kind


@compiled()
def _try(cells, duration, row, candidates, value, like, crossing, limits, arcs, view, changed, work,
         beyond):
    """What breaks in cells, i64 [M], save together; all is as before then."""
    _set_state(cells, candidates.kind, like, view)
    size = change(cells, duration, crossing, row, arcs, view, changed, work)
    fresh = propagate(size, duration, row, arcs, view, changed, work)
    saved = (lost_before(row, arcs, limits, value, changed)
             - lost_now(fresh, row, arcs, limits, value, work))
    for place in cells:
        if candidates.left.shape[0] > 0 and work.code[place] != UNBURNED:
            k = class_of(place, work.time[place], work.code[place], work.weight[place], row, arcs,
                         limits)
            saved += value[k, place] - candidates.left[k, place]
    for k in range(changed.how_many[0]):
        if changed.code[k] == UNBURNED and work.code[changed.cell[k]] != UNBURNED:
            beyond[0] = 1
    _set_state(cells, OPEN, like, view)
    rollback(changed, work)
    return saved


@compiled()
def _try_burned(burned, duration, row, candidates, value, like, crossing, limits, arcs, view,
                changed, work, place, out, beyond):
    """Tries the breaks in cells that burned, listed in `burned` i32 [.]."""
    for k in range(burned.shape[0]):
        place[0] = burned[k]
        number = candidates.row[place[0]]
        if number >= 0:
            out[number] = _try(place, duration, row, candidates, value, like, crossing, limits,
                               arcs, view, changed, work, beyond)


@compiled()
def _try_crossed(burned, duration, row, candidates, value, like, crossing, crossed, limits, arcs,
                 view, changed, work, place, out, beyond):
    """Tries the breaks in cells that did not burn but are crossed by arcs that fire took."""
    for k in range(burned.shape[0]):
        child = np.int64(burned[k])
        code = np.int64(work.code[child])
        if code >= FACET_CODE + FACETS:
            continue
        for c in range(crossed.how_many[code]):
            place[0] = child + crossed.cell[code, c]
            number = candidates.row[place[0]]
            if number >= 0 and out[number] == NOT_TRIED:
                out[number] = _try(place, duration, row, candidates, value, like, crossing, limits,
                                   arcs, view, changed, work, beyond)


@compiled(inline="always")
def _begun(fire, thread, offset, width, every, rules, fires, like, changes, state, store, scratch):
    """A kept fire's own arrays, what it runs on, what lies on that, and room for what a try
    changes.
    """
    for k in range(like.shape[0]):
        state[k] = like[k]
    return (in_place(fire, thread, store, scratch), arcs_under(fire, every, rules, fires),
            view_of(fire, state, offset, width, rules, fires), changes_of_thread(changes, thread))


@compiled()
def _try_all(fire, thread, offset, width, candidates, every, rules, fires, like, value, crossing,
             crossed, changes, state, store, scratch, place, out, beyond):
    for k in range(out.shape[0]):
        out[k] = NOT_TRIED
    beyond[0] = 0
    work, arcs, view, changed = _begun(fire, thread, offset, width, every, rules, fires, like,
                                       changes, state, store, scratch)
    burned = store.order[fire, :store.size[fire]]
    _try_burned(burned, fires.duration[fire], fires.row[fire], candidates, value, like, crossing,
                rules.class_limits, arcs, view, changed, work, place, out, beyond)
    _try_crossed(burned, fires.duration[fire], fires.row[fire], candidates, value, like, crossing,
                 crossed, rules.class_limits, arcs, view, changed, work, place, out, beyond)
    for k in range(out.shape[0]):
        if out[k] == NOT_TRIED:
            out[k] = 0


@compiled_arrays(parallel=True)
def try_breaks(which, width, candidates, arcs, rules, fires, overlays, values, crossing, crossed,
               changes, states, store, scratch, out, beyond):
    """Tries each candidate on each of the kept plan fires listed in `which`, in parallel.

    What it saves goes into out i64 [len(which), n]; beyond u8 [len(which)]: with some break the
    fire burns a cell that it does not burn without. states: u8 [T, P], room for overlays.
    """
    offset = STEP_ROW * width + STEP_COL
    places = np.zeros((states.shape[0], 8), np.int64)
    like, value = overlays.state[candidates.slot], values.value_by_class[candidates.slot]
    for i in numba.prange(which.shape[0]):
        thread = numba.get_thread_id()
        _try_all(which[i], thread, offset, width, candidates, arcs, rules, fires, like, value,
                 crossing, crossed, changes, states[thread], store, scratch, places[thread, :1],
                 out[i], beyond[i:i + 1])


@compiled()
def _try_lines(fire, thread, offset, width, cells, first, candidates, every, rules, fires, like,
               value, crossing, changes, state, store, scratch, out, beyond):
    work, arcs, view, changed = _begun(fire, thread, offset, width, every, rules, fires, like,
                                       changes, state, store, scratch)
    for line in range(out.shape[0]):
        own = cells[first[line]:first[line + 1]]
        out[line] = NOT_TRIED
        for cell in own:
            if depends(fire, cell, store.code, crossing):
                out[line] = _try(own, fires.duration[fire], fires.row[fire], candidates, value,
                                 like, crossing, rules.class_limits, arcs, view, changed, work,
                                 beyond)
                break


@compiled_arrays(parallel=True)
def try_lines(which, width, cells, first, candidates, arcs, rules, fires, overlays, values,
              crossing, changes, states, store, scratch, out):
    """Tries lines of breaks on each of the kept plan fires listed in `which`, in parallel.

    cells: padded, i64 [T], those of line k from first[k] to first[k + 1], i64 [n + 1]. What it
    saves goes into out i64 [len(which), n], NOT_TRIED where the fire does not depend on the line.
    """
    offset = STEP_ROW * width + STEP_COL
    beyond = np.zeros((states.shape[0], 1), np.uint8)
    like, value = overlays.state[candidates.slot], values.value_by_class[candidates.slot]
    for i in numba.prange(which.shape[0]):
        thread = numba.get_thread_id()
        _try_lines(which[i], thread, offset, width, cells, first, candidates, arcs, rules, fires,
                   like, value, crossing, changes, states[thread], store, scratch, out[i],
                   beyond[thread])
