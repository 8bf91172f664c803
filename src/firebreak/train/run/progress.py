"""Where a run stands: what its turns change, and the figures that it reports after each."""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field, fields
from statistics import fmean
from typing import Any, NamedTuple

from firebreak.agent.dqn import DQNAgent
from firebreak.agent.schedules import epsilon_at
from firebreak.train.config.schema import RunConfig
from firebreak.train.run.best_policy import BestPolicy
from firebreak.train.run.group import EnvGroup

RECENT = 50
"""Episodes that the mean return is over."""


@dataclass(slots=True)
class Progress:
    """Where a run stands between and inside its turns of collecting and learning.

    Attributes:
        next_validation: due when so many episodes have ended.
        validated_at: env steps, and learner steps of `fitted`, at the last validation.
        updates_due: gradient steps that collected experience has earned and that are not made.
        seconds: of the run, when it was last saved.
        in_turn: a turn has begun and has not ended.
        collected: groups that have collected in this turn.
        env_steps: what they have collected.
        counted: this turn's experience is in `updates_due`.
        returns: of the episodes that ended in this turn.
        fitted: learner steps of `agent.fit_steps` made since the last episode ended.
        updates: loss, mean Q-value and gradient norm of this turn's gradient steps.
    """

    next_validation: int
    validated_at: int = -1
    updates_due: float = 0.0
    seconds: float = 0.0
    in_turn: bool = False
    collected: int = 0
    env_steps: int = 0
    counted: bool = False
    fitted: int = 0
    returns: list[float] = field(default_factory=list)
    updates: list[tuple[float, float, float]] = field(default_factory=list)

    def end_turn(self) -> None:
        """Clears what belongs to the turn that is over."""
        self.in_turn, self.collected, self.env_steps, self.counted = False, 0, 0, False
        self.returns, self.updates = [], []

    def restore(self, state: dict[str, Any]) -> None:
        """Takes back what `dataclasses.asdict` gave, as it was read from a checkpoint."""
        updates = [(float(a), float(b), float(c)) for a, b, c in state["updates"]]
        kept = Progress(**(state | {"updates": updates}))
        for one in fields(self):
            setattr(self, one.name, getattr(kept, one.name))


class RunState(NamedTuple):
    """What the turns of a run change and its checkpoints hold: the trainer's own parts, no copies.

    groups: one for each map size; losses, returns: the last gradient steps and episodes, bounded.
    """

    agent: DQNAgent
    groups: list[EnvGroup]
    progress: Progress
    losses: deque[float]
    returns: deque[float]
    best: BestPolicy

    @property
    def episodes(self) -> int:
        """Episodes that have ended."""
        return sum(group.collector.episodes for group in self.groups)

    @property
    def env_steps(self) -> int:
        """Steps of all environments."""
        return sum(group.collector.env_steps for group in self.groups)


def progress_of(run: RunState, config: RunConfig, seconds: float) -> dict[str, Any]:
    """The figures of a turn. seconds: of the run so far."""
    turn = run.progress
    losses, qs, norms = zip(*turn.updates, strict=True) if turn.updates else ((), (), ())
    return {
        "episodes_ended": len(turn.returns), "seconds": seconds,
        "epsilon": epsilon_at(run.agent.settings, run.env_steps),
        "discount": run.agent.discount,
        "replay": sum(len(group.replay) for group in run.groups),
        "learning_starts": config.train.learning_starts,
        "mean_return": mean_or_none(list(run.returns)[-RECENT:]),
        "loss": mean_or_none(losses), "mean_q": mean_or_none(qs),
        "gradient_norm": mean_or_none(norms),
        "seconds_per_env_step": mean_or_none([
            seconds / group.env.num_envs for group in run.groups
            for seconds in group.collector.step_times]),
        "seconds_per_collection": mean_or_none([sum(seconds) for seconds in zip(*(
            group.collector.collection_times for group in run.groups), strict=False)])}


def mean_or_none(values: Collection[float]) -> float | None:
    """Their mean; None of none."""
    return fmean(values) if values else None
