"""Scheduled cleanups. Ownership keeps memory constant; these are the guard that reports if not.

Each cleanup is idempotent, timed, and says what it freed. Freeing a lot in steady state means that
something upstream leaks, so that is an alarm.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.train.collector import ExperienceCollector
from firebreak.train.schema import CleanupConfig

ALARM_BYTES = 1_000_000


class Freed(NamedTuple):
    """One cleanup: what was cleaned, bytes freed, seconds it took."""

    owner: str
    freed_bytes: int
    seconds: float

    @property
    def alarming(self) -> bool:
        """More was freed than a steady run has to free."""
        return self.freed_bytes > ALARM_BYTES


class Cleaner:
    """Knows when which cleanup is due."""

    def __init__(self, schedule: CleanupConfig, agent: DQNAgent,
                 collectors: Sequence[ExperienceCollector]) -> None:
        self.schedule, self.agent, self.collectors = schedule, agent, tuple(collectors)
        self.seconds = 0.0
        self.runs = 0
        self._due = {"collector": schedule.collector_steps, "agent": schedule.learner_steps,
                     "everything": schedule.episodes}

    def after(self, env_steps: int, learner_steps: int, episodes: int) -> list[Freed]:
        """Runs the cleanups that are due at these absolute counts.

        env_steps are counted per slot of the vector environment.
        """
        counts = {"collector": (env_steps, self.schedule.collector_steps),
                  "agent": (learner_steps, self.schedule.learner_steps),
                  "everything": (episodes, self.schedule.episodes)}
        done = []
        for owner, (count, period) in counts.items():
            if count >= self._due[owner]:
                self._due[owner] = (count // period + 1) * period
                done.append(self._clean(owner))
        return done

    def skip_to(self, env_steps: int, learner_steps: int, episodes: int) -> None:
        """Counts from here, after a resume: nothing that lies before is due."""
        for owner, count, period in (
                ("collector", env_steps, self.schedule.collector_steps),
                ("agent", learner_steps, self.schedule.learner_steps),
                ("everything", episodes, self.schedule.episodes)):
            self._due[owner] = (count // period + 1) * period

    def _clean(self, owner: str) -> Freed:
        begin = time.perf_counter()
        if owner == "collector":
            freed = sum(collector.cleanup_memory() for collector in self.collectors)
        elif owner == "agent":
            freed = self.agent.cleanup_memory() + _empty_gpu_cache(self.agent.device)
        else:
            freed = sum(collector.cleanup_memory() for collector in self.collectors)
            self.agent.reset_memory()
        seconds = time.perf_counter() - begin
        self.seconds += seconds
        self.runs += 1
        return Freed(owner, freed, seconds)


def _empty_gpu_cache(device: torch.device) -> int:
    if device.type != "cuda":
        return 0
    before = torch.cuda.memory_reserved(device)
    torch.cuda.empty_cache()
    return before - torch.cuda.memory_reserved(device)
