"""`firebreak plan` without --method: several methods plan, and the plan is told with its choice."""

import json
from pathlib import Path
from typing import Any

import pytest
import rasterio

from firebreak.cli import main
from firebreak.cli.shared.plan_record import recorded
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.evaluate import Difference, Evaluation
from firebreak.planning.methods import CANDIDATES
from pictures import draw_few_pixels

Out = pytest.CaptureFixture[str]
FEW = ("synthetic:3:20", "--plan-fires", "12", "--threads", "1")
ALONE = ("--test-fires", "0", "--report", "none")
"""A plan that nothing judges and nobody draws."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and no pictures, which are tested elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("firebreak.report.pages.plan_report._figures", lambda *_args: {})
    draw_few_pixels(monkeypatch)
    return tmp_path


def plan(capsys: Out, *options: str, out: str = "out") -> tuple[dict[str, Any], str]:
    """The JSON line of a plan, and what was printed."""
    assert main(["plan", *FEW, *options, "--out", out, "--json"]) == 0
    text = capsys.readouterr().out
    return json.loads(text.strip().splitlines()[-1]), text


def test_the_plan_says_what_was_tried_and_what_is_kept(capsys: Out) -> None:
    said, text = plan(capsys, "--test-fires", "40")
    choice = said["choice"]
    assert said["chosen_by"] == "auto"
    assert said["method"] == choice["chosen"]
    assert tuple(choice["candidates"]) == tuple(name for name in CANDIDATES if name != "enclose")
    assert choice["refused"] == {}
    made = json.loads(Path("out/plan.json").read_text())
    assert (made["method"], made["chosen_by"]) == (said["method"], "auto")
    with rasterio.open("out/data/plan.tif") as raster:
        assert raster.tags()["chosen_by"] == "auto"
    assert text.startswith("first plan, by dqn: ")
    assert f"\nauto, by {said['method']}: " in text
    assert f"{said['method']} is kept: " in text
    assert "60 choice fires" in text
    assert "\nauto " in text  # its row among the methods
    assert "\npieces shorter than" in text
    page = Path("out/report.html").read_text()
    assert "How the method was chosen" in page
    assert f"{said['method'][0].upper()}{said['method'][1:]} is kept: " in page
    assert "Pieces shorter than" in page[:page.index("<section")]
    assert said["test_fires"] == 40
    assert all(f"<td>{own['reduction']:.1%}</td>" in page for own in said["methods"].values())
    more = [own for names, own in said["paired"].items() if names.startswith("auto - ")]
    assert len(more) > 5
    assert all(f"<td>{own['difference']:+.1%} ({own['low']:+.1%} to {own['high']:+.1%})" in page
               for own in more)


def test_a_named_method_is_as_it_was(capsys: Out) -> None:
    said, text = plan(capsys, "--method", "dqn", *ALONE)
    assert said["method"] == "dqn"
    assert not {"chosen_by", "choice"} & said.keys()
    assert "chosen_by" not in json.loads(Path("out/plan.json").read_text())
    assert "choice fires" not in text
    assert recorded(Path("out")).method == "dqn"


@pytest.mark.slow
def test_the_record_of_a_plan_gives_the_same_plan_again(capsys: Out) -> None:
    plan(capsys, *ALONE)
    again = recorded(Path("out"))
    assert again.method == "auto"
    plan(capsys, "--method", again.method, *ALONE, out="again")
    assert Path("again/data/plan.csv").read_text() == Path("out/data/plan.csv").read_text()


@pytest.mark.slow
def test_money_phases_and_cells_to_have_go_with_it(capsys: Out) -> None:
    plan(capsys, *ALONE, "--method", "downstream-value", "--budget", "2%", out="must")
    said, _ = plan(capsys, "--test-fires", "40", "--phases", "2027:5,2028:6", "--must-include",
                   "must/data/plan.tif", "--existing", "must/data/plan.csv")
    assert said["cost"] <= 11.0
    with rasterio.open("out/data/plan.tif") as new, rasterio.open("must/data/plan.tif") as must:
        assert (new.read(1)[must.read(1) > 0] > 0).all()
    assert "2028" in Path("out/data/segments.csv").read_text()


@pytest.mark.slow
def test_a_candidate_that_refuses_the_map_is_named(capsys: Out,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firebreak.planning.core.limits.MAX_TREATABLE", 10)
    said, text = plan(capsys, *ALONE)
    assert set(said["choice"]["refused"]) == {"dqn", "dqn-lookahead"}
    assert "left out: dqn, as method dqn on" in text


def test_where_none_is_left_one_sentence_says_why(capsys: Out) -> None:
    assert main(["plan", *FEW, "--budget", "0.00001", "--out", "bad"]) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len([line for line in errors if "warning" not in line]) == 1
    assert "buys the cheapest cell" in errors[-1]
    assert not Path("bad").exists()


@pytest.mark.slow
def test_a_better_method_is_told_with_its_command(capsys: Out,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    def better(evaluation: Evaluation, own: Plan) -> list[str]:
        assert own.label == "auto"
        assert own.method == chosen
        assert isinstance(next(iter(evaluation.paired.values())), Difference)
        return ["strips"]

    chosen = plan(capsys, *ALONE, out="first")[0]["method"]
    assert chosen != "strips"

    monkeypatch.setattr("firebreak.planning.evaluation.tables.rivals_of", better)
    monkeypatch.setattr("sys.argv", ["firebreak", "plan", "my land.tif", "--out", "x",
                                     "--method=auto", "--seed", "0"])
    _, text = plan(capsys, "--test-fires", "40")
    sentence = ("strips saves significantly more than auto does: plan with firebreak plan "
                "'my land.tif' --seed 0 --method strips")
    assert sentence in text
    page = Path("out/report.html").read_text()
    assert "strips saves significantly more than auto does" in page[:page.index("<section")]


@pytest.mark.slow
def test_evaluate_knows_it_and_what_needs_one_method_refuses_it(capsys: Out) -> None:
    assert main(["evaluate", *FEW, "--methods", "auto,none,downstream-value", "--test-fires", "40",
                 "--json"]) == 0
    found = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert list(found["methods"]) == ["auto", "none", "downstream-value"]
    assert "auto - downstream-value" in found["paired"]
    assert main(["train", "quick", "--set", "evaluation.methods=['auto']", "--out", "bad"]) == 2
    assert "chooses among methods" in capsys.readouterr().err
    assert main(["plan", *FEW, "--method", "autos", "--out", "bad"]) == 2
    assert "did you mean 'auto'" in capsys.readouterr().err


@pytest.mark.slow
def test_an_existing_network_is_held_against_the_chooser(capsys: Out) -> None:
    plan(capsys, *ALONE, "--budget", "0.03", out="first")
    _, text = plan(capsys, "--test-fires", "20", "--existing", "first/data/plan.tif")
    assert "auto-at-existing-cost - existing" in text


@pytest.mark.slow
def test_a_plan_that_was_chosen_keeps_that_name_when_it_is_judged_again(capsys: Out) -> None:
    made = plan(capsys, *ALONE, out="first")[0]["method"]
    assert main(["evaluate", *FEW, "--methods", f"none,{made}", "--plan", "first", "--test-fires",
                 "40", "--json"]) == 0
    text = capsys.readouterr().out
    assert set(json.loads(text.strip().splitlines()[-1])["methods"]) == {"none", made, "auto"}
    assert f"--method {made} " in text
