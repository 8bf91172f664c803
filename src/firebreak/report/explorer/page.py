"""The explorer as one HTML text, nothing loaded from elsewhere; its data, maps packed as text; and
answers to its questions.

Grids travel as 16-bit whole numbers in base64, with a scale and an offset; 65535 is no number.
"""

import base64
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from matplotlib.colors import to_hex
from numpy.typing import NDArray

from firebreak import __version__
from firebreak.fire import Fires
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.degrees import degrees_of
from firebreak.landscape.value_unit import value_unit
from firebreak.report.explorer.plans import Breathe, Exploration, ShownPlan
from firebreak.report.explorer.queries import BOUNDS, EditedBreaks
from firebreak.report.explorer.state import EXPLORE_SET, ExplorerState, LitFire, Outcome, Wind
from firebreak.report.figures.canvas import colour_of
from firebreak.report.figures.cartography import fuel_colour, fuel_shares, hillshade, place_of
from firebreak.report.words import how_fires_end, what_breaks_do
from firebreak.units import M_MIN_PER_KM_H

Json = dict[str, Any]

EXPORT_FIRES = 6
"""Fires of the explore set that a static page can play: the first ones that lose something."""

SMALL_MAP, LARGE_MAP = 96 * 96, 256 * 256
"""Cells above which a page holds half and a quarter of the maps."""

ICON = ("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
        "<rect width='16' height='16' rx='3' fill='#22331f'/>"
        "<path d='M8 1c1 3 4 4 4 8a4 4 0 0 1-8 0c0-2 1-3 2-4 0 1 .5 2 1 2 1-2 0-4 1-6z' "
        "fill='#ff9f1c'/><path d='M1 14h14' stroke='#fff' stroke-width='2'/></svg>")


def page(data: Json) -> str:
    """The page with its data."""
    assets = files("firebreak.report.explorer") / "assets"
    text = (assets / "explorer.html").read_text(encoding="utf-8")
    # Within a script element nothing but "<" can end the data.
    content = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    # The files of the script, in the order of their names, as one that nothing else sees into.
    script = "".join(part.read_text(encoding="utf-8") for part in sorted(
        (assets / "js").iterdir(), key=lambda part: part.name))
    parts = {"STYLE": (assets / "explorer.css").read_text(encoding="utf-8"),
             "SCRIPT": f'"use strict";\n(() => {{\n{script}}})();\n',
             "ICON": ICON.replace("#", "%23"), "DATA": content}
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part, 1)
    return text


def static_page(shown: Exploration, others: Sequence[ShownPlan] = (),
                breathe: Breathe = lambda: None) -> str:
    """The page as a file of its own: every plan at the steps of its curve, some fires to play.

    others: plans to compare with.
    """
    state, plans = shown.state, [shown.plan, *others]
    data = start_data(shown, plans, (), live=False)
    data["states"] = {plan.name: [] for plan in plans}
    for plan in plans:
        for step in kept_steps(plan.steps, state.land.fuel_model.size):
            breaks = EditedBreaks(plan.cells[:step], plan.cells[:step])
            data["states"][plan.name].append(
                {"step": step, **state_answer(state, breaks, with_q=state.has_q_map)})
            breathe()
    fires = state.scene.fires(EXPLORE_SET, state.explore_fires)
    meeting = np.flatnonzero(state.untreated.losses > 0.0)[:EXPORT_FIRES]
    data["played"] = [_played(state, fires.part(slice(k, k + 1)), shown.plan.cells)
                      for k in meeting.tolist()]
    breathe()
    return page(data)


def kept_steps(steps: Sequence[int], cells: int) -> Sequence[int]:
    """The steps whose maps a page holds, fewer of a larger map, both ends included."""
    every = 1 if cells <= SMALL_MAP else 2 if cells <= LARGE_MAP else 4
    return [*steps[:-1:every], steps[-1]]


def _played(state: ExplorerState, fire: Fires, cells: tuple[int, ...]) -> Json:
    """One fire as it burns in its own weather, without and with breaks in these flat cells."""
    scene = state.scene
    row, rows = int(fire.scenario[0]) * scene.field.steps, scene.scenarios
    wind = Wind(float(rows.wind_20ft_m_min[row]) / M_MIN_PER_KM_H, float(rows.wind_from_deg[row]),
                float(rows.dead_moisture_1h[row]))
    start = state.view.cells(fire.source).tolist()
    return fire_answer(state.lit(scene, fire, cells), start[0] if start else None, wind,
                       float(fire.duration_min[0]))


NO_NUMBER, _TOP = 65_535, 65_534
_BRIGHT = 128.0  # of level ground, in bytes
DEGREE_POINTS = 9
"""Points along a side of the map whose degrees a page is given; between them it interpolates."""
MOST_POINTS, MOST_POINTS_SHARE = 20_000, 0.2
"""Cells with something of value, up to which each is marked: a number and a share of the map."""


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
        "degrees": _degrees(land),
        "value_unit": "cells" if (unit := value_unit(land).name) == "ha" else unit,
        "fuels": [
            {"code": code, "name": land.fuels.label(code),
             "title": land.fuels.titles.get(code, ""), "share": share,
             "colour": to_hex(fuel_colour(code, land.fuels))} for code, share in fuels],
        "fuel": _base64(kind), "burnable": _base64(burns.astype(np.uint8)),
        "treatable": _base64(land.treatable.astype(np.uint8)),
        "light": _base64(np.clip(_BRIGHT * hillshade(land), 0, 255).astype(np.uint8)),
        "elevation": packed(np.where(inside, land.elevation_m, np.nan)),
        "value": packed(np.where(burns, view.grid(scene.value), np.nan)),
        "rate": packed(np.where(burns, mean_rate, np.nan)),
        "flame": packed(np.where(burns, mean_flame, np.nan)),
        "explore_fires": state.explore_fires, "intervals": (
            f"over the {state.groups.weathers} weathers of these fires"
            if state.groups.over == "weathers" else
            "over these fires, with the weather taken as given"),
        "untreated": outcome_data(state.untreated), "has_q_map": state.has_q_map,
        "wind": wind_data(state.mean_wind()),
        "minutes": scene.median_duration_min, "bounds": BOUNDS,
        "standing": _list(view.cells(np.array(shown.standing, np.int64))),
        "existing": _list(view.cells(np.array(shown.existing, np.int64))),
        "points": (points := _points(land)), "points_of": unit if points else "",
        "plans": [plan_data(plan) for plan in plans], "pending": list(pending)}


def _degrees(land: Landscape) -> Json | None:
    """Longitude and latitude of DEGREE_POINTS x DEGREE_POINTS points over the map, row by row."""
    rows, cols = (np.linspace(0.0, count, DEGREE_POINTS) for count in land.shape)
    found = degrees_of(land, np.repeat(rows, DEGREE_POINTS), np.tile(cols, DEGREE_POINTS))
    if found is None or not np.isfinite(found).all():
        return None
    east, north = (np.round(part, 7).tolist() for part in found)
    return {"points": DEGREE_POINTS, "east": east, "north": north}


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
    """Arrival times of a fire without and with breaks, and its losses. cell: its start, or None."""
    def times(arrival: NDArray[np.float64]) -> Json:
        return packed(np.where(np.isfinite(arrival), arrival, np.nan))

    return {"cell": cell, "minutes": minutes, **wind_data(wind), "without": times(fire.without),
            "treated": times(fire.treated), "loss_without": fire.loss_without,
            "loss_treated": fire.loss_treated}


def _base64(grid: NDArray) -> str:
    return base64.b64encode(np.ascontiguousarray(grid).tobytes()).decode("ascii")
