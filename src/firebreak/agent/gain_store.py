"""Observations with the gains of many actions: fixed memory for dense supervision.

At discount 0 a Q-value is the expected gain of a break, which the simulator can tell of all cells
of a state at once, or of many line actions, where a transition tells it of one.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from firebreak.agent.replay import check_bytes
from firebreak.agent.symmetry import turn_line_actions, turn_map, turn_observation
from firebreak.layout import ObservationLayout


class GainBatch(NamedTuple):
    """observation: float32 [M, C, H, W]. gain: float32 [M, A], shares of the untreated loss, NaN
    where a cell is not available; of line actions [M, L], per mean cost of a cell, NaN for none.
    segment: i64 [M, L], which line actions these are; None: all cells.
    """

    observation: Tensor
    gain: Tensor
    line: Tensor | None = None

    def rows(self, rows: slice) -> "GainBatch":
        """Some of its states."""
        line = None if self.line is None else self.line[rows]
        return GainBatch(self.observation[rows], self.gain[rows], line)

    def to(self, device: torch.device) -> "GainBatch":
        """The batch on a device."""
        line = None if self.line is None else self.line.to(device)
        return GainBatch(self.observation.to(device), self.gain.to(device), line)

    def turned(self, k: int, layout: ObservationLayout) -> "GainBatch":
        """The batch seen under symmetry k, of square maps."""
        turned = turn_observation(self.observation, k, layout)
        if self.line is None:
            maps = self.gain.unflatten(1, self.observation.shape[-2:])
            return GainBatch(turned, turn_map(maps, k).flatten(1))
        line, inside = turn_line_actions(self.line, k, self.observation.shape[-1])
        return GainBatch(turned, self.gain.masked_fill(~inside, torch.nan), line)


class GainStore:
    """A ring of `capacity` labelled observations of maps of one shape.

    lines: line actions of each observation that are labelled; None: all its cells are. Checkpoints
    hold them as "segment".
    """

    def __init__(self, layout: ObservationLayout, shape: tuple[int, int], capacity: int,
                 lines: int | None = None) -> None:
        height, width = shape
        # zero_() writes every page, so the memory is really there before training begins.
        self.layers = torch.empty((capacity, layout.channels, height, width),
                                  dtype=torch.uint8).zero_()
        self.gain = torch.empty((capacity, lines or height * width)).zero_()
        self.line = (None if lines is None
                     else torch.empty((capacity, lines), dtype=torch.int32).zero_())
        self._written = 0

    def __len__(self) -> int:
        return min(self._written, self.layers.shape[0])

    @property
    def written(self) -> int:
        """Observations taken since the beginning."""
        return self._written

    @property
    def nbytes(self) -> int:
        """Bytes held, fixed from the start."""
        return (self.layers.nbytes + self.gain.nbytes
                + (0 if self.line is None else self.line.nbytes))

    def append(self, layers: Tensor, gain: Tensor, line: Tensor | None = None) -> None:
        """Takes one observation uint8 [C, H, W] and its gains f32 [A], or those of at most as many
        line actions int [L] as there is room for; the oldest goes.

        Raises:
            TypeError: an observation that is no bytes.
        """
        check_bytes(layers)
        place = self._written % self.layers.shape[0]
        self.layers[place] = layers
        if self.line is not None and line is not None:
            count = line.shape[0]
            self.line[place, :count] = line
            self.line[place, count:] = 0
            self.gain[place, :count] = gain
            self.gain[place, count:] = torch.nan
        else:
            self.gain[place] = gain
        self._written += 1

    def sample(self, size: int, generator: torch.Generator) -> GainBatch:
        """`size` of them, drawn with replacement."""
        drawn = torch.randint(len(self), (size,), generator=generator)
        line = None if self.line is None else self.line[drawn].long()
        return GainBatch(self.layers[drawn].float().div_(255.0), self.gain[drawn], line)

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on: tensors by name."""
        return self._tensors() | {"counters": torch.tensor([self._written], dtype=torch.int64)}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Takes back what `state` gave, into the memory already allocated.

        Raises:
            RuntimeError: of other sizes.
        """
        for name, tensor in self._tensors().items():
            tensor.copy_(state[name])
        self._written = int(state["counters"][0])

    def _tensors(self) -> dict[str, Tensor]:
        own = {"layers": self.layers, "gain": self.gain}
        return own if self.line is None else own | {"segment": self.line}
