"""Masked Q-learning: values, targets and losses; one equation, one function.

q is float32 [M, A], mask bool [M, A] with True for the allowed cells, discount [M] is 0 where the
episode ended.

Q-values are relative to what the best cell could save: one scale for maps of any size. A break
saves at most its cell's downstream value (but for fire that comes round earlier), so the largest
downstream value of a treatable cell is a natural unit of what one more break is worth. It is in the
observation. The network gives Q-values in that unit: the first break on a small map and the
four-hundredth on a large one are learned at the same scale.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from firebreak.layout import ObservationLayout

NETWORK_SCALE = 5.0
"""The network's output for a Q-value of one unit; errors above 1 / NETWORK_SCALE units count
linearly (Huber)."""
_MIN_UNIT = 1e-6


def unit_of(observation: Tensor, layout: ObservationLayout) -> Tensor:
    """[M], what a network output of 1 stands for, as a share of the untreated loss.

    observation: float32 [M, C, H, W].
    """
    best = observation[:, layout.channel("best_downstream"), 0, 0] ** 4
    return best.clamp(min=_MIN_UNIT) / NETWORK_SCALE


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
