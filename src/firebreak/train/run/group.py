"""A group of environments of one map size, with their replay and their validation problems."""



from firebreak.agent.dqn import DQNAgent
from firebreak.agent.replay import Replay
from firebreak.env.gym_env import FuelbreakVectorEnv
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.problem import Problem
from firebreak.layout import OBSERVATION
from firebreak.memory.registry import track
from firebreak.seeding import integer_seed
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.sizes import VALIDATION_ENVS, shortest_episode
from firebreak.train.rollout.collector import ExperienceCollector
from firebreak.train.rollout.gains import gain_labels
from firebreak.train.rollout.parallel import CollectorPool


class EnvGroup:
    """Owns the two vector environments, the replay and the collector of one map size.

    Args:
        place: which group of the run this is.
        count: how many there are; the replay's capacity is shared evenly.
    """

    def __init__(self, config: RunConfig, source: ProblemSource, problems: list[Problem],
                 agent: DQNAgent, place: int, count: int) -> None:
        train = config.train
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
                self.env, agent, train.collect_steps, integer_seed(config.seed, *name) % 2**31,
                config.cleanup))
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
    """Bytes of the transitions, and of the states kept with their gains."""
    return sum(group.replay.nbytes + (group.labels.store.nbytes if group.labels else 0)
               for group in groups)


def replay_share(groups: list[EnvGroup]) -> float:
    """Share of the replays in use."""
    held = sum(len(group.replay) for group in groups)
    room = sum((group.replay.rows - 1) * group.replay.num_envs for group in groups)
    return min(held / room, 1.0)
