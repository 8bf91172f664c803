"""The sample that comes with firebreak holds what is said of it."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.names import SAMPLES, sample_folder
from firebreak.landscape.raster.degrees import corners_of
from firebreak.landscape.raster.on_grid import mask_of
from firebreak.reading import read_toml
from firebreak.weather.load import weather_of

ROOT = Path(__file__).resolve().parents[4]
NAME = "sample:santa-ana"
RIM, EDGE_M, DEVELOPED = 16, 300.0, 91


@pytest.fixture(scope="module")
def land() -> Landscape:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_landscape(NAME)


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) <= 1_000_000


def test_breaks_may_lie_at_the_wildland_edge_alone(land: Landscape) -> None:
    away = distance_transform_edt(land.fuel_model != DEVELOPED) * land.cell_size_m
    inner = np.zeros(land.shape, np.bool_)
    inner[RIM:-RIM, RIM:-RIM] = True
    assert (away[land.treatable] <= EDGE_M).all()
    assert not land.treatable[~inner].any()
    # Developed land outside the window may make its rim an edge too, but not its middle.
    near = land.burnable & inner & (away <= EDGE_M)
    assert (land.treatable == near)[2 * RIM:-2 * RIM, 2 * RIM:-2 * RIM].all()
    assert land.treatable.sum() > 1000


def test_roads_are_developed_cells(land: Landscape) -> None:
    roads = mask_of(sample_folder(NAME) / "roads.tif", land)
    assert roads.sum() > 100
    assert (land.fuel_model[roads] == DEVELOPED).all()
    assert land.road_m is not None
    np.testing.assert_array_equal(land.road_m == 0.0, roads)


def test_its_slope_and_aspect_are_those_of_its_elevation(land: Landscape) -> None:
    shipped = read_landscape(NAME, terrain="shipped")
    inner = (slice(1, -1), slice(1, -1))
    slope = np.degrees(np.arctan(land.slope_tan) - np.arctan(shipped.slope_tan))[inner]
    assert np.abs(slope).max() <= 0.51  # degrees, as LANDFIRE rounds them
    steep = (land.slope_tan > 0.05)[inner]
    turn = (land.aspect_deg - shipped.aspect_deg + 180.0)[inner][steep] % 360.0 - 180.0
    assert np.abs(turn).max() <= 0.51


def test_what_is_said_of_it_is_complete_and_names_its_box(land: Landscape) -> None:
    told = read_toml(sample_folder(NAME) / "about.toml")
    assert {"source", "product", "version", "box", "slope_and_aspect", "treatable", "roads",
            "weather"} <= told.keys()
    assert "public domain" in told["source"]
    cell, _, west, _, _, north = land.transform
    assert told["box"].startswith(
        f"{west:.0f} to {west + 88 * cell:.0f} m east, {north - 88 * cell:.0f} to {north:.0f} m "
        "north, EPSG:32611")
    assert corners_of(land) == pytest.approx((-117.67, 33.719, -117.641, 33.743), abs=1e-3)


def test_its_weather_blows_from_the_north_east() -> None:
    streams = weather_of(NAME, scenarios=8, hours=None, seed=0)
    assert streams.steps.wind_from_deg.min() == pytest.approx(22.5)
    assert streams.steps.wind_from_deg.max() == pytest.approx(67.5)


@pytest.mark.filterwarnings("ignore:.*disagree")
def test_the_script_makes_it_from_the_map(tmp_path: Path, data_dir: Path, land: Landscape) -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    import make_sample

    make_sample.make(data_dir, tmp_path)
    for name in ("about.toml", "weather.toml"):
        assert (tmp_path / name).read_bytes() == (sample_folder(NAME) / name).read_bytes()
    for name in ("landscape.tif", "surroundings.tif"):
        assert (read_landscape(tmp_path / name, terrain="shipped").checksum()
                == read_landscape(sample_folder(NAME) / name, terrain="shipped").checksum())
    np.testing.assert_array_equal(mask_of(tmp_path / "roads.tif", land), land.road_m == 0.0)
