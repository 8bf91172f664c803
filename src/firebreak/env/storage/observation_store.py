"""The observations of N slots, kept as bytes and written in place."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.kernels import write_cells
from firebreak.env.storage.observation import scalar_channels
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.sizes import Sizes
from firebreak.layout import OBSERVATION


class Seen(NamedTuple):
    """What a planner may see of N slots. burned, below: i64 [N, P], sums over the plan fires (see
    `FireStore`), below in `unit` f64 [N] to a loss of 1; breaks, available: bool [N, H, W];
    budget_left, plan_loss, untreated_plan_loss: f64 [N].
    """

    burned: NDArray[np.int64]
    below: NDArray[np.int64]
    unit: NDArray[np.float64]
    breaks: NDArray[np.bool_]
    available: NDArray[np.bool_]
    budget_left: NDArray[np.float64]
    plan_loss: NDArray[np.float64]
    untreated_plan_loss: NDArray[np.float64]


class ObservationStore:
    """layers: uint8 [N, C, H, W], channels in the order of `layout.OBSERVATION`."""

    def __init__(self, sizes: Sizes) -> None:
        n, shape = sizes.slots, sizes.shape
        self.layers = np.zeros((n, OBSERVATION.channels, *shape), np.uint8)
        self._free = np.zeros((n, *shape), np.bool_)
        self._fires = np.ones(n, np.int64)
        self._usual, self._best = np.zeros(n), np.zeros(n)
        self._budget, self._share, self._value = np.ones(n), np.ones(n), np.ones(n)

    def load(self, slot: int, problem: Problem) -> None:
        """What stays the same of a problem in a slot."""
        land = problem.scene.landscape
        dynamic, flags, static = (len(names) for names in OBSERVATION[:3])
        self.layers[slot, dynamic + flags:dynamic + flags + static] = problem.layers
        self._free[slot] = land.treatable
        self._fires[slot] = problem.plan_fires.source.size
        self._budget[slot], self._share[slot] = problem.budget, problem.budget_share
        self._value[slot] = max(float(problem.scene.value[land.burnable].sum()), 1e-9)

    def begin(self, slot: int, mean_burn_probability: float) -> None:
        """Takes the mean burn probability of a slot's burnable cells, untreated, for its usual."""
        self._usual[slot] = mean_burn_probability

    def write(self, which: NDArray[np.int64], seen: Seen) -> None:
        """Brings the observations of the slots `which` up to date."""
        write_cells(which, seen.burned, seen.below, seen.unit, self._fires, self._usual, self._free,
                    seen.breaks, seen.available, self._best, self.layers)
        untreated = np.maximum(seen.untreated_plan_loss[which], 1e-9)
        scalars = scalar_channels(
            seen.budget_left[which] / self._budget[which], self._share[which], self._fires[which],
            untreated / self._value[which], self._best[which] / untreated,
            seen.plan_loss[which] / untreated)
        self.layers[which, -scalars.shape[0]:] = scalars.T[:, :, None, None]
