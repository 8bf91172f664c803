"""The Q-map network: one value per cell, for maps of any size.

A stride-2 stem, dilated residual convolutions at half resolution and a pooled global branch see
about 60 cells around each cell, and the map, for a quarter of what the same depth costs at full
resolution. A pixel shuffle brings what they found back to the cells, where two narrow convolutions
beside the observation itself decide: whether a single cell closes a gap is seen at full resolution
or not at all. No batch normalisation and no dropout: acting and learning see the same function.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from firebreak.agent.targets import dueling, lower_mean

CONTEXT, FINE, FINE_OF_SHAPES = 8, 16, 32
"""Channels per cell: of what half resolution hands back, and of the convolutions that decide, where
actions are cells and where they are shapes around them.
"""


class QMapNetwork(nn.Module):
    """Observation [M, C, H, W] -> Q-values [M, A], A = shapes * H * W.

    Maps of odd size are padded with zeros ("unburnable, masked") and the padding is cut off again.

    Args:
        mask_channel: the channel that says which cells are allowed, for values of a map's base plus
            each cell's advantage over the mean of the allowed ones; None: base plus a free map.
        quantiles: of the return, one map for each.
        risk: a Q-value is the mean of this share of them, the lowest.
        shapes: actions around each cell, see `firebreak.segments`; 1: the cells themselves.
    """

    def __init__(self, channels: int, width: int = 32, mask_channel: int | None = None,
                 quantiles: int = 1, risk: float = 1.0, shapes: int = 1,
                 dilations: tuple[int, ...] = (1, 2, 4)) -> None:
        super().__init__()
        self.mask_channel, self.risk, self.shapes = mask_channel, risk, shapes
        self.options: dict[str, Any] = {"mask_channel": mask_channel, "quantiles": quantiles,
                                        "risk": risk}
        if shapes > 1:  # older files say nothing of shapes
            self.options["shapes"] = shapes
        fine = FINE if shapes == 1 else FINE_OF_SHAPES
        self.stem = nn.Conv2d(channels, width, 4, stride=2, padding=1)
        self.blocks = nn.ModuleList(
            nn.Conv2d(width, width, 3, padding=d, dilation=d) for d in dilations)
        self.pooled = nn.Linear(2 * width, width)
        self.mix = nn.Conv2d(width, width, 1)
        self.context = nn.Conv2d(width, 4 * CONTEXT, 1)
        self.detail = nn.Conv2d(channels + CONTEXT, fine, 3, padding=1)
        self.decide = nn.Conv2d(fine, fine, 3, padding=1)
        self.head = nn.Conv2d(fine, shapes * quantiles, 1)
        self.base = nn.Linear(width, shapes * quantiles)

    def forward(self, observation: Tensor) -> Tensor:
        """Q-values of all actions, masked or not: [M, A]."""
        return lower_mean(self.spread(observation), self.risk)

    def spread(self, observation: Tensor) -> Tensor:
        """Quantiles of the return of all actions: [M, A, quantiles]."""
        rows, cols = observation.shape[-2:]
        padded = functional.pad(observation, (0, cols % 2, 0, rows % 2))
        # Channels last in memory: two thirds of the time on a CPU.
        padded = padded.contiguous(memory_format=torch.channels_last)
        x = functional.relu(self.stem(padded))
        for block in self.blocks:
            x = x + functional.relu(block(x))
        summary = torch.cat([x.mean((2, 3)), x.amax((2, 3))], dim=1)
        together = functional.relu(self.pooled(summary))
        x = functional.relu(self.mix(x + together[:, :, None, None]))
        context = functional.pixel_shuffle(self.context(x), 2)
        fine = functional.relu(self.detail(torch.cat([padded, context], dim=1)))
        q = self.head(fine + functional.relu(self.decide(fine)))
        q = q[:, :, :rows, :cols].unflatten(1, (self.shapes, -1)).flatten(3).transpose(2, 3)
        base = self.base(together).unflatten(1, (self.shapes, 1, -1))
        if self.mask_channel is None:
            return (q + base).flatten(1, 2)
        q, base = q.flatten(1, 2), base[:, 0]
        mask = observation[:, self.mask_channel].flatten(1) > 0.5
        return dueling(base, q, mask[:, :, None])


def parameter_count(network: nn.Module) -> int:
    """Number of trainable parameters."""
    return sum(p.numel() for p in network.parameters() if p.requires_grad)


def hash_of_weights(networks: Iterable[nn.Module]) -> str:
    """SHA-256 of the names and bytes of all weights."""
    digest = hashlib.sha256()
    for network in networks:
        for name, tensor in network.state_dict().items():
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
