"""Calls on long-lived workers, whatever they run in: retries, shared payloads, maps over chunks.

A worker holds one thing, made where the worker lives, and answers one call at a time. A call
carries all that its answer depends on (seeds, plans, weights), so it may be made again elsewhere: a
worker that dies is replaced and gets the call it died in once more, with the same seeds, and the
answer is the same. Calls should carry at least 50 ms of work.
"""

import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Protocol

from firebreak.checks import InputError, ResourceFailedError

Mode = Literal["lockstep", "async"]
"""lockstep: the same seeds give the same bits on every back end and any number of workers; async:
answers are taken as they come."""

ExecutorName = Literal["in-process", "processes", "ray"]
"""Names that users type, see `choice.open_executor`."""

RETRIES = 2
"""How often a call is made again after its worker died."""


class WorkerLostError(ResourceFailedError):
    """A worker died (or did not answer) at every attempt of a call, or raised."""


class Recipe(NamedTuple):
    """How a worker makes what it works with: `make(*arguments)`, where the worker lives."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


class Message(NamedTuple):
    """One call. payload: what is shared with all workers, if this one lacks it, else None."""

    method: str
    arguments: tuple[Any, ...]
    payload: Any = None


class Done(NamedTuple):
    """A call's answer."""

    value: Any


class Raised(NamedTuple):
    """A call that raised: bad input (one sentence), or a traceback."""

    bad_input: bool
    text: str


class Lost(NamedTuple):
    """The worker is gone. reason: what the back end knows of it."""

    reason: str = ""


Reply = Done | Raised | Lost


class Answer(NamedTuple):
    """What a worker answered."""

    worker: int
    value: Any


class Backend(Protocol):
    """Where workers live. `wait` gives the replies that have come, at least one unless the time is
    over; `hold` turns a payload into what is cheap to send to every worker.
    """

    name: str

    def start(self, worker: int) -> None: ...

    def send(self, worker: int, message: Message) -> None: ...

    def wait(self, workers: list[int], timeout_s: float | None) -> list[tuple[int, Reply]]: ...

    def hold(self, payload: Any) -> Any: ...

    def stop(self, worker: int) -> None: ...

    def close(self) -> None: ...


class Executor:
    """A fixed number of workers on a back end.

    Args:
        limit_s: a worker that takes longer for a call counts as dead; None: no limit.
        retries: how often a call is made again after its worker died.
    """

    def __init__(self, backend: Backend, workers: int, *, limit_s: float | None = None,
                 retries: int = RETRIES) -> None:
        self.backend, self.workers = backend, workers
        self.limit_s, self.retries = limit_s, retries
        self.restarts = 0
        self._pending: dict[int, tuple[Message, float]] = {}
        self._attempts = [0] * workers
        self._payload: Any = None
        self._version = 0
        self._known = [0] * workers
        try:
            for worker in range(workers):
                backend.start(worker)
        except BaseException:
            backend.close()
            raise

    @property
    def idle(self) -> list[int]:
        """Workers without a call."""
        return [worker for worker in range(self.workers) if worker not in self._pending]

    def share(self, payload: Any) -> None:
        """Every worker takes the payload by its `receive` before its next call."""
        self._payload = self.backend.hold(payload)
        self._version += 1

    def submit(self, worker: int, method: str, *arguments: Any) -> None:
        """Begins a call on an idle worker."""
        if worker in self._pending:
            raise ValueError(f"worker {worker} has not answered yet")
        self._attempts[worker] = 0
        self._send(worker, Message(method, arguments))

    def answers(self, timeout_s: float | None = None) -> list[Answer]:
        """Answers that have come, waiting for at least one, at most `timeout_s` seconds.

        Raises:
            InputError: a worker was given bad input.
            WorkerLostError: a worker died at every attempt, or raised.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self._pending:
            replies = self.backend.wait(list(self._pending), self._patience(deadline))
            found = [answer for worker, reply in replies
                     if (answer := self._taken(worker, reply)) is not None]
            self._restart_overdue()
            if found or (deadline is not None and time.monotonic() >= deadline):
                return found
        return []

    def recycle(self, worker: int) -> None:
        """Replaces an idle worker by a new one, which holds nothing of what the old one did."""
        self.backend.stop(worker)
        self.backend.start(worker)
        self._known[worker] = 0

    def close(self) -> None:
        """Ends all workers; calls under way are given up."""
        self._pending.clear()
        self.backend.close()

    def _send(self, worker: int, message: Message) -> None:
        stale = self._known[worker] != self._version
        self._pending[worker] = message, time.monotonic()
        self.backend.send(worker, message._replace(payload=self._payload) if stale else message)
        self._known[worker] = self._version

    def _taken(self, worker: int, reply: Reply) -> Answer | None:
        if isinstance(reply, Lost):
            self._again(worker, "died", reply.reason)
            return None
        del self._pending[worker]
        if isinstance(reply, Done):
            return Answer(worker, reply.value)
        if reply.bad_input:
            raise InputError(reply.text)
        raise WorkerLostError(f"worker {worker} of {self.workers} ({self.backend.name}) raised:\n"
                              f"{reply.text}")

    def _again(self, worker: int, how: str, reason: str = "") -> None:
        message = self._pending[worker][0]
        self._attempts[worker] += 1
        if self._attempts[worker] > self.retries:
            del self._pending[worker]
            raise WorkerLostError(
                f"worker {worker} of {self.workers} ({self.backend.name}) {how} "
                f"{self._attempts[worker]} times in the call '{message.method}'"
                + (f": {reason}" if reason else ""))
        self.restarts += 1
        self.recycle(worker)
        self._send(worker, message)

    def _patience(self, deadline: float | None) -> float | None:
        """Seconds until the caller or the first overdue worker needs attention."""
        ends = [] if deadline is None else [deadline]
        if self.limit_s is not None:
            ends += [since + self.limit_s for _, since in self._pending.values()]
        return max(min(ends) - time.monotonic(), 0.0) if ends else None

    def _restart_overdue(self) -> None:
        if self.limit_s is None:
            return
        now = time.monotonic()
        for worker, (_, since) in list(self._pending.items()):
            if now - since >= self.limit_s:
                self._again(worker, f"gave no answer within {self.limit_s:g} s")


@contextmanager
def closing(executor: Executor) -> Iterator[Executor]:
    """Ends the workers when the block is left, however it is left."""
    try:
        yield executor
    finally:
        executor.close()


def map_chunks(executor: Executor, method: str, chunks: Iterable[tuple[Any, ...]],
               mode: Mode = "lockstep") -> Iterator[tuple[int, Any]]:
    """(number of the chunk, answer) for calls of `method` with the arguments of each chunk.

    In lockstep they come in the order of chunks. At most two answers per worker are held, however
    many chunks there are.
    """
    waiting = enumerate(chunks)
    running: dict[int, int] = {}
    held: dict[int, Any] = {}
    following = 0  # the next chunk to hand on in lockstep
    more = True
    while more or running or held:
        for worker in executor.idle:
            if not more or len(running) + len(held) >= 2 * executor.workers:
                break
            place, chunk = next(waiting, (-1, ()))
            more = place >= 0
            if more:
                executor.submit(worker, method, *chunk)
                running[worker] = place
        for answer in executor.answers() if running else ():
            held[running.pop(answer.worker)] = answer.value
        if mode == "async":
            yield from held.items()
            held.clear()
        while following in held:
            yield following, held.pop(following)
            following += 1


def call_all(executor: Executor, method: str, calls: list[tuple[Any, ...]]) -> list[Any]:
    """The answers to calls of `method`, in their order."""
    return [value for _, value in map_chunks(executor, method, calls)]


def serve(thing: Any, message: Message) -> Reply:
    """Answers one call on what a worker holds."""
    try:
        if message.payload is not None:
            thing.receive(message.payload)
        return Done(getattr(thing, message.method)(*message.arguments))
    except InputError as error:
        return Raised(True, str(error))
    except Exception:
        return Raised(False, traceback.format_exc())


class LazyThing:
    """What a worker holds, made at its first call, so that a failure is that call's reply."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._made: list[Any] = []

    def serve(self, message: Message) -> Reply:
        """Answers one call."""
        if not self._made:
            try:
                self._made.append(self.recipe.make(*self.recipe.arguments))
            except InputError as error:
                return Raised(True, str(error))
            except Exception:
                return Raised(False, traceback.format_exc())
        return serve(self._made[0], message)
