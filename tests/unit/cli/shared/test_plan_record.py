"""A plan's options from a file: what is relative to it, and what is a name."""

import json
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.records import KEPT, write_record
from firebreak.checks import InputError
from firebreak.cli.shared.common import parse
from firebreak.cli.shared.plan_record import PlanArguments, options_in, recorded


@pytest.mark.parametrize(("named", "read"), [
    ("general", "general"), ("mine", "conf/mine"), ("runs/general", "conf/runs/general"),
    ("../general", "conf/../general")])
def test_a_policy_that_comes_along_is_named_without_its_place(
        named: str, read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("conf/plan.toml")
    file.parent.mkdir()
    file.write_text(f'policy = "{named}"\n')
    assert options_in(file).policy == Path(read)


def test_a_file_of_that_name_goes_before_the_policy_that_comes_along(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("conf/general").mkdir(parents=True)
    Path("conf/plan.toml").write_text('policy = "general"\n')
    asked = options_in(Path("conf/plan.toml"))
    assert asked.policy == Path("conf/general")


@pytest.mark.parametrize(("said", "budget"), [
    ([], "2027:3"), (["--budget", "0.1"], 0.1), (["--phases", "2028:4"], "2028:4"),
    (["--budget", "9ha", "--money", "3"], "9ha and 3")])
def test_a_record_has_the_budget_that_a_plan_was_made_with(
        said: list[str], budget: float | str, tmp_path: Path) -> None:
    config = tmp_path / "plan.toml"
    config.write_text("[[phase]]\nyear = 2027\nbudget = 3\n")
    options = parse(PlanArguments, ["synthetic:1:12", "--config", str(config), *said],
                    "plan").options
    write_record(tmp_path, options, options.landscape, options.config)
    assert recorded(tmp_path).budget.plain() == budget


@pytest.mark.parametrize(("earlier", "budget"), [
    ({"money": None, "phases": None}, "2027:3"), ({"money": None, "phases": ""}, 0.1),
    ({"money": 12.0, "phases": ""}, "12"), ({"money": None, "phases": "2028:4"}, "2028:4")])
def test_a_record_of_an_earlier_version_has_its_budget_too(
        earlier: dict[str, object], budget: float | str, tmp_path: Path) -> None:
    config = tmp_path / "plan.toml"
    config.write_text("[[phase]]\nyear = 2027\nbudget = 3\n")
    options = parse(PlanArguments, ["synthetic:1:12", "--config", str(config), "--budget", "0.1"],
                    "plan").options
    write_record(tmp_path, options, options.landscape, options.config)
    record = json.loads((tmp_path / "options.json").read_text())
    record["place"] |= earlier
    (tmp_path / "options.json").write_text(json.dumps(record))
    assert recorded(tmp_path).budget.plain() == budget


def test_the_folder_of_a_plan_has_every_option_of_it(tmp_path: Path) -> None:
    """By windows and within a time limit other plans are made, and fewer test fires judge alike."""
    assert {field.name for field in fields(PlanOptions)} == {*KEPT, "place", "scene", "windows"}
    made = parse(PlanArguments, [
        "synthetic:1:12", "--method", "dqn-search", "--time-limit", "3", "--plan-fires", "8",
        "--test-fires", "7", "--report", "brief", "--fires-per-ha-year", "0.01", "--window-cells",
        "40", "--executor", "processes", "--workers", "2"], "plan").options
    write_record(tmp_path, made, made.landscape)
    assert asdict(parse(PlanArguments, ["--config", str(tmp_path)], "plan").options) == {
        **asdict(made), "config": tmp_path}


def test_the_folder_of_a_plan_stands_for_its_options(tmp_path: Path) -> None:
    made = parse(PlanArguments, ["synthetic:1:12", "--budget", "3ha", "--leak", "--seed", "4"],
                 "plan").options
    write_record(tmp_path, made, made.landscape)
    again = parse(PlanArguments, ["--config", str(tmp_path), "--budget", "8%", "--treatment",
                                  "grazing"], "plan").options
    assert (again.landscape, again.scene.seed, again.scene.breaks.leak) == ("synthetic:1:12", 4,
                                                                            True)
    assert (again.budget.plain(), again.scene.breaks.treatment) == (0.08, "grazing")
    (tmp_path / "options.json").unlink()
    with pytest.raises(InputError, match=r"options.json: expected the options of a plan, got none.*"
                                         r"; give the options, or a TOML file of them"):
        parse(PlanArguments, ["--config", str(tmp_path)], "plan")
