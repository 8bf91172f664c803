"""Demonstrations: episodes that go along a barrier which the budget pays for, as `enclose` finds it
on the plan fires. Chance closes none, and before it is closed hardly a break saves anything.

What an episode is shown follows from its stream and number, and how far it is along the barrier
from what may still be treated: a run that goes on needs nothing of this stored.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from firebreak.checks import InputError
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.planning.barriers.cut import Network, barriers
from firebreak.planning.barriers.enclose import stakes_of
from firebreak.planning.barriers.pieces import in_order
from firebreak.planning.core.rounds import spendable
from firebreak.seeding import generator

WHOLE = 0.5
"""Share of the demonstrations that go all along; the others leave the barrier to the agent."""

Episode = tuple[int, int]
"""Stream and number of an episode."""


class Demonstrations:
    """Leads a share of the episodes along barriers."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._paths: dict[Episode, NDArray[np.int64]] = {}

    def lead(self, action: Tensor, mask: Tensor, slots: ProblemBatch,
             episodes: Sequence[Episode]) -> None:
        """Writes the next cell of a barrier into the actions i64 [N] of the episodes that go along
        one. mask: bool [N, A], allowed actions; a cell is the action of its number.
        """
        if self._share == 0.0:
            return
        self._paths = {one: self._paths[one] if one in self._paths
                       else self.path(slots.problem(slot), one)
                       for slot, one in enumerate(episodes)}
        for slot, one in enumerate(episodes):
            path = self._paths[one]
            left = path[mask[slot].numpy()[path]]
            if left.size:
                action[slot] = int(left[0])

    def path(self, problem: Problem, episode: Episode) -> NDArray[np.int64]:
        """The flat cells that an episode goes along, from a drawn one in either direction; none
        where it goes along nothing.
        """
        rng = generator(episode[0], "demonstration", episode[1])
        nothing = np.empty(0, np.int64)
        if rng.random() >= self._share:
            return nothing
        try:
            found = barriers(Network(stakes_of(problem)), spendable(problem.budget))
        except InputError:  # fires that lose nothing
            return nothing
        cells = min(found.bought, key=lambda cut: cut.lost).cells
        if not cells.size:
            return nothing
        scene = problem.scene
        along = np.concatenate(in_order(cells, scene.landscape.shape, leak=scene.conditions.leak))
        path = np.roll(along, int(rng.integers(cells.size)))[::rng.choice((-1, 1))]
        return path if rng.random() < WHOLE else path[:int(rng.integers(1, cells.size + 1))]
