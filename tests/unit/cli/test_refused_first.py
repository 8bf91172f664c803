"""What cannot be done is refused before a scene is made: on a large map that takes long."""

import sys
from pathlib import Path

import numpy as np
import pytest

from firebreak.api.shared import evaluate_steps
from firebreak.cli import main
from firebreak.landscape.synthetic.generate import generate
from no_work import without_work

LAND = ["synthetic:3:30", "--quiet"]
EVALUATE = ["evaluate", *LAND, "--methods", "none"]
SIMULATE = ["simulate", *LAND]
PLAN = ["plan", *LAND, "--out", "none"]
WORKERS = {
    "fewer workers than none": (["--executor", "processes", "--workers", "-1"],
                                "at least 0 and at most 4096, got -1"),
    "no Ray": (["--executor", "ray"], "expected Ray"),
    "no address": (["--executor", "ray"], "RAY_ADDRESS: expected HOST:PORT"),
    "nobody there": (["--executor", "ray"], "RAY_ADDRESS=127.0.0.1:9: expected"),
}
ADDRESSES = {"no address": "nowhere", "nobody there": "127.0.0.1:9"}
ALONE = {
    "workers alone": (["--workers", "2"], "expected --executor together with"),
}
PLANS = {
    "no plan": (["--plan", "nowhere/plan"], "nowhere/plan: expected a plan"),
    "no plan in a folder": (["--plan", "."], "expected a plan"),
}
FIRES = {
    "no plan fires": (["--plan-fires", "0"], "--plan-fires: expected a whole number of"),
    "fewer plan fires than none": (["--plan-fires", "-5"], "a whole number of at least 1, got -5"),
    "no test fires": (["--test-fires", "0"], "--test-fires: expected a whole number of"),
    "a single test fire": (["--test-fires", "1"], "a whole number of at least 2, got 1"),
    "a policy for no method": (["--policy", "run"], "a method that follows a policy"),
    "a limit for no search": (["--time-limit", "2"], "a method that searches"),
    "windows of no size": (["--windows", "2"], "expected --window together with --windows"),
    "draws of nothing drawn": (["--random-draws", "5"],
                               "--random-draws: expected a method that draws its plans: random, "
                               "got none; name one of them, or leave it out"),
    "no draws": (["--random-draws", "0"], "--random-draws: expected a whole number"),
    "no method": (["--methods", "none,magic"], "magic"),
    "no methods": (["--methods", ","], "got method ''"),
    "a method twice": (["--methods", "none,none"], "each once"),
}
JUDGED = {
    **{f"segments that nothing is cut into, {' '.join(word)}": (
        ["--segment-m", "300", "--method", "strips", *word],
        f"{' '.join(word)}: expected a report, --lines or the method auto together with")
       for word in (["--report", "none"], ["--test-fires", "0"])},
    "segments of windows": (["--segment-m", "300", "--report", "none", "--window-cells", "20",
                             "--method", "segments"],
                            "expected a report together with --segment-m, got none"),
    "a network that nothing tells of": (["--existing", "net.tif", "--report", "none"],
                                        "expected a report together with --existing, got none"),
    "a network without test fires": (["--existing", "net.tif", "--test-fires", "0"],
                                     "expected test fires together with --existing, got none"),
    "years that nothing tells of": (["--fires-per-ha-year", "1e-5", "--report", "none"],
                                    "expected --report full together with --fires-per-ha-year"),
    "years in a brief report": (["--fires-per-ha-year", "1e-5", "--report", "brief"],
                                "--report brief: expected --report full together with"),
    "years without test fires": (["--fires-per-ha-year", "0", "--test-fires", "0"],
                                 "expected test fires together with --fires-per-ha-year, got none"),
    "a report without test fires": (["--report", "full", "--test-fires", "0"],
                                    "expected test fires together with --report full, got none"),
    "one test fire": (["--test-fires", "1"], "at least 2 test fires, or 0 for none, got 1"),
    "fewer test fires than none": (["--test-fires", "-3"], "a whole number of at least 0, got -3"),
    "more test fires than fit": (["--test-fires", "1000000000000"],
                                 "GB for 1,000,000,000,000 fires"),
    "more than fit in brief": (["--test-fires", "1000000000000", "--report", "brief"],
                               "ask for fewer with --test-fires"),
}
CASES = {
    **{f"plan: {name}": (PLAN, *case) for name, case in JUDGED.items()},
    **{f"simulate: {name}": (SIMULATE, *case) for name, case in {
        **WORKERS, **ALONE, **PLANS, "no fires": (["--fires", "0"], "--fires: expected a whole"),
        "nothing observed": (["--fires", "1", "--observed", "nowhere.gpkg"], "nowhere.gpkg"),
        "more fires than observed": (["--observed", "nowhere.gpkg"], "--fires 1 together"),
    }.items()},
    **{f"evaluate: {name}": (EVALUATE, *case) for name, case in {
        **WORKERS, **ALONE, **PLANS, **FIRES,
    }.items()},
    **{f"evaluate by workers: {name}": ([*EVALUATE, "--executor", "in-process"], *case)
       for name, case in {**PLANS, **FIRES}.items()},
    **{f"evaluate by workers, kept: {name}": (
        [*EVALUATE, "--executor", "in-process", "--out", "sums"], *case)
       for name, case in {**PLANS, **FIRES}.items()},
}
WORK = ("fire.make_scene", "planning.making.make_plan", "train.data.splits.make_splits")


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_refused_before_there_is_work(
        name: str, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    command, options, words = CASES[name]
    monkeypatch.chdir(tmp_path)
    if large:
        monkeypatch.setattr(evaluate_steps, "LARGE_CELLS", 500)
    monkeypatch.setenv("RAY_ADDRESS", ADDRESSES.get(name.partition(": ")[2], ""))
    if name.endswith("no Ray"):
        monkeypatch.setitem(sys.modules, "ray", None)
    elif "ray" in options:
        pytest.importorskip("ray")
    without_work(monkeypatch, *WORK)
    assert main([*command, *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("by_workers", [False, True])
def test_plans_that_fit_no_comparison_are_refused_before_there_is_work(
        by_workers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    land = generate(3, 30)
    row, col = np.argwhere(land.treatable)[0].tolist()
    plan = tmp_path / "plan.csv"
    plan.write_text(f"row,col\n{row},{col}\n")
    without_work(monkeypatch, *WORK)
    where = ["--executor", "in-process"] if by_workers else []
    for lands, options, words in (
            (LAND[:1], ["--budget", "0.000001"], "a budget that buys the cheapest cell"),
            ([LAND[0], "synthetic:4:30"], [], "together with --plan, got 2 maps or windows; give"),
            ([LAND[0]], ["--window", "12", "--windows", "3"], "got 3 maps or windows; give")):
        assert main(["evaluate", *lands, "--methods", "none", "--plan", str(plan), *options,
                     *where]) == 2
        assert words in capsys.readouterr().err
    assert main(["evaluate", LAND[0], LAND[0], *where]) == 2
    assert "each landscape once" in capsys.readouterr().err


@pytest.mark.parametrize("command", [PLAN, [*PLAN, "--test-fires", "0"],
                                     [*PLAN, "--report", "none", "--test-fires", "1000000000000"],
                                     [*PLAN, "--segment-m", "300", "--report", "none"],
                                     [*PLAN, "--segment-m", "300", "--method", "strips"],
                                     [*EVALUATE[:-1], "none,random", "--random-draws", "5"],
                                     SIMULATE, EVALUATE],
                         ids=lambda command: command[0])
def test_good_input_comes_to_the_work(command: list[str], tmp_path: Path,
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    without_work(monkeypatch, *WORK)
    with pytest.raises(AssertionError, match="this is work"):
        main(command)
