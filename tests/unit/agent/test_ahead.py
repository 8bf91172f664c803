"""Values of two parts: what an action saves by itself, exactly known, and what follows."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from firebreak.agent import dqn
from firebreak.agent.dqn import DQNAgent, Networks, continued_value
from firebreak.agent.experience import AheadBatch, GainBatch, Tried
from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import load_policy, save_policy
from firebreak.agent.replay import Replay
from firebreak.agent.symmetry import turn_ahead, turn_gains
from firebreak.agent.targets import NETWORK_SCALE, per_cost, unit_of, unit_of_continuation
from firebreak.layout import OBSERVATION
from firebreak.settings.agent import AgentSettings

SIDE = 6
CELLS = SIDE * SIDE
NAN = torch.nan


def observations(count: int, seed: int = 0) -> Tensor:
    draw = torch.Generator().manual_seed(seed)
    seen = torch.rand(count, OBSERVATION.channels, SIDE, SIDE, generator=draw)
    for name in OBSERVATION.scalars:  # one number per observation
        channel = OBSERVATION.channel(name)
        seen[:, channel] = 0.2 + 0.8 * seen[:, channel, :1, :1]
    return seen


def batch_of(count: int = 5, tried: int = 4, seed: int = 0) -> AheadBatch:
    draw = torch.Generator().manual_seed(seed + 50)

    def actions() -> Tensor:
        return torch.stack([torch.randperm(CELLS, generator=draw)[:tried] for _ in range(count)])

    def gains() -> Tensor:
        return 0.02 * torch.rand(count, tried, generator=draw)

    return AheadBatch(observations(count, seed), actions(), gains(),
                      0.01 * torch.rand(count, generator=draw),
                      torch.rand(count, generator=draw), observations(count, seed + 1), actions(),
                      gains())


class Fixed(nn.Module):
    """A network whose parts of the values of all cells are given, [2, CELLS]."""

    def __init__(self, gain: Tensor, after: Tensor) -> None:
        super().__init__()
        self.own = torch.stack([gain, after])

    def parts_at(self, observation: Tensor, action: Tensor) -> Tensor:
        return torch.stack([part[action] for part in self.own], dim=1)

    def parts_of(self, observation: Tensor, action: Tensor) -> Tensor:
        return self.parts_at(observation, action[:, None])[..., 0]


def networks(online: nn.Module, target: nn.Module) -> Networks:
    return Networks(online, target)  # type: ignore[arg-type]


def agent(**changed: float) -> DQNAgent:
    given = {"gain_share": 1.0, "width": 8, "discount": 1.0, "discount_end": 1.0} | changed
    return DQNAgent(AgentSettings(**given), 0)  # type: ignore[arg-type]


def test_the_next_state_is_valued_by_the_exact_gain_of_the_networks_own_choice() -> None:
    """The network prefers cell 3 by its own values; cell 1 has the largest exact gain, cell 5 the
    largest value but was not tried.
    """
    batch = batch_of(1, 3)._replace(next_action=torch.tensor([[1, 3, 9]]),
                                    next_gain=torch.tensor([[0.9, 0.1, NAN]]))
    gain, after, later = torch.zeros(CELLS), torch.zeros(CELLS), torch.zeros(CELLS)
    gain[3], after[5], gain[9], later[3] = 1.0, 50.0, 70.0, 2.0
    found = continued_value(networks(Fixed(gain, after), Fixed(gain, later)), batch)
    left = batch.next_observation[:, OBSERVATION.channel("loss_left"), 0, 0]
    assert found.item() == pytest.approx(0.1 + 2.0 * left.item() / NETWORK_SCALE)


def test_the_loss_is_that_of_both_parts_by_hand() -> None:
    batch = batch_of(2, 2)._replace(gain=torch.tensor([[0.01, NAN], [0.02, 0.03]]),
                                    discount=torch.tensor([0.5, 0.0]))
    gain, after = torch.linspace(0, 0.2, CELLS), torch.linspace(0.1, 0.3, CELLS)
    both = networks(Fixed(gain, after), Fixed(gain, 2.0 * after))
    loss = sum(float(one) for one, _ in dqn.part_losses(
        networks(nn.ModuleList([_Asked(both.online), nn.Linear(1, 1)])[0], both.target), batch, 0))
    unit, left = (f(batch.observation, OBSERVATION) for f in (unit_of, unit_of_continuation))
    errors = [batch.gain[r, k] / unit[r] - gain[batch.action[r, k]]
              for r, k in ((0, 0), (1, 0), (1, 1))]
    target = batch.reward + batch.discount * continued_value(both, batch)
    later = [target[r] / left[r] - after[batch.action[r, 0]] for r in (0, 1)]
    expected = (np.mean([huber(float(e)) for e in errors])
                + np.mean([huber(float(e)) for e in later]))
    assert loss == pytest.approx(expected, rel=1e-4)


class _Asked(nn.Module):
    """A network of fixed values that has a parameter, by which its device is known."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner, self.parameter = inner, nn.Parameter(torch.zeros(1))

    def parts_at(self, observation: Tensor, action: Tensor) -> Tensor:
        return self.inner.parts_at(observation, action)


def huber(error: float) -> float:
    return 0.5 * error**2 if abs(error) < 1.0 else abs(error) - 0.5


def test_parts_of_a_batch_weigh_every_gain_and_state_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(5)
    batch.gain[:2, 1:] = NAN
    batch.gain[0, 0] = NAN  # the action taken left the map
    batch.next_gain[1, 1:] = NAN  # nothing was tried in the next state
    one = agent().learn(batch)
    monkeypatch.setattr(dqn, "MAX_PART_CELLS", 2 * CELLS)
    other = agent().learn(batch)
    assert (other.loss, other.gradient_norm, other.mean_q) == pytest.approx(
        (one.loss, one.gradient_norm, one.mean_q), rel=1e-4)


def test_what_follows_is_not_learned_where_nothing_was_tried() -> None:
    """Its absurd gains of taken actions must not come into any loss."""
    losses = []
    for absurd in (0.0, 1e6):
        batch = batch_of(3)
        batch.next_gain[0, 1:], batch.next_gain[0, 0] = NAN, absurd
        losses.append(agent().learn(batch).loss)
    assert losses[0] == losses[1]


def test_gains_of_pure_noise_promise_nothing() -> None:
    """No action has any effect but the noise of the fires that gains are counted on: the next
    states are worth nothing. Valued by their largest gain they would be worth 1.4 times the noise.
    """
    noise, count, tried = 0.05, 4000, 8
    draw = torch.Generator().manual_seed(7)
    learner = agent()
    with torch.no_grad():  # nothing follows
        for parameter in (*learner.target_net.head.parameters(),
                          *learner.target_net.base.parameters()):
            parameter.zero_()
    batch = batch_of(count, tried)._replace(
        next_gain=noise * torch.randn(count, tried, generator=draw))
    found = continued_value(Networks(learner.online_net, learner.target_net), batch)
    assert float(found.mean().abs()) < 4.0 * noise / count**0.5
    assert float(batch.next_gain.amax(dim=1).mean()) > 1.3 * noise


@pytest.mark.parametrize("k", range(8))
def test_a_turned_batch_turns_states_and_actions_of_both_steps(k: int) -> None:
    batch = batch_of()
    turned = turn_ahead(batch, k)
    here = turn_gains(GainBatch(batch.observation, batch.gain, batch.action), k)
    there = turn_gains(GainBatch(batch.next_observation, batch.next_gain, batch.next_action), k)
    for one, other in ((turned.observation, here.observation), (turned.action, here.action),
                       (turned.gain, here.gain), (turned.next_action, there.action),
                       (turned.next_observation, there.observation)):
        assert torch.equal(one, other)


@pytest.mark.parametrize("discount", [0.0, 0.7, 1.0 - 1e-6, 1.0])
@pytest.mark.parametrize("n_step", [1, 3])
def test_rows_bring_their_gains_and_those_that_follow(discount: float, n_step: int) -> None:
    rng, replay = np.random.default_rng(3), Replay((2, 2), 1, 40, 4, 2)
    rows = []
    for step in range(20):
        tried = Tried(rng.integers(0, 4, (1, 2)).astype(np.int32),
                      rng.random((1, 2)).astype(np.float32),
                      rng.choice([0.3, 1.0, 24.0], (1, 2)).astype(np.float32))
        row = {"action": int(rng.integers(4)), "reward": rng.random(), "over": step % 5 == 4,
               "cost": rng.choice([0.3, 1.0, 24.0]), "tried": tried}
        seen = torch.full((1, OBSERVATION.channels, 2, 2), step, dtype=torch.uint8)
        replay.append(seen, torch.tensor([row["action"]]), torch.tensor([row["reward"]]),
                      torch.tensor([row["over"]]), torch.tensor([row["cost"]]), tried)
        rows.append(row)
    batch = replay._gather_ahead(torch.arange(19), torch.zeros(19, dtype=torch.int64), discount,
                                 n_step)

    def weighted(gain: float, cost: float) -> float:
        return gain * float(per_cost(discount, torch.tensor([cost])))

    for at in range(19):
        later, factor, end = 0.0, 1.0, at
        while end < min(at + n_step, 19) and factor > 0.0:
            if end > at:
                later += factor * weighted(rows[end]["reward"], rows[end]["cost"])
            factor *= 0.0 if rows[end]["over"] else discount**rows[end]["cost"]
            end += 1
        assert batch.reward[at].item() == pytest.approx(later, rel=1e-4, abs=1e-6)
        assert batch.discount[at].item() == pytest.approx(factor, rel=1e-5)
        follows = ((at, batch.action, batch.gain), (end, batch.next_action, batch.next_gain))
        for place, action, gain in follows if factor > 0.0 else follows[:1]:
            row = rows[place]
            tried = row["tried"]
            assert action[at].tolist() == [row["action"], *tried.action[0].tolist()]
            assert gain[at].tolist() == pytest.approx(
                [weighted(row["reward"], row["cost"])]
                + [weighted(float(g * c), float(c)) for g, c in zip(
                    tried.gain[0], tried.cost[0], strict=True)], rel=1e-4)


def test_the_ways_to_a_value_agree_and_a_policy_keeps_both_parts(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = QMapNetwork(OBSERVATION.channels, 8, parts=2)
    seen, action = observations(3), torch.tensor([[0, 7, 35], [4, 4, 2], [9, 30, 1]])
    with torch.no_grad():
        values = network(seen)
        torch.testing.assert_close(network.values_at(seen, action), values.gather(1, action))
        torch.testing.assert_close(network.value_of(seen, action[:, 1]), values.gather(
            1, action[:, 1:2])[:, 0])
        torch.testing.assert_close(network.parts_of(seen, action[:, 2]),
                                   network.parts_at(seen, action)[..., 2])
        parts = network.parts_at(seen, action)
        units = [f(seen, OBSERVATION) for f in (unit_of, unit_of_continuation)]
        torch.testing.assert_close(
            values.gather(1, action) * units[0][:, None],
            sum(parts[:, k] * unit[:, None] for k, unit in enumerate(units)))
        save_policy(tmp_path / "policy.safetensors", network, {})
        again = load_policy(tmp_path / "policy.safetensors").network
        assert again.parts == 2
        assert torch.equal(again(seen), values)
