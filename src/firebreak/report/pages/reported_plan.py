"""The contents of a plan's report, of a plan that was made at once or by windows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import FireConditions, Scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import View
from firebreak.planning.core.domain import Domain
from firebreak.planning.core.plan import Plan
from firebreak.planning.evaluation.auto import Choice
from firebreak.planning.evaluation.drawn import Change
from firebreak.planning.evaluation.effect import risk
from firebreak.planning.evaluation.evaluate import Evaluation
from firebreak.planning.evaluation.fire_facts import FireFacts
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.evaluation.losses import CrewLosses
from firebreak.planning.evaluation.tables import promise_words
from firebreak.planning.output.buildable import Counts
from firebreak.planning.output.export_effect import NO_CELLS, PlanResult, segment_columns

Level = Literal["brief", "full"]


class Origin(NamedTuple):
    """The origin of a plan: the command as typed, the options in full, the files written; why its
    method was chosen, where it was.
    """

    command: str
    options: Mapping[str, Any]
    files: Sequence[Path]
    choice: Choice | None = None


class ReportedPlan(NamedTuple):
    """A plan with all that its report shows.

    Attributes:
        level: how much is shown.
        land: the part planned for, of which plan and segments are; full: the whole map.
        segments: in build order; columns: of each, see `export_effect.segment_columns`.
        saved: share of the loss of the test fires; promised: of that of the plan fires, or None.
        others: by name what other plans save of the same test fires, and their costs.
        facts: sentences on how the plan was made.
        included, existing, standing: cells as of `PlanResult`.
        fires: the test fires without breaks; None where they were not looked at.
        crews: losses by how many crews there are; None where nobody holds breaks.
        domain: how the margin of the area was found; None where fires start in the part alone.
        evaluation: of the plan and others, where it was planned at once.
        result, numbers: for a full report what test fires found, and it as of `effect.risk`.
        pictures: files by name.
        counts: by name whether plans can be built, of one that was built of corridors.
        changes: from the network that the plan begins with.
        alternatives: a row for it and for each alternative, by column; no_more: why there are no
            more, None where nobody looked or as many as are looked for were found.
        barrier: sentences on barriers that the budget closes or not, where a method looked for any.
    """

    level: Level
    plan: Plan
    land: Landscape
    full: Landscape
    scene: Scene
    seed: int
    origin: Origin
    segments: Sequence[Corridor]
    columns: Sequence[Mapping[str, Any]]
    saved: Interval
    test_fires: int
    promised: float | None = None
    others: Mapping[str, tuple[Interval, float]] = MappingProxyType({})
    facts: Sequence[str] = ()
    included: NDArray[np.int64] = NO_CELLS
    existing: NDArray[np.int64] = NO_CELLS
    standing: NDArray[np.int64] = NO_CELLS
    evaluation: Evaluation | None = None
    result: PlanResult | None = None
    numbers: Mapping[str, Interval] = MappingProxyType({})
    fires: FireFacts | None = None
    crews: CrewLosses | None = None
    domain: Domain | None = None
    pictures: Mapping[str, Path] = MappingProxyType({})
    counts: Mapping[str, Counts] = MappingProxyType({})
    barrier: str | None = None
    changes: Sequence[Change] = ()
    alternatives: Sequence[Mapping[str, Any]] = ()
    no_more: str | None = None

    @property
    def part(self) -> str:
        """The noun for what is built one after the other."""
        return "corridor" if any(own.name for own in self.segments) else "segment"

    @property
    def conditions(self) -> FireConditions:
        """The assumptions about the fires."""
        return self.scene.conditions


def in_view(report: ReportedPlan) -> ReportedPlan:
    """The report of the rectangle around the area; scene, plan and segments of `result` stay."""
    view, result = View.of(report.land), report.result
    if view.land.shape == report.land.shape:
        return report
    if result is not None:
        effect, (top, left) = result.effect, result.offset
        result = result._replace(
            alternatives={name: view.segments(parts)
                          for name, parts in result.alternatives.items()},
            offset=(top + view.window.row, left + view.window.col), effect=effect._replace(
                before=view.grid(effect.before), after=view.grid(effect.after),
                half_width=view.grid(effect.half_width)))
    return report._replace(
        land=view.land, plan=view.plan(report.plan), segments=view.segments(report.segments),
        included=view.cells(report.included), existing=view.cells(report.existing),
        standing=view.cells(report.standing), result=result)


def reported(result: PlanResult, evaluation: Evaluation | None, origin: Origin,
             level: Level = "full", fires: FireFacts | None = None,
             crews: CrewLosses | None = None) -> ReportedPlan:
    """A plan that was made at once and judged.

    Args:
        evaluation: of the plan and other methods on the same test fires; None leaves it out.
        fires: the test fires without breaks; crews: losses by how many crews there are.
    """
    plan, loss, full = result.plan, result.effect.loss, level == "full"
    numbers = risk(result.effect)
    others = {} if evaluation is None else {
        name: (Interval(one.reduction, one.low, one.high), evaluation.plans[0][name].cost)
        for name, one in evaluation.methods.items()
        if name != plan.label and evaluation.plans[0][name].cells.size}
    promised = None if evaluation is None else next(
        (row.in_sample_reduction for row in evaluation.rows if row.method == plan.label), None)
    kept = None if evaluation is None else promise_words(evaluation, plan.label)
    return ReportedPlan(
        level=level, plan=plan, land=result.scene.landscape, full=result.full,
        scene=result.scene, seed=result.seed, origin=origin,
        segments=result.segments, columns=segment_columns(result),
        saved=numbers["mean_loss_reduction"], test_fires=loss.shape[1], promised=promised,
        others=others, facts=[f"The method was given {plan.plan_fires:,} plan fires.",
                              *([] if kept is None else [f"{kept}."])],
        included=result.included, existing=result.existing, standing=result.standing,
        evaluation=evaluation, result=result if full else None, numbers=numbers if full else {},
        fires=fires, crews=crews, counts=result.counts)
