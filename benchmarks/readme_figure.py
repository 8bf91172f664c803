"""The picture of the README: `firebreak plan sample:santa-ana`, and what that changes.

    python benchmarks/readme_figure.py

draws docs/figures/plan-sample.png and prints the numbers of its caption. Burn probabilities and
the reduction of the expected loss are of 1,000 test fires, which the planner did not see. No policy
was trained on this map.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray
from scipy.ndimage import binary_fill_holes

import firebreak
from firebreak.landscape.landscape import Landscape
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import INK, new_figure, save_figure

MAP = "sample:santa-ana"
OUT = Path(__file__).resolve().parents[1] / "docs" / "figures" / "plan-sample.png"

FUELS = {122: "grass-shrub GS2", 102: "grass GR2", 121: "grass-shrub GS1", 101: "grass GR1",
         184: "timber litter TL4", 147: "shrub SH7", 183: "timber litter TL3",
         186: "timber litter TL6", 142: "shrub SH2"}
"""Names of the fuel models that the legend may list; the rarer ones of the map are left out."""
BURNS_NOT = "#8d9399"
"""Colour of roads, buildings, water and bare ground."""
OUTLINE = "#1a4fd6"


class Shown(NamedTuple):
    """Data of the figure.

    Attributes:
        land: the map.
        cells: of the plan.
        before, after: [H, W], burn probability without and with the plan.
    """

    land: Landscape
    cells: NDArray[np.int64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]


def figure_of(shown: Shown) -> Figure:
    """Fuels with the plan, and burn probability without and with it."""
    land, top = shown.land, float(np.percentile(shown.before[shown.land.burnable], 99.5))
    hectare = land.cell_size_m**2 / 1e4
    title = (f"{shown.cells.size * hectare:.0f} ha of fuel breaks beside a canyon road in the "
             "Santa Ana Mountains, California")
    with new_figure(12.0, 5.7, title=title, caption="") as figure:
        figure.set_layout_engine("constrained", h_pad=0.1)
        panels = figure.subplots(1, 3)
        panels[0].imshow(_fuels(land), interpolation="nearest")
        panels[0].set_title("Fuels and the planned breaks", fontsize=12)
        for axes, values, words in ((panels[1], shown.before, "without breaks"),
                                    (panels[2], shown.after, "with the breaks")):
            image = _draw_probability(axes, land, values, top)
            axes.set_title(f"Burn probability {words}", fontsize=12)
        _draw_wind(panels[1])
        for axes in panels:
            carto.frame_map(axes, land, measures=axes is panels[0])
            axes.contour(_edge(land), levels=[0.5], colors=OUTLINE, linewidths=1.1)
        for axes in (panels[0], panels[2]):
            _draw_breaks(axes, land, shown.cells)
        bar = figure.colorbar(image, ax=panels[1:], location="bottom", shrink=0.6, pad=0.02,
                              aspect=40, extend="max",
                              format=PercentFormatter(1.0, decimals=0))
        bar.set_label("share of the test fires that burn the cell", fontsize=11)
        figure.legend(handles=_legend(land), loc="outside lower center", ncols=5, frameon=False,
                      fontsize=11, columnspacing=1.2, handletextpad=0.5)
        return figure


def _edge(land: Landscape) -> NDArray[np.float64]:
    """1 where breaks may lie and on what does not burn among it, for its outline."""
    rows, cols = land.treatable.any(axis=1), land.treatable.any(axis=0)
    among = ~land.burnable & np.outer(rows, cols)
    return binary_fill_holes(land.treatable | among).astype(np.float64)


def _fuels(land: Landscape) -> NDArray[np.float64]:
    """Fuel colours over relief; what does not burn is grey."""
    rgb = carto.fuel_rgb(land, 0.25)
    rgb[~land.burnable] = to_rgb(BURNS_NOT)
    return rgb


def _draw_probability(axes: Axes, land: Landscape, values: NDArray[np.float64],
                      top: float) -> AxesImage:
    """Burn probability over relief."""
    colours = colormaps["YlOrRd"]
    image = axes.imshow(values, vmin=0.0, vmax=top, cmap=colours)
    rgb = colours(np.clip(values / top, 0.0, 1.0))[..., :3]
    rgb[~land.burnable] = to_rgb(BURNS_NOT)
    light = np.clip(0.55 + 0.45 * carto.hillshade(land), 0.0, 1.08)[..., None]
    axes.imshow(np.clip(rgb * light, 0.0, 1.0), interpolation="nearest")
    return image


def _draw_breaks(axes: Axes, land: Landscape, cells: NDArray[np.int64]) -> None:
    """Breaks in black with a white rim, so that they show on any colour."""
    row, col = np.divmod(cells, land.shape[1])
    for size, colour in ((13.0, "white"), (5.0, "black")):
        axes.scatter(col, row, s=size, marker="s", linewidths=0.0, color=colour, zorder=3)


def _draw_wind(axes: Axes) -> None:
    """An arrow with the wind from the north-east, in the map's corner."""
    axes.annotate("", (0.83, 0.83), (0.93, 0.93), xycoords="axes fraction",
                  arrowprops={"width": 2.5, "headwidth": 10.0, "headlength": 9.0, "color": INK})
    axes.text(0.82, 0.93, "wind", transform=axes.transAxes, ha="right", va="center", fontsize=12)


def _legend(land: Landscape) -> list[Patch]:
    present = [(code, share) for code, share in carto.fuel_shares(land.fuel_model)
               if code in FUELS and share >= 0.01]
    fuels = [Patch(facecolor=np.asarray(carto.fuel_colour(code, land.fuels)) * 0.75 + 0.25,
                   edgecolor=INK, linewidth=0.4, label=f"{FUELS[code]} {share:.0%}")
             for code, share in present]
    return [Patch(facecolor="black", edgecolor="white", label="fuel break"),
            Patch(facecolor=BURNS_NOT, label="road, building, water"),
            Patch(fill=False, edgecolor=OUTLINE, label="wildland edge, where breaks may lie"),
            *fuels]


def main() -> None:
    """Draws it."""
    made = firebreak.plan(MAP)
    effect = made.effect
    assert effect is not None
    land = made.landscape
    shown = Shown(land, made.plan.cells, effect.burn_probability_before,
                  effect.burn_probability_after)
    save_figure(figure_of(shown), OUT)
    saved, burns = effect.reduction, land.burnable
    print(f"{OUT}: {OUT.stat().st_size / 1e3:.0f} kB; {made.plan.label}, {made.plan.cells.size} "
          f"cells; mean loss {effect.mean_loss_before.mean:.1f}, -{saved.mean:.1%} "
          f"({saved.low:.1%} to {saved.high:.1%}); burn probability "
          f"{shown.before[burns].mean():.1%} -> {shown.after[burns].mean():.1%}; "
          f"planned in {made.plan.seconds:.0f} s")
    print(made.comparison)


if __name__ == "__main__":
    main()
