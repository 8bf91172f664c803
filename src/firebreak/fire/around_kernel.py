"""What a cell gets from its eight neighbours in a fire that burns again, and which of them breaks
shut off.

The same ways in the same order of evaluation as in `front_kernel`, so with the same bits; but those
of all eight neighbours are one vector.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.fire_tables import FINAL, UNSEEN
from firebreak.fire.front_lanes_kernel import pull_around
from firebreak.fire.lanes_kernel import lanes_equal, prefetch
from firebreak.fire.queue_kernel import time_of
from firebreak.fire.ring import SEGMENT_CODE, UNBURNED
from firebreak.fire.segment_lanes import LANE_OF_STEP
from firebreak.fire.way_kernel import CLOSED, NARROW, OPEN

_ONE, _THREE, _SEVEN = (np.uint64(n) for n in (1, 3, 7))
_UNBURNED = np.uint8(UNBURNED)
_TO_TIME, _CODE = np.uint64(24), np.uint64(255)  # of the words of `pull_around`


@compiled(inline="always")
def shut_around(cell, closed, lie):
    """Bits of the neighbours to which no step leads from a cell near a break, or from which none
    leads to it; closed: those that do not burn.
    """
    if lie.leak:
        return closed
    beside = closed | lanes_equal(lie.state, cell, np.uint64(lie.width), np.uint8(NARROW))
    north, west, east, south = (beside >> _ONE, beside >> _THREE, beside >> np.uint64(4),
                                beside >> np.uint64(6))
    return closed | (north & west & _ONE) | ((north & east & _ONE) << np.uint64(2)) | (
        (south & west & _ONE) << np.uint64(5)) | ((south & east & _ONE) << _SEVEN)


@compiled(inline="always")
def ask_around(cell, edges, metric, width):
    """Asks for what a cell's ways to and from its neighbours take, ahead of its use."""
    for row in range(3):
        first = cell - _ONE + (np.uint64(row) - _ONE) * width
        prefetch(metric, first * np.uint64(5))
        prefetch(edges, first << _THREE)
        prefetch(edges, (first + _ONE) << _THREE)
        prefetch(edges, (first + np.uint64(2)) << _THREE)


@compiled(inline="always")
def known_around(cell, lie, work):
    """Bits of the neighbours that stand or are final, of a fire that burns again, and pass fire on.
    """
    width = np.uint64(lie.width)
    stand = lanes_equal(work.status, cell, width, np.uint8(UNSEEN))
    if lie.state[cell] != OPEN:
        stand &= ~lanes_equal(lie.state, cell, width, np.uint8(NARROW))
    known = stand | lanes_equal(work.status, cell, width, np.uint8(FINAL))
    return known & ~lanes_equal(work.code, cell, width, _UNBURNED)


@compiled(inline="always")
def pull_steadily(child, row, ways, lie, work):
    """(time, code, weight) of the best way into a cell of a fire that burns again, through unit
    steps and unit segments from known cells; (inf, UNBURNED, 0.0) if there is none.
    """
    cell, width, shut = np.uint64(child), np.uint64(lie.width), np.uint64(0)
    known = known_around(cell, lie, work)
    if known == 0:
        return np.float32(np.inf), np.int64(UNBURNED), 0.0
    if lie.state[cell] != OPEN:
        closed = lanes_equal(lie.state, cell, width, np.uint8(CLOSED))
        shut = shut_around(cell, closed, lie)
    word = pull_around(ways.edges[row].reshape(-1), ways.metric[row].reshape(-1), cell, work.time,
                       width, known, shut, work.near_weight)
    t, code = time_of(word << _TO_TIME), np.int64(word & _CODE)
    if t == np.inf:
        return t, np.int64(UNBURNED), 0.0
    if code < SEGMENT_CODE:
        return t, code, 0.0
    return t, code, np.float64(work.near_weight[LANE_OF_STEP[code - SEGMENT_CODE]])
