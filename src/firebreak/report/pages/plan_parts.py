"""The contents of the parts of a plan's report: one function for each part, from the report to the
facts that the macro of its name in `assets/plan.html` prints.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak import __version__
from firebreak.checks import counted, listed
from firebreak.planning.alternatives import LEAST_SAVED, MOST_SHARED
from firebreak.planning.core.line_trials import untried_words
from firebreak.planning.core.plan import Plan, one_of, pieces_of
from firebreak.planning.evaluation import doubt as doubts
from firebreak.planning.evaluation import tables
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.evaluation.drawn import change_words, changes_words
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.fire_facts import FireFacts
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.evaluation.knee import knee_words
from firebreak.planning.methods import METHODS
from firebreak.planning.output.buildable import words_of
from firebreak.planning.output.export_effect import BUILD_ORDER, PlanResult, plan_id, treatments_in
from firebreak.planning.output.segment_layers import ALTERNATIVE_COLOURS
from firebreak.planning.output.tables import alternatives_rows, spent
from firebreak.planning.years.savings import SCHEDULE_FIRES, YearsResult, discount_factors
from firebreak.planning.years.schedule import BUILD_ONCE
from firebreak.report import words
from firebreak.report.figures.canvas import colour_of
from firebreak.report.figures.cartography import fuel_shares
from firebreak.report.figures.plan_figures import ENOUGH, stopping_point
from firebreak.report.pages.html import Facts, percents, versions
from firebreak.report.pages.reported_plan import ReportedPlan
from firebreak.report.words import amount, span
from firebreak.settings.planning import TRUST_FIRES

MOST_SEGMENTS, PRINTED_SEGMENTS = 25, 10
MOST_NUMBERS = 12
"""Segments that are listed in a year."""
FIRES_HEADER = ["wind at 20 ft", "share of fires", "hours: 10, 50, 90 %", "most",
                "hectares: 10, 50, 90 %", "most"]
_COLUMNS: dict[str, tuple[str, Callable[[Any], str]]] = {
    BUILD_ORDER: ("build order", str), "name": ("name", str),
    "length_m": ("length, m", "{:,.0f}".format),
    "area_ha": ("area, ha", "{:,.2f}".format), "cost": ("cost, {cost}", amount),
    "cumulative_cost": ("cumulative cost, {cost}", amount),
    "benefit_percent": ("reduction of the expected loss, %", "{:.2f}".format)}
_MORE_COLUMNS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "benefit_per_cost": ("reduction per cost, {loss} per {one}", "{:.3g}".format),
    "value_protected": ("value protected, {loss}", amount),
    "engaged_m": ("engaged, m per fire", "{:,.0f}".format),
    "held_percent": ("held to engaged", "{:.0f} %".format),
    "treatment": ("treatment", str), "year": ("year", str)}


def headline(r: ReportedPlan) -> Facts:
    """The key numbers and, directly below them, what one must know to read them."""
    hectares = r.plan.cells.size * r.land.cell_size_m**2 / 1e4
    choice, found, caveats = r.origin.choice, r.evaluation, []
    if choice is not None and (left_out := tables.left_out_words(choice, r.plan)) is not None:
        caveats.append(left_out)
    caveats += [said for said in (knee_words(r.plan), untried_words(r.plan), r.barrier)
                if said is not None]
    caveats += words.what_breaks_do(r.conditions, r.land.cell_size_m, r.land.strip_m)
    if r.result is not None and r.result.fires_per_ha_year is None:
        caveats.append("In a year the plan saves this much for each fire that starts on the map; "
                       "--fires-per-ha-year tells how many do.")
    return {
        "treated_ha": f"{hectares:,.1f} ha", "parts": counted(len(r.segments), r.part),
        "pieces": counted(_pieces(r, r.plan.label, r.plan), "piece"),
        "losses": None if r.result is None else _losses(r, r.result),
        "tail": r.numbers.get("cvar90_reduction"),
        "rivals": [] if found is None else tables.rivals_of(found, r.plan),
        "better": None if found is None else tables.rival_words(found, r.plan, r.origin.command),
        "caveats": caveats}


def _pieces(r: ReportedPlan, name: str, plan: Plan) -> int:
    """The pieces of a plan, as its counts have them where there are any."""
    return r.counts[name].pieces if name in r.counts else pieces_of(plan.break_mask())


def _losses(r: ReportedPlan, result: PlanResult) -> Facts:
    """The savings by fire and by year, in hectares and in the unit of the losses."""
    before, after = (r.numbers[f"mean_loss_{when}"].mean for when in ("before", "after"))
    cell_ha, fires = r.land.cell_size_m**2 / 1e4, result.fires_per_ha_year
    burned_ha, left_ha = (before, after) if result.unit.name == "ha" else (
        float(burned[r.land.inside].sum()) * cell_ha
        for burned in (result.effect.before, result.effect.after))
    return {"unit": result.unit.name, "before": before, "after": after,
            "saved": Interval(*(before * end for end in r.saved)),
            "burned_ha": burned_ha, "left_ha": left_ha,
            "yearly": None if fires is None else (
                fires * float(result.scene.landscape.starts.sum()) * cell_ha)}


def plan(r: ReportedPlan) -> Facts:
    """The map of the segments, which needs nothing else."""
    return {}


def cost(r: ReportedPlan) -> Facts:
    """The segments in the order to build them, where to stop, and how the breaks are made."""
    known = _COLUMNS if r.result is None else _COLUMNS | _MORE_COLUMNS
    shown = r.columns[:MOST_SEGMENTS]
    names = [name for name in known if name in (shown[0] if shown else _COLUMNS)]
    units = {"cost": r.plan.priced_in, "one": one_of(r.plan.priced_in),
             "loss": "" if r.result is None else r.result.unit.name}
    rows = () if r.result is None else r.result.treatments
    return {"header": [known[name][0].format_map(units) for name in names],
            "rows": [[known[name][1](row[name]) for name in names] for row in shown],
            "printed": PRINTED_SEGMENTS, "stop": _where_to_stop(r),
            "treatments": treatments_in(r.result) if r.result is not None and rows else [],
            "currency": rows[0].currency if rows else ""}


def changes(r: ReportedPlan) -> Facts | None:
    """The changes from the network that the plan begins with; None where it begins with nothing."""
    if not r.changes:
        return None
    return {"words": changes_words(r.changes),
            "header": ["change", "area, ha", f"cost, {r.plan.priced_in}", "saves beside the others",
                       "95 % interval", *(("fires meet, m", "crews hold, m")
                                          if r.changes[0].met.columns() else ())],
            "rows": [[change_words(one), f"{one.cells * r.land.cell_size_m**2 / 1e4:,.2f}",
                      amount(one.cost), f"{one.saved.mean:.2%}", percents(one.saved),
                      *(f"{length:,.1f}" for length in one.met.columns().values())]
                     for one in r.changes]}


def _where_to_stop(r: ReportedPlan) -> Facts | None:
    """The first segments, which give most of the reduction; None if not in build order, where there
    is no reduction, and where it takes all of them.
    """
    count = 0 if r.result is None else stopping_point(r.result.effect)
    if r.result is None or not 0 < count < len(r.segments):
        return None
    cost = r.result.effect.cost
    whole = float(cost[-1])
    return {"segments": count, "enough": ENOUGH, "cost": float(cost[count]),
            "share": float(cost[count]) / whole if whole > 0.0 else 0.0}


def effect(r: ReportedPlan) -> Facts:
    """Losses and burn probability without and with the plan."""
    result = r.result
    assert result is not None

    def row(title: str, name: str) -> list[str]:
        before, after, drop = (r.numbers[f"{name}_{part}"]
                               for part in ("before", "after", "reduction"))
        return [title, span(before), span(after), f"{drop.mean:.1%} ({percents(drop)})"]

    burnable = r.land.burnable & ~r.plan.break_mask()
    change = result.effect.after - result.effect.before
    sure = (abs(change) > result.effect.half_width) & burnable
    less, more = ((part & sure).sum() / max(burnable.sum(), 1)
                  for part in (change < 0.0, change > 0.0))
    return {"unit": result.unit.name, "intervals": result.effect.groups.words,
            "less": less, "more": more,
            "rows": [row("mean loss of a fire", "mean_loss"),
                     row("mean of the worst tenth", "cvar90")]}


def methods(r: ReportedPlan) -> Facts | None:
    """The plan beside others on the same test fires; None where there are none."""
    header = ["method", f"cost, {r.plan.priced_in}", "reduction", "95 % interval"]
    found = r.evaluation
    if found is None or r.result is None:
        if not r.others:
            return None
        plans = {r.plan.label: (r.saved, r.plan.cost), **r.others}
        rows = [[name, amount(cost), f"{saved.mean:.1%}", percents(saved)]
                for name, (saved, cost) in plans.items()]
        return {"header": header, "rows": rows, "marked": 0, "pairs": [],
                "colours": [colour_of(name) for name in plans]}
    first = {row.method: row for row in reversed(found.rows)}
    own = f"{r.plan.label} - "
    more = {name.removeprefix(own): f"{pair.difference:+.1%} ({pair.low:+.1%} to {pair.high:+.1%})"
            for name, pair in found.paired.items() if name.startswith(own)}
    # A plan that treats nothing is held against no other.
    rows = [[name, amount(made.cost), f"{one.reduction:.1%}", percents(one),
             *([more.get(name, "")] if more else []),
             f"{first[name].reduction_untreated_cells:.1%}",
             f"{first[name].cvar90_reduction:.1%}", f"{_pieces(r, name, made):,}",
             f"{one.seconds:.2f}"]
            for name, one in found.methods.items() for made in [found.plans[0][name]]]
    return {"header": [*header, *([f"{r.plan.label} saves more"] if more else []),
                       "in untreated cells", "in the worst tenth", "pieces", "time to plan, s"],
            "rows": rows, "marked": marked_in(found, r.plan.label),
            "pairs": [row for row in pair_rows(found) if not row[0].startswith(own)],
            "colours": [colour_of(name) for name in found.methods]}


def alternatives(r: ReportedPlan) -> Facts | None:
    """Plans that do nearly as much elsewhere, beside the plan; None where nobody looked for any."""
    if not r.alternatives and r.no_more is None:
        return None
    header, *rows = alternatives_rows(r.alternatives) if r.alternatives else [()]
    return {"header": header, "rows": rows, "no_more": r.no_more,
            "colours": ["none", *ALTERNATIVE_COLOURS][:len(rows)],
            "most": MOST_SHARED, "least": LEAST_SAVED}


def buildable(r: ReportedPlan) -> list[str] | None:
    """Pieces, single cells and houses of the plan and its alternatives; None of a plan of cells."""
    return [f"{words_of(name, counts)}." for name, counts in r.counts.items()
            if name == r.plan.label or name not in METHODS] or None


def pair_rows(evaluation: Evaluation) -> list[list[str]]:
    """Paired differences, each with its mean and interval."""
    return [[name, f"{pair.difference:+.1%}", f"{pair.low:+.1%} to {pair.high:+.1%}"]
            for name, pair in evaluation.paired.items()]


def marked_in(evaluation: Evaluation, label: str | None) -> int | None:
    """The row of a plan among the methods, where it is one of them."""
    names = list(evaluation.methods)
    return names.index(label) if label in names else None


def years(r: ReportedPlan) -> Facts | None:
    """The schedules beside one another, and the one that is kept year by year."""
    found = None if r.result is None else r.result.over_years
    if r.result is None or found is None:
        return None
    schedules = []
    for name, own in found.schedules.items():
        saved = found.saved[name]
        more = ("" if name == BUILD_ONCE.name else
                f"{saved.more:+.1%} ({saved.more_low:+.1%} to {saved.more_high:+.1%})")
        schedules.append([name, amount(spent(own)), amount(float(own.kept.sum() + own.again.sum())),
                          f"{saved.reduction:.1%} ({percents(saved)})", more])
    kept = found.schedules[found.chosen]
    by_year = [[year, *(_numbers(numbers) for numbers in done),
                amount(float(kept.built[k] + kept.kept[k] + kept.again[k])),
                f"{found.saved[found.chosen].by_year[k]:.1%}"]
               for k, (year, done) in enumerate(zip(found.years, kept.done, strict=True))]
    return {"found": found, "once": BUILD_ONCE.name, "own_fires": SCHEDULE_FIRES,
            "currency": r.result.treatments[0].currency, "schedules": schedules,
            "marked": list(found.schedules).index(found.chosen), "by_year": by_year,
            "discounting": discount_words(found)}


def discount_words(found: YearsResult) -> str:
    """The weight of a later year, in a sentence or two."""
    if not found.discount_rate:
        return "Losses of all years count alike."
    last = discount_factors(found.discount_rate, len(found.years))[-1]
    return (f"Losses are discounted by {found.discount_rate:.3g} a year: one of the last year "
            f"counts {last:.2f} of one of the first. Money is not discounted.")


def _numbers(numbers: list[int]) -> str:
    """Segments by build order, a long list in short."""
    return listed([str(k + 1) for k in numbers], MOST_NUMBERS)


def made(r: ReportedPlan) -> list[str]:
    """Sentences on how the plan was made."""
    return [*r.facts, words.breaks_in_short(r.conditions, r.land.strip_m)]


def depends(r: ReportedPlan) -> Facts:
    """The weather, the land, the fire model and what else was assumed."""
    assert r.result is not None
    common = fuel_shares(r.land.fuel_model)[:4]
    return {"doubt": None if r.result.trust is None else doubt(r.result.trust),
            "fuels": ", ".join(f"{r.land.fuels.described(code)} {share:.0%}"
                               for code, share in common)}


def fires(r: ReportedPlan) -> Facts:
    """The test fires by wind, where they come from, and the conditions that they burn in."""
    found = r.fires
    return {"assumptions": assumptions(r), "header": FIRES_HEADER,
            "rows": [] if found is None else fire_rows(found)}


def fire_rows(found: FireFacts) -> list[list[str]]:
    """Hours and hectares of all fires, and by wind."""
    every = ["all", "100 %", *_four(found.hours, "{:.1f}"), *_four(found.hectares, "{:,.0f}")]
    return [every, *([f"{one.wind_km_h} km/h", f"{one.share:.0%}",
                      *_four(one.hours, "{:.1f}"), *_four(one.hectares, "{:,.0f}")]
                     for one in found.winds)]


def _four(quantiles: NDArray[np.float64], form: str) -> list[str]:
    """Three quantiles in one column, the most in another."""
    low, middle, high, most = (form.format(number) for number in quantiles)
    return [f"{low}, {middle}, {high}", most]


def crews(r: ReportedPlan) -> Facts | None:
    """Losses by how many crews there are; None where nobody holds breaks."""
    found = r.crews
    if found is None:
        return None
    area = "burned in the area, ha" if found.unit == "ha" else f"lost, {found.unit}"
    header = ["", "burned in all, ha", area, "reduction"]
    rows = [[label, amount(burned), amount(lost), "" if k == 0 else f"{saved:.1%}"]
            for k, (label, burned, lost, saved) in enumerate(
                zip(found.labels, found.burned_ha, found.lost, found.saved, strict=True))]
    return {"header": header, "rows": rows, "own": found.own}


def doubt(trust: doubts.DoubtResult | str) -> Facts | str:
    """The savings by the plan and its rivals in perturbed worlds, or why they are not known."""
    if isinstance(trust, str):
        return trust
    return {"verdict": doubts.doubt_verdict(trust), "rows": doubts.doubt_rows(trust),
            "draws": doubts.draws_of(trust),
            "header": [*doubts.HEADER, *(f"reduction by {name}, share" for name in trust.methods)],
            "fires": TRUST_FIRES, "drawn": doubts.what_is_drawn(trust)}


def assumptions(r: ReportedPlan) -> list[str]:
    """The conditions under which the fires burned, in sentences."""
    scene, conditions, regime = r.scene, r.conditions, r.conditions.regime
    unattacked = "" if conditions.attack_min is None else " where nobody attacks them"
    lasts = (regime.periods_words() if regime.hours is not None else
             f"median duration {scene.median_duration_min / 60.0:.1f} hours"
             + ("" if regime.duration_min else
                f", set so that untreated fires burn {regime.burned_share:.0%} of the burnable "
                f"cells on average{unattacked}"))
    return [
        *(f"Assumed: {words}." for words in conditions.assumed),
        f"Fires: {lasts}.",
        words.weather_in_words(scene),
        f"Crown fire: {conditions.model.crown}; embers: "
        + ("none" if conditions.spotting is None else words.who_throws(conditions.spotting)) + ".",
        words.breaks_in_short(conditions, r.land.strip_m),
        f"The method was given {r.plan.plan_fires:,} plan fires; the plan is tested on "
        f"{r.test_fires:,} others.",
        *([f"Breaks that stand already: {counted(r.standing.size, 'cell')}, part of the land "
           "with and without the plan, at no cost."] if r.standing.size else []),
        words.bare_ground_in_words(scene.landscape)]


def limits(r: ReportedPlan) -> list[str]:
    """Sentences on what the report leaves out."""
    not_doubted = ["What the plan saves if the fire model is wrong was not looked at: firebreak "
                   "plan --report full does."] if r.result is None else []
    return [words.how_fires_end(r.conditions), *words.LIMITS, *not_doubted]


def origin(r: ReportedPlan) -> Facts:
    """Files beside the page, the command, versions and options, and why the method was chosen."""
    if r.result is None:
        return {"version": None}
    checksum, name = r.full.checksum(), plan_id(r.plan)
    return {"version": __version__, "plan": name, "checksum": checksum,
            "options": json.dumps(r.origin.options, indent=2), "choice": _choice(r.origin.choice),
            "versions": [*versions(), ["landscape checksum", checksum], ["seed", r.seed],
                         ["plan", name]]}


def _choice(choice: Choice | None) -> Facts | None:
    """Why the plan of this method was kept."""
    if choice is None:
        return None
    names = list(choice.candidates)
    return {"words": tables.choice_words(choice), "header": tables.CHOICE_HEADER,
            "rows": tables.choice_rows(choice), "marked": names.index(choice.chosen),
            "colours": [colour_of(name) for name in names], "refused": choice.refused}
