"""Figures of a plan and of what it changes: segments in build order, exceedance, budget, weather.

Every function returns an open figure; `canvas.save_figure` writes and closes it.
"""

from collections.abc import Mapping, Sequence
from itertools import cycle
from types import MappingProxyType
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from firebreak.fire import effective_number
from firebreak.landscape.candidates.corridor import Corridor, centre_lines
from firebreak.landscape.formats.qgis_styles import by_rank
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.plan import one_of
from firebreak.planning.evaluation.effect import (
    PlanEffect,
    chance_of,
    exceedance,
    marginal_benefit,
    reductions,
    risk,
)
from firebreak.planning.output.segment_layers import ALTERNATIVE_COLOURS, RANK_COLOURS
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import (
    INK,
    QUIET,
    colour_of,
    new_figure,
    percent_ticks,
    plain,
)
from firebreak.report.figures.coordinates import Whole, can_locate, draw_locators
from firebreak.report.figures.maps import (
    DIM,
    draw_ground,
    draw_scale,
    map_size,
    new_map,
    order_colours,
)
from firebreak.report.words import amount, span, weathers_in_words

BEFORE, AFTER = "#d95f02", "#1f6fb4"
MOST_LABELS, LABEL_GAP = 30, 0.045
"""Segments numbered on a map; those nearer than this share of its side to a better one are not."""
MOST_STEPS = 12
"""Segments up to which each has a colour of its own on the scale, not that of a class."""
ENOUGH = 0.9
"""Share of the whole saving that is marked on the curve over the budget."""
COLUMNS = (1.13, 1.24, 1.35)
"""Right ends of the columns of numbers beside the axes of weathers, in widths of the axes."""
_OUTLINES = ("#00b5e2", "#7b3294", "#008837")
_BELOW_MAP_IN = 0.2
_DASHES = ((0, (4, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1)), (0, (8, 3)), "-")


def segments_figure(landscape: Landscape, segments: Sequence[Corridor], *, title: str,
                    caption: str, years: Sequence[int] | None = None,
                    outlines: Mapping[str, NDArray[np.int64]] = MappingProxyType({}),
                    whole: Whole | None = None,
                    alternatives: Mapping[str, Sequence[Corridor]] = MappingProxyType({}),
                    ) -> Figure:
    """The segments of a plan over dimmed fuels, numbered and coloured in the order to build them,
    or coloured by year.

    Args:
        outlines: by name flat cells to outline, such as those that the plan had to have.
        whole: the map that this one is a part of, to show where it lies.
        alternatives: by name the corridors of other plans, drawn as dashed centre lines.
    """
    with new_map(landscape, 4.1, 1.4, title=title, caption=caption) as figure:
        axes, legend = _map_and_legend(figure, landscape, whole)
        handles = draw_ground(axes, landscape) + carto.draw_places(axes, landscape)
        if segments:
            handles += (_draw_order(axes, landscape, segments) if years is None else
                        _draw_years(axes, landscape, segments, years))
            _draw_ranks(axes, landscape, segments)
        for (name, cells), colour in zip(outlines.items(), _OUTLINES, strict=False):
            if cells.size:
                mask = np.zeros(landscape.shape, np.bool_)
                mask.ravel()[cells] = True
                carto.draw_outline(axes, mask, colour)
                handles.append(Line2D([], [], color=colour, linewidth=1.8, label=name))
        for (name, parts), colour in zip(alternatives.items(), ALTERNATIVE_COLOURS, strict=False):
            lines = [line[:, ::-1] for own in centre_lines(parts, landscape.shape[1])
                     for line in own]
            axes.add_collection(LineCollection(lines, colors=colour, linewidths=1.4, zorder=3.6,
                                               linestyles=_DASHES[0]))
            handles.append(Line2D([], [], color=colour, linewidth=1.4, linestyle=_DASHES[0],
                                  label=name))
        carto.draw_legends(legend, landscape, handles, DIM)
        return figure


def _map_and_legend(figure: Figure, landscape: Landscape,
                    whole: Whole | None) -> tuple[Axes, Axes]:
    """Axes of a map and of its legend, with a map below of where it lies if that is known."""
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(h_pad=_BELOW_MAP_IN)  # for the scale bar
    grid = figure.add_gridspec(2, 2, width_ratios=(map_size(landscape)[0], 2.6),
                               height_ratios=(3.1, 1.0))
    axes = figure.add_subplot(grid[:, 0])
    if not can_locate(landscape, whole):
        return axes, figure.add_subplot(grid[:, 1])
    draw_locators(figure.add_subplot(grid[1, 1]), landscape, whole)
    return axes, figure.add_subplot(grid[0, 1])


def _draw_order(axes: Axes, landscape: Landscape,
                segments: Sequence[Corridor]) -> list[Artist]:
    """Segments coloured by order, many of them by class; returns the handles of a legend."""
    count = len(segments)
    if count > MOST_STEPS:
        classes = by_rank("", count, RANK_COLOURS).classes
        words = [next(f"build order {words}" for _, high, _, words in classes if rank < high)
                 for rank in range(1, count + 1)]
        return _draw_classes(axes, landscape, segments, words, {
            f"build order {words}": colour for _, _, colour, words in classes})
    ranks = np.repeat(np.arange(1.0, count + 1.0), [one.cells.size for one in segments])
    marks = carto.draw_breaks(axes, landscape, np.concatenate([one.cells for one in segments]),
                              (ranks, order_colours().resampled(count)))
    marks.set_clim(0.5, count + 0.5)
    draw_scale(axes, marks, "build order (1 = first)")
    return []


def exceedance_figure(effect: PlanEffect, unit: str, *, caption: str) -> Figure:
    """The chance of a greater loss, with and without the plan, 95 % bands, mean and worst tenth."""
    numbers = risk(effect)
    with new_figure(9.0, 5.4, title="Losses of fires without and with the plan",
                    caption=caption) as figure:
        axes = figure.subplots()
        for losses, name, words, colour, dash in (
                (effect.loss[0], "before", "without breaks", BEFORE, "--"),
                (effect.loss[-1], "after", "with the plan", AFTER, "-")):
            x, chance = exceedance(losses, effect.times)
            x, chance = np.append([0.0], x), np.append([1.0], chance)
            low, high = _wilson(chance, effective_number(effect.times))
            # Between two losses that happened, the chance of at least so much is that of the next.
            axes.fill_between(x, low, high, step="pre", color=colour, alpha=0.18, linewidth=0)
            mean, tail = numbers[f"mean_loss_{name}"], numbers[f"cvar90_{name}"]
            axes.step(x, chance, where="pre", color=colour, linestyle=dash, linewidth=2.0,
                      label=f"{words}: mean {span(mean)}, worst tenth {span(tail)}")
            for one, mark in ((mean.mean, "o"), (tail.mean, "D")):
                axes.plot([one], [chance_of(losses, effect.times, one)], mark, color=colour,
                          zorder=3)
        most = float((effect.loss[[0, -1]] / effect.times).max())
        axes.set(xlabel=f"loss of a fire, {unit}", ylabel="probability of at least this loss",
                 ylim=(0.0, 1.0), xlim=(0.0, 1.01 * most))
        axes.yaxis.set_major_formatter(percent_ticks())
        handles = axes.get_legend_handles_labels()[0]
        axes.legend(handles=[*handles,
                             Line2D([], [], marker="o", linestyle="", color=QUIET,
                                    label="mean of all fires"),
                             Line2D([], [], marker="D", linestyle="", color=QUIET,
                                    label="mean of the worst tenth"),
                             Patch(color=QUIET, alpha=0.25, label="95 % interval")],
                    loc="upper right", frameon=False)
        plain(axes)
        return figure


def budget_figure(effect: PlanEffect, cost_unit: str,
                  others: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]], *,
                  loss_unit: str, caption: str, method: str = "") -> Figure:
    """The saving over the cost in build order, with a 95 % band, beside other methods; below, the
    saving that each segment adds per unit of cost.

    Args:
        others: by method its costs and the shares that it saves, ascending.
        method: that made the plan, for its colour.
    """
    own = colour_of(method) if method else AFTER
    saved = reductions(effect)
    stop = stopping_point(effect)
    with new_figure(9.0, 5.8, title="Where to stop: what each further step adds",
                    caption=caption) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.7, 1.0))
        means, lows, highs = np.array(saved).T
        above.fill_between(effect.cost, lows, highs, color=own, alpha=0.18, linewidth=0)
        above.plot(effect.cost, means, color=own, linewidth=2.2, marker="o", markersize=3.5,
                   label=f"this plan{f' ({method})' if method else ''}, in build order "
                         "(95 % band)")
        for (name, (cost, share)), dash in zip(others.items(), cycle(_DASHES)):
            above.plot(cost, share, color=colour_of(name), linestyle=dash, linewidth=1.4,
                       label=f"{name}, in its own order")
        if stop and means[-1] > 0.0:
            for axes in (above, below):
                axes.axvline(effect.cost[stop], color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
            spent = f"{amount(float(effect.cost[stop]))} {cost_unit}"
            left = effect.cost[stop] > 0.5 * effect.cost[-1]  # where there is room for the words
            # Below, where no curve of another method runs, and bars are low by then.
            below.annotate(f"{ENOUGH:.0%} of the reduction\nfor {spent}",
                           (effect.cost[stop], 0.95), xycoords=below.get_xaxis_transform(),
                           xytext=(-6 if left else 6, 0), textcoords="offset points", fontsize=9,
                           ha="right" if left else "left", va="top", zorder=3,
                           path_effects=[withStroke(linewidth=2.5, foreground="white")])
        above.yaxis.set_major_formatter(percent_ticks())
        above.set_ylabel("reduction of the expected loss")
        above.legend(loc="upper left", frameon=False)
        drawn = np.concatenate([lows, highs, *(share for _, share in others.values())])
        bottom, top = min(0.0, float(drawn.min())), max(float(drawn.max()), 1e-3)
        # Above the curves there is room for a line of the legend for each of them.
        above.set_ylim(bottom - 0.03 * (top - bottom) * (bottom < 0.0),
                       top + (0.12 + 0.09 * (1 + len(others))) * (top - bottom))
        per_cost = marginal_benefit(effect) / np.diff(effect.cost)
        below.stairs(per_cost, effect.cost, fill=True, color=own, alpha=0.55)
        below.axhline(0.0, color=QUIET, linewidth=0.6)
        below.set(ylabel=f"loss reduction, {loss_unit},\nper {one_of(cost_unit)}",
                  xlabel=f"spent, {cost_unit}")
        for axes in (above, below):
            plain(axes)
        return figure


def weather_figure(lines: Sequence[Mapping[str, Any]], loss_unit: str, *,
                   caption: str) -> Figure:
    """The reduction in each weather with its 95 % interval, the worst weather on top."""
    ordered = sorted(lines, key=lambda line: line["mean_loss_before"])
    with new_figure(9.0, 1.9 + 0.27 * len(ordered), caption=caption,
                    title="Reduction of the mean loss in each weather") as figure:
        axes = figure.subplots()
        most = max((line["mean_loss_before"] for line in ordered), default=0.0)
        decimals = 0 if most >= 100.0 else 1 if most >= 10.0 else 2
        for place, line in enumerate(ordered):
            if line["low"] is not None:
                axes.plot([line["low"], line["high"]], [place, place], color=AFTER, linewidth=2.2,
                          marker="|", markersize=9)
            axes.plot([line["reduction"]], [place], "o", color=AFTER)
            for across, words in zip(COLUMNS, (f"{line['mean_loss_before']:,.{decimals}f}",
                                               f"{line['mean_loss_after']:,.{decimals}f}",
                                               f"{line['fires']:,}"), strict=True):
                axes.text(across, place, words, transform=axes.get_yaxis_transform(), ha="right",
                          va="center", fontsize=9)
        for across, words in zip(COLUMNS, ("without", "with", "fires"), strict=True):
            axes.text(across, 1.0, words, transform=axes.transAxes, ha="right", va="bottom",
                      fontsize=9, color=QUIET)
        axes.annotate(f"mean loss, {loss_unit}", (COLUMNS[1], 1.0), xycoords="axes fraction",
                      xytext=(0, 12), textcoords="offset points", ha="right", va="bottom",
                      fontsize=9, color=QUIET)
        axes.set_ylim(-0.6, len(ordered) - 0.4)  # around one weather there would be next to nothing
        axes.set_yticks(range(len(ordered)), weathers_in_words(ordered))
        axes.axvline(0.0, color=QUIET, linewidth=0.8)
        axes.xaxis.set_major_formatter(percent_ticks())
        axes.set_xlabel("reduction of the mean loss, 95 % interval")
        plain(axes, "x")
        return figure


def stopping_point(effect: PlanEffect) -> int:
    """The fewest segments, in build order, that save ENOUGH of what all of them save."""
    saved = effect.loss[0].mean() - effect.loss.mean(axis=1)
    return int(np.argmax(saved >= ENOUGH * saved[-1]))


def _draw_ranks(axes: Axes, landscape: Landscape, segments: Sequence[Corridor]) -> None:
    """Numbers at the middle of segments, the first ones and what has room beside them."""
    gap = LABEL_GAP * max(landscape.shape)
    taken: list[tuple[float, float]] = []
    for rank, one in enumerate(segments[:MOST_LABELS], start=1):
        row, col = divmod(int(one.path[one.path.size // 2]), landscape.shape[1])
        if any(np.hypot(row - r, col - c) < gap for r, c in taken):
            continue
        taken.append((row, col))
        words = axes.annotate(f"{rank}", (col, row), xytext=(6, 6), textcoords="offset points",
                              fontsize=10, fontweight="bold", color=INK, zorder=5,
                              annotation_clip=True)
        words.set_path_effects([withStroke(linewidth=3.0, foreground="white")])


def _draw_years(axes: Axes, landscape: Landscape, segments: Sequence[Corridor],
                years: Sequence[int]) -> list[Artist]:
    """The segments in the colours of their years; returns the handles of a legend."""
    known = sorted(set(years))
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, len(known)))
    return _draw_classes(axes, landscape, segments, [f"to build in {year}" for year in years], {
        f"to build in {year}": to_hex(own) for year, own in zip(known, colours, strict=True)})


def _draw_classes(axes: Axes, landscape: Landscape, segments: Sequence[Corridor],
                  words: Sequence[str], colours: Mapping[str, str]) -> list[Artist]:
    """Segments in the colours of their classes; returns the handles of a legend."""
    for name, colour in colours.items():
        own = [one.cells for one, said in zip(segments, words, strict=True) if said == name]
        carto.draw_breaks(axes, landscape, np.concatenate(own)).set_facecolor(colour)
    return [Patch(facecolor=colour, label=name) for name, colour in colours.items()]


def _wilson(share: NDArray[np.float64],
            count: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """95 % interval of a share of `count` draws (Wilson 1927, doi:10.2307/2276774)."""
    z = 1.959964
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(share * (1 - share) / count + (z / (2 * count))**2)
    return middle - half, middle + half
