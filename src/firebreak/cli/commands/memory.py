"""`firebreak memory report|check`: what a run held, whether anything grew, and who owns it."""

import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from firebreak.api.shared.plan_options import TrainOptions
from firebreak.checks import fail
from firebreak.cli.shared import common
from firebreak.settings.binding import Bound
from firebreak.settings.kinds import AtLeastOne
from firebreak.settings.schema import ONE_EACH, POSITIONAL

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig

FILE = "memory.jsonl"
LEAK_FOUND, NO_VERDICT = 1, 4


@dataclass(frozen=True)
class ReportArguments:
    """Print how much memory a run used in each phase and what grew, and draw it over time."""

    run: Annotated[Path, POSITIONAL]
    """Folder of a run made by `firebreak train`."""
    out: Path | None = None
    """Picture to write; figures/memory_timeline.png in the run's folder if not given."""
    json: bool = False
    """End with one machine-readable line."""


@dataclass(frozen=True)
class CheckArguments:
    """Judge whether a run's memory stayed constant. Exit code 0: it did; 1: it did not; 2: bad
    input; 4: the run is too short for a verdict, or resident memory could not be judged.
    """

    target: Annotated[str, POSITIONAL]
    """Folder of a run to judge, or a TOML file or preset to train and then judge."""
    episodes: AtLeastOne | None = None
    """Number of episodes to judge of a run, all if not given; or to train of a configuration."""
    out: Path | None = None
    """Folder to keep the trained run in; it is not kept if not given."""
    set: Annotated[list[str], ONE_EACH] = field(default_factory=list)
    """Change a key of the configuration. May be repeated."""
    data: str | None = None
    """Folder that the configuration's maps are relative to; FIREBREAK_DATA if not given."""
    seed: int | None = None
    """Seed of the run, instead of the configuration's."""
    json: bool = False
    """End with one machine-readable line."""


def report(bound: Bound[ReportArguments]) -> int:
    """Runs the action."""
    from firebreak.memory.explain import describe_verdict, to_json
    from firebreak.memory.verdict import judge

    args = bound.options
    begin = time.perf_counter()
    rows = rows_of(args.run)
    verdict = judge(rows)
    print(describe_verdict(verdict, rows))
    from firebreak.report.figures.canvas import save_figure
    from firebreak.report.figures.memory_timeline import memory_figure

    path = save_figure(memory_figure(rows, caption=f"run {args.run.name}", verdict=verdict),
                       args.out or args.run / "figures" / "memory_timeline.png")
    print(path)
    if args.json:
        common.print_json({**to_json(verdict), "files": [str(path)],
                           "seconds": time.perf_counter() - begin})
    return 0


def check(bound: Bound[CheckArguments]) -> int:
    """Runs the action."""
    from firebreak.memory.explain import describe_verdict, to_json
    from firebreak.memory.verdict import NOT_JUDGED, TOO_SHORT, judge

    args = bound.options
    begin = time.perf_counter()
    if Path(args.target).is_dir():
        rows = [row for row in rows_of(Path(args.target))
                if args.episodes is None or row["episodes"] <= args.episodes]
    else:
        rows = _trained_rows(args)
    verdict = judge(rows)
    print(describe_verdict(verdict, rows))
    if args.json:
        common.print_json({**to_json(verdict), "seconds": time.perf_counter() - begin})
    if verdict.state in (TOO_SHORT, NOT_JUDGED):
        return NO_VERDICT
    return LEAK_FOUND if verdict.state == "leak" else 0


def rows_of(run: Path) -> list[dict[str, Any]]:
    """The memory rows of a run.

    Raises:
        InputError: no run, no rows, or one that is damaged or of another version.
    """
    from firebreak.train.storage.stored import memory_rows

    if not (run / "config.toml").is_file():
        raise fail(expected="a run folder with config.toml", given="none there", where=str(run),
                   remedy="give the folder of a run made by 'firebreak train'")
    return memory_rows(run)


def _trained_rows(args: CheckArguments) -> list[dict[str, Any]]:
    """Trains a configuration for the check, without the comparison at its end."""
    from firebreak.api.shared.run_output import configuration, consume, trainer_in

    config = often_read(configuration(args.target, TrainOptions(
        set=args.set, data=args.data, seed=args.seed)), args.episodes)
    from firebreak.train.config.load import written_data
    from firebreak.train.data.splits import make_splits  # torch, which a refusal does not need
    from firebreak.train.storage.metrics import read_rows

    splits = make_splits(config, written_data(config))

    kept = nullcontext(args.out) if args.out else tempfile.TemporaryDirectory()
    with kept as name, trainer_in(Path(name), config, splits) as trainer:
        print(trainer.describe())
        consume(trainer, trainer.run_folder, config, quiet=True)
        return read_rows(trainer.run_folder / FILE)


def often_read(config: "RunConfig", episodes: int | None) -> "RunConfig":
    """The configuration for N episodes, cleaned up and validated often enough for a verdict.

    Raises:
        InputError: N is too short for a verdict.
    """
    from firebreak.memory.verdict import READINGS_NEEDED

    count = episodes or config.train.episodes
    if count < READINGS_NEEDED:
        raise fail(expected=f"at least {READINGS_NEEDED} episodes", where="--episodes",
                   given=f"{count}, too short for a verdict", remedy="give more")
    # Several episodes may end in one turn of the loop, which is read once.
    period = max(min(config.cleanup.episodes, count // (4 * READINGS_NEEDED)), 1)
    every = max(min(config.evaluation.every_episodes, count // READINGS_NEEDED), 1)
    return replace(config, train=replace(config.train, episodes=count),
                   cleanup=replace(config.cleanup, episodes=period),
                   evaluation=replace(config.evaluation, every_episodes=every))
