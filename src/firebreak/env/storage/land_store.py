"""The land of N slots as a planner treats it: what may be broken, at what cost, and what is."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firebreak.env.kernels import place_breaks, refresh_available
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.sizes import Sizes
from firebreak.fire import OPEN, REACH, break_state, padded_width, write_break


class LandStore:
    """Attributes, first axis the slot: burnable, treatable, breaks, available (treatable, unbroken,
    affordable) bool [N, H, W]; cost f32 [N, H, W]; budget_left f64 [N]; states u8 [N, P], what
    fires meet (codes of `fire.travel.arcs`).
    """

    def __init__(self, sizes: Sizes) -> None:
        n, (rows, cols) = sizes.slots, sizes.shape
        self.burnable, self.treatable, self.breaks, self.available = (
            np.zeros((n, rows, cols), np.bool_) for _ in range(4))
        self.cost = np.zeros((n, rows, cols), np.float32)
        self.budget_left = np.zeros(n)
        self.states = np.zeros((n, (rows + 2 * REACH) * padded_width(cols)), np.uint8)
        self._kinds = np.zeros(n, np.uint8)

    def arrays(self) -> Iterator[NDArray]:
        """All arrays held."""
        yield from vars(self).values()

    def load(self, slot: int, problem: Problem) -> None:
        """A problem's land, untreated."""
        land, field = problem.scene.landscape, problem.scene.field
        self.burnable[slot], self.treatable[slot] = land.burnable, land.treatable
        self.cost[slot] = land.cost
        self.states[slot] = field.burnable
        self._kinds[slot] = break_state(field.breaks)
        self.breaks[slot] = False
        self.leave(slot, problem.budget)

    def leave(self, slot: int, budget: float) -> None:
        """So much is left to spend in a slot."""
        self.budget_left[slot] = budget
        refresh_available(slot, self.treatable, self.cost, self.budget_left, self.breaks,
                          self.available)

    def waste(self, slot: int) -> None:
        """Spends the cost of the cheapest available cell on nothing; nothing if none is left."""
        left = self.cost[slot][self.available[slot]]
        if left.size:
            self.leave(slot, self.budget_left[slot] - float(left.min()))

    def write(self, slot: int, cell: int, *, broken: bool) -> None:
        """Breaks a flat cell or takes its break away, at no cost."""
        row, col = divmod(cell, self.breaks.shape[2])
        self.breaks[slot, row, col] = broken
        if self._kinds[slot] != OPEN:  # else it burns, as other fuel
            write_break(row, col, self._kinds[slot], self.breaks[slot], self.states[slot])

    def place(self, which: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Breaks flat cells of slots, one after the other, those available when their turn comes;
        not of slots whose breaks burn. Returns the padded cell of each, -1 where none was broken.
        """
        places = np.empty(which.size, np.int64)
        place_breaks(which, cells, self._kinds, self.treatable, self.cost, self.budget_left,
                     self.breaks, self.available, self.states, places)
        return places
