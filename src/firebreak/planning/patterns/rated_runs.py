"""Runs of corridors, each rated by what it saves per cost beside the breaks so far.

Where fires are repaired in place, a run is tried again on those fires alone that have changed near
enough: this is greedy choice without short cuts. Where fires burn anew for a trial, which those do
alone that have changed since, trials are few: a run saves at most what burns behind it, and mostly
no more than when it was last tried (Minoux 1978, doi:10.1007/BFb0006528), but for one that touches
a new break, which may close what was open. By such bounds the run that leads is tried on the fires
of which it may save most, until it falls behind the next or its rating is exact; once MOST_TRIED
are begun, on these alone. Once trials have burned MOST_BURNED cells, runs follow as method
`downstream-value` places them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.env.gains import saved_by_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import REACH, UNBURNED, pad, padded_cells, padded_width
from firebreak.free_memory import check_free
from firebreak.landscape.candidates.corridor import Cells
from firebreak.planning.core.break_segments import CORNERS
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.limits import MOST_BURNED
from firebreak.planning.core.line_trials import Memory, Trial, saved_by, try_lines
from firebreak.planning.core.rounds import best_run, spendable
from firebreak.planning.ranking import TreeSums

MOST_TRIED = 60
"""Runs of which trials begin before one is placed, at most, where one of them saves something."""
LEAST_BURNED = 2
"""Fires that a run burns at a time, at least, which two threads burn together."""


class _Open(NamedTuple):
    """Cells of every run that may be built and are not yet, and what they cost."""

    cells: list[Cells]
    cost: NDArray[np.float64]


class _Begun(NamedTuple):
    """Trial of a run on some fires. fires: those still to burn, and the most that it saves of each,
    falling. saved: of those that burned.
    """

    fires: NDArray[np.int64]
    most: NDArray[np.float64]
    saved: float

    def rated(self) -> float:
        """The most that the run may save in all."""
        return self.saved + float(self.most.sum())

    def enough(self, beside: float) -> int:
        """The fewest fires to burn that leave the run behind one that saves `beside`, if it saves
        nothing of them, but LEAST_BURNED. Those last of which nothing is to be saved: they can only
        take away.
        """
        some = int(np.count_nonzero(self.most))
        count = int(np.searchsorted(np.cumsum(self.most), self.rated() - beside)) + 1
        return min(max(count, LEAST_BURNED), some) if some else self.fires.size


class RatedRuns:
    """Runs of corridors on a problem, see the module.

    Attributes:
        untried: what was left of the budget when trials ended; None where they went on.
    """

    def __init__(self, problem: Problem, slots: ProblemBatch, lines: Corridors) -> None:
        """slots: whose slot 0 holds the problem."""
        self._problem, self._slots = problem, slots
        self._rules = BuildRules(lines, problem.scene.landscape)
        self._runs, self._alone = self._rules.runs, lines.only
        runs = self._runs
        self._in_place = trial_in_place(slots)
        count = problem.plan_fires.source.size
        check_free({f"{len(runs):,} runs of lines on {count:,} plan fires":
                    8 * len(runs) * count}, where="--lines",
                   remedy="give fewer lines, or raise --segment-m")
        # Of each fire what a run saves, or the most that it may save.
        self._saved = np.zeros((count, len(runs)), np.int64 if self._in_place else np.float64)
        self._affected = np.full(count, -1, np.int64)
        self._size, self._burned = np.zeros(count, np.int64), 0  # cells of each fire, and in trials
        self.untried: float | None = None
        self._rated = np.full(len(runs), np.inf)  # per cost, when last tried
        self._breaks, self._memory = slots.breaks[0].copy(), Memory()
        self._near = [] if self._in_place else [_near(run, slots.sizes.shape[1]) for run in runs]

    def trials(self) -> list[Trial]:
        """The runs that can be paid for and save something, best first; where fires burn anew, the
        best one.
        """
        if self._burned >= MOST_BURNED:
            return self._by_value()
        found = self._open()
        left = spendable(float(self._slots.budget_left[0]))
        can = np.array([cells.size > 0 for cells in found.cells], np.bool_) & (found.cost <= left)
        can &= self._rules.allow(self._slots.breaks[0], found.cells)
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
            self._saved[again], tried = saved_by_lines(self._slots, found.cells, again)
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
        self._forget_touched(found)
        rated = np.minimum(self._rated, self._most_saved() / np.maximum(found.cost, 1e-300))
        rated[~can] = -np.inf
        begun, burned = dict[int, _Begun](), 0
        while True:
            known = np.where(np.isin(np.arange(rated.size), list(begun)), rated, 0.0)
            among = known if len(begun) >= MOST_TRIED and known.max() > 0.0 else rated
            k = int(np.argmax(among))
            if not rated[k] > 0.0:
                return []
            own = begun.get(k) or self._begin(k, found.cells[k])
            if k in begun and not own.fires.size:
                return [Trial(found.cells[k], float(rated[k]), burned)]
            per_rate = found.cost[k] * self._affected.size
            count = own.enough(np.delete(among, k).max(initial=0.0) * per_rate)
            saved, more = saved_by(self._slots, found.cells[k], own.fires[:count], self._memory)
            begun[k] = own = _Begun(own.fires[count:], own.most[count:], own.saved + saved)
            rated[k] = self._rated[k] = own.rated() / per_rate
            self._burned += int(self._size[more].sum())
            burned += more.size

    def _by_value(self) -> list[Trial]:
        """The run whose cells have most value burned behind them per cost, without a trial where no
        other line is tried.
        """
        slots = self._slots
        if self.untried is None:
            self.untried = float(slots.budget_left[0])
        rate = slots.maps(0)[1] / self._problem.scene.landscape.cost
        cells = np.array(best_run(self._rules, rate, slots), np.int64)
        if self._alone or not cells.size:
            return [Trial(cells, 0.0, 0)] if cells.size else []
        return [trial for trial in try_lines(self._problem, slots, [cells])
                if trial.saved_per_cost > 0.0]

    def _begin(self, run: int, cells: Cells) -> _Begun:
        fires = np.flatnonzero(self._slots.depending_on(0, cells))
        most = self._saved[fires, run]
        order = np.argsort(-most, kind="stable")
        return _Begun(fires[order], most[order], 0.0)

    def _forget_touched(self, found: _Open) -> None:
        """Forgets the ratings of runs that touch what was broken since the last choice."""
        breaks = self._slots.breaks[0]
        near = ndimage.binary_dilation(breaks & ~self._breaks, CORNERS).ravel()
        self._breaks = breaks.copy()
        for k, cells in enumerate(found.cells):
            if near[cells].any() or cells.size < self._runs[k].size:
                self._rated[k] = np.inf

    def _most_saved(self) -> NDArray[np.float64]:
        """The most that each run saves of the mean loss: of each fire what it loses in cells so
        near that a step of it may cross the run there, and behind them.
        """
        scene, trees = self._problem.scene, self._slots.plan_trees(0)
        affected = self._slots.affected(0)[:self._affected.size]
        again = np.flatnonzero(affected != self._affected)
        self._size[again] = (trees.code[again] != UNBURNED).sum(axis=1)
        self._affected = affected.copy()
        if scene.field.spots.cells.size:  # embers come from anywhere
            return np.full(len(self._runs), trees.loss.mean())
        behind = TreeSums(self._slots.sizes.shape).behind(
            trees.code[again], pad(scene.value.astype(np.float64)), trees.times[again], self._near)
        self._saved[again] = np.minimum(behind, trees.loss[again, None])
        most: NDArray[np.float64] = self._saved.sum(axis=0) / trees.loss.size
        return most


def _near(run: Cells, cols: int) -> NDArray[np.int64]:
    """The padded cells within the longest step of a fire from a run."""
    down, right = np.mgrid[-REACH:REACH + 1, -REACH:REACH + 1]
    around = (down * padded_width(cols) + right).ravel()
    return np.unique(padded_cells(run, cols)[:, None] + around)
