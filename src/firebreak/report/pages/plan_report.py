"""All pictures of a plan and its report, one HTML file, written into one folder.

What they show of the plan comes from the keyed set of fires "test", which no method was shown; the
animation is of the set "show".
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firebreak.planning.core.progress import Bar, no_bar
from firebreak.planning.evaluation.effect import by_weather
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.output.export_effect import PlanResult, plan_id
from firebreak.report.figures.canvas import save_figure
from firebreak.report.figures.cartography import caption_of
from firebreak.report.figures.coordinates import Whole
from firebreak.report.figures.curves import comparison_figure
from firebreak.report.figures.maps import burn_probability_figure, landscape_figure
from firebreak.report.figures.plan_figures import (
    budget_figure,
    exceedance_figure,
    segments_figure,
    weather_figure,
)
from firebreak.report.figures.years_figure import years_figure
from firebreak.report.pages.html import write_page
from firebreak.report.pages.plan_origin import Origin
from firebreak.report.pages.plan_page import plan_page
from firebreak.report.pages.run_report import fire_animation

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


def write_plan_report(out: Path, result: PlanResult, evaluation: Evaluation | None,
                      curves: Mapping[str, Curve], origin: Origin,
                      bar: Bar = no_bar) -> list[Path]:
    """Draws the pictures of a plan and writes report.html; returns the files.

    Args:
        evaluation: of the plan and others on its map; None leaves the comparison out.
        curves: by method its costs and what they save, see `effect.saved_by_order`.
        bar: of the pictures.
    """
    figures = _figures(result, evaluation, curves)
    pictures = {}
    with bar(len(figures) + 1, "picture") as report:
        for name, figure in figures.items():
            pictures[name] = save_figure(figure, out / f"{name}.png")
            report(1)
        films = fire_animation(out / "fire.gif", result.scene, result.plan)
        report(1)
    names = [path.name for path in (*pictures.values(), *films)]
    page = plan_page(result, evaluation, origin._replace(files=[*origin.files, *names]),
                     pictures | {"fire": films[0]})
    return [*pictures.values(), *films, write_page(out / "report.html", page)]


def _figures(result: PlanResult, evaluation: Evaluation | None,
             curves: Mapping[str, Curve]) -> dict[str, Figure]:
    land, plan, effect = result.scene.landscape, result.plan, result.effect
    caption = f"{caption_of(land, seed=result.seed)} · plan {plan_id(result)}"
    tested = f"{caption} · {effect.loss.shape[1]:,} test fires"
    title = (f"Fuel breaks ({plan.made_by}): {len(result.segments)} segments, "
             f"{plan.cells.size:,} cells")
    figures = {
        "landscape": landscape_figure(land, caption=caption),
        "plan": segments_figure(land, result.segments, title=title, caption=caption,
                                years=result.years, whole=Whole(result.full, result.offset),
                                outlines={"required": result.included,
                                          "existing, to compare with": result.existing,
                                          "standing already": result.standing}),
        "burn_probability": burn_probability_figure(
            land, effect.before, effect.after, plan.break_mask(), caption=tested,
            half_width=effect.half_width),
        "exceedance": exceedance_figure(effect, result.unit.name, caption=tested),
        "weather": weather_figure(by_weather(effect, result.scene),
                                  result.unit.name, caption=tested)}
    if result.segments:
        figures["budget"] = budget_figure(effect, plan.priced_in, curves,
                                          loss_unit=result.unit.name, caption=tested,
                                          method=plan.label)
    if result.over_years is not None and result.segments:
        figures["years"] = years_figure(land, result.segments, result.treatments,
                                        result.over_years, result.unit, caption=tested)
    if evaluation is not None:
        figures["comparison"] = comparison_figure(
            {name: one._asdict() for name, one in evaluation.methods.items()}, caption=tested)
    return figures
