"""Options of commands whose work may be spread over processes or machines."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.train.executors.base import Executor, Recipe


@dataclass
class ExecutorOptions:
    """Where the work is done."""

    executor: Literal["in-process", "processes", "ray"] = "in-process"
    """in-process: here; processes: on this machine's cores; ray: on a Ray cluster (extra ray)."""
    workers: int = 0
    """How many; 0: one for each core (of the cluster). Results are the same for any number."""
    ray_address: str | None = None
    """HOST:PORT of a cluster's head; a cluster of this machine alone is started if not given."""
    worker_limit_s: float | None = None
    """Seconds after which a worker without an answer is replaced, and its call made again; it is
    waited for without end if not given."""

    def open(self, recipe: "Recipe") -> "Executor":
        """The executor that the options ask for."""
        from firebreak.train.executors.choice import open_executor

        if self.worker_limit_s is not None and not self.worker_limit_s > 0.0:
            raise fail(expected="a limit above 0", given=f"{self.worker_limit_s:g}",
                       where="--worker-limit-s", remedy="give seconds, or leave it out")
        return open_executor(self.executor, recipe, self.workers, self.ray_address,
                             self.worker_limit_s)
