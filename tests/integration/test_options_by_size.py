"""Each option of `plan` on a map that is planned at once and by windows: it plans, beside others
that it does not contradict, or is refused before the map is read.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rasterio.crs import CRS
from tests.integration.test_cli_fire import station

import firebreak
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.landscape.candidates.corridors.ground import HOUSE_BUFFER_M, within
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.landscape.formats.write import write_geotiff, write_landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.settings.schema import leaves, option_of

# A slow machine may spend a limit of a second on the start alone, which the command says then.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_pictures", "place"),
              pytest.mark.filterwarnings("ignore:dqn-search. the time limit ended")]
SIZE, WEST, NORTH, CRS_NAME = 24, 500_000.0, 5_000_000.0, "EPSG:32611"
FEW = ["--plan-fires", "8", "--threads", "1", "--seed", "3", "--quiet"]
SIZES = {"at once": [], "by windows": ["--window-cells", "24"]}
HELD = ["--break-kind", "shaded", "--hold", "hand"]
WEATHER = ["--weather", "w.csv", "--scenarios", "2"]
THINNED = ["--treatment", "shaded-break"]
YEARS = [*THINNED, "--horizon", "2"]
WORDS: dict[str, list[str]] = {
    "landscape": [], "out": [], "quiet": [], "plan_fires": [], "threads": [], "seed": [],
    "policy": ["--policy", "general", "--method", "dqn"],
    "time_limit": ["--time-limit", "1", "--method", "dqn-search"],
    "budget": ["--budget", "5ha"], "method": ["--method", "segments"],
    "test_fires": ["--test-fires", "40"], "report": ["--report", "brief"],
    "fires_per_ha_year": ["--fires-per-ha-year", "1e-5", "--report", "full"],
    "area": ["--area", "0:20,0:22"], "must_include": ["--must-include", "some.tif"],
    "must_exclude": ["--must-exclude", "bare.tif"], "lines": ["--lines", "road.geojson"],
    "only_lines": ["--lines", "road.geojson", "--only-lines"], "cells": ["--cells"],
    "house_buffer": ["--value", "some.tif", "--house-buffer", "40"],
    "existing": ["--existing", "some.tif"],
    "improve": ["--improve", "some.tif"], "shortest_m": ["--shortest-m", "60"],
    "segment_m": ["--segment-m", "300"], "horizon": YEARS,
    "discount_rate": [*YEARS, "--discount-rate", "0.03"],
    "cost_per_km": ["--roads", "some.tif", "--cost-per-km", "1"],
    "terrain": ["--terrain", "shipped"], "crs": ["--crs", CRS_NAME],
    "value": ["--value", "some.tif"], "value_unit": ["--value", "some.tif", "--value-unit", "EUR"],
    "cost": ["--cost", "worth.tif"], "treatable": ["--treatable", "worth.tif"],
    "barriers": ["--barriers", "bare.tif"], "built": ["--built", "some.tif"],
    "roads": [*HELD, "--roads", "some.tif"], "ignitions": ["--ignitions", "worth.tif"],
    "losses": ["--losses", "0,0.2,0.4,0.6,0.8,1"], "layers": ["--layers", "layers.toml"],
    "hold_in": [*HELD, "--hold-in", "worth.tif"], "scenarios": ["--scenarios", "2"],
    "wind_20ft_km_h": ["--wind-20ft-km-h", "20"], "wind_from_deg": ["--wind-from-deg", "90"],
    "weather": WEATHER, "hours": [*WEATHER, "--hours", "3"],
    "wind_towards": [*WEATHER, "--wind-towards"], "moisture": [*WEATHER, "--moisture", "D1L1"],
    "burned_share": ["--burned-share", "0.1"], "duration_min": ["--duration-min", "40"],
    "crown": ["--crown", "none"], "initial_attack": ["--initial-attack", "30"],
    "spotting": ["--spotting"], "burning_hours": ["--burning-hours", "1"],
    "burning_periods": ["--burning-periods", "1.5"], "break_kind": ["--break-kind", "shaded"],
    "break_width_m": ["--break-width-m", "10"],
    "breach": ["--breach", "wilson", "--break-width-m", "10"], "leak": ["--leak"], "hold": HELD,
    "response_min": [*HELD, "--response-min", "20"],
    "crew_speed_km_h": [*HELD, "--roads", "some.tif", "--crew-speed-km-h", "4"],
    "crew_km": [*HELD, "--crew-km", "2"], "treatment": THINNED,
    "treatment_age": [*THINNED, "--treatment-age", "3"],
    "treatments": ["--treatment", "own", "--treatments", "own.toml"], "json": ["--json"],
    "executor": ["--executor", "in-process"], "workers": ["--executor", "processes",
                                                          "--workers", "1"],
    "window_cells": ["--window-cells", "20"], "config": ["--config", "more.toml"]}
"""Words for an option, with those that it asks for."""
REFUSED = {
    ("burned_share", "at once"): "no --burned-share on a map that is read",
    ("burned_share", "by windows"): "no --burned-share on a map that is read",
    ("house_buffer", "by windows"): "no --house-buffer for a plan by windows",
    ("only_lines", "by windows"): "no --only-lines for a plan by windows"}
"""Refusals of an option at a size, before the map is read."""
TOGETHER = (
    ("area", "must_include", "shortest_m", "segment_m", "report", "test_fires", "budget", "crs",
     "terrain", "value", "value_unit", "cost", "wind_20ft_km_h", "wind_from_deg", "duration_min",
     "crown", "breach", "break_width_m", "leak", "scenarios", "json", "method", *(
         name for name, words in WORDS.items() if not words)),
    ("roads", "hold", "hold_in", "response_min", "crew_speed_km_h", "crew_km", "weather", "hours",
     "wind_towards", "moisture", "losses", "initial_attack", "spotting", "burning_hours",
     "burning_periods", "ignitions", "must_exclude", "treatable", "break_kind", "window_cells"),
    ("horizon", "discount_rate", "barriers", "built", "treatment", "cost_per_km"),
    ("treatments", "treatment_age", "layers", "improve", "config"),
    ("policy", "executor", "existing"), ("time_limit", "workers"), ("fires_per_ha_year",),
    ("lines",), ("cells",), ("house_buffer",), ("only_lines",))
"""Options that are typed together, each once."""
QUICK = {"method": "random", "report": "none", "test_fires": "0", "scenarios": "1",
         "duration_min": "30"}
"""Of a plan that does not say otherwise."""
LASTING = {"burning_hours", "burning_periods"}
TOLD = {"existing", "improve", "horizon", "segment_m", "fires_per_ha_year"}
"""Options that ask for a report, on test fires."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small map, and the files that options name."""
    monkeypatch.chdir(tmp_path)
    land = replace(generate(5, SIZE, cell_size_m=30.0), crs=CRS.from_string(CRS_NAME).to_wkt(),
                   transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))
    write_landscape("land.tif", land)
    some = np.zeros(land.shape, np.float32)
    bare = some.copy()
    some[8:11, 4:14] = land.treatable[8:11, 4:14]
    bare[15, 3:7] = 1.0
    for name, values in (("some", some), ("bare", bare), ("worth", some + 1.0)):
        write_geotiff(Path(f"{name}.tif"), {name: values}, land, nodata=-1.0, dtype=np.float32)
    Path("road.geojson").write_text(json.dumps({
        "type": "LineString", "crs": {"type": "name", "properties": {"name": CRS_NAME}},
        "coordinates": [[WEST + 30.0, NORTH - 350.0], [WEST + 690.0, NORTH - 350.0]]}))
    Path("w.csv").write_text(station())
    Path("layers.toml").write_text('[[layer]]\nraster = "some.tif"\n')
    Path("more.toml").write_text("[place]\nshortest_m = 30\n")
    Path("own.toml").write_text(OWN)


OWN = """[own]
title = "own"
currency = "USD"
upkeep = { per_ha_year = 1, source = "assumed" }
[[own.state]]
to_year = 9
surface = "bare"
source = "assumed"
[[own.cost]]
to_slope_percent = 90
per_ha = 1
source = "assumed"
"""


def refusal(words: list[str], capsys: pytest.CaptureFixture[str]) -> str | None:
    """The sentence against options before the map is read, None where there is none."""
    def read(*_: object, **__: object) -> None:
        raise InputError("read")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("read", "tiled_scene", "scene"):
            patch.setattr(SceneOptions, name, read)
        assert main(["plan", "land.tif", *FEW, *words, "--out", "none"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return None if "read\n" in said and "expected" not in said else said


def typed(names: tuple[str, ...], size: str) -> list[str]:
    """The words for some options together, each option once, and for a quick plan."""
    words = [word for name in names for word in WORDS[name]] + SIZES[size]
    found = dict[str, list[str]]()
    for word in words:
        if word.startswith("--"):
            found.setdefault(word, [])
            last = found[word]
        elif not last:
            last.append(word)
    if {"treatments", "treatment_age"} <= set(names):
        found["--treatment"] = ["own"]
    for name, value in QUICK.items():
        if not (name == "duration_min" and LASTING & set(names)):
            found.setdefault(option_of(name), [value])
    if TOLD & set(names):
        found["--test-fires"] = ["24"]
        if found["--report"] == ["none"]:
            del found["--report"]
    if "lines" in names or "only_lines" in names:
        found["--method"] = ["segments" if size == "at once" else "auto"]
    return [*FEW, *(word for option, values in found.items() for word in (option, *values))]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("names", TOGETHER, ids=lambda names: names[0])
def test_every_option_plans_at_each_size(
        names: tuple[str, ...], size: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = tuple(name for name in names if (name, size) not in REFUSED)
    if not asked:
        pytest.skip("refused, see above")
    code = main(["plan", "land.tif", *typed(asked, size), "--out", "made"])
    said = capsys.readouterr().err
    assert code == 0, said
    assert Path("made/data/plan.tif").exists()


def test_every_option_is_typed() -> None:
    assert sorted(name for names in TOGETHER for name in names) == sorted(
        name for name in WORDS if name != "burned_share")


def test_what_each_size_refuses_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(WORDS) == set(leaves(PlanArguments)), "say what is typed for an option that is new"
    found = {(name, size): said for name, words in WORDS.items() for size, more in SIZES.items()
             if (said := refusal(words if name == "window_cells" else [*words, *more], capsys))}
    assert set(found) == set(REFUSED), found
    for key, message in REFUSED.items():
        assert message in found[key]


@pytest.mark.parametrize("must", [None, "some.tif"])
def test_given_lines_keep_off_houses_but_for_what_must_be_included(must: str | None) -> None:
    land = generate(5, SIZE, cell_size_m=30.0)
    houses = np.zeros(land.shape, np.bool_)
    houses[8:11, 4:14] = land.treatable[8:11, 4:14]
    near = within(houses, HOUSE_BUFFER_M, 30.0)
    with pytest.warns(LandscapeWarning, match=r"road\.geojson: the plan leaves out \d+ cells"):
        made = firebreak.plan(
            "land.tif", value="some.tif", lines="road.geojson", budget=0.5, method="segments",
            plan_fires=8, test_fires=0, report="none", duration_min=60.0, scenarios=1,
            must_include=must)
    cells = made.plan.cells
    assert cells.size
    built = np.setdiff1d(cells, np.flatnonzero(houses)) if must else cells
    assert not near.ravel()[built].any()
    assert houses.ravel()[cells].sum() == (houses.sum() if must else 0)
    assert must or (built // SIZE == 11).any()  # the rest of the line may be built
    area: Any = made._run.request.area
    row, col = (-first for first in area.offset)  # there is land around it
    offered = area.rules.lines.mask(area.land.shape, "given")[row:row + SIZE, col:col + SIZE]
    assert offered[11].any()
    assert not (offered & near & ~(houses if must else False)).any()


ROW = 11
"""Of the given line, which runs from column 1 to 23."""


def beside_houses(cols: tuple[int, ...], width_m: float | None = None, **options: Any) -> Any:
    """The land and the corridors of the given line beside houses on it; None for the latter where
    the plan has cells.
    """
    land = generate(5, SIZE, cell_size_m=30.0)
    houses = np.zeros(land.shape, np.float32)
    houses[ROW, cols] = 1.0
    write_geotiff(Path("houses.tif"), {"houses": houses}, land, nodata=-1.0, dtype=np.float32)
    shape = json.loads(Path("road.geojson").read_text())
    Path("named.geojson").write_text(json.dumps({
        "type": "FeatureCollection", "crs": shape.pop("crs"), "features": [{
            "type": "Feature", "geometry": shape, "properties": {"name": "Ridge", "w": width_m}}]}))
    asked = {"budget": 0.5, "segment_m": 5000.0, **options}
    made = firebreak.plan(
        "land.tif", value="houses.tif", lines="named.geojson" + ":w" * bool(width_m),
        method="segments", plan_fires=8, test_fires=0, report="none", duration_min=60.0,
        scenarios=1, **asked)
    request = made._run.request
    return request.area, [own for own in request.area.rules.lines.corridors
                          if own.kind == "given"] if request.corridors else None


@pytest.mark.parametrize("width_m", [None, 30.0, 150.0])
def test_a_given_line_ends_at_houses_and_goes_on_behind_them(width_m: float | None) -> None:
    """No part of it runs through houses, is as long as what it leaves out, or is a stub."""
    with pytest.warns(LandscapeWarning, match=r"named.* \d+ cells of its lines"):
        area, found = beside_houses((6, 9, 10), width_m)
    land, cols = area.land, area.land.shape[1]
    may = land.burnable & ~within(land.value > 0.0, HOUSE_BUFFER_M, 30.0)
    assert len(found) > 1
    assert len({own.name for own in found}) == len(found)
    assert all(own.name.startswith("Ridge part ") for own in found)
    at = {(row + area.offset[0], col + area.offset[1])
          for own in found for row, col in zip(*np.divmod(own.cells, cols), strict=True)}
    assert not {(ROW, col) for col in range(5, 12)} & at
    assert {(ROW, 2), (ROW, 14)} <= at
    for own in found:
        through = land.burnable.ravel()[own.path]
        assert may.ravel()[own.path[through]].all()
        assert own.length_m <= 1.5 * 30.0 * own.path.size
        assert own.cells.size > 1


def test_a_given_line_all_beside_houses_is_left_out() -> None:
    with pytest.warns(LandscapeWarning, match=r"\d+ cells of its lines"):
        _, found = beside_houses(tuple(range(1, 24, 3)), house_buffer=60.0)
    assert found == []


def test_a_plan_of_cells_says_nothing_of_given_lines_off_houses() -> None:
    with pytest.warns(UserWarning, match="no corridor on this map that the money pays") as said:
        _, found = beside_houses((6, 9, 10), budget="0.1ha")
    assert found is None
    assert not any("houses" in str(one.message) for one in said)
