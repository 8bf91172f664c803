"""Real landscapes against FlamMap, and against a mapped fire."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.validation.flammap import QUANTITIES, Agreement, compare
from benchmarks.validation.tables import percent, table
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from firebreak.fire import FireConditions, burn, make_scene
from firebreak.fire.fires import FireRegime, Fires
from firebreak.landscape.formats.read import LandscapeWarning, read_landscape
from firebreak.landscape.formats.tables import read_ignitions
from firebreak.landscape.landscape import Landscape
from firebreak.report.figures.canvas import new_figure
from firebreak.weather.load import weather_of

Mask = NDArray[np.bool_]

TURNS = (0.0, 90.0, 180.0, 270.0)
BOTH, ONLY_FIRE, ONLY_SCAR = "#555555", "#e69f00", "#56b4e9"


def flammap_table(folder: Path) -> str:
    """Shares of the cells within 2 % (10 %) of FlamMap, by how slopes are taken and fire type."""
    rows = []
    for words, whole in (("whole degrees", True), ("percent, as shipped", False)):
        for group, found in compare(folder, whole_degrees=whole).items():
            rows.append((words, f"{group}, {found.cells:,}", *_shares(found)))
    return table(("slopes", "cells", "rate of spread", "intensity", "flame length", "same type",
                  "heading within 1 degree", "greatest difference in rate"), rows)


def _shares(found: Agreement) -> tuple[str, ...]:
    near, far = found.within_2_percent, found.within_10_percent
    within = (f"{_share(near[name])} ({_share(far[name])})" for name in QUANTITIES)
    return (*within, _share(found.same_type), _share(found.heading_within_1_deg),
            percent(found.worst["rate_of_spread_m_min"]))


def _share(part: float) -> str:
    """A share in percent that is 100 only where it is all of it."""
    if part == 1.0:
        return "100 %"
    return f"{min(100.0 * part, 99.99):.{1 if part < 0.995 else 2}f} %"


class Day(NamedTuple):
    """A fire as mapped, and as firebreak burns it in its weather, bool [H, W]; start is a flat
    cell.
    """

    landscape: Landscape
    scar: Mask
    burned: Mask
    start: int


def fire_day(folder: Path, turn_deg: float = 0.0) -> Day:
    """A fire in its folder's own hourly weather, as long as that lasts, with the wind turned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LandscapeWarning)
        land = read_landscape(folder)
    weather = weather_of(folder / "Weather.csv", scenarios=1, hours=None, seed=0)
    turned = (weather.steps.wind_from_deg + turn_deg) % 360.0
    weather = weather._replace(steps=weather.steps._replace(wind_from_deg=turned))
    minutes = weather.steps_per_stream * weather.step_min
    conditions = FireConditions(regime=FireRegime(duration_min=minutes))
    scene = make_scene(land, conditions, 0, weather=weather)
    start = read_ignitions(folder / "Ignitions.csv", land.burnable.size)[:1]
    nought = np.zeros(1, np.int64)
    fires = Fires(start, nought, np.array([minutes]), nought.astype(np.uint64))
    return Day(land, np.loadtxt(folder / "FinalScarGrid.csv") != 0,
               np.isfinite(burn(scene, fires, want="arrival").arrivals_min[0]), int(start[0]))


def overlap(one: Mask, other: Mask) -> float:
    """Cells in both over cells in either."""
    return float((one & other).sum() / (one | other).sum())


def scores(day: Day) -> dict[str, float]:
    """Precision, recall, area and intersection over union of a fire and its scar."""
    both = float((day.burned & day.scar).sum())
    return {"precision": both / float(day.burned.sum()), "recall": both / float(day.scar.sum()),
            "area over the scar's": float(day.burned.sum() / day.scar.sum()),
            "intersection over union": overlap(day.burned, day.scar)}


def arrowhead_table(folder: Path) -> str:
    """Burned cells and overlap with the scar: as the wind blew, and turned."""
    rows = []
    for turn_deg in TURNS:
        words = f"wind turned by {turn_deg:.0f} degrees" if turn_deg else "the day's weather"
        rows.append((words, fire_day(folder, turn_deg)))
    return table(("run", "burned cells", "scar", "intersection over union"),
                 [(words, f"{day.burned.sum():,}", f"{day.scar.sum():,}",
                   f"{overlap(day.burned, day.scar):.2f}") for words, day in rows])


def arrowhead_figure(folder: Path) -> Figure:
    """Cells on which fire and scar agree."""
    day = fire_day(folder)
    kind = np.where(day.burned & day.scar, 1.0, np.where(day.burned, 2.0, 3.0))
    kind = np.ma.masked_where(~(day.burned | day.scar), kind)
    share = overlap(day.burned, day.scar)
    with new_figure(5.6, 5.9, title="A day of the Arrowhead fire", caption=(
            f"intersection over union {share:.2f} · {day.landscape.shape[0]} x "
            f"{day.landscape.shape[1]} cells of {day.landscape.cell_size_m:g} m · pale: fuel, "
            "white: none · nothing is calibrated")) as figure:
        axes = figure.subplots()
        axes.imshow(day.landscape.burnable, cmap=ListedColormap(["#ffffff", "#eef0e6"]))
        axes.imshow(kind, cmap=ListedColormap([BOTH, ONLY_FIRE, ONLY_SCAR]), vmin=0.5, vmax=3.5,
                    interpolation="nearest")
        row, col = divmod(day.start, day.landscape.shape[1])
        axes.plot(col, row, marker="*", color="white", markeredgecolor="black", markersize=15)
        axes.legend(handles=[Patch(color=BOTH, label="burned by both"),
                             Patch(color=ONLY_FIRE, label="by firebreak only"),
                             Patch(color=ONLY_SCAR, label="by the fire only")], loc="upper left")
        axes.set_xticks([])
        axes.set_yticks([])
        return figure
