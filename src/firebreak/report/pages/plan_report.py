"""The report of a plan: which parts it has at which level, its pictures, and its one HTML file; and
results as a notebook shows them: a map and a table, without a file.

What the pictures show of the plan comes from the keyed set of fires "test", which no method was
shown; the animation is of the set "show". Printed a full report fits four sheets of A4: what is
folded away or marked for the screen is not printed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firebreak.checks import counted
from firebreak.fire import Scene
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.names import DATA
from firebreak.landscape.raster.degrees import centre_of, degrees_in_words
from firebreak.planning.core.area import View
from firebreak.planning.core.plan import Plan, spent_words
from firebreak.planning.core.progress import Bar, no_bar
from firebreak.planning.evaluation.effect import by_weather
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.intervals import interval_words
from firebreak.planning.output.export_effect import PlanResult, plan_id
from firebreak.report.figures.animation import fire_animation
from firebreak.report.figures.canvas import png_of, save_figure
from firebreak.report.figures.cartography import caption_of, place_of
from firebreak.report.figures.coordinates import Whole
from firebreak.report.figures.curves import comparison_figure
from firebreak.report.figures.maps import (
    burn_probability_figure,
    field_figure,
    landscape_figure,
    plan_figure,
)
from firebreak.report.figures.plan_figures import (
    budget_figure,
    exceedance_figure,
    segments_figure,
    weather_figure,
)
from firebreak.report.figures.years_figure import years_figure
from firebreak.report.pages import plan_parts as parts
from firebreak.report.pages.html import Part, filled, page, percents, write_page
from firebreak.report.pages.plan_parts import marked_in, pair_rows
from firebreak.report.pages.reported_plan import Level, ReportedPlan, in_view

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


BOTH: Sequence[Level] = ("brief", "full")
PARTS = (
    Part(parts.plan, "Where the breaks are", BOTH),
    Part(parts.cost, "What it costs", BOTH),
    Part(parts.alternatives, "If the plan cannot be built there"),
    Part(parts.changes, "What to change in the existing network", BOTH),
    Part(parts.fires, "The fires that it is judged on", BOTH),
    Part(parts.crews, "If fewer crews come, or more", BOTH),
    Part(parts.effect, "What it changes, and how certain that is"),
    Part(parts.methods, "Other methods on this map", BOTH),
    Part(parts.buildable, "Can it be built", BOTH),
    Part(parts.years, "Build and maintain, by year"),
    Part(parts.made, "How it was made", ("brief",)),
    Part(parts.depends, "What it depends on"),
    Part(parts.limits, "Limits", BOTH),
    Part(parts.origin, "Files, and how to repeat this", BOTH))
"""In the order in which they appear, below the headline."""


def write_plan_report(out: Path, report: ReportedPlan, curves: Mapping[str, Curve] | None = None,
                      bar: Bar = no_bar) -> list[Path]:
    """Draws the pictures of a plan and writes report.html; returns the files.

    Args:
        curves: by method its costs and what they save, see `losses.saved_by_order`.
        bar: of the pictures.
    """
    report = in_view(report)
    figures = _figures(report, curves or {})
    pictures: dict[str, Path] = {}
    with bar(len(figures) + (report.result is not None), "picture") as advance:
        for name, figure in figures.items():
            pictures[name] = save_figure(figure, out / DATA / f"{name}.png")
            advance(1)
        if report.result is not None:
            pictures["fire"] = fire_animation(out / DATA / "fire.gif", report.result.scene,
                                              report.result.plan)
            advance(1)
    written = [*pictures.values()]
    origin = report.origin._replace(
        files=[file.relative_to(out) for file in (*report.origin.files, *written)])
    content = plan_page(report._replace(origin=origin, pictures=pictures))
    return [*written, write_page(out / "report.html", content)]


def plan_page(report: ReportedPlan) -> str:
    """The page of a report at its level."""
    more = ("A brief report: --report full tells more of a plan that is made at once."
            if report.level == "brief" else "")
    return page("plan.html", f"Fuel-break plan for {report.full.name}", _lead(report),
                parts.headline(report), PARTS, report, report.level, more)


def _lead(report: ReportedPlan) -> str:
    centre = centre_of(report.land)
    return (f"{report.plan.made_by} on {report.full.name}: {spent_words(report.plan)}; "
            f"{place_of(report.land)}"
            + ("" if centre is None else f" · centre {degrees_in_words(centre)}"))


def _figures(report: ReportedPlan, curves: Mapping[str, Curve]) -> dict[str, Figure]:
    """The pictures of a report by name: of a brief one its map alone."""
    result, plan = report.result, report.plan
    caption = caption_of(report.land, seed=report.seed)
    title = (f"Fuel breaks ({plan.made_by}): {counted(len(report.segments), report.part)}, "
             f"{plan.cells.size:,} cells")
    outlines = {"required": report.included, "existing, to compare with": report.existing,
                "standing already": report.standing}
    if result is None:
        return {"plan": segments_figure(report.land, report.segments, title=title, caption=caption,
                                        outlines=outlines)}
    caption = f"{caption} · plan {plan_id(plan)}"
    return {"landscape": landscape_figure(report.land, caption=caption),
            "plan": segments_figure(report.land, report.segments, title=title, caption=caption,
                                    years=result.years, whole=Whole(result.full, result.offset),
                                    outlines=outlines, alternatives=result.alternatives),
            **_effect_figures(report, result, curves, f"{caption} · {report.test_fires:,} test "
                                                      "fires")}


def _effect_figures(report: ReportedPlan, result: PlanResult, curves: Mapping[str, Curve],
                    caption: str) -> dict[str, Figure]:
    """Pictures of what a plan changes on test fires."""
    land, plan, effect, unit = report.land, report.plan, result.effect, result.unit
    figures = {
        "burn_probability": burn_probability_figure(
            land, effect.before, effect.after, plan.break_mask(), caption=caption,
            half_width=effect.half_width),
        "exceedance": exceedance_figure(effect, unit.name, caption=caption),
        "weather": weather_figure(by_weather(effect, result.scene), unit.name,
                                  caption=caption)}
    if result.segments:
        figures["budget"] = budget_figure(effect, plan.priced_in, curves,
                                          loss_unit=unit.name, caption=caption, method=plan.label)
    if result.over_years is not None and result.segments:
        figures["years"] = years_figure(land, report.segments, result.treatments,
                                        result.over_years, unit, caption=caption)
    if report.evaluation is not None:
        figures["comparison"] = comparison_figure(
            {name: one._asdict() for name, one in report.evaluation.methods.items()},
            caption=caption)
    return figures


def plan_cell(scene: Scene, plan: Plan, result: PlanResult | None,
              evaluation: Evaluation | None) -> str:
    """The breaks on the map of the part that was planned for, and the methods in a table."""
    view, caption = View.of(scene.landscape), caption_of(scene.landscape, seed=scene.seed)
    if result is None:
        drawn = plan_figure(view.land, view.plan(plan), caption=caption)
    else:
        drawn = segments_figure(view.land, view.segments(result.segments), caption=caption,
                                title=f"Fuel breaks ({plan.made_by})", years=result.years)
    methods = "" if evaluation is None else methods_table(evaluation, plan.label)
    return filled("notebook.html", "cell", f"{plan.label}: {spent_words(plan)}", png_of(drawn),
                  methods)


def fires_cell(landscape: Landscape, probability: NDArray[np.float64], seed: int,
               words: str) -> str:
    """Burn probability [H, W] on the map, and what the fires burned."""
    view = View.of(landscape)
    drawn = field_figure(view.land, view.grid(probability), title="Burn probability",
                         label="share of fires that burn the cell", colours="inferno",
                         caption=caption_of(landscape, seed=seed))
    return filled("notebook.html", "cell", words, png_of(drawn), "")


def methods_table(evaluation: Evaluation, marked: str | None = None) -> str:
    """The reduction by each method, and the paired differences."""
    rows = [[name, f"{one.reduction:.1%}", percents(one), f"{one.seconds:.2f}"]
            for name, one in evaluation.methods.items()]
    over = ("over the landscapes" if evaluation.interval == "landscapes" else
            interval_words(evaluation.weathers))
    return filled("notebook.html", "methods", rows, marked_in(evaluation, marked),
                  pair_rows(evaluation), evaluation.test_fires, over)
