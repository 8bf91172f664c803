"""The help of commands: the main options, and all options where they are asked for. Made from the
classes of the options alone, so that it answers at once.
"""

import dataclasses
import shutil
import textwrap
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tyro

from firebreak.api.shared.option_bounds import option_of
from firebreak.cli.commands import COMMANDS, EXAMPLES, GROUPS
from firebreak.settings.texts import meanings

FIRST = {
    "plan": ("budget", "area", "method", "policy", "must_include", "value", "weather",
             "break_kind", "break_width_m", "test_fires", "seed", "out"),
    "evaluate": ("methods", "plan", "window", "windows", "budget", "policy", "weather",
                 "break_kind", "plan_fires", "test_fires", "seed", "json"),
    "simulate": ("fires", "area", "plan", "weather", "hours", "wind_from_deg", "ignitions",
                 "value", "burned_share", "observed", "seed", "out"),
}
"""The twelve options of a command that --help shows first; --help-all shows all of them."""

_KINDS = {int: "INT", float: "FLOAT", str: "STR", Path: "PATH"}
_WIDEST, _COLUMN = 100, 28


class Option(NamedTuple):
    """An option as the help shows it. kind: of its value, empty for a switch; default: MISSING if
    it must be given.
    """

    name: str
    kind: str
    positional: bool
    meaning: str
    default: object


class Group(NamedTuple):
    """Options that belong together; those of the command itself have no title."""

    title: str
    options: list[Option]


def usage_of_all() -> str:
    """The commands by what they are for, each with one line and an example."""
    lines = ["usage: firebreak COMMAND [options]", ""]
    for title, names in GROUPS.items():
        lines += [f"{title}:"]
        for name in names:
            lines += [*_filled(f"  {name}", COMMANDS[name], 14), f"{'':14}$ {EXAMPLES[name]}"]
        lines += [""]
    return "\n".join([*lines, *textwrap.wrap(
        "firebreak help COMMAND shows a command's options, --help-all all of them; firebreak "
        "--completion bash|zsh|fish prints a script for your shell. Exit codes: 0 done, 1 a check "
        "failed, 2 bad input, 3 disk or memory failed, 4 not judged (memory check), 130 "
        "interrupted, 143 terminated.", _width())])


def help_of(name: str, kind: type, everything: bool) -> str:
    """The help of a command, `everything` with the options that are seldom needed."""
    groups = list(_groups(kind, ""))
    places = [option for option in groups[0].options if option.positional]
    count = sum(len(group.options) for group in groups) - len(places)
    shown = FIRST.get(name)
    words = "".join(f" {_place_word(option)}" for option in places)
    lines = [f"usage: firebreak {name}{words} [options]", "",
             *textwrap.wrap(" ".join((kind.__doc__ or "").split()), _width()), ""]
    if name in EXAMPLES:
        lines += [f"example: {EXAMPLES[name]}", ""]
    for option in places:
        lines += _filled(f"  {_place_word(option)}", _told(option), _COLUMN)
    if shown is None or everything:
        for group in groups:
            lines += ["", f"{group.title or 'options'}:"]
            for option in group.options:
                lines += [] if option.positional else _line(option)
    else:
        by_name = {option.name: option for group in groups for option in group.options}
        lines += ["", "main options:",
                  *(line for one in shown for line in _line(by_name[one]))]
        lines += ["", f"firebreak {name} --help-all shows all {count} options."]
    return "\n".join(lines)


def help_of_actions(command: str, kinds: dict[str, type]) -> str:
    """The help of a command that has actions: each with what it does.

    Args:
        kinds: action -> class of its options.
    """
    lines = [f"usage: firebreak {command} {'|'.join(kinds)} ...", ""]
    for action, kind in kinds.items():
        lines += _filled(f"  {action}", " ".join((kind.__doc__ or "").split()), 14)
    return "\n".join([*lines, "", f"example: {EXAMPLES[command]}", "", *textwrap.wrap(
        f"firebreak {command} ACTION --help shows the options of an action.", _width())])


def _groups(kind: Any, title: str, given: Any = None) -> Iterator[Group]:
    """The options of a class itself, then those of the groups in it.

    given: an instance that has the defaults, where they are not the class's own.
    """
    hints = typing.get_type_hints(kind, include_extras=True)
    told = meanings(kind)
    own, inner = [], []
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        if dataclasses.is_dataclass(hint):
            made = field.default_factory
            inner.append((field.name, hint, None if made is dataclasses.MISSING else made()))
        else:
            default = field.default if given is None else getattr(given, field.name)
            own.append(_option(field.name, hint, told.get(field.name, ""), default))
    yield Group(title, own)
    for name, hint, instance in inner:
        yield from _groups(hint, name, instance)


def _option(name: str, hint: Any, meaning: str, default: object) -> Option:
    return Option(name, " | ".join(_kinds(hint)),
                  tyro.conf.Positional in getattr(hint, "__metadata__", ()), meaning, default)


def _kinds(hint: Any) -> Iterator[str]:
    """What a value may be, in words of the command line."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        yield from _kinds(parts[0])
    elif origin is typing.Literal:
        yield "{" + ",".join(map(str, parts)) + "}"
    elif origin is list:
        yield f"{next(_kinds(parts[0]))} ..."
    elif origin is tuple:
        yield " ".join(next(_kinds(part)) for part in parts if part is not Ellipsis)
    elif parts:
        for part in parts:
            yield from _kinds(part)
    elif hint not in (bool, type(None)):
        yield _KINDS.get(hint, getattr(hint, "__name__", str(hint)).upper())


def _place_word(option: Option) -> str:
    if "..." in option.kind:
        return f"{option.name.upper().removesuffix('S')}..."
    needed = option.default is dataclasses.MISSING
    return option.name.upper() if needed else f"[{option.name.upper()}]"


def _told(option: Option) -> str:
    default = option.default
    if default is None or default is False or default == "" or default is dataclasses.MISSING:
        return option.meaning
    return f"{option.meaning} [{f'{default:g}' if isinstance(default, float) else default}]"


def _line(option: Option) -> list[str]:
    return _filled(f"  {option_of(option.name)} {option.kind}".rstrip(), _told(option), _COLUMN)


def _filled(head: str, text: str, column: int) -> list[str]:
    """A head and its text beside it, or below it where it is longer than its column."""
    room = _width() - column
    words = (word if len(word) <= room else word.replace(",", ", ") for word in text.split(" "))
    lines = textwrap.wrap(" ".join(words), room, break_on_hyphens=False,
                          break_long_words=False) or [""]
    if len(head) < column:
        return [f"{head:{column}}{lines[0]}".rstrip(), *(f"{'':{column}}{line}"
                                                          for line in lines[1:])]
    return [head, *(f"{'':{column}}{line}" for line in lines)]


def _width() -> int:
    return max(60, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))
