"""Compiled traversals of the trees of fires: paths and flows.

A tree is the row of parent codes (see `fire.travel.stencil`) that the engine keeps of a fire: every
burned cell came from one cell, or from between two. A cell that an ember lit has no recorded
parent; it counts as reached from the ignition whatever is broken in between.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire import FACET_A, FACET_B, FACET_CODE, HELD, SPOT, UNBURNED


@compiled()
def parent_steps(own):
    """The steps from a cell of code `own` to its two parents; -1 where there is none."""
    if own < FACET_CODE:
        return own, np.int64(-1)
    if own >= SPOT:
        return np.int64(-1), np.int64(-1)
    segment = own - FACET_CODE
    return np.int64(FACET_A[segment]), np.int64(FACET_B[segment])


@compiled()
def parents(code, cell, offset):
    """The two cells that `cell` was reached from; -1 where there is none."""
    first, second = parent_steps(np.int64(code[cell]))
    return (cell + offset[first] if first >= 0 else np.int64(-1),
            cell + offset[second] if second >= 0 else np.int64(-1))


@compiled()
def order_of(code, offset, order, stack, seen):
    """Burned cells of one fire into order i32 [P], parents before children; how many.

    code u8 [P]; stack i32 [P]; seen u8 [P], zeros before and after.
    """
    count = 0
    for start in range(code.shape[0]):
        if code[start] == UNBURNED or code[start] == HELD or seen[start] != 0:
            continue
        depth = 1
        stack[0] = start
        while depth > 0:
            cell = np.int64(stack[depth - 1])
            first, second = parents(code, cell, offset)
            waits = first if first >= 0 and seen[first] == 0 else second
            if waits >= 0 and seen[waits] == 0:
                stack[depth] = waits
                depth += 1
                continue
            seen[cell] = 1
            order[count] = cell
            count += 1
            depth -= 1
    for k in range(count):
        seen[order[k]] = 0
    return count


@compiled()
def _hand_up(code, value, offset, order, count, below):
    """Value burned below each cell, itself included, into below f64 [P]; half to each parent."""
    for k in range(count):
        below[order[k]] = value[order[k]]
    for k in range(count - 1, -1, -1):
        cell = np.int64(order[k])
        first, second = parents(code, cell, offset)
        share = 0.5 if second >= 0 else 1.0
        if first >= 0:
            below[first] += share * below[cell]
        if second >= 0:
            below[second] += share * below[cell]


@compiled()
def _distances(code, offset, order, count, above):
    """Expected number of cells on the path from the ignition to each cell, into above f64 [P]."""
    for k in range(count):
        cell = np.int64(order[k])
        first, second = parents(code, cell, offset)
        if first < 0:
            above[cell] = 0.0
        elif second < 0:
            above[cell] = above[first] + 1.0
        else:
            above[cell] = 0.5 * (above[first] + above[second]) + 1.0


@compiled()
def path_counts(codes, value, offset, ints, seen, reals, total):
    """Adds to total f64 [P]: over all paths that end in a cell or lead on through it, from any
    cell above it, the value of the cell where they end.

    Args: codes u8 [F, P], value f64 [P]. ints i32 [2, P], seen u8 [P] of zeros, reals f64 [2, P]:
    scratch.
    """
    order, stack = ints
    above, below = reals
    for fire in range(codes.shape[0]):
        code = codes[fire]
        count = order_of(code, offset, order, stack, seen)
        _distances(code, offset, order, count, above)
        _hand_up(code, value, offset, order, count, below)
        for k in range(count):
            total[order[k]] += above[order[k]] * below[order[k]]


@compiled()
def flows(codes, value, offset, ints, seen, below, through, along):
    """Adds to through f64 [P] the value burned below each cell, and to along f64 [32, P] the part
    that came over each step to the parent.

    Cells without a parent have nothing come through them: a break there does not stop the fire.

    Args: codes u8 [F, P], value f64 [P]. ints i32 [2, P], seen u8 [P] of zeros, below f64 [P]:
    scratch.
    """
    order, stack = ints
    for fire in range(codes.shape[0]):
        code = codes[fire]
        count = order_of(code, offset, order, stack, seen)
        _hand_up(code, value, offset, order, count, below)
        for k in range(count):
            cell = np.int64(order[k])
            first, second = parent_steps(np.int64(code[cell]))
            if first < 0:
                continue
            through[cell] += below[cell]
            share = 0.5 if second >= 0 else 1.0
            if code[cell + offset[first]] < SPOT:
                along[first, cell] += share * below[cell]
            if second >= 0 and code[cell + offset[second]] < SPOT:
                along[second, cell] += share * below[cell]
