"""The end of processes: at once and with a word when a signal asks for it, and with the process
that started them, also when that is killed.

    python -I -S lifetime.py PARENT PROGRAM [ARGUMENT...]

becomes the program, as a child of process number PARENT that does not outlive it. Only the standard
library is used, and little of it: this is the first module that a command imports.
"""

import os
import signal
import sys
from typing import Any, NoReturn

WORDS: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""Words of a command that a signal has ended; its exit code is 128 + the signal's number."""

MADE: set[str] = set()
"""Folders that were made for what this process does: those in which nothing is end with it."""

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def exit_code(number: int) -> int:
    """Exit code of a command that a signal has ended."""
    return 128 + number


def leave(number: int, _frame: Any = None) -> NoReturn:
    """Ends this process at once, with a word and the signal's exit code."""
    try:  # neither print nor sys.exit: the signal may have come in the midst of anything
        os.write(2, f"firebreak: {WORDS[number]}\n".encode())
        for folder in sorted(MADE, key=len, reverse=True):  # what is in others before them
            try:  # noqa: SIM105 - contextlib would be loaded first of all
                os.rmdir(folder)
            except OSError:  # something is in it
                pass
    finally:
        os._exit(exit_code(number))


def end_with(parent: int) -> None:
    """The system kills this process as soon as the process `parent`, which started it, has ended.
    On Linux alone; elsewhere nothing happens.

    The system goes by the thread that started this process: it must not end before its process.
    """
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it has ended before this was said
        os._exit(1)


def tied(command: list[str]) -> list[str]:
    """A command that is killed with the process that runs it, where the system can do that. The
    thread that runs it must wait for it.

    command: the path of a program, and its arguments.
    """
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
