"""Compiled forgetting: the cells of a fire that lose the way by which fire came to them."""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.front_lanes_kernel import children_around
from firebreak.fire.lanes_kernel import STEP_OF_LANE
from firebreak.fire.queue_kernel import lowest_bit
from firebreak.fire.ring import SEGMENT_CODE, STEPS, UNBURNED
from firebreak.fire.way_kernel import NARROW, SEGMENT_A, TOUCHING

_STEP = STEP_OF_LANE

FORGOTTEN = 3  # status of a cell to be solved again, or reached for the first time; a cell that
# stands as before is UNSEEN, whether it burned or not


@compiled(inline="always")
def note(cell, changes, work):
    """Lists a cell that is about to change for the first time, as it was."""
    if work.status[cell] != FORGOTTEN:
        k = changes.how_many[0]
        changes.cell[k], changes.time[k] = cell, work.time[cell]
        changes.code[k], changes.weight[k] = work.code[cell], work.weight[cell]
        changes.how_many[0] = k + 1
        work.status[cell] = FORGOTTEN


@compiled(inline="always")
def forget(cell, forgotten, changes, work):
    """Forgets how fire came to a cell, and stacks it; returns how many stand there then.

    When it came is left to `_forget_times`: to wait for it here, cell by cell, takes longer. But a
    cell that was forgotten before, and reached anew since, is noted already.
    """
    if work.status[cell] != FORGOTTEN:
        k = changes.how_many[0]
        changes.cell[k], changes.code[k] = cell, work.code[cell]
        changes.how_many[0] = k + 1
        work.status[cell] = FORGOTTEN
    else:
        work.time[cell] = np.inf
    work.code[cell] = UNBURNED
    work.stack[forgotten] = cell
    return forgotten + 1


@compiled(inline="always")
def _forget_times(first, changes, work):
    """Does what `forget` leaves to do, for the changes from `first` on."""
    for k in range(first, changes.how_many[0]):
        cell = changes.cell[k]
        changes.time[k], changes.weight[k] = work.time[cell], work.weight[cell]
        work.time[cell] = np.inf


@compiled(inline="always")
def _comes_by(code, step):
    """Is the cell at `step` a parent of a cell of this code?"""
    if code < SEGMENT_CODE:
        return code == step
    if code >= SEGMENT_CODE + SEGMENT_A.shape[0]:
        return False
    return TOUCHING[step] & (np.uint64(1) << np.uint64(code - SEGMENT_CODE)) != 0


@compiled(inline="always")
def _forget_children(parent, forgotten, sends_far, width, offset, changes, work):
    near = children_around(work.code, np.uint64(parent), np.uint64(width))
    while near != 0:
        lane = lowest_bit(near)
        near &= near - np.uint64(1)
        forgotten = forget(parent - offset[_STEP[lane]], forgotten, changes, work)
    steps = np.uint64(sends_far[parent])
    while steps != 0:
        step = np.int64(lowest_bit(steps))
        steps &= steps - np.uint64(1)
        child = parent - offset[step]
        if _comes_by(np.int64(work.code[child]), step):
            forgotten = forget(child, forgotten, changes, work)
    return forgotten


@compiled()
def forget_descendants(forgotten, noted, sends_far, width, offset, changes, work):
    """Forgets all that depends on the cells on the stack, which are among the changes from `noted`
    on; returns how many stand there then.
    """
    done = 0
    while done < forgotten:
        forgotten = _forget_children(np.int64(work.stack[done]), forgotten, sends_far, width,
                                     offset, changes, work)
        done += 1
    _forget_times(noted, changes, work)
    return forgotten


@compiled()
def has_children(parent, offset, work):
    """Did fire come to any cell through this one?"""
    found = False
    for step in range(STEPS):
        found |= _comes_by(np.int64(work.code[parent - offset[step]]), step)
    return found


@compiled(inline="always")
def crosses(code, k, crossing):
    """Does a way of this code into the k-th of the children around a break cross it?"""
    if code < SEGMENT_CODE:
        return crossing.steps[k] & (np.uint32(1) << np.uint32(code)) != 0
    if code >= SEGMENT_CODE + SEGMENT_A.shape[0]:
        return False
    return crossing.segments[k] & (np.uint64(1) << np.uint64(code - SEGMENT_CODE)) != 0


@compiled()
def forget_closed(cell, kind, forgotten, crossing, sends_far, lie, changes, work):
    """Forgets what is reached through a break, CLOSED or NARROW, and by ways that it closes."""
    if work.code[cell] != UNBURNED:
        if kind == NARROW:
            forgotten = _forget_children(cell, forgotten, sends_far, lie.width, lie.offset,
                                         changes, work)
        else:
            forgotten = forget(cell, forgotten, changes, work)
    for k in range(crossing.child.shape[0]):
        child = cell + crossing.child[k]
        if crosses(np.int64(work.code[child]), k, crossing):
            forgotten = forget(child, forgotten, changes, work)
    return forgotten
