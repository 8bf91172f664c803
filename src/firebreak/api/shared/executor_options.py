"""Options of commands whose work may be spread over processes or machines, and the threads of this
machine that a call runs on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from firebreak.executors.base import Executor, ExecutorName
from firebreak.executors.calls import Recipe


@dataclass(frozen=True)
class WorkerOptions:
    """Workers that share the work, if it is divided."""

    executor: ExecutorName | None = None
    """Where the fires burn: in this process, on this machine's cores, or on the Ray cluster of
    RAY_ADDRESS (extra ray). Numbers and maps are the same everywhere."""
    workers: Annotated[int, Ge(0), Le(4096)] = 0
    """Number of workers; 0: one for each core (of the cluster). Results are the same for any
    number."""

    def beside(self) -> int:
        """Processes of this machine that work beside this one. Nodes of a cluster have memory of
        their own.
        """
        from firebreak.executors.ray_core import cores, head

        here = self.executor == "processes" or (self.executor == "ray" and head() is None)
        return (self.workers or cores()) if here else 0

    def check(self) -> None:
        """Refuses options that no executor can be opened with.

        Raises:
            InputError: naming the option.
        """
        from firebreak.executors.choice import check_executor

        check_executor(self.executor or "in-process", self.workers)

    def open(self, recipe: Recipe) -> Executor:
        """The executor that the options ask for.

        Raises:
            InputError: as `check`, or as `open_executor`.
        """
        from firebreak.executors.choice import open_executor

        return open_executor(self.executor or "in-process", recipe, self.workers)


@dataclass(frozen=True)
class WindowOptions(WorkerOptions):
    """A map of more than 256x256 treatable cells is planned in parts, windows: each proposes lines
    for breaks, and fires on the whole map choose among them. With any of these options, a smaller
    map is planned in the same way."""

    executor: ExecutorName | None = None
    """Where windows are planned and judged: in this process, on this machine's cores, or on the Ray
    cluster of RAY_ADDRESS (extra ray). The plan is the same everywhere."""
    workers: Annotated[int, Ge(0), Le(4096)] = 0
    """Number of workers; 0: one for each core (of the cluster)."""
    window_cells: Annotated[int, Ge(16)] | None = None
    """Number of cells along a side of the square in which a window places breaks; 128 if not
    given."""


def use_threads(count: int, torch_threads: int | None = None) -> None:
    """Sets the threads that burn fires (0 = all cores) and, if given, those of the network."""
    from firebreak.native_library import max_threads, set_threads

    set_threads(count or max_threads())
    if torch_threads is not None:
        import torch

        torch.set_num_threads(torch_threads)


@contextmanager
def threads_kept() -> Iterator[None]:
    """Afterwards fires and networks have as many threads as before: they are the caller's."""
    import torch

    from firebreak.native_library import set_threads, thread_count

    fires, networks = thread_count(), torch.get_num_threads()
    try:
        yield
    finally:
        set_threads(fires)
        torch.set_num_threads(networks)
