"""Collectors beside the learner: the same bits anywhere, a killed one too, resume, async."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from bare import without_looks_at_memory
from firebreak.checks import InputError
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.parallel import CollectorPool
from firebreak.train.run.trainer import ParallelTrainer
from firebreak.train.storage.metrics import RunLog
from tiny import TINIER

pytestmark = pytest.mark.usefixtures("bare_runs")
SMALL = [*TINIER, "train.episodes=24", "train.num_envs=2", "train.collectors=3",
         "train.broadcast_steps=4", "evaluation.every_episodes=12", "train.learning_starts=20",
         "replay.capacity=100"]


def small(*changes: str) -> RunConfig:
    return load_config("quick", SMALL + list(changes))


def begun(folder: Path, *changes: str) -> ParallelTrainer:
    config = small(*changes)
    folder.mkdir(exist_ok=True)
    return ParallelTrainer(config, make_splits(config, Path()), folder)


def pool_of(trainer: ParallelTrainer) -> CollectorPool:
    pool = trainer.arenas[0].collector
    assert isinstance(pool, CollectorPool)
    return pool


def finished(trainer: ParallelTrainer) -> list[dict[str, Any]]:
    try:
        return list(trainer.run())
    finally:
        trainer.close()


def content(trainer: ParallelTrainer) -> list[bytes]:
    return [tensor.numpy().tobytes() for tensor in trainer.arenas[0].replay.state().values()]


def metrics(rows: list[dict[str, Any]], folder: Path) -> bytes:
    """metrics.jsonl of a run."""
    folder.mkdir()
    log = RunLog(folder)
    for row in rows:
        log.write(row)
    log.close()
    return (folder / "metrics.jsonl").read_bytes()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[ParallelTrainer, list[dict[str, Any]]]:
    trainer = begun(tmp_path_factory.mktemp("run"), "train.collector_executor='in-process'")
    with pytest.MonkeyPatch.context() as patch:
        without_looks_at_memory(patch)
        return trainer, finished(trainer)


def test_rounds_of_whole_episodes_fill_the_replay_and_earn_updates(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    trainer, rows = run
    progress = [row for row in rows if row["kind"] == "progress"]
    assert [row["episodes"] for row in progress] == [6, 12, 18, 24]
    assert rows[-1]["env_steps"] == trainer.arenas[0].replay._written
    assert trainer.arenas[0].replay.terminated.sum() >= 10
    before = [0, *(row["env_steps"] for row in progress)]
    earned = sum(row["env_steps"] - steps for row, steps in zip(progress, before, strict=False)
                 if row["replay"] >= 20)
    assert 0 < earned < rows[-1]["env_steps"]
    assert progress[-1]["learner_steps"] == int(0.25 * earned)


@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers_gives_the_same_bits(
        run: tuple[ParallelTrainer, list[dict[str, Any]]], tmp_path: Path, workers: int) -> None:
    other = begun(tmp_path, "train.collector_executor='in-process'",
                  f"train.collector_workers={workers}")
    rows = finished(other)
    assert rows[-1]["weights_sha256"] == run[1][-1]["weights_sha256"]
    assert content(other) == content(run[0])
    assert metrics(rows, tmp_path / "other") == metrics(run[1], tmp_path / "run")


@pytest.mark.slow
@pytest.mark.parametrize("other", ["train.collector_workers=1", pytest.param(
    "train.collector_executor='processes'", marks=pytest.mark.slow)])
def test_drawn_jobs_are_the_same_bits_anywhere(tmp_path: Path, other: str) -> None:
    """Kinds of break, parts, standing breaks, dear slopes and demonstrations are drawn by whoever
    plays.
    """
    jobs = ["train.collector_executor='in-process'", "mixture.shaded=0.2", "mixture.narrow=0.3",
            "mixture.breached=0.3", "mixture.parts=0.5", "mixture.existing=0.5",
            "mixture.slope_costs=0.5", "mixture.fbp=0.5", "budget=0.2", "train.episodes=6",
            "agent.demonstrations=0.7",
            "train.learning_starts=8", "evaluation.every_episodes=6"]
    trainers = [begun(tmp_path / name, *jobs, *more) for name, more in (
        ("here", []), ("there", [other]))]
    ends = [finished(trainer)[-1] for trainer in trainers]
    assert ends[0]["learner_steps"] > 0
    assert ends[0]["weights_sha256"] == ends[1]["weights_sha256"]
    assert content(trainers[0]) == content(trainers[1])
    assert len(trainers[0].arenas[0].replay.static.unique(dim=0)) > 4


@pytest.mark.slow
@pytest.mark.parametrize("actions", [
    ["agent.discount_begin=3", "agent.discount_finish=6"],
    ["agent.segments=true", "agent.discount_end=0", "agent.fit_steps=4"]],
    ids=["cells-then-transitions", "lines-and-a-fit"])
def test_collectors_bring_the_gains_of_their_states(tmp_path: Path, actions: list[str]) -> None:
    gains = ["train.collector_executor='in-process'", "agent.gain_share=0.5", "agent.gain_fires=4",
             *actions]
    trainers = [begun(tmp_path / str(workers), *gains, f"train.collector_workers={workers}")
                for workers in (1, 2)]
    ends = [finished(trainer)[-1] for trainer in trainers]
    replay = trainers[0].arenas[0].replay
    labelled = replay.labelled()
    assert 0 < labelled.numel() < replay.rows
    row, env = labelled // replay.num_envs, labelled % replay.num_envs
    assert (replay.gain[row, env].nan_to_num() > 0.0).any()
    assert ends[0]["learner_steps"] > 4
    assert ends[0]["weights_sha256"] == ends[1]["weights_sha256"]
    assert content(trainers[0]) == content(trainers[1])


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_processes_give_the_same_bits_even_if_one_is_killed_or_hangs_in_a_round(
        run: tuple[ParallelTrainer, list[dict[str, Any]]], tmp_path: Path,
        sent: signal.Signals) -> None:
    trainer = begun(tmp_path, "train.collector_workers=2", "train.collector_limit_s=40")
    rows, killed = [], 0
    for row in trainer.run():
        rows.append(row)
        if row["kind"] == "progress" and not killed:
            executor = pool_of(trainer)._open()
            killed = executor.backend.process_ids()[0]  # type: ignore[attr-defined]
            os.kill(killed, sent)
    assert pool_of(trainer)._open().restarts == 1
    trainer.close()
    assert rows[-1]["weights_sha256"] == run[1][-1]["weights_sha256"]
    assert content(trainer) == content(run[0])
    assert metrics(rows, tmp_path / "other") == metrics(run[1], tmp_path / "run")


@pytest.mark.slow
@pytest.mark.parametrize("row", [2, 5, 9])
def test_a_stopped_run_goes_on_with_the_round_under_way(
        run: tuple[ParallelTrainer, list[dict[str, Any]]], tmp_path: Path, row: int) -> None:
    where = "train.collector_executor='in-process'"
    trainer = begun(tmp_path, where)
    for number, _ in enumerate(trainer.run()):
        if number == row:
            trainer.stop_asked = True
    trainer.close()
    again = begun(tmp_path, where)
    again.resume()
    assert finished(again)[-1]["weights_sha256"] == run[1][-1]["weights_sha256"]
    assert content(again) == content(run[0])


def test_collectors_of_several_map_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"one map size together with train\.collectors, got 2"):
        begun(tmp_path, "mixture.sizes=[10, 12]")
