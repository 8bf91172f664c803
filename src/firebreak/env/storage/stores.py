"""The land and the observations of N slots, written in place."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from firebreak.env.kernels import place_breaks, write_cells
from firebreak.env.storage.observation import scalar_channels
from firebreak.env.storage.problem import Problem, Sizes
from firebreak.fire import (
    OPEN,
    REACH,
    FireStore,
    break_state,
    open_state,
    padded_width,
    unpad,
    write_breaks,
)
from firebreak.layout import OBSERVATION


class LandStore:
    """Attributes, first axis the slot: burnable, treatable, breaks, available (treatable, unbroken,
    affordable) bool [N, H, W]; cost f32 [N, H, W]; budget_left and mean_cost, of a treatable cell
    of the problem, f64 [N]; states u8 [N, P], what fires meet (codes of `fire.travel.arcs`).
    """

    def __init__(self, sizes: Sizes) -> None:
        n, (rows, cols) = sizes.slots, sizes.shape
        self.burnable, self.treatable, self.breaks, self.available = (
            np.zeros((n, rows, cols), np.bool_) for _ in range(4))
        self.cost = np.zeros((n, rows, cols), np.float32)
        self.budget_left, self.mean_cost = np.zeros(n), np.ones(n)
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
        self.states[slot] = open_state(unpad(field.burnable, land.shape),
                                       np.zeros(land.shape, np.bool_), field.breaks)
        self._kinds[slot] = break_state(field.breaks)
        self.mean_cost[slot] = land.cost.mean(
            dtype=np.float64, where=land.treatable) if land.treatable.any() else 1.0
        self.breaks[slot] = False
        self.leave(slot, problem.budget)

    def turn_to(self, slot: int, problem: Problem) -> None:
        """Takes what may be treated and what may be spent of another problem; breaks stay."""
        land = problem.scene.landscape
        self.treatable[slot], self.cost[slot] = land.treatable, land.cost
        self.leave(slot, problem.budget)

    def leave(self, slot: int, budget: float) -> None:
        """Set what is left to spend in a slot."""
        self.budget_left[slot] = budget
        payable = np.float32(budget * (1.0 + 1e-9) + 1e-9)  # as in `src/native/breaks.cpp`
        self.available[slot] = (self.treatable[slot] & ~self.breaks[slot]
                                & (self.cost[slot] <= payable))

    def waste(self, slot: int) -> None:
        """Spends the cost of the cheapest available cell on nothing; nothing if none is left."""
        left = self.cost[slot][self.available[slot]]
        if left.size:
            self.leave(slot, self.budget_left[slot] - float(left.min()))

    def write(self, slot: int, cells: NDArray[np.int64], *, broken: bool) -> None:
        """Breaks flat cells or takes their breaks away, at no cost."""
        if self._kinds[slot] == OPEN:  # they burn, as other fuel
            self.breaks[slot].reshape(-1)[cells] = broken
            return
        write_breaks(np.ascontiguousarray(cells), broken, int(self._kinds[slot]),
                     self.breaks[slot], self.states[slot])

    def place(self, which: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Breaks flat cells of slots, one after the other, those available when their turn comes;
        not of slots whose breaks burn. Returns the padded cell of each, -1 where none was broken.
        """
        places = np.empty(which.size, np.int64)
        place_breaks(which, cells, self._kinds, self.treatable, self.cost, self.budget_left,
                     self.breaks, self.available, self.states, places)
        return places


class ObservationStore:
    """layers: uint8 [N, C, H, W], channels in the order of `layout.OBSERVATION`."""

    def __init__(self, sizes: Sizes) -> None:
        n, shape = sizes.slots, sizes.shape
        self.layers = np.zeros((n, OBSERVATION.channels, *shape), np.uint8)
        self._free = np.zeros((n, *shape), np.bool_)
        self._fires, self._parts = np.ones(n, np.int64), np.ones(n, np.int64)
        self._usual, self._best = np.zeros(n), np.zeros(n)
        self._budget, self._share, self._value = np.ones(n), np.ones(n), np.ones(n)

    def load(self, slot: int, problem: Problem) -> None:
        """Takes the parts of a slot's problem that stay the same."""
        land = problem.scene.landscape
        dynamic, flags, static = (len(names) for names in OBSERVATION[:3])
        self.layers[slot, dynamic + flags:dynamic + flags + static] = problem.layers
        self._free[slot] = land.treatable
        self._fires[slot] = problem.plan_fires.source.size
        self._parts[slot] = self._fires[slot] * problem.plan_fires.whole
        self._budget[slot], self._share[slot] = problem.budget, problem.budget_share
        self._value[slot] = max(float(problem.scene.value[land.burnable].sum()), 1e-9)

    def begin(self, slot: int, mean_burn_probability: float) -> None:
        """Takes the mean burn probability of a slot's burnable cells, untreated, for its usual."""
        self._usual[slot] = mean_burn_probability

    def write(self, which: NDArray[np.int64], fires: FireStore, land: LandStore,
              plan_loss: NDArray[np.float64], untreated_loss: NDArray[np.float64]) -> None:
        """Brings the observations of the slots `which` up to date.

        plan_loss, untreated_loss: f64 [M], of their plan fires, now and without breaks.
        """
        write_cells(which, *fires.plan_sums(), self._parts, self._usual, self._free, land.breaks,
                    land.available, self._best, self.layers)
        untreated = np.maximum(untreated_loss, 1e-9)
        scalars = scalar_channels(
            land.budget_left[which] / self._budget[which], self._share[which], self._fires[which],
            untreated / self._value[which], self._best[which] / untreated, plan_loss / untreated)
        self.layers[which, -scalars.shape[0]:] = scalars.T[:, :, None, None]
