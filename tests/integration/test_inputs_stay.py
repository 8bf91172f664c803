"""What results are made from is never written over; what a record names is found again."""

import ast
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import firebreak
from firebreak.cli import main
from firebreak.cli.shared.common import WRITTEN
from pictures import draw_few_pixels

pytestmark = [pytest.mark.usefixtures("small_pictures"),
              pytest.mark.filterwarnings("ignore:.*no coordinate reference system")]
FEW = ["--method", "strips", "--cells", "--plan-fires", "12", "--test-fires", "0", "--threads", "1",
       "--quiet"]
READ = {"barriers", "built", "cases", "config", "cost", "existing", "fire_sizes", "hold_in",
        "ignitions", "improve", "layers", "lines", "must_exclude", "must_include", "observed",
        "plan", "policy", "resume", "roads", "run", "treatable", "treatments", "value", "weather"}
KEPT = {"method": "strips", "cells": True, "plan_fires": 12, "test_fires": 0, "threads": 1,
        "report": "none"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a landscape."""
    monkeypatch.chdir(tmp_path)
    assert main(["landscape", "generate", "land.tif", "--seed", "3", "--size", "20"]) == 0
    return tmp_path


@pytest.fixture(scope="module", name="made")
def folder_with_a_plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A landscape and a plan on it."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        draw_few_pixels(patch)
        patch.chdir(folder)
        assert main(["landscape", "generate", "land.tif", "--seed", "3", "--size", "20"]) == 0
        assert main(["plan", "land.tif", *FEW, "--out", "old"]) == 0
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("again", "named"), [
    (["plan", "old/data/treated_landscape.tif", *FEW, "--out", "old"], "treated_landscape.tif"),
    (["plan", "link/data/treated_landscape.tif", *FEW, "--out", "old"], "treated_landscape.tif"),
    (["plan", "land.tif", *FEW, "--built", "old/data/plan.tif", "--out", "old"], "plan.tif"),
    (["plan", "land.tif", *FEW, "--built", "old/data/plan.tif", "--window-cells", "16", "--out",
      "old"], "plan.tif"),
    (["plan", "land.tif", *FEW, "--must-exclude", "old/data/plan.tif", "--out", "old"], "plan.tif"),
    (["plan", "land.tif", *FEW, "--existing", "old", "--test-fires", "20", "--out", "old"],
     "plan.tif"),
    (["plan", "land.tif", *FEW, "--value", "old/data/burn_probability_after.tif", "--test-fires",
      "20", "--out", "old"], "burn_probability_after.tif"),
    (["simulate", "land.tif", "--fires", "5", "--value", "old/burn_probability.tif", "--out",
      "old", "--threads", "1"], "burn_probability.tif"),
    (["landscape", "info", "old/landscape_fuels.tif", "--out", "old"], "landscape_fuels.tif"),
    (["landscape", "convert", "land.tif", "--cell-size-m", "200", "--out", "land.tif"],
     "land.tif"),
    (["landscape", "convert", "land.tif", "--value", "old/fuel.tif", "--out", "old/fuel.tif"],
     "fuel.tif"),
])
def test_no_command_writes_over_what_it_reads(
        place: Path, made: Path, capsys: pytest.CaptureFixture[str], again: list[str],
        named: str) -> None:
    shutil.copytree(made, place, dirs_exist_ok=True)
    for name in ("data/burn_probability_after.tif", "burn_probability.tif"):
        (place / "old" / name).write_bytes((place / "old" / "data" / "plan.tif").read_bytes())
    for name in ("fuel.tif", "landscape_fuels.tif"):
        (place / "old" / name).write_bytes((place / "land.tif").read_bytes())
    (place / "link").symlink_to("old")
    before = contents(place)
    capsys.readouterr()
    assert main(again) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert named in said
    assert "choose another" in said
    after = contents(place)
    assert {path: after.get(path) for path in before} == before


def test_a_save_does_not_write_over_what_its_plan_was_made_from(place: Path) -> None:
    firebreak.plan("land.tif", **KEPT).save("old")
    made = firebreak.plan("old/data/treated_landscape.tif", **KEPT)
    fires = firebreak.simulate("land.tif", fires=5, built="old/data/plan.tif", threads=1)
    before = contents(place)
    with pytest.raises(firebreak.InputError, match="treated_landscape"):
        made.save("old")
    assert contents(place) == before
    made.save("new")
    (place / "old" / "burn_probability.tif").write_bytes((place / "land.tif").read_bytes())
    with pytest.raises(firebreak.InputError, match="is not read"):
        firebreak.simulate("old/burn_probability.tif", fires=5, threads=1).save("old")
    assert fires.save("fires")


def test_a_plan_in_a_folder_behind_a_link_is_found_again(place: Path) -> None:
    (place / "job").mkdir()
    (place / "far" / "away").mkdir(parents=True)
    (place / "land.tif").rename("job/land.tif")
    (place / "job" / "outputs").symlink_to(place / "far" / "away")
    os.chdir("job")
    assert main(["plan", "land.tif", *FEW, "--out", "outputs/plan"]) == 0
    assert main(["visualize", "outputs/plan", "--export", "page.html", "--quiet"]) == 0


def test_a_plan_is_saved_as_it_was_made_also_from_another_folder(place: Path) -> None:
    (place / "below").mkdir()
    (place / "value.tif").write_bytes((place / "land.tif").read_bytes())
    made = firebreak.plan("land.tif", value="value.tif", **KEPT)
    fires = firebreak.simulate("land.tif", fires=5, threads=1)
    os.chdir("below")
    assert made.save("saved")[0].is_file()
    assert fires.save("fires")[0].is_file()
    assert Path.cwd() == place / "below"
    assert main(["visualize", "saved", "--export", "page.html", "--quiet"]) == 0
    assert not (place / "saved").exists()


def test_the_land_of_an_earlier_plan_is_planned_on_and_saved(
        place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = firebreak.plan("land.tif", treatment="mastication", **KEPT)
    second = firebreak.plan(first.landscape, break_kind="shaded", **KEPT)
    assert second.plan.currency == "USD"
    for _ in range(2):
        second.save("saved")
    assert main(["visualize", "saved", "--export", "page.html", "--quiet"]) == 0
    assert "have changed" not in capsys.readouterr().err


@pytest.mark.parametrize("change", [
    {"aspect_deg": 365.0}, {"slope_tan": -0.0}, {"cell_size_m": 99.0}])
def test_a_landscape_that_grids_do_not_hold_is_refused_at_the_first_save(
        place: Path, change: dict[str, float]) -> None:
    land = firebreak.read_landscape("land.tif")
    odd = replace(land, **{name: np.full(land.shape, value) if name != "cell_size_m" else value
                           for name, value in change.items()})
    made = firebreak.plan(odd, **KEPT)
    with pytest.raises(firebreak.InputError, match="that grids in files hold exactly"):
        made.save("saved")
    assert not (place / "saved").exists()


def test_numbers_of_numpy_say_where_a_landscape_lies(place: Path) -> None:
    land = firebreak.read_landscape("land.tif")
    own = replace(land, transform=tuple(np.array(land.transform)),
                  cell_size_m=np.float32(land.cell_size_m))
    firebreak.plan(own, **KEPT).save(place / "saved")
    assert main(["visualize", "saved", "--export", "page.html", "--quiet"]) == 0


def test_the_land_of_a_plan_by_layers_has_no_unit_of_values_that_it_lacks(place: Path) -> None:
    (place / "layers.toml").write_text('[[layer]]\nraster = "land.tif"\nweight = 3\n')
    made = firebreak.plan("synthetic:3:20", layers="layers.toml", **KEPT)
    assert made.landscape.value_unit is None
    again = firebreak.plan(made.landscape, **KEPT | {"test_fires": 20, "report": "full"})
    assert again.effect is not None
    assert again.effect.loss_unit == "ha"


@pytest.mark.parametrize("record", ["[]", "{", '"text"', "null"])
def test_a_damaged_record_of_a_plan_is_told(
        place: Path, made: Path, capsys: pytest.CaptureFixture[str], record: str) -> None:
    shutil.copytree(made, place, dirs_exist_ok=True)
    (place / "old" / "plan.json").write_text(record)
    assert main(["visualize", "old", "--export", "page.html", "--quiet"]) == 2
    assert "plan.json: expected a plan written by 'firebreak plan'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x.asc", "x", "x/", "x.tif.gz"])
def test_a_geotiff_has_the_name_of_one(
        place: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["landscape", "generate", name]) == 2
    assert main(["landscape", "convert", "land.tif", "--out", name]) == 2
    assert capsys.readouterr().err.count("expected the name of a GeoTIFF") == 2
    assert sorted(path.name for path in place.iterdir()) == ["land.tif"]


@pytest.mark.parametrize("command", ["plan", "simulate"])
def test_a_landscape_that_is_not_there_is_told_where_the_output_has_its_name(
        place: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([command, "none", "--out", "none"]) == 2
    assert "no such path" in capsys.readouterr().err
    assert not (place / "none").exists()


@pytest.mark.slow
def test_no_segment_saves_minus_nothing(place: Path) -> None:
    assert main(["plan", "land.tif", *FEW, "--method", "random", "--test-fires", "20", "--budget",
                 "0.3", "--out", "plan"]) == 0
    assert "-0.0," not in (place / "plan" / "data" / "segments.csv").read_text()
    assert json.loads((place / "plan" / "plan.json").read_text())["method"] == "random"


def test_every_option_that_names_a_file_is_read_or_written() -> None:
    """A new one that is written, and is not in WRITTEN, could not be written twice."""
    source = Path(firebreak.__file__).parent
    named = set()
    for part in ("cli/commands", "cli/shared", "api/shared", "settings"):
        for file in (source / part).rglob("*.py"):
            classes = [node for node in ast.walk(ast.parse(file.read_text()))
                       if isinstance(node, ast.ClassDef)
                       and node.name.endswith(("Arguments", "Options", "Settings", "Breaks"))]
            named |= {node.target.id for one in classes for node in one.body
                      if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
                      and "Path" in ast.unparse(node.annotation)}
    assert named == {*READ, *WRITTEN}


@pytest.mark.slow
@pytest.mark.parametrize("command", [
    ["landscape", "lines", "land.tif", "--out", "lines.geojson",
     "--crs", "EPSG:32611"],
    ["landscape", "convert", "land.tif", "--out", "other.tif"],
    ["visualize", "land.tif", "--method", "strips", "--plan-fires", "12", "--threads", "1",
     "--export", "page.html", "--quiet"],
    ["simulate", "land.tif", "--fires", "5", "--threads", "1", "--out", "fires"]])
def test_a_command_writes_its_own_files_again(command: list[str]) -> None:
    for _ in range(2):
        assert main(command) == 0
