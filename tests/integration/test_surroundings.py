"""Commands in strange surroundings: the whole work as usual, or exit 2 or 3 and one sentence;
nothing half written, no wait, no traceback.
"""

import itertools
import os
from pathlib import Path

import pytest

from firebreak.api.shared.plan_options import PlanOptions, SimulateOptions
from firebreak.checks import InputError
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.raster.geotiff import open_raster
from firebreak.reading import bytes_of, lines_of, read_toml
from firebreak.settings.binding import bind
from firebreak.settings.schema import leaves
from firebreak.settings.sources import argv

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
