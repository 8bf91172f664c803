"""The STAC item of a plan has what the specification requires and names files that are there."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from rasterio.crs import CRS

from firebreak.api.plans.stac import ITEM_FILE, write_item
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.plan import plan_of_cells
from firebreak.planning.output.earlier import PLAN_FILES
from firebreak.planning.output.export import write_plan

ALBERS = CRS.from_epsg(5070).to_wkt()


@pytest.fixture
def land() -> Landscape:
    """A square of 480 m at 35.5 degrees north and 118 degrees west."""
    return replace(generate(1, 16, cell_size_m=30.0), crs=ALBERS,
                   transform=(30.0, 0.0, -1_970_000.0, 0.0, -30.0, 1_580_000.0))


def item_beside(out: Path, land: Landscape, count: int = 5) -> dict[str, Any]:
    plan = plan_of_cells(land.treatable.ravel().nonzero()[0][:count], land, "strips")
    files = [*write_plan(plan, land, out).values(), out / "report.html"]
    files[-1].touch()
    path = write_item(out, files, plan, land)
    assert path == out / "data" / ITEM_FILE
    assert f"data/{ITEM_FILE}" in PLAN_FILES
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_the_item_has_all_that_the_schema_requires(tmp_path: Path, land: Landscape) -> None:
    """The schema of an item, version 1.0.0: its required members and their types."""
    item = item_beside(tmp_path, land)
    assert item.keys() == {"type", "stac_version", "id", "geometry", "bbox", "properties", "links",
                           "assets"}
    assert (item["type"], item["stac_version"], item["links"]) == ("Feature", "1.0.0", [])
    assert item["id"].startswith("plan-")
    assert item["id"] != item_beside(tmp_path / "other", land, 6)["id"]
    made = datetime.fromisoformat(item["properties"]["datetime"])
    assert made.utcoffset() is not None
    west, south, east, north = item["bbox"]
    assert -118.6 < west < east < west + 0.01 < -117.0
    assert 34.0 < south < north < south + 0.01 < 37.0
    (ring,) = item["geometry"]["coordinates"]
    assert ring[0] == ring[-1] == [west, south]
    assert [max(part) for part in zip(*ring, strict=True)] == [east, north]


def test_its_assets_are_the_files_of_the_plan(tmp_path: Path, land: Landscape) -> None:
    item = item_beside(tmp_path, land)
    found = {(tmp_path / "data" / one["href"]).resolve() for one in item["assets"].values()}
    assert found == {path.resolve() for path in tmp_path.rglob("*")
                     if path.is_file() and path.name != ITEM_FILE}
    assert item["assets"]["plan.tif"] == {
        "href": "plan.tif", "type": "image/tiff; application=geotiff", "roles": ["data"]}
    assert item["assets"]["report.html"]["href"] == "../report.html"


def test_without_a_reference_system_it_has_no_place(tmp_path: Path, land: Landscape) -> None:
    item = item_beside(tmp_path, replace(land, crs=None))
    assert item["geometry"] is None
    assert "bbox" not in item


@pytest.mark.interop
@pytest.mark.filterwarnings("default")
def test_the_item_is_valid_by_the_published_schema(tmp_path: Path, land: Landscape) -> None:
    """The schemas of version 1.0.0 come with pystac."""
    local = pytest.importorskip("pystac.validation.local_validator")
    schema = local.LocalValidator().item_validator("1.0.0")
    for name, map_ in (("placed", land), ("bare", replace(land, crs=None))):
        item = item_beside(tmp_path / name, map_)
        assert [error.message for error in schema.iter_errors(item)] == []
        assert list(schema.iter_errors(item | {"properties": {}}))


def test_every_kind_of_file_of_a_plan_has_a_type() -> None:
    from firebreak.api.plans.stac import _TYPES

    assert {Path(name).suffix for name in PLAN_FILES} == _TYPES.keys()
