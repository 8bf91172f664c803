"""The command line: names, options and exit codes; loads a command's module when it runs. No
computation: commands call the packages below.
"""

import errno
import importlib
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable

from firebreak import __version__
from firebreak.checks import InputError, ResourceFailedError, check_utf8, plain, unknown_name
from firebreak.cli.commands import COMMANDS, PROGRAMS, actions_of, class_of, function_of
from firebreak.cli.shared.signals import Terminated, stopping
from firebreak.cli.shared.surroundings import clear_surroundings
from firebreak.files import keeping
from firebreak.lifetime import WORDS, exit_code
from firebreak.settings.retired import retired_command

HELP = {"-h", "--help", "--help-all"}
_NO_MEMORY = re.compile("failed to map segment|[Cc]annot allocate memory|can't allocate memory"
                        "|bad_alloc|can't start new thread")
CHECK_FAILED, BAD_INPUT, RESOURCE_FAILED, PIPE_CLOSED = 1, 2, 3, 141


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    warnings.showwarning = _each_once()
    with stopping() as stop:
        try:
            if arguments is None:
                clear_surroundings()
            with keeping(()):
                code = _run(given)
            sys.stdout.flush()
            return code
        except BaseException as error:
            # Code that a signal's exception came through may have made another one of it.
            number = stop.number or (
                signal.SIGTERM if isinstance(error, Terminated) else
                signal.SIGINT if isinstance(error, KeyboardInterrupt) else None)
            text, code = (_exit_message(error) if number is None
                          else (WORDS[number], exit_code(number)))
            if text is not None:
                print(f"firebreak: {plain(text)}", file=sys.stderr)
            return code


def _run(given: list[str]) -> int:
    for word in given:
        check_utf8(word, "command line")
    if not given or given[0] in HELP or given == ["help"]:
        print(importlib.import_module("firebreak.cli.help").usage_of_all())
        return 0
    if given[0] == "help":
        given = [*given[1:], "--help"]
    if given[0] == "--version":
        print(f"firebreak {__version__}")
        return 0
    if given[0] == "--completion":
        help_ = importlib.import_module("firebreak.cli.help")
        print(help_.completion(given[1] if len(given) > 1 else ""), end="")
        return 0
    command, *words = given
    if command not in COMMANDS:
        raise retired_command(command) or unknown_name("command", command, COMMANDS, "COMMAND")
    if (actions := actions_of(command)) and words and words[0] not in HELP:
        if words[0] not in actions:
            raise unknown_name("action", words[0], actions, f"firebreak {command}")
        command, words = f"{command} {words[0]}", words[1:]
    if command not in PROGRAMS or not HELP.isdisjoint(words):
        help_ = importlib.import_module("firebreak.cli.help")
        print(help_.help_text(command, "--help-all" in words))
        return 0
    from firebreak.cli.shared.common import parse

    bound = parse(class_of(command), words, command)
    with bound.spelled():
        return int(function_of(command)(bound))


def _exit_message(error: BaseException) -> tuple[str | None, int]:
    """The words on an error, if any, and the exit code. Errors of the program are raised again."""
    match error:
        case InputError():
            return str(error), BAD_INPUT
        case BrokenPipeError():  # whoever read our output has seen enough
            _stop_output()
            return None, PIPE_CLOSED
        case OSError() | ImportError() | RuntimeError() if short := _short_of(error):
            return short, RESOURCE_FAILED
        case OSError():
            where = f": {str(error.filename)[:300]}" if error.filename else ""
            if error.errno == errno.ENOSPC and not where:
                _stop_output()  # it may be what is full
            if error.errno == errno.ENAMETOOLONG:
                return f"{error.strerror}{where}; give a shorter one", BAD_INPUT
            if isinstance(error, IsADirectoryError | NotADirectoryError | FileNotFoundError):
                return f"{error.strerror}{where}; check the path", BAD_INPUT
            if isinstance(error, PermissionError):
                return f"{error.strerror}{where}; check its permissions", BAD_INPUT
            return (f"{error.strerror or error}{where}; free space or choose another folder",
                    RESOURCE_FAILED)
        case ResourceFailedError():
            return str(error), RESOURCE_FAILED
        case MemoryError():
            return (f"out of memory ({error}); use a smaller map, fewer fires or fewer "
                    "environments", RESOURCE_FAILED)
        case FloatingPointError():
            return str(error), CHECK_FAILED
    raise error


def _short_of(error: BaseException) -> str | None:
    """The sentence for an error that a limit of the process causes; None for others."""
    text, number = str(error), getattr(error, "errno", None)
    if number in (errno.EMFILE, errno.ENFILE) or "Too many open files" in text:
        return "too many open files; raise the limit, for example with ulimit -n 1024"
    if number == errno.ENOMEM or _NO_MEMORY.search(text):
        return ("no memory or threads within the limits of this process; raise them (ulimit -v, "
                "ulimit -u), or use a smaller map, fewer fires or fewer environments")
    return None


def _stop_output() -> None:
    """Let what is still to be printed go nowhere, also when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _each_once() -> Callable[..., None]:
    """The function that prints warnings in a line each, none twice in a command."""
    said: set[str] = set()

    def one_line(message: Warning | str, *_: object) -> None:
        text = plain(str(message))
        if text not in said:
            print(f"firebreak: warning: {text}", file=sys.stderr)
        said.add(text)

    return one_line
