"""How long work tells of its progress. Who draws it is no concern of planning: a bar is handed in.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Told = Callable[[float], object]
"""Is told of work done, in the units that are counted."""

Bar = Callable[[int, str], AbstractContextManager[Told]]
"""(units in all, their name) -> a bar that is told of units done, in parts of them too."""


def untold(done: float) -> None:
    """Nobody is told."""


@contextmanager
def no_bar(total: int, unit: str) -> Iterator[Told]:
    """A bar that nobody sees."""
    yield untold


PARTS = 1024
"""Shares are told in so many parts of a unit: their sums are exact, so that a full bar is full."""


def in_shares(told: Told) -> Told:
    """Takes the share of one unit that is done so far, and tells what is new of it."""
    before = 0.0

    def share(now: float) -> None:
        nonlocal before
        whole = round(now * PARTS) / PARTS
        told(whole - before)
        before = whole

    return share
