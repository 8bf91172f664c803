"""Calls on long-lived workers, whatever they run in: retries, shared payloads, maps over chunks.

A worker holds one thing, made where the worker lives, and answers one call at a time. A call
carries all that its answer depends on (seeds, plans, weights), so it may be made again elsewhere:
the call in which a worker dies goes to a worker that lives, the same or another, with the same
seeds, and the answer is the same. Calls should carry at least 50 ms of work.

A call goes only to a worker that has shown that it lives. A replacement may never come to live, as
where the node that had a CPU for it is gone: then the others make its calls.
"""

import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from firebreak.checks import InputError
from firebreak.executors.calls import Answer, Backend, Done, Lost, Message, Reply, WorkerLostError

START_LIMIT_S = 120.0
"""Seconds that a worker may take to begin before it is given up."""
RETRIES = 2
"""Times that a call is made again after its worker died, and that a worker is replaced which died
before it lived.
"""


class Seats:
    """The workers of a back end by number.

    Args:
        start_limit_s: see START_LIMIT_S.

    Attributes:
        restarts: how many workers were replaced.
        given_up: numbers of those that could not be.
        known: version of the payload that each holds, 0 for none.
    """

    def __init__(self, backend: Backend, count: int, start_limit_s: float) -> None:
        self.backend, self.count, self.start_limit_s = backend, count, start_limit_s
        self.restarts = 0
        self.given_up: set[int] = set()
        self.known = [0] * count
        self._since: dict[int, float] = {}  # of those that have not shown yet that they live
        self._failed = [0] * count
        self._reason = ""
        for seat in range(count):
            self._start(seat)

    @property
    def unsure(self) -> bool:
        """True where some have not shown yet that they live."""
        return bool(self._since)

    def living(self) -> list[int]:
        """Workers that have shown that they live.

        Raises:
            WorkerLostError: none does, and none will.
        """
        for seat, since in list(self._since.items()):
            found = self.backend.started(seat)
            if isinstance(found, Lost):
                self._died_early(seat, found.reason)
            elif found is not None:
                del self._since[seat]
                self._failed[seat] = 0
            elif time.monotonic() - since >= self.start_limit_s:
                self._give_up(seat, f"it did not begin within {self.start_limit_s:g} s")
        if len(self.given_up) == self.count:
            raise WorkerLostError(f"no worker of {self.count} ({self.backend.name}) is left: "
                                  f"{self._reason}; see that CPUs are free, and run the command "
                                  "again")
        return [seat for seat in range(self.count)
                if seat not in self._since and seat not in self.given_up]

    def replace(self, seat: int) -> None:
        """A new worker takes the place of one that died or hangs."""
        self.restarts += 1
        if seat not in self.given_up:
            self.backend.stop(seat)
            self._start(seat)

    def doubt(self, seats: list[int]) -> None:
        """Workers must show again that they live: one of their node may have died with it."""
        for seat in seats:
            self.backend.probe(seat)
            self._since[seat] = time.monotonic()

    def _start(self, seat: int) -> None:
        self.backend.start(seat)
        self.known[seat] = 0
        self._since[seat] = time.monotonic()

    def _died_early(self, seat: int, reason: str) -> None:
        self._failed[seat] += 1
        if self._failed[seat] > RETRIES:
            self._give_up(seat, f"it died {self._failed[seat]} times before its first call"
                          + (f" ({reason})" if reason else ""))
        else:
            self.replace(seat)

    def _give_up(self, seat: int, reason: str) -> None:
        self.backend.stop(seat)
        del self._since[seat]
        self.given_up.add(seat)
        self._reason = reason
        left = self.count - len(self.given_up)
        if left:
            warnings.warn(f"worker {seat} of {self.count} ({self.backend.name}) is given up: "
                          f"{reason}; {left} go on", stacklevel=2)


Mode = Literal["lockstep", "async"]
"""lockstep: the same seeds give the same bits on every back end and any number of workers; async:
answers are taken as they come."""

ExecutorName = Literal["in-process", "processes", "ray"]
"""Names that users type, see `choice.open_executor`."""

_LOOK_S = 0.05
"""Seconds between two looks at workers that begin."""


class Executor:
    """A fixed number of workers on a back end, each with at most one call under way.

    A worker's calls are made on its own seat, or on another where its own is not there (yet): a
    cluster that lost a node goes on with the CPUs that it has.

    Args:
        limit_s: a worker that takes longer for a call counts as dead; None: no limit.
        start_limit_s: a worker that takes longer to begin is given up.
    """

    def __init__(self, backend: Backend, workers: int, *, limit_s: float | None = None,
                 start_limit_s: float = START_LIMIT_S) -> None:
        self.backend, self.workers = backend, workers
        self.limit_s, self.retries = limit_s, RETRIES
        self._pending: dict[int, Message] = {}
        self._waiting: deque[int] = deque()
        self._serving: dict[int, tuple[int, float]] = {}  # seat -> worker, since when
        self._attempts = [0] * workers
        self._payload: Any = None
        self._version = 0
        try:
            self._seats = Seats(backend, workers, start_limit_s)
        except BaseException:
            backend.close()
            raise

    @property
    def restarts(self) -> int:
        """Number of workers that were replaced."""
        return self._seats.restarts

    @property
    def given_up(self) -> int:
        """Number of workers that could not be replaced."""
        return len(self._seats.given_up)

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
        self._pending[worker] = Message(method, arguments)
        self._waiting.append(worker)
        self._deal()

    def answers(self, timeout_s: float | None = None) -> list[Answer]:
        """Answers that have come, waiting for at least one, at most `timeout_s` seconds.

        Raises:
            InputError: a worker was given bad input.
            WorkerLostError: a worker died at every attempt, or raised; or none is left.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self._pending:
            self._deal()
            found = [answer for seat, reply in self._replies(self._patience(deadline))
                     if (answer := self._taken(seat, reply)) is not None]
            self._restart_overdue()
            if found or (deadline is not None and time.monotonic() >= deadline):
                return found
        return []

    def close(self) -> None:
        """Ends all workers; calls under way are given up."""
        self._pending.clear()
        self._waiting.clear()
        self._serving.clear()
        self.backend.close()

    def _deal(self) -> None:
        """Sends calls that wait to workers that live and have none: to their own, if it does."""
        if not self._waiting:
            return
        free = [seat for seat in self._seats.living() if seat not in self._serving]
        others = []
        for worker in self._waiting:
            if worker in free:
                free.remove(worker)
                self._send(worker, worker)
            else:
                others.append(worker)
        for seat, worker in zip(free, others, strict=False):
            self._send(seat, worker)
        self._waiting = deque(others[len(free):])

    def _send(self, seat: int, worker: int) -> None:
        message, stale = self._pending[worker], self._seats.known[seat] != self._version
        self._serving[seat] = worker, time.monotonic()
        self.backend.send(seat, message._replace(payload=self._payload) if stale else message)
        self._seats.known[seat] = self._version

    def _replies(self, timeout_s: float | None) -> list[tuple[int, Reply]]:
        if self._serving:
            return self.backend.wait(list(self._serving), timeout_s)
        time.sleep(_LOOK_S if timeout_s is None else min(timeout_s, _LOOK_S))
        return []

    def _taken(self, seat: int, reply: Reply) -> Answer | None:
        worker = self._serving[seat][0]
        if isinstance(reply, Lost):
            self._again(seat, "died", reply.reason)
            return None
        del self._serving[seat], self._pending[worker]
        if isinstance(reply, Done):
            return Answer(worker, reply.value)
        if reply.bad_input:
            raise InputError(reply.text)
        raise WorkerLostError(f"worker {worker} of {self.workers} ({self.backend.name}) raised:\n"
                              f"{reply.text}")

    def _again(self, seat: int, how: str, reason: str = "") -> None:
        worker, _ = self._serving.pop(seat)
        message = self._pending[worker]
        self._attempts[worker] += 1
        if self._attempts[worker] > self.retries:
            del self._pending[worker]
            raise WorkerLostError(
                f"worker {worker} of {self.workers} ({self.backend.name}) {how} "
                f"{self._attempts[worker]} times in the call '{message.method}'"
                + (f": {reason}" if reason else ""))
        self._seats.doubt([other for other in self._seats.living()
                           if other not in self._serving and other != seat])
        self._seats.replace(seat)
        self._waiting.appendleft(worker)

    def _patience(self, deadline: float | None) -> float | None:
        """Seconds until the caller, an overdue worker or one that begins needs attention."""
        ends = [] if deadline is None else [deadline]
        if self.limit_s is not None:
            ends += [since + self.limit_s for _, since in self._serving.values()]
        if self._waiting and self._seats.unsure:
            ends.append(time.monotonic() + _LOOK_S)
        return max(min(ends) - time.monotonic(), 0.0) if ends else None

    def _restart_overdue(self) -> None:
        if self.limit_s is None:
            return
        now = time.monotonic()
        for seat, (_, since) in list(self._serving.items()):
            if now - since >= self.limit_s:
                self._again(seat, f"gave no answer within {self.limit_s:g} s")


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


def call_each(executor: Executor, method: str, calls: Sequence[tuple[Any, ...]],
              homes: Sequence[int] | None = None) -> list[Any]:
    """The answers to calls of `method`, in their order, each by the worker that holds what it is
    about, as long as that lives: call k by worker homes[k], modulo their number; k if not given.
    """
    waiting: dict[int, deque[int]] = {worker: deque() for worker in range(executor.workers)}
    for place in range(len(calls)):
        waiting[(place if homes is None else homes[place]) % executor.workers].append(place)
    running: dict[int, int] = {}
    found: dict[int, Any] = {}
    while len(found) < len(calls):
        for worker in executor.idle:
            if waiting[worker]:
                running[worker] = waiting[worker].popleft()
                executor.submit(worker, method, *calls[running[worker]])
        for answer in executor.answers():
            found[running.pop(answer.worker)] = answer.value
    return [found[place] for place in range(len(calls))]
