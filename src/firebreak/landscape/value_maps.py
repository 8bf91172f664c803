"""Synthetic maps of what is worth protecting: even, in settlements, or in a district."""

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.noise import power_law_noise

_MOST_SETTLEMENTS = 6
_BACKGROUND = 0.1  # value of open land where settlements are worth 1 and more


def draw_value(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    """A value map [H, W], all positive: of settlements (half of the draws), of one district worth
    several times the rest, or varying smoothly.
    """
    kind = rng.choice(("settlements", "district", "smooth"), p=(0.5, 0.25, 0.25))
    if kind == "settlements":
        return _settlements(rng, shape).astype(np.float32)
    field = power_law_noise(rng, 1, shape, correlation_cells=0.4 * max(shape), exponent=3.0)[0]
    if kind == "district":
        inside = field > np.quantile(field, rng.uniform(0.6, 0.9))
        return np.where(inside, rng.uniform(3.0, 20.0), 1.0).astype(np.float32)
    return np.exp(rng.uniform(0.3, 1.0) * field).astype(np.float32)


def _settlements(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Round clusters of houses, dense inside and thinning out, on land of little value."""
    rows, cols = np.indices(shape)
    value = np.full(shape, _BACKGROUND)
    for _ in range(int(rng.integers(1, _MOST_SETTLEMENTS, endpoint=True))):
        row, col = rng.uniform(0, shape[0]), rng.uniform(0, shape[1])
        radius = rng.uniform(0.03, 0.12) * max(shape)
        distance2 = (rows - row)**2 + (cols - col)**2
        value += rng.uniform(0.5, 3.0) * np.exp(-0.5 * distance2 / radius**2)
    return value
