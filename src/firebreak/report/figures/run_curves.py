"""Learning curves of several runs in one figure: the median, the range and each run beside it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.report.figures.canvas import QUIET, new_figure, percent_ticks, tidy
from firebreak.report.figures.curves import (
    BLUE,
    ORANGE,
    Row,
    draw_baselines,
    series_of,
    without_replayed,
)

Series = tuple[NDArray[np.float64], NDArray[np.float64]]


class Together(NamedTuple):
    """Curves of R runs at the same n episodes: f64 [n], and f64 [R, n]."""

    episodes: NDArray[np.float64]
    values: NDArray[np.float64]


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
            _draw(axes, together(found, kind), colour, words)
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


def together(series: Mapping[str, Series], kind: str) -> Together:
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
    return Together(grid, np.stack([np.interp(grid, episodes, values)
                                    for episodes, values in series.values()]))


def _draw(axes: Axes, curves: Together, colour: str, words: str) -> None:
    for own in curves.values:
        axes.plot(curves.episodes, own, color=colour, linewidth=0.7, alpha=0.45)
    axes.fill_between(curves.episodes, curves.values.min(axis=0), curves.values.max(axis=0),
                      color=colour, alpha=0.18, linewidth=0.0, label="lowest to highest run")
    axes.plot(curves.episodes, np.median(curves.values, axis=0), color=colour, linewidth=2.2,
              label=f"{words}: median of the runs")
