"""Random numbers that belong to a place: one uniform number per fire, cell and draw, at any time.

A fire's chance events (a break that is crossed, an ember that is thrown) must not depend on the
order in which cells burn, on the other fires or on where breaks lie: the same fire meets the same
luck in the same cell under every plan. So nothing is drawn from a stream. The number of
(key, cell, draw) is a hash: the three are combined with odd constants and mixed twice with the
finaliser of SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
generators"; constants of Stafford's variant 13).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.compiled import compiled
from firebreak.seeding import generator

DRAW_BREACH, DRAW_THROW, DRAW_DISTANCE, DRAW_SIDE, DRAW_IGNITION = range(5)
DRAW_HOLD, DRAW_CORNER_EAST, DRAW_CORNER_WEST, DRAW_ATTACK = range(5, 9)
"""What the draws of a cell are for; each event has its own, so that none moves another."""

_CELL_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, odd
_DRAW_STEP = np.uint64(0xD1B54A32D192ED03)  # another odd one
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_ONE = np.uint64(1)
_UNIT = 2.0**-53


def fire_keys(seed: int, fire_set: str, landscape_key: str, count: int) -> NDArray[np.uint64]:
    """Keys of the fires of a set, uint64 [count]; a longer set begins with the shorter one.

    Raises:
        InputError: the seed is below 0.
    """
    stream = generator(seed, "fires", fire_set, landscape_key, "key")
    return stream.integers(0, 2**64, count, dtype=np.uint64)


@compiled()
def _mixed(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@compiled()
def uniform(key: np.uint64, cell: int, draw: int) -> float:
    """The number of (key, cell, draw), in [0, 1) on a grid of 2^-53; for compiled code.

    `cell` and `draw` are 0 or more; all arithmetic is modulo 2^64.
    """
    word = _mixed(np.uint64(key) + (np.uint64(cell) + _ONE) * _CELL_STEP)
    word = _mixed(word + (np.uint64(draw) + _ONE) * _DRAW_STEP)
    return np.float64(word >> _11) * _UNIT


def uniforms(key: ArrayLike, cell: ArrayLike, draw: ArrayLike) -> NDArray[np.float64]:
    """`uniform` of arrays, broadcast, with the same bits."""
    keys, cells, draws = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.uint64) for part in (key, cell, draw)))
    with np.errstate(over="ignore"):  # numpy warns of single numbers that wrap, not of arrays
        word = _mixed.py_func(keys + (cells + _ONE) * _CELL_STEP)
        word = _mixed.py_func(word + (draws + _ONE) * _DRAW_STEP)
        return np.asarray((word >> _11).astype(np.float64) * _UNIT)
