"""Commands in strange surroundings: the whole work as usual, or exit 2 or 3 and one sentence;
nothing half written, no wait, no traceback.
"""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firebreak.api.shared.plan_options import PlanOptions, SimulateOptions
from firebreak.checks import InputError
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.raster.geotiff import open_raster
from firebreak.landscape.synthetic.generate import generate
from firebreak.reading import bytes_of, lines_of, read_toml
from firebreak.settings.binding import bind
from firebreak.settings.schema import leaves
from firebreak.settings.sources import argv
from firebreak.variables import without_foreign
from tiny import TINIER

NONE = "/dev/null"
SURROUNDINGS: dict[str, tuple[str, dict[str, str]]] = {
    # What the shell does before the command, and its variables.
    "data of another PROJ": ("", {"PROJ_LIB": NONE, "PROJ_DATA": NONE}),
    "a driver left out": ("", {"GDAL_SKIP": "GTiff", "OGR_SKIP": "GPKG"}),
    "no such backend of figures": ("", {"MPLBACKEND": "nix"}),
    "ascii": ("", {"PYTHONIOENCODING": "ascii"}),
    "no output": ("exec >&-;", {}),
    "no errors": ("exec 2>&-;", {}),
    "no streams": ("exec <&- >&- 2>&-;", {}),
    "full output": ("exec >/dev/full;", {}),
    "full errors": ("exec 2>/dev/full;", {}),
    "a folder that is gone": ('mkdir "$0/gone"; cd "$0/gone"; rmdir "$0/gone";', {}),
    "warnings as errors": ("", {"PYTHONWARNINGS": "error"}),
    "little memory": ("ulimit -v 200000;", {}),
    "less memory than figures need": ("ulimit -v 500000;", {}),
    "few open files": ("ulimit -n 7;", {}),
    "64 open files": ("ulimit -n 64;", {}),
}
COMMANDS = {
    "info": "landscape info PLACE/l\u00e4nd.tif",
    "refused": "landscape info PLACE/nothing.tif",
    "methods": "methods",
    "help": "plan --help",
    "generate": "landscape generate PLACE/out.tif --size 10",
    "convert": "landscape convert PLACE/l\u00e4nd.tif --out PLACE/out.tif",
    "simulate": "simulate PLACE/l\u00e4nd.tif --fires 5 --out PLACE/out",
    "plan": "plan PLACE/l\u00e4nd.tif --method strips --cells --plan-fires 8 --test-fires 0 "
            "--out PLACE/out",
    "evaluate": "evaluate PLACE/l\u00e4nd.tif --methods none,strips --plan-fires 8 --test-fires 8",
    "train": f"train quick --out PLACE/out --set {' --set '.join(TINIER)}",
}
CODES = {"refused": 2}
REFUSED = ("full output", "a folder that is gone", "little memory",
           "less memory than figures need", "few open files")
"""In these not every command can work."""
SAMPLE = {("info", "data of another PROJ"), ("info", "ascii"), ("refused", "no errors"),
          ("methods", "full output"), ("methods", "a folder that is gone"),
          ("refused", "no streams"), ("methods", "little memory"), ("refused", "64 open files")}

FILES = sorted({leaf.option for kind in (PlanOptions, SimulateOptions)
                for leaf in leaves(kind).values() if leaf.may_name_file and not leaf.is_positional})


@pytest.fixture(name="place")
def a_folder_to_work_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    os.mkfifo(tmp_path / "pipe.tif")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("option", "file"), [
    *itertools.product(FILES, ["", "pipe.tif", "pipe.tif:houses", "/dev/zero"])])
def test_an_option_that_names_no_file_is_refused(place: Path, option: str, file: str) -> None:
    kind = next(one for one in (PlanOptions, SimulateOptions)
                if option in {leaf.option for leaf in leaves(one).values()})
    with pytest.raises(InputError, match=f"{option}.*(not empty|a pipe)"):
        bind(kind, argv([option, file], "plan"))
    assert [one.name for one in place.iterdir()] == ["pipe.tif"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux of no great age")
@pytest.mark.timeout(200)
@pytest.mark.parametrize(("command", "around"), [
    pytest.param(*pair, marks=() if pair in SAMPLE else pytest.mark.slow)
    for pair in itertools.product(COMMANDS, SURROUNDINGS)])
def test_a_command_works_or_says_why_not(tmp_path: Path, command: str, around: str) -> None:
    write_landscape(tmp_path / "l\u00e4nd.tif", generate(1, (12, 12)))
    before, variables = SURROUNDINGS[around]
    words = COMMANDS[command].replace("PLACE", str(tmp_path)).split()
    done = subprocess.run(
        ["sh", "-c", f'{before} exec "$@"', str(tmp_path), sys.executable, "-m", "firebreak",
         *words], env=os.environ | variables, capture_output=True, timeout=150, cwd=tmp_path)
    said = done.stderr.decode()
    assert done.returncode in (CODES.get(command, 0), 2, 3), said
    assert "Traceback" not in said
    if done.returncode and "errors" not in around and around != "no streams":
        assert said.splitlines()[-1].startswith("firebreak: "), said
    assert not [one for one in tmp_path.rglob("*.tmp*")]
    if around not in REFUSED:
        assert done.returncode == CODES.get(command, 0), said


@pytest.mark.slow
def test_signs_that_move_the_cursor_are_not_printed(tmp_path: Path) -> None:
    land = tmp_path / "a\x1b[31m.tif"
    write_landscape(land, generate(1, (12, 12)))
    done = subprocess.run([sys.executable, "-m", "firebreak", "landscape", "info", str(land)],
                          capture_output=True, timeout=300)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr


def test_a_pipe_that_a_file_names_is_not_waited_for(place: Path) -> None:
    pipe = place / "pipe.tif"
    for read in (lambda path: open_raster(path).__enter__(), lambda path: bytes_of(path, 9),
                 lambda path: next(lines_of(path)), read_toml, read_landscape):
        with pytest.raises(InputError, match="a pipe"):
            read(pipe)
    with pytest.raises(InputError, match="no name"):
        read_landscape("")


def test_a_folder_is_no_raster(place: Path) -> None:
    with pytest.raises(InputError, match="got a folder"), open_raster(place):
        pass


READ = """
import os, sys
if sys.argv[2:]:
    import rasterio
before = dict(os.environ)
from firebreak import read_landscape
land = read_landscape(sys.argv[1])
assert dict(os.environ) == before
print(land.shape, land.crs)
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", [[], ["rasterio"]])
def test_python_works_among_the_variables_of_other_programs_and_leaves_them(
        tmp_path: Path, first: list[str]) -> None:
    foreign = {"PROJ_LIB": NONE, "PROJ_DATA": NONE, "GDAL_SKIP": "GTiff", "GDAL_DATA": NONE,
               "OSR_DEFAULT_AXIS_MAPPING_STRATEGY": "AUTHORITY_COMPLIANT"}
    said = [subprocess.run([sys.executable, "-c", READ, "sample:santa-ana", *first], cwd=tmp_path,
                           env=os.environ | variables, capture_output=True, timeout=300)
            for variables in ({}, foreign)]
    assert [done.returncode for done in said] == [0, 0], said[1].stderr.decode()
    assert said[1].stdout == said[0].stdout
    assert b"UTM zone 11N" in said[0].stdout


def test_variables_come_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDAL_SKIP", "GTiff")
    monkeypatch.setenv("GDAL_CACHEMAX", "64")
    inside = {}

    def work() -> None:
        with without_foreign():
            inside.update(os.environ)
            raise InputError
    with pytest.raises(InputError):
        work()
    assert "GDAL_SKIP" not in inside
    assert inside["GDAL_CACHEMAX"] == "64"
    assert os.environ["GDAL_SKIP"] == "GTiff"
