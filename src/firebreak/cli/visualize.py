"""`firebreak visualize RUN`: figures and animation of a trained agent, from its run folder."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from firebreak.checks import fail
from firebreak.cli import common

if TYPE_CHECKING:
    from firebreak.train.schema import RunConfig
    from firebreak.train.splits import Splits


@dataclass
class VisualizeArguments:
    """Draw a run: learning curve, memory, maps, Q-maps, an animated fire."""

    run: Annotated[Path, tyro.conf.Positional]
    """Folder of a run made by `firebreak train`."""
    data: str | None = None
    """Folder that the maps of the run are relative to; else FIREBREAK_DATA."""
    landscape: int = 0
    """Which test landscape to draw, counted from 0."""
    seed: int | None = None
    """Seed of the test landscapes, weather and fires drawn, instead of the run's test seed."""
    json: bool = False
    """End with one machine-readable line."""


def run(arguments: list[str]) -> int:
    """Runs the command."""
    from firebreak.train.config import data_folder, load_config
    from firebreak.train.splits import make_splits

    args = common.parse(VisualizeArguments, arguments, "visualize")
    stored = args.run / "config.toml"
    if not stored.is_file():
        raise fail(expected="a run folder with config.toml", given="none there",
                   where=str(args.run), remedy="train one with 'firebreak train quick'")
    begin = time.perf_counter()
    changes = [] if args.seed is None else [f"evaluation.test_seed={args.seed}"]
    config = load_config(str(stored), changes)
    common.use_threads(config.train.threads, config.train.torch_threads)
    figures = draw_run(config, make_splits(config, data_folder(config, args.data)), args.run,
                       args.landscape)
    for path in figures:
        print(path)
    if args.json:
        common.print_json({"files": [str(p) for p in figures],
                           "seconds": time.perf_counter() - begin})
    return 0


def draw_run(config: "RunConfig", splits: "Splits", folder: Path, landscape: int = 0) -> list[Path]:
    """Draws every figure of a run on one of its test landscapes; returns the files."""
    from firebreak.agent.policy_file import load_policy
    from firebreak.report.run_report import write_run_report
    from firebreak.train.metrics import MOST_ROWS, read_rows

    scenes = [scene for source in splits.test.values() for scene in source]
    if not 0 <= landscape < len(scenes):
        raise fail(expected=f"a test landscape from 0 to {len(scenes) - 1}", given=f"{landscape}",
                   where="--landscape", remedy="choose one of them")
    return write_run_report(
        folder, scene=scenes[landscape], policy=load_policy(folder),
        metrics=read_rows(folder / "metrics.jsonl", MOST_ROWS),
        memory=read_rows(folder / "memory.jsonl", MOST_ROWS),
        evaluation=_stored(folder / "evaluation.json"),
        seed=config.evaluation.test_seed, plan_fires=config.fires.plan_fires,
        budget_share=config.budget)


def _stored(path: Path) -> dict[str, Any]:
    """What a run's comparison found, by test source; empty before there was one."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise fail(expected="the results of a comparison", given="a damaged file", where=str(path),
                   remedy="delete it, or resume the run to have it made again")
    return found
