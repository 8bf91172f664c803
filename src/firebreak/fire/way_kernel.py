"""Compiled rules of one way: is it open, what does it cost, when does fire that takes it arrive.

A way leads into a cell (the child) from a step of the ring, or from a point of a segment between
two steps. The time a displacement d takes in a cell's ellipse of velocities is

    F(d) = sqrt(d'Md) - w.d

(a Randers metric; M and w are made in `metric_kernel`). Half of a way counts in the child, half in
the cells it comes from. Where the weather changes on the way, the share of it that is left goes on
at the next step's speed, so that along one way leaving later never means arriving earlier.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.compiled import compiled
from firebreak.fire.keyed import DRAW_BREACH, uniform
from firebreak.fire.ring import RING, SEGMENT_CODE

STEP_ROW = RING.steps[:, 0].copy()
STEP_COL = RING.steps[:, 1].copy()
SEGMENT_A = RING.segments[:, 0].copy()
SEGMENT_B = RING.segments[:, 1].copy()
TOUCHING = RING.touching
# Way from the parent to the child in cells east and north: the step, turned round.
STEP_EAST, STEP_NORTH = -STEP_COL.astype(np.float64), STEP_ROW.astype(np.float64)
A_EAST, A_NORTH = STEP_EAST[SEGMENT_A], STEP_NORTH[SEGMENT_A]
AB_EAST, AB_NORTH = STEP_EAST[SEGMENT_B] - A_EAST, STEP_NORTH[SEGMENT_B] - A_NORTH
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
    heat: f32 [R, P, 3], fireline intensity over speed on the ground, kW/m per cell/min, and the
        rise of the ground per cell east and north; or no rows.
    steps: weather steps of a stream; its rows lie one after the other.
    step_min: their length, minutes.
    edges: f64 [R, P, 8], minutes from a cell to each neighbour in the order of `lanes_kernel`, inf
        where closed, where weather is constant; or no rows.
    day_min: f64 [R], see `calendar_kernel`; or no rows. sends_far: u32 [R, P], see `travel`.
    graph: only single unit steps are open.
    """

    metric: NDArray[np.float32]
    unit_time: NDArray[np.float32]
    segments: NDArray[np.uint64]
    accepts: NDArray[np.uint32]
    sends: NDArray[np.uint32]
    heat: NDArray[np.float32]
    steps: int
    step_min: float
    edges: NDArray[np.float64] = np.empty((0, 0, 8))
    day_min: NDArray[np.float64] = np.empty(0)
    sends_far: NDArray[np.uint32] = np.empty((0, 0), np.uint32)
    graph: bool = False


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


@compiled(inline="always")
def cost(metric, cell, east, north):
    """F(d) of a displacement in cells, minutes."""
    return (math.sqrt(metric[cell, 0] * east * east + 2.0 * metric[cell, 1] * east * north
                      + metric[cell, 2] * north * north)
            - metric[cell, 3] * east - metric[cell, 4] * north)


class Lie(NamedTuple):
    """How the land lies for one fire.

    state: u8 [P], codes above, of the fire's overlay. source: its ignition cell, which burns even
    in a break. key: of its random numbers. breach: f32 [P], or empty where breaks are not breached.
    leak: fire passes between two breaks that touch at a corner. width: of the padded map. offset:
    i64 [32], padded cells from a child to the parent at each step.
    """

    state: NDArray[np.uint8]
    source: int
    key: np.uint64
    breach: NDArray[np.float32]
    leak: bool
    width: int
    offset: NDArray[np.int64]


@compiled()
def _not_open(cell, lie):
    """CLOSED, NARROW or NEAR: what a cell that is neither OPEN nor NEAR is in this fire."""
    if cell == lie.source:
        return NEAR
    kind = lie.state[cell]
    if kind == CLOSED:
        return CLOSED
    if lie.breach.shape[0] > 0 and uniform(lie.key, cell, DRAW_BREACH) < lie.breach[cell]:
        return NEAR
    return NARROW if kind == NARROW else CLOSED


@compiled(inline="always")
def kind_of(cell, lie):
    """What a cell is in this fire: CLOSED, OPEN, NEAR or NARROW; breaches are drawn."""
    kind = lie.state[cell]
    if kind in (OPEN, NEAR):
        return np.int64(kind)
    return np.int64(_not_open(cell, lie))


@compiled(inline="always")
def _blocked(cell, lie):
    kind = kind_of(cell, lie)
    return kind in (CLOSED, NARROW)


@compiled()
def _way_free(crosses, count, which, child, lie):
    for k in range(count[which]):
        if _blocked(child + crosses[which, k, 0] * lie.width + crosses[which, k, 1], lie):
            return False
    return True


@compiled()
def step_open(child, step, lie):
    """Is a single step free of breaks? A diagonal needs one of the two cells beside it (unless
    breaks leak there), a long step all it crosses.
    """
    if step < 8:
        if lie.leak or step & 1 == 0:
            return True
        return not (_blocked(child + lie.offset[(step + 1) & 7], lie)
                    and _blocked(child + lie.offset[step - 1], lie))
    return _way_free(_STEP_CROSSES, _STEP_COUNT, step, child, lie)


@compiled()
def segment_open(child, segment, lie):
    """Is a segment's triangle free of breaks? Unit triangles only cover their own three cells."""
    if segment < 8:
        return True
    return _way_free(_SEGMENT_CROSSES, _SEGMENT_COUNT, segment, child, lie)


@compiled(inline="always")
def _above(slope, det, rest, bound):
    """slope * sqrt(det / rest) > bound, without root or division; det and rest are positive."""
    left, right = slope * slope * det, bound * bound * rest
    if slope >= 0.0:
        return bound < 0.0 or left > right
    return bound < 0.0 and left < right


@compiled(inline="always")
def segment_weight(metric, child, segment, time_a, time_b):
    """Weight of the segment's second end at the point that minimises the time in the child's own
    ellipse, in closed form; -1 where that is an end: single steps cover those.
    """
    m11, m12 = np.float64(metric[child, 0]), np.float64(metric[child, 1])
    m22 = np.float64(metric[child, 2])
    east_ab, north_ab = AB_EAST[segment], AB_NORTH[segment]
    along_east = m11 * east_ab + m12 * north_ab
    along_north = m12 * east_ab + m22 * north_ab
    length2 = east_ab * along_east + north_ab * along_north
    mixed = A_EAST[segment] * along_east + A_NORTH[segment] * along_north
    falls = (metric[child, 3] * east_ab + metric[child, 4] * north_ab
             - (np.float64(time_b) - np.float64(time_a)))
    rest = length2 - falls * falls
    if rest <= 0.0:
        return -1.0
    # The triangle's area is the same for every segment, so its square in the metric is det(M).
    det = m11 * m22 - m12 * m12
    if not _above(falls, det, rest, mixed) or _above(falls, det, rest, mixed + length2):
        return -1.0
    return (falls * math.sqrt(det / rest) - mixed) / length2


@compiled()
def segment_cost(metric, child, segment, weight, offset):
    """Minutes from the point of a segment to the child."""
    east = A_EAST[segment] + weight * AB_EAST[segment]
    north = A_NORTH[segment] + weight * AB_NORTH[segment]
    cell_a, cell_b = child + offset[SEGMENT_A[segment]], child + offset[SEGMENT_B[segment]]
    return 0.5 * cost(metric, child, east, north) + 0.5 * (
        (1.0 - weight) * cost(metric, cell_a, east, north)
        + weight * cost(metric, cell_b, east, north))


@compiled()
def step_cost(metric, unit_time, child, step, offset):
    """Minutes along a single step to the child."""
    parent = child + offset[step]
    if step < 8:
        return 0.5 * np.float64(unit_time[child, step]) + 0.5 * np.float64(unit_time[parent, step])
    east, north = STEP_EAST[step], STEP_NORTH[step]
    return 0.5 * (cost(metric, child, east, north) + cost(metric, parent, east, north))


@compiled()
def row_at(ways, first, time):
    """The row of a stream whose first row is `first`, at a time since ignition."""
    if ways.steps == 1:
        return first
    return first + min(np.int64(time / ways.step_min), ways.steps - 1)


@compiled()
def row_end(ways, first, row):
    """When the weather of `row` ends, minutes since ignition."""
    if row == first + ways.steps - 1:
        return np.inf
    return (row - first + 1) * ways.step_min


@compiled()
def arrive_across(ways, first, start, child, code, weight, offset):
    """Arrival along a way that starts at `start`, through as many weather steps as it takes."""
    row, time, left = row_at(ways, first, start), np.float64(start), 1.0
    while True:
        if code < SEGMENT_CODE:
            whole = step_cost(ways.metric[row], ways.unit_time[row], child, code, offset)
        else:
            whole = segment_cost(ways.metric[row], child, code - SEGMENT_CODE, weight,
                                 offset)
        end = row_end(ways, first, row)
        if time + left * whole <= end:
            return time + left * whole
        left = max(left - (end - time) / whole, 0.0)
        time = end
        row += 1
