"""Whole reports: which files are written, for a run and a simulation."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import Policy
from firebreak.fire import FireConditions, Scene, burn, burn_field, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import live_counts
from firebreak.report.figures import animation, canvas
from firebreak.report.pages import run_report
from firebreak.report.pages.run_report import (
    write_run_report,
    write_simulation_report,
)

MAPS = ["landscape.png", "plan.png", "burn_probability.png"]
EVALUATION = {"synthetic": {"landscapes": 2, "interval": "landscapes", "methods": {
    "none": {"reduction": 0.0, "low": 0.0, "high": 0.0},
    "dqn": {"reduction": 0.3, "low": 0.2, "high": 0.4}}}}
METRICS = [{"kind": "progress", "episodes": k, "epsilon": 1.0, "discount": 0.0,
            "mean_return": 0.1, "loss": None, "rss_bytes": 10**8} for k in range(4)]
MEMORY = [{"kind": "memory", "phase": "cleanup", "episodes": 0, "env_steps": 0, "rss_bytes": 10**8,
           "owned_bytes": {"env.a": 9}, "live": {}}]


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(4, 12), FireConditions(scenarios=2), 0)


@pytest.fixture(autouse=True)
def few_fires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_report, "TEST_FIRES", 20)
    monkeypatch.setattr(animation, "SHOW_FIRES", 8)


@pytest.fixture
def few_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "DPI", 30)


def write(run: Path, scene: Scene, **rows: object) -> list[Path]:
    torch.manual_seed(0)
    policy = Policy(QMapNetwork(OBSERVATION.channels, 8).eval(), {"run": "made here"})
    return write_run_report(run, scene=scene, policy=policy, seed=1, plan_fires=16,
                            budget_share=0.05, **rows)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_run_report_holds_everything(tmp_path: Path, scene: Scene) -> None:
    files = write(tmp_path, scene, metrics=METRICS, memory=MEMORY, evaluation=EVALUATION)
    assert [file.name for file in files] == [
        *MAPS, "q_map_first.png", "q_map_middle.png", "learning_curve.png", "memory.png",
        "comparison.png", "fire.gif", "report.html"]
    assert all(file.parent == tmp_path / "figures" for file in files[:-1])
    assert all(file.stat().st_size > 2000 for file in files)
    assert live_counts()["Figure"] == 0


@pytest.mark.slow
def test_curves_without_rows_are_left_out_and_every_comparison_is_drawn(
        tmp_path: Path, scene: Scene) -> None:
    both = EVALUATION | {"windows": EVALUATION["synthetic"]}
    files = write(tmp_path, scene, metrics=[], memory=[], evaluation=both)
    assert [file.name for file in files] == [
        *MAPS, "q_map_first.png", "q_map_middle.png", "comparison_synthetic.png",
        "comparison_windows.png", "fire.gif", "report.html"]


@pytest.mark.parametrize(("levels", "drawn"), [(True, {"greedy": 0.3}), (False, {})])
def test_levels_are_drawn_where_validation_asks_the_same(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, levels: bool,
        drawn: dict[str, float]) -> None:
    seen = []

    def figure(progress: object, validation: object, baselines: dict[str, float], *,
               caption: str) -> Figure:
        seen.append((baselines, "lines:" in caption))
        return Figure()

    monkeypatch.setattr(run_report, "learning_curve_figure", figure)
    evaluation = {"synthetic": {"landscapes": 2, "interval": "landscapes", "methods": {
        "greedy": {"reduction": 0.3, "low": 0.2, "high": 0.4}}}}
    run_report.curves(tmp_path, METRICS, [], evaluation, "a run", levels=levels)
    assert seen == [(drawn, levels)]


@pytest.mark.slow
@pytest.mark.usefixtures("few_pixels")
def test_the_report_of_a_run_is_one_file(tmp_path: Path, scene: Scene) -> None:
    (tmp_path / "config.toml").write_text('preset = "<quick>"')
    text = write(tmp_path, scene, metrics=METRICS, memory=MEMORY,
                 evaluation=EVALUATION)[-1].read_text()
    assert text.count('src="data:image/') == 9
    assert text.count('alt="') == 9
    assert "http" not in re.sub(r"http-equiv|data:image/\w+;base64,[\w+/=]+", "", text)
    for said in ("30.0%", "20.0% to 40.0%", "preset = &#34;&lt;quick&gt;&#34;", "Verdict: ",
                 "Trained for 3 episodes", scene.landscape.checksum()):
        assert said in text, said


@pytest.mark.slow
def test_a_run_without_an_evaluation_says_so(tmp_path: Path, scene: Scene) -> None:
    text = write(tmp_path, scene, metrics=[], memory=[], evaluation={})[-1].read_text()
    assert "has not been evaluated" in text
    assert "The run kept no rows of progress" in text


@pytest.mark.slow
@pytest.mark.usefixtures("few_pixels")
def test_a_simulation_report_maps_every_quantity(tmp_path: Path, scene: Scene) -> None:
    fires = scene.fires("simulate", 10)
    burned = burn_field(scene.field, fires, scene.landscape.value, want="statistics")
    weight = scene.scenarios.weight
    files = write_simulation_report(
        tmp_path, scene.landscape, burned.burn_probability, burned.downstream_value,
        np.tensordot(weight, scene.behavior.fireline_intensity_kw_m, axes=1),
        np.tensordot(weight, scene.behavior.flame_length_m, axes=1),
        burn(scene, fires.first(1), want="arrival").arrivals_min[0])
    assert [file.stem for file in files] == [
        "landscape", "burn_probability", "downstream_value", "fireline_intensity", "flame_length",
        "arrival_time"]
    assert live_counts()["Figure"] == 0
