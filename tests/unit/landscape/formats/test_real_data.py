"""Real landscapes: each trap of the formats, seen in a file that has it."""

from pathlib import Path

import numpy as np
import pytest

from firebreak.landscape.formats.read import LandscapeWarning, read_landscape
from firebreak.landscape.landscape import NODATA, Landscape


def read_warned(path: Path, words: str, **options: str) -> Landscape:
    with pytest.warns(LandscapeWarning) as log:
        land = read_landscape(path, **options)  # type: ignore[arg-type]
    assert any(words in str(entry.message) for entry in log), [str(e.message) for e in log]
    return land


def test_bitterroot_eight_bands(data_dir: Path) -> None:
    land = read_warned(data_dir / "landfire-bitterroot-mt", "median aspect error 10.9")
    assert (land.shape, land.cell_size_m) == ((515, 502), 30.0)
    assert "32611" in str(land.crs)
    assert (land.elevation_m.min(), land.elevation_m.max()) == (964.0, 2794.0)
    assert (land.fuel_model != NODATA).all()
    assert land.canopy_height_m.max() == pytest.approx(39.0)
    assert land.canopy_bulk_density_kg_m3.max() == pytest.approx(0.34)


def test_worcester_layers_in_percent_with_corners_without_data(data_dir: Path) -> None:
    folder = data_dir / "landfire-worcester-vt-north"
    land = read_warned(folder, "mean turn +14.1 degrees")
    assert land.fuel_model[land.burnable].min() > 100  # FBFM40, not FBFM13
    assert np.mean(land.fuel_model == NODATA) == pytest.approx(0.32, abs=0.01)
    assert land.elevation_m.min() == 246.0
    shipped = read_warned(folder, "used as shipped", terrain="shipped")
    data = land.fuel_model != NODATA
    assert np.median(np.abs(shipped.slope_tan - land.slope_tan)[data]) < 0.01


def test_storm_lake_lcp_without_reference_system(data_dir: Path) -> None:
    folder = data_dir / "lcp-storm-lake"
    land = read_warned(folder, "no coordinate reference system")
    assert (land.shape, land.cell_size_m, land.crs) == ((107, 143), 30.0, None)
    assert np.mean(land.fuel_model == NODATA) == pytest.approx(0.057, abs=0.002)
    assert land.elevation_m.min() > 2000
    shipped = read_warned(folder, "used as shipped", terrain="shipped", crs="EPSG:32612")
    data = land.fuel_model != NODATA
    assert np.median(np.abs(shipped.slope_tan - land.slope_tan)[data]) < 0.02
    assert shipped.canopy_height_m.max() == pytest.approx(39.0)


def test_otay_lcp_says_degrees_and_holds_percent(data_dir: Path) -> None:
    folder = data_dir / "lcp-otay-90m"
    land = read_warned(folder, "mean turn -12.7 degrees", crs="EPSG:5070")
    shipped = read_warned(folder, "used as shipped", crs="EPSG:5070", terrain="shipped")
    assert land.cell_size_m == 90.0
    assert shipped.slope_tan.max() == pytest.approx(1.08)
    assert np.median(np.abs(shipped.slope_tan - land.slope_tan)) < 0.05
    assert np.mean(~land.burnable) == pytest.approx(0.43, abs=0.005)


def test_santa_ana_aspect_is_turned(data_dir: Path) -> None:
    land = read_warned(data_dir / "landfire-santa-ana-ca", "mean turn +13.1 degrees")
    assert np.mean(~land.burnable) == pytest.approx(0.038, abs=0.001)


def test_sierra_tile_agrees_with_its_elevation(data_dir: Path) -> None:
    derived = read_landscape(data_dir / "landfire-sierra-tile")  # warnings are errors here
    shipped = read_landscape(data_dir / "landfire-sierra-tile", terrain="shipped")
    assert np.median(np.abs(derived.slope_tan - shipped.slope_tan)) < 0.01
    steep = derived.slope_tan > 0.1
    turned = np.abs((derived.aspect_deg - shipped.aspect_deg + 180) % 360 - 180)[steep]
    assert np.median(turned) < 1.0
