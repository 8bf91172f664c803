"""Data of the explorer page: maps packed as text, plans, answers to its questions.

Grids travel as 16-bit whole numbers in base64, with a scale and an offset; 65535 is no number.
"""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak import __version__
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.degrees import degrees_of
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.evaluation.intervals import FireGroups
from firebreak.report.explorer.plans import Exploration, ShownPlan
from firebreak.report.explorer.queries import BOUNDS, EditedBreaks
from firebreak.report.explorer.state import ExplorerState, LitFire, Outcome, Wind
from firebreak.report.figures.canvas import colour_of
from firebreak.report.figures.cartography import fuel_colour, fuel_shares, hillshade, place_of
from firebreak.report.words import how_fires_end, what_breaks_do

NO_NUMBER, _TOP = 65_535, 65_534
_BRIGHT = 128.0  # of level ground, in bytes
DEGREE_POINTS = 9
"""Points along a side of the map whose degrees a page is given; between them it interpolates."""
MOST_POINTS, MOST_POINTS_SHARE = 20_000, 0.2
"""Cells with something of value, up to which each is marked: a number and a share of the map."""

Json = dict[str, Any]


def packed(grid: NDArray) -> Json:
    """A grid as {"scale", "offset", "data"}: number = offset + scale * whole; not finite: none."""
    values = np.asarray(grid, np.float64)
    known = np.isfinite(values)
    low = float(values[known].min()) if known.any() else 0.0
    high = float(values[known].max()) if known.any() else 0.0
    scale = (high - low) / _TOP or 1.0
    whole = np.where(known, np.rint((np.where(known, values, low) - low) / scale), NO_NUMBER)
    return {"scale": scale, "offset": low, "data": _base64(whole.astype("<u2"))}


def start_data(shown: Exploration, plans: Sequence[ShownPlan], pending: Sequence[str], *,
               live: bool) -> Json:
    """Data that the page needs to begin.

    Args:
        plans: to choose among. pending: names of those that are still being made.
        live: whether a server answers.
    """
    state, scene, view = shown.state, shown.state.scene, shown.state.view
    land = view.land
    fuels = fuel_shares(land.fuel_model)
    place = {code: k for k, (code, _) in enumerate(fuels)}
    inside = land.fuel_model != NODATA
    kind = np.vectorize(lambda code: place.get(int(code), 255), otypes=[np.uint8])(land.fuel_model)
    weight = scene.scenarios.weight
    mean_rate, mean_flame = (view.grid(np.tensordot(weight, grid, axes=1)) for grid in
                             (scene.behavior.rate_of_spread_m_min, scene.behavior.flame_length_m))
    burns = land.burnable
    return {
        "schema": 1, "version": __version__, "live": live, "name": land.name,
        "caption": shown.caption,
        "breaks": " ".join(what_breaks_do(scene.conditions, land.cell_size_m, land.strip_m)),
        "fires_end": how_fires_end(scene.conditions),
        "place": place_of(land), "rows": land.shape[0], "cols": land.shape[1],
        "cell_size_m": land.cell_size_m, "transform": list(land.transform),
        "degrees": _degrees(land), "value_unit": _unit_of_values(land), "fuels": [
            {"code": code, "name": land.fuels.label(code),
             "title": land.fuels.titles.get(code, ""), "share": share,
             "colour": _hex(fuel_colour(code, land.fuels))} for code, share in fuels],
        "fuel": _base64(kind), "burnable": _base64(burns.astype(np.uint8)),
        "treatable": _base64(land.treatable.astype(np.uint8)),
        "light": _base64(np.clip(_BRIGHT * hillshade(land), 0, 255).astype(np.uint8)),
        "elevation": packed(np.where(inside, land.elevation_m, np.nan)),
        "value": packed(np.where(burns, view.grid(scene.value), np.nan)),
        "rate": packed(np.where(burns, mean_rate, np.nan)),
        "flame": packed(np.where(burns, mean_flame, np.nan)),
        "explore_fires": state.explore_fires, "intervals": _intervals(state.groups),
        "untreated": outcome_data(state.untreated), "has_q_map": state.has_q_map,
        "wind": wind_data(state.mean_wind()),
        "minutes": scene.median_duration_min, "bounds": BOUNDS,
        "standing": _list(view.cells(np.array(shown.standing, np.int64))),
        "existing": _list(view.cells(np.array(shown.existing, np.int64))),
        "points": (points := _points(land)), "points_of": value_unit(land).name if points else "",
        "plans": [plan_data(plan) for plan in plans], "pending": list(pending)}


def _intervals(groups: FireGroups) -> str:
    """The draws that the intervals of the page are over."""
    if groups.over == "weathers":
        return f"over the {groups.weathers} weathers of these fires"
    return "over these fires, with the weather taken as given"


def _degrees(land: Landscape) -> Json | None:
    """Longitude and latitude of DEGREE_POINTS x DEGREE_POINTS points over the map, row by row."""
    rows, cols = (np.linspace(0.0, count, DEGREE_POINTS) for count in land.shape)
    found = degrees_of(land, np.repeat(rows, DEGREE_POINTS), np.tile(cols, DEGREE_POINTS))
    if found is None or not np.isfinite(found).all():
        return None
    east, north = (np.round(part, 7).tolist() for part in found)
    return {"points": DEGREE_POINTS, "east": east, "north": north}


def _unit_of_values(land: Landscape) -> str:
    """The unit of values: cells where all that counts is that they burn."""
    unit = value_unit(land).name
    return "cells" if unit == "ha" else unit


def _points(land: Landscape) -> list[int]:
    """Flat cells that hold something of value where most hold nothing, such as houses."""
    there = np.flatnonzero(land.value.ravel() > 0.0)
    sparse = 0 < there.size <= MOST_POINTS_SHARE * land.value.size
    return _list(there) if sparse and there.size <= MOST_POINTS else []


def _list(cells: Sequence[int] | NDArray[np.int64]) -> list[int]:
    return [int(cell) for cell in cells]


def plan_data(plan: ShownPlan) -> Json:
    """A plan and its curve."""
    return {"name": plan.name, "cells": list(plan.cells), "build_order": list(plan.build_order),
            "years": list(plan.years), "names": list(plan.names), "told": list(plan.told),
            "colour": colour_of(plan.name),
            "curve": [[step, *estimate] for step, estimate in
                      zip(plan.steps, plan.curve, strict=True)]}


def wind_data(wind: Wind) -> Json:
    """Weather by the names of the parameters."""
    return {"wind_km_h": round(wind.speed_km_h, 1), "wind_from_deg": round(wind.from_deg, 1),
            "dead_moisture": round(wind.dead_moisture_1h, 3)}


def outcome_data(outcome: Outcome) -> Json:
    """Numbers and maps of an outcome."""
    return {"loss": outcome.loss, "reduction": list(outcome.reduction), "outside": outcome.outside,
            "cvar90": outcome.cvar90, "burn_probability": packed(outcome.burn_probability),
            "downstream_value": packed(outcome.downstream_value)}


def state_answer(state: ExplorerState, breaks: EditedBreaks, with_q: bool) -> Json:
    """The effect of the breaks; where they were edited, also beside that of the plan's own."""
    after = state.outcome(breaks.cells)
    change = (list(state.change(after, state.outcome(breaks.prefix)))
              if breaks.prefix != breaks.cells else None)
    q_values = state.q_values(breaks.cells) if with_q else None
    return {"cells": len(breaks.cells), **outcome_data(after), "change": change,
            "q": None if q_values is None else packed(q_values)}


def fire_answer(fire: LitFire, cell: int | None, wind: Wind, minutes: float) -> Json:
    """A fire's arrival times without and with breaks, and what it costs. cell: in which it starts;
    None where that is not shown.
    """
    def times(arrival: NDArray[np.float64]) -> Json:
        return packed(np.where(np.isfinite(arrival), arrival, np.nan))

    return {"cell": cell, "minutes": minutes, **wind_data(wind), "without": times(fire.without),
            "treated": times(fire.treated), "loss_without": fire.loss_without,
            "loss_treated": fire.loss_treated}


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def _base64(grid: NDArray) -> str:
    return base64.b64encode(np.ascontiguousarray(grid).tobytes()).decode("ascii")
