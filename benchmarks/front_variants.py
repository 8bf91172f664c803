"""Other discretisations of the front than the package's, slow and plain: what the defaults beat.

A variant says which segments and steps a cell is reached through, whether a cell may burn before
the ends of the segment that it is reached through (`causal` false: label-correcting, every
improvement is sent on), within which factor of a cell's rate of spread the rates of the cells must
lie that a long way crosses, and whether a way's cost is half its two ends' or integrated along it.
"""

import heapq
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from firebreak.fire.travel.arc_kernel import (
    A_EAST,
    A_NORTH,
    AB_EAST,
    AB_NORTH,
    FACET_A,
    FACET_B,
    STEP_EAST,
    STEP_NORTH,
    cost,
    facet_weight,
)
from firebreak.fire.travel.open_arcs_kernel import _gradient_dot as gradient_dot
from firebreak.fire.travel.stencil import FACETS, STENCIL, STEPS
from firebreak.fire.travel.travel_field import TravelField, padded_cells, padded_width, unpad

_ROW, _COL = STENCIL.steps.T.copy()
_PARENT, _TOUCHING = STENCIL.parent, STENCIL.touching
_STEP_CROSSES, _STEP_COUNT = STENCIL.step_crosses, STENCIL.step_cross_count
_FACET_CROSSES, _FACET_COUNT = STENCIL.facet_crosses, STENCIL.facet_cross_count
_PIECES = 24  # of a way whose cost is integrated
_IMPROVES = 1.0 - 1e-6  # else label-correcting never comes to rest under strong wind


class Variant(NamedTuple):
    """See the module. finest: 0, 1 or 2, how often segments are halved; adaptive: only where the
    cell's ellipse is not acute on them. gate: inf for none.
    """

    finest: int
    adaptive: bool = False
    causal: bool = True
    gate: float = 1.3
    integrated: bool = False


ADAPTIVE = Variant(2, adaptive=True)
"""What the package does."""


class Solved(NamedTuple):
    """arrival_min: f64 [H, W], inf = unburned; visits: cells taken from the queue, over burned."""

    arrival_min: NDArray[np.float64]
    visits: float


def solve(field: TravelField, variant: Variant, cell: int) -> Solved:
    """One fire that burns all it can reach from a flat cell, in the field's first weather."""
    width = padded_width(field.shape[1])
    time = np.full(field.burnable.size, np.inf)
    visits = _solve(field.metric[0], field.rate[0], field.burnable, width,
                    int(padded_cells(np.array([cell]), field.shape[1])[0]), variant.finest,
                    variant.adaptive, variant.causal, variant.gate, variant.integrated, time)
    return Solved(unpad(time, field.shape), visits / np.isfinite(time).sum())


@numba.njit(cache=True)
def _free(crosses, count, cell, width, rate, burnable, gate):
    for k in range(count):
        at = cell + crosses[k, 0] * width + crosses[k, 1]
        if not burnable[at] or rate[at] > gate * rate[cell] or rate[cell] > gate * rate[at]:
            return False
    return True


@numba.njit(cache=True)
def _open(metric, rate, burnable, width, finest, adaptive, gate, segments, steps):
    """Bits of the segments and steps in use in each cell."""
    one = np.uint64(1)
    for cell in np.flatnonzero(burnable):
        halved, ends = np.uint64(0), np.uint64(0)
        for s in range((8, 24, FACETS)[finest]):
            bit, a, b = one << np.uint64(s), FACET_A[s], FACET_B[s]
            if _PARENT[s] >= 0 and halved & (one << np.uint64(_PARENT[s])) == 0:
                continue
            if not adaptive or gradient_dot(metric, cell, a, b) < 0.0 or (
                    gradient_dot(metric, cell, b, a) < 0.0):
                halved |= bit
            ends |= (one << np.uint64(a)) | (one << np.uint64(b))
            if _free(_FACET_CROSSES[s], _FACET_COUNT[s], cell, width, rate, burnable, gate):
                segments[cell] |= bit
        for s in range(STEPS):
            corner = s < 8 and s % 2 == 1 and not (
                burnable[cell + _ROW[s] * width] or burnable[cell + _COL[s]])
            if ends & (one << np.uint64(s)) != 0 and not corner and _free(
                    _STEP_CROSSES[s], _STEP_COUNT[s], cell, width, rate, burnable, gate):
                steps[cell] |= one << np.uint64(s)


@numba.njit(cache=True)
def _along(metric, child, width, east, north):
    """Cost of a straight way to the child, integrated over the cells that it crosses."""
    total = 0.0
    for k in range(_PIECES):
        back = (k + 0.5) / _PIECES
        down, right = int(np.rint(north * back)), int(np.rint(-east * back))
        total += cost(metric, child + down * width + right, east, north)
    return total / _PIECES


@numba.njit(cache=True)
def _through(metric, child, s, time_a, time_b, width, causal, integrated):
    """Arrival through a segment, inf if an end is better."""
    w = facet_weight(metric, child, s, time_a, time_b)
    if w < 0.0:
        return np.inf
    east, north = A_EAST[s] + w * AB_EAST[s], A_NORTH[s] + w * AB_NORTH[s]
    a = child + _ROW[FACET_A[s]] * width + _COL[FACET_A[s]]
    b = child + _ROW[FACET_B[s]] * width + _COL[FACET_B[s]]
    if integrated and s >= 8:
        whole = _along(metric, child, width, east, north)
    else:
        whole = 0.5 * cost(metric, child, east, north) + 0.5 * (
            (1.0 - w) * cost(metric, a, east, north) + w * cost(metric, b, east, north))
    late = time_a + w * (time_b - time_a) + whole
    return max(late, np.nextafter(max(time_a, time_b), np.inf)) if causal else late


@numba.njit(cache=True)
def _solve(metric, rate, burnable, width, source, finest, adaptive, causal, gate, integrated, time):
    """Fills time f64 [P]; returns how many cells were taken from the queue."""
    segments, steps = np.zeros(time.size, np.uint64), np.zeros(time.size, np.uint64)
    _open(metric, rate, burnable, width, finest, adaptive, gate, segments, steps)
    done = np.zeros(time.size, np.bool_)
    time[source] = 0.0
    queue, visits, one = [(0.0, source)], 0, np.uint64(1)
    while queue:
        now, parent = heapq.heappop(queue)
        if done[parent] or now > time[parent]:
            continue
        visits += 1
        done[parent] = causal
        for step in range(STEPS):
            child = parent - _ROW[step] * width - _COL[step]
            if done[child] or not burnable[child]:
                continue
            best = np.inf
            if steps[child] & (one << np.uint64(step)) != 0:
                east, north = STEP_EAST[step], STEP_NORTH[step]
                best = now + (_along(metric, child, width, east, north)
                              if integrated and step >= 8 else
                              0.5 * (cost(metric, child, east, north)
                                     + cost(metric, parent, east, north)))
            for s in range(FACETS):
                if segments[child] & _TOUCHING[step] & (one << np.uint64(s)) == 0:
                    continue
                a = child + _ROW[FACET_A[s]] * width + _COL[FACET_A[s]]
                b = child + _ROW[FACET_B[s]] * width + _COL[FACET_B[s]]
                if (causal and not (done[a] and done[b])) or max(time[a], time[b]) == np.inf:
                    continue
                best = min(best, _through(metric, child, s, time[a], time[b], width, causal,
                                          integrated))
            if best < time[child] * (1.0 if causal else _IMPROVES) or (
                    best < np.inf and time[child] == np.inf):
                time[child] = best
                heapq.heappush(queue, (best, child))
    return visits
