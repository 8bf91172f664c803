"""From the names that users type to an executor."""

from firebreak.checks import fail
from firebreak.executors.base import Executor, ExecutorName
from firebreak.executors.calls import Recipe
from firebreak.executors.in_process import InProcess
from firebreak.executors.processes import Processes
from firebreak.executors.ray_core import RayCore, check_ray, cores

MAX_WORKERS = 4096


def open_executor(name: ExecutorName, recipe: Recipe, workers: int = 0,
                  ray_address: str | None = None, limit_s: float | None = None) -> Executor:
    """An executor of `workers` workers that hold what the recipe makes; see `check_executor`.

    Args:
        workers: 0: as many as there are cores (of the cluster, for Ray), one for in-process.
        limit_s: see `Executor`; of no meaning in this process, where calls come one by one.

    Raises:
        InputError: as `check_executor`, or as `RayCore`.
    """
    check_executor(name, workers, ray_address)
    if name == "in-process":
        return Executor(InProcess(recipe), workers or 1)
    if name == "processes":
        return Executor(Processes(recipe), workers or cores(), limit_s=limit_s)
    backend = RayCore(recipe, workers, ray_address)
    return Executor(backend, workers or backend.cores(), limit_s=limit_s)


def check_executor(name: ExecutorName, workers: int, ray_address: str | None) -> None:
    """Refuses what no executor can be opened with, before there is anything to work on.

    Raises:
        InputError: a number of workers that cannot be, an address without Ray, or as `check_ray`.
    """
    if not 0 <= workers <= MAX_WORKERS:
        raise fail(expected=f"0 to {MAX_WORKERS} workers", given=f"{workers}", where="--workers",
                   remedy="0 starts one worker per core")
    if ray_address is not None and name != "ray":
        raise fail(expected="--executor ray together with --ray-address", given=f"'{name}'",
                   where="--ray-address", remedy="add --executor ray")
    if name == "ray":
        check_ray(ray_address)
