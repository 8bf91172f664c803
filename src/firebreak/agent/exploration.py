"""Exploration: actions besides the best, anywhere or where downstream value is high; and the
settings that change as an agent learns: exploration, discount and learning rate. They are functions
of absolute env or learner steps, never of a share of a run's length, so that a longer run starts
like a short one.
"""

import torch
from torch import Tensor

from firebreak.agent.line_values import mean_along
from firebreak.layout import OBSERVATION
from firebreak.line_actions import LINE_LENGTHS, SHAPES, shape_cells
from firebreak.settings.agent import AgentSettings


def between(step: int, start: float, end: float, begin: int, finish: int) -> float:
    """`start` until step `begin`, `end` from step `finish` on, a straight line between."""
    if step <= begin:
        return start
    if step >= finish:
        return end
    return start + (end - start) * (step - begin) / (finish - begin)


def epsilon_at(settings: AgentSettings, env_steps: int) -> float:
    """Share of actions that explore."""
    return between(env_steps, settings.epsilon, settings.epsilon_end, 0, settings.epsilon_steps)


def discount_at(settings: AgentSettings, learner_steps: int) -> float:
    """Discount of what later breaks save: near 0 at first (learn each break's own gain), then
    raised (learn breaks that only pay together).
    """
    return between(learner_steps, settings.discount, settings.discount_end,
                   settings.discount_begin, settings.discount_finish)


def learning_rate_at(settings: AgentSettings, learner_steps: int) -> float:
    """Learning rate of the optimizer."""
    return between(learner_steps, settings.learning_rate, settings.learning_rate_end,
                   settings.decay_begin, settings.decay_finish)


def explored(best: Tensor, observation: Tensor, mask: Tensor, settings: AgentSettings,
             env_steps: int, acting: torch.Generator) -> Tensor:
    """The actions `best` [N] with the exploration of these settings: int64 [N]; see
    `DQNAgent.act`. Of line actions a length is drawn first, in inverse proportion to the cells.
    """
    count = best.shape[0]
    draws = torch.rand((count, 3), generator=acting)
    guide = observation[:, OBSERVATION.channel("downstream_value")]
    if settings.segments:
        guide = line_guide(guide)
        mask = _of_one_length(mask, torch.rand(count, generator=acting))
    anywhere = _nth_allowed(mask, draws[:, 2])
    guided = _nth_best(guide.flatten(1), mask, settings.guided_cells, draws[:, 2])
    other = torch.where(draws[:, 1] < settings.guided, guided, anywhere)
    return torch.where(draws[:, 0] < epsilon_at(settings, env_steps), other, best)


def line_guide(guide: Tensor) -> Tensor:
    """Mean of a map [M, H, W] over the cells of each line action: [M, A]. Cells beyond the map
    count as 0.
    """
    return mean_along(guide[:, None].expand(-1, SHAPES, -1, -1)).flatten(1)


def _of_one_length(mask: Tensor, draw: Tensor) -> Tensor:
    """The allowed line actions of one length, drawn for each row among those that have any, in
    inverse proportion to the length: about as many cells go to each.
    """
    by_shape = mask.unflatten(1, (SHAPES, -1))
    length = torch.tensor([len(shape_cells(number)) for number in range(SHAPES)])
    lengths = torch.tensor([1, *LINE_LENGTHS])
    has = torch.stack([by_shape[:, length == n].flatten(1).any(1) for n in lengths], dim=1)
    heap = (has / lengths).cumsum(1)
    chosen = lengths[(heap > draw[:, None] * heap[:, -1:]).to(torch.uint8).argmax(1)]
    return (by_shape & (length[None] == chosen[:, None])[:, :, None]).flatten(1)


def _nth_allowed(mask: Tensor, draw: Tensor) -> Tensor:
    """A uniformly drawn allowed action per row: the one where the count of allowed ones passes the
    draw in [0, 1).
    """
    count = mask.sum(1)
    nth = (draw * count).long().clamp(max=(count - 1).clamp(min=0)) + 1
    return (mask.cumsum(1) >= nth[:, None]).to(torch.uint8).argmax(1)


def _nth_best(guide: Tensor, mask: Tensor, cells: int, draw: Tensor) -> Tensor:
    """A uniformly drawn one of the best allowed cells by `guide`."""
    top = guide.masked_fill(~mask, -1.0).topk(min(cells, guide.shape[1]), dim=1).indices
    count = mask.sum(1).clamp(1, top.shape[1])
    return top.gather(1, (draw * count).long()[:, None])[:, 0]
