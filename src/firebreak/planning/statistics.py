"""What evaluation measures on losses: relative drops, the worst tenth, bootstrap intervals."""

from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy import stats

RESAMPLES = 10_000
_AT_ONCE = 500  # resamples whose counts are held in memory together


def relative_drop(before: float, after: float) -> float:
    """(before - after) / before; 0 where there was nothing to lose."""
    return (before - after) / before if before > 0.0 else 0.0


def worst_tenth_mean(losses: NDArray[np.float64]) -> float:
    """Mean of the largest 10 % of losses [F] (at least one): the conditional value at risk.

    Source: Rockafellar & Uryasev (2000), Optimization of conditional value-at-risk.
    """
    count = max(1, ceil(0.1 * losses.size))
    return float(np.sort(losses)[-count:].mean())


def bootstrap_means(samples: NDArray[np.float64], rng: np.random.Generator,
                    resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Column means [resamples, K] of rows of `samples` [N, K] drawn with replacement.

    A resample draws the same rows for all columns, so that differences of columns are paired.

    Source: Efron & Tibshirani (1993), An introduction to the bootstrap, chapter 6.
    """
    count = samples.shape[0]
    even = np.full(count, 1.0 / count)
    means = np.empty((resamples, samples.shape[1]))
    for done in range(0, resamples, _AT_ONCE):
        block = means[done:done + _AT_ONCE]
        block[:] = rng.multinomial(count, even, block.shape[0]) @ samples / count
    return means


def percentile_interval(means: NDArray[np.float64]) -> tuple[float, float]:
    """The 2.5th and 97.5th percentile of resampled values [R]."""
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def student_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Student's 95 % interval of the mean of values [N], N >= 2.

    For few values: a percentile bootstrap of 3 covers the mean 3 times in 4 only.
    """
    half = stats.t.ppf(0.975, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
    return float(values.mean() - half), float(values.mean() + half)
