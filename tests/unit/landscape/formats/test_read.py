"""Readers on small rasters written by the test: what is understood, warned about, refused."""

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.errors import NotGeoreferencedWarning

from firebreak.checks import InputError
from firebreak.landscape.formats.layers import Role, is_40, role_of
from firebreak.landscape.formats.read import LandscapeWarning, read_landscape
from firebreak.landscape.landscape import NODATA
from firebreak.landscape.raster import geotiff
from firebreak.landscape.synthetic.generate import generate

ROWS, COLS = 6, 8
NORTH_UP = (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_000_000.0)


def bands(count: int = 8) -> np.ndarray:
    """Ground that rises 6 m per cell to the north (20 %, faces south), fuels 101, canopy."""
    rise = np.repeat(6 * (ROWS - np.arange(ROWS)), COLS).reshape(ROWS, COLS)
    layers = [100 + rise, 11, 180, 101, 45, 215, 12, 13]
    return np.stack([np.broadcast_to(layer, (ROWS, COLS)) for layer in layers[:count]]).astype(
        np.int16)


def write(path: Path, data: np.ndarray, *, crs: str | None = "EPSG:32611",
          transform: tuple[float, ...] | None = NORTH_UP, nodata: float | None = None,
          names: tuple[str, ...] = ()) -> Path:
    count, height, width = data.shape
    place = {} if transform is None else {"transform": rasterio.Affine(*transform)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, "w", driver="GTiff", count=count, height=height, width=width,
                           dtype=data.dtype, crs=crs, nodata=nodata, **place) as file:
            file.write(data)
            for index, name in enumerate(names, start=1):
                file.set_band_description(index, name)
    return path


def write_layers(folder: Path, names: dict[str, np.ndarray], **options: object) -> Path:
    for name, grid in names.items():
        write(folder / f"{name}.tif", grid[None], **options)  # type: ignore[arg-type]
    return folder


def test_eight_bands_in_our_units(tmp_path: Path) -> None:
    land = read_landscape(write(tmp_path / "valley.tif", bands()))
    assert land.name == "valley"
    assert land.shape == (ROWS, COLS)
    assert land.cell_size_m == 30.0
    assert land.transform == NORTH_UP
    assert "32611" in str(land.crs)
    assert (land.fuel_model == 101).all()
    assert land.slope_tan[1:-1] == pytest.approx(0.2)
    assert land.aspect_deg == pytest.approx(180.0)
    assert land.canopy_cover == pytest.approx(0.45)
    assert land.canopy_height_m == pytest.approx(21.5)
    assert land.canopy_base_height_m == pytest.approx(1.2)
    assert land.canopy_bulk_density_kg_m3 == pytest.approx(0.13)
    assert land.treatable.all()
    assert (land.value == 1).all()


def test_five_bands_have_no_crown_fuels(tmp_path: Path) -> None:
    with pytest.warns(LandscapeWarning, match="has no canopy height, canopy base height"):
        land = read_landscape(write(tmp_path / "five.tif", bands(5)))
    assert land.canopy_cover == pytest.approx(0.45)
    assert not land.canopy_height_m.any()
    assert not land.canopy_bulk_density_kg_m3.any()


def test_descriptions_beat_the_order(tmp_path: Path) -> None:
    names = ("LF2022_CC_CONUS", "LF2022_CBD_CONUS", "LF2022_FBFM40_CONUS", "LF2020_Elev_CONUS",
             "LF2020_SlpD_CONUS", "LF2020_Asp_CONUS", "LF2022_CBH_CONUS", "LF2022_CH_CONUS")
    shuffled = bands()[[4, 7, 3, 0, 1, 2, 6, 5]]
    described = read_landscape(write(tmp_path / "a.tif", shuffled, names=names))
    assert described.checksum() == read_landscape(write(tmp_path / "b.tif", bands())).checksum()


def test_descriptions_without_a_needed_layer_are_refused(tmp_path: Path) -> None:
    names = ("elevation", "slope", "aspect", "canopy cover", "mystery")
    with pytest.raises(InputError, match="none for fuel model"):
        read_landscape(write(tmp_path / "a.tif", bands(5), names=names))


@pytest.mark.parametrize(("name", "role"), [
    ("LC20_Elev_220", Role.ELEVATION), ("dem", Role.ELEVATION), ("LC20_SlpP_220", Role.SLOPE),
    ("SLPP2020", Role.SLOPE), ("Slope", Role.SLOPE), ("LC20_Asp_220", Role.ASPECT),
    ("asp", Role.ASPECT), ("LC22_F40_230", Role.FUEL), ("LC22_F13_230", Role.FUEL),
    ("250FBFM40", Role.FUEL), ("US_240FBFM13", Role.FUEL), ("Fuel models", Role.FUEL),
    ("250CC", Role.COVER), ("LC22_CC_230", Role.COVER), ("LF2022_CH_CONUS", Role.HEIGHT),
    ("Canopy height", Role.HEIGHT), ("Canopy base height", Role.BASE), ("cbh", Role.BASE),
    ("Canopy bulk density", Role.DENSITY), ("250CBD", Role.DENSITY), ("ignition_density", None),
    ("pyromes", None), ("hillshade", None), ("", None),
])
def test_layers_are_known_by_name(name: str, role: Role | None) -> None:
    assert role_of(name) is role


def test_fuel_system_by_name() -> None:
    assert [is_40(name) for name in ("LC22_F40_230", "fbfm40", "LC22_F13_230", "F400")] == [
        True, True, False, True]


@pytest.mark.parametrize("value", [-9999, 32767, -32768, 77])
def test_no_data_whatever_the_tag(tmp_path: Path, value: int) -> None:
    data = bands()
    data[:, 0, :3] = value
    data[5, 3, 3] = value
    path = write(tmp_path / "a.tif", data, nodata=77 if value == 77 else None)
    land = read_landscape(path)
    assert (land.fuel_model[0, :3] == NODATA).all()
    assert (land.fuel_model != NODATA).sum() == ROWS * COLS - 3
    assert not land.treatable[0, :3].any()
    assert land.canopy_height_m[3, 3] == 0.0
    assert not land.canopy_cover[0, :3].any()
    assert land.elevation_m.min() > 100
    assert land.elevation_m.max() < 140
    assert land.slope_tan.max() == pytest.approx(0.2)


def test_nan_is_no_data(tmp_path: Path) -> None:
    data = bands().astype(np.float32)
    data[:, 2, 2] = np.nan
    land = read_landscape(write(tmp_path / "a.tif", data))
    assert np.argwhere(land.fuel_model == NODATA).tolist() == [[2, 2]]


def folder_layers() -> dict[str, np.ndarray]:
    data = bands()
    percent = np.full_like(data[1], 20)
    return {"LC20_Elev_220": data[0], "LC20_SlpP_220": percent, "LC20_Asp_220": data[2],
            "LC22_F40_230": data[3], "LC22_F13_230": np.full_like(data[3], 2),
            "LC22_CC_230": data[4], "LC22_CH_230": data[5], "LC22_CBH_230": data[6],
            "LC22_CBD_230": data[7]}


def test_folder_of_layers_prefers_the_40_models(tmp_path: Path) -> None:
    folder = write_layers(tmp_path, folder_layers())
    write(folder / "pyromes.tif", bands(1))  # not a layer, ignored
    land = read_landscape(folder)
    assert land.name == tmp_path.name
    assert land.checksum() == read_landscape(write(tmp_path / "all.tiff", bands())).checksum()


@pytest.mark.filterwarnings("ignore:.*has no canopy cover")
def test_folder_with_anderson_fuels_in_bytes(tmp_path: Path) -> None:
    layers = {"dem": bands()[0], "F13": np.full((ROWS, COLS), 2, dtype=np.uint8)}
    layers["F13"][0, 0] = 255
    write(tmp_path / "dem.tif", layers["dem"][None])
    write(tmp_path / "f13.tif", layers["F13"][None], nodata=255)
    land = read_landscape(tmp_path)
    assert land.fuel_model[0, :2].tolist() == [NODATA, 2]
    assert land.slope_tan[2, 2] == pytest.approx(0.2)


def test_units_in_names_are_honoured_and_impossible_ones_refused(tmp_path: Path) -> None:
    layers = {name: grid for name, grid in folder_layers().items() if "CB" not in name
              and "CH" not in name}
    shape = (ROWS, COLS)
    write_layers(tmp_path, layers)
    natural = {"canopy_height_m": 12.5, "canopy_base_height_m": 3.5,
               "canopy_bulk_density_kg_m3": 0.125}
    for name, number in natural.items():
        write(tmp_path / f"{name}.tif", np.full((1, *shape), number, np.float32))
    land = read_landscape(tmp_path)
    assert (land.canopy_height_m[0, 0], land.canopy_base_height_m[0, 0],
            land.canopy_bulk_density_kg_m3[0, 0]) == (12.5, 3.5, 0.125)
    (tmp_path / "canopy_bulk_density_kg_m3.tif").rename(tmp_path / "cbd.tif")
    with pytest.raises(InputError, match=r"cbd\.tif: expected bulk density in 0\.01 kg/m3, got "
                                         r"values up to 0\.125, which are kg/m3; name the layer"):
        read_landscape(tmp_path)


def test_curing_is_percent(tmp_path: Path) -> None:
    write_layers(tmp_path, folder_layers())
    curing = np.full((1, ROWS, COLS), 70, np.int16)
    curing[0, 0, 0] = NODATA
    write(tmp_path / "grass_curing.tif", curing)
    land = read_landscape(tmp_path)
    assert land.grass_curing[0, :2].tolist() == [np.float32(0.8), np.float32(0.7)]
    write(tmp_path / "grass_curing.tif", curing * 2)
    with pytest.raises(InputError, match=r"percent from 0 to 100, got .* to 140; check its unit"):
        read_landscape(tmp_path)


def test_shipped_terrain_in_percent_and_in_degrees(tmp_path: Path) -> None:
    (tmp_path / "percent").mkdir()
    percent = read_landscape(write_layers(tmp_path / "percent", folder_layers()),
                             terrain="shipped")
    assert percent.slope_tan == pytest.approx(0.20)
    degrees = read_landscape(write(tmp_path / "degrees.tif", bands()), terrain="shipped")
    assert degrees.slope_tan == pytest.approx(np.tan(np.radians(11.0)), rel=1e-5)
    assert degrees.aspect_deg == pytest.approx(180.0)


def test_degrees_above_90_are_percent_if_the_elevation_says_so(tmp_path: Path) -> None:
    data = bands()
    data[1] = 20
    data[1, 0, 0] = 95
    path = write(tmp_path / "a.tif", data)
    with pytest.warns(LandscapeWarning, match="counts as degrees but reaches 95, so it is in perc"):
        land = read_landscape(path, terrain="shipped")
    assert land.slope_tan[0, 0] == pytest.approx(0.95)
    assert land.slope_tan[1, 1] == pytest.approx(0.20)
    with pytest.warns(LandscapeWarning, match="counts as degrees but reaches 95"):
        assert read_landscape(path).slope_tan[2, 2] == pytest.approx(0.2)


def test_degrees_above_90_that_fit_no_elevation_are_refused_where_they_are_asked_for(
        tmp_path: Path) -> None:
    data = bands()
    data[1] = 60
    data[1, 0, 0] = 95
    path = write(tmp_path / "a.tif", data)
    with pytest.raises(InputError, match=r"a\.tif: expected slopes whose unit.*degrees up to 95"):
        read_landscape(path, terrain="shipped")
    with pytest.warns(LandscapeWarning, match="neither in percent nor in degrees; slope is deriv"):
        assert read_landscape(path).slope_tan[2, 2] == pytest.approx(0.2)


def test_flat_aspect_is_zero(tmp_path: Path) -> None:
    data = bands()
    data[2, 1, 1] = -1
    data[2, 1, 2] = 360
    land = read_landscape(write(tmp_path / "a.tif", data), terrain="shipped")
    assert land.aspect_deg[1, 1:4].tolist() == [0.0, 0.0, 180.0]


def test_slope_that_disagrees_is_reported_once_with_its_figure(tmp_path: Path) -> None:
    data = bands()
    data[1] = 20  # degrees, 36 %; the ground has 20 %
    path = write(tmp_path / "a.tif", data)
    with pytest.warns(LandscapeWarning, match=r"slope difference 16\.4 percentage.*derived") as log:
        derived = read_landscape(path)
    assert len(log) == 1
    assert derived.slope_tan[2, 2] == pytest.approx(0.2)
    with pytest.warns(LandscapeWarning, match="used as shipped"):
        shipped = read_landscape(path, terrain="shipped")
    assert shipped.slope_tan[2, 2] == pytest.approx(0.364, abs=1e-3)


def test_turned_aspect_is_reported(tmp_path: Path) -> None:
    data = bands()
    data[2] = 194
    with pytest.warns(LandscapeWarning, match=r"aspect error 14\.0 degrees, mean turn \+14\.0"):
        assert read_landscape(write(tmp_path / "a.tif", data)).aspect_deg[2, 2] == 180.0


def test_no_reference_system_is_accepted_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", bands(), crs=None)
    with pytest.warns(LandscapeWarning, match="no coordinate reference system"):
        assert read_landscape(path).crs is None
    assert "32612" in str(read_landscape(path, crs="EPSG:32612").crs)


def test_cells_of_a_system_in_feet_are_measured_in_metres(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", bands(), crs="EPSG:2227", transform=(
        100.0, 0.0, 6e6, 0.0, -100.0, 2e6))
    assert read_landscape(path).cell_size_m == pytest.approx(30.48, rel=1e-4)


@pytest.mark.parametrize(("options", "words"), [
    ({"transform": (30.0, 5.0, 0.0, 5.0, -30.0, 0.0)}, "north-up raster.*gdalwarp"),
    ({"transform": (30.0, 0.0, 0.0, 0.0, 30.0, 0.0)}, "north-up raster"),
    ({"transform": (30.0, 0.0, 0.0, 0.0, -20.0, 0.0)}, "square cells, got 30 x 20"),
    ({"transform": None, "crs": None}, "without a cell size"),
    ({"transform": (0.001, 0.0, 10.0, 0.0, -0.001, 50.0), "crs": "EPSG:4326"}, "projected"),
    ({"transform": (0.001, 0.0, 10.0, 0.0, -0.001, 50.0), "crs": None}, "geographic"),
])
def test_unusable_grids_are_refused(tmp_path: Path, options: dict, words: str) -> None:
    path = write(tmp_path / "a.tif", bands(), **options)
    with pytest.raises(InputError, match=words) as error:
        read_landscape(path)
    assert str(path) in str(error.value)


def test_contents_that_are_no_landscape_are_refused(tmp_path: Path) -> None:
    def refused(name: str, change: Callable[[np.ndarray], object], words: str) -> None:
        data = bands().astype(np.float32)
        change(data)
        with pytest.raises(InputError, match=words):
            read_landscape(write(tmp_path / f"{name}.tif", data))

    refused("void", lambda data: data.fill(-9999), "no data everywhere")
    refused("sea", lambda data: data[0].fill(32767), "elevations, got no data")
    refused("odd", lambda data: data[3].fill(101.5), "whole fuel model codes, got 101.5")
    refused("custom", lambda data: data[3, 0, :2].fill(14), r"unknown codes 14 \(2 cells\)")


@pytest.mark.parametrize("count", [1, 3, 9])
def test_wrong_number_of_bands_is_refused(tmp_path: Path, count: int) -> None:
    data = np.concatenate((bands(), bands()))[:count]
    with pytest.raises(InputError, match=f"8 bands, or 5 .*got {count} band"):
        read_landscape(write(tmp_path / "a.tif", data))


def test_missing_and_broken_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.tif: expected .* got no such path"):
        read_landscape(tmp_path / "nowhere.tif")
    (tmp_path / "text.tif").write_text("no raster")
    with pytest.raises(InputError, match="GDAL can read"):
        read_landscape(tmp_path / "text.tif")
    whole = write(tmp_path / "whole.tif", np.repeat(bands(), 40, axis=2)).read_bytes()
    (tmp_path / "cut.tif").write_bytes(whole[:len(whole) // 2])
    with pytest.raises(InputError, match=r"cut\.tif: expected a raster that GDAL can read"):
        read_landscape(tmp_path / "cut.tif")


def test_absurd_sizes_are_refused_before_reading(tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geotiff, "MAX_CELLS", ROWS * COLS - 1)
    with pytest.raises(InputError, match=r"at most 47 cells, got 6 x 8.*smaller area"):
        read_landscape(write(tmp_path / "a.tif", bands()))


def test_bad_crs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got 'EPSG:5070x'"):
        read_landscape(write(tmp_path / "a.tif", bands()), crs="EPSG:5070x")


def test_ambiguous_and_incomplete_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got no raster"):
        read_landscape(tmp_path)
    write(tmp_path / "dem.tif", bands(1))
    with pytest.raises(InputError, match="0 landscape files and 1 layers"):
        read_landscape(tmp_path)
    write(tmp_path / "elev.tif", bands(1))
    with pytest.raises(InputError, match=r"one raster for elevation, got dem\.tif and elev\.tif"):
        read_landscape(tmp_path)
    (tmp_path / "elev.tif").unlink()
    write(tmp_path / "a.tif", bands())
    assert read_landscape(tmp_path).name == tmp_path.name
    write(tmp_path / "b.tif", bands())
    with pytest.raises(InputError, match="2 landscape files"):
        read_landscape(tmp_path)


def test_a_layer_on_another_grid_is_brought_onto_the_fuels_and_reported(tmp_path: Path) -> None:
    layers = folder_layers()
    fuel = layers["LC22_F40_230"].copy()
    fuel[0, :] = 102
    write_layers(tmp_path, layers | {"LC22_F40_230": fuel})
    cover = np.repeat([[10], [20], [60]], 4, axis=1).astype(np.int16)  # 60 m cells
    write(tmp_path / "LC22_CC_230.tif", cover[None], transform=(
        60.0, 0.0, 500_000.0, 0.0, -60.0, 4_000_000.0))
    with pytest.warns(LandscapeWarning, match=r"LC22_CC_230\.tif: resampled from 3 x 4 cells of 60 "
                      r"at \(500000, 4000000\) to the fuel layer's 6 x 8 cells of 30") as log:
        land = read_landscape(tmp_path)
    assert len(log) == 1
    assert land.canopy_cover[:, 0] == pytest.approx([0.1, 0.1, 0.2, 0.2, 0.6, 0.6])
    np.testing.assert_array_equal(land.fuel_model, fuel)


def test_finer_layers_are_averaged(tmp_path: Path) -> None:
    layers = folder_layers()
    write_layers(tmp_path, layers)
    cover = np.zeros((2 * ROWS, 2 * COLS), np.int16)
    cover[::2] = 80  # half of every cell
    write(tmp_path / "LC22_CC_230.tif", cover[None], transform=(
        15.0, 0.0, 500_000.0, 0.0, -15.0, 4_000_000.0))
    with pytest.warns(LandscapeWarning, match="resampled from 12 x 16 cells of 15"):
        assert read_landscape(tmp_path).canopy_cover == pytest.approx(0.4)


def test_a_layer_of_equal_size_at_another_corner_is_moved(tmp_path: Path) -> None:
    write_layers(tmp_path, folder_layers())
    cover = np.tile(10 * np.arange(COLS, dtype=np.int16), (ROWS, 1))
    write(tmp_path / "LC22_CC_230.tif", cover[None], transform=(
        30.0, 0.0, 499_970.0, 0.0, -30.0, 4_000_000.0))
    with pytest.warns(LandscapeWarning, match=r"resampled from 6 x 8 cells of 30 at \(499970"):
        cover = read_landscape(tmp_path).canopy_cover[0]
    assert cover == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.0])


@pytest.mark.filterwarnings("ignore:.*disagree with its elevation")
def test_aspects_are_never_averaged(tmp_path: Path) -> None:
    write_layers(tmp_path, folder_layers())
    aspect = np.tile(np.array([[350, 10]], np.int16), (2 * ROWS, COLS))
    write(tmp_path / "LC20_Asp_220.tif", aspect[None], transform=(
        15.0, 0.0, 500_000.0, 0.0, -15.0, 4_000_000.0))
    with pytest.warns(LandscapeWarning, match="resampled"):
        land = read_landscape(tmp_path, terrain="shipped")
    assert set(np.unique(land.aspect_deg)) <= {10.0, 350.0}


def test_a_coarse_elevation_stays_a_plane_and_not_a_staircase(tmp_path: Path) -> None:
    layers = {name: np.tile(grid, (2, 2)) for name, grid in folder_layers().items()}
    rows = np.arange(2 * ROWS // 3)
    ground = np.repeat(500 - 18 * rows[:, None], 8, axis=1).astype(np.int16)  # 18 m on 90 m
    write_layers(tmp_path, layers)
    write(tmp_path / "LC20_Elev_220.tif", ground[None], transform=(
        90.0, 0.0, 500_000.0, 0.0, -90.0, 4_000_000.0))
    with pytest.warns(LandscapeWarning, match="Elev.*resampled"):
        land = read_landscape(tmp_path)
    assert land.slope_tan[3:9, 3:9] == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize(("options", "words"), [
    ({"crs": "EPSG:32612"}, "reference system of the fuel layer, .*11N, got .*12N.*gdalwarp"),
    ({"crs": None}, "reference system of the fuel layer, .*, got none"),
    ({"transform": (30.0, 0.0, 900_000.0, 0.0, -30.0, 4_000_000.0)}, "an overlap with the fuel"),
])
def test_layers_that_cannot_be_brought_over_are_refused(tmp_path: Path, options: dict,
                                                        words: str) -> None:
    layers = folder_layers()
    write_layers(tmp_path, layers)
    write(tmp_path / "LC22_CC_230.tif", layers["LC22_CC_230"][None, :, :-1], **options)
    with pytest.raises(InputError, match=words) as error:
        read_landscape(tmp_path)
    assert "LC22_CC_230.tif" in str(error.value)


@pytest.mark.filterwarnings("ignore:.*has no canopy cover")
def test_shipped_terrain_must_be_there(tmp_path: Path) -> None:
    layers = {name: folder_layers()[name] for name in ("LC20_Elev_220", "LC22_F40_230")}
    write_layers(tmp_path, layers)
    assert read_landscape(tmp_path).slope_tan[2, 2] == pytest.approx(0.2)
    with pytest.raises(InputError, match="slope and aspect layers, got none"):
        read_landscape(tmp_path, terrain="shipped")


def test_synthetic_specs() -> None:
    assert read_landscape("synthetic:7").checksum() == generate(7, 40).checksum()
    assert read_landscape("synthetic:7:12").checksum() == generate(7, 12).checksum()
    named = generate(7, (12, 20), family="forest")
    assert read_landscape(named.name).checksum() == named.checksum()
    for bad in ("synthetic:", "synthetic:x", "synthetic:1:2:3", "synthetic:-1"):
        with pytest.raises(InputError, match="write for example synthetic:7:40"):
            read_landscape(bad)


def with_number(layer: int, number: float) -> np.ndarray:
    data = bands().astype(np.float64)
    data[layer, 2, 3] = number
    data[layer, 4, 1] = number
    return data


@pytest.mark.parametrize("hole", [-3.4028235e38, -1e11, -501.0, 9001.0, 1e300])
def test_elevations_that_no_land_has_are_refused(tmp_path: Path, hole: float) -> None:
    path = write(tmp_path / "a.tif", with_number(0, hole))
    words = r"elevations from -500 to 9000 m, got 2 cells outside, the first at row 2, column 3 "
    with pytest.raises(InputError, match=words + "with .*declare the file's no-data value"):
        read_landscape(path)
    assert read_landscape(write(tmp_path / "b.tif", with_number(0, hole), nodata=hole)).elevation_m[
        2, 3] in (118, 124, 130)


@pytest.mark.parametrize("extreme", [-430.0, 8849.0])
@pytest.mark.filterwarnings("ignore:.*slopes above")
@pytest.mark.filterwarnings("ignore:.*disagree")
def test_the_lowest_and_highest_land_is_land(tmp_path: Path, extreme: float) -> None:
    assert read_landscape(write(tmp_path / "a.tif", with_number(0, extreme))).elevation_m[
        2, 3] == extreme


def test_a_hole_of_sea_level_in_high_ground_is_reported(tmp_path: Path) -> None:
    data = bands()
    data[0] += 1900
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_landscape(write(tmp_path / "a.tif", data))
    data[0, 2, 3] = 0
    with pytest.warns(LandscapeWarning, match=r"slopes above 300 % in 8 cells, up to 17\d\d %, the "
                                              r"first at row 1, column 2; cells without data"):
        read_landscape(write(tmp_path / "a.tif", data))


@pytest.mark.parametrize(("layer", "most", "words"), [
    (4, 100, "canopy cover of 0 to 100 percent, got 2 cells outside, .*column 3 with 103"),
    (5, 1500,
     "canopy heights from 0 to 150 m, got 2 cells outside, .*column 3 with 150.3; .*decimetres"),
    (6, 1500, "canopy heights from 0 to 150 m, got 2 cells outside"),
    (7, 500,
     "canopy bulk density from 0 to 5 kg/m3, got 2 cells outside, .* with 5.03; .*0.01 kg/m3"),
])
def test_canopies_that_no_forest_has_are_refused(tmp_path: Path, layer: int, most: int,
                                                 words: str) -> None:
    read_landscape(write(tmp_path / "a.tif", with_number(layer, most)))
    path = write(tmp_path / "b.tif", with_number(layer, most + 3))
    with pytest.raises(InputError, match=words):
        read_landscape(path)
    read_landscape(write(tmp_path / "b.tif", with_number(layer, most + 3), nodata=most + 3))


@pytest.mark.parametrize("layer", [4, 5, 6, 7])
def test_a_canopy_below_nothing_is_refused(tmp_path: Path, layer: int) -> None:
    with pytest.raises(InputError, match=r"0 to .*cells? outside, the first at row"):
        read_landscape(write(tmp_path / "a.tif", with_number(layer, -40)))


@pytest.mark.parametrize(("first", "second"), [("fbfm40b", "fbfm40r5"), ("fbfm13", "fuel")])
def test_two_fuel_layers_of_a_kind_are_refused(tmp_path: Path, first: str, second: str) -> None:
    names = {"elev": bands()[0], first: bands()[3], second: bands()[3]}
    with pytest.raises(InputError, match=rf"one raster for fuel model, got {first}.tif and"):
        read_landscape(write_layers(tmp_path, names))


def test_what_a_missing_layer_of_the_canopy_means_is_said(tmp_path: Path) -> None:
    names = {"elev": bands()[0], "slp": bands()[1], "asp": bands()[2], "fbfm40": bands()[3],
             "cc": bands()[4], "ch": bands()[5], "cbh": bands()[6]}
    with pytest.warns(LandscapeWarning, match="bulk density, taken as 0: crowns do not burn"):
        read_landscape(write_layers(tmp_path, names))
    (tmp_path / "ch.tif").unlink()
    with pytest.warns(LandscapeWarning, match="wind is not sheltered by trees and crowns do not"):
        read_landscape(tmp_path)


def test_one_unknown_cell_is_one_cell(tmp_path: Path) -> None:
    data = bands()
    data[3, 0, 0] = 250
    with pytest.raises(InputError, match=r"250 \(1 cell\), the first"):
        read_landscape(write(tmp_path / "a.tif", data))
    data[3, 0, 1] = 250
    with pytest.raises(InputError, match=r"250 \(2 cells\), the first"):
        read_landscape(write(tmp_path / "a.tif", data))


def test_a_missing_reference_system_names_the_option(tmp_path: Path) -> None:
    with pytest.warns(LandscapeWarning, match="pass --crs"):
        read_landscape(write(tmp_path / "a.tif", bands(), crs=None))
