"""Rasters, shapes and arrays on a landscape's grid, from whatever grid and reference system they
have; an array lies on the landscape's own grid, or on that of the map that it was cut from.
"""

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio._err import CPLE_BaseError  # what PROJ raises where rasterio lets it pass
from rasterio.crs import CRS
from rasterio.enums import Resampling
from rasterio.errors import RasterioError

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.ascii_grid import is_ascii_grid, read_ascii_grid
from firebreak.landscape.raster.geotiff import check_place, open_raster, place_of_part, read_band
from firebreak.landscape.raster.parts import part_over
from firebreak.landscape.raster.resample import same_cells, warp
from firebreak.landscape.raster.shape_files import is_vector
from firebreak.landscape.raster.shapes import mask_of_shapes

Reading = Literal["mean", "majority", "nearest", "any"]
"""Rules by which a raster's cells under a landscape's cell make one number; "any": 1 where one of
them is not 0, else 0."""

_METHODS = {"mean": Resampling.average, "majority": Resampling.mode,
            "nearest": Resampling.nearest, "any": Resampling.max}


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
                 how: Reading = "mean") -> NDArray[np.float64]:
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
        found = warp(values, transform, system, landscape.shape, target, ours, _METHODS[how])
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


def mask_of(path: Raster, landscape: Landscape, how: Reading = "majority",
            ) -> NDArray[np.bool_]:
    """The cells [H, W] where a raster is not 0, or which shapes cover; see `read_on_grid`."""
    return np.nan_to_num(read_on_grid(path, landscape, how=how)) != 0
