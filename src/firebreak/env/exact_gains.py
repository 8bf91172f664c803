"""What every break would save of fires that nobody is shown: labels to learn a gain map from."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.env.sizes import Sizes
from firebreak.env.slots import ONLY, Slots
from firebreak.env.what_if import gains


class ExactGains:
    """Tries every break of a state on a few of its reward fires, in a slot of its own.

    The reward fires of a problem are others than the plan fires that its observation is made from,
    so a gain is what the break is worth beyond the fires that the planner sees.
    """

    def __init__(self, sizes: Sizes, fires: int) -> None:
        """sizes: of the environment whose states are tried; fires: most of them that are burned."""
        count = min(fires, sizes.reward_fires)
        self._slots = Slots(sizes._replace(slots=1, plan_fires=count, reward_fires=0))
        self._slots.touch()
        self._fires = count

    def of(self, slots: Slots, slot: int) -> NDArray[np.float32]:
        """Gains f32 [A] of the cells available in a slot of an environment, NaN elsewhere: by which
        share of the untreated loss the mean loss of the fires falls with one more break.
        """
        self.loaded(slots, slot)
        found = np.full(slots.breaks[slot].size, np.nan, np.float32)
        cells = np.flatnonzero(slots.available[slot])
        untreated = max(float(slots.untreated_reward_loss[slot]), 1e-9)
        found[cells] = gains(self._slots, 0, cells) / untreated
        return found

    def owned_bytes(self) -> int:
        """Bytes of storage held, fixed from the start."""
        return self._slots.owned_bytes()

    def loaded(self, slots: Slots, slot: int) -> Slots:
        """The slot of its own, with the state of a slot of an environment and the reward fires that
        are tried as its plan fires, burned under the breaks.
        """
        problem = slots.problems[slot]
        assert problem is not None, "slot used before load"
        fires = problem.reward_fires
        self._slots.load(0, replace(problem, plan_fires=fires.first(self._fires),
                                    reward_fires=fires.first(0)))
        for cell in np.flatnonzero(slots.breaks[slot]).tolist():
            self._slots.place(0, cell)
        self._slots.update(ONLY)
        return self._slots
