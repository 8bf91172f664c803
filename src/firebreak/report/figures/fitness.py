"""Fitness of a population over generations, from the rows of an evolution."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from firebreak.report.figures.canvas import INK, QUIET, new_figure, percent_ticks, tidy

Row = Mapping[str, Any]
_BLUE, _ORANGE, _GREEN = "#1f6fb4", "#d95f02", "#1b9e77"


def fitness_figure(rows: Sequence[Row], *, caption: str) -> Figure:
    """Fitness of every member, their mean, and the best so far; below, how full the replay is.

    Args:
        rows: of kind "generation"; where a generation was repeated after a stop, the last counts.
    """
    by_generation = {row["generation"]: row for row in rows}
    kept = [by_generation[generation] for generation in sorted(by_generation)]
    with new_figure(9.0, 6.2, title="Evolution: fitness on validation fires",
                    caption=caption) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2.2, 1.0))
        generations = np.array([row["generation"] for row in kept])
        members = [np.sort(row["fitness"]) for row in kept]
        above.plot(np.repeat(generations, [len(each) for each in members]),
                   np.concatenate(members), ".", color=_BLUE, alpha=0.35, markersize=5,
                   label="members")
        above.plot(generations, [row["fitness_mean"] for row in kept], color=_BLUE, linewidth=1.6,
                   label="mean")
        above.plot(generations, [row["best_fitness"] for row in kept], color=_ORANGE,
                   linewidth=2.0, drawstyle="steps-post", label="best so far")
        above.set_ylabel("reduction of the expected loss")
        above.yaxis.set_major_formatter(percent_ticks())
        above.legend(loc="lower right", framealpha=0.9)
        below.plot(generations, [row["replay"] for row in kept], color=_GREEN, linewidth=1.6)
        ready = kept[-1]["learning_starts"]
        below.axhline(ready, color=INK, linestyle=(0, (4, 3)), linewidth=0.9)
        below.annotate("members learn from here on", xy=(0.995, ready), fontsize=8.5, va="bottom",
                       ha="right",
                       xycoords=below.get_yaxis_transform(), color=QUIET)
        below.set(ylabel="transitions held", xlabel="generation")
        below.set_ylim(bottom=0.0)
        for axes in (above, below):
            tidy(axes, margin=0.05)
        return figure
