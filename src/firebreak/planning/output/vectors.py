"""Shapes as files: GeoJSON in longitude and latitude (RFC 7946), and GeoPackages in the landscape's
reference system, with their styles; and lines of cells in either.
"""

import contextlib
import importlib.util
import io
import json
import sqlite3
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.warp import transform_geom

from firebreak.checks import ResourceFailedError, fail, install
from firebreak.files import write_pieces
from firebreak.landscape.formats.write import whole_file, write_text
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.degrees import place_of_points

Properties = Sequence[Mapping[str, Any]]
Shape = dict[str, Any]
"""A geometry of GeoJSON."""


class Layer(NamedTuple):
    """A layer of a package: shapes as in GeoJSON, all of a kind, and the columns of each."""

    shapes: list[Shape]
    kind: str
    properties: Properties


DECIMALS = 7  # of a degree: a centimetre
_STYLE_TABLE = """CREATE TABLE layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
f_table_catalog TEXT, f_table_schema TEXT, f_table_name TEXT, f_geometry_column TEXT,
styleName TEXT, styleQML TEXT, styleSLD TEXT, useAsDefault BOOLEAN, description TEXT, owner TEXT,
ui TEXT, update_time DATETIME)"""


def has_vector_reader() -> bool:
    """True where pyogrio is installed."""
    return importlib.util.find_spec("pyogrio") is not None


def geojson_of(areas: Sequence[Shape], properties: Properties, crs: str) -> str:
    """Polygons of a reference system as the text of a GeoJSON."""
    system, features = CRS.from_wkt(crs), []
    for area, columns in zip(areas, properties, strict=True):
        degrees = transform_geom(system, CRS.from_epsg(4326), area, precision=DECIMALS)
        degrees["coordinates"] = [[_turned(ring, k == 0) for k, ring in enumerate(polygon)]
                                  for polygon in degrees["coordinates"]]
        features.append((degrees, columns))
    return _collection(features)


def _collection(features: Iterable[tuple[Shape, Mapping[str, Any]]]) -> str:
    """The text of a GeoJSON of shapes and their columns."""
    return json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": columns, "geometry": shape}
        for shape, columns in features]})


def _turned(ring: Sequence[Sequence[float]], outer: bool) -> Sequence[Sequence[float]]:
    """A ring that runs as RFC 7946 wants: outer ones against the clock, holes with it."""
    x, y = np.array(ring)[:, :2].T
    against = float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) > 0.0
    return ring if against == outer else ring[::-1]


def write_package(path: Path, layers: Mapping[str, Layer], crs: str | None,
                  styles: Mapping[str, str] = MappingProxyType({})) -> Path:
    """A GeoPackage that appears whole or not at all: GDAL makes it in a folder for temporary files,
    since it does not tell every error of a disk; what is checked there is copied.

    Args:
        styles: by layer the QGIS style (QML) with which QGIS opens it.

    Raises:
        ResourceFailedError: it cannot be made there, or pyogrio cannot be loaded.
        InputError, OSError: as `whole_file`.
    """
    try:
        from pyogrio.errors import DataLayerError, DataSourceError
    except (ImportError, ValueError) as error:  # it is there: memory is short, or it is damaged
        raise ResourceFailedError(f"{path}: pyogrio cannot be loaded ({error}); free memory, or "
                                  "install it again") from error

    with tempfile.TemporaryDirectory(prefix="firebreak-") as folder:
        made = Path(folder) / path.name
        try:
            _make_package(made, layers, crs)
            _add_styles(made, styles)
            check_package(made, {name: len(own.shapes) for name, own in layers.items()})
        except (DataSourceError, DataLayerError, sqlite3.Error) as error:
            raise ResourceFailedError(
                f"{path}: it could not be made in {folder} ({' '.join(str(error).split())}); free "
                "space there, or set TMPDIR to another folder") from error
        with whole_file(path, "a GeoPackage") as part:
            write_pieces(part, [made.read_bytes()])
    return path


def _make_package(path: Path, layers: Mapping[str, Layer], crs: str | None) -> None:
    from pyogrio import raw

    with warnings.catch_warnings():
        # Landscapes without a reference system give results without; the reader says so.
        warnings.filterwarnings("ignore", "'crs' was not provided")
        for name, (geometries, kind, properties) in layers.items():
            # pyogrio takes binary geometries; it makes them itself from text.
            text = _collection(zip(geometries, properties, strict=True))
            meta, _, shapes_, values = raw.read(io.BytesIO(text.encode()))
            raw.write(path, shapes_, values, list(meta["fields"]), layer=name, driver="GPKG",
                      geometry_type=kind, crs=crs, append=path.exists(),
                      dataset_options={"VERSION": "1.2"})  # which every GIS in use reads


def _add_styles(path: Path, styles: Mapping[str, str]) -> None:
    """The table in which QGIS looks for styles of a GeoPackage's layers."""
    if not styles:
        return
    with contextlib.closing(sqlite3.connect(path)) as package, package:
        columns = dict(package.execute("SELECT table_name, column_name FROM gpkg_geometry_columns"))
        package.execute(_STYLE_TABLE)
        package.executemany(
            "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, "
            "f_geometry_column, styleName, styleQML, styleSLD, useAsDefault, description, owner) "
            "VALUES ('', '', ?, ?, ?, ?, '', 1, 'made by firebreak', '')",
            [(layer, columns[layer], layer, style) for layer, style in styles.items()])
        package.execute("INSERT INTO gpkg_contents (table_name, data_type, identifier) "
                        "VALUES ('layer_styles', 'attributes', 'layer_styles')")


def check_package(path: Path, rows: dict[str, int]) -> None:
    """Raises sqlite3.Error for a package that is not whole or lacks rows of its layers."""
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as package:
        found = package.execute("PRAGMA quick_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(found)
        for layer, count in rows.items():
            (written,) = package.execute(f'SELECT COUNT(*) FROM "{layer}"').fetchone()
            if written != count:
                raise sqlite3.DatabaseError(f"{written} of {count} rows in {layer}")


SUFFIXES = (".gpkg", ".geojson", ".json")


def check_line_file(path: Path, landscape: Landscape) -> None:
    """Refuses a file that lines cannot be written to, before they are found.

    Raises:
        InputError: another suffix, no pyogrio for a GeoPackage, no reference system.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise fail(expected=f"a file that ends in {', '.join(SUFFIXES)}", given=f"'{path.name}'",
                   where="--out", remedy="for example lines.gpkg")
    if path.suffix.lower() == ".gpkg" and not has_vector_reader():
        raise fail(expected="pyogrio to write a GeoPackage", given="none", where=str(path),
                   remedy=f"run {install('vector')}, or name a .geojson")
    if landscape.crs is None:
        raise fail(expected="a landscape with a reference system", given="one without",
                   where=f"landscape {landscape.name}", remedy="set it with --crs")


def write_lines(path: Path, lines: Sequence[NDArray[np.int64]],
                properties: Sequence[dict[str, Any]], landscape: Landscape) -> Path:
    """Writes lines through the centres of flat cells, with their columns."""
    geometries = [{"type": "LineString", "coordinates": np.stack(place_of_points(
        landscape, *(part + 0.5 for part in np.divmod(cells, landscape.shape[1]))),
        axis=1).tolist()} for cells in lines]
    assert landscape.crs is not None, "check_line_file"
    if path.suffix.lower() == ".gpkg":
        return write_package(path, {"lines": Layer(geometries, "LineString", properties)},
                             landscape.crs)
    degrees = transform_geom(CRS.from_wkt(landscape.crs), CRS.from_epsg(4326), geometries,
                             precision=DECIMALS)
    write_text(path, [_collection(zip(degrees, properties, strict=True)), "\n"])
    return path
