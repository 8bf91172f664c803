"""A value from outside as the type of its setting, within its bounds: one rule, and one wording,
for the words of a command line, the keys of a file and the keywords of a function.
"""

import json
import operator
import re
import typing
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

from annotated_types import Ge, Gt, Le, Len, Lt, MinLen

from firebreak.checks import nearest
from firebreak.reading import number_in, whole_number_in
from firebreak.settings.schema import (
    RISING,
    bounds_of,
    is_share,
    members,
    plain_type,
    reader_of,
)

MAX_NUMBER = 1e12
"""No setting needs a larger number, whatever its unit."""
_PERCENT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*%", re.ASCII)
_BOUNDS: dict[type, tuple[str, str, Callable[[Any, Any], bool]]] = {
    Gt: ("gt", "above", operator.gt), Ge: ("ge", "of at least", operator.ge),
    Lt: ("lt", "below", operator.lt), Le: ("le", "at most", operator.le)}


class UnfitError(ValueError):
    """A value that a setting cannot have: what is expected, what is given, and what to do."""

    def __init__(self, expected: str, given: str, remedy: str = "correct it") -> None:
        super().__init__(expected)
        self.expected, self.given, self.remedy = expected, given, remedy


def converted(hint: Any, raw: Any, *, strict: bool = False) -> Any:
    """A value as a type. Shares may be percentages, paths text and names paths; true and false are
    no numbers. Numbers may be text too, and whole ones real, unless it is `strict`.

    Raises:
        UnfitError: a value of another kind, or out of bounds.
    """
    if (reader := reader_of(hint)) is not None:
        return reader.read(raw)
    if raw is None and type(None) in typing.get_args(hint):
        return None
    kinds = sorted(members(hint), key=lambda kind: plain_type(kind) is type(raw))
    for kind in kinds[:0:-1]:
        try:
            return _converted(kind, raw, strict)
        except UnfitError:
            continue
    try:
        return _converted(kinds[0], raw, strict)
    except UnfitError as unfit:
        if len(kinds) > 1:
            raise UnfitError(kind_words(hint), unfit.given) from None
        raise


def fraction(value: Any) -> Any:
    """The fraction of a text that is a percentage; anything else as it is."""
    if isinstance(value, str) and _PERCENT.fullmatch(value.strip()):
        with suppress(ArithmeticError):  # an exponent that no number has
            return float(Decimal(value.strip().removesuffix("%").strip()) / 100)
    return value


def shown(value: Any) -> str:
    """A value as an error shows it: text in quotes, and not more than a line of it."""
    try:
        text = (f"'{value}'" if isinstance(value, str | Path) else
                number_text(value) if isinstance(value, float) else
                json.dumps(value, ensure_ascii=False, default=repr))
    except (TypeError, ValueError):  # a dictionary of Python's, or one that holds itself
        text = type(value).__name__
    return text if len(text) <= 80 else f"{text[:77]}..."


def number_text(number: float) -> str:
    """A number in as few digits as tell it from all others."""
    short = f"{number:g}"
    return short if float(short) == number or number != number else repr(float(number))


def kind_words(hint: Any) -> str:
    """The values of a type in words: `a number above 0 and at most 1`."""
    return " or ".join(dict.fromkeys(_kind_words(kind) for kind in members(hint)))


def _converted(hint: Any, raw: Any, strict: bool) -> Any:
    """A value as one member of a union."""
    kind = plain_type(hint)
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        return _choice(typing.get_args(kind), raw)
    if origin in (list, tuple):
        return _several(hint, raw, strict)
    if kind is bool:
        fits = isinstance(raw, bool)
    elif kind in (int, float):
        return _number(hint, kind, fraction(raw) if is_share(hint) else raw, strict)
    elif kind in (str, Path):
        fits = isinstance(raw, str | Path) and not (
            not str(raw) and any(isinstance(part, MinLen) for part in typing.get_args(hint)))
        raw = kind(raw) if fits else raw
    else:
        fits = isinstance(raw, dict)
        raw = _table(kind, raw, strict) if fits else raw
    if not fits:
        raise UnfitError(kind_words(hint), shown(raw))
    return raw


def _choice(names: tuple[Any, ...], raw: Any) -> Any:
    if isinstance(raw, str | int) and not isinstance(raw, bool) and raw in names:
        return raw
    close = nearest(raw, map(str, names)) if isinstance(raw, str) else None
    raise UnfitError(f"one of {', '.join(sorted(map(str, names)))}", shown(raw),
                     f"did you mean '{close}'?" if close else "choose one of them")


def _several(hint: Any, raw: Any, strict: bool) -> Any:
    """A list, or a tuple of as many values as its type has."""
    kind = plain_type(hint)
    parts = typing.get_args(kind)
    is_list = typing.get_origin(kind) is list
    count = _length(hint)
    if not isinstance(raw, list | tuple) or (count is not None and len(raw) != count) or (
            not raw and any(isinstance(part, MinLen) for part in typing.get_args(hint))):
        raise UnfitError(kind_words(hint), shown(raw))
    found = []
    for place, one in enumerate(raw):
        try:
            found.append(converted(parts[0] if is_list else parts[place], one, strict=strict))
        except UnfitError as unfit:
            raise UnfitError(kind_words(hint), f"entry {place + 1} = {unfit.given}",
                             unfit.remedy) from None
    if RISING in typing.get_args(hint) and found[0] > found[1]:
        raise UnfitError(f"{kind_words(hint)}, the lower first", shown(raw))
    return found if is_list else tuple(found)


def _table(kind: Any, raw: dict[str, Any], strict: bool) -> dict[str, Any]:
    """A table whose values are all of one type."""
    (_, hint) = typing.get_args(kind)
    return {str(key): converted(hint, value, strict=strict) for key, value in raw.items()}


def _number(hint: Any, kind: type, raw: Any, strict: bool) -> Any:
    """A number within the bounds of its type; a real one is finite and at most MAX_NUMBER."""
    bounds = list(bounds_of(hint))
    is_none = isinstance(raw, bool) or not isinstance(raw, str | Real) or (
        strict and not isinstance(raw, int if kind is int else int | float))
    try:
        read = (number_in if kind is float else whole_number_in) if isinstance(raw, str) else kind
        number = None if is_none else read(raw)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or (kind is int and isinstance(raw, Real) and number != raw):
        is_real = kind is int and isinstance(raw, float)
        raise UnfitError(_number_words(hint), repr(raw) if is_real else shown(raw))
    too_large = kind is float and not abs(number) <= MAX_NUMBER
    if too_large or not all(holds(number, getattr(bound, name)) for bound in bounds
                            for name, _, holds in [_BOUNDS[type(bound)]]):
        words = _number_words(hint)
        if too_large and not any(isinstance(bound, Le | Lt) for bound in bounds):
            words += f" and at most {MAX_NUMBER:g}" if bounds else f" of at most {MAX_NUMBER:g}"
        raise UnfitError(words, number_text(number) if kind is float else f"{number}")
    return number


def _number_words(hint: Any) -> str:
    bounds = [f"{words} {getattr(bound, name):g}" for bound in bounds_of(hint)
              for name, words, _ in [_BOUNDS[type(bound)]]]
    kind = "a number" if plain_type(hint) is float else "a whole number"
    return f"{kind} {' and '.join(bounds)}".rstrip()


def _length(hint: Any) -> int | None:
    """Length of a list or tuple where it is fixed."""
    kind = plain_type(hint)
    if typing.get_origin(kind) is tuple:
        return len(typing.get_args(kind))
    return next((part.min_length for part in typing.get_args(hint) if isinstance(part, Len)
                 and part.min_length == part.max_length), None)


def _kind_words(hint: Any) -> str:
    kind = plain_type(hint)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return f"one of {', '.join(sorted(map(str, parts)))}"
    if origin in (list, tuple):
        count = _length(hint)
        return (f"{'a list' if count is None else f'{count} values'}, each "
                f"{kind_words(parts[0])}")
    if kind in (int, float):
        return _number_words(hint)
    return {bool: "true or false", str: "a text", Path: "the name of a file or folder"}.get(
        kind, "a table")
