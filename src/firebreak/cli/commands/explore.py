"""The explorer of `firebreak visualize`: served on loopback with --serve, or written with --export.
"""

import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from firebreak.api.shared.machine import use_threads
from firebreak.api.shared.policies import shipped_for, warn_of_other_breaks
from firebreak.api.shared.progress import progress_bar
from firebreak.api.shared.records import warn_of_other_options
from firebreak.api.shared.run_output import test_scene
from firebreak.checks import fail
from firebreak.cli.commands.visualize_options import VisualizeArguments, run_parts
from firebreak.cli.shared import common
from firebreak.cli.shared.signals import Terminated
from firebreak.files import check_not_kept, made_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from firebreak.agent.policy_file import Policy
    from firebreak.api.plans.area import PlanningArea
    from firebreak.cli.shared.plan_record import PlanArguments
    from firebreak.fire import Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.report.explorer.data import Marks
    from firebreak.report.explorer.plans import ShownPlan
    from firebreak.report.explorer.state import ExplorerState

_MAX_ROUND_S = 60.0  # that a plan of the explorer takes between two questions, at most


class Subject(NamedTuple):
    """What is explored. cells: of the plan, in order; run: its name, or None; build_order: of the
    segment of each cell, where the cells come in it; years: in which to build each cell, where
    the plan has years; marks: what else lies on the map.
    """

    scene: "Scene"
    name: str
    cells: "NDArray[np.int64]"
    policy: "Policy | None"
    budget_share: float
    plan_fires: int
    seed: int
    run: str | None
    build_order: "tuple[int, ...]" = ()
    years: "tuple[int, ...]" = ()
    marks: "Marks | None" = None


class _Shown(NamedTuple):
    """What the page shows."""

    state: "ExplorerState"
    plan: "ShownPlan"
    caption: str
    marks: "Marks"


def explore(args: VisualizeArguments) -> int:
    """Serves or writes the explorer."""
    from firebreak.report.explorer.data import NO_MARKS
    from firebreak.report.explorer.plans import shown_plan
    from firebreak.report.explorer.state import ExplorerState

    _check(args)
    use_threads(args.threads, torch_threads=1)
    begin = time.perf_counter()
    subject = _subject(args)
    state = ExplorerState(subject.scene, budget_share=subject.budget_share,
                          plan_fires=subject.plan_fires, policy=subject.policy)
    plan = shown_plan(state, subject.name, subject.cells, lambda: None,
                      subject.build_order, subject.years)
    caption = f"seed {subject.seed}" + ("" if subject.run is None else f" · run {subject.run}")
    shown = _Shown(state, plan, caption, subject.marks or NO_MARKS)
    files = [] if args.export is None else [_export(args, shown)]
    for path in files:
        print(f"{path} ({path.stat().st_size / 1e6:.1f} MB; opens in a browser, needs no network)")
    if args.serve:
        _serve(args, shown)
    if args.json:
        common.print_json({"files": [str(path) for path in files],
                           "seconds": time.perf_counter() - begin})
    return 0


def _check(args: VisualizeArguments) -> None:
    if args.export is not None and args.export.is_dir():
        raise fail(expected="a file to write", given="a folder", where=str(args.export),
                   remedy="name a file, such as explorer.html")
    if args.export is not None:
        common.check_file(args.export, ".html", "--export")
        check_not_kept(args.export)


def _subject(args: VisualizeArguments) -> Subject:
    folder = Path(args.runs[0])
    if (folder / "config.toml").is_file():
        return _of_run(folder, args)
    if (folder / "plan.json").is_file():
        return _of_plan(folder, args)
    return _of_landscape(args)


def _of_run(folder: Path, args: VisualizeArguments) -> Subject:
    from firebreak.agent.policy_file import load_policy
    from firebreak.planning.making import make_plan
    from firebreak.planning.methods import POLICY_METHOD

    config, splits = run_parts(folder, args)
    scene, policy = test_scene(splits, args.landscape), load_policy(folder)
    seed = config.evaluation.test_seed
    plan = make_plan(scene, config.budget, config.fires.plan_fires, POLICY_METHOD, seed=seed,
                     policy=policy)
    return Subject(scene, POLICY_METHOD, plan.cells, policy, config.budget,
                   config.fires.plan_fires, seed, folder.name)


def _of_plan(folder: Path, args: VisualizeArguments) -> Subject:
    """A plan on the land and under the options that it was made with."""
    from firebreak.agent.policy_file import load_policy
    from firebreak.api.plans.area import planning_area
    from firebreak.cli.shared.plan_record import recorded, warn_of_another_landscape

    made = recorded(folder)
    place = planning_area(made.place, made.scene.read(made.landscape), made.budget,
                          made.config, made.scene.breaks.leak)
    warn_of_another_landscape(folder, place.full.checksum())
    scene = replace(made.scene.scene(place.anywhere, made.landscape), landscape=place.land)
    policy = load_policy(args.policy or made.policy or _followed(folder) or shipped_for(made.scene))
    found = _of_cells(_Given(folder, place.full, place.land, place.offset), scene, policy,
                      made.plan_fires, made.scene.seed)
    return found._replace(marks=_marks(made, place))


def _followed(folder: Path) -> Path | None:
    """Of the policies that come along the one that a plan followed: the default of another version
    may be another. None where it followed none of them.
    """
    from firebreak.agent.policy_place import shipped_policies
    from firebreak.planning.output.export import record_in

    policy = record_in(folder).get("policy")
    return shipped_policies().get(str(policy.get("run"))) if isinstance(policy, dict) else None


def _marks(made: "PlanArguments", place: "PlanningArea") -> "Marks":
    """The breaks that stand already, and the network that the plan was compared with."""
    from firebreak.planning.core.area import cells_in
    from firebreak.planning.output.existing import existing_plan
    from firebreak.report.explorer.data import Marks

    network = made.place.existing
    compared = () if network is None else tuple(
        existing_plan(network, place.anywhere, place.full, place.offset).cells.tolist())
    return Marks(tuple(cells_in(made.scene.map.built, place.land).tolist()), compared)


def _of_landscape(args: VisualizeArguments) -> Subject:
    from firebreak.agent.policy_file import load_policy
    from firebreak.planning.core.area import named_area
    from firebreak.planning.making import make_plan
    from firebreak.planning.methods import POLICY_METHOD, check_methods, method_of

    method = args.method or POLICY_METHOD
    check_methods([method], "--method")
    options = args.scene_options()
    full = options.read(args.runs[0])
    land, offset = (full, (0, 0)) if args.area is None else named_area(full, args.area)
    scene = options.scene(land, args.runs[0])
    with warnings.catch_warnings():
        if args.policy is None and not method_of(method).guided:
            warnings.simplefilter("ignore")  # the Q-map is an extra here
        policy = load_policy(args.policy or shipped_for(options))
        warn_of_other_breaks(policy, options)
    if args.plan is None:
        plan = make_plan(scene, args.budget, args.plan_fires, method, seed=options.seed,
                         policy=policy)
        return Subject(scene, plan.method, plan.cells, policy, args.budget, args.plan_fires,
                       options.seed, None)
    warn_of_other_options(args.plan, options)
    return _of_cells(_Given(args.plan, full, land, offset), scene, policy, args.plan_fires,
                     options.seed)


class _Given(NamedTuple):
    """A plan to read for a whole map, and the part of the map to show it on."""

    path: Path
    full: "Landscape"
    land: "Landscape"
    offset: tuple[int, int]


def _of_cells(plan: _Given, scene: "Scene", policy: "Policy", plan_fires: int,
              seed: int) -> Subject:
    from firebreak.env.storage.problem import budget_cost
    from firebreak.planning.output.export import read_build_order, read_plan, read_years

    land, (top, left) = plan.land, plan.offset
    given = read_plan(plan.path, plan.full)
    numbers = read_build_order(plan.path, plan.full, given.cells)
    first = np.arange(given.cells.size) if numbers is None else np.argsort(numbers, kind="stable")
    rows, cols = np.divmod(given.cells[first], plan.full.shape[1])
    rows, cols = rows - top, cols - left
    inside = (rows >= 0) & (rows < land.shape[0]) & (cols >= 0) & (cols < land.shape[1])
    inside[inside] = land.treatable[rows[inside], cols[inside]]
    if not inside.all():
        raise fail(expected="a plan inside the area", given=f"{(~inside).sum()} cells outside it",
                   where=str(plan.path), remedy="give the --area that the plan was made for")
    cells = rows * land.shape[1] + cols
    whole = budget_cost(scene, 1.0)
    spent = float(land.cost.ravel()[cells].astype(np.float64).sum())
    share = max(spent, float(land.cost[land.treatable].min())) / whole
    order = () if numbers is None else tuple(numbers[first].tolist())
    by_number = read_years(plan.path) if order else {}
    years = tuple(by_number[number] for number in order) if set(order) <= by_number.keys() else ()
    return Subject(scene, given.method, cells, policy, min(share, 1.0), plan_fires, seed, None,
                   order, years)


def _export(args: VisualizeArguments, shown: _Shown) -> Path:
    from firebreak.report.explorer.page import static_page
    from firebreak.report.explorer.plans import compared_plan, other_methods
    from firebreak.report.pages.html import write_page

    path = args.export
    assert path is not None
    state, plans = shown.state, [shown.plan]
    with progress_bar(None, "step", quiet=args.quiet) as advance:
        def breathe() -> None:
            advance(1)

        for method in other_methods(state.scene, shown.plan.name):
            plans.append(compared_plan(state, method, breathe))
        text = static_page(state, plans, shown.caption, breathe, shown.marks)
    made_folder(path.parent)
    return write_page(path, text)


def _serve(args: VisualizeArguments, shown: _Shown) -> None:
    from firebreak.native_library import max_threads
    from firebreak.report.explorer.server import Explorer, make_server

    explorer = Explorer(shown.state, shown.plan, shown.caption, args.threads or max_threads(),
                        shown.marks)
    server = make_server(explorer, args.port)
    others = threading.Thread(target=explorer.make_others, daemon=True)
    others.start()
    print(f"explorer: {server.url}  (Ctrl-C ends it)", flush=True)
    try:
        server.serve_forever()
    except Terminated:
        raise
    except KeyboardInterrupt:  # how it is meant to be ended
        print("\nexplorer: ended", file=sys.stderr)
    finally:
        server.server_close()
        # A thread in the native library while the interpreter ends would abort the process.
        explorer.close()
        others.join(_MAX_ROUND_S)
