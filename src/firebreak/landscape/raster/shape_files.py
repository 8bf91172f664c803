"""Files of points, lines and polygons, with one attribute of each where it is asked for.

GeoJSON is read as it is (RFC 7946: longitude and latitude, unless an older file names another
reference system); all else that GDAL knows, such as GeoPackages and shapefiles, by `vector_files`.
"""

from pathlib import Path
from typing import Any, NamedTuple

import rasterio
from rasterio.crs import CRS
from rasterio.errors import CRSError

from firebreak.checks import InputError, fail, nearest
from firebreak.landscape.raster.vector_files import BEGINS, MOST_SHAPES, read_vector
from firebreak.reading import from_json, text_of

GEOJSON = (".geojson", ".json")
VECTORS = (*GEOJSON, *BEGINS)
_KINDS = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")
_PARTS = {"FeatureCollection": "features", "Feature": "geometry",
          "GeometryCollection": "geometries"}


class Shape(NamedTuple):
    """geometries: as GeoJSON has them, one unless it is a collection. value: of the attribute that
    was asked for, whatever it is.
    """

    geometries: list[dict[str, Any]]
    value: Any = None


class Shapes(NamedTuple):
    """shapes: of a file, in order, without those that have no geometry. crs: their system."""

    shapes: list[Shape]
    crs: CRS


def is_vector(path: Path) -> bool:
    """Whether a file's name says that it holds shapes."""
    return path.suffix.lower() in VECTORS


def read_shapes(path: Path, attribute: str | None = None) -> Shapes:
    """The shapes of a file.

    Raises:
        InputError: missing or damaged, no shapes, no reference system, no such attribute.
    """
    if not path.is_file():
        raise fail(expected="a file of shapes", given="no such file", where=str(path),
                   remedy="check the path")
    if path.suffix.lower() in GEOJSON:
        content, system, names = _of_geojson(path)
    else:
        content, system, names = _of_others(path, attribute)
    features = _features(content, path)
    if attribute is None:
        return Shapes([Shape(geometries) for geometries, _ in features], system)
    names = names or tuple(dict.fromkeys(name for _, own in features for name in own))
    if attribute not in names:
        close = nearest(attribute, names)
        raise fail(expected=f"an attribute '{attribute}' of the shapes",
                   given=", ".join(names)[:200] or "none", where=str(path),
                   remedy=f"is '{close}' meant?" if close else "name one of these")
    return Shapes([Shape(geometries, own.get(attribute)) for geometries, own in features], system)


def _of_geojson(path: Path) -> tuple[dict[str, Any], CRS, tuple[str, ...]]:
    try:
        content = from_json(text_of(path, MOST_SHAPES))
    except InputError:
        raise
    except ValueError as error:
        raise fail(expected="GeoJSON", given=f"'{error}'",
                   where=str(path), remedy="export it again") from error
    return content, _named_system(content, path), ()


def _features(content: Any, path: Path) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Geometries, collections taken apart, and attributes of each feature of a GeoJSON object; a
    geometry that stands by itself is a feature of its own.
    """
    found: list[tuple[list[dict[str, Any]], dict[str, Any]]] = []
    waiting: list[tuple[Any, int | None]] = [(content, None)]
    while waiting:
        one, feature = waiting.pop()
        kind = str(one.get("type")) if isinstance(one, dict) else None
        if kind in _KINDS:
            if feature is None:
                found.append(([one], {}))
            else:
                found[feature][0].append(one)
        elif kind in _PARTS:
            parts = one.get(_PARTS[kind]) or []
            if kind == "Feature":
                parts = [parts] if parts else []
                own = one.get("properties")
                found.append(([], own if isinstance(own, dict) else {}))
                feature = len(found) - 1
            if not isinstance(parts, list):
                raise fail(expected=f"a list of {_PARTS[kind]}", given=type(parts).__name__,
                           where=str(path), remedy="export it again")
            waiting += [(part, feature) for part in reversed(parts)]
        else:
            raise fail(expected="GeoJSON with points, lines or polygons", given=f"type {kind!r}",
                       where=str(path), remedy="export it again")
    found = [feature for feature in found if feature[0]]
    if not found:
        raise fail(expected="at least one shape", given="none", where=str(path),
                   remedy="draw or select one, and export again")
    return found


def _named_system(content: Any, path: Path) -> CRS:
    named = content.get("crs") if isinstance(content, dict) else None
    if named is None:
        return CRS.from_epsg(4326)
    try:
        with rasterio.Env():
            return CRS.from_user_input(named["properties"]["name"])
    except (CRSError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise _no_system(path) from error


def _of_others(path: Path, attribute: str | None) -> tuple[dict[str, Any], CRS, tuple[str, ...]]:
    content, system, names = read_vector(path, attribute)
    if system is None:
        raise _no_system(path)
    if content is None:
        raise fail(expected="at least one shape", given="none", where=str(path),
                   remedy="draw or select one, and export again")
    return content, CRS.from_user_input(system), names


def _no_system(path: Path) -> InputError:
    return fail(expected="shapes with a reference system", given="none, or an unknown one",
                where=str(path), remedy="set it in a GIS, or export GeoJSON")
