"""Curves of a run and the comparison of methods: learning, reductions with intervals.

They are drawn from plain rows, as `train.metrics` reads them back from disk. Figures are returned
open; `canvas.save_figure` writes and closes them.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firebreak.report.figures.canvas import INK, QUIET, new_figure, percent_ticks, tidy
from firebreak.report.method_colours import colour_of

Row = Mapping[str, Any]
BLUE, ORANGE, _GREEN, _PURPLE = "#1f6fb4", "#d95f02", "#1b9e77", "#7570b3"
_LABEL_GAP = 0.055  # of the axes' height, so that labels of close lines do not overlap


def learning_curve_figure(progress_rows: Sequence[Row], validation_rows: Sequence[Row],
                          baselines: Mapping[str, float], *, caption: str) -> Figure:
    """Training return and validation over episodes beside baselines; below, loss and schedules.

    Args:
        progress_rows: of kind "progress".
        validation_rows: of kind "validation".
        baselines: relative reduction by method, drawn as level lines.
    """
    progress, validation = without_replayed(progress_rows), without_replayed(validation_rows)
    with new_figure(10.0, 7.2, title="Learning: reduction of the expected loss",
                    caption=caption) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.7, 1.0))
        episodes, returns = series_of(progress, "mean_return")
        above.plot(episodes, returns, color=BLUE, linewidth=1.3, alpha=0.8,
                   label="training, with exploration (mean of 50 episodes)")
        episodes, reduction = series_of(validation, "reduction")
        if validation:
            half = np.array([row["half_width"] for row in validation
                             if row["reduction"] is not None])
            above.fill_between(episodes, reduction - half, reduction + half, color=ORANGE,
                               alpha=0.22, linewidth=0.0)
            above.plot(episodes, reduction, color=ORANGE, marker="o", markersize=5, linewidth=1.8,
                       label="validation, greedy (band: 95 % interval)")
        above.axhline(0.0, color=QUIET, linewidth=0.6)
        above.yaxis.set_major_formatter(percent_ticks())
        above.set_ylabel("reduction of the expected loss")
        draw_baselines(above, baselines)
        above.legend(loc="lower right", frameon=True, framealpha=0.9)
        _draw_schedules(below, progress)
        for axes in (above, below):
            tidy(axes)
        below.spines["right"].set_visible(True)
        below.set_xlabel("episodes")
        return figure


def comparison_figure(methods: Mapping[str, Mapping[str, float]], *, caption: str) -> Figure:
    """Reduction of the expected loss by method with 95 % intervals, best on top.

    Args:
        methods: name -> {"reduction", "low", "high"}, relative to the untreated loss.
    """
    names = sorted(methods, key=lambda name: methods[name]["reduction"])
    with new_figure(9.0, 1.7 + 0.31 * len(names), caption=caption,
                    title="Reduction of the expected loss on test fires") as figure:
        axes = figure.subplots()
        for place, name in enumerate(names):
            entry = methods[name]
            colour = colour_of(name)
            axes.barh(place, entry["reduction"], height=0.62, color=colour, alpha=0.35)
            axes.plot([entry["low"], entry["high"]], [place, place], color=colour, linewidth=2.2,
                      marker="|", markersize=9)
            axes.plot(entry["reduction"], place, marker="o", color=colour, markersize=6)
            axes.text(max(entry["high"], entry["reduction"], 0.0), place,
                      f"   {entry['reduction']:.1%}  ({entry['low']:.1%} to {entry['high']:.1%})",
                      va="center", fontsize=9)
        axes.set_yticks(range(len(names)), names)
        low, high = axes.get_xlim()
        axes.set_xlim(low, high + 0.42 * (high - low))  # room for the numbers
        axes.axvline(0.0, color=QUIET, linewidth=0.8)
        axes.xaxis.set_major_formatter(percent_ticks())
        axes.set_xlabel("reduction of the expected loss, 95 % interval")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x", color="#e6e6e6")
        axes.set_axisbelow(True)
        return figure


def without_replayed(rows: Sequence[Row]) -> list[Row]:
    """Rows in order of episodes; a run that went on from a checkpoint replaces what it repeated."""
    kept: list[Row] = []
    for row in reversed(rows):
        if not kept or row["episodes"] <= kept[-1]["episodes"]:
            kept.append(row)
    return kept[::-1]


def spread_labels(heights: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Heights moved up as little as needed for neighbours to be at least `gap` apart."""
    placed = np.array(heights, np.float64)
    order = np.argsort(placed, kind="stable")
    for lower, upper in pairwise(order):
        placed[upper] = max(placed[upper], placed[lower] + gap)
    return placed


def series_of(rows: Sequence[Row],
              name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Episodes and a column of rows, those without a number left out."""
    pairs = [(row["episodes"], row[name]) for row in rows if row[name] is not None]
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def draw_baselines(axes: Axes, baselines: Mapping[str, float]) -> None:
    """Level lines, labelled outside on the right."""
    if not baselines:
        return
    low, high = axes.get_ylim()
    low, high = min(low, *baselines.values()), max(high, *baselines.values())
    high += 0.06 * (high - low)
    axes.set_ylim(low, high)
    values = np.array(list(baselines.values()))
    labels = spread_labels((values - low) / (high - low), _LABEL_GAP)
    for name, value, height in zip(baselines, values, labels, strict=True):
        axes.axhline(value, color=INK, linestyle=(0, (4, 3)), linewidth=0.9, alpha=0.7)
        axes.annotate(f"{name} {value:.1%}", xy=(1.0, value), xytext=(1.03, height),
                      xycoords=axes.get_yaxis_transform(), textcoords="axes fraction",
                      va="center", fontsize=8.5, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.6,
                                  "shrinkA": 0, "shrinkB": 0, "relpos": (0.0, 0.5)})


def _draw_schedules(axes: Axes, progress: Sequence[Row]) -> None:
    episodes, loss = series_of(progress, "loss")
    axes.plot(episodes, loss, color=_PURPLE, linewidth=1.2, label="loss")
    axes.set_ylabel("loss (Huber)", color=_PURPLE)
    axes.set_ylim(bottom=0.0)
    shares = axes.twinx()
    for name, colour in (("epsilon", _GREEN), ("discount", ORANGE)):
        shares.plot(*series_of(progress, name), color=colour, linewidth=1.4, label=name)
    shares.set(ylim=(0.0, 1.05), ylabel="epsilon, discount")
    shares.spines["top"].set_visible(False)
    handles = axes.get_legend_handles_labels()[0] + shares.get_legend_handles_labels()[0]
    shares.legend(handles=handles, loc="upper right", ncols=3, framealpha=0.9)
