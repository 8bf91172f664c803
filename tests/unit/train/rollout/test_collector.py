"""From environment to replay: nothing is dropped, order is kept, cleanups free nothing they own."""

import numpy as np
import pytest
import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.replay import Replay
from firebreak.checks import InputError
from firebreak.env import synthetic_source
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.storage.observation import to_floats
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.schema import CleanupConfig
from firebreak.train.rollout.collector import ExperienceBuffer, ExperienceCollector
from firebreak.train.run.cleanup import Cleaner

ENVS, STEPS, SIZE = 3, 4, 10


def make_collector(**changes: int) -> tuple[ExperienceCollector, Replay, DQNAgent]:
    source = synthetic_source(size=SIZE, plan_fires=8, reward_fires=8)
    agent = DQNAgent(AgentSettings(width=8), seed=0)
    bounds = {"max_experiences": 100, "max_step_times": 5, "max_collection_times": 2} | changes
    collector = ExperienceCollector(FuelbreakVectorEnv(source, ENVS), agent, STEPS, 3,
                                    CleanupConfig(**bounds))
    return collector, Replay((SIZE, SIZE), ENVS, 120, 2), agent


def collect(collector: ExperienceCollector) -> list[float]:
    return collector.collect(collector.env_steps, lambda: None)


def test_every_transition_reaches_the_replay_in_order() -> None:
    collector, replay, _ = make_collector()
    rewards = []
    for _ in range(5):
        collect(collector)
        assert collector.buffer.held == STEPS
        rewards.append(collector.buffer.rows["reward"].clone())
        assert collector.buffer.drain(replay) == STEPS * ENVS
    assert collector.buffer.received == collector.buffer.handed_on == 5 * STEPS * ENVS
    assert torch.equal(replay.reward[:5 * STEPS], torch.cat(rewards))
    assert collector.env_steps == 5 * STEPS * ENVS
    assert collector.episodes == int(replay.terminated.sum()) > 0


def test_a_full_buffer_refuses_instead_of_dropping() -> None:
    buffer = ExperienceBuffer(2, ENVS, (1, 4, 4))
    row = (torch.zeros(ENVS, 1, 4, 4, dtype=torch.uint8), torch.zeros(ENVS, dtype=torch.int64),
           torch.zeros(ENVS), torch.zeros(ENVS, dtype=torch.bool), torch.ones(ENVS))
    buffer.push(*row)
    buffer.push(*row)
    with pytest.raises(OverflowError, match="drain"):
        buffer.push(*row)
    assert buffer.received == 2 * ENVS


def test_a_buffer_refuses_observations_that_are_no_bytes() -> None:
    buffer = ExperienceBuffer(2, ENVS, (1, 4, 4))
    with pytest.raises(TypeError, match="must be uint8"):
        buffer.push(torch.zeros(ENVS, 1, 4, 4), torch.zeros(ENVS, dtype=torch.int64),
                    torch.zeros(ENVS), torch.zeros(ENVS, dtype=torch.bool), torch.ones(ENVS))
    assert buffer.held == buffer.received == 0


def through_floats(seen: torch.Tensor) -> torch.Tensor:
    """Bytes of what the agent saw, the long way: as bytes in a buffer, as floats on the way to the
    replay, as bytes there.
    """
    buffered = (seen * 255.0).round().to(torch.uint8)
    return ((buffered.float() / 255.0) * 255.0).round().to(torch.uint8)


def test_every_byte_survives_the_way_through_floats() -> None:
    every = np.arange(256, dtype=np.uint8)
    assert torch.equal(through_floats(torch.from_numpy(to_floats(every))), torch.from_numpy(every))


def test_the_replay_holds_the_bytes_of_what_the_agent_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    collector, replay, agent = make_collector()
    slow = make_collector()[1]
    seen: list[torch.Tensor] = []
    act = agent.act

    def recorded(observation: torch.Tensor, mask: torch.Tensor, env_steps: int,
                 values: torch.Tensor) -> torch.Tensor:
        seen.append(observation.clone())
        return act(observation, mask, env_steps, values)

    monkeypatch.setattr(agent, "act", recorded)
    for _ in range(6):
        collect(collector)
        rows = collector.buffer.rows
        for k, observation in enumerate(seen):
            slow.append(through_floats(observation), rows["action"][k], rows["reward"][k],
                        rows["terminated"][k], rows["cost"][k])
        seen.clear()
        collector.buffer.drain(replay)
    assert collector.episodes > ENVS
    own, other = replay.state(), slow.state()
    assert own.keys() == other.keys()
    for name, tensor in own.items():
        assert tensor.dtype == other[name].dtype
        assert torch.equal(tensor, other[name]), name


def test_a_collection_larger_than_the_bound_is_refused() -> None:
    with pytest.raises(InputError, match=r"cleanup\.max_experiences"):
        make_collector(max_experiences=STEPS * ENVS - 1)


def test_histories_are_bounded() -> None:
    collector, replay, _ = make_collector()
    for _ in range(4):
        collect(collector)
        collector.buffer.drain(replay)
    assert len(collector.step_times) == 5
    assert len(collector.collection_times) == 2


def test_returns_are_sums_of_rewards_of_finished_episodes() -> None:
    collector, replay, _ = make_collector()
    returns = []
    for _ in range(8):
        returns += collect(collector)
        collector.buffer.drain(replay)
    expected = []
    running = np.zeros(ENVS)
    for row in range(8 * STEPS):
        running += replay.reward[row].numpy()
        for env in np.flatnonzero(replay.terminated[row].numpy()):
            expected.append(running[env])
            running[env] = 0.0
    np.testing.assert_allclose(returns, expected, rtol=1e-6)


def test_cleanups_run_when_due_are_idempotent_and_free_nothing_in_steady_state() -> None:
    collector, replay, agent = make_collector()
    cleaner = Cleaner(CleanupConfig(episodes=10, collector_steps=50, learner_steps=100), agent,
                      [collector])
    assert cleaner.after(env_steps=49, learner_steps=99, episodes=9) == []
    assert [f.owner for f in cleaner.after(50, 99, 9)] == ["collector"]
    assert [f.owner for f in cleaner.after(51, 100, 9)] == ["agent"]
    assert [f.owner for f in cleaner.after(99, 199, 10)] == ["everything"]
    assert cleaner.after(99, 199, 19) == []
    collect(collector)
    collector.buffer.drain(replay)
    assert collector.cleanup_memory() == 0
    assert agent.cleanup_memory() == 0
    # Experiences on their way to the replay survive a cleanup.
    collect(collector)
    assert collector.cleanup_memory() == 0
    assert collector.buffer.drain(replay) == STEPS * ENVS


def test_gradients_of_an_update_are_no_leak() -> None:
    collector, replay, agent = make_collector()
    for _ in range(3):
        collect(collector)
        collector.buffer.drain(replay)
    agent.learn(replay.sample(8, 0.0, 1, agent.sampling))
    assert any(p.grad is not None for p in agent.online_net.parameters())
    assert agent.cleanup_memory() == 0
    assert all(p.grad is None for p in agent.online_net.parameters())
