"""One gradient step of a run: which maps it is on, and whether from transitions or from gains."""

from collections.abc import Sequence

import torch

from firebreak.agent.dqn import DQNAgent, Update
from firebreak.agent.symmetry import SYMMETRIES, turn_batch
from firebreak.layout import OBSERVATION
from firebreak.train.arena import Arena
from firebreak.train.schema import AgentConfig


def update(agent: DQNAgent, arenas: Sequence[Arena], config: AgentConfig) -> Update:
    """One gradient step, on maps of each size by turns, with about as many cells in a batch.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    arena = arenas[agent.learner_steps % len(arenas)]
    size = max(1, agent.settings.batch_size * arenas[0].cells // arena.cells)
    k = _symmetry(agent, arena, config)
    if arena.labels is not None and learns_gains(agent, config) and len(arena.labels.store):
        gains = arena.labels.store.sample(size, agent.sampling)
        return agent.learn_gains(gains.turned(k, OBSERVATION))
    batch = arena.replay.sample(size, agent.discount, agent.settings.n_step, agent.sampling,
                                agent.settings.priority)
    made = agent.learn(turn_batch(batch, k, OBSERVATION))
    if batch.place is not None:
        arena.replay.prioritize(batch.place, made.errors)
    return made


def learns_gains(agent: DQNAgent, config: AgentConfig) -> bool:
    """Whether the discount is still 0 and the simulator's gains are learned from."""
    return config.gain_share > 0.0 and (agent.learner_steps < config.discount_begin
                                        or config.discount_end == 0.0)


def _symmetry(agent: DQNAgent, arena: Arena, config: AgentConfig) -> int:
    """One that the maps of an arena have, drawn."""
    square = arena.replay.shape[0] == arena.replay.shape[1]
    turns = SYMMETRIES if square and config.symmetries else 1
    return int(torch.randint(turns, (1,), generator=agent.sampling))
