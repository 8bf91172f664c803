"""Files of points, lines and polygons, with one attribute of each where it is asked for.

GeoJSON is read as it is (RFC 7946: longitude and latitude, unless an older file names another
reference system); GeoPackages, shapefiles and others by GDAL in a process of its own. GDAL goes by
content, not by name, and some of its formats refer to other files or to the network: a file is
opened only if its first bytes fit its suffix. A whole file can still ask for endless work (a view
over an endless query), and some drivers write beside what they read. So a copy is read, in a folder
of its own, by a process with limits of time and memory.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import rasterio
from rasterio.crs import CRS
from rasterio.errors import CRSError

from firebreak.checks import InputError, fail, install, nearest, plain
from firebreak.landscape.raster.vector_child import NAMES, TREATMENT
from firebreak.lifetime import tied
from firebreak.reading import check_file, from_json, text_of

BEGINS = {".gpkg": rb"SQLite format 3\0", ".shp": rb"\0\0\x27\x0a", ".fgb": rb"fgb",
          ".kml": rb"[^\0]{0,1000}<kml\b",
          ".gml": rb"[^\0]{0,1000}<([\w.-]+:)?FeatureCollection\b"}
"""First bytes of the files of each suffix."""
GEOJSON = (".geojson", ".json")
VECTORS = (*GEOJSON, *BEGINS)
_KINDS = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")
_PARTS = {"FeatureCollection": "features", "Feature": "geometry",
          "GeometryCollection": "geometries"}

LONGEST_NAME = 60
LIMIT_S = 120.0
LIMIT_BYTES = 4_000_000_000
MOST_SHAPES = 100_000_000
"""Bytes of shapes as GeoJSON, of which Python makes some twenty times as many."""
_REFERS = rb"(?i)<ogr[a-z]"  # as in <OGRVRTDataSource>: GDAL's own files that name others
_BESIDE = {".shp": (".shx", ".dbf", ".prj", ".cpg"), ".gpkg": (".gpkg-wal",)}
"""Files of the same name that belong to one of a suffix."""


class Shape(NamedTuple):
    """geometries: as GeoJSON has them, one unless it is a collection. value: of the attribute that
    was asked for, whatever it is. name: text of the first of NAMES that has any, else empty.
    treatment: what the attribute of that name says, as text.
    """

    geometries: list[dict[str, Any]]
    value: Any = None
    name: str = ""
    treatment: str = ""


class Shapes(NamedTuple):
    """shapes: of a file, in order, without those that have no geometry. crs: their system."""

    shapes: list[Shape]
    crs: CRS

    @property
    def geometries(self) -> list[dict[str, Any]]:
        """All geometries, in order."""
        return [one for shape in self.shapes for one in shape.geometries]


def is_vector(path: Path) -> bool:
    """True where a file's name, FILE or FILE:LAYER, says that it holds shapes."""
    return file_and_layer(path)[0].suffix.lower() in VECTORS


def file_and_layer(path: Path) -> tuple[Path, str | None]:
    """The file, and the layer that follows it after a colon, or None; layers may hold colons."""
    text = str(path).removesuffix(":")
    splits = [] if path.exists() else [
        (file, text[at + 1:]) for at, sign in enumerate(text)
        if sign == ":" and (file := Path(text[:at])).suffix.lower() in VECTORS]
    return next((split for split in splits if split[0].is_file()), splits[-1] if splits
                else (path, None))


def read_shapes(path: Path, attribute: str | None = None) -> Shapes:
    """The shapes of a file, or as FILE:LAYER of one layer of it.

    Raises:
        InputError: missing or damaged, no shapes, no reference system, no such attribute or layer,
            several layers and none of them named.
    """
    path, layer = file_and_layer(path)
    check_file(path, "a file of shapes", filled=True)
    names: tuple[str, ...] = ()
    if path.suffix.lower() in GEOJSON:
        if layer is not None:
            raise _no_layer(path, [], layer)
        content, system = _of_geojson(path)
    else:
        content, system, names = read_vector(path, layer, attribute)
    features = _features(content, path)
    if attribute is None:
        return Shapes([Shape(geometries, None, _name_in(own), _treatment_in(own))
                       for geometries, own in features], system)
    names = names or tuple(dict.fromkeys(name for _, own in features for name in own))
    if attribute not in names:
        close = nearest(attribute, names)
        raise fail(expected=f"an attribute '{attribute}' of the shapes",
                   given=", ".join(names)[:200] or "none", where=str(path),
                   remedy=f"is '{close}' meant?" if close else "name one of these")
    return Shapes([Shape(geometries, own.get(attribute), _name_in(own), _treatment_in(own))
                   for geometries, own in features], system)


def _name_in(attributes: dict[str, Any]) -> str:
    texts = (" ".join(plain(own).split()) for name in NAMES
             if isinstance(own := attributes.get(name), str))
    return next(filter(None, texts), "")[:LONGEST_NAME]


def _treatment_in(attributes: dict[str, Any]) -> str:
    said = next((own for name, own in attributes.items()
                 if name.lower() == TREATMENT and own is not None and own == own), "")  # not nan
    return " ".join(plain(str(said)).split())


def _of_geojson(path: Path) -> tuple[Any, CRS]:
    try:
        content = from_json(text_of(path, MOST_SHAPES))
    except InputError:
        raise
    except ValueError as error:
        raise fail(expected="GeoJSON", given=f"'{error}'",
                   where=str(path), remedy="export it again") from error
    return content, _named_system(content, path)


def _features(content: Any, path: Path) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Geometries, collections taken apart, and attributes of each feature of a GeoJSON object; a
    geometry that stands by itself is a feature of its own.
    """
    found: list[tuple[list[dict[str, Any]], dict[str, Any]]] = []
    waiting: list[tuple[Any, int | None]] = [(content, None)]
    while waiting:
        one, feature = waiting.pop()
        kind = str(one.get("type")) if isinstance(one, dict) else None
        if kind in _KINDS and one.get("coordinates") == []:
            continue  # an empty shape, as edits in a GIS leave them
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
        raise _no_shapes(path)
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


def _no_shapes(path: Path) -> InputError:
    return fail(expected="at least one shape", given="none", where=str(path),
                remedy="draw or select one, and export again")


def _no_system(path: Path) -> InputError:
    return fail(expected="shapes with a reference system", given="none, or an unknown one",
                where=str(path), remedy="set it in a GIS, or export GeoJSON")


def _no_layer(path: Path, names: list[str], layer: str | None) -> InputError:
    """The error for a layer that is not named, or not there."""
    if not names:
        return fail(expected="a file that has layers", given=f"GeoJSON and the layer '{layer}'",
                    where=str(path), remedy="leave the layer out")
    expected = "the layer to be named" if layer is None else f"a layer '{layer}'"
    return fail(expected=expected, given=", ".join(names)[:200], where=str(path),
                remedy=f"name one of these: {path.name}:{names[0]}: for its shapes, "
                       f"{path.name}:{names[0]}:NAME for their attribute NAME")


def read_vector(path: Path, layer: str | None = None, attribute: str | None = None,
                ) -> tuple[Any, CRS, tuple[str, ...]]:
    """The shapes of a file that GDAL reads as one GeoJSON object, their reference system, and the
    names of all their attributes where one was asked for.

    Args:
        layer: to read; None takes the only one.
        attribute: that the shapes are to come with.

    Raises:
        InputError: no such layer, or several and none named; no pyogrio, other content, damaged,
            no shapes or no reference system, or beyond the limits of time and memory.
    """
    if find_spec("pyogrio") is None:
        raise fail(expected="GeoJSON, or pyogrio to read other shapes", given=path.suffix,
                   where=str(path), remedy=f"run {install('vector')}, or export GeoJSON")
    with path.open("rb") as file:
        begin = file.read(4096)
    if not re.match(BEGINS[path.suffix.lower()], begin) or re.search(_REFERS, begin):
        raise fail(expected=f"a {path.suffix} file", given="other content", where=str(path),
                   remedy="check the file in a GIS")
    with tempfile.TemporaryDirectory(prefix="firebreak-") as folder:
        text = _run(path, _copied(path, Path(folder)), layer, attribute)
    head, _, body = text.partition(b"\n")
    meta = from_json(head)
    if "layers" in meta:
        raise _no_layer(path, meta["layers"], layer)
    if meta["crs"] is None:
        raise _no_system(path)
    if not body:
        raise _no_shapes(path)
    return from_json(body), CRS.from_user_input(meta["crs"]), tuple(meta["attributes"])


def _copied(path: Path, folder: Path) -> Path:
    """A copy of a file, and of what belongs to it, in another folder, under a plain name."""
    suffix = path.suffix.lower()
    copy = folder / f"shapes{suffix}"
    shutil.copyfile(path, copy)
    for ending in _BESIDE.get(suffix, ()):
        for name in (path.stem + ending, path.stem + ending.upper()):
            if path.with_name(name).is_file():
                shutil.copyfile(path.with_name(name), copy.with_suffix(ending))
                break
    return copy


def _run(path: Path, copy: Path, layer: str | None, attribute: str | None) -> bytes:
    """The output of the process that reads."""
    # -P: its folder does not come before the standard library.
    command = [sys.executable, "-P", str(Path(__file__).with_name("vector_child.py")), str(copy),
               str(LIMIT_BYTES), str(MOST_SHAPES), layer or "",
               *([] if attribute is None else [attribute])]
    try:
        done = subprocess.run(tied(command), capture_output=True, timeout=LIMIT_S, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise fail(expected=f"shapes that GDAL reads within {LIMIT_S:g} s", given="none by then",
                   where=str(path), remedy="export them again as a plain layer, not a view"
                   ) from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        # A crash says nothing of its own.
        reason = said[-1] if said and done.returncode == 1 else "its reader crashed"
        raise fail(expected="shapes that GDAL can read",
                   given=f"'{reason.replace(str(copy), path.name)}'", where=str(path),
                   remedy="check the file in a GIS")
    return done.stdout
