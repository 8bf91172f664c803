"""Bring rasters and landscapes onto another grid: majority for classes, means for numbers.

All through rasterio.warp, with nan as no data: a new cell is built from the old cells under it
that hold data, weighted by area.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.enums import Resampling
from rasterio.warp import reproject

from firebreak.checks import fail
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.geotiff import MAX_CELLS, Band, Grid, crs_name
from firebreak.landscape.raster.windows import aggregate
from firebreak.landscape.terrain import slope_aspect

How = Literal["majority", "mean", "nearest", "smooth"]
"""Rules of resampling. "smooth" is the mean on coarser cells and bilinear on finer ones: for
elevation, whose slopes would become terraces otherwise."""

_METHODS = {"majority": Resampling.mode, "mean": Resampling.average,
            "nearest": Resampling.nearest, "smooth": Resampling.average}
# Without a system on either side only the numbers count: any one system will do for both.
_SAME = CRS.from_epsg(3857)
_PLACE_TOLERANCE = 1e-3  # cells
_TIE = 1e-9  # of a cell
_WORK_PER_CLASS = 2_000_000
MOST_WORK = 20_000_000_000
"""Cells that are resampled to find the commonest class, each class by itself: some minutes."""


def same_place(one: Grid, other: Grid) -> bool:
    """True where two grids have the same cells, to a thousandth of a cell."""
    return one.shape == other.shape and same_cells(one.transform, other.transform, one.shape)


def same_cells(one: Sequence[float], other: Sequence[float], shape: tuple[int, int]) -> bool:
    """True where two affine transforms (a, b, c, d, e, f) put a map's cells at the same place."""
    scale = max(shape)  # an error of the cell size grows over the map
    apart = np.abs(np.subtract(one, other)) * (scale, scale, 1, scale, scale, 1)
    return bool((apart <= _PLACE_TOLERANCE * abs(one[0])).all())


def onto(band: Band, source: Grid, target: Grid, how: How) -> Band:
    """A band on another grid of the same reference system.

    Finer cells than the band's take the value of the cell they lie in.

    Args:
        band: [H, W] on `source`.
        source, target: the grids; one without a reference system is only accepted beside another
            without.
        how: "majority", "mean" (of numbers), "nearest", or "smooth".

    Raises:
        InputError: systems that differ or cannot be compared, or no overlap.
    """
    if (source.crs is None) != (target.crs is None) or (
            source.crs and CRS.from_wkt(source.crs) != CRS.from_wkt(target.crs or "")):
        raise fail(expected=f"the reference system of the fuel layer, {crs_name(target.crs)}",
                   given=crs_name(source.crs), where=band.where,
                   remedy="warp it to that grid first, for example with gdalwarp")
    values = np.where(band.valid, band.values, np.nan)
    finer = target.transform[0] < source.transform[0] * (1.0 - 1e-6)
    warped = warp(values, rasterio.Affine(*source.transform), _SAME, target.shape,
                  rasterio.Affine(*target.transform), _SAME, _method(how, finer))
    valid = np.isfinite(warped)
    if not valid.any():
        raise fail(expected=f"an overlap with the fuel layer's {describe(target)}",
                   given=describe(source), where=band.where, remedy="check the corners of both")
    return replace(band, values=warped, valid=valid)


def _method(how: How, finer: bool) -> Resampling:
    if finer:
        return Resampling.bilinear if how == "smooth" else Resampling.nearest
    return _METHODS[how]


def warp(values: NDArray[np.float64], transform: rasterio.Affine, crs: CRS,
         shape: tuple[int, int], target_transform: rasterio.Affine, target_crs: CRS,
         method: Resampling) -> NDArray[np.float64]:
    """Numbers on another grid, float64 [H, W], nan where there is no data.

    A majority is by area, ties going to the lowest number.
    """
    if method is Resampling.mode:
        return _majority(values, transform, crs, shape, target_transform, target_crs)
    out = np.full(shape, np.nan)
    reproject(values, out, src_transform=transform, src_crs=crs, src_nodata=np.nan,
              dst_transform=target_transform, dst_crs=target_crs, dst_nodata=np.nan,
              resampling=method)
    return out


def _majority(values: NDArray[np.float64], transform: rasterio.Affine, crs: CRS,
              shape: tuple[int, int], target_transform: rasterio.Affine,
              target_crs: CRS) -> NDArray[np.float64]:
    """The number with the largest share of each cell (GDAL's mode counts cells, not area)."""
    winner, most = np.full(shape, np.nan), np.zeros(shape)
    known = np.isfinite(values)
    numbers = np.unique(values[known])
    if numbers.size * (values.size + winner.size + _WORK_PER_CLASS) > MOST_WORK:
        raise fail(expected="a raster of few classes, to take the commonest",
                   given=f"{numbers.size:,} different numbers in {values.size:,} cells",
                   where="resampling", remedy="bring it onto the landscape's grid first")
    for number in numbers:
        is_it = np.where(known, values == number, np.nan)
        share = warp(is_it, transform, crs, shape, target_transform, target_crs,
                     Resampling.average)
        more = share > most + _TIE
        winner[more], most[more] = number, share[more]
    return winner


def describe(grid: Grid) -> str:
    """Size, cell and place in words."""
    rows, cols = grid.shape
    a, _, c, _, _, f = grid.transform
    return f"{rows} x {cols} cells of {a:g} at ({c:.0f}, {f:.0f})"


def to_cell_size(landscape: Landscape, cell_size_m: float) -> Landscape:
    """A landscape of other cells over the same ground; slope and aspect are derived again.

    Whole multiples go by `windows.aggregate`. Otherwise the same rules hold for the cells under a
    new one, weighted by area; finer cells take the values of the cell they lie in, but for
    elevation, which is interpolated. Cells that would reach beyond the map are dropped.

    Raises:
        InputError: a cell size larger than the map, or far too small.
    """
    size = landscape.cell_size_m
    ratio = cell_size_m / size
    rows, cols = (int(length / ratio + 1e-9) for length in landscape.shape)
    if min(rows, cols) < 1 or rows * cols > MAX_CELLS:
        raise fail(expected=f"cells that fit a map of {landscape.shape} cells of {size:g} m",
                   given=f"{cell_size_m:g} m", where=f"landscape {landscape.name}",
                   remedy="choose another cell size")
    if ratio >= 1 and abs(ratio - round(ratio)) < 1e-9:
        return aggregate(landscape, round(ratio))
    a, _, c, _, e, f = landscape.transform
    place = rasterio.Affine(a * ratio, 0.0, c, 0.0, e * ratio, f)
    inside = landscape.fuel_model != NODATA

    def move(grid: np.ndarray, how: How) -> NDArray[np.float64]:
        return warp(np.where(inside, grid, np.nan), rasterio.Affine(*landscape.transform), _SAME,
                    (rows, cols), place, _SAME, _method(how, ratio < 1))

    def change(grid: np.ndarray) -> np.ndarray:
        if grid.dtype == np.bool_:
            return move(grid, "mean") >= 0.5
        return np.where(outside, _typical(grid), move(grid, "mean"))

    fuel = move(landscape.fuel_model, "majority")
    outside = np.isnan(fuel)
    fuel[outside] = NODATA
    ground = move(landscape.elevation_m, "smooth")
    ground = np.where(np.isnan(ground), move(landscape.elevation_m, "nearest"), ground)
    ground = np.where(np.isnan(ground), _typical(landscape.elevation_m), ground)
    slope, aspect = slope_aspect(ground, cell_size_m, ~outside)
    return landscape.map_grids(
        change, fuel_model=fuel, elevation_m=ground, slope_tan=slope, aspect_deg=aspect,
        name=f"{landscape.name} at {cell_size_m:g} m", cell_size_m=cell_size_m,
        transform=tuple(place[:6]))


def _typical(grid: np.ndarray) -> float:
    """A number for cells outside the data: it is never used there, but must be a valid one."""
    return float(np.median(grid))
