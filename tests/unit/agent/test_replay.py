import os

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.agent.experience import Tried, pack_episode, unpack_bits
from firebreak.agent.replay import Replay
from firebreak.checks import InputError
from firebreak.layout import OBSERVATION
from reference import ListReplay

ROUNDING = 1e-5 if os.environ.get("FIREBREAK_TEST_ROUNDING") else 1e-6


class Collector:
    """Feeds a replay and a plain list the same random episodes."""

    def __init__(self, rng, num_envs, rows, shape=(3, 4), episode_steps=2, most_steps=5,
                 reckoned=None, tried=0):
        self.rng, self.num_envs, self.shape, self.tried = rng, num_envs, shape, tried
        self.replay = Replay(shape, num_envs, rows * num_envs,
                             reckoned or episode_steps, tried)
        self.plain = ListReplay(num_envs, rows)
        self.episode_steps, self.most_steps = episode_steps, most_steps
        self.static = [None] * num_envs
        self.left = [0] * num_envs

    def observe(self, env):
        if self.left[env] == 0:
            self.left[env] = int(self.rng.integers(self.episode_steps, self.most_steps + 1))
            self.static[env] = self.rng.integers(0, 256, (len(OBSERVATION.static), *self.shape))
        moving = self.rng.integers(0, 256, (len(OBSERVATION.dynamic), *self.shape))
        flags = 255 * self.rng.integers(0, 2, (len(OBSERVATION.flags), *self.shape))
        scalars = np.broadcast_to(self.rng.integers(0, 256, (len(OBSERVATION.scalars), 1, 1)),
                                  (len(OBSERVATION.scalars), *self.shape))
        layers = np.concatenate([moving, flags, self.static[env], scalars])
        return torch.tensor(layers.astype(np.uint8))

    def collect(self, steps):
        for _ in range(steps):
            observation = torch.stack([self.observe(env) for env in range(self.num_envs)])
            self.left = [n - 1 for n in self.left]
            terminated = torch.tensor([n == 0 for n in self.left])
            action = torch.tensor(self.rng.integers(0, 12, self.num_envs))
            reward = torch.tensor(self.rng.random(self.num_envs))
            tried = self.tries()
            cost = torch.tensor(self.rng.choice([0.3, 1.0, 24.0], self.num_envs))
            untold = bool(np.isnan(tried.gain).all())
            self.replay.append(observation, action, reward, terminated, cost,
                               None if untold else tried)
            self.plain.append(observation, action, reward, terminated, cost, tried)
        return self

    def tries(self):
        """Gains of no, some or all of the actions that there is room for, of each environment."""
        count = self.rng.integers(0, self.tried + 1, self.num_envs)
        gain = self.rng.random((self.num_envs, self.tried)).astype(np.float32)
        gain[np.arange(self.tried) >= count[:, None]] = np.nan
        return Tried(self.rng.integers(0, 12, gain.shape).astype(np.int32), gain,
                     self.rng.choice([0.3, 1.0, 24.0], gain.shape).astype(np.float32))

    @property
    def forgotten(self):
        """Rows that the replay no longer holds, of those that the plain list does."""
        return len(self.plain.steps[0]) - (self.replay._written - self.replay._oldest)

    def transitions(self, discount, n_step):
        """(made batch, expected list) of all transitions that may be sampled."""
        count = len(self.replay)
        drawn = torch.arange(count)
        age, env = drawn // self.num_envs, drawn % self.num_envs
        made = self.replay._gather(self.replay._oldest + age, env, discount, n_step)
        return made, [self.plain.transition(int(e), int(a) + self.forgotten, discount, n_step)
                      for a, e in zip(age, env, strict=True)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 9), st.integers(2, 30),
       st.integers(1, 4), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
@settings(max_examples=60, deadline=None)
def test_every_transition_is_that_of_the_plain_list(seed, num_envs, rows, steps, n_step,
                                                    discount) -> None:
    collector = Collector(np.random.default_rng(seed), num_envs, rows).collect(steps)
    made, expected = collector.transitions(discount, n_step)
    assert len(expected) == (min(steps, rows) - 1) * num_envs
    for k, (observation, action, reward, factor, following) in enumerate(expected):
        assert torch.equal(made.observation[k], observation)
        assert made.action[k] == action
        assert made.reward[k].item() == pytest.approx(reward, rel=1e-5)
        assert made.discount[k].item() == pytest.approx(factor, rel=ROUNDING)
        if factor > 0.0:
            assert torch.equal(made.next_observation[k], following)
            allowed = following[OBSERVATION.channel("available")].flatten() == 255
            assert torch.equal(made.next_mask[k], allowed)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 12), st.integers(1, 40),
       st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_episodes_shorter_than_reckoned_with_cost_rows_and_mix_nothing_up(
        seed, num_envs, rows, steps, reckoned) -> None:
    """Also of episodes of one step: then the landscape ring comes round before the other does."""
    collector = Collector(np.random.default_rng(seed), num_envs, rows, episode_steps=1,
                          most_steps=3, reckoned=reckoned, tried=2).collect(steps)
    made, expected = collector.transitions(0.9, 2)
    assert len(expected) == max(len(collector.plain.steps[0]) - collector.forgotten - 1,
                                0) * num_envs
    assert collector.forgotten >= 0
    assert collector.forgotten == 0 or reckoned > 1
    for k, (observation, action, reward, *_) in enumerate(expected):
        assert torch.equal(made.observation[k], observation)
        assert made.action[k] == action
        assert made.reward[k].item() == pytest.approx(reward, rel=1e-5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 9), st.integers(1, 30),
       st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_gains_are_those_of_their_own_states(seed, num_envs, rows, steps, tried,
                                             reckoned) -> None:
    collector = Collector(np.random.default_rng(seed), num_envs, rows, episode_steps=1,
                          reckoned=reckoned, tried=tried).collect(steps)
    expected = {}
    for steps_of in collector.plain.steps:
        for observation, *_, (action, gain, _) in steps_of[collector.forgotten:]:
            if not np.isnan(gain).all():
                known = dict(zip(action[~np.isnan(gain)].tolist(), gain[~np.isnan(gain)].tolist(),
                                 strict=False))
                expected[observation.numpy().tobytes()] = known
    assert collector.replay.labelled().numel() == len(expected)
    if not expected:
        with pytest.raises(InputError, match="states with gains"):
            collector.replay.sample_gains(1, torch.Generator())
        return
    batch = collector.replay.sample_gains(40 * len(expected), torch.Generator().manual_seed(seed))
    seen = set()
    for observation, gain, action in zip(*batch, strict=True):
        key, known = observation.numpy().tobytes(), ~gain.isnan()
        seen.add(key)
        assert dict(zip(action[known].tolist(), gain[known].tolist(),
                        strict=True)) == expected[key]
    assert seen == expected.keys()


def test_a_transition_with_gains_takes_little_more_than_its_observation() -> None:
    """At 40x40 cells, with the gains of 41 lines; and the land of an episode."""
    replay = Replay((40, 40), 4, 14_000, 4, 41)
    assert replay.bytes_per_transition() < 8_000
    land = replay.static.nbytes / replay.static.shape[0]
    assert replay.bytes_per_transition() - replay.static.nbytes / (replay.rows * 4) < 4_200
    assert land < 20_000


def test_sampling_draws_every_transition_and_no_other() -> None:
    collector = Collector(np.random.default_rng(0), 2, 6).collect(15)
    batch = collector.replay.sample(2000, 0.9, 2, torch.Generator().manual_seed(0))
    _, expected = collector.transitions(0.9, 2)
    seen = {o.numpy().tobytes() for o in batch.observation}
    assert seen == {o.numpy().tobytes() for o, *_ in expected}
    again = collector.replay.sample(2000, 0.9, 2, torch.Generator().manual_seed(0))
    for first, second in zip(batch[:6], again[:6], strict=True):
        assert torch.equal(first, second)


def test_what_ended_has_discount_zero_and_keeps_its_reward() -> None:
    collector = Collector(np.random.default_rng(1), 1, 20, most_steps=2).collect(11)
    made, expected = collector.transitions(0.9, 3)
    over = torch.tensor([following is None for *_, following in expected])
    # Episodes of two steps: with three steps to look ahead all whole ones end.
    assert over[:-2].all()
    assert (made.discount[over] == 0).all()
    assert (made.reward > 0).all()


def test_long_and_short_episodes_side_by_side_keep_their_landscapes() -> None:
    """One environment in a long episode while the others begin many: none may lose its map."""
    collector = Collector(np.random.default_rng(2), 8, 12, episode_steps=2, most_steps=2)
    collector.observe(0)
    collector.left[0] = 40
    made, expected = collector.collect(30).transitions(0.9, 1)
    for k, (observation, *_) in enumerate(expected):
        assert torch.equal(made.observation[k], observation)


def test_a_transition_of_40_by_40_takes_less_than_4_kb() -> None:
    replay = Replay((40, 40), 8, 16_000, 80)
    assert replay.bytes_per_transition() < 4000


def test_memory_is_fixed_and_plain_cpu_tensors() -> None:
    collector = Collector(np.random.default_rng(3), 2, 5)
    replay = collector.replay
    before = replay.nbytes
    places = [t.data_ptr() for name, t in replay._tensors().items() if "episode" not in name]
    observation = torch.randint(256, (2, OBSERVATION.channels, 3, 4), dtype=torch.uint8)
    replay.append(observation, torch.zeros(2, dtype=torch.int64),
                  torch.rand(2, requires_grad=True), torch.ones(2, dtype=torch.bool),
                  torch.ones(2))
    collector.collect(40)
    assert replay.nbytes == before
    assert places == [t.data_ptr() for name, t in replay._tensors().items()
                      if "episode" not in name]
    for tensor in replay._tensors().values():
        assert tensor.device.type == "cpu"
        assert not tensor.requires_grad
    assert not any(part.requires_grad for part in replay.sample(4, 0.9, 1, torch.Generator()))


def test_a_restored_replay_goes_on_as_the_first_would_have() -> None:
    first = Collector(np.random.default_rng(4), 2, 7).collect(10)
    state = {name: tensor.clone() for name, tensor in first.replay.state().items()}
    second = Replay((3, 4), 2, 14, 2)
    second.restore(state)
    old, first.replay = first.replay, second
    first.collect(3)
    made, expected = first.transitions(0.9, 2)
    for k, (observation, _, reward, *_) in enumerate(expected):
        assert torch.equal(made.observation[k], observation)
        assert made.reward[k].item() == pytest.approx(reward, rel=1e-5)
    assert len(old) == len(second)


def test_a_state_of_an_earlier_version_has_the_cost_of_one_cell_everywhere() -> None:
    first = Collector(np.random.default_rng(4), 2, 7).collect(10).replay
    state = {name: tensor.clone() for name, tensor in first.state().items() if name != "cost"}
    state["counters"] = state["counters"][:1]
    second = Replay((3, 4), 2, 14, 2)
    second.restore(state)
    assert len(second) == len(first)
    assert (second.cost == 1.0).all()
    assert torch.equal(second.reward, first.reward)


def test_a_state_of_another_size_is_refused() -> None:
    state = Replay((3, 4), 2, 14, 2).state()
    with pytest.raises(InputError, match="started with"):
        Replay((3, 4), 2, 20, 2).restore(state)


def test_one_row_is_no_transition_and_a_tiny_capacity_is_refused() -> None:
    collector = Collector(np.random.default_rng(6), 2, 6).collect(1)
    assert len(collector.replay) == 0
    with pytest.raises(InputError, match="capacity"):
        Replay((3, 4), 4, 7, 2)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.int64, torch.bool])
def test_observations_that_are_no_bytes_are_refused(kind: torch.dtype) -> None:
    """Floats from 0 to 1 would be stored as 0 and 1 of 255."""
    replay = Replay((4, 4), 1, capacity=40, episode_steps=10)
    seen = torch.zeros(1, OBSERVATION.channels, 4, 4, dtype=kind)
    with pytest.raises(TypeError, match=f"must be uint8.*got {kind}"):
        replay.append(seen, torch.zeros(1, dtype=torch.int64), torch.zeros(1),
                      torch.ones(1, dtype=torch.bool), torch.ones(1))
    assert replay.state()["counters"].tolist() == [0, 0]


@pytest.mark.parametrize("part", ["dynamic", "flags", "scalars", "static"])
def test_episodes_that_are_no_bytes_are_refused(part: str) -> None:
    replay = Replay((4, 4), 1, capacity=40, episode_steps=10)
    layers = np.zeros((10, OBSERVATION.channels, 4, 4), np.uint8)
    episode = pack_episode(layers, np.zeros(10, np.int64), np.zeros(10), np.ones(10))
    floats = getattr(episode, part).astype(np.float32)
    with pytest.raises(TypeError, match=r"must be uint8.*got float32"):
        replay.append_episode(episode._replace(**{part: floats}))
    assert replay.state()["counters"].tolist() == [0, 0]
    replay.append_episode(episode)
    assert len(replay) == 9


def test_floats_are_not_packed_into_an_episode() -> None:
    layers = np.zeros((10, OBSERVATION.channels, 4, 4), np.float32)
    with pytest.raises(TypeError, match="must be uint8"):
        pack_episode(layers, np.zeros(10, np.int64), np.zeros(10), np.ones(10))


@given(st.lists(st.booleans(), min_size=1, max_size=70), st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_bits_come_back_as_they_were(bits, copies) -> None:
    flags = torch.tensor([bits] * copies, dtype=torch.uint8) * 255
    packed = torch.from_numpy(np.packbits(flags.numpy() > 0, axis=-1, bitorder="little"))
    assert packed.shape == (copies, -(-len(bits) // 8))
    assert torch.equal(unpack_bits(packed, len(bits)) * 255, flags)
