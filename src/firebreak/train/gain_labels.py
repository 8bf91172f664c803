"""Labelling some of a collector's states with the gain of every break, as they come by."""

import torch

from firebreak.agent.gain_store import GainStore
from firebreak.env.exact_gains import ExactGains
from firebreak.env.vector_env import FuelbreakVectorEnv
from firebreak.layout import OBSERVATION


class GainLabels:
    """The labelled states of one map size, and the simulator that labels them.

    Args:
        share: of the env steps whose states are labelled; at most one state per environment and
            call.
        fires: reward fires that each break is tried on.
        capacity: states kept.
    """

    def __init__(self, env: FuelbreakVectorEnv, share: float, fires: int, capacity: int) -> None:
        sizes = env.source.sizes(env.num_envs)
        self.env, self.share = env, share
        self.exact = ExactGains(sizes, fires)
        self.store = GainStore(OBSERVATION, sizes.shape, capacity)
        self._due = 0.0
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
            self.store.append(torch.from_numpy(self.env.slots.layers[slot]),
                              torch.from_numpy(self.exact.of(self.env.slots, slot)))
        return count

    def state(self) -> dict[str, torch.Tensor]:
        """Everything needed to go on: tensors by name."""
        turn = torch.tensor([self._due, self._next], dtype=torch.float64)
        return self.store.state() | {"turn": turn}

    def restore(self, state: dict[str, torch.Tensor]) -> None:
        """Takes back what `state` gave."""
        self.store.restore(state)
        self._due, self._next = float(state["turn"][0]), int(state["turn"][1])
