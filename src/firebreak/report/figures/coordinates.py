"""The place of a map: coordinates along its edges, and small maps of where it lies.

The outlines of the countries are Natural Earth's, 1:110 million, in the public domain
(`scripts/make_outlines.py`).
"""

from functools import cache
from importlib.resources import files
from math import cos, floor, log10, radians
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedFormatter, FixedLocator
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.degrees import centre_of, degrees_in_words, place_of_points
from firebreak.report.figures.canvas import INK, QUIET
from firebreak.report.figures.cartography import hillshade

_TICKS = 4  # along a side, about
_AROUND_DEG = 14.0  # latitude that the map of countries shows to either side
_MOST_PART = 0.6  # share of the whole map above which a part is not shown in it
_HERE = "#d0006f"


class Whole(NamedTuple):
    """The map that a part was cut out of, and the row and column of the part's first cell."""

    landscape: Landscape
    offset: tuple[int, int]


def draw_coordinates(axes: Axes, landscape: Landscape) -> None:
    """Ticks at round coordinates of the landscape's reference system, in km, on top and left."""
    rows, cols = landscape.shape
    x, y = place_of_points(landscape, [0.0, rows], [0.0, cols])
    if landscape.transform[1] or landscape.transform[3]:  # a map that is turned has none
        return
    metres = landscape.cell_size_m / abs(landscape.transform[0])  # in a unit of the system
    for axis, ends, count in ((axes.xaxis, x, cols), (axes.yaxis, y, rows)):
        km = ends * metres / 1000.0
        places = round_numbers(float(min(km)), float(max(km)))
        at = [(place - km[0]) / (km[1] - km[0]) * count - 0.5 for place in places]
        axis.set_major_locator(FixedLocator(at))
        axis.set_major_formatter(FixedFormatter([_km(place, places) for place in places]))
    axes.xaxis.tick_top()
    axes.tick_params(length=3.0, labelsize=7.5, colors=QUIET, pad=1.5)
    for label in axes.yaxis.get_ticklabels():
        label.set(rotation=90, va="center")
    # Above numbers that stand at the corner.
    axes.annotate("km", (0.0, 1.0), xycoords="axes fraction", xytext=(-4.0, 14.0),
                  textcoords="offset points", fontsize=7.5, color=QUIET, ha="right", va="bottom")


def round_numbers(low: float, high: float) -> list[float]:
    """About _TICKS round numbers between two, at least two of them."""
    rough = (high - low) / _TICKS
    power = 10.0 ** floor(log10(rough))
    steps = [k * power for k in (10.0, 5.0, 2.0, 1.0, 0.5) if k * power < 2.5 * rough * 1.001]
    return next(found for step in steps if len(found := _multiples(step, low, high)) > 1)


def _multiples(step: float, low: float, high: float) -> list[float]:
    first = int(np.ceil(low / step - 1e-9))
    last = int(np.floor(high / step + 1e-9))
    return [k * step for k in range(first, last + 1)]


def _km(place: float, among: list[float]) -> str:
    step = among[1] - among[0] if len(among) > 1 else max(abs(place), 1.0)
    return f"{place:,.{max(0, -floor(log10(step) + 1e-9))}f}"


def can_locate(landscape: Landscape, whole: Whole | None) -> bool:
    """True where the map lies at known coordinates or in a larger map."""
    return centre_of(landscape) is not None or _is_part(landscape, whole)


def draw_locators(axes: Axes, landscape: Landscape, whole: Whole | None) -> None:
    """Draws the place of the map among countries and, of a part, in the whole map."""
    axes.axis("off")
    centre, part = centre_of(landscape), _is_part(landscape, whole)
    width = 0.47 if centre is not None and part else 0.8
    if centre is not None:
        _draw_countries(axes.inset_axes((0.0, 0.12, width, 0.82)), centre)
        axes.text(0.0, 0.0, degrees_in_words(centre), transform=axes.transAxes, fontsize=8.5,
                  color=INK, va="bottom")
    if part and whole is not None:
        _draw_whole(axes.inset_axes((1.0 - width if centre is not None else 0.0, 0.12, width,
                                     0.82)), landscape, whole)


def _is_part(landscape: Landscape, whole: Whole | None) -> bool:
    return whole is not None and (landscape.fuel_model.size
                                  <= _MOST_PART * whole.landscape.fuel_model.size)


def _draw_countries(axes: Axes, centre: tuple[float, float]) -> None:
    east, north = centre
    wide = _AROUND_DEG / max(cos(radians(north)), 0.2)
    axes.add_collection(PolyCollection(outlines_near(east, wide), facecolors="#e8e4da",
                                       edgecolors="#8f8f88", linewidths=0.5))
    axes.plot([east], [north], marker="s", markersize=6, color=_HERE, markeredgecolor="white")
    axes.set(xlim=(east - wide, east + wide), ylim=(north - _AROUND_DEG, north + _AROUND_DEG),
             xticks=[], yticks=[], facecolor="#dbe8f0", aspect=1.0 / max(cos(radians(north)), 0.2))
    axes.spines[:].set(color=QUIET, linewidth=0.6)


def _draw_whole(axes: Axes, landscape: Landscape, whole: Whole) -> None:
    axes.imshow(hillshade(whole.landscape), cmap="gray", vmin=0.0, vmax=1.6,
                interpolation="nearest")
    (top, left), (rows, cols) = whole.offset, landscape.shape
    axes.add_patch(Rectangle((left - 0.5, top - 0.5), cols, rows, fill=False, edgecolor=_HERE,
                             linewidth=1.8))
    axes.set(xticks=[], yticks=[], anchor="W")


def outlines_near(east: float, wide: float) -> list[NDArray[np.float64]]:
    """Outlines of countries [n, 2] within `wide` degrees of a longitude, over the date line too."""
    found = []
    for ring in country_outlines():
        for turn in (-360.0, 0.0, 360.0):
            moved = ring + np.array([turn, 0.0])
            if moved[:, 0].max() >= east - wide and moved[:, 0].min() <= east + wide:
                found.append(moved)
    return found


@cache
def country_outlines() -> list[NDArray[np.float64]]:
    """Longitudes and latitudes of the outlines of countries, degrees, [n, 2] each."""
    with (files("firebreak.report.figures") / "countries.npz").open("rb") as file, np.load(
            file) as kept:
        points, starts = kept["centidegrees"] / 100.0, kept["starts"]
    return [np.asarray(ring) for ring in np.split(points, starts[1:])]
