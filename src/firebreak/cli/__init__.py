"""The command line: one small module per command, loaded only when it is asked for."""

import importlib
import os
import sys
import warnings

from firebreak import __version__
from firebreak.checks import InputError, ResourceFailedError, unknown_name

COMMANDS = {
    "train": "train a fuel-break policy and compare it on landscapes it never saw",
    "trials": "search for hyper-parameters, cross-validated over folds of land",
    "evolve": "evolve a population of policies that share one replay",
    "plan": "make a plan for a landscape and write it as GeoTIFF, CSV and pictures",
    "evaluate": "compare methods and plans on test fires",
    "simulate": "burn a landscape: burn probability, arrival time, intensity, downstream value",
    "visualize": "figures of a trained agent; the explorer of a run or a plan (--serve)",
    "landscape": "look at a landscape (info) or make a synthetic one (generate)",
    "memory": "what a run held, and whether its memory was constant (report, check)",
    "behavior": "fire behaviour of a table of cases (Rothermel, or the Canadian FBP System)",
    "bench": "how fast this machine is",
}
CHECK_FAILED, BAD_INPUT, RESOURCE_FAILED, INTERRUPTED, PIPE_CLOSED, TERMINATED = (
    1, 2, 3, 130, 141, 143)


class Terminated(KeyboardInterrupt):
    """SIGTERM: handled like Ctrl-C, with an exit code of its own."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given or given[0] in ("-h", "--help"):
        print(_usage())
        return 0
    if given[0] == "--version":
        print(f"firebreak {__version__}")
        return 0
    warnings.showwarning = _one_line  # type: ignore[assignment]
    try:
        if given[0] == "--completion":
            options = importlib.import_module("firebreak.cli.options")
            print(options.completion(given[1] if len(given) > 1 else ""), end="")
            return 0
        if given[0] not in COMMANDS:
            raise unknown_name("command", given[0], COMMANDS, "firebreak")
        if not {"-h", "--help"}.isdisjoint(given):
            importlib.import_module("firebreak.cli.options").show_help(given)
        module = importlib.import_module(f"firebreak.cli.{given[0]}")
        return int(module.run(given[1:]))
    except InputError as error:
        print(f"firebreak: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"firebreak: {error.strerror or error}{where}; free space or choose another folder",
              file=sys.stderr)
        return RESOURCE_FAILED
    except ResourceFailedError as error:
        print(f"firebreak: {error}", file=sys.stderr)
        return RESOURCE_FAILED
    except MemoryError as error:
        print(f"firebreak: out of memory ({error}); use a smaller map, fewer fires or fewer "
              "environments", file=sys.stderr)
        return RESOURCE_FAILED
    except FloatingPointError as error:
        print(f"firebreak: {error}", file=sys.stderr)
        return CHECK_FAILED
    except Terminated:
        print("firebreak: terminated", file=sys.stderr)
        return TERMINATED
    except KeyboardInterrupt:
        print("firebreak: interrupted", file=sys.stderr)
        return INTERRUPTED


def _usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()]
    return "\n".join([
        "usage: firebreak COMMAND [options]", "", *lines, "",
        "firebreak COMMAND --help lists a command's options; firebreak --completion bash|zsh|fish",
        "prints a script for your shell. Exit codes: 0 done, 1 a check failed, 2 bad input, 3 disk",
        "or memory failed, 130 interrupted, 143 terminated."])


def _one_line(message: Warning | str, *_: object) -> None:
    print(f"firebreak: warning: {message}", file=sys.stderr)
