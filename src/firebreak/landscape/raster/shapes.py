"""Points, lines and polygons as masks on a landscape's grid: areas, roads, existing breaks.

GeoJSON is read as it is (RFC 7946: longitude and latitude, unless an older file names another
reference system); all else that GDAL knows, such as GeoPackages and shapefiles, by `vector_files`.
"""

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.errors import CRSError
from rasterio.features import rasterize
from rasterio.warp import transform_geom

from firebreak.checks import InputError, fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.vector_files import BEGINS, MOST_SHAPES, read_vector
from firebreak.reading import from_json, text_of

GEOJSON = (".geojson", ".json")
_FARTHEST = 1e8  # in units of the reference system; the Earth is 4e7 m around
VECTORS = (*GEOJSON, *BEGINS)
_KINDS = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")
_PARTS = {"FeatureCollection": "features", "Feature": "geometry",
          "GeometryCollection": "geometries"}


def is_vector(path: Path) -> bool:
    """Whether a file's name says that it holds shapes."""
    return path.suffix.lower() in VECTORS


def mask_of_shapes(path: Path, landscape: Landscape, *, touched: bool) -> NDArray[np.bool_]:
    """The cells [H, W] that the shapes of a file cover.

    Args:
        touched: polygons cover every cell that they touch, else those whose centre they hold;
            lines and points always cover what they touch.

    Raises:
        InputError: missing or damaged, no shapes, no reference system, shapes outside the map.
    """
    if landscape.crs is None:
        raise fail(expected="a landscape with a reference system, to lay shapes over it",
                   given="one without", where=str(path), remedy="set it with --crs")
    geometries, system = _read(path)
    try:
        with rasterio.Env():  # without one GDAL writes its errors to the terminal
            ours = [transform_geom(system, CRS.from_wkt(landscape.crs), geometry)
                    for geometry in geometries]
        if not all(map(_on_earth, ours)):
            raise ValueError("coordinates nowhere on the Earth")
        mask = _burned(ours, landscape, touched)
    except Exception as error:  # of damaged coordinates rasterio raises whatever comes
        raise fail(expected="shapes with coordinates of their system", given=f"'{error}'",
                   where=str(path), remedy="check the file in a GIS") from error
    if not mask.any():
        raise fail(expected="shapes that cover cells of the landscape",
                   given="none: they lie outside it, or are smaller than a cell",
                   where=str(path), remedy="check their place and reference system")
    return mask


def _on_earth(geometry: dict[str, Any]) -> bool:
    """Whether all coordinates can be on the Earth: GDAL follows an edge cell by cell, however long.
    """
    waiting = [geometry["coordinates"]]
    while waiting:
        part = waiting.pop()
        if part and isinstance(part[0], int | float):
            if not all(abs(number) < _FARTHEST for number in part):  # nan neither
                return False
        else:
            waiting += part
    return True


def _burned(geometries: list[dict[str, Any]], landscape: Landscape,
            touched: bool) -> NDArray[np.bool_]:
    mask = np.zeros(landscape.shape, np.bool_)
    areas = [one for one in geometries if one["type"].endswith("Polygon")]
    others = [one for one in geometries if not one["type"].endswith("Polygon")]
    for some, all_touched in ((areas, touched), (others, True)):
        if some:
            mask |= rasterize(some, landscape.shape, all_touched=all_touched, dtype=np.uint8,
                              transform=rasterio.Affine(*landscape.transform)) != 0
    return mask


def _read(path: Path) -> tuple[list[dict[str, Any]], CRS]:
    """Geometries as GeoJSON has them, and their reference system."""
    if not path.is_file():
        raise fail(expected="a file of shapes", given="no such file", where=str(path),
                   remedy="check the path")
    if path.suffix.lower() in GEOJSON:
        return _of_geojson(path)
    return _of_others(path)


def _of_geojson(path: Path) -> tuple[list[dict[str, Any]], CRS]:
    try:
        content = from_json(text_of(path, MOST_SHAPES))
    except InputError:
        raise
    except ValueError as error:
        raise fail(expected="GeoJSON", given=f"'{error}'",
                   where=str(path), remedy="export it again") from error
    found = _geometries(content, path)
    return found, _named_system(content, path)


def _geometries(content: Any, path: Path) -> list[dict[str, Any]]:
    """All geometries of a GeoJSON object, collections taken apart."""
    found: list[dict[str, Any]] = []
    waiting = [content]
    while waiting:
        one = waiting.pop()
        kind = str(one.get("type")) if isinstance(one, dict) else None
        if kind in _KINDS:
            found.append(one)
        elif kind in _PARTS:
            parts = one.get(_PARTS[kind]) or []
            if kind == "Feature":
                parts = [parts] if parts else []
            if not isinstance(parts, list):
                raise fail(expected=f"a list of {_PARTS[kind]}", given=type(parts).__name__,
                           where=str(path), remedy="export it again")
            waiting += reversed(parts)
        else:
            raise fail(expected="GeoJSON with points, lines or polygons", given=f"type {kind!r}",
                       where=str(path), remedy="export it again")
    if not found:
        raise fail(expected="at least one shape", given="none", where=str(path),
                   remedy="draw or select one, and export again")
    return found


def _named_system(content: dict[str, Any], path: Path) -> CRS:
    named = content.get("crs")
    if named is None:
        return CRS.from_epsg(4326)
    try:
        with rasterio.Env():
            return CRS.from_user_input(named["properties"]["name"])
    except (CRSError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise _no_system(path) from error


def _of_others(path: Path) -> tuple[list[dict[str, Any]], CRS]:
    content, system = read_vector(path)
    if system is None:
        raise _no_system(path)
    if content is None:
        raise fail(expected="at least one shape", given="none", where=str(path),
                   remedy="draw or select one, and export again")
    return _geometries(content, path), CRS.from_user_input(system)


def _no_system(path: Path) -> InputError:
    return fail(expected="shapes with a reference system", given="none, or an unknown one",
                where=str(path), remedy="set it in a GIS, or export GeoJSON")
