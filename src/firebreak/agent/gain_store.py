"""The replay of labelled states: what actions gain at once.

At discount 0 a Q-value is the expected gain of a break, which the simulator can tell of all cells
of a state at once, or of many line actions, where a transition tells it of one. All tensors are
detached, on the CPU and allocated at the start.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from firebreak.agent.replay import check_bytes
from firebreak.agent.symmetry import as_floats, turn_line_actions, turn_map, turn_observation
from firebreak.layout import ObservationLayout


class GainBatch(NamedTuple):
    """observation: float32 [M, C, H, W]. gain: float32 [M, A], shares of the untreated loss, NaN
    where a cell is not available; of line actions [M, L], per mean cost of a cell, NaN for none.
    line: i64 [M, L], which line actions these are; None: all cells.
    """

    observation: Tensor
    gain: Tensor
    line: Tensor | None = None

    def rows(self, rows: slice) -> "GainBatch":
        """Some of its states."""
        return self._each(lambda part: part[rows])

    def to(self, device: torch.device) -> "GainBatch":
        """The batch on a device."""
        return self._each(lambda part: part.to(device))

    def _each(self, change: Callable[[Tensor], Tensor]) -> "GainBatch":
        return GainBatch(change(self.observation), change(self.gain),
                         None if self.line is None else change(self.line))

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
        return sum(tensor.nbytes for tensor in self._tensors().values())

    def append(self, layers: Tensor, gain: Tensor, line: Tensor | None = None) -> None:
        """Takes one observation uint8 [C, H, W] and its gains f32 [A], or those of at most as many
        line actions int [L] as there is room for; the oldest goes. What is kept has no gradients
        and lies on the CPU.

        Raises:
            TypeError: an observation that is no bytes.
        """
        check_bytes(layers)
        place, count = self._written % self.layers.shape[0], gain.shape[0]
        self.layers[place] = layers.detach().to("cpu")
        if self.line is not None and line is not None:
            self.line[place, :count] = line.detach().to("cpu", torch.int32)
            self.line[place, count:] = 0
        self.gain[place] = torch.nan
        self.gain[place, :count] = gain.detach().to("cpu")
        self._written += 1

    def sample(self, size: int, generator: torch.Generator) -> GainBatch:
        """`size` of them, drawn with replacement."""
        drawn = torch.randint(len(self), (size,), generator=generator)
        line = None if self.line is None else self.line[drawn].long()
        return GainBatch(as_floats(self.layers[drawn]), self.gain[drawn], line)

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
        every = {"layers": self.layers, "gain": self.gain}
        return every if self.line is None else every | {"segment": self.line}
