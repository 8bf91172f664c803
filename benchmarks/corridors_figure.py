"""Draws docs/figures/corridors.png: plans of corridors and of cells on three districts, over
hillshade.

    python benchmarks/corridors_figure.py --data FOLDER --records outputs/corridors

reads the records of `benchmarks/corridors.py` with the least budget of each district.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from corridors import CELLS, DISTRICTS, WHOLE, district
from mosaic_figure import write_small

from firebreak.api.plans.request import read_request
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.windows import Window
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import new_figure

FIGURE = Path(__file__).resolve().parents[1] / "docs" / "figures" / "corridors.png"
PLANS = {WHOLE: "corridors", f"{CELLS[1]}, cells": "cells"}
NAMES = {"santa-ana": "Santa Ana, 30 m", "bitterroot": "Bitterroot, 30 m", "otay": "Otay, 90 m"}
COLOURS = {"route": "#8c0b72", "straight": "#8c0b72", "cut": "#d55e00"}
"""Colours of parts by kind; all others are green."""
MARGIN, SHADES = 4, 20


def draw(axes: Axes, land: Landscape, window: Window, parts: list[Any]) -> None:
    """A plan's cells over hillshade, bare ground and houses."""
    part = window.of(land)
    shade = np.round((0.45 + 0.5 * carto.hillshade(part)) * SHADES) / SHADES
    axes.imshow(shade, cmap="gray", vmin=0.0, vmax=1.0, interpolation="nearest")
    axes.imshow(np.where(part.burnable, np.nan, 1.0), cmap="Blues", vmin=0.0, vmax=3.5,
                interpolation="nearest")
    dot = 72.0 * axes.get_window_extent().width / axes.figure.dpi / window.cols
    for kind, *_, cells in parts:
        row, col = np.divmod(np.array(cells), land.shape[1])
        axes.plot(col - window.col, row - window.row, "s", color=COLOURS.get(kind, "#009e73"),
                  markersize=1.3 * dot, markeredgewidth=0.0)
    row, col = np.nonzero(part.value)
    axes.plot(col, row, "k^", markersize=2.2, markeredgewidth=0.0)
    axes.set(xlim=(0, window.cols), ylim=(window.rows, 0))
    carto.frame_map(axes, part)


def main() -> None:
    """Draws the figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--records", type=Path, default=Path("outputs/corridors"))
    parser.add_argument("--out", type=Path, default=FIGURE)
    given = parser.parse_args()
    caption = ("Houses: triangles · bare ground and water: blue · routes purple, rings "
               "and cuts red, cells of downstream-value green · share saved, at equal money")
    title = "Plans that can be built, and cells"
    with new_figure(10.4, 8.0, title=title, caption=caption) as figure:
        panels = figure.subplots(2, len(DISTRICTS))
        figure.canvas.draw()
        for column, name in zip(panels.T, DISTRICTS, strict=True):
            record = json.loads(min(given.records.glob(f"{name}-*.json")).read_text("utf-8"))
            rows = {row["plan"]: row for row in record["rows"]}
            area = read_request(*district(name, given.data)).area
            (top, bottom), (left, right) = (map(int, own.split(":"))
                                            for own in DISTRICTS[name][1].split(","))
            window = Window(top - area.offset[0] - MARGIN, left - area.offset[1] - MARGIN,
                            bottom - top + 2 * MARGIN, right - left + 2 * MARGIN)
            for axes, (plan, words) in zip(column, PLANS.items(), strict=True):
                draw(axes, area.anywhere, window, record["cells"][plan])
                axes.set_title(f"{NAMES[name]}, {words}: {rows[plan]['pieces']} pieces, "
                               f"{rows[plan]['saved']:.0%}", fontsize=8)
        write_small(figure, given.out)


if __name__ == "__main__":
    main()
