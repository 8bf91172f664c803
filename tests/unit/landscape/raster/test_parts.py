"""What a raster says of itself decides how much of it is read."""

import tracemalloc
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from rasterio.crs import CRS

from firebreak.checks import InputError
from firebreak.landscape.formats.assemble import read_layer
from firebreak.landscape.formats.overlays import with_rasters
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster import on_grid, parts
from firebreak.landscape.raster.on_grid import mask_of, read_on_grid
from firebreak.landscape.synthetic.generate import generate

SIDE = 14_000  # nearly as many cells as a raster may have
WEST, NORTH = -2_000_000.0, 1_500_000.0


@pytest.fixture(scope="module")
def land() -> Landscape:
    return replace(generate(3, (12, 12), cell_size_m=30.0), crs=CRS.from_epsg(5070).to_wkt(),
                   transform=(30.0, 0.0, WEST, 0.0, -30.0, NORTH))


def hollow(path: Path, bands: int = 1, **form: Any) -> Path:
    """A raster of 1.6 GB in a file of 0.6 MB: it has no blocks, which stand for zeros."""
    form = form or {"tiled": True, "blockxsize": 256, "blockysize": 256}
    with rasterio.open(path, "w", driver="GTiff", width=SIDE, height=SIDE, count=bands,
                       dtype="float64", crs="EPSG:5070", SPARSE_OK=True,
                       transform=rasterio.Affine(30.0, 0, WEST, 0, -30.0, NORTH), **form):
        pass
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(bytes(max(600_000 * bands - size, 0)))
    return path


@pytest.mark.parametrize("option", ["value", "treatable", "barriers", "ignition", "cost"])
def test_a_small_file_of_many_cells_takes_no_more_than_the_landscape_needs(
        land: Landscape, tmp_path: Path, option: str) -> None:
    path = hollow(tmp_path / "a.tif")
    none = option in ("cost", "ignition")  # of its zeros neither can be made
    tracemalloc.start()
    with pytest.raises(InputError) if none else nullcontext():
        with_rasters(land, **{option: path})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


def test_a_layer_beside_a_small_fuel_layer_is_read_over_it_only(
        land: Landscape, tmp_path: Path) -> None:
    path = hollow(tmp_path / "a.tif")
    grid, band, _ = read_layer(path, None, land)
    assert band.values.shape == grid.shape == (28, 28)
    assert grid.transform[2::3] == (WEST, NORTH)


@pytest.mark.parametrize("system", ["EPSG:5070", "EPSG:5071", "EPSG:32610", "EPSG:4326"])
def test_a_part_gives_what_the_whole_gives(land: Landscape, tmp_path: Path, monkeypatch: Any,
                                           system: str) -> None:
    ours = CRS.from_user_input(land.crs)
    a, _, c, _, e, f = land.transform
    west, south, east, north = rasterio.warp.transform_bounds(
        ours, system, c - 40 * a, f + 60 * e, c + 50 * a, f - 40 * e)
    numbers = np.random.default_rng(0).uniform(1.0, 9.0, (300, 270))
    path = tmp_path / "a.tif"
    with rasterio.open(path, "w", driver="GTiff", width=270, height=300, count=1, dtype="float64",
                       crs=system, transform=rasterio.Affine(
                           (east - west) / 270, 0, west, 0, (south - north) / 300, north)) as file:
        file.write(numbers, 1)
    whole = {how: read_on_grid(path, land, how=how) for how in ("mean", "nearest", "any")}
    monkeypatch.setattr(parts, "MOST_BYTES", 300_000)
    read = []
    monkeypatch.setattr("firebreak.landscape.raster.on_grid.read_band",
                        lambda dataset, index, part: read.append(part) or original(
                            dataset, index, part))
    for how, grid in whole.items():
        np.testing.assert_allclose(read_on_grid(path, land, how=how), grid, rtol=1e-9)
    assert all(0 < part.width < 200 and 0 < part.height < 200 for part in read)


original = __import__("firebreak.landscape.raster.geotiff", fromlist=["read_band"]).read_band


def test_what_cannot_be_laid_over_the_landscape_is_refused_unread(
        land: Landscape, tmp_path: Path, monkeypatch: Any) -> None:
    path = hollow(tmp_path / "a.tif")
    with pytest.raises(InputError, match="cut it to the landscape's area"):
        read_on_grid(path, replace(land, crs=None))
    far = replace(land, transform=(30.0, 0.0, WEST + 1e6, 0.0, -30.0, NORTH))
    with pytest.raises(InputError, match="overlap with the landscape, got none"):
        read_on_grid(path, far)
    monkeypatch.setattr(parts, "MOST_BYTES", 300_000_000)
    one_block = hollow(tmp_path / "b.tif", blockysize=SIDE // 4)
    with pytest.raises(InputError, match=r"at most 0.3 GB over the landscape, got 0.4 GB"):
        read_on_grid(one_block, land)


def test_a_landscape_that_does_not_fit_the_memory_is_refused_before_it_is_read(
        tmp_path: Path, monkeypatch: Any) -> None:
    path = hollow(tmp_path / "a.tif", bands=8)
    monkeypatch.setattr("firebreak.free_memory.free_bytes", lambda: 2_000_000_000)
    with pytest.raises(InputError, match=r"at most 2.0 GB of free memory, got 34.1 GB for 14,000"):
        read_landscape(path)


def test_an_ascii_grid_larger_than_the_landscape_deserves_is_refused(
        land: Landscape, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "a.asc"
    path.write_text("ncols 400\nnrows 300\nxllcorner 0\nyllcorner 0\ncellsize 30\n"
                    + " ".join(["1"] * 120_000))
    monkeypatch.setattr(parts, "MOST_BYTES", 1_000_000)
    with pytest.raises(InputError, match="for 300 x 400 cells"):
        mask_of(path, land)


@pytest.mark.slow
def test_a_majority_of_countless_classes_is_refused(land: Landscape, tmp_path: Path,
                                                    monkeypatch: Any) -> None:
    path = tmp_path / "a.tif"
    with rasterio.open(path, "w", driver="GTiff", width=20, height=20, count=1, dtype="float64",
                       crs="EPSG:5070", transform=rasterio.Affine(20.0, 0, WEST, 0, -20.0, NORTH)
                       ) as file:
        file.write(np.arange(400.0).reshape(20, 20), 1)
    assert mask_of(path, land).any()
    monkeypatch.setattr(on_grid, "MOST_WORK", 500_000_000)
    with pytest.raises(InputError, match="400 different numbers in 400 cells"):
        mask_of(path, land)
