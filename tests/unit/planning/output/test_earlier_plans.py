"""The list of the files of a plan, and what is removed by it."""

import json
from pathlib import Path

import numpy as np
import pytest

from firebreak.landscape.formats.write import write_geotiff
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.output.earlier import (
    FILES_FILE,
    earlier_files,
    is_of_plan,
    remove_earlier,
    write_files_list,
)
from firebreak.planning.output.export import read_build_order, read_years

NAMES = ("plan.json", "segments.csv", "report.html")


def planned(folder: Path, *names: str) -> list[Path]:
    """Files of a plan in a folder."""
    for name in names:
        (folder / name).write_text(f"of a plan: {name}")
    return [folder / name for name in names]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_a_plan_wrote_is_removed_and_all_else_stays(tmp_path: Path) -> None:
    write_files_list(tmp_path, planned(tmp_path, *NAMES))
    planned(tmp_path, "weather.csv", "years.csv", "notes.txt")
    (tmp_path / "segments.csv").write_text("changed since")
    remove_earlier(earlier_files(tmp_path), {tmp_path.resolve() / "plan.json"})
    assert names_in(tmp_path) == {"plan.json", "segments.csv", "weather.csv", "years.csv",
                                  "notes.txt", FILES_FILE}


def test_without_a_list_nothing_is_removed_and_the_user_is_told(tmp_path: Path) -> None:
    planned(tmp_path, *NAMES, "notes.txt")
    with pytest.warns(UserWarning, match=r"report\.html, segments\.csv may be of an earlier plan"):
        remove_earlier(earlier_files(tmp_path), {tmp_path.resolve() / "plan.json"})
    assert names_in(tmp_path) == {*NAMES, "notes.txt"}


def test_a_folder_without_a_plan_holds_no_file_of_one(tmp_path: Path) -> None:
    planned(tmp_path, "weather.csv", "report.html")
    assert earlier_files(tmp_path) == earlier_files(tmp_path / "none") == {}


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"files": []}', '{"files": {"a": 1}}',
                                  '{"files": {"../notes.txt": "0"}}', "\0",
                                  '{"files": {"": "0"}}', '{"files": {"..": "0"}}',
                                  f'{{"files": {{"{"a" * 300}": "0"}}}}'])
def test_a_damaged_list_is_none(tmp_path: Path, text: str) -> None:
    planned(tmp_path, *NAMES)
    (tmp_path / FILES_FILE).write_text(text)
    assert set(earlier_files(tmp_path).values()) == {None}
    assert is_of_plan(tmp_path, "report.html")


def test_the_list_holds_checksums_of_what_was_written(tmp_path: Path) -> None:
    made = write_files_list(tmp_path, planned(tmp_path, *NAMES))
    tree = json.loads(made.read_text())
    assert tree["schema"] == 1
    assert tree["files"].keys() == {*NAMES}
    assert all(len(checksum) == 64 for checksum in tree["files"].values())


def test_files_that_are_not_of_the_plan_are_not_read_as_its(tmp_path: Path) -> None:
    land, cells = generate(1, 12), np.arange(4)
    numbers = np.ones(land.shape, np.int16)
    write_geotiff(tmp_path / "segments.tif", {"build_order": numbers}, land, nodata=-1)
    (tmp_path / "segments.csv").write_text("build_order,year\n1,2027\n")
    assert read_build_order(tmp_path, land, cells) is not None
    assert read_years(tmp_path) == {1: 2027}
    write_files_list(tmp_path, planned(tmp_path, "plan.json"))
    assert read_build_order(tmp_path, land, cells) is None
    assert read_years(tmp_path) == {}
