"""The answers of a run to signals of the system: stop and save, or say what it is doing."""

import _thread
import contextlib
import faulthandler
import functools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from firebreak.lifetime import WORDS, leave

STACKS, SNAPSHOTS = "stacks.txt", "snapshots.jsonl"
Handler = Callable[[int, Any], None]
_SECONDS_BETWEEN, _MOST_SECONDS = 0.02, 3.0


class Terminated(KeyboardInterrupt):
    """SIGTERM: handled like Ctrl-C, with an exit code of its own."""


class Stop:
    """Signal that has stopped a command, if any did.

    Attributes:
        number: of the signal; None as long as none has raised an exception.
        came: True where there was a signal at all.
        waits_since: when it first raised nothing, since a module was being imported; None: it does
            not wait for one.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self.came = False
        self.waits_since: float | None = None


_current = Stop()
_repeated: Stop | None = None
"""The stop whose signal comes next once more; None: the next one is new."""
_sending = threading.RLock()
"""Held between the look whether a signal is still to be repeated and its sending."""


def stopped() -> int | None:
    """The number of the signal that has stopped the command under way, None if none has."""
    return _current.number


def answered() -> None:
    """Takes the signal that came for answered: it does not come again while the command closes."""
    global _current
    _current = Stop()
    with _sending:
        pass


@contextlib.contextmanager
def stopping() -> Iterator[Stop]:
    """Ctrl-C and SIGTERM stop what is in the block: an exception is raised there, by which all that
    is open is closed. In an import it is raised later; where it gets lost, another one follows. A
    signal that is ignored stays so.
    """
    global _current
    before, _current = _current, Stop()
    hook = sys.unraisablehook
    heard: dict[int, Handler] = {number: stop_now for number in WORDS
                                 if signal.getsignal(number) is not signal.SIG_IGN}
    sys.unraisablehook = functools.partial(_unraised, hook)
    try:
        with handling(heard):
            try:
                yield _current
            finally:  # a repetition that is on its way comes while its handler is there
                _current = before
                with _sending:
                    pass
    finally:
        sys.unraisablehook = hook


@contextlib.contextmanager
def handling(handlers: dict[int, Handler]) -> Iterator[None]:
    """Other handlers inside the block. Only the main thread has any; elsewhere nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def finishing() -> Iterator[None]:
    """Run the block whole: a signal that comes meanwhile stops the command after it.
    """
    came: list[int] = []
    heard: dict[int, Handler] = {number: lambda number, _frame: came.append(number)
                                 for number in WORDS
                                 if signal.getsignal(number) is not signal.SIG_IGN}
    with handling(heard):
        yield
    if came:
        stop_now(came[0], None)


def stop_now(number: int, frame: Any) -> None:
    """Leaves whatever is under way; a module that is being imported is imported first."""
    global _repeated
    stop, _repeated = _repeated, None
    if stop is not None and (stop is not _current or sys.exception() is not None):
        return  # the command has ended; or its exception, or one that came of it, is on its way
    if not _current.came and frame is not None:
        _current.came = True
        # No threading.Thread: the signal may have come in the midst of starting one.
        _thread.start_new_thread(_insist, (number, _current))
    if _importing(frame):
        if _current.waits_since is None:
            _current.waits_since = time.monotonic()
        return
    _current.number, _current.waits_since = number, None
    raise (Terminated if number == signal.SIGTERM else KeyboardInterrupt)(number)


def _importing(frame: Any) -> bool:
    """True in an import: modules in C end the process at an exception from within."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _insist(number: int, stop: Stop) -> None:
    """Handle a signal again and again until the command has ended, since code in C may drop
    any exception. Ends the process where an import takes too long.
    """
    global _repeated
    while True:
        time.sleep(_SECONDS_BETWEEN)
        with _sending:
            if stop is not _current:
                return
            since = stop.waits_since
            if since is not None and time.monotonic() - since > _MOST_SECONDS:
                leave(number)
            ours = signal.getsignal(number) is stop_now
            if ours or stop.number is None:
                _repeated = stop if ours else None
                _thread.interrupt_main(signal.Signals(number))
                if not ours:  # another handler has the signal from here on
                    return


def _unraised(before: Callable[[Any], object], report: Any) -> None:
    """The hook for exceptions that Python can only print, since nobody would get them: those of
    finalizers and of functions that C calls. Of a signal's there is nothing to say.
    """
    if not isinstance(report.exc_value, KeyboardInterrupt):
        before(report)


def stop_signals(ask: Callable[[int], None]) -> dict[int, Handler]:
    """SIGINT and SIGTERM: the first asks to finish the step and save, the second stops at once."""
    received: list[int] = []

    def handler(number: int, frame: Any) -> None:
        if received:
            stop_now(number, frame)
        received.append(number)
        ask(number)
        # Not print: the signal may have come in the midst of one.
        os.write(2, b"\nfirebreak: finishing this step and saving; once more stops at once\n")
    return {signal.SIGINT: handler, signal.SIGTERM: handler}


@contextlib.contextmanager
def dump_signal(folder: Path, read: Callable[[], dict[str, Any]]) -> Iterator[None]:
    """SIGUSR1 adds the stacks of all threads to `stacks.txt`, at once and whatever they do, and
    what `read` gives to `snapshots.jsonl`, as soon as Python code runs again.
    """
    number = getattr(signal, "SIGUSR1", None)
    if number is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(_number: int, _frame: Any) -> None:
        try:
            with (folder / SNAPSHOTS).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"time": time.time(), **read()}) + "\n")
        except OSError as error:  # a run does not end because of a question
            print(f"firebreak: warning: no snapshot: {error}", file=sys.stderr)
    with handling({number: handler}), (folder / STACKS).open("a", encoding="utf-8") as stacks:
        faulthandler.register(number, file=stacks, all_threads=True, chain=True)
        try:
            yield
        finally:
            faulthandler.unregister(number)
