"""`firebreak trials CONFIG`: search for hyper-parameters, cross-validated over folds of land."""

import json
import shlex
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge, Le

from firebreak.api.shared.executor_options import ExecutorOptions
from firebreak.api.shared.plan_options import TrainOptions
from firebreak.api.shared.progress import run_progress
from firebreak.api.shared.run_output import configuration, named
from firebreak.checks import fail
from firebreak.cli.shared import common, runs
from firebreak.files import write_text
from firebreak.reading import record_of
from firebreak.settings.binding import Bound
from firebreak.settings.schema import POSITIONAL

if TYPE_CHECKING:
    from firebreak.train.config.schema import RunConfig

OPTIONS = "search.json"


@dataclass(frozen=True)
class TrialsArguments:
    """Try configurations, each trained and tested on every fold of the land."""

    config: Annotated[str | None, POSITIONAL] = None
    """A TOML file or a preset, quick if not given; its [trials] table lists the keys and values to
    try."""
    folds: Annotated[int, Ge(3), Le(100)] | None = None
    """Number of folds, instead of the configuration's."""
    trials: Annotated[int, Ge(1), Le(10_000)] | None = None
    """Number of trials, instead of the configuration's."""
    search: Literal["auto", "grid", "optuna"] = "auto"
    """Way to choose trials. grid: every combination of the listed values, in random order; optuna:
    by the results so far (extra tune); auto: optuna where it is installed, else grid."""
    run: TrainOptions = field(default_factory=TrainOptions)
    json: bool = False
    """End with one machine-readable line."""
    where: ExecutorOptions = field(
        default_factory=lambda: ExecutorOptions(executor="processes", workers=1))


def run(bound: Bound[TrialsArguments]) -> int:
    """Runs the command."""
    args = bound.options
    args.where.check()
    config = configuration(args.config, args.run, {
        "trials.folds": args.folds, "trials.trials": args.trials})  # refused before torch is loaded
    from firebreak.executors.calls import Recipe
    from firebreak.train.config.load import as_toml, written_data
    from firebreak.train.data.folds import make_folds, make_store
    from firebreak.train.studies.search import check_search, make_search
    from firebreak.train.studies.trials import FoldRunner, check_no_trials

    folder = runs.folder_of(args.run, f"trials-{Path(named(args.config)).stem}")
    kind = args.search if args.run.resume is None else search_of(args.run.resume)
    check_search(config)
    if args.run.resume is None:
        check_no_trials(config, folder)
    store = make_store(config, written_data(config))
    make_folds(store, config.trials.folds, config.seed)
    begin = time.perf_counter()
    with (closing(args.where.open(Recipe(FoldRunner, (config,)))) as executor,
          runs.writing(folder, config, "trials", "folds")):
        search = make_search(kind, config, folder)
        write_text(folder / "config.toml", as_toml(config))
        write_text(folder / OPTIONS, json.dumps({"search": search.name}))
        print(f"{folder}: {config.trials.trials} trials of {config.trials.folds} folds of "
              f"{len(store.blocks)} blocks, search {search.name}, "
              f"{executor.workers} at once ({executor.backend.name})", flush=True)
        rows = _consume(config, search, executor, folder, args.json)
    files = _conclude(config, rows, folder)
    if args.json:
        common.print_json({"files": [str(path) for path in files],
                           "seconds": time.perf_counter() - begin, "trials": len(rows),
                           **_best(rows)})
    return 0


def _consume(config: "RunConfig", search: Any, executor: Any, folder: Path,
             quiet: bool) -> list[dict[str, Any]]:
    """Tells each trial as it ends; all of their rows."""
    from firebreak.train.studies.trials import run_trials

    rows = []
    with run_progress(config.trials.trials, "trial", quiet=quiet) as progress:
        for row in run_trials(config, search, executor, folder):
            rows.append(row)
            progress.advance(1, "")
            progress.tell(f"trial {row['trial']}: {row['state']} after {row['folds']} folds, "
                          f"validation {row['validation']:.3f}, test {row['test']:.3f}"
                          f"{_memory(row)}")
    return rows


def _memory(row: dict[str, Any]) -> str:
    """The memory of the processes of a trial, where that is on disk."""
    here, there = row.get("driver_rss_bytes"), row.get("rss_bytes")
    if here is None or there is None:
        return ""
    return f"; memory {here / 1e6:.0f} MB here, {there / 1e6:.0f} MB in the trial"


def _conclude(config: "RunConfig", rows: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Prints the table; writes it and the best configuration."""
    from firebreak.train.config.load import as_toml
    from firebreak.train.studies.search import changed
    from firebreak.train.studies.trials import ROWS, best_trial, table

    best, text = best_trial(rows), table(rows)
    write_text(folder / "trials.txt", text + "\n")
    name = shlex.quote(str(folder / "best.toml"))
    write_text(folder / "best.toml",
               f"# firebreak train {name}\n" + as_toml(changed(config, best["changes"])))
    print(f"\n{text}\n\nbest: trial {best['trial']}; next: firebreak train {name}")
    return [folder / "best.toml", folder / "trials.txt", folder / ROWS]


def _best(rows: list[dict[str, Any]]) -> dict[str, Any]:
    from firebreak.train.studies.trials import best_trial

    best = best_trial(rows)
    return {"best": {name: best[name] for name in
                     ("trial", "changes", "validation", "test", "low", "high")}}


def search_of(run: Path) -> str:
    try:
        return str(record_of(run / OPTIONS)["search"])
    except (OSError, ValueError, LookupError, TypeError):
        raise fail(expected=f"a folder of trials with {OPTIONS}", given="none there",
                   where=str(run), remedy="give the folder of earlier trials") from None
