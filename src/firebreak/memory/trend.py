"""Trend of a quantity over episodes: a robust slope with its interval, and whether it goes on.

Neighbouring readings are cut into blocks and the block medians compared: one outlier moves nothing,
and allocators that grow in steps give few independent numbers however often they are read.

Resident memory, which also tells what native code takes, is a level, a rate times the episodes, and
steps that come when something is first used (docs/memory.md, "Resident memory"): the slope is not
moved by a step near either end, and its interval widens with one in the middle. Short runs are
judged without what the C library holds free: that goes up and down by megabytes, and hides the rest
for hundreds of episodes.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.memory.process import is_file

Row = Mapping[str, Any]
Series = tuple[str, str, NDArray[np.float64]]
"""Kind, owner, and a value at each reading."""

OUTSIDE = "children_bytes"
STEPS_FOR_LONG = 20_000
TOLERATED = 10_000.0
"""Bytes per episode: 1 GB in 100,000 episodes, about as much as such a run holds anyway."""
BLOCKS = 12
WARM_UP = 1.0 / 3.0  # share of the episodes dropped from the front
_NORMAL_95 = 1.959964
_NORMAL_999 = 3.290527
_RESAMPLES = 4000
_GOING_ON = 0.25  # share of the growth that must fall in the later half


class Trend(NamedTuple):
    """slope: per episode, with its 95 % interval; grown: between the first and the last block;
    going_on: the later half brought its share of that, so it is not fading out.
    """

    slope: float
    low: float
    high: float
    grown: float
    going_on: bool


class Limit(NamedTuple):
    """Limit that growth must exceed to count: since the warm-up, and per episode."""

    grown: float
    per_episode: float

    def exceeded_by(self, found: Trend) -> bool:
        """True where the interval lies above the limit, and enough has grown."""
        return found.low > self.per_episode and found.grown >= self.grown


NO_TREND = Trend(0.0, 0.0, 0.0, 0.0, False)
SHORT_RUN = Limit(2_000_000, TOLERATED)
LONG_RUN = Limit(4_000_000, TOLERATED / 10)


def trend(episodes: NDArray[np.float64], values: NDArray[np.float64], *,
          one_of_many: bool = False) -> Trend:
    """The trend of values [N] over episodes [N], ascending.

    one_of_many: the interval is one of 99.9 %, since among many series that only go up and down,
        such as the sizes of the maps of the episodes, some go up by chance.

    Slope: Theil 1950 and Sen 1968, the median of the slopes between all pairs of block medians.
    Interval: Sen's, from the variance of Kendall's count under no trend, n (n - 1) (2n + 5) / 18.
    """
    if episodes.size < 3:
        return NO_TREND
    x, y = (np.array([np.median(block) for block in np.array_split(own, min(BLOCKS, own.size))])
            for own in (episodes, values))
    first, second = np.triu_indices(x.size, k=1)
    apart = x[second] - x[first]
    slopes = np.sort((y[second] - y[first])[apart > 0] / apart[apart > 0])
    if slopes.size == 0:
        return NO_TREND
    reach = math.sqrt(x.size * (x.size - 1) * (2 * x.size + 5) / 18.0)
    reach *= _NORMAL_999 if one_of_many else _NORMAL_95
    low = max(int((slopes.size - reach) / 2.0), 0)
    grown = float(y[-1] - y[0])
    later = float(y[-1] - y[x.size // 2])
    return Trend(float(np.median(slopes)), float(slopes[low]), float(slopes[-1 - low]), grown,
                 later > _GOING_ON * grown > 0.0)


def without_largest_rise(values: NDArray[np.float64], at_most: float) -> NDArray[np.float64]:
    """The series [N] as if its largest rise from one reading to the next had not been, if that is
    no larger than `at_most`: something is used for the first time once, but leaks again and again.
    """
    rises = np.diff(values)
    if rises.size == 0 or not 0.0 < rises.max() <= at_most:
        return values
    where = int(rises.argmax())
    return values - np.where(np.arange(values.size) > where, rises[where], 0.0)


def bootstrapped(episodes: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[float, float]:
    """95 % interval of the slope per episode of least squares, which steps and outliers move.

    Residuals are drawn anew in blocks of neighbours, since readings close in time resemble one
    another: as many as make up the series, from any place in it.

    Source: Kuensch (1989), The jackknife and the bootstrap for general stationary observations.
    """
    count = episodes.size
    x = episodes - episodes.mean() if count else episodes
    if count < 3 or not (spread := float(x @ x)):
        return 0.0, 0.0
    slope = float(x @ values) / spread
    left = values - values.mean() - slope * x
    length = -(-count // BLOCKS)
    starts = np.random.default_rng(0).integers(count - length + 1, size=(_RESAMPLES, BLOCKS))
    drawn = left[(starts[:, :, None] + np.arange(length)).reshape(_RESAMPLES, -1)[:, :count]]
    low, high = np.percentile(slope + drawn @ x / spread, [2.5, 97.5])
    return float(low), float(high)


def after_warm_up(episodes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The readings that count, those past the first third of the episodes covered: bool [N]."""
    if episodes.size == 0:
        return np.zeros(0, np.bool_)
    begin, end = float(episodes[0]), float(episodes[-1])
    return episodes >= begin + WARM_UP * (end - begin)


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
