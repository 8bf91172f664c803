"""Rasters and point lists that go with a landscape: value, cost, treatable cells, barriers,
ignitions, brought onto its grid from whatever grid and reference system they have.
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
from rasterio.warp import transform
from scipy.ndimage import distance_transform_edt

from firebreak.checks import counted, fail
from firebreak.landscape.formats.assemble import warn
from firebreak.landscape.formats.cell2fire_tables import read_ignitions
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.arrays import ArrayOnGrid
from firebreak.landscape.raster.ascii_grid import is_ascii_grid, read_ascii_grid
from firebreak.landscape.raster.geotiff import check_place, open_raster, place_of_part, read_band
from firebreak.landscape.raster.parts import Place, part_over
from firebreak.landscape.raster.resample import same_cells, warp
from firebreak.landscape.raster.shapes import is_vector, mask_of_shapes
from firebreak.reading import csv_rows, lines_of

MOST_POINTS = 5_000_000
"""Points of a table, of each of which Python makes some hundred bytes."""

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
        value: what is lost where a cell burns, >= 0 (mean under a cell); no data counts 0.
        cost: of treating a cell, > 0 (mean under a cell); every treatable cell must have one.
        treatable: cells that are not 0 (by majority) may be treated; no data is not.
        barriers: cells touched by anything that is not 0 no longer burn: roads, rivers, existing
            breaks.
        ignition: weights, >= 0 (mean under a cell, no data counts 0); or a .csv of points with
            columns x,y in the map's coordinates, or row,col from 0, or Cell2Fire's Year,Ncell, of
            which each cell counts its own.
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
        changes["value"] = _not_negative(value, read_on_grid(value, landscape), "value")
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
    if landscape.crs is None:
        return None
    a, b, c, d, e, f = landscape.transform
    row, col = landscape.shape[0] / 2, landscape.shape[1] / 2
    _, (latitude,) = transform(CRS.from_wkt(landscape.crs), CRS.from_epsg(4326),
                                    [a * col + b * row + c], [d * col + e * row + f])
    return float(latitude)


def _not_negative(path: Raster, grid: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    known = np.nan_to_num(grid)
    if (known < 0).any():
        raise fail(expected=f"{what} of 0 or more", given=f"{known.min():g}", where=str(path),
                   remedy="correct it, or mark these cells as no data")
    return known


def _cost(path: Raster, landscape: Landscape) -> NDArray[np.float64]:
    """Costs; 1 where nothing can be treated and so nothing is paid."""
    cost = read_on_grid(path, landscape)
    bad = landscape.treatable & ~(cost > 0)
    if bad.any():
        row, col = divmod(int(np.flatnonzero(bad)[0]), landscape.shape[1])
        raise fail(expected="a cost above 0 in every treatable cell",
                   given=f"{counted(int(np.count_nonzero(bad)), 'cell')} without one, the first at "
                         f"row {row}, column {col}", where=str(path),
                   remedy="fill them, or leave them out of the treatable cells")
    return np.where(cost > 0, cost, 1.0)


def _ignition_weight(path: Raster, landscape: Landscape) -> NDArray[np.float64]:
    if not isinstance(path, ArrayOnGrid) and Path(path).suffix.lower() == ".csv":
        cells = read_points(path, landscape)
        weight = np.bincount(cells, minlength=landscape.fuel_model.size).astype(np.float64)
        weight = weight.reshape(landscape.shape)
    else:
        weight = _not_negative(path, read_on_grid(path, landscape), "ignition weights")
    if not weight[landscape.burnable].any():
        raise fail(expected="ignitions on cells that burn", given="none", where=str(path),
                   remedy="check that the file belongs to this map")
    return weight


def read_points(path: str | Path, landscape: Landscape) -> NDArray[np.int64]:
    """The cells of a table of points, int64 [n], flat from 0, those outside the map left out.

    Columns are found by name: x,y in the map's coordinates; row,col from 0; or Year,Ncell from 1.

    Raises:
        InputError: missing, other columns, text in place of a number (with line), all outside.

    Warns:
        LandscapeWarning: some points lie outside the map.
    """
    file = Path(path)
    if not file.is_file():
        raise fail(expected="a table of points", given="no such file", where=str(path),
                   remedy="check the path")
    rows = csv_rows(lines_of(file, encoding="utf-8", errors="replace"), str(path),
                    skipinitialspace=True)
    header = [name.strip("\ufeff ").lower() for name in next(rows, (0, []))[1]]
    if "ncell" in header:
        return read_ignitions(file, landscape.fuel_model.size)
    names = next((pair for pair in (("x", "y"), ("row", "col")) if set(pair) <= set(header)), None)
    if names is None:
        raise fail(expected="columns x,y or row,col or Year,Ncell",
                   given=", ".join(header)[:60] or "an empty file", where=str(path),
                   remedy="name the columns in the first line")
    places = [header.index(name) for name in names]
    points: list[list[float]] = []
    for line, row in rows:
        if row:
            points.append(_pair(row, places, f"{path}, line {line}"))
        if len(points) > MOST_POINTS:
            raise fail(expected=f"at most {MOST_POINTS:,} points", given="more", where=str(path),
                       remedy="make a raster of weights of them")
    return _cells_of(np.array(points, dtype=np.float64).reshape(-1, 2), names, landscape, str(path))


def _pair(row: list[str], places: list[int], where: str) -> list[float]:
    try:
        numbers = [float(row[place]) for place in places]
    except (ValueError, IndexError):
        numbers = [np.nan]
    if not np.isfinite(numbers).all():
        raise fail(expected="two numbers", given=f"'{','.join(row)[:30]}'", where=where,
                   remedy="correct this line")
    return numbers


def _cells_of(points: NDArray[np.float64], names: tuple[str, str], landscape: Landscape,
              where: str) -> NDArray[np.int64]:
    if names == ("x", "y"):
        a, b, c, d, e, f = landscape.transform
        col, row = np.linalg.solve([[a, b], [d, e]], (points - (c, f)).T)
    else:
        row, col = points[:, 0], points[:, 1]
    row, col = np.floor(row), np.floor(col)
    height, width = landscape.shape
    inside = (row >= 0) & (row < height) & (col >= 0) & (col < width)
    if not inside.any():
        raise fail(expected=f"points inside the map of {height} x {width} cells",
                   given=f"{counted(len(points), 'point')}, all outside", where=where,
                   remedy="check their coordinates and reference system")
    if not inside.all():
        warn(f"{where}: {np.count_nonzero(~inside)} of {len(points)} points lie outside the map "
             "and are left out")
    return (row * width + col)[inside].astype(np.int64)
