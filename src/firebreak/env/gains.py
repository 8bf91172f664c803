"""Gains of breaks that are not there: trials on kept fires, undone after measuring.

`gains_of_cells` and `gains_of_lines` ask once; `MarginalGains` keeps the answers while breaks come
and go, for an exact greedy; `ExactGains` uses reward fires, for labels. `saved_anew` tries lines
where fires that a break may change burn anew as a whole: with breaks that burn, crews, an initial
attack or embers. All are of the problem of the first slot, which planning holds alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import Sizes
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.fire import (
    NOT_TRIED,
    Candidates,
    Overlays,
    break_state,
    in_units,
    pad,
    padded_cells,
    unpad,
)


def gains_of_cells(slots: ProblemBatch, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Fall of the mean loss of the plan fires if one cell alone is broken next.

    f64 [n], of flat `cells`; 0 where there can be no break. Nothing changes; what breaks have
    come or gone must have been burned by `ProblemBatch.update`. The same as placing each cell and
    taking it away again, but for the rounding of the mean.
    """
    count = slots.problem(0).plan_fires.source.size
    saved = saved_per_fire(slots, cells, np.arange(count))[0]
    return saved.sum(axis=0) / (slots.loss_unit(0) * max(count, 1))


def trial_in_place(slots: ProblemBatch) -> bool:
    """True where fires are solved again in the places that a break changes; else they burn anew,
    which they do with breaks that burn, with crews and with embers.
    """
    return not slots.problem(0).scene.field.burns_anew


def gains_of_lines(slots: ProblemBatch, lines: Sequence[NDArray[np.int64]],
                   ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Fall of the mean loss of the plan fires with the breaks of each line alone, f64 [n], and how
    many fires burned for it, i64 [n]. lines: flat cells that are not broken.

    Nothing changes; where `trial_in_place`.
    """
    count = slots.problem(0).plan_fires.source.size
    saved, tried = saved_by_lines(slots, lines, np.arange(count))
    return saved.sum(axis=0) / (slots.loss_unit(0) * max(count, 1)), tried.sum(axis=0)


def saved_by_lines(slots: ProblemBatch, lines: Sequence[NDArray[np.int64]],
                   fires: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The saving of each line alone in each of the plan fires numbered `fires`, whole units i64
    [len(fires), n], see `ProblemBatch.loss_unit`; and which of these depend on the line, so that
    they burned for it, bool [len(fires), n]; see `gains_of_lines`.
    """
    first = np.cumsum([0, *(line.size for line in lines)])
    made, _ = _tried(slots, np.concatenate([*lines, np.empty(0, np.int64)]), first, fires)
    tried = made != NOT_TRIED
    return np.where(tried, made, 0), tried


def _tried(slots: ProblemBatch, cells: NDArray[np.int64], first: NDArray[np.int64],
           fires: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """`FireStore.try_lines` of lines of flat cells, with breaks as the problem has them."""
    rules, value = slots.problem(0).scene.field.breaks, slots.value[0]
    left = value * pad(rules.left(slots.sizes.shape)) if rules.strips else value[:0]
    candidates = Candidates(0, break_state(rules), in_units(left, slots.fires.value_unit(0)))
    return slots.fires.try_lines(slots.plan_ids(0).start + fires,
                                 padded_cells(cells, slots.sizes.shape[1]), first, candidates,
                                 slots.fields, slots.overlays)


def saved_per_fire(slots: ProblemBatch, cells: NDArray[np.int64],
                   fires: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The saving of each of `cells`, broken alone, in each of the plan fires numbered `fires`.

    Returns whole units i64 [len(fires), n], see `ProblemBatch.loss_unit`, and bool [len(fires)]:
    with some of the breaks the fire would burn a cell that it does not burn without.
    """
    field, shape = slots.problem(0).scene.field, slots.sizes.shape
    free = unpad(field.burns, shape) & ~slots.breaks[0]
    which = slots.plan_ids(0).start + fires
    if not trial_in_place(slots):
        return _burned_anew(slots, cells, which, free), np.ones(fires.size, np.bool_)
    cells_free = np.flatnonzero(free.ravel()[cells])
    saved = np.zeros((fires.size, cells.size), np.int64)
    if not cells_free.size or not fires.size:
        return saved, np.zeros(fires.size, np.bool_)
    made, beyond = _tried(slots, cells[cells_free], np.arange(cells_free.size + 1), fires)
    saved[:, cells_free] = np.where(made != NOT_TRIED, made, 0)
    return saved, beyond


def _burned_anew(slots: ProblemBatch, cells: NDArray[np.int64], which: NDArray[np.int64],
                 free: NDArray[np.bool_]) -> NDArray[np.int64]:
    """`savings` of any kind of break in any weather: the fires it may change burn anew."""
    unit = slots.loss_unit(0)
    saved = np.zeros((which.size, cells.size), np.int64)
    nearby = slots.problem(0).scene.field.breaks.acts_nearby
    for k in np.flatnonzero(free.ravel()[cells]).tolist():
        place = padded_cells(cells[k:k + 1], slots.sizes.shape[1])
        rows = slots.fires.may_change(place, which, nearby=nearby)
        own = which[rows]
        before = slots.fires.loss[own]
        with slots.broken_for(0, cells[k:k + 1], own):
            after = slots.fires.loss_anew(own, slots.fields, slots.overlays)
        saved[rows, k] = np.rint((before - after) * unit).astype(np.int64)
    return saved


class MarginalGains:
    """The savings of some cells, each broken alone, in each plan fire.

    After a break has come or gone and `ProblemBatch.update` has burned what that changes, `refresh`
    tries the breaks again on those fires alone that burn close to it. It holds 8 bytes per plan
    fire and cell.
    """

    def __init__(self, slots: ProblemBatch, cells: NDArray[np.int64]) -> None:
        """cells: flat, i64 [n]."""
        self._slots, self._cells = slots, cells
        self._count = slots.problem(0).plan_fires.source.size
        self._saved = np.zeros((self._count, cells.size), np.int64)
        self._total = np.zeros(cells.size, np.int64)
        self._beyond = np.ones(self._count, np.bool_)
        self._affected = np.full(self._count, -1, np.int64)
        self._moves = -1

    def refresh(self) -> NDArray[np.float64]:
        """Gains f64 [n] as things stand now, with the bits of `gains_of_cells`."""
        affected = self._slots.affected(0)[:self._count]
        moves = int(self._slots.moves[0])
        if moves != self._moves:
            # A fire that some break lets burn new cells may meet the change there.
            again = (affected != self._affected) | self._beyond
            self._try_again(np.flatnonzero(again))
            self._moves, self._affected = moves, affected.copy()
        unit = self._slots.loss_unit(0)
        return self._total / (unit * max(self._count, 1))

    def _try_again(self, fires: NDArray[np.int64]) -> None:
        saved, beyond = saved_per_fire(self._slots, self._cells, fires)
        self._total += (saved - self._saved[fires]).sum(axis=0)
        self._saved[fires], self._beyond[fires] = saved, beyond


class ExactGains:
    """A slot of its own in which breaks of a state are tried on a few of its reward fires.

    The reward fires of a problem are others than the plan fires that its observation is made from,
    so a gain is the gain on reward fires.
    """

    def __init__(self, sizes: Sizes, fires: int) -> None:
        """sizes: of the environment whose states are tried; fires: most of them that are burned."""
        count = min(fires, sizes.reward_fires)
        self._slots = ProblemBatch(sizes._replace(slots=1, plan_fires=count, reward_fires=0))
        self._slots.touch()
        self._fires = count

    def owned_bytes(self) -> int:
        """Bytes of storage held, fixed from the start."""
        return self._slots.owned_bytes()

    def loaded(self, slots: ProblemBatch, slot: int) -> ProblemBatch:
        """The slot of its own, with the state of a slot of an environment and the reward fires that
        are tried as its plan fires, burned under the breaks.
        """
        problem = slots.problem(slot)
        fires = problem.reward_fires
        self._slots.load(0, replace(problem, plan_fires=fires.first(self._fires),
                                    reward_fires=fires.first(0)))
        self._slots.place(0, np.flatnonzero(slots.breaks[slot]))
        if problem.standing.size:  # which cost nothing
            self._slots.land.leave(0, float(slots.budget_left[slot]))
        self._slots.update(SLOT_0)
        return self._slots


_MOST_LOST = 48
"""Power of two of the whole units that no fire loses more than, see `ProblemBatch.loss_unit`."""


class TriedAnew(NamedTuple):
    """Trials of n lines. fires: of those tried with each, the ones that it may change, i64; saved:
    of each of these, whole units i64; beyond: whether a fire came to one of the cells that none
    should.
    """

    fires: list[NDArray[np.int64]]
    saved: list[NDArray[np.int64]]
    beyond: bool


def saved_anew(slots: ProblemBatch, lines: Sequence[NDArray[np.int64]],
               fires: Sequence[NDArray[np.int64]], edge: NDArray[np.bool_], *,
               standing: bool = False) -> TriedAnew:
    """The saving of each line alone in the plan fires.

    Args:
        standing: the lines are broken, and each saves what would burn without it alone.
        lines: flat cells that are not broken.
        fires: of each line the numbers of the fires to try, rising.
        edge: [H, W], where no fire should come to, since what burns there is not known.
    """
    first, unit = slots.plan_ids(0).start, slots.loss_unit(0)
    field = slots.problem(0).scene.field
    value, marked = slots.value.copy(), pad(edge)
    value[0] = slots.fires.whole_value(0)
    # A loss that no fire has otherwise.
    value[0][:, marked] = 2.0**(_MOST_LOST + 1) / slots.fires.value_unit(0)
    found = TriedAnew([], [], False)
    for cells, some in zip(lines, fires, strict=True):
        places = padded_cells(cells, slots.sizes.shape[1])
        # Where a break goes, fire comes from close by, and embers from anywhere.
        own = (some if standing and field.spots.cells.size else some[slots.fires.may_change(
            places, first + some, nearby=standing or field.breaks.acts_nearby)])
        saved = np.zeros(own.size, np.int64)
        if own.size:
            before = slots.fires.loss[first + own]
            inside = places[~marked[places]]
            with slots.broken_for(0, cells, first + own, broken=not standing):
                if field.breaks.strips:
                    value[0][:, inside] = slots.fires.whole_value(0, inside)
                after = slots.fires.loss_anew(first + own, slots.fields,
                                              Overlays(slots.overlays.state, value))
            if field.breaks.strips:
                value[0][:, inside] = slots.fires.whole_value(0, inside)
            less = after - before if standing else before - after
            saved = np.rint(less * unit).astype(np.int64)
            found = found._replace(beyond=found.beyond or bool(
                (after * unit > 2.0**_MOST_LOST).any()))
        found.fires.append(own)
        found.saved.append(saved)
    return found
