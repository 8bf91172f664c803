"""Plans of versions that wrote all files into the plan's folder itself are read as before."""

import json
from pathlib import Path

import pytest

from firebreak import plan, simulate
from firebreak.cli import main
from firebreak.planning.output.earlier import FILES_FILE

pytestmark = pytest.mark.usefixtures("small_pictures", "no_simulation_pictures")
LAND = "synthetic:3:20"
FEW = ["--plan-fires", "12", "--scenarios", "2", "--threads", "1", "--quiet"]


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder "old" of a judged plan with years, as an earlier version wrote it."""
    monkeypatch.chdir(tmp_path)
    assert main(["plan", LAND, *FEW, "--method", "downstream-value", "--test-fires", "24",
                 "--phases", "2027:10,2028:30", "--out", "old"]) == 0
    old = tmp_path / "old"
    for path in (old / "data").iterdir():
        path.rename(old / path.name)
    (old / "data").rmdir()
    if (old / "plan.gpkg").exists():
        (old / "plan.gpkg").rename(old / "segments.gpkg")
    listed = json.loads((old / FILES_FILE).read_text())
    listed["files"] = {name.removeprefix("data/").replace("plan.gpkg", "segments.gpkg"): checksum
                       for name, checksum in listed["files"].items()}
    (old / FILES_FILE).write_text(json.dumps(listed))
    return old


def test_fires_burn_under_it(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shares = []
    for named in (["--plan", "old"], ["--plan", "old/plan.tif"], []):
        assert main(["simulate", LAND, "--fires", "40", "--scenarios", "2", "--threads", "1",
                     "--quiet", "--json", *named, "--out", "fires"]) == 0
        told = capsys.readouterr()
        shares.append(json.loads(told.out.splitlines()[-1])["mean_burned_share"])
        assert "other options" not in told.err
    assert shares[0] == shares[1] < shares[2]
    made = simulate(LAND, fires=40, scenarios=2, threads=1, plan=earlier)
    assert made.mean_burned_share == shares[0]


@pytest.mark.slow
def test_it_is_compared_and_stands_beside_the_next(
        earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads((earlier / "plan.json").read_text())["n_cells"]
    capsys.readouterr()
    assert main(["evaluate", LAND, "--plan", "old", "--methods", "none", "--test-fires", "30",
                 "--budget", "0.123839", *FEW, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out.splitlines()[-1])["rows"]
    assert next(row for row in rows if row["method"] != "none")["reduction"] > 0.0
    assert main(["plan", LAND, *FEW, "--method", "strips", "--existing", "old", "--test-fires",
                 "30", "--report", "brief", "--out", "new"]) == 0
    assert "existing" in capsys.readouterr().out
    made = plan(LAND, existing=earlier, method="strips", plan_fires=12, test_fires=30, scenarios=2,
                threads=1, report="brief")
    assert made.comparison is not None
    assert len(made._run.request.network.cells) == cells


@pytest.mark.slow
def test_the_explorer_shows_it_with_its_years(earlier: Path) -> None:
    assert main(["visualize", "old", "--export", "page.html", "--quiet"]) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"years": [2027' in page or '"years":[2027' in page


@pytest.mark.slow
def test_the_next_plan_takes_its_place(earlier: Path) -> None:
    (earlier / "notes.txt").write_text("mine")
    assert main(["plan", LAND, *FEW, "--method", "strips", "--report", "none", "--out", "old"]) == 0
    assert {path.name for path in earlier.iterdir()} == {
        "data", "plan.json", "options.json", FILES_FILE, "notes.txt"}
