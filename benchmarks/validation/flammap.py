"""Cell by cell against FlamMap on a real landscape: Worcester Range, Vermont, without wind.

    .venv/bin/python benchmarks/validation/flammap.py FOLDER [OUT.png]

FOLDER holds LANDFIRE layers and `flammap_reference/`, the results of a FlamMap run with Finney's
crown fire: dead moistures 6, 8 and 10 %, live herbs 75 %, live wood 60 %, foliage 120 %. FlamMap
stores slopes in whole degrees; the numbers are given for slopes as shipped, in percent, and for the
same rounded to whole degrees. With OUT.png a map of the differences is written.
"""

import sys
import warnings
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
import rasterio
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from PIL import Image

from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior_models import fire_behavior
from firebreak.landscape.formats.read import LandscapeWarning, read_landscape
from firebreak.landscape.landscape import Landscape
from firebreak.units import KW_M_PER_BTU_FT_S, M_MIN_PER_CHAIN_HOUR, METRES_PER_FOOT
from firebreak.weather.scenarios import make_scenarios

WEATHER = make_scenarios(
    wind_20ft_m_min=0.0, wind_from_deg=0.0, dead_moisture_1h=0.06, dead_moisture_10h=0.08,
    dead_moisture_100h=0.10, live_moisture_herb=0.75, live_moisture_woody=0.60,
    foliar_moisture=1.20)
GROUPS = {"all": (1, 2, 3), "surface": (1,), "passive crown": (2,), "active crown": (3,)}
QUANTITIES = ("rate_of_spread_m_min", "fireline_intensity_kw_m", "flame_length_m")


class Agreement(NamedTuple):
    """Agreement of firebreak with FlamMap in one group of cells.

    Attributes:
        cells: cells of the group, by FlamMap's fire type.
        same_type: share of them with the same fire type.
        within_2_percent: by quantity, share of them.
        within_10_percent: by quantity, share of them.
        worst: by quantity, greatest relative difference.
        heading_within_1_deg: share of the cells that have a slope.
    """

    cells: int
    same_type: float
    within_2_percent: dict[str, float]
    within_10_percent: dict[str, float]
    worst: dict[str, float]
    heading_within_1_deg: float


def flammap_results(folder: Path) -> dict[str, np.ndarray]:
    """FlamMap's results [H, W] in firebreak's units, with `fire_type` and `heading_deg`."""
    def layer(name: str) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.open(folder / "flammap_reference" / f"{name}.tif") as file:
                return file.read(1).astype(np.float64)

    return {"rate_of_spread_m_min": layer("ROS_ch_hr") * M_MIN_PER_CHAIN_HOUR,
            "fireline_intensity_kw_m": layer("FLI_BTU_ft-s") * KW_M_PER_BTU_FT_S,
            "flame_length_m": layer("FL_ft") * METRES_PER_FOOT,
            "fire_type": layer("fire_type"),
            "heading_deg": np.degrees(layer("max_spread_direction_radians"))}


def flammap_landscape(folder: Path, whole_degrees: bool) -> Landscape:
    """The landscape with slope and aspect as shipped; slopes rounded to degrees if asked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LandscapeWarning)
        land = read_landscape(folder, terrain="shipped")
    if not whole_degrees:
        return land
    degrees = np.round(np.degrees(np.arctan(land.slope_tan.astype(np.float64))))
    return replace(land, slope_tan=np.tan(np.radians(degrees)))


def agreement(found: FireBehavior, expected: dict[str, np.ndarray],
              sloping: np.ndarray) -> dict[str, Agreement]:
    """Agreement by group of cells that the map has; `sloping` [H, W] says where there is a heading.
    """
    groups = {group: np.isin(expected["fire_type"], types) for group, types in GROUPS.items()}
    return {group: _of_cells(found, expected, sloping, cells) for group, cells in groups.items()
            if cells.any()}


def _of_cells(found: FireBehavior, expected: dict[str, np.ndarray], sloping: np.ndarray,
              cells: np.ndarray) -> Agreement:
    off = {name: np.abs(getattr(found, name)[0][cells] / expected[name][cells] - 1.0)
           for name in QUANTITIES}
    headed = cells & sloping
    turn = found.heading_deg[0][headed] - expected["heading_deg"][headed]
    return Agreement(
        cells=int(cells.sum()),
        same_type=float((found.fire_type[0] == expected["fire_type"])[cells].mean()),
        within_2_percent={name: float((part <= 0.02).mean()) for name, part in off.items()},
        within_10_percent={name: float((part <= 0.10).mean()) for name, part in off.items()},
        worst={name: float(part.max()) for name, part in off.items()},
        heading_within_1_deg=float((np.abs((turn + 180.0) % 360.0 - 180.0) <= 1.0).mean()))


def compare(folder: Path, whole_degrees: bool) -> dict[str, Agreement]:
    """Agreement with FlamMap on the landscape in `folder`, by group of cells."""
    land = flammap_landscape(folder, whole_degrees)
    return agreement(fire_behavior(land, WEATHER), flammap_results(folder), land.slope_tan > 0.0)


def difference_map(folder: Path) -> Figure:
    """Fire types, rate of spread and its difference for both ways to take the slope."""
    expected = flammap_results(folder)
    rate = expected["rate_of_spread_m_min"]
    burning = expected["fire_type"] > 0
    figure = Figure(figsize=(10.0, 6.0), layout="constrained")
    axes = figure.subplots(2, 2)
    types = axes[0, 0].imshow(
        np.ma.masked_where(~burning, expected["fire_type"]), vmin=0.5, vmax=3.5,
        cmap=ListedColormap(["#d9d9d9", "#f28e2b", "#b2182b"]), interpolation="nearest")
    bar = figure.colorbar(types, ax=axes[0, 0], ticks=[1, 2, 3], shrink=0.62)
    bar.ax.set_yticklabels(["surface", "passive", "active"])
    axes[0, 0].set_title("FlamMap's fire type")
    image = axes[0, 1].imshow(np.ma.masked_where(~burning, rate), vmax=2.0, cmap="inferno")
    figure.colorbar(image, ax=axes[0, 1], shrink=0.62, extend="max", label="m/min")
    axes[0, 1].set_title("FlamMap's rate of spread")
    for axis, whole, title in ((axes[1, 0], False, "Slopes in percent"),
                               (axes[1, 1], True, "Slopes in whole degrees")):
        found = fire_behavior(flammap_landscape(folder, whole), WEATHER).rate_of_spread_m_min[0]
        off = np.where(burning, found / np.where(burning, rate, 1.0) - 1.0, np.nan)
        _draw_difference(axis, 100.0 * off, title)
    for axis in axes.flat:
        axis.set_xticks([])
        axis.set_yticks([])
        axis.set_facecolor("white")
    return figure


def _draw_difference(axis: Axes, off_percent: np.ndarray, title: str) -> None:
    """One map of differences; nan where nothing burns."""
    image = axis.imshow(np.ma.masked_invalid(off_percent), vmin=-4.0, vmax=4.0,
                        cmap=matplotlib.colormaps["RdBu_r"].resampled(17), interpolation="nearest")
    axis.figure.colorbar(image, ax=axis, shrink=0.62, label="difference in rate, %")
    close = np.mean(np.abs(off_percent[np.isfinite(off_percent)]) <= 2.0)
    axis.set_title(f"{title}: {100.0 * close:.0f} % within 2 %")


def write_map(figure: Figure, path: Path) -> None:
    """Writes a PNG of 96 colours: the speckle of rounded slopes is large in true colour. The
    figure is empty afterwards.
    """
    picture = BytesIO()
    figure.savefig(picture, dpi=90)
    figure.clear()
    Image.open(picture).convert("RGB").quantize(96, dither=Image.Dither.NONE).save(
        path, format="PNG", optimize=True)


def main() -> None:
    """Prints the table and writes the map."""
    folder = Path(sys.argv[1])
    for whole in (False, True):
        print(f"slopes {'rounded to whole degrees' if whole else 'as shipped, in percent'}")
        for group, found in compare(folder, whole).items():
            print(f"  {group:<13} {found.cells:>6} cells, same type {found.same_type:.4f}, "
                  f"heading within 1 degree {found.heading_within_1_deg:.4f}")
            for name in QUANTITIES:
                print(f"    {name:<24} within 2 % {found.within_2_percent[name]:.4f}, "
                      f"10 % {found.within_10_percent[name]:.4f}, worst {found.worst[name]:.2%}")
    if len(sys.argv) > 2:
        write_map(difference_map(folder), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
