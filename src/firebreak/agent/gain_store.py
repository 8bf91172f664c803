"""Observations with the gain of every available break: fixed memory for dense supervision.

At discount 0 a Q-value is the expected gain of a break, which the simulator can tell of all cells
of a state at once, where a transition tells it of one.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from firebreak.agent.symmetry import turn_map, turn_observation
from firebreak.layout import ObservationLayout


class GainBatch(NamedTuple):
    """observation: float32 [M, C, H, W]; gain: float32 [M, A], shares of the untreated loss, NaN
    where a cell is not available.
    """

    observation: Tensor
    gain: Tensor

    def rows(self, rows: slice) -> "GainBatch":
        """Some of its states."""
        return GainBatch(self.observation[rows], self.gain[rows])

    def to(self, device: torch.device) -> "GainBatch":
        """The batch on a device."""
        return GainBatch(self.observation.to(device), self.gain.to(device))

    def turned(self, k: int, layout: ObservationLayout) -> "GainBatch":
        """The batch seen under symmetry k, of square maps."""
        maps = self.gain.unflatten(1, self.observation.shape[-2:])
        return GainBatch(turn_observation(self.observation, k, layout),
                         turn_map(maps, k).flatten(1))


class GainStore:
    """A ring of `capacity` labelled observations of maps of one shape."""

    def __init__(self, layout: ObservationLayout, shape: tuple[int, int], capacity: int) -> None:
        height, width = shape
        # zeros_() writes every page, so the memory is really there before training begins.
        self.layers = torch.empty((capacity, layout.channels, height, width),
                                  dtype=torch.uint8).zero_()
        self.gain = torch.empty((capacity, height * width)).zero_()
        self._written = 0

    def __len__(self) -> int:
        return min(self._written, self.layers.shape[0])

    @property
    def nbytes(self) -> int:
        """Bytes held, fixed from the start."""
        return self.layers.nbytes + self.gain.nbytes

    def append(self, layers: Tensor, gain: Tensor) -> None:
        """Takes one observation uint8 [C, H, W] and its gains f32 [A]; the oldest goes."""
        place = self._written % self.layers.shape[0]
        self.layers[place] = layers
        self.gain[place] = gain
        self._written += 1

    def sample(self, size: int, generator: torch.Generator) -> GainBatch:
        """`size` of them, drawn with replacement."""
        drawn = torch.randint(len(self), (size,), generator=generator)
        return GainBatch(self.layers[drawn].float().div_(255.0), self.gain[drawn])

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on: tensors by name."""
        return {"layers": self.layers, "gain": self.gain,
                "counters": torch.tensor([self._written], dtype=torch.int64)}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Takes back what `state` gave, into the memory already allocated.

        Raises:
            RuntimeError: of other sizes.
        """
        self.layers.copy_(state["layers"])
        self.gain.copy_(state["gain"])
        self._written = int(state["counters"][0])
