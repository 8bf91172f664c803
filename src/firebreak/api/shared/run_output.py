"""A run from its configuration to its figures, and what it shows while it trains."""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.api.shared.executor_options import use_threads
from firebreak.api.shared.plan_options import TrainOptions
from firebreak.api.shared.progress import RunProgress, run_progress
from firebreak.checks import fail
from firebreak.files import without_links, write_text
from firebreak.train.config import DEFAULT_PRESET

if TYPE_CHECKING:
    from firebreak.fire import Scene
    from firebreak.planning.core.progress import Bar
    from firebreak.planning.evaluation.evaluate import Evaluation
    from firebreak.train.config.schema import RunConfig
    from firebreak.train.data.splits import Splits
    from firebreak.train.run.trainer import ParallelTrainer

CONFIG = "config.toml"
"""The configuration of a run, in its folder."""


def configuration(name: str | None, options: TrainOptions) -> "RunConfig":
    """Configuration of a new run, or of the one to go on with; its threads are set, its data folder
    is absolute.

    name: of a preset or a file, where one was named.

    Raises:
        InputError: there is no such configuration or run, a value is not allowed, or a run to go on
            with is asked for together with another one.
    """
    check_resumed(name, options)
    from firebreak.train.config.load import data_folder, load_config, with_data

    changes = [*options.set, *([] if options.seed is None else [f"seed={options.seed}"])]
    config = load_config(_stored(options.resume) if options.resume is not None else
                         DEFAULT_PRESET if name is None else name, changes)
    use_threads(config.train.threads, config.train.torch_threads)
    _warn_of_unused_winds(config)
    return with_data(config, data_folder(config, options.data))


def check_resumed(name: str | None, options: TrainOptions) -> None:
    """Refuses a folder or a configuration beside the run to go on with: it has its own.

    Raises:
        InputError: naming what was given besides.
    """
    run, out = options.resume, options.out
    if run is None:
        return
    if out is not None and without_links(out) != without_links(run):
        raise fail(expected="no other folder together with it", given=f"--out {out}",
                   where=f"--resume {run}",
                   remedy="leave one of them out: a run goes on in its own folder")
    if name is not None and without_links(name) != without_links(run / CONFIG):
        raise fail(expected="no preset or file together with it", given=f"'{name}'",
                   where=f"--resume {run}",
                   remedy="leave one of them out: a run goes on with its own configuration, which "
                          "--set changes")


def splits_of(config: "RunConfig") -> "Splits":
    """The land that a run with a comparison at its end trains, is validated and tested on.

    Raises:
        InputError: as `make_splits`; a method that cannot be compared with the policy at the end.
    """
    from firebreak.train.config.load import written_data
    from firebreak.train.data.splits import check_compared, make_splits

    splits = make_splits(config, written_data(config))
    check_compared(config, splits)
    return splits


@contextmanager
def trainer_in(folder: Path, config: "RunConfig", splits: "Splits",
               resumed: bool = False) -> "Iterator[ParallelTrainer]":
    """The trainer of a new run, or of one that goes on where it was saved; it holds the folder.
    Nothing is written before all that is asked for can be done.

    Raises:
        InputError: the new run's folder holds a run, or a run to go on with cannot be read.
    """
    from firebreak.train.run.trainer import ParallelTrainer
    from firebreak.train.storage.checkpoints import locked

    if not resumed and (folder / CONFIG).exists():
        raise fail(expected="a folder without a run", given="one that holds a run",
                   where=str(folder),
                   remedy="go on with it by 'firebreak train --resume', or give another --out")
    trainer = ParallelTrainer(config, splits, folder)
    with locked(folder):
        _begin_or_resume(trainer, folder, resumed)
        yield trainer


def _begin_or_resume(trainer: "ParallelTrainer", folder: Path, resumed: bool) -> None:
    """Takes the folder to where the run goes on: at its last checkpoint, or at the beginning."""
    from firebreak.train.config.load import as_toml
    from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
    from firebreak.train.storage.metrics import rewind
    from firebreak.train.storage.store import sweep

    sweep(folder / CHECKPOINTS)
    for stale in folder.glob(".*.tmp"):
        stale.unlink()
    if resumed and checkpoints_of(folder / CHECKPOINTS):
        rewind(folder, trainer.resume())
    elif resumed:
        warnings.warn(f"{folder}: stopped before its first checkpoint; the run starts anew",
                      stacklevel=2)
        rewind(folder, {})
    write_text(folder / CONFIG, as_toml(trainer.config))


def consume(trainer: "ParallelTrainer", folder: Path, config: "RunConfig",
            quiet: bool, on_row: Callable[[dict[str, Any]], object] = lambda row: None,
            ) -> dict[str, Any]:
    """Writes the rows of a run to disk, shows progress, hands each row on; returns the last."""
    from firebreak.train.storage.metrics import RunLog

    with closing(trainer), run_progress(config.train.episodes, "episode", quiet=quiet,
                                        begun=trainer.episodes) as progress:
        log = RunLog(folder, config.cleanup.log_megabytes * 1_000_000, config.cleanup.log_files)
        trainer.positions = log.positions
        last: dict[str, Any] = {}
        with closing(log):
            for row in trainer.run():
                if row["kind"] != "stopped":
                    log.write(row)
                _tell(row, progress)
                on_row(dict(row))
                last = row
        return last


def _tell(row: dict[str, Any], progress: RunProgress) -> None:
    """Tell whoever watches what a row says."""
    if row["kind"] == "progress":
        progress.advance(row["episodes_ended"], _postfix(row))
    elif row["kind"] == "validation":
        progress.tell(f"episode {row['episodes']}: validation reduction {row['reduction']:.3f} ± "
                      f"{row['half_width']:.3f}, best {row['best']:.3f}")
    elif row["kind"] == "cleanup":
        print(f"warning: cleanup of {row['owner']} freed {row['freed_bytes']:,} bytes "
              f"({row['what']}); something holds on to memory", file=sys.stderr, flush=True)


def _postfix(row: dict[str, Any]) -> str:
    if row["loss"] is None:
        learning = f"replay {min(row['replay'], row['learning_starts'])}/{row['learning_starts']}"
    else:
        learning = f"loss {row['loss']:.3f}"
    if "fitted" in row:
        return (f"fit: step {row['fitted']} of {row['fit_steps']}, {learning}, "
                f"RSS {row['rss_bytes'] / 1e6:.0f} MB")
    reward = "-" if row["mean_return"] is None else f"{row['mean_return']:.3f}"
    return (f"reward {reward}, {learning}, epsilon {row['epsilon']:.2f}, "
            f"discount {row['discount']:.2f}, RSS {row['rss_bytes'] / 1e6:.0f} MB")


def compared(config: "RunConfig", splits: "Splits", folder: Path,
             bar: "Bar") -> "dict[str, Evaluation]":
    """Evaluates the best policy on every test source, by its name, and stores the results."""
    from firebreak.agent.policy_file import load_policy
    from firebreak.planning.evaluation.evaluate import evaluate
    from firebreak.planning.evaluation.tables import to_json

    policy = load_policy(folder)
    found = {name: evaluate(
        scenes, config.evaluation.methods, budget_share=config.budget,
        plan_fires=config.fires.plan_fires, test_fires=config.evaluation.test_fires,
        seed=config.evaluation.test_seed, policy=policy, bar=bar)
        for name, scenes in splits.test.items()}
    write_text(folder / "evaluation.json",
               json.dumps({name: to_json(result) for name, result in found.items()}, indent=1))
    return found


def draw_run(config: "RunConfig", splits: "Splits", folder: Path, landscape: int = 0) -> list[Path]:
    """Draws every figure of a run on one of its test landscapes; returns the files."""
    from firebreak.agent.policy_file import load_policy
    from firebreak.report.pages.run_report import write_run_report
    from firebreak.train.storage.stored import evaluation_of, memory_rows, metrics_rows

    return write_run_report(
        folder, scene=test_scene(splits, landscape), policy=load_policy(folder),
        metrics=metrics_rows(folder), memory=memory_rows(folder),
        evaluation=evaluation_of(folder),
        seed=config.evaluation.test_seed, plan_fires=config.fires.plan_fires,
        budget_share=config.budget, levels=not config.mixture.is_mixed)


def draw_curves(config: "RunConfig", folder: Path) -> list[Path]:
    """Draws the curves of a run that has no policy; returns the files."""
    from firebreak.report.pages.run_report import curves
    from firebreak.train.storage.stored import memory_rows, metrics_rows

    return curves(folder / "figures", metrics_rows(folder), memory_rows(folder), {},
                  f"run {folder.name} · seed {config.evaluation.test_seed}")


def test_scene(splits: "Splits", landscape: int) -> "Scene":
    """A test landscape of a run.

    Raises:
        InputError: there is none of this number.
    """
    scenes = [scene for source in splits.test.values() for scene in source]
    if not 0 <= landscape < len(scenes):
        raise fail(expected=f"a test landscape from 0 to {len(scenes) - 1}", given=f"{landscape}",
                   where="--landscape", remedy="choose one of them")
    return scenes[landscape]


def _warn_of_unused_winds(config: "RunConfig") -> None:
    mixture = config.mixture
    unused = [name for name in ("wind_20ft_km_h", "wind_direction_spread_deg")
              if getattr(mixture, name) is not None]
    if config.fires.weather is not None and unused:
        warnings.warn(f"mixture.{unused[0]} changes nothing: the weather is that of "
                      f"{config.fires.weather}", stacklevel=2)


def _stored(run: Path) -> str:
    stored = run / CONFIG
    if not stored.is_file():
        raise fail(expected=f"a run folder with {CONFIG}", given="none there", where=str(run),
                   remedy="give the folder of an earlier run")
    return str(stored)
