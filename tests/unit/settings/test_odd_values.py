"""Values that are nearly of a setting's kind: refused in one sentence, never rounded or dropped."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from annotated_types import Ge, Gt, Le

from firebreak.checks import InputError
from firebreak.cli.shared.plan_record import PlanArguments, plan_file
from firebreak.settings.binding import bind
from firebreak.settings.budget import Limits
from firebreak.settings.schema import POSITIONAL
from firebreak.settings.sources import argv, keywords, line_words


@dataclass(frozen=True)
class Settings:
    """Some settings."""

    lands: Annotated[list[str], POSITIONAL]
    seed: Annotated[int, Ge(0)] = 0
    share: Annotated[float, Gt(0), Le(1)] = 0.5
    crown: Literal["none", "cruz"] = "none"
    direction: Annotated[float, Ge(-360), Le(360)] = 0.0


def words(*typed: str) -> Settings:
    return bind(Settings, argv(typed, "plan")).options


def arguments(**given: Any) -> Settings:
    return bind(Settings, keywords({"lands": ["a"]} | given, "plan")).options


@pytest.mark.parametrize("seed", [Decimal("3.5"), Fraction(7, 2), 3.5, np.float64(3.5),
                                  np.longdouble("3.5"), np.array(3.5), np.bool_(True), "3.5"])
def test_a_fraction_is_no_whole_number(seed: object) -> None:
    with pytest.raises(InputError, match="seed: expected a whole number of at least 0, got"):
        arguments(seed=seed)


def test_numbers_of_other_kinds_are_numbers() -> None:
    assert arguments(seed=np.int64(3), share=Fraction(1, 4)) == arguments(seed=3.0, share=0.25)


@pytest.mark.parametrize("crown", [np.array(["none", "x"]), np.array(["none"]), [], None, True])
def test_what_is_no_name_is_no_choice(crown: object) -> None:
    with pytest.raises(InputError, match="crown: expected one of cruz, none, got"):
        arguments(crown=crown)


@pytest.mark.parametrize(("typed", "said"), [
    (("--share", "1e999999999%"), "got '1e999999999%'"),
    (("--share", "1.0000001"), "at most 1, got 1.0000001"),
    (("--direction", "360.0001"), "at most 360, got 360.0001"),
    (("--direction", "-inf"), "at most 360, got -inf"),
    (("--crown", "none", "b"), "expected no further words, got 'b'"),
    (("--seed", "3", "b"), "expected no further words, got 'b'")])
def test_words_are_refused_as_they_were_typed(typed: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        words("a", *typed)


def test_words_in_place_stand_before_or_after_the_options() -> None:
    assert words("a", "b", "--seed", "3") == words("--seed", "3", "a", "b")


def test_lines_end_where_the_language_of_the_file_says() -> None:
    at = line_words("# one line\u2028still\u0085the same\nseed = 1\r\nshare = 2\n", "f.toml")
    assert (at("seed"), at("share")) == ("f.toml, line 2", "f.toml, line 3")


def test_a_file_names_its_money_once(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[place]\nphases = "2030:9"\n[[phase]]\nyear = 2027\nbudget = 3\n')
    with pytest.raises(InputError, match=r"line 2, key place.phases: expected limits in diff"):
        bind(PlanArguments, plan_file(path))


def test_no_budget_is_no_budget() -> None:
    settings = bind(PlanArguments, keywords({"money": None, "budget": 0.1}, "plan")).options
    assert settings.budget == Limits(share=0.1)


def test_an_unknown_key_is_answered_with_keys_and_tables_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text("qqqqqqqq = 1\n")
    with pytest.raises(InputError, match="it has breaks, budget") as refused:
        bind(PlanArguments, plan_file(path))
    assert "." not in str(refused.value).partition("it has")[2]
