"""Rasters that firebreak writes are told from layers."""

from pathlib import Path

import pytest

from firebreak.landscape.formats.layers import rasters_in
from firebreak.landscape.names import FUEL_MAP, is_own


@pytest.mark.parametrize(("name", "own"), [
    ("plan.tif", True), ("flame_length_probability.tif", True), (FUEL_MAP, True),
    ("given_value-0123abcd.tif", True), ("fuel.tif", False), ("plan.asc", False),
    ("given_value.tif", False)])
def test_a_raster_is_known_by_its_name(name: str, *, own: bool) -> None:
    assert is_own(name) == own


def test_own_rasters_count_where_there_are_no_others(tmp_path: Path) -> None:
    for name in ("plan.tif", "treated_landscape.tif", "plan.csv"):
        (tmp_path / name).touch()
    assert [path.name for path in rasters_in(tmp_path)] == ["plan.tif", "treated_landscape.tif"]
    (tmp_path / "land.TIF").touch()
    assert [path.name for path in rasters_in(tmp_path)] == ["land.TIF"]
