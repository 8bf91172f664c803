"""The report of a plan: one HTML file with the landscape, the plan in the order to build it, what
it changes and how sure that is, other methods on the same map, assumptions, limits and origin.
"""

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from firebreak import __version__
from firebreak.landscape.fuel_systems import fuel_name
from firebreak.planning.effect import Interval, risk
from firebreak.planning.evaluate import Evaluation
from firebreak.planning.export_effect import PlanResult, plan_id, segment_columns
from firebreak.planning.plan import pieces_of, spent_words
from firebreak.report import html
from firebreak.report.cartography import fuel_shares, place_of
from firebreak.report.plan_figures import ENOUGH, compass, stopping_point
from firebreak.report.words import amount, span

MOST_SEGMENTS = 25
PACKAGES = ("numpy", "numba", "torch", "rasterio", "scipy", "matplotlib")
LIMITS = (
    "No suppression: fires burn until their duration ends, and nobody holds them at a break.",
    "Real breaks leak. Unless a rule of breach or embers was asked for, every break here holds "
    "every fire, so the savings are the most that such breaks can do.",
    "The weather, ignitions and fire durations are drawn or given as listed above; fires in other "
    "weather behave otherwise. The intervals cover the chance in the fires drawn, not the error of "
    "the fire model or of the fuel map.",
    "Fuels are those of the map's date. Maintenance, access, soils, habitats, ownership and the "
    "law are not considered unless they were given as costs, values or masks.",
    "A research tool: not for operational decisions without an analyst who knows the area.")


class Origin(NamedTuple):
    """How a plan was made: the command as typed, the options in full, the files written."""

    command: str
    options: Mapping[str, Any]
    files: Sequence[str]


def plan_page(result: PlanResult, evaluation: Evaluation | None, origin: Origin,
              pictures: Mapping[str, Path]) -> str:
    """The page.

    Args:
        evaluation: of the plan and other methods on the same test fires; None leaves it out.
        pictures: files by name: landscape, plan, burn_probability, exceedance, budget, weather,
            comparison, fire; those that are missing are left out.
    """
    plan = result.plan
    numbers = risk(result.effect.loss[0], result.effect.loss[-1], result.seed)
    sections = [
        html.Section("The landscape", "landscape", _landscape(result, pictures)),
        html.Section("The plan in its order", "plan", _segments(result, pictures)),
        html.Section("What it changes, and how sure that is", "effect",
                     _effect(result, numbers, pictures)),
        html.Section("Where to stop", "budget", _budget(result, pictures)),
        html.Section("In each weather", "weather", _weather(pictures))]
    if evaluation is not None:
        sections.append(html.Section("Other methods on this map", "methods",
                                     _methods(evaluation, plan.method, pictures)))
    sections += [html.Section("Assumptions", "assumptions", _assumptions(result, origin)),
                 html.Section("Limits", "limits", html.listing(LIMITS)),
                 html.Section("How to repeat this", "origin", _origin(result, origin))]
    lead = (f"{plan.method} on {result.full.name}: {spent_words(plan)}; "
            f"{place_of(result.scene.landscape)}")
    return html.page(f"Fuel-break plan for {result.full.name}", lead, _head(result, numbers),
                     sections, f"firebreak {__version__}. This page is one file and asks nothing "
                               "of any network.")


def _head(result: PlanResult, numbers: Mapping[str, Interval]) -> str:
    land, plan = result.scene.landscape, result.plan
    hectares = plan.cells.size * land.cell_size_m**2 / 1e4
    mean, tail = numbers["mean_loss_reduction"], numbers["cvar90_reduction"]
    sure = ("The interval does not hold 0: on fires like these the plan helps."
            if mean.low > 0.0 else
            "The interval holds 0: these fires do not show that the plan helps.")
    return html.key_numbers([
        (f"{mean.mean:.1%}", f"less expected loss (95 % interval {mean.low:.1%} to "
                             f"{mean.high:.1%})"),
        (f"{tail.mean:.1%}", f"less in the worst tenth of fires ({tail.low:.1%} to "
                             f"{tail.high:.1%})"),
        (f"{hectares:,.1f} ha", f"treated, in {len(result.segments)} segments and "
                                f"{pieces_of(plan.break_mask())} connected pieces"),
        (f"{result.effect.loss.shape[1]:,} fires", "that no method was shown judge it")]
    ) + html.paragraph(sure)


def _landscape(result: PlanResult, pictures: Mapping[str, Path]) -> str:
    land = result.scene.landscape
    top = ", ".join(f"{fuel_name(code, land.fuel_system)} {share:.0%}"
                    for code, share in fuel_shares(land.fuel_model)[:4])
    words = (f"{land.burnable.mean():.0%} of the area can burn and {land.treatable.mean():.0%} may "
             f"be treated; elevation {land.elevation_m.min():.0f} to "
             f"{land.elevation_m.max():.0f} m, mean slope {100 * land.slope_tan.mean():.0f} %. "
             f"Most common: {top}.")
    return html.paragraph(words) + _picture(
        pictures, "landscape", f"Map of fuel models over shaded relief. {words}",
        "Fuel models in their usual colours over relief; the list is sorted by area.")


def _segments(result: PlanResult, pictures: Mapping[str, Path]) -> str:
    plan = result.plan
    rows = segment_columns(result)
    shown = rows[:MOST_SEGMENTS]
    body = html.paragraph(
        "A segment is a connected stretch of the plan. Number 1 is the one to build first: found "
        "by giving up, one after another, the segment that is missed least per cost. What each "
        "saves is measured after those before it are built.")
    body += _picture(
        pictures, "plan", f"Map of {len(rows)} numbered break segments, "
        f"{plan.cells.size} cells in all.", "Segments, numbered in the order to build them.")
    header = ["segment", "length, m", "area, ha", f"cost, {plan.cost_unit}", "cost so far",
              "expected loss saved, %", "saved per cost", "value protected"]
    table_rows = [[row["rank"], f"{row['length_m']:,.0f}", f"{row['area_ha']:,.2f}",
                   amount(row["cost"]), amount(row["cumulative_cost"]),
                   f"{row['benefit_percent']:.2f}", f"{row['benefit_per_cost']:.3g}",
                   amount(row["value_protected"])] for row in shown]
    if result.years is not None:
        header.append("year")
        table_rows = [[*cells, row["year"]] for cells, row in zip(table_rows, shown, strict=True)]
    left = "" if len(rows) <= MOST_SEGMENTS else (
        f" The first {MOST_SEGMENTS} of {len(rows)}; all are in segments.csv.")
    return body + html.table(header, table_rows, "Value protected: value of the cells in which the "
                             "segment lowers the burn probability by a point or more." + left)


def _effect(result: PlanResult, numbers: Mapping[str, Interval],
            pictures: Mapping[str, Path]) -> str:
    def row(words: str, name: str) -> list[str]:
        before, after, drop = (numbers[f"{name}_{part}"] for part in ("before", "after",
                                                                     "reduction"))
        return [words, span(before), span(after),
                f"{drop.mean:.1%} ({drop.low:.1%} to {drop.high:.1%})"]

    burnable = result.scene.landscape.burnable & ~result.plan.break_mask()
    change = result.effect.after - result.effect.before
    sure = (abs(change) > result.effect.half_width) & burnable
    less, more = ((part & sure).sum() / max(burnable.sum(), 1)
                  for part in (change < 0.0, change > 0.0))
    body = html.table(["", "without breaks", "with the plan", "reduction"],
                      [row("mean loss of a fire", "mean_loss"),
                       row("mean of the worst tenth", "cvar90")],
                      f"In units of value, over {result.effect.loss.shape[1]:,} test fires, with "
                      "95 % intervals (bootstrap over the fires, the same with and without).")
    words = (f"On {less:.0%} of the untreated cells that burn the burn probability falls by more "
             f"than chance explains, on {more:.0%} it rises.")
    body += html.paragraph(words)
    body += _picture(pictures, "burn_probability", "Three maps: burn probability without breaks, "
                     f"with the plan, and the difference. {words}",
                     "Burn probability without and with the plan on one scale, and the change; "
                     "dotted where it may be chance (95 % interval of the cell holds 0).")
    body += _picture(pictures, "exceedance", "Curves of the chance that a fire loses at least a "
                     "given amount, without and with the plan.",
                     "The chance that a fire loses at least so much, with 95 % bands.")
    return body + _picture(pictures, "fire", "Animation of one fire without and with the plan, "
                           "side by side.",
                           "Of 64 further fires the one that the plan cuts most: an illustration, "
                           "not a typical fire.")


def _budget(result: PlanResult, pictures: Mapping[str, Path]) -> str:
    stop = stopping_point(result.effect)
    spent, whole = float(result.effect.cost[stop]), float(result.effect.cost[-1])
    share = spent / whole if whole > 0.0 else 0.0
    words = (f"The first {stop} of {len(result.segments)} segments make {ENOUGH:.0%} of the "
             f"saving for {share:.0%} of the cost "
             f"({_cost(spent, result.plan.cost_unit)}).")
    return html.paragraph(words) + _picture(
        pictures, "budget", f"Curve of the reduction of the expected loss over what is spent. "
        f"{words}", "Above: what is saved over what is spent. Below: what each segment adds per "
        "unit of cost.")


def _weather(pictures: Mapping[str, Path]) -> str:
    return html.paragraph("The same plan in each weather that the fires burned in, the one of the "
                          "greatest losses on top.") + _picture(
        pictures, "weather", "Reduction of the mean loss in each weather with its interval.",
        "Reduction in each weather, 95 % interval (Student's, over its fires).")


def _methods(evaluation: Evaluation, method: str, pictures: Mapping[str, Path]) -> str:
    rows = []
    for name, summary in evaluation.methods.items():
        own = next(row for row in evaluation.rows if row.method == name)
        rows.append([name, amount(evaluation.plans[0][name].cost),
                     f"{summary.reduction:.1%}",
                     f"{summary.low:.1%} to {summary.high:.1%}",
                     f"{own.reduction_untreated_cells:.1%}", f"{own.cvar90_reduction:.1%}",
                     f"{summary.seconds:.2f}"])
    names = list(evaluation.methods)
    marked = names.index(method) if method in names else None
    body = html.table(["method", "cost", "reduction", "95 % interval", "untreated cells",
                       "worst tenth", "seconds"], rows,
                      f"Reduction of the expected loss on the same {evaluation.test_fires:,} test "
                      "fires, with the same budget but for 'existing'. 'untreated cells' counts "
                      "losses only where the plan treats nothing.", marked)
    pairs = [[name, f"{pair.difference:+.1%}", f"{pair.low:+.1%} to {pair.high:+.1%}",
              "yes" if pair.low > 0.0 or pair.high < 0.0 else "no"]
             for name, pair in evaluation.paired.items()]
    if pairs:
        body += html.table(["difference", "mean", "95 % interval", "told apart"], pairs,
                           "How much more the first of two methods saves, on the same fires.")
    return body + _picture(pictures, "comparison", "Bars of the reduction by method with their "
                           "intervals.", "Every method was shown the same plan fires.")


def _assumptions(result: PlanResult, origin: Origin) -> str:
    scene = result.scene
    conditions, rows = scene.conditions, scene.scenarios
    treatment = conditions.treatment
    width = "the whole cell" if treatment.width_m is None else f"{treatment.width_m:g} m"
    winds = ", ".join(f"{speed * 0.06:.0f} km/h from {compass(angle)}" for speed, angle in list(zip(
        rows.wind_20ft_m_min, rows.wind_from_deg, strict=True))[:12])
    more = "" if rows.weight.size <= 12 else f" and {rows.weight.size - 12} more"
    crossed = ("no rule lets fire cross them" if conditions.breach == "never"
               else f"fire crosses them by the rule '{conditions.breach}'")
    return html.listing([
        f"Fires: median duration {scene.median_duration_min / 60.0:.1f} hours"
        + ("" if conditions.regime.duration_min else
           f", set so that untreated fires burn {conditions.regime.burned_share:.0%} of the "
           "burnable cells on average") + f"; {conditions.regime.edge_share:.0%} enter from the "
        "edge.",
        f"Weather: {len(scene.stream_weight)} kinds, wind 20 ft above the vegetation: "
        f"{winds}{more}.",
        f"Spread: {conditions.spread}; crown fire: {conditions.model.crown}; embers: "
        + ("none" if conditions.spotting is None else "thrown by crown fire") + ".",
        f"Breaks: {treatment.kind}, {width} wide; {crossed}"
        + ("; fire passes where breaks touch at a corner" if conditions.leak else "") + ".",
        f"Shown to the method: {result.plan.plan_fires} plan fires; judged on "
        f"{result.effect.loss.shape[1]:,} others.",
        "Existing barriers: cells that do not burn hold fire at no cost to the budget."])


def _origin(result: PlanResult, origin: Origin) -> str:
    body = html.preformatted(origin.command)
    body += html.table(["", ""], [
        ["firebreak", __version__], ["Python", platform.python_version()],
        *versions(),
        ["landscape checksum", result.full.checksum()], ["seed", result.seed],
        ["plan", plan_id(result)]], "Versions and checksums.")
    body += "<h3>Options in full</h3>" + html.preformatted(json.dumps(origin.options, indent=2))
    return body + "<h3>Files beside this page</h3>" + html.listing(origin.files)


def versions() -> list[list[str]]:
    """Names and versions of the packages that results may depend on."""
    return [[name, _version(name)] for name in PACKAGES]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _picture(pictures: Mapping[str, Path], name: str, alt: str, caption: str) -> str:
    return html.figure(pictures[name], alt, caption) if name in pictures else ""


def _cost(cost: float, unit: str) -> str:
    return f"{amount(cost)} {unit}"
