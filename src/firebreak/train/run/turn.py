"""A turn of a run: a collection in every group, and the gradient steps that it earns; and the fit
that ends a run which learns from gains: learner steps on all states that it holds with gains.

Each can be left in its midst, saved, and gone on with: where it stands is in the run's `progress`.
While a run goes on its network learns from few labelled states first, and from states that worse
networks came to; in the fit all are there from the start.
"""

import math
import warnings
from collections.abc import Callable, Sequence

import torch

from firebreak.agent.dqn import AnyBatch, DQNAgent, Update
from firebreak.agent.exploration import between
from firebreak.agent.replay import Replay
from firebreak.agent.symmetry import SYMMETRIES
from firebreak.env.storage.problem import Problem
from firebreak.train.data.sizes import states_of_a_step
from firebreak.train.run.progress import EnvGroup, RunState

VALIDATIONS, STEPS_PER_ROW = 8, 50
"""Validations of a fit after its first learner step, at most, and how many steps a row of metrics
is of."""


def warn_unless_it_can_learn(run: RunState) -> None:
    """Warns of settings with which a run makes no gradient step: the replay never holds the
    transitions that are to be there before the first one. A fit needs no replay.
    """
    train, groups = run.config.train, run.groups
    if run.agent.learner_steps or (run.config.agent.fit_steps and run.config.agent.gain_share):
        return
    room = sum((group.replay.rows - 1) * group.replay.num_envs for group in groups)
    longest = max(longest_episode(problem) for group in groups for problem in group.problems)
    steps = int((train.episodes + train.num_envs * len(groups)) * longest)
    named, needed = "train.learning_starts", train.learning_starts
    if room < min(needed, steps):
        held = f"the replay has room for {room:,} (replay.capacity)"
    else:
        earned = math.ceil(1.0 / train.updates_per_env_step)
        if earned > needed:
            named, needed = "1 / train.updates_per_env_step", earned
        if steps >= needed:
            return
        held = f"{train.episodes:,} episodes (train.episodes) give about {steps:,} at most"
    warnings.warn("the run will make no gradient step and write no policy: the first needs "
                  f"{needed:,} transitions ({named}), and {held}", stacklevel=2)


def longest_episode(problem: Problem) -> float:
    """Most steps of an episode: the cells that its budget buys, each at the price of the cheapest.
    """
    land = problem.scene.landscape
    return problem.budget / float(land.cost[land.treatable].min())


def collect(run: RunState, check_stop: Callable[[], None]) -> None:
    """One collection in every group, or in those left; the returns of episodes that ended.

    check_stop: raises between two steps to leave.

    Raises:
        NotFinite: NaN or infinity in Q-values.
    """
    turn = run.progress
    while turn.collected < len(run.groups):
        group = run.groups[turn.collected]
        returns = group.collector.collect(run.env_steps, check_stop)
        turn.env_steps += group.collector.drain(group.replay)
        turn.returns += returns
        turn.collected += 1
        run.returns.extend(returns)


def learn(run: RunState, check_stop: Callable[[], None]) -> None:
    """The gradient steps due for a collection; none before the replays are ready.

    check_stop: raises between two steps to leave.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    turn, train = run.progress, run.config.train
    ready = sum(len(group.replay) for group in run.groups) >= train.learning_starts
    if ready and not turn.counted:
        turn.updates_due += turn.env_steps * train.updates_per_env_step
        turn.counted = True
    while turn.counted and turn.updates_due >= 1.0:
        check_stop()
        for group in run.groups:
            group.collector.poll()
        run.note(update(run.agent, run.groups, run.twin))
        turn.updates_due -= 1.0
    check_stop()


def update(agent: DQNAgent, groups: Sequence[EnvGroup], twin: DQNAgent | None = None) -> Update:
    """One gradient step, on maps of each size by turns, with about as many cells in a batch.

    twin: makes a step too, on the same rows, at discount 0.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    group = groups[agent.learner_steps % len(groups)]
    size = max(1, agent.settings.batch_size * groups[0].cells // group.cells)
    k = drawn_symmetry(agent, group.replay)
    if twin is not None:
        twin.sampling.set_state(agent.sampling.get_state())
        twin.learn(_batch(twin, group.replay, size, 0.0), k)
    return agent.learn(_batch(agent, group.replay, size, agent.discount), k)


def _batch(agent: DQNAgent, replay: Replay, size: int, discount: float) -> AnyBatch:
    """The batch that an agent learns from now, drawn by its own stream."""
    settings = agent.settings
    if agent.learns_gains and not settings.looks_ahead and replay.labelled().numel():
        return replay.sample_gains(size, agent.sampling)
    sample = replay.sample_ahead if settings.looks_ahead else replay.sample
    return sample(size, discount, settings.n_step, agent.sampling)


def drawn_symmetry(agent: DQNAgent, replay: Replay) -> int:
    """One that the maps of a replay have, drawn."""
    turns = SYMMETRIES if replay.shape[0] == replay.shape[1] and agent.settings.symmetries else 1
    return int(torch.randint(turns, (1,), generator=agent.sampling))


def fit(run: RunState, check_stop: Callable[[], None]) -> None:
    """Learner steps on the states kept with their gains, until a row or a validation is due; map
    sizes by turns. The learning rate stays for a fifth of `agent.fit_steps`, then falls to 0.

    check_stop: raises before a step to leave; never after the last, whose row is due first.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    agent, turn, total = run.agent, run.progress, run.config.agent.fit_steps
    labelled = _labelled(run)
    began = agent.learner_steps - turn.fitted
    until = min(_next(turn.fitted, STEPS_PER_ROW), _next(turn.fitted, _period(total)), total)
    while turn.fitted < until:
        check_stop()
        group = labelled[turn.fitted % len(labelled)]
        group.collector.poll()
        batch = group.replay.sample_gains(states_of_a_step(group.cells), agent.sampling)
        rate = between(agent.learner_steps, agent.settings.learning_rate, 0.0, began + total // 5,
                       began + total)
        run.note(agent.learn(batch, drawn_symmetry(agent, group.replay), rate))
        turn.fitted += 1


def is_due(run: RunState) -> bool:
    """True where a fit is to be validated: before its first learner step, and on the way."""
    fitted, total = run.progress.fitted, run.config.agent.fit_steps
    return fitted % _period(total) == 0 or fitted >= total


def is_fitted(run: RunState) -> bool:
    """True at the end of a fit. Its last weights are the policy of a run, whatever validation said
    on the way: the learning rate has fallen to 0 there, and the validation problems are too few to
    distinguish weights of one fit.
    """
    return 0 < run.config.agent.fit_steps <= run.progress.fitted


def is_over(run: RunState) -> bool:
    """True where all learner steps of a fit are made. A run that has no labelled states makes none,
    with a warning.
    """
    total = run.config.agent.fit_steps
    if run.progress.fitted >= total:
        return True
    if _labelled(run):
        return False
    warnings.warn("no state was labelled with gains, so the run makes no learner steps of "
                  f"agent.fit_steps = {total}; raise agent.gain_share or train.episodes",
                  stacklevel=2)
    return True


def _labelled(run: RunState) -> list[EnvGroup]:
    """The groups whose replay holds states with gains."""
    return [group for group in run.groups if group.replay.labelled().numel()]


def _period(total: int) -> int:
    """Learner steps between two validations."""
    return max(-(-total // VALIDATIONS), 1)


def _next(step: int, period: int) -> int:
    return (step // period + 1) * period
