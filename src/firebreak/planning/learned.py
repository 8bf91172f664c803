"""Plans of a learned policy: the available cell with the largest Q-value, looked up every round."""

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.agent.policy_file import CONTROL, Policy, load_policy
from firebreak.agent.relative import unit_of
from firebreak.checks import fail
from firebreak.env.observation import to_floats
from firebreak.env.slots import Slots
from firebreak.landscape.landscape import Landscape
from firebreak.layout import OBSERVATION
from firebreak.planning.rounds import Placement, Task, place_by_score

MOST_TREATABLE = 128 * 128
"""Treatable cells from which a learned plan must be asked for by area: policies know such maps."""


def place_dqn(task: Task) -> Placement:
    """The cells that a trained Q-map network values most, one greedy choice after another.

    Raises:
        InputError: no policy, or more treatable cells than MOST_TREATABLE.
    """
    policy = policy_of(task, "dqn")
    return place_by_score(task, lambda slots: q_map(policy, slots))


def place_regression(task: Task) -> Placement:
    """The cells whose own gain a network predicts largest: greedy, by a learned guess of the gain
    on fires that it is not shown. The network is the one that comes with the package.

    Raises:
        InputError: more treatable cells than MOST_TREATABLE.
    """
    _check_size(task.problem.scene.landscape, "regression")
    control = load_policy(CONTROL)
    return place_by_score(task, lambda slots: q_map(control, slots))


def policy_of(task: Task, method: str) -> Policy:
    """The policy that a method is to follow.

    Raises:
        InputError: there is none, or the map is too large for one.
    """
    if task.policy is None:
        raise fail(expected="a trained policy", given="none", where=f"method {method}",
                   remedy="give a run or a policy file with --policy, or train one with "
                          "'firebreak train quick'")
    _check_size(task.problem.scene.landscape, method)
    return task.policy


def q_map(policy: Policy, slots: Slots) -> NDArray[np.float32]:
    """Q-values [H, W] of slot 0's observation, percent of the untreated loss, of all cells whether
    available or not.
    """
    observation = torch.from_numpy(to_floats(slots.layers[:1]))
    with torch.no_grad():
        values = 100.0 * policy.network(observation) * unit_of(observation, OBSERVATION)
    return values.numpy().reshape(slots.sizes.shape)


def _check_size(landscape: Landscape, method: str) -> None:
    treatable = int(landscape.treatable.sum())
    if treatable > MOST_TREATABLE:
        raise fail(expected=f"at most {MOST_TREATABLE:,} treatable cells (128 x 128)",
                   given=f"{treatable:,}", where=f"method {method} on {landscape.name}",
                   remedy="name a part of the map with --area R0:R1,C0:C1, or use another method "
                          "such as downstream-value")
