"""The report of a plan: one HTML file with what the plan saves, where it lies, what it costs, what
that depends on, other methods on the same map, and its origin. Printed it fits four sheets of A4:
what is folded away or marked for the screen is not printed.
"""

from collections.abc import Mapping
from pathlib import Path

from firebreak import __version__
from firebreak.checks import counted
from firebreak.landscape.raster.degrees import centre_of, degrees_in_words
from firebreak.planning.core.plan import Plan, pieces_of, spent_words
from firebreak.planning.evaluation.effect import risk
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.evaluation.tables import left_out_words, rival_words, rivals_of
from firebreak.planning.output.export_effect import PlanResult
from firebreak.report.break_words import how_fires_end, what_breaks_do
from firebreak.report.figures.cartography import place_of
from firebreak.report.figures.plan_figures import amount
from firebreak.report.pages import html
from firebreak.report.pages.doubt_part import doubt_part
from firebreak.report.pages.plan_origin import Origin, assumptions_part, origin_part
from firebreak.report.pages.plan_parts import (
    choice_part,
    costs_part,
    effect_part,
    landscape_part,
    methods_part,
    picture,
    plan_map,
    weather_part,
)
from firebreak.report.pages.treatments_part import treatments_part
from firebreak.report.pages.years_part import YEARS_CAPTION, years_part

LIMITS = (
    "Weather, ignitions and fire durations are drawn or given as listed above; the plan may do "
    "more or less in other weather.",
    "Fuels are those of the map's date. Maintenance, access, soils, habitats, ownership and the "
    "law are not considered unless they were given as costs, values or masks.",
    "A research tool: not for operational decisions without an analyst who knows the area.")


def plan_page(result: PlanResult, evaluation: Evaluation | None, origin: Origin,
              pictures: Mapping[str, Path]) -> str:
    """The page.

    Args:
        evaluation: of the plan and other methods on the same test fires; None leaves it out.
        pictures: files by name: landscape, plan, burn_probability, exceedance, budget, weather,
            comparison, years, fire; those that are missing are left out.
    """
    plan = result.plan
    numbers = risk(result.effect)
    sections = [
        html.Section("Where the breaks are", "plan", plan_map(result, pictures)),
        html.Section("What it costs", "cost", costs_part(result, pictures)
                     + ("" if not result.treatments else "<h3>How the breaks are made</h3>"
                        + treatments_part(result))),
        html.Section("What it changes, and how certain that is", "effect",
                     effect_part(result, numbers, pictures))]
    if evaluation is not None:
        sections.append(html.Section("Other methods on this map", "methods",
                                     methods_part(evaluation, plan, pictures)))
    if result.over_years is not None:
        sections.append(html.Section("Build and keep up, by year", "years", years_part(
            result.over_years, result.treatments[0].currency) + picture(
                pictures, "years", "Maps of the breaks in each year, curves of the loss and bars "
                "of the money by year.", YEARS_CAPTION)))
    sections += [
        html.Section("What it depends on", "depends", _depends(result, pictures)),
        html.Section("Limits", "limits",
                     html.listing([how_fires_end(result.scene.conditions), *LIMITS])),
        html.Section("Files, and how to repeat this", "origin", _origin(result, origin, pictures))]
    centre = centre_of(result.scene.landscape)
    lead = (f"{plan.method} on {result.full.name}: {spent_words(plan)}; "
            f"{place_of(result.scene.landscape)}"
            + ("" if centre is None else f" · centre {degrees_in_words(centre)}"))
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
        *_saved(result, numbers), *_over_years(result),
        (f"{mean.mean:.1%}", f"lower expected loss (95 % interval {mean.low:.1%} to "
                             f"{mean.high:.1%})"),
        (f"{tail.mean:.1%}", f"lower mean loss in the worst tenth of fires "
                             f"({tail.low:.1%} to {tail.high:.1%})"),
        (f"{hectares:,.1f} ha", f"treated, in {len(result.segments)} segments and "
                                f"{pieces_of(plan.break_mask())} connected pieces, for "
                                f"{amount(plan.cost)} {plan.priced_in}"),
        (f"{result.effect.loss.shape[1]:,} fires", "test the plan; no method was given them")]
    ) + html.paragraph(_sure(mean, plan, evaluation)) + html.warning(
        _better(plan, evaluation, origin) + html.listing(_caveats(result, origin)))


def _saved(result: PlanResult, numbers: Mapping[str, Interval]) -> list[tuple[str, str]]:
    """What a fire and a year burn less, in hectares and in the unit of the losses."""
    unit, land = result.unit.name, result.scene.landscape
    before, after = numbers["mean_loss_before"], numbers["mean_loss_after"]
    saved = Interval(*(before.mean * getattr(numbers["mean_loss_reduction"], name)
                       for name in Interval._fields))
    each = land.cell_size_m**2 / 1e4
    burned, left = (float(one.sum()) * each for one in (result.effect.before, result.effect.after))
    boxes = []
    if unit != "ha":
        boxes.append((f"{amount(saved.mean)} {unit}",
                      f"saved per fire: {amount(after.mean)} lost instead of {amount(before.mean)} "
                      f"(95 % interval of the saving {amount(saved.low)} to "
                      f"{amount(saved.high)})"))
    interval = f" (95 % interval of the saving {amount(saved.low)} to {amount(saved.high)})"
    boxes.append((f"{amount(burned - left)} ha",
                  f"burn less per fire: {amount(left)} instead of {amount(burned)}"
                  + (interval if unit == "ha" else "")))
    if result.fires_per_ha_year is None:
        return boxes
    yearly = result.fires_per_ha_year * float(land.burnable.sum()) * each
    more = "" if unit == "ha" else f"and {amount(yearly * saved.mean)} {unit} saved, "
    boxes.append((f"{amount(yearly * (burned - left))} ha",
                  f"burn less per year, {more}at {amount(yearly)} fires a year on this map"))
    return boxes


def _over_years(result: PlanResult) -> list[tuple[str, str]]:
    """What the schedule that is kept saves: not all is built at once, and what stands ages."""
    found = result.over_years
    if found is None:
        return []
    kept = found.saved[found.chosen]
    years = counted(len(found.years), "year")
    return [(f"{kept.reduction:.1%}", f"lower expected loss over {years} ({found.chosen}; 95 % "
             f"interval {kept.low:.1%} to {kept.high:.1%}); the other numbers here are of all "
             "breaks in their first year")]


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
    each = ("In a year the plan saves this much for each fire that starts on the map; "
            "--fires-per-ha-year tells how many do.")
    return [*([f"{left_out[0].upper()}{left_out[1:]}."] if left_out else []),
            *what_breaks_do(scene.conditions, scene.landscape.cell_size_m),
            *([each] if result.fires_per_ha_year is None else []),
            "The intervals cover the random draw of fires, not the error of the fire model or of "
            "the fuel map."]


def _depends(result: PlanResult, pictures: Mapping[str, Path]) -> str:
    """The weather, the fire model and what else was assumed."""
    body = ("" if result.trust is None else
            "<h3>If the fire model were wrong</h3>" + doubt_part(result.trust))
    return (body + "<h3>The weather</h3>" + weather_part(pictures)
            + "<h3>The land</h3>" + landscape_part(result, pictures)
            + "<h3>Assumptions</h3>" + assumptions_part(result))


def _origin(result: PlanResult, origin: Origin, pictures: Mapping[str, Path]) -> str:
    chosen = "" if origin.choice is None else html.details("How the method was chosen",
                                                           choice_part(origin.choice))
    return origin_part(result, origin) + chosen
