"""The segments of a plan for a GIS: a GeoPackage of their cells, centre lines, the ground that is
treated and anchors, in the landscape's reference system; and the cells as GeoJSON.
"""

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.features import shapes
from scipy import ndimage
from scipy.spatial import cKDTree

from firebreak.files import made_folder
from firebreak.landscape.candidates.corridor import BRIDGED_CELLS, Corridor, Line, centre_lines
from firebreak.landscape.formats.qgis_styles import by_rank, by_year, vector_style
from firebreak.landscape.formats.write import write_text
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.names import DATA
from firebreak.landscape.raster.degrees import place_of_points
from firebreak.planning.output.tables import BUILD_ORDER, csv_text
from firebreak.planning.output.vectors import (
    Layer,
    Properties,
    Shape,
    geojson_of,
    has_vector_reader,
    write_package,
)

RANK_COLOURS = ("#0d0887", "#6a00a8", "#b12a90", "#e16462", "#fca636")
"""Of five classes from the first segments to build to the last: matplotlib's plasma."""
YEAR_COLOURS = ("#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#bddf26")
"""From the first year to the last: matplotlib's viridis."""
ALTERNATIVE_COLOURS = ("#005a32", "#08519c", "#252525")
_SIDES = 8  # corners of a quarter of a circle


def write_segments(folder: Path, segments: Sequence[Corridor], columns: Properties,
                   landscape: Landscape,
                   alternatives: Mapping[str, Sequence[Corridor]] = MappingProxyType({}),
                   ) -> list[Path]:
    """Writes plan.gpkg into a plan's folder, and segments.csv, segments.geojson and segments.qml
    into its data; returns the files.

    The GeoJSON needs a reference system and the GeoPackage pyogrio (the extra `vector`): without
    them they are left out. The GeoPackage holds the styles of its layers: colours by the column
    `year` where there is one, else by build order.

    Args:
        segments: of the whole map, in build order.
        columns: of each segment, the same names for all.
        alternatives: parts of each alternative to the plan, of the whole map, by its name.
    """
    data = made_folder(folder / DATA)
    files = [write_text(data / "segments.csv", [csv_text(columns)])]
    cells = [_cells(one, landscape) for one in segments]
    # Colours by year where the segments have years.
    symbols = (by_year("year", [row["year"] for row in columns], YEAR_COLOURS)
               if columns and "year" in columns[0]
               else by_rank(BUILD_ORDER, len(columns), RANK_COLOURS))
    style = vector_style("fill", symbols, BUILD_ORDER)
    if landscape.crs is not None:
        files += [write_text(data / "segments.geojson",
                             [geojson_of(cells, columns, landscape.crs), "\n"]),
                  write_text(data / "segments.qml", [style])]
    if has_vector_reader() and segments:
        layers = _layers(segments, cells, columns, landscape)
        lines = vector_style("line", symbols, BUILD_ORDER)
        styles = {name: lines if layer.kind == "MultiLineString" else style
                  for name, layer in layers.items() if layer.kind != "Point"}
        if alternatives:
            layers["alternatives"] = _alternatives(alternatives, landscape)
            styles["alternatives"] = vector_style("line", by_year(
                "alternative", range(1, len(alternatives) + 1), ALTERNATIVE_COLOURS), "alternative")
        files.append(write_package(folder / "plan.gpkg", layers, landscape.crs, styles))
    return files


def _layers(segments: Sequence[Corridor], cells: list[Shape], columns: Properties,
            landscape: Landscape) -> dict[str, Layer]:
    """Layers by name: segments (cells) and centrelines of every plan; of corridors also footprints,
    as wide as they are built (left out where GDAL has no GEOS), and anchors.
    """
    lines = centrelines(segments, landscape)
    layers = {"segments": Layer(cells, "MultiPolygon", columns),
              "centrelines": Layer(lines, "MultiLineString", columns)}
    ends = [(own, anchor) for own in segments for anchor in own.anchors]
    if not any(own.name for own in segments):
        return layers
    scale = abs(landscape.transform[0]) / landscape.cell_size_m
    grounds = buffered(lines, [0.5 * row["width_m"] * scale for row in columns])
    if grounds is not None:
        layers["footprints"] = Layer(grounds, "MultiPolygon", columns)
    if ends:
        places = np.stack(np.divmod([anchor.cell for _, anchor in ends], landscape.shape[1]), 1)
        layers["anchors"] = Layer(
            [{"type": "Point", "coordinates": point} for point in _points(places, landscape)],
            "Point", [{"name": own.name, "kind": anchor.kind} for own, anchor in ends])
    return layers


def _alternatives(alternatives: Mapping[str, Sequence[Corridor]], landscape: Landscape) -> Layer:
    """The centre lines of the corridors of each alternative, which has a number from 1."""
    return Layer(
        [line for parts in alternatives.values() for line in centrelines(parts, landscape)],
        "MultiLineString",
        [{"alternative": number, BUILD_ORDER: place, "name": own.name, "kind": own.kind,
          "length_m": round(own.length_m, 1), "area_ha": round(own.area_ha, 4),
          "cost": round(own.cost, 4)}
         for number, parts in enumerate(alternatives.values(), start=1)
         for place, own in enumerate(parts, start=1)])


def _cells(segment: Corridor, landscape: Landscape) -> Shape:
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


def centrelines(segments: Sequence[Corridor], landscape: Landscape) -> list[Shape]:
    """The centre line of each segment as a MultiLineString in the landscape's reference system.
    Lines join where segments join; that of a single cell is its middle third.
    """
    joined = _joined(segments, landscape.shape) if segments else []
    return [{"type": "MultiLineString", "coordinates": [
        _points(part if len(part) > 1 else part + _THIRD, landscape) for part in parts]}
        for parts in centre_lines(joined, landscape.shape[1])]


_THIRD: Line = np.array([[0.0, -1 / 6], [0.0, 1 / 6]])


def _joined(segments: Sequence[Corridor], shape: tuple[int, int]) -> list[Corridor]:
    """Segments whose paths go on from their ends to a path close by in the same connected piece:
    segments that were cut off one another share no cell. No path turns back to one that it passes.
    """
    mask = np.zeros(shape, np.bool_)
    for own in segments:
        mask.ravel()[own.cells] = mask.ravel()[own.path] = True
    piece = ndimage.label(mask, np.ones((3, 3)))[0].ravel()
    cells = np.concatenate([own.path for own in segments])
    owner = np.repeat(np.arange(len(segments)), [own.path.size for own in segments])
    near = cKDTree(np.stack(np.divmod(cells, shape[1]), 1))
    pairs: set[frozenset[int]] = set()

    def beyond(number: int, path: NDArray[np.int64]) -> list[int]:
        """The cell to which a path goes on from its first cell; none where it is joined."""
        end, width = int(path[0]), shape[1]
        place = np.array(divmod(end, width))
        ahead = place - np.array(divmod(int(path[min(path.size - 1, 1)]), width))
        others = [at for at in near.query_ball_point(place, BRIDGED_CELLS)
                  if owner[at] != number and piece[cells[at]] == piece[end]
                  and (np.abs(near.data[at] - place).max() <= 1.0
                       or (near.data[at] - place) @ ahead > 0.0)]
        if any(cells[at] == end for at in others):
            return []
        for at in sorted(others, key=lambda at: float(np.hypot(*(near.data[at] - place)))):
            pair = frozenset((number, int(owner[at])))
            if pair not in pairs:
                pairs.add(pair)
                return [int(cells[at])]
        return []

    return [own._replace(path=np.array([*beyond(k, own.path), *own.path,
                                        *beyond(k, own.path[::-1])], np.int64))
            for k, own in enumerate(segments)]


def _points(places: NDArray[Any], landscape: Landscape) -> list[list[float]]:
    x, y = place_of_points(landscape, places[:, 0] + 0.5, places[:, 1] + 0.5)
    found: list[list[float]] = np.stack([x, y], axis=1).tolist()
    return found


def buffered(lines: Sequence[Mapping[str, Any]], distances: Sequence[float]) -> list[Shape] | None:
    """The ground within a distance of each line, as a MultiPolygon; None where GDAL has no GEOS."""
    import pyogrio

    if pyogrio.__gdal_geos_version__ is None:
        return None
    text = json.dumps({"type": "FeatureCollection", "name": "lines", "features": [
        {"type": "Feature", "properties": {"away": away}, "geometry": line}
        for line, away in zip(lines, distances, strict=True)]})
    _, _, _, (found,) = pyogrio.raw.read(
        io.BytesIO(text.encode()), sql_dialect="SQLITE", sql=(
            f"SELECT ST_AsText(ST_Buffer(geometry, away, {_SIDES})) AS shape FROM lines"))
    return [_polygons(shape) for shape in found.tolist()]


def _polygons(text: str) -> Shape:
    """A polygon or several of well-known text."""
    begin = text.index("(")
    points = re.sub(r"([-+.\deE]+) ([-+.\deE]+)", r"[\1,\2]", text[begin:])
    coordinates = json.loads(points.replace("(", "[").replace(")", "]"))
    return {"type": "MultiPolygon",
            "coordinates": coordinates if text.startswith("MULTI") else [coordinates]}
