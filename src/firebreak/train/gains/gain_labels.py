"""Labelling some of a collector's states with the gains of breaks, and some of these with returns,
as they come by.
"""

import numpy as np
import torch

from firebreak.agent.gain_store import GainStore
from firebreak.env.gains import ExactGains
from firebreak.env.vector_env import FuelbreakVectorEnv
from firebreak.layout import OBSERVATION
from firebreak.train.gains.line_gains import TRIED, LineGains
from firebreak.train.gains.paired_returns import PairedReturns


class GainLabels:
    """The labelled states of one map size, and the simulator that labels them.

    Args:
        gains: of every cell, or of line actions.
        share: of the env steps whose states are labelled; at most one state per environment and
            call.
        capacity: states kept.
        returns: of some actions; None: no returns are learned.
        return_share: of the labelled states that get returns.
    """

    def __init__(self, env: FuelbreakVectorEnv, gains: ExactGains | LineGains, share: float,
                 capacity: int, returns: PairedReturns | None = None,
                 return_share: float = 0.0) -> None:
        self.env, self.gains, self.share = env, gains, share
        self.returns, self.return_share = returns, return_share
        max_lines = TRIED if isinstance(gains, LineGains) else None
        if max_lines is not None and returns is not None:
            max_lines += returns.actions
        self.store = GainStore(OBSERVATION, env.source.shape, capacity, max_lines,
                               returns is not None)
        # The first call labels a state of line actions, which are learned from nothing else.
        self._due = 0.0 if max_lines is None else 1.0
        self._returns_due = 0.0
        self._next = 0

    def label(self, env_steps: int) -> int:
        """Labels states of the environment as it stands, for so many env steps to come; returns how
        many. The environments take turns.
        """
        self._due += self.share * env_steps
        count = min(int(self._due), self.env.num_envs)
        self._due -= int(self._due)
        for _ in range(count):
            slot, self._next = self._next, (self._next + 1) % self.env.num_envs
            self._label(slot)
        return count

    def _label(self, slot: int) -> None:
        slots, number = self.env.slots, self.store.written
        layers = torch.from_numpy(slots.layers[slot])
        if isinstance(self.gains, LineGains):
            action, gain = self.gains.of(slots, slot, number)
        else:
            action, gain = None, self.gains.of(slots, slot)
        returned = np.full(gain.size, np.nan, np.float32)
        if self.returns is not None and self._due_returns():
            paired = self.returns.of(slots, slot, number)
            if action is None:
                gain[paired.action], returned[paired.action] = paired.gain, paired.returns
            else:
                action = np.concatenate([action, paired.action])
                gain = np.concatenate([gain, paired.gain])
                returned = np.concatenate([returned, paired.returns])
        self.store.append(layers, torch.from_numpy(gain),
                          None if action is None else torch.from_numpy(action),
                          torch.from_numpy(returned))

    def _due_returns(self) -> bool:
        """Whether the next labelled state gets returns."""
        self._returns_due += self.return_share
        due = self._returns_due >= 1.0
        self._returns_due -= due
        return due

    def state(self) -> dict[str, torch.Tensor]:
        """Everything needed to go on: tensors by name."""
        turn = [self._due, self._next, *([] if self.returns is None else [self._returns_due])]
        return self.store.state() | {"turn": torch.tensor(turn, dtype=torch.float64)}

    def restore(self, state: dict[str, torch.Tensor]) -> None:
        """Takes back what `state` gave."""
        self.store.restore(state)
        self._due, self._next = float(state["turn"][0]), int(state["turn"][1])
        if self.returns is not None:
            self._returns_due = float(state["turn"][2])
