"""Land beyond the edge of a map: the map's own mirror image across that edge.

Nothing is known there. A mirror image has the map's mixture of fuels and its relief, and meets the
map without a step. It burns, and that is all: it has no value, no road, and nothing is treated.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window


def inside_map(window: Window, shape: tuple[int, int]) -> Window:
    """The part of a window that lies on a map of a shape [H, W]; they must overlap."""
    top, left = max(window.row, 0), max(window.col, 0)
    return Window(top, left, min(window.row + window.rows, shape[0]) - top,
                  min(window.col + window.cols, shape[1]) - left)


def padded_to(grid: NDArray, part: Window, window: Window, fill: float) -> NDArray:
    """A grid of a part of a window on the whole window, `fill` around it."""
    whole = np.full((window.rows, window.cols), fill, grid.dtype)
    top, left = part.row - window.row, part.col - window.col
    whole[top:top + part.rows, left:left + part.cols] = grid
    return whole


def mirrored_part(landscape: Landscape, window: Window) -> Landscape:
    """A window of a map that may reach beyond its edges, at most by the map's own size."""
    part = inside_map(window, landscape.shape)
    if part == window:
        return window.of(landscape)
    rows, turned_rows = _mirrored(window.row, window.rows, landscape.shape[0])
    cols, turned_cols = _mirrored(window.col, window.cols, landscape.shape[1])
    a, b, c, d, e, f = landscape.transform
    made = landscape.map_grids(
        lambda grid: grid[np.ix_(rows, cols)],
        transform=(a, b, c + a * window.col + b * window.row, d, e,
                   f + d * window.col + e * window.row))
    beyond = turned_rows[:, None] | turned_cols
    aspect = np.where(turned_rows[:, None], 180.0 - made.aspect_deg, made.aspect_deg)
    aspect = np.where(turned_cols, -aspect, aspect) % 360.0
    road = made.road_m
    return replace(
        made, aspect_deg=np.where(beyond, np.where(aspect < 360.0, aspect, 0.0), made.aspect_deg),
        value=np.where(beyond, 0.0, made.value), treatable=made.treatable & ~beyond,
        layers=tuple(np.where(beyond, 0.0, layer) for layer in made.layers),
        road_m=None if road is None else np.where(beyond, np.maximum(road, made.cell_size_m), road))


def _mirrored(first: int, count: int, size: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Rows of a map of so many that stand for rows from `first` on, and which lie beyond it."""
    place = np.arange(first, first + count)
    found = np.where(place < 0, -1 - place, np.where(place >= size, 2 * size - 1 - place, place))
    return found, (place < 0) | (place >= size)
