"""A plan by windows from the command line: made, and kept while it is made; the rest is beside."""

import contextlib
import shlex
import sys
from typing import TYPE_CHECKING

from firebreak.api.place.earlier import take_place_of_earlier
from firebreak.api.place.inputs import inputs_of
from firebreak.api.shared.executor_options import WindowOptions
from firebreak.api.shared.heeded import check_heeded_on
from firebreak.api.shared.machine import use_threads
from firebreak.api.shared.progress import bars
from firebreak.api.shared.records import write_record
from firebreak.api.shared.scene_checks import size_in_headers
from firebreak.checks import InputError, check_fraction, counted
from firebreak.cli.commands.by_windows.asked import check_asked, check_numbers, check_windows
from firebreak.cli.shared import common
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.cli.shared.same_options import scene_words
from firebreak.files import made_folder
from firebreak.landscape.names import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from firebreak.agent.policy_file import Policy
    from firebreak.api.place.place import Place
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.core.progress import Bar
    from firebreak.planning.output.unfinished import Unfinished
    from firebreak.planning.windows.make import WindowPlan, WindowSettings
    from firebreak.planning.windows.region import Region

METHOD = "dqn"
"""What windows plan by where no method is named."""


def run_by_windows(args: PlanArguments, *, fires_named: bool) -> int | None:
    """Makes, tests and writes a plan by windows: where that is asked for, or a method that chooses
    or follows a policy meets a map that is too large for it. None where it is made at once.

    fires_named: whether the number of plan fires was given; else it follows from the budget.
    """
    from firebreak.api.place.area import cells_named
    from firebreak.planning.methods import CHOOSERS, DEFAULT, check_methods, check_policy

    method = args.method or DEFAULT
    check_methods([method], "--method", choosers=True)
    own = METHOD if method in CHOOSERS else method
    plan_fires = args.plan_fires if fires_named else None
    check_numbers(args, plan_fires)  # a large map may turn out to need windows
    if args.windows != WindowOptions():
        check_asked(args, own, plan_fires)
    size = (cells_named(args.place.area) if isinstance(args.place.area, str) else None
            ) or size_in_headers(path_of(args.landscape))
    if not _is_by_windows(args, method, size[0] * size[1] if size else 0):
        return None
    check_fraction(args.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    common.check_there(args)
    from firebreak.api.place.place import place_of
    from firebreak.api.shared.policies import policy_for

    policy = policy_for([own], args.policy, args.scene)
    check_policy(own, policy)
    use_threads(args.scene.threads, torch_threads=None if policy is None else 1)
    full = args.scene.read(args.landscape, priced=args.place.cost_per_km > 0.0)
    check_heeded_on(full, args.landscape, args.scene)
    place = place_of(args.place, full, args.budget, args.config, args.scene.breaks.leak)
    if not _is_by_windows(args, method, int(place.land.treatable.sum())):
        return None
    check_asked(args, own, plan_fires)
    check_windows(place, own, args)
    return _run(args, place, own, policy, plan_fires)


def _is_by_windows(args: PlanArguments, method: str, treatable: int) -> bool:
    from firebreak.planning.core.learned_size import MAX_TREATABLE
    from firebreak.planning.methods import CHOOSERS, method_of

    return args.windows != WindowOptions() or (treatable > MAX_TREATABLE and (
        method in CHOOSERS or method_of(method).guided))


def _run(args: PlanArguments, place: "Place", method: str, policy: "Policy | None",
         plan_fires: int | None) -> int:
    from firebreak.cli.commands.by_windows.judged import judge
    from firebreak.cli.commands.by_windows.told import record, say, write_brief
    from firebreak.planning.core.area import lift
    from firebreak.planning.core.fire_counts import check_test_fires
    from firebreak.planning.output.earlier import writing_into
    from firebreak.planning.output.export import write_plan
    from firebreak.planning.output.unfinished import Unfinished, job_of
    from firebreak.planning.warm_up import warm_up
    from firebreak.planning.windows.make import WindowSettings, make_region

    made_from = inputs_of(args.landscape, args.policy, args.place, args.scene)
    network = _network(args, place)
    if args.test_fires:
        check_test_fires(args.landscape, args.test_fires, 2 if network is None else 3)
    warm_up()
    bar = bars(args.scene.bars_hidden)
    with bar(0, "map and fires"):
        scene = args.scene.wide_scene(place.land, args.landscape)
    region = make_region(scene, place.share, method, seed=args.scene.seed, policy=policy,
                         search=args.search(), plan_fires=plan_fires, rules=place.rules)
    settings = WindowSettings(**{name: value for name, value in (
        ("core", args.windows.window_cells), ("margin", args.windows.window_margin))
        if value is not None})
    out = common.chosen_folder(args.out, "plan")
    kept = Unfinished(out, job_of(region, place.share, settings))
    made = _made(args, region, place.share, settings, kept, bar)
    with _kept_where_stopped(kept), writing_into(made_folder(out)) as writing:
        files = [write_record(out, args, args.landscape, args.config), *write_plan(
            lift(made.plan, place.offset, place.full), place.full, out).values()]
        judged = judge(made.plan, region, network, args, bar)
        if judged is not None and judged.segments is not None:
            files += write_brief(out, made, judged, network, place, args,
                                 [path.name for path in files])
        files.append(take_place_of_earlier(writing, made_from))
    kept.remove()
    say(made, judged, files)
    area = "" if args.place.area is None else f" --area {shlex.quote(str(args.place.area))}"
    print(f"next: firebreak simulate {shlex.quote(args.landscape)}{area}"
          f"{scene_words(args.scene)} --plan {shlex.quote(str(out))}")
    if args.scene.json:
        common.print_json(record(made, judged, files))
    return 0


def _made(args: PlanArguments, region: "Region", share: float, settings: "WindowSettings",
          kept: "Unfinished", bar: "Bar") -> "WindowPlan":
    """The plan; all that is done of it is kept, and stays."""
    from firebreak.executors.base import closing
    from firebreak.planning.core.progress import in_shares
    from firebreak.planning.windows.make import plan_by_windows, region_recipe

    goes_on = kept.windows > 0
    if goes_on:
        print(f"goes on with what is kept in {kept.folder}: lines of "
              f"{counted(kept.windows, 'window')} and {counted(kept.answers, 'answer')} of shards",
              file=sys.stderr)
    with _kept_where_stopped(kept):
        try:
            with closing(args.windows.open(region_recipe(region))) as executor, bar(
                    1, "plan") as advance:
                made = plan_by_windows(region, share, executor, settings, kept=kept,
                                       report=in_shares(advance))
        except InputError:
            if not goes_on:  # else less memory may be free than when it was begun
                kept.remove()
            raise
    kept.write()
    return made


@contextlib.contextmanager
def _kept_where_stopped(kept: "Unfinished") -> "Iterator[None]":
    """Keeps what is done of a plan where the work ends early, by a signal or a full disk too."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # of a full disk: what is written already stays
            kept.write()
        if kept.is_kept:
            print(f"firebreak: what is done of the plan is kept in {kept.folder}: the same command "
                  f"with --out {shlex.quote(str(kept.folder.parent))} goes on", file=sys.stderr)
        raise


def _network(args: PlanArguments, place: "Place") -> "Plan | None":
    """The network of breaks to compare with, read before any fire burns."""
    from firebreak.api.place.existing import existing_plan

    if args.place.existing is None or args.test_fires < 2:
        return None
    return existing_plan(args.place.existing, place.land, place.full, place.offset)
