import copy
import os

import numpy as np
import pytest
import torch

from firebreak.agent import dqn
from firebreak.agent.dqn import DQNAgent
from firebreak.agent.experience import Batch
from firebreak.agent.exploration import between, epsilon_at
from firebreak.agent.network import QMapNetwork
from firebreak.agent.targets import double_q_target, masked_argmax, per_cost
from firebreak.layout import OBSERVATION
from firebreak.settings.agent import AgentSettings

SIDE = 6
CELLS = SIDE * SIDE


def settings(**changed):
    """Schedules are constant where their end is not given."""
    given = {"epsilon": 0.0, "discount": 0.9, "learning_rate": 1e-3, "width": 8,
             "target_period": 3} | changed
    ends = {f"{name}_end": given[name] for name in ("epsilon", "discount", "learning_rate")}
    return AgentSettings(**(ends | given))


def agent(seed=0, **changed):
    return DQNAgent(settings(**changed), seed)


def observations(count, seed=0):
    return torch.rand(count, OBSERVATION.channels, SIDE, SIDE,
                      generator=torch.Generator().manual_seed(seed))


def batch(count=8, seed=0, discount=0.9):
    draw = torch.Generator().manual_seed(seed + 100)
    return Batch(observations(count, seed), torch.randint(CELLS, (count,), generator=draw),
                 torch.rand(count, generator=draw), torch.full((count,), discount),
                 observations(count, seed + 1), torch.rand(count, CELLS, generator=draw) < 0.5)


class Table(torch.nn.Module):
    """A network whose Q-values are given."""

    def __init__(self, q):
        super().__init__()
        self.q = torch.nn.Parameter(torch.as_tensor(q, dtype=torch.float32))

    def forward(self, observation):
        return self.q.expand(observation.shape[0], -1)

    def value_of(self, observation, action):
        return self(observation).gather(1, action[:, None])[:, 0]


# Tests may let PyTorch round as on another processor; its digits are fewer there.
ROUNDING = 1e-5 if os.environ.get("FIREBREAK_TEST_ROUNDING") else 1e-6


def asked(q):
    """Q-values [M] of one action each, of those of all [M, A]."""
    return lambda action: q.gather(1, action[:, None])[:, 0]


@pytest.mark.parametrize("cost", [0.3, 1.0, 24.0])
def test_a_reward_counts_by_its_cost_at_discount_0_and_whole_at_1(cost: float) -> None:
    costs = torch.tensor([cost])
    assert float(per_cost(0.0, costs)) == pytest.approx(1.0 / cost, rel=ROUNDING)
    assert float(per_cost(1.0, costs)) == 1.0
    # Of the series around g = 1 the first term: 1 - (1 - g) (c - 1) / 2.
    nearly = 1.0 - 5e-7 * (cost - 1.0)
    assert float(per_cost(1.0 - 1e-6, costs)) == pytest.approx(nearly, abs=0.3 * ROUNDING)
    whole = (1.0 - 0.9**cost) / (0.1 * cost)
    assert float(per_cost(0.9, costs)) == pytest.approx(whole, rel=ROUNDING)


@pytest.mark.parametrize("discount", [0.0, 0.3, 0.9, 0.95, 1.0 - 1e-6, 1.0])
def test_a_reward_at_the_mean_cost_counts_whole_to_the_bit(discount: float) -> None:
    other = 0.3 * ROUNDING if os.environ.get("FIREBREAK_TEST_ROUNDING") else 0.0
    assert per_cost(discount, torch.ones(3)).tolist() == pytest.approx([1.0] * 3, rel=other, abs=0)


@pytest.mark.parametrize("discount", [0.5, 0.9, 1.0 - 1e-6, 1.0])
@pytest.mark.parametrize("cost", [0.3, 1.0, 24.0])
def test_two_halves_of_an_action_are_worth_the_whole(discount: float, cost: float) -> None:
    """Each half has half of the reward, and the second comes after the first is paid."""
    whole, half = (float(per_cost(discount, torch.tensor([c]))) for c in (cost, cost / 2.0))
    assert 0.5 * half * (1.0 + discount**(cost / 2.0)) == pytest.approx(whole, rel=1e-5)


def test_targets_by_hand() -> None:
    target = double_q_target(
        reward=torch.tensor([1.0, 2.0, 3.0]), discount=torch.tensor([0.5, 0.9, 0.0]),
        online_next=torch.tensor([[1.0, 5.0, 2.0], [9.0, 1.0, 2.0], [1.0, 1.0, 1.0]]),
        target_next=asked(torch.tensor([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0],
                                        [7.0, 8.0, 9.0]])),
        next_mask=torch.tensor([[True, True, True], [False, True, True], [True, True, True]]))
    # 1 + 0.5 * 20; the 9 is masked: 2 + 0.9 * 60; the episode is over: 3.
    torch.testing.assert_close(target, torch.tensor([11.0, 56.0, 3.0]))


def test_an_ended_episode_takes_no_value_even_from_an_empty_mask_or_infinity() -> None:
    target = double_q_target(torch.tensor([2.0]), torch.tensor([0.0]), torch.full((1, 3), 1.0),
                             asked(torch.full((1, 3), torch.inf)),
                             torch.zeros(1, 3, dtype=torch.bool))
    assert target.tolist() == [2.0]


def test_an_illegal_cell_with_the_highest_value_is_never_chosen() -> None:
    q = torch.tensor([[-5.0, 99.0, -7.0], [-1.0, -2.0, 99.0]])
    mask = torch.tensor([[True, False, True], [False, True, False]])
    assert masked_argmax(q, mask).tolist() == [0, 1]


def test_an_illegal_cell_does_not_reach_the_loss_of_learning() -> None:
    """Online and target value of the illegal cell are absurd; the update must not know them."""
    losses = []
    for absurd in (0.0, 1e6):
        learner = agent()
        q = torch.arange(CELLS, dtype=torch.float32) / CELLS
        q[7] = absurd
        learner.online_net, learner.target_net = Table(q), Table(q)
        learner.optimizer = torch.optim.SGD(learner.online_net.parameters(), lr=0.0)
        given = batch()
        given.next_mask[:, 7] = False
        given.next_mask[:, 20] = True
        given.action[:] = 3
        losses.append(learner.learn(given).loss)
    assert losses[0] == losses[1]


def with_best_downstream(observation, share):
    """The observation of a map whose best cell has this share of the loss downstream."""
    seen = observation.clone()
    seen[:, OBSERVATION.channel("best_downstream")] = share**0.25
    return seen


def test_the_loss_of_learning_is_that_of_the_equation() -> None:
    learner = agent(learning_rate=0.0)
    online, target = torch.zeros(CELLS), torch.zeros(CELLS)
    online[4], online[9], target[9], target[2] = -3.0, 0.5, 30.0, 99.0
    learner.online_net, learner.target_net = Table(online), Table(target)
    learner.optimizer = torch.optim.SGD(learner.online_net.parameters(), lr=0.0)
    mask = torch.ones(1, CELLS, dtype=torch.bool)
    mask[0, 4] = False
    given = Batch(with_best_downstream(observations(1), 1.0), torch.tensor([4]),
                  torch.tensor([0.2]), torch.tensor([0.5]),
                  with_best_downstream(observations(1), 1 / 16), mask)
    # The unit is 1/5 of the loss now and 1/80 afterwards. Best allowed online cell: 9, so the
    # target is 0.2 / (1/5) + 0.5 * 30 / 16 = 1.9375 against -3: Huber 4.4375.
    assert learner.learn(given).loss == pytest.approx(4.4375, rel=1e-5)
    given.discount[0] = 0.0
    assert learner.learn(given).loss == pytest.approx(3.5, rel=1e-5)


def test_q_values_are_shares_of_the_untreated_loss() -> None:
    learner = agent()
    learner.online_net = Table(torch.full((CELLS,), 2.0))
    seen = torch.cat([with_best_downstream(observations(1), s) for s in (1.0, 1e-2, 0.0)])
    expected = torch.tensor([0.4, 0.004, 0.4e-6])[:, None].expand(3, CELLS)
    torch.testing.assert_close(learner.q_values(seen), expected)


def test_greedy_and_explored_actions_are_legal() -> None:
    observation = observations(400)
    mask = torch.rand(400, CELLS, generator=torch.Generator().manual_seed(1)) < 0.1
    mask[:, 5] |= ~mask.any(1)
    for epsilon in (0.0, 0.5, 1.0):
        for guided in (0.0, 0.5, 1.0):
            chosen = agent(epsilon=epsilon, guided=guided).act(observation, mask, 0)
            assert mask[torch.arange(400), chosen].all()


def test_full_exploration_reaches_every_legal_cell_evenly() -> None:
    mask = torch.zeros(4000, CELLS, dtype=torch.bool)
    mask[:, [0, 3, 17, 35]] = True
    chosen = agent(epsilon=1.0, guided=0.0).act(
        torch.zeros(4000, OBSERVATION.channels, SIDE, SIDE), mask, 0)
    count = np.bincount(chosen.numpy(), minlength=CELLS)
    assert set(np.flatnonzero(count).tolist()) == {0, 3, 17, 35}
    np.testing.assert_allclose(count[[0, 3, 17, 35]] / 4000, 0.25, atol=0.03)


def test_guided_exploration_is_among_the_best_cells_by_downstream_value() -> None:
    observation = observations(1).expand(3000, -1, -1, -1)
    guide = observation[0, OBSERVATION.channel("downstream_value")].flatten()
    mask = torch.ones(3000, CELLS, dtype=torch.bool)
    mask[:, guide.argmax()] = False
    best = set(guide.masked_fill(~mask[0], -1.0).topk(5).indices.tolist())
    chosen = agent(epsilon=1.0, guided=1.0, guided_cells=5).act(observation, mask, 0)
    assert set(chosen.tolist()) == best
    half = agent(epsilon=1.0, guided=0.5, guided_cells=5).act(observation, mask, 0)
    among = np.isin(half.numpy(), list(best)).mean()
    assert among == pytest.approx(0.5 + 0.5 * 5 / (CELLS - 1), abs=0.04)


def test_epsilon_is_the_share_of_explored_actions() -> None:
    observation = observations(1).expand(4000, -1, -1, -1)
    mask = torch.ones(4000, CELLS, dtype=torch.bool)
    learner = agent(epsilon=1.0, epsilon_end=0.2, epsilon_steps=100, guided=0.0)
    best = learner.act_greedily(observation[:1], mask[:1])
    for env_steps in (0, 50, 100):
        greedy = (learner.act(observation, mask, env_steps) == best).float().mean().item()
        epsilon = epsilon_at(learner.settings, env_steps)
        assert greedy == pytest.approx(1 - epsilon + epsilon / CELLS, abs=0.04)


def test_schedules_are_straight_lines_between_fixed_ends() -> None:
    assert [between(step, 1.0, 0.1, 10, 20) for step in (0, 10, 15, 20, 10_000)] == [
        1.0, 1.0, pytest.approx(0.55), 0.1, 0.1]
    assert [between(step, 1.0, 0.1, 10, 10) for step in (10, 11)] == [1.0, 0.1]


def test_the_discount_and_learning_rate_follow_learner_steps() -> None:
    learner = agent(discount=0.0, discount_end=0.9, discount_begin=0, discount_finish=3,
                    learning_rate=1e-3, learning_rate_end=1e-4, decay_begin=0, decay_finish=3)
    seen = []
    for _ in range(5):
        discount = learner.discount
        learner.learn(batch())
        seen.append((discount, learner.optimizer.param_groups[0]["lr"]))
    np.testing.assert_allclose(seen, [(0.0, 1e-3), (0.3, 7e-4), (0.6, 4e-4), (0.9, 1e-4),
                                      (0.9, 1e-4)])


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one.state_dict().values(),
                                                 other.state_dict().values(), strict=True))


def test_the_target_is_copied_every_period_and_only_then() -> None:
    learner = agent(target_period=3)
    assert same(learner.online_net, learner.target_net)
    for step in range(1, 8):
        before = copy.deepcopy(learner.target_net)
        learner.learn(batch(seed=step))
        if step % 3 == 0:
            assert same(learner.target_net, learner.online_net)
        else:
            assert same(learner.target_net, before)
            assert not same(learner.target_net, learner.online_net)
    assert not any(p.requires_grad for p in learner.target_net.parameters())


def test_learning_is_the_same_for_the_same_seed() -> None:
    def trained(seed):
        learner = agent(seed)
        return learner, [learner.learn(batch(seed=k)) for k in range(4)]

    (one, first), (two, second), (other, _) = trained(1), trained(1), trained(2)
    assert first == second
    assert same(one.online_net, two.online_net)
    assert not same(one.online_net, other.online_net)


def test_making_an_agent_leaves_the_global_random_state_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    agent(9)
    assert torch.equal(torch.rand(3), expected)


def test_a_fixed_batch_is_learned() -> None:
    learner = agent(learning_rate=3e-3)
    given = batch(count=16, discount=0.0)
    given = given._replace(observation=with_best_downstream(given.observation, 1.0))
    losses = [learner.learn(given).loss for _ in range(150)]
    assert losses[-1] < 0.1 * losses[0]


def test_a_restored_agent_goes_on_as_the_first_would_have() -> None:
    first, second = agent(1, epsilon=1.0), agent(2, epsilon=1.0)
    for k in range(4):
        first.learn(batch(seed=k))
    second.restore(copy.deepcopy(first.state()))
    mask = torch.ones(8, CELLS, dtype=torch.bool)
    assert torch.equal(first.act(observations(8), mask, 0), second.act(observations(8), mask, 0))
    assert first.learn(batch(seed=9)) == second.learn(batch(seed=9))
    assert same(first.online_net, second.online_net)
    assert first.learner_steps == second.learner_steps == 5


def test_a_batch_in_parts_teaches_what_it_teaches_at_once(monkeypatch) -> None:
    at_once, in_parts = agent(), agent()
    given = batch(count=7)
    one = at_once.learn(given)
    monkeypatch.setattr(dqn, "MAX_PART_CELLS", 3 * CELLS)
    networks = dqn.Networks(in_parts.online_net, in_parts.target_net)
    assert [len(values) for _, values in dqn.part_losses(networks, given, 0)] == [3, 3, 1]
    other = in_parts.learn(given)
    assert (other.loss, other.gradient_norm, other.mean_q) == pytest.approx(
        (one.loss, one.gradient_norm, one.mean_q), rel=1e-5)


def test_a_step_learns_what_it_would_from_the_values_of_whole_maps(monkeypatch) -> None:
    one, whole = agent(), agent()
    given = batch(count=9)
    made = one.learn(given)
    monkeypatch.setattr(QMapNetwork, "value_of", Table.value_of)
    assert made == pytest.approx(whole.learn(given), rel=1e-5)
    for weight, other in zip(one.online_net.parameters(), whole.online_net.parameters(),
                             strict=True):
        torch.testing.assert_close(weight.grad, other.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_cleanup_frees_gradients_and_changes_nothing_else() -> None:
    one, two = agent(), agent()
    for learner in (one, two):
        learner.learn(batch())
    assert one.cleanup_memory() == 0
    assert all(p.grad is None for p in one.online_net.parameters())
    assert one.learn(batch(seed=3)) == two.learn(batch(seed=3))


def one_step(reward=0.2, discount=0.5):
    """A transition from cell 4 of two maps, of which all cells but 5 are allowed."""
    now, following = observations(1), observations(1, seed=1)
    for seen, share, left in ((now, 1.0, 0.8), (following, 1 / 16, 0.6)):
        seen[:, OBSERVATION.channel("available")] = 1.0
        seen[:, OBSERVATION.channel("available")].flatten(1)[:, 5] = 0.0
        seen[:, OBSERVATION.channel("best_downstream")] = share**0.25
        seen[:, OBSERVATION.channel("loss_left")] = left
    mask = torch.ones(1, CELLS, dtype=torch.bool)
    mask[0, 5] = False
    return Batch(now, torch.tensor([4]), torch.tensor([reward]), torch.tensor([discount]),
                 following, mask)


def learned_loss(given, online, target, **changed):
    learner = agent(learning_rate=0.0, **changed)
    learner.online_net, learner.target_net = Table(online), Table(target)
    learner.optimizer = torch.optim.SGD(learner.online_net.parameters(), lr=0.0)
    return learner.learn(given).loss


def huber(difference):
    size = abs(difference)
    return 0.5 * size**2 if size < 1 else size - 0.5


def test_the_loss_is_the_mean_of_the_transitions_huber_losses() -> None:
    given = batch(count=2, discount=0.0)._replace(reward=torch.tensor([0.2, 0.06]))
    given = given._replace(observation=with_best_downstream(given.observation, 1.0))
    learner = agent(learning_rate=0.0)
    learner.online_net = Table(torch.zeros(CELLS))
    learner.optimizer = torch.optim.SGD(learner.online_net.parameters(), lr=0.0)
    update = learner.learn(given)
    # Errors 1 and 0.3, in the unit of 1/5 of the loss.
    assert update.loss == pytest.approx((0.5 + 0.045) / 2, rel=1e-5)
