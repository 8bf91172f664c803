"""`firebreak plan LANDSCAPE`: make a plan, judge it on test fires, write files, pictures, a report.
"""

import shlex
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from firebreak.api.shared.executor_options import WindowOptions
from firebreak.api.shared.inputs import inputs_of
from firebreak.api.shared.option_rules import check_methods_fit, check_segments, is_judged
from firebreak.api.shared.progress import bars
from firebreak.api.shared.records import write_record
from firebreak.checks import fail
from firebreak.cli.shared import common
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.cli.shared.signals import finishing
from firebreak.files import held_folder, made_folder
from firebreak.landscape.names import check_there
from firebreak.planning.output.earlier import ALWAYS, PLAN_FILES, check_list, writing_into
from firebreak.settings.binding import Bound

if TYPE_CHECKING:
    from firebreak.api.plans.at_once import PlanAtOnce
    from firebreak.planning.evaluation.auto import FirstPlan


def run(bound: Bound[PlanArguments]) -> int:
    """Runs the command."""
    args = bound.options
    if not args.landscape:
        raise fail(expected="LANDSCAPE", given="nothing", where="firebreak plan",
                   remedy="name a file, a folder or sample:santa-ana, or --config with one")
    common.check_out(args.out)
    from firebreak.planning.methods import CHOOSERS, DEFAULT, check_methods

    if args.out is not None:
        check_list(args.out, ALWAYS if args.report == "none" else PLAN_FILES)
    method = args.method or DEFAULT
    check_methods([method], "--method", choosers=True)
    check_methods_fit([method], args)
    check_segments(args, by_choice=method in CHOOSERS, at_once=args.windows == WindowOptions())
    check_there(args.landscape)  # an output folder of that name would be there
    with held_folder(args.out):
        return _run(args)


def _run(args: PlanArguments) -> int:
    """Make, judge and write the plan, and print what was found."""
    from firebreak.api.plans.request import check_options, read_request
    from firebreak.api.plans.run import (
        check_not_made_from,
        make_run,
        take_place_of_earlier,
        write_run,
    )

    made_from = inputs_of(args.landscape, args.policy, args.place, args.scene)
    if args.out is not None:
        check_not_made_from(args.out, made_from, args.landscape, judged=is_judged(args))
    check_options(args.landscape, args)
    common.check_there(args)
    bar = bars(args.scene.bars_hidden)
    folder = cache(lambda: common.chosen_folder(args.out, "plan"))

    def record() -> Path:
        return write_record(folder(), args, args.landscape, args.config)

    told = list["FirstPlan"]()

    @cache
    def earlier() -> bool:
        return (folder() / "plan.json").exists()  # of a command that was not stopped

    def first_plan(run: "PlanAtOnce", first: "FirstPlan") -> None:
        if not earlier():
            made_folder(folder())
            with finishing(), writing_into(folder()) as writing:
                record()
                run.write_plan(folder(), first)
                take_place_of_earlier(writing, made_from)
        from firebreak.cli.commands.plan_words import first_words

        print(first_words(first, args, folder(), earlier(), again=bool(told)), flush=True)
        told.append(first)

    def say(words: str) -> None:
        print(words, file=sys.stderr)

    request = read_request(args.landscape, args)
    if request.by_windows and not request.whole:
        check_segments(args, by_choice=False, at_once=False)
    made = make_run(request, bar, first=first_plan, folder=folder, say=say)
    made, files = write_run(
        made, folder(), made_from, bar, record=record, whole=finishing, say=say,
        command=_command(), options=args)
    from firebreak.cli.commands.plan_words import say_plan

    say_plan(made, files, args, folder(), _command())
    return 0


def _command() -> str:
    """The command as it was typed."""
    return shlex.join(["firebreak", *sys.argv[1:]])
