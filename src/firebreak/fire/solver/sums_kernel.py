"""Compiled sums of kept fires: losses, burned cells and downstream value as whole numbers.

A cell hands what is lost below it, itself included, to its parents; of two the second gets its
weight's share, rounded to a whole number, the first the rest. So every cell's number is a function
of the fire's tree alone, and it does not matter whether numbers are made anew or corrected: where
some cells changed, only they and their ancestors get others.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.solver.tables import UNSEEN
from firebreak.fire.travel.arc_kernel import FACET_A, FACET_B, row_at
from firebreak.fire.travel.intensity_kernel import intensity
from firebreak.fire.travel.simd import prefetch
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, SPOT, UNBURNED

_AHEAD = 6  # cells


@compiled(inline="always")
def class_of(cell, time, code, weight, first, arcs, limits):
    """Class of intensity in which a cell burned; 0 where intensity does not matter."""
    if arcs.heat.shape[0] == 0 or limits.shape[0] == 0:
        return 0
    here = intensity(arcs, row_at(arcs, first, time), cell, np.int64(code), np.float64(weight))
    return np.searchsorted(limits, here, side="right")


@compiled(inline="always")
def _prefetch_heat(cells, k, count, first, arcs, limits):
    """Prefetches what `class_of` reads of a cell some places ahead of the k-th."""
    if arcs.heat.shape[0] > 0 and limits.shape[0] > 0 and k + _AHEAD < count:
        prefetch(arcs.heat[first].reshape(-1), np.uint64(cells[k + _AHEAD]) * np.uint64(3))


@compiled()
def lost_now(burned, first, arcs, limits, value, work):
    """What the first `burned` cells of `order` lose together; value i64 [C, P]. Leaves their
    classes of intensity in `classes`.
    """
    lost = 0
    for k in range(burned):
        _prefetch_heat(work.order, k, burned, first, arcs, limits)
        cell = work.order[k]
        work.classes[cell] = class_of(cell, work.time[cell], work.code[cell], work.weight[cell],
                                      first, arcs, limits)
        lost += value[work.classes[cell], cell]
    return lost


@compiled()
def lost_before(first, arcs, limits, value, changes):
    """What the cells that changed lost together before."""
    lost = 0
    for k in range(changes.how_many[0]):
        _prefetch_heat(changes.cell, k, changes.how_many[0], first, arcs, limits)
        if changes.code[k] != UNBURNED:
            cell = changes.cell[k]
            lost += value[class_of(cell, changes.time[k], changes.code[k], changes.weight[k], first,
                                   arcs, limits), cell]
    return lost


@compiled()
def lost_anywhere(first, arcs, limits, value, work):
    """What all cells lose together."""
    lost = 0
    for cell in range(work.code.shape[0]):
        if work.code[cell] != UNBURNED:
            lost += value[class_of(cell, work.time[cell], work.code[cell], work.weight[cell], first,
                                   arcs, limits), cell]
    return lost


@compiled(inline="always")
def _second(weight, below):
    return np.int64(np.rint(np.float64(weight) * np.float64(below)))


@compiled()
def subtract_fire(fire, slot, thread, store):
    """Subtracts a plan fire from its slot's sums."""
    for k in range(store.size[fire]):
        cell = store.order[fire, k]
        store.burned[thread, slot, cell] -= 1
        store.downstream[thread, slot, cell] -= store.below[fire, cell]
        store.below[fire, cell] = 0


@compiled()
def add_fire(fire, slot, thread, burned, first, offset, arcs, limits, share, store, work):
    """Adds a plan fire, whose first `burned` cells are in its order, to its slot's sums."""
    below, order, code = store.below[fire], store.order[fire], work.code
    store.size[fire] = burned
    for k in range(burned):
        cell = order[k]
        below[cell] = share[class_of(cell, work.time[cell], code[cell], work.weight[cell], first,
                                     arcs, limits), cell]
    for k in range(burned - 1, -1, -1):
        cell, parents = order[k], np.int64(code[order[k]])
        mine = np.int64(below[cell])
        store.burned[thread, slot, cell] += 1
        store.downstream[thread, slot, cell] += mine
        if parents < FACET_CODE:
            below[cell + offset[parents]] += mine
        elif parents == SPOT:
            below[work.thrower[cell]] += mine
        elif parents != IGNITION:
            second = _second(work.weight[cell], mine)
            below[cell + offset[FACET_B[parents - FACET_CODE]]] += second
            below[cell + offset[FACET_A[parents - FACET_CODE]]] += mine - second


@compiled()
def close_ranks(fire, fresh, store, work):
    """Makes a plan fire's order: the cells that stand as they stood, then the `fresh` ones. No
    cell that stands has a parent that changed, so parents still come first. Returns their numbers.
    """
    order, stands = store.order[fire], 0
    for k in range(store.size[fire]):
        if work.status[order[k]] == UNSEEN:
            order[stands] = order[k]
            stands += 1
    for k in range(fresh):
        order[stands + k] = work.order[k]
    return stands


@compiled(inline="always")
def _give(parent, amount, below, more, work):
    """Adds to what a cell hands down; what a cell that stands gets is kept apart."""
    if work.status[parent] == UNSEEN:
        more[parent] += amount
    else:
        below[parent] += amount


@compiled()
def _subtract_old(fire, slot, thread, offset, store, changes, work):
    """Subtracts what cells handed down before they changed from those that stand."""
    below, more = store.below[fire], changes.more
    for k in range(changes.how_many[0]):
        cell, parents = changes.cell[k], np.int64(changes.code[k])
        if parents == UNBURNED:
            continue
        mine = np.int64(below[cell])
        store.burned[thread, slot, cell] -= 1
        store.downstream[thread, slot, cell] -= mine
        if parents < FACET_CODE:
            if work.status[cell + offset[parents]] == UNSEEN:
                more[cell + offset[parents]] -= mine
            continue
        second = _second(changes.weight[k], mine)
        cell_a = cell + offset[FACET_A[parents - FACET_CODE]]
        cell_b = cell + offset[FACET_B[parents - FACET_CODE]]
        if work.status[cell_b] == UNSEEN:
            more[cell_b] -= second
        if work.status[cell_a] == UNSEEN:
            more[cell_a] -= mine - second
    for k in range(changes.how_many[0]):
        below[changes.cell[k]] = 0


@compiled()
def _hand_down_fresh(fire, slot, thread, fresh, offset, share, store, changes, work):
    """Numbers of the cells that were reached anew, whose `classes` are known; what they hand to
    those that stand is kept apart.
    """
    below, more, order = store.below[fire], changes.more, work.order
    for k in range(fresh - 1, -1, -1):
        cell, parents = order[k], np.int64(work.code[order[k]])
        below[cell] += share[work.classes[cell], cell]
        mine = np.int64(below[cell])
        store.burned[thread, slot, cell] += 1
        store.downstream[thread, slot, cell] += mine
        if parents < FACET_CODE:
            _give(cell + offset[parents], mine, below, more, work)
        else:
            second = _second(work.weight[cell], mine)
            _give(cell + offset[FACET_B[parents - FACET_CODE]], second, below, more, work)
            _give(cell + offset[FACET_A[parents - FACET_CODE]], mine - second, below, more,
                  work)


@compiled()
def _hand_down_more(fire, slot, thread, stands, offset, store, changes, work):
    """Hands what cells that stand got more on to their ancestors."""
    below, more, order = store.below[fire], changes.more, store.order[fire]
    for k in range(stands - 1, -1, -1):
        cell = order[k]
        extra = np.int64(more[cell])
        if extra == 0:
            continue
        more[cell] = 0
        mine = np.int64(below[cell])
        below[cell] = mine + extra
        store.downstream[thread, slot, cell] += extra
        parents = np.int64(work.code[cell])
        if parents < FACET_CODE:
            more[cell + offset[parents]] += extra
        elif parents != IGNITION:
            weight = work.weight[cell]
            second = _second(weight, mine + extra) - _second(weight, mine)
            more[cell + offset[FACET_B[parents - FACET_CODE]]] += second
            more[cell + offset[FACET_A[parents - FACET_CODE]]] += extra - second


@compiled()
def correct(fire, slot, thread, fresh, offset, share, store, changes, work):
    """Corrects a plan fire's part of its slot's sums by what has changed in it, after `lost_now`.
    """
    for k in range(changes.how_many[0]):
        prefetch(store.below[fire], np.uint64(changes.cell[k]))
    stands = close_ranks(fire, fresh, store, work)
    _subtract_old(fire, slot, thread, offset, store, changes, work)
    _hand_down_fresh(fire, slot, thread, fresh, offset, share, store, changes, work)
    _hand_down_more(fire, slot, thread, stands, offset, store, changes, work)
    store.size[fire] = stands + fresh
