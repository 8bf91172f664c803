"""What names a landscape: paths, and words that are none."""

from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.landscape import names


@pytest.mark.parametrize(("spec", "expected"), [
    ("synthetic:7", False), ("closed-form:door:20", False), ("sample:santa-ana", False),
    ("my.tif", True), ("folder/sample:santa-ana", True), (Path("synthetic"), True)])
def test_a_path_is_told_from_a_word(spec: str | Path, expected: bool) -> None:
    assert names.is_path(spec) is expected


def test_a_sample_is_its_folder_whatever_it_is_relative_to(tmp_path: Path) -> None:
    folder = names.sample_folder("sample:santa-ana")
    assert folder.is_dir()
    assert names.path_of("sample:santa-ana") == folder
    assert names.path_of(names.beside(tmp_path, "sample:santa-ana")) == folder
    assert names.weather_place(Path("sample:santa-ana")) == folder / "weather.toml"


def test_a_path_stays_one(tmp_path: Path) -> None:
    assert names.beside(tmp_path, "a.tif") == tmp_path / "a.tif"
    assert names.path_of("a.tif") == names.weather_place("a.tif") == Path("a.tif")


@pytest.mark.parametrize("name", ["", "santa-an", "../samples/santa-ana", "santa-ana/roads.tif"])
def test_an_unknown_sample_is_refused_with_the_list(name: str) -> None:
    with pytest.raises(InputError, match=r"^landscape: expected one of santa-ana, got sample '"):
        names.path_of(f"sample:{name}")
