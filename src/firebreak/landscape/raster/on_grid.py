"""Rasters, shapes, arrays and landscapes on another grid, from whatever grid and reference system
they have; an array lies on a landscape's own grid, or on that of the map that it was cut from.

All through rasterio.warp, with nan as no data: a new cell is built from the old cells under it
that hold data, weighted by area.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio._err import CPLE_BaseError  # what PROJ raises where rasterio lets it pass
from rasterio.crs import CRS
from rasterio.enums import ColorInterp, Resampling
from rasterio.errors import RasterioError
from rasterio.warp import reproject

from firebreak.checks import fail
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.ascii_grid import is_ascii_grid, read_ascii_grid
from firebreak.landscape.raster.geotiff import (
    MAX_CELLS,
    Band,
    Grid,
    check_place,
    crs_name,
    open_raster,
    place_of_part,
    read_band,
)
from firebreak.landscape.raster.parts import part_over
from firebreak.landscape.raster.shape_files import is_vector
from firebreak.landscape.raster.shapes import mask_of_shapes
from firebreak.landscape.raster.windows import aggregate
from firebreak.landscape.terrain import slope_aspect

Rule = Literal["majority", "mean", "nearest", "smooth", "any"]
"""Rules by which cells under a new cell make one number. "smooth" is the mean on coarser cells and
bilinear on finer ones: for elevation, whose slopes would become terraces otherwise. "any" is 1
where one of them is not 0, else 0."""

_METHODS = {"majority": Resampling.mode, "mean": Resampling.average,
            "nearest": Resampling.nearest, "smooth": Resampling.average, "any": Resampling.max}
# Without a system on either side only the numbers count: any one system will do for both.
_SAME = CRS.from_epsg(3857)
_PLACE_TOLERANCE = 1e-3  # cells
_TIE = 1e-9  # of a cell
_WORK_PER_CLASS = 2_000_000
MOST_WORK = 20_000_000_000
"""Cells that are resampled to find the commonest class, each class by itself: some minutes."""


class ArrayOnGrid(NamedTuple):
    """Numbers on the grid of a landscape. name: of what they are, for messages; values: [H, W], nan
    for no data; transform: of that landscape.
    """

    name: str
    values: NDArray[np.float64]
    transform: tuple[float, float, float, float, float, float]

    def __str__(self) -> str:
        return self.name

    def over(self, landscape: Landscape) -> NDArray[np.float64]:
        """The numbers on the cells of the landscape, or of a part cut from it, f64 [h, w].

        Raises:
            InputError: the landscape does not lie inside the grid.
        """
        a, _, c, _, e, f = self.transform
        left = round((landscape.transform[2] - c) / a)
        top = round((landscape.transform[5] - f) / e)
        rows, cols = landscape.shape
        inside = self.values[max(top, 0):top + rows, max(left, 0):left + cols]
        if min(top, left) < 0 or inside.shape != landscape.shape:
            raise fail(expected=f"an array on the grid of {landscape.name}",
                       given=f"one of {self.values.shape[0]} x {self.values.shape[1]} cells "
                             "elsewhere", where=self.name, remedy="cut it as the landscape was cut")
        return inside


def array_on(landscape: Landscape, values: object, name: str) -> ArrayOnGrid:
    """Numbers or truth values [H, W] on a landscape's grid.

    Raises:
        InputError: not an array of real numbers of the landscape's shape.
    """
    grid = _real(values)
    if grid is None:
        kind = getattr(values, "dtype", type(values).__name__)
        raise fail(expected="an array of numbers, or the path of a file", given=f"{kind}",
                   where=name, remedy="correct it")
    if grid.shape != landscape.shape:
        raise fail(expected=f"an array of shape {landscape.shape} like {landscape.name}",
                   given=f"{grid.shape}", where=name, remedy="bring it onto the landscape's grid")
    grid.flags.writeable = False
    return ArrayOnGrid(name, grid, landscape.transform)


def _real(values: object) -> NDArray[np.float64] | None:
    """A copy of numbers or truth values, nan where an array masks them; None where they are none:
    text, times, complex numbers, objects.
    """
    try:
        array = np.asanyarray(values)
    except (TypeError, ValueError, RuntimeError):  # lists of several lengths, tensors of a network
        return None
    if array.dtype.kind not in "biuf":
        return None
    grid = np.array(array, np.float64)
    grid[np.ma.getmaskarray(array)] = np.nan
    return grid


Raster = str | Path | ArrayOnGrid
"""A file, or an array in its place."""


def read_on_grid(path: Raster, landscape: Landscape, *,
                 how: Rule = "mean") -> NDArray[np.float64]:
    """The first band of a raster on a landscape's grid, float64 [H, W], nan where it has no data.

    A raster of the same cells is taken as it is. One without a reference system is taken cell by
    cell if it has the landscape's rows and columns. All others are reprojected and resampled; where
    the raster's cells are the larger ones, a landscape's cell takes the value that it lies in.

    Shapes (GeoJSON, GeoPackage, ...) are 1 where they cover cells, for "majority" by their centre,
    for "any" wherever they touch; they say nothing of amounts.

    Args:
        path: GeoTIFF, ASCII grid, or what else GDAL reads; any reference system. Or an array.
        landscape: gives the grid.
        how: "mean" for numbers, "majority" for classes, "nearest", or "any" for thin lines.

    Raises:
        InputError: missing or unreadable, no overlap, or no reference system (in the raster or the
            landscape) while the sizes differ.
    """
    if isinstance(path, ArrayOnGrid):
        return path.over(landscape)
    if is_vector(Path(path)):
        if how not in ("any", "majority"):
            raise fail(expected="a raster of numbers", given="shapes", where=str(path),
                       remedy="burn them into a raster first, for example with gdal_rasterize")
        inside = mask_of_shapes(Path(path), landscape, touched=how == "any")
        return np.where(inside, 1.0, np.nan)
    values, transform, system = _open(Path(path), landscape)
    if how == "any":
        values = np.where(np.isnan(values), np.nan, values != 0)
    target = rasterio.Affine(*landscape.transform)
    same = values.shape == landscape.shape
    ours = None if landscape.crs is None else CRS.from_user_input(landscape.crs)
    unplaced = system is None or ours is None
    if same and (unplaced or (system == ours and same_cells(
            transform[:6], landscape.transform, landscape.shape))):
        return values
    if system is None or ours is None:
        missing = "raster" if system is None else "landscape"
        raise fail(expected=f"a reference system, or {landscape.shape[0]} x {landscape.shape[1]} "
                            "cells like the landscape",
                   given=f"{values.shape[0]} x {values.shape[1]} cells and a {missing} without "
                         "reference system", where=str(path),
                   remedy="set it, for example with gdal_edit.py -a_srs")
    try:
        found = _warp(values, (transform, system), landscape.shape, (target, ours), _METHODS[how])
    except (RasterioError, CPLE_BaseError) as error:
        raise fail(expected="a raster that can be reprojected", given=f"'{error}'", where=str(path),
                   remedy="check its reference system and corner") from error
    if np.isnan(found).all():
        raise fail(expected="an overlap with the landscape", given="none, or no data there",
                   where=str(path), remedy="check its area and reference system")
    return found


def _open(path: Path, landscape: Landscape,
          ) -> tuple[NDArray[np.float64], rasterio.Affine, CRS | None]:
    """Numbers with nan for no data, transform and reference system of a raster on any grid; of one
    that is too large to be held, the part over the landscape.
    """
    if is_ascii_grid(path):
        grid, band = read_ascii_grid(path, over=landscape)
        transform, system = rasterio.Affine(*grid.transform), grid.crs and CRS.from_wkt(grid.crs)
    else:
        with open_raster(path) as dataset:
            check_place(str(path), dataset.transform)
            part = part_over(dataset, landscape, str(path))
            transform, system = place_of_part(dataset, part), dataset.crs
            band = read_band(dataset, 1, part)
    return np.where(band.valid, band.values, np.nan).astype(np.float64), transform, system or None


def mask_of(path: Raster, landscape: Landscape, how: Rule = "majority",
            ) -> NDArray[np.bool_]:
    """The cells [H, W] where a raster is not 0, or which shapes cover; see `read_on_grid`.

    Raises:
        InputError: as `read_on_grid`; several bands, as a landscape has, of which none says where.
    """
    if not isinstance(path, ArrayOnGrid) and not (
            is_vector(Path(path)) or is_ascii_grid(Path(path))):
        with open_raster(Path(path)) as dataset:
            bands = sum(kind != ColorInterp.alpha for kind in dataset.colorinterp)
        if bands > 1:
            raise fail(expected="a raster of one band, not 0 in the cells that are meant",
                       given=f"{bands} bands", where=str(path),
                       remedy="write the band that is meant into a file of its own, for example "
                              "with gdal_translate -b 1")
    return np.nan_to_num(read_on_grid(path, landscape, how=how)) != 0


def same_place(one: Grid, other: Grid) -> bool:
    """True where two grids have the same cells, to a thousandth of a cell."""
    return one.shape == other.shape and same_cells(one.transform, other.transform, one.shape)


def same_cells(one: Sequence[float], other: Sequence[float], shape: tuple[int, int]) -> bool:
    """True where two affine transforms (a, b, c, d, e, f) put a map's cells at the same place."""
    scale = max(shape)  # an error of the cell size grows over the map
    apart = np.abs(np.subtract(one, other)) * (scale, scale, 1, scale, scale, 1)
    return bool((apart <= _PLACE_TOLERANCE * abs(one[0])).all())


def onto(band: Band, source: Grid, target: Grid, how: Rule) -> Band:
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
    warped = _warp(values, (rasterio.Affine(*source.transform), _SAME), target.shape,
                   (rasterio.Affine(*target.transform), _SAME), _method(how, finer))
    valid = np.isfinite(warped)
    if not valid.any():
        raise fail(expected=f"an overlap with the fuel layer's {describe(target)}",
                   given=describe(source), where=band.where, remedy="check the corners of both")
    return replace(band, values=warped, valid=valid)


def _method(how: Rule, finer: bool) -> Resampling:
    if finer:
        return Resampling.bilinear if how == "smooth" else Resampling.nearest
    return _METHODS[how]


_Place = tuple[rasterio.Affine, CRS]


def _warp(values: NDArray[np.float64], source: _Place, shape: tuple[int, int], target: _Place,
          method: Resampling) -> NDArray[np.float64]:
    """Numbers on another grid, float64 [H, W], nan where there is no data.

    A majority is by area, ties going to the lowest number.
    """
    if method is Resampling.mode:
        return _majority(values, source, shape, target)
    out = np.full(shape, np.nan)
    reproject(values, out, src_transform=source[0], src_crs=source[1], src_nodata=np.nan,
              dst_transform=target[0], dst_crs=target[1], dst_nodata=np.nan, resampling=method)
    return out


def _majority(values: NDArray[np.float64], source: _Place, shape: tuple[int, int],
              target: _Place) -> NDArray[np.float64]:
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
        share = _warp(is_it, source, shape, target, Resampling.average)
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

    def move(grid: np.ndarray, how: Rule) -> NDArray[np.float64]:
        return _warp(np.where(inside, grid, np.nan), (rasterio.Affine(*landscape.transform), _SAME),
                     (rows, cols), (place, _SAME), _method(how, ratio < 1))

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
