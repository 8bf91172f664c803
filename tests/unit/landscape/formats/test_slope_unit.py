"""The unit of a slope that nobody named, told by the elevation under it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.terrain import slope_unit_by_elevation


def known(grid: np.ndarray) -> np.ndarray:
    return np.ones(grid.shape, bool)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.05, 0.9), st.floats(0.0, 0.15))
def test_both_units_are_told_under_noise(seed: int, steepness: float, noise: float) -> None:
    random = np.random.default_rng(seed)
    ground = steepness * random.uniform(0.2, 1.0, (12, 12))
    given_tan = ground * (1.0 + noise * random.uniform(-1, 1, ground.shape))
    assert slope_unit_by_elevation(100 * given_tan, ground, known(ground)) == "percent"
    degrees = np.degrees(np.arctan(given_tan))
    assert slope_unit_by_elevation(degrees, ground, known(ground)) == "degrees"


@pytest.mark.parametrize("factor", [0.05, 1.55, 4.0])
def test_a_slope_of_another_elevation_is_told_as_neither(factor: float) -> None:
    ground = np.random.default_rng(0).uniform(0.1, 0.5, (12, 12))
    assert slope_unit_by_elevation(100 * factor * ground, ground, known(ground)) == "neither"


def test_level_ground_and_few_cells_tell_nothing() -> None:
    ground = np.full((12, 12), 0.01)
    assert slope_unit_by_elevation(100 * ground, ground, known(ground)) == "level"
    steep = np.full((12, 12), 0.3)
    few = known(steep)
    few.ravel()[8:] = False
    assert slope_unit_by_elevation(100 * steep, steep, few) == "level"
