"""The bounds of a method: the processor's time that a search may take, which other programs do
not change, or its evaluations, which repeat exactly; how large a map may be on which a policy plans
at once. Loads no network.
"""

from math import inf
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from firebreak.checks import PART_OF_MAP, fail
from firebreak.planning.core.progress import Reporter, no_report

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape

DEFAULT_SECONDS = 10.0
ORDERING = 0.1
"""Share of the limit of time that a search may take beside, to put its breaks in order."""


class SearchOptions(NamedTuple):
    """The limits of methods that search.

    Attributes:
        seconds: of the processor in this process, of all threads together; None for no limit where
            `evaluations` is given, else DEFAULT_SECONDS. A search that time ends does not repeat
            bit for bit.
        evaluations: limit on the plans whose loss is computed; repeats bit for bit.
    """

    seconds: float | None = None
    evaluations: int | None = None


SEARCH = SearchOptions()
"""DEFAULT_SECONDS."""


def forever() -> bool:
    """A limit that is never reached."""
    return True


class Effort:
    """Effort that a search has spent of what it may; time counts from when this is made."""

    def __init__(self, options: SearchOptions, report: Reporter = no_report) -> None:
        """report: takes the share that is spent, whenever the search asks whether it may go on."""
        self._report = report
        self._began = process_time()
        self._evaluations = options.evaluations or inf
        self._seconds = options.seconds if options.seconds is not None else (
            DEFAULT_SECONDS if options.evaluations is None else inf)
        self.evaluated = 0

    def share(self) -> float:
        """Share of the limit that is nearer, 0 to 1; 1 ends the search."""
        # 0 without a limit of time: such a search repeats exactly.
        by_time = (process_time() - self._began) / self._seconds
        return min(1.0, max(self.evaluated / self._evaluations, by_time))

    def left(self) -> bool:
        """True where the search may go on."""
        share = self.share()
        self._report(share)
        return share < 1.0

    def in_time(self) -> bool:
        """True until the limit of time: a long move looks, so as not to overrun it."""
        return self.seconds_left() > 0.0

    def in_time_to_order(self) -> bool:
        """True as `in_time`, with ORDERING of the limit more: for the order of the breaks found."""
        return self.seconds_left() > -ORDERING * self._seconds

    def seconds_left(self) -> float:
        """Until the limit of time; below 0 after it."""
        return self._seconds - (process_time() - self._began)


MOST_BURNED = 2**27
"""Cells that fires which burn anew burn in the trials of a plan, about, at most, but for those that
come beyond while one choice is made: some minutes, on any map.
"""
MAX_TREATABLE = 256 * 256
"""Treatable cells above which a learned plan needs an area: larger maps were not tried."""


def check_size(landscape: "Landscape", method: str, smaller: str = PART_OF_MAP) -> None:
    """Refuses a map that learned plans were not tried on. smaller: what to ask for instead.

    Raises:
        InputError: more treatable cells than MAX_TREATABLE.
    """
    treatable = int(landscape.treatable.sum())
    if treatable > MAX_TREATABLE:
        raise fail(expected=f"at most {MAX_TREATABLE:,} treatable cells (256 x 256)",
                   given=f"{treatable:,}", where=f"method {method} on {landscape.name}",
                   remedy=f"use another method such as downstream-value, or {smaller}")
