"""Inputs of a planner for each of the eight maps, made from its own codes and elevation:
houses as points, roads and candidate lines as shapes, masks as rasters.

A job's plan is `configs/jobs/brought/NAME.toml`. It names its inputs in `outputs/jobs`, as those of
`benchmarks.jobs.inputs` do. Two whole maps, `configs/jobs/county/NAME.toml`, have inputs of the
same kinds.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.jobs.codes import AGRICULTURE, Mask, developed, near, roads
from benchmarks.jobs.inputs import CONFIGS, INPUTS, OUT, landscape_path, link_map
from scipy import ndimage

from firebreak.files import made_folder
from firebreak.landscape.candidates.lines import candidate_lines, masks_of
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_geotiff, write_text
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import named_area
from firebreak.planning.output.vectors import write_lines
from firebreak.reading import read_toml

BROUGHT_CONFIGS, COUNTY_CONFIGS = CONFIGS / "brought", CONFIGS / "county"
LEAST_ROAD_M, LEAST_LINE_M = 150.0, 300.0

Maker = Callable[[Landscape, Landscape, Path], Path]
"""Writes an input from the map and the part of it that is planned for; returns its file."""


class Brought(NamedTuple):
    """Sources of a job: the name of its map's folder among the maps, and its inputs by the
    name of their file.
    """

    map: str
    files: Mapping[str, Maker]


def _raster(mask_of: Callable[[Landscape], Mask]) -> Maker:
    return lambda land, _part, path: write_geotiff(path, {path.stem: mask_of(land)}, land)


def _houses(land: Landscape, _part: Landscape, path: Path) -> Path:
    """A house in each burnable cell that touches developed land: where fuel comes up to the
    buildings. Developed cells themselves do not burn.
    """
    built = ndimage.binary_dilation(developed(land), np.ones((3, 3)))
    cells = np.argwhere(built & land.burnable)
    return write_text(path, ["row,col\n", *(f"{row},{col}\n" for row, col in cells.tolist())])


def _lines(*kinds: str, least_m: float = LEAST_LINE_M) -> Maker:
    """Candidate lines of some kinds on the part that is planned for, as `firebreak landscape lines`
    finds them; roads are those of the map's codes, where it has any.
    """
    def write(land: Landscape, part: Landscape, path: Path) -> Path:
        ways = roads(part)
        masks = masks_of(part, ways if ways.any() else None)
        found = candidate_lines(part, {kind: mask for kind, mask in masks.items() if kind in kinds},
                                least_m)
        return write_lines(path, [line.path for line in found],
                           [{"kind": line.kind, "length_m": line.length_m} for line in found], part)
    return write


def _beside_roads(land: Landscape, part: Landscape, path: Path) -> Path:
    """Lines along the burnable cells beside roads, which may be treated."""
    ways = roads(part)
    beside = near(ways, part, 1.5 * part.cell_size_m)
    found = candidate_lines(part, {"road": beside}, LEAST_ROAD_M)
    return write_lines(path, [line.path for line in found],
                       [{"kind": "roadside", "length_m": line.length_m} for line in found], part)


TERRAIN = ("ridge", "valley", "fuel-edge")
_ROADS = _raster(roads)
_LINES = _lines(*TERRAIN)

BROUGHT: Mapping[str, Brought] = {
    "santa-ana-houses": Brought("landfire-santa-ana-ca", {
        "edge.tif": _raster(lambda land: near(developed(land), land, 600.0)), "roads.tif": _ROADS,
        "houses.csv": _houses, "lines.geojson": _LINES}),
    "bitterroot-roadside": Brought("landfire-bitterroot-mt", {
        "roads.tif": _ROADS, "roadside.tif": _raster(lambda land: near(roads(land), land, 90.0)),
        "lines.geojson": _beside_roads}),
    "dogrib-bare": Brought("cell2fire-dogrib", {"lines.geojson": _LINES}),
    "arrowhead-bare": Brought("cell2fire-arrowhead-fire1", {}),
    "vilopriu-grazed": Brought("c2fw-sb-vilopriu", {
        "edge.tif": _raster(lambda land: near(developed(land) | (land.fuel_model == AGRICULTURE),
                                              land, 200.0)),
        "lines.geojson": _LINES}),
    "otay-strips": Brought("lcp-otay-90m", {
        "edge.tif": _raster(lambda land: near(developed(land), land, 450.0)), "roads.tif": _ROADS,
        "lines.geojson": _LINES}),
    "worcester-houses": Brought("landfire-worcester-vt-north", {
        "houses.csv": _houses, "lines.geojson": _LINES}),
    "storm-lake-strips": Brought("lcp-storm-lake", {"lines.geojson": _LINES}),
}
"""The jobs by the name of their TOML."""

_WHOLE = {"roads.tif": _ROADS, "houses.csv": _houses, "lines.geojson": _lines(
    *TERRAIN, least_m=600.0)}
COUNTIES: Mapping[str, Brought] = {
    "bitterroot": Brought("landfire-bitterroot-mt", _WHOLE),
    "santa-ana": Brought("landfire-santa-ana-ca", _WHOLE)}
"""Whole maps by the name of their TOML; no table compares methods on them."""


def brought_config(name: str) -> Path:
    """The TOML of a job, or of a whole map."""
    return (COUNTY_CONFIGS if name in COUNTIES else BROUGHT_CONFIGS) / f"{name}.toml"


def make_brought(name: str, data: Path, out: Path = OUT) -> list[Path]:
    """Links the map of a job, or a whole map, under `out` and writes its inputs; returns their
    paths.

    Raises:
        InputError: the map is not there, or something else is in its link's place.
    """
    job = COUNTIES.get(name) or BROUGHT[name]
    tree: Any = read_toml(brought_config(name))
    source = link_map(job.map, data, out)
    land = read_landscape(str(landscape_path(source)), crs=tree.get("map", {}).get("crs"))
    area = tree["place"].get("area")
    part = land if area is None else named_area(replace(land, treatable=land.burnable), area)[0]
    folder = made_folder(out / INPUTS / name)
    return [make(land, part, folder / file) for file, make in job.files.items()]


def inputs_named(name: str) -> set[str]:
    """The inputs that a job's TOML names."""
    text = brought_config(name).read_text(encoding="utf-8")
    return set(re.findall(rf"outputs/jobs/{INPUTS}/{name}/([\w.-]+)\"", text))
