"""Roads, developed land, wildland edges and ridges by a map's own codes and elevation.

Fuel maps of the LANDFIRE kind burn roads and buildings into the fuels as developed land (code 91),
so a road is a thin and long string of that code. Nothing here is surveyed: roads that the map does
not show are missing, and a driveway that it shows is a road.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.landscape.landscape import Landscape

DEVELOPED = 91
"""Urban and developed land in the codes of Scott & Burgan (2005)."""
AGRICULTURE = 93
"""Irrigated or tilled land in the same codes."""

Mask = NDArray[np.bool_]
Grid = NDArray[np.float64]

_TOUCHING = np.ones((3, 3), np.bool_)  # cells that touch at a corner too
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def developed(land: Landscape) -> Mask:
    """Cells of developed land [H, W]."""
    return np.asarray(land.fuel_model == DEVELOPED)


def roads(land: Landscape, least_cells: int = 20) -> Mask:
    """Strings of developed cells [H, W] of at least so many cells: developed land without its
    blocks of 3 x 3 cells and more.
    """
    built = developed(land)
    thin = built & ~ndimage.binary_opening(built, _TOUCHING)
    names, count = ndimage.label(thin, _TOUCHING)
    sizes = ndimage.sum_labels(thin, names, np.arange(1, count + 1))
    return np.isin(names, 1 + np.flatnonzero(sizes >= least_cells))


def near(mask: Mask, land: Landscape, metres: float) -> Mask:
    """Burnable cells [H, W] whose centre is at most so far from that of a cell of the mask."""
    if not mask.any():
        return np.zeros_like(mask)
    away = ndimage.distance_transform_edt(~mask) * land.cell_size_m
    return np.asarray((away <= metres) & land.burnable)


def nearness(mask: Mask, land: Landscape, metres: float) -> Grid:
    """Share of the square of side 2 x metres + 1 cell around each cell that lies in the mask, 0 to
    1 [H, W].
    """
    side = 2 * round(metres / land.cell_size_m) + 1
    return np.asarray(ndimage.uniform_filter(mask.astype(np.float64), side, mode="constant"))


class _Line(NamedTuple):
    height: float
    row: int
    col: int
    step: tuple[int, int]


def ridge_line(land: Landscape, allowed: Mask, cells: int, around_m: float = 300.0) -> Mask:
    """The straight line [H, W] of so many allowed cells that lies highest above the land around it:
    in its mean over the line, elevation less the mean elevation within about `around_m`. Of equals
    the first by direction, row and column. No cell where there is no such line.
    """
    side = 2 * round(around_m / land.cell_size_m) + 1
    elevation = land.elevation_m.astype(np.float64)
    above = elevation - ndimage.uniform_filter(elevation, side, mode="nearest")
    best: _Line | None = None
    for step in _DIRECTIONS:
        found = _highest(above, allowed, cells, step)
        if found is not None and (best is None or found.height > best.height):
            best = found
    line = np.zeros(land.shape, np.bool_)
    if best is not None:
        for k in range(cells):
            line[best.row + k * best.step[0], best.col + k * best.step[1]] = True
    return line


def _highest(above: Grid, allowed: Mask, cells: int, step: tuple[int, int]) -> _Line | None:
    """The best line in one direction; it begins at its northern, or western, end."""
    rows, cols = above.shape
    down, right = step
    height, width = rows - down * (cells - 1), cols - abs(right) * (cells - 1)
    if height <= 0 or width <= 0:
        return None
    first_col = (cells - 1) if right < 0 else 0
    total, fits = np.zeros((height, width)), np.ones((height, width), np.bool_)
    for k in range(cells):
        part = (slice(k * down, k * down + height),
                slice(first_col + k * right, first_col + k * right + width))
        total += above[part]
        fits &= allowed[part]
    if not fits.any():
        return None
    row, col = np.unravel_index(np.argmax(np.where(fits, total, -np.inf)), total.shape)
    return _Line(float(total[row, col]) / cells, int(row), int(col) + first_col, step)
