"""Masked Q-learning: values, targets and losses; one equation, one function.

q is float32 [M, A], mask bool [M, A] with True for the allowed cells, discount [M] is 0 where the
episode ended.
"""

import torch
from torch import Tensor, nn


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


def dueling(value: Tensor, advantage: Tensor, mask: Tensor) -> Tensor:
    """q = value + advantage - mean advantage of the allowed cells: [M, A].

    Args:
        value: [M, 1].
        advantage: [M, A]. Where nothing is allowed its mean is taken as 0.
        mask: bool [M, A].

    Source: Wang et al. (2016), Dueling network architectures for deep reinforcement learning,
    equation 9, with the mean over legal actions alone.
    """
    allowed = advantage.masked_fill(~mask, 0.0)
    return value + advantage - allowed.sum(1, True) / mask.sum(1, True).clamp(min=1)


def large_margin(q: Tensor, shown: Tensor, mask: Tensor, margin: float) -> Tensor:
    """max over allowed cells of (q + margin if it is not the one shown) - q of the one shown: [M].

    Source: Hester et al. (2018), Deep Q-learning from demonstrations.
    """
    raised = (q + margin).scatter(1, shown[:, None], q.gather(1, shown[:, None]))
    best = raised.masked_fill(~mask, -torch.inf).amax(1)
    return best - q.gather(1, shown[:, None])[:, 0]


@torch.no_grad()
def copy_towards(target: nn.Module, online: nn.Module, share: float) -> None:
    """target <- (1 - share) * target + share * online, parameter by parameter.

    Source: Lillicrap et al. (2016), Continuous control with deep reinforcement learning.
    """
    for old, new in zip(target.parameters(), online.parameters(), strict=True):
        old.lerp_(new, share)
