"""A plan of any size: made at once or by windows, judged, and written, also where an earlier plan
lies.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from firebreak.api.plans.request import PlanRequest, Sayer, no_words
from firebreak.api.shared.inputs import is_told
from firebreak.api.shared.plan_options import PlanOptions
from firebreak.api.shared.records import plain
from firebreak.checks import fail
from firebreak.files import made_folder, without_links
from firebreak.planning.output.earlier import (
    ALWAYS,
    FILES_FILE,
    PLAN_FILES,
    end_writing,
    writing_into,
)

if TYPE_CHECKING:
    from firebreak.api.plans.at_once import FirstPlanTaker, PlanAtOnce
    from firebreak.api.plans.by_windows import PlanByWindows
    from firebreak.planning.core.progress import Bar
    from firebreak.planning.output.earlier import Writing
    PlanRun: TypeAlias = PlanAtOnce | PlanByWindows


def make_run(request: PlanRequest, bar: "Bar", *, first: "FirstPlanTaker | None" = None,
             folder: Callable[[], Path] | None = None, say: Sayer = no_words) -> "PlanRun":
    """Make the plan that is asked for, and compare it where that is asked for too.

    Args:
        first: takes the first plan of one that is made at once, as soon as there is one, where
            there is more to do.
        folder: names the folder in which what is done of a plan by windows is kept until it is
            written; None: nothing is kept.
        say: takes sentences on what is kept.

    Raises:
        InputError: a plan that cannot be made.
    """
    if request.by_windows and not request.whole:
        from firebreak.api.plans.by_windows import make_by_windows

        return make_by_windows(request, bar, None if folder is None else folder(), say)
    from firebreak.api.plans.making import make_at_once

    if not request.by_windows:
        return make_at_once(request, bar, first)
    from firebreak.api.plans.by_windows import WindowPlanner

    planner = WindowPlanner(request, None if folder is None else folder(), say)
    return replace(make_at_once(request, bar, first, planner), unfinished=planner.kept)


def write_run(
        run: "PlanRun", out: Path, made_from: frozenset[Path], bar: "Bar", *,
        record: Callable[[], Path], command: str, options: PlanOptions,
        whole: Callable[[], AbstractContextManager[None]] = nullcontext,
        say: Sayer = no_words) -> "tuple[PlanRun, list[Path]]":
    """Write a plan into a folder, made if need be, judge it, and write its report; returns what was
    judged, and the files.

    Args:
        made_from: see `inputs.inputs_of`; none of it is removed.
        record: writes the options beside the plan.
        command, options: by which the plan was made, for the report.
        whole: a context in which the plan's own files are written, all or none.
        say: takes a sentence where a plan by windows is stopped, which then stays unfinished.
    """
    from firebreak.report.pages.reported_plan import Origin

    with run.unfinished.writing(say), writing_into(made_folder(out)) as writing:
        with whole():
            files = [record(), *run.write_plan(out)]
        run = run.judged(bar)
        files += run.write_report(out, Origin(command, plain(asdict(options)), files,
                                              getattr(run, "choice", None)), bar)
        files.append(take_place_of_earlier(writing, made_from))
    return run, files


_READ = (".tif", ".csv", ".json")
"""Endings of a plan's files that may be read where a folder is named."""


def take_place_of_earlier(writing: "Writing", made_from: frozenset[Path]) -> Path:
    """Removes the files of earlier plans that are none of a plan, which is written, but for those
    that it was made from: they are read again when it is shown. Returns the list of its files.
    made_from: see `inputs.inputs_of`.
    """
    out = writing.folder
    kept = {*(without_links(out / name) for name in (*writing.own, FILES_FILE)), *made_from}
    if without_links(out) in kept or not all(map(is_told, made_from)):
        kept |= {without_links(path) for path in writing.earlier if path.suffix in _READ}
    return end_writing(writing, kept)


def check_not_made_from(out: Path, made_from: frozenset[Path], source: str, *,
                        judged: bool) -> None:
    """Refuses a folder in which a plan's files would take the place of what it is made from, before
    the work.

    Args:
        made_from: see `inputs.inputs_of`.
        source: what the landscape is read from.
        judged: whether more than the plan itself is written.

    Raises:
        InputError: they would.
    """
    files = {without_links(out / name): name for name in (PLAN_FILES if judged else ALWAYS)}
    lost = sorted(files[path] for path in made_from & files.keys())
    own = without_links(out)
    if not lost and own in made_from and without_links(source) != own:
        lost = [name for name in sorted(ALWAYS) if (out / name).is_file()]
    if lost:
        raise fail(expected="a folder in which the plan replaces nothing that it is made from",
                   given=f"one with {', '.join(lost)}", where=str(out),
                   remedy="choose another folder to write into")
