"""Savings of runs of given lines, rated on the plan fires and kept until a fire changes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import saved_by_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.free_memory import check_free
from firebreak.planning.core.given_lines import Cells
from firebreak.planning.core.line_trials import Trial, try_line
from firebreak.planning.core.rounds import spendable


class _Open(NamedTuple):
    """Of every run its cells that may be built and are not yet, and what they cost."""

    cells: list[Cells]
    cost: NDArray[np.float64]


class RatedRuns:
    """Runs of given lines, each rated by what it saves per cost beside the breaks so far.

    Where fires are repaired in place, a run is tried again on those fires alone that have changed
    near enough: this is greedy choice without short cuts. Where fires burn anew for every trial, a
    rating stands as a bound until its run leads, and is then made anew (Minoux 1978,
    doi:10.1007/BFb0006528).
    """

    def __init__(self, problem: Problem, slots: ProblemBatch, runs: Sequence[Cells]) -> None:
        """runs: flat cells; slots: whose slot 0 holds the problem."""
        self._problem, self._slots, self._runs = problem, slots, runs
        self._in_place = trial_in_place(slots, 0)
        count = problem.plan_fires.source.size
        if self._in_place:
            check_free({f"{len(runs):,} runs of lines on {count:,} plan fires":
                        8 * len(runs) * count}, where="--lines",
                       remedy="give fewer lines, or raise --segment-m")
        self._saved = np.zeros((count if self._in_place else 0, len(runs)), np.int64)
        self._affected = np.full(count, -1, np.int64)
        self._bound = np.full(len(runs), np.inf)

    def trials(self) -> list[Trial]:
        """The runs that can be paid for and save something, best first; where fires burn anew, the
        best one.
        """
        found = self._open()
        left = spendable(float(self._slots.budget_left[0]))
        can = np.array([cells.size > 0 for cells in found.cells], np.bool_) & (found.cost <= left)
        return self._from_cache(found, can) if self._in_place else self._lazily(found, can)

    def _open(self) -> _Open:
        land = self._problem.scene.landscape
        free = (land.treatable & ~self._slots.breaks[0]).ravel()
        cost = land.cost.ravel().astype(np.float64)
        cells = [run[free[run]] for run in self._runs]
        return _Open(cells, np.array([cost[own].sum() for own in cells]))

    def _from_cache(self, found: _Open, can: NDArray[np.bool_]) -> list[Trial]:
        affected = self._slots.affected(0)[:self._affected.size]
        again = np.flatnonzero(affected != self._affected)
        burned = np.zeros(len(self._runs), np.int64)
        if again.size:
            self._saved[again], tried = saved_by_lines(self._slots, 0, found.cells, again)
            burned = tried.sum(axis=0)
            self._affected[again] = affected[again]
        unit = self._slots.loss_unit(0) * max(self._affected.size, 1)
        rate = self._saved.sum(axis=0) / unit / np.maximum(found.cost, 1e-300)
        # Every run was tried for this choice, those too that are not told.
        order = [k for k in np.argsort(-rate, kind="stable").tolist() if can[k] and rate[k] > 0.0]
        extra = int(burned.sum())
        return [Trial(found.cells[k], float(rate[k]), extra if place == 0 else 0)
                for place, k in enumerate(order)]

    def _lazily(self, found: _Open, can: NDArray[np.bool_]) -> list[Trial]:
        burned, fresh = 0, np.zeros(len(self._runs), np.bool_)
        while True:
            bound = np.where(can, self._bound, -np.inf)
            k = int(np.argmax(bound))
            if not bound[k] > 0.0:
                return []
            if fresh[k]:
                return [Trial(found.cells[k], float(bound[k]), burned)]
            trial = try_line(self._problem, self._slots, found.cells[k])
            self._bound[k], fresh[k] = trial.saved_per_cost, True
            burned += trial.burned
