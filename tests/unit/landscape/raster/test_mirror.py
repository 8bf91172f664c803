"""Land beyond the edge of a map is its mirror image, which burns and has nothing to lose."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.windows import Window, inside_map, mirrored_part, padded_to
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.terrain import slope_aspect

ROWS, COLS = 12, 15
WINDOWS = [Window(-4, 2, 9, 8), Window(6, -7, 10, 26), Window(-12, -15, 36, 45), Window(3, 4, 5, 6)]


def land_with_everything() -> Landscape:
    land = generate(3, (ROWS, COLS))
    numbers = np.random.default_rng(1).random((ROWS, COLS))
    return replace(land, value=numbers, layers=(numbers,), road_m=100.0 * np.floor(3 * numbers))


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_beyond_the_edges_is_the_map_padded_with_its_mirror_image(window: Window) -> None:
    land = land_with_everything()
    made = mirrored_part(land, window)
    around = ((ROWS, ROWS), (COLS, COLS))
    own = (slice(window.row + ROWS, window.row + ROWS + window.rows),
           slice(window.col + COLS, window.col + COLS + window.cols))
    for name in ("fuel_model", "elevation_m", "slope_tan", "canopy_cover", "canopy_height_m",
                 "ignition_weight", "cost"):
        np.testing.assert_array_equal(
            getattr(made, name), np.pad(getattr(land, name), around, mode="symmetric")[own])
    for grid, whole in ((made.value, land.value), (made.treatable, land.treatable),
                        (made.layers[0], land.layers[0])):
        np.testing.assert_array_equal(grid, np.pad(whole, around)[own])
    assert made.road_m is not None
    beyond = ~np.pad(np.ones(land.shape, bool), around)[own]
    assert (made.road_m[beyond] > 0.0).all()
    a, _, c, _, e, f = land.transform
    assert made.transform[2] == pytest.approx(c + a * window.col)
    assert made.transform[5] == pytest.approx(f + e * window.row)


def test_mirrored_slopes_face_where_those_of_the_mirrored_elevations_do() -> None:
    land = generate(5, (ROWS, COLS))
    made = mirrored_part(land, Window(-ROWS, -COLS, 3 * ROWS, 3 * COLS))
    slope, aspect = slope_aspect(made.elevation_m, made.cell_size_m, made.fuel_model != NODATA)
    # At the seam the two sides' elevations meet, which one side alone does not know.
    far = np.ones(made.shape, bool)
    for edge in (0, ROWS, 2 * ROWS, 3 * ROWS):
        far[max(edge - 1, 0):edge + 1] = False
    for edge in (0, COLS, 2 * COLS, 3 * COLS):
        far[:, max(edge - 1, 0):edge + 1] = False
    steep = far & (slope > 1e-3)
    turned = np.radians(made.aspect_deg.astype(float) - aspect)[steep]
    assert steep.sum() > 500
    np.testing.assert_allclose(made.slope_tan[steep], slope[steep], rtol=1e-4)
    np.testing.assert_allclose(np.cos(turned), 1.0, atol=1e-4)


def test_a_part_is_put_back_into_its_window() -> None:
    window = Window(-2, 3, 6, 20)
    real = inside_map(window, (ROWS, COLS))
    assert real == Window(0, 3, 4, 12)
    whole = padded_to(np.ones((4, 12), bool), real, window, False)
    assert whole.shape == (6, 20)
    assert whole[2:, :12].all()
    assert whole.sum() == 48
