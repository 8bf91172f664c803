"""Verdict on the rows of `memory.jsonl`: ok, filling, leak, not judged, or too short.

What is exact (bytes and entries by owner, objects, figures, descriptors, threads) is judged in any
run with enough readings. Resident memory is judged besides (`memory.trend`); where it is not,
nothing is called ok. Growth that fades, or belongs to a buffer that is not yet full, is filling.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.memory.process import HEAP
from firebreak.memory.trend import (
    Limit,
    Resident,
    Row,
    Series,
    Trend,
    after_warm_up,
    read_resident,
    trend,
)

State = Literal["ok", "filling", "leak", "not judged", "too short for a verdict"]

READINGS_NEEDED = 12  # full readings, of which a third is warm-up
TOO_SHORT: State = "too short for a verdict"
NOT_JUDGED: State = "not judged"

LIMITS = {
    "owned_bytes": Limit(20_000, 100), "items": Limit(32, 0.1), "objects": Limit(8, 0.02),
    "live": Limit(2, 0.0), "figures": Limit(2, 0.0), "graph_tensors": Limit(4, 0.02),
    "open_files": Limit(3, 0.0), "threads": Limit(2, 0.0), "children": Limit(2, 0.0),
    "python_blocks": Limit(2_000, 20),
    "heap_bytes": Limit(500_000, 4_000), "gpu_bytes": Limit(1_000_000, 4_000),
}
"""Limits of what is exact. Those of resident memory are in `memory.trend`."""
_BY_OWNER = ("owned_bytes", "items", "objects", "live")
_NAMES = {"open_files": "file_kinds", "threads": "thread_kinds"}
_WORDS = {"figures": "figures", "graph_tensors": "tensors", "children": "child processes",
          "children_bytes": "child processes"}
_TOTALS = ("heap_bytes", "python_blocks", "mapped_bytes", "children_bytes", "rss_bytes",
           "gpu_bytes")
"""Kinds of the whole process: judged too, but an owner that grows explains them."""


class Growth(NamedTuple):
    """Something that grows. phase: in which the run adds to it ("" if in none that was read);
    first_episode: when it first passed what it had been until then, for good.
    """

    owner: str
    kind: str
    state: State
    phase: str
    per_episode: float
    low: float
    high: float
    grown: float
    first_episode: int


class Verdict(NamedTuple):
    """state; rss: trend of resident memory in bytes per episode; rss_judged: whether it was judged;
    growths: what grows, leaks first; episodes, env_steps: of the stretch that is judged; reason:
    why there is no verdict; rss_bootstrap: 95 % interval of resident memory's slope by a block
    bootstrap, to compare with that of `rss`; rss_most: the rate that nothing judged in it exceeds,
    bytes per episode.
    """

    state: State
    rss: Trend
    rss_judged: bool
    growths: list[Growth]
    episodes: int
    env_steps: int
    reason: str = ""
    rss_bootstrap: tuple[float, float] = (0.0, 0.0)
    rss_most: float = 0.0


def judge(rows: Sequence[Row]) -> Verdict:
    """The verdict on the last stretch of a run that was made without a stop."""
    rows = last_stretch(rows)
    full = [row for row in rows if row["phase"] == "cleanup"]
    episodes, steps = (int(rows[-1][name]) - int(rows[0][name]) if rows else 0
                       for name in ("episodes", "env_steps"))
    resident = read_resident(full, steps, _known_bytes(full))
    if len(full) < READINGS_NEEDED:
        return Verdict(TOO_SHORT, resident.total, False, [], episodes, steps,
                       f"{len(full)} readings at cleanups, {READINGS_NEEDED} are needed")
    growths = sorted([*_growths(rows, full), *_native_growths(rows, full, resident)],
                     key=lambda g: (g.state != "leak", g.kind in _TOTALS))
    judged = not resident.unsure or any(
        g.state == "leak" and g.kind in ("mapped_bytes", "rss_bytes") for g in growths)
    if any(g.state == "leak" for g in growths):
        state: State = "leak"
    elif not judged:
        state = NOT_JUDGED
    else:
        state = "filling" if growths else "ok"
    return Verdict(state, resident.total, judged, growths, episodes, steps,
                   resident.unsure if state == NOT_JUDGED else "", resident.bootstrap,
                   resident.most)


def last_stretch(rows: Sequence[Row]) -> list[Row]:
    """Rows from the last start on: a resumed run is another process, with memory of its own."""
    starts = [i for i, row in enumerate(rows) if row["phase"] == "baseline"]
    return list(rows[starts[-1]:] if starts else rows)


def _growths(rows: Sequence[Row], full: Sequence[Row]) -> Iterator[Growth]:
    """Growths of what is exact, by owner."""
    full_since = _full_since(full)
    for kind, limit in LIMITS.items():
        for owner, y in _series(full, kind):
            # A path leads to the owner, or to a container that holds it.
            since = max((n for path, n in full_since.items()
                         if owner == path or owner.startswith((f"{path}.", f"{path}["))), default=0)
            fills = len(full) - since < READINGS_NEEDED // 2
            yield from _growth(rows, full, (kind, owner, y), limit, 0 if fills else since, fills)


def _native_growths(rows: Sequence[Row], full: Sequence[Row],
                    resident: Resident) -> Iterator[Growth]:
    """Growths of resident memory; of all of it only where no sort of mapping grows."""
    found = False
    for series in resident.series:
        if series[0] == "rss_bytes" and found:
            return
        for growth in _growth(rows, full, series, resident.limit):
            found |= series[0] == "mapped_bytes"
            yield growth


def _growth(rows: Sequence[Row], full: Sequence[Row], series: Series, limit: Limit,
            since: int = 0, fills: bool = False) -> Iterator[Growth]:
    """The growth of a series, if there is any.

    Args:
        since: the reading from which on it counts.
        fills: it belongs to a buffer that is not yet full.
    """
    kind, owner, y = series
    x = np.array([row["episodes"] for row in full], np.float64)
    late = after_warm_up(x)
    late[:since] = False
    found = trend(x[late], y[late])
    if limit.exceeded_by(trend(x[late], y[late], one_of_many=kind in _BY_OWNER)):
        state: State = "filling" if fills or not found.going_on else "leak"
        yield Growth(_named(owner, kind, full), kind, state, _phase(rows, kind, owner),
                     found.slope, found.low, found.high, found.grown, _first(x, y))


def _series(full: Sequence[Row], kind: str) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Values at each reading by owner. What lies in bounded containers is no growth of Python's
    allocations, of the C heap, and of the objects of a class.
    """
    if kind not in _BY_OWNER:
        values = [row.get(kind) for row in full]
        if None not in values:
            y = np.array(values, np.float64)
            if kind == "heap_bytes":
                y -= _known_bytes(full)
            if kind == "python_blocks":
                y -= np.array([row.get("bounded_blocks", 0) for row in full], np.float64)
            yield "", y
        return
    for owner in sorted({owner for row in full for owner in row[kind]}):
        y = np.array([row[kind].get(owner, 0) for row in full], np.float64)
        if kind == "objects":
            y -= np.array([row.get("bounded_objects", {}).get(owner, 0) for row in full])
        yield owner, y


def _full_since(full: Sequence[Row]) -> dict[str, int]:
    """First reading from which on a buffer was full, by its path, where it was not at some
    reading.
    """
    return {path: 1 + max(n for n, row in enumerate(full)
                          if row.get("filled", {}).get(path, 1.0) < 1.0)
            for path in {path for row in full for path, share in row.get("filled", {}).items()
                         if share < 1.0}}


def _known_bytes(full: Sequence[Row]) -> NDArray[np.float64]:
    """Bytes of buffers that were not full at some reading, and of what lies in bounded containers,
    at each reading.
    """
    paths = tuple(_full_since(full))
    prefixes = tuple(f"{path}{end}" for path in paths for end in ".[")
    return np.array([row.get("bounded_bytes", 0) + sum(
        size for owner, size in row["owned_bytes"].items() if f"{owner}.".startswith(prefixes))
        for row in full], np.float64)


def _named(owner: str, kind: str, full: Sequence[Row]) -> str:
    """The owner; of descriptors and threads the sort whose number grew most."""
    if owner or kind in _WORDS:
        return owner or _WORDS[kind]
    before, after = full[0].get(_NAMES.get(kind, ""), {}), full[-1].get(_NAMES.get(kind, ""), {})
    risen = {name: count - before.get(name, 0) for name, count in after.items()}
    most = max(risen, key=lambda name: risen[name], default="")
    return most if most and risen[most] > 0 else "the process"


def _phase(rows: Sequence[Row], kind: str, owner: str) -> str:
    """The phase that adds to it whenever it is read: the largest median, if any is above 0. Sorts
    of mappings are not read in phases, but the C heap and all of resident memory are.
    """
    name = f"{kind}:{owner}" if owner else kind
    if kind == "mapped_bytes":
        name = "heap_bytes" if owner == HEAP else "rss_bytes"
    added: dict[str, list[float]] = {}
    for row in rows:
        if "grown" in row:
            added.setdefault(row["phase"], []).append(row["grown"].get(name, 0.0))
    for measure in (np.median, np.sum):  # where none adds to it every time, most in all
        total = {phase: float(measure(values)) for phase, values in added.items()}
        best = max(total, key=total.__getitem__, default="")
        if best and total[best] > 0:
            return best
    return ""


def _first(x: NDArray[np.float64], y: NDArray[np.float64]) -> int:
    """The first episode from which on the quantity stays above what it was at the first reading."""
    below = np.flatnonzero(y <= y[0])
    return int(x[min(below[-1] + 1, x.size - 1)])
