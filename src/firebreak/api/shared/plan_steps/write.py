"""The files of a plan: itself, what was found by judging it, and pictures."""

from pathlib import Path
from typing import TYPE_CHECKING

from firebreak.api.shared.plan_steps.judge import Judgement
from firebreak.api.shared.plan_steps.make import Work

if TYPE_CHECKING:
    from firebreak.fire import Scene
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.core.progress import Bar
    from firebreak.planning.evaluation.auto import FirstPlan
    from firebreak.planning.evaluation.evaluate import Evaluation
    from firebreak.report.pages.reported_plan import Origin


def write_plan_files(out: Path, work: Work, first: "FirstPlan | None" = None) -> list[Path]:
    """The plan itself, and the whole landscape with its breaks for other fire programs.

    first: what a first plan saves.
    """
    from firebreak.api.place.area import cells_in
    from firebreak.landscape.formats.treated import write_treated
    from firebreak.planning.core.area import lift
    from firebreak.planning.output.export import write_plan

    options, place = work.options, work.place
    plan = lift(work.made.plan, place.offset, place.full)
    # The source's file has no breaks that stand already; the landscape has them.
    whole = plan.break_mask()
    whole.ravel()[cells_in(options.scene.map.built, place.full)] = True
    record = {} if first is None else {
        "first_plan": {"saved": first.saved, "choice_fires": first.fires}}
    return [*write_plan(plan, place.full, out, record).values(),
            write_treated(out / "treated_landscape.tif", work.source, place.full, whole,
                          work.scene.conditions.treatment)]


def write_judged(out: Path, work: Work, judgement: Judgement, evaluation: "Evaluation",
                 origin: "Origin", bar: "Bar") -> list[Path]:
    """Rasters, vectors, tables, pictures and the report of a plan that was judged.

    origin: its files are those that were written before.
    """
    from firebreak.planning.output.export_effect import plan_id, segment_columns, write_effect
    from firebreak.planning.output.segment_table import write_segment_table
    from firebreak.report.pages.plan_report import write_plan_report
    from firebreak.report.pages.reported_plan import reported

    plan, result, place = work.made.plan, judgement.result, work.place
    brief = work.options.report == "brief"
    if brief:
        written = write_segment_table(out, result.segments, segment_columns(result), plan.shape,
                                      place.offset, place.full)
    else:
        tags = {"method": plan.method, "seed": str(work.options.scene.seed),
                "plan": plan_id(result), "test_fires": str(work.options.test_fires)}
        if plan.chosen_by is not None:
            tags["chosen_by"] = plan.chosen_by
        written = write_effect(out, result, tags)
    whole = origin._replace(files=[*origin.files, *(path.name for path in written)])
    report = reported(result, evaluation, whole, "brief" if brief else "full",
                      _promised(work.scene, plan) if brief else None)
    return [*written, *write_plan_report(out, report, judgement.curves, bar)]


def _promised(scene: "Scene", plan: "Plan") -> float | None:
    """Share of the loss of its plan fires that a plan saves."""
    from firebreak.fire import burn

    fires = scene.fires("plan", plan.plan_fires)
    before, after = (float(burn(scene, fires, breaks).loss.sum())
                     for breaks in (None, plan.break_mask()))
    return 1.0 - after / before if before > 0.0 else None


def write_pictures(out: Path, work: Work) -> list[Path]:
    """Pictures of a plan that nothing judged."""
    from firebreak.report.figures.canvas import save_figure
    from firebreak.report.figures.cartography import caption_of
    from firebreak.report.figures.maps import landscape_figure, plan_figure

    land, plan = work.scene.landscape, work.made.plan
    caption = caption_of(land, seed=work.scene.seed)
    return [save_figure(landscape_figure(land, caption=caption), out / "landscape.png"),
            save_figure(plan_figure(land, plan, caption=caption), out / "plan.png")]
