"""What a run shows while it trains and when it has ended: progress, tables, figures."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.fire import Scene
    from firebreak.train.config.schema import RunConfig
    from firebreak.train.data.splits import Splits
    from firebreak.train.run.trainer import ParallelTrainer


def consume(trainer: "ParallelTrainer", folder: Path, config: "RunConfig",
            quiet: bool) -> dict[str, Any]:
    """Writes the rows of a run to disk, shows progress, returns the last row."""
    from tqdm import tqdm

    from firebreak.train.storage.metrics import RunLog

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
    from firebreak.planning.evaluation.evaluate import evaluate
    from firebreak.planning.evaluation.tables import table, to_json

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
