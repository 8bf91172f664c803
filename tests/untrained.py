"""Policies that have learned nothing: legal, whatever they prefer."""

from functools import cache

import torch

from firebreak.agent.network import QMapNetwork
from firebreak.agent.policy_file import Policy
from firebreak.layout import OBSERVATION
from firebreak.line_actions import SHAPES


@cache
def untrained(shapes: int = 1) -> Policy:
    torch.manual_seed(1)
    return Policy(QMapNetwork(OBSERVATION.channels, 8, shapes=shapes).eval(), {"run": "untrained"})


def fitting(method: str, policy: Policy) -> Policy:
    """The policy, or one that places segments where the method needs that."""
    return untrained(SHAPES) if method in ("dqn-lookahead", "dqn-search") else policy
