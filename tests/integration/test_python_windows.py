"""Plans by windows in Python: those of the command."""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import firebreak
from firebreak.checks import InputError
from firebreak.cli import main

pytestmark = pytest.mark.usefixtures("small_pictures")
LAND = "synthetic:5:64"
SMALL = {"budget": 0.05, "method": "downstream-value", "plan_fires": 24, "test_fires": 60,
         "burned_share": 0.03, "scenarios": 2, "threads": 1, "window_cells": 32}
TIMED = {"plan.json", "options.json", "plan_files.json", "report.html", "plan.gpkg",
         "stac_item.json"}
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
