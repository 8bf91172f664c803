"""What a run tells of itself after each turn of collecting and learning."""

import time
from collections.abc import Collection
from statistics import fmean
from typing import TYPE_CHECKING, Any

from firebreak.memory.process import rss_bytes

if TYPE_CHECKING:
    from firebreak.train.trainer import ParallelTrainer

RECENT = 50
"""Episodes that the mean return is over."""


def progress_of(trainer: "ParallelTrainer", begin: float) -> dict[str, Any]:
    """The figures of a turn. begin: of the run, by `time.perf_counter`."""
    turn = trainer.progress
    losses, qs, norms = zip(*turn.updates, strict=True) if turn.updates else ((), (), ())
    return {
        "episodes_ended": len(turn.returns), "seconds": time.perf_counter() - begin,
        "epsilon": trainer.agent.settings.epsilon(trainer.env_steps),
        "discount": trainer.agent.discount,
        "replay": sum(len(arena.replay) for arena in trainer.arenas),
        "learning_starts": trainer.config.train.learning_starts,
        "mean_return": mean_or_none(list(trainer.returns)[-RECENT:]),
        "loss": mean_or_none(losses), "mean_q": mean_or_none(qs),
        "gradient_norm": mean_or_none(norms),
        "seconds_per_env_step": mean_or_none([
            seconds / arena.env.num_envs for arena in trainer.arenas
            for seconds in arena.collector.step_times]),
        "seconds_per_collection": mean_or_none([sum(seconds) for seconds in zip(*(
            arena.collector.collection_times for arena in trainer.arenas), strict=False)]),
        "cleanup_seconds": trainer.cleaner.seconds,
        "cleanup_freed_bytes": trainer.cleaner.freed_bytes,
        "profiler_seconds": trainer.profiler.seconds, "rss_bytes": rss_bytes()}


def mean_or_none(values: Collection[float]) -> float | None:
    """Their mean; None of none."""
    return fmean(values) if values else None
