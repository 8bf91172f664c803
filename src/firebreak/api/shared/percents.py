"""Shares written in percent: `--budget 2%` is `--budget 0.02`, in files too."""

import re
import typing
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from annotated_types import Le

from firebreak.api.shared.option_bounds import bounds_of, option_of

_PERCENT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*%")


def without_percents(kind: type, arguments: Sequence[str]) -> list[str]:
    """A command's arguments with the percentages of its shares as fractions.

    Args:
        kind: the dataclass of the command's options.
    """
    shares = {option_of(name) for name in _share_fields(kind)}
    plain, before = [], ""
    for word in arguments:
        name, equals, value = word.partition("=")
        if equals and name in shares:
            word = f"{name}={_fraction_text(value)}"
        elif before in shares:
            word = _fraction_text(word)
        plain.append(word)
        before = word
    return plain


def is_share(hint: Any) -> bool:
    """Whether a field's type is a number of at most 1."""
    return any(isinstance(bound, Le) and bound.le == 1 for bound in bounds_of(hint))


def fraction(value: Any) -> Any:
    """The fraction of a text that is a percentage; anything else as it is."""
    if isinstance(value, str) and _PERCENT.fullmatch(value.strip()):
        return float(Decimal(value.strip().removesuffix("%").strip()) / 100)
    return value


def _fraction_text(word: str) -> str:
    value = fraction(word)
    return word if value is word else repr(value)


def _share_fields(kind: Any) -> Iterator[str]:
    """Names of the shares among a dataclass's fields and those of its groups."""
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        if is_dataclass(hint):
            yield from _share_fields(hint)
        elif is_share(hint):
            yield field.name
