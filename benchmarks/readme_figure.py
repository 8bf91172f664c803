"""The picture of the README: a plan on a LANDFIRE map of the Santa Ana Mountains, California.

    python benchmarks/readme_figure.py --data FOLDER

draws docs/figures/plan-santa-ana.png and prints the numbers of its caption. FOLDER (or
FIREBREAK_DATA) holds the folder `landfire-santa-ana-ca`. No policy was trained on this map. Burn
probabilities and the reduction of the expected loss are of 1,000 test fires, which the planner did
not see.
"""

import argparse
import os
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from firebreak.agent.policy_file import load_policy
from firebreak.fire.scene import FireConditions, make_scene
from firebreak.landscape.formats.assemble import LandscapeWarning
from firebreak.landscape.formats.read import read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import plan_area
from firebreak.planning.core.break_segments import break_segments_of
from firebreak.planning.evaluation.effect import effect_of, reductions
from firebreak.planning.methods import make_plan
from firebreak.report.figures import cartography as carto
from firebreak.report.figures.canvas import INK, new_figure, save_figure
from firebreak.weather.scenarios import WindClimate

MAP = "landfire-santa-ana-ca"
ROWS, COLS, MARGIN = slice(240, 368), slice(150, 278), 16
WIND_20FT_KM_H, WIND_FROM_DEG = 30.0, 45.0
BUDGET, PLAN_FIRES, TEST_FIRES, METHOD, SEED = 0.03, 256, 1000, "dqn-lookahead", 0
OUT = Path(__file__).resolve().parents[1] / "docs" / "figures" / "plan-santa-ana.png"

FUELS = {122: "grass-shrub GS2", 102: "grass GR2", 121: "grass-shrub GS1", 101: "grass GR1",
         184: "timber litter TL4", 147: "shrub SH7", 183: "timber litter TL3",
         186: "timber litter TL6", 142: "shrub SH2"}
"""Names of the fuel models that the legend may list; the rarer ones of the map are left out."""
BURNS_NOT = "#8d9399"
"""Colour of roads, buildings, water and bare ground."""
OUTLINE = "#1a4fd6"


class Shown(NamedTuple):
    """What the figure shows.

    Attributes:
        land: the area and its margin.
        area: (row, col, rows, cols) of the area in it.
        cells: of the plan.
        before, after: [H, W], burn probability without and with the plan.
        saved: reduction of the expected loss with the ends of its 95 % interval.
        hours: median duration of a fire.
        seconds: that planning took.
    """

    land: Landscape
    area: tuple[int, int, int, int]
    cells: NDArray[np.int64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    saved: tuple[float, float, float]
    hours: float
    seconds: float


def planned(data: Path) -> Shown:
    """Plans and burns the test fires."""
    with warnings.catch_warnings():
        # The file's slope and aspect are worse than those derived from its elevation.
        warnings.simplefilter("ignore", LandscapeWarning)
        full = read_landscape(data / MAP)
    land, (top, left) = plan_area(full, ROWS, COLS, MARGIN)
    speed = WIND_20FT_KM_H * 1000.0 / 60.0
    climate = WindClimate(dominant_from_deg=WIND_FROM_DEG, wind_20ft_mean_m_min=speed,
                          wind_20ft_spread_m_min=0.45 * speed)
    scene = make_scene(land, FireConditions(climate=climate), SEED)
    plan = make_plan(scene, BUDGET, PLAN_FIRES, METHOD, seed=SEED, policy=load_policy())
    effect = effect_of(scene, break_segments_of(plan.break_mask(), land), TEST_FIRES)
    saved = reductions(effect, SEED)[-1]
    area = (ROWS.start - top, COLS.start - left, ROWS.stop - ROWS.start, COLS.stop - COLS.start)
    return Shown(land, area, plan.cells, effect.before, effect.after,
                 (saved.mean, saved.low, saved.high), scene.median_duration_min / 60.0,
                 plan.seconds)


def figure_of(shown: Shown) -> Figure:
    """Fuels with the plan, and burn probability without and with it."""
    land, top = shown.land, float(np.percentile(shown.before[shown.land.burnable], 99.5))
    hectare = land.cell_size_m**2 / 1e4
    row, col, rows, cols = shown.area
    title = (f"{shown.cells.size * hectare:.0f} ha of fuel breaks in {rows * cols * hectare:,.0f} "
             "ha of the Santa Ana Mountains, California")
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
            axes.add_patch(Rectangle((col - 0.5, row - 0.5), cols, rows, fill=False,
                                     edgecolor=OUTLINE, linewidth=1.3, linestyle=(0, (4, 2))))
        for axes in (panels[0], panels[2]):
            _draw_breaks(axes, land, shown.cells)
        bar = figure.colorbar(image, ax=panels[1:], location="bottom", shrink=0.6, pad=0.02,
                              aspect=40, extend="max",
                              format=PercentFormatter(1.0, decimals=0))
        bar.set_label("share of the test fires that burn the cell", fontsize=11)
        figure.legend(handles=_legend(land), loc="outside lower center", ncols=5, frameon=False,
                      fontsize=11, columnspacing=1.2, handletextpad=0.5)
        return figure


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
            Patch(fill=False, edgecolor=OUTLINE, linestyle="--", label="planning area"), *fuels]


def main() -> None:
    """Draws it."""
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("FIREBREAK_DATA"),
                         help="folder of landscapes")
    args = options.parse_args()
    if args.data is None:
        options.error("--data or FIREBREAK_DATA must name the folder of landscapes")
    shown = planned(Path(args.data))
    save_figure(figure_of(shown), OUT)
    value, low, high = shown.saved
    print(f"{OUT}: {OUT.stat().st_size / 1e3:.0f} kB; {shown.cells.size} cells; expected loss "
          f"-{value:.1%} ({low:.1%} to {high:.1%}); burn probability "
          f"{shown.before[shown.land.burnable].mean():.1%} -> "
          f"{shown.after[shown.land.burnable].mean():.1%}; median duration {shown.hours:.1f} h; "
          f"planned in {shown.seconds:.0f} s")


if __name__ == "__main__":
    main()
