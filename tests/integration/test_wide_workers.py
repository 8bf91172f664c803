"""`simulate` and `evaluate` of a large map by workers write what one process writes."""

import json
import os
import signal
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from firebreak.api.shared import evaluate_steps
from firebreak.api.shared.scene_checks import (
    BYTES_PER_CELL,
    BYTES_PER_CELL_PARTS,
    BYTES_PER_CELL_STEP,
    BYTES_PER_CELL_THREAD,
)
from firebreak.cli import main
from firebreak.executors.choice import open_executor
from firebreak.fire import BURNED, BurnResult, FireConditions, FireRegime, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.native_library import max_threads
from firebreak.planning.core.fire_counts import TESTED_BYTES
from firebreak.planning.evaluation.losses import burned_by_workers, burner_recipe

LAND = "synthetic:3:30"
FIRES = ["--scenarios", "3", "--burned-share", "0.05", "--quiet"]


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main([*arguments]) == code
    out = capsys.readouterr()
    return out.out if code == 0 else out.err


def maps(folder: Path) -> dict[str, np.ndarray]:
    found = {}
    for path in sorted(folder.glob("*.tif")):
        with rasterio.open(path) as dataset:
            found[path.name] = dataset.read()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("where", [["in-process"], ["processes", "--workers", "2"]],
                         ids=lambda where: where[0])
def test_simulated_maps_are_the_same_by_workers(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], where: list[str]) -> None:
    said(capsys, "simulate", LAND, *FIRES, "--fires", "50", "--out", str(tmp_path / "here"))
    said(capsys, "simulate", LAND, *FIRES, "--fires", "50", "--out", str(tmp_path / "there"),
         "--executor", *where)
    here, there = maps(tmp_path / "here"), maps(tmp_path / "there")
    assert len(here) > 5
    assert here.keys() == there.keys()
    for name, bands in here.items():
        np.testing.assert_array_equal(bands, there[name], name)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small maps count as large ones."""
    monkeypatch.setattr(evaluate_steps, "LARGE_CELLS", 500)


def results(text: str) -> dict[str, Any]:
    """What --json prints, but for the seconds that plans took."""
    found: dict[str, Any] = json.loads(
        text[text.index("\n{") + 1:],
        object_hook=lambda own: {name: own[name] for name in own if name != "seconds"})
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_plans_of_a_large_map_are_judged_by_workers_on_the_same_fires(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = str(tmp_path / "plan")
    said(capsys, "plan", LAND, *FIRES, "--method", "downstream-value", "--plan-fires", "20",
         "--report", "none", "--budget", "0.05", "--out", plan)
    asked = ["evaluate", LAND, *FIRES, "--plan", plan, "--methods", "none", "--budget", "0.05",
             "--test-fires", "60", "--plan-fires", "20", "--json"]
    here = results(said(capsys, *asked))
    assert here["methods"]["downstream-value"]["reduction"] > 0.0
    assert results(said(capsys, *asked, "--executor", "processes", "--workers", "2")) == here
    assert results(said(capsys, *asked, "--executor", "in-process", "--out",
                        str(tmp_path / "kept"))) == here
    # What plans is planned on a scene that holds everything.
    planned = results(said(capsys, *asked, "--methods", "none,random", "--random-draws", "1",
                           "--executor", "in-process"))
    assert [row for row in planned["rows"] if row["method"] != "random"] == here["rows"]


def test_workers_without_an_executor_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "simulate", LAND, "--workers", "2", code=2)
    assert "expected --executor together with --workers" in told
    assert "add --executor processes" in told


@pytest.mark.parametrize("command", [["simulate"], ["evaluate", "--methods", "none"]],
                         ids=lambda command: command[0])
def test_workers_that_cannot_be_are_refused_before_anything_is_read(
        capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    told = said(capsys, *command, "no-such-map.tif", "--executor", "processes", "--workers", "-1",
                code=2)
    assert "at least 0 and at most 4096, got -1" in told


def test_workers_that_do_not_fit_the_memory_are_named(
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.free_memory.free_bytes", lambda: 10_000_000)
    told = said(capsys, "simulate", LAND, *FIRES, "--fires", "5", "--executor", "processes",
                "--workers", "40", code=2)
    assert "in 40 workers" in told
    assert "ask for fewer --workers" in told


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(("command", "more"), [
    (["simulate", LAND, *FIRES], 0), (["evaluate", LAND, *FIRES, "--methods", "none"],
                                      TESTED_BYTES)], ids=lambda given: str(given)[2:10])
def test_sums_of_parts_in_this_process_are_counted(
        command: list[str], more: int, tmp_path: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: object, **__: object) -> None:
        raise NotImplementedError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("firebreak.fire.make_scene", work)
    each = (BYTES_PER_CELL + BYTES_PER_CELL_STEP + BYTES_PER_CELL_THREAD * max_threads() + more
            + BYTES_PER_CELL_PARTS)
    monkeypatch.setattr("firebreak.free_memory.free_bytes", lambda: 900 * each - 1)
    assert "900 cells with 1 steps" in said(capsys, *command, "--executor", "in-process", code=2)
    monkeypatch.setattr("firebreak.free_memory.free_bytes", lambda: 900 * each)
    with pytest.raises(NotImplementedError):
        main([*command, "--executor", "in-process"])


@pytest.mark.slow
def test_sums_of_parts_take_what_is_told() -> None:
    land = generate(4, 250)
    land = replace(land, fuel_model=np.full(land.shape, 104, np.int16))
    wide = make_scene(land, FireConditions(scenarios=1, response=BURNED,
                                                regime=FireRegime(duration_min=1e5)), 4, tiled=True)
    fires = wide.fires("test", 3)

    def by_parts() -> BurnResult:
        with closing(open_executor("in-process", burner_recipe([wide]), 1)) as executor:
            return burned_by_workers(executor, wide, fires)

    burn(wide, fires, want="statistics")  # loads what the workers load
    parts = peak_bytes(by_parts) - peak_bytes(lambda: burn(wide, fires, want="statistics"))
    padded = BYTES_PER_CELL_PARTS * 256**2
    assert 0.7 * padded < parts < padded


def peak_bytes(burn: Callable[[], BurnResult]) -> int:
    tracemalloc.start()
    burned = burn()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert burned.burn_probability.all()
    return peak


@pytest.mark.slow
def test_a_killed_worker_changes_no_bit() -> None:
    wide = make_scene(generate(4, 24), FireConditions(
        scenarios=4, regime=FireRegime(burned_share=0.05)), 4, tiled=True)
    fires, breaks = wide.fires("test", 80), np.zeros((24, 24), np.bool_)
    breaks[::5] = True
    here = burn(wide, fires, breaks, want="statistics")
    killed: list[int] = []

    with closing(open_executor("processes", burner_recipe([wide]), 2)) as executor:
        def kill(fires: int) -> None:
            if not killed:
                killed.extend(executor.backend.process_ids())
                for worker in killed:
                    os.kill(worker, signal.SIGKILL)

        there = burned_by_workers(executor, wide, fires, breaks, kill)
        assert executor.restarts >= 1
    for ours, theirs in zip(here, there, strict=True):
        np.testing.assert_array_equal(ours, theirs)
