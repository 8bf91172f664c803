"""Masked Q-learning: values, targets and losses; one equation, one function.

q is float32 [M, A], mask bool [M, A] with True for the allowed cells, discount [M] is 0 where the
episode ended.

Q-values are relative to what the best cell could save: one scale for maps of any size. A break
saves at most its cell's downstream value (but for fire that comes round earlier), so the largest
downstream value of a treatable cell is a natural unit of what one more break is worth. It is in the
observation. The network gives Q-values in that unit: the first break on a small map and the
four-hundredth on a large one are learned at the same scale.

A value may have two parts: what the action saves by itself, and what all later actions save, its
continuation. The first is known exactly of every action that the simulator has tried; the second is
learned of the actions that were taken. It can be no more than the loss that is left, which is its
unit.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from firebreak.layout import OBSERVATION, ObservationLayout

NETWORK_SCALE = 5.0
"""The network's output for a Q-value of one unit; errors above 1 / NETWORK_SCALE units count
linearly (Huber)."""
_MIN_UNIT = 1e-6
_LEAST_LEFT = 1.0 / 255.0


def unit_of(observation: Tensor, layout: ObservationLayout) -> Tensor:
    """[M], what a network output of 1 stands for, as a share of the untreated loss.

    observation: float32 [M, C, H, W].
    """
    best = observation[:, layout.channel("best_downstream"), 0, 0] ** 4
    return best.clamp(min=_MIN_UNIT) / NETWORK_SCALE


def unit_of_continuation(observation: Tensor, layout: ObservationLayout) -> Tensor:
    """[M], what an output of 1 for a continuation stands for, as a share of the untreated loss.

    observation: float32 [M, C, H, W].
    """
    return observation[:, layout.channel("loss_left"), 0, 0].clamp(min=_LEAST_LEFT) / NETWORK_SCALE


def whole_value(parts: Tensor, observation: Tensor) -> Tensor:
    """Values [M, L] in the unit of `unit_of`, the sum of their parts [M, 1 or 2, L]."""
    if parts.shape[1] == 1:
        return parts[:, 0]
    ratio = unit_of_continuation(observation, OBSERVATION) / unit_of(observation, OBSERVATION)
    return parts[:, 0] + parts[:, 1] * ratio[:, None]


def per_cost(discount: float, cost: Tensor) -> Tensor:
    """(1 - g^c) / (c (1 - g)), f32: what a reward counts at the discount g per mean cell, paid
    evenly over the cost c of its action: 1 / c at g = 0, in the limit 1 at g = 1.

    cost: in mean cells, above 0.
    """
    if discount == 1.0:
        return torch.ones_like(cost)
    wide = cost.double()
    rate = math.log(discount) if discount > 0.0 else -math.inf
    # Near g = 1 the difference 1 - g^c would lose its digits.
    return (-torch.expm1(wide * rate) / (wide * (1.0 - discount))).float()


def masked_argmax(q: Tensor, mask: Tensor) -> Tensor:
    """Index of the largest allowed value: q [M, A], mask bool [M, A] (True = allowed) -> int64 [M].

    Where nothing is allowed the answer is 0 and must not be used.
    """
    return q.masked_fill(~mask, -torch.inf).argmax(dim=1)


def double_q_target(reward: Tensor, discount: Tensor, online_next: Tensor,
                    target_next: Callable[[Tensor], Tensor], next_mask: Tensor) -> Tensor:
    """td_target = reward + discount * target_next(argmax over allowed of online_next).

    Args:
        reward: [M], n-step sum.
        discount: [M], 0 where the episode ended.
        online_next: [M, A], Q-values of the next state.
        target_next: the other network's Q-values [M] of one action each of the next state, i64 [M].
        next_mask: bool [M, A], the next state's action mask. Both the argmax and the value read at
            it are legal cells; rows without any have discount 0.

    Source: van Hasselt, Guez & Silver (2016), Deep reinforcement learning with double Q-learning.
    """
    best = masked_argmax(online_next, next_mask)
    value = target_next(best)
    return reward + torch.where(discount > 0.0, discount * value, torch.zeros_like(value))
