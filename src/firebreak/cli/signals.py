"""What a run does when the system signals it: stop and save, or say what it is doing."""

import contextlib
import faulthandler
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from firebreak.cli import Terminated

STACKS, SNAPSHOTS = "stacks.txt", "snapshots.jsonl"
Handler = Callable[[int, Any], None]


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


def stop_now(number: int, _frame: Any) -> None:
    """Leaves whatever is under way."""
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def stop_signals(ask: Callable[[int], None]) -> dict[int, Handler]:
    """SIGINT and SIGTERM: the first asks to finish the step and save, the second stops at once."""
    asked: list[int] = []

    def handler(number: int, frame: Any) -> None:
        if asked:
            stop_now(number, frame)
        asked.append(number)
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
