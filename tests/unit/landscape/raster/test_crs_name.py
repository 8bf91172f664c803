"""The name of a reference system, in words."""

import pytest
from rasterio.crs import CRS

from firebreak.landscape.raster.geotiff import crs_name

ALBERS = CRS.from_epsg(5070)


@pytest.mark.parametrize(("crs", "name"), [
    (ALBERS.to_wkt(), "NAD83 / Conus Albers"),
    (ALBERS.to_wkt(version="WKT2_2019"), "NAD83 / Conus Albers"),
    ("EPSG:5070", "EPSG:5070"), (None, "none"), ("", "none"),
])
def test_the_name_of_a_reference_system(crs: str | None, name: str) -> None:
    assert crs_name(crs) == name


def test_the_word_for_none_is_the_callers() -> None:
    assert crs_name(None, none="no CRS") == "no CRS"
