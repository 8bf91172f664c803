"""The last parts of a run, after its last episode: learner steps on the states that it has kept.

The fit learns from all states that the run has labelled with gains. While a run goes on its network
learns from few states first, and from states that worse networks came to; here all are there from
the start. The distillation then learns what the network itself says of states of the replay in the
mean over the eight symmetries (`agent.distillation`).
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from firebreak.agent.distillation import lesson
from firebreak.agent.dqn import Update
from firebreak.agent.gain_store import GainStore
from firebreak.agent.settings import LinearSchedule
from firebreak.agent.symmetry import as_floats
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.run_sizes import CELLS, states_of_a_step
from firebreak.train.run.group import EnvGroup
from firebreak.train.run.progress import Progress, RunState
from firebreak.train.run.turn import drawn_symmetry

VALIDATIONS, STEPS_PER_ROW = 8, 50
"""Validations after the first learner step of a part, at most, and how many steps a row of metrics
is of."""
_NEVER = 2**62


class _Part(NamedTuple):
    """Learner steps of a part, counted as in `Progress.fitted`: from `begin` up to `end`."""

    begin: int
    end: int
    distils: bool

    @property
    def period(self) -> int:
        """Learner steps between two validations."""
        return max(-(-(self.end - self.begin) // VALIDATIONS), 1)

    def next(self, step: int, period: int) -> int:
        """The next step after `step` at which a period ends, or the part."""
        return min(self.begin + ((step - self.begin) // period + 1) * period, self.end)


def is_due(run: RunState, config: RunConfig) -> bool:
    """Whether a validation is due: before the first learner step of a part, and on its way."""
    fitted, part = run.progress.fitted, _part_of(run, config)
    return (fitted - part.begin) % part.period == 0 or fitted >= part.end


def is_over(run: RunState, config: RunConfig) -> bool:
    """Whether all learner steps are made."""
    return run.progress.fitted >= _part_of(run, config).end


def pass_over_empty(run: RunState, config: RunConfig) -> None:
    """Passes over a part for which the run has no states, and warns that it does."""
    own, turn = config.agent, run.progress
    if turn.fitted < own.fit_steps and not _labelled(run):
        warnings.warn(f"no state was labelled with gains, so the run makes no learner steps of "
                      f"agent.fit_steps = {own.fit_steps}; raise agent.gain_share or "
                      "train.episodes", stacklevel=2)
        _move(turn, own.fit_steps)
    end = own.fit_steps + own.distill_steps
    if own.fit_steps <= turn.fitted < end and not _played(run):
        warnings.warn(f"the replay is empty, so the run makes no learner steps of "
                      f"agent.distill_steps = {own.distill_steps}; raise train.episodes",
                      stacklevel=2)
        _move(turn, end)


def go_on_with(turn: Progress, then: int, now: int) -> None:
    """Where a run stands that was saved with `then` for `agent.fit_steps` and goes on with `now`: a
    fit that has made as many steps is over, and the distillation begins or goes on where it was;
    one that gets more steps makes them, and the distillation begins anew.
    """
    distilled = max(turn.fitted - then, 0)
    made = turn.fitted - distilled
    _move(turn, now + distilled if made >= now else made)


def _move(turn: Progress, fitted: int) -> None:
    """Counts `fitted` learner steps; a network that was validated stays so."""
    if turn.validated_at >= 0:
        turn.validated_at += fitted - turn.fitted
    turn.fitted = fitted


def fitted_of(run: RunState, config: RunConfig) -> dict[str, int]:
    """How far the part is that the last learner step was of; nothing before the first."""
    fitted, own = run.progress.fitted, config.agent
    if fitted > own.fit_steps:
        return {"distilled": fitted - own.fit_steps, "distill_steps": own.distill_steps}
    return {"fitted": fitted, "fit_steps": own.fit_steps} if fitted else {}


def fit(run: RunState, config: RunConfig, check_stop: Callable[[], None]) -> None:
    """Learner steps of a part until a row or a validation is due; map sizes by turns. The learning
    rate stays for a fifth of the part, then falls to 0.

    check_stop: raises before a step to leave; never after the last, whose row is due first.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    agent, turn, part = run.agent, run.progress, _part_of(run, config)
    began = agent.learner_steps - (turn.fitted - part.begin)
    count = part.end - part.begin
    agent.settings = replace(agent.settings, learning_rate=LinearSchedule(
        config.agent.learning_rate, 0.0, began + count // 5, began + count))
    until = min(part.next(turn.fitted, STEPS_PER_ROW), part.next(turn.fitted, part.period))
    step = _distil if part.distils else _fit
    while turn.fitted < until:
        check_stop()
        made = step(run, config, turn.fitted - part.begin)
        run.losses.append(made.loss)
        turn.fitted += 1
        turn.updates.append((made.loss, made.mean_q, made.gradient_norm))


def _fit(run: RunState, config: RunConfig, number: int) -> Update:
    """Learner step `number` on labelled states."""
    labelled = _labelled(run)
    group, store = labelled[number % len(labelled)]
    group.collector.poll()
    batch = store.sample(_states(group), run.agent.sampling)
    return run.agent.learn_gains(batch, drawn_symmetry(run.agent, group.replay, config.agent))


def _distil(run: RunState, config: RunConfig, number: int) -> Update:
    """Learner step `number` on states of the replay. The target network is the teacher: it is what
    the network was before the first of these steps.
    """
    agent, played = run.agent, _played(run)
    if number == 0:
        agent.target_net.load_state_dict(agent.online_net.state_dict())
    agent.settings = replace(agent.settings, target_share=0.0, target_period=_NEVER)
    group = played[number % len(played)]
    group.collector.poll()
    seen = as_floats(group.replay.sample(_states(group), 0.0, 1, agent.sampling).observation)
    batch = lesson(agent.target_net, seen, agent.layout, agent.sampling)
    return agent.learn_gains(batch, drawn_symmetry(agent, group.replay, config.agent))


def _part_of(run: RunState, config: RunConfig) -> _Part:
    """The part that a run is in: the fit until its last step."""
    fitted, own = run.progress.fitted, config.agent
    if fitted < own.fit_steps:
        return _Part(0, own.fit_steps, distils=False)
    return _Part(own.fit_steps, own.fit_steps + own.distill_steps, distils=True)


def _labelled(run: RunState) -> list[tuple[EnvGroup, GainStore]]:
    """The groups that have labelled states, with these."""
    return [(group, group.labels.store) for group in run.groups
            if group.labels is not None and len(group.labels.store)]


def _played(run: RunState) -> list[EnvGroup]:
    """The groups whose replay has states."""
    return [group for group in run.groups if len(group.replay)]


def _states(group: EnvGroup) -> int:
    """States of a learner step."""
    return states_of_a_step(group.cells, CELLS)
