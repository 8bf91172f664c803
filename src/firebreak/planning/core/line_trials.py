"""Trials of lines of breaks on the plan fires of slot 0."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import gains_of_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import UNBURNED
from firebreak.planning.core.limits import MOST_BURNED, forever
from firebreak.planning.core.plan import Plan, amount_words


class Trial(NamedTuple):
    """A line that was burned. cells: i64 [n], flat; saved: mean loss saved over its cost;
    burned: fires burned for it.
    """

    cells: NDArray[np.int64]
    saved_per_cost: float
    burned: int


class Known(NamedTuple):
    """Saving by a line of each plan fire when this last burned with it, the same still while no
    break has come or gone near the fire. A fire that the line lets burn new cells may meet a break
    there, so that it is not known.

    affected: i64 [K], `ProblemBatch.affected` then, -1 where nothing is known. saved: f64 [K].
    """

    affected: NDArray[np.int64]
    saved: NDArray[np.float64]


Memory = dict[bytes, Known]
"""By the cells of a line."""
MOST_KNOWN = 2**24
"""Lines times plan fires that a memory holds, at most; a full one begins anew."""


def try_lines(problem: Problem, slots: ProblemBatch, lines: Sequence[NDArray[np.int64]],
              go_on: Callable[[], bool] = forever, memory: Memory | None = None) -> list[Trial]:
    """Savings by the available ones of each line's flat cells, alone, of slot 0's plan fires, which
    are the problem's. Where every trial burns its fires anew, those of the first lines, as long as
    it may go on; memory: see `saved_by`.
    """
    if not trial_in_place(slots):
        return [try_line(problem, slots, line, memory)
                for line in takewhile(lambda _: go_on(), lines)]
    available, cost = slots.available[0].ravel(), problem.scene.landscape.cost.ravel()
    new = [line[available[line]] for line in lines]
    saved, burned = gains_of_lines(slots, new)
    return [Trial(cells, float(saved[k]) / float(cost[cells].astype(np.float64).sum()),
                  int(burned[k])) if cells.size else Trial(cells, 0.0, 0)
            for k, cells in enumerate(new)]


def try_line(problem: Problem, slots: ProblemBatch, cells: NDArray[np.int64],
             memory: Memory | None = None) -> Trial:
    """Savings by the available ones of flat `cells` of the problem's plan fires, those of slot 0.

    memory: see `saved_by`.
    """
    new = cells[slots.available[0].ravel()[cells]]
    saved, burned = saved_by(slots, new, np.flatnonzero(slots.depending_on(0, new)), memory)
    cost = float(problem.scene.landscape.cost.ravel()[new].astype(np.float64).sum())
    return Trial(new, saved / slots.plan_trees(0).loss.size / cost if saved else 0.0, burned.size)


def saved_by(slots: ProblemBatch, cells: NDArray[np.int64], fires: NDArray[np.int64],
             memory: Memory | None = None) -> tuple[float, NDArray[np.int64]]:
    """The loss that some plan fires of slot 0, which may change, save together with breaks in flat
    `cells`; and those that burned for it, of which it is not known.

    Args:
        fires: their numbers, i64 [n].
        memory: of these slots; takes what is found.
    """
    trees, first, affected = slots.plan_trees(0), slots.plan_ids(0).start, slots.affected(0)
    count = trees.loss.size
    known = Known(np.full(count, -1), np.zeros(count))
    if memory is not None:
        if len(memory) * count > MOST_KNOWN:
            memory.clear()
        known = memory.setdefault(cells.tobytes(), known)
    again = fires[known.affected[fires] != affected[fires]]
    if again.size:
        ids = first + again
        beyond = None if memory is None else np.zeros(again.size, np.bool_)
        with slots.broken_for(0, cells, ids):
            loss = slots.fires.loss_anew(ids, slots.fields, slots.overlays, beyond)
        known.saved[again] = trees.loss[again] - loss
        if beyond is not None:
            known.affected[again] = np.where(beyond, -1, affected[again])
    return float(known.saved[fires].sum()), again


class TrialBound:
    """The bound of a plan's trials that burn fires anew, MOST_BURNED cells.

    Attributes:
        untried: what was left of the budget when it was reached; None before.
    """

    def __init__(self) -> None:
        self._burned = 0.0
        self.untried: float | None = None

    def ended(self, slots: ProblemBatch) -> bool:
        """True once it is reached."""
        if self._burned >= MOST_BURNED and self.untried is None:
            self.untried = float(slots.budget_left[0])
        return self.untried is not None

    def count(self, slots: ProblemBatch, trials: Sequence[Trial]) -> None:
        """Takes trials on the plan fires of slot 0."""
        if self.untried is None and not trial_in_place(slots):
            sizes = (slots.plan_trees(0).code != UNBURNED).sum(axis=1)
            self._burned += tried_cells(sizes) * sum(trial.burned for trial in trials)


def tried_cells(sizes: NDArray[np.integer]) -> float:
    """Cells that a fire burns for a trial, by the sizes of fires, i64 [F] cells: the larger a fire,
    the more lines it is tried with.
    """
    cells = sizes.astype(np.float64)
    return float((cells**2).sum() / max(cells.sum(), 1.0))


UNTRIED = "untried"
"""Note of a plan: what was left of the budget when trials ended, as fires are large."""


def untried_words(plan: Plan) -> str | None:
    """A sentence on a plan whose trials ended early; None of any other."""
    notes = plan.notes or {}
    if UNTRIED not in notes:
        return None
    follow = ("that saved most when last tried" if "windows" in notes else
              "that the policy values most" if plan.policy is not None else
              "with most value burned behind them")
    return ("Fires are so large here that trials of lines ended with "
            f"{amount_words(notes[UNTRIED], plan.priced_in)} of the budget left: lines after that "
            f"are those {follow}.")
