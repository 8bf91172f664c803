"""Workers that are actors on a Ray cluster (Ray core alone): extra `ray`.

Payloads and recipes go once to each node by Ray's object store. The cluster is that of the variable
RAY_ADDRESS, which Ray reads too; without it one of this machine alone is started and ended with the
run.
"""

import os
import pickle
import socket
from types import ModuleType
from typing import Any

from firebreak.checks import ResourceFailedError, fail, install
from firebreak.executors.calls import Done, LazyThing, Lost, Message, Recipe, Reply
from firebreak.executors.processes import ONE_THREAD

SECONDS_TO_ANSWER = 5.0


class RayCore:
    """A back end: one actor of one CPU per worker, placed by Ray on any node.

    Args:
        workers: 0: as many as the cluster has CPUs.

    Raises:
        InputError: Ray is not installed, the cluster is of another version, or has fewer CPUs than
            workers are asked for: they would be waited for forever.
        ResourceFailedError: Ray's own processes do not start in time.
    """

    name = "ray"

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self._ray = imported()
        self._began = not self._ray.is_initialized()
        if self._began:
            self._join(workers or cores(), head())
        if workers > self.cores():
            raise fail(expected=f"at most the {self.cores()} workers that the cluster has CPUs for",
                       given=f"{workers}", where="--workers",
                       remedy="lower --workers or add a node")
        # Arrays that Ray unpacks are read-only, and kernels write into some.
        self._recipe = self._ray.put(pickle.dumps(recipe, protocol=4))
        self._class = self._ray.remote(_RayWorker)
        self._actors: dict[int, Any] = {}
        self._begun: dict[int, Any] = {}
        self._running: dict[int, Any] = {}

    def _join(self, workers: int, address: str | None) -> None:
        """Other nodes must not wait on a dashboard, and logs of workers are not ours to print."""
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            self._ray.init(**({"num_cpus": workers} if address is None else {"address": address}),
                           include_dashboard=False if address is None else None,
                           log_to_driver=False, logging_level="ERROR", configure_logging=True)
        except Exception as error:  # Ray raises Exception itself where its processes do not start
            reason = str(error).strip().split("\n")[0]
            if address is not None and isinstance(error, ConnectionError | RuntimeError
                                                  | ValueError):
                raise fail(expected="a Ray cluster of this version", given=reason,
                           where=f"RAY_ADDRESS={address}",
                           remedy="start it with 'ray start --head'") from error
            where = "this machine" if address is None else address
            raise ResourceFailedError(
                f"--executor ray: Ray did not start on {where} ({reason}); run the command again "
                "when the machine has less to do, or use --executor processes") from error

    def cores(self) -> int:
        """Number of cores of all nodes."""
        return max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def start(self, worker: int) -> None:
        """Asks for an actor."""
        self._actors[worker] = self._class.options(
            num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD").remote([self._recipe])
        self.probe(worker)

    def probe(self, worker: int) -> None:
        """Asks for a sign of life, which comes once the actor has a node and its CPU."""
        self._begun[worker] = self._actors[worker].process_id.remote()

    def started(self, worker: int) -> Done | Lost | None:
        """The sign of life, or None if it has not come."""
        ready, _ = self._ray.wait([self._begun[worker]], timeout=0)
        return self._result(ready[0]) if ready else None

    def send(self, worker: int, message: Message) -> None:
        """Begins a call; a payload is an object of the store, opened where the actor lives."""
        self._running[worker] = self._actors[worker].serve.remote(
            message.method, message.arguments, message.payload)

    def wait(self, workers: list[int], timeout_s: float | None) -> list[tuple[int, Reply]]:
        """Replies that have come."""
        owners = {self._running[worker]: worker for worker in workers}
        self._ray.wait(list(owners), num_returns=1, timeout=timeout_s)
        ready, _ = self._ray.wait(list(owners), num_returns=len(owners), timeout=0)
        return [(owners[ref], self._reply(owners[ref])) for ref in owners if ref in ready]

    def hold(self, payload: Any) -> Any:
        """A reference to the payload in the object store."""
        return self._ray.put(payload)

    def stop(self, worker: int) -> None:
        """Ends an actor."""
        self._running.pop(worker, None)
        self._begun.pop(worker, None)
        actor = self._actors.pop(worker, None)
        if actor is not None:
            self._ray.kill(actor)

    def close(self) -> None:
        """Ends all actors, and the cluster if it was started here."""
        for worker in list(self._actors):
            self.stop(worker)
        if self._began and self._ray.is_initialized():
            self._ray.shutdown()

    def _reply(self, worker: int) -> Reply:
        found = self._result(self._running.pop(worker))
        return found if isinstance(found, Lost) else found.value

    def _result(self, ref: Any) -> Done | Lost:
        try:
            return Done(self._ray.get(ref))
        except self._ray.exceptions.RayError as error:
            return Lost(str(error).strip().split("\n")[-1])


class _RayWorker:
    """Runs where Ray puts it."""

    def __init__(self, recipe: list[Any]) -> None:
        os.environ.update(ONE_THREAD)  # before what the recipe imports reads it
        self._thing = LazyThing(pickle.loads(imported().get(recipe[0])))

    def serve(self, method: str, arguments: tuple[Any, ...], payload: Any) -> Reply:
        """Answers one call."""
        return self._thing.serve(Message(method, arguments, payload))

    def process_id(self) -> int:
        """Number of this actor's process."""
        return os.getpid()


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def imported() -> ModuleType:
    """Ray.

    Raises:
        InputError: it is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise fail(expected="Ray, for the executor 'ray'", given="an installation without it",
                   where="--executor ray", remedy=f"run {install('ray')}") from None
    return ray


def head() -> str | None:
    """HOST:PORT of the head of a running cluster; None for this machine alone."""
    return os.environ.get("RAY_ADDRESS") or None


def check_ray() -> None:
    """Refuses to go on towards workers on Ray that there cannot be.

    Raises:
        InputError: Ray is not installed, or as `check_address`.
    """
    imported()
    if (address := head()) is not None:
        check_address(address)


def check_address(address: str) -> None:
    """Checks that somebody listens there, before Ray waits for it for minutes.

    Raises:
        InputError: not HOST:PORT, or nobody listens.
    """
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdigit():
        raise fail(expected="HOST:PORT of a Ray head node", given=f"'{address}'",
                   where="RAY_ADDRESS", remedy="copy it from what 'ray start --head' prints")
    try:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except OSError as error:
        raise fail(expected="a Ray head node that answers",
                   given=f"no answer ({error.strerror or error})",
                   where=f"RAY_ADDRESS={address}",
                   remedy="start one with 'ray start --head', or unset the variable") from None
