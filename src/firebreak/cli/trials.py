"""`firebreak trials CONFIG`: search for hyper-parameters, cross-validated over folds of land."""

import json
import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from firebreak.checks import fail
from firebreak.cli import common, runs
from firebreak.cli.executor_options import ExecutorOptions

if TYPE_CHECKING:
    from firebreak.train.schema import RunConfig

OPTIONS = "search.json"


@dataclass
class TrialsArguments:
    """Try configurations, each trained and tested on every fold of the land."""

    config: Annotated[str, tyro.conf.Positional] = "quick"
    """A TOML file or a preset; its [trials] table says which keys and values to try."""
    folds: int | None = None
    """Folds, instead of the configuration's."""
    trials: int | None = None
    """Configurations to try, instead of the configuration's."""
    search: Literal["auto", "grid", "optuna"] = "auto"
    """grid: every combination of the values listed, in a drawn order; optuna: proposals from what
    was learned so far (extra tune); auto: optuna where it is installed."""
    out: Path | None = None
    """Output folder; a new one under outputs/ if not given."""
    resume: Path | None = None
    """Go on with the trials in this folder, with their own configuration and search."""
    set: Annotated[list[str], tyro.conf.UseAppendAction] = field(default_factory=list)
    """Change a key of the configuration, e.g. --set train.episodes=100. May be repeated."""
    data: str | None = None
    """Folder that the maps of the configuration are relative to; else FIREBREAK_DATA."""
    seed: int | None = None
    """Seed of the runs and of the search, instead of the configuration's."""
    json: bool = False
    """End with one machine-readable line."""
    where: ExecutorOptions = field(
        default_factory=lambda: ExecutorOptions(executor="processes", workers=1))


def run(arguments: list[str]) -> int:
    """Runs the command."""
    from firebreak.train.config import as_toml, data_folder
    from firebreak.train.executors.base import Recipe, closing
    from firebreak.train.folds import make_folds, make_store
    from firebreak.train.search import check_search, make_search
    from firebreak.train.trials import FoldRunner

    args = common.parse(TrialsArguments, arguments, "trials")
    config = runs.configuration(args, {"trials.folds": args.folds, "trials.trials": args.trials})
    folder = runs.folder_of(args, f"trials-{Path(args.config).stem}")
    kind = args.search if args.resume is None else search_of(args.resume)
    check_search(config)
    store = make_store(config, data_folder(config, None))
    make_folds(store, config.trials.folds, config.seed)
    begin = time.perf_counter()
    with (closing(args.where.open(Recipe(FoldRunner, (config,)))) as executor,
          runs.writing(folder, config, "trials", "folds")):
        search = make_search(kind, config, folder)
        (folder / "config.toml").write_text(as_toml(config), encoding="utf-8")
        (folder / OPTIONS).write_text(json.dumps({"search": search.name}), encoding="utf-8")
        print(f"{folder}: {config.trials.trials} trials of {config.trials.folds} folds of "
              f"{len(store.blocks)} blocks, search {search.name}, "
              f"{executor.workers} at once ({executor.backend.name})", flush=True)
        rows = _consume(config, search, executor, folder)
    files = _conclude(config, rows, folder)
    if args.json:
        common.print_json({"files": [str(path) for path in files],
                           "seconds": time.perf_counter() - begin, "trials": len(rows),
                           **_best(rows)})
    return 0


def _consume(config: "RunConfig", search: Any, executor: Any, folder: Path) -> list[dict[str, Any]]:
    """Tells each trial as it ends; all of their rows."""
    from firebreak.train.trials import run_trials

    rows = []
    for row in run_trials(config, search, executor, folder):
        rows.append(row)
        print(f"trial {row['trial']}: {row['state']} after {row['folds']} folds, validation "
              f"{row['validation']:.3f}, test {row['test']:.3f}; memory "
              f"{row['driver_rss_bytes'] / 1e6:.0f} MB here, "
              f"{row['rss_bytes'] / 1e6:.0f} MB in the trial", flush=True)
    return rows


def _conclude(config: "RunConfig", rows: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Prints the table; writes it and the best configuration."""
    from firebreak.train.config import as_toml
    from firebreak.train.search import changed
    from firebreak.train.trials import ROWS, best_trial, table

    best, text = best_trial(rows), table(rows)
    (folder / "trials.txt").write_text(text + "\n", encoding="utf-8")
    name = shlex.quote(str(folder / "best.toml"))
    (folder / "best.toml").write_text(
        f"# firebreak train {name}\n" + as_toml(changed(config, best["changes"])),
        encoding="utf-8")
    print(f"\n{text}\n\nbest: trial {best['trial']}; next: firebreak train {name}")
    return [folder / "best.toml", folder / "trials.txt", folder / ROWS]


def _best(rows: list[dict[str, Any]]) -> dict[str, Any]:
    from firebreak.train.trials import best_trial

    best = best_trial(rows)
    return {"best": {name: best[name] for name in
                     ("trial", "changes", "validation", "test", "low", "high")}}


def search_of(run: Path) -> str:
    try:
        return str(json.loads((run / OPTIONS).read_text(encoding="utf-8"))["search"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        raise fail(expected=f"a folder of trials with {OPTIONS}", given="none there",
                   where=str(run), remedy="give the folder of earlier trials") from None
