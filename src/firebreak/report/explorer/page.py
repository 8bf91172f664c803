"""The explorer as one HTML text: styles, script and data inside, nothing loaded from elsewhere."""

import json
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable

from firebreak.fire import Fires, Scene
from firebreak.report.explorer.data import Json, fire_answer, start_data, state_answer
from firebreak.report.explorer.plans import Breathe, Exploration, ShownPlan
from firebreak.report.explorer.queries import EditedBreaks
from firebreak.report.explorer.state import EXPLORE_SET, Wind, lit
from firebreak.units import M_MIN_PER_KM_H

EXPORT_FIRES = 6
"""Fires of the explore set that a static page can play: its first ones, not chosen."""

LARGE_MAP = 256 * 256
"""Cells from which a page holds fewer maps."""

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
        for step in _kept_steps(plan.steps, state.scene.landscape.fuel_model.size):
            breaks = EditedBreaks(plan.cells[:step], plan.cells[:step])
            data["states"][plan.name].append(
                {"step": step, **state_answer(state, breaks, with_q=state.has_q_map)})
            breathe()
    fires = state.scene.fires(EXPLORE_SET, EXPORT_FIRES)
    data["played"] = [_played(state.scene, fires.part(slice(k, k + 1)), shown.plan.cells)
                      for k in range(EXPORT_FIRES)]
    breathe()
    return page(data)


def _kept_steps(steps: Sequence[int], cells: int) -> Sequence[int]:
    """The steps whose maps a page holds: of a large map a quarter of them, both ends included."""
    return steps if cells <= LARGE_MAP else [*steps[:-1:4], steps[-1]]


def _played(scene: Scene, fire: Fires, cells: tuple[int, ...]) -> Json:
    """One fire as it burns in its own weather, without and with breaks in these flat cells."""
    row, rows = int(fire.scenario[0]) * scene.field.steps, scene.scenarios
    wind = Wind(float(rows.wind_20ft_m_min[row]) / M_MIN_PER_KM_H, float(rows.wind_from_deg[row]),
                float(rows.dead_moisture_1h[row]))
    return fire_answer(lit(scene, fire, cells), int(fire.source[0]), wind,
                       float(fire.duration_min[0]))
