"""`firebreak evolve CONFIG`: an evolutionary population of policies with one shared replay."""

import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Le

from firebreak.api.shared.executor_options import ExecutorOptions
from firebreak.api.shared.plan_options import TrainOptions
from firebreak.api.shared.progress import run_progress
from firebreak.api.shared.run_output import (
    begin_or_resume,
    configuration,
    named,
    splits_of,
    written,
)
from firebreak.checks import counted, fail
from firebreak.cli.shared import common, runs
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import AtLeastOne
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig
    from firebreak.train.studies.evolution import Evolution


@dataclass(frozen=True)
class EvolveArguments:
    """Evolve a population of fuel-break policies."""

    config: Annotated[str | None, POSITIONAL] = None
    """A TOML file or a preset, quick if not given; its [evolution] table has the settings."""
    run: TrainOptions = field(default_factory=TrainOptions)
    population: Annotated[int, Ge(2), Le(1024)] | None = None
    """Number of members, instead of the configuration's."""
    generations: AtLeastOne | None = None
    """Number of generations in all, instead of the configuration's."""
    quiet: bool = False
    """Print no line for each generation."""
    json: bool = False
    """End with one machine-readable line."""
    where: ExecutorOptions = field(default_factory=ExecutorOptions)


def run(bound: Bound[EvolveArguments]) -> int:
    """Runs the command."""
    args = bound.options
    args.where.check()
    config = configuration(args.config, args.run, {
        "evolution.population": args.population, "evolution.generations": args.generations})
    # What is refused is refused before torch is loaded.
    from firebreak.executors.calls import Recipe
    from firebreak.train.rollout.player import make_player
    from firebreak.train.studies.evolution import Evolution

    folder = runs.folder_of(args.run, f"evolve-{Path(named(args.config)).stem}")
    splits = splits_of(config)
    begin = time.perf_counter()
    with closing(args.where.open(Recipe(make_player, (config,)))) as executor:
        evolution = Evolution(config, executor, splits.train[0].shape, folder)
        # Only after all of that has worked.
        with runs.writing(folder, config, "evolve", "generations"):
            begin_or_resume(evolution, folder, args.run.resume is not None)
            print(f"{folder}: {counted(len(evolution.members), 'member')}, "
                  f"{counted(executor.workers, 'worker')} ({executor.backend.name}), "
                  f"replay {evolution.replay.nbytes / 1e6:.1f} MB")
            end = _consume(evolution, folder, config, args.quiet)
            live = evolution.live()
    runs.say_compared(config, splits, folder, args.quiet)
    print(f"\nfitness of the best: {end['first_fitness']:.3f} in generation 0, "
          f"{end['best_fitness']:.3f} in the end; policy.safetensors and figures are in {folder}")
    if args.json:
        common.print_json({
            "run": str(folder), "generations": end["generation"],
            "best_fitness": end["best_fitness"], "first_fitness": end["first_fitness"],
            "live": live, "env_steps": end["env_steps"],
            "learner_steps": end["learner_steps"], "workers": executor.workers,
            "executor": executor.backend.name, "population_sha256": end["population_sha256"],
            "seconds": time.perf_counter() - begin})
    return 0


def _consume(evolution: "Evolution", folder: Path, config: "RunConfig",
             quiet: bool) -> dict[str, Any]:
    """Writes the rows of a run, tells and draws its generations, returns the last row."""
    every = config.evolution.figure_every

    def tell(row: dict[str, Any]) -> None:
        if row["kind"] != "generation":
            return
        progress.advance(1, "")
        if not quiet:
            progress.tell(described(row))
        if row["generation"] % every == every - 1:
            draw_fitness(folder)

    with run_progress(config.evolution.generations, "generation", quiet=quiet,
                      begun=evolution.generation) as progress:
        last = written(evolution, folder, config, tell)
    draw_fitness(folder)
    return last


def described(row: dict[str, Any]) -> str:
    """A generation in one line."""
    ready = (f"replay {row['replay']:,} / {row['learning_starts']:,}"
             + ("" if row["loss"] is not None else ", not ready: no learning")
             if row["replay"] < row["learning_starts"] else f"replay {row['replay']:,}")
    loss = "" if row["loss"] is None else f", loss {row['loss']:.4f}"
    times = ", ".join(f"{phase} {seconds:.1f} s" for phase, seconds in row["seconds"].items())
    return (f"generation {row['generation']}: fitness mean {row['fitness_mean']:.3f}, "
            f"max {row['fitness_max']:.3f}, min {row['fitness_min']:.3f}; {ready}{loss}; {times}")


def draw_fitness(folder: Path) -> Path:
    """Draws the fitness of all generations so far."""
    from firebreak.report.figures.canvas import save_figure
    from firebreak.report.figures.curves import fitness_figure
    from firebreak.train.storage.stored import metrics_rows

    rows = [row for row in metrics_rows(folder) if row["kind"] == "generation"]
    if not rows:
        raise fail(expected="rows of generations", given="none",
                   where=str(folder / "metrics.jsonl"), remedy="evolve at least one")
    best = rows[-1]["best_fitness"]
    caption = (f"{folder.name}: {len(rows[-1]['fitness'])} members, {rows[-1]['env_steps']:,} "
               f"environment steps, {rows[-1]['learner_steps']:,} learner steps; best {best:.1%}")
    return save_figure(fitness_figure(rows, caption=caption), folder / "figures" / "fitness.png")
