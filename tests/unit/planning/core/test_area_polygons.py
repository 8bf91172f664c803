"""Polygons as areas: on the map, at its edge, beyond it, with holes, of several parts."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rasterio.crs import CRS

from drawn_lines import CELL, NORTH, WEST, drawn, line_of
from firebreak.checks import InputError
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.area import area_mask

LAND = replace(generate(6, (12, 15), cell_size_m=CELL), crs=CRS.from_epsg(32611).to_wkt(),
               transform=(CELL, 0.0, WEST, 0.0, -CELL, NORTH))
Box = tuple[int, int, int, int]


def ring(box: Box) -> list[list[float]]:
    top, bottom, left, right = box
    return [[WEST + CELL * col, NORTH - CELL * row] for row, col in (
        (top, left), (bottom, left), (bottom, right), (top, right), (top, left))]


def polygons(*parts: list[Box]) -> dict[str, Any]:
    """A part for each list: its outer ring, and its holes."""
    return {"type": "Feature", "properties": {}, "geometry": {
        "type": "MultiPolygon", "coordinates": [[ring(box) for box in part] for part in parts]}}


def mask(*boxes: Box, hole: Box = (0, 0, 0, 0)) -> np.ndarray:
    inside = np.zeros(LAND.shape, np.bool_)
    for top, bottom, left, right in boxes:
        inside[max(top, 0):bottom, max(left, 0):right] = True
    inside[hole[0]:hole[1], hole[2]:hole[3]] = False
    return inside


@pytest.mark.parametrize(("features", "inside"), [
    ([polygons([(2, 6, 3, 9)])], mask((2, 6, 3, 9))),
    ([polygons([(0, 12, 0, 15)])], mask((0, 12, 0, 15))),
    ([polygons([(0, 9, 0, 9), (3, 6, 3, 6)])], mask((0, 9, 0, 9), hole=(3, 6, 3, 6))),
    ([polygons([(0, 3, 0, 3)], [(8, 12, 9, 15)])], mask((0, 3, 0, 3), (8, 12, 9, 15))),
    ([polygons([(0, 4, 0, 4)]), polygons([(2, 6, 2, 6)])], mask((0, 4, 0, 4), (2, 6, 2, 6)))],
    ids=["one", "whole", "hole", "parts", "two"])
def test_polygons_on_the_map_are_an_area(features: list[dict[str, Any]], inside: np.ndarray,
                                         tmp_path: Path) -> None:
    path = drawn(tmp_path / "area.geojson", *features)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(area_mask(LAND, str(path)), inside)


@pytest.mark.parametrize("box", [(-1, 5, 2, 6), (8, 13, 2, 6), (2, 6, -4, 5), (2, 6, 9, 16),
                                 (-9, 40, -9, 40)])
def test_what_goes_on_beyond_the_map_is_told(box: Box, tmp_path: Path) -> None:
    path = drawn(tmp_path / "area.geojson", polygons([(2, 4, 2, 4)]), polygons([box]))
    with pytest.warns(LandscapeWarning, match="goes on beyond the map"):
        np.testing.assert_array_equal(area_mask(LAND, str(path)), mask((2, 4, 2, 4), box))


def test_a_line_is_no_area(tmp_path: Path) -> None:
    path = drawn(tmp_path / "area.geojson", polygons([(2, 4, 2, 4)]), line_of(5, 2, 9))
    with pytest.raises(InputError, match="expected polygons, got a LineString"):
        area_mask(LAND, str(path))


@pytest.mark.parametrize("area", ["5:2,0:4", "0:13,0:4", "3:3,0:4"])
def test_ranges_that_hold_nothing_say_how_they_are_written(area: str) -> None:
    with pytest.raises(InputError, match="the smaller number first"):
        area_mask(LAND, area)
