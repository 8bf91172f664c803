"""Plans by windows in Python: those of the command."""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from tests.unit.planning.output.test_given import LAND as MAP
from tests.unit.planning.output.test_given import drawn, line

import firebreak
from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.landscape.formats.write import write_landscape

pytestmark = pytest.mark.usefixtures("small_pictures")
LAND = "synthetic:5:64"
SMALL = {"budget": 0.05, "method": "downstream-value", "plan_fires": 24, "test_fires": 60,
         "burned_share": 0.03, "scenarios": 2, "threads": 1, "window_cells": 32}
TIMED = {"plan.json", "options.json", "plan_files.json", "report.html", "plan.gpkg"}
"""Files in which a time, folders or the command stand."""


def typed(options: dict[str, object]) -> list[str]:
    return [word for name, value in options.items()
            for word in (f"--{name.replace('_', '-')}", str(value))]


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file() and path.name not in TIMED}


@pytest.mark.slow
@pytest.mark.usefixtures("no_simulation_pictures")
def test_python_makes_and_saves_the_plan_of_the_command(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", LAND, *typed(SMALL), "--json", "--out", str(tmp_path / "typed")]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    made = firebreak.plan(LAND, **SMALL)
    files = made.save(tmp_path / "called")
    assert [path.name for path in files] == [Path(name).name for name in said["files"]]
    assert hashes(tmp_path / "called") == hashes(tmp_path / "typed")
    assert made.plan.cells.size == said["n_cells"]
    assert made.effect is not None
    assert made.effect.reduction.mean == said["reduction"]
    assert made.effect.mean_loss_after.mean < made.effect.mean_loss_before.mean
    assert made.plan.notes is not None
    assert made.plan.notes["promised"] == said["promised"]
    with (tmp_path / "typed" / "data" / "segments.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(made.effect.segments)
    report = (tmp_path / "called" / "report.html").read_text()
    assert "--window-cells 32" in report
    assert "<img" in made._repr_html_()


@pytest.mark.slow
@pytest.mark.usefixtures("no_simulation_pictures")
def test_what_a_plan_by_windows_does_not_have_is_said_in_a_sentence(tmp_path: Path) -> None:
    made = firebreak.plan(LAND, **SMALL | {"report": "none"})
    assert made.comparison is made.choice is None
    assert made.effect is not None
    assert not made.effect.segments
    for ask in (made.values, made.compare, lambda: made.effect.burn_probability_after):
        with pytest.raises(InputError, match="expected a plan that was made at once"):
            ask()  # type: ignore[operator]
    burned = firebreak.simulate(LAND, plan=made, fires=20, scenarios=2, burned_share=0.03)
    assert np.isfinite(burned.burn_probability).all()
    with pytest.raises(InputError, match="expected the method auto together with lines"):
        firebreak.plan(LAND, **SMALL, lines="roads.gpkg")


@pytest.mark.slow
@pytest.mark.parametrize("source", ["synthetic:0:300", "landscape"])
def test_a_large_map_is_planned_by_windows_wherever_it_comes_from(source: str) -> None:
    """With a policy it would be refused at once; the method auto goes by windows too."""
    few = {"budget": 0.001, "plan_fires": 8, "test_fires": 4, "burned_share": 0.001,
           "scenarios": 1, "threads": 1, "report": "none"}
    land = source if source != "landscape" else firebreak.read_landscape("synthetic:0:300")
    made = firebreak.plan(land, method="dqn", **few)
    assert made.plan.method == "dqn"
    assert made.plan.notes is not None
    assert made.plan.notes["windows"] > 1
    assert made.plan.policy is not None


YEARS = {"budget": "2027:4000,2028:3000", "method": "auto", "plan_fires": 8, "test_fires": 16,
         "threads": 1}
GROUPS: dict[str, dict[str, object]] = {
    "place": {"horizon": 3, "lines": "lines.geojson"},
    "map": {"value": "houses.geojson", "value_unit": "houses", "roads": "road.geojson"},
    "weather": {"scenarios": 2}, "fire": {"duration_min": 20},
    "breaks": {"treatment": "shaded-break", "hold": "hand", "crew_km": 1},
    "windows": {"window_cells": 16}}
"""Years, lines, houses, crews and windows, in the tables of a file."""


@pytest.fixture
def county(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small map with houses, a road and lines to choose among."""
    monkeypatch.chdir(tmp_path)
    write_landscape("land.tif", MAP)
    houses = [line(row, col, col) for row, col in np.argwhere(MAP.treatable)[37::23].tolist()]
    for house in houses:
        house["geometry"] = {"type": "Point", "coordinates": house["geometry"]["coordinates"][0]}
    drawn(Path("houses.geojson"), *houses)
    drawn(Path("lines.geojson"), line(12, 2, 27, "ridge"), line(5, 1, 25))
    drawn(Path("road.geojson"), line(19, 0, 29))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.usefixtures("no_simulation_pictures", "county")
def test_command_file_and_python_make_one_plan_over_years_with_crews_lines_and_houses() -> None:
    options = YEARS | {name: value for group in GROUPS.values() for name, value in group.items()}
    Path("job.toml").write_text("\n".join([
        *(f"{name} = {json.dumps(value)}" for name, value in YEARS.items()),
        *(text for table, group in GROUPS.items() for text in (
            f"[{table}]", *(f"{name} = {json.dumps(value)}" for name, value in group.items())))]))
    assert main(["plan", "land.tif", *typed(options), "--out", "typed"]) == 0
    assert main(["plan", "land.tif", "--config", "job.toml", "--out", "filed"]) == 0
    firebreak.plan("land.tif", **options).save("called")
    found = hashes(Path("typed"))
    assert found.keys() >= {"plan.tif", "plan.csv", "years.csv", "schedule.csv", "segments.csv",
                            "treatment.tif"}
    assert found == hashes(Path("filed")) == hashes(Path("called"))
