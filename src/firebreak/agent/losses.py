"""The loss of a learner step, by parts of its batch that go through the network at once."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from firebreak.agent.gain_store import GainBatch
from firebreak.agent.network import QMapNetwork
from firebreak.agent.replay import Batch
from firebreak.agent.symmetry import turn_batch
from firebreak.agent.targets import double_q_target, unit_of
from firebreak.layout import ObservationLayout

MAX_PART_CELLS = 25_600
"""Cells of maps that go through the network at a time on a CPU, 16 maps of 40x40: what a gradient
step needs for a while does not grow with maps and batches, and it takes no longer."""


class Networks(NamedTuple):
    """The network that learns, the one that values what follows, and what both observe."""

    online: QMapNetwork
    target: QMapNetwork
    layout: ObservationLayout


def part_losses(networks: Networks, batch: Batch | GainBatch,
                turned: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Loss and values of each part of a batch seen under symmetry `turned`, one after the other:
    the losses add up to the batch's mean, and the gradient of one is to be taken before the next is
    asked for, so that what it needs is let go. Values are of the actions that are learned of.
    """
    device = next(networks.online.parameters()).device
    if isinstance(batch, Batch):
        maps = batch.action.shape[0]
        for rows in _rows(batch.observation, device):
            part = turn_batch(batch.rows(rows), turned, networks.layout).to(device)
            yield _transition_loss(networks, part, part.action.shape[0] / maps)
    else:
        gains = int((~batch.gain.isnan()).sum())
        for rows in _rows(batch.observation, device):
            yield _gain_loss(networks, batch.rows(rows).turned(turned, networks.layout).to(device),
                             gains)


def _transition_loss(networks: Networks, batch: Batch, share: float) -> tuple[Tensor, Tensor]:
    """Huber's loss of transitions times `share`, and the values of the actions taken."""
    taken = networks.online.value_of(batch.observation, batch.action)
    return functional.huber_loss(taken, _target(batch, networks)) * share, taken


def _gain_loss(networks: Networks, batch: GainBatch, gains: int) -> tuple[Tensor, Tensor]:
    """Huber's loss of the known gains of labelled states over `gains`, and the values of their
    actions.
    """
    here = ~batch.gain.isnan()
    target = batch.gain.nan_to_num() / unit_of(batch.observation, networks.layout)[:, None]
    network = networks.online
    values = (network(batch.observation) if batch.line is None
              else network.values_at(batch.observation, batch.line))[here]
    return functional.huber_loss(values, target[here], reduction="sum") / gains, values


def _rows(observation: Tensor, device: torch.device) -> list[slice]:
    """The rows of a batch that go through the network together, so that parts are few, and of one
    size but for the last.
    """
    maps, (height, width) = observation.shape[0], observation.shape[-2:]
    parts = 1 if device.type == "cuda" else -(-maps * height * width // MAX_PART_CELLS)
    each = -(-maps // parts)
    return [slice(first, first + each) for first in range(0, maps, each)]


@torch.no_grad()
def _target(batch: Batch, networks: Networks) -> Tensor:
    """Values that the actions taken should have, in the unit of their observations: [M]."""
    following, unit = batch.next_observation, unit_of(batch.observation, networks.layout)
    reward = batch.reward / unit
    if not bool((batch.discount > 0.0).any()):
        return reward
    discount = batch.discount * unit_of(following, networks.layout) / unit
    return double_q_target(reward, discount, networks.online(following),
                           lambda best: networks.target.value_of(following, best),
                           batch.next_mask)
