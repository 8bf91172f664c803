"""The explorer of `firebreak visualize`: served on loopback with --serve, or written with --export.
"""

import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firebreak.agent.policy_place import shipped_policies
from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.policies import shipped_for, warn_of_other_breaks
from firebreak.api.shared.progress import progress_bar
from firebreak.api.shared.records import warn_of_other_options
from firebreak.api.shared.run_output import test_scene
from firebreak.checks import fail
from firebreak.cli.shared import common
from firebreak.cli.shared.plan_record import recorded, warn_of_another_landscape
from firebreak.cli.shared.shown import VisualizeArguments, run_parts
from firebreak.cli.shared.signals import Terminated, answered
from firebreak.files import check_not_kept, made_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from firebreak.agent.policy_file import Policy
    from firebreak.fire import Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.report.explorer.plans import Exploration

_MAX_ROUND_S = 60.0  # that a plan of the explorer takes between two questions, at most


def explore(args: VisualizeArguments) -> int:
    """Serves or writes the explorer."""
    if args.export is not None and args.export.is_dir():
        raise fail(expected="a file to write", given="a folder", where=str(args.export),
                   remedy="name a file, such as explorer.html")
    if args.export is not None:
        common.check_file(args.export, ".html", "--export")
        check_not_kept(args.export)
    use_threads(args.threads, torch_threads=1)
    begin = time.perf_counter()
    folder = Path(args.runs[0])
    shown = (_of_run(folder, args) if (folder / "config.toml").is_file() else
             _of_plan(folder, args) if (folder / "plan.json").is_file() else _of_landscape(args))
    files = [] if args.export is None else [_export(args, args.export, shown)]
    for path in files:
        print(f"{path} ({path.stat().st_size / 1e6:.1f} MB; opens in a browser, needs no network)")
    if args.serve:
        _serve(args, shown)
    if args.json:
        common.print_json({"files": [str(path) for path in files],
                           "seconds": time.perf_counter() - begin})
    return 0


def _of_run(folder: Path, args: VisualizeArguments) -> "Exploration":
    from firebreak.agent.policy_file import load_policy
    from firebreak.planning.making import make_plan
    from firebreak.planning.methods import POLICY_METHOD
    from firebreak.report.explorer.plans import exploration

    config, splits = run_parts(folder, args)
    scene, policy = test_scene(splits, args.landscape), load_policy(folder)
    seed, plan_fires = config.evaluation.test_seed, config.fires.plan_fires
    plan = make_plan(scene, config.budget, plan_fires, POLICY_METHOD, seed=seed, policy=policy)
    return exploration(scene, policy, config.budget, plan_fires,
                       f"seed {seed} · run {folder.name}", POLICY_METHOD, plan.cells)


def _of_plan(folder: Path, args: VisualizeArguments) -> "Exploration":
    """A plan on its land under its options, with standing breaks and the network compared with."""
    from firebreak.agent.policy_file import load_policy
    from firebreak.api.plans.area import planning_area
    from firebreak.planning.core.area import cells_in
    from firebreak.planning.output.given import given_plan

    made = recorded(folder)
    area = planning_area(made.place, made.scene.read(made.landscape), made.budget, made.scene,
                         made.landscape)
    warn_of_another_landscape(folder, area.full.checksum())
    scene = replace(made.scene.scene(area.anywhere, made.landscape), landscape=area.land)
    policy = load_policy(args.policy or made.policy or _followed(folder) or shipped_for(made.scene))
    network = made.place.network
    existing = () if network is None else given_plan(
        network, area.anywhere, area.full, area.offset).cells.tolist()
    return _read(folder, area.full, area.offset, scene, policy, made.plan_fires, made.scene.seed
                 )._replace(standing=cells_in(
                     made.scene.map.built, area.land, area.offset, area.full).tolist(),
                            existing=existing)


def _followed(folder: Path) -> Path | None:
    """Shipped policy that a plan followed, if any: another version's default may be another."""
    from firebreak.planning.output.export import record_in

    policy = record_in(folder).get("policy")
    return shipped_policies().get(str(policy.get("run"))) if isinstance(policy, dict) else None


def _of_landscape(args: VisualizeArguments) -> "Exploration":
    from firebreak.agent.policy_file import load_policy
    from firebreak.api.shared.domains import part_of_map
    from firebreak.planning.core.fire_counts import enough_plan_fires
    from firebreak.planning.making import make_plan
    from firebreak.planning.methods import POLICY_METHOD, check_methods, method_of
    from firebreak.report.explorer.plans import exploration

    method = args.method or POLICY_METHOD
    check_methods([method], "--method")
    options = args.scene_options()
    full = options.read(args.runs[0])
    part = part_of_map(full, args.area, options, args.runs[0])
    scene = options.scene(part.land, args.runs[0])
    with warnings.catch_warnings():
        if args.policy is None and not method_of(method).guided:
            warnings.simplefilter("ignore")  # the Q-map is an extra here
        policy = load_policy(args.policy or shipped_for(options))
        warn_of_other_breaks(policy, options)
    if args.plan is None:
        plan_fires = enough_plan_fires(scene, args.plan_fires)
        plan = make_plan(scene, args.budget, plan_fires, method, seed=options.seed,
                         policy=policy)
        return exploration(scene, policy, args.budget, plan_fires, f"seed {options.seed}",
                           plan.method, plan.cells)
    warn_of_other_options(args.plan, options)
    return _read(args.plan, full, part.offset, scene, policy, args.plan_fires, options.seed)


def _read(path: Path, full: "Landscape", offset: tuple[int, int], scene: "Scene",
          policy: "Policy", plan_fires: int | None, seed: int) -> "Exploration":
    """A plan for a whole map that is stored, or breaks from elsewhere, on the scene of the part of
    it at an offset.
    """
    from firebreak.planning.core.area import cut_cells
    from firebreak.planning.output import given
    from firebreak.planning.output.earlier import is_planned
    from firebreak.planning.output.export import (
        read_build_order,
        read_names,
        read_plan,
        read_savings,
        read_years,
    )
    from firebreak.report.explorer.plans import exploration

    if not is_planned(path):
        own = given.given_plan(path, scene.landscape, full, offset, given.name_of(path))
        return exploration(scene, policy, _share_spent(scene, own.cells), plan_fires,
                           f"seed {seed}", own.method, own.cells)
    plan = read_plan(path, full)
    numbers = read_build_order(path, full, plan.cells)
    first = np.arange(plan.cells.size) if numbers is None else np.argsort(numbers, kind="stable")
    cells = cut_cells(plan.cells[first], offset, scene.landscape, full, str(path))
    order = () if numbers is None else tuple(numbers[first].tolist())
    year_of, name_of = (read_years(path), read_names(path)) if order else ({}, {})
    years = tuple(year_of[number] for number in order) if set(order) <= year_of.keys() else ()
    names = tuple(name_of[number] for number in order) if set(order) <= name_of.keys() else ()
    shown = exploration(scene, policy, _share_spent(scene, cells), plan_fires, f"seed {seed}",
                        plan.method, cells, order, years, names)
    return shown._replace(plan=shown.plan._replace(
        told=tuple(read_savings(path)) if order else ()))


def _share_spent(scene: "Scene", cells: "NDArray[np.int64]") -> float:
    """The share of the cost of all treatable cells that breaks cost, at least that of one cell."""
    from firebreak.env.storage.problem import budget_cost

    land = scene.landscape
    spent = float(land.cost.ravel()[cells].astype(np.float64).sum())
    least = float(land.cost[land.treatable].min())
    return min(max(spent, least) / budget_cost(scene.landscape, 1.0), 1.0)


def _export(args: VisualizeArguments, path: Path, shown: "Exploration") -> Path:
    from firebreak.report.explorer.page import static_page
    from firebreak.report.explorer.plans import compared_plan, other_methods
    from firebreak.report.pages.html import write_page

    with progress_bar(None, "step", quiet=args.quiet) as advance:
        def breathe() -> None:
            advance(1)

        others = [compared_plan(shown.state, method, breathe)
                  for method in other_methods(shown.state.scene, shown.plan.name)]
        text = static_page(shown, others, breathe)
    made_folder(path.parent)
    return write_page(path, text)


def _serve(args: VisualizeArguments, shown: "Exploration") -> None:
    from firebreak.native_library import max_threads
    from firebreak.report.explorer.server import Explorer, ExplorerServer

    explorer = Explorer(shown, args.threads or max_threads())
    server = ExplorerServer(explorer, args.port)
    others = threading.Thread(target=explorer.make_others, daemon=True)
    others.start()
    print(f"explorer: {server.url}  (Ctrl-C ends it)", flush=True)
    try:
        server.serve_forever()
    except Terminated:
        raise
    except KeyboardInterrupt:  # how it is meant to be ended
        answered()
        print("\nexplorer: ended", file=sys.stderr)
    finally:
        server.server_close()
        # A thread in the native library while the interpreter ends would abort the process.
        explorer.close()
        others.join(_MAX_ROUND_S)
