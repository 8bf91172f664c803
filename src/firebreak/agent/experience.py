"""Transitions as the replay takes them, and the batches that a gradient step learns from."""

from typing import NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firebreak.layout import OBSERVATION


class Tried(NamedTuple):
    """Actions that the simulator has tried in each of M states, int32 [M, L], and their gains, f32
    [M, L], per mean cost of a cell, as shares of the untreated loss; NaN from where there are none.
    cost: f32 [M, L], in mean cells.
    """

    action: NDArray[np.int32]
    gain: NDArray[np.float32]
    cost: NDArray[np.float32]

    @classmethod
    def none(cls, states: int, most: int) -> "Tried":
        """Nothing tried, with room for so many actions of each state."""
        return cls(np.zeros((states, most), np.int32), np.full((states, most), np.nan, np.float32),
                   np.ones((states, most), np.float32))


class Episode(NamedTuple):
    """T transitions of one episode, the last of which ends it.

    dynamic: uint8 [T, D, H, W]; flags: uint8 [T, F, ceil(H * W / 8)], packed bits, cell 0 in the
    lowest; scalars: uint8 [T, S]; static: uint8 [St, H, W]; action: int32 [T]; reward: f32 [T];
    cost: f32 [T], of the actions, in mean cells; tried: of T states, or None.
    """

    dynamic: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    scalars: NDArray[np.uint8]
    static: NDArray[np.uint8]
    action: NDArray[np.int32]
    reward: NDArray[np.float32]
    cost: NDArray[np.float32]
    tried: Tried | None = None


def check_bytes(observed: Tensor | NDArray) -> None:
    """Raises TypeError unless what was observed comes as the bytes that the environment keeps:
    floats from 0 to 1 would be stored as 0 and 1 of 255.
    """
    if observed.dtype not in (torch.uint8, np.uint8):
        raise TypeError("observations must be uint8, as the environment keeps them, "
                        f"got {observed.dtype}")


def pack_episode(layers: NDArray[np.uint8], action: NDArray[np.int64],
                 reward: NDArray[np.float64], cost: NDArray[np.float64],
                 tried: Tried | None = None) -> Episode:
    """An episode from the bytes that were observed, uint8 [T, C, H, W]; action, reward, cost: [T].

    Raises:
        TypeError: other numbers than bytes.
    """
    dynamic, flags, scalars, static = packed_layers(layers)
    return Episode(np.ascontiguousarray(dynamic), flags, np.ascontiguousarray(scalars),
                   np.ascontiguousarray(static[0]), action.astype(np.int32),
                   reward.astype(np.float32), cost.astype(np.float32), tried)


def packed_layers(layers: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], ...]:
    """Observations [T, C, H, W] as they are kept: dynamic, flags and scalars as an `Episode` has
    them, and static [T, St, H, W].

    Raises:
        TypeError: other numbers than bytes.
    """
    check_bytes(layers)
    ends = np.cumsum([len(OBSERVATION.dynamic), len(OBSERVATION.flags), len(OBSERVATION.static)])
    dynamic, flags, static, scalars = np.split(layers, ends, axis=1)
    packed = np.packbits(flags.reshape(*flags.shape[:2], -1) > 0, axis=-1, bitorder="little")
    return dynamic, packed, scalars[:, :, 0, 0], static


class Batch(NamedTuple):
    """M sampled transitions.

    observation, next_observation: uint8 [M, C, H, W] as stored, or float32 from 0 to 1.
    action: int64 [M].
    reward: float32 [M], n-step sum, each reward `targets.per_cost`.
    discount: float32 [M], by the cost of the steps summed; 0 where the episode ended.
    next_mask: bool [M, A].
    """

    observation: Tensor
    action: Tensor
    reward: Tensor
    discount: Tensor
    next_observation: Tensor
    next_mask: Tensor


class GainBatch(NamedTuple):
    """M states, and what some of their actions would save.

    observation: uint8 [M, C, H, W] as stored, or float32 from 0 to 1.
    gain: float32 [M, L], shares of the untreated loss per mean cost of a cell; NaN for none.
    action: int64 [M, L], cells or line actions.
    """

    observation: Tensor
    gain: Tensor
    action: Tensor


class AheadBatch(NamedTuple):
    """M sampled states, and what their actions and the states after those are worth.

    Gains are of single actions, each `targets.per_cost`, as shares of the untreated loss; NaN for
    none. The first action of a state is the one that was taken.

    observation, next_observation: uint8 [M, C, H, W] as stored, or float32 from 0 to 1.
    action, next_action: int64 [M, L]; gain, next_gain: float32 [M, L].
    reward: float32 [M], of the steps after the first, discounted.
    discount: float32 [M], of the next state, by the cost of the steps before; 0 where the episode
        ended.
    """

    observation: Tensor
    action: Tensor
    gain: Tensor
    reward: Tensor
    discount: Tensor
    next_observation: Tensor
    next_action: Tensor
    next_gain: Tensor


_B = TypeVar("_B", Batch, GainBatch, AheadBatch)


def rows_of(batch: _B, rows: slice) -> _B:
    """Some of the rows of a batch."""
    return type(batch)(*(part[rows] for part in batch))


def on_device(batch: _B, device: torch.device) -> _B:
    """The batch on a device."""
    return type(batch)(*(part.to(device) for part in batch))


_BIT = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=torch.uint8)


def unpack_bits(packed: Tensor, cells: int) -> Tensor:
    """uint8 [..., ceil(cells / 8)] -> uint8 0 or 1 [..., cells], sooner than by numpy."""
    return (packed[..., None].bitwise_and(_BIT) > 0).to(torch.uint8).flatten(-2)[..., :cells]
