"""A tiny run from configuration to policy file: rows, gates, determinism, resume, memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bare import without_looks_at_memory
from firebreak.agent.network import hash_of_weights
from firebreak.agent.policy_file import load_policy
from firebreak.checks import InputError
from firebreak.memory.owned import owned
from firebreak.memory.registry import live_counts
from firebreak.train.config.load import load_config
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.player import validate
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY


def tiny(*changes: str) -> RunConfig:
    return load_config("quick", TINY + list(changes))


def trained(folder: Path, *changes: str) -> tuple[ParallelTrainer, list[dict[str, Any]]]:
    config = tiny(*changes)
    # The order in which a gradient is summed depends on torch's threads, so its bits do.
    torch.set_num_threads(config.train.torch_threads)
    folder.mkdir(exist_ok=True)
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    return trainer, list(trainer.run())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[ParallelTrainer, list[dict[str, Any]]]:
    return trained(tmp_path_factory.mktemp("run"))


def rows_of(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["kind"] == kind]


def full_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows_of(rows, "memory") if "owned_bytes" in row]


def test_rows_tell_the_run(run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    trainer, rows = run
    assert rows[-1]["kind"] == "end"
    assert rows[-1]["episodes"] >= 16
    assert rows[-1]["learner_steps"] == trainer.agent.learner_steps > 5
    progress = rows_of(rows, "progress")
    assert sum(row["episodes_ended"] for row in progress) == rows[-1]["episodes"]
    assert [row["episodes"] for row in rows_of(rows, "validation")] == sorted(
        row["episodes"] for row in rows_of(rows, "validation"))
    assert {"baseline", "cleanup", "collect", "learn", "evaluate", "checkpoint", "end"} == {
        row["phase"] for row in rows_of(rows, "memory")}


def test_no_gradient_step_before_the_replay_is_ready(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    for row in rows_of(run[1], "progress"):
        assert row["learner_steps"] == 0 or row["replay"] >= 24
        assert (row["loss"] is None) == (row["mean_q"] is None)


def test_a_run_owns_the_same_bytes_from_start_to_end(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    memory = full_rows(run[1])
    fixed = tuple(f"trainer.{part}" for part in (
        "arenas[].replay.", "arenas[].env.slots._", "arenas[].validation_env.slots._",
        "arenas[].collector.buffer.", "splits."))
    def fixed_bytes(row: dict[str, Any]) -> dict[str, int]:
        return {k: v for k, v in row["owned_bytes"].items() if k.startswith(fixed)}
    assert fixed_bytes(memory[0]) == fixed_bytes(memory[-1])
    assert all(any(path.startswith(part) for path in fixed_bytes(memory[0])) for part in fixed)
    held = owned({"trainer": run[0]}).owned_bytes
    assert sum(v for k, v in held.items() if k.startswith("trainer.arenas[].replay.")) == (
        run[0].arenas[0].replay.nbytes)
    assert not rows_of(run[1], "cleanup")


def test_validation_changes_neither_weights_nor_replay(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    trainer = run[0]
    def state() -> tuple[str, bytes, torch.Tensor]:
        return (trainer.weights_sha256(), trainer.arenas[0].replay.reward.numpy().tobytes(),
                trainer.agent.acting.get_state())
    before = state()
    first = validate(trainer.agent, trainer.arenas[0].validation_env, trainer.arenas[0].problems)
    again = validate(trainer.agent, trainer.arenas[0].validation_env, trainer.arenas[0].problems)
    after = state()
    assert first == again
    assert before[:2] == after[:2]
    assert torch.equal(before[2], after[2])


def test_training_leaves_landscapes_as_they_were(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    for problem in run[0].splits.validation[0]:
        assert problem.scene.landscape.fire_checksum() == problem.scene.key


def test_best_policy_is_written_and_read_back(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    policy = load_policy(run[0].run_folder)
    assert policy.provenance["validation_reduction"] == run[0].best.reduction
    assert not list(run[0].run_folder.rglob("*.tmp"))


@pytest.mark.slow
@pytest.mark.usefixtures("bare_runs")
def test_same_seed_same_weights_and_another_seed_others(
        run: tuple[ParallelTrainer, list[dict[str, Any]]], tmp_path: Path) -> None:
    again = trained(tmp_path / "again")[1][-1]["weights_sha256"]
    other = trained(tmp_path / "other", "seed=1")[1][-1]["weights_sha256"]
    assert again == run[1][-1]["weights_sha256"] != other


@pytest.mark.slow
@pytest.mark.usefixtures("bare_runs")
def test_resume_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    trainer, rows = trained(tmp_path / "r")
    config = tiny("train.episodes=24")
    longer = ParallelTrainer(config, make_splits(config, Path()), tmp_path / "r")
    longer.resume()
    assert longer.weights_sha256() == trainer.weights_sha256()
    assert longer.agent.learner_steps == rows[-1]["learner_steps"]
    assert len(longer.arenas[0].replay) == len(trainer.arenas[0].replay)
    end = list(longer.run())[-1]
    assert end["episodes"] >= 24
    assert end["env_steps"] > rows[-1]["env_steps"]


def test_resume_without_a_checkpoint_is_one_sentence(tmp_path: Path) -> None:
    config = tiny()
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    with pytest.raises(InputError, match="checkpoints"):
        trainer.resume()


def test_a_replay_over_its_budget_is_refused_with_sizes(tmp_path: Path) -> None:
    config = tiny("replay.memory_budget_mb=1", "replay.capacity=20000")
    with pytest.raises(InputError, match=r"at most 1 MB, got \d+ MB"):
        ParallelTrainer(config, make_splits(config, Path()), tmp_path)


def test_two_environments_live_for_a_whole_run(
        run: tuple[ParallelTrainer, list[dict[str, Any]]]) -> None:
    counts = {row["live"]["FuelbreakVectorEnv"] for row in full_rows(run[1])}
    assert len(counts) == 1  # other tests may hold some of their own, but a run adds none
    assert live_counts()["Replay"] >= 1


def test_splits_never_share_a_landscape() -> None:
    config = tiny()
    splits = make_splits(config, Path())
    train = {splits.train[0].landscape(0, i).checksum() for i in range(20)}
    validation = {p.scene.key for p in splits.validation[0]}
    test = {s.key for s in splits.test["synthetic"]}
    assert len(train) == 20
    assert not train & validation
    assert not train & test
    assert not validation & test


@pytest.mark.slow
def test_windows_of_a_real_map_stay_in_their_splits(data_dir: Path) -> None:
    config = load_config("landfire", ["landscapes.turned=false"])
    with pytest.warns(UserWarning, match="disagree"):
        splits = make_splits(config, data_dir)
    test = [*splits.test["landfire-bitterroot-mt"], *splits.test["landfire-worcester-vt-north"]]
    def place(transform: tuple[float, ...]) -> tuple[float, float]:
        return transform[2], transform[5]
    side = 40 * 90.0
    held_out = [place(s.landscape.transform) for s in splits.test["landfire-bitterroot-mt"]]
    held_out += [place(p.scene.landscape.transform) for p in splits.validation[0]]
    for episode in range(60):
        land = splits.train[0].landscape(5, episode)
        assert land.shape == (40, 40)
        assert land.treatable[:4].sum() == land.treatable[:, -4:].sum() == 0
        east, north = place(land.transform)
        assert all(abs(east - e) >= side or abs(north - n) >= side for e, n in held_out)
    assert len(test) >= 6
    assert len({s.key for s in test}) == len(test)


MIXED = ["mixture.sizes=[8,12]", "mixture.budget=[0.03,0.2]", "mixture.plan_fires=[2,12]",
         "mixture.burned_share=[0.05,0.4]", "mixture.wind_20ft_km_h=[5,40]", "mixture.margin=3",
         "mixture.wind_direction_spread_deg=[0,90]", "mixture.value_maps=0.5"]


@pytest.mark.slow
def test_a_mixture_trains_on_maps_of_each_size_and_repeats_itself(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, rows = trained(tmp_path / "a", *MIXED)
    assert [arena.replay.shape for arena in trainer.arenas] == [(8, 8), (12, 12)]
    assert all(len(arena.replay) > 0 for arena in trainer.arenas)
    assert sum(row["episodes_ended"] for row in rows_of(rows, "progress")) == rows[-1]["episodes"]
    assert full_rows(rows)[-1]["owned_bytes"]["trainer.arenas[].replay.dynamic"] == sum(
        arena.replay.dynamic.nbytes for arena in trainer.arenas)
    without_looks_at_memory(monkeypatch)
    assert trained(tmp_path / "b", *MIXED)[1][-1]["weights_sha256"] == rows[-1]["weights_sha256"]


@pytest.mark.usefixtures("bare_runs")
@pytest.mark.slow
def test_a_mixture_resumes_in_every_arena(tmp_path: Path) -> None:
    trainer, rows = trained(tmp_path / "r", *MIXED)
    config = tiny("train.episodes=24", *MIXED)
    longer = ParallelTrainer(config, make_splits(config, Path()), tmp_path / "r")
    longer.resume()
    assert longer.env_steps == rows[-1]["env_steps"]
    for before, after in zip(trainer.arenas, longer.arenas, strict=True):
        assert len(before.replay) == len(after.replay)
        assert torch.equal(before.replay.dynamic, after.replay.dynamic)
    assert list(longer.run())[-1]["episodes"] >= 24


@pytest.mark.slow
def test_a_mixture_draws_each_episode_within_its_bounds() -> None:
    source = make_splits(tiny(*MIXED), Path()).train[1]
    problems = [source.problem(3, episode) for episode in range(40)]
    fires = [p.plan_fires.source.size for p in problems]
    assert min(fires) >= 2
    assert max(fires) <= 12
    assert len(set(fires)) > 5
    shares = np.array([p.scene.conditions.regime.burned_share for p in problems])
    assert shares.min() >= 0.05
    assert shares.max() <= 0.4
    assert np.median(shares) == pytest.approx(np.sqrt(0.05 * 0.4), rel=0.25)
    for p in problems:
        assert p.scene.landscape.treatable.any()
        assert p.budget >= 2.0 or p.budget_share == 1.0
        assert p.budget_share <= max(0.2, 2.0 / p.scene.landscape.treatable.sum())
    even = [bool((p.scene.landscape.value == 1.0).all()) for p in problems]
    whole = [bool(p.scene.landscape.treatable[0].any()) for p in problems]
    assert 8 < sum(even) < 32
    assert 8 < sum(whole) < 36
    again = source.problem(3, 7)
    assert again.scene.key == problems[7].scene.key
    assert again.budget_share == problems[7].budget_share


@pytest.mark.slow
def test_windows_of_a_mixture_lie_in_blocks_of_their_own(data_dir: Path) -> None:
    config = load_config("landfire", [
        "mixture.sizes=[20,32]", "landscapes.turned=false",
        "landscapes.margin=0", "landscapes.test_maps=[]",
        "evaluation.validation_landscapes=8", "evaluation.test_landscapes=3"])
    with pytest.warns(UserWarning, match="disagree"):
        splits = make_splits(config, data_dir)
    held_out = [_ground(p.scene.landscape) for problems in splits.validation for p in problems]
    held_out += [_ground(s.landscape) for s in splits.test["landfire-bitterroot-mt"]]
    assert held_out
    cells = set()
    for episode in range(60):
        for source in splits.train:
            land = source.landscape(5, episode)
            cells.add(land.cell_size_m)
            east, north, side = _ground(land)
            assert all(east >= e + s or east + side <= e or north <= n - s or north - side >= n
                       for e, n, s in held_out)
    assert cells == {splits.test["landfire-bitterroot-mt"][0].landscape.cell_size_m}


def _ground(land: Any) -> tuple[float, float, float]:
    """West and north edge and the side, m."""
    return land.transform[2], land.transform[5], land.shape[0] * land.cell_size_m


@pytest.mark.slow
def test_above_its_memory_limit_a_run_saves_and_stops(tmp_path: Path) -> None:
    config = tiny("cleanup.rss_limit_mb=1")
    trainer = ParallelTrainer(config, make_splits(config, Path()), tmp_path)
    with pytest.raises(MemoryError, match=r"rss_limit_mb = 1; the run is saved for --resume"):
        list(trainer.run())
    again = ParallelTrainer(tiny("train.episodes=20"), trainer.splits, tmp_path)
    again.resume()
    assert again.env_steps == trainer.env_steps > 0
    assert list(again.run())[-1]["episodes"] >= 20


@pytest.mark.slow
@pytest.mark.usefixtures("bare_runs")
def test_below_its_memory_limit_a_run_has_the_same_weights(
        run: tuple[ParallelTrainer, list[dict[str, Any]]], tmp_path: Path) -> None:
    limited = trained(tmp_path / "limited", "cleanup.rss_limit_mb=100000")[1]
    assert limited[-1]["weights_sha256"] == run[1][-1]["weights_sha256"]


@pytest.mark.usefixtures("bare_runs")
def test_a_run_begins_with_the_weights_of_a_policy_and_goes_on_without_its_file(
        run: tuple[ParallelTrainer, list[dict[str, Any]]], tmp_path: Path) -> None:
    policy = run[0].run_folder / "policy.safetensors"
    start = tmp_path / "start.pt"
    start.write_bytes(policy.read_bytes())
    config = tiny(f"agent.start={start}", "train.episodes=8", "train.learning_starts=8")
    (tmp_path / "begun").mkdir()
    begun = ParallelTrainer(config, make_splits(config, Path()), tmp_path / "begun")
    expected = hash_of_weights(load_policy(policy).network)
    assert hash_of_weights(begun.agent.online_net) == expected
    assert hash_of_weights(begun.agent.target_net) == expected
    list(begun.run())
    assert hash_of_weights(begun.agent.online_net) != expected
    start.unlink()
    again = ParallelTrainer(config, begun.splits, tmp_path / "begun")
    again.resume()
    assert again.weights_sha256() == begun.weights_sha256()


@pytest.mark.parametrize(("start", "reason"), [
    ("absent.pt", "absent.pt"), ("general", "width, head and actions")])
def test_a_start_that_does_not_fit_is_named(start: str, reason: str, tmp_path: Path) -> None:
    config = tiny(f"agent.start={start}")
    with pytest.raises(InputError, match=reason):
        ParallelTrainer(config, make_splits(config, Path()), tmp_path)
