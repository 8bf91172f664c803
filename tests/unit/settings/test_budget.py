"""A plan has one budget: a share, an area, money, money by year, or several of them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.api.options import filled
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.checks import InputError
from firebreak.cli.shared.common import parse
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.settings.budget import Limits, read_budget

LAND = "synthetic:1:12"
ACCEPTED: list[tuple[Any, Limits]] = [
    ("5%", Limits(share=0.05)), ("2 %", Limits(share=0.02)), ("2e0%", Limits(share=0.02)),
    (0.05, Limits(share=0.05)), ("1", Limits(share=1.0)), ("100%", Limits(share=1.0)),
    ("40ha", Limits(hectares=40.0)), (" 0.5 HA ", Limits(hectares=0.5)),
    ("20000", Limits(money=20000.0)), (20000, Limits(money=20000.0)),
    ("0.5cost", Limits(money=0.5)),
    ("2027:50000,2028:80000", Limits(money=130000.0, years=((2027, 5e4), (2028, 8e4)))),
    (["20000", "40ha"], Limits(hectares=40.0, money=20000.0)),
    (["5%", "40ha", 7], Limits(share=0.05, hectares=40.0, money=7.0)),
    ("5% and 40ha", Limits(share=0.05, hectares=40.0))]
REFUSED: list[tuple[Any, str]] = [
    ("0", "each above 0, got 0;"), (0, "each above 0, got 0;"), ("-3", "each above 0, got -3;"),
    (-0.1, "each above 0, got -0.1;"), ("0ha", "each above 0, got '0ha';"),
    ("40acres", "got '40acres';"), ("ha", "got 'ha';"), ("", "got '';"), ("nan", "got nan;"),
    ("1e13", "got 1e\\+13;"), (True, "got True;"), (None, "got None;"), ({}, "got {}"),
    ("200%", "at most 1, got 2;"),
    ("-5%", "got -0.05;"), ("2027", None), ("2027:x", "a year and a budget for each phase"),
    ("2027.5:3", "a year and a budget for each phase"),
    (["5%", "6%"], "limits in different units, got two shares;"),
    (["20", "2027:30"], "got two amounts of money;"), ("4ha and 5ha", "got two areas;"),
    ([], "got none;"), ("5%,3ha", "got '5%,3ha'; give --budget once for each limit; in a file"),
    ("3 apples", "a number up to 1 is a share, a larger one money")]


def _parsed(words: list[str]) -> PlanArguments:
    return parse(PlanArguments, words, "plan").options


@pytest.mark.parametrize(("said", "limits"), ACCEPTED)
def test_each_form_means_the_same_in_python_and_in_the_record(said: Any, limits: Limits) -> None:
    kept = filled(PlanOptions, {"budget": said}, "plan").budget
    assert kept == limits
    assert read_budget(kept.plain()) == read_budget(str(kept)) == kept  # as files give it back
    assert isinstance(kept.plain(), float) == (limits == Limits(share=limits.share))


@pytest.mark.parametrize(("said", "words"), REFUSED)
def test_what_is_no_budget_is_refused_in_one_sentence(said: Any, words: str | None) -> None:
    if words is None:
        assert read_budget(said) == Limits(money=float(said))
        return
    with pytest.raises(InputError, match=f"^budget: expected .*{words}") as refused:
        filled(PlanOptions, {"budget": said}, "plan")
    assert "\n" not in str(refused.value)


def _written(path: Path, value: str) -> list[str]:
    path.write_text(f'landscape = "{LAND}"\nbudget = {value}\n')
    return ["--config", str(path)]


@pytest.mark.parametrize(("words", "value"), [
    (["--budget", "40ha"], '"40ha"'), (["--budget", "20000"], "20000"),
    (["--budget", "0.1", "--budget=7ha"], '[0.1, "7ha"]'),
    (["--budget", "7ha", "--money", "3"], '["7ha", 3]'),
    (["--phases", "2027:3"], '"2027:3"')])
def test_words_and_files_say_the_same(words: list[str], value: str, tmp_path: Path) -> None:
    assert _parsed([LAND, *words]).budget == _parsed(_written(tmp_path / "a.toml", value)).budget


@given(st.floats(1e-6, 1e9), st.floats(1e-6, 1e9), st.floats(1e-6, 1.0))
def test_numbers_come_back_as_they_were(hectares: float, money: float, share: float) -> None:
    kept = read_budget([f"{share!r}", f"{hectares!r}ha", f"{money!r}cost"])
    assert kept == read_budget(str(kept)) == Limits(share, hectares, money)


def test_money_and_phases_are_other_spellings_in_every_source(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    for name, value, text in (("money", "0.5", "0.5cost"), ("money", "12", "12"),
                              ("phases", "2027:3", "2027:3")):
        file.write_text(f'[place]\n{name} = "{value}"\n')
        kept = read_budget(text)
        assert _parsed([LAND, f"--{name}", value]).budget == kept
        assert _parsed([LAND, "--config", str(file)]).budget == kept
        assert filled(PlanOptions, {name: value}, "plan").budget == kept
    file.write_text("[[phase]]\nyear = 2027\nbudget = 3\n")
    assert _parsed([LAND, "--config", str(file)]).budget == read_budget("2027:3")


def test_a_spelling_keeps_its_unit_and_its_name_in_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^--money: expected a number above 0, got '2%'"):
        _parsed([LAND, "--money", "2%"])
    with pytest.raises(InputError, match=r"^--phases: expected a year and a budget"):
        _parsed([LAND, "--phases", "20000"])
    with pytest.raises(InputError, match=r"^--phases: expected limits in different units"):
        _parsed([LAND, "--money", "3", "--phases", "2027:3"])
    file = tmp_path / "plan.toml"
    file.write_text('landscape = "a"\n[[phase]]\nyear = 2027\nmoney = 3\n')
    with pytest.raises(InputError, match=r"plan.toml, line 2: expected a year and a budget for"):
        _parsed(["--config", str(file)])


def test_the_command_lines_budget_replaces_that_of_the_file(tmp_path: Path) -> None:
    words = _written(tmp_path / "plan.toml", '"40ha"')
    assert _parsed([*words, "--money", "3"]).budget == Limits(money=3.0)
    assert _parsed(words).budget == Limits(hectares=40.0)


@pytest.mark.parametrize(("options", "words"), [
    (("--break-kind", "shaded", "--break-width-m", "5"), "--break-width-m: expected no "),
    (("--break-kind", "shaded", "--breach", "wilson"), "--breach: expected no "),
])
def test_settings_of_the_other_kind_of_break_are_refused_by_their_names(
        options: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        _parsed([LAND, *options])
