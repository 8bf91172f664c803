"""Growth of resident memory: the test that also finds what native code takes from the system.

Model: past the warm-up, memory is a level, a rate times the episodes, and steps that come when
something is first used. The slope of Theil and Sen over block medians is not moved by a step near
either end, and its interval widens with one in the middle. Three answers are possible: the interval
lies above the rate that counts as a leak, or below the rate that is tolerated, or across it; then
the run was too short to say. The upper end leaves out one step, if it is smaller than what a leak
must have added.

From 20,000 env steps on, all of resident memory is judged, and a tenth of the tolerated rate is a
leak. A shorter run is judged at the tolerated rate, each file by itself, and the process's own
memory without what the C library holds free: that goes up and down by megabytes, and hides the rest
for hundreds of episodes. For this the readings need the sorts of mappings.

Child processes are judged in the same way, all together and without files.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.memory.process import is_file
from firebreak.memory.trend import (
    NO_TREND,
    Limit,
    Trend,
    after_warm_up,
    bootstrapped,
    trend,
    without_largest_rise,
)

Row = Mapping[str, Any]
Series = tuple[str, str, NDArray[np.float64]]
"""Kind, owner, and a value at each reading."""

OUTSIDE = "children_bytes"
STEPS_FOR_LONG = 20_000
TOLERATED = 10_000.0
"""Bytes per episode: 1 GB in 100,000 episodes, about as much as such a run holds anyway."""
SHORT_RUN = Limit(2_000_000, TOLERATED)
LONG_RUN = Limit(4_000_000, TOLERATED / 10)


class Resident(NamedTuple):
    """total: trend of resident memory in bytes per episode; bootstrap: 95 % interval of its slope
    by a block bootstrap; limit: what growth must exceed to be a leak; series: what is compared with
    it; unsure: why nothing can be said unless one of these leaks ("" if it can); most: the rate in
    bytes per episode that none of them exceeds, as far as these readings tell.
    """

    total: Trend
    bootstrap: tuple[float, float]
    limit: Limit
    series: list[Series]
    unsure: str
    most: float


def read_resident(full: Sequence[Row], steps: int, known: NDArray[np.float64]) -> Resident:
    """Resident memory at full readings.

    Args:
        steps: env steps of the run.
        known: bytes at each reading, [readings], that may grow, such as those of a buffer that is
            not yet full.
    """
    x = np.array([row["episodes"] for row in full], np.float64)
    y = np.array([row["rss_bytes"] for row in full], np.float64)
    late = after_warm_up(x)
    total = trend(x[late], y[late]) if x.size else NO_TREND
    is_long = steps >= STEPS_FOR_LONG
    limit = LONG_RUN if is_long else SHORT_RUN
    has_sorts = all(row.get("mapped_bytes") for row in full)
    free = np.array([row.get("heap_free_bytes") or 0 for row in full], np.float64)
    series = (list(_by_sort(full, known if is_long else known + free, limit)) if has_sorts else [])
    unsure = ("" if is_long or has_sorts else
              f"below {STEPS_FOR_LONG:,} env steps resident memory is judged by sort of mapping, "
              "which these readings do not have")
    whole: Series = ("rss_bytes", "", y - known)
    judged = [whole] if is_long else series
    if any(row.get(OUTSIDE) for row in full):
        outside: Series = (OUTSIDE, "", np.array(
            [row.get(OUTSIDE, 0) for row in full], np.float64))
        series, judged = [*series, outside], [*judged, outside]
    most, kind = max(((trend(x[late], without_largest_rise(values[late], limit.grown)).high, kind)
                      for kind, _, values in judged), default=(0.0, ""))
    if not unsure and most > TOLERATED:
        whose = "child processes" if kind == OUTSIDE else "resident memory"
        unsure = (f"{whose} may grow by up to {most / 1e3:.1f} kB per episode, more than "
                  f"{TOLERATED / 1e3:.0f} kB; a longer run tells")
    return Resident(total, bootstrapped(x[late], y[late]), limit,
                    [*series, whole] if is_long else series, unsure, most)


def _by_sort(full: Sequence[Row], known: NDArray[np.float64], limit: Limit) -> Iterator[Series]:
    """Each file, and the process's own memory: all of it, since the C library moves blocks between
    the heap and mappings; if that leaks, each sort that does.
    """
    x = np.array([row["episodes"] for row in full], np.float64)
    late = after_warm_up(x)
    sorts = {sort: np.array([row["mapped_bytes"].get(sort, 0) for row in full], np.float64)
             for sort in sorted({sort for row in full for sort in row["mapped_bytes"]})}
    own = {sort: values for sort, values in sorts.items() if not is_file(sort)}
    if own:
        most = max(own, key=lambda sort: float(own[sort][-1] - own[sort][late][0]))
        total = np.sum(list(own.values()), axis=0) - known
        own[most] = own[most] - known
        leaking = {sort: values for sort, values in own.items()
                   if limit.exceeded_by(trend(x[late], total))
                   and limit.exceeded_by(trend(x[late], values))}
        yield from (("mapped_bytes", sort, values)
                    for sort, values in (leaking or {most: total}).items())
    yield from (("mapped_bytes", sort, values) for sort, values in sorts.items() if is_file(sort))
