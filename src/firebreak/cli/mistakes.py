"""Mistakes in what was typed, one sentence each: the library that reads options draws boxes."""

import contextlib
import dataclasses
import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

import tyro

from firebreak.checks import InputError, fail, nearest
from firebreak.settings.retired import retired_option

Made = TypeVar("Made")

_OPTION = re.compile(r"--?[A-Za-z]")
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_RULE = re.compile(r"[─-]+")
_VALUE = re.compile(r"Error parsing (?P<name>\S+): (?P<words>.*)")
_CHOICE = re.compile(r"invalid choice '(?P<given>.*)' for argument '(?P<name>.*)'\. "
                     r"Expected one of \((?P<known>.*?),?\)\.")
_ABSENT = re.compile(r"Missing value for argument '(?P<name>.*)'\. "
                     r"Expected (?P<count>\d+) values\.")
_NUMBERS = (("a number", re.compile(r"could not convert string to float: '(.*)'")),
            ("a whole number", re.compile(r"invalid literal for int\(\) with base 10: '(.*)'")))


def told_plainly(parse: Callable[[], Made], kind: Any, arguments: Sequence[str],
                 command: str) -> Made:
    """What `parse` makes of a command's arguments; --help ends the program.

    Args:
        parse: tells a mistake on standard error and ends the program.
        kind: the dataclass of the command's options.

    Raises:
        InputError: a mistake in the arguments.
    """
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            made = parse()
    except SystemExit as end:
        if not end.code:
            raise
        raise mistake(said.getvalue(), kind, arguments, f"firebreak {command}") from None
    sys.stderr.write(said.getvalue())
    return made


def option_names(kind: Any) -> Iterator[str]:
    """Long options of a dataclass and of its groups; positional fields are none."""
    for field in dataclasses.fields(kind):
        if dataclasses.is_dataclass(field.type):
            yield from option_names(field.type)
        elif not _positional(field):
            yield _typed(field)


def mistake(box: str, kind: Any, arguments: Sequence[str], where: str) -> InputError:
    """The error for arguments that were refused with the words of a box."""
    help_ = f"{where} --help lists what it takes"
    if strange := _unknown_option(kind, arguments):
        if retired := retired_option(strange, where):
            return retired
        close = nearest(strange.lstrip("-"),
                        [name.removeprefix("--") for name in option_names(kind)])
        return fail(expected="an option that it has", given=f"'{strange}'", where=where,
                    remedy=f"did you mean '--{close}'? {help_}" if close else help_)
    words = _first_part(box)
    absent = _ABSENT.fullmatch(words)
    if words.startswith("Missing from") or (absent and not absent["name"].startswith("-")):
        needed = [_typed(field) for field in dataclasses.fields(kind) if _required(field)]
        return fail(expected=" and ".join(needed), given=f"'{' '.join(arguments)}'" if arguments
                    else "nothing", where=where, remedy=help_)
    if words.startswith("Unrecognized"):
        return fail(expected="no further words", given=f"'{words.partition(': ')[2]}'",
                    where=where, remedy=help_)
    for pattern, told in ((_VALUE, _bad_value), (_CHOICE, _bad_choice), (_ABSENT, _absent)):
        if found := pattern.fullmatch(words):
            return told(found, help_)
    return fail(expected="options as its help has them", given=words, where=where, remedy=help_)


def _unknown_option(kind: Any, arguments: Sequence[str]) -> str | None:
    """The first option that the command does not have."""
    known = {"--help", "--help-all", *option_names(kind)}
    typed = (word.partition("=")[0] for word in arguments if _OPTION.match(word))
    return next((word for word in typed if word.replace("_", "-") not in known), None)


def _first_part(box: str) -> str:
    """The words in a box between its title and its next rule, on one line."""
    lines = [_COLOUR.sub("", line).strip(" │╭╮╰╯") for line in box.splitlines()[1:]]
    parts = [list(group) for rule, group in groupby(lines, _is_rule) if not rule]
    return " ".join(" ".join(parts[0]).split()) if parts else ""


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line) is not None


def _bad_value(found: re.Match[str], help_: str) -> InputError:
    for expected, pattern in _NUMBERS:
        if value := pattern.search(found["words"]):
            return fail(expected=expected, given=f"'{value[1]}'", where=found["name"],
                        remedy="correct it")
    return fail(expected="a value of its kind", given=found["words"].rstrip("."),
                where=found["name"], remedy=help_)


def _bad_choice(found: re.Match[str], help_: str) -> InputError:
    # An option that may be left out lists None too, which leaving it out says better. The order is
    # that of a set.
    known = sorted(name for name in re.findall(r"'([^']*)'", found["known"]) if name != "None")
    close = nearest(found["given"], known)
    return fail(expected=f"one of {', '.join(known)}", given=f"'{found['given']}'",
                where=found["name"],
                remedy=f"did you mean '{close}'?" if close else "choose one of them")


def _absent(found: re.Match[str], help_: str) -> InputError:
    several = int(found["count"]) > 1
    return fail(expected=f"{found['count']} values after it" if several else "a value after it",
                given="fewer" if several else "none", where=found["name"], remedy=help_)


def _required(field: "dataclasses.Field[Any]") -> bool:
    return (field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING)


def _typed(field: "dataclasses.Field[Any]") -> str:
    """A field as it is typed: its option, or what a positional one stands for."""
    return field.name.upper() if _positional(field) else f"--{field.name.replace('_', '-')}"


def _positional(field: "dataclasses.Field[Any]") -> bool:
    return tyro.conf.Positional in getattr(field.type, "__metadata__", ())
