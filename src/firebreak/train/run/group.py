"""A group of environments of one map size, with their replay and their validation problems."""

import warnings

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.replay import Replay
from firebreak.checks import fail
from firebreak.env.gains import ExactGains
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.observation import to_floats
from firebreak.env.storage.problem import Problem
from firebreak.env.vector_env import FuelbreakVectorEnv
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import track
from firebreak.seeding import integer_seed
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.run_sizes import VALIDATION_ENVS, shortest_episode
from firebreak.train.gains.gain_labels import GainLabels
from firebreak.train.gains.line_gains import LineGains
from firebreak.train.rollout.collector import ExperienceCollector
from firebreak.train.rollout.parallel import CollectorPool, check_collectors


class EnvGroup:
    """Owns the two vector environments, the replay and the collector of one map size.

    Args:
        place: which group of the run this is.
        count: how many there are; the replay's capacity is shared evenly.
    """

    def __init__(self, config: RunConfig, source: ProblemSource, problems: list[Problem],
                 agent: DQNAgent, place: int, count: int) -> None:
        train, clean = config.train, config.cleanup
        check_collectors(config)
        self.problems = problems
        self.env = FuelbreakVectorEnv(source, train.num_envs)
        self.validation_env = FuelbreakVectorEnv(
            source, min(VALIDATION_ENVS, len(problems), train.num_envs), autoreset=False)
        for env in (self.env, self.validation_env):
            env.slots.touch()
        self.replay = Replay(OBSERVATION, source.shape, 1 if train.collectors else train.num_envs,
                             config.replay.capacity // count,
                             shortest_episode(config, source.shape[0]))
        name = ("episodes",) if place == 0 else ("episodes", place)
        self.collector: ExperienceCollector | CollectorPool = (
            CollectorPool(config, agent) if train.collectors else ExperienceCollector(
                self.env, agent, steps=train.collect_steps,
                seed=integer_seed(config.seed, *name) % 2**31,
                max_experiences=clean.max_experiences, max_step_times=clean.max_step_times,
                max_collection_times=clean.max_collection_times))
        self.labels = gain_labels(config, self.env, agent, place, count)
        for thing in (self.env, self.validation_env, self.replay, self.collector):
            track(thing)

    @property
    def cells(self) -> int:
        """Cells of a map."""
        return self.replay.shape[0] * self.replay.shape[1]

    def close(self) -> None:
        """Closes both environments; ends the workers that collect."""
        if isinstance(self.collector, CollectorPool):
            self.collector.close()
        self.env.close()
        self.validation_env.close()


def size_in_words(groups: list[EnvGroup]) -> str:
    """The bytes that replays and environments of a run hold, in words."""
    replays = [group.replay for group in groups]
    environments = sum(group.env.owned_bytes() + group.validation_env.owned_bytes()
                       for group in groups)
    each = ", ".join(f"{replay.bytes_per_transition() / 1e3:.2f}" for replay in replays)
    stores = [group.labels.store for group in groups if group.labels is not None]
    labelled = "".join([
        f" and {sum(len(store.layers) for store in stores):,} labelled states (",
        ", ".join(f"{store.nbytes / len(store.layers) / 1e3:.2f}" for store in stores),
        " kB each)"]) if stores else ""
    return (f"replay {replay_bytes(groups) / 1e6:.1f} MB for "
            f"{sum(replay.rows * replay.num_envs for replay in replays):,} transitions "
            f"({each} kB each){labelled}; environments {environments / 1e6:.1f} MB")


def replay_bytes(groups: list[EnvGroup]) -> int:
    """Of the transitions, and of the states kept with their gains."""
    return sum(group.replay.nbytes + (group.labels.store.nbytes if group.labels else 0)
               for group in groups)


def replay_share(groups: list[EnvGroup]) -> float:
    """Share of the replays in use."""
    held = sum(len(group.replay) for group in groups)
    room = sum((group.replay.rows - 1) * group.replay.num_envs for group in groups)
    return min(held / room, 1.0)


def check_replay_budget(needed_bytes: int, max_mb: float) -> None:
    """Refuses replays above `replay.memory_budget_mb`.

    Raises:
        InputError: naming both sizes.
    """
    if needed_bytes / 1e6 > max_mb:
        raise fail(expected=f"a replay of at most {max_mb} MB",
                   given=f"{needed_bytes / 1e6:.0f} MB", where="replay.capacity",
                   remedy="lower replay.capacity or raise replay.memory_budget_mb")


def gain_labels(config: RunConfig, env: FuelbreakVectorEnv, learner: DQNAgent, place: int,
                count: int) -> GainLabels | None:
    """The labels of group `place` of `count`, if the agent is to learn from gains. Where every cell
    is tried there are fewer on larger maps, in proportion to their side, since a state of theirs
    has more cells to try and tells more.
    """
    agent = config.agent
    if agent.gain_share == 0.0:
        return None
    capacity = max(agent.gain_capacity // count, 1)
    share, gains = agent.gain_share, _gains(config, env, learner, place)
    if share * config.train.collect_steps > 1.0 and place == 0:
        warnings.warn(f"agent.gain_share = {share:g} labels {1.0 / config.train.collect_steps:g} "
                      "of the env steps: each environment's state once in train.collect_steps = "
                      f"{config.train.collect_steps} steps; lower one of the two", stacklevel=2)
    if not agent.segments:
        smallest = min(config.mixture.sizes, default=config.landscapes.size)
        share *= min(smallest / env.source.shape[0], 1.0)
    return GainLabels(env, gains, share, capacity)


def _gains(config: RunConfig, env: FuelbreakVectorEnv, learner: DQNAgent,
           place: int) -> ExactGains | LineGains:
    """What tells the gains of group `place`."""
    agent, sizes = config.agent, env.source.sizes(env.num_envs)
    if not agent.segments:
        return ExactGains(sizes, agent.gain_fires)

    def values(layers: NDArray[np.uint8]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = learner.q_values(
            torch.from_numpy(to_floats(layers[None]))).numpy()[0]
        return found

    return LineGains(sizes, agent.gain_fires, values,
                     integer_seed(config.seed, "segments", place))
