"""The compiled minimum-travel-time solver: one fire at a time, many fires in parallel.

Each cell is final when it leaves the queue. It is reached by a single step from a final cell, or
through the segment between two final cells, at the point of the segment where it burns first. The
time a displacement d takes in a cell's ellipse of velocities is

    F(d) = sqrt(d'Md) - w.d

(a Randers metric; M and w are made in `travel`). Half of a way counts in the receiving cell, half
in the cells it comes from. A child is never earlier than the later of its parents, so the order of
leaving the queue is a topological order of the parents, and stopping at the duration is exact.
Without segments the same code is Dijkstra's algorithm over the eight neighbours (`graph`).

No fastmath, a fixed order of evaluation and ties broken by parent code and cell index: a fire has
the same bits in any batch, on any thread.
"""

import math

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from firebreak.fire.ring import IGNITION, RING, SEGMENT_CODE, UNBURNED

_STEP_ROW = RING.steps[:, 0].copy()
_STEP_COL = RING.steps[:, 1].copy()
_SEGMENT_A = RING.segments[:, 0].copy()
_SEGMENT_B = RING.segments[:, 1].copy()
_TOUCHING = RING.touching
_STEP_CROSSES, _STEP_COUNT = RING.step_crosses, RING.step_cross_count
_SEGMENT_CROSSES, _SEGMENT_COUNT = RING.segment_crosses, RING.segment_cross_count

_FINAL = -2  # queue position of a cell whose time is final
_UNSEEN = -1


@intrinsic
def _lowest_bit(typing_context, word):
    """Index of the lowest set bit of a uint64 that is not zero."""
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], cgutils.true_bit)

    return signature, generate


@numba.njit(cache=True, inline="always")
def _before(key_a, cell_a, key_b, cell_b):
    return key_a < key_b or (key_a == key_b and cell_a < cell_b)


@numba.njit(cache=True)
def _sift_up(i, key, cell, keys, cells, position):
    while i > 0:
        above = (i - 1) >> 1
        if not _before(key, cell, keys[above], cells[above]):
            break
        keys[i] = keys[above]
        cells[i] = cells[above]
        position[cells[i]] = i
        i = above
    keys[i] = key
    cells[i] = cell
    position[cell] = i


@numba.njit(cache=True)
def _sift_down(size, key, cell, keys, cells, position):
    """Puts (key, cell) in the place of the root, which was taken out."""
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and _before(keys[below + 1], cells[below + 1],
                                        keys[below], cells[below]):
            below += 1
        if not _before(keys[below], cells[below], key, cell):
            break
        keys[i] = keys[below]
        cells[i] = cells[below]
        position[cells[i]] = i
        i = below
    keys[i] = key
    cells[i] = cell
    position[cell] = i


@numba.njit(cache=True, inline="always")
def _cost(metric, cell, east, north):
    """F(d) of a displacement in cells, minutes."""
    return (math.sqrt(metric[cell, 0] * east * east + 2.0 * metric[cell, 1] * east * north
                      + metric[cell, 2] * north * north)
            - metric[cell, 3] * east - metric[cell, 4] * north)


@numba.njit(cache=True, inline="always")
def _blocked(cell, open_state, source):
    # The ignition cell burns in its own fire even where it is treated.
    return open_state[cell] == 0 and cell != source


@numba.njit(cache=True)
def _way_free(crosses, count, which, child, width, open_state, source):
    for k in range(count[which]):
        crossed = child + crosses[which, k, 0] * width + crosses[which, k, 1]
        if _blocked(crossed, open_state, source):
            return False
    return True


@numba.njit(cache=True)
def _step_open(child, step, width, accepts, open_state, source):
    """Is a single step open? A diagonal needs one of the two cells beside it, a long step all it
    crosses.
    """
    if step < 8:
        if step & 1 == 0:
            return True
        return not (_blocked(child + _STEP_ROW[step] * width, open_state, source)
                    and _blocked(child + _STEP_COL[step], open_state, source))
    if accepts[child] & (np.uint32(1) << np.uint32(step)) == 0:
        return False
    if open_state[child] == 1:
        return True
    return _way_free(_STEP_CROSSES, _STEP_COUNT, step, child, width, open_state, source)


@numba.njit(cache=True)
def _segment_open(child, segment, width, open_state, source):
    """Is a segment's triangle free of breaks? Unit triangles only cover their own three cells."""
    if segment < 8 or open_state[child] == 1:
        return True
    return _way_free(_SEGMENT_CROSSES, _SEGMENT_COUNT, segment, child, width, open_state, source)


@numba.njit(cache=True)
def _through_segment(metric, child, segment, time_a, time_b, width):
    """Earliest time through the inside of a segment, and the weight of its second end.

    The weight minimises the time in the child's own ellipse, in closed form; the time is then
    counted half there and half in the ellipses of the two ends. inf where the minimum is at an
    end: single steps cover that.
    """
    a, b = _SEGMENT_A[segment], _SEGMENT_B[segment]
    east_a, north_a = -_STEP_COL[a], _STEP_ROW[a]
    east_ab, north_ab = -_STEP_COL[b] - east_a, _STEP_ROW[b] - north_a
    m11, m12 = np.float64(metric[child, 0]), np.float64(metric[child, 1])
    m22 = np.float64(metric[child, 2])
    along_east = m11 * east_ab + m12 * north_ab
    along_north = m12 * east_ab + m22 * north_ab
    length2 = east_ab * along_east + north_ab * along_north
    mixed = east_a * along_east + north_a * along_north
    slope = (time_b - time_a) - metric[child, 3] * east_ab - metric[child, 4] * north_ab
    rest = length2 - slope * slope
    if rest <= 0.0:
        return np.inf, 0.0
    # The triangle's area is the same for every segment, so its square in the metric is det(M).
    weight = (-slope * math.sqrt((m11 * m22 - m12 * m12) / rest) - mixed) / length2
    if weight <= 0.0 or weight >= 1.0:
        return np.inf, 0.0
    east, north = east_a + weight * east_ab, north_a + weight * north_ab
    cell_a = child + _STEP_ROW[a] * width + _STEP_COL[a]
    cell_b = child + _STEP_ROW[b] * width + _STEP_COL[b]
    way = 0.5 * _cost(metric, child, east, north) + 0.5 * (
        (1.0 - weight) * _cost(metric, cell_a, east, north)
        + weight * _cost(metric, cell_b, east, north))
    return (time_a + weight * (time_b - time_a)) + way, weight


@numba.njit(cache=True)
def _single_step(metric, unit_time, parent, child, step):
    if step < 8:
        # Not 0.5 * (a + b): the sum of two float32 would be rounded to float32.
        return 0.5 * unit_time[child, step] + 0.5 * unit_time[parent, step]
    east, north = -_STEP_COL[step], _STEP_ROW[step]
    return 0.5 * (_cost(metric, child, east, north) + _cost(metric, parent, east, north))


@numba.njit(cache=True)
def burn_one(source, duration, width, metric, unit_time, segments, accepts, sends, open_state,
             time, code, weight, order, keys, cells, position):
    """Burns one fire into the workspace; returns the number of cells burned.

    metric f32 [P, 5], unit_time f32 [P, 8], segments u64 [P], accepts, sends u32 [P]: the travel
    field of one scenario (see `travel`).
    open_state u8 [P]: 0 closed, 1 open, 2 open with a break within REACH.
    time f64, code u8, weight f64, order i64, keys f64, cells i64, position i64 [P]: workspace.
    """
    time[:] = np.inf
    code[:] = UNBURNED
    position[:] = _UNSEEN
    time[source] = 0.0
    code[source] = IGNITION
    weight[source] = 0.0
    _sift_up(0, 0.0, source, keys, cells, position)
    size = 1
    burned = 0
    while size > 0:
        parent = cells[0]
        now = keys[0]
        size -= 1
        if size > 0:
            _sift_down(size, keys[size], cells[size], keys, cells, position)
        position[parent] = _FINAL
        order[burned] = parent
        burned += 1
        steps = np.uint64(sends[parent])
        while steps != 0:
            step = np.int64(_lowest_bit(steps))
            steps &= steps - np.uint64(1)
            child = parent - _STEP_ROW[step] * width - _STEP_COL[step]
            if position[child] == _FINAL or open_state[child] == 0:
                continue
            best, best_code, best_weight = time[child], np.int64(code[child]), weight[child]
            if _step_open(child, step, width, accepts, open_state, source):
                t = max(now + _single_step(metric, unit_time, parent, child, step),
                        np.nextafter(now, np.inf))
                if t < best or (t == best and step < best_code):
                    best, best_code, best_weight = t, step, 0.0
            ending = segments[child] & _TOUCHING[step]
            while ending != 0:
                segment = np.int64(_lowest_bit(ending))
                ending &= ending - np.uint64(1)
                a, b = _SEGMENT_A[segment], _SEGMENT_B[segment]
                cell_a = child + _STEP_ROW[a] * width + _STEP_COL[a]
                cell_b = child + _STEP_ROW[b] * width + _STEP_COL[b]
                # Evaluated once, when the later end is final.
                if position[cell_a] != _FINAL or position[cell_b] != _FINAL:
                    continue
                if not _segment_open(child, segment, width, open_state, source):
                    continue
                t, w = _through_segment(metric, child, segment, time[cell_a], time[cell_b], width)
                t = max(t, np.nextafter(now, np.inf))
                if t < best or (t == best and segment + SEGMENT_CODE < best_code):
                    best, best_code, best_weight = t, segment + SEGMENT_CODE, w
            if best <= duration and best_code != code[child]:
                time[child] = best
                code[child] = best_code
                weight[child] = best_weight
                place = position[child]
                if place == _UNSEEN:
                    place = size
                    size += 1
                _sift_up(place, best, child, keys, cells, position)
    return burned


@numba.njit(cache=True)
def hand_down(burned, order, code, weight, value, width, downstream):
    """Value burned in the fire's tree below each cell, the cell itself included; the fire's loss.

    Each cell hands its sum to its parents by weight, last burned first (a topological order).
    """
    loss = 0.0
    for k in range(burned):
        downstream[order[k]] = value[order[k]]
        loss += value[order[k]]
    for k in range(burned - 1, 0, -1):
        cell = order[k]
        parents = np.int64(code[cell])
        if parents < SEGMENT_CODE:
            downstream[cell + _STEP_ROW[parents] * width + _STEP_COL[parents]] += downstream[cell]
        else:
            a = _SEGMENT_A[parents - SEGMENT_CODE]
            b = _SEGMENT_B[parents - SEGMENT_CODE]
            share = weight[cell] * downstream[cell]
            downstream[cell + _STEP_ROW[b] * width + _STEP_COL[b]] += share
            downstream[cell + _STEP_ROW[a] * width + _STEP_COL[a]] += downstream[cell] - share
    return loss


@numba.njit(cache=True, parallel=True)
def burn_many(which, width, field, overlay, source, duration,
              metric, unit_time, segments, accepts, sends, open_state, value,
              arrival_out, code_out, downstream_out, loss_out, workspace, int_workspace,
              code_workspace):
    """Burns the fires listed in `which`, in parallel.

    field, overlay, source i64 [F], duration f64 [F]: each fire's travel field, break overlay,
    padded ignition cell and duration. Travel fields as in `burn_one` with a leading axis [fields],
    open_state u8 and value f32 with a leading axis [overlays]. Outputs: loss_out f64 [F], and
    arrival_out, code_out, downstream_out [<= F, P], which may have rows for the first fires only or
    none. Workspaces hold one row
    set per thread.
    """
    for i in numba.prange(which.shape[0]):
        fire = which[i]
        thread = numba.get_thread_id()
        time, weight, keys, downstream = (workspace[thread, 0], workspace[thread, 1],
                                          workspace[thread, 2], workspace[thread, 3])
        order, cells, position = (int_workspace[thread, 0], int_workspace[thread, 1],
                                  int_workspace[thread, 2])
        code = code_workspace[thread]
        f, o = field[fire], overlay[fire]
        burned = burn_one(source[fire], duration[fire], width, metric[f], unit_time[f],
                          segments[f], accepts[f], sends[f], open_state[o], time, code, weight,
                          order, keys, cells, position)
        loss_out[fire] = hand_down(burned, order, code, weight, value[o], width, downstream)
        if fire < arrival_out.shape[0]:
            arrival_out[fire] = time
        if fire < code_out.shape[0]:
            code_out[fire] = code
        if fire < downstream_out.shape[0]:
            downstream_out[fire] = 0.0
            for k in range(burned):
                downstream_out[fire, order[k]] = downstream[order[k]]


@numba.njit(cache=True)
def depends_on(cell, sources, codes, closes_step, closes_code, out):
    """Sets out[fire] = 1, u8 [F], for each fire that may change when `cell` becomes a break.

    A fire changes if it burned the cell, or if some child's recorded step or segment crosses the
    cell or is a diagonal beside it. closes_step i64 [K] (offset of the child), closes_code i64 [K]:
    made by `travel.closing_table`. A fire that starts in the cell does not change.
    """
    for fire in range(codes.shape[0]):
        if sources[fire] == cell:
            continue
        if codes[fire, cell] != UNBURNED:
            out[fire] = 1
            continue
        for k in range(closes_step.shape[0]):
            if codes[fire, cell + closes_step[k]] == closes_code[k]:
                out[fire] = 1
                break
