"""Laws of slope and aspect that hold for any elevation."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firebreak.landscape.terrain import slope_aspect

ELEVATIONS = arrays(np.float64, (5, 6), elements=st.integers(0, 400).map(float))


def angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs((a - b + 180.0) % 360.0 - 180.0)


@given(ELEVATIONS, st.floats(1.0, 200.0))
@settings(max_examples=60, deadline=None)
def test_ranges(elevation: np.ndarray, cell: float) -> None:
    slope, aspect = slope_aspect(elevation, cell)
    assert (slope >= 0).all()
    assert ((aspect >= 0) & (aspect < 360)).all()
    assert not aspect[slope == 0].any()


@given(ELEVATIONS, st.floats(-100.0, 3000.0))
@settings(max_examples=40, deadline=None)
def test_lifting_the_land_changes_nothing(elevation: np.ndarray, lift: float) -> None:
    slope, aspect = slope_aspect(elevation, 30.0)
    lifted_slope, lifted_aspect = slope_aspect(elevation + lift, 30.0)
    np.testing.assert_allclose(slope, lifted_slope, atol=1e-5)
    assert (angle_between(aspect, lifted_aspect)[slope > 1e-3] < 0.05).all()


@given(ELEVATIONS)
@settings(max_examples=60, deadline=None)
def test_a_quarter_turn_turns_the_aspect(elevation: np.ndarray) -> None:
    slope, aspect = slope_aspect(elevation, 30.0)
    turned_slope, turned_aspect = slope_aspect(np.rot90(elevation), 30.0)
    np.testing.assert_allclose(turned_slope, np.rot90(slope), atol=1e-6)
    expected = np.rot90(np.where(slope > 1e-5, aspect - 90.0, aspect))
    steep = np.rot90(slope > 1e-5)
    assert (angle_between(turned_aspect, expected)[steep] < 1e-3).all()


@given(ELEVATIONS, st.floats(0.1, 5.0))
@settings(max_examples=40, deadline=None)
def test_slope_is_proportional_to_relief(elevation: np.ndarray, factor: float) -> None:
    slope, _ = slope_aspect(elevation, 30.0)
    steeper, _ = slope_aspect(elevation * factor, 30.0)
    np.testing.assert_allclose(steeper, slope * factor, rtol=1e-5, atol=1e-5)
