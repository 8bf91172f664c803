"""Completion of commands, actions and options in a shell. Made from the classes of the options
alone, so that it answers at once.
"""

from firebreak.checks import unknown_name
from firebreak.cli.commands import COMMANDS, PROGRAMS, actions_of, class_of
from firebreak.settings.schema import leaves

SHELLS = ("bash", "zsh", "fish")


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
