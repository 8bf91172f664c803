"""Learning from exact gains: what is tried, its place in the replay, the step, the run."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from firebreak.agent import dqn
from firebreak.agent.dqn import DQNAgent
from firebreak.agent.experience import GainBatch
from firebreak.agent.symmetry import as_floats, turn_gains, turn_map, turn_observation
from firebreak.agent.targets import unit_of
from firebreak.env import synthetic_source
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.fire import burn
from firebreak.layout import OBSERVATION
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.load import load_config
from firebreak.train.data.sizes import tried_room
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.gains import ActionGains
from firebreak.train.run.trainer import ParallelTrainer
from tiny import TINY

SIZE = 8
CELLS = SIZE * SIZE


@pytest.fixture(scope="module")
def env() -> FuelbreakVectorEnv:
    env = FuelbreakVectorEnv(synthetic_source(SIZE, budget=0.1, plan_fires=8, reward_fires=12), 2)
    env.reset(seed=3)
    env.step(np.array([np.flatnonzero(mask)[5] for mask in env.action_masks()]))
    return env


def batch_of(count: int, seed: int = 0) -> GainBatch:
    """States with gains of all cells but the first five."""
    draw = torch.Generator().manual_seed(seed)
    layers = torch.randint(256, (count, OBSERVATION.channels, SIZE, SIZE), generator=draw)
    gain = torch.rand((count, CELLS), generator=draw)
    gain[:, :5] = torch.nan
    return GainBatch(as_floats(layers.to(torch.uint8)), gain,
                     torch.arange(CELLS).repeat(count, 1))


def gains_for(env: FuelbreakVectorEnv, fires: int = 4, share: float = 1.0) -> ActionGains:
    return ActionGains(env.source.sizes(1), AgentSettings(gain_share=share, gain_fires=fires), 0)


@pytest.mark.parametrize("fires", [5, 12, 100])
def test_labels_are_what_each_break_saves_of_the_reward_fires(env: FuelbreakVectorEnv,
                                                              fires: int) -> None:
    exact, values = gains_for(env, fires), np.random.default_rng(0).random(CELLS, np.float32)
    for slot in (1, 0):
        problem = env.slots.problems[slot]
        few = problem.reward_fires.first(min(fires, 12))
        breaks, scene = env.slots.breaks[slot], problem.scene
        def loss(broken: np.ndarray, scene=scene, few=few) -> float:
            return float(burn(scene, few, broken).loss.mean())
        cells, gains, costs = exact.of(env.slots, slot, values, 3)
        available = env.slots.available[slot].ravel()
        assert available[cells].all()
        assert len(set(cells.tolist())) == cells.size > 30
        assert costs.tolist() == [1.0] * cells.size
        assert np.where(available, values, -1).argmax() in cells
        for cell, gain in zip(cells.tolist(), gains.tolist(), strict=True):
            more = breaks.copy()
            more.flat[cell] = True
            saved = (loss(breaks) - loss(more)) / env.slots.untreated_reward_loss[slot]
            assert gain == pytest.approx(saved, abs=1e-6)


def test_trying_changes_nothing_in_the_environment(env: FuelbreakVectorEnv) -> None:
    before = env.slots.layers.copy(), env.slots.plan_loss(0), env.slots.budget_left.copy()
    gains_for(env).of(env.slots, 0, np.zeros(CELLS, np.float32), 0)
    assert (before[0] == env.slots.layers).all()
    assert before[1] == env.slots.plan_loss(0)
    assert (before[2] == env.slots.budget_left).all()


@pytest.mark.parametrize("share", [1e-9, 0.25, 0.4, 1.0])
def test_a_share_of_the_states_is_tried_and_each_by_its_number(env: FuelbreakVectorEnv,
                                                               share: float) -> None:
    gains, values = gains_for(env, share=share), np.zeros((2, CELLS), np.float32)
    found = [gains.of_all(env.slots, values, first) for first in range(0, 20, 2)]
    tried = [not np.isnan(one.gain[slot, 0]) for one in found for slot in range(2)]
    assert sum(tried) == int(20 * share)
    again = gains_for(env, share=share).of_all(env.slots, values, 18)
    for one, other in zip(again, found[-1], strict=True):
        assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("k", range(8))
def test_gains_turn_with_their_maps(k: int) -> None:
    batch = batch_of(3)
    turned = turn_gains(batch, k)
    assert torch.equal(turned.observation, turn_observation(batch.observation, k))
    maps = batch.gain.reshape(3, SIZE, SIZE)
    placed = torch.zeros(3, CELLS).scatter(1, turned.action, turned.gain.nan_to_num(-1))
    assert torch.equal(placed.reshape(3, SIZE, SIZE), turn_map(maps, k).nan_to_num(-1))


def test_a_step_moves_the_values_of_labelled_cells_towards_their_gains() -> None:
    agent = DQNAgent(AgentSettings(
        learning_rate=3e-3, width=8, target_period=4), 0)
    batch = batch_of(4)
    unit = unit_of(batch.observation, OBSERVATION)
    batch = batch._replace(gain=batch.gain * unit[:, None])  # gains of the usual size
    known = ~batch.gain.isnan()
    def error() -> float:
        relative = (agent.q_values(batch.observation) - batch.gain) / unit[:, None]
        return float(relative[known].square().mean())
    before, first = error(), agent.learn(batch)
    for _ in range(60):
        update = agent.learn(batch)
    assert error() < 0.5 * before
    assert update.loss < first.loss
    assert agent.learner_steps == 61
    kept = [torch.equal(a, b) for a, b in zip(
        agent.target_net.parameters(), agent.online_net.parameters(), strict=True)]
    assert not any(kept)  # copied a step ago, at 60


def test_the_loss_is_the_huber_error_of_labelled_cells_alone() -> None:
    agent = DQNAgent(AgentSettings(learning_rate=1e-3, width=8), 0)
    batch = batch_of(2)
    unit = unit_of(batch.observation, OBSERVATION)[:, None]
    error = ((agent.q_values(batch.observation) - batch.gain) / unit)[~batch.gain.isnan()].abs()
    huber = torch.where(error < 1.0, 0.5 * error.square(), error - 0.5).mean()
    assert agent.learn(batch).loss == pytest.approx(float(huber), rel=1e-4)


def test_parts_weigh_every_labelled_cell_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    def agent() -> DQNAgent:
        return DQNAgent(AgentSettings(learning_rate=1e-3, width=8), 0)
    batch = batch_of(5)
    batch.gain[:2, 3:] = torch.nan  # a part with next to no labels
    one = agent().learn(batch)
    monkeypatch.setattr(dqn, "MAX_PART_CELLS", 2 * SIZE * SIZE)
    other = agent().learn(batch)
    assert (other.loss, other.gradient_norm, other.mean_q) == pytest.approx(
        (one.loss, one.gradient_norm, one.mean_q), rel=1e-4)
    batch.gain[:2] = torch.nan
    assert math.isfinite(agent().learn(batch).loss)


def trained(folder: Path, *changes: str) -> tuple[ParallelTrainer, list[dict]]:
    config = load_config("quick", [*TINY, "agent.gain_share=0.25", "agent.gain_fires=6",
                                   *changes])
    folder.mkdir()
    trainer = ParallelTrainer(config, make_splits(config, Path()), folder)
    return trainer, list(trainer.run())


@pytest.mark.slow
def test_a_run_learns_from_gains_until_the_discount_rises(tmp_path: Path) -> None:
    trainer, rows = trained(tmp_path / "a", "agent.discount_begin=10", "agent.discount_finish=20",
                            "train.episodes=60")
    labelled = trainer.arenas[0].replay.labelled().numel()
    assert 10 < labelled < 0.25 * trainer.env_steps  # none while the discount rises
    assert trainer.agent.learner_steps > 25
    again, _ = trained(tmp_path / "b", "agent.discount_begin=10", "agent.discount_finish=20",
                       "train.episodes=60")
    assert again.weights_sha256() == trainer.weights_sha256()
    assert "replay.gain" in str(rows[-2]["owned_bytes"])


@pytest.mark.slow
@pytest.mark.usefixtures("bare_runs")
def test_a_run_that_stays_at_discount_0_learns_from_gains_alone(tmp_path: Path) -> None:
    trainer, _ = trained(tmp_path / "a", "agent.discount_begin=2", "agent.discount_finish=3",
                         "agent.discount_end=0.0")
    assert trainer.arenas[0].replay.labelled().numel() >= 0.2 * trainer.env_steps


@pytest.mark.parametrize("preset", ["quick", "general", "shaded"])
def test_the_replay_of_a_preset_holds_the_gains_of_its_states(preset: str) -> None:
    config = load_config(preset, [])
    assert config.agent.gain_share == 1.0
    assert tried_room(config.agent) in (41, 64)
