"""The benchmark of growth: its mosaics and its table."""

import numpy as np
import pytest
from benchmarks.growth import square, table_of

from firebreak.landscape.synthetic.generate import generate

RECORD = {"landscape": "here", "method": "windows, dqn", "plan_fires": 1577, "peak_gb": 1.04,
          "told_gb": 1.26, "promised": 0.75, "kept": 0.5, "half": 0.01}


def test_a_mosaic_is_the_map_and_its_mirror_images() -> None:
    land = generate(5, 20)
    tiles = square(land, 50)
    assert tiles.shape == (50, 50)
    flipped = {(0, 0): land.fuel_model, (0, 1): land.fuel_model[:, ::-1],
               (1, 0): land.fuel_model[::-1], (1, 1): land.fuel_model[::-1, ::-1]}
    for down in range(3):
        for right in range(3):
            own = tiles.fuel_model[20 * down:20 * down + 20, 20 * right:20 * right + 20]
            rows, cols = own.shape
            assert (own == flipped[down % 2, right % 2][:rows, :cols]).all()
    # Uphill is uphill in a mirror image: its slope is as steep, and faces the other way.
    assert tiles.slope_tan[5:15, 25:35] == pytest.approx(tiles.slope_tan[5:15, 5:15][:, ::-1],
                                                         rel=1e-4)
    steep = tiles.slope_tan[5:15, 5:15] > 0.05
    east, other = (np.sin(np.radians(part)) for part in (
        tiles.aspect_deg[5:15, 5:15], tiles.aspect_deg[5:15, 25:35][:, ::-1]))
    assert steep.any()
    assert other[steep] == pytest.approx(-east[steep], abs=1e-3)


def test_a_square_of_the_map_is_its_corner() -> None:
    land = generate(5, 20)
    assert (square(land, 12).fuel_model == land.fuel_model[:12, :12]).all()


def test_the_table_has_the_exponent_between_plans_by_windows() -> None:
    rows = [{**RECORD, "rows": 512, "cols": 512, "cpu_s": 160.0},
            {**RECORD, "rows": 256, "cols": 256, "cpu_s": 40.0},
            {"landscape": "here", "method": "simulate, 10 fires", "rows": 256, "cols": 256,
             "cpu_s": 2.0, "peak_gb": 0.5}]
    lines = table_of(rows).splitlines()
    assert lines[2] == ("| here | 256 x 256 | windows, dqn | 1,577 | 40 | 1.0 (1.3) | 0.750 | "
                        "0.500 +- 0.010 |")
    assert lines[3] == "| here | 256 x 256 | simulate, 10 fires |  | 2 | 0.5 |  |  |"
    assert lines[-1] == "From 256 to 512 rows CPU seconds grow as cells^1.00."
