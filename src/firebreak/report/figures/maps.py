"""Maps of a landscape and a plan: fuels, burn probability before and after, breaks, Q-values.

Every function returns an open figure; `canvas.save_figure` writes and closes it. `caption` says
where the data come from (see `cartography.caption_of`); the grid is described by the map itself.
"""

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
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
_DIM = 0.6
_NARROWEST = 0.75
_MAP_HEIGHT_IN = 6.6
_BREAK_MARK = Line2D([], [], marker="s", linestyle="", color="black", markeredgecolor="white",
                     markersize=7, label="fuel break")


def landscape_figure(landscape: Landscape, *, caption: str) -> Figure:
    """Fuel models in LANDFIRE's colours over hillshade, with the fuels present by area."""
    width, height = map_size(landscape)
    with new_figure(width + 2.9, height + 1.2, title="Fuels and relief",
                    caption=map_caption(caption, landscape)) as figure:
        axes, legend = figure.subplots(1, 2, width_ratios=(width, 2.4))
        axes.imshow(carto.fuel_rgb(landscape), interpolation="nearest")
        carto.frame_map(axes, landscape)
        draw_coordinates(axes, landscape)
        carto.draw_legends(legend, landscape, carto.draw_treatable(axes, landscape))
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
    width, height = map_size(landscape, 4.3)
    cells = np.flatnonzero(breaks)
    with new_figure(3 * width + 2.4, height + 1.6, title="Burn probability",
                    caption=map_caption(caption, landscape)) as figure:
        panels = figure.subplots(1, 3)
        top = max(float(before.max()), float(after.max()), 1e-9)
        for axes, values, words in ((panels[0], before, "without breaks"),
                                    (panels[1], after, f"with {cells.size:,} break cells")):
            share = values[landscape.burnable].mean()
            image = _draw_values(axes, landscape, values, colormaps["YlOrRd"], 0.0, top)
            axes.set_title(f"{words}: a mean fire burns {share:.1%}\nof the burnable area")
        carto.frame_map(panels[0], landscape)
        figure.colorbar(image, ax=panels[:2], location="right", shrink=0.85, pad=0.01,
                        label="burn probability")
        change = after - before
        most = _typical_most(np.abs(change[landscape.burnable & ~breaks]))
        image = _draw_values(panels[2], landscape, change, colormaps["RdBu_r"], -most, most)
        panels[2].set_title("difference\nwith minus without breaks")
        figure.colorbar(image, ax=panels[2], shrink=0.85, pad=0.02, extend="both",
                        label="change of burn probability")
        for axes in panels[1:]:
            carto.draw_breaks(axes, landscape, cells)
        panels[1].legend(handles=[_BREAK_MARK, Patch(facecolor=carto.BARE, label="does not burn")],
                         **_legend_below(panels[1], 2))
        if half_width is not None:
            open_ = landscape.burnable & ~breaks & (np.abs(change) <= half_width)
            carto.dot_cells(panels[2], open_)
            panels[2].legend(handles=[Line2D(
                [], [], marker="o", linestyle="", color=INK, markersize=3.0,
                markeredgecolor="white", markeredgewidth=0.5, label="may be chance (95 %)")],
                             **_legend_below(panels[2], 1))
        return figure


def plan_figure(landscape: Landscape, plan: Plan, *, caption: str) -> Figure:
    """The breaks of a plan over dimmed fuels, coloured by their order, numbered on small maps."""
    width, height = map_size(landscape)
    count = plan.cells.size
    unit = "" if plan.currency is None else f" {plan.currency}"
    spent = "" if plan.cost_unit == "cells" else f"cost {plan.cost:,.1f}{unit}, "
    title = (f"Fuel breaks ({plan.made_by}): {count:,} cells ({spent}budget "
             f"{plan.budget:,.1f}{unit})")
    with new_figure(width + 3.9, height + 1.2, title=title,
                    caption=map_caption(caption, landscape)) as figure:
        axes, legend = figure.subplots(1, 2, width_ratios=(width, 2.4))
        axes.imshow(carto.fuel_rgb(landscape, _DIM), interpolation="nearest")
        carto.frame_map(axes, landscape)
        draw_coordinates(axes, landscape)
        handles = carto.draw_treatable(axes, landscape)
        if count:
            order = np.arange(1, count + 1, dtype=np.float64)
            marks = carto.draw_breaks(axes, landscape, plan.cells, (order, _order_colours()))
            scale = figure.colorbar(marks, ax=axes, shrink=0.85, pad=0.02,
                                    ticks=MaxNLocator(integer=True),
                                    label="order of placement (1 = first)")
            scale.ax.invert_yaxis()
            if count <= MOST_NUMBERS and max(landscape.shape) <= MOST_NUMBERED_CELLS:
                _draw_numbers(axes, landscape, plan.cells)
        carto.draw_legends(legend, landscape, handles, _DIM)
        return figure


def q_map_figure(landscape: Landscape, q_values: NDArray[np.float32],
                 available: NDArray[np.bool_], breaks: NDArray[np.bool_], *,
                 caption: str) -> Figure:
    """What the policy expects of each cell, in percent of the untreated loss, and its choice.

    Args:
        q_values: [H, W].
        available: bool [H, W], cells that may be chosen; at least one.
        breaks: bool [H, W], placed so far.
    """
    width, height = map_size(landscape)
    chosen = int(np.argmax(np.where(available, q_values, -np.inf)))
    row, col = divmod(chosen, landscape.shape[1])
    placed = np.flatnonzero(breaks)
    title = (f"Q-values after {placed.size:,} breaks: next at row {row}, column {col} "
             f"({q_values[row, col]:.2f} %)")
    with new_figure(width + 1.9, height + 1.5, title=title,
                    caption=map_caption(caption, landscape)) as figure:
        axes = figure.subplots()
        allowed = q_values[available]
        image = axes.imshow(np.where(available, q_values, np.nan), cmap="viridis",
                            interpolation="nearest", vmin=float(allowed.min()),
                            vmax=float(allowed.max()))
        carto.frame_map(axes, landscape)
        carto.hatch_cells(axes, ~available & ~breaks)
        carto.draw_breaks(axes, landscape, placed)
        ring = axes.scatter([col], [row], s=220, marker="o", facecolors="none",
                            edgecolors="#e31a1c", linewidths=2.4, zorder=4, label="chosen next")
        ring.set_path_effects([withStroke(linewidth=4.2, foreground="white")])
        figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02,
                        label="expected loss reduction, % of the untreated loss")
        axes.legend(handles=[_ring_mark(), _BREAK_MARK,
                             Patch(facecolor=carto.BARE, edgecolor=carto.HATCH, hatch="/////",
                                   label="not available")],
                    **_legend_below(axes, 3))
        return figure


def map_caption(caption: str, landscape: Landscape) -> str:
    """A caption that also says on which grid the map lies."""
    return f"{caption} · {carto.place_of(landscape)}"


def map_size(landscape: Landscape, longest_in: float = _MAP_HEIGHT_IN) -> tuple[float, float]:
    """Width and height of a map in inches, its longer side `longest_in`, the other at least so
    long that titles and legends find room."""
    rows, cols = landscape.shape
    longest = max(rows, cols)
    return (longest_in * max(cols / longest, _NARROWEST),
            longest_in * max(rows / longest, _NARROWEST))


def _legend_below(axes: Axes, columns: int) -> dict[str, Any]:
    """Places a legend under the scale bar."""
    return {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "frameon": False, "ncols": columns,
            "bbox_transform": carto.points_below(axes, 16.0), "borderaxespad": 0.0,
            "handletextpad": 0.4, "columnspacing": 1.2}


def _typical_most(sizes: NDArray[np.float64]) -> float:
    """The end of a scale that neither the breaks, which hardly burn, nor a few cells stretch."""
    return max(float(np.percentile(sizes, 99.5)) if sizes.size else 0.0, 1e-3)


def _draw_values(axes: Axes, landscape: Landscape, values: NDArray[np.float64], cmap: Colormap,
                 low: float, high: float) -> AxesImage:
    own = cmap.with_extremes(bad=carto.BARE)
    image = axes.imshow(np.where(landscape.burnable, values, np.nan), cmap=own, vmin=low,
                        vmax=high, interpolation="nearest")
    carto.frame_map(axes, landscape, measures=False)
    return image


def _order_colours() -> LinearSegmentedColormap:
    """Plasma without its palest end, which would vanish on the dimmed fuels."""
    return LinearSegmentedColormap.from_list("order", colormaps["plasma"](np.linspace(0, 0.8, 64)))


def _draw_numbers(axes: Axes, landscape: Landscape, cells: NDArray[np.int64]) -> None:
    size = min(9.0, 0.5 * 72.0 * _MAP_HEIGHT_IN / max(landscape.shape))
    for number, cell in enumerate(cells.tolist(), start=1):
        row, col = divmod(cell, landscape.shape[1])
        axes.text(col, row, f"{number}", fontsize=size, color="white", ha="center",
                  va="center_baseline", zorder=4, fontweight="bold")


def _ring_mark() -> Line2D:
    return Line2D([], [], marker="o", linestyle="", markerfacecolor="none", markersize=10,
                  markeredgecolor="#e31a1c", markeredgewidth=2.0, label="chosen next")
