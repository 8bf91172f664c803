"""What a cell gets from its eight neighbours in a fire that burns again, and which of them breaks
shut off.

The same arcs in the same order of evaluation as in `front_kernel`, so with the same bits; but those
of all eight neighbours are one vector.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.solver.tables import FINAL, UNSEEN
from firebreak.fire.travel.arc_kernel import CLOSED, NARROW_BREAK, OPEN
from firebreak.fire.travel.heap_kernel import time_of
from firebreak.fire.travel.simd import lanes_equal, prefetch
from firebreak.fire.travel.simd_facets import LANE_OF_STEP
from firebreak.fire.travel.simd_front import pull_around
from firebreak.fire.travel.stencil import FACET_CODE, UNBURNED

_ONE, _THREE, _SEVEN = (np.uint64(n) for n in (1, 3, 7))
_UNBURNED = np.uint8(UNBURNED)
_TO_TIME, _CODE = np.uint64(24), np.uint64(255)  # of the words of `pull_around`


@compiled(inline="always")
def shut_around(cell, closed, view):
    """Bits of the neighbours to which no step leads from a cell near a break, or from which none
    leads to it; closed: those that do not burn.
    """
    if view.leak:
        return closed
    beside = closed | lanes_equal(view.state, cell, np.uint64(view.width), np.uint8(NARROW_BREAK))
    north, west, east, south = (beside >> _ONE, beside >> _THREE, beside >> np.uint64(4),
                                beside >> np.uint64(6))
    return closed | (north & west & _ONE) | ((north & east & _ONE) << np.uint64(2)) | (
        (south & west & _ONE) << np.uint64(5)) | ((south & east & _ONE) << _SEVEN)


@compiled(inline="always")
def prefetch_around(cell, edges, metric, width):
    """Prefetches what a cell's arcs to and from its neighbours take."""
    for row in range(3):
        first = cell - _ONE + (np.uint64(row) - _ONE) * width
        prefetch(metric, first * np.uint64(5))
        prefetch(edges, first << _THREE)
        prefetch(edges, (first + _ONE) << _THREE)
        prefetch(edges, (first + np.uint64(2)) << _THREE)


@compiled(inline="always")
def known_around(cell, view, work):
    """Bits of the neighbours that stand or are final, of a fire that burns again, and pass fire on.
    """
    width = np.uint64(view.width)
    stand = lanes_equal(work.status, cell, width, np.uint8(UNSEEN))
    if view.state[cell] != OPEN:
        stand &= ~lanes_equal(view.state, cell, width, np.uint8(NARROW_BREAK))
    known = stand | lanes_equal(work.status, cell, width, np.uint8(FINAL))
    return known & ~lanes_equal(work.code, cell, width, _UNBURNED)


@compiled(inline="always")
def pull_constant_weather(child, row, arcs, view, work):
    """(time, code, weight) of the best arc into a cell of a fire that burns again, through unit
    steps and unit facets from known cells; (inf, UNBURNED, 0.0) if there is none.
    """
    cell, width, shut = np.uint64(child), np.uint64(view.width), np.uint64(0)
    known = known_around(cell, view, work)
    if known == 0:
        return np.float32(np.inf), np.int64(UNBURNED), 0.0
    if view.state[cell] != OPEN:
        closed = lanes_equal(view.state, cell, width, np.uint8(CLOSED))
        shut = shut_around(cell, closed, view)
    word = pull_around(arcs.edges[row].reshape(-1), arcs.metric[row].reshape(-1), cell, work.time,
                       width, known, shut, work.near_weight)
    t, code = time_of(word << _TO_TIME), np.int64(word & _CODE)
    if t == np.inf:
        return t, np.int64(UNBURNED), 0.0
    if code < FACET_CODE:
        return t, code, 0.0
    return t, code, np.float64(work.near_weight[LANE_OF_STEP[code - FACET_CODE]])
