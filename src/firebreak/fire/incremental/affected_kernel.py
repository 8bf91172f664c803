"""Compiled choice of the fires that a change of breaks affects."""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.incremental.invalidate_kernel import crosses
from firebreak.fire.travel.simd import prefetch
from firebreak.fire.travel.stencil import UNBURNED

_AHEAD = 4  # fires


@compiled(inline="always")
def depends(fire, cell, codes, crossing):
    if codes[fire, cell] != UNBURNED:
        return True
    for k in range(crossing.child.shape[0]):
        if crosses(np.int64(codes[fire, cell + crossing.child[k]]), k, crossing):
            return True
    return False


@compiled(inline="always")
def _burned_near(fire, cell, reach, width, codes):
    for row in range(-reach, reach + 1):
        for col in range(-reach, reach + 1):
            if codes[fire, cell + row * width + col] != UNBURNED:
                return True
    return False


@compiled(inline="always")
def _prefetch_near(fire, cell, reach, width, codes):
    """Prefetches what `_burned_near` looks at, some fires ahead: their codes lie far apart."""
    flat = codes.reshape(-1)
    for row in range(-reach, reach + 1):
        prefetch(flat, np.uint64(fire * codes.shape[1] + cell + row * width))


@compiled()
def depends_on(cell, sources, codes, crossing, out):
    """Sets out[fire] = 1, u8 [F], for each fire that may change when `cell` becomes a break.

    A fire changes if it burned the cell, or if some child's recorded step or facet crosses the
    cell or is a diagonal beside it; a fire that starts in the cell does not. A diagonal counts
    although it closes only if its other side is closed too: solving that fire again then changes
    nothing.
    """
    for fire in range(codes.shape[0]):
        if sources[fire] != cell and depends(fire, cell, codes, crossing):
            out[fire] = 1


@compiled()
def burned_near(cell, reach, width, codes, out):
    """Sets out[fire] = 1, u8 [F], for each fire that burned a cell within `reach` of `cell`."""
    for fire in range(codes.shape[0]):
        if _burned_near(fire, cell, reach, width, codes):
            out[fire] = 1


@compiled(inline="always")
def _fires_of(slot, counts):
    slots, n_plan_fires, n_reward_fires = counts
    return ((slot * n_plan_fires, (slot + 1) * n_plan_fires),
            (slots * n_plan_fires + slot * n_reward_fires,
             slots * n_plan_fires + (slot + 1) * n_reward_fires))


@compiled()
def list_change(slot, place, counts, new, kept, stale):
    """Notes that a break came or went in a padded cell. Where no more can be noted, the fires that
    are stale by now are no longer kept: they burn anew as a whole.

    counts: numbers of slots, and of plan and reward fires of each. new: `ChangedCells`.
    """
    if new.how_many[slot] == new.cells.shape[1]:
        for first, end in _fires_of(slot, counts):
            for fire in range(first, end):
                kept[fire] = kept[fire] and stale[fire] == 0
        new.how_many[slot] = 0
    new.cells[slot, new.how_many[slot]] = place
    new.how_many[slot] += 1


@compiled()
def breaks_affect(slots, places, reach, width, counts, sources, codes, crossing, new, kept, stale,
                  affected):
    """Notes that padded cells `places` i64 [M] of `slots` i64 [M] became breaks: sets stale[fire],
    u8 [F], as `depends_on`, and counts affected i64 [F] up where a fire burned within `reach` of
    a cell: no other fire can depend on it.
    """
    for i in range(places.size):
        cell = places[i]
        list_change(slots[i], cell, counts, new, kept, stale)
        for first, end in _fires_of(slots[i], counts):
            for fire in range(first, end):
                _prefetch_near(min(fire + _AHEAD, end - 1), cell, reach, width, codes)
                if _burned_near(fire, cell, reach, width, codes):
                    affected[fire] += 1
                    if sources[fire] != cell and depends(fire, cell, codes, crossing):
                        stale[fire] = 1
