"""Executors by the names that users type; and the plainest back end, this process."""

from typing import Any

from firebreak.checks import fail
from firebreak.executors.base import Executor, ExecutorName
from firebreak.executors.calls import Done, LazyThing, Message, Recipe, Reply
from firebreak.executors.processes import Processes
from firebreak.executors.ray_core import RayCore, check_ray, cores

MAX_WORKERS = 4096


class InProcess:
    """A back end of workers that are plain objects of this process: no parallelism, no start-up,
    the reference. Calls run when their answers are waited for.
    """

    name = "in-process"

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._things: dict[int, LazyThing] = {}
        self._sent: dict[int, Message] = {}

    def start(self, worker: int) -> None:
        """Makes room for a worker."""
        self._things[worker] = LazyThing(self.recipe)

    def probe(self, worker: int) -> None:
        """A worker lives as long as this process."""

    def started(self, worker: int) -> Done:
        """Nothing to start: done."""
        return Done(None)

    def send(self, worker: int, message: Message) -> None:
        """Keeps a call until it is waited for."""
        self._sent[worker] = message

    def wait(self, workers: list[int], timeout_s: float | None) -> list[tuple[int, Reply]]:
        """Runs the oldest call."""
        worker = next(iter(self._sent))
        return [(worker, self._things[worker].serve(self._sent.pop(worker)))]

    def hold(self, payload: Any) -> Any:
        """The payload itself."""
        return payload

    def stop(self, worker: int) -> None:
        """Drops what the worker held."""
        self._things.pop(worker, None)
        self._sent.pop(worker, None)

    def close(self) -> None:
        """Drops everything."""
        self._things.clear()
        self._sent.clear()


def open_executor(name: ExecutorName, recipe: Recipe, workers: int = 0,
                  limit_s: float | None = None) -> Executor:
    """An executor of `workers` workers that hold what the recipe makes; see `check_executor`.

    Args:
        workers: 0: as many as there are cores (of the cluster, for Ray), one for in-process.
        limit_s: see `Executor`; of no meaning in this process, where calls come one by one.

    Raises:
        InputError: as `check_executor`, or as `RayCore`.
    """
    check_executor(name, workers)
    if name == "in-process":
        return Executor(InProcess(recipe), workers or 1)
    if name == "processes":
        return Executor(Processes(recipe), workers or cores(), limit_s=limit_s)
    backend = RayCore(recipe, workers)
    return Executor(backend, workers or backend.cores(), limit_s=limit_s)


def check_executor(name: ExecutorName, workers: int) -> None:
    """Refuses what no executor can be opened with, before there is anything to work on.

    Raises:
        InputError: a number of workers that cannot be, or as `check_ray`.
    """
    if not 0 <= workers <= MAX_WORKERS:
        raise fail(expected=f"0 to {MAX_WORKERS} workers", given=f"{workers}", where="--workers",
                   remedy="0 starts one worker per core")
    if name == "ray":
        check_ray()
