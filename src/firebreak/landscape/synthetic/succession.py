"""Past fires, logging and season of synthetic landscapes: how long ago each cell burned, where
slash lies, and whether leaves are out.

A scar is an ellipse with a ragged edge; later fires run over the scars of earlier ones. Blocks are
rectangles, as they are cut.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.synthetic.families import Family
from firebreak.landscape.synthetic.noise import power_law_noise

OLD_YEARS = 150.0
"""Since the last fire, where no scar lies."""

_RAGGED = 0.22  # of the radius, standard deviation
_LONGEST_SCAR = 2.2  # length over width
_BLOCK_CELLS = (3, 8)
_SUMMERS = 0.5


def ages(rng: np.random.Generator, recipe: Family, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Years since the last fire, [H, W]: those of the latest scar that lies on a cell."""
    years = np.full(shape, OLD_YEARS)
    if recipe.scars[1] == 0:
        return years
    scale = max(1, round(shape[0] * shape[1] / 40**2))
    count = scale * int(rng.integers(*recipe.scars, endpoint=True))
    latest = recipe.stages[-1][0]
    rows, cols = np.indices(shape)
    edge = power_law_noise(rng, 1, shape, correlation_cells=6.0, exponent=1.8)[0]
    for age in np.sort(rng.uniform(0.0, latest, count))[::-1]:
        row, col = rng.uniform(0, shape[0]), rng.uniform(0, shape[1])
        angle, ratio = rng.uniform(0.0, np.pi), rng.uniform(1.0, _LONGEST_SCAR)
        radius = rng.uniform(*recipe.scar_cells)
        along = (cols - col) * np.cos(angle) + (rows - row) * np.sin(angle)
        across = (rows - row) * np.cos(angle) - (cols - col) * np.sin(angle)
        distance = np.hypot(along / np.sqrt(ratio), across * np.sqrt(ratio)) / radius
        years[distance + _RAGGED * edge < 1.0] = age
    return years


def cut_blocks(rng: np.random.Generator, recipe: Family, fuel: NDArray[np.int16]) -> None:
    """Writes blocks of slash into `fuel` until they take the share that is drawn."""
    if not recipe.cut_fuels:
        return
    codes, weights = zip(*recipe.cut_fuels, strict=True)
    chance = np.array(weights) / sum(weights)
    left = int(rng.uniform(*recipe.cut_share) * fuel.size)
    while left > 0:
        rows, cols = (min(int(n), side) for n, side in zip(
            rng.integers(*_BLOCK_CELLS, size=2, endpoint=True), fuel.shape, strict=True))
        cols = min(cols, left)  # the last block is as large as what is left
        rows = min(rows, left // cols)
        row, col = (int(rng.integers(side - n + 1)) for n, side in zip(
            (rows, cols), fuel.shape, strict=True))
        fuel[row:row + rows, col:col + cols] = rng.choice(codes, p=chance)
        left -= rows * cols


def leaf_out(rng: np.random.Generator, recipe: Family, fuel: NDArray[np.int16]) -> None:
    """Writes the fuels of summer into `fuel`, in half of the draws."""
    if rng.random() < _SUMMERS:
        before = fuel.copy()
        for bare, green in recipe.green_up:
            fuel[before == bare] = green
