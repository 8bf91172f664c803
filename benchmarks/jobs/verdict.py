"""Comparison of `auto`, the default, with every other method on the same test fires."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from benchmarks.jobs.measure import Record
from benchmarks.rivals import method_of
from numpy.typing import NDArray
from scipy.special import stdtr

from firebreak.planning.evaluation.intervals import bootstrap_means, percentile_interval
from firebreak.planning.methods import AUTO
from firebreak.seeding import generator

LEVEL = 0.05
"""Chance that any method at all is called better by luck alone."""

Interval = tuple[float, float]


class Compared(NamedTuple):
    """A method compared with `auto` on one job.

    Attributes:
        job, method: names.
        more: what `auto` saves more, a share of the untreated loss, with its 95 % interval.
        p, holm: two-sided probability of such a difference by luck; the same after Holm.
        slower: True if the method took longer than `auto`.
    """

    job: str
    method: str
    more: float
    interval: Interval
    p: float
    holm: float
    slower: bool

    @property
    def better(self) -> bool:
        """True if the method is significantly better than `auto`."""
        return self.more < 0.0 and self.holm < LEVEL


def paired_p(differences: NDArray[np.float64]) -> float:
    """Two-sided probability that paired differences [F], F >= 2, of mean 0 are so far from it.

    Student's t; 1 where all are 0.
    """
    spread = float(differences.std(ddof=1))
    mean = float(differences.mean())
    if spread == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    t = abs(mean) / spread * np.sqrt(differences.size)
    return float(2.0 * stdtr(differences.size - 1, -t))


def holm(p: Sequence[float]) -> list[float]:
    """Probabilities adjusted for their number, at most 1, in the order given.

    Source: Holm (1979), Scandinavian Journal of Statistics 6:65-70.
    """
    count, highest = len(p), 0.0
    adjusted = [0.0] * count
    for rank, place in enumerate(sorted(range(count), key=lambda k: p[k])):
        highest = max(highest, min(1.0, (count - rank) * p[place]))
        adjusted[place] = highest
    return adjusted


def share_interval(saved: NDArray[np.float64], untreated: NDArray[np.float64]) -> Interval:
    """95 % interval of what is saved as a share of what is lost without breaks, [F] each: both are
    drawn again from the same fires.
    """
    means = bootstrap_means(np.stack([saved, untreated], axis=1), generator(0, "jobs"))
    lost = np.maximum(means[:, 1], np.finfo(np.float64).tiny)
    return percentile_interval(means[:, 0] / lost)


def took_no_longer(record: Record, auto: Record) -> bool:
    """True for a method as quick as `auto`, which a search that was given its seconds counts as.
    """
    return method_of(record.method).searches or record.seconds <= auto.seconds


def compared_with_auto(records: Sequence[Record]) -> list[Compared]:
    """Every method that made a plan against `auto` on the same job, Holm over all of them."""
    autos = {record.job: record for record in records
             if record.method == AUTO and record.refused is None}
    pairs = [(record, autos[record.job]) for record in records
             if record.method != AUTO and record.refused is None and record.job in autos]
    p = [paired_p(auto.saved - record.saved) for record, auto in pairs]
    return [Compared(record.job, record.method, auto.reduction - record.reduction,
                 share_interval(auto.saved - record.saved, auto.untreated), own, adjusted,
                 not took_no_longer(record, auto))
            for (record, auto), own, adjusted in zip(pairs, p, holm(p), strict=True)]
