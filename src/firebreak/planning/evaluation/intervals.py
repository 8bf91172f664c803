"""95 % intervals: of what plans save of the fires of one map, of means over maps, folds or fires.

What is shown of one map is a ratio of sums over its test fires. Fires of one weather share it, so
they count as one group. With fewer than FEWEST_WEATHERS weathers, which cannot be judged, each fire
counts for itself, and the interval takes the weather as given.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from firebreak.seeding import generator

Floats = NDArray[np.float64]
IntervalOver = Literal["landscapes", "weathers", "fires"]

FEWEST_WEATHERS = 4
"""Weathers with losses from which on an interval is over weathers."""
RESAMPLES = 10_000
MIN_BOOTSTRAP_LANDSCAPES = 10
"""Below this many, intervals over maps are Student's: a bootstrap of a handful is too narrow."""
_MOST_OF_LOSS = 0.9  # of one group; where it has all of the loss, nothing says how others differ
_AT_ONCE = 500  # resamples whose counts are held in memory together


class Interval(NamedTuple):
    """A number with its 95 % interval."""

    mean: float
    low: float
    high: float


class FireGroups(NamedTuple):
    """Test fires that count as one draw together.

    of_fire: i64 [F], number of each fire's group. groups: how many there are. weathers: how many
    of them, weathers that fires share, have losses; 0 where groups are single fires. times: f64
    [F], how often each fire counts.
    """

    of_fire: NDArray[np.int64]
    groups: int
    weathers: int
    times: Floats

    @property
    def fires(self) -> Floats:
        """Fires f64 [F], in sum F, that each stands for in a mean: a weather is drawn whole."""
        return (self.times * (self.times.size / self.times.sum()) if self.weathers
                else np.ones(self.times.size))

    @property
    def over(self) -> Literal["weathers", "fires"]:
        """The kind of the groups."""
        return "weathers" if self.weathers else "fires"

    @property
    def words(self) -> str:
        """The words of `interval_words` for these groups."""
        return interval_words(self.weathers)

    def sums(self, values: Floats) -> Floats:
        """Sums of values [..., F] over the fires of each group, [..., groups]."""
        if not self.weathers:
            return values
        rows = values.reshape(-1, self.of_fire.size)
        sums = np.zeros((len(rows), self.groups))
        for own, row in zip(sums, rows, strict=True):
            own[:] = np.bincount(self.of_fire, row, self.groups)
        return sums.reshape(*values.shape[:-1], self.groups)

    def saving(self, saved: Floats, before: Floats, losses: Floats | None = None,
               at_most: float | None = 1.0) -> Interval:
        """The share sum(saved) / sum(before) of losses [F] of the same fires; 0 of nothing.

        losses: what decides how much a group weighs, if not `before`. at_most: of the upper
        bound; None for a difference of shares.
        """
        if not before.sum() > 0.0:
            return Interval(0.0, 0.0, 0.0)
        low, high = self.bounds(saved, before, before if losses is None else losses)
        return Interval(float(saved.sum() / before.sum()), float(low),
                        float(high) if at_most is None else min(float(high), at_most))

    def mean(self, losses: Floats, of: Floats | None = None) -> Interval:
        """The mean of losses [F] >= 0. of: what decides how much a group weighs, if not these."""
        if not losses.any():
            return Interval(0.0, 0.0, 0.0)
        low, high = self.bounds(losses, self.fires, losses if of is None else of)
        return Interval(float(losses.mean()), max(float(low), 0.0), float(high))

    def bounds(self, top: Floats, bottom: Floats, losses: Floats) -> tuple[Floats, Floats]:
        """95 % bounds of sum(top) / sum(bottom), see `ratio_bounds`, of values by fire."""
        return ratio_bounds(self.sums(top), self.sums(bottom), self.sums(losses))


def interval_words(weathers: int) -> str:
    """Say what the intervals of one landscape are over: the end of a sentence."""
    if weathers:
        return f"over the {weathers:,} weathers of the test fires"
    return "over the test fires, with the weather taken as given"


def fire_groups(weather: NDArray[np.int64], before: Floats,
                times: Floats | float = 1.0) -> FireGroups:
    """Groups of fires by weather, i64 [F], losses without breaks and how often each counts [F]."""
    times = np.broadcast_to(times, before.shape)
    met, group = np.unique(weather, return_inverse=True)
    weathers = int(np.count_nonzero(np.bincount(group, before)))
    if weathers < FEWEST_WEATHERS:
        return single_fires(times.size, times)
    return FireGroups(group, met.size, weathers, times)


def single_fires(count: int, times: Floats | float = 1.0) -> FireGroups:
    """Groups of one fire each, which count so often, f64 [F], or each once."""
    return FireGroups(np.arange(count), count, 0, np.broadcast_to(times, (count,)))


def ratio_bounds(top: Floats, bottom: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """95 % bounds of sum(top) / sum(bottom) over independent groups [K], f64 [...].

    The variance is that of the linearised ratio. A group with much of the losses draws the ratio
    to itself and its residual is small: residuals are enlarged, and Student's degrees of freedom
    are those of a residual variance in proportion to a group's losses. So the interval holds with
    4 weathers of which one has most of the loss.

    Args:
        top, bottom: [..., K], sums over groups.
        losses: [K], what groups lose, >= 0; where they lose nothing each weighs the same.

    Sources: Cochran (1977), Sampling techniques, for the ratio; Bell & McCaffrey (2002), Bias
    reduction in standard errors for linear regression with multi-stage samples, for CR2 and the
    degrees of freedom.
    """
    whole = bottom.sum(axis=-1)
    ratio = top.sum(axis=-1) / whole
    residual = top - ratio[..., None] * bottom
    weight = losses if losses.any() else np.ones(losses.size)
    share = np.minimum(weight / weight.sum(), _MOST_OF_LOSS)
    error = np.sqrt((residual**2 / (1.0 - share)).sum(axis=-1)) / whole
    across = share**2 / (1.0 - share)
    freedom = 1.0 / ((share**2).sum() + across.sum()**2 - (across**2).sum())
    half = stdtrit(freedom, 0.975) * error
    return ratio - half, ratio + half


def bounds_over_maps(values: Floats, seed: int) -> tuple[float, float]:
    """95 % interval of the mean over maps [N], N >= 2, the same draws for all methods."""
    if values.size < MIN_BOOTSTRAP_LANDSCAPES:
        return student_interval(values)
    means = bootstrap_means(values[:, None], generator(seed, "bootstrap", "landscapes"))
    return percentile_interval(means[:, 0])


def student_interval(values: Floats) -> tuple[float, float]:
    """Student's 95 % interval of the mean of independent values [N], N >= 2.

    For few values: a percentile bootstrap of 3 covers the mean 3 times in 4 only.
    """
    half = stdtrit(values.size - 1, 0.975) * values.std(ddof=1) / np.sqrt(values.size)
    return float(values.mean() - half), float(values.mean() + half)


def bootstrap_means(samples: Floats, rng: np.random.Generator,
                    resamples: int = RESAMPLES) -> Floats:
    """Column means [resamples, K] of rows of `samples` [N, K] drawn with replacement.

    A resample draws the same rows for all columns, so that differences of columns are paired.

    Source: Efron & Tibshirani (1993), An introduction to the bootstrap, chapter 6.
    """
    count = samples.shape[0]
    means = np.empty((resamples, samples.shape[1]))
    for done in range(0, resamples, _AT_ONCE):
        block = means[done:done + _AT_ONCE]
        drawn = rng.integers(count, size=(len(block), count))
        drawn += np.arange(len(block))[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=len(block) * count).reshape(-1, count)
        block[:] = times.astype(np.float64) @ samples / count
    return means


def percentile_interval(means: Floats) -> tuple[float, float]:
    """The 2.5th and 97.5th percentile of resampled values [R]."""
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)
