"""A plan by windows: made, and kept while it is made; judged on fires that it was not made from,
and written.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.api.plans.area import as_counted, priced
from firebreak.api.plans.request import PlanRequest, Sayer, no_words
from firebreak.api.shared.map_defaults import is_map
from firebreak.checks import InputError
from firebreak.fire import Scene, burn_plans
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.value_unit import value_unit
from firebreak.planning.core.area import cells_in, lift, lift_segments
from firebreak.planning.core.corridors import parts_of
from firebreak.planning.core.plan import EXISTING, Plan
from firebreak.planning.core.progress import Bar, Reporter, in_shares
from firebreak.planning.core.rules import PlanRules
from firebreak.planning.evaluation.fire_facts import MOST_FIRES, FireFacts, fire_facts
from firebreak.planning.evaluation.intervals import FireGroups, Interval, fire_groups
from firebreak.planning.evaluation.losses import CrewLosses, crew_losses
from firebreak.planning.evaluation.tables import MORE_FIRES, keeps_little
from firebreak.planning.output.export import write_plan
from firebreak.planning.output.segment_layers import write_segments
from firebreak.planning.output.tables import columns_of
from firebreak.planning.windows.cores import CORE_CELLS, WindowSettings
from firebreak.planning.windows.kept import NOTHING_KEPT, Kept, Unfinished, job_of
from firebreak.planning.windows.make import (
    WindowPlan,
    make_region,
    plan_by_windows,
    region_recipe,
)
from firebreak.planning.windows.reached import saved_in_order
from firebreak.planning.windows.region import Region

if TYPE_CHECKING:
    from firebreak.report.pages.reported_plan import Origin


class WindowsJudgement(NamedTuple):
    """The savings of a plan by windows on test fires.

    Attributes:
        saved: share of their loss.
        network: the same of the existing network, and what that costs, or None.
        before, after: losses of the test fires without and with the plan, f64 [F].
        groups: what the fires count as.
        parts: the segments on the part of the map that was planned for, in the order in which the
            plan took them; empty without a report.
        columns: what is known of each.
        fires: the test fires without breaks; None without a report.
        crews: what they lose by how many crews there are; None where nobody holds breaks.
    """

    saved: Interval
    network: tuple[Interval, float] | None
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    groups: FireGroups
    parts: Sequence[Corridor] = ()
    columns: Sequence[dict[str, Any]] = ()
    fires: FireFacts | None = None
    crews: CrewLosses | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanByWindows:
    """A plan that was made by windows, of the part of the map that was planned for.

    Attributes:
        request: what it was made from.
        region: its scene and plan fires.
        made: the plan, and how it came about.
        unfinished: what was kept of it while it was made, until it is written.
        judgement: what it saves of the test fires; None without any, or before it was judged.
    """

    request: PlanRequest
    region: Region
    made: WindowPlan
    unfinished: Kept = NOTHING_KEPT
    judgement: WindowsJudgement | None = None

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.made.plan

    def judged(self, bar: Bar) -> "PlanByWindows":
        """The run with what the plan changes on the test fires, where there are any."""
        if self.judgement is not None or self.request.options.test_fires < 2:
            return self
        return replace(self, judgement=self._judge(bar))

    def _judge(self, bar: Bar) -> WindowsJudgement:
        """Burn the test fires without and with the plan."""
        options, network, plan = self.request.options, self.request.network, self.plan
        scene = self.region.scene
        fires = scene.fires("test", options.test_fires)
        under = [None, plan.break_mask()] + ([] if network is None else [network.break_mask()])
        with bar(len(under) * options.test_fires, "fire") as advance:
            before, after, *others = burn_plans(scene, fires, under, advance)
        groups = fire_groups(fires.scenario, before, fires.times)
        existing = None if network is None else (groups.saving(before - others[0], before),
                                                 network.cost)
        found = WindowsJudgement(groups.saving(before - after, before), existing, before, after,
                                 groups)
        if options.report == "none":
            return found
        parts = parts_of(plan, scene.landscape, options.place.segment_m)
        with closing(options.windows.open(region_recipe(replace(self.region, fires=fires)))
                     ) as executor, bar(options.test_fires, "fire") as advance:
            shares = saved_in_order(replace(self.region, fires=fires),
                                    [one.cells for one in parts], executor, advance)
        unit, untreated = value_unit(scene.landscape), float(before.mean())
        columns = columns_of(parts, [share * untreated * unit.per_value for share in shares],
                             untreated * unit.per_value, unit.name, plan.priced_in,
                             scene.conditions.treatment.width_m or scene.landscape.cell_size_m,
                             scene.landscape.strip_m)
        return found._replace(
            parts=parts, columns=columns, fires=fire_facts(scene, fires, self.region.fires),
            crews=crew_losses(scene, plan.break_mask(), fires.first(MOST_FIRES)))

    def segments(self) -> tuple[list[Corridor], Sequence[Mapping[str, Any]]] | None:
        """The segments on the whole map in the order of the report, and what is known of each; None
        where none was judged.
        """
        area, found = self.request.area, self.judgement
        if found is None or self.request.options.report == "none":
            return None
        return lift_segments(found.parts, self.plan.shape, area.offset, area.full), found.columns

    def write_plan(self, out: Path) -> list[Path]:
        """Write the plan itself."""
        area = self.request.area
        return list(write_plan(lift(self.plan, area.offset, area.full), area.full, out).values())

    def write_report(self, out: Path, origin: "Origin", bar: Bar) -> list[Path]:
        """Write segments and the brief report, if one is asked for; see `PlanAtOnce`."""
        from firebreak.planning.output.export_effect import NO_CELLS
        from firebreak.report.pages.plan_report import write_plan_report
        from firebreak.report.pages.reported_plan import ReportedPlan

        options, area, network = self.request.options, self.request.area, self.request.network
        judgement = self.judgement
        if judgement is None or options.report == "none":
            return []
        segments, columns = self.segments() or ((), ())
        written = write_segments(out, segments, columns, area.full)
        report = ReportedPlan(
            level="brief", plan=self.plan, land=area.land, full=area.full,
            scene=self.region.scene, seed=options.scene.seed,
            origin=origin._replace(files=[*origin.files, *written]),
            segments=judgement.parts, columns=judgement.columns, saved=judgement.saved,
            test_fires=options.test_fires, promised=self.made.promised,
            others={} if judgement.network is None else {EXISTING: judgement.network},
            facts=[f"{saved_words(self.made, judgement.saved)}.", *(
                f"{words[0].upper()}{words[1:]}." for words in facts_of(self.made))],
            included=area.rules.include,
            standing=cells_in(options.scene.map.built, area.land, area.offset, area.full),
            existing=NO_CELLS if network is None else network.cells, fires=judgement.fires,
            crews=judgement.crews, domain=area.domain)
        return [*written, *write_plan_report(out, report)]


class WindowPlanner:
    """Plans by windows, on a scene that is chosen and judged as one too.

    Args:
        out: a folder, made if need be; all that is done of the first plan is kept in it, and stays
            until it is written. Without one nothing is kept.
        say: takes a sentence where the plan goes on with what was kept, or is stopped.

    Attributes:
        kept: what is kept of the first plan.
    """

    def __init__(self, request: PlanRequest, out: Path | None, say: Sayer) -> None:
        self._request, self._out, self._say = request, out, say
        self.kept: Kept = NOTHING_KEPT
        if is_map(request.source or request.area.full) and not request.options.place.cells:
            say("by windows a plan has cells and straight lines; --area plans a part of the map "
                "with corridors")

    def __call__(self, scene: Scene, share: float, plan_fires: int, method: str, rules: PlanRules,
                 report: Reporter) -> Plan:
        """The plan of a method. Lines that the user supplies are for other methods."""
        region = self.region(scene, share, method, replace(rules, lines=None, least_m=0.0))
        return self.made(region, share, report).plan

    def region(self, scene: Scene, share: float, method: str, rules: PlanRules) -> Region:
        """The problem that a plan is made for."""
        options = self._request.options
        return make_region(scene, share, method, seed=options.scene.seed,
                           policy=self._request.policy, search=options.search(),
                           plan_fires=options.plan_fires, rules=rules)

    def made(self, region: Region, share: float, report: Reporter) -> WindowPlan:
        """The plan of a region, and how it came about."""
        windows, kept = self._request.options.windows, NOTHING_KEPT
        settings = WindowSettings(core=windows.window_cells or CORE_CELLS)
        if self._out is not None and self.kept is NOTHING_KEPT:
            self.kept = kept = Unfinished(self._out, job_of(region, share, settings))
        begun = kept.begun_words
        if begun:
            self._say(begun)
        with kept.working(self._say):
            try:
                with closing(windows.open(region_recipe(region))) as executor:
                    return plan_by_windows(region, share, executor, settings, kept=kept,
                                           report=report)
            except InputError:
                if not begun:  # else less memory may be free than then
                    kept.remove()
                raise


def make_by_windows(request: PlanRequest, bar: Bar, out: Path | None = None,
                    say: Sayer = no_words) -> PlanByWindows:
    """The plan that is asked for; out, say: as `WindowPlanner`."""
    options, area = request.options, request.area
    with bar(0, "map and fires"):
        scene = options.scene.tiled_scene(area.land, request.source)
    planned_on, share = as_counted(scene, area, area.share)
    planner = WindowPlanner(request, out, say)
    region = planner.region(planned_on, share, request.method, area.rules)
    with bar(1, "plan") as advance:
        made = planner.made(region, share, in_shares(advance))
    made = made._replace(plan=priced(made.plan, area, options.budget))
    return PlanByWindows(request=request, region=replace(region, scene=scene), made=made,
                         unfinished=planner.kept)


def saved_words(made: WindowPlan, saved: Interval) -> str:
    """The headline: what is saved of the test fires, and whether more was promised."""
    words = (f"saves {saved.mean:.1%} ({saved.low:.1%} - {saved.high:.1%}) of the loss of the test "
             f"fires; {made.promised:.1%} on its plan fires")
    if not keeps_little(made.promised, saved.high):
        return words
    return (f"{words}: it fences in the fires that it was shown, so give more of them "
            f"(--plan-fires {MORE_FIRES * made.plan.plan_fires})")


def facts_of(made: WindowPlan) -> list[str]:
    """Sentences on how the plan came about."""
    begun = ("rows across the whole map save more of the choice fires than lines of windows alone: "
             "the plan begins with them")
    return [*([begun] if made.rows else []),
            f"windows reach {made.margin} cells beyond what they treat; {made.beyond:.0%} of the "
            f"{made.plan.plan_fires:,} plan fires get beyond the window that they start in",
            f"{made.taken:,} of {made.lines:,} lines taken; {made.risen:,} of {made.rated:,} "
            "ratings rose when made again"]
