"""What evaluation measures on losses: relative drops, the worst tenth, bootstrap intervals."""

from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

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
    means = np.empty((resamples, samples.shape[1]))
    for done in range(0, resamples, _AT_ONCE):
        block = means[done:done + _AT_ONCE]
        block[:] = _times_drawn(count, block.shape[0], rng) @ samples / count
    return means


def bootstrap_worst_tenths(losses: NDArray[np.float64], rng: np.random.Generator,
                           resamples: int) -> NDArray[np.float64]:
    """`worst_tenth_mean` [resamples, K] of losses [K, F] whose fires are drawn with replacement,
    the same ones for all K.
    """
    kinds, count = losses.shape
    tenth = max(1, ceil(0.1 * count))
    worst_first = np.argsort(-losses, axis=1)
    means = np.empty((resamples, kinds))
    for done in range(0, resamples, _AT_ONCE):
        block = means[done:done + _AT_ONCE]
        drawn = _times_drawn(count, block.shape[0], rng)
        for k, order in enumerate(worst_first):
            among = np.minimum(np.cumsum(drawn[:, order], axis=1), tenth)
            block[:, k] = np.diff(among, axis=1, prepend=0.0) @ losses[k, order] / tenth
    return means


def _times_drawn(count: int, resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """How often each of `count` rows is drawn in each resample, f64 [resamples, count]."""
    cells = rng.integers(count, size=(resamples, count)) + np.arange(resamples)[:, None] * count
    drawn = np.bincount(cells.ravel(), minlength=resamples * count)
    return drawn.reshape(resamples, count).astype(np.float64)


def interquartile_mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the middle half of values [..., N] along the last axis: as steady as a median, as
    frugal as a mean.

    Source: Agarwal et al. (2021), Deep reinforcement learning at the edge of the statistical
    precipice.
    """
    from scipy.stats import trim_mean  # 20 MB that a training run has no use for
    return np.asarray(trim_mean(values, 0.25, axis=-1))


def stratified_interval(values: NDArray[np.float64], rng: np.random.Generator,
                        resamples: int = RESAMPLES // 5) -> tuple[float, float]:
    """95 % interval of the interquartile mean of values [seeds, landscapes], both resampled.

    Landscapes are the strata of a policy's seeds: each resample draws landscapes and, within each
    of them, seeds. One row, as of a method without seeds, is resampled over landscapes alone.
    """
    seeds, count = values.shape
    drawn = rng.integers(count, size=(resamples, count))
    runs = rng.integers(seeds, size=(resamples, seeds, count))
    sampled = values[runs, drawn[:, None, :]]
    return percentile_interval(interquartile_mean(sampled.reshape(resamples, -1)))


def probability_of_improvement(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """Chance that ours [seeds, landscapes] beats theirs [landscapes] there; a tie is half a win.

    Source: Agarwal et al. (2021).
    """
    return float(np.mean((ours > theirs) + 0.5 * (ours == theirs)))


def percentile_interval(means: NDArray[np.float64]) -> tuple[float, float]:
    """The 2.5th and 97.5th percentile of resampled values [R]."""
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def student_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Student's 95 % interval of the mean of values [N], N >= 2.

    For few values: a percentile bootstrap of 3 covers the mean 3 times in 4 only.
    """
    half = stdtrit(values.size - 1, 0.975) * values.std(ddof=1) / np.sqrt(values.size)
    return float(values.mean() - half), float(values.mean() + half)
