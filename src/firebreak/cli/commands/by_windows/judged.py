"""A plan by windows, held against fires that it was not made from."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.planning.core.break_segments import BreakSegment
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.intervals import Interval, fire_groups
from firebreak.planning.evaluation.losses import losses_of
from firebreak.planning.output.segment_table import in_plan_order
from firebreak.planning.windows.region import Region

if TYPE_CHECKING:
    from firebreak.planning.core.progress import Bar


class SegmentSavings(NamedTuple):
    """segments: in the order in which the plan took them; saved: by how much each lowers the mean
    loss of the test fires once those before it are built; untreated: that loss without breaks.
    """

    segments: list[BreakSegment]
    saved: list[float]
    untreated: float


class JudgedPlan(NamedTuple):
    """plan: what it saves of the loss of the test fires; network: the same of the existing one, and
    what that costs, or None; segments: None without a report.
    """

    plan: Interval
    network: tuple[Interval, float] | None
    segments: SegmentSavings | None


def judge(plan: Plan, region: Region, network: Plan | None, args: PlanArguments,
          bar: "Bar") -> JudgedPlan | None:
    """What a plan saves on the test fires; None without test fires."""
    if args.test_fires < 2:
        return None
    scene = region.scene
    fires = scene.fires("test", args.test_fires)
    under = [None, plan.break_mask()] + ([] if network is None else [network.break_mask()])
    with bar(len(under) * args.test_fires, "fire") as advance:
        before, after, *others = losses_of(scene, fires, under, advance)
    groups = fire_groups(fires.scenario, before)
    existing = None if network is None else (groups.saving(before - others[0], before),
                                             network.cost)
    found = JudgedPlan(groups.saving(before - after, before), existing, None)
    if args.report == "none":
        return found
    untreated = float(before.mean())
    return found._replace(segments=_segments(
        plan, replace(region, fires=fires), untreated, args, bar))


def _segments(plan: Plan, region: Region, untreated: float, args: PlanArguments,
              bar: "Bar") -> SegmentSavings:
    from firebreak.executors.base import closing
    from firebreak.planning.windows.benefits import saved_in_order
    from firebreak.planning.windows.make import region_recipe

    segments = in_plan_order(plan, region.scene.landscape, args.place.segment_m)
    with closing(args.windows.open(region_recipe(region))) as executor, bar(
            args.test_fires, "fire") as advance:
        shares = saved_in_order(region, [one.cells for one in segments], executor, advance)
    return SegmentSavings(segments, [share * untreated for share in shares], untreated)
