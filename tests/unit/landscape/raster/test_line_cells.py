"""Lines of a file as thin rows of cells, cut at a length."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.landscape.raster.line_cells import cells_along, cut_path, lines_on_grid
from firebreak.landscape.raster.shape_files import LONGEST_NAME
from firebreak.landscape.raster.shapes import cells_by_name
from firebreak.landscape.synthetic.generate import generate

WEST, NORTH = -2_000_000.0, 1_500_000.0
LAND = replace(generate(6, (30, 40), cell_size_m=30.0),
               crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
               transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))
PATHS = st.lists(st.tuples(st.floats(-5, 35), st.floats(-5, 45)), min_size=2, max_size=6).map(
    lambda points: np.array(points, np.float64))


def at(places: Any) -> list[list[float]]:
    return [[WEST + 30.0 * col, NORTH - 30.0 * row] for row, col in places]


def written(folder: Path, *geometries: tuple[str, Any]) -> Path:
    path = folder / "lines.geojson"
    path.write_text(json.dumps({
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "EPSG:5070"}},
        "features": [{"type": "Feature", "properties": {},
                      "geometry": {"type": kind, "coordinates": coordinates}}
                     for kind, coordinates in geometries]}))
    return path


@settings(max_examples=100, deadline=None)
@given(PATHS, st.booleans())
def test_a_row_of_cells_has_no_gap_and_keeps_near_its_line(path: np.ndarray, joined: bool) -> None:
    cells = cells_along(path, joined)
    steps = np.abs(np.diff(cells, axis=0))
    assert (steps.max(axis=1, initial=1) == 1).all()
    if joined:
        assert (steps.sum(axis=1) == 1).all()
    assert (cells[0] == np.floor(path[0])).all()
    assert (cells[-1] == np.floor(path[-1])).all()
    # No cell is further from the line than its corners' rounding and a half cell explain.
    fine = np.concatenate([first + np.linspace(0, 1, 200)[:, None] * (last - first)
                           for first, last in pairwise(path)])
    gap = np.abs(cells[:, None] + 0.5 - fine[None]).max(axis=2).min(axis=1)
    assert gap.max() <= (2.0 if joined else 1.3)


@settings(max_examples=100, deadline=None)
@given(PATHS, st.floats(0.5, 50))
def test_a_cut_keeps_the_line_and_no_piece_is_longer(path: np.ndarray, longest: float) -> None:
    whole = np.hypot(*np.diff(path, axis=0).T).sum()
    pieces = cut_path(path, longest)
    if whole == 0.0:
        assert pieces == []
        return
    lengths = [np.hypot(*np.diff(piece, axis=0).T).sum() for piece in pieces]
    assert sum(lengths) == pytest.approx(whole)
    assert max(lengths) <= longest * (1 + 1e-6)
    assert len(pieces) <= whole / longest + 1 + 1e-6
    np.testing.assert_allclose(pieces[0][0], path[0])
    np.testing.assert_allclose(pieces[-1][-1], path[-1])
    for before, after in pairwise(pieces):
        np.testing.assert_array_equal(before[-1], after[0])


@pytest.mark.parametrize(("suffix", "key"), [(".geojson", "name"), (".gpkg", "NAME")])
def test_lines_have_the_names_of_their_file(tmp_path: Path, suffix: str, key: str) -> None:
    path = written(tmp_path, *(("LineString", at([(row + 0.5, 0.5), (row + 0.5, 30.5)]))
                               for row in (5, 12, 19, 26)))
    content = json.loads(path.read_text())
    for feature, own in zip(content["features"], (
            {key: "  Main\n\x1bDivide\u202e ", "FULLNAME": "Main Divide Rd"},
            {"FULLNAME": "x" * 99},
            {key: "", "id": "7"}, {}), strict=True):
        feature["properties"] = dict.fromkeys((key, "FULLNAME", "id"), None) | own
    path.write_text(json.dumps(content))
    if suffix == ".gpkg":
        pyogrio = pytest.importorskip("pyogrio")
        meta, _, shapes, columns = pyogrio.raw.read(path)
        path = tmp_path / "lines.gpkg"
        pyogrio.raw.write(path, shapes, columns, meta["fields"], crs=meta["crs"],
                          geometry_type=meta["geometry_type"])
    names = ["Main Divide", "x" * LONGEST_NAME, "", ""]
    assert lines_on_grid(path, LAND, 1e9, joined=False).names == names
    found = cells_by_name([path, path], LAND)
    assert {name: np.unique(cells // 40).tolist() for name, cells in found.items()} == {
        names[0]: [5], names[1]: [12]}


def test_lines_and_rings_are_cut_and_the_map_bounds_them(tmp_path: Path) -> None:
    path = written(tmp_path, ("LineString", at([(5.5, 0.5), (5.5, 30.5)])),
                   ("Polygon", [at([(10.5, 10.5), (10.5, 20.5), (20.5, 20.5), (10.5, 10.5)])]),
                   ("MultiLineString", [at([(2.5, 35.5), (2.5, 60.5)]),
                                        at([(50.5, 2.5), (60.5, 2.5)])]))
    found = lines_on_grid(path, LAND, 300.0, joined=False)
    assert found.outside == 1
    assert [len(pieces) for pieces in found.pieces] == [3, 4, 1]
    assert found.pieces[0][0].tolist() == list(range(5 * 40, 5 * 40 + 11))
    assert found.pieces[2][0].tolist() == list(range(2 * 40 + 35, 3 * 40))
    ring = set(np.concatenate(found.pieces[1]).tolist())
    assert {k * 40 + k for k in range(10, 21)} < ring
    joined = lines_on_grid(path, LAND, 300.0, joined=True)
    assert ring < set(np.concatenate(joined.pieces[1]).tolist())


@pytest.mark.parametrize(("shape", "words"), [
    (("LineString", at([(1, 1), (1, 1)])), "lines of some length, got line 1 of none"),
    (("LineString", at([(1, 1)])), "lines of some length, got line 1 of none"),
    (("LineString", at([(-9, 1), (-5, 9)])), "lines on the landscape, got 1, all outside"),
    (("Point", at([(1, 1)])[0]), "lines or polygons, got points"),
    (("LineString", at([(1, 1), (9e5, 1)])), "at most 20,000,000 cells"),
])
def test_lines_that_cannot_be_built_are_refused(tmp_path: Path, shape: tuple[str, Any],
                                                words: str, monkeypatch: Any) -> None:
    if "20,000,000" in words:
        words = "at most 100,000 cells"
        monkeypatch.setattr("firebreak.landscape.raster.line_cells.MOST_CELLS", 100_000)
    with pytest.raises(InputError, match=words):
        lines_on_grid(written(tmp_path, shape), LAND, 300.0, joined=False)


def test_a_raster_of_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"shapes of lines, got a file '\.tif'"):
        lines_on_grid(tmp_path / "a.tif", LAND, 300.0, joined=False)


@pytest.mark.parametrize("longest_m", [1e-9, 1.0, 29.0])
def test_no_piece_is_shorter_than_a_cell_has_to_be(tmp_path: Path, longest_m: float) -> None:
    path = written(tmp_path, ("LineString", at([(5.5, 0.5), (5.5, 20.5)])))
    found = lines_on_grid(path, LAND, longest_m, joined=False)
    assert len(found.pieces[0]) == 20
    assert set(np.concatenate(found.pieces[0]).tolist()) == set(range(5 * 40, 5 * 40 + 21))


def test_a_line_beyond_the_bound_is_refused_before_it_is_cut(tmp_path: Path,
                                                             monkeypatch: Any) -> None:
    monkeypatch.setattr("firebreak.landscape.raster.line_cells.MOST_CELLS", 100_000)
    monkeypatch.setattr("firebreak.landscape.raster.line_cells.cut_path", None)
    with pytest.raises(InputError, match="at most 100,000 cells"):
        lines_on_grid(written(tmp_path, ("LineString", at([(1, 1), (9e5, 1)]))), LAND, 1.0,
                      joined=False)
