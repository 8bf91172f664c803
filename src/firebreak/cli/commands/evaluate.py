"""`firebreak evaluate LANDSCAPE...`: compare methods and plans on test fires."""

import re
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from firebreak.api.shared.executor_options import WorkerOptions
from firebreak.api.shared.plan_options import EvaluateOptions
from firebreak.api.shared.progress import bars
from firebreak.cli.shared import common
from firebreak.cli.shared.common import scene_words
from firebreak.files import held_folder
from firebreak.settings.binding import Bound
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.fire import Scene
    from firebreak.planning.evaluation.evaluate import Evaluation
    from firebreak.planning.evaluation.judging import Burn


@dataclass(frozen=True)
class EvaluateArguments(EvaluateOptions):
    """Compare planning methods, and plans that were made before, on test fires."""

    landscapes: Annotated[list[str], POSITIONAL]
    """Files or folders, synthetic:SEED[:SIZE], or sample:NAME."""
    plan: list[Path] | None = None
    """Plans to compare too, each at its own cost: a folder that `firebreak plan` wrote, its
    plan.csv or plan.tif, a Cell2Fire table, any raster of breaks (not 0), or shapes of lines or
    polygons, each of which is then judged by itself too, by the treatment that its attribute
    'treatment' names, beside --treatment."""
    out: Path | None = None
    """Folder that keeps what the fires burn under each plan: the same command continues after a
    kill."""
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
        beside=None if args.where.executor is None else args.where.beside())
    from firebreak.planning.evaluation.evaluate import evaluate
    from firebreak.planning.evaluation.tables import table, to_json

    with _burning(args, [*scenes, *filter(None, request["own"])]) as burn:
        done = evaluate(scenes, methods, test_fires=args.test_fires,
                        bar=bars(args.scene.bars_hidden), burn=burn, **request)
    print(table(done))
    print(domain_words(*domains), end="")
    for words in dict.fromkeys(args.scene.crews_words(scene.conditions) for scene in scenes):
        print(words, end="")
    for words in dict.fromkeys(words for scene in scenes for words in scene.conditions.assumed):
        print(f"assumed: {words}")
    print(f"next: {_next(args, done, scenes)}")
    if args.scene.json:
        more = {"domains": [one and one.to_json() for one in domains]} if any(domains) else {}
        common.print_json(to_json(done) | more)
    return 0


@contextmanager
def _burning(args: EvaluateArguments, scenes: "list[Scene]") -> "Iterator[Burn]":
    """The function that burns fires: here or by workers, kept in a folder where one is named."""
    from firebreak.api.shared.evaluate_steps import kept_in
    from firebreak.planning.evaluation.judging import statistics
    from firebreak.planning.evaluation.losses import burned_by_workers, burner_recipe

    def kept(burn: "Burn") -> "Burn":
        return burn if args.out is None else kept_in(args.out, burn)

    if args.where.executor is None:
        yield kept(statistics)
        return
    places = {id(scene): place for place, scene in enumerate(scenes)}
    with closing(args.where.open(burner_recipe(scenes))) as executor:
        yield kept(lambda scene, fires, breaks: burned_by_workers(
            executor, scene, fires, breaks, place=places[id(scene)]))


def _next(args: EvaluateArguments, done: "Evaluation",
          scenes: "list[Scene]") -> str:
    """The command that makes the plan of the best of the methods, on the first landscape."""
    from firebreak.planning.methods import CHOOSERS, METHODS
    from firebreak.planning.output.earlier import is_planned

    names = {name.strip() for name in args.methods.split(",")}  # a plan's file may be named alike
    found = {name: own.reduction for name, own in done.methods.items() if name in names
             and (name in CHOOSERS or METHODS[name].treats)}
    place = shlex.quote(args.landscapes[0])
    if not found:
        shown = [one for one in args.plan or () if is_planned(one)]
        plan = f" --plan {shlex.quote(str(shown[0]))}" if shown else ""
        return f"firebreak visualize {place}{plan}{scene_words(args.scene)} --serve"
    cut = re.search(r"\[([\d:,]+)\]$", scenes[0].landscape.name)  # a window of a map
    named = args.area or (cut and cut.group(1))
    area = f" --area {shlex.quote(named)}" if named else ""
    policy = "" if args.policy is None else f" --policy {shlex.quote(str(args.policy))}"
    budget = shlex.quote(str(args.budget) or f"{done.rows[0].budget:g}")
    return (f"firebreak plan {place}{area} --method {max(found, key=found.__getitem__)}{policy} "
            f"--budget {budget}{scene_words(args.scene)} --out my_plan")
