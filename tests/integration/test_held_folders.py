"""Two commands at once for one folder: the second is refused before its work."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import firebreak
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.files import held_folder, write_text
from firebreak.planning.output.earlier import FILES_FILE
from no_work import without_work

IN_USE = "expected a folder that no other command writes to, got one in use; wait until"
HOLDER = """
import pathlib, sys, time
from firebreak.files import held_folder
with held_folder(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600.0)
"""
UNDER_WAY = '{"schema": 1, "files": {}, "unfinished": {"plan.json": ["0"]}}'
"""The list of the first command's files, which is there before them."""
LAND = "synthetic:3:12"
COMMANDS = {
    "plan": ["plan", LAND, "--quiet"], "windows": ["plan", LAND, "--window-cells", "16"],
    "simulate": ["simulate", LAND, "--quiet"],
    "evaluate": ["evaluate", LAND, "--methods", "none", "--executor", "in-process", "--quiet"],
    "convert": ["landscape", "convert", LAND, "--to", "ascii"],
    "info": ["landscape", "info", LAND]}


@pytest.mark.parametrize("below", ["", "below"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_in_place_of_the_folder_is_refused_before_anything_is_told(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    assert main([*COMMANDS[command], "--out", str(tmp_path / "file" / below)]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert "expected a folder" in said.err
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_is_held_once_and_nothing_in_it_tells_of_it(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    for _ in range(2):
        with held_folder(out):
            with pytest.raises(InputError, match=IN_USE), held_folder(out):
                pass
            write_text(out / "plan.json", "{}")
            assert [path.name for path in out.iterdir()] == ["plan.json"]
    with held_folder(None), held_folder(None):
        pass


def test_a_folder_that_was_made_and_stays_empty_goes(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), held_folder(tmp_path / "a" / "b"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").mkdir()
    with held_folder(tmp_path / "mine"):
        pass
    assert (tmp_path / "mine").is_dir()


@pytest.mark.parametrize("kept", [False, True])
def test_a_folder_that_stays_empty_goes_with_a_process_that_ends_at_once(tmp_path: Path,
                                                                         kept: bool) -> None:
    """As at a signal while a module is imported for long."""
    out, before = tmp_path / "a" / "b", tmp_path / "mine"
    before.mkdir()
    write = f"(pathlib.Path({str(out)!r}) / 'plan.json').touch()" if kept else ""
    done = subprocess.run([sys.executable, "-c", (
        f"import pathlib, firebreak.files as f, firebreak.lifetime as l\n"
        f"with f.held_folder(pathlib.Path({str(before)!r})):\n"
        f" with f.held_folder(pathlib.Path({str(out)!r})):\n  {write}\n  l.leave(15)")],
        check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (143, "firebreak: terminated\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "mine"][not kept:]
    assert out.is_dir() == kept


def test_a_folder_of_the_same_name_that_another_command_made_meanwhile_stays(
        tmp_path: Path) -> None:
    out = tmp_path / "x"
    with contextlib.ExitStack() as other:
        with held_folder(out):
            out.rmdir()
            other.enter_context(held_folder(out))
        assert out.is_dir()


def test_a_folder_above_that_another_command_holds_stays(tmp_path: Path) -> None:
    above = tmp_path / "made"
    with held_folder(above / "plan"), held_folder(above):
        pass  # the outer one ends last: nobody holds the folder above any more
    assert not above.exists()
    with contextlib.ExitStack() as first, contextlib.ExitStack() as second:
        first.enter_context(held_folder(above / "plan"))
        second.enter_context(held_folder(above))
        first.close()
        assert above.is_dir()
        with pytest.raises(InputError, match=IN_USE), held_folder(above):
            pass


def test_a_forked_process_that_goes_on_holds_nothing(tmp_path: Path) -> None:
    with held_folder(tmp_path):
        child = os.fork()
        if child == 0:
            time.sleep(60.0)
            os._exit(0)
    with held_folder(tmp_path):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_who_comes_as_an_empty_folder_goes_is_refused(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has opened the folder before it was removed, and locks what nobody finds any more."""
    import fcntl

    def late(handle: int, how: int) -> None:
        (tmp_path / "out").rmdir()
        flock(handle, how)

    flock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(InputError, match=IN_USE), held_folder(tmp_path / "out"):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], text=True,
                          stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=IN_USE), held_folder(tmp_path):
            pass
        other.send_signal(signal.SIGKILL)
    with held_folder(tmp_path):
        pass


def test_where_folders_cannot_be_locked_commands_go_on(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def refused(*_: object) -> None:
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", refused)
    with held_folder(tmp_path), held_folder(tmp_path):
        pass


@pytest.mark.parametrize("name", COMMANDS)
def test_a_second_command_is_refused_before_its_work(
        name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    without_work(monkeypatch, "fire.make_scene", "planning.making.make_plan",
                 "landscape.formats.folders.write_ascii_folder",
                 "report.figures.maps.landscape_figure")
    out = tmp_path / "out"
    with held_folder(out):
        write_text(out / FILES_FILE, UNDER_WAY)
        assert main([*COMMANDS[name], "--out", str(out)]) == 2
        said = capsys.readouterr().err
        assert f"{out}: {IN_USE}" in said
        assert said.count("\n") == 1
        assert [path.name for path in out.iterdir()] == [FILES_FILE]
        assert (out / FILES_FILE).read_text() == UNDER_WAY


def test_python_saves_into_no_folder_in_use(tmp_path: Path) -> None:
    made = firebreak.plan(LAND, method="strips", plan_fires=8, report="none", threads=1)
    fires = firebreak.simulate(LAND, fires=8, threads=1)
    for save in (made.save, fires.save):
        with held_folder(tmp_path), pytest.raises(InputError, match=IN_USE):
            save(tmp_path)
        assert not list(tmp_path.iterdir())
    assert (tmp_path / "plan.json") in made.save(tmp_path)
