"""Options of commands whose work may be spread over processes or machines."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firebreak.checks import fail
from firebreak.executors.base import ExecutorName
from firebreak.settings.kinds import Positive

if TYPE_CHECKING:
    from firebreak.executors.base import Executor
    from firebreak.executors.calls import Recipe


@dataclass(frozen=True)
class WorkerOptions:
    """Where the work is done, if it is divided."""

    executor: ExecutorName | None = None
    """Burn the test fires in chunks: here, on this machine's cores, or on a Ray cluster (extra
    ray). Any number of fires in constant memory; other fires than without this option."""
    workers: int = 0
    """Number of workers; 0: one for each core (of the cluster). Results are the same for any
    number."""
    ray_address: str | None = None
    """HOST:PORT of a cluster's head; a cluster of this machine alone is started if not given."""
    worker_limit_s: Positive | None = None
    """Seconds after which a worker without an answer is replaced, and its call made again; no
    limit if not given."""

    def open(self, recipe: "Recipe") -> "Executor":
        """The executor that the options ask for."""
        from firebreak.executors.choice import open_executor

        if self.worker_limit_s is not None and not self.worker_limit_s > 0.0:
            raise fail(expected="a limit above 0", given=f"{self.worker_limit_s:g}",
                       where="--worker-limit-s", remedy="give seconds, or leave it out")
        return open_executor(self.executor or "in-process", recipe, self.workers, self.ray_address,
                             self.worker_limit_s)


@dataclass(frozen=True)
class ExecutorOptions(WorkerOptions):
    """Where the work is done."""

    executor: ExecutorName = "in-process"
    """in-process: here; processes: on this machine's cores; ray: on a Ray cluster (extra ray)."""


@dataclass(frozen=True)
class WindowOptions:
    """How a map that is too large for one plan is cut into windows, and where they are planned. Any
    of these options has the plan made by windows."""

    window_cells: int | None = None
    """Cells along a side of what each window treats; 128 if not given."""
    window_margin: int | None = None
    """Cells around it, in which fires start and spread; as far as three quarters of the fires get
    if not given."""
    executor: ExecutorName | None = None
    """in-process, processes or ray (extra ray): where windows are planned and judged. The plan is
    the same."""
    workers: int = 0
    """Number of workers; 0: one for each core (of the cluster)."""
    ray_address: str | None = None
    """HOST:PORT of a cluster's head; a cluster of this machine alone is started if not given."""
    worker_limit_s: Positive | None = None
    """Seconds after which a worker without an answer is replaced, and its call made again; no
    limit if not given."""

    def open(self, recipe: "Recipe") -> "Executor":
        """The executor that the options ask for.

        Raises:
            InputError: cells that cannot be, or as `open_executor`.
        """
        for name, value, least in (("--window-cells", self.window_cells, 16),
                                   ("--window-margin", self.window_margin, 0)):
            if value is not None and value < least:
                raise fail(expected=f"at least {least} cells", given=f"{value}", where=name,
                           remedy="leave it out")
        return WorkerOptions(self.executor, self.workers, self.ray_address,
                             self.worker_limit_s).open(recipe)
