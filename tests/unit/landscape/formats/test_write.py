"""Written GeoTIFFs: place, bands, no data, colours; whole or absent; read back equal."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio

from firebreak.checks import InputError, ResourceFailedError
from firebreak.landscape.formats.folders import write_ascii_folder
from firebreak.landscape.formats.read import LandscapeWarning, read_landscape
from firebreak.landscape.formats.write import (
    write_fuel_map,
    write_geotiff,
    write_landscape,
    write_lcp,
)
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.synthetic.generate import generate

UTM = "EPSG:32611"


@pytest.fixture
def land() -> Landscape:
    here = generate(5, (20, 26), family="forest")
    return replace(here, crs=UTM, transform=(100.0, 0.0, 500_000.0, 0.0, -100.0, 4_000_000.0))


def test_bands_place_and_tags(tmp_path: Path, land: Landscape) -> None:
    grids = {"burn probability": np.linspace(0, 1, 520, dtype=np.float32).reshape(20, 26),
             "breaks": land.burnable}
    path = write_geotiff(tmp_path / "out.tif", grids, land, nodata=-1, tags={"seed": 7})
    with rasterio.open(path) as file:
        assert file.descriptions == ("burn probability", "breaks")
        assert file.crs == rasterio.CRS.from_user_input(UTM)
        assert file.transform[:6] == land.transform
        assert file.nodata == -1
        assert file.compression.name == "deflate"
        assert file.tags()["seed"] == "7"
        assert file.dtypes == ("float32", "float32")
        np.testing.assert_array_equal(file.read(1), grids["burn probability"])
        np.testing.assert_array_equal(file.read(2), land.burnable)
    assert [p.name for p in tmp_path.iterdir()] == ["out.tif"]


@pytest.mark.parametrize("crs", [UTM, None])
@pytest.mark.parametrize("side", [512, 600])
def test_a_raster_larger_than_a_tile_is_cloud_optimized(tmp_path: Path, side: int,
                                                        crs: str | None) -> None:
    """In tiles, with coarser copies, the directories before the data."""
    land = replace(generate(5, (20, side)), crs=crs)
    ranks = np.arange(20 * side, dtype=np.int32).reshape(20, side)
    shares = np.linspace(0.0, 1.0, 20 * side, dtype=np.float32).reshape(20, side)
    for name, grid in (("ranks", ranks), ("shares", shares)):
        path = write_geotiff(tmp_path / f"{name}.tif", {name: grid}, land, nodata=-1,
                             tags={"seed": 7})
        with rasterio.open(path) as file:
            large = side > 512
            assert (file.tags(ns="IMAGE_STRUCTURE").get("LAYOUT") == "COG") == large
            assert bool(file.profile.get("tiled")) == large
            assert file.overviews(1) == ([2] if large else [])
            assert (file.descriptions, file.tags()["seed"], file.nodata) == ((name,), "7", -1)
            assert file.compression.name == "deflate"
            np.testing.assert_array_equal(file.read(1), grid)
            coarse = file.read(1, out_shape=(10, side // 2))
            assert np.isin(coarse, grid).all()  # cells of the map, not means of them


def test_colours_of_a_cloud_optimized_raster(tmp_path: Path) -> None:
    land = generate(5, (20, 600))
    with rasterio.open(write_fuel_map(tmp_path / "fuel.tif", land)) as file:
        assert file.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert file.colormap(1)[int(land.fuel_model.max())][3] == 255
        np.testing.assert_array_equal(file.read(1), land.fuel_model)


def test_landscape_reads_back(tmp_path: Path, land: Landscape) -> None:
    again = read_landscape(write_landscape(tmp_path / "land.tif", land))
    assert again.crs == rasterio.CRS.from_user_input(UTM).to_wkt()
    assert (again.transform, again.cell_size_m) == (land.transform, land.cell_size_m)
    np.testing.assert_array_equal(again.fuel_model, land.fuel_model)
    for name, unit in (("elevation_m", 1.0), ("canopy_cover", 0.01), ("canopy_height_m", 0.1),
                       ("canopy_base_height_m", 0.1), ("canopy_bulk_density_kg_m3", 0.01)):
        written, read = getattr(land, name), getattr(again, name)
        np.testing.assert_allclose(read, written, atol=0.501 * unit)
    np.testing.assert_allclose(again.slope_tan, land.slope_tan, atol=0.01)
    shipped = read_landscape(tmp_path / "land.tif", terrain="shipped")
    np.testing.assert_allclose(shipped.slope_tan, land.slope_tan, atol=0.013)
    steep = land.slope_tan > 0
    turned = np.abs((shipped.aspect_deg - land.aspect_deg + 180) % 360 - 180)
    assert turned[steep].max() <= 0.51


def test_written_twice_is_the_same_landscape(tmp_path: Path, land: Landscape) -> None:
    once = read_landscape(write_landscape(tmp_path / "a.tif", land))
    twice = read_landscape(write_landscape(tmp_path / "b.tif", once))
    assert once.checksum() == twice.checksum()


def test_no_data_survives(tmp_path: Path, land: Landscape) -> None:
    fuel = land.fuel_model.copy()
    fuel[:4, :5] = NODATA
    holed = replace(land, fuel_model=fuel)
    again = read_landscape(write_landscape(tmp_path / "land.tif", holed))
    np.testing.assert_array_equal(again.fuel_model, fuel)
    with rasterio.open(tmp_path / "land.tif") as file:
        assert set(file.nodatavals) == {NODATA}
        assert (file.read()[:, :4, :5] == NODATA).all()


def test_aspect_is_written_in_0_to_359_and_minus_1_where_flat(tmp_path: Path,
                                                              land: Landscape) -> None:
    slope, aspect = np.full(land.shape, 0.2), np.full(land.shape, 359.7)
    slope[0, 0] = aspect[0, 0] = 0.0
    path = write_landscape(tmp_path / "land.tif", replace(land, slope_tan=slope,
                                                          aspect_deg=aspect))
    with rasterio.open(path) as file:
        assert np.unique(file.read(3)).tolist() == [-1, 0]


def test_no_reference_system_is_written_as_none(tmp_path: Path, land: Landscape) -> None:
    path = write_landscape(tmp_path / "land.tif", replace(land, crs=None))
    with pytest.warns(LandscapeWarning, match="no coordinate reference system"):
        assert read_landscape(path).crs is None


def test_fuel_map_has_the_usual_colours(tmp_path: Path, land: Landscape) -> None:
    fuel = land.fuel_model.copy()
    fuel[0, 0] = NODATA
    with rasterio.open(write_fuel_map(tmp_path / "fuel.tif",
                                      replace(land, fuel_model=fuel))) as file:
        assert file.dtypes == ("uint8",)
        assert file.colormap(1)[165] == (0x26, 0x73, 0x00, 255)
        assert file.nodata == 0
        codes = file.read(1)
    assert codes[0, 0] == 0
    np.testing.assert_array_equal(codes.ravel()[1:], fuel.ravel()[1:])


def of_fbp(land: Landscape) -> Landscape:
    fuel = np.resize([2, 31, 102, 645], land.fuel_model.shape)
    fuel[:3, :4] = NODATA
    return replace(land, fuel_model=fuel, fuel_system="fbp")


def test_fbp_fuels_have_their_own_colours_and_codes_above_255(tmp_path: Path,
                                                              land: Landscape) -> None:
    fbp = of_fbp(land)
    with rasterio.open(write_fuel_map(tmp_path / "fuel.tif", fbp)) as file:
        assert file.dtypes == ("uint16",)
        assert file.colormap(1)[2] == (0x22, 0x66, 0x33, 255)
        assert file.colormap(1)[645] == (0xFF, 0xD3, 0x7F, 255)
        assert file.tags()["FUEL_SYSTEM"] == "fbp"
        codes = file.read(1).astype(int)
        np.testing.assert_array_equal(np.where(codes == 0, NODATA, codes), fbp.fuel_model)


def test_the_fuel_system_is_written_and_read_back(tmp_path: Path, land: Landscape) -> None:
    fbp = of_fbp(land)
    again = read_landscape(write_landscape(tmp_path / "a.tif", fbp))
    assert again.fuel_system == "fbp"
    np.testing.assert_array_equal(again.fuel_model, fbp.fuel_model)
    with rasterio.open(tmp_path / "a.tif", "r+") as file:
        file.update_tags(FUEL_SYSTEM="kitral")
    with pytest.raises(InputError, match="FUEL_SYSTEM to be rothermel or fbp, got 'kitral'"):
        read_landscape(tmp_path / "a.tif")


@pytest.mark.filterwarnings("ignore:.*has no canopy")
def test_a_fuel_layer_of_a_folder_names_its_system_by_tag_or_name(tmp_path: Path,
                                                                  land: Landscape) -> None:
    fbp = of_fbp(land)
    write_fuel_map(tmp_path / "fuel.tif", fbp)
    write_geotiff(tmp_path / "elevation.tif", {"elevation": land.elevation_m}, land)
    assert read_landscape(tmp_path).fuel_system == "fbp"
    write_geotiff(tmp_path / "fuel.tif", {"codes": fbp.fuel_model}, land, nodata=NODATA)
    with pytest.raises(InputError, match="unknown codes 31"):
        read_landscape(tmp_path)
    (tmp_path / "fuel.tif").rename(tmp_path / "fuel_fbp.tif")
    assert read_landscape(tmp_path).fuel_system == "fbp"


def rich(land: Landscape) -> Landscape:
    random = np.random.default_rng(3)
    return replace(of_fbp(land), grass_curing=random.random(land.shape),
                   ignition_weight=random.random(land.shape), value=random.random(land.shape),
                   cost=1 + random.random(land.shape), treatable=random.random(land.shape) < 0.5)


def test_special_layers_are_extra_bands(tmp_path: Path, land: Landscape) -> None:
    full = rich(land)
    path = write_landscape(tmp_path / "a.tif", full)
    with rasterio.open(path) as file:
        assert file.descriptions[8:] == ("grass curing", "ignition weight", "value", "cost",
                                         "treatable")
        assert set(file.dtypes) == {"float32"}
    again = read_landscape(path)
    data = full.fuel_model != NODATA
    for name in ("ignition_weight", "value", "cost", "treatable"):
        np.testing.assert_array_equal(getattr(again, name)[data], getattr(full, name)[data])
    np.testing.assert_allclose(again.grass_curing[data], full.grass_curing[data], atol=1e-6)
    plain = write_landscape(tmp_path / "b.tif", land)
    with rasterio.open(plain) as file:
        assert (file.count, set(file.dtypes)) == (8, {"int16"})


def test_a_folder_of_ascii_grids_loses_nothing(tmp_path: Path, land: Landscape) -> None:
    for name, one in (("plain", land), ("rich", rich(land))):
        write_ascii_folder(tmp_path / name, one)
        again = read_landscape(tmp_path / name, terrain="shipped")  # no unit is in doubt
        assert again.checksum() == one.checksum()
        assert (again.transform, again.fuel_system) == (one.transform, one.fuel_system)
        assert again.crs == rasterio.CRS.from_user_input(UTM).to_wkt()
    assert "fuel_model_fbp.asc" in {path.name for path in (tmp_path / "rich").iterdir()}
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a folder, got a file"):
        write_ascii_folder(tmp_path / "file", land)


@pytest.mark.parametrize("name", ["value.asc", "cost.tif", "fuel_model_fbp.asc", "ROAD M.TIF",
                                  "whole.lcp"])
def test_a_folder_with_rasters_of_another_landscape_is_refused(
        tmp_path: Path, land: Landscape, name: str) -> None:
    (tmp_path / name).write_text("mine")
    (tmp_path / "curing.tif").write_text("mine")
    (tmp_path / "notes.txt").write_text("no raster")
    (tmp_path / "notes").mkdir()
    there = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match=r"tables, got .*; move them elsewhere") as refused:
        write_ascii_folder(tmp_path, land)
    assert all(one in str(refused.value) for one in (name, "curing.tif"))
    assert {path.name for path in tmp_path.iterdir()} == there
    (tmp_path / name).unlink()
    (tmp_path / "curing.tif").unlink()
    write_ascii_folder(tmp_path, land)
    write_ascii_folder(tmp_path, land)  # its own are replaced


@pytest.mark.parametrize("make", [
    lambda place: (place / "value.tif").mkdir(),
    lambda place: (place / "slope_percent.asc").mkdir(),
    lambda place: (place / "value.asc").symlink_to("nowhere"),
    lambda place: (place / "fbp_lookup_table.csv").write_text("mine")],
    ids=["folder", "folder in the way", "dangling link", "fuel table"])
def test_what_cannot_be_read_back_is_refused_before_a_file_is_written(
        tmp_path: Path, land: Landscape, make: Callable[[Path], object]) -> None:
    make(tmp_path)
    there = [*tmp_path.iterdir()]
    with pytest.raises(InputError, match=f"tables, got {there[0].name}"):
        write_ascii_folder(tmp_path, land)
    assert [*tmp_path.iterdir()] == there


def test_a_landscape_without_a_reference_system_does_not_get_that_of_an_earlier_one(
        tmp_path: Path, land: Landscape) -> None:
    write_ascii_folder(tmp_path, replace(land, crs=UTM))
    with pytest.raises(InputError, match=r"fuel_model\.prj"):
        write_ascii_folder(tmp_path, replace(land, crs=None))


def test_a_folder_that_is_missing_is_refused(tmp_path: Path, land: Landscape) -> None:
    with pytest.raises(InputError, match="create it first"):
        write_geotiff(tmp_path / "no" / "a.tif", {"x": land.elevation_m}, land)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
        tmp_path: Path, land: Landscape, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_fuel_map(tmp_path / "a.tif", land)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("firebreak.files.os.replace", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*/a\.tif'"):
        write_geotiff(path, {"x": land.elevation_m}, land)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.tif"]


def test_a_raster_that_is_read_back_otherwise_is_not_written(
        tmp_path: Path, land: Landscape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rasterio.io.DatasetWriter, "write", lambda *_: None, raising=False)
    with pytest.raises(ResourceFailedError, match=r"a\.tif: .*other numbers are read back"):
        write_geotiff(tmp_path / "a.tif", {"x": land.elevation_m}, land)
    assert not list(tmp_path.iterdir())


def test_a_folder_of_the_name_is_refused(tmp_path: Path, land: Landscape) -> None:
    (tmp_path / "a.tif").mkdir()
    with pytest.raises(InputError, match=r"a\.tif: expected to write a GeoTIFF, got 'Is a dir"):
        write_geotiff(tmp_path / "a.tif", {"x": land.elevation_m}, land)
    assert [p.name for p in tmp_path.iterdir()] == ["a.tif"]


def test_a_farsite_file_without_a_reference_system_has_latitude_0(tmp_path: Path,
                                                                   land: Landscape) -> None:
    with pytest.warns(UserWarning, match=r"land\.lcp: latitude 0 is written"):
        written = write_lcp(tmp_path / "land.lcp", replace(land, crs=None))
    assert written == [tmp_path / "land.lcp"] == list(tmp_path.iterdir())
    with rasterio.open(written[0]) as dataset:
        assert (dataset.tags()["LATITUDE"], dataset.count) == ("0", 8)


def test_a_farsite_file_leaves_out_what_it_has_no_bands_for(tmp_path: Path) -> None:
    land = replace(generate(4, 9), crs=rasterio.crs.CRS.from_epsg(5070).to_wkt())
    more = replace(land, value=2.0 * land.value, road_m=np.ones(land.shape, np.float32))
    path, _ = write_lcp(tmp_path / "more.lcp", more)
    plain, _ = write_lcp(tmp_path / "plain.lcp", land)
    with rasterio.open(path) as dataset, rasterio.open(plain) as other:
        assert np.array_equal(dataset.read(), other.read())


@pytest.mark.filterwarnings("ignore:.*disagree", "ignore:.*coordinate reference system")
def test_a_farsite_file_is_read_back(tmp_path: Path) -> None:
    land = replace(generate(4, 9, cell_size_m=30.0),
                   crs=rasterio.crs.CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, -1_400_000.0, 0.0, -30.0, 2_700_000.0))
    path, _ = write_lcp(tmp_path / "land.lcp", land)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["land.lcp", "land.prj"]
    with rasterio.open(path) as dataset:
        assert (dataset.driver, dataset.count) == ("LCP", 8)
    back, tif = (read_landscape(one) for one in (path, write_landscape(tmp_path / "a.tif", land)))
    assert back.transform == land.transform
    for name in ("fuel_model", "elevation_m", "slope_tan", "aspect_deg", "canopy_cover",
                 "canopy_height_m", "canopy_base_height_m", "canopy_bulk_density_kg_m3"):
        np.testing.assert_allclose(getattr(back, name), getattr(tif, name), rtol=1e-6)
    with pytest.raises(InputError, match=r"a name that ends in \.lcp"):
        write_lcp(tmp_path / "land.tif", land)
