"""From the rows of `memory.jsonl` to a verdict: ok, filling, leak, or too short for one.

What is exact (bytes and entries by owner, objects, figures, descriptors, threads) is judged in any
run with enough readings. Resident memory settles for a long time by itself, so it is judged from
20,000 env steps on. Growth that fades, or belongs to a buffer that is not yet full, is filling.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.memory.trend import NO_TREND, Trend, after_warm_up, bootstrapped, trend

Row = Mapping[str, Any]
State = Literal["ok", "filling", "leak", "too short for a verdict"]

STEPS_FOR_RSS = 20_000
READINGS_NEEDED = 12  # full readings, of which a third is warm-up
TOO_SHORT: State = "too short for a verdict"


class Limit(NamedTuple):
    """What growth of a kind must exceed to count: since the warm-up, and per episode."""

    grown: float
    per_episode: float


LIMITS = {
    "owned_bytes": Limit(20_000, 100), "items": Limit(32, 0.1), "objects": Limit(8, 0.02),
    "live": Limit(2, 0.0), "figures": Limit(2, 0.0), "graph_tensors": Limit(4, 0.02),
    "open_files": Limit(3, 0.0), "threads": Limit(2, 0.0), "children": Limit(2, 0.0),
    "python_blocks": Limit(2_000, 20),
    "heap_bytes": Limit(500_000, 4_000), "gpu_bytes": Limit(1_000_000, 4_000),
    "rss_bytes": Limit(4_000_000, 1_000),
}
_BY_OWNER = ("owned_bytes", "items", "objects", "live")
_NAMES = {"open_files": "file_kinds", "threads": "thread_kinds"}
_WORDS = {"figures": "figures", "graph_tensors": "tensors", "children": "child processes"}
_ANONYMOUS = ("heap_bytes", "python_blocks", "rss_bytes", "gpu_bytes")
"""Totals of the process: judged too, but an owner that grows explains them."""


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
    """state; rss: trend of resident memory in bytes per episode; rss_judged: whether the run is
    long enough for it; growths: what grows, leaks first; reason: why there is no verdict;
    rss_bootstrap: 95 % interval of resident memory's slope by a block bootstrap, to hold against
    that of `rss`.
    """

    state: State
    rss: Trend
    rss_judged: bool
    growths: list[Growth]
    episodes: int
    env_steps: int
    reason: str = ""
    rss_bootstrap: tuple[float, float] = (0.0, 0.0)


def judge(rows: Sequence[Row]) -> Verdict:
    """The verdict on the last stretch of a run that was made without a stop."""
    rows = last_stretch(rows)
    full = [row for row in rows if row["phase"] == "cleanup"]
    episodes = int(rows[-1]["episodes"]) if rows else 0
    steps = int(rows[-1]["env_steps"]) - int(rows[0]["env_steps"]) if rows else 0
    x = np.array([row["episodes"] for row in full], np.float64)
    resident = np.array([row["rss_bytes"] for row in full], np.float64)
    rss, late = _trend_of(x, resident), after_warm_up(x)
    rss_judged = steps >= STEPS_FOR_RSS
    if len(full) < READINGS_NEEDED:
        return Verdict(TOO_SHORT, rss, False, [], episodes, steps,
                       f"{len(full)} readings at cleanups, {READINGS_NEEDED} are needed")
    growths = sorted(_growths(rows, full, x, rss_judged),
                     key=lambda g: (g.state != "leak", g.kind in _ANONYMOUS))
    state: State = ("leak" if any(g.state == "leak" for g in growths)
                    else "filling" if growths else "ok")
    return Verdict(state, rss, rss_judged, growths, episodes, steps,
                   rss_bootstrap=bootstrapped(x[late], resident[late]))


def last_stretch(rows: Sequence[Row]) -> list[Row]:
    """Rows from the last start on: a resumed run is another process, with memory of its own."""
    starts = [i for i, row in enumerate(rows) if row["phase"] == "baseline"]
    return list(rows[starts[-1]:] if starts else rows)


def _growths(rows: Sequence[Row], full: Sequence[Row], x: NDArray[np.float64],
             rss_judged: bool) -> Iterator[Growth]:
    filling = tuple(f"{path}." for path, share in full[-1].get("filled", {}).items()
                    if share < 1.0)
    for kind, limit in LIMITS.items():
        if kind == "rss_bytes" and not rss_judged:
            continue
        for owner, y in _series(full, kind):
            if kind in ("rss_bytes", "heap_bytes"):
                y = y - _bytes_of(filling, full)
            found = _trend_of(x, y)
            if found.low > limit.per_episode and found.grown >= limit.grown:
                fills = not found.going_on or f"{owner}.".startswith(filling)
                state: State = "filling" if fills else "leak"
                yield Growth(_named(owner, kind, full), kind, state, _phase(rows, kind, owner),
                             found.slope, found.low, found.high, found.grown, _first(x, y))


def _series(full: Sequence[Row], kind: str) -> Iterator[tuple[str, NDArray[np.float64]]]:
    if kind not in _BY_OWNER:
        values = [row.get(kind) for row in full]
        if None not in values:
            yield "", np.array(values, np.float64)
        return
    for owner in sorted({owner for row in full for owner in row[kind]}):
        yield owner, np.array([row[kind].get(owner, 0) for row in full], np.float64)


def _bytes_of(filling: tuple[str, ...], full: Sequence[Row]) -> NDArray[np.float64]:
    """Bytes of the buffers that are not yet full, at each reading."""
    return np.array([sum(size for owner, size in row["owned_bytes"].items()
                         if f"{owner}.".startswith(filling)) for row in full], np.float64)


def _trend_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> Trend:
    late = after_warm_up(x)
    return trend(x[late], y[late]) if x.size else NO_TREND


def _named(owner: str, kind: str, full: Sequence[Row]) -> str:
    """The owner; of descriptors and threads the sort whose number grew most."""
    if owner or kind in _WORDS:
        return owner or _WORDS[kind]
    before, after = full[0].get(_NAMES.get(kind, ""), {}), full[-1].get(_NAMES.get(kind, ""), {})
    risen = {name: count - before.get(name, 0) for name, count in after.items()}
    most = max(risen, key=lambda name: risen[name], default="")
    return most if most and risen[most] > 0 else "the process"


def _phase(rows: Sequence[Row], kind: str, owner: str) -> str:
    """The phase that adds to it whenever it is read: the largest median, if any is above 0."""
    name = f"{kind}:{owner}" if owner else kind
    added: dict[str, list[float]] = {}
    for row in rows:
        if "grown" in row:
            added.setdefault(row["phase"], []).append(row["grown"].get(name, 0.0))
    medians = {phase: float(np.median(values)) for phase, values in added.items()}
    best = max(medians, key=lambda phase: medians[phase], default="")
    return best if best and medians[best] > 0 else _mean_phase(added)


def _mean_phase(added: Mapping[str, Sequence[float]]) -> str:
    """Where no phase adds to it every time: the one that added most in all."""
    sums = {phase: sum(values) for phase, values in added.items()}
    best = max(sums, key=lambda phase: sums[phase], default="")
    return best if best and sums[best] > 0 else ""


def _first(x: NDArray[np.float64], y: NDArray[np.float64]) -> int:
    """The first episode from which on the quantity stays above what it was at the first reading."""
    below = np.flatnonzero(y <= y[0])
    return int(x[min(below[-1] + 1, x.size - 1)])
