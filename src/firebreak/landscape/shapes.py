"""Points, lines and polygons as masks on a landscape's grid: areas, roads, breaks that are there.

GeoJSON is read as it is (RFC 7946: longitude and latitude, unless an older file names another
reference system); all else that GDAL knows, such as GeoPackages and shapefiles, by pyogrio. GDAL
goes by content, not by name, and some of what it knows names other files or the network: a file is
opened only if it begins as its ending says.
"""

import io
import json
import re
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

GEOJSON = (".geojson", ".json")
_BEGINS = {".gpkg": rb"SQLite format 3\0", ".shp": rb"\0\0\x27\x0a", ".fgb": rb"fgb",
           ".kml": rb"[^\0]{0,1000}<kml\b",
           ".gml": rb"[^\0]{0,1000}<([\w.-]+:)?FeatureCollection\b"}
_FARTHEST = 1e8  # in units of the reference system; the Earth is 4e7 m around
_REFERS = rb"(?i)<ogr[a-z]"  # as in <OGRVRTDataSource>: GDAL's own files that name others
VECTORS = (*GEOJSON, *_BEGINS)
_KINDS = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")


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
    """Whether all coordinates could be: GDAL walks along edges cell by cell, however far they lead.
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
        raise fail(expected="a file of shapes", given="nothing", where=str(path),
                   remedy="check the path")
    if path.suffix.lower() in GEOJSON:
        return _of_geojson(path)
    return _of_others(path)


def _of_geojson(path: Path) -> tuple[list[dict[str, Any]], CRS]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise fail(expected="GeoJSON", given=f"'{error}'",
                   where=str(path), remedy="export it again") from error
    found = _geometries(content, path)
    return found, _named_system(content, path)


def _geometries(content: Any, path: Path) -> list[dict[str, Any]]:
    """All geometries of a GeoJSON object, collections taken apart."""
    kind = content.get("type") if isinstance(content, dict) else None
    parts: list[Any]
    if kind == "FeatureCollection":
        parts = content.get("features") or []
    elif kind == "Feature":
        parts = [content["geometry"]] if content.get("geometry") else []
    elif kind == "GeometryCollection":
        parts = content.get("geometries") or []
    elif kind in _KINDS:
        return [content]
    else:
        raise fail(expected="GeoJSON with points, lines or polygons", given=f"type {kind!r}",
                   where=str(path), remedy="export it again")
    found = [geometry for part in parts for geometry in _geometries(part, path)]
    if not found and kind == "FeatureCollection":
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
    except (CRSError, ValueError, TypeError, KeyError) as error:
        raise _no_system(path) from error


def _of_others(path: Path) -> tuple[list[dict[str, Any]], CRS]:
    try:
        from pyogrio import raw
    except ImportError as error:
        raise fail(expected="GeoJSON, or pyogrio to read other shapes", given=path.suffix,
                   where=str(path), remedy='pip install "firebreak[vector]", or export GeoJSON',
                   ) from error
    _check_content(path)
    try:
        meta, _, shapes, _ = raw.read(path, columns=[], force_2d=True)
        kept = np.array([shape for shape in shapes if shape is not None], object)
        text = io.BytesIO()  # pyogrio reads shapes as bytes; GDAL itself makes text of them
        if kept.size and meta["crs"] is not None:
            raw.write(text, kept, [], [], driver="GeoJSON", geometry_type=meta["geometry_type"],
                      crs=meta["crs"], layer_options={"COORDINATE_PRECISION": "15"})
    except Exception as error:  # of damaged files pyogrio raises also what is no error of its own
        raise fail(expected="shapes that GDAL can read", given=f"'{error}'",
                   where=str(path), remedy="check the file in a GIS") from error
    if meta["crs"] is None:
        raise _no_system(path)
    if not kept.size:
        raise fail(expected="at least one shape", given="none", where=str(path),
                   remedy="draw or select one, and export again")
    return _geometries(json.loads(text.getvalue()), path), CRS.from_user_input(meta["crs"])


def _check_content(path: Path) -> None:
    with path.open("rb") as file:
        begin = file.read(4096)
    if not re.match(_BEGINS[path.suffix.lower()], begin) or re.search(_REFERS, begin):
        raise fail(expected=f"a {path.suffix} file", given="other content", where=str(path),
                   remedy="check the file in a GIS")


def _no_system(path: Path) -> InputError:
    return fail(expected="shapes with a reference system", given="none, or an unknown one",
                where=str(path), remedy="set it in a GIS, or export GeoJSON")
