"""The last part of a run that learns from gains: learner steps on all states that it has labelled.

While a run goes on its network learns from few states first, and from states that worse networks
came to. Here all are there from the start.
"""

from collections.abc import Callable
from dataclasses import replace

from firebreak.agent.gain_store import GainStore
from firebreak.agent.settings import LinearSchedule
from firebreak.train.config.schema import RunConfig
from firebreak.train.run.group import EnvGroup
from firebreak.train.run.progress import RunState
from firebreak.train.run.turn import drawn_symmetry

CELLS = 40_000
"""Cells of the maps of a learner step."""
VALIDATIONS, STEPS_PER_ROW = 8, 50
"""Validations after the first learner step, at most, and how many steps a row of metrics is of."""


def is_due(run: RunState, config: RunConfig) -> bool:
    """Whether a validation is due: before the first learner step, and after each part of them."""
    fitted, total = run.progress.fitted, config.agent.fit_steps
    return fitted % _part(total) == 0 or fitted >= total


def is_over(run: RunState, config: RunConfig) -> bool:
    """Whether all learner steps are made, or there is nothing to learn from."""
    return run.progress.fitted >= config.agent.fit_steps or not _labelled(run)


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
    agent.settings = replace(agent.settings, learning_rate=LinearSchedule(
        config.agent.learning_rate, 0.0, began + total // 5, began + total))
    until = min(_next(turn.fitted, STEPS_PER_ROW), _next(turn.fitted, _part(total)), total)
    while turn.fitted < until:
        check_stop()
        group, store = labelled[turn.fitted % len(labelled)]
        group.collector.poll()
        batch = store.sample(max(2, round(CELLS / group.cells)), agent.sampling)
        made = agent.learn_gains(batch, drawn_symmetry(agent, group.replay, config.agent))
        run.losses.append(made.loss)
        turn.fitted += 1
        turn.updates.append((made.loss, made.mean_q, made.gradient_norm))


def _labelled(run: RunState) -> list[tuple[EnvGroup, GainStore]]:
    """The groups that have labelled states, with these."""
    return [(group, group.labels.store) for group in run.groups
            if group.labels is not None and len(group.labels.store)]


def _part(total: int) -> int:
    """Learner steps between two validations."""
    return max(-(-total // VALIDATIONS), 1)


def _next(step: int, period: int) -> int:
    return (step // period + 1) * period
