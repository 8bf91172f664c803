"""The brief report of a plan: one page with what it saves beside what it promised, what it costs,
and the map of its segments.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak import __version__
from firebreak.fire import FireConditions
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.break_segments import BreakSegment
from firebreak.planning.core.plan import Plan, pieces_of, spent_words
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.output.export_effect import BUILD_ORDER, NO_CELLS
from firebreak.report.break_words import breaks_in_short, how_fires_end, what_breaks_do
from firebreak.report.figures.canvas import save_figure
from firebreak.report.figures.cartography import caption_of, place_of
from firebreak.report.figures.plan_figures import amount, segments_figure
from firebreak.report.pages import html
from firebreak.report.pages.plan_page import LIMITS
from firebreak.report.pages.plan_parts import MOST_SEGMENTS

_COLUMNS = {BUILD_ORDER: "build order", "length_m": "length, m", "area_ha": "area, ha",
            "cost": "cost", "cumulative_cost": "cumulative cost",
            "benefit_percent": "reduction of the expected loss, %"}
_COSTS = ("cost", "cumulative_cost")
_DECIMALS = {"length_m": 0, "area_ha": 2, "benefit_percent": 2}


class Brief(NamedTuple):
    """What a brief report tells.

    Attributes:
        land: the part planned for, of which plan and segments are; full: the whole map.
        columns: of each segment, see `export_effect.segment_columns`.
        saved: share of the loss of the test fires; promised: of that of the plan fires, or None.
        others: by name what other plans save of the same test fires, and their costs.
        facts: further sentences on how the plan was made.
        included, existing, standing: cells as of `PlanResult`.
    """

    conditions: FireConditions
    land: Landscape
    full: Landscape
    plan: Plan
    segments: Sequence[BreakSegment]
    columns: Sequence[Mapping[str, Any]]
    saved: Interval
    promised: float | None
    test_fires: int
    others: Mapping[str, tuple[Interval, float]]
    facts: Sequence[str]
    seed: int
    included: NDArray[np.int64] = NO_CELLS
    existing: NDArray[np.int64] = NO_CELLS
    standing: NDArray[np.int64] = NO_CELLS


def write_brief_report(out: Path, brief: Brief, command: str, files: Sequence[str]) -> list[Path]:
    """Draws the map and writes report.html; returns both.

    files: written before.
    """
    title = (f"Fuel breaks ({brief.plan.made_by}): {len(brief.segments)} segments, "
             f"{brief.plan.cells.size:,} cells")
    figure = segments_figure(
        brief.land, brief.segments, title=title, caption=caption_of(brief.land, seed=brief.seed),
        outlines={"required": brief.included, "existing, to compare with": brief.existing,
                  "standing already": brief.standing})
    picture = save_figure(figure, out / "plan.png")
    return [picture, html.write_page(out / "report.html", brief_page(
        brief, picture, command, [*files, picture.name]))]


def brief_page(brief: Brief, picture: Path, command: str, files: Sequence[str]) -> str:
    """The page."""
    lead = (f"{brief.plan.made_by} on {brief.full.name}: {spent_words(brief.plan)}; "
            f"{place_of(brief.land)}")
    sections = [
        html.Section("The plan", "plan", _plan(brief, picture)),
        html.Section("How it was made", "made", html.listing([
            *brief.facts, breaks_in_short(brief.conditions)])),
        html.Section("Limits", "limits", html.listing([
            how_fires_end(brief.conditions), *LIMITS,
            "What the plan saves if the fire model is wrong was not looked at: firebreak evaluate "
            "--plan FOLDER --perturb does."])),
        html.Section("How to repeat this", "origin", html.preformatted(command)
                     + html.on_screen("<h3>Files beside this page</h3>" + html.files(files)))]
    if brief.others:
        sections.insert(1, html.Section("Other plans on the same test fires", "methods",
                                        _others(brief)))
    return html.page(f"Fuel-break plan for {brief.full.name}", lead, _head(brief), sections,
                     f"firebreak {__version__}. This page is one file and loads nothing from a "
                     "network. A brief report: --report full tells more of a plan that is made "
                     "at once.")


def _head(brief: Brief) -> str:
    plan, saved = brief.plan, brief.saved
    hectares = plan.cells.size * brief.land.cell_size_m**2 / 1e4
    numbers = [(f"{saved.mean:.1%}", f"lower expected loss (95 % interval {saved.low:.1%} to "
                                     f"{saved.high:.1%}), on {brief.test_fires:,} test fires")]
    if brief.promised is not None:
        numbers.append((f"{brief.promised:.1%}", f"lower on the {plan.plan_fires:,} plan fires "
                                                 "that the plan was made from"))
    numbers += [(f"{amount(plan.cost)} {plan.priced_in}",
                 f"cost, of a budget of {amount(plan.budget)}"),
                (f"{hectares:,.1f} ha", f"treated, in {len(brief.segments)} segments and "
                                        f"{pieces_of(plan.break_mask())} connected pieces")]
    return html.key_numbers(numbers) + html.warning(html.listing([
        *what_breaks_do(brief.conditions, brief.land.cell_size_m),
        "The interval covers the random draw of fires, not the error of the fire model or of the "
        "fuel map."]))


def _plan(brief: Brief, picture: Path) -> str:
    shown = brief.columns[:MOST_SEGMENTS]
    names = [name for name in _COLUMNS if shown and name in shown[0]]
    rows = [[_cell(name, row[name]) for name in names] for row in shown]
    left = "" if len(brief.columns) <= MOST_SEGMENTS else (
        f" The first {MOST_SEGMENTS} of {len(brief.columns)}; all are in segments.csv.")
    return html.figure(picture, f"Map of {len(brief.segments)} break segments, "
                       f"{brief.plan.cells.size} cells in all.",
                       "Break segments, coloured in build order.") + html.table(
        [_header(name, brief.plan) for name in names], rows,
        "Segments in the order in which the plan took them. The reduction is measured on the test "
        f"fires, with all earlier segments built.{left}")


def _header(name: str, plan: Plan) -> str:
    return f"{_COLUMNS[name]}, {plan.priced_in}" if name in _COSTS else _COLUMNS[name]


def _cell(name: str, value: float) -> str:
    if name == BUILD_ORDER:
        return str(value)
    return f"{value + 0.0:,.{_DECIMALS[name]}f}" if name in _DECIMALS else amount(value)


def _others(brief: Brief) -> str:
    own = [brief.plan.label, amount(brief.plan.cost), *_interval(brief.saved)]
    rows = [[name, amount(cost), *_interval(saved)]
            for name, (saved, cost) in brief.others.items()]
    return html.table(["plan", f"cost, {brief.plan.priced_in}", "reduction", "95 % interval"],
                      [own, *rows], "Reduction of the expected loss on the same test fires.", 0)


def _interval(saved: Interval) -> list[str]:
    return [f"{saved.mean:.1%}", f"{saved.low:.1%} to {saved.high:.1%}"]
