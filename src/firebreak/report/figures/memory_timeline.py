"""The memory of a run over its episodes: resident memory with its trend, and who owns what."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firebreak.memory.trend import after_warm_up, trend
from firebreak.memory.verdict import Verdict, last_stretch
from firebreak.report.figures.canvas import INK, QUIET, new_figure, tidy

Row = Mapping[str, Any]

PHASE_COLOURS = {"collect": "#1f6fb4", "learn": "#7570b3", "evaluate": "#1b9e77",
                 "checkpoint": "#9c755f", "figure": "#edc948"}
_CLEANUP = "#d95f02"
_OWNERS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#edc948", "#9c755f", "#76b7b2", "#ff9da7")
_MB = 1e6


def memory_figure(rows: Sequence[Row], *, caption: str, verdict: Verdict | None = None) -> Figure:
    """Resident memory at each reading with the trend after the warm-up, and bytes by owner.

    Args:
        rows: of `memory.jsonl`; those of the last stretch without a stop are drawn.
        verdict: named in the title, with the worst growth.
    """
    rows = last_stretch(rows)
    full = [row for row in rows if "owned_bytes" in row]
    with new_figure(10.0, 7.2, title=_title(verdict), caption=caption) as figure:
        above, below = figure.subplots(2, 1, sharex=True)
        _draw_resident(above, rows)
        _draw_owners(below, full)
        for axes in (above, below):
            tidy(axes)
        return figure


def owned_by_part(rows: Sequence[Row]) -> tuple[list[str], NDArray[np.float64]]:
    """Parts of a run, largest first, and the bytes [parts, rows] they own at each full row."""
    totals = [_by_part(row["owned_bytes"]) for row in rows]
    names = {name for total in totals for name in total}
    ordered = sorted(names, key=lambda name: (-max(t.get(name, 0.0) for t in totals), name))
    return ordered, np.array([[total.get(name, 0.0) for total in totals] for name in ordered])


def _title(verdict: Verdict | None) -> str:
    if verdict is None:
        return "Memory of the run"
    worst = f": {verdict.growths[0].owner}" if verdict.growths else ""
    return f"Memory of the run: {verdict.state}{worst}"


def _draw_resident(axes: Axes, rows: Sequence[Row]) -> None:
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    for phase in phases:
        colour = PHASE_COLOURS.get(phase, _CLEANUP if phase == "cleanup" else QUIET)
        x, y = _resident([row for row in rows if row["phase"] == phase])
        axes.plot(x, y / _MB, linestyle="-" if phase == "cleanup" else "", marker="o",
                  markersize=3.0, linewidth=1.0, color=colour,
                  label=f"after {phase}" if phase in PHASE_COLOURS else phase)
    x, y = _resident([row for row in rows if row["phase"] == "cleanup"])
    late = after_warm_up(x)
    if late.sum() >= 3:
        found = trend(x[late], y[late])
        middle = np.median(y[late]) - found.slope * np.median(x[late])
        axes.plot(x[late], (middle + found.slope * x[late]) / _MB, color=INK, linewidth=1.2,
                  linestyle=(0, (4, 3)))
        axes.text(0.01, 0.97, f"{found.slope / 1e3:+.2f} kB per episode "
                  f"({found.low / 1e3:+.2f} to {found.high / 1e3:+.2f}) after the first third",
                  transform=axes.transAxes, va="top", fontsize=9)
    axes.set_ylabel("resident memory, MB")
    axes.set_ylim(0.0, 1.25 * max((row["rss_bytes"] for row in rows), default=_MB) / _MB)
    axes.legend(loc="lower right", ncols=4)


def _draw_owners(axes: Axes, full: Sequence[Row]) -> None:
    names, owned = owned_by_part(full)
    x = np.array([row["episodes"] for row in full], np.float64)
    n_drawn = len(_OWNERS)
    if len(names) > n_drawn:
        owned = np.vstack([owned[:n_drawn - 1], owned[n_drawn - 1:].sum(axis=0)])
        names = [*names[:n_drawn - 1], "others"]
    if names:
        labels = [f"{name}  {last / _MB:.1f} MB"
                  for name, last in zip(names, owned[:, -1], strict=True)]
        axes.stackplot(x, owned / _MB, labels=labels, colors=_OWNERS, alpha=0.9)
        axes.set_ylim(0.0, 1.25 * max(owned.sum(axis=0).max(), 1.0) / _MB)
    axes.set(ylabel="owned by arrays and tensors, MB", xlabel="episodes")
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.01, 0.5),
                    frameon=False, title=_live_words(full), alignment="left",
                    labelcolor=QUIET)


def _resident(rows: Sequence[Row]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return (np.array([row["episodes"] for row in rows], np.float64),
            np.array([row["rss_bytes"] for row in rows], np.float64))


def _by_part(owned: Mapping[str, int]) -> dict[str, float]:
    """Memory by the part of the trainer that owns it, or the part of the package."""
    total: dict[str, float] = {}
    for path, size in owned.items():
        own = path.removeprefix("trainer.").removeprefix("arenas[].")
        part = own.partition(".")[0].removesuffix("[]")
        total[part] = total.get(part, 0.0) + size
    return total


def _live_words(full: Sequence[Row]) -> str:
    live = full[-1].get("live", {}) if full else {}
    counted = "\n".join(f"  {kind} {count}" for kind, count in live.items() if count)
    return f"Live objects at the end\n{counted}\n\nOwned at the end" if counted else "Owned"
