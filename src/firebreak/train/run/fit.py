"""The last part of a run that learns from gains: learner steps on all states that it has labelled.

While a run goes on its network learns from few states first, and from states that worse networks
came to. Here all are there from the start.
"""

import warnings
from collections.abc import Callable

from firebreak.agent.gain_store import GainStore
from firebreak.agent.schedules import between
from firebreak.train.config.schema import RunConfig
from firebreak.train.data.run_sizes import CELLS, states_of_a_step
from firebreak.train.run.group import EnvGroup
from firebreak.train.run.progress import RunState
from firebreak.train.run.turn import drawn_symmetry

VALIDATIONS, STEPS_PER_ROW = 8, 50
"""Validations after the first learner step, at most, and how many steps a row of metrics is of."""


def is_due(run: RunState, config: RunConfig) -> bool:
    """Whether a validation is due: before the first learner step, and on the way."""
    fitted, total = run.progress.fitted, config.agent.fit_steps
    return fitted % _period(total) == 0 or fitted >= total


def ends(run: RunState, config: RunConfig) -> bool:
    """Whether a fit is at its end. Its last weights are the policy of a run, whatever validation
    said on the way: the learning rate has fallen to 0 there, and the validation problems are too
    few to tell weights of one fit apart.
    """
    return 0 < config.agent.fit_steps <= run.progress.fitted


def is_over(run: RunState, config: RunConfig) -> bool:
    """Whether all learner steps are made. A run that has no labelled states makes none, with a
    warning.
    """
    total = config.agent.fit_steps
    if run.progress.fitted >= total:
        return True
    if _labelled(run):
        return False
    warnings.warn("no state was labelled with gains, so the run makes no learner steps of "
                  f"agent.fit_steps = {total}; raise agent.gain_share or train.episodes",
                  stacklevel=2)
    return True


def fitted_of(run: RunState, config: RunConfig) -> dict[str, int]:
    """How far the fit is; nothing before its first learner step."""
    fitted = run.progress.fitted
    return {"fitted": fitted, "fit_steps": config.agent.fit_steps} if fitted else {}


def fit(run: RunState, config: RunConfig, check_stop: Callable[[], None]) -> None:
    """Learner steps on the states kept with their gains, until a row or a validation is due; map
    sizes by turns. The learning rate stays for a fifth of `agent.fit_steps`, then falls to 0.

    check_stop: raises before a step to leave; never after the last, whose row is due first.

    Raises:
        NotFinite: NaN or infinity in loss, gradient or weights.
    """
    agent, turn, total = run.agent, run.progress, config.agent.fit_steps
    labelled = _labelled(run)
    began = agent.learner_steps - turn.fitted
    until = min(_next(turn.fitted, STEPS_PER_ROW), _next(turn.fitted, _period(total)), total)
    while turn.fitted < until:
        check_stop()
        group, store = labelled[turn.fitted % len(labelled)]
        group.collector.poll()
        batch = store.sample(states_of_a_step(group.cells, CELLS), agent.sampling)
        rate = between(agent.learner_steps, config.agent.learning_rate, 0.0, began + total // 5,
                       began + total)
        made = agent.learn_gains(batch, drawn_symmetry(agent, group.replay, config.agent), rate)
        run.losses.append(made.loss)
        turn.fitted += 1
        turn.updates.append((made.loss, made.mean_q, made.gradient_norm))


def _labelled(run: RunState) -> list[tuple[EnvGroup, GainStore]]:
    """The groups that have labelled states, with these."""
    return [(group, group.labels.store) for group in run.groups
            if group.labels is not None and len(group.labels.store)]


def _period(total: int) -> int:
    """Learner steps between two validations."""
    return max(-(-total // VALIDATIONS), 1)


def _next(step: int, period: int) -> int:
    return (step // period + 1) * period
