"""The list of the files of a plan, and what is removed by it."""

import contextlib
import json
import os
import shutil
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.files import write_text
from firebreak.landscape.formats.write import write_geotiff
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.output.earlier import (
    FILES_FILE,
    PLAN_FILES,
    check_list,
    earlier_files,
    end_writing,
    file_of,
    plan_file,
    plan_folder,
    remove_earlier,
    writing_into,
)
from firebreak.planning.output.export import read_build_order, read_names, read_years

NAMES = ("plan.json", "segments.csv", "report.html")
"""As earlier versions had them; the rules hold in data/ too."""


def planned(folder: Path, *names: str) -> list[Path]:
    """Files of a plan in a folder."""
    for name in names:
        (folder / name).write_text(f"of a plan: {name}")
    return [folder / name for name in names]


def listed(folder: Path, *names: str) -> Path:
    """The list of a plan of these files."""
    with writing_into(folder) as writing:
        for name in names:
            write_text(folder / name, f"of a plan: {name}")
        return end_writing(writing, {(folder / name).resolve() for name in (*names, FILES_FILE)})


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_what_a_plan_wrote_is_removed_and_all_else_stays(tmp_path: Path) -> None:
    listed(tmp_path, *NAMES)
    planned(tmp_path, "weather.csv", "years.csv", "notes.txt")
    (tmp_path / "segments.csv").write_text("changed since")
    remove_earlier(tmp_path, earlier_files(tmp_path), {tmp_path.resolve() / "plan.json"})
    assert names_in(tmp_path) == {"plan.json", "segments.csv", "weather.csv", "years.csv",
                                  "notes.txt", FILES_FILE}


def test_without_a_list_nothing_is_removed_and_the_user_is_told(tmp_path: Path) -> None:
    planned(tmp_path, *NAMES, "notes.txt")
    with pytest.warns(UserWarning, match=r"report\.html, segments\.csv may be of an earlier plan"):
        remove_earlier(tmp_path, earlier_files(tmp_path), {tmp_path.resolve() / "plan.json"})
    assert names_in(tmp_path) == {*NAMES, "notes.txt"}


def test_a_folder_without_a_plan_holds_no_file_of_one(tmp_path: Path) -> None:
    planned(tmp_path, "weather.csv", "report.html")
    assert earlier_files(tmp_path) == earlier_files(tmp_path / "none") == {}


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"files": []}', '{"files": {"a": 1}}',
                                  '{"files": {"../notes.txt": "0"}}', "\0",
                                  '{"files": {}, "unfinished": {"..": ["0"]}}',
                                  '{"files": {}, "unfinished": {"report.html": "0"}}',
                                  '{"files": {}, "unfinished": {"report.html": [0]}}',
                                  '{"files": {"": "0"}}', '{"files": {"data/../a": "0"}}',
                                  '{"files": {"data/": "0"}}', '{"files": {"more/a": "0"}}',
                                  '{"files": {"..": "0"}}',
                                  f'{{"files": {{"{"a" * 300}": "0"}}}}'])
def test_a_damaged_list_is_none(tmp_path: Path, text: str) -> None:
    planned(tmp_path, *NAMES)
    (tmp_path / FILES_FILE).write_text(text)
    assert set(earlier_files(tmp_path).values()) == {frozenset()}
    assert file_of(tmp_path, "report.html")


def test_the_list_holds_checksums_of_what_was_written(tmp_path: Path) -> None:
    made = listed(tmp_path, *NAMES)
    tree = json.loads(made.read_text())
    assert tree["schema"] == 1
    assert tree["files"].keys() == {*NAMES}
    assert all(len(checksum) == 64 for checksum in tree["files"].values())


def test_files_that_are_not_of_the_plan_are_not_read_as_its(tmp_path: Path) -> None:
    land, cells = generate(1, 12), np.arange(4)
    numbers = np.ones(land.shape, np.int16)
    write_geotiff(tmp_path / "segments.tif", {"build_order": numbers}, land, nodata=-1)
    (tmp_path / "segments.csv").write_text("build_order,year,name\n1,2027,north ridge 1\n")
    assert read_build_order(tmp_path, land, cells) is not None
    assert read_years(tmp_path) == {1: 2027}
    assert read_names(tmp_path) == {1: "north ridge 1"}
    listed(tmp_path, "plan.json")
    assert read_build_order(tmp_path, land, cells) is None
    assert read_years(tmp_path) == {}


def test_data_is_read_before_what_an_earlier_version_left(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for folder, year in (("", 2027), ("data", 2031)):
        (tmp_path / folder / "segments.csv").write_text(f"build_order,year\n1,{year}\n")
    assert read_years(tmp_path) == {1: 2031}
    for folder in ("", "data"):
        (tmp_path / folder / "plan.csv").write_text("row,col\n0,0\n")
    assert plan_file(tmp_path) == tmp_path / "data" / "plan.csv"
    assert plan_file(tmp_path / "data") == tmp_path / "data" / "plan.csv"
    with writing_into(tmp_path) as writing:  # by a version that knows no data
        write_text(tmp_path / "plan.csv", "row,col\n0,0\n")
        end_writing(writing, {(tmp_path / "plan.csv").resolve()})
    assert plan_file(tmp_path) == tmp_path / "plan.csv"


@pytest.mark.parametrize(("named", "found"), [
    ("", ""), ("plan.json", ""), ("data", ""), ("data/plan.csv", ""), ("other.csv", "")])
def test_a_plan_s_folder_is_found_from_its_files(tmp_path: Path, named: str, found: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "plan.csv").touch()
    assert plan_folder(tmp_path / named) == tmp_path / found
    (tmp_path / "data" / "plan.json").touch()  # a user's folder of this name, with a plan
    assert plan_folder(tmp_path / "data" / "plan.csv") == tmp_path / "data"


def test_a_name_that_is_taken_by_another_kind_is_refused(tmp_path: Path) -> None:
    check_list(tmp_path)
    (tmp_path / "data").write_text("a file")
    with pytest.raises(InputError, match=r"data: expected a folder, or nothing there, got a file"):
        check_list(tmp_path)
    (tmp_path / "data").unlink()
    (tmp_path / FILES_FILE).mkdir()
    with pytest.raises(InputError, match=r"expected a file, or nothing there, got a folder"):
        check_list(tmp_path)


@pytest.mark.parametrize("name", sorted(PLAN_FILES - {FILES_FILE}))
def test_files_that_no_plan_wrote_are_not_written_over(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("a user's")
    with pytest.raises(InputError, match=f"got one with {name}, which no plan of firebreak wrote"):
        check_list(tmp_path)
    check_list(tmp_path, PLAN_FILES - {name})  # where the plan writes none of the name
    (tmp_path / "plan.json").write_text("{}")
    check_list(tmp_path)  # a plan of a version that kept no list


@pytest.mark.parametrize("name", ["options.json", "plan.gpkg", "report.html"])
def test_files_beside_a_plan_that_it_did_not_write_are_not_written_over(name: str,
                                                                        tmp_path: Path) -> None:
    with writing_into(tmp_path) as writing:
        write_text(tmp_path / "plan.json", "{}")
    end_writing(writing, ())
    check_list(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("a user's")
    with pytest.raises(InputError, match=f"got one with {name}, which no plan of firebreak wrote"):
        check_list(tmp_path)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", range(9))
def test_wherever_a_plan_is_stopped_the_next_one_knows_its_files(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, after: bool) -> None:
    """Before or after each file, the list among them, takes its place; the ninth never comes."""
    def replace(source: Path, target: Path) -> None:
        steps.append(target)
        if after:
            shutil.move(source, target)
        if len(steps) > step:
            raise KeyboardInterrupt
        if not after:
            shutil.move(source, target)

    listed(tmp_path, "plan.json", "weather.csv", "years.csv")
    (tmp_path / "years.csv").write_text("changed since")
    steps: list[Path] = []
    with monkeypatch.context() as broken, contextlib.suppress(KeyboardInterrupt):
        broken.setattr("os.replace", replace)
        listed(tmp_path, *NAMES)
    assert len(steps) == min(step + 1, 2 * len(NAMES) + 1)
    listed(tmp_path, "plan.json")
    assert names_in(tmp_path) == {"plan.json", "years.csv", FILES_FILE}
    assert json.loads((tmp_path / FILES_FILE).read_text()).keys() == {"schema", "files"}


def test_a_plan_that_ends_leaves_the_files_of_one_that_is_still_written(tmp_path: Path) -> None:
    with writing_into(tmp_path) as first:
        write_text(tmp_path / "plan.json", "of the first")
        with writing_into(tmp_path) as second:
            write_text(tmp_path / "plan.json", "of the second")
            write_text(tmp_path / "report.html", "of the second")
        write_text(tmp_path / "segments.csv", "of the first")
        end_writing(second, {tmp_path.resolve() / name for name in second.own})
        assert names_in(tmp_path) == {"plan.json", "report.html", "segments.csv", FILES_FILE}
        assert file_of(tmp_path, "segments.csv")
        with pytest.warns(UserWarning, match=r"plan\.json changed or went while"):
            end_writing(first, {tmp_path.resolve() / name for name in first.own})
    assert names_in(tmp_path) == {"plan.json", "segments.csv", FILES_FILE}
    listed(tmp_path, "weather.csv")
    assert names_in(tmp_path) == {"weather.csv", FILES_FILE}


def test_a_listed_file_that_cannot_be_read_stays_and_costs_no_plan(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: Path, *how: Any, **more: Any) -> Any:
        if path.name == "report.html":
            raise PermissionError(13, "Permission denied")
        return open_(path, *how, **more)

    listed(tmp_path, *NAMES)
    open_ = Path.open
    monkeypatch.setattr(Path, "open", opened)
    listed(tmp_path, "plan.json")
    assert names_in(tmp_path) == {"plan.json", "report.html", FILES_FILE}


def test_halves_of_files_that_a_killed_plan_left_are_removed(tmp_path: Path) -> None:
    """Another plan may be writing those that are new, and other names are a user's."""
    half = "12-0a1b2c3d"
    dead = [f".report.html.{half}.tmp", f".fire.mp4.{half}.mp4", f".{FILES_FILE}.{half}.tmp"]
    others = {f".notes.txt.{half}.tmp", ".report.html.x.tmp", ".plan.csv.2024.tmp",
              f".report.html.{half}.tmp.txt", "report.html"}
    for path in planned(tmp_path, *dead, *others):
        os.utime(path, (time.time() - 7200.0,) * 2)
    planned(tmp_path, f".segments.csv.{half}.tmp")
    listed(tmp_path, "plan.json")
    assert names_in(tmp_path) == {"plan.json", FILES_FILE, f".segments.csv.{half}.tmp", *others}


def test_a_plan_that_stops_early_takes_no_file_of_an_old_version_for_none_of_its_plan(
        tmp_path: Path) -> None:
    planned(tmp_path, *NAMES)
    with contextlib.suppress(KeyboardInterrupt), writing_into(tmp_path):
        write_text(tmp_path / "options.json", "{}")
        raise KeyboardInterrupt
    assert all(file_of(tmp_path, name) for name in NAMES)
    with pytest.warns(UserWarning, match=r"report\.html, segments\.csv may be of an earlier plan"):
        listed(tmp_path, "plan.json")
    assert names_in(tmp_path) == {*NAMES, FILES_FILE}


def test_a_file_that_never_stood_is_none_of_a_plan(tmp_path: Path) -> None:
    """Whose writer goes on without it, as that of films does."""
    listed(tmp_path, "plan.json", "weather.csv")
    (tmp_path / "fire.mp4").mkdir()
    with writing_into(tmp_path) as writing:
        write_text(tmp_path / "plan.json", "next")
        with contextlib.suppress(OSError):
            write_text(tmp_path / "fire.mp4", "a film")
        end_writing(writing, {tmp_path.resolve() / "plan.json"})
    assert "fire.mp4" not in json.loads((tmp_path / FILES_FILE).read_text())["files"]
    assert names_in(tmp_path) == {"plan.json", "fire.mp4", FILES_FILE}


def test_threads_write_plans_into_one_folder(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for _ in range(20):
            listed(tmp_path, f"plan{number}.csv")

    with ThreadPoolExecutor(2) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each may remove what the other wrote
        assert list(pool.map(write, range(2))) == [None, None]
