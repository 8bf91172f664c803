"""Horn's slope and aspect on planes and on grids with holes."""

import numpy as np
import pytest

from firebreak.landscape.terrain import slope_aspect

# name of the direction faced: (rise per cell towards east, rise per cell towards south)
FACING = {"north": (0, 1), "east": (-1, 0), "south": (0, -1), "west": (1, 0),
          "north-east": (-1, 1), "south-west": (1, -1)}
DEGREES = {"north": 0, "east": 90, "south": 180, "west": 270, "north-east": 45, "south-west": 225}


def plane(east: float, south: float, size: int = 5) -> np.ndarray:
    rows, cols = np.mgrid[0:size, 0:size]
    return 500.0 + east * cols + south * rows


@pytest.mark.parametrize("facing", FACING)
def test_plane_faces_down_slope(facing: str) -> None:
    east, south = FACING[facing]
    slope, aspect = slope_aspect(plane(east, south), 10.0)
    assert slope[1:-1, 1:-1] == pytest.approx(np.hypot(east, south) / 10.0, rel=1e-6)
    assert aspect[1:-1, 1:-1] == pytest.approx(DEGREES[facing], abs=1e-4)


def test_flat_ground_has_slope_and_aspect_zero() -> None:
    slope, aspect = slope_aspect(np.full((4, 6), 1234.5), 30.0)
    assert not slope.any()
    assert not aspect.any()
    assert slope.shape == (4, 6)
    assert slope.dtype == aspect.dtype == np.float32


def test_horn_by_hand() -> None:
    elevation = np.array([[10.0, 11.0, 13.0], [12.0, 99.0, 14.0], [15.0, 15.0, 17.0]])
    slope, aspect = slope_aspect(elevation, 5.0)
    east = ((13 + 2 * 14 + 17) - (10 + 2 * 12 + 15)) / 40.0
    south = ((15 + 2 * 15 + 17) - (10 + 2 * 11 + 13)) / 40.0
    assert slope[1, 1] == pytest.approx(np.hypot(east, south))
    assert aspect[1, 1] == pytest.approx(np.degrees(np.arctan2(-east, south)) % 360)


def test_edges_repeat_the_nearest_cell() -> None:
    slope, aspect = slope_aspect(plane(-2, 0), 10.0)
    assert slope[:, 0] == pytest.approx(0.1)  # half of 0.2: one of the two sides is missing
    assert aspect[:, 0] == pytest.approx(90.0)


def test_cells_without_data_neither_have_nor_give_slope() -> None:
    elevation = plane(-2, 0)
    elevation[2, 3] = -9999.0
    valid = elevation > 0
    slope, _ = slope_aspect(elevation, 10.0, valid)
    assert slope[2, 3] == 0.0
    assert slope.max() == pytest.approx(0.2)
    assert slope[2, 2] == pytest.approx(0.2 * 6 / 8)  # weight 2 of 8 is missing
    assert slope[0, 0] == pytest.approx(slope_aspect(plane(-2, 0), 10.0)[0][0, 0])
