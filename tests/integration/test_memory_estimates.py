"""What planning, comparing and simulating are said to take of memory, against what they take."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.fire import FireConditions
from firebreak.planning.core import fire_counts
from firebreak.planning.core.fire_counts import check_planning, planning_bytes

MEASURED = """
import gc, json, sys
from dataclasses import replace
import numpy as np
import torch
from firebreak.agent.policy_file import load_policy
from firebreak.api.shared import scene_checks
from firebreak.fire import (
    FireConditions,
    FireRegime,
    burn,
    make_scene,
    with_proposal,
)
from firebreak.native_library import max_threads, set_threads
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.fire_counts import planning_bytes
from firebreak.executors.choice import open_executor
from firebreak.planning.evaluation.judging import judge_scene
from firebreak.planning.making import make_plan
from firebreak.planning.windows.make import (WindowSettings, make_region, plan_by_windows,
                                             region_recipe)

def by_windows(scene, method, fires, core):
    region = make_region(scene, 0.02, method, seed=0, policy=policy, plan_fires=fires)
    executor = open_executor("in-process", region_recipe(region), 1)
    return plan_by_windows(region, 0.02, executor, WindowSettings(core=core)).needed_bytes

what, size, fires = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
set_threads(1)
torch.set_num_threads(1)

def now(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024

small = make_scene(generate(0, 16), FireConditions(scenarios=2), 0)
policy = load_policy()
make_plan(small, 0.1, 8, "dqn", seed=0, policy=policy)
if what.startswith("windows"):
    by_windows(make_scene(generate(0, 40), FireConditions(
        scenarios=2, regime=FireRegime(duration_min=60.0)), 0, tiled=True), "dqn", 8, 24)
land = generate(7, size)
conditions = FireConditions(regime=FireRegime(duration_min=200.0))
if what == "houses":  # of real maps: burning periods, fires that are drawn where they matter
    conditions = FireConditions(scenarios=6, regime=FireRegime(hours=200.0 / 60.0, periods=1.2))
    houses = np.zeros(land.shape, np.float32)
    houses[size // 2:size // 2 + 40, size // 2:size // 2 + 40] = 1.0
    land = replace(land, value=houses)
gc.collect()
open("/proc/self/clear_refs", "w").write("5")
before = now("VmRSS")
if what in ("simulate", "houses"):
    scene = with_proposal(make_scene(land, conditions, 0, tiled=True))
    assert (scene.proposal is not None) == (what == "houses")
    burn(scene, scene.fires("simulate", fires), want="statistics")
    told = land.fuel_model.size * (
        scene_checks.BYTES_PER_CELL + scene_checks.BYTES_PER_CELL_STEP * conditions.stream_rows
        + scene_checks.BYTES_PER_CELL_THREAD * max_threads())
elif what.startswith("windows"):
    scene = make_scene(land, conditions, 0, tiled=True)
    told = by_windows(scene, what.split()[1], fires, 96)
else:
    scene = make_scene(land, conditions, 0)
    plan = make_plan(scene, 0.01, fires, what, seed=0, policy=policy)
    judge_scene(scene, {what: [plan]}, fires, 50)
    told = sum(planning_bytes(land.shape, conditions, fires, learned=what == "dqn"))
print(json.dumps([told, now("VmHWM") - before]))
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize(("what", "size", "fires"), [
    ("windows dqn", 192, 64), ("windows downstream-value", 192, 1000),
    ("dqn", 256, 64), ("downstream-value", 256, 256), ("downstream-value", 512, 128),
    ("downstream-value", 1000, 24), ("simulate", 256, 200), ("simulate", 512, 200),
    ("simulate", 1000, 200), ("houses", 512, 100)])
def test_what_is_told_is_what_is_taken(what: str, size: int, fires: int) -> None:
    done = subprocess.run([sys.executable, "-c", MEASURED, what, str(size), str(fires)],
                          capture_output=True, text=True, check=True,
                          env=os.environ | {"OMP_NUM_THREADS": "1", "FIREBREAK_THREADS": "1"})
    told, taken = json.loads(done.stdout)
    # `simulate` makes travel times where fires come, and tells what it takes if that is everywhere.
    most = 2.0 if what == "simulate" else 1.5
    assert taken / 1.5 < told < most * taken, f"{told / 1e6:.0f} MB told, {taken / 1e6:.0f} taken"


def test_what_would_fit_is_told_and_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions, shape = FireConditions(), (512, 512)
    need = sum(planning_bytes(shape, conditions, 1536))
    for module in (fire_counts, sys.modules["firebreak.free_memory"]):
        monkeypatch.setattr(module, "free_bytes", lambda: need // 2)
    with pytest.raises(InputError, match=r"here: expected at most .* GB of free memory, got .*"
                                         r"1,536 plan fires on them, .*; use --plan-fires \d+"
                       ) as told:
        check_planning(shape, conditions, 1536, "here")
    fires = int(str(told.value).rsplit(" ", 1)[1])
    assert 16 <= fires < 1536
    check_planning(shape, conditions, fires, "here")
    with pytest.raises(InputError):
        check_planning(shape, conditions, round(1.2 * fires), "here")


def test_where_no_fewer_fires_fit_a_part_of_the_map_is_named(
        monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = FireConditions()
    for module in (fire_counts, sys.modules["firebreak.free_memory"]):
        monkeypatch.setattr(module, "free_bytes", lambda: 300_000_000)
    with pytest.raises(InputError, match=r"--area 0:(\d+),0:\1 or another part") as told:
        check_planning((2000, 2000), conditions, 64, "here")
    side = int(str(told.value).split("0:")[1].split(",")[0])
    assert side > 100
    check_planning((side, side), conditions, 64, "here")


def test_the_estimate_is_told_before_a_scene_is_made(tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    from firebreak.cli import main

    for module in (fire_counts, sys.modules["firebreak.free_memory"]):
        monkeypatch.setattr(module, "free_bytes", lambda: 30_000_000)
    monkeypatch.setattr("firebreak.fire.make_scene", None)
    for command in (["plan", "synthetic:1:60"], ["evaluate", "synthetic:1:60"]):
        assert main([*command, "--plan-fires", "4096"]) == 2
        assert "use --plan-fires" in capsys.readouterr().err
