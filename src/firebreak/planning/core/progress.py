"""Progress of long work. Planning draws no progress bar: the caller hands one in."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Reporter = Callable[[float], object]
"""Takes how much work has been done since the last call, in the units that are counted."""

Bar = Callable[[int, str], AbstractContextManager[Reporter]]
"""(units in all, their name) -> a progress bar, which takes whole units and parts of them."""


def no_report(done: float) -> None:
    """Nobody listens."""


@contextmanager
def no_bar(total: int, unit: str) -> Iterator[Reporter]:
    """A progress bar that nobody sees."""
    yield no_report


PARTS = 1024
"""Shares are rounded to such parts of a unit, which add up exactly: a bar ends full."""


def in_shares(report: Reporter) -> Reporter:
    """A reporter of the share of a unit done so far; it reports what is new and never goes back."""
    before = 0.0

    def share(now: float) -> None:
        nonlocal before
        whole = max(round(now * PARTS) / PARTS, before)
        report(whole - before)
        before = whole

    return share


def part_of(report: Reporter, first: float, last: float) -> Reporter:
    """A reporter of the share of a part of the work that goes from `first` to `last` of all."""
    def share(now: float) -> object:
        return report(first + now * (last - first))

    return share
