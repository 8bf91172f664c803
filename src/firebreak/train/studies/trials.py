"""Trials: configurations trained and tested on every fold, each trial in a process of its own.

A trial's process holds one store of landscapes, one pair of environments and one replay at a time,
and gives all of its memory back when it ends. Scores of folds go to disk as they come, so a stopped
search goes on with the fold that was under way. What the seed decides and what was measured are in
different files, in the folder of a search and in those of its folds.
"""

import contextlib
import gc
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from firebreak.agent.policy_file import load_policy
from firebreak.agent.policy_place import POLICY
from firebreak.checks import fail
from firebreak.executors.base import Executor, call_all
from firebreak.memory.process import peak_rss_bytes, rss_bytes
from firebreak.memory.registry import live_counts
from firebreak.planning.evaluation.evaluate import evaluate
from firebreak.planning.evaluation.intervals import student_interval
from firebreak.planning.methods import POLICY_METHOD
from firebreak.train.config.load import written_data
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.folds import make_folds, make_store, splits_of
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.checkpoints import CHECKPOINTS, checkpoints_of
from firebreak.train.storage.metrics import JsonLines, RunLog, parts_of
from firebreak.train.storage.store import remove_folder, sweep
from firebreak.train.storage.stored import trial_rows
from firebreak.train.studies.search import Changes, Search, changed

ROWS, TIMINGS = "trials.jsonl", "timings.jsonl"
MEASURED = frozenset({"rss_bytes", "peak_rss_bytes", "driver_rss_bytes", "left", "live"})
"""Keys of rows that are measured: they differ from run to run."""
_KINDS = ("fold", "trial")
REFERENCE = "downstream-value"
"""The heuristic that every fold's test is reported beside."""

_SERIES = ("metrics", "timings")
_COUNTED = ("DQNAgent", "FuelbreakVectorEnv", "Replay")
Row = dict[str, Any]


class TrialLog:
    """The two files of a search.

    Attributes:
        known: rows of folds and trials that ended before, each with what was measured, as far as
            that is on disk. Rows of earlier versions hold it themselves.
    """

    def __init__(self, folder: Path) -> None:
        self.known = _known(folder)
        self._rows = JsonLines(folder / ROWS)
        self._timings = JsonLines(folder / TIMINGS)

    def write(self, row: Row) -> None:
        """Appends a row of a fold or a trial; what was measured first, so that a row of
        `trials.jsonl` never lacks it.
        """
        named = {key: row[key] for key in ("kind", "trial", "fold") if key in row}
        self._timings.write(named | {key: row[key] for key in row if key in MEASURED})
        self._rows.write({key: row[key] for key in row if key not in MEASURED})

    def close(self) -> None:
        """Closes both files."""
        self._timings.close()
        self._rows.close()


def _known(folder: Path) -> list[Row]:
    if not (folder / ROWS).is_file():
        return []
    measured = {}
    if (folder / TIMINGS).is_file():
        # Of a fold that was measured twice, since a stop came between the files, the last one.
        measured = {_named(row): row for row in trial_rows(folder / TIMINGS, measured=True)
                    if row["kind"] in _KINDS}
    return [measured.get(_named(row), {}) | row for row in trial_rows(folder / ROWS)
            if row["kind"] in _KINDS]


def _named(row: Row) -> tuple[str, int, int | None]:
    """The key of a row: a fold of a trial, or the trial."""
    return row["kind"], row["trial"], row.get("fold") if row["kind"] == "fold" else None


class FoldRunner:
    """The store and its folds, held by a trial's process."""

    def __init__(self, config: RunConfig) -> None:
        self.config, self.data = config, written_data(config)
        self.store = make_store(config, self.data)
        self.folds = make_folds(self.store, config.trials.folds, config.seed)

    def run_fold(self, changes: Changes, fold: int, folder: str) -> Row:
        """Trains on a fold's landscapes, tests the best policy, frees all of it; plain numbers."""
        gc.collect()  # what nobody holds any more must not count as held before
        before = live_counts()
        row = self._trained_and_tested(changed(self.config, changes), fold, Path(folder))
        gc.collect()
        left = {kind: live_counts().get(kind, 0) - before.get(kind, 0) for kind in _COUNTED}
        return row | {"left": left, "rss_bytes": rss_bytes(), "peak_rss_bytes": peak_rss_bytes()}

    def _trained_and_tested(self, config: RunConfig, fold: int, folder: Path) -> Row:
        splits = splits_of(config, self.store, self.folds[fold], self.data)
        _clear(folder)
        folder.mkdir(parents=True, exist_ok=True)
        log = RunLog(folder, series=_SERIES)
        trainer = ParallelTrainer(config, splits, folder)
        end: Row = {}
        try:
            for end in trainer.run():
                if end["kind"] in ("validation", "end"):
                    log.write(end)
        finally:
            log.close()
            trainer.close()
        trainer.check_learned()
        tested = evaluate(
            splits.test["fold"], [REFERENCE, POLICY_METHOD], budget_share=config.budget,
            plan_fires=config.fires.plan_fires, test_fires=config.evaluation.test_fires,
            seed=config.evaluation.test_seed, policy=load_policy(folder))
        _remove_checkpoints(folder)
        return {"validation": end["best_reduction"],
                "test": tested.methods[POLICY_METHOD].reduction,
                "reference": tested.methods[REFERENCE].reduction, "env_steps": end["env_steps"],
                "learner_steps": end["learner_steps"], "weights_sha256": end["weights_sha256"],
                "live": {kind: live_counts().get(kind, 0) for kind in _COUNTED}}


def check_no_trials(config: RunConfig, folder: Path) -> None:
    """Refuses a folder for a new search in which something has the name of a trial's folder.

    Raises:
        InputError: naming it.
    """
    for trial in range(config.trials.trials):
        path = _folder_of(folder, trial)
        if path.exists() or path.is_symlink():
            raise fail(expected="nothing there, where a trial is to be written",
                       given="a folder" if path.is_dir() else "a file", where=str(path),
                       remedy="rename it or choose another --out")


def run_trials(config: RunConfig, search: Search, executor: Executor,
               folder: Path) -> Iterator[Row]:
    """Rows of trials that have ended, those on disk first; see `_ended` for what they hold.

    Args:
        executor: of workers that hold a `FoldRunner` of the configuration; replaced after each
            trial.
        folder: the files of `TrialLog`, and a folder for each fold with its policy, are written
            there.
    """
    log = TrialLog(folder)
    try:
        for trial in range(config.trials.trials):
            ended = [row for row in log.known if row["kind"] == "trial" and row["trial"] == trial]
            folds = [row for row in log.known if row["kind"] == "fold" and row["trial"] == trial]
            if ended:
                search.finish(trial, [row["validation"] for row in folds],
                              ended[0]["state"] == "pruned")
                yield ended[0]
                continue
            changes = search.ask(trial)
            for row in _run_folds(config, search, executor, folder, trial, changes, folds):
                log.write(row)
                folds.append(row)
            pruned = len(folds) < config.trials.folds
            search.finish(trial, [row["validation"] for row in folds], pruned)
            row = _ended(trial, changes, folds, pruned)
            log.write(row)
            yield row
    finally:
        log.close()


def best_trial(rows: list[Row]) -> Row:
    """The finished trial that validates best. It is not chosen by its test.

    Raises:
        InputError: all were given up.
    """
    finished = [row for row in rows if row["state"] == "finished"]
    if not finished:
        raise fail(expected="at least 1 finished trial", given="none", where=ROWS,
                   remedy="delete the rows of trials that were given up, and go on with --resume")
    return max(finished, key=lambda row: (row["validation"], -row["trial"]))


def table(rows: list[Row]) -> str:
    """Trials as aligned text, best validation first."""
    lines = [("trial", "folds", "validation", "test", "95 % interval", REFERENCE, "configuration")]
    for row in sorted(rows, key=lambda row: (row["state"] != "finished", -row["validation"])):
        interval = "-" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        lines.append((str(row["trial"]), f"{row['folds']}{'*' * (row['state'] == 'pruned')}",
                      f"{row['validation']:.3f}", f"{row['test']:.3f}", interval,
                      f"{row['reference']:.3f}",
                      ", ".join(f"{key} = {_short(value)}"
                                for key, value in row["changes"].items())))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join([*(cell.rjust(width) for cell, width in zip(line[:-1], widths, strict=False)),
                       line[-1]]) for line in lines]
    note = ("Means over folds; intervals of the test: Student's t over folds. Trials are chosen by "
            "their validation, which is other land than the test's.")
    given_up = "\n* given up after these folds" if any(r["state"] == "pruned" for r in rows) else ""
    return "\n".join([*text, "", note + given_up])


def _run_folds(config: RunConfig, search: Search, executor: Executor, folder: Path, trial: int,
               changes: Changes, done: list[Row]) -> Iterator[Row]:
    """The folds of a trial that are not on disk, as many at once as there are workers, until they
    are done or the trial is given up; then every worker is replaced.
    """
    scores = [row["validation"] for row in done]

    def given_up() -> bool:
        return bool(scores) and search.report(trial, scores)
    hopeless = False
    while len(scores) < config.trials.folds and not (hopeless or given_up()):
        these = range(len(scores), min(len(scores) + executor.workers, config.trials.folds))
        calls = [(changes, fold, str(_folder_of(folder, trial) / f"fold-{fold}"))
                 for fold in these]
        for fold, found in zip(these, call_all(executor, FoldRunner.run_fold.__name__, calls),
                               strict=True):
            # Asked after each fold, as if they had come one by one: any number of workers agrees.
            hopeless = given_up()
            if hopeless:
                break
            scores.append(found["validation"])
            yield {"kind": "fold", "trial": trial, "fold": fold, "changes": changes, **found}
    for worker in executor.idle:
        executor.recycle(worker)


def _folder_of(folder: Path, trial: int) -> Path:
    return folder / f"trial-{trial}"


def _clear(folder: Path) -> None:
    """Removes what a fold that was stopped has written, and nothing else: files of a user stay.

    Raises:
        InputError: something else lies in a checkpoint.
    """
    _remove_checkpoints(folder)
    left = checkpoints_of(folder / CHECKPOINTS)
    if left:
        raise fail(expected="no other files in a checkpoint of a fold that was stopped",
                   given="some", where=str(left[0]), remedy="move them elsewhere")
    for path in (*(part for name in _SERIES for part in parts_of(folder / f"{name}.jsonl")),
                 *folder.glob(f".{POLICY}.*.tmp"), folder / POLICY):
        path.unlink(missing_ok=True)


def _remove_checkpoints(folder: Path) -> None:
    root = folder / CHECKPOINTS
    sweep(root)
    for one in checkpoints_of(root):
        remove_folder(one)
    with contextlib.suppress(OSError):  # there is something else in it, or there is none
        root.rmdir()


def _ended(trial: int, changes: Changes, folds: list[Row], pruned: bool) -> Row:
    tests = np.array([row["test"] for row in folds])
    low, high = student_interval(tests) if tests.size > 1 else (None, None)
    return {"kind": "trial", "trial": trial, "state": "pruned" if pruned else "finished",
            "changes": changes, "folds": len(folds),
            "validation": fmean(row["validation"] for row in folds),
            "test": float(tests.mean()), "low": low, "high": high,
            "reference": fmean(row["reference"] for row in folds),
            "driver_rss_bytes": rss_bytes(), "rss_bytes": folds[-1].get("rss_bytes"),
            "peak_rss_bytes": max((row["peak_rss_bytes"] for row in folds
                                   if "peak_rss_bytes" in row), default=None),
            "left": folds[-1].get("left")}


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
