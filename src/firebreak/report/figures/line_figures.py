"""Candidate lines of a map, by their kind and by how well they may be held."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import new_figure
from firebreak.report.figures.maps import map_caption, map_size

_COLOURS = {"ridge": "#7f2704", "valley": "#2166ac", "road": "#000000", "fuel-edge": "#c51b7d"}
_BURNS_NOT = (0.72, 0.80, 0.88)


def lines_figure(landscape: Landscape, lines: Sequence[tuple[str, NDArray[np.int64], float]], *,
                 caption: str) -> Figure:
    """Lines over the relief: on the left by kind, on the right by score.

    lines: kind, flat cells in order, score.
    """
    width, height = map_size(landscape)
    with new_figure(2 * width + 1.6, height + 1.35, title="Candidate lines",
                    caption=map_caption(caption, landscape)) as figure:
        left, right = figure.subplots(1, 2)
        paths = [_path(cells, landscape) for _, cells, _ in lines]
        for axes in (left, right):
            axes.imshow(_relief(landscape), interpolation="nearest")
        carto.frame_map(left, landscape)
        carto.frame_map(right, landscape, measures=False)
        left.add_collection(LineCollection(paths, colors=[_COLOURS.get(kind, "black")
                                                          for kind, _, _ in lines],
                                           linewidths=1.3))
        known = [kind for kind in _COLOURS if any(kind == own for own, _, _ in lines)]
        left.legend(handles=[Line2D([], [], color=_COLOURS[kind], linewidth=1.6, label=kind)
                             for kind in known] + [Patch(
                                 facecolor=_BURNS_NOT, label="does not burn")],
                    **_below(left, len(known) + 1))
        marks = LineCollection(paths, cmap=colormaps["viridis"], norm=Normalize(0.0, 1.0),
                               array=np.array([score for _, _, score in lines]), linewidths=1.3)
        right.add_collection(marks)
        figure.colorbar(marks, ax=right, shrink=0.85, pad=0.02,
                        label="score: how well it may be held")
        return figure


def _relief(landscape: Landscape) -> NDArray[np.float64]:
    """Pale grey hillshade, [H, W, 3], and another tone where nothing burns."""
    light = np.clip(0.55 + 0.31 * carto.hillshade(landscape), 0.0, 1.0)[..., None]
    tone = np.where(landscape.burnable[..., None], 1.0, _BURNS_NOT)
    return np.asarray(np.clip(light * tone, 0.0, 1.0))


def _path(cells: NDArray[np.int64], landscape: Landscape) -> NDArray[np.float64]:
    rows, cols = np.divmod(cells, landscape.shape[1])
    return np.stack([cols, rows], axis=1).astype(np.float64)


def _below(axes: Axes, columns: int) -> dict[str, object]:
    return {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "frameon": False,
            "bbox_transform": carto.points_below(axes, 16.0), "ncols": columns,
            "borderaxespad": 0.0}
