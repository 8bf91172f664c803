"""The losses of a learner step, by parts of its batch.

A part goes through the network at once.
"""

from collections.abc import Iterable, Iterator
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


class PartLoss(NamedTuple):
    """What a part adds to the loss of its batch, and the values that the network gave: f32 [K]."""

    loss: float
    values: Tensor


class TransitionPart(NamedTuple):
    """Some transitions of a batch, seen under symmetry `turned`. share: of the batch's transitions.
    """

    batch: Batch
    turned: int
    share: float

    def loss(self, networks: Networks) -> tuple[Tensor, Tensor]:
        """Its part of the batch's mean loss, and the values of the actions taken."""
        turned = turn_batch(self.batch, self.turned, networks.layout)
        batch = turned.to(device_of(networks.online))
        taken = networks.online.value_of(batch.observation, batch.action)
        loss = functional.huber_loss(taken, _target(batch, networks))
        return loss * self.share, taken


class GainPart(NamedTuple):
    """Some labelled states of a batch, seen under symmetry `turned`.

    gains: how many of these the whole batch has.
    """

    batch: GainBatch
    turned: int
    gains: int

    def loss(self, networks: Networks) -> tuple[Tensor, Tensor]:
        """Its part of the batch's mean loss, and the values of the actions with gains."""
        turned = self.batch.turned(self.turned, networks.layout)
        batch = turned.to(device_of(networks.online))
        here = ~batch.gain.isnan()
        unit = unit_of(batch.observation, networks.layout)[:, None]
        target = batch.gain.nan_to_num() / unit
        network = networks.online
        gain = (network(batch.observation) if batch.line is None
                else network.values_at(batch.observation, batch.line))
        loss = functional.huber_loss(gain[here], target[here], reduction="sum") / self.gains
        return loss, gain[here]


BatchPart = TransitionPart | GainPart


def transition_parts(batch: Batch, turned: int, device: torch.device) -> list[BatchPart]:
    """The parts of a batch of transitions, in order; `TransitionPart` says what the rest is."""
    maps = batch.action.shape[0]
    parts = (batch.rows(rows) for rows in _rows(batch.observation, device))
    return [TransitionPart(part, turned, part.action.shape[0] / maps) for part in parts]


def gain_parts(batch: GainBatch, turned: int, device: torch.device) -> list[BatchPart]:
    """The parts of a batch of labelled states, in order."""
    gains = int((~batch.gain.isnan()).sum())
    return [GainPart(batch.rows(rows), turned, gains)
            for rows in _rows(batch.observation, device)]


def descend(networks: Networks, parts: Iterable[BatchPart]) -> Iterator[PartLoss]:
    """Adds the gradient of each part's loss to those of the online network, one after the other:
    what a part needs is let go before the next is begun.
    """
    for part in parts:
        loss, values = part.loss(networks)
        loss.backward()
        yield PartLoss(loss.item(), values.detach().cpu())


def device_of(network: QMapNetwork) -> torch.device:
    """Where the weights of a network are."""
    return next(network.parameters()).device


def _rows(observation: Tensor, device: torch.device) -> list[slice]:
    """The rows of a batch that go through the network together."""
    maps, (height, width) = observation.shape[0], observation.shape[-2:]
    each = maps if device.type == "cuda" else _maps_in_a_part(maps, height * width)
    return [slice(first, first + each) for first in range(0, maps, each)]


def _maps_in_a_part(maps: int, cells: int) -> int:
    """So that parts are few, and of one size but for the last."""
    return -(-maps // -(-maps * cells // MAX_PART_CELLS))


@torch.no_grad()
def _target(batch: Batch, networks: Networks) -> Tensor:
    """What the network should say of the actions taken, in the unit of their observations: [M]."""
    following, unit = batch.next_observation, unit_of(batch.observation, networks.layout)
    reward = batch.reward / unit
    if not bool((batch.discount > 0.0).any()):
        return reward
    discount = batch.discount * unit_of(following, networks.layout) / unit
    return double_q_target(reward, discount, networks.online(following),
                           lambda best: networks.target.value_of(following, best),
                           batch.next_mask)
