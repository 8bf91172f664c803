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
from firebreak.checks import counted
from firebreak.planning.core.plan import Plan, pieces_of, spent_words
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.evaluation.effect import Interval, risk
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.rivals import rival_words, rivals_of
from firebreak.planning.evaluation.tables import (
    CHOICE_HEADER,
    choice_rows,
    choice_words,
    left_out_words,
)
from firebreak.planning.output.export_effect import (
    BUILD_ORDER,
    PlanResult,
    plan_id,
    segment_columns,
)
from firebreak.report.break_words import (
    breaks_in_short,
    how_fires_end,
    what_breaks_do,
)
from firebreak.report.figures.cartography import fuel_shares, place_of
from firebreak.report.figures.plan_figures import (
    ENOUGH,
    amount,
    span,
    stopping_point,
    wind_name,
)
from firebreak.report.pages import html
from firebreak.report.pages.doubt_part import doubt_part
from firebreak.report.pages.treatments_part import treatments_part
from firebreak.report.pages.years_part import YEARS_CAPTION, years_part

MOST_SEGMENTS = 25
PACKAGES = ("numpy", "numba", "torch", "rasterio", "scipy", "matplotlib")
LIMITS = (
    "Weather, ignitions and fire durations are drawn or given as listed above; the plan may do "
    "more or less in other weather.",
    "Fuels are those of the map's date. Maintenance, access, soils, habitats, ownership and the "
    "law are not considered unless they were given as costs, values or masks.",
    "A research tool: not for operational decisions without an analyst who knows the area.")


class Origin(NamedTuple):
    """How a plan was made: the command as typed, the options in full, the files written; why its
    method was chosen, where it was.
    """

    command: str
    options: Mapping[str, Any]
    files: Sequence[str]
    choice: Choice | None = None


def plan_page(result: PlanResult, evaluation: Evaluation | None, origin: Origin,
              pictures: Mapping[str, Path]) -> str:
    """The page.

    Args:
        evaluation: of the plan and other methods on the same test fires; None leaves it out.
        pictures: files by name: landscape, plan, burn_probability, exceedance, budget, weather,
            comparison, years, fire; those that are missing are left out.
    """
    plan = result.plan
    numbers = risk(result.effect.loss[0], result.effect.loss[-1], result.seed)
    sections = [
        html.Section("The landscape", "landscape", _landscape(result, pictures)),
        html.Section("The plan in build order", "plan", _segments(result, pictures)),
        html.Section("What the plan changes, and how certain that is", "effect",
                     _effect(result, numbers, pictures)),
        html.Section("Where to stop", "budget", _budget(result, pictures)),
        html.Section("Effect in each weather", "weather", _weather(pictures))]
    if result.treatments:
        sections.insert(2, html.Section("How the breaks are made", "treatments",
                                        treatments_part(result)))
    if evaluation is not None:
        sections.append(html.Section("Other methods on this map", "methods",
                                     _methods(evaluation, plan.label, pictures)))
    if result.over_years is not None:
        sections.append(html.Section("Build and keep up, by year", "years", years_part(
            result.over_years, result.treatments[0].currency) + _picture(
                pictures, "years", "Maps of the breaks in each year, curves of the loss and bars "
                "of the money by year.", YEARS_CAPTION)))
    if result.trust is not None:
        sections.append(html.Section("If the fire model were wrong", "doubt",
                                     doubt_part(result.trust)))
    if origin.choice is not None:
        sections.append(html.Section("How the method was chosen", "choice",
                                     _choice(origin.choice)))
    sections += [html.Section("Assumptions", "assumptions", _assumptions(result, origin)),
                 html.Section("Limits", "limits",
                              html.listing([how_fires_end(result.scene.conditions), *LIMITS])),
                 html.Section("How to repeat this", "origin", _origin(result, origin))]
    lead = (f"{plan.method} on {result.full.name}: {spent_words(plan)}; "
            f"{place_of(result.scene.landscape)}")
    return html.page(f"Fuel-break plan for {result.full.name}", lead,
                     _head(result, numbers, evaluation, origin), sections,
                     f"firebreak {__version__}. This page is one file and loads nothing from a "
                     "network.")


def _head(result: PlanResult, numbers: Mapping[str, Interval], evaluation: Evaluation | None,
          origin: Origin) -> str:
    """The headline and, directly below it, what one must know to read it."""
    land, plan = result.scene.landscape, result.plan
    hectares = plan.cells.size * land.cell_size_m**2 / 1e4
    mean, tail = numbers["mean_loss_reduction"], numbers["cvar90_reduction"]
    return html.key_numbers([
        (f"{mean.mean:.1%}", f"lower expected loss (95 % interval {mean.low:.1%} to "
                             f"{mean.high:.1%})"),
        (f"{tail.mean:.1%}", f"lower mean loss in the worst tenth of fires "
                             f"({tail.low:.1%} to {tail.high:.1%})"),
        (f"{hectares:,.1f} ha", f"treated, in {len(result.segments)} segments and "
                                f"{pieces_of(plan.break_mask())} connected pieces"),
        (f"{result.effect.loss.shape[1]:,} fires", "test the plan; no method was given them")]
    ) + html.paragraph(_sure(mean, plan, evaluation)) + html.warning(
        _better(plan, evaluation, origin) + html.listing(_caveats(result, origin)))


def _sure(saved: Interval, plan: Plan, evaluation: Evaluation | None) -> str:
    """What the interval of the saving tells of the plan, and whether a method does better."""
    if saved.low <= 0.0:
        return ("The interval includes 0: these fires do not show that the plan reduces the "
                "expected loss.")
    words = "The interval excludes 0: on fires like these the plan reduces the expected loss"
    better = [] if evaluation is None else rivals_of(evaluation, plan)
    return f"{words}, but {better[0]} reduces it more." if better else f"{words}."


def _better(plan: Plan, evaluation: Evaluation | None, origin: Origin) -> str:
    """The methods that save more, with the command that plans with the best of them."""
    said = None if evaluation is None else rival_words(evaluation, plan, origin.command)
    return "" if said is None else html.paragraph(f"{said[0]}:") + html.preformatted(said[1])


def _caveats(result: PlanResult, origin: Origin) -> list[str]:
    left_out = "" if origin.choice is None else left_out_words(origin.choice, result.plan)
    scene = result.scene
    return [*([f"{left_out[0].upper()}{left_out[1:]}."] if left_out else []),
            *what_breaks_do(scene.conditions, scene.landscape.cell_size_m),
            "The intervals cover the random draw of fires, not the error of the fire model or of "
            "the fuel map."]


def _landscape(result: PlanResult, pictures: Mapping[str, Path]) -> str:
    land = result.scene.landscape
    top = ", ".join(f"{land.fuels.label(code)} {share:.0%}"
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
        "A break segment is a connected piece of the plan. The one with build order 1 is to be "
        "built first. The order comes from removing segments one by one, each time the one whose "
        "removal raises the expected loss least per unit of cost. The benefit of a segment is "
        "measured with all earlier segments built.")
    body += _picture(
        pictures, "plan", f"Map of {len(rows)} numbered break segments, "
        f"{plan.cells.size} cells in all.", "Break segments, numbered in build order.")
    header = ["build order", "length, m", "area, ha", f"cost, {plan.cost_unit}", "cumulative cost",
              "reduction of the expected loss, %", f"reduction per cost, {result.unit.name}",
              f"value protected, {result.unit.name}"]
    table_rows = [[row[BUILD_ORDER], f"{row['length_m']:,.0f}", f"{row['area_ha']:,.2f}",
                   amount(row["cost"]), amount(row["cumulative_cost"]),
                   f"{row['benefit_percent'] + 0.0:.2f}", f"{row['benefit_per_cost'] + 0.0:.3g}",
                   amount(row["value_protected"])] for row in shown]
    if result.effect.engaged is not None:
        header += ["engaged, m per fire", "held to engaged"]
        table_rows = [[*cells, f"{row['engaged_m']:,.0f}", f"{row['held_percent']:.0f} %"]
                      for cells, row in zip(table_rows, shown, strict=True)]
    if result.treatments:
        header.append("treatment")
        table_rows = [[*cells, row["treatment"]]
                      for cells, row in zip(table_rows, shown, strict=True)]
    if result.years is not None:
        header.append("year")
        table_rows = [[*cells, row["year"]] for cells, row in zip(table_rows, shown, strict=True)]
    left = "" if len(rows) <= MOST_SEGMENTS else (
        f" The first {MOST_SEGMENTS} of {len(rows)}; all are in segments.csv.")
    return body + html.table(header, table_rows, "Value protected: value of the cells in which the "
                             "segment lowers the burn probability by a percentage point or "
                             "more." + left)


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
                      f"In {result.unit.name}, over {result.effect.loss.shape[1]:,} test fires, "
                      "with 95 % intervals (bootstrap over the fires, which are the same with and "
                      "without breaks).")
    words = (f"The burn probability falls by more than chance explains on {less:.0%} of the "
             f"untreated burnable cells, and rises on {more:.0%}.")
    body += html.paragraph(words)
    body += _picture(pictures, "burn_probability", "Three maps: burn probability without breaks, "
                     f"with the plan, and the difference. {words}",
                     "Burn probability without and with the plan on one scale, and the change; "
                     "dotted where it may be chance (95 % interval of the cell includes 0).")
    body += _picture(pictures, "exceedance", "Curves of the probability that a fire causes at "
                     "least a given loss, without and with the plan.",
                     "The probability that a fire causes at least a given loss, with 95 % "
                     "bands.")
    return body + _picture(pictures, "fire", "Animation of one fire without and with the plan, "
                           "side by side.",
                           "Of 64 further fires the one whose loss the plan reduces most: an "
                           "illustration, not a typical fire.")


def _budget(result: PlanResult, pictures: Mapping[str, Path]) -> str:
    stop = stopping_point(result.effect)
    spent, whole = float(result.effect.cost[stop]), float(result.effect.cost[-1])
    share = spent / whole if whole > 0.0 else 0.0
    words = (f"The first {stop} of {len(result.segments)} segments give {ENOUGH:.0%} of the "
             f"reduction for {share:.0%} of the cost "
             f"({_cost(spent, result.plan.cost_unit)}).")
    return html.paragraph(words) + _picture(
        pictures, "budget", f"Curve of the reduction of the expected loss over the cost. {words}",
        "Above: reduction of the expected loss over the cost. Below: what each segment adds per "
        "unit of cost.")


def _weather(pictures: Mapping[str, Path]) -> str:
    return html.paragraph("The plan in each weather of the test fires, the weather with the "
                          "greatest losses on top.") + _picture(
        pictures, "weather", "Reduction of the mean loss in each weather with its interval.",
        "Reduction in each weather, 95 % interval (bootstrap over its fires, the same "
        "without and with the plan); none for a single fire.")


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
                      "fires, all with the same budget except those whose name has 'existing'. "
                      "'untreated cells' counts the losses in untreated cells only.", marked)
    pairs = [[name, f"{pair.difference:+.1%}", f"{pair.low:+.1%} to {pair.high:+.1%}",
              "yes" if pair.low > 0.0 or pair.high < 0.0 else "no"]
             for name, pair in evaluation.paired.items()]
    if pairs:
        body += html.table(["difference", "mean", "95 % interval", "significant"], pairs,
                           "Reduction by the first method minus that by the second, on the same "
                           "fires.")
    return body + _picture(pictures, "comparison", "Bars of the reduction by method with their "
                           "intervals.", "Every method was given the same plan fires.")


def _choice(choice: Choice) -> str:
    words = choice_words(choice)
    body = html.paragraph(f"{words[0].upper()}{words[1:]}.")
    names = list(choice.verdict.behind)
    body += html.table(CHOICE_HEADER, choice_rows(choice),
                       "What each candidate saves of the loss on the choice fires, and how much "
                       "less that is than what the best saves, on the same fires.",
                       names.index(choice.verdict.chosen))
    return body + html.listing(f"{name} is left out: {sentence}"
                               for name, sentence in choice.refused.items())


def _assumptions(result: PlanResult, origin: Origin) -> str:
    scene = result.scene
    conditions, rows = scene.conditions, scene.scenarios
    pairs = zip(rows.wind_20ft_m_min, rows.wind_from_deg, strict=True)
    winds = ", ".join(f"{speed * 0.06:.0f} km/h from {wind_name(angle)}"
                      for speed, angle in list(pairs)[:12])
    more = "" if rows.weight.size <= 12 else f" and {rows.weight.size - 12} more"
    unattacked = "" if conditions.attack_min is None else " where nobody attacks them"
    return html.listing([
        f"Fires: median duration {scene.median_duration_min / 60.0:.1f} hours"
        + ("" if conditions.regime.duration_min else
           f", set so that untreated fires burn {conditions.regime.burned_share:.0%} of the "
           f"burnable cells on average{unattacked}")
        + f"; {conditions.regime.edge_share:.0%} enter from the edge.",
        f"Weather: {len(scene.stream_weight)} kinds, wind 20 ft above the vegetation: "
        f"{winds}{more}.",
        f"Spread: {conditions.spread}; crown fire: {conditions.model.crown}; embers: "
        + ("none" if conditions.spotting is None else "thrown by crown fire") + ".",
        breaks_in_short(conditions),
        f"The method was given {result.plan.plan_fires} plan fires; the plan is tested on "
        f"{result.effect.loss.shape[1]:,} others.",
        *([f"Breaks that stand already: {counted(result.standing.size, 'cell')}, part of the land "
           "with and without the plan, at no cost."] if result.standing.size else []),
        "Existing barriers: cells that cannot burn stop fire at no cost to the budget."])


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
