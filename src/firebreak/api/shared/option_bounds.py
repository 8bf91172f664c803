"""Numbers of options within the bounds that their fields declare, checked before any work."""

import math
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from annotated_types import Ge, Gt, Le, Lt

from firebreak.checks import fail

MAX_NUMBER = 1e12
"""No option needs a larger number, whatever its unit."""


def check_numbers(options: Any) -> None:
    """Refuses numbers of options, and of groups of options in them, that are out of bounds.

    Raises:
        InputError: a number outside the bounds of the field's type; a real one that is inf, nan or
            beyond `MAX_NUMBER`.
    """
    hints = typing.get_type_hints(type(options), include_extras=True)
    for field in fields(options):
        value = getattr(options, field.name)
        if is_dataclass(hints[field.name]):
            check_numbers(value)
        bounds = list(bounds_of(hints[field.name]))
        for number in value if isinstance(value, tuple | list) else [value]:
            if isinstance(number, float):
                _check(number, field.name, bounds)
            elif isinstance(number, int) and not isinstance(number, bool) and bounds:
                _check_whole(number, field.name, bounds)


def option_of(setting: str) -> str:
    """A setting's name as it is written on the command line."""
    return "--" + setting.replace("_", "-")


def bounds_of(hint: Any) -> Iterator[Any]:
    """The bounds that a field's type declares."""
    for part in typing.get_args(hint):
        if isinstance(part, Gt | Ge | Lt | Le):
            yield part
        else:
            yield from bounds_of(part)


def _check(number: float, name: str, bounds: list[Any]) -> None:
    if math.isfinite(number) and abs(number) <= MAX_NUMBER and all(
            _within(number, bound) for bound in bounds):
        return
    words = " and ".join([_words(bound) for bound in bounds] or ["a finite number"])
    if not any(isinstance(bound, Le | Lt) for bound in bounds):
        words += f" and at most {MAX_NUMBER:g}"
    raise fail(expected=f"a number {words}" if bounds else words, given=f"{number:g}",
               where=option_of(name), remedy="correct it")


def _check_whole(number: int, name: str, bounds: list[Any]) -> None:
    if not all(_within(number, bound) for bound in bounds):
        words = " and ".join(_words(bound) for bound in bounds)
        raise fail(expected=f"a whole number {words}", given=f"{number}", where=option_of(name),
                   remedy="correct it")


def _within(number: float, bound: Any) -> bool:
    kind, limit = _parts(bound)
    return {"gt": number > limit, "ge": number >= limit, "lt": number < limit,
            "le": number <= limit}[kind]


def _words(bound: Any) -> str:
    kind, limit = _parts(bound)
    words = {"gt": "above", "ge": "of at least", "lt": "below", "le": "at most"}
    return f"{words[kind]} {limit:g}"


def _parts(bound: Any) -> tuple[str, float]:
    """A bound as the letters of its comparison and its number."""
    kind = type(bound).__name__.lower()
    return kind, float(getattr(bound, kind))
