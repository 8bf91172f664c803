"""The explorer as one HTML text: styles, script and data inside, nothing loaded from elsewhere."""

import json
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np

from firebreak.fire import Fires
from firebreak.report.explorer.data import Json, fire_answer, start_data, state_answer
from firebreak.report.explorer.plans import Breathe, Exploration, ShownPlan
from firebreak.report.explorer.queries import EditedBreaks
from firebreak.report.explorer.state import EXPLORE_SET, ExplorerState, Wind
from firebreak.units import M_MIN_PER_KM_H

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
    parts = {"STYLE": (assets / "explorer.css").read_text(encoding="utf-8"),
             "SCRIPT": _script(assets),
             "ICON": ICON.replace("#", "%23"), "DATA": content}
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part, 1)
    return text


def _script(assets: Traversable) -> str:
    """The files of the script, in the order of their names, as one that nothing else sees into."""
    parts = sorted((assets / "js").iterdir(), key=lambda part: part.name)
    inside = "".join(part.read_text(encoding="utf-8") for part in parts)
    return f'"use strict";\n(() => {{\n{inside}}})();\n'


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
