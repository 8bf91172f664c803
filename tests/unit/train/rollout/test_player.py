"""Episodes of a worker: no gradients, whatever network plays."""

import pytest
import torch
from torch import Tensor, nn

from firebreak.agent import own_network
from firebreak.agent.own_network import with_network
from firebreak.env import synthetic_source
from firebreak.settings.agent import AgentSettings
from firebreak.train.rollout.player import Player


class Scaled(nn.Module):
    """Has a tensor that learns and is no parameter, so that nobody freezes it."""

    def __init__(self, channels: int, shapes: int) -> None:
        super().__init__()
        self.one, self.scale = nn.Conv2d(channels, shapes, 1), torch.ones(1, requires_grad=True)

    def forward(self, seen: Tensor) -> Tensor:
        return self.one(seen) * self.scale


def scaled(channels: int, width: int, shapes: int) -> nn.Module:
    return Scaled(channels, shapes)


def test_a_network_of_the_users_plays_without_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_network, "_HANDED", {})
    settings = AgentSettings(network=with_network(scaled, "network"), gain_share=1.0)
    source = synthetic_source(size=8, plan_fires=4, reward_fires=4)
    played = Player(source, settings, 2, 0).play(settings, 0, 0, 1, True)
    assert len(played) == 2
