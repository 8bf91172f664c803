"""The help of commands, the main options first, and completion in a shell. Both are made from the
classes of the options alone, so that they answer at once.
"""

import shutil
import textwrap
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firebreak.checks import unknown_name
from firebreak.cli.commands import COMMANDS, EXAMPLES, GROUPS, PROGRAMS, actions_of, class_of
from firebreak.settings.schema import (
    MISSING,
    Leaf,
    first_sentence,
    leaves,
    members,
    plain_type,
    reader_of,
)

FIRST = {
    "plan": ("budget", "area", "roads", "value", "treatment", "hold", "lines", "horizon",
             "weather", "out"),
    "evaluate": ("methods", "plan", "budget", "area", "window", "windows", "value", "weather",
                 "test_fires", "out"),
    "simulate": ("fires", "area", "plan", "value", "weather", "ignitions", "burning_hours",
                 "fires_per_ha_year", "observed", "out"),
    "visualize": ("serve", "export", "plan", "policy", "area", "landscape", "seed", "out"),
    "landscape lines": ("out", "kinds", "area", "least_m", "basin_ha", "house_buffer",
                        "value", "roads"),
}
"""The options of a real job that --help shows, each by the first sentence of its meaning;
--help-all shows all of them, in full."""

_KINDS = {int: "INT", float: "FLOAT", str: "STR", Path: "PATH"}
_UNITS = {"_km_h": "KM/H", "_km": "KM", "_m": "M", "_ha": "HA", "_min": "MIN", "_deg": "DEG",
          "_s": "SECONDS", "hours": "HOURS", "horizon": "YEARS", "time_limit": "SECONDS",
          "initial_attack": "MIN", "house_buffer": "M"}
"""Ends of the names of numbers, and their units."""
_WIDEST, _COLUMN = 100, 28
SHELLS = ("bash", "zsh", "fish")


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


def help_text(name: str, everything: bool) -> str:
    """The help of a command, of an action of one, or of a command that has actions."""
    return _help_of(name, everything) if name in PROGRAMS else _help_of_actions(name)


def _help_of(name: str, everything: bool) -> str:
    """The help of a command, `everything` with the options that are seldom needed."""
    kind = class_of(name)
    known = leaves(kind)
    places = [leaf for leaf in known.values() if leaf.is_positional]
    options = [leaf for leaf in known.values() if not leaf.is_positional]
    words = "".join(f" {_place_word(leaf)}" for leaf in places)
    lines = [f"usage: firebreak {name}{words} [options]", "",
             *textwrap.wrap(" ".join((kind.__doc__ or "").split()), _width()), ""]
    if name in EXAMPLES:
        lines += [f"example: {EXAMPLES[name]}", ""]
    for leaf in places:
        lines += _filled(f"  {_place_word(leaf)}", _help(leaf), _COLUMN)
    if name not in FIRST or everything:
        for group, own in _groups(options).items():
            lines += ["", f"{group[-1] if group else 'options'}:"]
            lines += [line for leaf in own for line in _lines(leaf)]
    else:
        lines += ["", "main options:",
                  *(line for one in FIRST[name] for line in _lines(known[one], brief=True))]
        lines += ["", f"firebreak {name} --help-all shows all {len(options)} options."]
    return "\n".join(lines)


def _help_of_actions(command: str) -> str:
    """The help of a command that has actions: each with what it does."""
    lines = [f"usage: firebreak {command} {'|'.join(actions_of(command))} ...", ""]
    for action in actions_of(command):
        text = class_of(f"{command} {action}").__doc__ or ""
        lines += _filled(f"  {action}", " ".join(text.split()), 14)
    return "\n".join([*lines, "", f"example: {EXAMPLES[command]}", "", *textwrap.wrap(
        f"firebreak {command} ACTION --help shows the options of an action.", _width())])


def _groups(options: list[Leaf]) -> dict[tuple[str, ...], list[Leaf]]:
    """The options of each group: those of the command itself, then of the groups in it."""
    found: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in options:
        for depth in range(len(leaf.path)):
            found.setdefault(leaf.path[:depth], [])
        found[leaf.path[:-1]].append(leaf)
    return found


def _kinds(hint: Any) -> Iterator[str]:
    """The kinds of values that an option takes, as the help shows them; none for a switch."""
    if (reader := reader_of(hint)) is not None:
        yield reader.words
        return
    for member in members(hint):
        kind = plain_type(member)
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Literal:
            yield "{" + ",".join(map(str, parts)) + "}"
        elif origin is list:
            yield f"{next(_kinds(parts[0]))} ..."
        elif origin is tuple:
            yield " ".join(next(_kinds(part)) for part in parts)
        elif kind is not bool:
            yield _KINDS[kind]


def _place_word(leaf: Leaf) -> str:
    if leaf.is_list:
        return f"{leaf.option.removesuffix('S')}..."
    return leaf.option if leaf.is_required else f"[{leaf.option}]"


def _help(leaf: Leaf, *, brief: bool = False) -> str:
    text, default = first_sentence(leaf.help) if brief else leaf.help, leaf.default
    if default is None or default is False or default is MISSING or str(default) in ("", "[]"):
        return text
    return f"{text} [{f'{default:g}' if isinstance(default, float) else default}]"


def _lines(leaf: Leaf, *, brief: bool = False) -> list[str]:
    kinds = " | ".join(_kinds(leaf.hint))
    if kinds in ("INT", "FLOAT"):
        kinds = next((unit for end, unit in _UNITS.items() if leaf.name.endswith(end)), kinds)
    return _filled(f"  {leaf.option} {kinds}".rstrip(), _help(leaf, brief=brief), _COLUMN)


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


def completion(shell: str) -> str:
    """A script that completes commands, actions and options in a shell.

    Raises:
        InputError: another shell.
    """
    if shell not in SHELLS:
        raise unknown_name("shell", shell, SHELLS, "--completion")
    options = {name: options_of(name) for name in PROGRAMS}
    return _fish(options) if shell == "fish" else _bash(options, zsh=shell == "zsh")


def options_of(name: str) -> list[str]:
    """Long options of a command, with --help."""
    return sorted({"--help", "--help-all", *(
        leaf.option for leaf in leaves(class_of(name)).values() if not leaf.is_positional)})


def _bash(options: dict[str, list[str]], *, zsh: bool) -> str:
    cases = [f'    "{name}") words="{" ".join(given)}" ;;' for name, given in options.items()]
    nested = [f'    {command}) key="{command} ${{COMP_WORDS[2]}}"; '
              f'[ "$COMP_CWORD" -eq 2 ] && words="{" ".join(actions)}" ;;'
              for command in COMMANDS if (actions := actions_of(command))]
    head = ["# firebreak: completion of commands and options"]
    head += ["autoload -U +X bashcompinit && bashcompinit"] if zsh else []
    return "\n".join([
        *head, "_firebreak() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" key="${COMP_WORDS[1]}" words=""',
        f'  [ "$COMP_CWORD" -eq 1 ] && words="{" ".join(COMMANDS)} --help --version --completion"',
        '  case "$key" in', *nested, "  esac", '  [ -z "$words" ] && case "$key" in', *cases,
        "  esac", '  COMPREPLY=($(compgen -W "$words" -- "$word"))', "}",
        "complete -o default -F _firebreak firebreak", ""])


def _fish(options: dict[str, list[str]]) -> str:
    seen = "__fish_seen_subcommand_from"
    lines = ["# firebreak: completion of commands and options"]
    lines += [f"complete -c firebreak -n __fish_use_subcommand -a {command} -d '{text}'"
              for command, text in ((c, t.replace("'", "")) for c, t in COMMANDS.items())]
    for command in COMMANDS:
        if actions := actions_of(command):
            lines.append(f"complete -c firebreak -n '{seen} {command}' -a '{' '.join(actions)}'")
    for name, given in options.items():
        where = "; and ".join(f"{seen} {word}" for word in name.split())
        lines += [f"complete -c firebreak -n '{where}' -l {option[2:]}" for option in given]
    return "\n".join([*lines, ""])
