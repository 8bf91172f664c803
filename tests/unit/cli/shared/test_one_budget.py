"""A plan has one budget, and shares may be percentages."""

import warnings
from pathlib import Path

import pytest

from firebreak.checks import InputError
from firebreak.cli.shared.common import parse
from firebreak.cli.shared.plan_record import PlanArguments

LAND = "synthetic:1:12"
FORMS = {"budget": ("--budget", "0.1"), "money": ("--money", "3"), "phases": ("--phases", "2027:3")}
WRITTEN = {"budget": "budget = 0.1\n", "money": "[place]\nmoney = 3.0\n",
           "phases": "[[phase]]\nyear = 2027\nbudget = 3\n"}
KEYS = {"budget": "budget", "money": "place.money", "phases": "place.phases"}
LINES = {"budget": 1, "money": 2, "phases": 1}


def _parsed(words: list[str]) -> PlanArguments:
    return parse(PlanArguments, words, "plan").options


@pytest.mark.parametrize("text", ["2%", "2 %", "0.02", "2e0%"])
def test_a_share_may_be_a_percentage(text: str, tmp_path: Path) -> None:
    assert _parsed([LAND, "--budget", text]).budget == 0.02
    assert _parsed([LAND, f"--budget={text}", "--burned-share", "7%"]).scene.fire.burned_share \
        == 0.07
    file = tmp_path / "plan.toml"
    file.write_text(f'landscape = "{LAND}"\nbudget = "{text}"\n')
    assert _parsed(["--config", str(file)]).budget == 0.02


def test_a_percentage_is_held_to_the_bounds_of_its_share() -> None:
    with pytest.raises(InputError, match=r"--budget: expected .* at most 1, got 2"):
        _parsed([LAND, "--budget", "200%"])


def test_what_is_no_share_takes_no_percentage() -> None:
    with pytest.raises(InputError, match="--money: expected a number above 0, got '2%'"):
        _parsed([LAND, "--money", "2%"])


@pytest.mark.parametrize("first", list(FORMS))
@pytest.mark.parametrize("second", list(FORMS))
def test_two_budgets_from_one_source_are_refused(first: str, second: str, tmp_path: Path) -> None:
    if first == second:
        return
    with pytest.raises(InputError, match=r"^firebreak plan: expected one budget, got --"):
        _parsed([LAND, *FORMS[first], *FORMS[second]])
    file = tmp_path / "plan.toml"
    file.write_text("".join(sorted({WRITTEN[first], WRITTEN[second]},
                                   key=lambda part: part.startswith("["))))
    with pytest.raises(InputError, match=r"plan.toml: expected one budget, got "):
        _parsed([LAND, "--config", str(file)])


@pytest.mark.parametrize("written", list(WRITTEN))
@pytest.mark.parametrize("typed", list(FORMS))
def test_the_command_lines_budget_replaces_the_files_and_says_so(typed: str, written: str,
                                                                 tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(WRITTEN[written])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        args = _parsed([LAND, "--config", str(file), *FORMS[typed]])
    said = [str(one.message) for one in caught]
    assert said == ([] if typed == written else [
        f"--{typed} replaces {KEYS[written]} of {file}, line {LINES[written]}"])
    assert (args.place.money is not None) == (typed == "money")
    if typed == "phases":
        assert args.place.phases == "2027:3"
    elif written == "phases":
        assert args.place.phases is None


@pytest.mark.parametrize(("options", "words"), [
    (("--break-kind", "shaded", "--break-width-m", "5"), "--break-width-m: expected no "),
    (("--break-kind", "shaded", "--breach", "wilson"), "--breach: expected no "),
])
def test_settings_of_the_other_kind_of_break_are_refused_by_their_names(
        options: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        _parsed([LAND, *options])
