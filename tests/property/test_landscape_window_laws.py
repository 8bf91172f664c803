"""Laws of splits and symmetries that hold for any map."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import SYMMETRIES, aggregate, dihedral, split_blocks, turn
from firebreak.landscape.synthetic.generate import generate

LANDSCAPES = st.builds(generate, st.integers(0, 2**40),
                       st.tuples(st.integers(4, 14), st.integers(4, 14)))


@given(st.integers(3, 60), st.integers(3, 60), st.integers(1, 20), st.integers(0, 99),
       st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)))
@settings(max_examples=80, deadline=None)
def test_blocks_cover_the_map_once(rows: int, cols: int, block: int, seed: int,
                                   weights: tuple[int, int, int]) -> None:
    first, second = weights[0] / sum(weights), weights[1] / sum(weights)
    if max(1, rows // block) * max(1, cols // block) < 3:
        return
    split = split_blocks((rows, cols), block, (first, second, 1 - first - second), seed)
    covered = np.zeros((rows, cols), dtype=int)
    for blocks in split.values():
        assert blocks
        for part in blocks:
            covered[part.slices] += 1
            assert part.rows >= min(block, rows)
            assert part.cols >= min(block, cols)
    assert (covered == 1).all()


@given(LANDSCAPES, st.integers(0, SYMMETRIES - 1))
@settings(max_examples=30, deadline=None)
def test_every_symmetry_has_an_inverse(land: Landscape, k: int) -> None:
    back = k if k >= 4 else -k % 4
    there_and_back = dihedral(dihedral(land, k), back)
    assert (there_and_back.fuel_model == land.fuel_model).all()
    np.testing.assert_allclose(there_and_back.slope_tan, land.slope_tan, atol=1e-4)
    turned = np.abs((there_and_back.aspect_deg - land.aspect_deg + 180) % 360 - 180)
    assert (turned[land.slope_tan > 0.01] < 0.1).all()


@given(LANDSCAPES, st.integers(0, SYMMETRIES - 1))
@settings(max_examples=30, deadline=None)
def test_turned_aspects_point_the_same_way_on_the_ground(land: Landscape, k: int) -> None:
    radians = np.radians(land.aspect_deg)
    east, north = np.sin(radians), np.cos(radians)
    for _ in range(k % 4):  # anticlockwise: what faced east faces north
        east, north = -north, east
    if k >= 4:
        east = -east
    expected = turn(np.degrees(np.arctan2(east, north)), k)
    turned = dihedral(land, k)
    error = np.abs((turned.aspect_deg - expected + 180) % 360 - 180)
    assert (error[turned.slope_tan > 0.01] < 0.1).all()


@given(LANDSCAPES, st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_aggregates_keep_means_and_known_fuels(land: Landscape, factor: int) -> None:
    coarse = aggregate(land, factor)
    rows, cols = (length // factor * factor for length in land.shape)
    np.testing.assert_allclose(coarse.elevation_m.mean(), land.elevation_m[:rows, :cols].mean(),
                               rtol=1e-5)
    assert set(np.unique(coarse.fuel_model)) <= set(np.unique(land.fuel_model))
