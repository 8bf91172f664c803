"""Parts of a map: relief, fuel colours, legend of fuels, breaks, outlines, scale bar, north arrow.

Maps are drawn in cell coordinates, cell (row, col) centred on x = col, y = row, first row on top,
so north is up as rows run north to south.
"""

from collections.abc import Sequence
from math import floor, log10

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.colors import Colormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.transforms import ScaledTranslation, Transform
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridors.ground import houses_of
from firebreak.landscape.fuel_systems import FuelSystem
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.geotiff import crs_name
from firebreak.report.figures.canvas import INK, QUIET

BARE = "#d9dde0"
"""Colour of cells that do not burn, on maps of fire."""
HATCH, ROADS = "#9aa3a9", "#5b6166"
"""Colours of hatching and of roads."""

_SUN_FROM_DEG, _SUN_HEIGHT_DEG = 315.0, 45.0
_SMALLEST_MARK_PT = 2.6
_DOT_PT = 1.85
_HOUSE_PT = 2.2
_MOST_EDGE = 6.0  # in lengths of the map's own edge
_MOST_DOTS = 60  # along the longer side of a map
_LARGE_MAP = 160  # cells on the longer side, from which single cells are hard to see
_WIDEST_BAR = 0.3  # of the map's width
_LINE_PT = 13.5  # of the list of fuels, as far apart as the lines of a legend of marks
_HEADING = 1.4  # lines above the list of fuels
_LEAST_FUELS = 6  # lines of the list, however many marks stand below it


def caption_of(landscape: Landscape, *, seed: int | None = None, run: str | None = None) -> str:
    """The origin of a map for its caption: landscape, seed and run where there are any."""
    parts = [landscape.name]
    if seed is not None:
        parts.append(f"seed {seed}")
    if run is not None:
        parts.append(f"run {run}")
    return " · ".join(parts)


def place_of(landscape: Landscape) -> str:
    """Size, cell size and coordinate reference system in words."""
    rows, cols = landscape.shape
    return (f"{rows} x {cols} cells of {landscape.cell_size_m:g} m · "
            f"{crs_name(landscape.crs, none='no CRS')} · grid north up")


def hillshade(landscape: Landscape) -> NDArray[np.float64]:
    """Light on the relief [H, W], 1 on level ground, less on slopes away from a north-west sun."""
    slope = np.arctan(landscape.slope_tan.astype(np.float64))
    towards = np.cos(np.radians(_SUN_FROM_DEG - landscape.aspect_deg.astype(np.float64)))
    height = np.radians(_SUN_HEIGHT_DEG)
    light = np.sin(height) * np.cos(slope) + np.cos(height) * np.sin(slope) * towards
    return np.clip(light, 0.0, None) / np.sin(height)


def fuel_rgb(landscape: Landscape, dim: float = 0.0) -> NDArray[np.float64]:
    """Fuel colours over hillshade, [H, W, 3] in [0, 1]; `dim` is the share of white mixed in."""
    codes, place = np.unique(landscape.fuel_model, return_inverse=True)
    table = np.array([fuel_colour(int(code), landscape.fuels) for code in codes])
    light = np.clip(0.5 + 0.5 * hillshade(landscape), 0.0, 1.1)[..., None]
    shaded = np.clip(table[place.reshape(landscape.shape)] * light, 0.0, 1.0)
    return shaded * (1.0 - dim) + dim


def fuel_colour(code: int, fuels: FuelSystem) -> tuple[float, float, float]:
    """RGB in [0, 1] of a fuel code; white outside the data."""
    return to_rgb(fuels.colour(code))


def fuel_shares(fuel_model: NDArray[np.int16]) -> list[tuple[int, float]]:
    """(code, share of the cells with data) of the fuels that are present, largest first."""
    codes, counts = np.unique(fuel_model[fuel_model != NODATA], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [(int(codes[k]), float(counts[k] / counts.sum())) for k in order]


def draw_legends(axes: Axes, landscape: Landscape, handles: Sequence[Artist],
                 dim: float = 0.0) -> None:
    """A column of legends: the fuels present from the top, from the bottom what marks on the map
    mean; as many fuels as find room above the marks. A figure too low for both grows.

    It lays out the figure, so that all else that takes of the column's height has to be drawn.
    """
    axes.axis("off")
    marks = axes.legend(handles=handles, loc="lower left", frameon=False) if handles else None
    height, room = _lines_of(axes, marks)
    missing = _LEAST_FUELS - int(room)
    if missing > 0:
        figure = _figure_of(axes)
        share = axes.get_position().height
        figure.set_figheight(figure.get_figheight() + missing * _LINE_PT / 72.0 / share)
        height, room = _lines_of(axes, marks)
    axes.set(xlim=(0.0, 3.4), ylim=(height - _HEADING, -_HEADING))
    _draw_fuels(axes, landscape, dim, max(int(room), 1))


def _lines_of(axes: Axes, marks: Legend | None) -> tuple[float, float]:
    """The height of axes in lines of the list of fuels, and how many fuels have room."""
    figure = _figure_of(axes)
    layout = figure.get_layout_engine()
    assert layout is not None
    layout.execute(figure)
    box = axes.get_window_extent()
    below = box.y0 if marks is None else marks.get_window_extent().y1
    line = _LINE_PT / 72.0 * figure.dpi
    return box.height / line, (box.y1 - below) / line - _HEADING


def _draw_fuels(axes: Axes, landscape: Landscape, dim: float, rows: int) -> None:
    """A list of the fuels present with their codes on the swatches and their shares of the area.

    rows: lines of the list. Where there are more fuels, the last line counts the rarest together,
    since a second column would lie over the words of the first.
    """
    shares = fuel_shares(landscape.fuel_model)
    listed = shares if len(shares) <= rows else shares[:rows - 1]
    axes.text(0.0, -0.7, "Fuel, share of area", fontsize=9, fontweight="bold", va="center")
    for k, (code, share) in enumerate(listed):
        rgb = np.array(fuel_colour(code, landscape.fuels)) * (1.0 - dim) + dim
        axes.add_patch(Rectangle((0.0, k + 0.06), 0.85, 0.88, facecolor=rgb, edgecolor=QUIET,
                                 linewidth=0.5))
        dark = float(rgb @ (0.299, 0.587, 0.114)) < 0.5
        axes.text(0.42, k + 0.5, f"{code}", fontsize=7.5, ha="center", va="center",
                  color="white" if dark else INK)
        axes.text(1.0, k + 0.5, f"{landscape.fuels.described(code)}  {_percent(share)}",
                  fontsize=9, va="center")
    others = shares[len(listed):]
    if others:
        axes.text(1.0, len(listed) + 0.5, f"{len(others)} more fuels  "
                  f"{_percent(sum(share for _, share in others))}", fontsize=9, va="center")


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.0005 else "<0.1%"


def frame_map(axes: Axes, landscape: Landscape, *, measures: bool = True,
              part: tuple[slice, slice] | None = None) -> None:
    """Limits and frame, and below the map a scale bar and a north arrow if `measures`.

    part: rows and columns to show, all of them if not given.
    """
    rows, cols = part or (slice(0, landscape.shape[0]), slice(0, landscape.shape[1]))
    axes.set(xlim=(cols.start - 0.5, cols.stop - 0.5), ylim=(rows.stop - 0.5, rows.start - 0.5),
             xticks=[], yticks=[], aspect="equal")
    if measures:
        _draw_measures(axes, (cols.stop - cols.start) * landscape.cell_size_m)


def _draw_measures(axes: Axes, width_m: float) -> None:
    metres, words = scale_bar(width_m)
    share = metres / width_m
    high, low = points_below(axes, 3.0), points_below(axes, 8.0)
    axes.plot([0.0, share], [0.0, 0.0], transform=low, color=INK, linewidth=1.8, clip_on=False)
    for end in (0.0, share):
        axes.plot([end], [0.0], transform=points_below(axes, 5.5), color=INK, marker="|",
                  markersize=6, clip_on=False)
    axes.text(share + 0.02, 0.0, words, transform=high, va="top", fontsize=9)
    axes.text(1.0, 0.0, "↑ N", transform=high, ha="right", va="top", fontsize=13,
              fontweight="bold")


def points_below(axes: Axes, points: float) -> Transform:
    """Coordinates in shares of the map's sides, moved down by some points whatever its size."""
    return axes.transAxes + ScaledTranslation(0.0, -points / 72.0,
                                              _figure_of(axes).dpi_scale_trans)


def _figure_of(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure


def scale_bar(width_m: float) -> tuple[float, str]:
    """A round length of at most 30 % of a map's width: (metres, words)."""
    power = 10.0 ** floor(log10(_WIDEST_BAR * width_m))
    metres = max(k * power for k in (1.0, 2.0, 5.0) if k * power <= _WIDEST_BAR * width_m)
    return metres, f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"


def draw_breaks(axes: Axes, landscape: Landscape, cells: NDArray[np.int64],
                colours: tuple[NDArray[np.float64], Colormap] | None = None) -> Collection:
    """Fills cells, or on large maps marks them larger than they are: black, or coloured.

    Args:
        cells: int64 [n], flat.
        colours: a number for each of them [n], and its colormap.
    """
    row, col = np.divmod(cells, landscape.shape[1])
    marks: Collection
    if max(landscape.shape) > _LARGE_MAP:
        marks = axes.scatter(col, row, s=_SMALLEST_MARK_PT**2, marker="s", linewidths=0.0)
    else:
        corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        marks = PolyCollection(np.stack([col, row], axis=1)[:, None] + corners,
                               edgecolors="white", linewidths=0.7)
        axes.add_collection(marks)
    marks.set_zorder(3)
    if colours is None:
        marks.set_facecolor("black")
    else:
        numbers, cmap = colours
        marks.set_cmap(cmap)
        marks.set_array(numbers)
    return marks


def draw_treatable(axes: Axes, landscape: Landscape) -> list[Artist]:
    """Outlines the treatable area, hatches what else burns; returns handles of a legend, if any.

    An area that is all edge, as one that steep slopes cut up, is hatched alone.
    """
    outside = landscape.burnable & ~landscape.treatable
    if not outside.any():
        return []
    hatch_cells(axes, outside, "none")
    hatched = Patch(facecolor="none", edgecolor=HATCH, hatch="/////",
                    label="burns, may not be treated")
    lines = border(landscape.treatable, landscape.burnable)
    if len(lines) > _MOST_EDGE * 2 * sum(landscape.shape):
        return [hatched]
    for colour, width in (("white", 3.2), (INK, 1.4)):
        axes.add_collection(LineCollection(list(lines), colors=colour, linewidths=width, zorder=2.5,
                                           capstyle="projecting"))
    return [Line2D([], [], color=INK, linewidth=1.4, label="edge of the treatable area"), hatched]


def draw_places(axes: Axes, landscape: Landscape) -> list[Artist]:
    """Draws roads and houses where they are known; returns handles of a legend, if any."""
    found: list[Artist] = []
    if landscape.road_m is not None:
        _draw_area(axes, landscape.road_m == 0.0, facecolor=ROADS)
        found.append(Patch(facecolor=ROADS, label="roads"))
    if (houses := houses_of(landscape)).any():
        row, col = np.nonzero(houses)
        found.append(axes.scatter(col, row, s=_HOUSE_PT**2, facecolors="white", edgecolors=INK,
                                  linewidths=0.4, zorder=2.0,
                                  label=landscape.value_unit or "houses"))
    return found


def border(inside: NDArray[np.bool_], among: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Cell sides [n, 2, 2] (x, y at both ends) between cells of `inside` and others of `among`."""
    outside = among & ~inside
    row, col = np.nonzero((inside[:, 1:] & outside[:, :-1]) | (outside[:, 1:] & inside[:, :-1]))
    upright = np.stack([col + 0.5, row - 0.5, col + 0.5, row + 0.5], axis=1)
    row, col = np.nonzero((inside[1:] & outside[:-1]) | (outside[1:] & inside[:-1]))
    level = np.stack([col - 0.5, row + 0.5, col + 0.5, row + 0.5], axis=1)
    return np.concatenate([upright, level]).reshape(-1, 2, 2)


def draw_outline(axes: Axes, mask: NDArray[np.bool_], colour: str) -> None:
    """Outlines the cells of a mask [H, W], those at the map's edge too."""
    padded = np.pad(mask, 1)
    sides = border(padded, np.ones_like(padded)) - 1.0
    axes.add_collection(LineCollection(list(sides), colors=colour, linewidths=1.8, zorder=3.5,
                                       capstyle="projecting"))


def hatch_cells(axes: Axes, mask: NDArray[np.bool_], colour: str = BARE) -> None:
    """Fills the cells of `mask` [H, W] and hatches them as one area."""
    _draw_area(axes, mask, facecolor=colour, edgecolor=HATCH, hatch="/////")


def dot_cells(axes: Axes, mask: NDArray[np.bool_]) -> None:
    """Dots the cells of `mask` [H, W], on large maps some of them; what is below them shows. A dark
    dot in a light ring stands out on every colour.
    """
    step = -(-max(mask.shape) // _MOST_DOTS)
    row, col = np.nonzero(mask[step // 2::step, step // 2::step])
    axes.scatter(step * col + step // 2, step * row + step // 2, s=_DOT_PT**2, facecolors=INK,
                 edgecolors="white", linewidths=0.5, zorder=1.5)


def _draw_area(axes: Axes, mask: NDArray[np.bool_], **style: str) -> None:
    padded = np.pad(mask, ((0, 0), (1, 1))).astype(np.int8)
    change = np.diff(padded, axis=1)
    row, left = np.nonzero(change == 1)
    right = np.nonzero(change == -1)[1]
    if row.size == 0:
        return
    x0, x1, y0, y1 = left - 0.5, right - 0.5, row - 0.5, row + 0.5
    corners = np.stack([x0, y0, x1, y0, x1, y1, x0, y1, x0, y0], axis=1).reshape(-1, 2)
    codes = np.tile([Outline.MOVETO, *[Outline.LINETO] * 3, Outline.CLOSEPOLY], row.size)
    axes.add_patch(PathPatch(Outline(corners, codes), linewidth=0.0, zorder=1.5,
                             **style))
