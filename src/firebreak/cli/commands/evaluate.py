"""`firebreak evaluate LANDSCAPE...`: compare methods and plans on test fires."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from firebreak.api.shared.executor_options import WorkerOptions
from firebreak.api.shared.plan_options import EvaluateOptions
from firebreak.api.shared.progress import bars
from firebreak.cli.shared import common
from firebreak.cli.shared.common import scene_words
from firebreak.files import held_folder
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import AtLeastOne
from firebreak.settings.planning import DRAWS
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.fire import Scene
    from firebreak.planning.evaluation.doubt import DoubtResult
    from firebreak.planning.evaluation.evaluate import Evaluation


@dataclass(frozen=True)
class EvaluateArguments(EvaluateOptions):
    """Compare planning methods, and plans that were made before, on test fires."""

    landscapes: Annotated[list[str], POSITIONAL]
    """Files or folders, synthetic:SEED[:SIZE], or sample:NAME."""
    plan: list[Path] | None = None
    """Plans to compare too: each a folder that `firebreak plan` wrote, its plan.csv or plan.tif, or
    a Cell2Fire table."""
    out: Path | None = None
    """Folder that keeps the sums of --executor: the same command continues after a kill."""
    perturb: bool = False
    """Also burn the plans with other rates of spread, winds, moistures and breaches than they were
    made for."""
    draws: AtLeastOne = DRAWS
    """Number of draws of each kind of perturbation, for --perturb."""
    where: WorkerOptions = field(default_factory=WorkerOptions)


def run(bound: Bound[EvaluateArguments]) -> int:
    """Runs the command."""
    args = bound.options
    args.where.check()
    if args.out is not None:
        common.check_out(args.out)
    with held_folder(args.out):
        return _run(args)


def _run(args: EvaluateArguments) -> int:
    """Makes and tells the comparison."""
    from firebreak.api.shared.domains import domain_words
    from firebreak.api.shared.evaluate_steps import request_of

    scenes, methods, request, domains = request_of(
        args.landscapes, args, args.plan or [],
        tiled=not args.perturb and args.out is None,
        beside=None if args.where.executor is None else args.where.beside())
    from firebreak.planning.evaluation.doubt import to_json as doubt_json
    from firebreak.planning.evaluation.evaluate import evaluate
    from firebreak.planning.evaluation.tables import table, to_json

    whole = [scene for scene in scenes if not scene.tiled]  # all, where they must be
    if args.where.executor is None:
        done = evaluate(scenes, methods, test_fires=args.test_fires,
                        bar=bars(args.scene.bars_hidden), **request)
    elif scenes[0].tiled:
        done = _by_weather(args, scenes[0], methods, request)
    else:
        done = _in_chunks(args, whole, methods, request)
    print(table(done))
    print("".join(map(domain_words, domains)), end="")
    for words in dict.fromkeys(args.scene.crews_words(scene.conditions) for scene in scenes):
        print(words, end="")
    for words in dict.fromkeys(words for scene in scenes for words in scene.conditions.assumed):
        print(f"assumed: {words}")
    doubted = _doubted(args, whole, done) if args.perturb else None
    print(f"next: {_next(args, done, scenes)}")
    if args.scene.json:
        more: dict[str, Any] = {} if doubted is None else {"doubt": doubt_json(doubted)}
        if any(domains):
            more |= {"domains": [one and one.to_json() for one in domains]}
        common.print_json(to_json(done) | more)
    return 0


def _doubted(args: EvaluateArguments, scenes: "list[Scene]", done: "Evaluation") -> "DoubtResult":
    """The plans in perturbed worlds, printed as a table."""
    from firebreak.planning.evaluation.doubt import doubt, doubt_table, worlds

    with bars(args.scene.bars_hidden)(worlds(scenes, args.draws), "world") as advance:
        found = doubt(scenes, done.plans, args.test_fires, args.scene.seed, args.draws, advance)
    print(f"\n{doubt_table(found)}\n")
    return found


def _in_chunks(args: EvaluateArguments, scenes: "list[Scene]", methods: list[str],
               request: dict[str, Any]) -> "Evaluation":
    """The evaluation with its test fires burned by workers."""
    from firebreak.executors.base import closing
    from firebreak.executors.calls import Recipe
    from firebreak.planning.evaluation.compared_plans import planned, plans_to_make
    from firebreak.train.studies.large_evaluation import (
        ChunkBurner,
        check_kept,
        evaluate_in_chunks,
        masks_of,
    )

    if args.out is not None:
        check_kept(args.out)
    bar = bars(args.scene.bars_hidden)
    with bar(plans_to_make(scenes, methods, args.random_draws), "plan") as advance:
        plans = list(planned(scenes, methods, report=advance, **request))
    with (closing(args.where.open(Recipe(ChunkBurner, (scenes, masks_of(plans))))) as executor,
          bar(args.test_fires * len(scenes), "fire") as advance):
        return evaluate_in_chunks(scenes, plans, executor, plan_fires=args.plan_fires,
                                  test_fires=args.test_fires, seed=args.scene.seed,
                                  folder=args.out, progress=advance)


def _by_weather(args: EvaluateArguments, scene: "Scene", methods: list[str],
                request: dict[str, Any]) -> "Evaluation":
    """The evaluation of plans of a large map, whose fires workers burn weather by weather."""
    from firebreak.executors.base import closing
    from firebreak.planning.evaluation.evaluate import evaluate
    from firebreak.planning.evaluation.losses import burned_by_workers, burner_recipe

    with closing(args.where.open(burner_recipe(scene))) as executor:
        return evaluate([scene], methods, test_fires=args.test_fires,
                        bar=bars(args.scene.bars_hidden), **request,
                        burn=lambda _, fires, breaks: burned_by_workers(executor, scene, fires,
                                                                        breaks))


def _next(args: EvaluateArguments, done: "Evaluation",
          scenes: "list[Scene]") -> str:
    """The command that makes the plan of the best of the methods, on the first landscape."""
    from firebreak.planning.methods import CHOOSERS, METHODS

    names = {name.strip() for name in args.methods.split(",")}  # a plan's file may be named alike
    found = {name: own.reduction for name, own in done.methods.items() if name in names
             and (name in CHOOSERS or METHODS[name].treats)}
    place = shlex.quote(args.landscapes[0])
    if not found:
        plan = f" --plan {shlex.quote(str(args.plan[0]))}" if args.plan else ""
        return f"firebreak visualize {place}{plan}{scene_words(args.scene)} --serve"
    cut = re.search(r"\[([\d:,]+)\]$", scenes[0].landscape.name)  # a window of a map
    named = args.area or (cut and cut.group(1))
    area = f" --area {shlex.quote(named)}" if named else ""
    policy = "" if args.policy is None else f" --policy {shlex.quote(str(args.policy))}"
    return (f"firebreak plan {place}{area} --method {max(found, key=found.__getitem__)}{policy} "
            f"--budget {args.budget:g}{scene_words(args.scene)} --out my_plan")
