"""A verdict in words: the table of phases, what grows, and what to do about it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from firebreak.memory.trend import Row, after_warm_up, trend
from firebreak.memory.verdict import NOT_JUDGED, TOO_SHORT, Growth, Verdict, last_stretch

_MB, _KB = 1e6, 1e3
_KINDS = {
    "owned_bytes": ("bytes", "arrays, tensors or texts are kept: bound the container, or keep "
                             "summaries"),
    "items": ("entries", "a container grows: give it a bound, or clear it with the episode"),
    "objects": ("objects", "objects outlive their episode: find who still refers to them"),
    "live": ("objects", "parts of a run are made again and again: reuse or close them"),
    "figures": ("figures", "figures are not closed: save them with "
                          "report.figures.canvas.save_figure"),
    "graph_tensors": ("tensors with a graph", "results keep their graph: detach them, or keep "
                                              ".item()"),
    "open_files": ("descriptors", "files, pipes or sockets are not closed: use `with`"),
    "threads": ("threads", "threads are started and not ended: join them"),
    "python_blocks": ("Python allocations", "Python objects pile up where no root leads to them"),
    "heap_bytes": ("bytes", "memory is kept where no root leads to it: a consumer of the run, a "
                            "closure, or native code"),
    "gpu_bytes": ("bytes on the GPU", "tensors on the GPU are kept: detach and move them"),
    "mapped_bytes": ("bytes", "the system gives native code memory of this sort: a library, "
                              "native code, or a consumer of the run keeps it"),
    "children_bytes": ("bytes", "processes that the run has started keep memory: workers hold "
                                "something from call to call"),
    "rss_bytes": ("bytes", "resident memory grows, and nothing that is owned does: a consumer of "
                           "the run, or native code"),
}


def describe_verdict(verdict: Verdict, rows: Sequence[Row]) -> str:
    """The table of phases, the growths, and the verdict as the last line."""
    return "\n".join([_phase_table(rows), "", *map(describe_growth, verdict.growths),
                      last_line(verdict)])


def describe_growth(growth: Growth) -> str:
    """One growth in one line: what, who, how fast, since when, in which phase, what to do."""
    unit, remedy = _KINDS[growth.kind]
    phase = f"in phase '{growth.phase}'" if growth.phase else "between the phases that are read"
    owner = growth.owner or "the process"
    return (f"{growth.state}: {owner} ({growth.kind}) gains {_number(growth.per_episode)} {unit} "
            f"per episode ({_number(growth.low)} to {_number(growth.high)}) since episode "
            f"{growth.first_episode:,}, {phase}; {remedy}")


def _phase_table(rows: Sequence[Row]) -> str:
    """Per phase: readings, resident memory and its growth against the baseline, its slope with the
    interval, and what one time of the phase adds to the C heap (median).
    """
    rows = last_stretch(rows)
    head = (f"{'phase':<12}{'readings':>9}{'MB':>9}{'+MB':>9}{'kB/episode':>12}"
            f"{'(95 %)':>20}{'heap kB/time':>14}")
    return "\n".join([head, *(_phase_line(phase, rows) for phase in
                              dict.fromkeys(row["phase"] for row in rows))])


def last_line(verdict: Verdict) -> str:
    """The verdict in one line."""
    run = f"{verdict.episodes:,} episodes, {verdict.env_steps:,} env steps"
    if verdict.state in (TOO_SHORT, NOT_JUDGED):
        return f"verdict: {verdict.state} ({verdict.reason}; {run})"
    judged = (f"resident memory {verdict.rss.slope / _KB:+.2f} kB per episode "
              f"({verdict.rss.low / _KB:+.2f} to {verdict.rss.high / _KB:+.2f}; by a block "
              f"bootstrap {verdict.rss_bootstrap[0] / _KB:+.2f} to "
              f"{verdict.rss_bootstrap[1] / _KB:+.2f}), as judged at most "
              f"{verdict.rss_most / _KB:+.2f}")
    if not verdict.rss_judged:
        judged = "resident memory is not judged"
    return f"verdict: {verdict.state} ({run}; {judged})"


def to_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain values; the slope is that of resident memory, bytes per episode."""
    return {
        "verdict": verdict.state, "slope_bytes_per_episode": verdict.rss.slope,
        "low": verdict.rss.low, "high": verdict.rss.high, "rss_judged": verdict.rss_judged,
        "judged_high": verdict.rss_most,
        "bootstrap_low": verdict.rss_bootstrap[0], "bootstrap_high": verdict.rss_bootstrap[1],
        "episodes": verdict.episodes, "env_steps": verdict.env_steps, "reason": verdict.reason,
        "owners": [growth._asdict() for growth in verdict.growths]}


def _phase_line(phase: str, rows: Sequence[Row]) -> str:
    own = [row for row in rows if row["phase"] == phase]
    x = np.array([row["episodes"] for row in own], np.float64)
    y = np.array([row["rss_bytes"] for row in own], np.float64)
    late = after_warm_up(x)
    slope = interval = "-"
    if late.sum() >= 3:
        found = trend(x[late], y[late])
        slope = f"{found.slope / _KB:+.2f}"
        interval = f"({found.low / _KB:+.2f} to {found.high / _KB:+.2f})"
    added = [row["grown"].get("heap_bytes", 0) for row in own if "grown" in row]
    heap = f"{np.median(added) / _KB:+.1f}" if added else "-"
    return (f"{phase:<12}{len(own):>9}{y[-1] / _MB:>9.1f}"
            f"{(y[-1] - rows[0]['rss_bytes']) / _MB:>+9.1f}{slope:>12}{interval:>20}{heap:>14}")


def _number(value: float) -> str:
    for size, unit in ((_MB, "M"), (_KB, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"
