"""Draws docs/figures/mosaic_plan.png: a plan of a large map, whole and at two closer views.

    python -m benchmarks.mosaic_figure LANDSCAPE PLAN --out docs/figures/mosaic_plan.png
"""

import argparse
import io
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import uniform_filter

from firebreak.files import write_bytes
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window
from firebreak.planning.core.plan import Plan
from firebreak.planning.output.export import read_plan
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import new_figure, save_figure

SIDES = (500, 100)
"""Cells along a side of the closer views."""
_DIM, _COLOURS, _SEEN_PT = 0.55, 160, 0.9


def views(breaks: NDArray[np.bool_]) -> list[Window]:
    """The whole map, and in each view the closer one that holds most breaks."""
    found = [Window(0, 0, *breaks.shape)]
    for side in SIDES:
        outer = found[-1]
        count = uniform_filter(breaks[outer.slices].astype(np.float64), side, mode="constant")
        half = side // 2
        inner = count[half:outer.rows - half + 1, half:outer.cols - half + 1]
        row, col = np.unravel_index(int(np.argmax(inner)), inner.shape)
        found.append(Window(outer.row + int(row), outer.col + int(col), side, side))
    return found


def mosaic_figure(landscape: Landscape, plan: Plan) -> Figure:
    """Fuels and breaks in three views, each of the closer ones outlined in the one before."""
    breaks = plan.break_mask()
    windows = views(breaks)
    rows, cols = landscape.shape
    caption = (f"{rows:,} x {cols:,} cells of {landscape.cell_size_m:g} m, patches of four "
               f"LANDFIRE maps, mirrored and shifted · {plan.cells.size:,} cells, "
               f"{plan.budget_share:.0%} of what can be treated")
    with new_figure(12.6, 5.0, title="A plan by windows", caption=caption) as figure:
        panels = figure.subplots(1, 3)
        for axes, window in zip(panels, windows, strict=True):
            part = window.of(landscape)
            axes.imshow(carto.fuel_rgb(part, _DIM), interpolation="nearest")
            carto.frame_map(axes, part)
            _draw(axes, part, breaks[window.slices])
            axes.set_title(f"{window.cols:,} cells, {window.cols * landscape.cell_size_m / 1000:g} "
                           "km across")
        for axes, (outer, inner) in zip(panels, pairwise(windows), strict=False):
            axes.add_patch(Rectangle(
                (inner.col - outer.col - 0.5, inner.row - outer.row - 0.5), inner.cols, inner.rows,
                fill=False, edgecolor="#e31a1c", linewidth=1.6, zorder=4))
        for axes in panels[1:]:
            for spine in axes.spines.values():
                spine.set(color="#e31a1c", linewidth=1.6)
        return figure


def _draw(axes: Axes, part: Landscape, breaks: NDArray[np.bool_]) -> None:
    """Cells as they are; on the larger views marks that are just wide enough to be seen."""
    if max(part.shape) <= min(SIDES):
        carto.draw_breaks(axes, part, np.flatnonzero(breaks))
        return
    row, col = np.nonzero(breaks)
    axes.scatter(col, row, s=_SEEN_PT**2, marker="s", linewidths=0.0, color="black", zorder=3)


def write_small(figure: Figure, path: Path) -> None:
    """Save a PNG of few colours."""
    save_figure(figure, path)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    content = io.BytesIO()
    small.save(content, format="PNG", optimize=True)
    write_bytes(path, content.getvalue())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("landscape")
    parser.add_argument("plan", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/figures/mosaic_plan.png"))
    given = parser.parse_args()
    landscape = read_landscape(given.landscape)
    write_small(mosaic_figure(landscape, read_plan(given.plan, landscape)), given.out)


if __name__ == "__main__":
    main()
