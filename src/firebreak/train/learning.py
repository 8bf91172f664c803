"""One gradient step of a run: which maps it is on, and whether from transitions or from gains."""

from collections.abc import Sequence

import torch

from firebreak.agent.dqn import DQNAgent, Update
from firebreak.agent.replay import Replay
from firebreak.agent.symmetry import SYMMETRIES
from firebreak.train.arena import Arena
from firebreak.train.schema import AgentConfig


def update(agent: DQNAgent, arenas: Sequence[Arena], config: AgentConfig) -> Update:
    """One gradient step, on maps of each size by turns, with about as many cells in a batch.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    arena = arenas[agent.learner_steps % len(arenas)]
    size = max(1, agent.settings.batch_size * arenas[0].cells // arena.cells)
    if arena.labels is None or not learns_gains(agent, config) or not len(arena.labels.store):
        return update_from(agent, arena.replay, size, config)
    k = _symmetry(agent, arena.replay, config)
    return agent.learn_gains(arena.labels.store.sample(size, agent.sampling), k)


def update_from(agent: DQNAgent, replay: Replay, size: int, config: AgentConfig) -> Update:
    """One gradient step on `size` transitions.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    k = _symmetry(agent, replay, config)
    batch = replay.sample(size, agent.discount, agent.settings.n_step, agent.sampling)
    return agent.learn(batch, k)


def learns_gains(agent: DQNAgent, config: AgentConfig) -> bool:
    """Whether the discount is still 0 and the simulator's gains are learned from."""
    return config.gain_share > 0.0 and (agent.learner_steps < config.discount_begin
                                        or config.discount_end == 0.0)


def _symmetry(agent: DQNAgent, replay: Replay, config: AgentConfig) -> int:
    """One that the maps of a replay have, drawn."""
    turns = SYMMETRIES if replay.shape[0] == replay.shape[1] and config.symmetries else 1
    return int(torch.randint(turns, (1,), generator=agent.sampling))
