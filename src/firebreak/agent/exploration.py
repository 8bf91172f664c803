"""Which cells an agent tries besides the best: anywhere, or where downstream value is high."""

from typing import Protocol

import torch
from torch import Tensor

from firebreak.agent.schedules import LinearSchedule
from firebreak.agent.targets import masked_argmax
from firebreak.layout import ObservationLayout


class ExplorationSettings(Protocol):
    """The part of `DQNSettings` that says how an agent explores."""

    @property
    def epsilon(self) -> LinearSchedule: ...
    @property
    def guided(self) -> float: ...
    @property
    def guided_cells(self) -> int: ...
    @property
    def demonstrations(self) -> float: ...
    @property
    def demonstration_steps(self) -> int: ...


def explored(best: Tensor, observation: Tensor, mask: Tensor, layout: ObservationLayout,
             settings: ExplorationSettings, env_steps: int, acting: torch.Generator) -> Tensor:
    """The actions `best` [N] with the exploration of these settings: int64 [N]; see
    `DQNAgent.act`.
    """
    count = best.shape[0]
    draws = torch.rand((count, 3), generator=acting)
    guide = guide_of(observation, layout)
    anywhere = _nth_allowed(mask, draws[:, 2])
    guided = _nth_best(guide, mask, settings.guided_cells, draws[:, 2])
    other = torch.where(draws[:, 1] < settings.guided, guided, anywhere)
    action = torch.where(draws[:, 0] < settings.epsilon(env_steps), other, best)
    shown = round(settings.demonstrations * count)
    if env_steps < settings.demonstration_steps:
        action[:shown] = masked_argmax(guide, mask)[:shown]
    return action


def guide_of(observation: Tensor, layout: ObservationLayout) -> Tensor:
    """Downstream value of every cell: [M, A]."""
    return observation[:, layout.channel("downstream_value")].flatten(1)


def _nth_allowed(mask: Tensor, draw: Tensor) -> Tensor:
    """A uniformly drawn allowed cell per row: the cell where the count of allowed ones passes the
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
