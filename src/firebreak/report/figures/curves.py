"""Curves of runs, and the comparison of methods with their intervals.

They are drawn from plain rows, as `train.metrics` reads them back from disk. Figures are returned
open; `canvas.save_figure` writes and closes them.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.report.figures.canvas import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    QUIET,
    colour_of,
    new_figure,
    percent_ticks,
    plain,
    tidy,
)

Row = Mapping[str, Any]
Series = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Episodes, ascending, and values."""
_LABEL_GAP = 0.055  # of the axes' height, so that labels of close lines do not overlap


class CommonCurves(NamedTuple):
    """Curves of R runs at the same n episodes: f64 [n], and f64 [R, n]."""

    episodes: NDArray[np.float64]
    values: NDArray[np.float64]


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
        for twin, colour, words in (
                ("", ORANGE, "validation, greedy (band: 95 % interval)"),
                ("twin_", GREEN, "its twin at discount 0, from the same batches")):
            known = [row for row in validation if row.get(f"{twin}reduction") is not None]
            if known:
                episodes, reduction = series_of(known, f"{twin}reduction")
                half = np.array([row[f"{twin}half_width"] for row in known])
                above.fill_between(episodes, reduction - half, reduction + half, color=colour,
                                   alpha=0.22, linewidth=0.0)
                above.plot(episodes, reduction, color=colour, marker="o", markersize=5,
                           linewidth=1.8, label=words)
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


def runs_figure(runs: Mapping[str, Sequence[Row]], baselines: Mapping[str, float], *,
                caption: str) -> Figure:
    """Validation and training return over episodes: median and range of the runs, each of them as a
    thin line, and baselines as level lines.

    Args:
        runs: by name the rows of a run's metrics, two runs or more.
        baselines: relative reduction by method.

    Raises:
        InputError: a run without validation, or runs that share no episodes.
    """
    count = len(runs)
    with new_figure(10.0, 7.6, caption=caption,
                    title=f"Learning: reduction of the expected loss, {count} runs") as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1.0))
        for axes, kind, column, colour, words in (
                (above, "validation", "reduction", ORANGE, "validation, greedy"),
                (below, "progress", "mean_return", BLUE,
                 "training, with exploration (mean of 50 episodes)")):
            found = {name: series_of(without_replayed([row for row in rows
                                                       if row.get("kind") == kind]), column)
                     for name, rows in runs.items()}
            _draw_runs(axes, common_curves(found, kind), colour, words)
        for axes in (above, below):
            axes.axhline(0.0, color=QUIET, linewidth=0.6)
        draw_baselines(above, baselines)
        above.legend(loc="lower right", framealpha=0.9)
        below.legend(loc="lower right", framealpha=0.9)
        for axes in (above, below):
            axes.yaxis.set_major_formatter(percent_ticks())
            axes.set_ylabel("reduction of the expected loss")
            tidy(axes)
        below.set_xlabel("episodes")
        return figure


def _draw_runs(axes: Axes, curves: CommonCurves, colour: str, words: str) -> None:
    for own in curves.values:
        axes.plot(curves.episodes, own, color=colour, linewidth=0.7, alpha=0.45)
    axes.fill_between(curves.episodes, curves.values.min(axis=0), curves.values.max(axis=0),
                      color=colour, alpha=0.18, linewidth=0.0, label="lowest to highest run")
    axes.plot(curves.episodes, np.median(curves.values, axis=0), color=colour, linewidth=2.2,
              label=f"{words}: median of the runs")


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
        plain(axes, "x")
        return figure


def without_replayed(rows: Sequence[Row]) -> list[Row]:
    """Rows in order of episodes; a run that went on from a checkpoint replaces what it repeated."""
    kept: list[Row] = []
    for row in reversed(rows):
        if not kept or row["episodes"] <= kept[-1]["episodes"]:
            kept.append(row)
    return kept[::-1]


def common_curves(series: Mapping[str, Series], kind: str) -> CommonCurves:
    """Curves at all episodes of any of them that all of them reach, read off between their points.

    Args:
        series: by run, episodes ascending and values.
        kind: of the rows, for the error.

    Raises:
        InputError: a run without rows, or no two episodes that all runs reach.
    """
    for name, (episodes, _) in series.items():
        if not episodes.size:
            raise fail(expected=f"rows of kind {kind}", given="none", where=f"run {name}",
                       remedy="leave this run out, or resume it")
    first = max(float(episodes[0]) for episodes, _ in series.values())
    last = min(float(episodes[-1]) for episodes, _ in series.values())
    grid = np.unique(np.concatenate([episodes for episodes, _ in series.values()]))
    grid = grid[(grid >= first) & (grid <= last)]
    if grid.size < 2:
        raise fail(expected=f"runs whose {kind} has two episodes in common",
                   given=f"{grid.size}", where=", ".join(series),
                   remedy="draw runs of similar length together")
    return CommonCurves(grid, np.stack([np.interp(grid, episodes, values)
                                    for episodes, values in series.values()]))


def spread_labels(heights: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Heights moved up as little as needed for neighbours to be at least `gap` apart."""
    placed = np.array(heights, np.float64)
    order = np.argsort(placed, kind="stable")
    for lower, upper in pairwise(order):
        placed[upper] = max(placed[upper], placed[lower] + gap)
    return placed


def series_of(rows: Sequence[Row], name: str) -> Series:
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
    axes.plot(episodes, loss, color=PURPLE, linewidth=1.2, label="loss")
    axes.set_ylabel("loss (Huber)", color=PURPLE)
    axes.set_ylim(bottom=0.0)
    shares = axes.twinx()
    for name, colour in (("epsilon", GREEN), ("discount", ORANGE)):
        shares.plot(*series_of(progress, name), color=colour, linewidth=1.4, label=name)
    shares.set(ylim=(0.0, 1.05), ylabel="epsilon, discount")
    shares.spines["top"].set_visible(False)
    handles = axes.get_legend_handles_labels()[0] + shares.get_legend_handles_labels()[0]
    shares.legend(handles=handles, loc="upper right", ncols=3, framealpha=0.9)
