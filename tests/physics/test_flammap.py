"""Every cell of a real landscape against FlamMap: rates, intensities, flames, headings, crowns.

FlamMap keeps slopes in whole degrees; with slopes rounded so, nothing but rounding is left.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "validation" / "flammap.py"
FLAMMAP = runpy.run_path(str(SCRIPT))
QUANTITIES = FLAMMAP["QUANTITIES"]


@pytest.fixture(scope="module")
def folder(data_dir):
    found = data_dir / "landfire-worcester-vt-north"
    if not (found / "flammap_reference").is_dir():
        pytest.skip(f"no FlamMap results in {found}")
    return found


@pytest.fixture(scope="module")
def agreement(folder):
    return FLAMMAP["compare"](folder, whole_degrees=True)


@pytest.mark.parametrize(("group", "cells"), [
    ("all", 112_227), ("surface", 111_507), ("passive crown", 713), ("active crown", 7)])
def test_every_cell_is_within_two_percent_of_flammap(agreement, group, cells):
    found = agreement[group]
    assert found.cells == cells
    assert found.same_type == 1.0
    for name in QUANTITIES:
        assert found.within_2_percent[name] == 1.0
        assert found.worst[name] < 0.005
    assert found.heading_within_1_deg == 1.0


def test_slopes_in_percent_alone_stay_within_ten_percent_of_flammap(folder):
    found = FLAMMAP["compare"](folder, whole_degrees=False)
    assert found["surface"].within_10_percent["rate_of_spread_m_min"] > 0.999
    assert found["surface"].within_2_percent["flame_length_m"] > 0.99
    assert found["all"].same_type > 0.999


def test_the_map_of_differences_is_a_small_picture(folder, tmp_path):
    path = tmp_path / "map.png"
    FLAMMAP["write_map"](FLAMMAP["difference_map"](folder), path)
    assert 20_000 < path.stat().st_size < 120_000


def test_flammap_burns_where_firebreak_does(folder):
    expected = FLAMMAP["flammap_results"](folder)
    burnable = FLAMMAP["flammap_landscape"](folder, whole_degrees=True).burnable
    np.testing.assert_array_equal(expected["rate_of_spread_m_min"] > 0, burnable)


def test_a_map_without_active_crown_fire_has_no_group_of_it():
    grid = np.ones((1, 2, 3))
    found = FLAMMAP["FireBehavior"](**{name: grid for name in FLAMMAP["FireBehavior"]._fields})
    expected = {**{name: grid[0] for name in QUANTITIES}, "fire_type": grid[0],
                "heading_deg": grid[0]}
    assert list(FLAMMAP["agreement"](found, expected, grid[0] > 0)) == ["all", "surface"]
