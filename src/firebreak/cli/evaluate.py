"""`firebreak evaluate LANDSCAPE...`: compare methods and plans on test fires."""

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


@dataclass
class EvaluateArguments:
    """Compare methods on fires that none of them was shown."""

    landscapes: Annotated[list[str], tyro.conf.Positional]
    """Files or folders, or synthetic:SEED[:SIZE]."""
    methods: str = "none,random,burn-probability,downstream-value-static,downstream-value"
    """Comma-separated, in any order."""
    policy: Path | None = None
    """A policy.pt or the folder of a run, for dqn and dqn-search; the one that comes with firebreak
    if not given."""
    plan: list[Path] | None = None
    """Plans made by `firebreak plan`: a folder, plan.csv or plan.tif each; or Cell2Fire tables."""
    window: int | None = None
    """Cut windows of so many rows and columns from each landscape."""
    windows: int = 6
    """At most so many windows of each landscape."""
    budget: float = 0.05
    """Share of the treatable cells' cost that may be spent."""
    time_limit: float | None = None
    """Seconds that swap, anneal and dqn-search (10 if not given) and milp (60) may search."""
    evaluations: int | None = None
    """Plans that swap, anneal and dqn-search may try, instead of --time-limit: this repeats bit for
    bit."""
    search_from: str | None = None
    """Method whose plan swap, anneal and milp start from; the best of two quick ones if not given.
    """
    plan_fires: int = 256
    """Fires that the methods are shown."""
    test_fires: int = 2000
    """Other fires, which the plans are judged on."""
    random_draws: int = 30
    """Plans that random is the mean over."""
    scene: SceneOptions = field(default_factory=SceneOptions)


def run(arguments: list[str]) -> int:
    """Runs the command."""
    from firebreak.planning.evaluate import evaluate
    from firebreak.planning.export import read_plan
    from firebreak.planning.tables import table, to_json

    args = common.parse(EvaluateArguments, arguments, "evaluate")
    check_fraction(args.budget, what="a budget", where="--budget",
                   remedy="0.05 treats 5 % of the treatable cells")
    methods = [name.strip() for name in args.methods.split(",") if name.strip()]
    policy = common.policy_for([*methods, *([args.search_from] if args.search_from else [])],
                               args.policy, args.scene)
    common.use_threads(args.scene.threads, torch_threads=1)
    scenes = [args.scene.scene(land, spec) for spec in args.landscapes
              for land in _parts(spec, args)]
    for path in args.plan or []:
        common.warn_of_other_options(path, args.scene)
    plans = [read_plan(path, _only(scenes)) for path in args.plan or []]
    done = evaluate(scenes, methods, budget_share=args.budget, plan_fires=args.plan_fires,
                    test_fires=args.test_fires, seed=args.scene.seed, policy=policy, plans=plans,
                    random_draws=args.random_draws, search=common.search_options(args))
    print(table(done))
    if args.scene.json:
        common.print_json(to_json(done))
    return 0


def _parts(spec: str, args: EvaluateArguments) -> "list[Landscape]":
    from firebreak.landscape.windows import Window, list_windows

    land = args.scene.read(spec)
    if args.window is None:
        return [land]
    if args.window < 2 or args.windows < 1:
        raise fail(expected="a window of at least 2 cells, and at least 1 of them",
                   given=f"{args.window} and {args.windows}", where="--window, --windows",
                   remedy="64 and 6 are usual")
    rows, cols = land.shape
    found = list_windows([Window(0, 0, rows, cols)], args.window, args.window, land)
    return [window.of(land) for window in found[:args.windows]]


def _only(scenes: "list[Scene]") -> "Landscape":
    if len(scenes) != 1:
        raise fail(expected="one landscape together with --plan", given=f"{len(scenes)}",
                   where="evaluate", remedy="evaluate a plan on the landscape it was made for")
    return scenes[0].landscape
