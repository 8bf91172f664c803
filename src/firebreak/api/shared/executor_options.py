"""Options of commands whose work may be spread over processes or machines."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le

from firebreak.executors.base import ExecutorName
from firebreak.settings.kinds import Positive

if TYPE_CHECKING:
    from firebreak.executors.base import Executor
    from firebreak.executors.calls import Recipe


@dataclass(frozen=True)
class WorkerOptions:
    """Where the work is done, if it is divided."""

    executor: ExecutorName | None = None
    """Where the fires burn: in this process, on this machine's cores, or on a Ray cluster (extra
    ray). Numbers and maps are the same everywhere."""
    workers: Annotated[int, Ge(0), Le(4096)] = 0
    """Number of workers; 0: one for each core (of the cluster). Results are the same for any
    number."""
    ray_address: str | None = None
    """HOST:PORT of the head of a Ray cluster; if not given, one is started on this machine."""
    worker_limit_s: Positive | None = None
    """Seconds after which a worker that does not answer is replaced and its call made again; no
    limit if not given."""

    def beside(self) -> int:
        """Processes of this machine that work beside this one. Nodes of a cluster have memory of
        their own.
        """
        from firebreak.executors.ray_core import cores

        here = self.executor == "processes" or (self.executor == "ray" and self.ray_address is None)
        return (self.workers or cores()) if here else 0

    def check(self) -> None:
        """Refuses options that no executor can be opened with.

        Raises:
            InputError: naming the option.
        """
        from firebreak.executors.choice import check_executor

        check_executor(self.executor or "in-process", self.workers, self.ray_address)

    def open(self, recipe: "Recipe") -> "Executor":
        """The executor that the options ask for.

        Raises:
            InputError: as `check`, or as `open_executor`.
        """
        from firebreak.executors.choice import open_executor

        return open_executor(self.executor or "in-process", recipe, self.workers, self.ray_address,
                             self.worker_limit_s)


@dataclass(frozen=True)
class ExecutorOptions(WorkerOptions):
    """Where the work is done."""

    executor: ExecutorName = "in-process"
    """Where the work is done: in this process, on this machine's cores, or on a Ray cluster (extra
    ray)."""


@dataclass(frozen=True)
class WindowOptions(WorkerOptions):
    """A map of more than 256x256 treatable cells is planned in parts, windows: each proposes lines
    for breaks, and fires on the whole map choose among them. With any of these options, a smaller
    map is planned in the same way."""

    executor: ExecutorName | None = None
    """Where windows are planned and judged: in this process, on this machine's cores, or on a Ray
    cluster (extra ray). The plan is the same everywhere."""
    workers: Annotated[int, Ge(0), Le(4096)] = 0
    """Number of workers; 0: one for each core (of the cluster)."""
    window_cells: Annotated[int, Ge(16)] | None = None
    """Number of cells along a side of the square in which a window places breaks; 128 if not
    given."""
    window_margin: Annotated[int, Ge(0)] | None = None
    """Number of cells around that square, in which fires start and spread too; if not given, the
    distance that three quarters of the fires stay within."""
