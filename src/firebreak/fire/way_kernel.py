"""Compiled rules of one way: is it open, what does it cost, when does fire that takes it arrive.

A way leads into a cell (the child) from a step of the ring, or from a point of a segment between
two steps. The time a displacement d takes in a cell's ellipse of velocities is

    F(d) = sqrt(d'Md) - w.d

(a Randers metric; M and w are made in `travel_kernel`). Half of a way counts in the child, half in
the cells it comes from. Where the weather changes on the way, the share of it that is left goes on
at the next step's speed: leaving later never means arriving earlier.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from firebreak.fire.ring import RING, SEGMENT_CODE

STEP_ROW = RING.steps[:, 0].copy()
STEP_COL = RING.steps[:, 1].copy()
SEGMENT_A = RING.segments[:, 0].copy()
SEGMENT_B = RING.segments[:, 1].copy()
TOUCHING = RING.touching
_STEP_CROSSES, _STEP_COUNT = RING.step_crosses, RING.step_cross_count
_SEGMENT_CROSSES, _SEGMENT_COUNT = RING.segment_crosses, RING.segment_cross_count

CLOSED = 0  # unburnable, or a break that holds
OPEN = 1
NEAR = 2  # open, with a break within REACH: long ways must look at what they cross
NARROW = 3  # a break narrower than its cell that holds: burns what it has left, sends nothing
BREAK = 4  # a break that may be breached: CLOSED or NEAR in each fire


class Ways(NamedTuple):
    """Travel fields as the compiled code takes them; R rows, one per weather step.

    metric: f32 [R, P, 5]; unit_time: f32 [R, P, 8]; segments: u64 [R, P]; accepts, sends: u32
        [R, P], see `travel`.
    heat: f32 [R, P], fireline intensity over speed, kW/m per cell/min, or no rows.
    steps: weather steps of a stream; its rows lie one after the other.
    step_min: their length, minutes.
    """

    metric: NDArray[np.float32]
    unit_time: NDArray[np.float32]
    segments: NDArray[np.uint64]
    accepts: NDArray[np.uint32]
    sends: NDArray[np.uint32]
    heat: NDArray[np.float32]
    steps: int
    step_min: float


class Spots(NamedTuple):
    """Embers as the compiled code takes them: the parts of `spotting.SpotField` in their order.

    cells: f32 [4, R, P], probability of a throw, mean and standard deviation of the log distance,
        side deviation in m; no rows: fires throw no embers.
    winds: f32 [4, R], probability of ignition, downwind east and north, minutes in the air per m.
    """

    cells: NDArray[np.float32]
    winds: NDArray[np.float32]
    delay_min: float
    cell_size_m: float


NO_SPOTS = Spots(np.empty((4, 0, 0), np.float32), np.empty((4, 0), np.float32), 0.0, 1.0)
"""Fires that throw no embers."""


@numba.njit(cache=True, inline="always")
def cost(metric, cell, east, north):
    """F(d) of a displacement in cells, minutes."""
    return (math.sqrt(metric[cell, 0] * east * east + 2.0 * metric[cell, 1] * east * north
                      + metric[cell, 2] * north * north)
            - metric[cell, 3] * east - metric[cell, 4] * north)


@numba.njit(cache=True, inline="always")
def _blocked(cell, state):
    return state[cell] == CLOSED or state[cell] == NARROW


@numba.njit(cache=True)
def _way_free(crosses, count, which, child, width, state):
    for k in range(count[which]):
        if _blocked(child + crosses[which, k, 0] * width + crosses[which, k, 1], state):
            return False
    return True


@numba.njit(cache=True)
def step_open(child, step, width, accepts, state, leak):
    """Is a single step open? A diagonal needs one of the two cells beside it (unless breaks leak
    there), a long step all it crosses.
    """
    if step < 8:
        if leak or step & 1 == 0:
            return True
        return not (_blocked(child + STEP_ROW[step] * width, state)
                    and _blocked(child + STEP_COL[step], state))
    if accepts[child] & (np.uint32(1) << np.uint32(step)) == 0:
        return False
    if state[child] == OPEN:
        return True
    return _way_free(_STEP_CROSSES, _STEP_COUNT, step, child, width, state)


@numba.njit(cache=True)
def segment_open(child, segment, width, state):
    """Is a segment's triangle free of breaks? Unit triangles only cover their own three cells."""
    if segment < 8 or state[child] == OPEN:
        return True
    return _way_free(_SEGMENT_CROSSES, _SEGMENT_COUNT, segment, child, width, state)


@numba.njit(cache=True)
def segment_weight(metric, child, segment, time_a, time_b):
    """Weight of the segment's second end at the point that minimises the time in the child's own
    ellipse, in closed form; -1 where that is an end: single steps cover those.
    """
    a, b = SEGMENT_A[segment], SEGMENT_B[segment]
    east_a, north_a = -STEP_COL[a], STEP_ROW[a]
    east_ab, north_ab = -STEP_COL[b] - east_a, STEP_ROW[b] - north_a
    m11, m12 = np.float64(metric[child, 0]), np.float64(metric[child, 1])
    m22 = np.float64(metric[child, 2])
    along_east = m11 * east_ab + m12 * north_ab
    along_north = m12 * east_ab + m22 * north_ab
    length2 = east_ab * along_east + north_ab * along_north
    mixed = east_a * along_east + north_a * along_north
    slope = (time_b - time_a) - metric[child, 3] * east_ab - metric[child, 4] * north_ab
    rest = length2 - slope * slope
    if rest <= 0.0:
        return -1.0
    # The triangle's area is the same for every segment, so its square in the metric is det(M).
    weight = (-slope * math.sqrt((m11 * m22 - m12 * m12) / rest) - mixed) / length2
    if weight <= 0.0 or weight >= 1.0:
        return -1.0
    return weight


@numba.njit(cache=True)
def segment_cost(metric, child, segment, weight, width):
    """Minutes from the point of a segment to the child."""
    a, b = SEGMENT_A[segment], SEGMENT_B[segment]
    east_a, north_a = -STEP_COL[a], STEP_ROW[a]
    east = east_a + weight * (-STEP_COL[b] - east_a)
    north = north_a + weight * (STEP_ROW[b] - north_a)
    cell_a = child + STEP_ROW[a] * width + STEP_COL[a]
    cell_b = child + STEP_ROW[b] * width + STEP_COL[b]
    return 0.5 * cost(metric, child, east, north) + 0.5 * (
        (1.0 - weight) * cost(metric, cell_a, east, north)
        + weight * cost(metric, cell_b, east, north))


@numba.njit(cache=True)
def step_cost(metric, unit_time, child, step, width):
    """Minutes along a single step to the child."""
    parent = child + STEP_ROW[step] * width + STEP_COL[step]
    if step < 8:
        # Not 0.5 * (a + b): the sum of two float32 would be rounded to float32.
        return 0.5 * unit_time[child, step] + 0.5 * unit_time[parent, step]
    east, north = -STEP_COL[step], STEP_ROW[step]
    return 0.5 * (cost(metric, child, east, north) + cost(metric, parent, east, north))


@numba.njit(cache=True)
def row_at(ways, first, time):
    """The row of a stream whose first row is `first`, at a time since ignition."""
    if ways.steps == 1:
        return first
    return first + min(np.int64(time / ways.step_min), ways.steps - 1)


@numba.njit(cache=True)
def row_end(ways, first, row):
    """When the weather of `row` ends, minutes since ignition."""
    if row == first + ways.steps - 1:
        return np.inf
    return (row - first + 1) * ways.step_min


@numba.njit(cache=True)
def arrive_across(ways, first, start, child, code, weight, width):
    """Arrival along a way that starts at `start`, through as many weather steps as it takes."""
    row, time, left = row_at(ways, first, start), start, 1.0
    while True:
        if code < SEGMENT_CODE:
            whole = step_cost(ways.metric[row], ways.unit_time[row], child, code, width)
        else:
            whole = segment_cost(ways.metric[row], child, code - SEGMENT_CODE, weight, width)
        end = row_end(ways, first, row)
        if time + left * whole <= end:
            return time + left * whole
        left = max(left - (end - time) / whole, 0.0)
        time = end
        row += 1


@numba.njit(cache=True)
def intensity(ways, row, cell, code, weight):
    """Fireline intensity where fire came into the cell, kW/m: the head's, times the speed along the
    way over the head's speed (Catchpole, de Mestre & Gill 1982). The head's own for an ignition.
    """
    metric = ways.metric[row]
    if code < SEGMENT_CODE:
        east, north = np.float64(-STEP_COL[code]), np.float64(STEP_ROW[code])
    elif code < SEGMENT_CODE + SEGMENT_A.shape[0]:
        a, b = SEGMENT_A[code - SEGMENT_CODE], SEGMENT_B[code - SEGMENT_CODE]
        east = -((1.0 - weight) * STEP_COL[a] + weight * STEP_COL[b])
        north = (1.0 - weight) * STEP_ROW[a] + weight * STEP_ROW[b]
    else:  # the drift points along the heading; a circle has the same speed everywhere
        east, north = np.float64(metric[cell, 3]), np.float64(metric[cell, 4])
        if east == 0.0 and north == 0.0:
            east = 1.0
    way = math.sqrt(east * east + north * north)
    return ways.heat[row, cell] * way / cost(metric, cell, east, north)
