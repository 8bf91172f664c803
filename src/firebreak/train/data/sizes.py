"""Sizes of the parts of a run, which follow from its configuration, and the memory that they take:
checked before any of it is taken.
"""

import torch

from firebreak.agent.gain_store import GainStore
from firebreak.agent.network import network_of, parameter_count
from firebreak.agent.replay import Replay
from firebreak.checks import fail
from firebreak.env.sources import ProblemSource
from firebreak.env.storage.problem_batch import FIRE_BYTES, storage_bytes
from firebreak.free_memory import check_free
from firebreak.layout import OBSERVATION
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
_LINES_TRIED = 100  # at most, of a state; see `train.rollout.gains`
_MOST_COUNTED = 10**12  # more rows than this are counted as so many: no machine has room for them


def states_of_a_step(cells: int) -> int:
    """States of a learner step of the fit, on maps of so many cells."""
    return max(2, round(CELLS / cells))


def shortest_episode(config: RunConfig, side: int) -> int:
    """A lower bound for the steps of an episode: what the least budget buys at unit cost on a map
    of which half burns, and of which a mixture's margins leave a quarter; one where it draws parts,
    breaks that stand or dear slopes, and for lines, of which one may take all. side: rows of a map.
    """
    mixture = config.mixture
    if config.agent.segments or mixture.parts or mixture.existing or mixture.slope_costs:
        return 1
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
    found |= _batch_part(config, max(map(_cells, sources)))
    if config.agent.fit_steps:
        seen = max(map(_cells, sources))
        seen *= states_of_a_step(seen)
        # The observations of a learner step's states, in floats, twice.
        found[f"steps of {seen:,} cells (agent.fit_steps)"] = seen * OBSERVATION.channels * 2 * 4
    room = sum(_replay_bytes(config, source, len(sources)) for source in sources)
    found[f"{config.replay.capacity:,} transitions (replay.capacity)"] = room
    if config.agent.gain_share > 0.0:
        found[f"{config.agent.gain_capacity:,} states with gains (agent.gain_capacity)"] = sum(
            _gain_bytes(config, source, len(sources)) for source in sources)
    return found


def check_population(config: RunConfig, shape: tuple[int, int]) -> None:
    """Refuses a population, with its replay and batches, that would not fit the memory that is
    free.

    shape: (H, W) of the maps.

    Raises:
        InputError: naming the sizes of the largest parts and the settings that they come from.
    """
    members = config.evolution.population
    with torch.device("meta"):
        replay = Replay(OBSERVATION, shape, 1, max(min(config.replay.capacity, _MOST_COUNTED), 2),
                        shortest_episode(config, shape[0])).nbytes
    check_free({
        f"{members:,} members of width {config.agent.width} (evolution.population, agent.width)":
            (members + 1) * _agent_bytes(config),
        f"{config.replay.capacity:,} transitions (replay.capacity)": replay,
        **_batch_part(config, shape[0] * shape[1])},
        where="configuration",
        remedy="lower the largest of these settings, or use a machine with more memory")


def check_replay_budget(needed_bytes: int, max_mb: float) -> None:
    """Refuses replays above `replay.memory_budget_mb`.

    Raises:
        InputError: naming both sizes.
    """
    if needed_bytes / 1e6 > max_mb:
        raise fail(expected=f"a replay of at most {max_mb} MB",
                   given=f"{needed_bytes / 1e6:.0f} MB", where="replay.capacity",
                   remedy="lower replay.capacity or raise replay.memory_budget_mb")


def _agent_bytes(config: RunConfig) -> int:
    """Bytes of an agent: its two networks, and of each weight two moments, a gradient and a copy.
    """
    with torch.device("meta"):
        network = network_of(config.agent, OBSERVATION)
    return 6 * 4 * parameter_count(network)


def _batch_part(config: RunConfig, cells: int) -> dict[str, int]:
    """Bytes of a batch: the observations of its transitions and those that follow, in floats."""
    size = config.agent.batch_size
    return {f"batches of {size:,} (agent.batch_size)": size * cells * OBSERVATION.channels * 2 * 4}


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
        return Replay(OBSERVATION, source.shape, envs, max(capacity, 2 * envs),
                      shortest_episode(config, source.shape[0])).nbytes


def _gain_bytes(config: RunConfig, source: ProblemSource, count: int) -> int:
    """Bytes of the states kept with gains, and of the storage that they are found on."""
    agent = config.agent
    lines = _LINES_TRIED if agent.segments else None
    with torch.device("meta"):
        store = GainStore(OBSERVATION, source.shape, min(
            max(agent.gain_capacity // count, 1), _MOST_COUNTED), lines).nbytes
    return store + storage_bytes(source.sizes(1)._replace(
        plan_fires=min(agent.gain_fires, config.fires.reward_fires), reward_fires=0))
