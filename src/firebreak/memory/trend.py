"""Trend of a quantity over episodes: a robust slope with its interval, and whether it goes on.

Neighbouring readings are cut into blocks and the block medians compared: one outlier moves nothing,
and allocators that grow in steps give few independent numbers however often they are read.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    x, y = _block_medians(episodes, values)
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


def _block_medians(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[
        NDArray[np.float64], NDArray[np.float64]]:
    cuts = np.array_split(np.arange(x.size), min(BLOCKS, x.size))
    return (np.array([np.median(x[cut]) for cut in cuts]),
            np.array([np.median(y[cut]) for cut in cuts]))
