"""The land around a landscape: the landscape keeps what it has, around it nothing is known but how
it burns.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firebreak.api.shared.domains import part_of_map
from firebreak.api.shared.scene_options import FireOptions, SceneOptions
from firebreak.checks import InputError
from firebreak.landscape.formats.read import read_landscape, with_surroundings
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.landscape import FIRE_GRIDS, Landscape
from firebreak.landscape.synthetic.generate import generate

ROW, COL, ROWS, COLS = 24, 25, 12, 10


@pytest.fixture
def whole() -> Landscape:
    land = generate(2, 60, cell_size_m=30.0)
    return replace(land, crs="EPSG:32611", value=np.ones(land.shape, np.float32))


@pytest.fixture
def folder(tmp_path: Path, whole: Landscape) -> Path:
    write_landscape(tmp_path / "landscape.tif", whole.crop(ROW, COL, ROWS, COLS))
    write_landscape(tmp_path / "surroundings.tif", whole)
    return tmp_path


def test_the_landscape_lies_in_its_surroundings_with_all_that_it_has(
        folder: Path, whole: Landscape) -> None:
    land = read_landscape(str(folder))
    assert land.shape == (ROWS, COLS)
    cost = np.full(land.shape, 3.0, np.float32)
    roads = np.arange(ROWS * COLS, dtype=np.float64).reshape(land.shape)
    land = replace(land, cost=cost, road_m=roads, value=2.0 * land.value)
    joined, (row, col) = with_surroundings(land, str(folder))
    assert (row, col) == (ROW, COL)
    assert joined.shape == whole.shape
    own = joined.crop(ROW, COL, ROWS, COLS)
    for name in (*FIRE_GRIDS, "value", "cost", "treatable", "ignition_weight", "road_m"):
        np.testing.assert_array_equal(getattr(own, name), getattr(land, name), name)
    np.testing.assert_array_equal(joined.fuel_model, whole.fuel_model)
    outside = np.ones(whole.shape, np.bool_)
    outside[ROW:ROW + ROWS, COL:COL + COLS] = False
    assert not joined.value[outside].any()
    assert not joined.treatable[outside].any()
    assert (joined.road_m[outside] >= roads.max()).all()
    assert own.transform == land.transform


def test_a_folder_without_the_file_has_no_surroundings(folder: Path) -> None:
    (folder / "surroundings.tif").unlink()
    land = read_landscape(str(folder))
    assert with_surroundings(land, str(folder)) == (land, (0, 0))
    assert with_surroundings(land, "") == (land, (0, 0))


@pytest.mark.parametrize(("change", "words"), [
    (lambda land: land.crop(ROW + 1, COL, 20, 20), "ends within it"),
    (lambda land: replace(land, transform=(30.0, 0.0, land.transform[2] + 7.0, 0.0, -30.0,
                                           land.transform[5])), "another grid"),
    (lambda land: replace(land, cell_size_m=60.0, transform=(
        60.0, 0.0, land.transform[2], 0.0, -60.0, land.transform[5])), "another grid")])
def test_another_map_is_refused(folder: Path, whole: Landscape, change, words: str) -> None:
    write_landscape(folder / "surroundings.tif", change(whole))
    with pytest.raises(InputError, match=words):
        with_surroundings(read_landscape(str(folder)), str(folder))


def test_fires_come_from_the_land_around_and_not_from_a_mirror(
        folder: Path, whole: Landscape, tmp_path: Path) -> None:
    options = SceneOptions(fire=FireOptions(duration_min=4.0))
    land = read_landscape(str(folder))
    part = part_of_map(land, None, options, str(folder))
    top, left = part.offset
    rows, cols = part.land.shape
    assert top < 0
    assert left < 0
    assert part.domain is not None
    assert part.domain.mirrored == 0.0
    np.testing.assert_array_equal(
        part.land.fuel_model, whole.fuel_model[ROW + top:ROW + top + rows,
                                               COL + left:COL + left + cols])
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(folder / "landscape.tif", alone)
    mirrored = part_of_map(read_landscape(str(alone)), None, options, str(alone))
    assert mirrored.domain is not None
    assert mirrored.domain.mirrored > 0.5


def test_the_sample_brings_the_land_around_it_also_where_it_is_handed_in() -> None:
    land = read_landscape("sample:santa-ana")
    joined, (row, col) = with_surroundings(land, "sample:santa-ana")
    assert land.shape == (88, 88)
    assert min(row, col, joined.shape[0] - row - 88, joined.shape[1] - col - 88) >= 120
    np.testing.assert_array_equal(joined.crop(row, col, 88, 88).elevation_m, land.elevation_m)
