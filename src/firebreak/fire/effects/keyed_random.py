"""Random numbers that belong to a place: one uniform number per fire, cell and draw, at any time.

A fire's chance events (a break that is crossed, an ember that is thrown) must not depend on the
order in which cells burn, on the other fires or on where breaks lie: the same fire meets the same
luck in the same cell under every plan. So nothing is drawn from a stream. The number of
(key, cell, draw) is a hash: the three are combined with odd constants and mixed twice with the
finaliser of SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
generators"; constants of Stafford's variant 13).
"""

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.native_library import WRITTEN, entry
from firebreak.seeding import generator

DRAW_BREACH, DRAW_THROW, DRAW_DISTANCE, DRAW_SIDE, DRAW_IGNITION = range(5)
DRAW_HOLD, DRAW_CORNER_EAST, DRAW_CORNER_WEST, DRAW_ATTACK = range(5, 9)
"""Events that a cell draws for; each event has its own, so that none moves another."""

CELL_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, odd


def fire_keys(seed: int, fire_set: str, landscape_key: str, count: int) -> NDArray[np.uint64]:
    """Keys of the fires of a set, uint64 [count]; a longer set begins with the shorter one.

    Raises:
        InputError: the seed is below 0.
    """
    stream = generator(seed, "fires", fire_set, landscape_key, "key")
    return stream.integers(0, 2**64, count, dtype=np.uint64)


@entry()
def fill_uniform(key: Annotated[NDArray[np.uint64], "N"], cell: Annotated[NDArray[np.uint64], "N"],
                 draw: Annotated[NDArray[np.uint64], "N"],
                 out: Annotated[NDArray[np.float64], "N", WRITTEN]) -> None:
    """Sets the number of each (key, cell, draw), in [0, 1) on a grid of 2^-53; all arithmetic is
    modulo 2^64.
    """


def uniforms(key: ArrayLike, cell: ArrayLike, draw: ArrayLike) -> NDArray[np.float64]:
    """The number of (key, cell, draw) of arrays, broadcast, in [0, 1)."""
    parts = np.broadcast_arrays(*(np.asarray(part, dtype=np.uint64) for part in (key, cell, draw)))
    out = np.empty(parts[0].size)
    keys, cells, draws = (np.ascontiguousarray(part).reshape(-1) for part in parts)
    fill_uniform(keys, cells, draws, out)
    return out.reshape(parts[0].shape)
