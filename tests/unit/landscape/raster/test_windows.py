"""Coarser, turned and cut landscapes."""

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.windows import (
    SYMMETRIES,
    Window,
    aggregate,
    dihedral,
    list_windows,
    split_blocks,
    turn,
    window_positions,
)
from firebreak.landscape.synthetic.generate import generate


def land_of(fuel: np.ndarray, elevation: np.ndarray | None = None, **fields: object) -> Landscape:
    """A landscape with these fuels, flat unless told, cells of 10 m, corner at (100, 200)."""
    shape = np.shape(fuel)
    zeros, ones = np.zeros(shape), np.ones(shape)
    grids = {
        "fuel_model": fuel, "elevation_m": zeros if elevation is None else elevation,
        "slope_tan": zeros, "aspect_deg": zeros, "canopy_cover": zeros, "canopy_height_m": zeros,
        "canopy_base_height_m": zeros, "canopy_bulk_density_kg_m3": zeros, "value": ones,
        "cost": ones, "treatable": ones > 0,
    }
    place = {"name": "test", "cell_size_m": 10.0, "crs": "LOCAL",
             "transform": (10.0, 0.0, 100.0, 0.0, -10.0, 200.0)}
    return Landscape(**(grids | place | fields))  # type: ignore[arg-type]


def test_aggregate_takes_the_most_frequent_fuel() -> None:
    fuel = np.array([[101, 101, 102, 98, 91],
                     [101, 104, 98, 102, 91],
                     [NODATA, NODATA, NODATA, 145, 91],
                     [NODATA, 101, 145, NODATA, 91],
                     [91, 91, 91, 91, 91]])
    coarse = aggregate(land_of(fuel), 2)
    # ties: 98 before 102 as the lower code; data before no data
    assert coarse.fuel_model.tolist() == [[101, 98], [NODATA, 145]]
    assert coarse.cell_size_m == 20.0
    assert coarse.transform == (20.0, 0.0, 100.0, 0.0, -20.0, 200.0)
    assert coarse.crs == "LOCAL"


def test_aggregate_means_leave_out_cells_without_data() -> None:
    fuel = np.array([[101, 101], [101, NODATA]])
    elevation = np.array([[10.0, 20.0], [30.0, 9999.0]])
    value = np.array([[1.0, 2.0], [6.0, 50.0]])
    coarse = aggregate(land_of(fuel, elevation, value=value), 2)
    assert coarse.elevation_m.tolist() == [[20.0]]
    assert coarse.value.tolist() == [[3.0]]


def test_aggregate_treatable_where_half_or_more_were() -> None:
    fuel = np.full((2, 4), 101)
    treatable = np.array([[True, True, True, False], [False, False, False, False]])
    assert aggregate(land_of(fuel, treatable=treatable), 2).treatable.tolist() == [[True, False]]


def test_aggregate_derives_terrain_from_the_mean_elevation() -> None:
    rows, _ = np.mgrid[0:8, 0:8]
    coarse = aggregate(land_of(np.full((8, 8), 101), 3.0 * rows), 2)
    assert coarse.slope_tan[1:-1] == pytest.approx(0.3)
    assert coarse.aspect_deg == pytest.approx(0.0)  # rises to the south, so it faces north


@pytest.mark.parametrize("factor", [0, 5])
def test_aggregate_refuses_factors_out_of_range(factor: int) -> None:
    with pytest.raises(InputError, match="a factor from 1 to 4"):
        aggregate(land_of(np.full((4, 6), 101)), factor)


def test_symmetries_are_eight_different_maps_and_0_is_the_map_itself() -> None:
    land = generate(4, (6, 6))
    turned = [dihedral(land, k) for k in range(SYMMETRIES)]
    assert turned[0] is land
    assert len({t.checksum() for t in turned}) == SYMMETRIES


def test_quarter_turn_by_hand() -> None:
    fuel = np.array([[101, 102, 104], [121, 122, 145]])
    _, cols = np.mgrid[0:2, 0:3]
    land = land_of(fuel, -4.0 * cols)  # falls to the east
    turned = dihedral(land, 1)
    assert turned.fuel_model.tolist() == [[104, 145], [102, 122], [101, 121]]
    assert turned.aspect_deg == pytest.approx(0.0)  # falls to the north
    assert turned.slope_tan[1] == pytest.approx(0.4)
    mirrored = dihedral(land, 4)
    assert mirrored.fuel_model.tolist() == [[104, 102, 101], [145, 122, 121]]
    assert mirrored.aspect_deg == pytest.approx(270.0)
    assert turned.crs is None
    assert turned.transform == (10.0, 0.0, 0.0, 0.0, -10.0, 30.0)


def test_turned_terrain_is_the_terrain_turned() -> None:
    land = generate(9, (12, 15))
    for k in range(SYMMETRIES):
        np.testing.assert_allclose(dihedral(land, k).slope_tan, turn(land.slope_tan, k), atol=1e-5)


def test_split_gives_every_split_its_share_and_depends_on_the_seed() -> None:
    split = split_blocks((100, 100), 20, seed=1)
    assert {name: len(blocks) for name, blocks in split.items()} == {
        "train": 15, "validation": 5, "test": 5}
    assert split == split_blocks((100, 100), 20, seed=1)
    assert split != split_blocks((100, 100), 20, seed=2)


def test_no_split_is_empty_however_small_its_share() -> None:
    split = split_blocks((30, 10), 10, (0.1, 0.8, 0.1))
    assert [len(blocks) for blocks in split.values()] == [1, 1, 1]


def test_a_map_of_fewer_blocks_than_splits_is_refused() -> None:
    with pytest.raises(InputError, match=r"at least 3 blocks.*got 1.*smaller blocks"):
        split_blocks((40, 40), 21)


def test_window_positions_are_all_that_lie_in_a_block() -> None:
    land = land_of(np.full((30, 40), 101))
    blocks = [Window(0, 0, 10, 12), Window(15, 20, 12, 10), Window(0, 30, 5, 5)]
    fitting = {(row, col) for block in blocks[:2]
               for row in range(block.row, block.row + block.rows - 7)
               for col in range(block.col, block.col + block.cols - 7)}
    places = window_positions(blocks, 8, 8, land)
    assert {tuple(place) for place in places.tolist()} == fitting
    assert len(places) == len(fitting)
    assert window_positions([Window(1, 2, 8, 7)], 8, 7, land).tolist() == [[1, 2]]


def test_window_positions_are_burnable_and_have_data() -> None:
    fuel = np.full((30, 30), 101)
    fuel[:, 12:] = 98
    fuel[20:, 0] = NODATA
    land = land_of(fuel)
    expected = [[row, col] for row in range(21) for col in range(21)
                if land.burnable[row:row + 10, col:col + 10].mean() >= 0.7
                and (fuel[row:row + 10, col:col + 10] != NODATA).all()]
    places = window_positions([Window(0, 0, 30, 30)], 10, 10, land, min_burnable=0.7)
    assert places.tolist() == expected


def test_no_window_is_no_position_and_the_list_names_landscape_and_remedy() -> None:
    land, blocks = land_of(np.full((20, 20), 98)), [Window(0, 0, 20, 20)]
    assert len(window_positions(blocks, 10, 10, land)) == 0
    assert len(window_positions(blocks, 10, 21, land)) == 0
    with pytest.raises(InputError, match=r"landscape test.*none that is 50% burnable.*another map"):
        list_windows(blocks, 10, 10, land)


def test_listed_windows_are_packed_without_overlap_and_skip_bad_ones() -> None:
    fuel = np.full((25, 20), 101)
    fuel[0:10, 10:20] = 98
    fuel[24, 0] = NODATA
    found = list_windows([Window(0, 0, 25, 20)], 10, 10, land_of(fuel), min_burnable=0.5)
    assert found == [Window(0, 0, 10, 10), Window(5, 10, 10, 10), Window(10, 0, 10, 10),
                     Window(15, 10, 10, 10)]
    covered = np.zeros((25, 20), int)
    for window in found:
        covered[window.slices] += 1
    assert covered.max() == 1
