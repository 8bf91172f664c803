"""`firebreak plan` by windows, from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from firebreak.cli import main
from firebreak.landscape.raster.geotiff import open_raster, read_band

LAND = "synthetic:5:64"
SMALL = ["--budget", "0.05", "--method", "downstream-value", "--plan-fires", "24",
         "--test-fires", "60", "--burned-share", "0.03", "--scenarios", "2", "--threads", "1"]


def plan(*options: str, out: Path) -> int:
    return main(["plan", LAND, *SMALL, *options, "--out", str(out)])


def ranks(folder: Path) -> np.ndarray:
    with open_raster(folder / "plan.tif") as dataset:
        return read_band(dataset, 1).values


def test_a_plan_by_windows_is_written_and_its_words_are_those_of_its_record(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("--window-cells", "32", "--json", out=tmp_path / "one") == 0
    out = capsys.readouterr().out
    found = json.loads(out.strip().splitlines()[-1])
    assert found["windows"] == 4
    assert found["plan_fires"] == 24
    assert f"downstream-value in 4 windows: {found['n_cells']} cells" in out
    assert f"windows reach {found['margin']} cells beyond what they treat" in out
    assert f"saves {found['reduction']:.1%} ({found['low']:.1%} - {found['high']:.1%})" in out
    assert f"{found['promised']:.1%} on its plan fires" in out
    assert (ranks(tmp_path / "one") > 0).sum() == found["n_cells"] > 0
    assert main(["simulate", LAND, "--plan", str(tmp_path / "one"), "--fires", "5",
                 "--burned-share", "0.03", "--scenarios", "2", "--out", str(tmp_path / "burned"),
                 ]) == 0


def test_a_plan_that_promises_much_more_than_it_keeps_says_so(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", LAND, *SMALL, "--plan-fires", "6", "--budget", "0.2", "--window-cells",
                 "64", "--out", str(tmp_path)]) == 0
    assert ("it fences in the fires that it was shown, so give more of them (--plan-fires 24)"
            in capsys.readouterr().out)


@pytest.mark.parametrize(("options", "message"), [
    (["--window-cells", "4"], "--window-cells: expected at least 16 cells, got 4"),
    (["--window-margin", "-1"], "--window-margin: expected at least 0 cells, got -1"),
    (["--window-margin", "0"], "expected a margin of at least"),
    (["--window-cells", "32", "--breach", "wilson"], "breaks that fire crosses ('wilson')"),
    (["--window-cells", "32", "--shortest-m", "90"], "expected no --must-include, --shortest-m"),
    (["--window-cells", "32", "--budget", "0.0003"], "a budget that buys"),
    (["--ray-address", "host:1"], "--executor ray together with --ray-address")])
def test_bad_input_is_one_sentence_and_writes_nothing(
        options: list[str], message: str, tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(*options, out=tmp_path / "none") == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "none").exists()
