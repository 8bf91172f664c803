"""The learning rules against numbers worked out by hand."""


import pytest
import torch

from firebreak.agent.targets import (
    copy_towards,
    dueling,
    large_margin,
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
