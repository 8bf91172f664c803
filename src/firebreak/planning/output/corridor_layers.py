"""The corridors of a plan as a GeoPackage: centre lines, the ground that is treated, anchors."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.candidates.corridors.shape import Line, centre_lines
from firebreak.landscape.formats.qgis_styles import vector_style
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.degrees import place_of_points
from firebreak.planning.output.vectors import Layer, symbols_of, write_package

SLOPE_CLASSES = ((0.10, "0 to 10 %"), (0.25, "10 to 25 %"), (0.40, "25 to 40 %"))
STEEPER = "over 40 %"
_SIDES = 8  # corners of a quarter of a circle


def slope_class(slope_tan: float) -> str:
    """The class of a slope, in words."""
    return next((words for most, words in SLOPE_CLASSES if slope_tan <= most), STEEPER)


def write_corridors(path: Path, corridors: Sequence[Corridor],
                    columns: Sequence[Mapping[str, Any]], landscape: Landscape, width_m: float,
                    label: str) -> Path:
    """Writes the layers corridors (lines), footprints (polygons of the width that is built; left
    out where GDAL has no GEOS) and anchors (points).

    Args:
        columns: of each corridor.
        width_m: that is treated.
        label: the column that names a corridor on a map.
    """
    rows = [attributes(own, row, width_m, label)
            for own, row in zip(corridors, columns, strict=True)]
    lines = [_placed(parts, landscape) for parts in centre_lines(corridors, landscape.shape[1])]
    layers = {"corridors": Layer(lines, "MultiLineString", rows)}
    scale = abs(landscape.transform[0]) / landscape.cell_size_m
    if (polygons := buffered(lines, 0.5 * width_m * scale)) is not None:
        layers["footprints"] = Layer(polygons, "MultiPolygon", rows)
    ends = [(own, anchor) for own in corridors for anchor in own.anchors]
    if ends:
        layers["anchors"] = Layer(
            [{"type": "Point", "coordinates": point} for point in _points(
                np.stack(np.divmod(np.array([one.cell for _, one in ends]), landscape.shape[1]), 1),
                landscape)], "Point",
            [{"name": own.name, "kind": anchor.kind} for own, anchor in ends])
    symbols = symbols_of(rows, label)
    return write_package(path, layers, landscape.crs, {
        name: vector_style("fill" if name == "footprints" else "line", symbols, label)
        for name in ("corridors", "footprints") if name in layers})


_KEPT = ("year", "length_m", "area_ha", "cost", "treatment", "saves", "saves_low", "saves_high",
         "lost_without", "loss_unit", "from", "to", "ridge_percent", "road_percent", "edge_percent")


def attributes(own: Corridor, row: Mapping[str, Any], width_m: float,
               label: str) -> dict[str, Any]:
    """The attributes of a corridor in a GIS, from its columns."""
    return {"name": own.name or "piece", "kind": own.kind, label: row[label],
            **{name: row[name] for name in _KEPT if name in row}, "currency": row["cost_unit"],
            "width_m": round(width_m, 2),
            "slope_class": "" if own.ground is None else slope_class(own.ground.slope)}


def _placed(parts: Sequence[Line], landscape: Landscape) -> dict[str, Any]:
    """Lines in the landscape's reference system; of a single cell its middle third."""
    third = np.array([[0.0, -1 / 6], [0.0, 1 / 6]])
    return {"type": "MultiLineString", "coordinates": [
        _points(part if len(part) > 1 else part + third, landscape) for part in parts]}


def _points(places: NDArray[Any], landscape: Landscape) -> list[list[float]]:
    x, y = place_of_points(landscape, places[:, 0] + 0.5, places[:, 1] + 0.5)
    found: list[list[float]] = np.stack([x, y], axis=1).tolist()
    return found


def buffered(lines: Sequence[Mapping[str, Any]], distance: float) -> list[dict[str, Any]] | None:
    """The ground within a distance of each line, as a MultiPolygon; None where GDAL has no GEOS."""
    import pyogrio

    if pyogrio.__gdal_geos_version__ is None:
        return None
    text = json.dumps({"type": "FeatureCollection", "name": "lines", "features": [
        {"type": "Feature", "properties": {}, "geometry": line} for line in lines]})
    _, _, _, (found,) = pyogrio.raw.read(
        io.BytesIO(text.encode()), sql_dialect="SQLITE", sql=(
            f"SELECT ST_AsText(ST_Buffer(geometry, {distance!r}, {_SIDES})) AS shape FROM lines"))
    return [_polygons(shape) for shape in found.tolist()]


def _polygons(text: str) -> dict[str, Any]:
    """A polygon or several of well-known text."""
    begin = text.index("(")
    points = re.sub(r"([-+.\deE]+) ([-+.\deE]+)", r"[\1,\2]", text[begin:])
    coordinates = json.loads(points.replace("(", "[").replace(")", "]"))
    return {"type": "MultiPolygon",
            "coordinates": coordinates if text.startswith("MULTI") else [coordinates]}
