"""The plan fires of one problem under a plan that changes break by break, every look counted."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.env.marginal_gains import MarginalGains
from firebreak.env.problem import Problem
from firebreak.env.slots import ONLY
from firebreak.env.what_if import gains
from firebreak.planning.learned import open_cells
from firebreak.planning.rounds import Placement, Score, loaded, spent_share


class Board:
    """Breaks on a problem's map, its plan fires burning under them.

    Attributes:
        shape: (H, W) of the map.
        cells: flat cells of the breaks, in order of placement.
        evaluated: plans whose loss was computed.
    """

    def __init__(self, problem: Problem, keep_gains: bool = False) -> None:
        """Loads and burns the problem without breaks.

        Args:
            keep_gains: look at all treatable cells once and, later, only at fires that a change
                of the plan concerns; pays where most cells are looked at again and again.

        Raises:
            InputError: the plan fires burn nothing of value.
        """
        self.shape = problem.scene.landscape.shape
        self._problem = problem
        self._shown = problem.plan_fires.source.size
        self._slots = loaded(problem)
        self._cost = problem.scene.landscape.cost.ravel().astype(np.float64)
        self._burned = self._shown
        self._treatable = np.flatnonzero(problem.scene.landscape.treatable)
        self._kept = MarginalGains(self._slots, 0, self._treatable) if keep_gains else None
        self._seen = np.full(self._shown, -1, np.int64)
        self.cells: list[int] = []
        self.evaluated = 0

    @property
    def loss(self) -> float:
        """Mean loss of the plan fires under the breaks."""
        return self._slots.plan_loss(0)

    @property
    def simulations(self) -> float:
        """Fires burned so far, in burns of all plan fires."""
        return self._burned / self._shown

    def spent_share(self) -> float:
        """What is spent of the budget, 0 to 1."""
        return spent_share(self._slots, self._problem)

    def available(self) -> NDArray[np.int64]:
        """Flat cells that may be broken and that what is left of the budget buys."""
        return np.flatnonzero(self._slots.available[0])

    def segment(self, action: int) -> list[int]:
        """The flat cells that an allowed action of `firebreak.segments` would break."""
        return open_cells(self._slots, action).tolist()

    def price(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """What cells cost."""
        return self._cost[cells]

    def downstream_value(self) -> NDArray[np.float64]:
        """Flat, under the breaks; see `Slots.maps`."""
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
        """How much the mean loss falls by each of `cells` alone, exact; nothing changes."""
        self.evaluated += cells.size
        if self._kept is None:
            self._count_looks(cells, 1.0)
            return gains(self._slots, 0, cells)
        concerned = self._slots.concerned(0)[:self._shown]
        self._count_looks(self._treatable, float((concerned != self._seen).mean()))
        self._seen = concerned.copy()
        return self._kept.refresh()[np.searchsorted(self._treatable, cells)]

    def _count_looks(self, cells: NDArray[np.int64], share: float) -> None:
        """Counts a fire for each cell that it burns, of a share of the fires."""
        burns = float(self._slots.maps(0)[0].ravel()[cells].sum())
        self._burned += round(share * burns * self._shown)

    def place(self, cell: int) -> None:
        """Breaks a cell."""
        self.change([], [cell])

    def remove(self, cell: int) -> None:
        """Takes a break away."""
        self.change([cell], [])

    def change(self, away: Sequence[int], new: Sequence[int]) -> None:
        """Takes breaks away and then breaks cells; what that changes burns once."""
        for cell in away:
            self._slots.remove(0, cell)
            self.cells.remove(cell)
        for cell in new:
            self._slots.place(0, cell)
            self.cells.append(cell)
        if away or new:
            self._burned += self._slots.update(ONLY)

    def placement(self) -> Placement:
        """The breaks in order of placement, with what finding them took."""
        return Placement(np.array(self.cells, np.int64), self.simulations)

    def become(self, cells: list[int]) -> None:
        """Takes away what is not among `cells` and places what is missing of them, in order."""
        wanted, there = set(cells), set(self.cells)
        self.change([own for own in self.cells if own not in wanted],
                    [own for own in cells if own not in there])
