"""The STAC item of a plan (SpatioTemporal Asset Catalog, version 1.0.0): what its folder holds, and
where on the Earth it lies, for the catalogues of a GIS.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firebreak.files import write_text
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.names import DATA
from firebreak.landscape.raster.degrees import corners_of
from firebreak.planning.core.plan import Plan
from firebreak.planning.output.export_effect import plan_id

ITEM_FILE = "stac_item.json"
_TYPES = {".tif": "image/tiff; application=geotiff", ".gpkg": "application/geopackage+sqlite3",
          ".geojson": "application/geo+json", ".csv": "text/csv", ".json": "application/json",
          ".html": "text/html", ".png": "image/png", ".gif": "image/gif", ".mp4": "video/mp4",
          ".qml": "application/xml"}
_ROLES = {".html": "overview", ".png": "overview", ".gif": "overview", ".mp4": "overview",
          ".json": "metadata", ".qml": "metadata"}


def write_item(out: Path, files: Sequence[Path], plan: Plan, landscape: Landscape) -> Path:
    """Writes the item into the data of a plan's folder.

    Args:
        files: of the plan, in its folder.
        landscape: the whole map; without a reference system the item has no place.
    """
    path = out / DATA / ITEM_FILE
    item = item_of([one.relative_to(out) for one in files], plan, landscape, datetime.now(UTC))
    write_text(path, json.dumps(item, indent=2) + "\n")
    return path


def item_of(files: Sequence[Path], plan: Plan, landscape: Landscape,
            made: datetime) -> dict[str, Any]:
    """The item of a plan whose files are named from its folder."""
    place: dict[str, Any] = {"geometry": None}
    if landscape.crs is not None:
        west, south, east, north = corners_of(landscape)
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        place = {"geometry": {"type": "Polygon", "coordinates": [ring]},
                 "bbox": [west, south, east, north]}
    return {
        "type": "Feature", "stac_version": "1.0.0", "id": f"plan-{plan_id(plan)}", **place,
        "properties": {"datetime": made.isoformat(timespec="seconds").replace("+00:00", "Z"),
                       "title": f"Fuel breaks on {landscape.name}, {plan.made_by}"},
        "links": [],
        "assets": {path.name: {
            "href": path.name if path.parent.name == DATA else f"../{path.as_posix()}",
            "type": _TYPES[path.suffix], "roles": [_ROLES.get(path.suffix, "data")]}
            for path in files}}
