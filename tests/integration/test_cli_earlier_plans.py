"""`firebreak plan` into a folder that holds an earlier plan."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from firebreak import plan
from firebreak.api.plans.at_once import PlanAtOnce
from firebreak.cli import main
from firebreak.planning.output.earlier import FILES_FILE, PLAN_FILES

pytestmark = pytest.mark.usefixtures("small_pictures")
FEW = ["--method", "downstream-value", "--plan-fires", "12", "--test-fires", "24", "--scenarios",
       "2", "--threads", "1", "--quiet"]
NONE = ["--report", "none"]
WANTS_MORE = {"plan.gpkg", *(f"data/{name}" for name in (
    "crews.png", "segments.geojson", "segments.qml", "fire.mp4", "changes.csv",
    "alternatives.csv"))}
"""Files that need corridors, crews, pyogrio, a reference system, ffmpeg or --improve."""


def planned(*options: str, out: Path) -> set[str]:
    """The names of the files in the folder of a plan."""
    assert main(["plan", "synthetic:3:20", *FEW, *options, "--out", str(out)]) == 0
    return names_in(out)


def names_in(out: Path) -> set[str]:
    return {path.relative_to(out).as_posix() for path in out.rglob("*")} - {"data"}


@pytest.mark.slow
def test_all_files_of_a_plan_are_known_for_a_plans(tmp_path: Path) -> None:
    """One that is new belongs into the list: else it stays beside the next plan."""
    years = ("--treatment", "bare-line", "--horizon", "2", "--budget", "0.1")
    full = planned(*years, out=tmp_path / "full")
    brief = planned("--report", "brief", out=tmp_path / "brief")
    drawn = planned("--test-fires", "0", out=tmp_path / "drawn")
    doubted = planned("--budget", "0.1", "--report", "full", out=tmp_path / "doubted")
    windows = planned("--window-cells", "16", "--report", "brief", out=tmp_path / "windows")
    written = full | brief | drawn | doubted | windows
    assert written - PLAN_FILES == set()
    listed = json.loads((tmp_path / "full" / FILES_FILE).read_text())["files"]
    assert {*listed, FILES_FILE} == full
    assert PLAN_FILES - written <= WANTS_MORE


@pytest.mark.slow
@pytest.mark.parametrize("second", [[*NONE, "--budget", "0.03"],
                                    [*NONE, "--window-cells", "16"],
                                    ["--test-fires", "0", *NONE, "--method", "strips"]])
def test_nothing_of_an_earlier_plan_stays_and_all_of_a_user_does(
        second: list[str], tmp_path: Path) -> None:
    out = tmp_path / "plan"
    assert "data/segments.tif" in planned("--budget", "0.1", out=out)
    own = {"notes.txt", "report-old.html", "window.png"}
    for name in own:
        (out / name).write_text("mine")
    (out / "data" / "years.csv").mkdir()  # a folder is no file of a plan
    assert planned(*second, out=out) == planned(*second, out=tmp_path / "new") | own | {
        "data/years.csv"}


@pytest.mark.slow
def test_what_the_next_plan_is_made_from_stays(tmp_path: Path) -> None:
    """It is read again when the plan is shown."""
    out = tmp_path / "plan"
    planned("--budget", "0.1", out=out)
    files = planned(*NONE, "--must-exclude", str(out / "data" / "segments.tif"), "--value",
                    str(out / "data" / "burn_probability_after.tif"), out=out)
    assert {"data/segments.tif", "data/burn_probability_after.tif"} <= files
    assert "report.html" not in files


def test_rasters_of_a_file_of_layers_stay(tmp_path: Path) -> None:
    planned(out=tmp_path)
    layers = tmp_path / "layers.toml"
    layers.write_text('[[layer]]\nraster = "data/burn_probability_before.tif"\n')
    files = planned(*NONE, "--layers", str(layers), out=tmp_path)
    assert "data/burn_probability_before.tif" in files
    assert "data/burn_probability_after.tif" not in files


@pytest.mark.parametrize("later", ["[[layer]\n", '[[layer]]\nraster = "other.tif"\n'])
def test_rasters_stay_where_the_file_of_layers_is_edited_for_the_next_plan_meanwhile(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: str) -> None:
    planned(out=tmp_path)
    layers = tmp_path / "layers.toml"
    layers.write_text('[[layer]]\nraster = "data/burn_probability_before.tif"\n')
    write = PlanAtOnce.write_plan

    def edited(*args: Any) -> list[Path]:
        layers.write_text(later)
        return write(*args)

    monkeypatch.setattr(PlanAtOnce, "write_plan", edited)
    assert "data/burn_probability_before.tif" in planned(*NONE, "--layers", str(layers),
                                                         out=tmp_path)


def test_a_refused_plan_leaves_the_earlier_one_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "plan"
    before = planned(*NONE, out=out)
    assert main(["plan", "synthetic:3:20", *FEW, "--shortest-m", "90000", "--out", str(out)]) == 2
    assert names_in(out) == before


def test_a_plan_that_python_saves_replaces_an_earlier_one(tmp_path: Path) -> None:
    planned("--budget", "0.1", out=tmp_path)
    made = plan("synthetic:3:20", method="strips", plan_fires=12, test_fires=0, scenarios=2,
                threads=1, report="none")
    assert {path.relative_to(tmp_path).as_posix() for path in made.save(tmp_path)} == names_in(
        tmp_path)


def test_a_plan_that_cannot_be_written_leaves_every_file_of_the_earlier_one(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old or new, but there."""
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "plan"
    before = planned("--budget", "0.1", out=out)
    monkeypatch.setattr(PlanAtOnce, "write_plan", full)
    assert main(["plan", "synthetic:3:20", *FEW, *NONE, "--out", str(out)]) == 3
    assert names_in(out) == before


def test_files_of_a_user_beside_no_plan_stay(tmp_path: Path) -> None:
    """Though a plan's files may have their names."""
    (tmp_path / "weather.csv").write_text("mine")
    assert "weather.csv" in planned(*NONE, out=tmp_path)
    assert (tmp_path / "weather.csv").read_text() == "mine"


@pytest.mark.filterwarnings("ignore:.*may be of an earlier plan")
def test_files_of_a_user_stay_beside_the_plan_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}")
    own = {name: name for name in ("weather.csv", "treatments.csv", "report.html")}
    for name in own:
        (tmp_path / name).write_text(name)
    planned(*NONE, out=tmp_path)
    planned(*NONE, out=tmp_path)
    assert {name: (tmp_path / name).read_text() for name in own} == own


def test_files_of_a_user_stay_at_the_second_plan_too(tmp_path: Path) -> None:
    own = {name: name for name in ("weather.csv", "years.csv", "schedule.csv", "landscape.png")}
    for name in own:
        (tmp_path / name).write_text(name)
    for _ in range(2):
        planned(*NONE, out=tmp_path)
    assert {name: (tmp_path / name).read_text() for name in own} == own


@pytest.mark.filterwarnings("ignore:.*may be of an earlier plan")
@pytest.mark.parametrize("name", ["", "..", "a" * 300])
def test_a_forged_list_costs_no_plan(tmp_path: Path, name: str) -> None:
    planned(*NONE, out=tmp_path)
    (tmp_path / FILES_FILE).write_text(json.dumps({"schema": 1, "files": {name: "0"}}))
    assert "data/plan.csv" in planned(*NONE, out=tmp_path)
    assert name not in json.loads((tmp_path / FILES_FILE).read_text())["files"]


def test_a_folder_in_place_of_the_list_is_refused_before_the_work(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / FILES_FILE).mkdir()
    assert main(["plan", "synthetic:1:16", *FEW, *NONE, "--out", str(tmp_path)]) == 2
    assert "plan_files.json" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [FILES_FILE]


BRIEF = ["--report", "brief"]


def stopped(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_files_of_a_plan_that_failed_midway_are_removed_by_the_next(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "plan"
    alone = planned(*NONE, out=out)
    with monkeypatch.context() as broken:
        broken.setattr("firebreak.api.plans.run.take_place_of_earlier", stopped)
        assert main(["plan", "synthetic:3:20", *FEW, *BRIEF, "--out", str(out)]) == 3
    assert (out / "report.html").exists()
    assert planned(*NONE, out=out) == alone


def test_a_plan_stopped_before_it_clears_the_folder_is_cleared_by_the_next(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "plan"
    planned(*BRIEF, out=out)
    alone = planned(*NONE, out=tmp_path / "new")
    with monkeypatch.context() as broken:
        broken.setattr("firebreak.planning.output.earlier.remove_earlier", stopped)
        assert main(["plan", "synthetic:3:20", *FEW, *NONE, "--out", str(out)]) == 3
    (out / "data" / "segments.csv").write_text("changed since")
    assert planned(*NONE, out=out) == alone | {"data/segments.csv"}


@pytest.mark.filterwarnings("default:.*changed or went while")
def test_of_two_plans_at_once_the_one_that_ends_last_stays_and_the_user_is_told(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    """Where folders cannot be locked, so that the second one is not refused."""
    from firebreak.api.plans.run import take_place_of_earlier

    def unlocked(*_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    def late(*args: Any) -> Path:
        """The other plan is written as a whole before the first one ends."""
        monkeypatch.undo()
        planned(*BRIEF, out=out)
        return take_place_of_earlier(*args)

    out = tmp_path / "plan"
    monkeypatch.setattr("firebreak.api.plans.run.take_place_of_earlier", late)
    monkeypatch.setattr("fcntl.flock", unlocked)
    files = planned(*NONE, out=out)
    assert "plan.json changed or went while the plan was written" in capsys.readouterr().err
    assert files == planned(*NONE, out=tmp_path / "new")
    assert {*json.loads((out / FILES_FILE).read_text())["files"], FILES_FILE} == files
