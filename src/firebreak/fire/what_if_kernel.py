"""Compiled what-ifs: what each of many breaks alone would save of each fire, nothing kept of them.

A fire is put into the workspace once. Each break that it depends on is then tried in turn: what
depends on it is forgotten and solved again as in `resolve_kernel`, what was lost before and after
is counted over the cells that this changed, and they are put back. There is nothing to hand down
and no order to restore. Losses are whole numbers, so that sums over fires have no rounding.
"""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from firebreak.fire.burn_kernel import classify
from firebreak.fire.compiled import compiled
from firebreak.fire.fire_tables import UNSEEN, Changes, Crossing
from firebreak.fire.front_kernel import burn_one, clean, of_thread
from firebreak.fire.intensity_kernel import intensity
from firebreak.fire.reburn_kernel import recall
from firebreak.fire.resolve_kernel import KEPT, change, solve_again, standing
from firebreak.fire.ring import REACH, SEGMENT_CODE, SEGMENTS, UNBURNED
from firebreak.fire.way_kernel import NEAR, OPEN, STEP_COL, STEP_ROW, Lie

_NOT_TRIED = np.iinfo(np.int64).min


class Candidates(NamedTuple):
    """Breaks to try in one slot, n of them in padded cells.

    row: i32 [P], their number where there is one, else -1. slot: theirs. kind: what they become,
    see `way_kernel`. worth: i64 [C, P], what burning costs, left: what it costs in a break that is
    narrower than its cell, or no rows.
    """

    row: NDArray[np.int32]
    slot: int
    kind: int
    worth: NDArray[np.int64]
    left: NDArray[np.int64]


class Standing(NamedTuple):
    """A fire as it stands, one row per thread: time f32, code u8, weight f32, classes u8 [T, P],
    and the codes u8 [T, P] of the overlay in which breaks are tried.
    """

    time: NDArray[np.float32]
    code: NDArray[np.uint8]
    weight: NDArray[np.float32]
    classes: NDArray[np.uint8]
    state: NDArray[np.uint8]


class Crossed(NamedTuple):
    """Cells that each way crosses: cell i64 [88, K], offset from the child; how_many i64 [88]."""

    cell: NDArray[np.int64]
    how_many: NDArray[np.int64]


def standing_of(threads: int, cells: int) -> Standing:
    """Room for fires as they stand, on maps of `cells` padded cells."""
    shape = (threads, cells)
    return Standing(np.full(shape, np.inf, np.float32), np.full(shape, UNBURNED, np.uint8),
                    np.zeros(shape, np.float32), np.zeros(shape, np.uint8),
                    np.zeros(shape, np.uint8))


def in_units(value: NDArray[np.float32], unit: float) -> NDArray[np.int64]:
    """Losses as whole numbers, `unit` of them in a loss of 1."""
    return np.rint(value.astype(np.float64) * unit).astype(np.int64)


def crossed_by(crossing: Crossing) -> Crossed:
    """The pairs of `travel.closing_table` by code."""
    own = [-crossing.child[crossing.code == code] for code in range(SEGMENT_CODE + SEGMENTS)]
    cell = np.zeros((len(own), max(cells.size for cells in own)), np.int64)
    for code, cells in enumerate(own):
        cell[code, :cells.size] = cells
    return Crossed(cell, np.array([cells.size for cells in own], np.int64))


@compiled()
def _burn_or_recall(fire, row, ways, spots, lie, fires, store, work):
    """Puts a fire into the workspace; returns the number of cells it burned."""
    if store.kept[fire]:
        recall(fire, store, lie, work)
        burned = np.int64(store.size[fire])
        for k in range(burned):
            work.code[work.order[k]] = store.code[fire, work.order[k]]
        return burned
    burned = burn_one(fires.duration[fire], row, ways, spots, lie, work)
    for k in range(burned):
        work.status[work.order[k]] = standing(work.order[k], lie)
    return burned


@compiled()
def _stand(burned, before, work):
    """Notes the fire in the workspace as it stands."""
    for k in range(burned):
        cell = work.order[k]
        before.time[cell], before.code[cell] = work.time[cell], work.code[cell]
        before.weight[cell], before.classes[cell] = work.weight[cell], work.classes[cell]


@compiled()
def _clean(burned, before, work):
    for k in range(burned):
        before.time[work.order[k]] = np.inf
        before.code[work.order[k]] = UNBURNED
    clean(burned, work)


@compiled()
def _set_state(cell, kind, like, lie):
    """The overlay's codes with a break of this kind in a cell, whose surroundings are `like` else;
    as it was before if the kind is OPEN.
    """
    for down in range(-REACH, REACH + 1):
        for right in range(-REACH, REACH + 1):
            near = cell + down * lie.width + right
            code = like[near]
            lie.state[near] = NEAR if kind != OPEN and code == OPEN else code
    if kind != OPEN:
        lie.state[cell] = kind


@compiled()
def _class_now(cell, row, ways, limits, work):
    if ways.heat.shape[0] == 0:
        return 0
    here = intensity(ways, row, cell, np.int64(work.code[cell]), np.float64(work.weight[cell]))
    return np.searchsorted(limits, here, side="right")


@compiled()
def _saved(cell, row, candidates, limits, ways, before, changed, work):
    """(what the changes save, and what the break itself loses less; cells that burn only now)."""
    saved, fresh, worth = 0, 0, candidates.worth
    by_class = worth.shape[0] > 1
    for k in range(changed.how_many[0]):
        other = changed.cell[k]
        if before.code[other] != UNBURNED:
            saved += worth[before.classes[other] if by_class else 0, other]
        if work.code[other] != UNBURNED:
            fresh += before.code[other] == UNBURNED
            saved -= worth[_class_now(other, row, ways, limits, work) if by_class else 0, other]
    if candidates.left.shape[0] > 0 and work.code[cell] != UNBURNED:
        k = _class_now(cell, row, ways, limits, work) if by_class else 0
        saved += worth[k, cell] - candidates.left[k, cell]
    return saved, fresh


@compiled()
def _put_back(lie, before, changed, work):
    for k in range(changed.how_many[0]):
        cell = changed.cell[k]
        work.time[cell], work.code[cell] = before.time[cell], before.code[cell]
        work.weight[cell] = before.weight[cell]
        work.status[cell] = UNSEEN
        if before.code[cell] != UNBURNED:
            work.status[cell] = standing(cell, lie)
    changed.how_many[0] = 0


@compiled()
def _try(cell, burned, duration, row, candidates, like, crossing, limits, ways, lie, before,
         changed, work, beyond):
    """What a break in a cell saves; all is as before then. `cell`: i64 [1]."""
    place = cell[0]
    _set_state(place, candidates.kind, like, lie)
    size = change(cell, duration, crossing, row, ways, lie, changed, work)
    solve_again(size, burned, duration, row, ways, lie, changed, work)
    saved, fresh = _saved(place, row, candidates, limits, ways, before, changed, work)
    beyond[0] |= fresh > 0
    _set_state(place, OPEN, like, lie)
    _put_back(lie, before, changed, work)
    if work.code[place] != UNBURNED:
        work.status[place] = KEPT
    return saved


@compiled()
def _try_all(fire, thread, offset, width, candidates, ways, spots, rules, fires, like, crossing,
             crossed, standing_fires, changes, store, scratch, place, out, beyond):
    work = of_thread(scratch, thread, scratch.code[thread])
    before = Standing(standing_fires.time[thread], standing_fires.code[thread],
                      standing_fires.weight[thread], standing_fires.classes[thread],
                      standing_fires.state[thread])
    changed = Changes(changes.cell[thread], changes.how_many[thread])
    row, duration = fires.row[fire], fires.duration[fire]
    stream = row // ways.steps if rules.breach.shape[0] > 0 else 0
    for k in range(like.shape[0]):
        before.state[k] = like[k]
    lie = Lie(before.state, fires.source[fire], fires.key[fire],
              rules.breach[stream:stream + 1].reshape(-1), rules.leak, width, offset)
    burned = _burn_or_recall(fire, row, ways, spots, lie, fires, store, work)
    if ways.heat.shape[0] > 0:
        classify(burned, row, ways, rules.class_limits, work)
    _stand(burned, before, work)
    for k in range(out.shape[0]):
        out[k] = _NOT_TRIED
    beyond[0] = 0
    for k in range(burned):
        place[0] = work.order[k]
        if candidates.row[place[0]] >= 0:
            out[candidates.row[place[0]]] = _try(
                place, burned, duration, row, candidates, like, crossing, rules.class_limits, ways,
                lie, before, changed, work, beyond)
    for k in range(burned):  # breaks in cells that did not burn may close ways
        child = np.int64(work.order[k])
        code = before.code[child]
        if code >= SEGMENT_CODE + SEGMENTS:
            continue
        for c in range(crossed.how_many[code]):
            place[0] = child + crossed.cell[code, c]
            number = candidates.row[place[0]]
            if number >= 0 and out[number] == _NOT_TRIED:
                out[number] = _try(place, burned, duration, row, candidates, like, crossing,
                                   rules.class_limits, ways, lie, before, changed, work,
                                   beyond)
    for k in range(out.shape[0]):
        if out[k] == _NOT_TRIED:
            out[k] = 0
    _clean(burned, before, work)


@numba.njit(cache=True, parallel=True)
def try_breaks(which, width, candidates, ways, spots, rules, fires, overlays, crossing, crossed,
               standing_fires, changes, store, scratch, out, beyond):
    """Tries each candidate on each of the fires listed in `which`, in parallel.

    What it saves goes into out i64 [len(which), n]; beyond u8 [len(which)]: with some break the
    fire burns a cell that it does not burn without.
    """
    offset = STEP_ROW * width + STEP_COL
    places = np.zeros((changes.cell.shape[0], 8), np.int64)
    like = overlays.state[candidates.slot]
    for i in numba.prange(which.shape[0]):
        thread = numba.get_thread_id()
        _try_all(which[i], thread, offset, width, candidates, ways, spots, rules, fires, like,
                 crossing, crossed, standing_fires, changes, store, scratch,
                 places[thread, :1], out[i], beyond[i:i + 1])
