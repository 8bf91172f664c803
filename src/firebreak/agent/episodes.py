"""Whole episodes as they are stored and sent: bytes and packed bits, what is fixed told once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.layout import ObservationLayout


class Episode(NamedTuple):
    """T transitions of one episode, the last of which ends it.

    dynamic: uint8 [T, D, H, W]; flags: uint8 [T, F, ceil(H * W / 8)], packed bits, cell 0 in the
    lowest; scalars: uint8 [T, S]; static: uint8 [St, H, W]; action: int32 [T]; reward: f32 [T].
    """

    dynamic: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    scalars: NDArray[np.uint8]
    static: NDArray[np.uint8]
    action: NDArray[np.int32]
    reward: NDArray[np.float32]


def pack_episode(layers: NDArray[np.uint8], action: NDArray[np.int64],
                 reward: NDArray[np.float64], layout: ObservationLayout) -> Episode:
    """An episode from the bytes that were observed, uint8 [T, C, H, W]; action, reward: [T]."""
    ends = np.cumsum([len(layout.dynamic), len(layout.flags), len(layout.static)])
    dynamic, flags, static, scalars = np.split(layers, ends, axis=1)
    return Episode(np.ascontiguousarray(dynamic),
                   np.packbits(flags.reshape(*flags.shape[:2], -1) > 0, axis=-1,
                               bitorder="little"),
                   np.ascontiguousarray(scalars[:, :, 0, 0]), np.ascontiguousarray(static[0]),
                   action.astype(np.int32), reward.astype(np.float32))
