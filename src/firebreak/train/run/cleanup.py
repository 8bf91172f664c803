"""Scheduled cleanups. Ownership keeps memory constant; these are the guard that reports if not.

Each cleanup is idempotent, timed, and says what it freed. Freeing a lot in steady state means that
something upstream leaks, so that is an alarm which names the owner.
"""

import gc
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch

from firebreak.agent.dqn import DQNAgent
from firebreak.memory.process import gpu_share_used, heap_bytes
from firebreak.memory.registry import census
from firebreak.train.config.schema import CleanupConfig
from firebreak.train.rollout.collector import ExperienceCollector
from firebreak.train.rollout.parallel import CollectorPool

ALARM_BYTES = 1_000_000
EVERYTHING = "everything"


class Freed(NamedTuple):
    """One cleanup: what was cleaned, bytes freed, seconds it took, what it was that was freed, and
    whether it frees more than a steady run has to free.
    """

    owner: str
    freed_bytes: int
    seconds: float
    what: str = ""
    alarming: bool = False


class Cleaner:
    """Knows when which cleanup is due.

    Args:
        gpu_share: tells the share of the GPU's memory in use; replaced in tests.
    """

    def __init__(self, schedule: CleanupConfig, agent: DQNAgent,
                 collectors: Sequence[ExperienceCollector | CollectorPool],
                 gpu_share: Callable[[], float] = gpu_share_used) -> None:
        self.schedule, self.agent, self.collectors = schedule, agent, list(collectors)
        self.gpu_share = gpu_share
        self.seconds = 0.0
        self.runs = 0
        self.freed_bytes = 0
        self._settled = False
        self._periods = {"collector": schedule.collector_steps, "agent": schedule.learner_steps,
                         EVERYTHING: schedule.episodes}
        self._due = dict(self._periods)

    def after(self, env_steps: int, learner_steps: int, episodes: int) -> list[Freed]:
        """Runs the cleanups that are due at these absolute counts.

        env_steps are counted per slot of the vector environment.
        """
        counts = dict(zip(self._periods, (env_steps, learner_steps, episodes), strict=True))
        due = [owner for owner, count in counts.items() if count >= self._due[owner]]
        self.skip_to(env_steps, learner_steps, episodes)
        done = [self._clean(owner) for owner in due]
        return done + self._relieve_gpu() if done else []

    def everything(self) -> Freed:
        """A full cleanup out of turn."""
        return self._clean(EVERYTHING)

    def skip_to(self, env_steps: int, learner_steps: int, episodes: int) -> None:
        """Counts from here: nothing that lies before is due."""
        counts = (env_steps, learner_steps, episodes)
        self._due = {owner: (count // period + 1) * period
                     for (owner, period), count in zip(self._periods.items(), counts, strict=True)}

    def _clean(self, owner: str) -> Freed:
        begin = time.perf_counter()
        freed, what = {"collector": self._collectors, "agent": self._agent,
                       EVERYTHING: self._everything}[owner]()
        seconds = time.perf_counter() - begin
        self.seconds += seconds
        self.runs += 1
        self.freed_bytes += freed
        # The first collection of a run finds what start-up and the first steps left behind.
        alarming = freed > ALARM_BYTES and (owner != EVERYTHING or self._settled)
        self._settled |= owner == EVERYTHING
        return Freed(owner, freed, seconds, what, alarming)

    def _collectors(self) -> tuple[int, str]:
        return sum(collector.cleanup_memory() for collector in self.collectors), "buffers"

    def _agent(self) -> tuple[int, str]:
        freed = self.agent.cleanup_memory()
        empty_gpu_cache(self.agent.device)  # a reserve, not a leak: not counted as freed
        return freed, "gradients"

    def _everything(self) -> tuple[int, str]:
        """All of it, and the cycles that only the garbage collector finds, by class."""
        own = self._collectors()[0] + self._agent()[0]
        before, objects = heap_bytes(), Counter(census().kinds)
        gc.collect()
        after = heap_bytes()
        cycles = max(before - after, 0) if before is not None and after is not None else 0
        gone = objects - Counter(census().kinds)
        names = ", ".join(f"{count} {kind}" for kind, count in gone.most_common(3))
        return own + cycles, f"cycles of {names}" if names else "cycles"

    def _relieve_gpu(self) -> list[Freed]:
        """A cleanup out of turn where the GPU is nearly full; an alarm if that does not help."""
        begin, share = time.perf_counter(), self.gpu_share()
        if share < self.schedule.gpu_cleanup_share:
            return []
        freed = empty_gpu_cache(self.agent.device)
        left = self.gpu_share()
        return [Freed("gpu", freed, time.perf_counter() - begin,
                      f"cache, with {share:.0%} of the GPU in use before and {left:.0%} after",
                      left >= self.schedule.gpu_warning_share)]


def empty_gpu_cache(device: torch.device) -> int:
    """Gives what torch holds in reserve back to the GPU; returns the bytes."""
    if device.type != "cuda":
        return 0
    before = torch.cuda.memory_reserved(device)
    torch.cuda.empty_cache()
    return before - torch.cuda.memory_reserved(device)
