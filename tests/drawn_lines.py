"""Files of lines, as others draw them, on maps of cells of 30 m in UTM zone 11."""

import json
from pathlib import Path
from typing import Any

WEST, NORTH, CELL = 500_000.0, 5_000_000.0, 30.0
"""The north-west corner of the maps, and the side of a cell, metres."""


def line_of(row: float, first: float, last: float, **properties: object) -> dict[str, Any]:
    """From the middle of one cell of a row to that of another; without properties that are None."""
    y = NORTH - CELL * (row + 0.5)
    said = {name: own for name, own in properties.items() if own is not None}
    return {"type": "Feature", "properties": said, "geometry": {
        "type": "LineString", "coordinates": [[WEST + CELL * (col + 0.5), y]
                                              for col in (first, last)]}}


def drawn(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": lines, "crs": {
        "type": "name", "properties": {"name": "EPSG:32611"}}}))
    return path
