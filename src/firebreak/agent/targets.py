"""Masked Q-learning targets: one equation, one function."""

import torch
from torch import Tensor


def masked_argmax(q: Tensor, mask: Tensor) -> Tensor:
    """Index of the largest allowed value: q [M, A], mask bool [M, A] (True = allowed) -> int64 [M].

    Where nothing is allowed the answer is 0 and must not be used.
    """
    return q.masked_fill(~mask, -torch.inf).argmax(dim=1)


def double_q_target(reward: Tensor, discount: Tensor, online_next: Tensor, target_next: Tensor,
                    next_mask: Tensor) -> Tensor:
    """td_target = reward + discount * target_next[argmax over allowed of online_next].

    Args:
        reward: [M], n-step sum.
        discount: [M], 0 where the episode ended.
        online_next, target_next: [M, A], Q-values of the next state.
        next_mask: bool [M, A], the next state's action mask. Both the argmax and the value read at
            it are legal cells; rows without any have discount 0.

    Source: van Hasselt, Guez & Silver (2016), Deep reinforcement learning with double Q-learning.
    """
    best = masked_argmax(online_next, next_mask)
    value = target_next.gather(1, best[:, None])[:, 0]
    return reward + torch.where(discount > 0.0, discount * value, torch.zeros_like(value))
