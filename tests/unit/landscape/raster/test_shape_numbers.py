"""Numbers that shapes carry, on a landscape's grid: amounts that are shared, levels that hold."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.landscape.formats.overlays import (
    amounts_on_grid,
    counted_in,
    file_and_attribute,
    with_rasters,
)
from firebreak.landscape.raster.on_grid import mask_of
from firebreak.landscape.raster.shapes import amounts_of_shapes, levels_of_shapes
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.output.vectors import has_vector_reader

WEST, NORTH = -2_000_000.0, 1_500_000.0
LAND = replace(generate(6, (10, 12), cell_size_m=30.0),
               crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
               transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))


def at(row: float, col: float) -> list[float]:
    """Coordinates of a place in rows and columns."""
    return [WEST + 30.0 * col, NORTH - 30.0 * row]


def point(row: float, col: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": at(row, col)}


def box(top: float, bottom: float, left: float, right: float) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [[at(top, left), at(top, right), at(bottom, right),
                                                at(bottom, left), at(top, left)]]}


def written(folder: Path, shapes: list[tuple[dict[str, Any], dict[str, Any]]],
            name: str = "houses.geojson") -> Path:
    path = folder / name
    path.write_text(json.dumps({
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "EPSG:5070"}},
        "features": [{"type": "Feature", "properties": own, "geometry": geometry}
                     for geometry, own in shapes]}))
    return path


def slow_share(top: float, bottom: float, left: float, right: float) -> np.ndarray:
    """What of a box's number falls into each cell, cell centre by cell centre, on a larger map."""
    centres = np.zeros((40, 40))
    for row in range(40):
        for col in range(40):
            centres[row, col] = top < row - 14.5 < bottom and left < col - 14.5 < right
    return centres[15:25, 15:27] / centres.sum()


@settings(max_examples=40, deadline=None)
@given(st.integers(-12, 18), st.integers(1, 8), st.integers(-12, 18), st.integers(1, 8),
       st.floats(0.5, 1e6))
def test_a_polygon_s_number_is_shared_by_its_cells(
        tmp_path_factory: pytest.TempPathFactory, top: int, height: int, left: int, width: int,
        number: float) -> None:
    edges = (top + 0.1, top + height - 0.1, left + 0.2, left + width - 0.2)
    path = written(tmp_path_factory.mktemp("s"), [(box(*edges), {"n": number}),
                                                  (point(0.5, 0.5), {"n": 0})])
    found = amounts_of_shapes(path, "n", LAND)
    expected = slow_share(*edges)
    np.testing.assert_allclose(found.grid, number * expected, rtol=1e-12)
    inside = np.count_nonzero(expected) / (height * width)
    assert (found.outside, found.across) == (int(inside == 0), int(0 < inside < 1))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 9.99), st.floats(0, 11.99), st.integers(0, 9)), min_size=1,
                max_size=20))
def test_points_in_one_cell_add_up(tmp_path_factory: pytest.TempPathFactory,
                                   points: list[tuple[float, float, int]]) -> None:
    path = written(tmp_path_factory.mktemp("s"),
                   [(point(row, col), {"n": number}) for row, col, number in points])
    expected, count = np.zeros(LAND.shape), np.zeros(LAND.shape)
    for row, col, number in points:
        expected[int(row), int(col)] += number
        count[int(row), int(col)] += 1
    # The way to coordinates and back may move a point on a cell's edge over it.
    near = any(abs(part - round(part)) < 1e-6 for row, col, _ in points for part in (row, col))
    found = amounts_of_shapes(path, "n", LAND).grid
    assert found.sum() == pytest.approx(expected.sum())
    if not near:
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(amounts_of_shapes(path, None, LAND).grid, count)


def test_a_house_smaller_than_a_cell_counts_where_it_stands(tmp_path: Path) -> None:
    path = written(tmp_path, [(box(2.1, 2.2, 3.1, 3.2), {}), (box(4.9, 5.1, 7.1, 7.2), {})])
    grid = amounts_of_shapes(path, None, LAND).grid
    assert grid[2, 3] == 1.0
    assert grid[4, 7] == grid[5, 7] == 0.5
    assert grid.sum() == 2.0


def test_a_level_holds_in_every_cell_and_the_largest_counts(tmp_path: Path) -> None:
    path = written(tmp_path, [(box(0, 10, 0, 12), {"c": 2}), (box(0, 10, 0, 6), {"c": 5.5}),
                              (box(0, 5, 0, 12), {"c": 1})])
    expected = np.where(np.arange(12) < 6, 5.5, 2.0) * np.ones(LAND.shape)
    np.testing.assert_array_equal(levels_of_shapes(path, "c", LAND), expected)
    costs = with_rasters(LAND, cost=f"{path}:c").cost
    np.testing.assert_array_equal(costs, np.where(costs == 1.0, 1.0, expected))
    np.testing.assert_array_equal(costs[LAND.treatable], expected[LAND.treatable])


def test_values_and_ignitions_take_shapes_and_tables(tmp_path: Path) -> None:
    row, col = divmod(int(np.flatnonzero(LAND.burnable)[5]), 12)
    path = written(tmp_path, [(point(row + 0.5, col + 0.5), {"w": 2.5}),
                              (point(row + 0.2, col + 0.3), {"w": 1})])
    land = with_rasters(LAND, value=f"{path}:w", ignition=path)
    assert (land.value[row, col], land.value.sum()) == (3.5, 3.5)
    assert (land.ignition_weight[row, col], land.ignition_weight.sum()) == (2.0, 2.0)
    table = tmp_path / "starts.csv"
    table.write_text(f"x,y,Weight\n{','.join(map(str, at(row + 0.5, col + 0.5)))},4\n")
    assert with_rasters(LAND, ignition=f"{table}:weight").ignition_weight[row, col] == 4.0
    assert with_rasters(LAND, value=table).value[row, col] == 1.0


@pytest.mark.slow
@pytest.mark.skipif(not has_vector_reader(), reason="pyogrio (extra vector) is not installed")
def test_a_geopackage_gives_the_same_numbers(tmp_path: Path) -> None:
    from pyogrio import raw

    path = written(tmp_path, [(point(1.5, 2.5), {"n": 3, "name": "a"}),
                              (box(4, 6, 4, 7), {"n": 7, "name": "b"})])
    meta, _, shapes, columns = raw.read(path)
    for suffix, driver in ((".gpkg", "GPKG"), (".shp", "ESRI Shapefile"), (".fgb", "FlatGeobuf")):
        for place, kind in enumerate(("Point", "Polygon")):
            other = tmp_path / f"houses{suffix}"
            one = slice(place, place + 1)
            raw.write(other, shapes[one], [column[one] for column in columns],
                      list(meta["fields"]), driver=driver, geometry_type=kind, crs="EPSG:5070")
            only = written(tmp_path, [[(point(1.5, 2.5), {"n": 3}),
                                       (box(4, 6, 4, 7), {"n": 7})][place]], "one.geojson")
            np.testing.assert_array_equal(amounts_of_shapes(other, "n", LAND).grid,
                                          amounts_of_shapes(only, "n", LAND).grid)
            other.unlink()
            with pytest.raises(InputError, match="no such file"):
                amounts_of_shapes(other, "n", LAND)


@pytest.mark.parametrize(("own", "attribute", "words"), [
    ({"value": 1}, "valeu", "expected an attribute 'valeu' of the shapes, got value; is 'value'"),
    ({}, "value", "expected an attribute 'value' of the shapes, got none"),
    ({"value": None}, "value", "a number of 0 or more in 'value' of every shape, got nothing in "
                               "shape 1"),
    ({"value": float("nan")}, "value", "got nothing in shape 1"),
    ({"value": "many"}, "value", "got the text 'many' in shape 1"),
    ({"value": True}, "value", "got 'True' in shape 1"),
    ({"value": -1}, "value", "got '-1' in shape 1"),
    ({"value": 1e999}, "value", "got 'inf' in shape 1"),
    ({"value": 1}, "", "an attribute ''"),
])
def test_numbers_that_are_none_are_refused(tmp_path: Path, own: dict[str, Any], attribute: str,
                                           words: str) -> None:
    path = written(tmp_path, [(point(1.5, 2.5), own)])
    with pytest.raises(InputError, match=words):
        amounts_on_grid(f"{path}:{attribute}", LAND, "value")


@pytest.mark.parametrize(("width", "shown"), [(0, "'0'"), (-3.5, "'-3.5'"), (None, "nothing"),
                                              ("wide", "the text 'wide'")])
def test_a_width_that_is_none_is_refused_by_its_feature(tmp_path: Path, width: object,
                                                        shown: str) -> None:
    path = written(tmp_path, [(box(2, 3, 0, 12), {"width_m": 6.0}),
                              (box(6, 7, 0, 12), {"width_m": width})])
    with pytest.raises(InputError, match=rf"a number above 0 in 'width_m' of every shape, got "
                                         rf"{shown} in shape 2"):
        with_rasters(LAND, barriers=f"{path}:width_m")


def test_shapes_outside_the_map_are_said_or_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [(point(1.5, 2.5), {}), (point(-1.5, 2.5), {}),
                              (box(8, 12, 0, 2), {})])
    with pytest.warns(LandscapeWarning) as said:
        grid = amounts_on_grid(path, LAND, "value")
    assert [str(one.message).split(": ")[1] for one in said] == [
        "1 of 3 shapes lie outside the map and are left out",
        "1 of 3 shapes lie on the map's edge and count by the share of their cells inside"]
    assert grid.sum() == pytest.approx(1.5)
    with pytest.raises(InputError, match="shapes on the landscape, got 1 shape, all outside"):
        amounts_of_shapes(written(tmp_path, [(point(-1.5, 2.5), {})]), None, LAND)
    with pytest.raises(InputError, match="at most 50,000,000 cells from edge to edge"):
        amounts_of_shapes(written(tmp_path, [(box(-5000, 5000, -5000, 5000), {})]), None, LAND)


def test_a_colon_names_an_attribute_unless_the_file_has_it(tmp_path: Path) -> None:
    plain, colon = tmp_path / "houses.geojson", tmp_path / "a:b.geojson"
    for path in (plain, colon):
        path.write_text("{}")
    assert file_and_attribute(f"{plain}:value") == (plain, "value")
    assert file_and_attribute(plain) == (plain, None)
    assert file_and_attribute(colon) == (colon, None)
    assert file_and_attribute(f"{colon}:c") == (colon, "c")
    assert file_and_attribute("not_there.gpkg:value") == (Path("not_there.gpkg"), "value")
    assert file_and_attribute("C:/maps/value.tif") == (Path("C:/maps/value.tif"), None)
    assert (counted_in(plain), counted_in(f"{plain}:v"), counted_in("value.tif")) == (
        "houses", None, None)


def test_costs_of_shapes_without_an_attribute_and_attributes_of_rasters_are_refused(
        tmp_path: Path) -> None:
    path = written(tmp_path, [(box(0, 10, 0, 6), {"c": 2})])
    with pytest.raises(InputError, match=r"name it after a colon: houses\.geojson:cost"):
        with_rasters(LAND, cost=path)
    with pytest.raises(InputError, match="a cost above 0 in every treatable cell, got"):
        with_rasters(LAND, cost=f"{path}:c")
    raster = tmp_path / "value.tif"
    raster.write_bytes(b"")
    with pytest.raises(InputError, match="'v' is an attribute, got a raster"):
        with_rasters(LAND, value=f"{raster}:v")


def two_layers(folder: Path, name: str = "houses") -> Path:
    """A GeoPackage with a layer of one point, and one of two houses."""
    from pyogrio import raw

    path = folder / "two.gpkg"
    for layer, rows, numbers in (("old", [1.5], [9.0]), (name, [1.5, 5.5], [3.0, 4.0])):
        meta, _, shapes, columns = raw.read(written(
            folder, [(point(row, 2.5), {"price": number}) for row, number in zip(rows, numbers,
                                                                               strict=True)]))
        raw.write(path, shapes, columns, list(meta["fields"]), driver="GPKG", layer=layer,
                  geometry_type="Point", crs="EPSG:5070", append=path.exists())
    return path


@pytest.mark.skipif(not has_vector_reader(), reason="pyogrio (extra vector) is not installed")
def test_a_layer_may_have_colons_in_its_name(tmp_path: Path) -> None:
    path = two_layers(tmp_path, "town: houses")
    assert amounts_on_grid(f"{path}:town: houses:price", LAND, "value").sum() == 7.0
    assert amounts_on_grid(f"{path}:town: houses:", LAND, "value").sum() == 2.0
    assert counted_in(f"{path}:town: houses:") == "town: houses"
    assert mask_of(Path(f"{path}:town: houses"), LAND).sum() == 2
    with pytest.raises(InputError, match="a layer 'town', got old, town: houses"):
        amounts_on_grid(f"{path}:town: houses", LAND, "value")


@pytest.mark.skipif(not has_vector_reader(), reason="pyogrio (extra vector) is not installed")
def test_a_layer_is_named_and_must_be_where_there_are_several(tmp_path: Path) -> None:
    path = two_layers(tmp_path)
    for source in (path, f"{path}:price", f"{path}:houses"):
        with pytest.raises(InputError, match=r"the layer to be named, got old, houses; .*two\.gpkg:"
                                             r"old: for its shapes, two\.gpkg:old:NAME"):
            amounts_on_grid(source, LAND, "value")
    with pytest.raises(InputError, match="a layer 'home', got old, houses"):
        amounts_on_grid(f"{path}:home:price", LAND, "value")
    with pytest.raises(InputError, match=r"an attribute 'prize' .* is 'price' meant"):
        amounts_on_grid(f"{path}:houses:prize", LAND, "value")
    assert amounts_on_grid(f"{path}:houses:price", LAND, "value").sum() == 7.0
    assert amounts_on_grid(f"{path}:old:price", LAND, "value").sum() == 9.0
    assert amounts_on_grid(f"{path}:houses:", LAND, "value").sum() == 2.0
    assert counted_in(f"{path}:houses:") == "houses"
    with pytest.raises(InputError, match="the layer to be named"):
        with_rasters(LAND, treatable=path)
    for source in (f"{path}:houses", f"{path}:houses:"):
        assert with_rasters(LAND, treatable=Path(source)).treatable.sum() == 2


def test_geojson_has_no_layer(tmp_path: Path) -> None:
    path = written(tmp_path, [(point(1.5, 2.5), {"n": 1})])
    with pytest.raises(InputError, match="GeoJSON and the layer 'a'; leave the layer out"):
        amounts_on_grid(f"{path}:a:n", LAND, "value")


@pytest.mark.parametrize(("x", "y", "words"), [
    (WEST, NORTH, "looks like metres; .*ogr2ogr"), (33.8, -117.6, "a latitude before a longitude"),
])
def test_numbers_that_are_no_degrees_are_named(tmp_path: Path, x: float, y: float,
                                               words: str) -> None:
    path = tmp_path / "a.geojson"
    path.write_text(json.dumps({"type": "Point", "coordinates": [x, y]}))
    with pytest.raises(InputError, match=words):
        with_rasters(LAND, treatable=path)
