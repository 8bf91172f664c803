"""What a landscape's files declare about themselves is used, or refused in a sentence."""

from pathlib import Path

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from rasterio.warp import transform

from firebreak.checks import InputError
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.raster.geotiff import utm_zone

pytestmark = pytest.mark.filterwarnings(
    "ignore::firebreak.landscape.formats.assemble.LandscapeWarning")

FOOT, US_FOOT = 0.3048, 1200 / 3937


def at_place(path: Path, crs: str, longitude: float, latitude: float) -> Path:
    """A landscape of 8 bands with its centre at a place, degrees."""
    x, y = transform("EPSG:4326", crs, [longitude], [latitude])
    return written(path, crs=crs, corner=(x[0] - 150.0, y[0] + 150.0))


def written(path: Path, *, crs: str = "EPSG:32611", unit: str = "", driver: str = "GTiff",
            corner: tuple[float, float] = (500_000.0, 4_000_000.0), cover: int = 45,
            aspect: int = 180, **options: object) -> Path:
    """Ground that rises 6 a cell to the north, in 10 x 10 cells of 30."""
    rise = np.repeat(6 * (10 - np.arange(10)), 10).reshape(10, 10)
    layers = [100 + rise, 11, aspect, 101, cover, 215, 12, 13]
    tif = path.with_suffix(".tif")
    with rasterio.open(tif, "w", driver="GTiff", count=8, height=10, width=10, dtype="int16",
                       crs=crs, transform=rasterio.Affine(30, 0, corner[0], 0, -30, corner[1]),
                       ) as file:
        for index, layer in enumerate(layers, start=1):
            file.write(np.broadcast_to(layer, (10, 10)).astype(np.int16), index)
        if unit:
            file.set_band_unit(1, unit)
    if driver != "GTiff":
        rasterio.shutil.copy(tif, path, driver=driver, LATITUDE=35, LINEAR_UNIT="METER", **options)
        tif.unlink()
    return path


@pytest.mark.parametrize(("crs", "longitude", "latitude", "zone"), [
    ("EPSG:3857", -117.6, 33.8, 32611),   # Web Mercator
    ("EPSG:3857", 147.0, -37.0, 32755),
    ("EPSG:3395", 10.0, 45.0, 32632),     # World Mercator
    ("EPSG:5070", -150.0, 64.0, 32606),   # equal areas, but far from where it is meant for
    ("EPSG:32611", -140.0, 45.0, 32607),  # a zone that is not this one
    ("EPSG:3577", 146.8, -46.0, 32755),   # equal areas, stretched by a tenth
])
def test_metres_that_are_none_on_the_ground_are_refused_with_the_command(
        tmp_path: Path, crs: str, longitude: float, latitude: float, zone: int) -> None:
    path = at_place(tmp_path / "a.tif", crs, longitude, latitude)
    with pytest.raises(InputError, match=rf"cells of 30 m are .* m of ground; .*gdalwarp -t_srs "
                                         rf"EPSG:{zone} IN OUT"):
        read_landscape(path)


@pytest.mark.parametrize(("crs", "longitude", "latitude"), [
    ("EPSG:5070", -117.6, 33.8), ("EPSG:5070", -123.0, 47.0), ("EPSG:5070", -81.0, 26.0),
    ("EPSG:3310", -120.0, 37.0), ("EPSG:2193", 172.0, -42.0), ("EPSG:3035", 10.0, 45.0),
    ("EPSG:32611", -114.1, 60.0), ("EPSG:2227", -122.0, 38.0), ("EPSG:3577", 147.0, -37.0),
    ("EPSG:3338", -156.8, 71.3),   # the northern end of Alaska, 0.051
    ("EPSG:3577", 146.8, -43.5),   # the southern end of Tasmania, 0.070
])
def test_maps_in_the_systems_of_their_land_are_read(tmp_path: Path, crs: str, longitude: float,
                                                    latitude: float) -> None:
    assert read_landscape(at_place(tmp_path / "a.tif", crs, longitude, latitude)).shape == (10, 10)


@pytest.mark.parametrize(("longitude", "latitude", "code"), [
    (-117.6, 33.8, "EPSG:32611"), (147.0, -37.0, "EPSG:32755"), (400.0, 45.0, "EPSG:CODE")])
def test_degrees_are_refused_with_the_zone_of_the_place(
        tmp_path: Path, longitude: float, latitude: float, code: str) -> None:
    path = tmp_path / "a.tif"
    with rasterio.open(path, "w", driver="GTiff", count=1, height=10, width=10, dtype="int16",
                       crs="EPSG:4326",
                       transform=rasterio.Affine(3e-4, 0, longitude, 0, -3e-4, latitude)) as file:
        file.write(np.full((1, 10, 10), 101, np.int16))
    with pytest.raises(InputError, match=f"cells of 0.0003 degrees; .* -t_srs {code} IN OUT"):
        read_landscape(path)


def test_utm_zones() -> None:
    assert [utm_zone(*place) for place in ((-180.0, 1.0), (179.9, -1.0), (180.0, 1.0), (3.0, 0.0))
            ] == ["EPSG:32601", "EPSG:32760", "EPSG:32601", "EPSG:32631"]


@pytest.mark.parametrize(("options", "metres"), [
    ({}, 1.0), ({"unit": "m"}, 1.0), ({"unit": "ft"}, FOOT), ({"unit": "US survey foot"}, US_FOOT),
    ({"crs": "EPSG:26911+6360"}, US_FOOT), ({"crs": "EPSG:26911+8228"}, FOOT),
    ({"crs": "EPSG:26911+5703"}, 1.0), ({"crs": "EPSG:26911+6360", "unit": "metre"}, 1.0),
    ({"unit": "m asl"}, 1.0), ({"unit": "us_survey_foot"}, US_FOOT),
    ({"unit": "international feet"}, FOOT),
])
def test_elevations_are_in_the_unit_that_is_declared(tmp_path: Path, options: dict[str, str],
                                                     metres: float) -> None:
    land = read_landscape(written(tmp_path / "a.tif", **options))
    assert land.elevation_m[0] == pytest.approx(160 * metres)
    assert land.slope_tan[5] == pytest.approx(0.2 * metres)
    assert "VERT" not in str(land.crs)
    again = read_landscape(write_landscape(tmp_path / "own.tif", land))
    assert again.elevation_m == pytest.approx(land.elevation_m, abs=0.5)


def test_an_ascii_grid_takes_the_unit_of_its_vertical_datum(tmp_path: Path) -> None:
    head = "ncols 3\nnrows 3\nxllcorner 500000\nyllcorner 4000000\ncellsize 30\n"
    wkt = rasterio.crs.CRS.from_user_input("EPSG:26911+6360").to_wkt()
    for name, value in (("elevation", 1000), ("fuel", 101)):
        (tmp_path / f"{name}.asc").write_text(head + f"{value} {value} {value}\n" * 3)
        (tmp_path / f"{name}.prj").write_text(wkt)
    assert read_landscape(tmp_path).elevation_m == pytest.approx(1000 * US_FOOT)


def test_a_unit_of_elevations_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"metres or feet, got the unit 'furlong'.*gdal_edit.py"):
        read_landscape(written(tmp_path / "a.tif", unit="furlong"))


@pytest.mark.parametrize(("code", "cover"), [(0, 0.0), (1, 0.10), (2, 0.35), (3, 0.65), (4, 0.90)])
def test_cover_classes_of_an_lcp_become_cover(tmp_path: Path, code: int, cover: float) -> None:
    path = written(tmp_path / "a.lcp", driver="LCP", cover=code, CANOPY_COV_UNIT="CATEGORIES")
    assert read_landscape(path).canopy_cover == pytest.approx(cover)


def test_percent_that_counts_as_classes_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.lcp", driver="LCP", cover=45, CANOPY_COV_UNIT="CATEGORIES")
    with pytest.raises(InputError, match="classes 0 to 4, as the header says, got 100 cells"):
        read_landscape(path)


@pytest.mark.parametrize(("code", "azimuth"), [(360, 90), (90, 0), (180, 270), (270, 180), (0, 0)])
def test_degrees_of_grass_become_azimuths(tmp_path: Path, code: int, azimuth: float) -> None:
    path = written(tmp_path / "a.lcp", driver="LCP", aspect=code, ASPECT_UNIT="GRASS_DEGREES")
    assert (read_landscape(path, terrain="shipped").aspect_deg == azimuth).all()


def test_aspect_classes_are_refused_where_they_would_be_used(tmp_path: Path) -> None:
    path = written(tmp_path / "a.lcp", driver="LCP", aspect=18, ASPECT_UNIT="GRASS_CATEGORIES")
    assert read_landscape(path).aspect_deg[5] == pytest.approx(180.0)
    with pytest.raises(InputError, match=r"aspects in degrees, got GRASS's classes.*derived"):
        read_landscape(path, terrain="shipped")


@pytest.mark.parametrize(("kind", "number"), [
    ("uint16", 55537), ("float32", -3.4028234663852886e38), ("int32", -2147483648)])
def test_fuels_with_no_data_that_no_tag_declares_name_it(tmp_path: Path, kind: str,
                                                         number: float) -> None:
    codes = np.full((10, 10), 101, kind)
    codes[2, 3:5] = number
    write_layer(tmp_path / "elevation.tif", np.full((10, 10), 100, "int16"))
    write_layer(tmp_path / "fuel.tif", codes)
    with pytest.raises(InputError, match=r"in 2 cells, a no-data value that no tag declares; .*"
                                         r"gdal_edit\.py -a_nodata (\S+) FILE") as found:
        read_landscape(tmp_path)
    named = float(str(found.value).split()[-2])
    write_layer(tmp_path / "fuel.tif", codes, nodata=named)
    assert (read_landscape(tmp_path).fuel_model == 101).sum() == 98


def write_layer(path: Path, values: np.ndarray, nodata: float | None = None) -> None:
    with rasterio.open(path, "w", driver="GTiff", count=1, height=10, width=10, dtype=values.dtype,
                       crs="EPSG:32611", nodata=nodata,
                       transform=rasterio.Affine(30, 0, 500_000, 0, -30, 4_000_000)) as file:
        file.write(values, 1)


@pytest.mark.parametrize("name", ["fuel.asc", "fuel.tif"])
def test_an_empty_layer_is_empty(tmp_path: Path, name: str) -> None:
    write_layer(tmp_path / "elevation.tif", np.full((10, 10), 100, "int16"))
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=rf"{name}: expected .*, got an empty file"):
        read_landscape(tmp_path)
