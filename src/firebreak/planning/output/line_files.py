"""Lines of cells as vectors: a GeoPackage in the landscape's reference system, or GeoJSON in
longitude and latitude.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.warp import transform_geom

from firebreak.checks import fail, install
from firebreak.landscape.formats.write import write_text
from firebreak.landscape.landscape import Landscape
from firebreak.planning.output.vectors import DECIMALS, has_vector_reader, write_package

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
    geometries = [{"type": "LineString", "coordinates": _centres(cells, landscape).tolist()}
                  for cells in lines]
    assert landscape.crs is not None, "check_line_file"
    if path.suffix.lower() == ".gpkg":
        return write_package(path, {"lines": (geometries, "LineString")}, properties,
                             landscape.crs)
    degrees = transform_geom(CRS.from_wkt(landscape.crs), CRS.from_epsg(4326), geometries,
                             precision=DECIMALS)
    features = [{"type": "Feature", "properties": columns, "geometry": geometry}
                for geometry, columns in zip(degrees, properties, strict=True)]
    write_text(path, [json.dumps({"type": "FeatureCollection", "features": features}), "\n"])
    return path


def _centres(cells: NDArray[np.int64], landscape: Landscape) -> NDArray[np.float64]:
    rows, cols = np.divmod(cells, landscape.shape[1])
    a, b, c, d, e, f = landscape.transform
    across, down = cols + 0.5, rows + 0.5
    return np.stack([a * across + b * down + c, d * across + e * down + f], axis=1)
