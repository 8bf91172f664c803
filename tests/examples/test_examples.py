"""The examples run as they are, in small, and keep to the sizes that they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = {"minimal_dqn": ["--steps", "640", "--episodes", "2"],
         "own_map": ["synthetic:1:20"], "own_method": ["synthetic:1:16"],
         "own_network": ["--episodes", "8"], "torchrl_dqn": ["--steps", "260", "--episodes", "2"],
         "sb3_maskable": ["--steps", "512"],
         "sweep_budgets": ["synthetic:1:16", "budgets.png"],
         "rows_in_tensorboard": ["--episodes", "8"], "years": ["synthetic:1:16"]}
SAYS = {"minimal_dqn": "of the loss saved", "own_map": "reduce the expected loss by",
        "own_method": "tried_lines - random", "own_network": "firebreak's own: ",
        "torchrl_dqn": "learned: ",
        "sb3_maskable": "first break", "sweep_budgets": "10% of the cells",
        "rows_in_tensorboard": "progress/mean_q at ", "years": "year 10:"}
OTHER_LIBRARIES = {"sb3_maskable", "torchrl_dqn"}
WRITER = """
import sys, types

class SummaryWriter:
    def __init__(self, folder): pass
    def __enter__(self): return self
    def __exit__(self, *error): pass
    def add_scalar(self, name, value, step): print(name, "at", step, value + 0.0)

stands_in = types.ModuleType("torch.utils.tensorboard")
stands_in.SummaryWriter = SummaryWriter
sys.modules["torch.utils.tensorboard"] = stands_in
"""
"""Stands in for the writer of TensorBoard, which need not be installed; prints what is written."""


def names() -> list[str]:
    return sorted(path.stem for path in EXAMPLES.glob("*.py"))


def test_every_example_is_run_by_a_test() -> None:
    assert names() == sorted(SMALL) == sorted(SAYS)


@pytest.mark.parametrize("name", names())
def test_an_example_is_short_and_says_how_to_run_it(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert text.count("\n") < (120 if name == "minimal_dqn" else 80)
    assert f"python examples/{name}.py" in text
    assert "firebreak.train" not in text
    # Python looks into the script's folder first: a package of the script's name is not found.
    imported = re.findall(r"^ *(?:from|import) ([\w.]+)", text, re.MULTILINE)
    assert name not in {part for one in imported for part in one.split(".")}


def run(name: str, folder: Path) -> None:
    (folder / "sitecustomize.py").write_text(WRITER if name == "rows_in_tensorboard" else "")
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", *SMALL[name]], cwd=folder,
                          capture_output=True, text=True, check=False, timeout=600,
                          env=os.environ | {"PYTHONPATH": paths})
    assert done.returncode == 0, done.stderr[-2000:]
    assert SAYS[name] in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SMALL) - OTHER_LIBRARIES))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    run(name, tmp_path)


@pytest.mark.interop
@pytest.mark.parametrize("name", sorted(OTHER_LIBRARIES))
def test_an_example_of_another_library_runs(name: str, tmp_path: Path) -> None:
    run(name, tmp_path)
