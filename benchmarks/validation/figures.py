"""Figures that need no data: ellipses, a slope, and what breaks do."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from benchmarks.validation.shapes import CELL_M, Shape, area, burned, outline, shape_of
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from firebreak.fire import FireConditions, burn, burn_field, make_scene
from firebreak.fire.behavior_models import fire_behavior
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.fire.fires import FireRegime, Fires
from firebreak.fire.travel.arcs import NO_SPOTS
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.treatments import Treatment
from firebreak.report.figures.canvas import new_figure
from firebreak.weather.scenarios import WeatherScenarios, make_scenarios

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

FIRE, TRUE = "#0072b2", "#d55e00"  # blue and vermillion, apart for every kind of eye
THIRDS = (1 / 3, 2 / 3, 1.0)
GRASS, SHRUBS = 102, 145  # GR2; SH5, here below trees
MANY = 400  # fires where luck matters
LONGER = 1.6  # than the last front that is drawn


def ellipse_figure(size: int = 201) -> Figure:
    """The front on level ground under wind, against the ellipse."""
    shape, minutes = shape_of(3.0, 66.0), 0.36 * size * CELL_M / 10.0
    with new_figure(6.2, 4.2, title="Uniform fuel, three times as long as wide", caption=(
            f"cells of {CELL_M:g} m · head 10 m/min towards 66 degrees · after "
            f"{', '.join(f'{minutes * part:.0f}' for part in THIRDS)} min")) as figure:
        axes = figure.subplots()
        arrival = burned(shape, size, LONGER * minutes)
        share = (arrival <= minutes).sum() * CELL_M**2 / area(shape, minutes)
        draw_fronts(axes, arrival, shape, minutes)
        axes.set_title(f"{100.0 * share:.0f} % of the ellipse's area")
        axes.set(xlim=(-0.3, 2.2), ylim=(-0.3, 1.2))
        front_legend(figure)
        return figure


def slope_figure(size: int = 161) -> Figure:
    """Grass on a slope of 60 %: without wind, and in a wind across the slope."""
    slope, aspect = 0.6, 180.0
    land = plain(size, GRASS, slope_tan=slope, aspect_deg=aspect)
    with new_figure(9.2, 5.6, title="Grass on a slope of 60 %", caption=(
            f"GR2, cells of {CELL_M:g} m · the way up is north · fronts at thirds of the time · "
            "dotted: the last one if the rate on the ground were the rate on the map")) as figure:
        for axes, wind_km_h, words in zip(figure.subplots(1, 2, sharey=True), (0.0, 12.0), (
                "no wind", "12 km/h from the west"), strict=True):
            found = fire_behavior(land, weather(wind_km_h, 270.0))
            head, back, flank, heading = (float(grid[0, 0, 0]) for grid in found[:4])
            shape = Shape(head, back, flank, heading, slope, aspect)
            minutes = 0.36 * size * CELL_M / shape.head
            draw_fronts(axes, burned(shape, size, LONGER * minutes), shape, minutes)
            east, north = outline(shape._replace(slope_tan=0.0), minutes)
            axes.plot(east / 1e3, north / 1e3, ":", color="#444444", linewidth=1.4)
            axes.set_title(f"{words}: {shape.head:.1f} m/min")
            axes.set(xlim=(-1.0, 1.5), ylim=(-0.5, 1.9))
        front_legend(figure)
        return figure


def draw_fronts(axes: Axes, arrival: Floats, shape: Shape, minutes: float) -> None:
    """Fronts of a burned map and of the closed form, at thirds of the time."""
    half = arrival.shape[0] // 2
    place = (np.arange(arrival.shape[0]) - half) * CELL_M / 1e3
    late = np.where(np.isfinite(arrival), arrival, 2.0 * minutes)
    axes.contour(place, -place, late, [part * minutes for part in THIRDS], colors=FIRE,
                 linewidths=2.4)
    for part in THIRDS:
        east, north = outline(shape, part * minutes)
        axes.plot(east / 1e3, north / 1e3, "--", color=TRUE, linewidth=1.5)
    axes.plot(0, 0, "k+", markersize=9, markeredgewidth=1.6)
    axes.set_aspect("equal")
    axes.grid(alpha=0.25)
    axes.set_xlabel("km east of the ignition")
    axes.set_ylabel("km north")
    axes.label_outer()


def front_legend(figure: Figure) -> None:
    """Legend of the lines of `draw_fronts`, beside the title."""
    figure.legend(handles=[Line2D([], [], color=FIRE, linewidth=2.4, label="firebreak"),
                           Line2D([], [], color=TRUE, linestyle="--", label="closed form")],
                  loc="upper right", ncols=2, frameon=False)


class Panel(NamedTuple):
    """One picture of breaks: what it says, the breaks, the rules that hold, the fuel."""

    title: str
    breaks: Mask
    conditions: FireConditions
    fuel: int = GRASS


def breaks_figure(size: int = 41) -> Figure:
    """Breaks that hold, that leak, that are breached, and that embers cross."""
    with new_figure(9.6, 7.3, title="What a break does", caption=(
            f"{size} x {size} cells of {CELL_M:g} m · wind from the west · + where the fire starts "
            "· colour: time of arrival, dark is early · pale: unburned · last two: the one "
            f"of {MANY} fires that gets furthest")) as figure:
        for axes, panel in zip(figure.subplots(2, 3).flat, panels(size), strict=True):
            draw_panel(axes, panel)
        return figure


def panels(size: int) -> list[Panel]:
    """The six panels of `breaks_figure`."""
    hard = FireConditions(regime=FireRegime(duration_min=1.0))
    line, gap = np.zeros((size, size), bool), np.zeros((size, size), bool)
    line[:, size // 2] = True
    gap[:] = line
    gap[size // 2, size // 2] = False
    diagonal = np.eye(size, dtype=bool)[::-1]
    narrow = replace(hard, treatment=Treatment(width_m=5.0), breach="wilson")
    embers = replace(hard, spotting=SpottingModel())
    return [Panel("A line holds.", line, hard),
            Panel("One cell is missing: fire passes.", gap, hard),
            Panel("A diagonal holds.", diagonal, hard),
            Panel("The same where breaks leak.", diagonal, replace(hard, leak=True)),
            Panel("5 m strip, Wilson's rule", line, narrow),
            Panel("Embers of a crown fire", line, embers, SHRUBS)]


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Arrival times of one fire; where luck matters, of the one that gets furthest."""
    size = panel.breaks.shape[0]
    start = (size // 2) * size + size // 8
    lucky = panel.conditions.breach != "never" or panel.conditions.spotting is not None
    shown, crossed = one_fire(panel, start, MANY if lucky else 1)
    axes.imshow(np.ma.masked_invalid(shown), cmap="viridis", interpolation="nearest")
    axes.imshow(np.ma.masked_equal(panel.breaks, False), cmap=ListedColormap(["#111111"]),
                interpolation="nearest")
    axes.plot(start % size, start // size, "w+", markersize=9, markeredgewidth=1.8)
    share = f": {100.0 * crossed:.0f} % cross" if lucky else ""
    axes.set_title(f"{panel.title}{share}")
    axes.set_facecolor("#e4e4e4")
    axes.set_xticks([])
    axes.set_yticks([])


def one_fire(panel: Panel, start: int, count: int) -> tuple[Floats, float]:
    """(arrival times of the fire of `count` that gets furthest, the share that crosses the middle).

    Fires burn a third longer than one without breaks takes to the far side.
    """
    land = plain(panel.breaks.shape[0], panel.fuel)
    wind_km_h = 40.0 if panel.fuel == SHRUBS else 20.0
    scene = make_scene(land, panel.conditions, 0, weather=weather(wind_km_h, 270.0))
    calm = scene.field._replace(spots=NO_SPOTS)
    free = burn_field(calm, fires(start, 1), want="arrival").arrivals_min[0]
    minutes = 4.0 / 3.0 * float(free[:, -1].min())
    found = burn(scene, fires(start, count, minutes), panel.breaks, want="arrival").arrivals_min
    beyond = np.any(np.isfinite(found[:, :, land.shape[1] // 2 + 1:]), axis=1)
    return found[int(beyond.sum(axis=1).argmax())], float(beyond.any(axis=1).mean())


def fires(start: int, count: int, minutes: float = np.inf) -> Fires:
    """`count` fires from one cell, each with its own luck."""
    return Fires(np.full(count, start), np.zeros(count, np.int64), np.full(count, minutes),
                 np.arange(count, dtype=np.uint64))


def weather(wind_20ft_km_h: float, wind_from_deg: float) -> WeatherScenarios:
    """One dry scenario."""
    return make_scenarios(
        wind_20ft_m_min=wind_20ft_km_h * 1000.0 / 60.0, wind_from_deg=wind_from_deg,
        dead_moisture_1h=0.05, dead_moisture_10h=0.06, dead_moisture_100h=0.07,
        live_moisture_herb=0.3, live_moisture_woody=0.7)


def plain(size: int, fuel: int, slope_tan: float = 0.0, aspect_deg: float = 0.0) -> Landscape:
    """A map of one fuel on a plane; shrubs stand below crowns that burn."""
    trees = float(fuel == SHRUBS)
    grids: dict[str, Any] = {name: np.full((size, size), value) for name, value in {
        "elevation_m": 0.0, "slope_tan": slope_tan, "aspect_deg": aspect_deg,
        "canopy_cover": 0.5 * trees, "canopy_height_m": 18.0 * trees,
        "canopy_base_height_m": 1.5 * trees, "canopy_bulk_density_kg_m3": 0.15 * trees,
        "value": 1.0, "cost": 1.0, "treatable": True}.items()}
    return Landscape(name="a plane", fuel_model=np.full((size, size), fuel), cell_size_m=CELL_M,
                     transform=(CELL_M, 0.0, 0.0, 0.0, -CELL_M, 0.0), **grids)
