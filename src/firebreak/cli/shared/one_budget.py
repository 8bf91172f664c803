"""A plan's budget is said in one way: as a share, as money, or as money by year."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from firebreak.api.place.options import NO_PHASES
from firebreak.api.shared.option_bounds import option_of
from firebreak.checks import fail
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.files import read_toml

FORMS = ("budget", "money", "phases")


def with_one_budget(args: PlanArguments, arguments: Sequence[str],
                    file: Path | None) -> PlanArguments:
    """Options with the budget of the command line, or else that of the file that it names. The one
    on the command line replaces the file's, whichever form either has, and a warning says so where
    the forms differ.

    Args:
        arguments: the command line's words.

    Raises:
        InputError: two forms of a budget on the command line, or in the file.
    """
    words = {word.partition("=")[0].replace("_", "-") for word in arguments}
    typed = _one([form for form in FORMS if option_of(form) in words], "--", "the command line")
    written = None if file is None else _one(_written(file), "", str(file))
    if typed is None or written is None or typed == written:
        return args
    warnings.warn(f"{option_of(typed)} on the command line replaces {written} in {file}",
                  stacklevel=2)
    place = replace(args.place, money=args.place.money if typed == "money" else None,
                    phases=args.place.phases if typed == "phases" else NO_PHASES)
    return replace(args, place=place)


def _written(file: Path) -> list[str]:
    """The forms that a file has."""
    tree = read_toml(file)
    place = tree.get("place")
    place = place if isinstance(place, dict) else {}
    phases = "phase" in tree or "phases" in place
    return [form for form, there in zip(FORMS, ("budget" in tree, "money" in place, phases),
                                        strict=True) if there]


def _one(forms: list[str], dashes: str, where: str) -> str | None:
    if len(forms) > 1:
        raise fail(expected="one budget",
                   given=" and ".join(f"{dashes}{form}" for form in forms), where=where,
                   remedy="give one of them")
    return forms[0] if forms else None
