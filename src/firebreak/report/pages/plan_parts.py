"""Parts of a plan's report: what it costs, what it changes, what that hangs on, and the rivals."""

from collections.abc import Mapping
from pathlib import Path

from firebreak.planning.core.plan import Plan, one_of
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.evaluation.tables import CHOICE_HEADER, choice_rows, choice_words
from firebreak.planning.output.export_effect import BUILD_ORDER, PlanResult, segment_columns
from firebreak.report.figures.cartography import fuel_shares
from firebreak.report.figures.plan_figures import ENOUGH, amount, span, stopping_point
from firebreak.report.method_colours import colour_of
from firebreak.report.pages import html

MOST_SEGMENTS, PRINTED_SEGMENTS, PRINTED_METHODS = 25, 10, 8

Pictures = Mapping[str, Path]


def plan_map(result: PlanResult, pictures: Pictures) -> str:
    """The segments on the map."""
    return picture(pictures, "plan", f"Map of {len(result.segments)} numbered break segments, "
                   f"{result.plan.cells.size} cells in all, over fuels and relief.",
                   "Break segments, numbered in build order, over fuels and relief; along the "
                   "edges coordinates of the map's reference system.", main=True)


def costs_part(result: PlanResult, pictures: Pictures) -> str:
    """The segments in the order to build them, and where to stop."""
    return _where_to_stop(result, pictures) + _segments(result)


def _segments(result: PlanResult) -> str:
    plan = result.plan
    rows = segment_columns(result)
    shown = rows[:MOST_SEGMENTS]
    header = ["build order", "length, m", "area, ha", f"cost, {plan.priced_in}",
              f"cumulative cost, {plan.priced_in}",
              "reduction of the expected loss, %",
              f"reduction per cost, {result.unit.name} per {one_of(plan.priced_in)}",
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
    body = html.table(header, table_rows, "Segments in build order. Value protected: value of the "
                      "cells in which the segment lowers the burn probability by a percentage "
                      f"point or more.{left}", printed=PRINTED_SEGMENTS)
    if len(rows) > PRINTED_SEGMENTS:
        body += html.on_paper(f"Printed are the first {PRINTED_SEGMENTS} of {len(rows)} segments.")
    return body + html.on_screen(html.paragraph(
        "A break segment is a connected piece of the plan. The one with build order 1 is to be "
        "built first. The order comes from removing segments one by one, each time the one whose "
        "removal raises the expected loss least per unit of cost. The benefit of a segment is "
        "measured with all earlier segments built."))


def _where_to_stop(result: PlanResult, pictures: Pictures) -> str:
    stop = stopping_point(result.effect)
    spent, whole = float(result.effect.cost[stop]), float(result.effect.cost[-1])
    share = spent / whole if whole > 0.0 else 0.0
    unit = result.plan.priced_in
    words = (f"The plan costs {amount(result.plan.cost)} {unit}. The first {stop} of "
             f"{len(result.segments)} segments give {ENOUGH:.0%} of the reduction for {share:.0%} "
             f"of the cost ({amount(spent)} {unit}).")
    return html.paragraph(words) + picture(
        pictures, "budget", f"Curve of the reduction of the expected loss over the cost. {words}",
        "Above: reduction of the expected loss over the cost. Below: what each segment adds per "
        "unit of cost.", chart=True)


def effect_part(result: PlanResult, numbers: Mapping[str, Interval], pictures: Pictures) -> str:
    """Losses and burn probability without and with the plan."""
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
    unit = result.unit.name
    body = html.table(["loss", f"without breaks, {unit}", f"with the plan, {unit}", "reduction"],
                      [row("mean loss of a fire", "mean_loss"),
                       row("mean of the worst tenth", "cvar90")],
                      f"In {unit}, over {result.effect.loss.shape[1]:,} test fires, the same with "
                      f"and without breaks; 95 % intervals {result.effect.groups.words}.")
    words = (f"The burn probability falls by more than chance explains on {less:.0%} of the "
             f"untreated burnable cells, and rises on {more:.0%}.")
    body += html.paragraph(words)
    body += picture(pictures, "burn_probability", "Three maps: burn probability without breaks, "
                    f"with the plan, and the difference. {words}",
                    "Burn probability without and with the plan on one scale, and the change; "
                    "dotted where it may be chance (95 % interval of the cell includes 0).")
    more_pictures = picture(
        pictures, "exceedance", "Curves of the probability that a fire causes at least a given "
        "loss, without and with the plan.", "The probability that a fire causes at least a given "
        "loss, with 95 % bands.", chart=True) + picture(
        pictures, "fire", "Animation of one fire without and with the plan, side by side.",
        "Of 64 further fires the one whose loss the plan reduces most: an illustration, not a "
        "typical fire.")
    return body + html.on_screen(html.pair(more_pictures) if more_pictures else "")


def weather_part(pictures: Pictures) -> str:
    """What the plan saves in each weather."""
    return picture(
        pictures, "weather", "Reduction of the mean loss in each weather with its interval.",
        "Reduction in each weather of the test fires, the one with the greatest losses on top, "
        "with 95 % interval over its fires, the same without and with the plan; none for a single "
        "fire.", chart=True)


def methods_part(evaluation: Evaluation, plan: Plan, pictures: Pictures) -> str:
    """The plan beside other methods on the same test fires."""
    rows = []
    for name, summary in evaluation.methods.items():
        own = next(row for row in evaluation.rows if row.method == name)
        rows.append([name, amount(evaluation.plans[0][name].cost),
                     f"{summary.reduction:.1%}",
                     f"{summary.low:.1%} to {summary.high:.1%}",
                     f"{own.reduction_untreated_cells:.1%}", f"{own.cvar90_reduction:.1%}",
                     f"{summary.seconds:.2f}"])
    names = list(evaluation.methods)
    marked = names.index(plan.label) if plan.label in names else None
    body = html.table(["method", f"cost, {plan.priced_in}", "reduction", "95 % interval",
                       "in untreated cells", "in the worst tenth", "time to plan, s"], rows,
                      f"Reduction of the expected loss on the same {evaluation.test_fires:,} test "
                      "fires, all with the same budget except those whose name has 'existing'. "
                      "'In untreated cells' counts the losses in untreated cells only.", marked,
                      colours=[colour_of(name) for name in names])
    body += picture(pictures, "comparison", "Bars of the reduction by method with their "
                    "intervals.", "Every method was given the same plan fires.", chart=True)
    pairs = [[name, f"{pair.difference:+.1%}", f"{pair.low:+.1%} to {pair.high:+.1%}",
              "yes" if pair.low > 0.0 or pair.high < 0.0 else "no"]
             for name, pair in evaluation.paired.items()]
    if pairs:
        body += html.table(["difference", "mean", "95 % interval", "significant"], pairs,
                           "Reduction by the first method minus that by the second, on the same "
                           "fires.", printed=PRINTED_METHODS)
    return body


def choice_part(choice: Choice) -> str:
    """Why the plan of this method was kept."""
    words = choice_words(choice)
    body = html.paragraph(f"{words[0].upper()}{words[1:]}.")
    names = list(choice.verdict.behind)
    body += html.table(CHOICE_HEADER, choice_rows(choice),
                       "What each candidate saves of the loss on the choice fires, and how much "
                       "less that is than what the best saves, on the same fires.",
                       names.index(choice.verdict.chosen),
                       colours=[colour_of(name) for name in names])
    return body + html.listing(f"{name} is left out: {sentence}"
                               for name, sentence in choice.refused.items())


def landscape_part(result: PlanResult, pictures: Pictures) -> str:
    """What there is to burn."""
    land = result.scene.landscape
    top = ", ".join(f"{land.fuels.described(code)} {share:.0%}"
                    for code, share in fuel_shares(land.fuel_model)[:4])
    words = (f"{land.burnable.mean():.0%} of the area can burn and {land.treatable.mean():.0%} may "
             f"be treated; elevation {land.elevation_m.min():.0f} to "
             f"{land.elevation_m.max():.0f} m, mean slope {100 * land.slope_tan.mean():.0f} %. "
             f"Most common: {top}.")
    return html.paragraph(words) + html.on_screen(picture(
        pictures, "landscape", f"Map of fuel models over shaded relief. {words}",
        "Fuel models in their usual colours over relief; the list is sorted by area."))


def picture(pictures: Pictures, name: str, alt: str, caption: str, *, chart: bool = False,
            main: bool = False) -> str:
    """A picture, where there is one of this name."""
    return (html.figure(pictures[name], alt, caption, chart=chart, main=main)
            if name in pictures else "")
