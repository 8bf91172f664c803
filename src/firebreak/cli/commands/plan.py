"""`firebreak plan LANDSCAPE`: make a plan, judge it on test fires, write files, pictures, a report.
"""

import dataclasses
import shlex
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from firebreak.api.place.earlier import check_not_made_from, take_place_of_earlier
from firebreak.api.place.inputs import inputs_of
from firebreak.api.shared.heeded import (
    check_heeded,
    check_judged_at_once,
    check_segments,
    is_judged,
)
from firebreak.api.shared.progress import bars
from firebreak.api.shared.records import plain, write_record
from firebreak.checks import fail, install
from firebreak.cli.shared import common
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.cli.shared.same_options import scene_words
from firebreak.cli.shared.signals import finishing
from firebreak.files import held_folder
from firebreak.landscape.names import check_there
from firebreak.settings.binding import Bound

if TYPE_CHECKING:
    from firebreak.api.shared.plan_steps.make import Made, Work
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.evaluation.auto import Choice, FirstPlan
    from firebreak.planning.evaluation.evaluate import Evaluation
    from firebreak.planning.years.judged import YearsResult
    from firebreak.report.pages.reported_plan import Origin


def run(bound: Bound[PlanArguments]) -> int:
    """Runs the command."""
    args = bound.options
    if not args.landscape:
        raise fail(expected="LANDSCAPE", given="nothing", where="firebreak plan",
                   remedy="name a file, a folder or sample:santa-ana, or --config with one")
    common.check_out(args.out)
    from firebreak.planning.methods import CHOOSERS, DEFAULT, check_methods
    from firebreak.planning.output.earlier import check_list

    if args.out is not None:
        check_list(args.out)
    method = args.method or DEFAULT
    check_methods([method], "--method", choosers=True)
    check_heeded([method], args)
    check_segments(args, by_choice=method in CHOOSERS)
    check_there(args.landscape)  # an output folder of that name would be there
    with held_folder(args.out):
        return _run(args, fires_named="plan_fires" in bound.origins)


def _run(args: PlanArguments, *, fires_named: bool) -> int:
    """Makes, judges, writes and tells the plan."""
    from firebreak.cli.commands.by_windows.run import run_by_windows
    from firebreak.planning.output.earlier import writing_into

    made_from = inputs_of(args.landscape, args.policy, args.place, args.scene)
    if args.out is not None:
        check_not_made_from(args.out, made_from, args.landscape, judged=is_judged(args))
    by_windows = run_by_windows(args, fires_named=fires_named)
    if by_windows is not None:
        return by_windows
    check_judged_at_once(args)
    common.check_there(args)
    from firebreak.api.shared.plan_steps.judge import judge
    from firebreak.api.shared.plan_steps.make import work_on
    from firebreak.api.shared.plan_steps.write import (
        write_judged,
        write_pictures,
        write_plan_files,
    )

    bar = bars(args.scene.bars_hidden)
    folder = cache(lambda: common.new_folder(args.out, "plan"))

    def write(work: "Work", first: "FirstPlan | None" = None) -> list[Path]:
        return [write_record(folder(), args, args.landscape, args.config),
                *write_plan_files(folder(), work, first)]

    def told(work: "Work", first: "FirstPlan") -> None:
        earlier = (folder() / "plan.json").exists()  # of a command that was not stopped
        if not earlier:
            with finishing(), writing_into(folder()) as writing:
                write(work, first)
                take_place_of_earlier(writing, made_from)
        print(_first_words(first, args, folder(), earlier), flush=True)

    work = work_on(args.landscape, args, bar, args.config, told)
    out, over_years = folder(), None
    with writing_into(out) as writing:
        with finishing():
            files = write(work)
        if work.evaluation is not None:
            judgement = judge(work, work.evaluation, bar)
            over_years = judgement.result.over_years
            files += write_judged(out, work, judgement, work.evaluation,
                                  _origin(args, files, work.made.choice), bar)
        elif args.report != "none":
            files += write_pictures(out, work)
        files.append(take_place_of_earlier(writing, made_from))
    _say(work.made, work.evaluation, over_years, files, args, out)
    return 0


def _origin(args: PlanArguments, files: list[Path], choice: "Choice | None") -> "Origin":
    from firebreak.report.pages.reported_plan import Origin

    options = dataclasses.asdict(args)
    return Origin(_command(), plain(options), [path.name for path in files], choice)


def _command() -> str:
    """The command as it was typed."""
    return shlex.join(["firebreak", *sys.argv[1:]])


def _next(args: PlanArguments, plan: "Plan", out: Path) -> str:
    """The command that shows the plan, or burns it where the map is too large to explore."""
    from firebreak.report.explorer.state import MAX_CELLS

    folder = shlex.quote(str(out))
    if plan.shape[0] * plan.shape[1] <= MAX_CELLS:
        return f"firebreak visualize {folder} --serve"
    area = "" if args.place.area is None else f" --area {shlex.quote(args.place.area)}"
    return (f"firebreak simulate {shlex.quote(args.landscape)}{area}{scene_words(args.scene)} "
            f"--plan {folder}")


def _first_words(first: "FirstPlan", args: PlanArguments, out: Path, earlier: bool) -> str:
    """What the first plan saves, where it is, and what the command goes on to do. earlier: the
    folder holds another plan.
    """
    from firebreak.planning.core.plan import spent_words
    from firebreak.planning.methods import CHOOSERS, DEFAULT

    where = (f"The earlier plan in {out} stays until the new one is complete" if earlier else
             f"It is saved in {out} and stays there if you stop the command now")
    follows = ["other methods plan, and the plan that saves most is kept"
               ] if (args.method or DEFAULT) in CHOOSERS else []
    follows += [f"{args.test_fires:,} test fires judge the plan"] if is_judged(args) else []
    return (f"first plan, by {first.plan.method}: {spent_words(first.plan)}, saves "
            f"{first.saved:.2%} on {first.fires:,} choice fires, which no method saw\n{where}. "
            f"Next: {'; then '.join(follows)}.\n")


def _say(made: "Made", evaluation: "Evaluation | None", over_years: "YearsResult | None",
         files: list[Path], args: PlanArguments, out: Path) -> None:
    from firebreak.planning.core.plan import spent_words
    from firebreak.planning.evaluation.tables import (
        choice_table,
        left_out_words,
        rival_words,
        table,
    )
    from firebreak.planning.output.vectors import has_vector_reader
    from firebreak.planning.output.year_tables import years_record, years_words

    plan, choice = made.plan, made.choice
    name = plan.made_by
    print(f"{name}: {spent_words(plan)}, in {plan.seconds:.2f} s")
    if choice is not None:
        print(f"\n{choice_table(choice)}\n{left_out_words(choice, plan)}")
    if evaluation is not None:
        print(f"\n{table(evaluation)}\n{args.scene.crews_words()}")
        if (words := rival_words(evaluation, plan, _command())) is not None:
            print(" ".join(words), end="\n\n")
    if over_years is not None:
        print(f"{years_words(over_years)}\n")
    for path in files:
        print(path)
    if evaluation is not None and not has_vector_reader():
        print(f"segments.gpkg is left out: run {install('vector')} for GeoPackages")
    print(f"next: {_next(args, plan, out)}")
    if args.scene.json:
        chosen = {} if choice is None else {"chosen_by": plan.chosen_by,
                                            "choice": choice.as_dict()}
        years = {} if over_years is None else {"over_years": years_record(over_years)}
        common.print_json({"method": plan.method, **chosen, "n_cells": int(plan.cells.size),
                           "cost": plan.cost, "cost_unit": plan.cost_unit,
                           "currency": plan.currency, "seconds": plan.seconds,
                           "simulations": plan.simulations, "notes": plan.notes, **years,
                           "files": [str(path) for path in files]})
