"""Methods that search, as a user asks for them: limits, starts, bounds, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from firebreak.cli import main

Out = pytest.CaptureFixture[str]
LAND = "synthetic:3:12"
FEW_FIRES = ("--plan-fires", "12", "--test-fires", "0", "--report", "none")


def planned(capsys: Out, out: Path, *options: str) -> tuple[dict[str, Any], str]:
    """The JSON line of a plan, and all that was printed."""
    assert main(["plan", LAND, *FEW_FIRES, "--out", str(out), "--json", *options]) == 0
    shown = capsys.readouterr().out
    return json.loads(shown.strip().splitlines()[-1]), shown


def evaluated(capsys: Out, *options: str) -> dict[str, Any]:
    """The JSON line of an evaluation."""
    assert main(["evaluate", LAND, "--plan-fires", "12", "--test-fires", "20", "--json",
                 *options]) == 0
    return json.loads(capsys.readouterr().out.strip().splitlines()[-1])


def test_a_search_is_planned_with_and_written(tmp_path: Path, capsys: Out) -> None:
    done, _ = planned(capsys, tmp_path, "--method", "swap", "--evaluations", "60",
                      "--search-from", "random")
    assert done["method"] == "swap"
    assert done["simulations"] > 1.0
    assert done["notes"] is None
    assert len((tmp_path / "plan.csv").read_text().splitlines()) == done["n_cells"] + 1


@pytest.mark.slow
def test_searches_are_compared_and_repeat_with_their_evaluations(capsys: Out) -> None:
    names = ["greedy", "greedy-filtered", "swap", "anneal"]
    one, two = (evaluated(capsys, "--methods", ",".join(names), "--evaluations", "100")
                for _ in range(2))
    assert [row["method"] for row in one["rows"]] == names
    for first, second in zip(one["rows"], two["rows"], strict=True):
        assert first["simulations"] == second["simulations"] > 1.0
        assert first["reduction"] == second["reduction"]


@pytest.mark.slow
def test_the_bound_of_the_program_is_printed_and_recorded(tmp_path: Path, capsys: Out) -> None:
    done, shown = planned(capsys, tmp_path, "--method", "milp", "--time-limit", "1")
    record = json.loads((tmp_path / "plan.json").read_text())
    assert record["notes"] == done["notes"]
    assert set(done["notes"]) == {"model_reduction", "model_reduction_bound", "gap"}
    bound = done["notes"]["model_reduction_bound"]
    assert f"model reduction bound: {bound:.4f}" in shown
    assert main(["evaluate", LAND, "--methods", "none", "--plan", str(tmp_path), "--plan-fires",
                 "12", "--test-fires", "20"]) == 0
    assert "milp" in capsys.readouterr().out


@pytest.mark.slow
def test_the_limit_and_the_start_reach_the_search(capsys: Out) -> None:
    few, many, random = (
        evaluated(capsys, "--methods", "swap", *options)["rows"][0]["simulations"]
        for options in (("--evaluations", "20"), ("--evaluations", "400"),
                        ("--evaluations", "20", "--search-from", "random")))
    assert random < few < many


@pytest.mark.parametrize(("options", "words"), [
    (("--method", "swap", "--time-limit", "0"), "--time-limit"),
    (("--method", "swap", "--evaluations", "0"), "--evaluations"),
    (("--method", "swap", "--search-from", "swap"), "--search-from"),
    (("--method", "swap", "--search-from", "nothing"), "--search-from"),
])
def test_bad_limits_are_one_sentence(options: tuple[str, ...], words: str, tmp_path: Path,
                                     capsys: Out) -> None:
    assert main(["plan", LAND, *FEW_FIRES, "--out", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err.strip()
    assert words in error
    assert "\n" not in error
    assert "Traceback" not in error
