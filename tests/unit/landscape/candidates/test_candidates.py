"""Candidate lines: drainage, skeletons, edges of fuels, and their file."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from firebreak.landscape.candidates.corridor import length_of
from firebreak.landscape.candidates.lines import (
    candidate_lines,
    fuel_edges,
    masks_of,
    narrow_ground,
    paths_of,
    thinned,
    without_corners,
)
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.line_cells import lines_on_grid
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.terrain import drained_cells, slope_aspect
from firebreak.planning.output.vectors import has_vector_reader, write_lines

WEST, NORTH = -2_000_000.0, 1_500_000.0
SUFFIXES = [".geojson", *([".gpkg"] if has_vector_reader() else [])]


def land_of(elevation: np.ndarray, fuel: np.ndarray | None = None) -> Landscape:
    """A map of these heights, of grass unless said otherwise, in CONUS Albers."""
    bare = generate(6, elevation.shape, cell_size_m=30.0)
    slope, aspect = slope_aspect(elevation.astype(np.float32), 30.0)
    return replace(bare, elevation_m=elevation, slope_tan=slope, aspect_deg=aspect,
                   fuel_model=np.full(elevation.shape, 102) if fuel is None else fuel,
                   treatable=np.ones(elevation.shape, np.bool_),
                   canopy_cover=np.zeros(elevation.shape),
                   crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(2, 12))
def test_every_cell_drains_over_the_edge(seed: int, rows: int, cols: int) -> None:
    drained = drained_cells(np.random.default_rng(seed).normal(size=(rows, cols)))
    edge = np.ones((rows, cols), np.bool_)
    edge[1:-1, 1:-1] = False
    assert drained[edge].sum() == rows * cols
    assert drained.min() == 1


def test_a_trough_drains_along_its_floor_and_a_pit_over_its_sill() -> None:
    rows, cols = np.mgrid[0:21, 0:21]
    trough = np.abs(cols - 10) * 5.0 + (20 - rows)  # falls to the south
    drained = drained_cells(trough)
    assert (np.argmax(drained, axis=1)[2:] == 10).all()
    assert drained[20, 10] > 250  # what is not beside the other edges
    pit = trough.copy()
    pit[10, 10] -= 50.0
    assert drained_cells(pit)[20, 10] == drained[20, 10]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_a_skeleton_keeps_its_pieces_together(seed: int) -> None:
    noise = ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=(40, 40)), 3.0)
    mask = ndimage.binary_dilation(noise > 0.05, np.ones((3, 3)))
    thin = thinned(mask)
    assert not (thin & ~mask).any()
    joined = np.ones((3, 3))
    pieces, count = ndimage.label(mask, joined)
    for number in range(1, count + 1):
        own = pieces == number
        # Of a round piece nothing may be left: no line runs along it.
        assert ndimage.label(thin & own, joined)[1] <= 1
    bar = np.zeros((9, 40), np.bool_)
    bar[3:6, 2:38] = True
    assert thinned(bar).sum() >= 30
    windows = np.lib.stride_tricks.sliding_window_view(thin, (3, 3))
    assert not windows.all(axis=(2, 3)).any()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12))
def test_paths_are_rows_of_touching_cells(seed: int, least: int) -> None:
    noise = ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=(40, 40)), 2.0)
    thin = thinned(np.abs(noise) < 0.03)
    steps = set()
    for path in paths_of(thin, least):
        assert thin.ravel()[path].all()
        assert len(path) >= least
        places = np.stack(np.divmod(path, 40))
        assert (np.abs(np.diff(places)).max(axis=0) == 1).all()
        own = [tuple(sorted(pair)) for pair in pairwise(path.tolist())]
        assert not steps & set(own)
        steps |= set(own)


def test_a_short_spur_does_not_part_a_line() -> None:
    mask = np.zeros((9, 30), np.bool_)
    mask[4, 1:29] = True
    mask[2:4, 15] = True
    (path,) = paths_of(mask, 5)
    assert sorted(path.tolist()) == [4 * 30 + col for col in range(1, 29)]
    assert len(paths_of(mask, 2)) == 3


def test_ridges_valleys_roads_and_edges_are_where_they_are() -> None:
    rows, cols = np.mgrid[0:40, 0:61]
    roof = -np.abs(cols - 30) * 8.0 + rows * 0.5 + 1000.0
    fuel = np.where(rows < 20, 102, 145)
    fuel[:, 12] = 99  # a road
    fuel[30:40, 45:61] = 98  # a lake
    land = land_of(roof, fuel)
    masks = masks_of(land, basin_ha=2.0)
    lines = candidate_lines(land, masks, 300.0)
    ridge = max((line for line in lines if line.kind == "ridge"), key=lambda line: line.length_m)
    assert (np.abs(ridge.path % 61 - 30) <= 1).all()
    assert ridge.path.size > 24
    (road,) = (line for line in lines if line.kind == "road")
    assert (road.path % 61 == 12).all()
    edges = [line for line in lines if line.kind == "fuel-edge"]
    assert sum((np.abs(line.path // 61 - 20) <= 1).all() for line in edges) == 2
    beside_lake = ndimage.binary_dilation(fuel == 98, iterations=3)
    assert all((np.abs(line.path // 61 - 20) <= 1).all() or beside_lake.ravel()[line.path].all()
               for line in edges)
    turned = land_of(2000.0 - roof, fuel)
    valley = max((line for line in candidate_lines(turned, masks_of(turned, basin_ha=2.0), 300.0)
                  if line.kind == "valley"), key=lambda line: line.length_m)
    assert (np.abs(valley.path % 61 - 30) <= 1).all()


def test_an_even_slope_has_neither_ridge_nor_valley() -> None:
    rows, cols = np.mgrid[0:60, 0:60]
    land = land_of(500.0 + 9.0 * rows + 9.0 * cols)
    assert not [line for line in candidate_lines(land, masks_of(land, basin_ha=2.0), 200.0)
                if line.kind in ("ridge", "valley")]
    flat = land_of(np.full((30, 30), 100.0))
    assert not any(mask.any() for mask in masks_of(flat).values())


def test_lines_end_at_water_and_fields() -> None:
    rows, cols = np.mgrid[0:60, 0:61]
    roof = -np.abs(cols - 30) * 8.0 + rows * 0.5 + 1000.0
    fuel = np.full(roof.shape, 102)
    fuel[22:34] = 98  # a lake that the ridge would run through
    land = land_of(roof, fuel)
    ridges = [line for line in candidate_lines(land, masks_of(land, basin_ha=2.0), 200.0)
              if line.kind == "ridge"]
    assert len(ridges) == 2
    assert all(land.burnable.ravel()[line.path].all() for line in ridges)


def test_a_valley_ends_where_it_opens_on_to_a_plain() -> None:
    rows, cols = np.mgrid[0:80, 0:61]
    depth = np.clip(45 - rows, 0, 25) / 25.0  # of a gully that ends at row 45
    land = land_of(1000.0 - rows * 0.4 + np.minimum(np.abs(cols - 30), 12) * 6.0 * depth
                   + 0.01 * np.abs(cols - 30))
    valleys = [line for line in candidate_lines(land, masks_of(land, basin_ha=2.0), 300.0)
               if line.kind == "valley"]
    (line,) = [one for one in valleys if (np.abs(one.path % 61 - 30) <= 1).mean() > 0.9]
    assert 38 <= (line.path // 61).max() <= 50


def test_a_staircase_is_a_diagonal() -> None:
    width = 10
    stairs = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (3, 2), (4, 2), (4, 3), (4, 4)]
    cells = np.array([row * width + col for row, col in stairs])
    kept = without_corners(cells, width)
    assert [divmod(cell, width) for cell in kept.tolist()] == [
        (0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (4, 4)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([(0, 1), (1, 0), (1, 1), (-1, 1), (1, -1)]), min_size=1,
                max_size=30))
def test_a_path_without_corners_has_its_ends_and_stays_connected(steps) -> None:
    places = np.cumsum([(40, 40), *steps], axis=0)
    width = 100
    cells = places[:, 0] * width + places[:, 1]
    kept = without_corners(cells, width)
    assert (kept[0], kept[-1]) == (cells[0], cells[-1])
    assert set(kept.tolist()) <= set(cells.tolist())
    moved = np.abs(np.diff(np.stack(np.divmod(kept, width)), axis=1))
    assert (moved.max(axis=0) <= 1).all()


def test_wide_ground_and_small_patches_are_no_lines() -> None:
    fuel = np.full((50, 50), 102)
    fuel[5:20, 5:20] = 91  # a town
    fuel[30:33, 30:33] = 145  # a thicket of 0.8 ha
    land = land_of(np.random.default_rng(0).normal(size=(50, 50)), fuel)
    assert not narrow_ground(land).any()
    assert not fuel_edges(land)[25:40, 25:40].any()
    assert fuel_edges(land)[4, 8:17].all()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_lines_come_back_from_their_file_cell_by_cell(tmp_path: Path, suffix: str) -> None:
    noise = ndimage.gaussian_filter(np.random.default_rng(3).normal(size=(60, 60)), 5.0)
    land = land_of(500.0 + 2000.0 * noise)
    lines = candidate_lines(land, masks_of(land, basin_ha=3.0), 200.0)
    assert len(lines) > 3
    path = write_lines(tmp_path / f"lines{suffix}", [line.path for line in lines],
                       [{"kind": line.kind, "length_m": line.length_m} for line in lines], land)
    found = lines_on_grid(path, land, 1e9, joined=False)
    assert [pieces[0].tolist() for pieces in found.pieces] == [
        list(dict.fromkeys(line.path.tolist())) for line in lines]
    row = np.arange(5) * 60
    assert length_of(row, land) == 150.0
