"""Processes end with the one that started them, and at a signal with a word, from the start on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no system call does this")
SLEEP = "/bin/sleep" if Path("/bin/sleep").exists() else "/usr/bin/sleep"

COMMAND = """
import subprocess
from firebreak.lifetime import tied
subprocess.run(tied([PROGRAM, "300"]))
"""
SHAPES = """
import pathlib
from firebreak.landscape.raster import shape_files
shape_files.__file__ = FOLDER + "/shape_files.py"
shape_files.find_spec = lambda _: True
pathlib.Path(FOLDER, "vector_child.py").write_text("import time; time.sleep(300)")
pathlib.Path(FOLDER, "shapes.fgb").write_bytes(b"fgb" + bytes(100))
shape_files.read_vector(pathlib.Path(FOLDER, "shapes.fgb"))
"""


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(true: object, seconds: float = 200.0) -> None:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.02)


@linux
@pytest.mark.parametrize("script", [
    pytest.param(COMMAND, id="any command"),
    pytest.param(SHAPES, id="vector file", marks=pytest.mark.slow)])
def test_a_command_ends_with_the_killed_process_that_runs_it(tmp_path: Path, script: str) -> None:
    names = f"FOLDER, PROGRAM = {str(tmp_path)!r}, {SLEEP!r}\n"
    parent = subprocess.Popen([sys.executable, "-c", names + script])
    try:
        seen = psutil.Process(parent.pid)
        # Between fork and exec a child has no command line.
        wait_until(lambda: any("300" in "".join(child.cmdline()[-1:])
                               or "child.py" in str(child.cmdline()) for child in seen.children()))
        children = seen.children(recursive=True)
        assert len(children) == 1
        time.sleep(0.5)  # it has become the program
    finally:
        parent.kill()
        parent.wait()
    wait_until(lambda: not any(map(alive, children)), 20.0)
    assert not any(map(alive, children))


@linux
def test_a_command_whose_parent_has_ended_before_it_began_does_not_run(tmp_path: Path) -> None:
    from firebreak import lifetime

    done = subprocess.run([sys.executable, "-I", "-S", lifetime.__file__, str(os.getpid() + 1),
                           "/bin/sh", "-c", f"touch {tmp_path / 'ran'}"], check=False)
    assert done.returncode == 1
    assert not (tmp_path / "ran").exists()


EARLY = """
import os, signal, sys

class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "firebreak.cli":
            os.kill(os.getpid(), NUMBER)

sys.meta_path.insert(0, Finder)
from firebreak.__main__ import main
main()
"""


@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"),
                                              (signal.SIGTERM, "terminated")])
def test_a_signal_before_anything_is_imported_ends_with_a_word(number: int, word: str) -> None:
    done = subprocess.run([sys.executable, "-c", EARLY.replace("NUMBER", str(int(number)))],
                          capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (128 + number, f"firebreak: {word}\n")


IGNORED = EARLY.replace("class Finder", "signal.signal(NUMBER, signal.SIG_IGN)\nclass Finder")


def test_a_signal_that_is_ignored_stays_so() -> None:
    """As in a shell's background, or under nohup."""
    script = IGNORED.replace("NUMBER", str(int(signal.SIGINT)))
    done = subprocess.run([sys.executable, "-c", script, "--version"], capture_output=True,
                          text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("firebreak ")
