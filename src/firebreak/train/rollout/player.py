"""Playing episodes: validation by the greedy policy, and what a worker of a run holds.

Rewards of validation are counted on validation fires, so an episode's return is the policy's
relative reduction of the expected loss. A worker has one environment for the whole run, and one
network that takes the weights of whoever acts. A call depends on its arguments only, so it gives
the same bits wherever it is made, and once more if its worker died.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.experience import Episode, Tried, pack_episode
from firebreak.agent.exploration import explored
from firebreak.agent.network import network_of
from firebreak.agent.targets import masked_argmax, unit_of
from firebreak.env.core import action_costs
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.problem import Problem
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import track
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.load import written_data
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.splits import make_splits
from firebreak.train.rollout.demonstrations import Demonstrations
from firebreak.train.rollout.gains import ActionGains

Step = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]
"""Action and reward of each slot, [N], and bool [N], the episodes that were going on."""


class Validation(NamedTuple):
    """reduction: mean over problems; half_width: of the normal 95 % interval over problems."""

    reduction: float
    half_width: float


def validate(agent: DQNAgent, env: FuelbreakVectorEnv, problems: list[Problem],
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


def returns_of(agent: DQNAgent, env: FuelbreakVectorEnv, problems: list[Problem],
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


Weights = dict[str, NDArray[np.float32]]


class Player:
    """Owns an environment and a network.

    Args:
        seed: names the streams of training episodes.
    """

    def __init__(self, source: ProblemSource, settings: AgentSettings, num_envs: int,
                 seed: int) -> None:
        self.source, self.seed = source, seed
        self.env = FuelbreakVectorEnv(source, num_envs, autoreset=False)
        with torch.random.fork_rng(devices=[]):
            self.network = network_of(settings).requires_grad_(False)
        self.gains = (ActionGains(source.sizes(1), settings, seed)
                      if settings.gain_share > 0.0 else None)
        self.demonstrations = Demonstrations(settings.demonstrations)
        track(self.env)

    def receive(self, weights: Weights) -> None:
        """Takes weights shared with all workers."""
        self.network.load_state_dict(
            {name: torch.from_numpy(array) for name, array in weights.items()})

    @torch.no_grad()
    def play(self, settings: AgentSettings, first: int, env_steps: int, acting_seed: int,
             with_gains: bool = False) -> list[tuple[Episode, float]]:
        """Training episodes from number `first` on, one in each environment, explored as at
        `env_steps`, and the undiscounted return of each.

        with_gains: try actions of their states, as `ActionGains` does, drawn by the env steps of a
            state.
        """
        env, count = self.env, self.env.num_envs
        acting = torch.Generator().manual_seed(acting_seed)
        gains = self.gains if with_gains else None
        episodes = [(self.seed, first + k) for k in range(count)]
        layers, actions, rewards, costs, masks = [], [], [], [], []
        tried: list[Tried] = []

        def act(seen: Tensor, mask: Tensor) -> Tensor:
            layers.append(env.slots.layers.copy())  # the step writes over it
            values = self.network(seen) * unit_of(seen, OBSERVATION)[:, None]
            if gains is not None:
                tried.append(gains.of_all(env.slots, values.numpy(),
                                          env_steps + len(tried) * count))
            chosen = explored(masked_argmax(values, mask), seen, mask, settings, env_steps,
                              acting)
            self.demonstrations.lead(chosen, mask, env.slots, episodes)
            costs.append(action_costs(env.slots, chosen.numpy(), env.source.lines))
            return chosen

        problems = [self.source.problem(*one) for one in episodes]
        for action, reward, playing in played_steps(env, problems, act):
            actions.append(action)
            rewards.append(reward)
            masks.append(playing)
        found = []
        for slot, steps in enumerate(np.array(masks).sum(axis=0).tolist()):
            own = np.array(rewards)[:steps, slot]
            found.append((pack_episode(
                np.stack([row[slot] for row in layers[:steps]]), np.array(actions)[:steps, slot],
                own, np.array(costs)[:steps, slot],
                Tried(*(np.stack([row[slot] for row in column[:steps]])
                        for column in zip(*tried, strict=True))) if tried else None),
                float(own.sum())))
        return found


def make_player(config: RunConfig) -> Player:
    """The player of a configuration, whose maps lie where it says."""
    # Those who validate and test make what they need.
    one = replace(config.evaluation, validation_landscapes=1, test_landscapes=1)
    splits = make_splits(replace(config, evaluation=one), written_data(config))
    return Player(splits.train[0], config.agent, config.train.num_envs, config.seed)


def weights_of(network: nn.Module) -> Weights:
    """A network's weights as arrays that share its memory where it lies on the CPU."""
    return {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}
