"""The clock by which planning is timed: it stands still while numba compiles.

Machine code is made on first use and kept (`firebreak.compiled`). Counted in, the first plan on a
machine would take minutes, and a limit of time would be spent before a search has begun.
"""

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

from numba.core import event

COMPILING = "numba:compile"
"""numba's name for making machine code; code that is read from a file makes no such event."""


class _Stopwatch(event.Listener):
    """How long numba has compiled in this process; a function may have others compiled."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._running, self._since, self._seconds = 0, 0.0, 0.0
        self.first: Callable[[], object] | None = None

    def on_start(self, event: Any) -> None:
        """Called by numba."""
        with self._turn:
            if self._running == 0:
                self._since = perf_counter()
            self._running += 1
            tell, self.first = self.first, None
        if tell is not None:
            tell()

    def on_end(self, event: Any) -> None:
        """Called by numba, also where compiling fails."""
        with self._turn:
            self._running -= 1
            if self._running == 0:
                self._seconds += perf_counter() - self._since

    def working(self) -> float:
        """Seconds by the clock without those."""
        with self._turn:
            now = perf_counter()
            return now - self._seconds - (now - self._since if self._running else 0.0)


_STOPWATCH = _Stopwatch()
event.register(COMPILING, _STOPWATCH)


def working_s() -> float:
    """Seconds since an arbitrary moment, without those in which numba compiled."""
    return _STOPWATCH.working()


def when_it_compiles(tell: Callable[[], object]) -> None:
    """Has a function called once, when numba next begins to compile in this process; it takes the
    place of one that was handed in before.
    """
    _STOPWATCH.first = tell
