"""The profiler of a run: rows for `memory.jsonl` at each cleanup and around the run's phases.

A full row lists every owner. A row of a phase says what that one time of it added ("grown"),
which is how growth found between full rows is put down to a phase. Phases that come with every turn
of the loop are read once after a cleanup; those that come seldom are read always.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from firebreak.memory.snapshot import SINGLE, reading, summary

Row = dict[str, Any]
Roots = Callable[[], dict[str, object]]

LOOP_PHASES = ("collect", "learn")
_ALWAYS_AT_FIRST = 12  # cleanups, after which phases of the loop are read ...
_THEN_EVERY = 4  # ... after every fourth one
_LEAST_BYTES, _LEAST_ITEMS = 1000, 16  # smaller owners are left out of rows
_MOST_GROWN = 20  # entries of each kind in "grown"


class Profiler:
    """Reads what a run holds.

    Args:
        roots: gives the named objects to walk, at each reading.
        filled: gives the share of each buffer that is in use, by the path of its owner; growth of
            a buffer that is not yet full is no leak.
    """

    def __init__(self, roots: Roots, filled: Callable[[], dict[str, float]] = dict) -> None:
        self.roots, self.filled = roots, filled
        self.seconds = 0.0
        self._cleanups = 0
        self._due: set[str] = set()
        self._rows: list[Row] = []
        self._last: Row | None = None

    def full(self, phase: str) -> None:
        """A full reading: "baseline" before the first step, "cleanup" after each, "end"."""
        self._last = self._read()
        self._rows.append({"phase": phase, **_kept(self._last), "filled": self.filled()})
        if phase == "cleanup":
            if self._cleanups < _ALWAYS_AT_FIRST or self._cleanups % _THEN_EVERY == 0:
                self._due.update(LOOP_PHASES)
            self._cleanups += 1

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Reads before and after what is done inside, if this phase is due."""
        if name in LOOP_PHASES and name not in self._due:
            self._last = None
            yield
            return
        before = self._last or self._read()
        yield
        self._due.discard(name)
        self._last = self._read()
        self._rows.append({"phase": name, **summary(self._last),
                           "grown": grown(before, self._last)})

    def take_rows(self) -> list[Row]:
        """The rows since the last call. What happens after it belongs to no phase."""
        rows, self._rows, self._last = self._rows, [], None
        return rows

    def _read(self) -> Row:
        begin = time.perf_counter()
        row = reading(self.roots(), without=(self,))
        self.seconds += time.perf_counter() - begin
        return row


def grown(before: Row, after: Row) -> dict[str, float]:
    """What differs between two readings by "kind:owner" (or "kind"): the largest of each kind, for
    one figure more says as much as a megabyte.
    """
    changes = {kind: (after[kind] or 0) - (before[kind] or 0) for kind in SINGLE}
    for kind in ("owned_bytes", "items", "live", "objects"):
        own = [(after[kind].get(owner, 0) - before[kind].get(owner, 0), f"{kind}:{owner}")
               for owner in before[kind].keys() | after[kind].keys()]
        largest = sorted((-abs(change), name, change) for change, name in own if change)
        changes |= {name: change for _, name, change in largest[:_MOST_GROWN]}
    return {name: change for name, change in changes.items() if change}


def _kept(row: Row) -> Row:
    """Without the many owners of next to nothing."""
    return row | {
        "owned_bytes": {k: v for k, v in row["owned_bytes"].items() if v >= _LEAST_BYTES},
        "items": {k: v for k, v in row["items"].items() if v >= _LEAST_ITEMS}}
