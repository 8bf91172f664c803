"""A plan by windows from the command line: made, held against fires that it was not made from,
written.
"""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.shared.machine import use_threads
from firebreak.api.shared.progress import bars
from firebreak.api.shared.records import write_record
from firebreak.api.shared.scene_checks import check_wide_memory, size_in_headers
from firebreak.checks import check_fraction, counted, fail
from firebreak.cli.shared import common
from firebreak.cli.shared.executor_options import WindowOptions
from firebreak.cli.shared.plan_record import PlanArguments
from firebreak.landscape.names import path_of
from firebreak.settings.planning import PLAN_FIRES

if TYPE_CHECKING:
    from firebreak.agent.policy_file import Policy
    from firebreak.api.shared.plan_inputs import Place
    from firebreak.fire import WideScene
    from firebreak.planning.core.plan import Plan
    from firebreak.planning.windows.make import WindowPlan

METHOD = "dqn"
"""What windows plan by where no method is named."""
ENOUGH = 0.75
"""A plan that keeps less than this share of what it promises is said to."""


def run_by_windows(args: PlanArguments) -> int | None:
    """Makes, tests and writes a plan by windows: where that is asked for, or a method that chooses
    or follows a policy meets a map that is too large for it. None where it is made at once.
    """
    from firebreak.api.shared.plan_inputs import cells_named, place_of
    from firebreak.api.shared.policies import policy_for
    from firebreak.planning.methods import CHOOSERS, DEFAULT, check_methods

    method = args.method or DEFAULT
    check_methods([method], "--method", choosers=True)
    size = (cells_named(args.place.area) if isinstance(args.place.area, str) else None
            ) or size_in_headers(path_of(args.landscape))
    if not _is_by_windows(args, method, size[0] * size[1] if size else 0):
        return None
    check_fraction(args.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    own = METHOD if method in CHOOSERS else method
    policy = policy_for([own, args.search_from or own], args.policy, args.scene)
    use_threads(args.scene.threads, torch_threads=1)
    full = args.scene.read(args.landscape, priced=args.place.cost_per_km > 0.0)
    place = place_of(args.place, full, args.budget, args.scene.breaks.break_width_m, args.config,
                     args.scene.breaks.leak)
    if not _is_by_windows(args, method, int(place.land.treatable.sum())):
        return None
    return _run(args, place, own, policy)


def _is_by_windows(args: PlanArguments, method: str, treatable: int) -> bool:
    from firebreak.planning.learned.policy import MAX_TREATABLE
    from firebreak.planning.methods import CHOOSERS, method_of

    return args.windows != WindowOptions() or (treatable > MAX_TREATABLE and (
        method in CHOOSERS or method_of(method).guided))


def _run(args: PlanArguments, place: "Place", method: str, policy: "Policy | None") -> int:
    from firebreak.executors.base import closing
    from firebreak.planning.core.area import lift
    from firebreak.planning.core.progress import in_shares
    from firebreak.planning.output.export import write_plan
    from firebreak.planning.warm_up import warm_up
    from firebreak.planning.windows.make import (
        WindowSettings,
        check_region,
        make_region,
        plan_by_windows,
        region_recipe,
    )

    _check_rules(args, place)
    warm_up()
    bar = bars(args.scene.bars_hidden)
    with bar(0, "map and fires"):
        scene = _scene(args, place)
    check_region(scene)
    region = make_region(scene, place.share, method, seed=args.scene.seed, policy=policy,
                         search=args.search(),
                         plan_fires=None if args.plan_fires == PLAN_FIRES else args.plan_fires)
    settings = WindowSettings(**{name: value for name, value in (
        ("core", args.windows.window_cells), ("margin", args.windows.window_margin))
        if value is not None})
    with closing(args.windows.open(region_recipe(region))) as executor, bar(1, "plan") as advance:
        made = plan_by_windows(region, place.share, executor, settings, report=in_shares(advance))
    kept = _kept(scene, made.plan, args)
    out = common.new_folder(args.out, "plan")
    files = [write_record(out, args, args.landscape, args.config), *write_plan(
        lift(made.plan, place.offset, place.full), place.full, out).values()]
    _say(made, kept, files)
    area = "" if args.place.area is None else f" --area {shlex.quote(str(args.place.area))}"
    print(f"next: firebreak simulate {shlex.quote(args.landscape)}{area} --plan "
          f"{shlex.quote(str(out))}")
    if args.scene.json:
        common.print_json(_record(made, kept, files))
    return 0


def _check_rules(args: PlanArguments, place: "Place") -> None:
    rules = place.rules
    if (rules.lines is not None or rules.include.size or rules.shortest_m > 0.0 or place.phases
            or args.place.horizon is not None or args.place.existing is not None):
        raise fail(expected="no --must-include, --shortest-m, --lines, --phases, --horizon or "
                            "--existing",
                   given="one of them", where=f"a plan by windows of {place.land.name}",
                   remedy="name a part of the map with --area, or leave them out")


def _scene(args: PlanArguments, place: "Place") -> "WideScene":
    from firebreak.fire import make_wide_scene, max_threads

    conditions = args.scene.conditions(place.land, args.landscape)
    weather = conditions.weather
    check_wide_memory(place.land, 1 if weather is None else weather.steps_per_stream,
                      max_threads())
    return make_wide_scene(place.land, conditions, args.scene.seed,
                           layers=args.scene.layers(place.land))


def _kept(scene: "WideScene", plan: "Plan", args: PlanArguments) -> tuple[float, float] | None:
    """What the plan saves of the loss of the test fires, and half of its 95 % interval; None
    without test fires.
    """
    from firebreak.fire import burn_wide_statistics

    if args.test_fires < 2:
        return None
    fires = scene.fires("test", args.test_fires)
    before = burn_wide_statistics(scene, fires).loss
    saved = before - burn_wide_statistics(scene, fires, plan.break_mask()).loss
    share = float(saved.sum() / before.sum()) if before.sum() > 0.0 else 0.0
    error = float(np.std(saved - share * before, ddof=1)) / np.sqrt(before.size)
    return share, 1.96 * error / max(float(before.mean()), 1e-9)


def _say(made: "WindowPlan", kept: tuple[float, float] | None, files: list[Path]) -> None:
    from firebreak.planning.core.plan import spent_words

    plan = made.plan
    print(f"{plan.method} in {counted(made.windows, 'window')}: {spent_words(plan)}, in "
          f"{plan.seconds:.0f} s")
    if kept is not None:
        print(_kept_words(made, *kept))
    print(f"windows reach {made.margin} cells beyond what they treat; {made.beyond:.0%} of the "
          f"{plan.plan_fires:,} plan fires get beyond the window that they start in")
    print(f"{made.taken:,} of {made.lines:,} lines taken; {made.risen:,} of {made.rated:,} ratings "
          "rose when made again")
    for number, words in made.refused.items():
        print(f"window {number} proposes nothing: {words}", file=sys.stderr)
    for path in files:
        print(path)


def _record(made: "WindowPlan", kept: tuple[float, float] | None,
            files: list[Path]) -> dict[str, object]:
    """What --json prints."""
    plan = made.plan
    tested = {} if kept is None else {"reduction": kept[0], "low": kept[0] - kept[1],
                                      "high": kept[0] + kept[1]}
    return {"method": plan.method, "n_cells": int(plan.cells.size), "cost": plan.cost,
            "cost_unit": plan.cost_unit, "seconds": plan.seconds, "windows": made.windows,
            "margin": made.margin, "plan_fires": plan.plan_fires, "promised": made.promised,
            **tested, "files": [str(path) for path in files]}


def _kept_words(made: "WindowPlan", kept: float, half: float) -> str:
    """The headline: what is saved of the test fires, and whether more was promised."""
    words = (f"saves {kept:.1%} ({kept - half:.1%} - {kept + half:.1%}) of the loss of the test "
             f"fires; {made.promised:.1%} on its plan fires")
    if kept + half >= ENOUGH * made.promised:
        return words
    return (f"{words}: it fences in the fires that it was shown, so give more of them "
            f"(--plan-fires {4 * made.plan.plan_fires})")
