"""Methods that search, as a user asks for them: limits, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from firebreak.cli import main

# A slow machine may spend a short limit on the start alone, which the command says then.
pytestmark = pytest.mark.filterwarnings("ignore:dqn-search. the time limit ended")
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
    done, _ = planned(capsys, tmp_path, "--method", "dqn-search", "--time-limit", "0.5")
    assert done["method"] == "dqn-search"
    assert done["simulations"] > 1.0
    assert done["notes"] is None
    assert len((tmp_path / "data" / "plan.csv").read_text().splitlines()) == done["n_cells"] + 1


@pytest.mark.slow
def test_searches_are_compared_and_heed_their_limit(capsys: Out) -> None:
    names = ["greedy", "segments", "dqn-search"]
    short, long = (evaluated(capsys, "--methods", ",".join(names), "--time-limit", limit)
                   for limit in ("1e-9", "2"))
    assert [row["method"] for row in short["rows"]] == names
    for first, second in zip(short["rows"], long["rows"], strict=True):
        if first["method"] == "dqn-search":
            assert 1.0 < first["simulations"] < second["simulations"]
        else:
            assert first["simulations"] == second["simulations"] > 1.0


@pytest.mark.parametrize(("options", "words"), [
    (("--method", "dqn-search", "--time-limit", "0"), "--time-limit"),
    (("--method", "dqn-search", "--evaluations", "9"), "give --time-limit"),
])
def test_bad_limits_are_one_sentence(options: tuple[str, ...], words: str, tmp_path: Path,
                                     capsys: Out) -> None:
    assert main(["plan", LAND, *FEW_FIRES, "--out", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err.strip()
    assert words in error
    assert "\n" not in error
    assert "Traceback" not in error
