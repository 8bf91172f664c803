"""The eight jobs: their TOMLs, their inputs, and the command on a tiny stand-in for a real map."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.landscape.formats.write import write_landscape
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.methods import AUTO, METHODS
from firebreak.reading import read_toml

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = sorted((ROOT / "configs" / "jobs").glob("*.toml"))
NAMES = [path.stem for path in CONFIGS]
STAND_IN = """
landscape = "../../outputs/jobs/maps/a-map/land.tif"
budget = 0.1
plan_fires = 12
test_fires = 40

[place]
area = "4:20,4:20"
must_include = "../../outputs/jobs/inputs/stand-in/line.tif"

[map]
treatable = "../../outputs/jobs/inputs/stand-in/edge.tif"
"""

pytestmark = pytest.mark.filterwarnings("ignore:.*disagree", "ignore:.*reference system",
                                        "ignore:.*bare ground hems in")


@pytest.fixture(scope="module")
def jobs(load_jobs: Callable[[str], ModuleType]) -> dict[str, ModuleType]:
    return {name: load_jobs(name) for name in ("inputs", "load", "measure", "table", "__main__")}


def test_every_job_has_a_toml_and_every_toml_is_a_job(jobs: dict[str, ModuleType]) -> None:
    assert len(NAMES) == 8
    assert set(NAMES) == set(jobs["inputs"].JOBS)


@pytest.mark.parametrize("name", NAMES)
def test_a_job_s_toml_loads_and_names_what_is_made(jobs: dict[str, ModuleType], name: str,
                                                   tmp_path: Path) -> None:
    path = ROOT / "configs" / "jobs" / f"{name}.toml"
    text, job = path.read_text(encoding="utf-8"), jobs["inputs"].JOBS[name]
    assert text.startswith(f"# firebreak plan --config configs/jobs/{name}.toml\n")
    args = jobs["load"].options_of(name, tmp_path)
    assert args.plan_fires >= 32
    assert args.test_fires >= 500
    assert args.place.area is not None
    assert args.landscape.startswith(str(tmp_path / "maps" / job.map))
    for weather in re.findall(r'"(weather/[\w.-]+)"', text):
        assert read_toml(path.parent / weather)
    land = generate(1, 30)
    fuel = np.where(np.eye(30, dtype=np.bool_), 91, land.fuel_model).astype(np.int16)
    land = replace(land, fuel_model=fuel, treatable=land.treatable & (fuel != 91))
    made = job.layers(land, np.ones(land.shape, np.bool_))
    used = re.findall(r"outputs/jobs/inputs/([\w-]+)/([\w-]+)\.tif", text)
    assert {job for job, _ in used} <= {name}
    assert {layer for _, layer in used} == set(made)


def test_names_of_jobs_are_checked(jobs: dict[str, ModuleType]) -> None:
    assert jobs["load"].names_of([]) == list(jobs["inputs"].JOBS)
    with pytest.raises(InputError, match="dogrib"):
        jobs["load"].names_of(["dogrip"])


@pytest.fixture
def stand_in(jobs: dict[str, ModuleType], tmp_path: Path,
             monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The folder of a map of 24 x 24 cells with its one job, and a folder for outputs."""
    land = generate(3, 24, cell_size_m=30.0)
    fuel = land.fuel_model.copy()
    fuel[12, :] = 91  # a road
    (tmp_path / "maps" / "a-map").mkdir(parents=True)
    write_landscape(tmp_path / "maps" / "a-map" / "land.tif",
                    replace(land, fuel_model=fuel, treatable=land.treatable & (fuel != 91)))
    inputs = jobs["inputs"]

    def layers(land: object, inside: np.ndarray) -> dict[str, np.ndarray]:
        edge = inputs.near(inputs.developed(land), land, 150.0)
        return {"edge": edge, "line": inputs.ridge_line(land, edge & inside, 4)}

    configs = tmp_path / "configs" / "jobs"
    configs.mkdir(parents=True)
    (configs / "stand-in.toml").write_text(STAND_IN)
    monkeypatch.setattr(inputs, "CONFIGS", configs)
    monkeypatch.setattr("firebreak.planning.core.fire_counts.FEWEST_CHOICE", 100)
    monkeypatch.setattr(inputs, "landscape_path", lambda folder: folder / "land.tif")
    for module in (inputs, jobs["load"]):
        monkeypatch.setattr(module, "JOBS", {"stand-in": inputs.Inputs("a-map", layers)})
    return tmp_path / "maps", tmp_path / "out"


def run(jobs: dict[str, ModuleType], data: Path, out: Path, *methods: str) -> list[dict[str, str]]:
    jobs["__main__"].main(["--data", str(data), "--out", str(out), "--methods", *methods])
    with (out / "table.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_inputs_are_made_and_made_alike_again(jobs: dict[str, ModuleType],
                                              stand_in: tuple[Path, Path]) -> None:
    data, out = stand_in
    paths = jobs["inputs"].make_inputs("stand-in", data, out)
    first = [path.read_bytes() for path in paths]
    assert [path.stem for path in paths] == ["edge", "line"]
    assert (out / "maps" / "a-map" / "land.tif").samefile(data / "a-map" / "land.tif")
    assert [path.read_bytes() for path in jobs["inputs"].make_inputs("stand-in", data, out)
            ] == first
    with pytest.raises(InputError, match="FIREBREAK_DATA"):
        jobs["inputs"].make_inputs("stand-in", out, out)


@pytest.mark.slow
@pytest.mark.usefixtures("capsys")
def test_a_run_makes_one_row_per_method_and_goes_on_where_it_was_stopped(
        jobs: dict[str, ModuleType], stand_in: tuple[Path, Path],
        monkeypatch: pytest.MonkeyPatch) -> None:
    data, out = stand_in
    methods = ("none", "random", "downstream-value", "milp")
    measured: list[str] = []
    real = jobs["__main__"].measure

    def stopping(job: object, method: str, *rest: object) -> object:
        if len(measured) == 2:
            raise KeyboardInterrupt
        return counting(job, method, *rest)

    def counting(job: object, method: str, *rest: object) -> object:
        measured.append(method)
        return real(job, method, *rest)

    monkeypatch.setattr(jobs["__main__"], "measure", stopping)
    with pytest.raises(KeyboardInterrupt):
        run(jobs, data, out, *methods)
    assert measured == [AUTO, "none"]
    monkeypatch.setattr(jobs["__main__"], "measure", counting)
    rows = run(jobs, data, out, *methods)
    assert measured == [AUTO, *methods]
    assert {row["method"] for row in rows} == {AUTO, *methods}
    by_name = {row["method"]: row for row in rows}
    assert float(by_name["none"]["reduction"]) == 0.0
    assert by_name[AUTO]["chosen"] in METHODS
    assert "milp" in by_name["milp"]["refused"]
    assert float(by_name[AUTO]["reduction"]) == pytest.approx(
        float(by_name["none"]["auto_minus"]))
    words = (out / "table.md").read_text()
    assert "In 3 comparisons" in words
    assert "Not measured: " in words  # of the eight jobs
    # The same records again make the same tables; another job does not.
    assert run(jobs, data, out, *methods) == rows
    assert len(measured) == 5
    config = jobs["inputs"].config_of("stand-in")
    config.write_text(config.read_text().replace("plan_fires = 12", "plan_fires = 13"))
    run(jobs, data, out, "none")
    assert measured[5:] == [AUTO, "none"]


@pytest.mark.usefixtures("capsys")
def test_a_search_has_the_seconds_of_auto_and_is_made_again_with_it(
        jobs: dict[str, ModuleType], stand_in: tuple[Path, Path],
        monkeypatch: pytest.MonkeyPatch) -> None:
    data, out = stand_in
    given: list[tuple[str, float | None]] = []
    real = jobs["__main__"].measure

    def fast(job: object, method: str, auto: object, *rest: object) -> object:
        given.append((method, None if auto is None else auto.seconds))
        record = real(job, method, auto and auto._replace(seconds=0.05), *rest)
        if method == "swap":
            assert record.limit_seconds == 0.05
            return record._replace(limit_seconds=auto.seconds)
        return record

    monkeypatch.setattr(jobs["__main__"], "measure", fast)
    run(jobs, data, out, "swap")
    path = jobs["measure"].path_of(out, "stand-in", AUTO)
    auto = json.loads(path.read_text())
    assert given == [(AUTO, None), ("swap", auto["seconds"])]
    run(jobs, data, out, "swap")
    assert len(given) == 2
    path.write_text(json.dumps(auto | {"seconds": 123.0}))
    run(jobs, data, out, "swap")
    assert given[2:] == [("swap", 123.0)]


@pytest.mark.usefixtures("capsys")
def test_a_method_that_takes_too_long_is_stopped_and_said(
        jobs: dict[str, ModuleType], stand_in: tuple[Path, Path],
        monkeypatch: pytest.MonkeyPatch) -> None:
    data, out = stand_in
    monkeypatch.setattr(jobs["measure"], "MOST_TIMES_AUTO", 0.0)
    rows = run(jobs, data, out, "segments")
    by_name = {row["method"]: row for row in rows}
    assert by_name["segments"]["refused"].startswith("not done after 0 s")
    assert by_name["segments"]["reduction"] == ""
    assert float(by_name[AUTO]["reduction"]) > 0.0
    assert "not done after 0 s" in (out / "table.md").read_text()


def test_a_damaged_record_is_no_record(jobs: dict[str, ModuleType], tmp_path: Path) -> None:
    measure = jobs["measure"]
    record = measure.Record("a", "none", "key", saved=np.array([0.1, 1 / 3]),
                            untreated=np.array([1.0, 2.0]))
    path = measure.write_record(record, tmp_path)
    found = measure.read_record(path)
    assert found.saved.tolist() == record.saved.tolist()
    assert found._replace(saved=0, untreated=0) == record._replace(saved=0, untreated=0)
    text = path.read_text()
    for damaged in ("", text[:40], "[]", text.replace('"format": 1', '"format": 0'),
                    text.replace('"seconds"', '"secs"')):
        path.write_text(damaged)
        assert measure.read_record(path) is None
    assert measure.read_record(tmp_path / "nowhere.json") is None


def test_bad_names_are_said_in_one_sentence(jobs: dict[str, ModuleType], tmp_path: Path,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--jobs", "dogrip"], ["--methods", "gready"], ["--data", str(tmp_path)]):
        with pytest.raises(SystemExit) as end:
            jobs["__main__"].main([*words, "--out", str(tmp_path / "out")])
        assert end.value.code == 2
        assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "out" / "table.md").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("capsys")
def test_a_real_job_from_its_map_to_its_table(jobs: dict[str, ModuleType], data_dir: Path,
                                              tmp_path: Path) -> None:
    """The narrow breaks of Storm Lake, by three methods."""
    jobs["__main__"].main(["--jobs", "storm-lake-narrow", "--data", str(data_dir),
                           "--methods", "none", "random", "downstream-value",
                           "--out", str(tmp_path)])
    rows = json.loads((tmp_path / "verdict.json").read_text())["rows"]
    by_name = {row["method"]: row for row in rows}
    assert by_name["none"]["reduction"] == 0.0
    assert by_name["random"]["reduction"] > 0.0
    assert by_name["downstream-value"]["low"] > by_name["random"]["high"]
    assert by_name[AUTO]["low"] > by_name["random"]["high"]
    assert by_name[AUTO]["cost"] <= by_name[AUTO]["budget"]


def test_an_area_widens_to_4_km_about_its_middle_as_far_as_the_map_goes(
        load_jobs: Callable[[str], ModuleType]) -> None:
    wider = load_jobs("corridors").wider
    assert wider("48:88,34:74", (200, 200), 100.0) == "48:88,34:74"
    assert wider("360:416,168:224", (512, 512), 30.0) == "321:455,129:263"
    assert wider("0:40,460:500", (512, 512), 30.0) == "0:134,378:512"
    assert wider("4:20,4:20", (24, 24), 30.0) == "0:24,0:24"


def test_corridors_stand_beside_cells_of_equal_money(
        load_jobs: Callable[[str], ModuleType]) -> None:
    row = {"cost": 60.0, "pieces": 3, "single": 0, "saves": [0.5, 0.4, 0.6], "unlimited": None,
           "ratio": None}
    lines = load_jobs("corridors").table([{
        "job": "a job", "area": "0:134,0:100", "cell_m": 30.0, "rows": {
            "corridors": row, "cells, dqn": row | {"ratio": [0.95, 0.9, 1.0]}}}]).splitlines()
    assert lines[2:] == [
        "| a job | 4.0 x 3.0 | corridors | 60 | 3, 0 | 0.500 (0.400 to 0.600) |  |  |",
        "| a job | 4.0 x 3.0 | cells, dqn | 60 | 3, 0 | 0.500 (0.400 to 0.600) |  | "
        "0.950 (0.900 to 1.000) |"]
