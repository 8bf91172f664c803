"""A tiny run from configuration to policy file: rows, gates, determinism, resume, memory."""

from pathlib import Path
from typing import Any

import pytest
import torch

from firebreak.agent.policy_file import load_policy
from firebreak.checks import InputError
from firebreak.memory.registry import live_counts
from firebreak.train.config import RunConfig, load_config
from firebreak.train.setup import make_splits
from firebreak.train.trainer import ParallelTrainer
from firebreak.train.validation import validate
from tiny import TINY


def tiny(*changes: str) -> RunConfig:
    return load_config("quick", TINY + list(changes))


def trained(folder: Path, *changes: str) -> tuple[ParallelTrainer, list[dict[str, Any]]]:
    config = tiny(*changes)
    folder.mkdir(exist_ok=True)
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    return trainer, list(trainer.run())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[ParallelTrainer, list[dict[str, Any]]]:
    return trained(tmp_path_factory.mktemp("run"))


def rows_of(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["kind"] == kind]


def test_rows_tell_the_run(run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    trainer, rows = run
    assert rows[-1]["kind"] == "end"
    assert rows[-1]["episodes"] >= 16
    assert rows[-1]["learner_steps"] == trainer.agent.learner_steps > 5
    progress = rows_of(rows, "progress")
    assert sum(row["episodes_ended"] for row in progress) == rows[-1]["episodes"]
    assert [row["episodes"] for row in rows_of(rows, "validation")] == sorted(
        row["episodes"] for row in rows_of(rows, "validation"))
    assert {"start", "cleanup", "end"} <= {row["phase"] for row in rows_of(rows, "memory")}


def test_no_gradient_step_before_the_replay_is_ready(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    for row in rows_of(run[1], "progress"):
        assert row["learner_steps"] == 0 or row["replay"] >= 24
        assert (row["loss"] is None) == (row["mean_q"] is None)


def test_a_run_owns_the_same_bytes_from_start_to_end(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    memory = rows_of(run[1], "memory")
    fixed = ("replay.", "env._", "validation_env._", "experience_buffer.")
    def fixed_bytes(row: dict[str, Any]) -> dict[str, int]:
        return {k: v for k, v in row["owned_bytes"].items() if k.startswith(fixed)}
    assert fixed_bytes(memory[0]) == fixed_bytes(memory[-1]) != {}
    assert sum(v for k, v in memory[0]["owned_bytes"].items()
               if k.startswith("replay.")) == run[0].replay.nbytes
    assert not rows_of(run[1], "cleanup")


def test_validation_changes_neither_weights_nor_replay(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    trainer = run[0]
    def state() -> tuple[str, bytes, torch.Tensor]:
        return (trainer.weights_sha256(), trainer.replay.reward.numpy().tobytes(),
                trainer.agent.acting.get_state())
    before = state()
    first = validate(trainer.agent, trainer.validation_env, trainer.splits.validation)
    again = validate(trainer.agent, trainer.validation_env, trainer.splits.validation)
    after = state()
    assert first == again
    assert before[:2] == after[:2]
    assert torch.equal(before[2], after[2])


def test_training_leaves_landscapes_as_they_were(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    for problem in run[0].splits.validation:
        assert problem.scene.landscape.fire_checksum() == problem.scene.key


def test_best_policy_is_written_and_read_back(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    policy = load_policy(run[0].run_folder)
    assert policy.provenance["validation_reduction"] == run[0].best
    assert not list(run[0].run_folder.rglob("*.tmp"))


def test_same_seed_same_weights_and_another_seed_others(
        run: tuple[ParallelTrainer, list[dict[str, Any]]], tmp_path: Path) -> None:
    again = trained(tmp_path / "again")[1][-1]["weights_sha256"]
    other = trained(tmp_path / "other", "seed=1")[1][-1]["weights_sha256"]
    assert again == run[1][-1]["weights_sha256"] != other


def test_resume_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    trainer, rows = trained(tmp_path / "r")
    config = tiny("train.episodes=24")
    longer = ParallelTrainer(config, make_splits(config, Path()), tmp_path / "r")
    longer.resume()
    assert longer.weights_sha256() == trainer.weights_sha256()
    assert longer.agent.learner_steps == rows[-1]["learner_steps"]
    assert len(longer.replay) == len(trainer.replay)
    end = list(longer.run())[-1]
    assert end["episodes"] >= 24
    assert end["env_steps"] > rows[-1]["env_steps"]


def test_resume_without_a_checkpoint_is_one_sentence(tmp_path: Path) -> None:
    config = tiny()
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    with pytest.raises(InputError, match=r"last\.pt"):
        trainer.resume()


def test_a_replay_over_its_budget_is_refused_with_sizes(tmp_path: Path) -> None:
    config = tiny("replay.memory_budget_mb=1", "replay.capacity=20000")
    with pytest.raises(InputError, match=r"within 1 MB, got \d+ MB"):
        ParallelTrainer(config, make_splits(config, Path()), tmp_path)


def test_two_environments_live_for_a_whole_run(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    counts = {row["live"]["FuelbreakVectorEnv"] for row in rows_of(run[1], "memory")}
    assert len(counts) == 1  # other tests may hold some of their own, but a run adds none
    assert live_counts()["Replay"] >= 1


def test_splits_never_share_a_landscape() -> None:
    config = tiny()
    splits = make_splits(config, Path())
    train = {splits.train.landscape(0, i).checksum() for i in range(20)}
    validation = {p.scene.key for p in splits.validation}
    test = {s.key for s in splits.test["synthetic"]}
    assert len(train) == 20
    assert not train & validation
    assert not train & test
    assert not validation & test


def test_windows_of_a_real_map_stay_in_their_splits(data_dir: Path) -> None:
    config = load_config("landfire", ["landscapes.turned=false"])
    with pytest.warns(UserWarning, match="disagree"):
        splits = make_splits(config, data_dir)
    test = splits.test["landfire-bitterroot-mt"] + splits.test["landfire-worcester-vt-north"]
    def place(transform: tuple[float, ...]) -> tuple[float, float]:
        return transform[2], transform[5]
    side = 40 * 90.0
    held_out = [place(s.landscape.transform) for s in splits.test["landfire-bitterroot-mt"]]
    held_out += [place(p.scene.landscape.transform) for p in splits.validation]
    for episode in range(60):
        land = splits.train.landscape(5, episode)
        assert land.shape == (40, 40)
        assert land.treatable[:4].sum() == land.treatable[:, -4:].sum() == 0
        east, north = place(land.transform)
        assert all(abs(east - e) >= side or abs(north - n) >= side for e, n in held_out)
    assert len(test) >= 6
    assert len({s.key for s in test}) == len(test)
