"""What is said and written of a plan by windows."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firebreak.checks import counted
from firebreak.cli.commands.by_windows.judged import JudgedPlan
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.planning.core.plan import EXISTING, Plan, spent_words
from firebreak.planning.evaluation.intervals import Interval
from firebreak.planning.windows.make import WindowPlan

if TYPE_CHECKING:
    from firebreak.api.place.place import Place

ENOUGH = 0.75
"""A plan that keeps less than this share of what it promises is said to."""


def write_brief(out: Path, made: WindowPlan, judged: JudgedPlan, network: Plan | None,
                place: "Place", args: PlanArguments, files: Sequence[str]) -> list[Path]:
    """Segments and the brief report; returns the files.

    Args:
        network: of existing breaks, to outline.
        files: written before.
    """
    from firebreak.api.place.area import cells_in
    from firebreak.landscape.value_unit import value_unit
    from firebreak.planning.output.export_effect import NO_CELLS
    from firebreak.planning.output.segment_table import columns_of, write_segment_table
    from firebreak.report.pages.plan_report import write_plan_report
    from firebreak.report.pages.reported_plan import Origin, ReportedPlan

    assert judged.segments is not None
    unit, (segments, saved, untreated) = value_unit(place.land), judged.segments
    columns = columns_of(segments, [one * unit.per_value for one in saved],
                         untreated * unit.per_value, unit.name, made.plan.priced_in)
    written = write_segment_table(out, segments, columns, place.land.shape, place.offset,
                                  place.full)
    report = ReportedPlan(
        level="brief", plan=made.plan, land=place.land, full=place.full,
        conditions=args.scene.conditions(place.land, args.landscape), seed=args.scene.seed,
        origin=Origin(shlex.join(["firebreak", *sys.argv[1:]]), {},
                      [*files, *(path.name for path in written)]),
        segments=segments, columns=columns, saved=judged.plan, test_fires=args.test_fires,
        promised=made.promised, others={} if judged.network is None else {EXISTING: judged.network},
        facts=[f"{_kept_words(made, judged.plan)}.", *(f"{words[0].upper()}{words[1:]}."
                                                       for words in _facts(made))],
        included=place.rules.include, standing=cells_in(args.scene.map.built, place.land),
        existing=NO_CELLS if network is None else network.cells)
    return [*written, *write_plan_report(out, report)]


def say(made: WindowPlan, judged: JudgedPlan | None, files: Sequence[Path]) -> None:
    """Prints the headline and the files."""
    plan = made.plan
    print(f"{plan.method} in {counted(made.windows, 'window')}: {spent_words(plan)}, in "
          f"{plan.seconds:.0f} s")
    if judged is not None:
        print(_kept_words(made, judged.plan))
        if judged.network is not None:
            saved, cost = judged.network
            print(f"the existing network saves {saved.mean:.1%} ({saved.low:.1%} - "
                  f"{saved.high:.1%}) of it, at a cost of {cost:,.6g}")
    for words in _facts(made):
        print(words)
    for number, words in made.refused.items():
        print(f"window {number} proposes nothing: {words}", file=sys.stderr)
    for path in files:
        print(path)


def record(made: WindowPlan, judged: JudgedPlan | None,
           files: Sequence[Path]) -> dict[str, object]:
    """What --json prints."""
    plan = made.plan
    tested: dict[str, object] = {} if judged is None else _numbers(judged.plan)
    if judged is not None and judged.network is not None:
        own, cost = judged.network
        tested["existing"] = {**_numbers(own), "cost": cost}
    return {"method": plan.method, "n_cells": int(plan.cells.size), "cost": plan.cost,
            "cost_unit": plan.cost_unit, "currency": plan.currency, "seconds": plan.seconds,
            "simulations": plan.simulations,
            "windows": made.windows, "margin": made.margin, "rows": made.rows,
            "plan_fires": plan.plan_fires,
            "promised": made.promised, **tested, "files": [str(path) for path in files]}


def _numbers(saved: Interval) -> dict[str, object]:
    return {"reduction": saved.mean, "low": saved.low, "high": saved.high}


def _facts(made: WindowPlan) -> list[str]:
    begun = ("rows across the whole map save more of the choice fires than lines of windows alone: "
             "the plan begins with them")
    return [*([begun] if made.rows else []),
            f"windows reach {made.margin} cells beyond what they treat; {made.beyond:.0%} of the "
            f"{made.plan.plan_fires:,} plan fires get beyond the window that they start in",
            f"{made.taken:,} of {made.lines:,} lines taken; {made.risen:,} of {made.rated:,} "
            "ratings rose when made again"]


def _kept_words(made: WindowPlan, saved: Interval) -> str:
    """The headline: what is saved of the test fires, and whether more was promised."""
    words = (f"saves {saved.mean:.1%} ({saved.low:.1%} - {saved.high:.1%}) of the loss of the test "
             f"fires; {made.promised:.1%} on its plan fires")
    if saved.high >= ENOUGH * made.promised:
        return words
    return (f"{words}: it fences in the fires that it was shown, so give more of them "
            f"(--plan-fires {4 * made.plan.plan_fires})")
