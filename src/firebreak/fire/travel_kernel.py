"""Compiled construction of travel fields: the metric of each cell, the time of its unit steps, and
which segments and steps of the ring are in use there.

With the ellipse of velocities written (v-c)'Q(v-c) = 1, the time along a displacement d is
t = (-d'Qc + sqrt((d'Qc)^2 + (1-c'Qc) d'Qd)) / (1-c'Qc). Dividing through by g = 1-c'Qc turns it
into F(d) = sqrt(d'Md) - w.d with w = Qc/g and M = Q/g + ww'.

The ellipse lies in the plane of the slope, the map does not: a displacement on the map is longer on
the ground, by sqrt(1 + tan^2) up the slope and not at all across it.
"""

import math

import numba
import numpy as np

from firebreak.fire.lanes_kernel import LANES, STEP_OF_LANE
from firebreak.fire.ring import RING, SEGMENTS, STEPS

_STEP_ROW = RING.steps[:, 0].copy()
_STEP_COL = RING.steps[:, 1].copy()
_SEGMENT_A = RING.segments[:, 0].copy()
_SEGMENT_B = RING.segments[:, 1].copy()
_LANE_ROW, _LANE_COL = np.array(LANES, np.int64).T.copy()
_PARENT = RING.parent
_TOUCHING = RING.touching
_STEP_CROSSES, _STEP_COUNT = RING.step_crosses, RING.step_cross_count
_SEGMENT_CROSSES, _SEGMENT_COUNT = RING.segment_crosses, RING.segment_cross_count

_UNIT = np.uint64(255)  # bits of the unit segments
RATE_GATE = 1.3  # a long step may only cross cells whose head rate is within this factor
SLOWEST_BACK = 1e-3  # of the head's rate
SLOWEST = 1e-5  # cells per minute; slower than any fire that matters, keeps the metric finite


@numba.njit(cache=True, inline="always")
def _metric_of(head, back, flank, heading_deg, cell_size):
    """M (11, 12, 22) and w (east, north) of an ellipse in its own plane."""
    head = max(head / cell_size, SLOWEST)
    # A back far slower than the head would cancel out in float32.
    back = min(max(back / cell_size, SLOWEST, SLOWEST_BACK * head), head)
    flank = max(flank / cell_size, SLOWEST)
    east = math.sin(math.radians(heading_deg))
    north = math.cos(math.radians(heading_deg))
    semi, offset = 0.5 * (head + back), 0.5 * (head - back)
    g = 1.0 - (offset / semi) ** 2
    along, across = 1.0 / (semi * semi * g), 1.0 / (flank * flank * g)
    drift = offset / (semi * semi * g)
    along += drift * drift
    return (along * east * east + across * north * north, (along - across) * east * north,
            along * north * north + across * east * east, drift * east, drift * north)


@numba.njit(cache=True, inline="always")
def _onto_map(slope_tan, aspect_deg, own):
    """The metric seen on the map: A'MA and A'w, A = I + (sqrt(1 + tan^2) - 1) uu', u upslope."""
    stretch = math.sqrt(1.0 + slope_tan * slope_tan) - 1.0
    if stretch == 0.0:
        return own
    east = -math.sin(math.radians(aspect_deg))
    north = -math.cos(math.radians(aspect_deg))
    a11, a12, a22 = (1.0 + stretch * east * east, stretch * east * north,
                     1.0 + stretch * north * north)
    m11, m12, m22, w_east, w_north = own
    first_e, first_n = m11 * a11 + m12 * a12, m12 * a11 + m22 * a12
    second_e, second_n = m11 * a12 + m12 * a22, m12 * a12 + m22 * a22
    return (a11 * first_e + a12 * first_n, a12 * first_e + a22 * first_n,
            a12 * second_e + a22 * second_n, a11 * w_east + a12 * w_north,
            a12 * w_east + a22 * w_north)


@numba.njit(cache=True, parallel=True)
def fill_metric(head, back, flank, heading_deg, slope_tan, aspect_deg, burnable, cell_size,
                metric, unit_time):
    """Fills metric f32 [P, 5] and unit_time f32 [P, 8] of one scenario.

    head, back, flank f64 [P] m/min and heading_deg f64 [P] in the plane of the slope, slope_tan and
    aspect_deg f64 [P], burnable bool [P].
    """
    for cell in numba.prange(head.shape[0]):
        if not burnable[cell]:
            metric[cell] = 0.0
            unit_time[cell] = np.inf
            continue
        m11, m12, m22, w_east, w_north = _onto_map(slope_tan[cell], aspect_deg[cell], _metric_of(
            head[cell], back[cell], flank[cell], heading_deg[cell], cell_size))
        metric[cell, 0], metric[cell, 1], metric[cell, 2] = m11, m12, m22
        metric[cell, 3], metric[cell, 4] = w_east, w_north
        for step in range(4):
            east, north = -_STEP_COL[step], _STEP_ROW[step]
            still = math.sqrt(m11 * east * east + 2.0 * m12 * east * north + m22 * north * north)
            unit_time[cell, step] = still - w_east * east - w_north * north
            unit_time[cell, step + 4] = still + w_east * east + w_north * north


@numba.njit(cache=True)
def _gradient_dot(metric, cell, a, b):
    """(grad F at step a) . (step b): negative where the ellipse is not acute on the two."""
    east_a, north_a = -_STEP_COL[a], _STEP_ROW[a]
    east_b, north_b = -_STEP_COL[b], _STEP_ROW[b]
    ma_east = np.float64(metric[cell, 0]) * east_a + np.float64(metric[cell, 1]) * north_a
    ma_north = np.float64(metric[cell, 1]) * east_a + np.float64(metric[cell, 2]) * north_a
    norm = math.sqrt(east_a * ma_east + north_a * ma_north)
    return ((ma_east / norm - metric[cell, 3]) * east_b
            + (ma_north / norm - metric[cell, 4]) * north_b)


@numba.njit(cache=True)
def _crossable(crosses, count, cell, width, rate, burnable):
    for k in range(count):
        crossed = cell + crosses[k, 0] * width + crosses[k, 1]
        if not burnable[crossed]:
            return False
        if rate[crossed] > RATE_GATE * rate[cell] or rate[cell] > RATE_GATE * rate[crossed]:
            return False
    return True


@numba.njit(cache=True)
def _segments_in_use(metric, cell, width, rate, burnable):
    """Bits of the segments in use, and of the steps that end one of them."""
    halved = np.uint64(0)
    segments = np.uint64(0)
    steps = np.uint64(0)
    one = np.uint64(1)
    for s in range(SEGMENTS):
        bit = one << np.uint64(s)
        parent = _PARENT[s]
        if parent >= 0 and halved & (one << np.uint64(parent)) == 0:
            continue
        a, b = _SEGMENT_A[s], _SEGMENT_B[s]
        if _gradient_dot(metric, cell, a, b) < 0.0 or _gradient_dot(metric, cell, b, a) < 0.0:
            halved |= bit
        steps |= (one << np.uint64(a)) | (one << np.uint64(b))
        if _crossable(_SEGMENT_CROSSES[s], _SEGMENT_COUNT[s], cell, width, rate, burnable):
            segments |= bit
    return segments, steps


@numba.njit(cache=True)
def _unit_steps(cell, width, burnable):
    """Bits of the unit steps: all but the diagonals between two cells that do not burn."""
    bits = np.uint32(0)
    for step in range(8):
        if step & 1 == 0 or burnable[cell + _STEP_ROW[step] * width] or (
                burnable[cell + _STEP_COL[step]]):
            bits |= np.uint32(1) << np.uint32(step)
    return bits


@numba.njit(cache=True, parallel=True)
def open_ways(cells, metric, rate, burnable, width, graph, segments, accepts):
    """Sets what is open at the cells listed, i64 [N], seen from the receiving cell.

    metric f32 [P, 5], rate f32 [P] of the head, burnable bool [P]. segments u64 [P] and accepts
    u32 [P]: bits of the open segments and single steps. With `graph` only the unit steps are open.
    """
    for i in numba.prange(cells.shape[0]):
        cell = cells[i]
        segments[cell] = 0
        accepts[cell] = 0
        if not burnable[cell]:
            continue
        accepts[cell] = _unit_steps(cell, width, burnable)
        if graph:
            continue
        open_segments, ends = _segments_in_use(metric, cell, width, rate, burnable)
        segments[cell] = open_segments
        for step in range(8, STEPS):
            bit = np.uint32(1) << np.uint32(step)
            if ends & np.uint64(bit) != 0 and _crossable(
                    _STEP_CROSSES[step], _STEP_COUNT[step], cell, width, rate, burnable):
                accepts[cell] |= bit


@numba.njit(cache=True, parallel=True)
def turn_round(cells, burnable, width, graph, segments, accepts, sends, sends_far):
    """sends[p], bit i: a burnable cell is reached from p by its step i or a segment that ends
    there; sends_far[p]: by a step or a segment that is not a unit one. For the cells listed, none
    of them in the padding. With `graph` only unit steps are open.
    """
    for k in numba.prange(cells.shape[0]):
        cell = cells[k]
        bits, far = np.uint32(0), np.uint32(0)
        for step in range(8 if graph else STEPS):
            child = cell - _STEP_ROW[step] * width - _STEP_COL[step]
            bit = np.uint32(1) << np.uint32(step)
            if not burnable[child]:
                continue
            ends = segments[child] & _TOUCHING[step]
            if accepts[child] & bit != 0 or ends != 0:
                bits |= bit
            if (step >= 8 and accepts[child] & bit != 0) or ends & ~_UNIT != 0:
                far |= bit
        sends[cell] = bits
        sends_far[cell] = far


@numba.njit(cache=True)
def join_edges(cells, unit_time, burnable, width, accepts, edges):
    """Sets edges f64 [P, 8] of the cells listed, none of them in the padding: minutes to each
    neighbour in the order of LANES, half at either cell's speed; inf where closed.
    """
    for cell in cells:
        for lane in range(8):
            child, step = cell + _LANE_ROW[lane] * width + _LANE_COL[lane], STEP_OF_LANE[lane]
            opens = burnable[cell] and burnable[child] and (
                accepts[child] & (np.uint32(1) << np.uint32(step)) != 0)
            edges[cell, lane] = 0.5 * np.float64(unit_time[child, step]) + 0.5 * np.float64(
                unit_time[cell, step]) if opens else np.inf


@numba.njit(cache=True)
def days_share(width):
    """The length of a day in mean times from cell to cell, on a padded map of this width."""
    return min(0.6, 22.0 / width)


@numba.njit(cache=True)
def day_length(edges, width):
    """A length of day, minutes, at which about ten cells of a front on this map burn a day; by some
    thousand cells of it.
    """
    speed, count = 0.0, 0
    # Odd, not to look at some columns only.
    for cell in range(0, edges.shape[0], edges.shape[0] // 1024 | 1):
        for lane in range(8):
            if 0.0 < edges[cell, lane] < np.inf:  # no edges in the padding
                speed += 1.0 / edges[cell, lane]
                count += 1
    return days_share(width) * count / speed if count > 0 else 1.0
