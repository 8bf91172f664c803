"""The learning rules against numbers worked out by hand."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from firebreak.agent.targets import (
    copy_towards,
    dueling,
    large_margin,
    lower_mean,
    munchausen_bonus,
    quantile_huber,
    quantile_target,
    soft_value,
)

MASK = torch.tensor([[True, False, True], [False, True, True], [False, False, False]])


def test_dueling_subtracts_the_mean_of_allowed_advantages_only() -> None:
    value = torch.tensor([[10.0], [20.0], [30.0]])
    advantage = torch.tensor([[1.0, 1e6, 3.0], [-1e6, 4.0, 8.0], [5.0, 6.0, 7.0]])
    q = dueling(value, advantage, MASK)
    # Means 2 and 6, and none where nothing is allowed.
    assert q[0, [0, 2]].tolist() == [9.0, 11.0]
    assert q[1, 1:].tolist() == [18.0, 22.0]
    assert q[2].tolist() == [35.0, 36.0, 37.0]


def test_dueling_is_told_apart_from_the_mean_over_all_cells_by_its_mean() -> None:
    draw = torch.Generator().manual_seed(0)
    value, advantage = torch.rand(50, 1, generator=draw), torch.randn(50, 9, generator=draw)
    mask = torch.rand(50, 9, generator=draw) < 0.4
    mask[:, 3] = True
    q = dueling(value, advantage, mask)
    for row in range(50):
        assert q[row, mask[row]].mean().item() == pytest.approx(value[row].item(), abs=1e-5)


def test_the_soft_value_by_hand() -> None:
    q = torch.tensor([[1.0, 9.0, 3.0], [7.0, 2.0, 2.0], [1.0, 2.0, 3.0]])
    value = soft_value(q, MASK, 2.0)
    # 2 log(e^0.5 + e^1.5); two equal cells: 2 + 2 log 2; nothing allowed: 0.
    expected = [2 * math.log(math.exp(0.5) + math.exp(1.5)), 2 + 2 * math.log(2), 0.0]
    torch.testing.assert_close(value, torch.tensor(expected))


def test_the_soft_value_is_the_policys_mean_value_and_entropy() -> None:
    q = torch.tensor([[0.3, -0.4, 0.1, 5.0]])
    mask = torch.tensor([[True, True, True, False]])
    policy = torch.softmax(q[:, :3] / 0.25, 1)
    expected = (policy * (q[:, :3] - 0.25 * policy.log())).sum(1)
    torch.testing.assert_close(soft_value(q, mask, 0.25), expected)


def test_a_cold_soft_value_is_the_largest_allowed_one() -> None:
    q = torch.tensor([[1.0, 9.0, 3.0]])
    assert soft_value(q, MASK[:1], 1e-3).item() == pytest.approx(3.0)


def test_the_munchausen_bonus_by_hand() -> None:
    q = torch.tensor([[0.0, 50.0, math.log(3.0)], [0.0, 0.0, 40.0]])
    bonus = munchausen_bonus(q, torch.tensor([0, 1]), MASK[:2], 0.5)
    # At temperature 0.5 the odds are 1 to 9: 0.5 log 0.1 is below -1; the other is far below it.
    torch.testing.assert_close(bonus, torch.tensor([-1.0, -1.0]))
    bonus = munchausen_bonus(q[:1], torch.tensor([2]), MASK[:1], 0.5)
    torch.testing.assert_close(bonus, torch.tensor([0.5 * math.log(0.9)]))


def test_the_large_margin_by_hand() -> None:
    q = torch.tensor([[2.0, 9.0, 1.5], [0.0, 1.0, 3.0]])
    margin = large_margin(q, torch.tensor([0, 1]), MASK[:2], 0.8)
    # 1.5 + 0.8 is 0.3 above 2 (the 9 is not allowed); 3 + 0.8 is 2.8 above 1.
    torch.testing.assert_close(margin, torch.tensor([0.3, 2.8]))
    assert large_margin(q[:1], torch.tensor([0]), MASK[:1], 0.4).item() == 0.0


def test_soft_copies_move_the_target_by_a_share() -> None:
    target, online = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    before = target.weight.detach().clone()
    target.requires_grad_(False)
    copy_towards(target, online, 0.25)
    torch.testing.assert_close(target.weight, 0.75 * before + 0.25 * online.weight.detach())
    copy_towards(target, online, 1.0)
    torch.testing.assert_close(target.bias, online.bias.detach())


def test_the_quantile_loss_by_hand() -> None:
    quantiles = torch.tensor([[1.0, 3.0]], requires_grad=True)
    loss = quantile_huber(quantiles, torch.tensor([[1.5, 5.0]]))
    # Midpoints 1/4 and 3/4. From 1: errors 0.5 and 4, Huber 0.125 and 3.5, weight 1/4 each;
    # from 3: -1.5 and 2, Huber 1 and 1.5, weights 1/4 and 3/4.
    expected = 2 * (0.25 * (0.125 + 3.5) / 2 + (0.25 * 1.0 + 0.75 * 1.5) / 2)
    assert loss.item() == pytest.approx(expected)
    one_sample = quantile_huber(quantiles, torch.tensor([[1.5]]))
    assert one_sample.item() == pytest.approx(2 * (0.25 * 0.125 + 0.25 * 1.0))
    loss.sum().backward()
    assert quantiles.grad is not None
    # Of -2 * (1/4) * (0.5 + 1) / 2, and of 2 * ((1/4) - (3/4)) / 2.
    torch.testing.assert_close(quantiles.grad, torch.tensor([[-0.375, -0.5]]))


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_the_loss_of_one_quantile_is_hubers(one, other) -> None:
    q, target = torch.tensor([[one]]), torch.tensor([[other]])
    expected = torch.nn.functional.huber_loss(q, target)
    assert quantile_huber(q, target).item() == pytest.approx(expected.item(), abs=1e-6)


def test_quantile_regression_finds_the_quantiles_of_its_samples() -> None:
    quantiles = torch.zeros(1, 4, requires_grad=True)
    samples = torch.linspace(0, 80, 801)[None]
    optimizer = torch.optim.Adam([quantiles], lr=0.5)
    for _ in range(1200):
        optimizer.zero_grad()
        quantile_huber(quantiles, samples).sum().backward()
        optimizer.step()
    torch.testing.assert_close(quantiles.detach(), torch.tensor([[10.0, 30.0, 50.0, 70.0]]),
                               atol=1.0, rtol=0.0)


def test_quantile_targets_by_hand() -> None:
    online = torch.tensor([[1.0, 9.0, 2.0], [1.0, 2.0, 3.0]])
    spread = torch.tensor([[[1.0, 2.0], [90.0, 91.0], [5.0, 7.0]],
                           [[torch.nan] * 2, [torch.inf] * 2, [torch.inf] * 2]])
    target = quantile_target(torch.tensor([1.0, 4.0]), torch.tensor([0.5, 0.0]), online, spread,
                             MASK[[0, 2]])
    assert target.tolist() == [[3.5, 4.5], [4.0, 4.0]]


def test_the_mean_of_the_lowest_quantiles_by_hand() -> None:
    spread = torch.tensor([[[4.0, 1.0, 3.0, 2.0], [9.0, 0.0, 9.0, 0.0]]])
    assert lower_mean(spread, 1.0).tolist() == [[2.5, 4.5]]
    assert lower_mean(spread, 0.5).tolist() == [[1.5, 0.0]]
    assert lower_mean(spread, 0.51).tolist() == [[2.0, 3.0]]
    assert lower_mean(spread, 0.01).tolist() == [[1.0, 0.0]]
