"""What a plan changes on test fires, segment by segment and over the years."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from firebreak.api.shared.plan_steps.make import AT_EXISTING_COST, Work
from firebreak.api.shared.treated_map import rows_named

if TYPE_CHECKING:
    from firebreak.planning.core.break_segments import BreakSegment
    from firebreak.planning.core.progress import Bar
    from firebreak.planning.evaluation.evaluate import Evaluation
    from firebreak.planning.output.export_effect import PlanResult
    from firebreak.planning.years.judged import YearsResult
    from firebreak.report.pages.plan_report import Curve


class Judgement(NamedTuple):
    """What a plan changes on test fires. curves: by rival what its beginnings save, for the full
    report.
    """

    result: "PlanResult"
    curves: "dict[str, Curve]"


def judge(work: Work, evaluation: "Evaluation", bar: "Bar") -> Judgement:
    """What the plan changes, segment by segment, on the test fires."""
    from firebreak.api.place.area import cells_in
    from firebreak.landscape.value_unit import value_unit
    from firebreak.planning.core.plan import EXISTING
    from firebreak.planning.evaluation.build_order import in_build_order, years_of
    from firebreak.planning.evaluation.doubt import trust_in, trust_worlds
    from firebreak.planning.evaluation.effect import effect_of, in_unit, saved_by_order
    from firebreak.planning.methods import method_of
    from firebreak.planning.output.export_effect import NO_CELLS, PlanResult
    from firebreak.planning.output.segment_table import in_plan_order

    options, place, scene, made = work.options, work.place, work.scene, work.made
    plan, brief, full = made.plan, options.report == "brief", options.report == "full"
    order = in_plan_order(plan, place.land, options.place.segment_m)
    with bar(0 if brief else len(order), "segment") as advance:
        if not brief:
            by_place = sorted(order, key=lambda segment: int(segment.cells[0]))
            order = in_build_order(scene, by_place, options.plan_fires, advance)
    # Of the plan itself the order to build tells, which is the better one.
    others = {} if not full else {
        name: other for name, other in evaluation.plans[0].items()
              if other.cells.size and name not in (EXISTING, plan.label)
              and not name.endswith(AT_EXISTING_COST) and not method_of(name).stochastic
              and (method_of(name).compared or name not in made.others)}
    with bar(options.test_fires * (1 + len(others)), "fire") as advance:
        effect = effect_of(scene, order, options.test_fires, report=advance)
        curves = {name: saved_by_order(scene, other, effect.loss[0],
                                       evaluation.methods[name].reduction, report=advance)
                  for name, other in others.items()}
    with bar(trust_worlds(scene) if full else 0, "world") as advance:
        trust = None if not full else trust_in(replace(scene, landscape=place.anywhere), plan,
                                            evaluation, options.scene.seed, advance)
    over_years = _over_years(work, order, bar)
    unit = value_unit(place.land)
    return Judgement(PlanResult(
        scene, plan, place.full, place.offset, order, in_unit(effect, unit), options.scene.seed,
        place.rules.include,
        years_of(order, place.phases) if place.phases and over_years is None else None,
        evaluation.plans[0][EXISTING].cells if options.place.existing is not None else NO_CELLS,
        cells_in(options.scene.map.built, place.land), unit,
        rows_named(options.scene.breaks), trust, over_years, options.fires_per_ha_year), curves)


def _over_years(work: Work, order: "list[BreakSegment]", bar: "Bar") -> "YearsResult | None":
    """What to build and what to keep up when, of the plan's segments in build order; None where it
    was not asked or there is nothing to build.
    """
    from firebreak.api.place.money import money_by_year
    from firebreak.planning.years.judged import years_of_plan
    from firebreak.planning.years.schedule import RULES

    options, horizon = work.options, work.options.place.horizon
    if horizon is None or not order:
        return None
    years, money = money_by_year(work.place.phases, work.place.money, horizon)
    with bar(len(RULES), "schedule") as advance:
        return years_of_plan(work.scene, order, rows_named(options.scene.breaks), years, money,
                             options.test_fires, advance, options.place.discount_rate)
