"""Random numbers that belong to a place: one uniform number per fire, cell and draw, at any time.

A fire's chance events (a break that is crossed, an ember that is thrown) must not depend on the
order in which cells burn, on the other fires or on where breaks lie: the same fire meets the same
luck in the same cell under every plan. So nothing is drawn from a stream. The number of
(key, cell, draw) is a hash: the three are combined with odd constants and mixed twice with the
finaliser of SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
generators"; constants of Stafford's variant 13).
"""

import numpy as np
from numpy.typing import NDArray

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
