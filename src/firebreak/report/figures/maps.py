"""Maps of a landscape and a plan: fuels, burn probability before and after, breaks, Q-values, any
quantity, the isochrones of one fire; and what all maps share: their size, the ground, legends.

Every function returns an open figure; `canvas.save_figure` writes and closes it. `caption` says
where the data come from (see `cartography.caption_of`); the grid is described by the map itself.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.plan import Plan
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import INK, new_figure
from firebreak.report.figures.coordinates import draw_coordinates

MOST_NUMBERS, MOST_NUMBERED_CELLS = 60, 64
DIM = 0.6
"""Share of white in the fuels below breaks and fires."""
_TOP_PERCENTILE = 99.5  # a few extreme cells must not flatten the rest of a scale
_NARROWEST = 0.75
_MAP_HEIGHT_IN = 6.6
_RING = "#e31a1c"
_BREAK_MARK = Line2D([], [], marker="s", linestyle="", color="black", markeredgecolor="white",
                     markersize=7, label="fuel break")
_BARE_MARK = Patch(facecolor=carto.BARE, label="does not burn")


@contextmanager
def new_map(landscape: Landscape, wider_in: float, higher_in: float, *, title: str, caption: str,
            maps: int = 1, longest_in: float = _MAP_HEIGHT_IN) -> Iterator[Figure]:
    """A figure for maps side by side, larger than they are by so many inches; see `new_figure`.
    Its caption also says on which grid the maps lie.
    """
    width, height = map_size(landscape, longest_in)
    with new_figure(maps * width + wider_in, height + higher_in, title=title,
                    caption=f"{caption} · {carto.place_of(landscape)}") as figure:
        yield figure


def map_size(landscape: Landscape, longest_in: float = _MAP_HEIGHT_IN) -> tuple[float, float]:
    """Width and height of a map in inches: its longer side, and room for titles on the other."""
    rows, cols = landscape.shape
    longest = max(rows, cols)
    return (longest_in * max(cols / longest, _NARROWEST),
            longest_in * max(rows / longest, _NARROWEST))


def draw_ground(axes: Axes, landscape: Landscape, dim: float = DIM) -> list[Artist]:
    """Fuels over relief with coordinates, and the treatable area; returns handles of a legend."""
    axes.imshow(carto.fuel_rgb(landscape, dim), interpolation="nearest")
    carto.frame_map(axes, landscape)
    draw_coordinates(axes, landscape)
    return carto.draw_treatable(axes, landscape)


def draw_values(axes: Axes, landscape: Landscape, values: NDArray[np.float64],
                cmap: str | Colormap, low: float, high: float, *,
                measures: bool = False) -> AxesImage:
    """A quantity [H, W] where it burns; see `cartography.frame_map` for the measures."""
    image = axes.imshow(np.where(landscape.burnable, values, np.nan), vmin=low, vmax=high,
                        cmap=colormaps.get_cmap(cmap).with_extremes(bad=carto.BARE),
                        interpolation="nearest")
    carto.frame_map(axes, landscape, measures=measures)
    return image


def draw_scale(axes: Axes, marks: ScalarMappable, label: str) -> None:
    """A scale of ranks beside a map, 1 on top."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    scale = figure.colorbar(marks, ax=axes, shrink=0.85, pad=0.02, label=label,
                            ticks=MaxNLocator(integer=True))
    scale.ax.invert_yaxis()


def legend_below(axes: Axes, handles: Sequence[Artist]) -> None:
    """A legend under the scale bar."""
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.0, 0.0), frameon=False,
                ncols=len(handles), bbox_transform=carto.points_below(axes, 16.0),
                borderaxespad=0.0, handletextpad=0.4, columnspacing=1.2)


def typical_most(sizes: NDArray[np.float64], least: float) -> float:
    """The end of a scale that a few cells do not stretch, `least` or more."""
    return max(float(np.percentile(sizes, _TOP_PERCENTILE)) if sizes.size else 0.0, least)


def order_colours() -> LinearSegmentedColormap:
    """Plasma without its palest end, which would vanish on the dimmed fuels."""
    return LinearSegmentedColormap.from_list("order", colormaps["plasma"](np.linspace(0, 0.8, 64)))


def landscape_figure(landscape: Landscape, *, caption: str) -> Figure:
    """Fuel models in LANDFIRE's colours over hillshade, with the fuels present by area."""
    with new_map(landscape, 2.9, 1.2, title="Fuels and relief", caption=caption) as figure:
        axes, legend = figure.subplots(1, 2, width_ratios=(map_size(landscape)[0], 2.4))
        carto.draw_legends(legend, landscape, draw_ground(axes, landscape, dim=0.0))
        return figure


def burn_probability_figure(landscape: Landscape, before: NDArray[np.float64],
                            after: NDArray[np.float64], breaks: NDArray[np.bool_], *,
                            caption: str, half_width: NDArray[np.float64] | None = None) -> Figure:
    """Burn probability without and with breaks on one scale, and the change.

    Args:
        before, after: [H, W], share of the same fires that burn a cell.
        breaks: bool [H, W].
        half_width: [H, W], of the change's 95 % interval; cells whose interval holds 0 are dotted.
    """
    cells = np.flatnonzero(breaks)
    with new_map(landscape, 2.4, 1.6, title="Burn probability", caption=caption, maps=3,
                 longest_in=4.3) as figure:
        panels = figure.subplots(1, 3)
        top = max(float(before.max()), float(after.max()), 1e-9)
        for axes, values, words in ((panels[0], before, "without breaks"),
                                    (panels[1], after, f"with {cells.size:,} break cells")):
            share = values[landscape.burnable & landscape.inside].mean()
            image = draw_values(axes, landscape, values, "YlOrRd", 0.0, top,
                                measures=values is before)
            axes.set_title(f"{words}: a mean fire burns {share:.1%}\nof the burnable area")
        figure.colorbar(image, ax=panels[:2], location="right", shrink=0.85, pad=0.01,
                        label="burn probability")
        change = after - before
        # The breaks hardly burn.
        most = typical_most(np.abs(change[landscape.burnable & ~breaks]), 1e-3)
        image = draw_values(panels[2], landscape, change, "RdBu_r", -most, most)
        panels[2].set_title("difference\nwith minus without breaks")
        figure.colorbar(image, ax=panels[2], shrink=0.85, pad=0.02, extend="both",
                        label="change of burn probability")
        for axes in panels[1:]:
            carto.draw_breaks(axes, landscape, cells)
        legend_below(panels[1], [_BREAK_MARK, _BARE_MARK])
        if half_width is not None:
            carto.dot_cells(panels[2], landscape.burnable & ~breaks
                            & (np.abs(change) <= half_width))
            legend_below(panels[2], [Line2D(
                [], [], marker="o", linestyle="", color=INK, markersize=3.0,
                markeredgecolor="white", markeredgewidth=0.5, label="may be chance (95 %)")])
        return figure


def plan_figure(landscape: Landscape, plan: Plan, *, caption: str) -> Figure:
    """The breaks of a plan over dimmed fuels, coloured by their order, numbered on small maps."""
    count = plan.cells.size
    unit = "" if plan.currency is None else f" {plan.currency}"
    spent = "" if plan.cost_unit == "cells" else f"cost {plan.cost:,.1f}{unit}, "
    title = (f"Fuel breaks ({plan.made_by}): {count:,} cells ({spent}budget "
             f"{plan.budget:,.1f}{unit})")
    with new_map(landscape, 3.9, 1.2, title=title, caption=caption) as figure:
        axes, legend = figure.subplots(1, 2, width_ratios=(map_size(landscape)[0], 2.4))
        handles = draw_ground(axes, landscape)
        if count:
            order = np.arange(1, count + 1, dtype=np.float64)
            marks = carto.draw_breaks(axes, landscape, plan.cells, (order, order_colours()))
            draw_scale(axes, marks, "order of placement (1 = first)")
            if count <= MOST_NUMBERS and max(landscape.shape) <= MOST_NUMBERED_CELLS:
                _draw_numbers(axes, landscape, plan.cells)
        carto.draw_legends(legend, landscape, handles, DIM)
        return figure


def _draw_numbers(axes: Axes, landscape: Landscape, cells: NDArray[np.int64]) -> None:
    size = min(9.0, 0.5 * 72.0 * _MAP_HEIGHT_IN / max(landscape.shape))
    for number, cell in enumerate(cells.tolist(), start=1):
        row, col = divmod(cell, landscape.shape[1])
        axes.text(col, row, f"{number}", fontsize=size, color="white", ha="center",
                  va="center_baseline", zorder=4, fontweight="bold")


def q_map_figure(landscape: Landscape, q_values: NDArray[np.float32],
                 available: NDArray[np.bool_], breaks: NDArray[np.bool_], *,
                 caption: str) -> Figure:
    """The policy's value of each cell, in percent of the untreated loss, and its choice.

    Args:
        q_values: [H, W].
        available: bool [H, W], cells that may be chosen; at least one.
        breaks: bool [H, W], placed so far.
    """
    chosen = int(np.argmax(np.where(available, q_values, -np.inf)))
    row, col = divmod(chosen, landscape.shape[1])
    placed, allowed = np.flatnonzero(breaks), q_values[available]
    title = (f"Q-values after {placed.size:,} breaks: next at row {row}, column {col} "
             f"({q_values[row, col]:.2f} %)")
    with new_map(landscape, 1.9, 1.5, title=title, caption=caption) as figure:
        axes = figure.subplots()
        image = axes.imshow(np.where(available, q_values, np.nan), cmap="viridis",
                            interpolation="nearest", vmin=float(allowed.min()),
                            vmax=float(allowed.max()))
        carto.frame_map(axes, landscape)
        carto.hatch_cells(axes, ~available & ~breaks)
        carto.draw_breaks(axes, landscape, placed)
        ring = axes.scatter([col], [row], s=220, marker="o", facecolors="none", edgecolors=_RING,
                            linewidths=2.4, zorder=4)
        ring.set_path_effects([withStroke(linewidth=4.2, foreground="white")])
        figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02,
                        label="expected loss reduction, % of the untreated loss")
        legend_below(axes, [
            Line2D([], [], marker="o", linestyle="", markerfacecolor="none", markersize=10,
                   markeredgecolor=_RING, markeredgewidth=2.0, label="chosen next"), _BREAK_MARK,
            Patch(facecolor=carto.BARE, edgecolor=carto.HATCH, hatch="/////",
                  label="not available")])
        return figure


_ISOCHRONES = 8


def field_figure(landscape: Landscape, values: NDArray[np.float64], *, title: str, label: str,
                 colours: str, caption: str) -> Figure:
    """One quantity [H, W] where it burns, over a scale from 0.

    Args:
        label: the quantity and its unit, beside the scale.
        colours: name of a sequential colormap.
    """
    burns = values[landscape.burnable]
    top = typical_most(burns, 1e-9)
    with new_map(landscape, 1.9, 1.0, title=title, caption=caption) as figure:
        axes = figure.subplots()
        image = draw_values(axes, landscape, values, colours, 0.0, top, measures=True)
        beyond = "max" if burns.size and float(burns.max()) > top else "neither"
        figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02, label=label, extend=beyond)
        return figure


def arrival_figure(landscape: Landscape, arrival_time_min: NDArray[np.float64], *,
                   caption: str) -> Figure:
    """Arrival time of one fire [H, W] (inf = unburned) over dimmed fuels, with isochrones."""
    burned = np.isfinite(arrival_time_min)
    end = max(float(arrival_time_min[burned].max(initial=0.0)), 1e-9)
    hectares = burned.sum() * landscape.cell_size_m**2 / 1e4
    row, col = np.unravel_index(int(np.argmin(arrival_time_min)), landscape.shape)
    title = f"One fire: {burned.sum():,} cells ({hectares:,.0f} ha) in {end:,.0f} minutes"
    with new_map(landscape, 1.9, 1.2, title=title, caption=caption) as figure:
        axes = figure.subplots()
        axes.imshow(carto.fuel_rgb(landscape, DIM), interpolation="nearest")
        image = axes.imshow(np.where(burned, arrival_time_min, np.nan), vmin=0.0, vmax=end,
                            cmap="inferno", interpolation="nearest")
        carto.frame_map(axes, landscape)
        if min(landscape.shape) > 1 and burned.sum() > _ISOCHRONES:
            lines = axes.contour(np.where(burned, arrival_time_min, np.nan), colors="white",
                                 levels=isochrones(end), linewidths=0.8)
            axes.clabel(lines, fmt="%.0f", fontsize=8)
        start = axes.scatter([col], [row], s=260, marker="*", color="#00e5ff", edgecolors=INK,
                             zorder=4, label="ignition")
        legend_below(axes, [start])
        figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02,
                        label="arrival time, minutes after ignition")
        return figure


def isochrones(end_min: float) -> list[float]:
    """Round times between 0 and `end_min`, about eight."""
    times = MaxNLocator(_ISOCHRONES, steps=(1, 2, 3, 6, 10)).tick_values(0.0, end_min)
    return [float(time) for time in times if 0.0 < time < end_min]
