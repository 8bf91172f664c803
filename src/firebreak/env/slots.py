"""The batched core: N problems at once, their fires kept burning under the breaks so far.

Storage is allocated once for given sizes; `load` puts a problem into a slot, `place` adds breaks,
`update` burns anew the fires that a new break changes (and no others) in one compiled call for all
slots. Nothing here knows of episodes, rewards per step or gymnasium.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.env.field_store import FieldStore
from firebreak.env.fire_store import FireStore
from firebreak.env.observation import dynamic_layers, scalar_channels
from firebreak.env.problem import Problem
from firebreak.fire.fire_tables import Overlays
from firebreak.fire.fires import Fires
from firebreak.fire.ring import REACH
from firebreak.fire.scene import Scene
from firebreak.fire.travel import break_state, pad, padded_cells, padded_width, treat
from firebreak.fire.way_kernel import NEAR, OPEN
from firebreak.layout import OBSERVATION


class Sizes(NamedTuple):
    """What storage is made for: slots, map shape, rows of weather, most plan and reward fires a
    slot, classes of flame length (1 where it does not matter), whether breaks are breached and
    fires throw embers.
    """

    slots: int
    shape: tuple[int, int]
    scenarios: int
    plan_fires: int
    reward_fires: int
    classes: int = 1
    breach: bool = False
    spotting: bool = False


def sizes_for(scene: Scene, slots: int, plan_fires: int, reward_fires: int) -> Sizes:
    """Storage for problems on a scene."""
    return Sizes(slots, scene.field.shape, scene.field.metric.shape[0], plan_fires, reward_fires,
                 scene.worth.shape[0], scene.field.breaks.breach.size > 0,
                 scene.field.spots.cells.size > 0)


class PlanTrees(NamedTuple):
    """How K plan fires burned under the breaks so far, by padded cell.

    code: u8 [K, P], how each cell was reached, see `fire.ring`. source: i64 [K]. loss: f64 [K].
    """

    code: NDArray[np.uint8]
    source: NDArray[np.int64]
    loss: NDArray[np.float64]


class Slots:
    """Storage for N problems. Fire ids: slot * K + k for plan fires, then N * K + slot * R + r.

    Attributes meant for readers, first axis the slot: breaks bool [N, H, W], available bool
    [N, H, W] (treatable, unbroken, affordable), budget_left f64 [N], layers uint8 [N, C, H, W]
    (the observation), untreated_plan_loss and untreated_reward_loss f64 [N] (means over fires).
    """

    def __init__(self, sizes: Sizes) -> None:
        n, (rows, cols), s, k, r, classes, breach, spotting = sizes
        width = padded_width(cols)
        p = (rows + 2 * REACH) * width
        self.sizes, self.width, self.cells = sizes, width, p
        self.problems: list[Problem | None] = [None] * n
        self._fields = FieldStore((rows, cols), n, s, heat=classes > 1, breach=breach,
                                  spotting=spotting)
        self._open = np.zeros((n, p), np.uint8)
        self._value = np.zeros((n, classes, p), np.float32)
        self._fires = FireStore((rows, cols), n, k, r)
        self.breaks = np.zeros((n, rows, cols), np.bool_)
        self.available = np.zeros((n, rows, cols), np.bool_)
        self.budget_left = np.zeros(n)
        self.layers = np.zeros((n, OBSERVATION.channels, rows, cols), np.uint8)
        self.untreated_plan_loss = np.zeros(n)
        self.untreated_reward_loss = np.zeros(n)
        self._mean_burned = np.zeros(n)

    def owned_bytes(self) -> int:
        """Bytes of all arrays held."""
        arrays = [a for a in vars(self).values() if isinstance(a, np.ndarray)]
        return sum(a.nbytes for a in [*arrays, *self._fires.arrays(), *self._fields.arrays()])

    def plan_ids(self, slot: int) -> slice:
        """Ids of a slot's plan fires (those in use come first)."""
        k = self.sizes.plan_fires
        return slice(slot * k, (slot + 1) * k)

    def reward_ids(self, slot: int) -> slice:
        """Ids of a slot's reward fires."""
        first = self.sizes.slots * self.sizes.plan_fires + slot * self.sizes.reward_fires
        return slice(first, first + self.sizes.reward_fires)

    def load(self, slot: int, problem: Problem) -> None:
        """Puts a problem into a slot, untreated; `update` burns its fires.

        Raises:
            InputError: the problem does not fit the storage.
        """
        self._check_fits(problem)
        field = problem.scene.field
        others = any(other is not None for k, other in enumerate(self.problems) if k != slot)
        self._fields.load(slot, field, alone=not others)
        self._open[slot] = field.burnable
        self._value[slot] = pad(problem.scene.worth)
        self._fires.begin(slot, float(problem.scene.value[problem.scene.landscape.burnable].sum()))
        for ids, fires in ((self.plan_ids(slot), problem.plan_fires),
                           (self.reward_ids(slot), problem.reward_fires)):
            self._fires.load(ids, fires, self._fields.first_row(slot), field.steps)
        self.problems[slot] = problem
        self.breaks[slot] = False
        self.budget_left[slot] = problem.budget
        self._refresh_available(slot)

    def place(self, slot: int, cell: int) -> None:
        """Breaks one cell (flat index) of a slot; `update` burns what that changes."""
        problem = self._problem(slot)
        row, col = divmod(cell, self.sizes.shape[1])
        self.breaks[slot, row, col] = True
        self.budget_left[slot] -= float(problem.scene.landscape.cost[row, col])
        self._refresh_available(slot)
        place = int(padded_cells(np.array([cell]), self.sizes.shape[1])[0])
        field = problem.scene.field
        kind = break_state(field.breaks)
        if kind == OPEN:
            treat(self._fields.view(slot, field), np.array([place]))
            self._fires.changes_at(place, (self.plan_ids(slot), self.reward_ids(slot)))
            return
        near = self._open[slot].reshape(-1, self.width)[row:row + 2 * REACH + 1,
                                                        col:col + 2 * REACH + 1]
        near[near == OPEN] = NEAR
        self._open[slot, place] = kind
        if field.breaks.lost > 0.0:
            self._value[slot, :, place] *= np.float32(field.breaks.lost)
        self._fires.breaks_at(slot, place, (self.plan_ids(slot), self.reward_ids(slot)),
                              narrow=field.breaks.lost > 0.0)

    def waste(self, slot: int) -> None:
        """Spends the cost of the cheapest available cell on nothing; nothing if none is left."""
        cost = self._problem(slot).scene.landscape.cost
        left = cost[self.available[slot]]
        self.budget_left[slot] -= float(left.min()) if left.size else 0.0
        self._refresh_available(slot)

    def update(self, slots: NDArray[np.int64], fresh: NDArray[np.bool_]) -> int:
        """Burns the stale fires of all slots and remakes the observation of `slots`.

        fresh bool [len(slots)]: the slot was just loaded, so these losses are the untreated ones.
        Returns the number of fires burned.
        """
        burned = self._fires.burn(self._fields, Overlays(self._open, self._value))
        for slot, is_fresh in zip(slots.tolist(), fresh.tolist(), strict=True):
            self._observe(slot, is_fresh)
        return burned

    def plan_loss(self, slot: int) -> float:
        """Mean loss of the slot's plan fires."""
        return self._mean_loss(self.plan_ids(slot), self._problem(slot).plan_fires)

    def reward_loss(self, slot: int) -> float:
        """Mean loss of the slot's reward fires."""
        return self._mean_loss(self.reward_ids(slot), self._problem(slot).reward_fires)

    def maps(self, slot: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Burn probability and downstream value [H, W] of the plan fires under the breaks."""
        count = self._problem(slot).plan_fires.source.size
        burned, downstream = self._fires.sums(slot)
        return burned / count, downstream / count

    def plan_trees(self, slot: int) -> PlanTrees:
        """The trees of the slot's plan fires: views, valid until the next `update`."""
        first = slot * self.sizes.plan_fires
        ids = slice(first, first + self._problem(slot).plan_fires.source.size)
        return PlanTrees(self._fires.code[ids], self._fires.source[ids], self._fires.loss[ids])

    def _problem(self, slot: int) -> Problem:
        problem = self.problems[slot]
        assert problem is not None, "slot used before load"
        return problem

    def _mean_loss(self, ids: slice, fires: Fires) -> float:
        return float(self._fires.loss[ids][:fires.source.size].mean()) if fires.source.size else 0.0

    def _check_fits(self, problem: Problem) -> None:
        sizes = self.sizes
        given = sizes_for(problem.scene, sizes.slots, problem.plan_fires.source.size,
                          problem.reward_fires.source.size)
        too_big = any(have > room for have, room in zip(given[2:5], sizes[2:5], strict=True))
        if given.shape != sizes.shape or given[5:] != sizes[5:] or too_big:
            raise fail(expected=f"a problem of at most {sizes}", given=f"{given}",
                       where=f"landscape {problem.scene.landscape.name}",
                       remedy="make the environment for these sizes")

    def _refresh_available(self, slot: int) -> None:
        land = self._problem(slot).scene.landscape
        # Sums of costs carry rounding; a budget that is short by less still buys the cell.
        affordable = land.cost <= self.budget_left[slot] * (1.0 + 1e-9) + 1e-9
        self.available[slot] = land.treatable & ~self.breaks[slot] & affordable

    def _observe(self, slot: int, fresh: bool) -> None:
        burn_probability, downstream = self.maps(slot)
        problem = self._problem(slot)
        land = problem.scene.landscape
        if fresh:
            self.untreated_plan_loss[slot] = self.plan_loss(slot)
            self.untreated_reward_loss[slot] = self.reward_loss(slot)
            self._mean_burned[slot] = burn_probability[land.burnable].mean()
        untreated = max(float(self.untreated_plan_loss[slot]), 1e-9)
        total_value = max(float(problem.scene.value[land.burnable].sum()), 1e-9)
        best = float(downstream[land.treatable & ~self.breaks[slot]].max(initial=0.0))
        scalars = scalar_channels(
            self.budget_left[slot] / problem.budget, problem.budget_share,
            problem.plan_fires.source.size, untreated / total_value, best / untreated,
            self.plan_loss(slot) / untreated)
        dynamic, flags, static = (len(OBSERVATION.dynamic), len(OBSERVATION.flags),
                                  len(OBSERVATION.static))
        view = self.layers[slot]
        view[:dynamic] = dynamic_layers(burn_probability, downstream, self._mean_burned[slot], best)
        view[dynamic] = self.breaks[slot] * np.uint8(255)
        view[dynamic + 1] = self.available[slot] * np.uint8(255)
        if fresh:
            view[dynamic + flags:dynamic + flags + static] = problem.layers
        view[dynamic + flags + static:] = scalars[:, None, None]
