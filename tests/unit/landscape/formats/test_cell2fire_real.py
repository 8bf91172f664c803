"""Published Cell2Fire and C2F-W instances: each is read, and each of its traps is met."""

from pathlib import Path

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.landscape.formats.read import LandscapeWarning, read_landscape
from firebreak.landscape.formats.tables import read_ignitions
from firebreak.landscape.landscape import NODATA, Landscape


def read_warned(path: Path, words: str, **options: str) -> Landscape:
    with pytest.warns(LandscapeWarning) as log:
        land = read_landscape(path, **options)  # type: ignore[arg-type]
    assert any(words in str(entry.message) for entry in log), [str(e.message) for e in log]
    return land


@pytest.mark.parametrize(("name", "shape", "burnable"), [
    ("cell2fire-sub20x20", (20, 20), 0.7675), ("cell2fire-sub40x40", (40, 40), 0.9025),
    ("cell2fire-dogrib", (223, 357), 0.8788), ("cell2fire-arrowhead-fire1", (126, 127), 0.8546),
])
def test_fbp_instances(data_dir: Path, name: str, shape: tuple[int, int], burnable: float) -> None:
    land = read_warned(data_dir / name, "no coordinate reference system")
    assert (land.shape, land.fuel_system, land.cell_size_m) == (shape, "fbp", 100.0)
    assert land.burnable.mean() == pytest.approx(burnable, abs=1e-4)
    shipped = read_warned(data_dir / name, "slope.asc: slope is taken to be in percent",
                          terrain="shipped")
    inner = np.s_[1:-1, 1:-1]
    assert np.median(np.abs(shipped.slope_tan - land.slope_tan)[inner]) < 0.01
    cells = read_ignitions(data_dir / name / "Ignitions.csv", land.fuel_model.size)
    assert land.burnable.ravel()[cells].all()


def test_dogrib_has_cells_without_data_and_cured_grass(data_dir: Path) -> None:
    land = read_warned(data_dir / "cell2fire-dogrib", "no coordinate")
    assert (land.fuel_model == NODATA).sum() == 324
    assert np.unique(land.grass_curing[land.fuel_model == 31]).tolist() == [np.float32(0.7)]


def test_the_small_instance_is_a_window_of_dogrib(data_dir: Path) -> None:
    small = read_warned(data_dir / "cell2fire-sub20x20", "grass curing is taken from Data.csv")
    large = read_warned(data_dir / "cell2fire-dogrib", "no coordinate")
    np.testing.assert_array_equal(small.fuel_model, large.fuel_model[:20, 20:40])
    np.testing.assert_array_equal(small.elevation_m, large.elevation_m[:20, 20:40])
    assert small.transform == (100.0, 0.0, 457900.0, 0.0, -100.0, 5718800.0)  # the parent's corner


def test_arrowhead_mixedwood_burns_and_level_cells_have_no_aspect(data_dir: Path) -> None:
    folder = data_dir / "cell2fire-arrowhead-fire1"
    land = read_warned(folder, "percent", terrain="shipped")
    assert land.burnable[land.fuel_model == 60].all()
    assert (land.fuel_model == 60).sum() == 120
    assert land.aspect_deg.max() < 360.0
    scar = np.loadtxt(folder / "FinalScarGrid.csv") != 0
    assert scar.sum() == 8221
    assert scar.ravel()[read_ignitions(folder / "Ignitions.csv", scar.size)].all()


def test_slopes_as_distributed_with_sub40x40_are_not_used(data_dir: Path, tmp_path: Path) -> None:
    source = data_dir / "cell2fire-sub40x40"
    for name in ("Forest.asc", "elevation.asc", "Data.csv", "fbp_lookup_table.csv"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    for name in ("slope", "saz"):
        (tmp_path / f"{name}.asc").write_bytes(
            (source / f"{name}_as_distributed_20x20.asc").read_bytes())
    read_warned(tmp_path, "slope.asc has 20 x 20 cells, not the fuel grid's 40 x 40")
    # The table of this instance holds the small grid too, unrolled into its first 400 lines.
    read_warned(tmp_path, "Data.csv has slope for 400 of 1600 cells only")


@pytest.mark.parametrize(("name", "shape", "burnable", "slope"), [
    ("c2fw-sb-vilopriu", (610, 508), 0.7507, "slope.tif"),
    ("c2fw-sb-vilo100", (100, 100), 0.9683, "slope.asc"),
])
def test_scott_burgan_instances_have_slopes_in_degrees(
        data_dir: Path, name: str, shape: tuple[int, int], burnable: float, slope: str) -> None:
    land = read_warned(data_dir / name, "has no canopy height")
    shipped = read_warned(data_dir / name, f"{slope}: slope is taken to be in degrees",
                          terrain="shipped")
    assert (land.shape, land.fuel_system, land.cell_size_m) == (shape, "rothermel", 20.0)
    assert "ETRS89 / UTM zone 31N" in str(land.crs)
    assert land.burnable.mean() == pytest.approx(burnable, abs=1e-4)
    inner = np.s_[1:-1, 1:-1]
    assert np.abs(shipped.slope_tan - land.slope_tan)[inner].max() < 1e-4
    assert 0.2 < land.canopy_bulk_density_kg_m3.max() < 0.5
    assert 10 < land.canopy_base_height_m.max() < 16
    assert land.canopy_cover.max() > 0.98


def test_kitral_is_refused_in_one_sentence(data_dir: Path) -> None:
    with pytest.raises(InputError, match=r"got kitral_lookup_table\.csv; convert the fuels"):
        read_landscape(data_dir / "c2fw-kitral-portezuelo")


def test_otay_reads_with_a_word_on_its_impossible_degrees(data_dir: Path) -> None:
    land = read_warned(data_dir / "lcp-otay-90m",
                       "slope counts as degrees but reaches 108, so it is in percent")
    assert land.slope_tan.max() < 1.0
