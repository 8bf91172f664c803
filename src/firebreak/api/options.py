"""Options as keywords of a function: found, checked and explained from the classes that hold them,
so that a default is said once for the command line and for Python.
"""

import dataclasses
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from firebreak.api.place.options import PlaceOptions
from firebreak.api.shared.option_bounds import check_numbers
from firebreak.api.shared.percents import fraction, is_share
from firebreak.api.shared.scene_options import RasterOptions
from firebreak.checks import InputError, check_utf8, fail, unknown_name, validated
from firebreak.settings.retired import retired_option
from firebreak.settings.texts import meanings

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy

Options = TypeVar("Options")
Verb = TypeVar("Verb", bound=Callable[..., Any])

LEFT_OUT = ("json",)
"""What the command line has besides."""
GRIDS = ("area", "plan", *(
    field.name for kind in (RasterOptions, PlaceOptions) for field in dataclasses.fields(kind)
    if Path in typing.get_args(field.type)))
"""Options of rasters and shapes, which take arrays [H, W] too."""
_OPTION = re.compile(r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_WIDTH = 96


class Keyword(NamedTuple):
    """An option as a keyword. groups: the fields that lead to its class; hint: its type;
    takes_grids: whether it takes what its file would hold.
    """

    groups: tuple[str, ...]
    hint: Any
    default: Any
    meaning: str
    takes_grids: bool


def keywords(kind: type, left_out: tuple[str, ...] = LEFT_OUT) -> dict[str, Keyword]:
    """The options of a class and of the groups in it, by name, in the order of the class."""
    return {name: word for name, word in _all_keywords(kind).items() if name not in left_out}


@cache
def _all_keywords(kind: Any) -> dict[str, Keyword]:
    return dict(_keywords(kind, ()))


def _keywords(kind: Any, groups: tuple[str, ...]) -> Iterator[tuple[str, Keyword]]:
    hints = typing.get_type_hints(kind, include_extras=True)
    told = meanings(kind)
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        if dataclasses.is_dataclass(hint):
            yield from _keywords(hint, (*groups, field.name))
        else:
            default = (field.default_factory() if field.default is dataclasses.MISSING
                       and field.default_factory is not dataclasses.MISSING else field.default)
            yield field.name, Keyword(groups, hint, default, told.get(field.name, ""),
                                      field.name in GRIDS)


def filled(kind: type[Options], given: Mapping[str, Any], where: str,
           left_out: tuple[str, ...] = LEFT_OUT) -> Options:
    """The options of a class with the keywords that are given.

    Raises:
        InputError: a keyword that is none, a value of another kind or out of its bounds.
    """
    known = keywords(kind, left_out)
    tree: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise retired_option(name, where) or unknown_name("option", name, known, where)
        inside = tree
        for group in known[name].groups:
            inside = inside.setdefault(group, {})
        inside[name] = _checked(value, known[name], name)
    made: Options = _made(kind(), tree)
    check_numbers(made)
    return made


def _made(options: Any, tree: Mapping[str, Any]) -> Any:
    changes = {name: _made(getattr(options, name), value)
               if dataclasses.is_dataclass(getattr(options, name)) else value
               for name, value in tree.items()}
    return dataclasses.replace(options, **changes)


def _checked(value: Any, word: Keyword, name: str) -> Any:
    """A value as the command line would give it; what may be handed in instead of a file stays."""
    hint = word.hint
    if isinstance(value, np.generic):
        value = value.item()
    if is_share(hint):
        value = fraction(value)
    if isinstance(value, str | Path):
        check_utf8(str(value), name)  # of a file, or the name of something
    elif value is None:
        pass
    elif word.takes_grids:
        return value
    elif name == "policy":
        return _policy(value)
    made, words = validated(value, hint)
    if words:
        if words.startswith(("less", "greater")):
            words = f"a number {words}"
        raise fail(expected=words, given=repr(value)[:80], where=name, remedy="correct this value")
    return made


def _policy(given: object) -> "Policy":
    """A policy that was handed in, by itself or with the run that trained it.

    Raises:
        InputError: anything else.
    """
    from firebreak.agent.policy_file import Policy

    policy = getattr(given, "policy", given)
    if not isinstance(policy, Policy):
        raise fail(expected="a policy: the path of a file or run folder, a name, or what "
                            "train_policy returned",
                   given=type(given).__name__, where="policy", remedy="name a file or folder")
    return policy


def verb(kind: type, left_out: tuple[str, ...] = LEFT_OUT) -> Callable[[Verb], Verb]:
    """Makes a function of keywords tell its options: in its signature, its help and its errors."""
    def decorate(function: Verb) -> Verb:
        known = keywords(kind, left_out)

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            with in_python(known):
                return function(*args, **given)

        own = [parameter for parameter in inspect.signature(function).parameters.values()
               if parameter.kind is not parameter.VAR_KEYWORD]
        own += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=word.default,
                                  annotation=taken(word, name)) for name, word in known.items()]
        call.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
        call.__doc__ = _with_options(inspect.getdoc(function) or "", options_text(known))
        return typing.cast(Verb, call)

    return decorate


def _with_options(text: str, options: str) -> str:
    """A function's text, which has arguments, with its options after these."""
    before, after = text.split("\nArgs:\n")
    own, blank, rest = after.partition("\n\n")
    return f"{before}\nArgs:\n{own}\n{options}{blank}{rest}\n"


def taken(word: Keyword, name: str) -> Any:
    """The type of what an option takes in Python: without bounds, a path as text too, and what may
    be handed in instead of a file.
    """
    kinds = {str | Path if kind is Path else kind for kind in _without_bounds(word.hint)}
    if word.takes_grids or name == "policy":
        kinds.add(object)
    return typing.Union[tuple(sorted(kinds, key=repr))]  # noqa: UP007


def _without_bounds(hint: Any) -> Iterator[Any]:
    """The members of a union, each without its annotations."""
    if typing.get_origin(hint) is typing.Annotated:
        yield from _without_bounds(typing.get_args(hint)[0])
    elif typing.get_origin(hint) in (typing.Union, types.UnionType):
        for part in typing.get_args(hint):
            yield from _without_bounds(part)
    else:
        yield hint


def options_text(known: Mapping[str, Keyword]) -> str:
    """What each option means, an entry each."""
    return "\n".join(
        textwrap.fill(f"{name}: {spelled(word.meaning, known)} [{word.default!r}]", _WIDTH,
                      initial_indent="    ", subsequent_indent="        ",
                      break_on_hyphens=False, break_long_words=False)
        for name, word in known.items())


def spelled(text: str, known: Mapping[str, Keyword]) -> str:
    """A text with the names of options as Python has them."""
    def name(match: re.Match[str]) -> str:
        own = match.group(1).replace("-", "_")
        return own if own in known else match.group(0)

    return _OPTION.sub(name, text)


@contextmanager
def in_python(known: Mapping[str, Keyword]) -> Iterator[None]:
    """Errors of options name them as Python does."""
    try:
        yield
    except InputError as error:
        text = spelled(str(error), known)
        if text == str(error):
            raise
        raise InputError(text) from error
