"""`firebreak landscape convert|info` from the command line down to files."""

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio

from cell2fire_folders import write_cell2fire
from firebreak.cli import main
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape

Out = pytest.CaptureFixture[str]

pytestmark = pytest.mark.filterwarnings(
    "ignore::firebreak.landscape.formats.assemble.LandscapeWarning")


def run_json(capsys: Out, *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


def refused(capsys: Out, *arguments: str) -> str:
    assert main(list(arguments)) == 2
    text = capsys.readouterr().err.strip().splitlines()[-1]
    assert text.startswith("firebreak: ")
    return text


def test_ascii_grids_lose_nothing(tmp_path: Path, capsys: Out) -> None:
    out = tmp_path / "out"
    done = run_json(capsys, "landscape", "convert", "synthetic:3:24:forest", "--to", "ascii",
                    "--out", str(out))
    assert done["fuel_system"] == "rothermel"
    assert all(Path(path).is_file() for path in done["files"])
    info = run_json(capsys, "landscape", "info", str(out), "--terrain", "shipped")
    assert info["checksum"] == done["checksum"]


def test_a_chain_of_formats_keeps_fuels_and_system(tmp_path: Path, capsys: Out,
                                                   fbp_folder: Path) -> None:
    first = read_landscape(fbp_folder)
    steps = [("geotiff", "a.tif"), ("ascii", "b"), ("geotiff", "c.tif")]
    source = fbp_folder
    for form, name in steps:
        run_json(capsys, "landscape", "convert", str(source), "--to", form, "--out",
                 str(tmp_path / name))
        source = tmp_path / name
    last = read_landscape(source)
    assert (last.fuel_system, last.transform) == ("fbp", first.transform)
    np.testing.assert_array_equal(last.fuel_model, first.fuel_model)
    np.testing.assert_array_equal(last.grass_curing, first.grass_curing)
    with rasterio.open(source) as file:
        assert file.tags()["FUEL_SYSTEM"] == "fbp"
        assert "grass curing" in file.descriptions


@pytest.fixture
def fbp_folder(tmp_path: Path) -> Path:
    from dataclasses import replace

    from firebreak.landscape.synthetic.generate import generate

    land = generate(2, 16)
    fuel = np.random.default_rng(1).choice([2, 31, 60, 101, 645], land.shape)
    curing = np.where(fuel == 31, np.float32(0.65), np.float32(0.8))
    write_cell2fire(tmp_path / "fbp", replace(land, fuel_model=fuel, fuel_system="fbp",
                                              grass_curing=curing))
    return tmp_path / "fbp"


def test_info_names_fuels_of_the_system(capsys: Out, fbp_folder: Path) -> None:
    assert main(["landscape", "info", str(fbp_folder)]) == 0
    text = capsys.readouterr().out
    assert "fuel system fbp" in text
    assert "grass curing 65 to 80 %" in text
    assert " C-2 " in text
    assert "M-1/M-2 (45 PC)" in text


def test_rasters_and_cell_size_are_taken_along(tmp_path: Path, capsys: Out) -> None:
    run_json(capsys, "landscape", "convert", "synthetic:1:20", "--out", str(tmp_path / "a.tif"))
    land = read_landscape(tmp_path / "a.tif")
    write_mask(tmp_path / "roads.tif", land)
    done = run_json(capsys, "landscape", "convert", str(tmp_path / "a.tif"), "--out",
                    str(tmp_path / "b.tif"), "--barriers", str(tmp_path / "roads.tif"),
                    "--value", str(tmp_path / "roads.tif"), "--cell-size-m", "50",
                    "--crs", "EPSG:32611")
    assert (done["rows"], done["cell_size_m"]) == (40, 50.0)
    again = read_landscape(tmp_path / "b.tif")
    assert not again.burnable[10:12].any()
    assert again.burnable[12:].any()
    assert again.value[10:12].all()
    assert not again.value[12:].any()


def write_mask(path: Path, land: Landscape) -> None:
    row = np.zeros(land.shape, np.uint8)
    row[5] = 1
    with rasterio.open(path, "w", driver="GTiff", count=1, height=20, width=20, dtype="uint8",
                       transform=rasterio.Affine(*land.transform), crs="EPSG:32611") as file:
        file.write(row, 1)


def test_bad_requests_end_in_one_sentence(tmp_path: Path, capsys: Out) -> None:
    assert "a file to write, got a folder" in refused(
        capsys, "landscape", "convert", "synthetic:1:8", "--out", str(tmp_path))
    (tmp_path / "x").write_text("here")
    assert "new or empty" in refused(capsys, "landscape", "convert", "synthetic:1:8", "--to",
                                     "ascii", "--out", str(tmp_path))
    assert "got a file" in refused(capsys, "landscape", "convert", "synthetic:1:8", "--to",
                                   "ascii", "--out", str(tmp_path / "x"))
    assert "one of ascii, geotiff, lcp, got 'cell2fire'" in refused(
        capsys, "landscape", "convert", "synthetic:1:8", "--to", "cell2fire", "--out", "x")
    (tmp_path / "fuels.asc").write_text("ncols 1000000000\nnrows 1000000000\nxllcorner 0\n"
                                        "yllcorner 0\ncellsize 1\n1 2 3\n")
    (tmp_path / "elevation.asc").write_text("1")
    assert "at most 200,000,000 cells" in refused(capsys, "landscape", "info", str(tmp_path))


def test_published_instances_are_described(data_dir: Path, capsys: Out) -> None:
    done = run_json(capsys, "landscape", "info", str(data_dir / "cell2fire-sub20x20"))
    assert (done["rows"], done["columns"], done["burnable_cells"]) == (20, 20, 307)
    assert "kitral_lookup_table.csv" in refused(
        capsys, "landscape", "info", str(data_dir / "c2fw-kitral-portezuelo"))
