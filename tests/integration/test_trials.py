"""Tiny trials: everything freed after each fold, stopped anywhere and gone on with, processes."""

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firebreak.checks import InputError
from firebreak.cli import main
from firebreak.executors.calls import Recipe
from firebreak.executors.choice import open_executor
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.storage.checkpoints import save_checkpoint
from firebreak.train.storage.metrics import read_rows
from firebreak.train.studies import trials
from firebreak.train.studies.search import GridSearch
from firebreak.train.studies.trials import FoldRunner, run_trials
from tiny import TINIER

Row = dict[str, Any]
SMALL = [*TINIER, "train.episodes=8", "trials.folds=3", "trials.trials=2", "trials.landscapes=4",
         "evaluation.test_fires=20"]
MEASURED = ("rss_bytes", "peak_rss_bytes", "driver_rss_bytes", "left", "live")
TIMINGS = "timings.jsonl"


def small(*changes: str) -> RunConfig:
    return load_config("quick", SMALL + list(changes))


def without_clocks(rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key not in MEASURED} for row in rows]


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a search but those of clocks and memory."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*") if path.is_file() and path.name != TIMINGS}


def tried(folder: Path, config: RunConfig, name: Any = "in-process", workers: int = 1,
          most: int = 100) -> list[Row]:
    rows = []
    with closing(open_executor(name, Recipe(FoldRunner, (config,)), workers)) as executor:
        for row in run_trials(config, GridSearch(config), executor, folder):
            rows.append(row)
            if len(rows) == most:
                break
    return rows


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Row]]:
    folder = tmp_path_factory.mktemp("trials")
    return folder, tried(folder, small())


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_in_all_files_of_a_search(tmp_path: Path) -> None:
    config = small("train.episodes=4", "trials.trials=1")
    for name in ("a", "b"):
        tried(tmp_path / name, config)
    a = contents(tmp_path / "a")
    assert a == contents(tmp_path / "b")
    assert {"trials.jsonl", "trial-0/fold-2/metrics.jsonl",
            "trial-0/fold-2/policy.safetensors"} <= set(a)
    for folder in (tmp_path / "a", tmp_path / "a" / "trial-0" / "fold-2"):
        measured = read_rows(folder / TIMINGS)
        assert measured
        assert all(row.get("rss_bytes", 0) > 0 or row.get("seconds", 0) > 0 for row in measured)


@pytest.mark.slow
def test_a_trial_trains_and_tests_on_every_fold(run: tuple[Path, list[Row]]) -> None:
    folder, rows = run
    folds = [row for row in read_rows(folder / "trials.jsonl") if row["kind"] == "fold"]
    assert [(row["trial"], row["fold"]) for row in folds] == [(t, f) for t in (0, 1)
                                                             for f in (0, 1, 2)]
    assert len({row["weights_sha256"] for row in folds}) == 6
    assert all(row["learner_steps"] > 0 for row in folds)
    for row in rows:
        own = [fold for fold in folds if fold["trial"] == row["trial"]]
        assert row["test"] == pytest.approx(sum(fold["test"] for fold in own) / 3)
        assert row["low"] <= row["test"] <= row["high"]
    assert (folder / "trial-1" / "fold-2" / "policy.safetensors").is_file()
    assert not list(folder.rglob("checkpoints"))


@pytest.mark.slow
def test_one_agent_two_environments_one_replay_while_a_fold_runs_and_none_after(
        run: tuple[Path, list[Row]]) -> None:
    folds = [row for row in read_rows(run[0] / TIMINGS) if row["kind"] == "fold"]
    for row in folds:
        assert row["left"] == {"DQNAgent": 0, "FuelbreakVectorEnv": 0, "Replay": 0}
        assert row["live"] == folds[0]["live"]


@pytest.mark.slow
@pytest.mark.parametrize("kept", [2, 3, 5])
def test_a_stopped_search_goes_on_with_the_fold_under_way(
        run: tuple[Path, list[Row]], tmp_path: Path, kept: int) -> None:
    """`kept` lines of the table of results are on disk, the last one cut in the middle."""
    lines = (run[0] / "trials.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "trials.jsonl").write_text("".join(lines[:kept]) + lines[kept][:20])
    again = tried(tmp_path, small())
    assert without_clocks(again) == without_clocks(run[1])
    assert (tmp_path / "trials.jsonl").read_bytes() == (run[0] / "trials.jsonl").read_bytes()


@pytest.mark.slow
def test_processes_give_the_same_rows_even_if_one_is_killed_in_a_fold(
        run: tuple[Path, list[Row]], tmp_path: Path) -> None:
    config = small("trials.trials=1")
    with closing(open_executor("processes", Recipe(FoldRunner, (config,)), 2)) as executor:
        rows = run_trials(config, GridSearch(small()), executor, tmp_path)
        os.kill(executor.backend.process_ids()[0], signal.SIGKILL)  # type: ignore[attr-defined]
        assert without_clocks(list(rows)) == without_clocks(run[1][:1])
        assert executor.restarts == 1


def test_a_fold_removes_what_a_stopped_one_wrote_and_nothing_else(tmp_path: Path) -> None:
    fold = tmp_path / "trial-0" / "fold-0"
    save_checkpoint(fold / "checkpoints", "training", {"steps": 3})
    save_checkpoint(fold / "checkpoints", "training", {"steps": 4})
    (fold / "checkpoints" / ".writing-00000003-17").mkdir()
    own = [fold / name for name in ("metrics.jsonl", "metrics.1.jsonl", "timings.jsonl",
                                    "policy.safetensors", ".policy.safetensors.17-00c0ffee.tmp")]
    others = [fold / name for name in ("metrics.csv", "notes/day.txt", ".git/config")]
    for path in (*own, *others):
        path.parent.mkdir(exist_ok=True)
        path.write_text("kept")
    trials._clear(fold)
    assert {path for path in fold.rglob("*") if path.is_file()} == {*others}
    assert not (fold / "checkpoints").exists()
    trials._clear(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    made = save_checkpoint(fold / "checkpoints", "training", {"steps": 5})
    (made / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="no other files in a checkpoint"):
        trials._clear(fold)
    assert (made / "notes.txt").read_text() == "mine"


def test_a_new_search_leaves_folders_of_a_user_alone(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "trial-1" / "fold-0" / "metrics.jsonl"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    changes = [part for change in SMALL for part in ("--set", change)]
    assert main(["trials", "quick", "--out", str(tmp_path), *changes]) == 2
    said = capsys.readouterr().err
    assert "trial-1: expected nothing there, where a trial is to be written, got a folder" in said
    assert said.count("\n") == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
    assert mine.read_text() == "mine"


def test_mistakes_are_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes = [part for change in SMALL for part in ("--set", change)]

    def said(*more: str, new: bool = True) -> str:
        where = ["quick", "--out", str(tmp_path / "t")] if new else []
        assert main(["trials", *where, *changes, *more]) == 2
        text = capsys.readouterr().err
        assert text.count("\n") == 1
        return text
    assert "at most 4 folds, as many as there are blocks of land, got 5" in said("--folds", "5")
    assert "--folds: expected a whole number of at least 3" in said("--folds", "2")
    assert "at most 12 trials" in said("--trials", "13", "--search", "grid")
    assert "config.toml" in said("--resume", str(tmp_path / "none"), new=False)
    with pytest.raises(InputError, match="one map size"):
        FoldRunner(small("mixture.sizes=[10, 12]"))
