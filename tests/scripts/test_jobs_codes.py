"""What the jobs' inputs take from a map's codes and elevation."""

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate

SIZE = 30
CELL_M = 30.0


@pytest.fixture(scope="module")
def codes(load_jobs) -> ModuleType:
    return load_jobs("codes")


def land_of(developed: np.ndarray, elevation: np.ndarray | None = None) -> Landscape:
    """A map of shrubs with these cells developed."""
    rows, cols = developed.shape
    size = max(rows, cols)
    land = generate(1, size, cell_size_m=CELL_M)
    full = np.zeros((size, size), np.bool_)
    full[:rows, :cols] = developed
    fuel = np.where(full, 91, 122).astype(np.int16)
    return replace(land, fuel_model=fuel, treatable=fuel == 122,
                   elevation_m=land.elevation_m if elevation is None else elevation)


def test_a_road_is_a_long_string_and_neither_a_block_nor_a_driveway(codes: ModuleType) -> None:
    developed = np.zeros((SIZE, SIZE), np.bool_)
    developed[2, :25] = True  # a road
    developed[10:16, 4:12] = True  # a village
    developed[20, 5:11] = True  # a driveway
    found = codes.roads(land_of(developed))
    expected = np.zeros_like(developed)
    expected[2, :25] = True
    assert np.array_equal(found, expected)
    assert not codes.roads(land_of(np.zeros((SIZE, SIZE), np.bool_))).any()


def test_diagonal_roads_are_one_string(codes: ModuleType) -> None:
    developed = np.eye(SIZE, dtype=np.bool_)
    assert np.array_equal(codes.roads(land_of(developed), least_cells=SIZE), developed)
    assert not codes.roads(land_of(developed), least_cells=SIZE + 1).any()


@given(arrays(np.bool_, (9, 9), elements=st.booleans()), st.sampled_from([0.0, 30.0, 45.0, 95.0]))
@settings(deadline=None, max_examples=40)
def test_an_edge_is_every_burnable_cell_within_the_distance(codes: ModuleType, mask: np.ndarray,
                                                            metres: float) -> None:
    land = land_of(mask)
    found = codes.near(codes.developed(land), land, metres)
    rows, cols = np.nonzero(mask)
    for row in range(9):
        for col in range(9):
            away = np.hypot(rows - row, cols - col) * CELL_M
            assert found[row, col] == (not mask[row, col] and bool((away <= metres).any()))


def test_nearness_is_the_share_of_the_cells_around(codes: ModuleType) -> None:
    developed = np.zeros((SIZE, SIZE), np.bool_)
    developed[10:12, 10] = True
    share = codes.nearness(developed, land_of(developed), 60.0)
    assert share[10, 10] == pytest.approx(2 / 25)
    assert share[13, 12] == pytest.approx(1 / 25)
    assert share[14, 14] == pytest.approx(0.0)


def slow_ridge(land: Landscape, above: np.ndarray, allowed: np.ndarray, cells: int) -> float | None:
    """The height of the best line, by trying all."""
    heights = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(land.shape[0]):
            for col in range(land.shape[1]):
                line = [(row + k * down, col + k * right) for k in range(cells)]
                if all(0 <= r < land.shape[0] and 0 <= c < land.shape[1] and allowed[r, c]
                       for r, c in line):
                    heights.append(float(np.mean([above[r, c] for r, c in line])))
    return max(heights, default=None)


@given(arrays(np.float32, (8, 8), elements=st.integers(0, 50).map(float)),
       arrays(np.bool_, (8, 8), elements=st.sampled_from([True, True, True, False])))
@settings(deadline=None, max_examples=40)
def test_a_ridge_line_is_the_highest_of_all_lines(codes: ModuleType, elevation: np.ndarray,
                                                  allowed: np.ndarray) -> None:
    land = land_of(np.zeros((8, 8), np.bool_), elevation)
    line = codes.ridge_line(land, allowed, 4, around_m=60.0)
    padded = np.pad(elevation.astype(np.float64), 2, mode="edge")
    around = np.mean([padded[i:i + 8, j:j + 8] for i in range(5) for j in range(5)], axis=0)
    best = slow_ridge(land, elevation - around, allowed, 4)
    if best is None:
        assert not line.any()
    else:
        assert line.sum() == 4
        assert allowed[line].all()
        assert float((elevation - around)[line].mean()) == pytest.approx(best)
