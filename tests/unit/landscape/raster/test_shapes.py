"""Shapes as masks on a landscape's grid, and costs of cells."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import rasterio.features
from hypothesis import given
from hypothesis import strategies as st
from rasterio.warp import transform_geom
from scipy.ndimage import distance_transform_edt, label

from firebreak.checks import InputError
from firebreak.landscape.formats.overlays import with_rasters
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster import shape_files
from firebreak.landscape.raster.line_cells import masks_of_shapes
from firebreak.landscape.raster.on_grid import mask_of, read_on_grid
from firebreak.landscape.raster.shapes import mask_of_shapes
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatment_table import treated_ha, with_roads
from firebreak.planning.output.vectors import has_vector_reader

WEST, NORTH = -2_000_000.0, 1_500_000.0
ALBERS = rasterio.crs.CRS.from_epsg(5070).to_wkt()
LAND = replace(generate(6, (10, 12), cell_size_m=30.0), crs=ALBERS,
               transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))
needs_pyogrio = pytest.mark.skipif(not has_vector_reader(), reason="pyogrio (extra vector) "
                                                                   "is not installed")


def box(top: float, bottom: float, left: float, right: float) -> dict[str, Any]:
    """A polygon around rows and columns, in the landscape's coordinates."""
    x0, x1, y0, y1 = WEST + 30 * left, WEST + 30 * right, NORTH - 30 * bottom, NORTH - 30 * top
    return {"type": "Polygon", "coordinates": [[[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]]}


def feature(geometry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "properties": {}, "geometry": geometry}


def collection(*geometries: dict[str, Any], system: str | None = "EPSG:5070") -> str:
    named = {} if system is None else {"crs": {"type": "name", "properties": {"name": system}}}
    return json.dumps({"type": "FeatureCollection", "features": list(map(feature, geometries)),
                       **named})


def written(folder: Path, text: str, name: str = "a.geojson") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def cells(top: int, bottom: int, left: int, right: int) -> np.ndarray:
    mask = np.zeros(LAND.shape, np.bool_)
    mask[top:bottom, left:right] = True
    return mask


@pytest.mark.slow
@given(st.integers(0, 9), st.integers(1, 10), st.integers(0, 11), st.integers(1, 12))
def test_a_polygon_covers_the_cells_whose_centres_it_holds(
        tmp_path_factory: pytest.TempPathFactory, top: int, height: int, left: int,
        width: int) -> None:
    bottom, right = min(top + height, 10), min(left + width, 12)
    path = written(tmp_path_factory.mktemp("s"),
                   collection(box(top + 0.3, bottom - 0.3, left + 0.3, right - 0.3)))
    assert np.array_equal(mask_of_shapes(path, LAND, touched=False), cells(top, bottom, left,
                                                                          right))
    grown = collection(box(top - 0.3, bottom + 0.3, left - 0.3, right + 0.3))
    path.write_text(grown)
    assert np.array_equal(mask_of_shapes(path, LAND, touched=False), cells(top, bottom, left,
                                                                          right))
    assert np.array_equal(mask_of_shapes(path, LAND, touched=True),
                          cells(max(top - 1, 0), min(bottom + 1, 10), max(left - 1, 0),
                                min(right + 1, 12)))


def test_longitude_and_latitude_are_the_rule(tmp_path: Path) -> None:
    degrees = transform_geom("EPSG:5070", "EPSG:4326", box(2.2, 5.8, 3.2, 8.8))
    path = written(tmp_path, collection(degrees, system=None))
    assert np.array_equal(mask_of(path, LAND), cells(2, 6, 3, 9))
    bare = written(tmp_path, json.dumps(degrees), "bare.json")
    assert np.array_equal(mask_of(bare, LAND), cells(2, 6, 3, 9))
    nested = written(tmp_path, json.dumps({"type": "GeometryCollection", "geometries": [degrees]}),
                     "nested.json")
    assert np.array_equal(mask_of(nested, LAND), cells(2, 6, 3, 9))


@pytest.mark.parametrize("rounded", [None, 6])
def test_a_polygon_along_the_edges_of_cells_covers_no_others(tmp_path: Path,
                                                             rounded: int | None) -> None:
    """Whatever another reference system, or rounding, makes of its corners."""
    ours = box(2, 6, 3, 9)
    degrees = transform_geom("EPSG:5070", "EPSG:4326", ours,
                             precision=-1 if rounded is None else rounded)
    narrow = box(1.0, 9.0, 4.999, 5.001)  # of 6 cm
    for shape, system, expected in ((ours, "EPSG:5070", cells(2, 6, 3, 9)),
                                    (degrees, None, cells(2, 6, 3, 9)),
                                    (narrow, "EPSG:5070", cells(1, 9, 4, 6))):
        path = written(tmp_path, collection(shape, system=system))
        assert np.array_equal(mask_of_shapes(path, LAND, touched=True) & expected, expected)
        found = [one.mask for one in masks_of_shapes(path, LAND)]
        if shape is not narrow:
            assert np.array_equal(found, [expected])


@pytest.mark.parametrize("system", ["EPSG:5070", None])
@pytest.mark.parametrize("seed", range(6))
def test_cells_as_polygons_come_back_as_they_were(seed: int, system: str | None,
                                                  tmp_path: Path) -> None:
    """No gap of one cell is closed, between two polygons or in a notch of one."""
    expected = np.random.default_rng(seed).random(LAND.shape) < 0.45
    found = [shape for shape, _ in rasterio.features.shapes(
        expected.astype(np.uint8), mask=expected, connectivity=4,
        transform=rasterio.Affine(*LAND.transform))]
    if system is None:
        found = transform_geom("EPSG:5070", "EPSG:4326", found, precision=7)
    path = written(tmp_path, collection(*found, system=system))
    for touched in (True, False):
        assert np.array_equal(mask_of_shapes(path, LAND, touched=touched), expected)


def test_lines_and_points_cover_what_they_touch(tmp_path: Path) -> None:
    line = {"type": "LineString", "coordinates": [[WEST + 10, NORTH - 100], [WEST + 350,
                                                                            NORTH - 100]]}
    point = {"type": "Point", "coordinates": [WEST + 45, NORTH - 15]}
    path = written(tmp_path, collection(line, point))
    expected = cells(3, 4, 0, 12) | cells(0, 1, 1, 2)
    for touched in (True, False):
        assert np.array_equal(mask_of_shapes(path, LAND, touched=touched), expected)
    # A road stops fire wherever it runs, and costs nothing.
    with_road = with_rasters(LAND, barriers=path)
    assert np.array_equal(with_road.burnable, LAND.burnable & ~expected)
    assert np.array_equal(with_road.cost, LAND.cost)


def test_a_slanting_road_leaves_no_corner_open(tmp_path: Path) -> None:
    """Fire could pass between cells that touch at corners only, where breaks leak."""
    line = {"type": "LineString", "coordinates": [[WEST + 5, NORTH - 5], [WEST + 340, NORTH - 250]]}
    path = written(tmp_path, collection(line))
    for touched in (True, False):
        mask = mask_of_shapes(path, LAND, touched=touched)
        assert label(mask)[1] == 1  # joined by edges


@pytest.mark.slow
@needs_pyogrio
@pytest.mark.parametrize("name", ["a.gpkg", "a.shp", "a.fgb"])
def test_other_formats_are_read_by_gdal(tmp_path: Path, name: str) -> None:
    import io

    from pyogrio import raw

    text = collection(box(2.2, 5.8, 3.2, 8.8), box(8.1, 8.9, 0.1, 1.9))
    meta, _, shapes, values = raw.read(io.BytesIO(text.encode()))
    raw.write(tmp_path / name, shapes, values, list(meta["fields"]), geometry_type="Polygon",
              crs="EPSG:5070")
    assert np.array_equal(mask_of(tmp_path / name, LAND), cells(2, 6, 3, 9) | cells(8, 9, 0, 2))


@pytest.mark.parametrize(("text", "message"), [
    (collection(box(40, 50, 3, 9)), "none: they lie outside it"),
    (collection(box(2, 5, 3, 9), system=None), "looks like metres"),
    (collection(box(2, 5, 3, 9), system="EPSG:999999"), "a reference system, got none, or an"),
    (collection(), "at least one shape"),
    ("{", "expected GeoJSON"),
    ("[1]", "points, lines or polygons"),
    ('{"type": "Topology"}', "points, lines or polygons"),
    (json.dumps({"type": "Polygon", "coordinates": [[["x", 1]]]}), "expected shapes with"),
    (json.dumps({"type": "Polygon"}), "expected shapes with"),
])
def test_shapes_that_do_not_fit_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mask_of(written(tmp_path, text), LAND)


@pytest.mark.slow
def test_missing_files_and_systems_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file of shapes, got no such file"):
        mask_of(tmp_path / "none.geojson", LAND)
    with pytest.raises(InputError, match="set it with --crs"):
        mask_of(written(tmp_path, collection(box(2, 5, 3, 9))), replace(LAND, crs=None))
    with pytest.raises(InputError, match="a raster of numbers, got shapes"):
        read_on_grid(written(tmp_path, collection(box(2, 5, 3, 9))), LAND)
    (tmp_path / "b.gpkg").write_bytes(b"SQLite format 3\0")
    with pytest.raises(InputError, match=r"shapes that GDAL can read|GeoJSON, or pyogrio"):
        mask_of(tmp_path / "b.gpkg", LAND)


def slow_distance(mask: np.ndarray, row: int, col: int) -> float:
    rows, cols = np.nonzero(mask)
    return float(np.hypot(rows - row, cols - col).min())


def test_costs_rise_with_the_way_to_a_road() -> None:
    roads = cells(3, 4, 0, 12)
    land: Landscape = LAND
    cost = with_roads(np.full(land.shape, 90.0), distance_transform_edt(~roads) * 30.0, 10.0)
    for row, col in ((0, 0), (3, 5), (9, 11)):
        assert cost[row, col] == pytest.approx(
            90.0 * (1 + 10.0 * slow_distance(roads, row, col) * 0.03))
    assert treated_ha(land) == pytest.approx(0.09)
    assert treated_ha(land, width_m=6.0) == pytest.approx(0.018)


@needs_pyogrio
@pytest.mark.parametrize("suffix", ["gpkg", "shp", "fgb", "kml", "gml"])
def test_a_file_that_names_others_is_refused_whatever_its_ending(tmp_path: Path,
                                                                suffix: str) -> None:
    named = written(tmp_path, collection(box(0, 3, 0, 3)))
    other = written(tmp_path, f'<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>{named}'
                    "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>", f"evil.{suffix}")
    with pytest.raises(InputError, match=rf"expected a \.{suffix} file, got other content"):
        mask_of_shapes(other, LAND, touched=True)


@pytest.mark.parametrize(("text", "message"), [
    ('{"type": "FeatureCollection", "features": 5}', "a list of features, got int"),
    ('{"type": "FeatureCollection", "features": true}', "a list of features, got bool"),
    ('{"type": "GeometryCollection", "geometries": "a"}', "a list of geometries, got str"),
    ('{"type": {}, "features": []}', "points, lines or polygons"),
    ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    ('{"type": "GeometryCollection", "geometries": [' * 400 + "]}" * 400, "nested too deeply"),
    ('{"type": "Polygon", "coordinates": ' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
    ('{"type": "Point", "coordinates": [0, 0], "crs": {"properties": {"name": [5]}}}',
     "shapes with a reference system"),
    ('{"type": "Point", "coordinates": [' + "9" * 5000 + ", 0]}", "expected GeoJSON"),
    ('{"type": "Point", "coordinates": [' + "9" * 4000 + ", 0]}", "expected shapes with"),
])
def test_absurd_geojson_is_refused_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mask_of(written(tmp_path, text), LAND)


def endless_view(path: Path) -> None:
    """A GeoPackage whose layer is a view over a query that never ends."""
    import sqlite3

    query = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
             "SELECT i AS fid, (SELECT geom FROM {0}_held) AS geom FROM n")
    with sqlite3.connect(path) as base:
        made = base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (trigger,) in made:
            base.execute(f'DROP TRIGGER "{trigger}"')
        name = base.execute("SELECT table_name FROM gpkg_contents").fetchone()[0]
        base.execute(f"ALTER TABLE {name} RENAME TO {name}_held")
        base.execute(f"CREATE VIEW {name} AS {query.format(name)}")
        base.execute("DROP TABLE IF EXISTS gpkg_ogr_contents")  # else it says: one shape
    base.close()


def vector_file(path: Path, **options: Any) -> None:
    import io

    from pyogrio import raw

    meta, _, shapes, values = raw.read(io.BytesIO(collection(box(2.2, 5.8, 3.2, 8.8)).encode()))
    raw.write(path, shapes, values, list(meta["fields"]), geometry_type="Polygon", crs="EPSG:5070",
              **options)


@pytest.mark.slow
@needs_pyogrio
def test_a_view_without_end_is_refused_in_time(tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    vector_file(tmp_path / "a.gpkg", layer_options={"SPATIAL_INDEX": "NO"})
    endless_view(tmp_path / "a.gpkg")
    monkeypatch.setattr(shape_files, "LIMIT_S", 3.0)
    with pytest.raises(InputError, match=r"reads within 3 s|GDAL can read"):
        mask_of(tmp_path / "a.gpkg", LAND)


@pytest.mark.slow
@needs_pyogrio
def test_a_file_that_takes_too_much_memory_is_refused(tmp_path: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    vector_file(tmp_path / "a.gpkg")
    monkeypatch.setattr(shape_files, "LIMIT_BYTES", 50_000_000)
    with pytest.raises(InputError, match="shapes that GDAL can read"):
        mask_of(tmp_path / "a.gpkg", LAND)


@pytest.mark.slow
@needs_pyogrio
@pytest.mark.parametrize("name", ["a.gpkg", "a.shp", "a.fgb", "a.kml", "a.gml", "wal.gpkg"])
def test_nothing_is_written_beside_what_is_read(tmp_path: Path, name: str) -> None:
    import sqlite3

    vector_file(tmp_path / name, **({"driver": "LIBKML"} if name == "a.kml" else {}))
    if name == "wal.gpkg":
        with sqlite3.connect(tmp_path / name) as base:
            base.execute("PRAGMA journal_mode = WAL")
        base.close()
    for extra in (*tmp_path.glob("*.xsd"), *tmp_path.glob("*.gfs")):
        extra.unlink()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert mask_of(tmp_path / name, LAND).any()
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
