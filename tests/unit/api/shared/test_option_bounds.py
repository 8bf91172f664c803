"""Every real number that a command takes has bounds; a number is refused beyond its bounds in one
sentence, whole ones too.
"""

import importlib
import math
import pkgutil
import typing
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

import pytest
from annotated_types import Ge, Gt

from firebreak.api.shared.option_bounds import bounds_of, check_numbers
from firebreak.checks import InputError
from firebreak.cli import commands, main


def argument_classes() -> Iterator[type]:
    for module in pkgutil.walk_packages(commands.__path__, f"{commands.__name__}."):
        for name, kind in vars(importlib.import_module(module.name)).items():
            if is_dataclass(kind) and name.endswith("Arguments") and isinstance(kind, type):
                yield kind


def holds(hint: Any, number: type) -> bool:
    return hint is number or any(holds(part, number) for part in typing.get_args(hint))


def options_of(kind: type, number: type = float,
               path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        if is_dataclass(hint):
            yield from options_of(hint, number, (*path, field.name))
        elif holds(hint, number) and "tuple" not in str(hint):
            yield (*path, field.name), hint


CASES = sorted({(kind.__name__, path): (kind, path, hint) for kind in argument_classes()
                for path, hint in options_of(kind)}.items(), key=lambda pair: str(pair[0]))
OPTIONS = [case for _, case in CASES]
WHOLE = {(kind.__name__, path): (kind, path, hint) for kind in argument_classes()
         for path, hint in options_of(kind, int) if list(bounds_of(hint))}
"""Options of whole numbers whose type declares bounds."""


def with_value(options: Any, path: tuple[str, ...], value: float) -> Any:
    name, *rest = path
    return replace(options, **{name: with_value(getattr(options, name), tuple(rest), value)
                               if rest else value})


def made(kind: type) -> Any:
    required = {field.name: "x" for field in fields(kind)
                if field.default is MISSING and field.default_factory is MISSING}
    return kind(**required)


def test_all_commands_are_found() -> None:
    names = {(kind.__name__, path[-1]) for kind, path, _ in OPTIONS}
    assert {("SimulateArguments", "duration_min"), ("PlanArguments", "segment_m"),
            ("FetchArguments", "timeout_min"), ("EvaluateArguments", "budget")} <= names
    assert len(names) > 40


@pytest.mark.parametrize(("kind", "path", "hint"), OPTIONS,
                         ids=[f"{kind.__name__}-{path[-1]}" for kind, path, _ in OPTIONS])
def test_absurd_numbers_are_refused_by_name(kind: type, path: tuple[str, ...], hint: Any) -> None:
    lowest = [bound for bound in bounds_of(hint) if isinstance(bound, Gt | Ge)]
    assert lowest, "an option without a least value"
    (least,) = lowest
    absurd = [math.inf, -math.inf, math.nan, 1e300, -1e300,
              *([float(least.gt)] if isinstance(least, Gt) else []),
              float(least.gt if isinstance(least, Gt) else least.ge) - 1.0]
    whole = made(kind)
    check_numbers(whole)
    for value in absurd:
        with pytest.raises(InputError, match=f"^--{path[-1].replace('_', '-')}: expected a number"):
            check_numbers(with_value(whole, path, value))


def test_whole_numbers_keep_to_the_bounds_that_they_declare() -> None:
    assert {("PlanArguments", "horizon"), ("PlanArguments", "treatment_age"),
            ("SimulateArguments", "scenarios")} <= {(name, path[-1]) for name, path in WHOLE}
    for kind, path, hint in WHOLE.values():
        whole = made(kind)
        for bound in bounds_of(hint):
            limit = int(getattr(bound, type(bound).__name__.lower()))
            check_numbers(with_value(whole, path, limit))
            beyond = limit - 1 if isinstance(bound, Ge) else limit + 1
            with pytest.raises(InputError, match=f"^--{path[-1].replace('_', '-')}: expected a "
                                                 "whole number"):
                check_numbers(with_value(whole, path, beyond))


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
