"""Learning from the gain of every break: the labels, their memory, the step, the run."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from firebreak.agent import dqn
from firebreak.agent.dqn import DQNAgent
from firebreak.agent.gain_store import GainBatch, GainStore
from firebreak.agent.symmetry import turn_map, turn_observation
from firebreak.agent.targets import unit_of
from firebreak.checks import InputError
from firebreak.env import synthetic_source
from firebreak.env.gains import ExactGains
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.fire import burn
from firebreak.layout import OBSERVATION
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.load import load_config
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.gains import GainLabels
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


def store_of(count: int, capacity: int = 8) -> GainStore:
    store = GainStore(OBSERVATION, (SIZE, SIZE), capacity)
    for k in range(count):
        draw = torch.Generator().manual_seed(k)
        layers = torch.randint(256, (OBSERVATION.channels, SIZE, SIZE), generator=draw)
        gain = torch.rand(CELLS, generator=draw)
        gain[:5] = torch.nan
        store.append(layers.to(torch.uint8), gain)
    return store


def test_a_store_refuses_observations_that_are_no_bytes() -> None:
    store = store_of(1)
    with pytest.raises(TypeError, match=r"must be uint8.*got torch\.float32"):
        store.append(torch.zeros(OBSERVATION.channels, SIZE, SIZE), torch.zeros(CELLS))
    assert store.written == 1


@pytest.mark.parametrize("fires", [5, 12, 100])
def test_labels_are_what_each_break_saves_of_the_reward_fires(env: FuelbreakVectorEnv,
                                                              fires: int) -> None:
    exact = ExactGains(env.source.sizes(2), fires)
    for slot in (1, 0):
        problem = env.slots.problems[slot]
        few = problem.reward_fires.first(min(fires, 12))
        breaks, scene = env.slots.breaks[slot], problem.scene
        def loss(broken: np.ndarray, scene=scene, few=few) -> float:
            return float(burn(scene, few, broken).loss.mean())
        gains = exact.of(env.slots, slot)
        available = env.slots.available[slot].ravel()
        assert np.isnan(gains[~available]).all()
        for cell in np.flatnonzero(available):
            more = breaks.copy()
            more.flat[cell] = True
            saved = (loss(breaks) - loss(more)) / env.slots.untreated_reward_loss[slot]
            assert gains[cell] == pytest.approx(saved, abs=1e-6)


def test_labelling_changes_nothing_in_the_environment(env: FuelbreakVectorEnv) -> None:
    before = env.slots.layers.copy(), env.slots.plan_loss(0), env.slots.budget_left.copy()
    ExactGains(env.source.sizes(2), 4).of(env.slots, 0)
    assert (before[0] == env.slots.layers).all()
    assert before[1] == env.slots.plan_loss(0)
    assert (before[2] == env.slots.budget_left).all()


def test_environments_take_turns_and_a_share_of_their_states_is_labelled(
        env: FuelbreakVectorEnv) -> None:
    labels = GainLabels(env, ExactGains(env.source.sizes(2), 4), 0.25, 10)
    assert [labels.label(6) for _ in range(4)] == [1, 2, 1, 2]  # 1.5 a call
    assert len(labels.store) == 6
    layers = torch.from_numpy(env.slots.layers)
    assert all(torch.equal(labels.store.layers[k], layers[k % 2]) for k in range(6))
    assert labels.label(100) == 2  # at most one state of each environment
    other = GainLabels(env, ExactGains(env.source.sizes(2), 4), 0.25, 10)
    other.restore(labels.state())
    assert other.label(6) == labels.label(6)
    assert torch.equal(other.store.gain.nan_to_num(-1), labels.store.gain.nan_to_num(-1))


def test_a_full_store_forgets_the_oldest_and_keeps_its_memory() -> None:
    store = store_of(3, capacity=4)
    held = store.nbytes
    assert len(store) == 3
    more = store_of(6, capacity=4)
    assert (len(more), more.nbytes) == (4, held)
    assert torch.equal(more.gain[1].nan_to_num(-1), store_of(6).gain[5].nan_to_num(-1))
    batch = more.sample(50, torch.Generator().manual_seed(0))
    assert batch.observation.shape == (50, OBSERVATION.channels, SIZE, SIZE)
    assert len({float(gain[7]) for gain in batch.gain}) == 4


@pytest.mark.parametrize("k", range(8))
def test_gains_turn_with_their_maps(k: int) -> None:
    batch = store_of(2).sample(3, torch.Generator().manual_seed(1))
    turned = batch.turned(k, OBSERVATION)
    assert torch.equal(turned.observation, turn_observation(batch.observation, k, OBSERVATION))
    maps = batch.gain.reshape(3, SIZE, SIZE)
    assert torch.equal(turned.gain.reshape(3, SIZE, SIZE).nan_to_num(-1),
                       turn_map(maps, k).nan_to_num(-1))


def test_a_step_moves_the_values_of_labelled_cells_towards_their_gains() -> None:
    agent = DQNAgent(OBSERVATION, AgentSettings(
        learning_rate=3e-3, width=8, target_period=4), 0)
    batch = store_of(4).sample(4, torch.Generator().manual_seed(2))
    unit = unit_of(batch.observation, OBSERVATION)
    batch = GainBatch(batch.observation, batch.gain * unit[:, None])  # gains of the usual size
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
    agent = DQNAgent(OBSERVATION, AgentSettings(learning_rate=1e-3, width=8), 0)
    batch = store_of(2).sample(2, torch.Generator().manual_seed(2))
    unit = unit_of(batch.observation, OBSERVATION)[:, None]
    error = ((agent.q_values(batch.observation) - batch.gain) / unit)[~batch.gain.isnan()].abs()
    huber = torch.where(error < 1.0, 0.5 * error.square(), error - 0.5).mean()
    assert agent.learn(batch).loss == pytest.approx(float(huber), rel=1e-4)


def test_parts_weigh_every_labelled_cell_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    def agent() -> DQNAgent:
        return DQNAgent(OBSERVATION, AgentSettings(learning_rate=1e-3, width=8), 0)
    batch = store_of(5).sample(5, torch.Generator().manual_seed(2))
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
    labels = trainer.arenas[0].labels
    assert labels is not None
    labelled = len(labels.store)
    assert 10 < labelled < 0.25 * trainer.env_steps  # none while the discount rises
    assert trainer.agent.learner_steps > 25
    again, _ = trained(tmp_path / "b", "agent.discount_begin=10", "agent.discount_finish=20",
                       "train.episodes=60")
    assert again.weights_sha256() == trainer.weights_sha256()
    assert "labels" in str(rows[-2]["owned_bytes"])


@pytest.mark.slow
@pytest.mark.usefixtures("bare_runs")
def test_a_run_that_stays_at_discount_0_learns_from_gains_alone(tmp_path: Path) -> None:
    trainer, _ = trained(tmp_path / "a", "agent.discount_begin=2", "agent.discount_finish=3",
                         "agent.discount_end=0.0")
    labels = trainer.arenas[0].labels
    assert labels is not None
    assert len(labels.store) >= 0.2 * trainer.env_steps


@pytest.mark.parametrize(("share", "steps"), [(0.5, 4), (0.25, 8), (1.0, 2)])
def test_a_share_of_labelled_states_that_no_run_can_reach_is_said(
        tmp_path: Path, share: float, steps: int) -> None:
    config = load_config("quick", [*TINY, f"agent.gain_share={share}", "agent.gain_fires=6",
                                   f"train.collect_steps={steps}"])
    told = (rf"agent.gain_share = {share:g} labels {1 / steps:g} of the env steps: .* in "
            rf"train.collect_steps = {steps} steps")
    with pytest.warns(UserWarning, match=told):
        ParallelTrainer(config, make_splits(config, Path()), tmp_path)


@pytest.mark.parametrize("preset", ["quick", "general", "shaded"])
def test_presets_label_the_share_that_they_name(preset: str) -> None:
    config = load_config(preset, [])
    assert 0.0 < config.agent.gain_share * config.train.collect_steps <= 1.0


def test_gains_are_of_discount_0() -> None:
    with pytest.raises(InputError, match=r"agent\.discount = 0 together with agent\.gain_share"):
        load_config("quick", ["agent.gain_share=0.1", "agent.discount=0.5"])
