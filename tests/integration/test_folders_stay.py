"""What a folder holds that is read stays as it is, and words are no files."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

import firebreak
from firebreak.api.shared.fire_maps import FILES
from firebreak.cli import main
from firebreak.cli.shared import common
from firebreak.landscape.names import PLANNED
from firebreak.planning.output.earlier import PLAN_FILES

pytestmark = [pytest.mark.usefixtures("small_pictures"),
              pytest.mark.filterwarnings("ignore:.*no coordinate reference system")]
FEW = ["--method", "strips", "--cells", "--plan-fires", "12", "--test-fires", "0", "--threads", "1",
       "--quiet"]
BURN = ["--fires", "5", "--threads", "1", "--quiet"]
NAMES = ("elevation", "slope", "aspect", "fuels", "cover", "height", "base", "bulk")
KEPT: dict[str, Any] = {"method": "strips", "cells": True, "plan_fires": 12, "test_fires": 0,
                        "threads": 1, "report": "none"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a landscape."""
    monkeypatch.chdir(tmp_path)
    assert main(["landscape", "generate", "land.tif", "--seed", "3", "--size", "20"]) == 0
    return tmp_path


@pytest.fixture
def layers(place: Path) -> Path:
    """The landscape as a folder with a raster for each layer, and the .prj of one."""
    folder = place / "layers"
    folder.mkdir()
    with rasterio.open("land.tif") as whole:
        for band, name in enumerate(NAMES, start=1):
            with rasterio.open(folder / f"{name}.tif", "w", **whole.profile | {"count": 1}) as one:
                one.write(whole.read(band), 1)
    (folder / "fuels.prj").write_text("as it was")
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(place: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> str:
    """What is said where a command is refused, which leaves all as it was."""
    before = contents(place)
    capsys.readouterr()
    assert main(command) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert contents(place) == before
    return said


@pytest.mark.slow
@pytest.mark.parametrize(("word", "options"), [
    ("grazing", ["--treatment", "grazing"]), ("cruz", ["--crown", "cruz"]),
    ("none", ["--crown", "none"]), ("strips", []), ("hard", []), ("front", []),
    ("houses", ["--value", "land.tif", "--value-unit", "houses"])])
def test_the_word_of_an_option_is_no_file(place: Path, word: str, options: list[str]) -> None:
    for _ in range(2):
        assert main(["plan", "land.tif", *FEW, *options, "--out", word]) == 0


@pytest.mark.slow
def test_the_word_of_a_file_of_options_is_no_folder(place: Path) -> None:
    (place / "own.toml").write_text('[breaks]\ntreatment = "grazing"\n')
    for _ in range(2):
        assert main(["plan", "land.tif", *FEW, "--config", "own.toml", "--out", "grazing"]) == 0


@pytest.mark.slow
def test_a_save_goes_into_a_folder_of_any_name(place: Path) -> None:
    made = firebreak.plan("land.tif", **KEPT)
    for name in ("hard", "front", "derived"):
        for _ in range(2):
            made.save(name)


@pytest.mark.parametrize("name", ["plan.csv", "plan.json", "report.html"])
def test_the_files_of_a_plan_that_is_shown_stay(
        place: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["plan", "land.tif", *FEW, "--out", "old"]) == 0
    (place / "old" / "report.html").write_text("the report")
    assert name in refused(place, capsys, ["visualize", "old", "--export", f"old/{name}"])


@pytest.mark.slow
def test_a_page_is_written_into_the_folder_of_its_plan_again(place: Path) -> None:
    assert main(["plan", "land.tif", *FEW, "--out", "old"]) == 0
    for _ in range(2):
        assert main(["visualize", "old", "--export", "old/page.html", "--quiet"]) == 0


def test_an_explorer_is_a_page(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(place, capsys, ["visualize", "land.tif", "--export", "land.tif"])
    assert "a file that ends in .html" in said


def test_the_layers_of_a_folder_stay(
        place: Path, layers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["convert", "layers", "--out", "layers/elevation.tif"],
                    ["convert", "layers", "--to", "lcp", "--out", "layers/fuels.lcp"],
                    ["lines", "layers", "--out", "layers/fuels.tif"]):
        refused(place, capsys, ["landscape", *command])
    before = contents(layers)
    for _ in range(2):
        assert main(["landscape", "info", "layers", "--out", "layers"]) == 0
    assert before.items() <= contents(layers).items()


def test_what_lies_beside_shapes_stays(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("shp", "shx", "dbf", "prj"):
        (place / f"roads.{ending}").write_text("as it was")
    assert "roads.prj" in refused(place, capsys, [
        "landscape", "convert", "land.tif", "--barriers", "roads.shp", "--to", "lcp", "--out",
        "roads.lcp"])


@pytest.mark.parametrize("plan", ["old", "old/data/plan.csv", "old/data/plan.tif", None])
def test_no_fires_are_written_into_a_plan(
        place: Path, capsys: pytest.CaptureFixture[str], plan: str | None) -> None:
    assert main(["plan", "land.tif", *FEW, "--out", "old"]) == 0
    said = refused(place, capsys, ["simulate", "land.tif", *BURN, "--out", "old",
                                   *([] if plan is None else ["--plan", plan])])
    assert "choose another" in said


@pytest.mark.slow
def test_no_fires_are_saved_into_a_plan(place: Path) -> None:
    firebreak.plan("land.tif", **KEPT).save("old")
    before = contents(place)
    given: list[dict[str, Any]] = [{"plan": "old"}, {}]
    for options in given:
        with pytest.raises(firebreak.InputError, match="choose another"):
            firebreak.simulate("land.tif", fires=5, threads=1, **options).save("old")
    assert contents(place) == before


@pytest.mark.parametrize("command", [
    ["landscape", "info", "loop"], ["simulate", "loop", *BURN, "--out", "fires"],
    ["plan", "loop", *FEW, "--out", "old"], ["plan", "land.tif", *FEW, "--out", "loop"],
    ["simulate", "land.tif", "--value", "loop", *BURN, "--out", "fires"],
    ["visualize", "loop", "loop", "--quiet"], ["train", "--resume", "loop", "--out", "loop"]])
def test_a_link_to_itself_is_told(
        place: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    os.symlink("loop", "loop")
    said = refused(place, capsys, command)
    assert said.startswith("firebreak: ")


def test_a_file_that_cannot_be_read_leaves_the_others_kept(
        place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "weather.toml").write_text("[")
    assert "is not read" in refused(place, capsys, [
        "landscape", "lines", "land.tif", "--weather", "weather.toml", "--out", "land.tif"])


def test_fires_are_refused_before_any_file(
        place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "fires").mkdir()
    shutil.copy("land.tif", place / "fires" / "flame_length_m.tif")
    said = refused(place, capsys, ["simulate", "fires/flame_length_m.tif", *BURN, "--out", "fires"])
    assert "flame_length_m.tif" in said


def test_fires_are_saved_whole_or_not_at_all(place: Path) -> None:
    (place / "fires").mkdir()
    shutil.copy("land.tif", place / "fires" / "flame_length_m.tif")
    before = contents(place)
    with pytest.raises(firebreak.InputError, match="flame_length_m"):
        firebreak.simulate("fires/flame_length_m.tif", fires=5, threads=1).save("fires")
    assert contents(place) == before


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False])
def test_a_landscape_is_read_beside_what_was_made_of_it(
        place: Path, layers: Path, capsys: pytest.CaptureFixture[str], whole: bool) -> None:
    (place / "work").mkdir()
    for path in [place / "land.tif"] if whole else sorted(layers.iterdir()):
        shutil.copy(path, place / "work")
    land = firebreak.read_landscape("work").checksum()
    before = contents(place / "work")
    full = ["plan", "work", "--method", "strips", "--cells", "--plan-fires", "12", "--test-fires",
            "20", "--threads", "1", "--quiet", "--out", "work"]
    for _ in range(2):
        assert main(full) == 0
        assert firebreak.read_landscape("work").checksum() == land
        assert before.items() <= contents(place / "work").items()
    assert main(["visualize", "work", "--export", "page.html", "--quiet"]) == 0
    assert "have changed" not in capsys.readouterr().err


@pytest.mark.slow
def test_fires_leave_their_landscape_readable(place: Path, layers: Path) -> None:
    land = firebreak.read_landscape("layers").checksum()
    for _ in range(2):
        assert main(["simulate", "layers", *BURN, "--fires-per-ha-year", "0.001", "--out",
                     "layers"]) == 0
        assert firebreak.read_landscape("layers").checksum() == land
    written = {path.name for path in layers.iterdir()} - {f"{name}.tif" for name in NAMES}
    assert written - {"fuels.prj"} <= FILES


@pytest.mark.slow
def test_the_treated_land_of_a_plan_is_read_from_its_folder(place: Path) -> None:
    firebreak.plan("land.tif", value=np.ones((20, 20)), **KEPT).save("old")
    assert firebreak.read_landscape("old").shape == (20, 20)


def test_every_raster_of_a_plan_is_known_as_one() -> None:
    assert {Path(name).name for name in PLAN_FILES if name.endswith(".tif")} == PLANNED


def test_what_is_written_is_no_input(place: Path) -> None:
    @dataclass
    class Options:
        landscape: str = "land.tif"
        kinds: str = "land.tif"
        out: Path = place / "land.tif"

    assert common.inputs_of(Options(), written=common.WRITTEN) == {place.resolve() / "land.tif"}
