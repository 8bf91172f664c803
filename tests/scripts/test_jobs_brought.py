"""The eight maps with what planners bring: their TOMLs, their inputs, a run on a tiny stand-in, the
tables of the page.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import rasterio

from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.reading import read_toml

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "configs" / "jobs" / "brought").glob("*.toml"))
COUNTIES = sorted(path.stem for path in (ROOT / "configs" / "jobs" / "county").glob("*.toml"))
STAND_IN = """
landscape = "../../../outputs/jobs/maps/a-map/land.tif"
budget = 0.3
plan_fires = 12
test_fires = 40

[place]
area = "4:20,4:20"
lines = "../../../outputs/jobs/inputs/stand-in/lines.geojson"
horizon = 3

[map]
value = "../../../outputs/jobs/inputs/stand-in/houses.csv"
treatable = "../../../outputs/jobs/inputs/stand-in/edge.tif"

[breaks]
treatment = "bare-line"
"""

pytestmark = pytest.mark.filterwarnings("ignore:.*disagree", "ignore:.*outside the map")


@pytest.fixture(scope="module")
def jobs(load_jobs: Callable[[str], ModuleType]) -> dict[str, ModuleType]:
    return {name: load_jobs(name) for name in ("inputs", "load", "brought_inputs", "measure",
                                               "brought", "brought_page")}


def a_map() -> Landscape:
    """A map of 24 x 24 cells of 30 m: two roads and a ridge."""
    land = generate(3, 24, cell_size_m=30.0)
    rows, cols = np.mgrid[0:24, 0:24]
    fuel = land.fuel_model.copy()
    fuel[12, :] = fuel[:, 5] = 91
    return replace(land, fuel_model=fuel, treatable=land.treatable & (fuel != 91),
                   elevation_m=(1000.0 - np.abs(cols - 15) * 9.0 + 0.1 * rows).astype(np.float32),
                   slope_tan=np.full(land.shape, 0.05, np.float32),
                   transform=(30.0, 0.0, -2e6, 0.0, -30.0, 1.5e6),
                   crs=rasterio.crs.CRS.from_epsg(5070).to_wkt())


@pytest.mark.parametrize("name", COUNTIES)
def test_a_whole_map_names_the_inputs_that_are_made(jobs: dict[str, ModuleType], name: str) -> None:
    own = jobs["brought_inputs"]
    text = own.brought_config(name).read_text(encoding="utf-8")
    assert text.startswith(f"# firebreak plan --config configs/jobs/county/{name}.toml\n")
    assert own.inputs_named(name) == set(own.COUNTIES[name].files)
    assert set(own.COUNTIES) == set(COUNTIES)


def test_every_job_has_a_toml_and_every_toml_is_a_job(jobs: dict[str, ModuleType]) -> None:
    assert len(NAMES) == 8
    assert set(NAMES) == set(jobs["brought_inputs"].BROUGHT)


@pytest.mark.parametrize("name", NAMES)
def test_a_job_names_the_inputs_that_are_made_and_plans_years(jobs: dict[str, ModuleType],
                                                              name: str, tmp_path: Path) -> None:
    own = jobs["brought_inputs"]
    path = own.brought_config(name)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# firebreak plan --config configs/jobs/brought/{name}.toml\n")
    assert own.inputs_named(name) == set(own.BROUGHT[name].files)
    tree = read_toml(path)
    assert tree["place"]["horizon"] == 10
    assert tree["breaks"]["treatment"]
    assert tree["test_fires"] >= 500
    if "weather" in tree.get("weather", {}):
        assert (path.parent / tree["weather"]["weather"]).is_file()


def test_houses_stand_where_fuel_touches_developed_land(jobs: dict[str, ModuleType],
                                                        tmp_path: Path) -> None:
    land = a_map()
    path = jobs["brought_inputs"]._houses(land, land, tmp_path / "houses.csv")
    found = {tuple(map(int, line.split(","))) for line in path.read_text().splitlines()[1:]}
    built = land.fuel_model == 91
    slow = {(row, col) for row, col in np.argwhere(land.burnable).tolist()
            if built[max(row - 1, 0):row + 2, max(col - 1, 0):col + 2].any()}
    assert found == slow
    assert found


@pytest.fixture
def stand_in(jobs: dict[str, ModuleType], tmp_path: Path,
             monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The folder of a tiny map with one job, and a folder for outputs."""
    (tmp_path / "maps" / "a-map").mkdir(parents=True)
    write_landscape(tmp_path / "maps" / "a-map" / "land.tif", a_map())
    own = jobs["brought_inputs"]
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "stand-in.toml").write_text(STAND_IN)
    files = {"edge.tif": own._raster(lambda land: land.burnable), "houses.csv": own._houses,
             "lines.geojson": own._lines("ridge", least_m=150.0)}
    for name in ("brought_inputs", "brought"):
        monkeypatch.setattr(jobs[name], "BROUGHT", {"stand-in": own.Brought("a-map", files)})
        monkeypatch.setattr(jobs[name], "brought_config",
                            lambda name: tmp_path / "configs" / f"{name}.toml")
    monkeypatch.setattr(own, "landscape_path", lambda folder: folder / "land.tif")
    monkeypatch.setattr("firebreak.planning.core.fire_counts.FEWEST_CHOICE", 100)
    return tmp_path / "maps", tmp_path / "out"


@pytest.mark.slow
@pytest.mark.usefixtures("capsys")
def test_a_run_makes_inputs_and_a_record_and_goes_on_where_it_was_stopped(
        jobs: dict[str, ModuleType], stand_in: tuple[Path, Path],
        monkeypatch: pytest.MonkeyPatch) -> None:
    data, out = stand_in
    config = data.parent / "configs" / "stand-in.toml"
    run = ["--data", str(data), "--out", str(out)]
    jobs["brought"].main(run)
    (path,) = (out / jobs["brought"].RECORDS).glob("*.json")
    record = json.loads(path.read_text())
    assert record["loss_unit"] == "houses"
    assert record["years"] == 3
    assert len(record["schedules"]) == 6
    ways = record["lines"]["ways"]
    assert ways["free"]["more"] == 0.0
    for own in ways.values():
        assert own["more_interval"][0] <= own["more"] <= own["more_interval"][1]
        assert own["more"] == pytest.approx(own["reduction"] - ways["free"]["reduction"])
    lines = json.loads((out / "inputs" / "stand-in" / "lines.geojson").read_text())
    assert {one["properties"]["kind"] for one in lines["features"]} == {"ridge"}

    def never(*_args: object) -> None:
        raise AssertionError("measured again")

    monkeypatch.setattr(jobs["brought"], "measure", never)
    jobs["brought"].main(run)
    lines = out / "inputs" / "stand-in" / "lines.geojson"
    job = jobs["load"].load_config("stand-in", config, out)
    key = jobs["measure"].key_from(config, job)
    streams = job.scene.streams
    windier = replace(job.scene, streams=streams._replace(steps=streams.steps._replace(
        wind_20ft_m_min=streams.steps.wind_20ft_m_min + 1.0)))
    assert jobs["measure"].key_from(config, job._replace(scene=windier)) != key
    lines.write_text(lines.read_text() + "\n")
    assert jobs["measure"].key_from(config, job) != key
    with monkeypatch.context() as patch:
        policy = data.parent / "another.safetensors"
        policy.write_bytes(b"another")
        patch.setattr(jobs["measure"], "shipped_for", lambda _options: policy)
        with pytest.raises(AssertionError, match="measured again"):
            jobs["brought"].main(run)
    config.write_text(config.read_text().replace("plan_fires = 12", "plan_fires = 13"))
    with pytest.raises(AssertionError, match="measured again"):
        jobs["brought"].main(run)
    page = ROOT / "docs" / "results-jobs.md"
    made = jobs["brought_page"].with_brought_tables(page.read_text(), [record])
    assert "| stand-in | bare-line |" in made


def test_tables_say_what_records_say(jobs: dict[str, ModuleType]) -> None:
    page = jobs["brought_page"]
    saved = {"reduction": 0.1, "low": 0.05, "high": 0.15, "more": 0.0, "more_low": 0.0,
             "more_high": 0.0}
    record = {"job": "j", "treatment": "a,b", "chosen": "kept", "schedules": {
        "build-once": saved, "kept": saved | {"reduction": 0.3, "more": 0.2, "more_low": 0.15,
                                              "more_high": 0.25}},
        "lines": {"pieces": 7, "ways": {
            "free": {"reduction": 0.5, "more": 0.0, "more_interval": [0.0, 0.0]},
            "lines and own": {"reduction": 0.45, "more": -0.05, "more_interval": [-0.07, -0.02]},
            "only lines": {"reduction": 0.4, "more": -0.1, "more_interval": [-0.12, -0.08]}}}}
    assert page.years_markdown([record]).splitlines()[2] == (
        "| j | a, b | 10.00% (5.00% to 15.00%) | kept | 30.00% (5.00% to 15.00%) | "
        "+20.00% (+15.00% to +25.00%) |")
    assert page.lines_markdown([record]).splitlines()[2] == (
        "| j | 7 | 50.00% | 45.00% | +5.00% (+2.00% to +7.00%) | 40.00% | "
        "+10.00% (+8.00% to +12.00%) |")
    assert "| 10.00% | **30.00%** |" in page.schedules_markdown([record])
    assert len(page.lines_markdown([record | {"lines": {}}]).splitlines()) == 2
