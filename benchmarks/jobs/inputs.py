"""The inputs of each job, made from its map alone, and links to the maps.

A job's plan is `configs/jobs/NAME.toml`. It names its inputs in `outputs/jobs`, relative to itself:
`maps/` holds links to the maps, `inputs/NAME/` the rasters that are made here. The same map gives
the same bytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.jobs.codes import (
    AGRICULTURE,
    Mask,
    developed,
    near,
    nearness,
    ridge_line,
    roads,
)
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.files import made_folder
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_geotiff
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import named_area
from firebreak.reading import read_toml

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "configs" / "jobs"
OUT = ROOT / "outputs" / "jobs"
MAPS, INPUTS = "maps", "inputs"

HOUSES_VALUE = 100.0
"""Value of a cell of forest amid developed land beyond one far from it; illustrative.
"""

Layers = dict[str, NDArray[np.generic]]


class Inputs(NamedTuple):
    """Sources of a job: the name of its map's folder or file among the maps, and what makes
    its rasters [H, W] by name from the map and the cells of the job's area.
    """

    map: str
    layers: Callable[[Landscape, Mask], Layers]


def _santa_ana(land: Landscape, inside: Mask) -> Layers:
    """The wildland edge, the roads, and a break that stands on a ridge of the area."""
    edge, ways = near(developed(land), land, 600.0), roads(land)
    return {"edge": edge, "roads": ways, "ridge_break": ridge_line(land, edge & inside, 16)}


def _bitterroot(land: Landscape, inside: Mask) -> Layers:
    ways = roads(land)
    return {"roads": ways, "roadside": near(ways, land, 90.0)}


def _vilopriu(land: Landscape, inside: Mask) -> Layers:
    fields = land.fuel_model == AGRICULTURE
    return {"edge": near(developed(land) | fields, land, 200.0)}


def _otay(land: Landscape, inside: Mask) -> Layers:
    """Cells whose bare strip, 30 m wide, costs $3,000 a hectare on level ground, and a slope of
    100 % twice as much more.
    """
    hectares = land.cell_size_m * 30.0 / 1e4
    cost = 3000.0 * hectares * (1.0 + 2.0 * land.slope_tan.astype(np.float64))
    return {"roads": roads(land), "edge": near(developed(land), land, 450.0),
            "cost": cost.astype(np.float32)}


def _worcester(land: Landscape, inside: Mask) -> Layers:
    return {"value": _value(land)}


def _value(land: Landscape) -> NDArray[np.float32]:
    """1 for a cell of forest, more near developed land, 0 where nothing burns."""
    houses = HOUSES_VALUE * nearness(developed(land), land, 90.0)
    return np.where(land.burnable, 1.0 + houses, 0.0).astype(np.float32)


def _none(land: Landscape, inside: Mask) -> Layers:
    return {}


JOBS: Mapping[str, Inputs] = {
    "santa-ana-edge": Inputs("landfire-santa-ana-ca", _santa_ana),
    "bitterroot-roads": Inputs("landfire-bitterroot-mt", _bitterroot),
    "dogrib": Inputs("cell2fire-dogrib", _none),
    "arrowhead": Inputs("cell2fire-arrowhead-fire1", _none),
    "vilopriu-hours": Inputs("c2fw-sb-vilopriu", _vilopriu),
    "otay-slope": Inputs("lcp-otay-90m", _otay),
    "worcester-value": Inputs("landfire-worcester-vt-north", _worcester),
    "storm-lake-narrow": Inputs("lcp-storm-lake", _none),
}
"""The jobs by the name of their TOML."""


def config_of(name: str) -> Path:
    """A job's TOML."""
    return CONFIGS / f"{name}.toml"


def landscape_path(folder: Path) -> Path:
    """Path of a map that firebreak reads: its folder, or the one .lcp file in it."""
    files = sorted(folder.glob("*.lcp"))
    return files[0] if files else folder


def make_inputs(name: str, data: Path, out: Path = OUT) -> list[Path]:
    """Links a job's map under `out` and writes its rasters; returns their paths.

    Raises:
        InputError: the map is not there, or something else is in its link's place.
    """
    job = JOBS[name]
    source = link_map(job.map, data, out)
    land = read_landscape(str(landscape_path(source)))
    layers = job.layers(land, _inside(name, land))
    if not layers:
        return []
    folder = made_folder(out / INPUTS / name)
    return [write_geotiff(folder / f"{layer}.tif", {layer: grid}, land)
            for layer, grid in layers.items()]


def link_map(name: str, data: Path, out: Path) -> Path:
    """Links a map's folder under `out`; returns the folder.

    Raises:
        InputError: the map is not there, or something else is in its link's place.
    """
    source = data / name
    if not source.is_dir():
        raise fail(expected=f"the map '{name}'", given="no such folder", where=str(data),
                   remedy="set FIREBREAK_DATA, or --data, to the folder of the maps")
    _link(source.resolve(), made_folder(out / MAPS) / name)
    return source


def _inside(name: str, land: Landscape) -> Mask:
    """The cells of a job's area, without the margin in which fires burn too."""
    place: Any = read_toml(config_of(name))["place"]
    part, (top, left) = named_area(replace(land, treatable=land.burnable), place["area"])
    inside = np.zeros(land.shape, np.bool_)
    inside[top:top + part.shape[0], left:left + part.shape[1]] = part.treatable
    return inside


def _link(source: Path, place: Path) -> None:
    if place.is_symlink():
        place.unlink()  # which may lead to the maps of another folder
    elif place.exists():
        raise fail(expected=f"a link to {source}", given="something else", where=str(place),
                   remedy="remove it, or choose another --out")
    place.symlink_to(source, target_is_directory=True)
