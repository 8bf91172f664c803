"""What may be typed: the class of each command's options, found without loading what it runs.

Help and completion need these classes and nothing else, so they answer at once.
"""

import importlib
from typing import Any

from firebreak.checks import unknown_name
from firebreak.cli.commands import COMMANDS
from firebreak.cli.mistakes import option_names

CLASSES: dict[str, tuple[str, str]] = {
    "train": ("train", "TrainArguments"), "plan": ("plan", "PlanArguments"),
    "evaluate": ("evaluate", "EvaluateArguments"), "simulate": ("simulate", "SimulateArguments"),
    "methods": ("methods", "MethodsArguments"), "visualize": ("visualize", "VisualizeArguments"),
    "behavior": ("behavior", "BehaviorArguments"), "bench": ("bench.command", "BenchArguments"),
    "landscape info": ("landscape.command", "InfoArguments"),
    "landscape generate": ("landscape.command", "GenerateArguments"),
    "landscape convert": ("landscape.convert", "ConvertArguments"),
    "landscape fetch": ("landscape.fetch", "FetchArguments"),
    "landscape lines": ("landscape.lines", "LinesArguments"),
    "trials": ("trials", "TrialsArguments"), "evolve": ("evolve", "EvolveArguments"),
    "memory report": ("memory", "ReportArguments"), "memory check": ("memory", "CheckArguments")}
"""Command, and action where it has some -> module in `commands` and class."""

SHELLS = ("bash", "zsh", "fish")


def help_text(given: list[str]) -> str | None:
    """The help of the command or action that was typed; None for an action that is none."""
    from firebreak.cli.help import help_of, help_of_actions

    for words in (given[:2], given[:1]):
        name = " ".join(words)
        if name in CLASSES:
            return help_of(name, _class_of(name), "--help-all" in given)
    if given[1:] and not given[1].startswith("-"):
        return None
    actions = _actions()[given[0]]
    return help_of_actions(given[0], {one: _class_of(f"{given[0]} {one}") for one in actions})


def completion(shell: str) -> str:
    """A script that completes commands, actions and options in a shell.

    Raises:
        InputError: another shell.
    """
    if shell not in SHELLS:
        raise unknown_name("shell", shell, SHELLS, "--completion")
    options = {name: options_of(name) for name in CLASSES}
    return _fish(options) if shell == "fish" else _bash(options, zsh=shell == "zsh")


def _class_of(name: str) -> Any:
    module, kind = CLASSES[name]
    return getattr(importlib.import_module(f"firebreak.cli.commands.{module}"), kind)


def options_of(name: str) -> list[str]:
    """Long options of a command, with --help."""
    return sorted({"--help", "--help-all", *option_names(_class_of(name))})


def _actions() -> dict[str, list[str]]:
    """Commands with their actions, none for most."""
    return {command: [name.split()[1] for name in CLASSES if name.startswith(f"{command} ")]
            for command in COMMANDS}


def _bash(options: dict[str, list[str]], *, zsh: bool) -> str:
    cases = [f'    "{name}") words="{" ".join(given)}" ;;' for name, given in options.items()]
    nested = [f'    {command}) key="{command} ${{COMP_WORDS[2]}}"; '
              f'[ "$COMP_CWORD" -eq 2 ] && words="{" ".join(actions)}" ;;'
              for command, actions in _actions().items() if actions]
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
    for command, actions in _actions().items():
        if actions:
            lines.append(f"complete -c firebreak -n '{seen} {command}' -a '{' '.join(actions)}'")
    for name, given in options.items():
        where = "; and ".join(f"{seen} {word}" for word in name.split())
        lines += [f"complete -c firebreak -n '{where}' -l {option[2:]}" for option in given]
    return "\n".join([*lines, ""])
