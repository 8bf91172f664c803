"""A plan that changes break by break, and the plan fires that burn under it. It counts the plans
whose loss it computes.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import MarginalGains, gains_of_cells
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.planning.core.line_trials import Trial, try_lines
from firebreak.planning.core.rounds import Placement, Score, loaded, spent_share


class PlanState:
    """Breaks on a problem's map, and its plan fires burned under them.

    Attributes:
        shape: (H, W) of the map.
        cells: flat cells of the breaks, in order of placement.
        evaluated: plans whose loss was computed.
    """

    def __init__(self, problem: Problem, keep_gains: bool = False) -> None:
        """Loads and burns the problem without breaks.

        Args:
            keep_gains: compute the marginal gains of all treatable cells once and, later, only
                those of fires that a change of the plan affects; pays where most cells are tried
                again and again.

        Raises:
            InputError: the plan fires burn nothing of value.
        """
        self.shape = problem.scene.landscape.shape
        self._problem = problem
        self._n_plan_fires = problem.plan_fires.source.size
        self._slots = loaded(problem)
        self._cost = problem.scene.landscape.cost.ravel().astype(np.float64)
        self._burned = self._n_plan_fires
        self._treatable = np.flatnonzero(problem.scene.landscape.treatable)
        self._kept = MarginalGains(self._slots, self._treatable) if keep_gains else None
        self._seen = np.full(self._n_plan_fires, -1, np.int64)
        self.cells: list[int] = []
        self.evaluated = 0

    @property
    def loss(self) -> float:
        """Mean loss of the plan fires under the breaks."""
        return self._slots.plan_loss(0)

    @property
    def simulations(self) -> float:
        """Fires burned so far, in burns of all plan fires."""
        return self._burned / self._n_plan_fires

    def spent_share(self) -> float:
        """Share of the budget that is spent, 0 to 1."""
        return spent_share(self._slots, self._problem)

    def breaks(self) -> NDArray[np.bool_]:
        """The breaks, and what stands from the start, bool [H, W]."""
        return self._slots.breaks[0]

    def available(self) -> NDArray[np.int64]:
        """Flat cells that may be broken and that what is left of the budget buys."""
        return np.flatnonzero(self._slots.available[0])

    def price(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Costs of cells."""
        return self._cost[cells]

    def downstream_value(self) -> NDArray[np.float64]:
        """Flat, under the breaks; see `ProblemBatch.maps`."""
        return self._slots.maps(0)[1].ravel()

    def score(self, of: Score) -> NDArray[np.floating]:
        """A score of all cells, or of all actions, under the breaks, flat."""
        return of(self._slots).ravel()

    def beside(self, reach: int) -> NDArray[np.bool_]:
        """bool [cells], flat: within `reach` rows and columns of a break."""
        near = np.zeros(self.shape, np.bool_)
        for cell in self.cells:
            row, col = divmod(cell, self.shape[1])
            near[max(row - reach, 0):row + reach + 1, max(col - reach, 0):col + reach + 1] = True
        return near.ravel()

    def gains(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Drop of the mean loss by each of `cells` alone, exact; nothing changes."""
        self.evaluated += cells.size
        if self._kept is None:
            self._count_trials(cells, 1.0)
            return gains_of_cells(self._slots, cells)
        affected = self._slots.affected(0)[:self._n_plan_fires]
        self._count_trials(self._treatable, float((affected != self._seen).mean()))
        self._seen = affected.copy()
        return self._kept.refresh()[np.searchsorted(self._treatable, cells)]

    def trials(self, of: Callable[[ProblemBatch], list[Trial]]) -> list[Trial]:
        """Lines that are burned beside the breaks; nothing changes."""
        tried = of(self._slots)
        self.evaluated += len(tried)
        self._burned += sum(trial.burned for trial in tried)
        return tried

    def try_lines(self, lines: Sequence[Sequence[int]]) -> list[Trial]:
        """Try each of some lines of flat cells alone, see `line_trials`."""
        return self.trials(lambda slots: try_lines(
            self._problem, slots, [np.array(line, np.int64) for line in lines]))

    def _count_trials(self, cells: NDArray[np.int64], share: float) -> None:
        """Counts a fire for each cell that it burns, of a share of the fires."""
        burns = float(self._slots.maps(0)[0].ravel()[cells].sum())
        self._burned += round(share * burns * self._n_plan_fires)

    def place(self, cell: int) -> None:
        """Breaks a cell."""
        self.change([], [cell])

    def remove(self, cell: int) -> None:
        """Takes a break away."""
        self.change([cell], [])

    def change(self, away: Sequence[int], new: Sequence[int]) -> None:
        """Takes breaks away and then breaks cells; what that changes burns once."""
        gone = set(away)
        self._slots.remove(0, away)
        self.cells = [cell for cell in self.cells if cell not in gone]
        self._slots.place(0, new)
        self.cells += new
        if away or new:
            self._burned += self._slots.update(SLOT_0)

    def placement(self) -> Placement:
        """The breaks in order of placement, with what finding them took."""
        return Placement(np.array(self.cells, np.int64), self.simulations)

    def become(self, cells: list[int]) -> None:
        """Takes away what is not among `cells` and places what is missing of them, in order."""
        wanted, there = set(cells), set(self.cells)
        self.change([own for own in self.cells if own not in wanted],
                    [own for own in cells if own not in there])
