"""The leaves of a tree of settings: every option of a command, key of a file and keyword of a
function, found from the fields of the dataclass that says them once.
"""

import ast
import inspect
import os
import re
import textwrap
import types
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING as MISSING
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from annotated_types import Ge, Gt, Le, Lt

POSITIONAL = "positional"
"""Marks a field that is typed by its place: `Annotated[str, POSITIONAL]`."""
RISING = "rising"
"""Marks a pair of numbers, the lower first."""
ONE_EACH = "one each"
"""Marks a list that takes one value each time that its option is typed."""


class Reader(NamedTuple):
    """Marks a setting that has its own function to read it, and the words of its values in help."""

    read: Callable[[Any], Any]
    words: str


NAMING = frozenset(("landscape", "landscapes", "runs", "area", "data", "config", "target",
                    "weather", "layers", "treatments"))
"""Settings of text that may name a file; the others are words, whatever lies beside them."""
TRANSPARENT = ("scene",)
"""Groups that a file does not name: theirs stand at its top."""


class Leaf(NamedTuple):
    """One setting.

    path: of fields to it; hint: its type, with bounds; default: MISSING if it must be given; help:
    the text below its field; key: as a file has it, after the names of its tables.
    """

    path: tuple[str, ...]
    hint: Any
    default: Any
    help: str
    key: str

    @property
    def name(self) -> str:
        """The keyword of functions."""
        return self.path[-1]

    @property
    def option(self) -> str:
        """The option as it is typed, or what is typed in its place."""
        return self.name.upper() if self.is_positional else option_of(self.name)

    @property
    def is_positional(self) -> bool:
        return POSITIONAL in getattr(self.hint, "__metadata__", ())

    @property
    def is_required(self) -> bool:
        return self.default is MISSING

    def of(self, options: Any) -> Any:
        """The setting in an instance of its class."""
        for name in self.path:
            options = getattr(options, name)
        return options

    def put(self, options: Any, value: object) -> Any:
        """The instance with another value of the setting."""
        return _put(options, self.path, value)

    @property
    def is_path(self) -> bool:
        """True for a file or folder, or several."""
        return self._has(Path)

    @property
    def takes_text(self) -> bool:
        """True for text that is no choice among words, or several such."""
        return self._has(Path) or self._has(str)

    def _has(self, wanted: type) -> bool:
        kinds = [plain_type(kind) for kind in members(self.hint)]
        return any(wanted in (kind, *typing.get_args(kind)) for kind in kinds)

    @property
    def may_name_file(self) -> bool:
        return self.is_path or self.name in NAMING

    @property
    def is_list(self) -> bool:
        return any(typing.get_origin(plain_type(kind)) is list for kind in members(self.hint))

    @property
    def adds_up(self) -> bool:
        """True where what is said several times counts together."""
        return self.is_list or reader_of(self.hint) is not None

    @property
    def values_typed(self) -> int | None:
        """Values that are typed after the option; None: as many as follow."""
        if self.is_list:
            return 1 if ONE_EACH in getattr(self.hint, "__metadata__", ()) else None
        kind = plain_type(next(iter(members(self.hint))))
        if typing.get_origin(kind) is tuple:
            return len(typing.get_args(kind))
        return 0 if kind is bool else 1


def places_in(text: str) -> Iterator[Path]:
    """Yield the file that a text names and that is there; of FILE:NAME the file."""
    parts = text.split(":")
    for count in range(1, len(parts) + 1):
        name = ":".join(parts[:count])
        if name and os.path.exists(name):
            yield Path(name)


def _put(options: Any, path: tuple[str, ...], value: object) -> Any:
    name, *rest = path
    inner = _put(getattr(options, name), tuple(rest), value) if rest else value
    return replace(options, **{name: inner})


def option_of(name: str) -> str:
    """A setting's name as it is written on the command line."""
    return "--" + name.replace("_", "-")


def leaves(kind: type) -> Mapping[str, Leaf]:
    """The settings of a dataclass and of the groups in it, in the order of its fields; by name, or
    by their path with dots where several have the name.
    """
    return _leaves(kind)


@cache
def _leaves(kind: Any) -> Mapping[str, Leaf]:
    found = list(_walk(kind, (), None))
    names = Counter(leaf.name for leaf in found)
    return types.MappingProxyType({leaf.name if names[leaf.name] == 1 else ".".join(leaf.path): leaf
                                   for leaf in found})


def _walk(kind: Any, path: tuple[str, ...], given: Any) -> Iterator[Leaf]:
    """given: an instance that has the defaults, where they are not the class's own."""
    hints = typing.get_type_hints(kind, include_extras=True)
    texts = meanings(kind)
    for field in fields(kind):
        own, hint = (*path, field.name), hints[field.name]
        default = (getattr(given, field.name) if given is not None else field.default
                   if field.default_factory is MISSING else field.default_factory())
        if is_dataclass(hint):
            yield from _walk(hint, own, default)
        else:
            last = getattr(kind, "KEYS", {}).get(field.name, field.name)
            key = ".".join([*(part for part in path if part not in TRANSPARENT), last])
            yield Leaf(own, hint, default, texts.get(field.name, ""), key)


def bounds_of(hint: Any) -> Iterator[Any]:
    """The bounds that a type declares."""
    for part in typing.get_args(hint):
        if isinstance(part, Gt | Ge | Lt | Le):
            yield part
        else:
            yield from bounds_of(part)


def reader_of(hint: Any) -> Reader | None:
    """The function that reads a setting of this type, where it has one of its own."""
    return next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Reader)),
                None)


def is_share(hint: Any) -> bool:
    """True for a number of at most 1, which may be written in percent."""
    return any(isinstance(bound, Le) and bound.le == 1 for bound in bounds_of(hint))


def members(hint: Any) -> Iterator[Any]:
    """The members of a union but None, or the type itself; each with its annotations."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        for part in typing.get_args(hint):
            yield from members(part)
    elif origin is typing.Annotated and typing.get_origin(typing.get_args(hint)[0]) in (
            typing.Union, types.UnionType):
        yield from members(typing.get_args(hint)[0])
    elif hint is not type(None):
        yield hint


def plain_type(hint: Any) -> Any:
    """A type without its annotations."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint


@cache
def meanings(kind: type) -> dict[str, str]:
    """Text below each field of a dataclass and of its bases, in one line each."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(tree, ast.ClassDef)
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            text = below.value.value if isinstance(below, ast.Expr) and isinstance(
                below.value, ast.Constant) else None
            if (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                    and isinstance(text, str)):
                found[field.target.id] = " ".join(text.split())
    return {field.name: found[field.name] for field in fields(kind) if field.name in found}


def first_sentence(text: str) -> str:
    """The first sentence of a text, with its full stop."""
    return re.split(r"(?<=\.) (?=[A-Z\[]|\d+ [a-z])", text)[0]


def in_short(text: str) -> str:
    """The first sentence, without its capital and full stop: a part of another sentence."""
    first = first_sentence(text).rstrip(".")
    return first if first[:2].isupper() and first[:2].isalpha() else first[:1].lower() + first[1:]
