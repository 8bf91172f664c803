"""`firebreak plan LANDSCAPE`: make a plan, compare it on test fires, write files and pictures."""

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from firebreak.checks import check_fraction, fail
from firebreak.cli import common
from firebreak.cli.scene_options import SceneOptions

if TYPE_CHECKING:
    from firebreak.fire.scene import Scene
    from firebreak.landscape.landscape import Landscape
    from firebreak.planning.plan import Plan

MARGIN = 16  # cells around an area in which fires start and spread but nothing is treated


@dataclass
class PlanArguments:
    """Plan fuel breaks for a landscape."""

    landscape: Annotated[str, tyro.conf.Positional]
    """A file or folder, or synthetic:SEED[:SIZE]."""
    budget: float = 0.05
    """Share of the treatable cells' cost that may be spent."""
    area: str | None = None
    """Plan inside these cells only: R0:R1,C0:C1 (half-open, from the north-west corner)."""
    method: str | None = None
    """How to plan; dqn if not given."""
    policy: Path | None = None
    """A policy.pt or the folder of a run, for dqn and dqn-search; the one that comes with firebreak
    if not given."""
    batch: int | None = None
    """Cells placed per simulation; about 50 rounds if not given."""
    time_limit: float | None = None
    """Seconds that swap, anneal and dqn-search (10 if not given) and milp (60) may search."""
    evaluations: int | None = None
    """Plans that swap, anneal and dqn-search may try, instead of --time-limit: this repeats bit for
    bit."""
    search_from: str | None = None
    """Method whose plan swap, anneal and milp start from; the best of two quick ones if not given.
    """
    plan_fires: int = 256
    """Fires that the method is shown."""
    test_fires: int = 1000
    """Other fires for the comparison; 0 leaves it out."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    scene: SceneOptions = field(default_factory=SceneOptions)


def run(arguments: list[str]) -> int:
    """Runs the command."""
    from firebreak.planning.area import lift
    from firebreak.planning.export import write_plan
    from firebreak.planning.methods import make_plan
    from firebreak.report.run_report import write_plan_report

    args = common.parse(PlanArguments, arguments, "plan")
    check_fraction(args.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    method = args.method or "dqn"
    policy = common.policy_for([method, args.search_from or method], args.policy, args.scene)
    common.use_threads(args.scene.threads, torch_threads=1)
    full = args.scene.read(args.landscape)
    land, offset = (full, (0, 0)) if args.area is None else _part(full, args.area)
    scene = args.scene.scene(land, args.landscape)
    plan = make_plan(scene, args.budget, args.plan_fires, method, seed=args.scene.seed,
                     policy=policy, batch=args.batch, search=common.search_options(args))
    compared = _compared(scene, plan, args) if args.test_fires else ""
    out = common.new_folder(args.out, "plan")
    common.write_options(out, args.scene)
    whole = plan if args.area is None else lift(plan, offset, full)
    files = [*write_plan(whole, full, out).values(),
             *write_plan_report(out, scene=scene, plan=plan, seed=args.scene.seed)]
    print(f"{method}: {plan.cells.size} cells, {plan.cost:g} {plan.cost_unit} of a budget of "
          f"{plan.budget:g}, in {plan.seconds:.2f} s")
    for name, number in (plan.notes or {}).items():
        print(f"{name.replace('_', ' ')}: {number:.4f}")
    if compared:
        print(f"\n{compared}\n")
    for path in files:
        print(path)
    if args.scene.json:
        common.print_json({"method": method, "n_cells": int(plan.cells.size), "cost": plan.cost,
                           "cost_unit": plan.cost_unit, "seconds": plan.seconds,
                           "simulations": plan.simulations, "notes": plan.notes,
                           "files": [str(path) for path in files]})
    return 0


def _part(full: "Landscape", area: str) -> "tuple[Landscape, tuple[int, int]]":
    from firebreak.planning.area import plan_area

    found = re.fullmatch(r"(\d+):(\d+),(\d+):(\d+)", area.replace(" ", ""))
    if found is None:
        raise fail(expected="an area like R0:R1,C0:C1", given=f"'{area}'", where="--area",
                   remedy="for example --area 100:164,200:264")
    top, bottom, left, right = map(int, found.groups())
    return plan_area(full, slice(top, bottom), slice(left, right), MARGIN)


def _compared(scene: "Scene", plan: "Plan", args: PlanArguments) -> str:
    """The plan beside what the honest alternatives achieve on the same test fires."""
    from firebreak.planning.evaluate import evaluate
    from firebreak.planning.tables import table

    others = [m for m in ("none", "random", "burn-probability", "downstream-value")
              if m != plan.method]
    began = time.perf_counter()
    done = evaluate([scene], others, budget_share=args.budget, plan_fires=args.plan_fires,
                    test_fires=args.test_fires, seed=args.scene.seed, plans=[plan], random_draws=3)
    return f"{table(done)}\n(compared in {time.perf_counter() - began:.1f} s)"
