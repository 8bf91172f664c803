"""Points, lines and polygons on a landscape's grid: as masks (areas, roads, existing breaks), and
with the numbers that they carry (what houses are worth, how many fires started, what a cell costs).

An amount is shared evenly by the cells that its shape covers, in the map or outside of it, so that
the sum over a map that holds all shapes is the sum of their numbers. A level holds in each of the
cells.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.features import rasterize
from rasterio.warp import transform_geom

from firebreak.checks import InputError, counted, fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shape_files import Shape, read_shapes

_FARTHEST = 1e8  # in units of the reference system; the Earth is 4e7 m around

NARROW = 0.01
"""Side of a cell: polygons that follow the edges of cells are so far off them, at most, where they
come from another reference system or were rounded."""
MOST_SHAPE_CELLS = 50_000_000
"""Cells of the rectangle around one shape, at most."""


def mask_of_shapes(path: Path, landscape: Landscape, *, touched: bool) -> NDArray[np.bool_]:
    """The cells [H, W] that the shapes of a file cover.

    Args:
        touched: polygons cover every cell that they touch, else those whose centre they hold;
            lines and points always cover what they touch.

    Raises:
        InputError: missing or damaged, no shapes, no reference system, shapes outside the map.
    """
    found = read_shapes(path)
    ours = on_map(found.geometries, found.crs, landscape.crs, path)
    try:
        mask = covered_cells(ours, landscape.shape, rasterio.Affine(*landscape.transform),
                              touched=touched)
    except Exception as error:  # of damaged coordinates rasterio raises whatever comes
        raise damaged(path, error) from error
    if not mask.any():
        raise fail(expected="shapes that cover cells of the landscape",
                   given="none: they lie outside it, or are smaller than a cell",
                   where=str(path), remedy="check their place and reference system")
    return mask


def polygons_end_on(path: Path, landscape: Landscape) -> bool:
    """True where the polygons of a file end within a landscape's map.

    Raises:
        InputError: as `mask_of_shapes`; lines or points.
    """
    found = read_shapes(path)
    other = next((one["type"] for one in found.geometries if "Polygon" not in one["type"]), None)
    if other is not None:
        raise fail(expected="polygons", given=f"a {other}", where=str(path),
                   remedy="draw around what is meant, or widen the lines and points in a GIS")
    corners = np.concatenate([corners_of(one["coordinates"]) for one in on_map(
        found.geometries, found.crs, landscape.crs, path)])
    a, _, west, _, e, north = landscape.transform
    rows, cols = (corners[:, 1] - north) / e, (corners[:, 0] - west) / a
    return all(places.min() >= -NARROW and places.max() <= size + NARROW
               for places, size in zip((rows, cols), landscape.shape, strict=True))


def on_map(geometries: list[dict[str, Any]], system: CRS, crs: str | None,
           path: Path) -> list[dict[str, Any]]:
    """Geometries in the reference system of a landscape.

    Args:
        crs: the landscape's, WKT.

    Raises:
        InputError: the landscape has none, or coordinates that cannot be.
    """
    if crs is None:
        raise fail(expected="a landscape with a reference system, to lay shapes over it",
                   given="one without", where=str(path), remedy="set it with --crs")
    try:
        with rasterio.Env():  # without one GDAL writes its errors to the terminal
            ours = list(transform_geom(system, CRS.from_wkt(crs), geometries))
        # GDAL follows an edge cell by cell, however long.
        if not all((np.abs(corners_of(one["coordinates"])) < _FARTHEST).all() for one in ours):
            raise ValueError("coordinates nowhere on the Earth")
    except Exception as error:  # of damaged coordinates rasterio raises whatever comes
        raise _not_degrees(geometries, system, path) or damaged(path, error) from error
    return ours


def _not_degrees(geometries: list[dict[str, Any]], system: CRS, path: Path) -> InputError | None:
    """The error for metres, or latitudes before longitudes, that count as degrees; else None."""
    try:
        corners = np.concatenate([corners_of(one["coordinates"]) for one in geometries])
    except (TypeError, ValueError, LookupError, OverflowError):  # damaged in another way
        return None
    if not system.is_geographic or not np.isfinite(corners).all():
        return None
    east, north = np.abs(corners).max(axis=0)
    if north <= 90.0:
        return None
    swapped = east <= 90.0 and north <= 180.0
    x, y = corners[0]
    return fail(expected="longitudes and latitudes in degrees, as in GeoJSON that names no system",
                given=f"{x:g}, {y:g}, which looks like "
                      f"{'a latitude before a longitude' if swapped else 'metres'}",
                where=str(path),
                remedy="write the longitude first" if swapped else
                "export it in WGS 84, for example with ogr2ogr -s_srs EPSG:CODE -t_srs EPSG:4326")


def damaged(path: Path, error: Exception) -> InputError:
    """The error to raise where shapes cannot be laid over a map."""
    return fail(expected="shapes with coordinates of their system", given=f"'{error}'",
                where=str(path), remedy="check the file in a GIS")


def numbered_shapes(path: Path, attribute: str | None, landscape: Landscape, *,
                    positive: bool = False) -> Iterator[tuple[Shape, list[dict[str, Any]], float]]:
    """Yield each shape of a file, its geometries on a map, and its number: 1 without an attribute.

    Args:
        attribute: that holds the numbers.
        positive: 0 is none of them.

    Raises:
        InputError: as `read_shapes` and `on_map`; a number that is missing or below 0.
    """
    found = read_shapes(path, attribute)
    numbers = [1.0 if attribute is None else _number(shape, attribute, place, path, positive)
               for place, shape in enumerate(found.shapes, start=1)]
    ours = iter(on_map(found.geometries, found.crs, landscape.crs, path))
    for shape, number in zip(found.shapes, numbers, strict=True):
        yield shape, [next(ours) for _ in shape.geometries], number


def cells_by_name(paths: Iterable[Path], landscape: Landscape) -> dict[str, NDArray[np.int64]]:
    """The flat cells that shapes of files touch, by the name that they have there; of shapes
    without names none. Where several touch a cell it is that of the last of a file.

    Raises:
        InputError: as `mask_of_shapes`.
    """
    cells: dict[str, NDArray[np.int64]] = {}
    for path in paths:
        drawn = [(one, shape.name) for shape, own, _ in numbered_shapes(path, None, landscape)
                 for one in own if shape.name]
        if not drawn:
            continue
        number = {name: k for k, name in enumerate(dict.fromkeys(name for _, name in drawn), 1)}
        grid = rasterize([(one, number[name]) for one, name in drawn], landscape.shape,
                         all_touched=True, dtype=np.int32,
                         transform=rasterio.Affine(*landscape.transform)).ravel()
        for name, k in number.items():
            own = np.flatnonzero(grid == k)
            cells[name] = np.union1d(cells[name], own) if name in cells else own
    return cells


class Covered(NamedTuple):
    """Cells of a shape. cells: int64 [n], flat, those on the map. total: how many it has in all."""

    cells: NDArray[np.int64]
    total: int


class Amounts(NamedTuple):
    """grid: f64 [H, W]. shapes: how many there are. outside, across: of these, how many lie outside
    the map, and how many on its edge.
    """

    grid: NDArray[np.float64]
    shapes: int
    outside: int
    across: int


def amounts_of_shapes(path: Path, attribute: str | None, landscape: Landscape) -> Amounts:
    """The sum over shapes of their numbers, each shared by the cells of its shape.

    Args:
        attribute: that holds the numbers; None: each shape counts 1.

    Raises:
        InputError: as `read_shapes`; a number that is missing or below 0; all shapes outside.
    """
    grid = np.zeros(landscape.fuel_model.size)
    shapes = outside = across = 0
    for covered, number in _covered(path, attribute, landscape):
        np.add.at(grid, covered.cells, number / covered.total)
        shapes += 1
        outside += covered.cells.size == 0
        across += 0 < covered.cells.size < covered.total
    return Amounts(grid.reshape(landscape.shape), shapes, outside, across)


def levels_of_shapes(path: Path, attribute: str, landscape: Landscape, *,
                     positive: bool = False) -> NDArray[np.float64]:
    """The number of the shape that covers a cell, the largest of several, f64 [H, W]; nan where
    none does.

    Raises:
        InputError: as `amounts_of_shapes`; a number of 0 where all are to be positive.
    """
    grid = np.full(landscape.fuel_model.size, np.nan)
    for covered, number in _covered(path, attribute, landscape, positive):
        grid[covered.cells] = np.fmax(grid[covered.cells], number)
    return grid.reshape(landscape.shape)


def _covered(path: Path, attribute: str | None, landscape: Landscape,
             positive: bool = False) -> Iterator[tuple[Covered, float]]:
    """Yield the cells that each shape of a file covers, and its number; some lie on the map."""
    to_cells, inside, count = ~rasterio.Affine(*landscape.transform), False, 0
    for count, (_, own, number) in enumerate(  # noqa: B007
            numbered_shapes(path, attribute, landscape, positive=positive), start=1):
        try:
            covered = cells_of(own, to_cells, landscape, path)
        except InputError:
            raise
        except Exception as error:  # of damaged coordinates rasterio raises whatever comes
            raise damaged(path, error) from error
        inside |= covered.cells.size > 0
        yield covered, number
    if not inside:
        raise fail(expected="shapes on the landscape",
                   given=f"{counted(count, 'shape')}, all outside", where=str(path),
                   remedy="check their place and reference system")


def _number(shape: Shape, attribute: str, place: int, path: Path, positive: bool) -> float:
    """The number in an attribute of shape number `place`."""
    value = shape.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    number = float(value) if is_number else np.nan
    if not 0.0 <= number < np.inf or (positive and number == 0.0):
        is_text = isinstance(value, str)
        nothing = value is None or (is_number and np.isnan(number))
        shown = "nothing" if nothing else f"{'the text ' * is_text}'{str(value)[:40]}'"
        kind = "a number above 0" if positive else "a number of 0 or more"
        raise fail(expected=f"{kind} in '{attribute}' of every shape",
                   given=f"{shown} in shape {place}{f' ({shape.name})' if shape.name else ''}",
                   where=str(path),
                   remedy="make the attribute one of numbers, not of text" if is_text else
                   "correct it, or leave the shape out")
    return number


def cells_of(geometries: list[dict[str, Any]], to_cells: rasterio.Affine, landscape: Landscape,
             path: Path) -> Covered:
    """The cells of one shape: those whose centre its polygons hold, or that they touch where they
    hold none, and those that its lines and points touch.

    Args:
        geometries: in the landscape's reference system.
        to_cells: from its coordinates to (column, row).
    """
    corners = np.concatenate([corners_of(one["coordinates"]) for one in geometries])
    col, row = to_cells.a * corners[:, 0] + to_cells.b * corners[:, 1] + to_cells.c, (
        to_cells.d * corners[:, 0] + to_cells.e * corners[:, 1] + to_cells.f)
    left, top = int(np.floor(col.min())), int(np.floor(row.min()))
    cols, rows = int(np.floor(col.max())) - left + 1, int(np.floor(row.max())) - top + 1
    if rows == cols == 1:  # most houses
        return _on_map(np.array([top]), np.array([left]), landscape)
    if rows * cols > MOST_SHAPE_CELLS:
        raise fail(expected=f"shapes of at most {MOST_SHAPE_CELLS:,} cells from edge to edge",
                   given=f"one of {rows:,} x {cols:,}", where=str(path),
                   remedy="cut the shapes to the landscape's area")
    corner = _moved(rasterio.Affine(*landscape.transform), left, top)
    mask = covered_cells(geometries, (rows, cols), corner, touched=False)
    if not mask.any():
        mask = covered_cells(geometries, (rows, cols), corner, touched=True)
    found = np.nonzero(mask)
    return _on_map(found[0] + top, found[1] + left, landscape)


def _moved(grid: rasterio.Affine, right: float, down: float) -> rasterio.Affine:
    """The transform of a grid that begins so many columns and rows further on."""
    a, b, c, d, e, f = grid[:6]
    return rasterio.Affine(a, b, c + a * right + b * down, d, e, f + d * right + e * down)


def _on_map(row: NDArray[np.int64], col: NDArray[np.int64], landscape: Landscape) -> Covered:
    return Covered(flat_cells(row, col, landscape.shape)[0], max(row.size, 1))


def flat_cells(row: NDArray[Any], col: NDArray[Any], shape: tuple[int, int],
               ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The flat cells of rows and columns [n] that lie on a map, and which of them do."""
    inside = (row >= 0) & (row < shape[0]) & (col >= 0) & (col < shape[1])
    return (row * shape[1] + col)[inside].astype(np.int64), inside


def covered_cells(geometries: list[dict[str, Any]], shape: tuple[int, int],
                   transform: rasterio.Affine, *, touched: bool) -> NDArray[np.bool_]:
    """The cells [H, W] whose centre polygons hold, or which they touch, and which lines and points
    touch. A polygon that reaches less than NARROW into a cell from an edge does not touch it.
    """
    mask = np.zeros(shape, np.bool_)
    areas = [one for one in geometries if one["type"].endswith("Polygon")]
    others = [one for one in geometries if not one["type"].endswith("Polygon")]

    def cells(some: list[dict[str, Any]], *, all_touched: bool = True) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = rasterize(some, shape, transform=transform,
                                             all_touched=all_touched, dtype=np.uint8) != 0
        return found

    if areas:
        mask = cells(areas, all_touched=False)
        if touched:
            mask |= _crossed_cells(areas, shape, transform)
            mask = mask if mask.any() else cells(areas)
    return mask | cells(others) if others else mask


_APART = 0.02  # of a cell, between points of an outline
_MOST_POINTS = 1_000_000


def _crossed_cells(polygons: list[dict[str, Any]], shape: tuple[int, int],
                   transform: rasterio.Affine) -> NDArray[np.bool_]:
    """The cells [H, W] through which an outline runs farther than NARROW from their edges."""
    rings = [np.array(ring, np.float64)[:, :2] for one in polygons
             for part in ([one["coordinates"]] if one["type"] == "Polygon" else one["coordinates"])
             for ring in part if len(ring) > 1]
    mask = np.zeros(shape, np.bool_)
    if not rings:
        return mask
    turned = ~transform
    axes = np.array([[turned.d, turned.e], [turned.a, turned.b]])
    origin = np.array([turned.f, turned.c])
    begin, end = (np.concatenate([ring[some] for ring in rings]) @ axes.T + origin
                  for some in (slice(None, -1), slice(1, None)))
    # The part of each edge of an outline that lies on the map.
    way = end - begin
    with np.errstate(divide="ignore", invalid="ignore"):
        at = np.sort([(limit - begin) / way for limit in (np.zeros(2), np.array(shape))], axis=0)
    still = way == 0.0
    on_map = ~(still & ((begin < 0.0) | (begin > shape))).any(axis=1)
    first = np.where(still, 0.0, at[0]).max(axis=1).clip(0.0, 1.0)
    last = np.where(still, 1.0, at[1]).min(axis=1).clip(0.0, 1.0)
    count = (np.hypot(*way.T) * (last - first) / _APART + 2.0).astype(np.int64)
    count[~on_map | (first > last)] = 0
    batch = np.cumsum(count) // _MOST_POINTS
    for some in np.split(np.arange(count.size), np.flatnonzero(np.diff(batch)) + 1):
        own = np.repeat(some, count[some])
        place = np.arange(own.size) - np.repeat(np.cumsum(count[some]) - count[some], count[some])
        share = place / (count[own] - 1)
        places = begin[own] + (first[own] + share * (last - first)[own])[:, None] * way[own]
        cell = np.floor(places)
        deep = (np.abs(places - cell - 0.5) < 0.5 - NARROW).all(axis=1)
        row, col = cell[deep].astype(np.int64).T
        mask[row, col] = True
    return mask


def corners_of(coordinates: Any) -> NDArray[np.float64]:
    """All points [n, 2] of a geometry's nested coordinates."""
    found: list[tuple[float, float]] = []
    waiting = [coordinates]
    while waiting:
        part = waiting.pop()
        if part and isinstance(part[0], int | float):
            found.append((part[0], part[1]))
        else:
            waiting += part
    return np.array(found, np.float64).reshape(-1, 2)
