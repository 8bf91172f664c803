"""Bare ground that fire crosses by its width: which cells, and what fire comes over them.

It stands like a break of that width from the start. A bare cell burns as the fuel that the wind
comes over before it, so that a fire which crosses keeps its pace; fire from another side takes the
same. What it neither has, throws nor counts is the kernels' (`src/native/arcs.h`).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.travel.arcs import BARE, GATES
from firebreak.fire.travel.stencil import NEIGHBOURS, REACH
from firebreak.landscape.bare_ground import WIDEST_M, bare_cells, run_of
from firebreak.landscape.landscape import Landscape

TOGETHER = 3
"""Cells side by side that share a draw at most; REACH, so that windows see them whole."""
_RAYS = (0, 1, -1, 2, -2, 3, -3, 4)
"""Eighths of a turn from where the wind comes from, in the order in which fuel is looked for."""

Codes = NDArray[np.uint8]
Cells = NDArray[np.int64]


def codes_of(landscape: Landscape) -> Codes:
    """Codes [H, W], BARE and what follows by `arcs.GATES`, where fire may cross bare ground; 0
    elsewhere; no rows where nothing is known of widths.
    """
    if landscape.bare_m is None:
        return np.empty((0, 0), np.uint8)
    bare = bare_cells(landscape)
    narrow = bare & (landscape.bare_m > 0.0) & (landscape.bare_m <= WIDEST_M)
    narrow &= _near_fuel(landscape.burnable)
    (down, below), (right, beside) = (run_of(bare, axis) for axis in (0, 1))
    code = np.full(landscape.shape, BARE, np.uint8)
    north = (below <= TOGETHER) & (below < beside)
    west = (beside <= TOGETHER) & ~north
    for k, (rows, cols) in enumerate(GATES):
        if k:
            code[(north & (down == -rows)) if rows else (west & (right == -cols))] = BARE + k
    return np.where(narrow, code, np.uint8(0))


def passable(landscape: Landscape, codes: Codes) -> NDArray[np.bool_]:
    """Cells [H, W] that burn, and bare ground of these codes."""
    return landscape.burnable | (codes > 0) if codes.size else landscape.burnable


def _near_fuel(burnable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells that see fuel within REACH cells in one of the eight directions."""
    star = np.zeros((2 * REACH + 1, 2 * REACH + 1), np.bool_)
    for down, right in NEIGHBOURS:
        for k in range(1, REACH + 1):
            star[REACH + k * down, REACH + k * right] = True
    return np.asarray(binary_dilation(burnable, star))


def fuel_before(landscape: Landscape, cells: Cells, wind_from_deg: NDArray[np.float64]) -> Cells:
    """Flat cell of the fuel whose fire comes over each of n bare `cells` in R winds, [R, n]: the
    first within REACH cells against the wind, else in the direction nearest to it.
    """
    rows, cols = landscape.shape
    row, col = np.divmod(cells, cols)
    seen = np.full((len(NEIGHBOURS), cells.size), -1)
    for way, (down, right) in enumerate(NEIGHBOURS):
        for k in range(REACH, 0, -1):
            r, c = row + k * down, col + k * right
            inside = (r >= 0) & (r < rows) & (c >= 0) & (c < cols)
            flat = np.where(inside, r * cols + c, 0)
            seen[way] = np.where(inside & landscape.burnable.ravel()[flat], flat, seen[way])
    found = np.full_like(seen, -1)
    for way in range(len(NEIGHBOURS)):
        for turn in reversed(_RAYS):
            other = seen[(way + turn) % len(NEIGHBOURS)]
            found[way] = np.where(other >= 0, other, found[way])
    return found[np.round(wind_from_deg / 45.0).astype(np.int64) % len(NEIGHBOURS)]


def carried_over(behavior: FireBehavior, landscape: Landscape, codes: Codes,
                 wind_from_deg: NDArray[np.float64]) -> FireBehavior:
    """Fire behaviour [R, H, W] with that of `fuel_before` in bare cells of these codes."""
    cells = np.flatnonzero(codes)
    if not cells.size:
        return behavior
    before = fuel_before(landscape, cells, wind_from_deg)

    def moved(grid: NDArray) -> NDArray:
        own = grid.reshape(len(grid), -1)
        made = own.copy()
        made[:, cells] = np.take_along_axis(own, before, axis=1)
        return made.reshape(grid.shape)

    return FireBehavior(*(moved(getattr(behavior, name)) for name in FireBehavior._fields))


def with_trees(landscape: Landscape, distance_m: float) -> NDArray[np.bool_]:
    """Cells [H, W] from whose edge the edge of a cell with canopy is within the distance, and its
    centre within REACH cells.
    """
    away = np.maximum(np.abs(np.arange(-REACH, REACH + 1)) - 1, 0)
    near = np.hypot(away[:, None], away) * landscape.cell_size_m <= distance_m
    return np.asarray(binary_dilation(_canopy(landscape), near))


def _canopy(landscape: Landscape) -> NDArray[np.bool_]:
    fuels = landscape.fuels
    if fuels.uses_canopy:
        return landscape.burnable & (landscape.canopy_cover > 0.0) & (
            landscape.canopy_height_m > 0.0)
    woods = [code for code, kind in fuels.kinds.items() if kind in fuels.wooded]
    return np.isin(landscape.fuel_model, woods)
