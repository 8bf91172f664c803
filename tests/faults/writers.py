"""Everything of firebreak that writes a file, each as a function of the folder to write into."""

import contextlib
import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import rasterio
import torch

from firebreak import files
from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import save_policy
from firebreak.api.shared.records import write_options
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.cli.commands import actions_of, class_of, function_of
from firebreak.cli.shared import tables
from firebreak.cli.shared.common import parse
from firebreak.landscape.formats import folders, qgis_styles, treated, write
from firebreak.landscape.formats.landfire import landscape_of_archive
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.layout import OBSERVATION
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.core.plan import Plan
from firebreak.planning.output import export, segment_layers, vectors
from firebreak.report.figures import animation, canvas
from firebreak.report.pages.html import write_page
from firebreak.train.config.load import as_toml, load_config
from firebreak.train.storage import store
from pictures import drawn_once

ALBERS = rasterio.crs.CRS.from_epsg(5070).to_wkt()
LAYERS = [f"layer{band}" for band in range(8)]


class Writer(NamedTuple):
    """write: makes files in a folder that is there; replaces: whether it replaces older ones;
    same_bytes: whether it writes the same bytes each time; pages: from one point of a walk to the
    next.
    """

    name: str
    write: Callable[[Path], object]
    replaces: bool = True
    same_bytes: bool = True
    pages: int = 1


def writers(inputs: Path) -> list[Writer]:
    """All writers; `inputs` is a folder that some of them read from."""
    land = replace(generate(4, 40, cell_size_m=30.0), crs=ALBERS,
                   transform=(30.0, 0.0, -1_400_000.0, 0.0, -30.0, 2_700_000.0))
    plain = {"a": land.elevation_m, "b": np.random.default_rng(1).random(land.shape)}
    breaks = np.zeros(land.shape, np.bool_)
    breaks[5:20, 7] = breaks[30, 10:25] = True
    breaks &= land.treatable
    source = write.write_landscape(inputs / "land.tif", land)
    return [
        Writer("GeoTIFF", lambda out: write.write_geotiff(out / "a.tif", plain, land)),
        Writer("landscape", lambda out: write.write_landscape(out / "land.tif", land)),
        Writer("fuel map", lambda out: write.write_fuel_map(out / "fuel.tif", land)),
        Writer("treated landscape", lambda out: treated.write_treated(
            out / "treated.tif", str(source), land, breaks, Treatment())),
        Writer("LCP", lambda out: write.write_lcp(out / "land.lcp", land)),
        Writer("ASCII grids", lambda out: folders.write_ascii_folder(out, land)),
        Writer("QGIS style", lambda out: qgis_styles.write_ramp(
            out / "a", qgis_styles.even_stops(("#000000", "#ffffff"), 0.0, 1.0))),
        *_plans(land, breaks), *_copies(inputs, source), *_pages(land, breaks), *_states(),
    ]


def commands(inputs: Path) -> list[Writer]:
    """Commands that write files, with all that they write."""
    cases, land = inputs / "cases.csv", inputs / "land.tif"
    cases.write_text("fuel_model,wind_speed_km_h\n" + "GR2,10\n" * 500)
    write.write_landscape(land, generate(4, 20, cell_size_m=30.0))
    few = ["--threads", "1", "--quiet"]
    return [
        _command("generate", ["landscape", "generate", "land.tif"]),
        *(_command(f"convert to {kind}", ["landscape", "convert", str(land), "--to", kind,
                                          "--out", name])
          for kind, name in (("lcp", "a.lcp"), ("ascii", "grids"))),
        _command("simulate", ["simulate", str(land), "--fires", "8", "--out", "fires", *few], 40),
        _command("plan", ["plan", str(land), "--method", "random", "--plan-fires", "8",
                          "--test-fires", "8", "--out", "plan", *few], 40),
    ]


def _command(name: str, arguments: list[str], pages: int = 1) -> Writer:
    words = 2 if actions_of(arguments[0]) else 1
    program = " ".join(arguments[:words])
    drawn: list[bytes] = []

    def run(out: Path) -> int:
        os.chdir(out)
        bound = parse(class_of(program), arguments[words:], program)
        with contextlib.redirect_stdout(io.StringIO()), bound.spelled(), drawn_once(drawn):
            return int(function_of(program)(bound))
    new = name.endswith("ascii")  # its folder must be
    return Writer(f"command {name}", run, not new, same_bytes=False, pages=pages)


def _plans(land: Landscape, breaks: np.ndarray) -> list[Writer]:
    cells = np.flatnonzero(breaks)
    plan = Plan(method="random", cells=cells, shape=land.shape, cost=float(cells.size),
                cost_unit="cells", budget=float(cells.size), budget_share=0.1,
                landscape=land.name, landscape_checksum=land.checksum(), plan_fires=0, seed=0,
                seconds=0.0, simulations=0.0)
    segments = break_segments_of(breaks, land)
    rows = [{"build_order": k} for k in range(1, len(segments) + 1)]
    made = [Writer("plan", lambda out: export.write_plan(plan, land, out)),
            Writer("GeoJSON", lambda out: vectors.write_text(out / "a.geojson", [
                vectors.geojson_of([segment_layers._cells(one, land) for one in segments], rows,
                                   ALBERS)])),
            Writer("table of Cell2Fire", lambda out: folders.write_firebreak_csv(
                out / "firebreaks.csv", cells))]
    if vectors.has_vector_reader():
        made.append(Writer("GeoPackage", lambda out: segment_layers.write_segments(
            out, segments, rows, land), same_bytes=False))
    return made


def _copies(inputs: Path, source: Path) -> list[Writer]:
    archive = inputs / "landfire.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(source, "land.tif")
    return [
        Writer("download", lambda out: landscape_of_archive(archive, out / "land.tif", LAYERS)),
    ]


def _pages(land: Landscape, breaks: np.ndarray) -> list[Writer]:
    def picture(out: Path) -> None:
        with canvas.new_figure(6.0, 4.0, title="Title", caption="caption") as figure:
            figure.add_subplot().imshow(land.elevation_m)
        canvas.save_figure(figure, out / "a.png")

    row, col = np.indices(land.shape)
    arrival = 10.0 * np.hypot(row - 8, col - 4)
    return [
        Writer("picture", picture),
        Writer("GIF", lambda out: animation.fire_gif(out / "fire.gif", land, arrival, arrival,
                                                     breaks, 324, 120.0, frames=4)),
        Writer("page", lambda out: write_page(out / "report.html", "<p>text</p>\n" * 4000)),
    ]


def _states() -> list[Writer]:
    torch.manual_seed(0)
    network = QMapNetwork(OBSERVATION.channels, 4)
    table = tables.Table(Path("a"), ",", ("a",), [[str(k)] for k in range(3000)],
                         list(range(3000)))
    tree = {"step": 1, "weights": torch.arange(20_000.0)}
    return [
        Writer("policy", lambda out: save_policy(out / "policy.pt", network, {"run": "a"})),
        Writer("checkpoint", lambda out: store.write_folder(out / "00000001", "run", tree),
               replaces=False),
        Writer("table", lambda out: tables.write_table(out / "a.csv", table,
                                                       {"b": np.arange(3000.0)})),
        Writer("options", lambda out: write_options(out, SceneOptions())),
        Writer("configuration", lambda out: files.write_text(
            out / "config.toml", as_toml(load_config("quick")))),
        Writer("rows as JSON", lambda out: files.write_text(
            out / "evaluation.json", json.dumps(list(range(5000))))),
    ]
