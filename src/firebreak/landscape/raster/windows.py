"""Other views of a landscape: coarser, turned, reaching beyond its edge, and cut into windows for
training and testing.

Windows of different splits never share a cell: a map is first cut into blocks, each block belongs
to one split, and windows lie inside one block.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.terrain import slope_aspect
from firebreak.seeding import generator

SPLITS = ("train", "validation", "test")
SYMMETRIES = 8


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A rectangle of cells: north-west cell (row, col), `rows` x `cols` cells."""

    row: int
    col: int
    rows: int
    cols: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """For indexing a [H, W] grid."""
        return (slice(self.row, self.row + self.rows), slice(self.col, self.col + self.cols))

    def of(self, landscape: Landscape) -> Landscape:
        """This part of a landscape."""
        return landscape.crop(self.row, self.col, self.rows, self.cols)


def aggregate(landscape: Landscape, factor: int) -> Landscape:
    """A landscape whose cells are `factor` x `factor` cells of the given one.

    Fuel is the most frequent code (ties: data before no data, then the lowest code); other layers
    are means over the cells with data; slope and aspect are derived again from the mean
    elevation; a cell is treatable where half of its cells or more were. Rows and columns at the
    south and east edge that do not fill a cell are dropped.

    Raises:
        InputError: a factor below 1 or larger than the map.
    """
    height, width = landscape.shape
    if not 1 <= factor <= min(height, width):
        raise fail(expected=f"a factor from 1 to {min(height, width)}", given=f"{factor}",
                   where=f"landscape {landscape.name}", remedy="choose another factor")
    if factor == 1:
        return landscape
    fuel = _majority(_blocks(landscape.fuel_model, factor))
    weight = _weights(_blocks(landscape.fuel_model, factor))

    def mean(grid: np.ndarray) -> np.ndarray:
        average = (_blocks(grid, factor) * weight).sum(axis=-1)
        return average >= 0.5 if grid.dtype == np.bool_ else average

    a, b, c, d, e, f = landscape.transform
    coarse = landscape.map_grids(
        mean, fuel_model=fuel, name=f"{landscape.name} by {factor}",
        cell_size_m=landscape.cell_size_m * factor,
        transform=(a * factor, b * factor, c, d * factor, e * factor, f))
    return _with_derived_terrain(coarse)


def _blocks(grid: np.ndarray, factor: int) -> np.ndarray:
    """[H, W] -> [H // factor, W // factor, factor * factor]."""
    rows, cols = grid.shape[0] // factor, grid.shape[1] // factor
    whole = grid[:rows * factor, :cols * factor].reshape(rows, factor, cols, factor)
    return whole.swapaxes(1, 2).reshape(rows, cols, factor * factor)


def _weights(fuel_blocks: np.ndarray) -> NDArray[np.float64]:
    """Weights of the cells of each block that sum to 1: equal over the cells with data."""
    has_data = fuel_blocks != NODATA
    has_data |= ~has_data.any(axis=-1, keepdims=True)
    return has_data / has_data.sum(axis=-1, keepdims=True)


def _majority(fuel_blocks: np.ndarray) -> NDArray[np.int16]:
    codes = np.unique(fuel_blocks)
    codes = np.concatenate((codes[codes != NODATA], codes[codes == NODATA]))
    best = np.full(fuel_blocks.shape[:2], -1)
    winner = np.zeros(fuel_blocks.shape[:2], dtype=np.int16)
    for code in codes:
        count = (fuel_blocks == code).sum(axis=-1)
        more = count > best
        best[more], winner[more] = count[more], code
    return winner


def dihedral(landscape: Landscape, k: int) -> Landscape:
    """One of the 8 symmetries of the square: `k` % 4 quarter turns anticlockwise, and for `k`
    of 4 or more a mirror image (west to east) of that.

    The result is a north-up map of its own: slope and aspect are derived again from the turned
    elevation, and the georeference is kept only by the identity, k = 0.
    """
    if k == 0:
        return landscape
    size = landscape.cell_size_m
    turned_rows = landscape.shape[k % 2]
    turned = landscape.map_grids(
        lambda grid: turn(grid, k), name=f"{landscape.name} symmetry {k}", crs=None,
        transform=(size, 0.0, 0.0, 0.0, -size, turned_rows * size))
    return _with_derived_terrain(turned)


def turn(grid: np.ndarray, k: int) -> np.ndarray:
    """The [..., H, W] grid under symmetry k of `dihedral`: positions only, a view."""
    turned = np.rot90(grid, k % 4, axes=(-2, -1))
    return turned[..., ::-1] if k >= 4 else turned


def _with_derived_terrain(landscape: Landscape) -> Landscape:
    slope, aspect = slope_aspect(landscape.elevation_m, landscape.cell_size_m,
                                 landscape.fuel_model != NODATA)
    return landscape.map_grids(lambda grid: grid, slope_tan=slope, aspect_deg=aspect)


def split_blocks(shape: tuple[int, int], block: int,
                 shares: tuple[float, float, float] = (0.6, 0.2, 0.2),
                 seed: int = 0) -> dict[str, list[Window]]:
    """Cut a map into blocks and assign them to train, validation and test.

    The blocks cover the map without overlap and are at least `block` cells long on each side
    (wherever the map is).

    Args:
        shape: (rows, columns) of the map.
        block: least side of a block, cells.
        shares: shares of the blocks for train, validation and test, which add up to 1; each at
            least one block.
        seed: which blocks go where.

    Raises:
        InputError: fewer than 3 blocks.
    """
    blocks = cut_blocks(shape, block)
    if len(blocks) < len(SPLITS):
        raise fail(expected="at least 3 blocks, one for each of train, validation and test",
                   given=f"{len(blocks)} of {block} x {block} cells or more",
                   where=f"splitting {shape[0]} x {shape[1]} cells",
                   remedy="use smaller blocks or a larger map")
    dealt = generator(seed, "split").permutation(len(blocks))
    ends = np.cumsum(_counts(len(blocks), shares))
    parts = np.split(dealt, ends[:-1])
    return {split: sorted(blocks[i] for i in part)
            for split, part in zip(SPLITS, parts, strict=True)}


def cut_blocks(shape: tuple[int, int], block: int) -> list[Window]:
    """Blocks of at least `block` x `block` cells that cover a map without overlap, row by row."""
    return [Window(row, col, rows, cols) for row, rows in _cut(shape[0], block)
            for col, cols in _cut(shape[1], block)]


def _cut(length: int, block: int) -> list[tuple[int, int]]:
    """(start, length) of near-equal pieces, as many as fit."""
    edges = np.linspace(0, length, max(1, length // block) + 1).astype(int).tolist()
    return [(start, end - start) for start, end in pairwise(edges)]


def _counts(total: int, shares: tuple[float, ...]) -> list[int]:
    """Whole numbers near `shares` of `total`, each at least 1, that add up to `total`."""
    counts = [max(1, round(share * total)) for share in shares]
    while sum(counts) != total:
        step = 1 if sum(counts) < total else -1
        movable = [i for i, count in enumerate(counts) if count + step >= 1]
        lag = [(shares[i] * total - counts[i]) * step for i in movable]
        counts[movable[int(np.argmax(lag))]] += step
    return counts


def window_positions(blocks: Sequence[Window], rows: int, cols: int, landscape: Landscape,
                     min_burnable: float = 0.5) -> NDArray[np.int32]:
    """North-west cells (row, col) of all windows inside one of `blocks`: int32 [n, 2], may be none.

    Args:
        blocks: where windows may lie, such as one split of `split_blocks`.
        rows, cols: size of the windows, cells.
        landscape: the map that the blocks cut.
        min_burnable: least share of burnable cells; cells without data are never accepted.
    """
    whole = rows * cols
    good = (_sums(landscape.burnable, rows, cols) >= min_burnable * whole) & (
        _sums(landscape.fuel_model != NODATA, rows, cols) == whole)
    inside = np.zeros(good.shape, np.bool_)
    for block in blocks:
        inside[block.row:max(block.row, block.row + block.rows - rows + 1),
               block.col:max(block.col, block.col + block.cols - cols + 1)] = True
    return np.argwhere(good & inside).astype(np.int32)


def _sums(mask: NDArray[np.bool_], rows: int, cols: int) -> NDArray[np.int64]:
    """Cells of `mask` in each window of rows x cols, by its north-west cell."""
    height, width = mask.shape
    if rows > height or cols > width:
        return np.zeros((0, 0), np.int64)
    total = np.zeros((height + 1, width + 1), np.int64)
    total[1:, 1:] = mask.cumsum(axis=0).cumsum(axis=1)
    return (total[rows:, cols:] - total[:-rows, cols:] - total[rows:, :-cols]
            + total[:-rows, :-cols])


def list_windows(blocks: Sequence[Window], rows: int, cols: int, landscape: Landscape,
                 min_burnable: float = 0.5) -> list[Window]:
    """Windows of `window_positions` that do not overlap, packed greedily.

    Each block is scanned from its north-west corner, row by row; a window is taken where it fits,
    so that tilted or patchy data still yields many.

    Raises:
        InputError: there is none.
    """
    found: list[Window] = []
    free = np.ones(landscape.shape, np.bool_)
    for block in blocks:
        places = window_positions([block], rows, cols, landscape, min_burnable)
        for row, col in places.tolist():
            window = Window(row, col, rows, cols)
            # The four corners are enough: windows taken before are as large as this one.
            if free[row:row + rows:rows - 1 or 1, col:col + cols:cols - 1 or 1].all():
                free[window.slices] = False
                found.append(window)
    if not found:
        raise fail(expected=f"a window of {rows} x {cols} cells",
                   given=f"none that is {min_burnable:.0%} burnable and has data everywhere",
                   where=f"landscape {landscape.name}",
                   remedy="use a smaller window, larger blocks or another map")
    return found


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
    """A window of a map that may reach beyond its edges, at most by the map's own size.

    Nothing is known there. A mirror image across the edge has the map's mixture of fuels and its
    relief, and meets the map without a step. It burns, and that is all: it has no value, no road,
    and nothing is treated.
    """
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
