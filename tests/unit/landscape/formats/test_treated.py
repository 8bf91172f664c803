"""Landscapes with breaks in place, and QGIS styles."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st

from firebreak.landscape.formats.qgis_styles import (
    Class,
    write_classes,
    write_ramp,
)
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.formats.treated import with_breaks, write_treated
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment, treated_landscape

ALBERS = rasterio.crs.CRS.from_epsg(5070).to_wkt()


@pytest.fixture(scope="module")
def land() -> Landscape:
    made = generate(6, (10, 13), cell_size_m=30.0)
    fuel = made.fuel_model.copy()
    fuel[2, 3] = NODATA
    return replace(made, fuel_model=fuel, crs=ALBERS,
                   transform=(30.0, 0.0, -2_000_000.0, 0.0, -30.0, 1_500_000.0))


def breaks_of(land: Landscape, seed: int = 0) -> np.ndarray:
    return land.treatable & (np.random.default_rng(seed).random(land.shape) < 0.2)


def reordered(path: Path, land: Landscape, tmp_path: Path) -> Path:
    """The landscape's file with other order, type, no data, tags and units of bands."""
    with rasterio.open(write_landscape(path, land)) as raster:
        values, profile = raster.read(), raster.profile | {"dtype": "int32", "nodata": 32767}
    names = ("LC_CBD", "LC_F40", "LC_ELEV", "LC_SLPD", "LC_ASP", "LC_CC", "LC_CH", "LC_CBH")
    order = (7, 3, 0, 1, 2, 4, 5, 6)
    with rasterio.open(path, "w", **profile) as raster:
        for index, (name, band) in enumerate(zip(names, order, strict=True), start=1):
            grid = values[band].astype(np.int32)
            raster.write(np.where(grid == NODATA, 32767, grid), index)
            raster.set_band_description(index, name)
            raster.update_tags(index, made_by=f"band {index}")
        raster.update_tags(SOURCE="a survey")
    return path


@pytest.mark.parametrize("treatment", [Treatment(), Treatment(kind="shaded")])
def test_only_treated_cells_of_the_file_change(land: Landscape, tmp_path: Path,
                                               treatment: Treatment) -> None:
    source = reordered(tmp_path / "source.tif", land, tmp_path)
    own = read_landscape(source)
    breaks = breaks_of(own)
    out = write_treated(tmp_path / "treated.tif", str(source), own, breaks, treatment)
    with rasterio.open(source) as before, rasterio.open(out) as after:
        for name in ("dtype", "nodata", "transform", "crs", "count"):
            assert before.profile[name] == after.profile[name], name
        assert after.descriptions == before.descriptions
        assert after.tags() == before.tags()
        assert after.tags(3)["made_by"] == "band 3"
        old, new = before.read(), after.read()
    assert (old[:, ~breaks] == new[:, ~breaks]).all()
    assert (old[[2, 3, 4, 6]] == new[[2, 3, 4, 6]]).all()  # terrain and height stay
    assert (old[1, breaks] != new[1, breaks]).any()
    expected = treated_landscape(own, treatment)
    back = read_landscape(out)
    assert np.array_equal(back.fuel_model[breaks], expected.fuel_model[breaks])
    for name, step in (("canopy_cover", 0.005), ("canopy_base_height_m", 0.05),
                       ("canopy_bulk_density_kg_m3", 0.005)):
        np.testing.assert_allclose(getattr(back, name)[breaks], getattr(expected, name)[breaks],
                                   atol=step + 1e-6)


@pytest.mark.filterwarnings("ignore:.*disagree with its elevation")
def test_numbers_that_a_file_scales_or_names_a_unit_of_stay_what_they_are(
        land: Landscape, tmp_path: Path) -> None:
    source = write_landscape(tmp_path / "source.tif", land)
    with rasterio.open(source, "r+") as raster:
        raster.write(np.full(land.shape, 12, raster.dtypes[5]), 6)
        raster.set_band_unit(6, "m")
        raster.set_band_unit(1, "ft")
    before = read_landscape(source)
    breaks = breaks_of(before)
    after = read_landscape(write_treated(tmp_path / "after.tif", str(source), before, breaks,
                                         Treatment()))
    assert (before.canopy_height_m == 12.0).all()
    np.testing.assert_allclose(after.elevation_m, before.elevation_m, atol=0.5)
    kept = before.burnable & ~breaks
    np.testing.assert_allclose(after.canopy_height_m[kept], 12.0)


def test_other_sources_become_a_landscape_file(land: Landscape, tmp_path: Path) -> None:
    dear = replace(land, cost=3.0 * land.cost, value=2.0 * land.value)
    out = write_treated(tmp_path / "treated.tif", "synthetic:6", dear, breaks_of(land), Treatment())
    with rasterio.open(out) as raster:
        assert (raster.count, raster.dtypes[0]) == (8, "int16")
    back = read_landscape(out)
    expected = with_breaks(land, breaks_of(land), Treatment())
    assert np.array_equal(back.fuel_model, expected.fuel_model)
    assert (back.transform, back.crs) == (land.transform, land.crs)


@pytest.mark.slow
@given(st.integers(0, 1000), st.sampled_from([Treatment(), Treatment(kind="shaded")]))
def test_breaks_change_nothing_outside(seed: int, treatment: Treatment) -> None:
    land = generate(3, 8)
    breaks = breaks_of(land, seed)
    after = with_breaks(land, breaks, treatment)
    for name in ("fuel_model", "canopy_cover", "canopy_base_height_m",
                 "canopy_bulk_density_kg_m3", "elevation_m", "value", "cost"):
        assert np.array_equal(getattr(after, name)[~breaks], getattr(land, name)[~breaks])
    assert np.array_equal(after.burnable, land.burnable & ~breaks) == (treatment.kind == "hard")


def test_styles_name_every_class(tmp_path: Path) -> None:
    styled = write_classes(tmp_path / "a.tif", [Class(1, "#b2182b80", 'a "b" & <c>')])
    assert styled == tmp_path / "a.qml"
    entry = ElementTree.parse(styled).getroot().find(".//paletteEntry")
    assert entry is not None
    assert (entry.get("label"), entry.get("color"), entry.get("alpha")) == (
        'a "b" & <c>', "#b2182b", "128")
    ramp = write_ramp(tmp_path / "b.tif", [Class(-0.5, "#000000", "low"),
                                           Class(0.25, "#ffffff", "high")])
    shader = ElementTree.parse(ramp).getroot().find(".//colorrampshader")
    assert shader is not None
    assert (shader.get("minimumValue"), shader.get("maximumValue")) == ("-0.5", "0.25")
    assert [item.get("value") for item in shader] == ["-0.5", "0.25"]
