"""Sizes of the parts of a run, which follow from its configuration, and the memory that they take:
checked before any of it is taken.
"""

from typing import NamedTuple

import torch

from firebreak.agent.replay import Replay
from firebreak.checks import fail
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.problem_batch import FIRE_BYTES, storage_bytes
from firebreak.free_memory import check_free
from firebreak.layout import OBSERVATION
from firebreak.line_actions import LINE_LENGTHS
from firebreak.settings.agent import AgentSettings
from firebreak.train.config.schema import RunConfig

VALIDATION_ENVS = 4
"""Problems of validation played at once: enough for the native calls, little beside what training
holds.
"""
CELLS = 40_000
"""Cells of the maps of a learner step of the fit."""
SCENE_PER_CELL_ROW = 340
"""Most bytes of a scene for each cell and row of weather, measured: of shaded breaks and losses by
flame length in constant weather; others take 150 to 300.
"""
FEW = 3
"""Steps of a short episode where one may take a single step; episodes take more in the mean."""
_MOST_COUNTED = 10**12  # more rows than this are counted as so many: no machine has room for them


class Choice(NamedTuple):
    """The actions of a state that are tried on reward fires.

    Attributes:
        lengths: of lines; cells have 1.
        by_flow, by_chance: of each length by what comes through, at random.
        by_value: by the agent's values, of each shape at most per_shape: neighbours are alike.
    """

    lengths: tuple[int, ...]
    by_flow: int
    by_chance: int
    by_value: int
    per_shape: int

    @property
    def most(self) -> int:
        """Actions tried in a state, at most."""
        return len(self.lengths) * (self.by_flow + self.by_chance) + self.by_value


def choice_of(agent: AgentSettings) -> Choice:
    """The actions that an agent is told the gains of."""
    if agent.segments:
        return Choice((1, *LINE_LENGTHS), by_flow=2, by_chance=1, by_value=14, per_shape=2)
    return Choice((1,), by_flow=24, by_chance=16, by_value=24, per_shape=24)


def tried_room(agent: AgentSettings) -> int:
    """Room of a transition for actions with gains."""
    return choice_of(agent).most if agent.gain_share > 0.0 else 0


def states_of_a_step(cells: int) -> int:
    """States of a learner step of the fit, on maps of so many cells."""
    return max(2, round(CELLS / cells))


def shortest_episode(config: RunConfig, side: int) -> int:
    """The steps of a short episode: what the least budget buys at unit cost on a map of which half
    burns, and of which a mixture's margins leave a quarter; FEW where it draws parts, breaks that
    stand or dear slopes, and for lines, of which one may take all. side: rows of a map.
    """
    mixture = config.mixture
    if config.agent.segments or mixture.parts or mixture.existing or mixture.slope_costs:
        return FEW
    inside = side - 2 * config.landscapes.margin
    least = mixture.budget[0] if mixture.budget else config.budget
    share = 0.5 * (0.25 if mixture.margin else 1.0)
    return max(int(share * least * inside**2), 1)


def check_memory(config: RunConfig, sources: tuple[ProblemSource, ...]) -> None:
    """Refuses a configuration whose run would not fit the memory that is free.

    sources: of the training landscapes, one for each map size.

    Raises:
        InputError: naming the sizes of the largest parts and the settings that they come from.
    """
    check_free(parts_of(config, sources), where="configuration",
               remedy="lower the largest of these settings, or use a machine with more memory")


def parts_of(config: RunConfig, sources: tuple[ProblemSource, ...]) -> dict[str, int]:
    """Bytes that a run holds, by the settings that they come from."""
    train, fires, held_out = config.train, config.fires, config.evaluation
    beside = train.collectors if train.collector_executor == "processes" else 0
    slots = train.num_envs * (1 + beside)
    each = -(-held_out.validation_landscapes // len(sources))
    found = {
        f"{slots:,} environments of {fires.plan_fires:,} plan fires and {fires.reward_fires:,} "
        "reward fires (train.num_envs, train.collectors, fires.plan_fires, fires.reward_fires)":
            sum(storage_bytes(source.sizes(slots)) + (slots + 1) * scene_bytes(source)
                for source in sources),
        f"{held_out.validation_landscapes:,} validation problems "
        "(evaluation.validation_landscapes)": sum(
            each * _problem_bytes(source)
            + storage_bytes(source.sizes(min(VALIDATION_ENVS, each, train.num_envs)))
            for source in sources),
        f"{held_out.test_landscapes:,} test landscapes of {held_out.test_fires:,} fires "
        "(evaluation.test_landscapes, evaluation.test_fires)": held_out.test_landscapes * (
            scene_bytes(sources[0], sources[0].conditions.rows)
            + 16 * (len(held_out.methods) + 1) * held_out.test_fires)
            + FIRE_BYTES * held_out.test_fires,
        f"{train.collect_steps:,} steps of {train.num_envs:,} environments (train.collect_steps, "
        "train.num_envs)": sum(train.collect_steps * train.num_envs * OBSERVATION.channels
                               * _cells(source) for source in sources)}
    largest, batch = max(map(_cells, sources)), config.agent.batch_size
    # The observations of a learner step's states and of those that follow, in floats.
    each_cell = OBSERVATION.channels * 2 * 4
    found[f"batches of {batch:,} (agent.batch_size)"] = batch * largest * each_cell
    if config.agent.fit_steps:
        seen = largest * states_of_a_step(largest)
        found[f"steps of {seen:,} cells (agent.fit_steps)"] = seen * each_cell
    room = sum(_replay_bytes(config, source, len(sources)) for source in sources)
    found[f"{config.replay.capacity:,} transitions (replay.capacity)"] = room
    if config.agent.gain_share > 0.0:
        found["the fires that gains are found on (agent.gain_fires)"] = (1 + beside) * sum(
            storage_bytes(source.sizes(1)._replace(plan_fires=min(
                config.agent.gain_fires, fires.reward_fires), reward_fires=0))
            for source in sources)
    return found


def check_replay_budget(needed_bytes: int, max_mb: float) -> None:
    """Refuses replays above `replay.memory_budget_mb`.

    Raises:
        InputError: naming both sizes.
    """
    if needed_bytes / 1e6 > max_mb:
        raise fail(expected=f"a replay of at most {max_mb} MB",
                   given=f"{needed_bytes / 1e6:.0f} MB", where="replay.capacity",
                   remedy="lower replay.capacity or raise replay.memory_budget_mb")


def _cells(source: ProblemSource) -> int:
    return source.shape[0] * source.shape[1]


def scene_bytes(source: ProblemSource, rows: int | None = None) -> int:
    """rows: of weather; if None the most that an episode has."""
    return SCENE_PER_CELL_ROW * (source.rows if rows is None else rows) * _cells(source)


def _problem_bytes(source: ProblemSource) -> int:
    """Bytes of a problem that waits to be loaded: its scene and its fires."""
    sizes = source.sizes(1)
    return scene_bytes(source) + FIRE_BYTES * (sizes.plan_fires + sizes.reward_fires)


def _replay_bytes(config: RunConfig, source: ProblemSource, count: int) -> int:
    """Bytes of a replay as it will be made, but on a device without memory."""
    envs = 1 if config.train.collectors else config.train.num_envs
    capacity = min(config.replay.capacity // count, _MOST_COUNTED)
    with torch.device("meta"):
        return Replay(source.shape, envs, max(capacity, 2 * envs),
                      shortest_episode(config, source.shape[0]), tried_room(config.agent)).nbytes
