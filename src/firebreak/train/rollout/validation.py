"""Validation: the greedy policy on held-out problems, in one environment kept for the whole run.

The environment's rewards are counted on validation fires, so an episode's return is the policy's
relative reduction of the expected loss. Nothing is learned or stored here.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.storage.problem import Problem

Step = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]
"""Action and reward of each slot, [N], and bool [N], the episodes that were going on."""


class Greedy(Protocol):
    """An agent or a player, which acts without exploring."""

    def act_greedily(self, observation: Tensor, mask: Tensor) -> Tensor: ...


class Validation(NamedTuple):
    """reduction: mean over problems; half_width: of the normal 95 % interval over problems."""

    reduction: float
    half_width: float


def validate(agent: Greedy, env: FuelbreakVectorEnv, problems: list[Problem],
             check_stop: Callable[[], None] = lambda: None) -> Validation:
    """The greedy policy's mean relative reduction on `problems`.

    `env` must not reset by itself. Problems on the same landscape count once in the half-width.
    check_stop: raises between two steps to leave; nothing has changed then.
    """
    returns = returns_of(agent, env, problems, check_stop)
    keys = np.unique([problem.scene.key for problem in problems], return_inverse=True)[1]
    means = np.bincount(keys, returns) / np.bincount(keys)
    spread = means.std(ddof=1) / math.sqrt(means.size) if means.size > 1 else 0.0
    return Validation(float(returns.mean()), float(1.96 * spread))


def returns_of(agent: Greedy, env: FuelbreakVectorEnv,
               problems: list[Problem],
               check_stop: Callable[[], None] = lambda: None) -> NDArray[np.float64]:
    """The greedy policy's relative reduction on each problem: [len(problems)]."""
    found = []
    for first in range(0, len(problems), env.num_envs):
        some, total = problems[first:first + env.num_envs], np.zeros(env.num_envs)
        for _, reward, playing in played_steps(env, some, agent.act_greedily):
            check_stop()
            total += np.where(playing, reward, 0.0)
        found.append(total[:len(some)])
    return np.concatenate(found)


def joined(parts: list[Validation]) -> Validation:
    """Join sets of problems that count the same, whose noise is independent."""
    half = math.sqrt(sum(part.half_width**2 for part in parts)) / len(parts)
    return Validation(sum(part.reduction for part in parts) / len(parts), half)


def played_steps(env: FuelbreakVectorEnv, problems: list[Problem],
                 act: Callable[[Tensor, Tensor], Tensor]) -> Iterator[Step]:
    """Steps of one episode for each problem; slots left over play on unseen.

    act: actions i64 [N] by observations f32 [N, C, H, W] and action masks bool [N, A].
    """
    spare = env.num_envs - len(problems)
    observation, info = env.reset(options={"problem": problems + problems[:1] * spare})
    playing = np.arange(env.num_envs) < len(problems)
    while playing.any():
        mask = torch.from_numpy(info["action_mask"].astype(np.bool_))
        action = act(torch.from_numpy(observation), mask).numpy()
        observation, reward, terminated, _, info = env.step(action)
        yield action, reward, playing
        playing = playing & ~terminated
