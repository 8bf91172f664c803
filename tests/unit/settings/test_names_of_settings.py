"""Words that people type for an option are taken, or answered by what they mean."""

import pytest

from firebreak.checks import InputError
from firebreak.cli.commands import PROGRAMS, class_of
from firebreak.cli.shared.common import parse
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.settings.names import ALIASES, MEANT, meant, spellings
from firebreak.settings.schema import Leaf, leaves

LAND = "synthetic:1:12"
KNOWN: dict[str, Leaf] = {leaf.option: leaf for leaf in leaves(PlanArguments).values()
                          if not leaf.is_positional}


@pytest.mark.parametrize(("typed", "same"), [
    (["--wind", "20"], ["--wind-20ft-km-h", "20"]), (["--wind=20"], ["--wind-20ft-km-h", "20"]),
    (["--wind-direction", "90"], ["--wind-from-deg", "90"]),
    (["--houses", "pyproject.toml"], ["--value", "pyproject.toml"]),
    (["--output", "a"], ["--out", "a"]), (["--random_seed", "3"], ["--seed", "3"])])
def test_words_that_can_mean_one_option_alone_are_taken(
        typed: list[str], same: list[str]) -> None:
    assert parse(PlanArguments, [LAND, *typed], "plan").options == parse(
        PlanArguments, [LAND, *same], "plan").options


def test_an_error_says_the_word_that_was_typed() -> None:
    with pytest.raises(InputError, match=r"^--wind: expected a number above 0"):
        parse(PlanArguments, [LAND, "--wind", "-3"], "plan")


@pytest.mark.parametrize(("typed", "option"), [
    ("--bugdet", "--budget"), ("--brek-kind", "--break-kind"), ("--slope", "--terrain"),
    ("--acres", "--budget"), ("--max-cost", "--cost"), ("--embers", "--spotting"),
    ("--firefighters", "--hold"), ("--town-map", "--value"),
    ("--streets", "--roads"), ("--humidity", "--moisture"), ("--torching", "--crown"),
    ("--canopy-fire", "--crown"), ("--reference-system", "--crs"), ("--qqqqqq", None)])
def test_a_name_is_answered_by_its_meaning(typed: str, option: str | None) -> None:
    assert meant(typed, KNOWN) == option


def test_the_words_name_options_that_there_are_and_hide_none() -> None:
    every = {name for program in PROGRAMS for name in leaves(class_of(program))}
    assert {*ALIASES.values(), *MEANT.values()} <= every
    for program in PROGRAMS:
        known = leaves(class_of(program))
        taken = spellings({name: leaf for name, leaf in known.items()
                           if not leaf.is_positional}, "option")
        for leaf in known.values():
            assert leaf.is_positional or taken[leaf.option].leaf is leaf
