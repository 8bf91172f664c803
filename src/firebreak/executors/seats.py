"""Workers that live: those that died are replaced, and one that cannot be is given up.

A call goes only to a worker that has shown that it lives. A replacement may never come to live, as
where the node that had a CPU for it is gone: then the others make its calls.
"""

import time
import warnings

from firebreak.executors.calls import Backend, Lost, WorkerLostError

START_LIMIT_S = 120.0
"""Seconds that a worker may take to begin before it is given up."""


class Seats:
    """The workers of a back end by number.

    Args:
        start_limit_s: see START_LIMIT_S.
        retries: how often a worker that died before it lived is replaced.

    Attributes:
        restarts: how many workers were replaced.
        given_up: numbers of those that could not be.
        known: version of the payload that each holds, 0 for none.
    """

    def __init__(self, backend: Backend, count: int, start_limit_s: float, retries: int) -> None:
        self.backend, self.count = backend, count
        self.start_limit_s, self.retries = start_limit_s, retries
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
        """Those that have shown that they live.

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
        self.renew(seat)

    def renew(self, seat: int) -> None:
        """A new worker takes the place of one that lives."""
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
        if self._failed[seat] > self.retries:
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
