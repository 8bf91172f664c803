"""`firebreak train CONFIG|PRESET`: train, then compare on test fires of landscapes held out."""

import shlex
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from firebreak.api.shared.plan_options import TrainOptions
from firebreak.api.shared.progress import bars
from firebreak.api.shared.run_output import (
    compared,
    configuration,
    consume,
    draw_curves,
    draw_run,
    splits_of,
    trainer_in,
)
from firebreak.cli.shared import common, signals
from firebreak.settings.binding import Bound
from firebreak.settings.names import changed, command_words
from firebreak.settings.schema import POSITIONAL
from firebreak.train.config import DEFAULT_PRESET

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig
    from firebreak.train.data.splits import Splits
    from firebreak.train.run.trainer import ParallelTrainer


@dataclass(frozen=True)
class TrainArguments:
    """Train a fuel-break policy."""

    config: Annotated[str | None, POSITIONAL] = None
    """A TOML file, or a preset (a file of configs/, by its name): quick, of about 5
    minutes, if not given."""
    run: TrainOptions = field(default_factory=TrainOptions)
    quiet: bool = False
    """No progress bar."""
    json: bool = False
    """End with one machine-readable line."""


def run(bound: Bound[TrainArguments]) -> int:
    """Runs the command."""
    args = bound.options
    config = configuration(args.config, args.run)  # refused before torch is loaded
    splits = splits_of(config)
    folder = args.run.resume
    if folder is None:
        common.check_out(args.run.out)
        folder = common.chosen_folder(args.run.out, Path(args.config or DEFAULT_PRESET).stem)
    with trainer_in(folder, config, splits, args.run.resume is not None) as trainer:
        return _run_and_report(args, trainer, folder)


def say_compared(config: "RunConfig", splits: "Splits", folder: Path, quiet: bool) -> None:
    """Evaluates the best policy on every test source, prints and stores the tables."""
    from firebreak.planning.evaluation.tables import table

    for name, result in compared(config, splits, folder, bars(quiet)).items():
        print(f"\nTest landscapes never trained on: {name}\n{table(result)}")


def _run_and_report(args: TrainArguments, trainer: "ParallelTrainer", folder: Path) -> int:
    config, splits = trainer.config, trainer.splits
    print(f"{folder}: {trainer.describe()}")
    begin = time.perf_counter()
    end = _run(trainer, folder, config, args.quiet)
    trainer.release()  # the comparison needs the room
    failed: list[OSError] = [] if trainer.unsaved is None else [trainer.unsaved]
    figures: list[Path] = []
    verdict = "none"
    if trainer.has_learned:
        with _going_on(failed):
            say_compared(config, splits, folder, args.quiet)
    with _going_on(failed), trainer.profiler.phase("figure", once=True):
        figures = (draw_run(config, splits, folder) if trainer.has_learned
                   else draw_curves(config, folder))
    with _going_on(failed):
        verdict = _conclude_memory(trainer, folder, end)
    if trainer.has_learned:
        print(f"\n{len(figures)} pictures, metrics and policy.safetensors are in {folder}")
        family = "" if config.landscapes.family is None else f":{config.landscapes.family}"
        print(f"next: firebreak plan synthetic:7:{config.landscapes.size}{family} --budget "
              f"{config.budget:g} --policy {shlex.quote(str(folder))}{_break_options(config)} "
              "--out my_plan")
    else:
        print(f"\n{len(figures)} pictures, metrics and a checkpoint are in {folder}; no policy, "
              f"since the run made no gradient step in {end['env_steps']:,} env steps "
              f"(train.learning_starts = {config.train.learning_starts})")
    if args.json:
        from firebreak.memory.process import peak_rss_bytes

        common.print_json({
            "run": str(folder), "episodes": end["episodes"], "env_steps": end["env_steps"],
            "learner_steps": end["learner_steps"], "weights_sha256": end["weights_sha256"],
            "seconds": time.perf_counter() - begin, "peak_rss_bytes": peak_rss_bytes(),
            "memory_verdict": verdict})
    if failed:
        raise failed[0]
    return 0


@contextmanager
def _going_on(failed: list[OSError]) -> Iterator[None]:
    """A file that the disk does not take costs that file only; the command fails in the end."""
    try:
        yield
    except OSError as error:
        warnings.warn(f"not written: {error.filename or ''} {error.strerror or error}",
                      stacklevel=2)
        failed.append(error)


def _run(trainer: "ParallelTrainer", folder: Path, config: "RunConfig",
         quiet: bool) -> dict[str, Any]:
    """The run itself, listening to signals; the last row.

    Raises:
        KeyboardInterrupt: a signal has stopped it; it is saved.
    """
    from firebreak.memory.profiler import reading

    received: list[int] = []

    def ask(number: int) -> None:
        received.append(number)
        trainer.stop_asked = True
    with (signals.dump_signal(folder, lambda: reading({"trainer": trainer})),
          signals.handling(signals.stop_signals(ask))):
        end = consume(trainer, folder, config, quiet)
    if end["kind"] == "stopped":
        print(f"interrupted and saved; continue with: firebreak train --resume "
              f"{shlex.quote(str(folder))}")
        signals.stop_now(received[0], None)
    return end


def _conclude_memory(trainer: "ParallelTrainer", folder: Path, end: dict[str, Any]) -> str:
    """Stores the readings of the figures, says whether the run's memory was constant."""
    from firebreak.memory.explain import describe_growth, last_line
    from firebreak.memory.verdict import judge
    from firebreak.train.storage.metrics import JsonLines
    from firebreak.train.storage.stored import memory_rows

    file = JsonLines(folder / "memory.jsonl")
    counts = {name: end[name] for name in ("episodes", "env_steps", "learner_steps")}
    for row in trainer.profiler.take_rows():
        file.write({"kind": "memory", **counts, **row})
    file.close()
    verdict = judge(memory_rows(folder))
    for growth in verdict.growths:
        if growth.state == "leak":
            print(f"warning: memory {describe_growth(growth)}", file=sys.stderr)
    print(f"\nmemory {last_line(verdict)}")
    return verdict.state


def _break_options(config: "RunConfig") -> str:
    """The options of `firebreak plan` that ask for the breaks a run was trained for."""
    words = command_words(config.breaks, changed(config.breaks))
    return "".join(f" {shlex.quote(word)}" for word in words)
