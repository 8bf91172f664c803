"""`firebreak train CONFIG|PRESET`: train, then compare on test fires of landscapes held out."""

import json
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from firebreak.checks import fail
from firebreak.cli import Terminated, common

if TYPE_CHECKING:
    from firebreak.train.schema import RunConfig
    from firebreak.train.splits import Splits
    from firebreak.train.trainer import ParallelTrainer


@dataclass
class TrainArguments:
    """Train a fuel-break policy."""

    config: Annotated[str, tyro.conf.Positional] = "quick"
    """A TOML file or a preset: quick (about 5 minutes), landfire, long, general."""
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
    config, folder = _config_and_folder(args)
    return _train(args, config, folder)


def _config_and_folder(args: TrainArguments) -> tuple["RunConfig", Path | None]:
    from firebreak.train.config import load_config

    changes = list(args.set) + ([f"seed={args.seed}"] if args.seed is not None else [])
    if args.resume is None:
        return load_config(args.config, changes), None
    stored = args.resume / "config.toml"
    if not stored.is_file():
        raise fail(expected="a run folder with config.toml", given="none there",
                   where=str(args.resume), remedy="give the folder of an earlier run")
    return load_config(str(stored), changes), args.resume


def _train(args: TrainArguments, config: "RunConfig", resumed: Path | None) -> int:
    from firebreak.cli.visualize import draw_run
    from firebreak.train.config import as_toml, data_folder, with_data
    from firebreak.train.splits import make_splits
    from firebreak.train.trainer import ParallelTrainer

    common.use_threads(config.train.threads, config.train.torch_threads)
    data = data_folder(config, args.data)
    splits = make_splits(config, data)
    config = with_data(config, data)
    folder = resumed or common.chosen_folder(args.out, Path(args.config).stem)
    if resumed is None and (folder / "config.toml").exists():
        raise fail(expected="a folder without a run", given="one that holds a run",
                   where=str(folder), remedy="use --resume to go on with it, or another --out")
    trainer = ParallelTrainer(config, splits, folder)
    folder.mkdir(parents=True, exist_ok=True)  # nothing is written before all of that has worked
    if resumed is not None:
        trainer.resume()
    (folder / "config.toml").write_text(as_toml(config), encoding="utf-8")
    print(f"{folder}: {trainer.describe()}")
    begin = time.perf_counter()
    with _sigterm_as_interrupt():
        end = consume(trainer, folder, config, args.quiet)
    _compare(config, splits, folder)
    with trainer.profiler.phase("figure"):
        figures = draw_run(config, splits, folder)
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
    return 0


def _conclude_memory(trainer: "ParallelTrainer", folder: Path, end: dict[str, Any]) -> str:
    """Stores the readings of the figures, says whether the run's memory was constant."""
    from firebreak.memory.explain import describe_growth, last_line
    from firebreak.memory.verdict import judge
    from firebreak.train.metrics import MOST_ROWS, JsonLines, read_rows

    file = JsonLines(folder / "memory.jsonl")
    counts = {name: end[name] for name in ("episodes", "env_steps", "learner_steps")}
    for row in trainer.profiler.take_rows():
        file.write({"kind": "memory", **counts, **row})
    file.close()
    verdict = judge(read_rows(folder / "memory.jsonl", MOST_ROWS))
    for growth in verdict.growths:
        if growth.state == "leak":
            print(f"warning: memory {describe_growth(growth)}", file=sys.stderr)
    print(f"\nmemory {last_line(verdict)}")
    return verdict.state


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """SIGTERM saves and stops as Ctrl-C does. Signals reach the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    def terminated(number: int, frame: object) -> None:
        raise Terminated
    before = signal.signal(signal.SIGTERM, terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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

    from firebreak.train.metrics import JsonLines

    bounds = config.cleanup.log_megabytes * 1_000_000, config.cleanup.log_files
    metrics = JsonLines(folder / "metrics.jsonl", *bounds)
    memory = JsonLines(folder / "memory.jsonl", *bounds)
    bar = tqdm(total=config.train.episodes, initial=trainer.episodes, unit="ep",
               disable=quiet, dynamic_ncols=True, mininterval=0.5 if sys.stderr.isatty() else 15)
    last: dict[str, Any] = {}
    try:
        for row in trainer.run():
            (memory if row["kind"] == "memory" else metrics).write(row)
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
    except KeyboardInterrupt:
        trainer.save()
        bar.write(f"interrupted and saved; go on with: firebreak train --resume "
                  f"{shlex.quote(str(folder))}")
        raise
    finally:
        bar.close()
        metrics.close()
        memory.close()
        trainer.close()
    return last


def _postfix(row: dict[str, Any]) -> str:
    if row["loss"] is None:
        learning = f"replay {min(row['replay'], row['learning_starts'])}/{row['learning_starts']}"
    else:
        learning = f"loss {row['loss']:.3f}"
    reward = "-" if row["mean_return"] is None else f"{row['mean_return']:.3f}"
    return (f"reward {reward}, {learning}, epsilon {row['epsilon']:.2f}, "
            f"discount {row['discount']:.2f}, RSS {row['rss_bytes'] / 1e6:.0f} MB")


def _compare(config: "RunConfig", splits: "Splits", folder: Path) -> None:
    """Evaluates the best policy on every test source, prints and stores the tables."""
    from firebreak.agent.policy_file import load_policy
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
    (folder / "evaluation.json").write_text(json.dumps(stored, indent=1), encoding="utf-8")
