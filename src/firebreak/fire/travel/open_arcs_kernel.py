"""Compiled construction of travel fields: which facets and steps of the stencil are in use in each
cell, and what the bucket queue and the lists of the engine need of them.
"""

import math

import numba
import numpy as np

from firebreak.compiled import compiled_arrays
from firebreak.fire.travel.heap_kernel import lowest_bit
from firebreak.fire.travel.simd import LANES, STEP_OF_LANE
from firebreak.fire.travel.simd_front import not_acute_around
from firebreak.fire.travel.stencil import STENCIL, STEPS

_STEP_ROW = STENCIL.steps[:, 0].copy()
_STEP_COL = STENCIL.steps[:, 1].copy()
_FACET_A = STENCIL.facets[:, 0].copy()
_FACET_B = STENCIL.facets[:, 1].copy()
_LANE_ROW, _LANE_COL = np.array(LANES, np.int64).T.copy()
_TOUCHING = STENCIL.touching
_STEP_CROSSES, _STEP_COUNT = STENCIL.step_crosses, STENCIL.step_cross_count
_FACET_CROSSES, _FACET_COUNT = STENCIL.facet_crosses, STENCIL.facet_cross_count

_ONE = np.uint64(1)
_UNIT = np.uint64(255)  # bits of the unit facets
_LAST_HALVED = 24  # facets from here on are not halved
RATE_GATE = 1.3  # a long step may only cross cells whose head rate is within this factor


@compiled_arrays()
def _gradient_dot(metric, cell, a, b):
    """(grad F at step a) . (step b): negative where the ellipse is not acute on the two."""
    east_a, north_a = -_STEP_COL[a], _STEP_ROW[a]
    east_b, north_b = -_STEP_COL[b], _STEP_ROW[b]
    ma_east = np.float64(metric[cell, 0]) * east_a + np.float64(metric[cell, 1]) * north_a
    ma_north = np.float64(metric[cell, 1]) * east_a + np.float64(metric[cell, 2]) * north_a
    norm = math.sqrt(east_a * ma_east + north_a * ma_north)
    return ((ma_east / norm - metric[cell, 3]) * east_b
            + (ma_north / norm - metric[cell, 4]) * north_b)


@compiled_arrays()
def _crossable(crosses, count, cell, width, rate, burnable):
    for k in range(count):
        crossed = cell + crosses[k, 0] * width + crosses[k, 1]
        if not burnable[crossed]:
            return False
        if rate[crossed] > RATE_GATE * rate[cell] or rate[cell] > RATE_GATE * rate[crossed]:
            return False
    return True


@compiled_arrays()
def _halves_of(halved):
    """Bits of the facets that halve those of given bits."""
    halves = np.uint64(0)
    while halved != 0:
        facet = lowest_bit(halved)
        halved &= halved - _ONE
        # 8 unit facets, then two for each before.
        halves |= np.uint64(3) << (np.uint64(8) + facet + facet)
    return halves


@compiled_arrays()
def _facets_in_use(metric, cell, width, rate, burnable):
    """Bits of the facets in use, and of the long steps that end one of them."""
    facets, steps = _UNIT, np.uint64(0)
    todo = _halves_of(not_acute_around(metric.reshape(-1), np.uint64(cell)))
    while todo != 0:
        s = lowest_bit(todo)
        bit = _ONE << s
        todo &= ~bit
        a, b = _FACET_A[s], _FACET_B[s]
        if s < _LAST_HALVED and (_gradient_dot(metric, cell, a, b) < 0.0
                                or _gradient_dot(metric, cell, b, a) < 0.0):
            todo |= _halves_of(bit)
        steps |= (_ONE << np.uint64(a)) | (_ONE << np.uint64(b))
        if _crossable(_FACET_CROSSES[s], _FACET_COUNT[s], cell, width, rate, burnable):
            facets |= bit
    return facets, steps


@compiled_arrays()
def _unit_steps(cell, width, burnable):
    """Bits of the unit steps: all but the diagonals between two cells that do not burn."""
    bits = np.uint32(0)
    for step in range(8):
        if step & 1 == 0 or burnable[cell + _STEP_ROW[step] * width] or (
                burnable[cell + _STEP_COL[step]]):
            bits |= np.uint32(1) << np.uint32(step)
    return bits


@compiled_arrays()
def _open_listed(cells, metric, rate, burnable, width, facets, accepts):
    for cell in cells:
        facets[cell] = 0
        accepts[cell] = _unit_steps(cell, width, burnable) if burnable[cell] else np.uint32(0)
        if not burnable[cell]:
            continue
        facets[cell], ends = _facets_in_use(metric, cell, width, rate, burnable)
        while ends != 0:
            step = lowest_bit(ends)
            ends &= ends - _ONE
            if step >= 8 and _crossable(_STEP_CROSSES[step], _STEP_COUNT[step], cell, width, rate,
                                        burnable):
                accepts[cell] |= np.uint32(1) << np.uint32(step)


_PART = 512  # cells that a thread takes at a time


@compiled_arrays()
def _parts_of(cells):
    return (cells.shape[0] + _PART - 1) // _PART


@compiled_arrays()
def _part(cells, k):
    return cells[k * _PART:(k + 1) * _PART]


@compiled_arrays(parallel=True)
def open_arcs(cells, metric, rate, burnable, width, facets, accepts):
    """Sets what is open at the cells listed, i64 [N], seen from the receiving cell.

    metric f32 [R, P, 5], rate f32 [R, P] of the head, burnable bool [P]. facets u64 [R, P] and
    accepts u32 [R, P]: bits of the open facets and single steps.
    """
    parts = _parts_of(cells)
    for k in numba.prange(metric.shape[0] * parts):
        r = k // parts
        _open_listed(_part(cells, k % parts), metric[r], rate[r], burnable, width,
                     facets[r], accepts[r])


@compiled_arrays()
def _reverse_listed(cells, width, facets, accepts, sends, sends_far):
    for cell in cells:
        bits, far = np.uint32(0), np.uint32(0)
        for step in range(8):
            child = cell - _STEP_ROW[step] * width - _STEP_COL[step]
            ends = facets[child] & _TOUCHING[step]
            bits |= (accepts[child] & (np.uint32(1) << np.uint32(step))) | (
                np.uint32(ends != 0) << np.uint32(step))
            far |= np.uint32(ends & ~_UNIT != 0) << np.uint32(step)
        # Where a longer facet is open, so is the step to each of its ends, see `stencil`.
        for step in range(8, STEPS):
            child = cell - _STEP_ROW[step] * width - _STEP_COL[step]
            far |= accepts[child] & (np.uint32(1) << np.uint32(step))
        sends[cell], sends_far[cell] = bits | far, far


@compiled_arrays(parallel=True)
def reverse_arcs(cells, width, facets, accepts, sends, sends_far):
    """sends[r, p], bit i: a burnable cell is reached from p by its step i or a facet that ends
    there; sends_far[r, p]: by a step or a facet that is not a unit one. For the cells listed,
    none of them in the padding.
    """
    parts = _parts_of(cells)
    for k in numba.prange(sends.shape[0] * parts):
        r = k // parts
        _reverse_listed(_part(cells, k % parts), width, facets[r], accepts[r], sends[r],
                        sends_far[r])


@compiled_arrays()
def join_edges(cells, unit_time, burnable, width, accepts, edges):
    """Sets edges f64 [R, P, 8] of the cells listed, none of them in the padding: minutes to each
    neighbour in the order of LANES, half at either cell's speed; inf where closed.
    """
    for r in range(edges.shape[0]):
        for cell in cells:
            for lane in range(8):
                child = cell + _LANE_ROW[lane] * width + _LANE_COL[lane]
                step = STEP_OF_LANE[lane]
                opens = burnable[cell] and accepts[r, child] & (
                    np.uint32(1) << np.uint32(step)) != 0
                edges[r, cell, lane] = 0.5 * np.float64(unit_time[r, child, step]) + (
                    0.5 * np.float64(unit_time[r, cell, step])) if opens else np.inf


@compiled_arrays()
def bucket_share(width):
    """The length of a bucket in mean times from cell to cell, on a padded map of this width."""
    return min(0.6, 22.0 / width)


@compiled_arrays()
def set_bucket_lengths(edges, width, bucket_min):
    """Sets bucket_min f64 [R]: a length of bucket, minutes, at which about ten cells of a front on
    this map burn a bucket; by some hundred cells of edges f64 [R, P, 8].
    """
    for r in range(edges.shape[0]):
        speed, count = 0.0, 0
        # Odd, not to look at some columns only.
        for cell in range(0, edges.shape[1], edges.shape[1] // 256 | 1):
            for lane in range(8):
                if 0.0 < edges[r, cell, lane] < np.inf:  # no edges in the padding
                    speed += 1.0 / edges[r, cell, lane]
                    count += 1
        bucket_min[r] = bucket_share(width) * count / speed if count > 0 else 1.0
