"""Segments of a plan as vectors: GeoJSON in longitude and latitude (RFC 7946), and a GeoPackage in
the landscape's reference system, with the cells as polygons and the longest way as a line.
"""

import importlib.util
import io
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.features import shapes
from rasterio.warp import transform_geom

from firebreak.checks import fail
from firebreak.files import replacing
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.styles import write_outlines
from firebreak.landscape.writers import write_text
from firebreak.planning.stretches import Segment

Properties = Sequence[dict[str, Any]]
DECIMALS = 7  # of a degree: a centimetre
_COLOUR = "#b2182b"


def write_segments(folder: Path, segments: Sequence[Segment], properties: Properties,
                   landscape: Landscape) -> list[Path]:
    """Writes segments.geojson, segments.gpkg and segments.qml; returns the files.

    The GeoJSON needs a reference system and the GeoPackage pyogrio (the extra `vector`): without
    them they are left out.

    Args:
        properties: columns of each segment, the same names for all.
    """
    files = []
    areas = [_area(one, landscape) for one in segments]
    if landscape.crs is not None:
        files.append(write_text(folder / "segments.geojson", [_geojson(areas, properties,
                                                                       landscape.crs), "\n"]))
    if has_vector_reader() and segments:
        lines = [_line(one, landscape) for one in segments]
        files.append(_write_package(folder / "segments.gpkg", {
            "segments": (areas, "MultiPolygon"), "centrelines": (lines, "LineString")},
            properties, landscape.crs))
    if files:
        files.append(write_outlines(folder / "segments", _COLOUR, "rank"))
    return files


def has_vector_reader() -> bool:
    """Whether pyogrio is installed."""
    return importlib.util.find_spec("pyogrio") is not None


def _area(segment: Segment, landscape: Landscape) -> dict[str, Any]:
    """The cells of a segment as a MultiPolygon in the landscape's reference system."""
    rows, cols = np.divmod(segment.cells, landscape.shape[1])
    top, left = int(rows.min()), int(cols.min())
    mask = np.zeros((int(rows.max()) - top + 1, int(cols.max()) - left + 1), np.uint8)
    mask[rows - top, cols - left] = 1
    a, b, c, d, e, f = landscape.transform
    corner = rasterio.Affine(a, b, a * left + b * top + c, d, e, d * left + e * top + f)
    # Cells that touch at a corner only are polygons of their own: one that met itself is invalid.
    found = shapes(mask, mask=mask.astype(bool), connectivity=4, transform=corner)
    return {"type": "MultiPolygon", "coordinates": [shape["coordinates"] for shape, _ in found]}


def _line(segment: Segment, landscape: Landscape) -> dict[str, Any]:
    """The longest way through the centres of its cells; of a single cell its middle third."""
    rows, cols = np.divmod(segment.way, landscape.shape[1])
    across, down = cols + 0.5, rows + 0.5
    if across.size == 1:
        across, down = across + np.array([-1 / 6, 1 / 6]), np.repeat(down, 2)
    a, b, c, d, e, f = landscape.transform
    x, y = a * across + b * down + c, d * across + e * down + f
    return {"type": "LineString", "coordinates": np.stack([x, y], axis=1).tolist()}


def _geojson(areas: Sequence[dict[str, Any]], properties: Properties, crs: str) -> str:
    system = CRS.from_wkt(crs)
    features = []
    for area, columns in zip(areas, properties, strict=True):
        degrees = transform_geom(system, CRS.from_epsg(4326), area, precision=DECIMALS)
        degrees["coordinates"] = [[_turned(ring, k == 0) for k, ring in enumerate(polygon)]
                                  for polygon in degrees["coordinates"]]
        features.append({"type": "Feature", "properties": columns, "geometry": degrees})
    return json.dumps({"type": "FeatureCollection", "features": features})


def _turned(ring: Sequence[Sequence[float]], outer: bool) -> Sequence[Sequence[float]]:
    """A ring that runs as RFC 7946 wants: outer ones against the clock, holes with it."""
    x, y = np.array(ring)[:, :2].T
    against = float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) > 0.0
    return ring if against == outer else ring[::-1]


def _write_package(path: Path, layers: dict[str, tuple[list[dict[str, Any]], str]],
                   properties: Properties, crs: str | None) -> Path:
    """A GeoPackage that appears whole or not at all."""
    from pyogrio import raw
    from pyogrio.errors import DataSourceError

    try:
        with replacing(path, ".gpkg") as part, warnings.catch_warnings():
            # Landscapes without a reference system give results without; the reader says so.
            warnings.filterwarnings("ignore", "'crs' was not provided")
            for name, (geometries, kind) in layers.items():
                # pyogrio takes binary geometries; it makes them itself from text.
                text = json.dumps({"type": "FeatureCollection", "features": [
                    {"type": "Feature", "properties": columns, "geometry": geometry}
                    for geometry, columns in zip(geometries, properties, strict=True)]})
                meta, _, shapes_, values = raw.read(io.BytesIO(text.encode()))
                raw.write(part, shapes_, values, list(meta["fields"]), layer=name, driver="GPKG",
                          geometry_type=kind, crs=crs, append=part.exists())
    except (DataSourceError, OSError) as error:
        raise fail(expected="to write a GeoPackage", given=f"'{error}'", where=str(path),
                   remedy="check the folder's permissions and free space") from error
    return path


def segment_numbers(segments: Sequence[Segment], shape: tuple[int, int]) -> NDArray[np.int32]:
    """The rank of the segment of each cell [H, W], from 1; 0 outside the plan."""
    numbers = np.zeros(shape, np.int32)
    for rank, segment in enumerate(segments, start=1):
        numbers.ravel()[segment.cells] = rank
    return numbers
