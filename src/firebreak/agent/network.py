"""The Q-map network: one value per cell, or per line action, for maps of any size.

A stride-2 stem, dilated residual convolutions at half resolution and a pooled global branch see
about 60 cells around each cell, and the map, for a quarter of what the same depth costs at full
resolution. A pixel shuffle brings what they found back to the cells, where two narrow convolutions
beside the observation itself decide: whether a single cell closes a gap is seen at full resolution
or not at all. A line's value is read off its middle cell, plus the mean over its cells of what
each adds to a line of that shape: so both ends of a long line are seen as sharply. No batch
normalisation and no dropout: acting and learning see the same function.
"""

import hashlib

import torch
from torch import Tensor, nn
from torch.nn import functional

from firebreak.agent.line_values import line_values, mean_along
from firebreak.agent.own_network import OwnNetwork, Part, QNetwork
from firebreak.agent.path_values import Paths, path_values
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES
from firebreak.settings.agent import AgentSettings

CONTEXT, FINE, FINE_OF_SHAPES = 8, 16, 32
"""Channels per cell: of what half resolution hands back, and of the convolutions that decide, where
actions are cells and where they are shapes around them.
"""

DILATIONS = (1, 2, 4)
"""Dilations of the residual convolutions at half resolution."""
FINE_REACH = 2
"""Cells around a cell that the convolutions that decide see."""


class QMapNetwork(QNetwork):
    """Observation [M, C, H, W] -> Q-values [M, A], A = shapes * H * W.

    Maps of odd size are padded with zeros ("unburnable, masked") and the padding is cut off again.

    Args:
        shapes: actions around each cell, see `firebreak.line_actions`; 1: the cells themselves.
        parts: of a cell's value, see `agent.targets`; of lines' one.
    """

    def __init__(self, channels: int, width: int = 32, shapes: int = 1, parts: int = 1) -> None:
        super().__init__(width, shapes, parts)
        fine = FINE if shapes == 1 else FINE_OF_SHAPES
        self.stem = nn.Conv2d(channels, width, 4, stride=2, padding=1)
        self.blocks = nn.ModuleList(
            nn.Conv2d(width, width, 3, padding=d, dilation=d) for d in DILATIONS)
        self.pooled = nn.Linear(2 * width, width)
        self.mix = nn.Conv2d(width, width, 1)
        self.context = nn.Conv2d(width, 4 * CONTEXT, 1)
        self.detail = nn.Conv2d(channels + CONTEXT, fine, 3, padding=1)
        self.decide = nn.Conv2d(fine, fine, 3, padding=1)
        self.head = nn.Conv2d(fine, parts * shapes, 1)
        self.base = nn.Linear(width, parts * shapes)
        self.along = nn.Conv2d(fine, shapes, 1) if shapes > 1 else None

    def parts_at(self, observation: Tensor, action: Tensor) -> Tensor:
        """See `QNetwork.parts_at`; of lines for less."""
        if self.along is None:
            return super().parts_at(observation, action)
        fine, own, summary = self._fine(observation)
        lines = line_values(fine[:, :, *own], action, self.head, self.along)
        number = action // (observation.shape[-2] * observation.shape[-1])
        return (lines + self.base(summary).gather(1, number))[:, None]

    def values_along(self, observation: Tensor, paths: Paths) -> Tensor:
        """See `QNetwork.values_along`; from what the cells of a path add, wherever it turns."""
        if self.along is None:
            return super().values_along(observation, paths)
        fine, own, summary = self._fine(observation)
        return (path_values(fine[0, :, *own], paths, self.head, self.along)
                + paths.like @ self.base(summary)[0])

    def parts_of(self, observation: Tensor, action: Tensor) -> Tensor:
        """See `QNetwork.parts_of`; for far less where actions are cells: they need the whole map at
        half resolution alone, of full resolution the cells around.
        """
        if self.shapes > 1:
            return self.parts_of_all(observation).gather(
                2, action[:, None, None].expand(-1, self.parts, -1))[..., 0]
        padded, cols = _padded(observation), observation.shape[-1]
        x, summary = self._trunk(padded)
        row, col = action // cols, action % cols
        top, left = row // 2 - 1, col // 2 - 1
        near, there = _windows(x, top, left, 3)
        seen, inside = _windows(padded, 2 * top, 2 * left, 6)
        context = functional.pixel_shuffle(self._context(near, summary) * there, 2)
        fine = self.detail(torch.cat([seen, context], dim=1)).relu_() * inside
        fine = fine + self.decide(fine).relu_()
        which = torch.arange(action.numel(), device=action.device)
        return self.head(fine)[which, :, 2 + row % 2, 2 + col % 2] + self.base(summary)

    def parts_of_all(self, observation: Tensor, part: Part | None = None) -> Tensor:
        """See `QNetwork.parts_of_all`."""
        fine, own, summary = self._fine(observation, part)
        q = self.head(fine)[:, :, *own]
        if self.along is not None:
            q = q + mean_along(self.along(fine)[:, :, *own])
        return (q.flatten(2) + self.base(summary)[..., None]).unflatten(
            1, (self.parts, self.shapes)).flatten(2)

    def _fine(self, observation: Tensor, part: Part | None = None) -> tuple[Tensor, Part, Tensor]:
        """Features by the convolutions that decide, in the cells of the map or around a part of it,
        [M, F, H, W], with the rows and columns of the part in that; and those of the map as a whole
        at half resolution, [M, width].
        """
        rows, cols = observation.shape[-2:]
        wide, own = _around(part or (slice(0, rows), slice(0, cols)), (rows, cols))
        padded = _padded(observation)
        x, summary = self._trunk(padded)
        context = functional.pixel_shuffle(self._context(x, summary), 2)
        fine = self.detail(torch.cat([padded, context], dim=1)[:, :, *wide]).relu_()
        return fine + self.decide(fine).relu_(), own, summary

    def _trunk(self, padded: Tensor) -> tuple[Tensor, Tensor]:
        """Features at half resolution, [M, width, H / 2, W / 2], and those of the map as a whole,
        [M, width].
        """
        x = self.stem(padded).relu_()
        for block in self.blocks:
            x = x + block(x).relu_()
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], dim=1)
        return x, self.pooled(pooled).relu_()

    def _context(self, x: Tensor, summary: Tensor) -> Tensor:
        """Features that half resolution hands back to the cells, [M, 4 * CONTEXT, H / 2, W / 2]."""
        return self.context(self.mix(x + summary[:, :, None, None]).relu_())


def _padded(observation: Tensor) -> Tensor:
    """An observation of even size, with zeros where there was no map."""
    rows, cols = observation.shape[-2:]
    if rows % 2 or cols % 2:
        observation = functional.pad(observation, (0, cols % 2, 0, rows % 2))
    # Channels last in memory: two thirds of the time on a CPU.
    return observation.contiguous(memory_format=torch.channels_last)


def _windows(maps: Tensor, top: Tensor, left: Tensor, side: int) -> tuple[Tensor, Tensor]:
    """The square of cells of each map [M, C, H, W] from its own row and column i64 [M] on, with
    zeros beyond the map: [M, C, side, side]; and whether they lie in the map, [M, 1, side, side].
    """
    steps = torch.arange(side, device=top.device)
    row, col = top[:, None, None] + steps[:, None], left[:, None, None] + steps
    high, wide = maps.shape[-2:]
    inside = ((row >= 0) & (row < high) & (col >= 0) & (col < wide))[..., None]
    which = torch.arange(top.numel(), device=top.device)[:, None, None]
    seen = maps.permute(0, 2, 3, 1)[which, row.clamp(0, high - 1), col.clamp(0, wide - 1)]
    return (seen * inside).permute(0, 3, 1, 2), inside.permute(0, 3, 1, 2)


def _around(part: Part, shape: tuple[int, int]) -> tuple[Part, Part]:
    """Rows and columns that the convolutions which decide see of a part, with what pads a map of
    odd size; and the part within them.
    """
    wide = [slice(max(side.start - FINE_REACH, 0),
                  size + size % 2 if side.stop + FINE_REACH >= size else side.stop + FINE_REACH)
            for side, size in zip(part, shape, strict=True)]
    own = [slice(side.start - around.start, side.stop - around.start)
           for side, around in zip(part, wide, strict=True)]
    return (wide[0], wide[1]), (own[0], own[1])


def network_of(settings: AgentSettings) -> QNetwork:
    """A new network as an agent of these settings has it, with weights drawn by torch's stream."""
    return network_named(settings.network, OBSERVATION.channels, settings.width,
                         SHAPES if settings.segments else 1,
                         parts=2 if settings.looks_ahead else 1)


def network_named(name: str | None, channels: int, width: int, shapes: int,
                  where: str = "agent.network", parts: int = 1) -> QNetwork:
    """A new network of a name, which was said at `where`; None: firebreak's own.

    Raises:
        InputError: no network has the name.
    """
    return (QMapNetwork(channels, width, shapes, parts) if name is None
            else OwnNetwork(name, channels, width, shapes, where, parts))


@torch.no_grad()
def take_over(network: QNetwork, other: QNetwork) -> None:
    """Weights of another network of the same width into one: all of one for the same actions; of
    one for cells into one for lines, so that each shape begins with the value of its middle
    cell. Channels that the other does not have stay as they were drawn, and count for nothing yet.

    Raises:
        RuntimeError: of another width, or with other actions than these.
    """
    if network.shapes == other.shapes:
        network.load_state_dict(other.state_dict())
        return
    if not (isinstance(network, QMapNetwork) and network.shapes > other.shapes == 1
            and isinstance(other, QMapNetwork)):
        raise RuntimeError("a policy for line actions, which this agent does not take")
    own = network.state_dict()
    for name, tensor in other.state_dict().items():
        if name.startswith(("head", "decide")):
            own[name][:len(tensor)] = 0.0
        if name.startswith("head"):
            own[name][:] = 0.0
        own[name][(slice(None) if tensor.shape[0] == 1 else slice(len(tensor)),
                   *(slice(side) for side in tensor.shape[1:]))] = tensor
    for name in ("along.weight", "along.bias"):
        own[name][:] = 0.0


def parameter_count(network: nn.Module) -> int:
    """Number of trainable parameters."""
    return sum(p.numel() for p in network.parameters() if p.requires_grad)


def hash_of_weights(network: nn.Module) -> str:
    """SHA-256 of the names and bytes of all weights."""
    digest = hashlib.sha256()
    for name, tensor in network.state_dict().items():
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
