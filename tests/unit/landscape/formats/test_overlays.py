"""Rasters and points beside a landscape, and landscapes on other cells."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given, settings
from hypothesis import strategies as st
from rasterio.errors import NotGeoreferencedWarning
from rasterio.warp import transform as to_system

from firebreak.checks import InputError
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.landscape.formats.overlays import with_rasters
from firebreak.landscape.formats.tables import read_points
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.degrees import latitude_of
from firebreak.landscape.raster.on_grid import read_on_grid, to_cell_size
from firebreak.landscape.raster.windows import aggregate
from firebreak.landscape.synthetic.generate import generate

UTM = "EPSG:32611"
EAST, NORTH = 500_000.0, 4_000_000.0


@pytest.fixture
def land() -> Landscape:
    """8 x 10 cells of 100 m, all grass."""
    here = generate(5, (8, 10), family="grassland")
    return replace(here, fuel_model=np.full(here.shape, 102), treatable=np.ones(here.shape, bool),
                   crs=UTM, transform=(100.0, 0.0, EAST, 0.0, -100.0, NORTH))


def write(path: Path, grid: np.ndarray, cell: float = 100.0, *, crs: str | None = UTM,
          east: float = EAST, north: float = NORTH, nodata: float | None = None,
          transform: rasterio.Affine | None = None) -> Path:
    place = transform or rasterio.Affine(cell, 0, east, 0, -cell, north)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, "w", driver="GTiff", count=1, height=grid.shape[0],
                           width=grid.shape[1], dtype=grid.dtype, crs=crs, nodata=nodata,
                           transform=place) as file:
            file.write(grid, 1)
    return path


def numbers() -> np.ndarray:
    return np.arange(80, dtype=np.float32).reshape(8, 10)


def test_the_same_cells_are_taken_as_they_are(tmp_path: Path, land: Landscape) -> None:
    grid = numbers()
    grid[3, 3] = -9999
    found = read_on_grid(write(tmp_path / "a.tif", grid), land)
    assert np.isnan(found[3, 3])
    grid[3, 3] = np.nan
    np.testing.assert_array_equal(found, grid)


@pytest.mark.parametrize(("how", "number"), [("mean", 2.5), ("majority", 0.0), ("any", 1.0)])
def test_finer_cells_make_one_number(tmp_path: Path, land: Landscape, how: str,
                                     number: float) -> None:
    fine = np.tile(np.array([[0, 0], [0, 10]], np.int16), (8, 10))
    found = read_on_grid(write(tmp_path / "a.tif", fine, 50.0), land, how=how)  # type: ignore[arg-type]
    np.testing.assert_allclose(found, number)


def test_finer_cells_without_data_do_not_count(tmp_path: Path, land: Landscape) -> None:
    fine = np.tile(np.array([[7, 7], [7, 9]], np.int16), (8, 10))
    fine[:2, :2] = 9
    found = read_on_grid(write(tmp_path / "a.tif", fine, 50.0, nodata=9), land)
    assert np.isnan(found[0, 0])
    np.testing.assert_allclose(found.ravel()[1:], 7.0)


def test_coarser_cells_give_their_value_to_all_that_lie_in_them(tmp_path: Path,
                                                                land: Landscape) -> None:
    coarse = np.arange(20, dtype=np.float32).reshape(4, 5)
    found = read_on_grid(write(tmp_path / "a.tif", coarse, 200.0), land)
    np.testing.assert_array_equal(found, np.repeat(np.repeat(coarse, 2, 0), 2, 1))


def test_a_raster_that_covers_a_part_leaves_the_rest_without_data(tmp_path: Path,
                                                                  land: Landscape) -> None:
    found = read_on_grid(write(tmp_path / "a.tif", numbers(), east=EAST + 300, north=NORTH - 200),
                         land)
    np.testing.assert_array_equal(found[2:, 3:], numbers()[:6, :7])
    assert np.isnan(found[:2]).all()
    assert np.isnan(found[:, :3]).all()


def test_a_raster_in_degrees_is_reprojected(tmp_path: Path, land: Landscape) -> None:
    """The value is the longitude of each raster cell: a cell of the map must read its own."""
    [west], [south] = to_system(UTM, "EPSG:4326", [EAST - 500], [NORTH - 1300])
    cell = 1e-4
    columns = west + cell * (np.arange(250) + 0.5)
    grid = np.tile(columns, (200, 1))
    path = write(tmp_path / "a.tif", grid, crs="EPSG:4326",
                 transform=rasterio.Affine(cell, 0, west, 0, -cell, south + 200 * cell))
    found = read_on_grid(path, land)
    rows, cols = np.mgrid[0:8, 0:10] + 0.5
    here = to_system(UTM, "EPSG:4326", (EAST + 100 * cols).ravel(), (NORTH - 100 * rows).ravel())
    np.testing.assert_allclose(found.ravel(), here[0], atol=2 * cell)


def test_ascii_grids_are_read_too(tmp_path: Path, land: Landscape) -> None:
    (tmp_path / "a.asc").write_text(
        f"ncols 10\nnrows 8\nxllcorner {EAST}\nyllcorner {NORTH - 800}\ncellsize 100\n"
        + " ".join(map(str, range(80))))
    np.testing.assert_array_equal(read_on_grid(tmp_path / "a.asc", land), numbers())


def test_without_reference_system_only_equal_sizes_fit(tmp_path: Path, land: Landscape) -> None:
    same = write(tmp_path / "a.tif", numbers(), crs=None, east=0.0)
    np.testing.assert_array_equal(read_on_grid(same, land), numbers())
    other = write(tmp_path / "b.tif", numbers()[:, 1:], crs=None)
    with pytest.raises(InputError, match="8 x 9 cells and a raster without reference system; set"):
        read_on_grid(other, land)
    placed = write(tmp_path / "c.tif", numbers()[:, 1:])
    with pytest.raises(InputError, match="and a landscape without reference system"):
        read_on_grid(placed, replace(land, crs=None))


def test_rasters_elsewhere_are_refused(tmp_path: Path, land: Landscape) -> None:
    with pytest.raises(InputError, match=r"a\.tif: expected an overlap with the landscape, got n"):
        read_on_grid(write(tmp_path / "a.tif", numbers(), east=EAST + 1e5), land)
    with pytest.raises(InputError, match="a raster file, got no such file"):
        read_on_grid(tmp_path / "none.tif", land)
    (tmp_path / "b.tif").write_text("text")
    with pytest.raises(InputError, match="GDAL can read"):
        read_on_grid(tmp_path / "b.tif", land)


def test_value_without_data_is_nothing_lost(tmp_path: Path, land: Landscape) -> None:
    grid = numbers()
    grid[0, 0] = -9999
    changed = with_rasters(land, value=write(tmp_path / "a.tif", grid))
    assert changed.value[0, :3].tolist() == [0.0, 1.0, 2.0]
    assert changed.fire_checksum() == land.fire_checksum()
    grid[0, 0] = -5
    with pytest.raises(InputError, match=r"a\.tif: expected value of 0 or more, got -5"):
        with_rasters(land, value=write(tmp_path / "a.tif", grid))


def test_every_treatable_cell_needs_a_cost(tmp_path: Path, land: Landscape) -> None:
    grid = numbers() + 1
    grid[2, 4:6] = -9999, 0
    path = write(tmp_path / "cost.tif", grid)
    with pytest.raises(InputError, match=r"cost\.tif: expected a cost above 0 in every treatable "
                                         r"cell, got 2 cells without one, the first at row 2, "
                                         r"column 4; fil"):
        with_rasters(land, cost=path)
    mask = np.ones((8, 10), np.uint8)
    mask[2, 4:6] = 0
    changed = with_rasters(land, cost=path, treatable=write(tmp_path / "mask.tif", mask))
    assert changed.cost[2, 3:7].tolist() == [24.0, 1.0, 1.0, 27.0]
    np.testing.assert_array_equal(changed.treatable, mask.astype(bool))


def test_treatable_by_majority_and_not_without_data(tmp_path: Path, land: Landscape) -> None:
    fine = np.zeros((16, 20), np.uint8)
    fine[:2, :2] = [[1, 1], [1, 0]]
    fine[2:4, :2] = [[1, 0], [0, 0]]
    fine[4:6, :2] = 255
    changed = with_rasters(land, treatable=write(tmp_path / "a.tif", fine, 50.0, nodata=255))
    assert changed.treatable[:3, 0].tolist() == [True, False, False]
    assert changed.treatable.sum() == 1


@pytest.mark.parametrize(("system", "code"), [("rothermel", 99), ("fbp", 101)])
def test_barriers_make_every_cell_they_touch_unburnable(tmp_path: Path, land: Landscape,
                                                        system: str, code: int) -> None:
    fuel = np.full(land.shape, 102 if system == "rothermel" else 2)
    fuel[0, 0] = NODATA
    land = replace(land, fuel_model=fuel, fuel_system=system)
    road = np.zeros((80, 100), np.uint8)  # 10 m
    road[:, 37] = 1
    road[0] = 1
    changed = with_rasters(land, barriers=write(tmp_path / "a.tif", road, 10.0))
    assert (changed.fuel_model[1:, 3] == code).all()
    assert (changed.fuel_model[0, 1:] == code).all()
    assert changed.fuel_model[0, 0] == NODATA
    assert changed.burnable.sum() == 7 * 9
    assert not changed.treatable[:, 3].any()


def test_ignition_weights_and_points(tmp_path: Path, land: Landscape) -> None:
    np.testing.assert_array_equal(
        with_rasters(land, ignition=write(tmp_path / "a.tif", numbers())).ignition_weight,
        numbers())
    points = tmp_path / "points.csv"
    points.write_text(f"name, X, Y\na,{EAST + 250},{NORTH - 150}\nb,{EAST + 299},{NORTH - 199}\n"
                      f"c,{EAST},{NORTH}\n")
    weight = with_rasters(land, ignition=points).ignition_weight
    assert (weight[1, 2], weight[0, 0], weight.sum()) == (2.0, 1.0, 3.0)
    points.write_text("row,col\n1,2\n7,9\n")
    assert read_points(points, land).cells.tolist() == [12, 79]
    points.write_text("Year,Ncell\n1,13\n")
    assert read_points(points, land).cells.tolist() == [12]


def test_points_outside_are_left_out_with_a_word(tmp_path: Path, land: Landscape) -> None:
    points = tmp_path / "points.csv"
    points.write_text("row,col\n1,2\n8,0\n-1,3\n")
    with pytest.warns(LandscapeWarning, match="2 of 3 points lie outside the map"):
        assert read_points(points, land).cells.tolist() == [12]


@pytest.mark.parametrize(("text", "words"), [
    ("row,col\n8,0\n", "points inside the map of 8 x 10 cells, got 1 point, all outside"),
    ("row,col\n8,0\n9,0\n", "got 2 points, all outside"),
    ("row,col\n", "at least one point, got none below the first line"),
    ("lat,lon\n1,2\n", "columns x,y or row,col or Year,Ncell, got lat, lon"),
    ("", "an empty file"),
    ("x,y\n1\n", r"points\.csv, line 2: expected two numbers, got '1'"),
    ("x,y\n1,nan\n", "two numbers"),
    ("x,y\n1,b\n", "two numbers, got '1,b'"),
])
def test_broken_points_are_refused(tmp_path: Path, land: Landscape, text: str, words: str) -> None:
    points = tmp_path / "points.csv"
    points.write_text(text)
    with pytest.raises(InputError, match=words):
        read_points(points, land)


@pytest.mark.parametrize("layer", ["value", "ignition", "cost"])
def test_numbers_that_a_landscape_cannot_hold_are_refused_with_their_file(
        tmp_path: Path, land: Landscape, layer: str) -> None:
    points = tmp_path / "points.csv"
    points.write_text("row,col,n\n1,2,1e300\n")
    given = f"{points}:n"
    if layer == "cost":
        given = str(tmp_path / "cost.tif")
        with rasterio.open(given, "w", driver="GTiff", width=10, height=8, count=1, crs=UTM,
                           dtype="float64", transform=rasterio.Affine(
                               100.0, 0.0, EAST, 0.0, -100.0, NORTH)) as out:
            out.write(np.full((8, 10), 1e300), 1)
    with pytest.raises(InputError, match=r"(points\.csv|cost\.tif): expected .* up to 3e\+38, got "
                                         r"1e\+300"):
        with_rasters(land, **{layer: given})


def test_ignitions_where_nothing_burns_are_refused(tmp_path: Path, land: Landscape) -> None:
    with pytest.raises(InputError, match="ignitions on cells that burn, got none"):
        with_rasters(land, ignition=write(tmp_path / "a.tif", np.zeros((8, 10), np.float32)))


def test_nothing_given_changes_nothing(land: Landscape) -> None:
    assert with_rasters(land).checksum() == land.checksum()


# Other cell sizes


def test_whole_multiples_go_by_aggregation() -> None:
    land = generate(2, (12, 16))
    assert to_cell_size(land, 400.0).checksum() == aggregate(land, 4).checksum()
    assert to_cell_size(land, 100.0) is land


def test_finer_cells_repeat_classes_and_keep_slopes() -> None:
    land = generate(2, (12, 16))
    ground = np.tile(2000.0 - 20.0 * np.arange(16), (12, 1))  # falls 20 % to the east
    land = replace(land, elevation_m=ground)
    fine = to_cell_size(land, 50.0)
    assert fine.shape == (24, 32)
    np.testing.assert_array_equal(fine.fuel_model, np.repeat(np.repeat(land.fuel_model, 2, 0), 2,
                                                             1))
    np.testing.assert_array_equal(fine.treatable[::2, 1::2], land.treatable)
    assert fine.slope_tan[3:-3, 3:-3] == pytest.approx(0.2, abs=1e-3)
    assert fine.aspect_deg[3:-3, 3:-3] == pytest.approx(90.0, abs=0.1)
    assert fine.transform[:2] == (50.0, 0.0)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.floats(40.0, 330.0), st.integers(0, 5))
def test_any_cell_size_keeps_the_corner_the_codes_and_the_range(cell: float, seed: int) -> None:
    land = generate(seed, (11, 13))
    fuel = land.fuel_model.copy()
    fuel[:4, :4] = NODATA
    land = replace(land, fuel_model=fuel)
    other = to_cell_size(land, cell)
    assert other.shape == tuple(int(n * 100.0 / cell + 1e-9) for n in land.shape)
    assert (other.transform[2], other.transform[5]) == (land.transform[2], land.transform[5])
    assert set(np.unique(other.fuel_model)) <= set(np.unique(land.fuel_model))
    for name in ("elevation_m", "canopy_cover", "value"):
        before, after = getattr(land, name), getattr(other, name)
        assert before.min() - 1e-4 <= after.min()
        assert after.max() <= before.max() + 1e-4


def test_a_majority_is_by_area() -> None:
    land = generate(1, (4, 4))
    fuel = np.full((4, 4), 101)
    fuel[:, 1] = 102  # of a cell of 150 m 100 m are 101 and 50 m are 102
    land = replace(land, fuel_model=fuel)
    assert to_cell_size(land, 150.0).fuel_model[0].tolist() == [101, 101]


@pytest.mark.parametrize("cell", [5000.5, 1e-4, float("inf")])
def test_absurd_cell_sizes_are_refused(cell: float) -> None:
    with pytest.raises(InputError, match="cells that fit"):
        to_cell_size(generate(1, 8), cell)


def test_the_latitude_is_that_of_the_maps_centre() -> None:
    crs = rasterio.crs.CRS.from_string("EPSG:32611").to_wkt()
    placed = replace(generate(1, 20), crs=crs,
                     transform=(30.0, 0.0, 499700.0, 0.0, -30.0, 5000300.0))
    assert latitude_of(placed) == pytest.approx(45.1535, abs=1e-3)  # 45 + 17,050 / 111,087
    assert latitude_of(generate(1, 20)) is None
