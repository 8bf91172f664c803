"""Compiled invalidation: the cells of a fire that lose the arc by which fire came to them."""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.travel.arc_kernel import FACET_A, NARROW_BREAK, TOUCHING
from firebreak.fire.travel.heap_kernel import lowest_bit
from firebreak.fire.travel.simd import STEP_OF_LANE
from firebreak.fire.travel.simd_front import children_around
from firebreak.fire.travel.stencil import FACET_CODE, STEPS, UNBURNED

_STEP = STEP_OF_LANE

INVALIDATED = 3  # status of a cell to be repaired, or reached for the first time; a cell that
# stands as before is UNSEEN, whether it burned or not


@compiled(inline="always")
def note(cell, changes, work):
    """Lists a cell that is about to change for the first time, as it was."""
    if work.status[cell] != INVALIDATED:
        k = changes.how_many[0]
        changes.cell[k], changes.time[k] = cell, work.time[cell]
        changes.code[k], changes.weight[k] = work.code[cell], work.weight[cell]
        changes.how_many[0] = k + 1
        work.status[cell] = INVALIDATED


@compiled(inline="always")
def invalidate(cell, invalidated, changes, work):
    """Invalidates how fire came to a cell, and stacks it; returns how many stand there then.

    When it came is left to `_forget_times`: to wait for it here, cell by cell, takes longer. But a
    cell that was invalidated before, and reached anew since, is noted already.
    """
    if work.status[cell] != INVALIDATED:
        k = changes.how_many[0]
        changes.cell[k], changes.code[k] = cell, work.code[cell]
        changes.how_many[0] = k + 1
        work.status[cell] = INVALIDATED
    else:
        work.time[cell] = np.inf
    work.code[cell] = UNBURNED
    work.stack[invalidated] = cell
    return invalidated + 1


@compiled(inline="always")
def _invalidate_times(first, changes, work):
    """Does what `invalidate` leaves to do, for the changes from `first` on."""
    for k in range(first, changes.how_many[0]):
        cell = changes.cell[k]
        changes.time[k], changes.weight[k] = work.time[cell], work.weight[cell]
        work.time[cell] = np.inf


@compiled(inline="always")
def _comes_by(code, step):
    """Is the cell at `step` a parent of a cell of this code?"""
    if code < FACET_CODE:
        return code == step
    if code >= FACET_CODE + FACET_A.shape[0]:
        return False
    return TOUCHING[step] & (np.uint64(1) << np.uint64(code - FACET_CODE)) != 0


@compiled(inline="always")
def _invalidate_children(parent, invalidated, sends_far, width, offset, changes, work):
    near = children_around(work.code, np.uint64(parent), np.uint64(width))
    while near != 0:
        lane = lowest_bit(near)
        near &= near - np.uint64(1)
        invalidated = invalidate(parent - offset[_STEP[lane]], invalidated, changes, work)
    steps = np.uint64(sends_far[parent])
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - np.uint64(1)
        child = parent - offset[step]
        if _comes_by(np.int64(work.code[child]), step):
            invalidated = invalidate(child, invalidated, changes, work)
    return invalidated


@compiled()
def invalidate_descendants(invalidated, noted, sends_far, width, offset, changes, work):
    """Invalidates all that depends on the cells on the stack, which are among the changes from
    `noted` on; returns how many stand there then.
    """
    done = 0
    while done < invalidated:
        invalidated = _invalidate_children(np.int64(work.stack[done]), invalidated, sends_far,
                                           width,
                                           offset, changes, work)
        done += 1
    _invalidate_times(noted, changes, work)
    return invalidated


@compiled()
def has_children(parent, offset, work):
    """Did fire come to any cell through this one?"""
    found = False
    for step in range(STEPS):
        found |= _comes_by(np.int64(work.code[parent - offset[step]]), step)
    return found


@compiled(inline="always")
def crosses(code, k, crossing):
    """Does an arc of this code into the k-th of the children around a break cross it?"""
    if code < FACET_CODE:
        return crossing.steps[k] & (np.uint32(1) << np.uint32(code)) != 0
    if code >= FACET_CODE + FACET_A.shape[0]:
        return False
    return crossing.facets[k] & (np.uint64(1) << np.uint64(code - FACET_CODE)) != 0


@compiled()
def invalidate_closed(cell, kind, invalidated, crossing, sends_far, view, changes, work):
    """Invalidates what is reached through a break, CLOSED or NARROW_BREAK, and by arcs that it
    closes.
    """
    if work.code[cell] != UNBURNED:
        if kind == NARROW_BREAK:
            invalidated = _invalidate_children(cell, invalidated, sends_far, view.width,
                                               view.offset,
                                               changes, work)
        else:
            invalidated = invalidate(cell, invalidated, changes, work)
    for k in range(crossing.child.shape[0]):
        child = cell + crossing.child[k]
        if crosses(np.int64(work.code[child]), k, crossing):
            invalidated = invalidate(child, invalidated, changes, work)
    return invalidated
