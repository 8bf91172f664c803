"""Masked Q-learning: values, targets and losses; one equation, one function.

q is float32 [M, A], mask bool [M, A] with True for the allowed cells, discount [M] is 0 where the
episode ended.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


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
        value: [M, 1], or [M, 1, K] for K quantiles.
        advantage: [M, A] or [M, A, K]. Where nothing is allowed its mean is taken as 0.
        mask: [M, A] or [M, A, 1].

    Source: Wang et al. (2016), Dueling network architectures for deep reinforcement learning,
    equation 9, with the mean over legal actions alone.
    """
    allowed = advantage.masked_fill(~mask, 0.0)
    return value + advantage - allowed.sum(1, True) / mask.sum(1, True).clamp(min=1)


def soft_value(q: Tensor, mask: Tensor, temperature: float) -> Tensor:
    """Value of the softmax policy over allowed cells with its entropy:
    temperature * log sum exp(q / temperature): [M]; 0 where nothing is allowed.

    It is sum of pi * (q - temperature * log pi), with pi the softmax of q / temperature.

    Source: Vieillard, Pietquin & Geist (2020), Munchausen reinforcement learning.
    """
    value = temperature * (q / temperature).masked_fill(~mask, -torch.inf).logsumexp(1)
    return torch.where(mask.any(1), value, torch.zeros_like(value))


def munchausen_bonus(q: Tensor, action: Tensor, mask: Tensor, temperature: float) -> Tensor:
    """temperature * log pi(action), not below -1, pi the softmax of q / temperature over allowed
    cells: [M].

    Source: Vieillard, Pietquin & Geist (2020), Munchausen reinforcement learning.
    """
    chosen = q.gather(1, action[:, None])[:, 0]
    return (chosen - soft_value(q, mask, temperature)).clamp(min=-1.0, max=0.0)


def large_margin(q: Tensor, shown: Tensor, mask: Tensor, margin: float) -> Tensor:
    """max over allowed cells of (q + margin if it is not the one shown) - q of the one shown: [M].

    Source: Hester et al. (2018), Deep Q-learning from demonstrations.
    """
    raised = (q + margin).scatter(1, shown[:, None], q.gather(1, shown[:, None]))
    best = raised.masked_fill(~mask, -torch.inf).amax(1)
    return best - q.gather(1, shown[:, None])[:, 0]


def quantile_target(reward: Tensor, discount: Tensor, online_next: Tensor, target_next: Tensor,
                    next_mask: Tensor) -> Tensor:
    """`double_q_target` of each quantile: [M, K].

    Args:
        target_next: [M, A, K]; online_next [M, A], what is acted on.

    Source: Dabney et al. (2018), Distributional reinforcement learning with quantile regression.
    """
    best = masked_argmax(online_next, next_mask)
    value = target_next[torch.arange(best.shape[0]), best]
    going = (discount > 0.0)[:, None]
    return reward[:, None] + torch.where(going, discount[:, None] * value, torch.zeros_like(value))


def quantile_huber(quantiles: Tensor, target: Tensor) -> Tensor:
    """Twice the quantile Huber loss of quantiles [M, K] against the samples target [M, J]: [M],
    mean over samples and sum over quantiles. With one of each it is the Huber loss.

    Source: Dabney et al. (2018), Distributional reinforcement learning with quantile regression,
    equation 10, at the midpoints (k + 1/2) / K and with kappa = 1.
    """
    count = quantiles.shape[1]
    middle = (torch.arange(count, device=quantiles.device) + 0.5) / count
    error = target[:, None, :] - quantiles[:, :, None]
    huber = functional.huber_loss(error, torch.zeros_like(error), reduction="none")
    side = (middle[None, :, None] - (error.detach() < 0.0).float()).abs()
    return 2.0 * (side * huber).mean(2).sum(1)


def lower_mean(quantiles: Tensor, share: float) -> Tensor:
    """Mean of the lowest share of quantiles [M, A, K], at least one: [M, A]. A share of 1 is the
    mean; less is the conditional value at risk of the return.

    Source: Rockafellar & Uryasev (2000), Optimization of conditional value-at-risk.
    """
    if share == 1.0:
        return quantiles.mean(2)
    count = max(1, math.ceil(share * quantiles.shape[2]))
    return quantiles.sort(2).values[:, :, :count].mean(2)


@torch.no_grad()
def copy_towards(target: nn.Module, online: nn.Module, share: float) -> None:
    """target <- (1 - share) * target + share * online, parameter by parameter.

    Source: Lillicrap et al. (2016), Continuous control with deep reinforcement learning.
    """
    for old, new in zip(target.parameters(), online.parameters(), strict=True):
        old.lerp_(new, share)
