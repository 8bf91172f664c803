"""A turn of a run: a collection in every group, and the gradient steps that it earns.

Each can be left in its midst, saved, and gone on with: where it stands is in the run's `progress`.
"""

from collections.abc import Callable, Sequence

import torch

from firebreak.agent.dqn import DQNAgent, Update
from firebreak.agent.replay import Replay
from firebreak.agent.symmetry import SYMMETRIES
from firebreak.train.config.schema import AgentConfig, RunConfig
from firebreak.train.run.group import EnvGroup
from firebreak.train.run.progress import RunState


def collect(run: RunState, config: RunConfig, check_stop: Callable[[], None]) -> None:
    """One collection in every group, or in those left; the returns of episodes that ended.

    check_stop: raises between two steps to leave.

    Raises:
        NotFinite: NaN or infinity in Q-values.
    """
    turn = run.progress
    while turn.collected < len(run.groups):
        group = run.groups[turn.collected]
        returns = group.collector.collect(run.env_steps, check_stop).returns
        turn.env_steps += group.collector.buffer.drain(group.replay)
        if group.labels is not None and learns_gains(run.agent, config.agent):
            group.labels.label(config.train.collect_steps * group.env.num_envs)
        turn.returns += returns
        turn.collected += 1
        run.returns.extend(returns)


def learn(run: RunState, config: RunConfig, check_stop: Callable[[], None]) -> None:
    """The gradient steps due for a collection; none before the replays are ready.

    check_stop: raises between two steps to leave.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    turn, train = run.progress, config.train
    ready = sum(len(group.replay) for group in run.groups) >= train.learning_starts
    if ready and not turn.counted:
        turn.updates_due += turn.env_steps * train.updates_per_env_step
        turn.counted = True
    while turn.counted and turn.updates_due >= 1.0:
        check_stop()
        for group in run.groups:
            group.collector.poll()
        made = update(run.agent, run.groups, config.agent)
        run.losses.append(made.loss)
        turn.updates_due -= 1.0
        turn.updates.append((made.loss, made.mean_q, made.gradient_norm))
    check_stop()


def update(agent: DQNAgent, groups: Sequence[EnvGroup], config: AgentConfig) -> Update:
    """One gradient step, on maps of each size by turns, with about as many cells in a batch.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    group = groups[agent.learner_steps % len(groups)]
    size = max(1, agent.settings.batch_size * groups[0].cells // group.cells)
    if group.labels is None or not learns_gains(agent, config) or not len(group.labels.store):
        return update_from(agent, group.replay, size, config)
    k = drawn_symmetry(agent, group.replay, config)
    return agent.learn_gains(group.labels.store.sample(size, agent.sampling), k)


def update_from(agent: DQNAgent, replay: Replay, size: int, config: AgentConfig) -> Update:
    """One gradient step on `size` transitions.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    k = drawn_symmetry(agent, replay, config)
    batch = replay.sample(size, agent.discount, agent.settings.n_step, agent.sampling)
    return agent.learn(batch, k)


def learns_gains(agent: DQNAgent, config: AgentConfig) -> bool:
    """Whether the discount is still 0 and the simulator's gains are learned from."""
    return config.gain_share > 0.0 and (agent.learner_steps < config.discount_begin
                                        or config.discount_end == 0.0)


def drawn_symmetry(agent: DQNAgent, replay: Replay, config: AgentConfig) -> int:
    """One that the maps of a replay have, drawn."""
    turns = SYMMETRIES if replay.shape[0] == replay.shape[1] and config.symmetries else 1
    return int(torch.randint(turns, (1,), generator=agent.sampling))
