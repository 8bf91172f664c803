"""`firebreak plan` writes its first plan early; whatever stops the command after that, a whole plan
is in the folder.
"""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firebreak.cli import main
from firebreak.landscape.formats.read import read_landscape
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation import auto
from firebreak.planning.output import export
from firebreak.planning.output.earlier import ALWAYS, FILES_FILE, _checksum
from firebreak.planning.output.export import read_plan
from pictures import draw_few_pixels

Out = pytest.CaptureFixture[str]
PLAN = ("plan", "synthetic:3:14", "--plan-fires", "12", "--threads", "1", "--out", "out")
PICTURES = {"data/landscape.png", "data/plan.png"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    draw_few_pixels(monkeypatch)
    return tmp_path


def before(call: Callable[..., Any], do: Callable[[], object]) -> Callable[..., Any]:
    """A function before which something is done."""
    def both(*given: Any, **named: Any) -> Any:
        do()
        return call(*given, **named)
    return both


def files_in(folder: str) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*")
            if path.is_file()}


def whole_plan(folder: str = "out") -> Plan:
    """The plan in a folder, which holds it in every form, and its files as they are listed."""
    out = Path(folder)
    land = read_landscape("synthetic:3:14")
    plan, ranks = read_plan(out, land), read_plan(out / "data" / "plan.tif", land)
    record = json.loads((out / "plan.json").read_text())
    assert plan.cells.tolist() == ranks.cells.tolist()
    assert record["n_cells"] == plan.cells.size > 0
    listed = json.loads((out / FILES_FILE).read_text())
    for name, checksum in listed["files"].items():
        known = [checksum, *listed.get("unfinished", {}).get(name, [])]
        assert _checksum(out / name) in known
    return plan


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_after_the_first_plan_leaves_it_whole(
        number: int, code: int, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "race", before(auto.race, lambda: os.kill(os.getpid(), number)))
    assert main([*PLAN]) == code
    said = capsys.readouterr().out
    assert said.startswith("first plan, by dqn: ")
    assert "on 60 choice fires" in said
    assert "It is saved in out and stays there if you stop the command now. Next: other" in said
    assert whole_plan().method == "dqn"
    record = json.loads(Path("out/plan.json").read_text())
    assert record["first_plan"]["choice_fires"] == 60
    assert f"saves {record['first_plan']['saved']:.2%}" in said
    assert files_in("out") == ALWAYS - PICTURES
    assert main(["evaluate", "synthetic:3:14", "--plan", "out", "--methods", "none", "--test-fires",
                 "4", "--plan-fires", "2"]) == 0
    assert main(["visualize", "out", "--export", "page.html"]) == 0
    assert "dqn" in capsys.readouterr().out


def test_a_stop_before_the_plan_is_compared_leaves_that_which_is_kept(
        capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.evaluation.evaluate.judge_scene",
                        lambda *_, **__: os.kill(os.getpid(), signal.SIGINT))
    assert main([*PLAN, "--test-fires", "10"]) == 130
    first, kept = capsys.readouterr().out.split("first plan, ")[1].split("\nplan, by ")
    assert "Next: other methods plan" in first
    assert kept.endswith("now. Next: 10 test fires judge the plan.\n\n")
    assert whole_plan().chosen_by == "auto"


@pytest.mark.slow
def test_an_earlier_plan_stays_until_the_new_one_is_complete(
        capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*PLAN, "--method", "strips", "--report", "brief", "--test-fires", "10"]) == 0
    Path("out/mine.txt").write_text("a user's")
    before_it = {name: Path("out", name).read_bytes() for name in files_in("out")}
    capsys.readouterr()
    monkeypatch.setattr(auto, "race", before(
        auto.race, lambda: os.kill(os.getpid(), signal.SIGTERM)))
    assert main([*PLAN]) == 143
    assert {name: Path("out", name).read_bytes() for name in files_in("out")} == before_it
    assert "The earlier plan in out stays until the new one is complete. Next" in (
        capsys.readouterr().out)


@pytest.mark.parametrize("written", [1, 2, 3], ids=["first", "kept", "last"])
def test_a_stop_while_a_plan_is_written_comes_when_it_is_whole(
        written: int, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    times = []

    def stop() -> None:
        times.append(1)
        if len(times) == written:
            os.kill(os.getpid(), signal.SIGTERM)

    # The raster stands there, the list of cells and the record do not.
    monkeypatch.setattr(export, "_csv_text", before(export._csv_text, stop))
    assert main([*PLAN, "--test-fires", "10"]) == 143
    assert "terminated" in capsys.readouterr().err
    record = json.loads(Path("out/plan.json").read_text())
    assert ("first_plan" in record) == (written < 3)
    assert ("chosen_by" in record) == (written > 1)
    whole_plan()


def test_the_long_answer_takes_the_place_of_the_first(capsys: Out) -> None:
    assert main([*PLAN, "--test-fires", "0", "--report", "none", "--json"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert [line.startswith("first plan") for line in lines].count(True) == 1
    last = json.loads(lines[-1])
    assert last["chosen_by"] == "auto"
    record = json.loads(Path("out/plan.json").read_text())
    assert (record["method"], record["chosen_by"]) == (last["method"], "auto")
    assert "first_plan" not in record
    assert whole_plan().chosen_by == "auto"
    assert {*last["files"]} == {f"out/{name}" for name in files_in("out")}


def test_a_named_method_has_one_plan_which_is_written_before_it_is_judged(
        capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*PLAN, "--method", "strips", "--test-fires", "0", "--report", "none"]) == 0
    assert "first plan" not in capsys.readouterr().out  # there is nothing more to do
    cells = whole_plan().cells.tolist()
    monkeypatch.setattr("firebreak.planning.evaluation.evaluate.judge_scene",
                        lambda *_, **__: os.kill(os.getpid(), signal.SIGINT))
    assert main([*PLAN, "--method", "strips", "--test-fires", "10"]) == 130
    said = capsys.readouterr().out
    assert said.startswith("first plan, by strips: ")
    assert "Next: 10 test fires judge the plan" in said
    assert whole_plan().cells.tolist() == cells
