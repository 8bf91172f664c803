"""Compiled rules of one arc: is it open, what does it cost, when does fire that takes it arrive.

An arc leads into a cell (the child) from a step of the stencil, or from a point of a facet between
two steps. The time a displacement d takes in a cell's ellipse of velocities is

    F(d) = sqrt(d'Md) - w.d

(a Randers metric; M and w are made in `metric_kernel`). Half of an arc counts in the child, half in
the cells it comes from. Where the weather changes on the way, the share of it that is left goes on
at the next step's speed, so that along one arc leaving later never means arriving earlier.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.compiled import compiled
from firebreak.fire.effects.keyed_random import DRAW_BREACH, uniform
from firebreak.fire.travel.stencil import FACET_CODE, STENCIL

STEP_ROW = STENCIL.steps[:, 0].copy()
STEP_COL = STENCIL.steps[:, 1].copy()
FACET_A = STENCIL.facets[:, 0].copy()
FACET_B = STENCIL.facets[:, 1].copy()
TOUCHING = STENCIL.touching
# Arc from the parent to the child in cells east and north: the step, turned round.
STEP_EAST, STEP_NORTH = -STEP_COL.astype(np.float64), STEP_ROW.astype(np.float64)
A_EAST, A_NORTH = STEP_EAST[FACET_A], STEP_NORTH[FACET_A]
AB_EAST, AB_NORTH = STEP_EAST[FACET_B] - A_EAST, STEP_NORTH[FACET_B] - A_NORTH
_STEP_CROSSES, _STEP_COUNT = STENCIL.step_crosses, STENCIL.step_cross_count
_FACET_CROSSES, _FACET_COUNT = STENCIL.facet_crosses, STENCIL.facet_cross_count

CLOSED = 0  # unburnable, or a break that holds
OPEN = 1
NEAR = 2  # open, with a break within REACH: long arcs must look at what they cross
NARROW_BREAK = 3  # a break narrower than its cell that holds: burns what it has left, sends nothing
BREAK = 4  # a break that may be breached: CLOSED or NEAR in each fire
HELD_BREAK = 5  # a break that burns unless crews hold it when fire arrives


class Arcs(NamedTuple):
    """Travel fields as the compiled code takes them; R rows, one per weather step.

    metric: f32 [R, P, 5]; unit_time: f32 [R, P, 8]; facets: u64 [R, P]; accepts, sends: u32
        [R, P], see `travel_field`.
    heat: f32 [R, P, 3], fireline intensity over speed on the ground, kW/m per cell/min, and the
        rise of the ground per cell east and north; or no rows.
    steps: weather steps of a stream; its rows lie one after the other.
    step_min: their length, minutes.
    edges: f64 [R, P, 8], minutes from a cell to each neighbour in the order of `simd`, inf
        where closed, where weather is constant; or no rows.
    bucket_min: f64 [R], see `bucket_queue_kernel`; or no rows. sends_far: u32 [R, P], see
        `travel_field`.
    """

    metric: NDArray[np.float32]
    unit_time: NDArray[np.float32]
    facets: NDArray[np.uint64]
    accepts: NDArray[np.uint32]
    sends: NDArray[np.uint32]
    heat: NDArray[np.float32]
    steps: int
    step_min: float
    edges: NDArray[np.float64] = np.empty((0, 0, 8))
    bucket_min: NDArray[np.float64] = np.empty(0)
    sends_far: NDArray[np.uint32] = np.empty((0, 0), np.uint32)


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


class CrewRule(NamedTuple):
    """What crews can do in a fire.

    always, never: the hottest fire that they surely hold, and that from which on they never do, in
    the measure scale * intensity^power, which is flame length in m, or intensity in kW/m.
    cells: breaks that they hold in one fire, inf for any number. attack_min: minutes to the initial
    attack, inf for none. cell_ha: hectares of a cell.
    """

    scale: float
    power: float
    always: float
    never: float
    cells: float
    attack_min: float
    cell_ha: float


NO_CREWS = CrewRule(1.0, 1.0, 0.0, 0.0, 0.0, math.inf, 1.0)
"""Fires meet nobody."""


class FireView(NamedTuple):
    """One fire's view of the land.

    state: u8 [P], codes above, of the fire's overlay. source: its ignition cell, which burns even
    in a break. key: of its random numbers. breach: f32 [P], or empty where breaks are not breached.
    leak: fire passes between two breaks that touch at a corner. width: of the padded map. offset:
    i64 [32], padded cells from a child to the parent at each step. manned: crews may hold breaks.
    Compiled calls copy a view, so what few functions need is elsewhere (`Crews`).
    """

    state: NDArray[np.uint8]
    source: int
    key: np.uint64
    breach: NDArray[np.float32]
    leak: bool
    width: int
    offset: NDArray[np.int64]
    manned: bool


class Crews(NamedTuple):
    """The crews that a fire meets. ready: f32 [P], minutes from ignition until they can be in a
    cell, or empty where nobody holds breaks. rule: what they can do.
    """

    ready: NDArray[np.float32]
    rule: CrewRule


@compiled()
def _not_open(cell, view):
    """CLOSED, NARROW_BREAK or NEAR: what a cell that is neither OPEN nor NEAR is in this fire."""
    kind = view.state[cell]
    if cell == view.source or kind == HELD_BREAK:
        return NEAR
    if kind == CLOSED:
        return CLOSED
    if view.breach.shape[0] > 0 and uniform(view.key, cell, DRAW_BREACH) < view.breach[cell]:
        return NEAR
    return NARROW_BREAK if kind == NARROW_BREAK else CLOSED


@compiled(inline="always")
def kind_of(cell, view):
    """What a cell is in this fire: CLOSED, OPEN, NEAR or NARROW_BREAK; breaches are drawn."""
    kind = view.state[cell]
    if kind in (OPEN, NEAR):
        return np.int64(kind)
    return np.int64(_not_open(cell, view))


@compiled(inline="always")
def blocked(cell, view):
    """Does fire neither burn a cell nor cross it, whoever is there?"""
    kind = kind_of(cell, view)
    return kind in (CLOSED, NARROW_BREAK)


@compiled(inline="always")
def may_hold(cell, view):
    """Is a cell a break that fire would cross, and that crews may hold?"""
    return (view.manned and view.state[cell] >= NARROW_BREAK and cell != view.source
            and kind_of(cell, view) == NEAR)


@compiled()
def _arc_free(crosses, count, which, child, view):
    for k in range(count[which]):
        crossed = child + crosses[which, k, 0] * view.width + crosses[which, k, 1]
        if blocked(crossed, view) or may_hold(crossed, view):
            return False
    return True


@compiled()
def step_open(child, step, view):
    """Is a single step free of breaks? A diagonal needs one of the two cells beside it (unless
    breaks leak there), a long step all it crosses.
    """
    if step < 8:
        if view.leak or step & 1 == 0:
            return True
        return not (blocked(child + view.offset[(step + 1) & 7], view)
                    and blocked(child + view.offset[step - 1], view))
    return _arc_free(_STEP_CROSSES, _STEP_COUNT, step, child, view)


@compiled()
def facet_open(child, facet, view):
    """Is a facet's triangle free of breaks? Unit triangles only cover their own three cells."""
    if facet < 8:
        return True
    return _arc_free(_FACET_CROSSES, _FACET_COUNT, facet, child, view)


@compiled(inline="always")
def _above(slope, det, rest, bound):
    """slope * sqrt(det / rest) > bound, without root or division; det and rest are positive."""
    left, right = slope * slope * det, bound * bound * rest
    if slope >= 0.0:
        return bound < 0.0 or left > right
    return bound < 0.0 and left < right


@compiled(inline="always")
def facet_weight(metric, child, facet, time_a, time_b):
    """Weight of the facet's second end at the point that minimises the time in the child's own
    ellipse, in closed form; -1 where that is an end: single steps cover those.
    """
    m11, m12 = np.float64(metric[child, 0]), np.float64(metric[child, 1])
    m22 = np.float64(metric[child, 2])
    east_ab, north_ab = AB_EAST[facet], AB_NORTH[facet]
    along_east = m11 * east_ab + m12 * north_ab
    along_north = m12 * east_ab + m22 * north_ab
    length2 = east_ab * along_east + north_ab * along_north
    mixed = A_EAST[facet] * along_east + A_NORTH[facet] * along_north
    falls = (metric[child, 3] * east_ab + metric[child, 4] * north_ab
             - (np.float64(time_b) - np.float64(time_a)))
    rest = length2 - falls * falls
    if rest <= 0.0:
        return -1.0
    # The triangle's area is the same for every facet, so its square in the metric is det(M).
    det = m11 * m22 - m12 * m12
    if not _above(falls, det, rest, mixed) or _above(falls, det, rest, mixed + length2):
        return -1.0
    return (falls * math.sqrt(det / rest) - mixed) / length2


@compiled()
def facet_cost(metric, child, facet, weight, offset):
    """Minutes from the point of a facet to the child."""
    east = A_EAST[facet] + weight * AB_EAST[facet]
    north = A_NORTH[facet] + weight * AB_NORTH[facet]
    cell_a, cell_b = child + offset[FACET_A[facet]], child + offset[FACET_B[facet]]
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
def row_at(arcs, first, time):
    """The row of a stream whose first row is `first`, at a time since ignition."""
    if arcs.steps == 1:
        return first
    return first + min(np.int64(time / arcs.step_min), arcs.steps - 1)


@compiled()
def row_end(arcs, first, row):
    """When the weather of `row` ends, minutes since ignition."""
    if row == first + arcs.steps - 1:
        return np.inf
    return (row - first + 1) * arcs.step_min


@compiled()
def arrive_across(arcs, first, start, child, code, weight, offset):
    """Arrival along an arc that starts at `start`, through as many weather steps as it takes."""
    row, time, left = row_at(arcs, first, start), np.float64(start), 1.0
    while True:
        if code < FACET_CODE:
            whole = step_cost(arcs.metric[row], arcs.unit_time[row], child, code, offset)
        else:
            whole = facet_cost(arcs.metric[row], child, code - FACET_CODE, weight,
                               offset)
        end = row_end(arcs, first, row)
        if time + left * whole <= end:
            return time + left * whole
        left = max(left - (end - time) / whole, 0.0)
        time = end
        if left == 0.0:  # by rounding; what is closed in the next weather would take 0 times inf
            return time
        row += 1
