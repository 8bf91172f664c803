"""`firebreak plan` by windows, from the command line."""

import csv
import errno
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rasterio.crs import CRS
from tests.integration.test_python_windows import hashes, typed
from tests.untrained import untrained

import firebreak
from firebreak import read_landscape
from firebreak.api.shared.executor_options import WindowOptions
from firebreak.api.shared.plan_options import PlaceOptions
from firebreak.api.shared.scene_options import SceneOptions
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.landscape.formats.write import write_geotiff, write_landscape
from firebreak.landscape.raster.geotiff import open_raster, read_band
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.windows.kept import job_of
from firebreak.planning.windows.make import WindowSettings, make_region
from firebreak.planning.windows.region import Proposal, Region, RegionWorker
from firebreak.planning.windows.shards.shard_plan import shards_of

CELLS = Path(__file__).parents[2] / "benchmarks" / "policies" / "cells.safetensors"
pytestmark = pytest.mark.usefixtures("small_pictures")
LAND = "synthetic:5:64"
SMALL = ["--method", "downstream-value", "--plan-fires", "24", "--test-fires", "60",
         "--burned-share", "0.03", "--scenarios", "2", "--threads", "1"]


def plan(*options: str, out: Path) -> int:
    return main(["plan", LAND, *SMALL, *options, "--out", str(out)])


def ranks(folder: Path) -> np.ndarray:
    with open_raster(folder / "data" / "plan.tif") as dataset:
        return read_band(dataset, 1).values


@pytest.mark.slow
@pytest.mark.usefixtures("no_simulation_pictures")
@pytest.mark.parametrize("options", [["--window-cells", "32"], ["--method", "segments"]])
def test_where_trials_end_plan_and_report_say_so(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
        options: list[str]) -> None:
    for module in ("windows.make", "core.line_trials"):
        monkeypatch.setattr(f"firebreak.planning.{module}.MOST_BURNED", 1)
    monkeypatch.setattr("firebreak.planning.windows.exchange.row_plans", lambda *_: [])
    assert plan("--break-kind", "shaded", "--report", "brief", *options, out=tmp_path) == 0
    for said in (capsys.readouterr().out, (tmp_path / "report.html").read_text()):
        assert "trials of lines ended with" in " ".join(said.split())


@pytest.mark.slow
@pytest.mark.usefixtures("no_simulation_pictures")
def test_a_plan_by_windows_is_written_and_its_words_are_those_of_its_record(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("--window-cells", "32", "--json", out=tmp_path / "one") == 0
    out = capsys.readouterr().out
    found = json.loads(out.strip().splitlines()[-1])
    assert found["windows"] == 4
    assert found["plan_fires"] == 24
    assert found["simulations"] == json.loads(
        (tmp_path / "one" / "plan.json").read_text())["simulations"] > 1.0
    assert f"downstream-value in 4 windows: {found['n_cells']} cells" in out
    assert f"windows reach {found['margin']} cells beyond what they treat" in out
    assert ("the plan begins with them" in out) == found["rows"]
    assert f"saves {found['reduction']:.1%} ({found['low']:.1%} - {found['high']:.1%})" in out
    assert f"{found['promised']:.1%} on its plan fires" in out
    assert (ranks(tmp_path / "one") > 0).sum() == found["n_cells"] > 0
    assert main(["simulate", LAND, "--plan", str(tmp_path / "one"), "--fires", "5",
                 "--burned-share", "0.03", "--scenarios", "2", "--out", str(tmp_path / "burned"),
                 ]) == 0


@pytest.mark.slow
def test_a_plan_that_promises_much_more_than_it_keeps_says_so(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    """As one of lines alone does, with so few fires; rows across the map keep more."""
    monkeypatch.setattr("firebreak.planning.windows.exchange.row_plans", lambda *arguments: [])
    assert main(["plan", LAND, *SMALL, "--plan-fires", "6", "--budget", "0.2", "--window-cells",
                 "64", "--test-fires", "1000", "--out", str(tmp_path)]) == 0
    assert ("it fences in the fires that it was shown, so give more of them (--plan-fires 24)"
            in capsys.readouterr().out)


@pytest.mark.parametrize(("options", "message"), [
    (["--window-cells", "32", "--shortest-m", "90000"], "expected pieces of at least 90000 m"),
    (["--window-cells", "32", "--budget", "0.0003"], "a budget that buys")])
def test_bad_input_is_one_sentence_and_writes_nothing(
        options: list[str], message: str, tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(*options, out=tmp_path / "none" / "in" / "another") == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "none").exists()


WINDOWS = ["--window-cells", "32"]
INCLUDED = ["--must-include", "agreed.tif"]
WRONG: list[tuple[list[str], str]] = [
    (["--window-cells", "3"], "--window-cells: expected a whole number of at least 16, got 3"),
    (["--executor", "processes", "--workers", "-1"], "at least 0 and at most 4096, got -1"),
    (["--ray-address", "nowhere"], "'--ray-address', last in version 1.0; set the variable"),
    ([*WINDOWS, "--plan-fires", "-5"], "a whole number of at least 1, got -5"),
    ([*WINDOWS, "--plan-fires", "0"], "a whole number of at least 1, got 0"),
    (["--plan-fires", "0"], "a whole number of at least 1, got 0"),
    ([*WINDOWS, "--test-fires", "-1"], "a whole number of at least 0, got -1"),
    ([*WINDOWS, "--test-fires", "1"], "expected at least 2 test fires, or 0"),
    ([*WINDOWS, "--report", "brief", "--fires-per-ha-year", "1e-5"],
     "--report brief: expected --report full together with --fires-per-ha-year"),
    ([*WINDOWS, "--report", "none", "--treatment", "bare-line", "--horizon", "3"],
     "expected no --report none beside --horizon"),
    ([*WINDOWS, "--horizon", "3"], "--horizon: expected a treatment, whose table says"),
    ([*WINDOWS, "--lines", "roads.gpkg", "--method", "dqn-lookahead"],
     "expected the method auto together with --lines: windows choose among no given lines"),
    ([*WINDOWS, "--method", "none"], "expected a method that makes breaks"),
    *(([*WINDOWS, *INCLUDED, *typed], message) for typed, message in (
        (["--method", "dqn-search", "--time-limit", "0"], "a number above 0"),)),
    ([*WINDOWS, "--existing", "net.tif", "--test-fires", "0"],
     "expected test fires together with --existing"),
    (["--existing", "net.tif", "--test-fires", "0"],
     "expected test fires together with --existing"),
    (["--report", "brief", "--test-fires", "0"],
     "expected test fires together with --report brief"),
    *(([*way, *typed], message) for way in ([], WINDOWS) for typed, message in (
        (["--method", "strips", "--policy", "general"], "expected a method that follows a policy"),
        (["--method", "dqn", "--time-limit", "2"], "expected a method that searches")))]
"""What is typed, what is said."""
REFUSED: list[tuple[str, list[str], str]] = [
    ("workers", ["--workers", "2"], "expected --executor together with --workers"),
    ("house_buffer", [*WINDOWS, "--house-buffer", "30"], "got synthetic land, which has no"),
    ("only_lines", [*WINDOWS, "--lines", "roads.gpkg", "--only-lines"],
     "no --only-lines for a plan by windows"),
    ("discount_rate", [*WINDOWS, "--discount-rate", "0.03"], "expected --horizon together with")]
"""Option, a value that would do elsewhere, what is said: windows do not take it, or not alone."""
STRIPS, SEARCH = ["--method", "strips"], ["--method", "dqn-search"]
DQN = ["--method", "dqn"]
CHANGED: list[tuple[str, list[str], list[str]]] = [
    ("budget", [], ["--budget", "0.1"]),
    ("method", [], STRIPS),
    ("policy", DQN, [*DQN, "--policy", str(CELLS)]),
    ("time_limit", SEARCH, [*SEARCH, "--time-limit", "9"]),
    ("plan_fires", [], ["--plan-fires", "25"]),
    ("window_cells", [], ["--window-cells", "33"]),
    ("scene", [], ["--break-width-m", "12"]),
    ("must_include", [], ["--must-include", "wanted.tif"]),
    ("must_exclude", [], ["--must-exclude", "wanted.tif"]),
    ("area", [], ["--area", "0:50,0:50"]),
    ("shortest_m", [], ["--shortest-m", "90"]),
    ("budget", [], ["--budget", "150"]),
    ("budget", [], ["--budget", "30ha"]),
    ("cost_per_km", [], ["--roads", "wanted.tif", "--cost-per-km", "2"])]
"""Option, what is typed without and with it: the plan that is asked of windows is another one."""
YEARS = {"treatment": "bare-line", "budget": "2027:4000,2028:4000"}
WHOLE: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("fires_per_ha_year", {"report": "full"}, {"report": "full", "fires_per_ha_year": 1e-5},
     "report.html"),
    ("horizon", YEARS, {**YEARS, "horizon": 3}, "schedule.csv"),
    ("discount_rate", {**YEARS, "horizon": 3}, {**YEARS, "horizon": 3, "discount_rate": 0.3},
     "years.csv"),
    ("budget", {"report": "full"}, {"report": "full", "budget": "2027:40,2028:40"}, "segments.csv"),
    ("report", {"report": "full"}, {"report": "brief"}, "exceedance.png"),
    ("method", {"method": "dqn", "report": "brief"}, {"method": "auto", "report": "brief"},
     "segments.csv")]
"""Option, what is asked for without and with it, the file that tells: plans by windows that are
judged as plans at once are."""
BESIDE = {"place": "options of their own", "windows": "options of their own",
          "landscape": "every test", "out": "every test",
          "cells": "windows have no corridors", "config": "test_phases_of_a_file_are_refused_too",
          "executor": "test_ray_windows.py",
          "lines": "test_lines_are_offered_beside_windows", "existing": "test_a_brief_report_tells",
          "improve": "test_improve.py",
          "segment_m": "test_segments_of_a_brief_report", "report": "test_a_brief_report_tells",
          "test_fires": "test_segments_of_a_brief_report"}
"""Options that change no plan, but where it is made or what is told of it, and what shows that."""


@pytest.mark.slow
@pytest.mark.parametrize(("option", "without", "typed"), CHANGED,
                         ids=["".join(one[2]) for one in CHANGED])
def test_an_option_changes_what_is_asked_of_windows(
        option: str, without: list[str], typed: list[str], tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []

    def stop(region: Region, share: float, executor: object, settings: WindowSettings,
             **_: object) -> None:
        found.append(job_of(region, share, settings))
        raise InputError("enough")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("firebreak.api.plans.by_windows.plan_by_windows", stop)
    some_wanted(tmp_path)
    for words in (without, without, typed):
        budget = [] if "--budget" in words else ["--budget", "0.05"]
        assert main(["plan", LAND, *SMALL, *budget, *WINDOWS, *words, "--out", "none"]) == 2
    assert found[0] == found[1] != found[2]
    assert len(found) == 3


@pytest.mark.slow
def test_segments_of_a_brief_report_heed_their_length_and_the_test_fires(tmp_path: Path) -> None:
    def lengths(*options: str) -> tuple[list[str], list[str]]:
        assert plan(*WINDOWS, "--segment-m", "2000", *options, out=tmp_path) == 0
        with (tmp_path / "data" / "segments.csv").open() as file:
            rows = list(csv.DictReader(file))
        return [row["length_m"] for row in rows], [row["benefit_percent"] for row in rows]

    usual, shorter, tested = lengths(), lengths("--segment-m", "500"), lengths("--test-fires", "70")
    assert usual[0] != shorter[0]
    assert usual[0] == tested[0]
    assert usual[1] != tested[1]


@pytest.mark.parametrize(("typed", "message"), [*WRONG, *(case[1:] for case in REFUSED)])
def test_options_are_refused_before_the_map_is_read(
        typed: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    def late(*arguments: object, **named: object) -> None:
        raise AssertionError("too late")

    if "HOST:PORT" in message:  # without Ray its absence is said first
        pytest.importorskip("ray")
    for name in ("read", "tiled_scene", "scene"):
        monkeypatch.setattr(SceneOptions, name, late)
    assert main(["plan", LAND, *typed, "--out", str(tmp_path / "none")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "none").exists()


def test_no_option_is_without_effect_on_a_plan_by_windows() -> None:
    """One that is new is heeded, or refused in a sentence: say which."""
    options = {field.name for kind in (PlanArguments, PlaceOptions, WindowOptions)
               for field in fields(kind)}
    assert options == {*BESIDE, *(name for name, *_ in [*CHANGED, *REFUSED, *WHOLE])}


@pytest.fixture
def drawn_road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A map with a reference system, and a road across it."""
    monkeypatch.chdir(tmp_path)
    land = generate(5, 32, cell_size_m=30.0)
    west, north = 500_000.0, 5_000_000.0
    write_landscape("land.tif", replace(land, crs=CRS.from_epsg(32611).to_wkt(), transform=(
        30.0, 0.0, west, 0.0, -30.0, north)))
    Path("road.geojson").write_text(json.dumps({
        "type": "LineString", "crs": {"type": "name", "properties": {"name": "EPSG:32611"}},
        "coordinates": [[west + 30.0, north - 500.0], [west + 900.0, north - 500.0]]}))


@pytest.mark.slow
@pytest.mark.usefixtures("drawn_road", "no_simulation_pictures")
@pytest.mark.parametrize(("option", "without", "asked", "file"), WHOLE,
                         ids=[f"{one[0]}-{one[3]}" for one in WHOLE])
def test_plans_by_windows_are_judged_as_plans_at_once(
        option: str, without: dict[str, Any], asked: dict[str, Any], file: str,
        capsys: pytest.CaptureFixture[str]) -> None:
    """Each option changes what it should, and Python does the same, to the bit."""
    few = {"method": "strips", "plan_fires": 16, "test_fires": 24, "burning_hours": 3,
           "scenarios": 2, "threads": 1, "seed": 3, "window_cells": 16}

    def told(out: str) -> dict[str, str]:
        by_year = "burn less per year" in Path(out, "report.html").read_text()
        return {**hashes(Path(out)), "report.html": f"{by_year}"}

    def files(options: dict[str, Any], out: str) -> dict[str, str]:
        assert main(["plan", "land.tif", *typed({**few, **options}), "--out", out]) == 0
        assert "Traceback" not in capsys.readouterr().err
        return told(out)

    plain, other = files(without, "without"), files(asked, "typed")
    assert file in {*plain, *other}
    assert plain.get(file) != other.get(file), option
    record = json.loads(Path("typed/plan.json").read_text())
    assert record["method"] not in ("dqn", "strips") or record["notes"]["windows"] >= 4
    firebreak.plan("land.tif", **{**few, **asked}).save("called")
    assert told("called") == other


@pytest.mark.usefixtures("drawn_road")
def test_lines_are_offered_beside_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The methods that choose among them plan on the whole map; windows place their own."""
    def chosen(*_: object, rules: PlanRules, makers: dict[str, object], **more: object) -> None:
        assert rules.lines is not None
        assert list(makers) == ["dqn", "segments"]
        raise InputError("enough")

    monkeypatch.setattr("firebreak.api.plans.making.plan_by_choice", chosen)
    with pytest.raises(InputError, match="enough"):
        firebreak.plan("land.tif", lines="road.geojson", plan_fires=8, scenarios=2,
                       window_cells=16, threads=1)


@pytest.mark.slow
def test_a_plan_that_was_stopped_goes_on_to_the_same_plan(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    """Stopped at the third window, and at a rating, it makes no window and few ratings again."""
    calls: dict[str, int] = {}

    def made(out: Path, **stop_at: int) -> int:
        calls.update(propose=0, rate=0)
        with monkeypatch.context() as patch:
            for name in calls:
                original = getattr(RegionWorker, name)

                @wraps(original)
                def call(self: RegionWorker, *arguments: object, name: str = name,
                         original: Callable[..., object] = original) -> object:
                    calls[name] += 1
                    if calls[name] == stop_at.get(name):
                        raise KeyboardInterrupt
                    return original(self, *arguments)

                patch.setattr(RegionWorker, name, call)
            return plan("--window-cells", "32", "--report", "none", out=out)

    assert made(tmp_path / "whole") == 0
    whole = dict(calls)
    out = tmp_path / "stopped"
    assert made(out, propose=3) == 130
    assert f"the same command with --out {out} goes on" in capsys.readouterr().err
    assert made(out, rate=whole["rate"] - 2) == 130
    assert calls["propose"] == 2
    assert plan("--window-cells", "16", out=out) == 2
    assert "expected the unfinished plan of this command" in capsys.readouterr().err
    assert made(out) == 0
    assert "lines of 4 windows" in capsys.readouterr().err
    assert calls["propose"] == 0
    assert 3 <= calls["rate"] < whole["rate"] // 4  # the round that was under way, and later ones
    assert (ranks(out) == ranks(tmp_path / "whole")).all()
    assert not (out / "unfinished").exists()


@pytest.mark.slow
def test_a_stopped_plan_goes_on_where_less_memory_is_free(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    """Fires lie in other shards then, so that the answers of the first ones say nothing. A refusal
    leaves what is kept.
    """
    def made(out: Path) -> int:
        return plan("--window-cells", "32", "--report", "none", out=out)

    assert made(tmp_path / "whole") == 0
    out, rated = tmp_path / "stopped", RegionWorker.rate
    left = iter(range(12))

    @wraps(rated)
    def stops(self: RegionWorker, *arguments: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return rated(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(RegionWorker, "rate", stops)
        assert made(out) == 130
    assert list((out / "unfinished").glob("answers-*"))
    with monkeypatch.context() as patch:
        for name in ("planning.windows.memory", "free_memory"):
            patch.setattr(f"firebreak.{name}.free_bytes", lambda: 4 * 10**6)
        assert made(out) == 2
        assert "a plan by windows" in capsys.readouterr().err
    kept = sorted(path.name for path in (out / "unfinished").iterdir())
    assert len([name for name in kept if name.startswith("window-")]) == 4
    monkeypatch.setattr("firebreak.planning.windows.make.fitting_shards",
                        lambda region, boxes, *_: shards_of(boxes, region.fires.scenario, 3, 2))
    capsys.readouterr()
    assert made(out) == 0
    assert "lines of 4 windows" in capsys.readouterr().err
    assert (ranks(out) == ranks(tmp_path / "whole")).all()
    assert not (out / "unfinished").exists()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["api.plans.by_windows.write_plan",
                                   "api.plans.by_windows.PlanByWindows.judged"])
def test_a_plan_is_not_made_again_where_its_files_or_its_test_failed(
        place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    """As on a full disk: all that was computed is kept until the last file is written."""
    def fails(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "plan.tif")

    def asked(*arguments: object) -> None:
        raise AssertionError("it is known")

    options = ("--window-cells", "32", "--report", "none")
    out = tmp_path / "full"
    with monkeypatch.context() as patch:
        patch.setattr(f"firebreak.{place}", fails)
        assert plan(*options, out=out) != 0
    assert f"the same command with --out {out} goes on" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        for name in ("propose", "rate", "lost", "losses"):
            patch.setattr(RegionWorker, name, asked)
        assert plan(*options, out=out) == 0
    assert "lines of 4 windows" in capsys.readouterr().err
    assert not (out / "unfinished").exists()
    assert plan(*options, out=tmp_path / "whole") == 0
    assert (ranks(out) == ranks(tmp_path / "whole")).all()


@pytest.mark.slow
def test_a_brief_report_tells_what_is_saved_and_lists_segments(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = tmp_path / "network"
    assert plan("--window-cells", "32", "--report", "none", out=network) == 0
    assert not list(network.glob("*.html")) + list(network.glob("segments*"))
    capsys.readouterr()
    assert plan("--window-cells", "32", "--budget", "0.02", "--existing", str(network), "--json",
                out=tmp_path / "plan") == 0
    found = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert found["existing"]["reduction"] > found["reduction"] > 0.0
    with (tmp_path / "plan" / "data" / "segments.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["cells"]) for row in rows) == found["n_cells"]
    assert sum(float(row["benefit_percent"]) for row in rows) == pytest.approx(
        100.0 * found["reduction"], abs=0.01)
    page = (tmp_path / "plan" / "report.html").read_text()
    assert f"{found['reduction']:.1%}" in page
    assert f"{found['promised']:.1%}" in page
    assert f"{found['existing']['reduction']:.1%}" in page


@pytest.mark.slow
def test_what_must_be_included_is_in_the_plan(tmp_path: Path) -> None:
    assert plan("--window-cells", "32", "--report", "none", out=tmp_path / "some") == 0
    land = read_landscape(LAND)
    free = land.treatable & (ranks(tmp_path / "some") <= 0)
    wanted = np.zeros(land.shape, np.uint8)
    wanted.ravel()[np.flatnonzero(free)[100:106]] = 1
    write_geotiff(tmp_path / "wanted.tif", {"wanted": wanted}, land, nodata=255, dtype=np.uint8)
    assert plan("--window-cells", "32", "--report", "none", "--must-include",
                str(tmp_path / "wanted.tif"), out=tmp_path / "plan") == 0
    assert (ranks(tmp_path / "plan")[wanted == 1] > 0).all()


def some_wanted(folder: Path, name: str = LAND) -> str:
    """A file of six cells that must be included."""
    land = read_landscape(name)
    wanted = np.zeros(land.shape, np.uint8)
    wanted.ravel()[np.flatnonzero(land.treatable)[100:106]] = 1
    return str(write_geotiff(folder / "wanted.tif", {"wanted": wanted}, land, nodata=255,
                             dtype=np.uint8))


@pytest.mark.parametrize(("land", "options", "message"), [
    (LAND, ["--window-cells", "32", "--method", "dqn-lookahead", "--policy", str(CELLS)],
     "expected a policy that places lines, got a policy that places single cells"),
    ("synthetic:5:290", ["--window-cells", "290", "--method", "dqn"],
     "--window-cells: expected windows of at most 65,536 treatable cells"),
    ("synthetic:5:290", ["--window-cells", "290", "--method", "dqn-search"],
     "--window-cells: expected windows of at most 65,536 treatable cells")])
def test_a_policy_or_window_that_the_method_does_not_take_is_refused_before_fires_are_drawn(
        land: str, options: list[str], message: str, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(SceneOptions, "tiled_scene", None)
    for more in ([], ["--must-include", some_wanted(tmp_path, land)]):
        assert main(["plan", land, *options, *more, "--out", str(tmp_path / "none")]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
        assert not (tmp_path / "none").exists()


def test_no_plan_is_made_of_included_cells_alone_where_every_window_refuses(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    def propose(*arguments: object) -> Proposal:
        return Proposal([], 0.0, "here: expected less, got more; try again")

    monkeypatch.setattr(RegionWorker, "propose", propose)
    assert plan("--window-cells", "32", "--report", "none", "--must-include",
                some_wanted(tmp_path), out=tmp_path / "plan") == 2
    assert "here: expected less, got more; try again" in capsys.readouterr().err
    assert not (tmp_path / "plan").exists()


def test_a_plan_by_windows_names_no_policy_that_it_did_not_follow(
        monkeypatch: pytest.MonkeyPatch) -> None:
    scene = SceneOptions().tiled_scene(read_landscape("synthetic:3:20"), "synthetic:3:20")
    policy = untrained()

    def followed(method: str) -> Any:
        return make_region(scene, 0.05, method, seed=0, policy=policy, plan_fires=4).policy

    assert followed("dqn") is policy
    assert followed("strips") is followed("segments") is None


def test_a_budget_below_what_must_be_included_is_refused_before_a_window_is_planned(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    land = read_landscape(LAND)
    wanted = land.treatable.astype(np.uint8)
    write_geotiff(tmp_path / "wanted.tif", {"wanted": wanted}, land, nodata=255, dtype=np.uint8)
    monkeypatch.setattr(RegionWorker, "propose", None)
    assert plan("--window-cells", "32", "--must-include", str(tmp_path / "wanted.tif"),
                out=tmp_path / "plan") == 2
    assert "expected a budget that pays for what must be included" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--plan-fires", "--test-fires"])
def test_countless_fires_are_refused_before_any_is_drawn(
        option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(RegionWorker, "propose", None)
    assert plan("--window-cells", "32", option, "1" + 12 * "0", out=tmp_path / "plan") == 2
    error = capsys.readouterr().err
    assert "of free memory" in error
    assert f"ask for fewer with {option}" in error
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize(("options", "fires"), [
    ([], 270), (["--plan-fires", "256"], 256), (["--plan-fires=30"], 30)])
def test_plan_fires_follow_from_the_budget_unless_they_are_named(
        options: list[str], fires: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    def stop(region: object, *_: object, **__: object) -> None:
        found.append(region.fires.source.size)  # type: ignore[attr-defined]
        raise InputError("enough")

    monkeypatch.setattr("firebreak.api.plans.by_windows.plan_by_windows", stop)
    monkeypatch.setattr("firebreak.planning.windows.make.FEWEST_FIRES", 100)
    assert main(["plan", LAND, "--budget", "0.6", "--burned-share", "0.03", "--scenarios", "1",
                 "--method", "downstream-value",
                 "--window-cells", "32", *options, "--out", str(tmp_path / "none")]) == 2
    assert found == [fires]


@pytest.mark.slow
def test_a_plan_that_was_killed_goes_on_to_the_same_plan(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SIGKILL leaves no time to write: what was kept by then counts."""
    options = ("--window-cells", "32", "--plan-fires", "96", "--report", "none")
    out = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-m", "firebreak", "plan", LAND, *SMALL, *options, "--out", str(out)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list((out / "unfinished").glob("answers-*")):
        assert process.poll() is None, "the plan was finished before it could be killed"
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert plan(*options, out=out) == 0
    assert "goes on with what is kept" in capsys.readouterr().err
    assert plan(*options, out=tmp_path / "whole") == 0
    assert (ranks(out) == ranks(tmp_path / "whole")).all()
    assert not (out / "unfinished").exists()


def test_given_plans_are_judged_where_a_scene_does_not_fit_the_memory(
        tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    """Weather by weather, with the same numbers; methods that plan are refused there."""
    land, out = "synthetic:5:40", str(tmp_path / "plan")
    small = ["--plan-fires", "12", "--test-fires", "30", "--threads", "1", "--json"]
    assert main(["plan", land, *small, "--method", "downstream-value", "--report", "none",
                 "--out", out]) == 0
    judge = ["evaluate", land, "--plan", out, f"--plan={out}", *small]
    capsys.readouterr()
    assert main([*judge, "--methods", "none"]) == 0
    whole = untimed(capsys.readouterr().out)
    assert [row["method"] for row in whole["rows"]] == ["none", out, f"{out}-2"]
    wide = WideScenes(monkeypatch)
    rows = 8 * 200 * 40 * 40  # bytes, what a scene's travel times take
    for module in ("firebreak.free_memory", "firebreak.planning.core.fire_counts"):
        monkeypatch.setattr(f"{module}.free_bytes", lambda: rows)
    assert main([*judge, "--methods", "none"]) == 0
    assert untimed(capsys.readouterr().out) == whole
    assert wide.made == 1
    assert main([*judge, "--methods", "none,random"]) == 2
    assert "of free memory" in capsys.readouterr().err


def untimed(out: str) -> dict[str, Any]:
    """The last line without the seconds that plans took, which the plan of nothing takes too."""
    found = json.loads(out.splitlines()[-1])
    for row in [*found["rows"], *found["methods"].values()]:
        del row["seconds"]
    return found


class WideScenes:
    """Counts those that are made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = 0
        original = SceneOptions.tiled_scene

        def counted(*arguments: Any) -> Any:
            self.made += 1
            return original(*arguments)

        monkeypatch.setattr(SceneOptions, "tiled_scene", counted)
