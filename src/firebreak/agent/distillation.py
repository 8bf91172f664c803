"""Distillation: a network learns the mean of its own values over the eight symmetries of a map.

A turned map is the same problem, so the network should value a line as it values the turned line.
It does not quite: the mean of its eight answers is nearer to the truth than one of them, and costs
eight passes. As a target that mean costs no fire: every observation will do, and all its actions
have one.

Source: Hinton, Vinyals & Dean (2015), Distilling the knowledge in a neural network, for the mean of
several networks.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from firebreak.agent.gain_store import GainBatch
from firebreak.agent.line_values import mean_along
from firebreak.agent.network import QMapNetwork
from firebreak.agent.symmetry import SYMMETRIES, turn_line_actions, turn_observation
from firebreak.agent.targets import unit_of
from firebreak.layout import ObservationLayout
from firebreak.line_actions import SHAPES, shape_cells

LEADING, DRAWN = 1024, 512
"""Line actions of a state that are learned from: those of the largest values in any of the eight
views, which a choice meets, and others drawn."""


class Views(NamedTuple):
    """Of all actions f32 [M, A], in the network's unit, whether allowed or not. gain, later: means
    over the views in which an action lies inside the map, later None without a continuation;
    largest: the largest value of a view.
    """

    gain: Tensor
    later: Tensor | None
    largest: Tensor


@torch.no_grad()
def views_of(network: QMapNetwork, observation: Tensor, layout: ObservationLayout) -> Views:
    """A network's values of observations [M, C, S, S] over the eight symmetries, on the CPU."""
    side, device = observation.shape[-1], next(network.parameters()).device
    actions = torch.arange(network.shapes * side**2)
    seen = torch.zeros(actions.shape)
    gain = torch.zeros((observation.shape[0], actions.numel()))
    later = torch.zeros_like(gain) if network.later is not None else None
    largest = torch.full_like(gain, -torch.inf)
    for k in range(SYMMETRIES):
        to, inside = turn_line_actions(actions, k, side)
        turned = turn_observation(observation, k, layout).to(device)
        own, after = network.parts(turned)
        value = own.cpu()[:, to]
        gain += value.masked_fill(~inside, 0.0)
        if later is not None and after is not None:
            after = after.cpu()[:, to]
            later += after.masked_fill(~inside, 0.0)
            value = value + after
        largest = torch.maximum(largest, value.masked_fill(~inside, -torch.inf))
        seen += inside
    return Views(gain / seen, None if later is None else later / seen, largest)


def open_actions(observation: Tensor, shapes: int, layout: ObservationLayout) -> Tensor:
    """bool [M, A]: the available cells; of lines, those that begin and end in one and meet no fuel
    that cannot be treated. What is left of the budget may not pay for all of them.
    """
    available, burnable, breaks = (observation[:, layout.channel(name)] > 0.5
                                   for name in ("available", "burnable", "breaks"))
    if shapes == 1:
        return available.flatten(1)
    stops = (burnable & ~breaks & ~available).float()
    clear = mean_along(stops[:, None].expand(-1, SHAPES, -1, -1)) == 0.0
    rows, cols = available.shape[-2:]
    reach = max(abs(step) for number in range(SHAPES)
                for step in shape_cells(number).ravel().tolist())
    wide = torch.nn.functional.pad(available, (reach, reach, reach, reach))
    for number in range(SHAPES):
        for row, col in shape_cells(number)[[0, -1]].tolist():
            clear[:, number] &= wide[:, reach + row:reach + row + rows,
                                     reach + col:reach + col + cols]
    return clear.flatten(1)


def lesson(network: QMapNetwork, observation: Tensor, layout: ObservationLayout,
           generator: torch.Generator) -> GainBatch:
    """What a network says of states f32 [M, C, S, S] in the mean over the eight symmetries, as
    labels: of all cells, or of some lines.
    """
    views = views_of(network, observation, layout)
    free = open_actions(observation, network.shapes, layout)
    unit = unit_of(observation, layout)[:, None]
    line = None if network.shapes == 1 else torch.cat(
        [_first(views.largest, free, LEADING),
         _first(torch.rand(free.shape, generator=generator), free, DRAWN)], dim=1)

    def labels(values: Tensor) -> Tensor:
        known = (values * unit).masked_fill(~free, torch.nan)
        return known if line is None else known.gather(1, line)

    return GainBatch(observation, labels(views.gain), line,
                     None if views.later is None else labels(views.later))


def _first(score: Tensor, free: Tensor, count: int) -> Tensor:
    """The `count` free actions of the largest score, then others: i64 [M, count]."""
    return score.masked_fill(~free, -torch.inf).topk(min(count, score.shape[1]), dim=1).indices
