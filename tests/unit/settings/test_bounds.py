"""Every real number that a command takes has bounds; a number is refused beyond its bounds in one
sentence, whole ones too.
"""

import math
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from annotated_types import Ge, Gt

from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.cli.commands import PROGRAMS, class_of
from firebreak.settings.binding import bind
from firebreak.settings.schema import Leaf, bounds_of, leaves
from firebreak.settings.sources import argv


def holds(hint: Any, number: type) -> bool:
    return hint is number or any(holds(part, number) for part in typing.get_args(hint))


def numbers(number: type) -> Iterator[tuple[str, Leaf]]:
    for command in PROGRAMS:
        for leaf in leaves(class_of(command)).values():
            if holds(leaf.hint, number) and leaf.values_typed == 1:
                yield command, leaf


OPTIONS = list(numbers(float))
WHOLE = [(command, leaf) for command, leaf in numbers(int) if list(bounds_of(leaf.hint))]
"""Options of whole numbers whose type declares bounds."""


def bound(command: str, leaf: Leaf, text: str) -> Any:
    words = [f"{leaf.option}={text}"]
    for other in leaves(class_of(command)).values():
        if other.is_required:
            words += ["x"] if other.is_positional else [other.option, "1", "1", "1", "1"][
                :1 + (other.values_typed or 1)]
    return leaf.of(bind(class_of(command), argv(words, command)).options)


def test_all_commands_are_found() -> None:
    names = {(command, leaf.name) for command, leaf in OPTIONS}
    assert {("simulate", "duration_min"), ("plan", "segment_m"), ("landscape fetch", "timeout_min"),
            ("visualize", "budget")} <= names
    assert len(names) > 40


@pytest.mark.parametrize(("command", "leaf"), OPTIONS,
                         ids=[f"{command}-{leaf.name}" for command, leaf in OPTIONS])
def test_absurd_numbers_are_refused_by_name(command: str, leaf: Leaf) -> None:
    lowest = [bound for bound in bounds_of(leaf.hint) if isinstance(bound, Gt | Ge)]
    assert lowest, "an option without a least value"
    (least,) = lowest
    absurd = [math.inf, -math.inf, math.nan, 1e300, -1e300,
              *([float(least.gt)] if isinstance(least, Gt) else []),
              float(least.gt if isinstance(least, Gt) else least.ge) - 1.0]
    for value in absurd:
        with pytest.raises(InputError, match=rf"^{leaf.option}: expected a (number|share \(5%\))"):
            bound(command, leaf, repr(value))


def test_whole_numbers_keep_to_the_bounds_that_they_declare() -> None:
    assert {("plan", "horizon"), ("plan", "treatment_age"), ("simulate", "scenarios")} <= {
        (command, leaf.name) for command, leaf in WHOLE}
    for command, leaf in WHOLE:
        for one in bounds_of(leaf.hint):
            limit = int(getattr(one, type(one).__name__.lower()))
            assert bound(command, leaf, str(limit)) == limit
            beyond = limit - 1 if isinstance(one, Ge) else limit + 1
            with pytest.raises(InputError, match=f"^{leaf.option}: expected a whole number"):
                bound(command, leaf, str(beyond))
        with pytest.raises(InputError, match=f"^{leaf.option}: expected a whole number"):
            bound(command, leaf, "9" * 5000)


@pytest.mark.parametrize("arguments", [
    ["plan", "synthetic:1:10", "--treatment", "grazing", "--horizon", "-1"],
    ["simulate", "synthetic:1:10", "--treatment", "grazing", "--treatment-age", "-1"],
    ["simulate", "synthetic:1:10", "--duration-min", "1e300"],
    ["plan", "synthetic:1:10", "--segment-m", "0"],
    ["landscape", "fetch", "a.tif", "--bbox", "nan", "1", "2", "3", "--email", "a@b.c"],
    ["evaluate", "synthetic:1:10", "--budget", "nan"],
])
def test_commands_refuse_absurd_numbers(arguments: list[str],
                                        capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("firebreak: --")
    assert said.count("\n") == 1
