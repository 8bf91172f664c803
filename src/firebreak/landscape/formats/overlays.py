"""Rasters, shapes and point lists that go with a landscape: value, cost, treatable cells, barriers,
ignitions, brought onto its grid from whatever grid and reference system they have.

`houses.gpkg:value` names shapes and the attribute that holds their number. Where a file has the
colon in its own name, it is that file.
"""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio._err import CPLE_BaseError  # what PROJ raises where rasterio lets it pass
from rasterio.crs import CRS
from rasterio.enums import Resampling
from rasterio.errors import RasterioError
from rasterio.warp import transform_bounds
from scipy.ndimage import distance_transform_edt

from firebreak.checks import counted, fail
from firebreak.landscape.formats.assemble import warn
from firebreak.landscape.formats.tables import read_points
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.arrays import ArrayOnGrid
from firebreak.landscape.raster.ascii_grid import is_ascii_grid, read_ascii_grid
from firebreak.landscape.raster.degrees import centre_of
from firebreak.landscape.raster.geotiff import check_place, open_raster, place_of_part, read_band
from firebreak.landscape.raster.parts import Place, part_over
from firebreak.landscape.raster.resample import same_cells, warp
from firebreak.landscape.raster.shape_files import is_vector
from firebreak.landscape.raster.shapes import amounts_of_shapes, levels_of_shapes, mask_of_shapes

Reading = Literal["mean", "majority", "nearest", "any"]
"""How a raster's cells under a landscape's cell make one number; "any": 1 where one of them is not
0, else 0."""

Raster = str | Path | ArrayOnGrid
"""A file, or an array in its place."""

_METHODS = {"mean": Resampling.average, "majority": Resampling.mode,
            "nearest": Resampling.nearest, "any": Resampling.max}


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
    place = Place(landscape.shape, landscape.transform, landscape.crs)
    if is_ascii_grid(path):
        grid, band = read_ascii_grid(path, over=place)
        transform, system = rasterio.Affine(*grid.transform), grid.crs and CRS.from_wkt(grid.crs)
    else:
        with open_raster(path) as dataset:
            check_place(str(path), dataset.transform)
            part = part_over(dataset, place, str(path))
            transform, system = place_of_part(dataset, part), dataset.crs
            band = read_band(dataset, 1, part)
    return np.where(band.valid, band.values, np.nan).astype(np.float64), transform, system or None


def with_rasters(landscape: Landscape, *, value: Raster | None = None,
                 cost: Raster | None = None, treatable: Raster | None = None,
                 barriers: Raster | None = None, ignition: Raster | None = None,
                 roads: Raster | None = None) -> Landscape:
    """A landscape with what these files, or arrays, hold.

    Args:
        landscape: the one to start from.
        value: what is lost where a cell burns, >= 0; see `amounts_on_grid`.
        cost: of treating a cell, > 0 (mean under a cell); every treatable cell must have one. Of
            shapes an attribute, FILE:NAME, which holds in every cell that a shape covers; where
            several do, the largest.
        treatable: cells that are not 0 (by majority) may be treated; no data is not.
        barriers: cells touched by anything that is not 0 no longer burn: roads, rivers, existing
            breaks.
        ignition: weights, >= 0; see `amounts_on_grid`.
        roads: cells touched by anything that is not 0 have a road, from which crews come.

    Raises:
        InputError: as `read_on_grid`; numbers out of range; points that are all outside the map.

    Warns:
        LandscapeWarning: points outside the map.
    """
    changes: dict[str, object] = {}
    fuel = landscape.fuel_model
    if barriers is not None:
        crossed = mask_of(barriers, landscape, how="any")
        fuel = np.where(crossed & (fuel != NODATA), landscape.fuels.non_burnable, fuel)
        changes["fuel_model"] = fuel
    if treatable is not None:
        changes["treatable"] = mask_of(treatable, landscape)
    if value is not None:
        changes["value"] = amounts_on_grid(value, landscape, "value")
    if ignition is not None:
        changes["ignition_weight"] = _ignition_weight(ignition, landscape)
    if roads is not None:
        changes["road_m"] = _road_m(roads, landscape)
    changed: Landscape = replace(landscape, **changes)  # type: ignore[arg-type]
    if cost is None:
        return changed
    return replace(changed, cost=_cost(cost, changed))  # type: ignore[arg-type]


def _road_m(path: Raster, landscape: Landscape) -> NDArray[np.float64]:
    """Distance [H, W] of each cell's centre from the nearest centre of a cell with a road, m."""
    found = mask_of(path, landscape, how="any")
    if not found.any():
        raise fail(expected="a road on the landscape", given="none", where=str(path),
                   remedy="check its area and reference system")
    return np.asarray(distance_transform_edt(~found) * landscape.cell_size_m)


def mask_of(path: Raster, landscape: Landscape, how: Reading = "majority",
            ) -> NDArray[np.bool_]:
    """The cells [H, W] where a raster is not 0, or which shapes cover; see `read_on_grid`."""
    return np.nan_to_num(read_on_grid(path, landscape, how=how)) != 0


def latitude_of(landscape: Landscape) -> float | None:
    """Latitude of the map's centre, degrees north; None without a reference system."""
    centre = centre_of(landscape)
    return None if centre is None else centre[1]


def corners_of(landscape: Landscape) -> tuple[float, float, float, float]:
    """West, south, east and north of a landscape with a reference system, degrees."""
    (rows, cols), (a, _, c, _, e, f) = landscape.shape, landscape.transform
    west, south, east, north = transform_bounds(
        CRS.from_wkt(landscape.crs), CRS.from_epsg(4326), c, f + rows * e, c + cols * a, f)
    return float(west), float(south), float(east), float(north)


def _not_negative(path: Raster, grid: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    known = np.nan_to_num(grid)
    if (known < 0).any():
        raise fail(expected=f"{what} of 0 or more", given=f"{known.min():g}", where=str(path),
                   remedy="correct it, or mark these cells as no data")
    return _small(path, known, what)


def _small(path: Raster, grid: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    """Numbers that a landscape can hold; it holds them in single precision."""
    most = float(np.finfo(np.float32).max)
    if (grid > most).any():
        raise fail(expected=f"{what} up to {most:.0e}", given=f"{np.nanmax(grid):g}",
                   where=str(path), remedy="correct it")
    return grid


def _cost(given: Raster, landscape: Landscape) -> NDArray[np.float64]:
    """Costs; 1 where nothing can be treated and so nothing is paid."""
    path, attribute = file_and_attribute(given)
    if not isinstance(path, ArrayOnGrid) and is_vector(path):
        if attribute is None:
            raise fail(expected="shapes with an attribute that holds the cost of a cell",
                       given="no attribute", where=str(path),
                       remedy=f"name it after a colon: {path.name}:cost")
        cost = levels_of_shapes(path, attribute, landscape)
    else:
        _check_no_attribute(path, attribute)
        cost = read_on_grid(path, landscape)
    bad = landscape.treatable & ~(cost > 0)
    if bad.any():
        row, col = divmod(int(np.flatnonzero(bad)[0]), landscape.shape[1])
        raise fail(expected="a cost above 0 in every treatable cell",
                   given=f"{counted(int(np.count_nonzero(bad)), 'cell')} without one, the first at "
                         f"row {row}, column {col}", where=str(path),
                   remedy="fill them, or leave them out of the treatable cells")
    return np.where(cost > 0, _small(path, cost, "a cost"), 1.0)


def _ignition_weight(given: Raster, landscape: Landscape) -> NDArray[np.float64]:
    weight = amounts_on_grid(given, landscape, "ignition weights")
    if not weight[landscape.burnable].any():
        raise fail(expected="ignitions on cells that burn", given="none", where=str(given),
                   remedy="check that the file belongs to this map")
    return weight


def amounts_on_grid(given: Raster, landscape: Landscape, what: str) -> NDArray[np.float64]:
    """Amounts of 0 or more in each cell, f64 [H, W], 0 where there are none.

    Args:
        given: a raster (mean under a cell); shapes, each of which counts 1 or, as FILE:NAME, its
            number in an attribute, shared evenly by its cells; or a .csv of points, which count in
            the same way, see `read_points`.
        what: they are, for errors.

    Raises:
        InputError: as the readers; amounts below 0.

    Warns:
        LandscapeWarning: shapes or points that lie outside the map.
    """
    path, attribute = file_and_attribute(given)
    if isinstance(path, ArrayOnGrid):
        return _not_negative(path, read_on_grid(path, landscape), what)
    if path.suffix.lower() == ".csv":
        points = read_points(path, landscape, attribute)
        grid = np.bincount(points.cells, points.numbers, landscape.fuel_model.size)
        return _small(path, grid.astype(np.float64).reshape(landscape.shape), what)
    if is_vector(path):
        found = amounts_of_shapes(path, attribute, landscape)
        _warn_of_places(path, found.shapes, found.outside, found.across)
        return _small(path, found.grid, what)
    _check_no_attribute(path, attribute)
    return _not_negative(path, read_on_grid(path, landscape), what)


def file_and_attribute(given: Raster) -> tuple[Path | ArrayOnGrid, str | None]:
    """The file that is given, and the attribute that follows it after a colon, or None."""
    if isinstance(given, ArrayOnGrid):
        return given, None
    whole = Path(given)
    name, colon, attribute = str(given).rpartition(":")
    path = Path(name)
    if colon and not whole.exists() and (
            path.is_file() or is_vector(path) or path.suffix.lower() == ".csv"):
        return path, attribute
    return whole, None


def counted_in(given: Raster) -> str | None:
    """What is counted where shapes or points count 1 each: the name of their file; else None."""
    path, attribute = file_and_attribute(given)
    if isinstance(path, ArrayOnGrid):
        return None
    counts = attribute is None and (is_vector(path) or path.suffix.lower() == ".csv")
    return path.stem if counts else None


def _check_no_attribute(path: Raster, attribute: str | None) -> None:
    if attribute is not None:
        raise fail(expected=f"shapes or a .csv of points, of which '{attribute}' is an attribute",
                   given="a raster", where=str(path), remedy="leave the attribute out")


def _warn_of_places(path: Path, shapes: int, outside: int, across: int) -> None:
    if outside:
        warn(f"{path}: {outside} of {counted(shapes, 'shape')} lie outside the map and are left "
             "out")
    if across:
        warn(f"{path}: {across} of {counted(shapes, 'shape')} lie on the map's edge and count by "
             "the share of their cells inside")
