"""The profiler of a run: rows for `memory.jsonl` at each cleanup and around the run's phases.

A full row lists every owner. A row of a phase says what that one time of it added ("grown"),
which is how growth found between full rows is put down to a phase. Phases that come with every turn
of the loop are read once after a cleanup; those that come seldom are read always. After the first
ones, readings are only as many as keeps them within a share of the time, of which they would take
a good part where episodes are short.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from firebreak.memory.owned import owned, package_globals
from firebreak.memory.process import gpu_row, heap_row, mapped_bytes, process_row
from firebreak.memory.registry import census, live_counts

Row = dict[str, Any]

SINGLE = ("rss_bytes", "heap_bytes", "python_blocks", "gpu_bytes", "figures", "open_files",
          "threads", "graph_tensors", "children", "children_bytes")
"""Quantities of a row that are one number each."""
_MAPS = ("owned_bytes", "items", "live", "objects", "file_kinds", "thread_kinds", "filled",
         "bounded_objects")

LOOP_PHASES = ("collect", "learn")
READ_AT_FIRST = 60
"""Cleanups that are read in any case; ..."""
MAX_SHARE_OF_TIME = 0.005
"""... the share of the time after them that readings may take."""
_ALWAYS_AT_FIRST = 12  # cleanups, after which phases of the loop are read ...
_THEN_EVERY = 4  # ... after every fourth one
_MIN_BYTES, _MIN_ITEMS = 1000, 16  # smaller owners are left out of rows
_MAX_GROWN = 20  # entries of each kind in "grown"


class Profiler:
    """Reads what a run holds.

    Args:
        roots: gives the named objects to walk, at each reading.
        filled: gives the share of each buffer that is in use, by the path of its owner; growth of
            a buffer that is not yet full is no leak.
        clock: seconds; replaced in tests.
    """

    def __init__(self, roots: Callable[[], dict[str, object]],
                 filled: Callable[[], dict[str, float]] = dict,
                 clock: Callable[[], float] = time.perf_counter) -> None:
        self.roots, self.filled, self.clock = roots, filled, clock
        self.seconds = 0.0
        self._begin, self._spent = 0.0, 0.0  # when readings began to be counted, and theirs then
        self._cleanups = 0
        self._due: set[str] = set()
        self._rows: list[Row] = []
        self._last: Row | None = None

    def full(self, phase: str) -> None:
        """A full reading: "baseline" before the first step, "cleanup" after each, "end"."""
        if phase == "cleanup" and not self._has_time():
            return
        self._last = self._read()
        begin = self.clock()
        mapped = mapped_bytes()
        self.seconds += self.clock() - begin
        least = {"owned_bytes": _MIN_BYTES, "items": _MIN_ITEMS}
        self._rows.append({"phase": phase, **self._last, **{
            kind: {owner: size for owner, size in self._last[kind].items() if size >= smallest}
            for kind, smallest in least.items()}, "mapped_bytes": mapped,
            "filled": {**self._last["filled"], **self.filled()}})
        if phase == "cleanup":
            if self._cleanups < _ALWAYS_AT_FIRST or self._cleanups % _THEN_EVERY == 0:
                self._due.update(LOOP_PHASES)
            self._cleanups += 1
            if self._cleanups == READ_AT_FIRST:
                self._begin, self._spent = self.clock(), self.seconds

    @contextmanager
    def phase(self, name: str, *, once: bool = False) -> Iterator[None]:
        """Reads before and after what is done inside, if this phase is due; once: it comes once in
        a run, and is due.
        """
        due = name in self._due if name in LOOP_PHASES else once or self._has_time()
        if not due:
            self._last = None
            yield
            return
        before = self._last or self._read()
        yield
        self._due.discard(name)
        self._last = self._read()
        self._rows.append({
            "phase": name, **{kind: own for kind, own in self._last.items() if kind not in _MAPS},
            "owned_total_bytes": sum(self._last["owned_bytes"].values()),
            "grown": grown(before, self._last)})

    def take_rows(self) -> list[Row]:
        """The rows since the last call. What happens after it belongs to no phase."""
        rows, self._rows, self._last = self._rows, [], None
        return rows

    def _has_time(self) -> bool:
        if self._cleanups < READ_AT_FIRST:
            return True
        return self.seconds - self._spent <= MAX_SHARE_OF_TIME * (self.clock() - self._begin)

    def _read(self) -> Row:
        begin = self.clock()
        row = reading(self.roots(), without=(self,))
        self.seconds += self.clock() - begin
        return row


def reading(roots: dict[str, object], without: tuple[object, ...] = ()) -> Row:
    """Memory of process, children and GPU, bytes and entries by owner, objects, files, threads.

    Args:
        roots: named objects that are walked, besides what the package's modules hold.
        without: things not to look into.
    """
    held = owned({**roots, **package_globals()}, without)
    counted = census()
    return {
        **process_row(), **heap_row(), **gpu_row(), **held._asdict(),
        "live": live_counts(), "objects": counted.kinds, "graph_tensors": counted.graph_tensors,
        "figures": max(counted.figures, live_counts().get("Figure", 0))}


def grown(before: Row, after: Row) -> dict[str, float]:
    """Differences between two readings by "kind:owner" (or "kind"): the largest of each kind, for
    one figure more says as much as a megabyte.
    """
    changes = {kind: (after[kind] or 0) - (before[kind] or 0) for kind in SINGLE}
    for kind in ("owned_bytes", "items", "live", "objects"):
        own = [(after[kind].get(owner, 0) - before[kind].get(owner, 0), f"{kind}:{owner}")
               for owner in before[kind].keys() | after[kind].keys()]
        largest = sorted((-abs(change), name, change) for change, name in own if change)
        changes |= {name: change for _, name, change in largest[:_MAX_GROWN]}
    return {name: change for name, change in changes.items() if change}
