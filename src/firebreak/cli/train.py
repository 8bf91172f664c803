"""`firebreak train CONFIG|PRESET`: train, then compare on test fires of landscapes held out."""

import json
import shlex
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from firebreak.cli import common, runs, signals

if TYPE_CHECKING:
    from firebreak.train.schema import RunConfig
    from firebreak.train.splits import Splits
    from firebreak.train.trainer import ParallelTrainer


@dataclass
class TrainArguments:
    """Train a fuel-break policy."""

    config: Annotated[str, tyro.conf.Positional] = "quick"
    """A TOML file or a preset: quick (about 5 minutes), landfire, long, general, segments."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    resume: Path | None = None
    """Go on with the run in this folder, with its own configuration."""
    set: Annotated[list[str], tyro.conf.UseAppendAction] = field(default_factory=list)
    """Change a key of the configuration, e.g. --set train.episodes=600. May be repeated."""
    data: str | None = None
    """Folder that the maps of the configuration are relative to; else FIREBREAK_DATA."""
    seed: int | None = None
    """Seed of the run, instead of the configuration's."""
    quiet: bool = False
    """No progress bar."""
    json: bool = False
    """End with one machine-readable line."""


def run(arguments: list[str]) -> int:
    """Runs the command."""
    args = common.parse(TrainArguments, arguments, "train")
    with signals.handling({signal.SIGTERM: signals.stop_now}):
        return _train(args)


def _train(args: TrainArguments) -> int:
    from firebreak.train.config import data_folder
    from firebreak.train.lock import locked
    from firebreak.train.splits import make_splits
    from firebreak.train.trainer import ParallelTrainer

    config = runs.configuration(args, {})
    splits = make_splits(config, data_folder(config, None))
    folder = runs.folder_of(args, Path(args.config).stem)
    trainer = ParallelTrainer(config, splits, folder)
    # Nothing is written before all of that has worked.
    with locked(folder), common.copied(folder, config.artifacts):
        _begin_or_resume(trainer, folder, args.resume is not None)
        return _run_and_report(args, trainer, folder)


def _begin_or_resume(trainer: "ParallelTrainer", folder: Path, resumed: bool) -> None:
    """Takes the folder to where the run goes on: at its last checkpoint, or at the beginning."""
    from firebreak.files import write_text
    from firebreak.train.checkpoints import CHECKPOINTS, checkpoints_of
    from firebreak.train.config import as_toml
    from firebreak.train.metrics import rewind
    from firebreak.train.store import sweep

    sweep(folder / CHECKPOINTS)
    for stale in folder.glob(".*.tmp"):
        stale.unlink()
    if resumed and checkpoints_of(folder / CHECKPOINTS):
        rewind(folder, trainer.resume())
    elif resumed:
        warnings.warn(f"{folder}: stopped before its first checkpoint; the run starts anew",
                      stacklevel=2)
        rewind(folder, {})
    write_text(folder / "config.toml", as_toml(trainer.config))


def _run_and_report(args: TrainArguments, trainer: "ParallelTrainer", folder: Path) -> int:
    from firebreak.cli.visualize import draw_run

    config, splits = trainer.config, trainer.splits
    print(f"{folder}: {trainer.describe()}")
    begin = time.perf_counter()
    end = _run(trainer, folder, config, args.quiet)
    trainer.release()  # the comparison needs the room
    failed: list[OSError] = [] if trainer.unsaved is None else [trainer.unsaved]
    figures: list[Path] = []
    verdict = "none"
    with _going_on(failed):
        compare(config, splits, folder)
    with _going_on(failed), trainer.profiler.phase("figure", once=True):
        figures = draw_run(config, splits, folder)
    with _going_on(failed):
        verdict = _conclude_memory(trainer, folder, end)
    print(f"\n{len(figures)} pictures, metrics and policy.pt are in {folder}")
    print(f"next: firebreak plan synthetic:7:20 --budget {config.budget:g} --policy "
          f"{shlex.quote(str(folder))}{_break_options(config)} --out my_plan")
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
    from firebreak.memory.snapshot import reading

    received: list[int] = []

    def ask(number: int) -> None:
        received.append(number)
        trainer.stop_asked = True
    with (signals.dump_signal(folder, lambda: reading({"trainer": trainer})),
          signals.handling(signals.stop_signals(ask))):
        end = consume(trainer, folder, config, quiet)
    if end["kind"] == "stopped":
        print(f"interrupted and saved; go on with: firebreak train --resume "
              f"{shlex.quote(str(folder))}")
        signals.stop_now(received[0], None)
    return end


def _conclude_memory(trainer: "ParallelTrainer", folder: Path, end: dict[str, Any]) -> str:
    """Stores the readings of the figures, says whether the run's memory was constant."""
    from firebreak.memory.explain import describe_growth, last_line
    from firebreak.memory.verdict import judge
    from firebreak.train.metrics import JsonLines
    from firebreak.train.stored import memory_rows

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
    breaks = config.breaks
    parts = [f" --break-kind {breaks.kind}" * (breaks.kind != "hard"),
             f" --break-width-m {breaks.width_m:g}" if breaks.width_m is not None else "",
             f" --break-fuel {breaks.fuel}" if breaks.fuel is not None else "",
             f" --breach {breaks.breach}" * (breaks.breach != "never"), " --leak" * breaks.leak]
    return "".join(parts)


def consume(trainer: "ParallelTrainer", folder: Path, config: "RunConfig",
            quiet: bool) -> dict[str, Any]:
    """Writes the rows of a run to disk, shows progress, returns the last row."""
    from tqdm import tqdm

    from firebreak.train.metrics import RunLog

    log = RunLog(folder, config.cleanup.log_megabytes * 1_000_000, config.cleanup.log_files)
    trainer.positions = log.positions
    bar = tqdm(total=config.train.episodes, initial=trainer.episodes, unit="ep",
               disable=quiet, dynamic_ncols=True, mininterval=0.5 if sys.stderr.isatty() else 15)
    last: dict[str, Any] = {}
    try:
        for row in trainer.run():
            if row["kind"] != "stopped":
                log.write(row)
            if row["kind"] == "progress":
                bar.update(row["episodes_ended"])
                bar.set_postfix_str(_postfix(row), refresh=False)
            elif row["kind"] == "validation":
                bar.write(f"episode {row['episodes']}: validation reduction "
                          f"{row['reduction']:.3f} ± {row['half_width']:.3f}, "
                          f"best {row['best']:.3f}")
            elif row["kind"] == "cleanup":
                bar.write(f"warning: cleanup of {row['owner']} freed {row['freed_bytes']:,} bytes "
                          f"({row['what']}); something holds on to memory", file=sys.stderr)
            last = row
    finally:
        bar.close()
        trainer.close()
        log.close()
    return last


def _postfix(row: dict[str, Any]) -> str:
    if row["loss"] is None:
        learning = f"replay {min(row['replay'], row['learning_starts'])}/{row['learning_starts']}"
    else:
        learning = f"loss {row['loss']:.3f}"
    reward = "-" if row["mean_return"] is None else f"{row['mean_return']:.3f}"
    return (f"reward {reward}, {learning}, epsilon {row['epsilon']:.2f}, "
            f"discount {row['discount']:.2f}, RSS {row['rss_bytes'] / 1e6:.0f} MB")


def compare(config: "RunConfig", splits: "Splits", folder: Path) -> None:
    """Evaluates the best policy on every test source, prints and stores the tables."""
    from firebreak.agent.policy_file import load_policy
    from firebreak.files import write_text
    from firebreak.planning.evaluate import evaluate
    from firebreak.planning.tables import table, to_json

    policy = load_policy(folder)
    stored = {}
    for name, scenes in splits.test.items():
        result = evaluate(
            scenes, config.evaluation.methods, budget_share=config.budget,
            plan_fires=config.fires.plan_fires, test_fires=config.evaluation.test_fires,
            seed=config.evaluation.test_seed, policy=policy)
        print(f"\nTest landscapes never trained on: {name}\n{table(result)}")
        stored[name] = to_json(result)
    write_text(folder / "evaluation.json", json.dumps(stored, indent=1))
