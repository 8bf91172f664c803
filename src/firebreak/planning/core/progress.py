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
"""A share is rounded to this many parts of a unit: the parts add up exactly, so that a bar ends
full."""


def in_shares(report: Reporter) -> Reporter:
    """A reporter that takes the share of one unit that is done so far, and reports what is new. It
    never goes back: where work is done anew, nothing is new until it is further than before.
    """
    before = 0.0

    def share(now: float) -> None:
        nonlocal before
        whole = max(round(now * PARTS) / PARTS, before)
        report(whole - before)
        before = whole

    return share


def part_of(report: Reporter, first: float, last: float) -> Reporter:
    """A reporter that takes the share of a part of the work, which goes from the share `first` of
    the whole to the share `last`, and reports the share of the whole.
    """
    def share(now: float) -> object:
        return report(first + now * (last - first))

    return share
