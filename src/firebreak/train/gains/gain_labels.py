"""Labelling some of a collector's states with the gains of breaks, as they come by."""

import torch

from firebreak.agent.gain_store import GainStore
from firebreak.env.gains import ExactGains
from firebreak.env.vector_env import FuelbreakVectorEnv
from firebreak.layout import OBSERVATION
from firebreak.train.gains.line_gains import TRIED, LineGains


class GainLabels:
    """The labelled states of one map size, and the simulator that labels them.

    Args:
        gains: of every cell, or of line actions.
        share: of the env steps whose states are labelled; at most one state per environment and
            call.
        capacity: states kept.
    """

    def __init__(self, env: FuelbreakVectorEnv, gains: ExactGains | LineGains, share: float,
                 capacity: int) -> None:
        self.env, self.gains, self.share = env, gains, share
        max_lines = TRIED if isinstance(gains, LineGains) else None
        self.store = GainStore(OBSERVATION, env.source.shape, capacity, max_lines)
        # The first call labels a state of line actions, which are learned from nothing else.
        self._due = 0.0 if max_lines is None else 1.0
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
        slots = self.env.slots
        layers = torch.from_numpy(slots.layers[slot])
        if isinstance(self.gains, LineGains):
            lines, gain = self.gains.of(slots, slot, self.store.written)
            self.store.append(layers, torch.from_numpy(gain), torch.from_numpy(lines))
        else:
            self.store.append(layers, torch.from_numpy(self.gains.of(slots, slot)))

    def state(self) -> dict[str, torch.Tensor]:
        """Everything needed to go on: tensors by name."""
        turn = torch.tensor([self._due, self._next], dtype=torch.float64)
        return self.store.state() | {"turn": turn}

    def restore(self, state: dict[str, torch.Tensor]) -> None:
        """Takes back what `state` gave."""
        self.store.restore(state)
        self._due, self._next = float(state["turn"][0]), int(state["turn"][1])
