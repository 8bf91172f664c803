"""A plan that was made at once: what it changes on test fires, and its files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from firebreak.api.plans.area import house_buffer_of
from firebreak.api.plans.corridors import covered_shapes, lines_of_network
from firebreak.api.plans.request import PlanRequest
from firebreak.api.shared.budget import money_by_year
from firebreak.api.shared.map_defaults import rows_named
from firebreak.fire import KnownFires
from firebreak.landscape.candidates.corridor import Corridor, with_line_lengths
from firebreak.landscape.candidates.corridors.ground import ground_of
from firebreak.landscape.formats.treated import write_treated
from firebreak.landscape.formats.write import write_text
from firebreak.landscape.names import DATA
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.alternatives import Alternatives
from firebreak.planning.barriers.words import barrier_words
from firebreak.planning.core.area import View, cells_in, lift
from firebreak.planning.core.corridors import mask_of, parts_of
from firebreak.planning.core.plan import EXISTING, Plan
from firebreak.planning.core.progress import Bar
from firebreak.planning.evaluation.auto import Choice, FirstPlan
from firebreak.planning.evaluation.build_order import in_build_order, years_of
from firebreak.planning.evaluation.doubt import trust_in, worlds
from firebreak.planning.evaluation.drawn import Change, changes_of, changes_table
from firebreak.planning.evaluation.effect import effect_of, in_unit
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.fire_facts import MOST_FIRES, FireFacts, fire_facts
from firebreak.planning.evaluation.intervals import FireGroups
from firebreak.planning.evaluation.losses import CrewLosses, crew_losses, saved_by_order
from firebreak.planning.evaluation.refine import saved_by_each
from firebreak.planning.methods import AT_EXISTING_COST, method_of
from firebreak.planning.output.buildable import Counts, counts_of
from firebreak.planning.output.export import write_plan
from firebreak.planning.output.export_effect import (
    NO_CELLS,
    PlanResult,
    on_full_map,
    plan_id,
    segment_columns,
    write_effect,
)
from firebreak.planning.output.segment_layers import write_segments
from firebreak.planning.output.tables import alternatives_table, csv_text
from firebreak.planning.windows.kept import NOTHING_KEPT, Kept
from firebreak.planning.years.savings import YearsResult, years_of_plan
from firebreak.planning.years.schedule import RULES
from firebreak.settings.planning import TRUST_DRAWS

if TYPE_CHECKING:
    from firebreak.fire import Fires, Scene
    from firebreak.report.pages.plan_report import Curve
    from firebreak.report.pages.reported_plan import Origin


FirstPlanTaker = Callable[["PlanAtOnce", FirstPlan], object]
"""Takes the first plan, on its land, and what it saves."""


class Judgement(NamedTuple):
    """The changes by a plan on test fires.

    Attributes:
        result: of the part of the map that was planned for.
        curves: by rival what its beginnings save, for the full report.
        fires: the test fires without breaks.
        crews: what they lose by how many crews there are; None where nobody holds breaks.
        changes: from the network that the plan begins with; none where it begins with nothing.
    """

    result: PlanResult
    curves: "dict[str, Curve]"
    fires: FireFacts
    crews: CrewLosses | None
    changes: Sequence[Change] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanAtOnce:
    """A plan that was made at once, of the part of the map that was planned for.

    Attributes:
        request: what it was made from.
        scene: its fires.
        plan: the plan.
        choice: why a chooser kept this method's plan; None where the method was named.
        others: the plans of the methods that a chooser tried, by name.
        alternatives: what does nearly as much elsewhere; None where that was not looked for.
        evaluation: of the plan and of others on test fires; None where there are none.
        judgement: what it changes on them; None without any, or before it was judged.
        unfinished: what was kept of windows' plans, until the plan is written.
    """

    request: PlanRequest
    scene: "Scene"
    plan: Plan
    choice: Choice | None = None
    others: Mapping[str, Plan] = field(default_factory=dict)
    alternatives: Alternatives | None = None
    evaluation: Evaluation | None = None
    judgement: Judgement | None = None
    unfinished: Kept = NOTHING_KEPT

    def judged(self, bar: Bar) -> "PlanAtOnce":
        """The run with what the plan changes on the test fires, where there are any."""
        if self.judgement is not None or self.evaluation is None:
            return self
        return replace(self, judgement=_judge(self, self.evaluation, bar))

    def segments(self) -> tuple[list[Corridor], Sequence[Mapping[str, Any]]] | None:
        """The segments on the whole map in the order of the report, and what is known of each; None
        where none was judged.
        """
        if self.judgement is None:
            return None
        return on_full_map(self.judgement.result), segment_columns(self.judgement.result)

    def alternatives_table(self) -> list[dict[str, Any]]:
        """A row for the plan and for each alternative to it; none without any."""
        if self.judgement is None or self.evaluation is None or self.alternatives is None:
            return []
        result = self.judgement.result
        return alternatives_table(self.plan, result.segments, self.alternatives.found,
                                  self.evaluation, result.counts)

    def write_plan(self, out: Path, first: FirstPlan | None = None) -> list[Path]:
        """Write the plan itself, and the whole landscape with its breaks for other fire programs.

        first: what a first plan saves.
        """
        area = self.request.area
        plan = lift(self.plan, area.offset, area.full)
        # The source's file has no breaks that stand already; the landscape has them.
        whole = plan.break_mask()
        whole.ravel()[cells_in(self.request.options.scene.map.built, area.full, (0, 0),
                               area.full)] = True
        record = {} if first is None else {
            "first_plan": {"saved": first.saved, "choice_fires": first.fires}}
        return [*write_plan(plan, area.full, out, record).values(),
                write_treated(out / DATA / "treated_landscape.tif", self.request.source, area.full,
                              whole, self.scene.conditions.treatment)]

    def write_report(self, out: Path, origin: "Origin", bar: Bar) -> list[Path]:
        """Write the report that is asked for; pictures alone where nothing judged the plan.

        origin: its files are those that were written before.
        """
        if self.request.options.report == "none":
            return []
        if self.judgement is None or self.evaluation is None:
            return _write_pictures(out, self)
        return _write_judged(out, self, self.judgement, self.evaluation, origin, bar)


def _judge(made: PlanAtOnce, evaluation: Evaluation, bar: Bar) -> Judgement:
    """Burn the test fires under the plan, segment by segment."""
    options, area, scene, plan = made.request.options, made.request.area, made.scene, made.plan
    if made.request.corridors:  # maps show all that may be treated
        scene = replace(scene, landscape=area.anywhere)
    brief, full = options.report == "brief", options.report == "full"
    order = _parts(made, plan)
    with bar(0 if brief else len(order),
             "corridor" if made.request.corridors else "segment") as advance:
        if not brief:
            by_place = sorted(order, key=lambda segment: int(segment.cells[0]))
            order = in_build_order(scene, by_place, plan.plan_fires, advance)
    if made.request.corridors:
        order = with_line_lengths(order, area.land.shape[1], area.land.cell_size_m)
    # Of the plan itself the order to build tells, which is the better one.
    parts = {} if made.alternatives is None else {
        name: own.parts for name, own in made.alternatives.found.items()}
    others = {} if not full else {
        name: other for name, other in evaluation.plans[0].items()
              if other.cells.size and name not in (EXISTING, plan.label, *parts)
              and not name.endswith(AT_EXISTING_COST) and not method_of(name).stochastic
              and (method_of(name).compared or name not in made.others)}
    with bar(options.test_fires * (1 + len(others)), "fire") as advance:
        effect = effect_of(scene, order, options.test_fires, report=advance)
        curves = {name: saved_by_order(scene, other, effect.loss[0],
                                       evaluation.methods[name].reduction, report=advance)
                  for name, other in others.items()}
    with bar(worlds(scene, TRUST_DRAWS) if full else 0, "world") as advance:
        trust = None if not full else trust_in(
            replace(scene, landscape=area.anywhere), plan, evaluation, options.scene.seed, advance,
            aside=parts)
    over_years = _over_years(made, order, bar)
    unit, fires = value_unit(area.land), scene.fires("test", options.test_fires)
    return Judgement(PlanResult(
        scene, plan, area.full, area.offset, order, in_unit(effect, unit), options.scene.seed,
        area.rules.include,
        years_of(order, area.phases) if area.phases and over_years is None else None,
        evaluation.plans[0][EXISTING].cells if options.place.network is not None else NO_CELLS,
        cells_in(options.scene.map.built, area.land, area.offset, area.full), unit,
        rows_named(options.scene.breaks), trust, over_years, options.fires_per_ha_year,
        _counts(made, evaluation, {plan.label: order, **parts}) if made.request.corridors else {},
        _without(scene, fires, order, unit.per_value)
        if made.request.corridors and not brief else (),
        parts), curves,
        fire_facts(scene, fires, scene.fires("plan", plan.plan_fires)),
        crew_losses(scene, plan.break_mask(), fires.first(MOST_FIRES)),
        _changes(made, fires, effect.groups, order if made.request.corridors else (), bar))


def _parts(made: PlanAtOnce, plan: Plan) -> list[Corridor]:
    """The parts of a plan that was made as this one."""
    options, area = made.request.options, made.request.area
    return parts_of(plan, area.land, options.place.segment_m, area.rules.lines, area.rules.include)


def _changes(made: PlanAtOnce, fires: "Fires", groups: FireGroups, parts: Sequence[Corridor],
             bar: Bar) -> list[Change]:
    """The changes from the network that a plan begins with; parts: of the plan, with names."""
    if made.request.options.place.improve is None:
        return []
    network = lines_of_network(made.request)
    scene = replace(made.scene, landscape=made.request.area.anywhere)
    with bar(len(network), "line") as advance:
        return changes_of(scene, fires, groups, network, made.plan, covered_shapes(made.request),
                          parts, advance)


def _without(scene: "Scene", fires: "Fires", parts: list[Corridor], per_value: float,
             ) -> list[float]:
    """Rise of the mean loss of fires if each part is left out, in the unit."""
    known = KnownFires(scene, fires, mask_of(parts, scene.landscape.shape))
    _, more = saved_by_each(known, parts, range(len(parts)))
    found: list[float] = (per_value * more).tolist()
    return found


def _counts(made: PlanAtOnce, evaluation: Evaluation,
            parts: Mapping[str, list[Corridor]]) -> dict[str, Counts]:
    """Counts that say if the plan and those beside it can be built, by name; parts: where known."""
    land, buffer_m = made.request.area.anywhere, house_buffer_of(made.request.options.place)
    ground = ground_of(land, buffer_m)
    plans = {name: plan for name, plan in evaluation.plans[0].items() if plan.cells.size}
    # Bare ground on the way of a corridor joins its cells, whatever the name of the plan.
    parts = {name: _parts(made, plan) for name, plan in plans.items()
             if name.endswith(AT_EXISTING_COST)
             or (name in made.others and method_of(name).takes_lines)} | dict(parts)
    return {name: counts_of(plan.cells, land, ground, buffer_m, parts.get(name, ()))
            for name, plan in plans.items()}


def _over_years(made: PlanAtOnce, order: list[Corridor], bar: Bar) -> YearsResult | None:
    """The schedule of the plan's segments; None where none is asked for or nothing is built."""
    options, area = made.request.options, made.request.area
    horizon = options.place.horizon
    if horizon is None or not order:
        return None
    years, money = money_by_year(area.phases, area.money, horizon)
    with bar(len(RULES), "schedule") as advance:
        return years_of_plan(made.scene, order, rows_named(options.scene.breaks), years, money,
                             options.test_fires, advance, options.place.discount_rate)


def _write_judged(out: Path, made: PlanAtOnce, judgement: Judgement, evaluation: Evaluation,
                  origin: "Origin", bar: Bar) -> list[Path]:
    """Rasters, vectors, tables, pictures and the report of a plan that was judged.

    origin: its files are those that were written before.
    """
    from firebreak.report.pages.plan_report import write_plan_report
    from firebreak.report.pages.reported_plan import reported

    options, area = made.request.options, made.request.area
    plan, result, brief = made.plan, judgement.result, options.report == "brief"
    if brief:
        written = write_segments(out, on_full_map(result), segment_columns(result), area.full)
    else:
        tags = {"method": plan.method, "seed": str(options.scene.seed), "plan": plan_id(plan),
                "test_fires": str(options.test_fires)}
        if plan.chosen_by is not None:
            tags["chosen_by"] = plan.chosen_by
        written = write_effect(out, result, tags)
    if judgement.changes:
        written.append(write_text(out / DATA / "changes.csv", [csv_text(changes_table(
            judgement.changes, area.land, plan.priced_in))]))
    table = made.alternatives_table()
    if table:
        written.append(write_text(out / DATA / "alternatives.csv", [csv_text(table)]))
    whole = origin._replace(files=[*origin.files, *written])
    report = reported(result, evaluation, whole, "brief" if brief else "full", judgement.fires,
                      judgement.crews)._replace(
                          domain=area.domain, changes=judgement.changes, alternatives=table,
                          no_more=made.alternatives and made.alternatives.words(),
                          barrier=barrier_words([plan, *made.others.values()]))
    return [*written, *write_plan_report(out, report, judgement.curves, bar)]


def _write_pictures(out: Path, made: PlanAtOnce) -> list[Path]:
    """Pictures of a plan that nothing judged."""
    from firebreak.report.figures.canvas import save_figure
    from firebreak.report.figures.cartography import caption_of
    from firebreak.report.figures.maps import landscape_figure, plan_figure

    view = View.of(made.scene.landscape)
    land, plan = view.land, view.plan(made.plan)
    caption = caption_of(land, seed=made.scene.seed)
    return [save_figure(landscape_figure(land, caption=caption), out / DATA / "landscape.png"),
            save_figure(plan_figure(land, plan, caption=caption), out / DATA / "plan.png")]
