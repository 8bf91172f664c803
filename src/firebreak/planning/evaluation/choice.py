"""Which of several plans to keep, by what they save on fires that no method was given.

Of the plans that are not told apart from the best, the first in a fixed order is kept. Seconds do
not count: one seed gives one plan on any machine.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.planning.evaluation.statistics import student_interval


class Behind(NamedTuple):
    """By how much a plan saves less than the best one, a mean with its paired 95 % interval."""

    mean: float
    low: float
    high: float


class Verdict(NamedTuple):
    """Which plan is kept.

    Attributes:
        chosen: its name.
        best: the one that saves most.
        behind: of each plan, in the fixed order.
    """

    chosen: str
    best: str
    behind: dict[str, Behind]


def choose(saved: Mapping[str, NDArray[np.float64]], order: Sequence[str]) -> Verdict:
    """The first plan in `order` whose paired 95 % interval to the best holds 0.

    Args:
        saved: by name what each fire loses less under the plan, f64 [F], F >= 2; the same fires,
            and of a plan that is not to be kept the first ones.
        order: all of the names.
    """
    names = [name for name in order if name in saved]
    fires = max(own.size for own in saved.values())
    whole = [name for name in names if saved[name].size == fires]
    best = max(whole, key=lambda name: float(saved[name].mean()))  # the first of equals
    behind = {}
    for name in names:
        less = saved[best][:saved[name].size] - saved[name]
        behind[name] = Behind(float(less.mean()), *student_interval(less))
    chosen = next(name for name in whole if behind[name].low <= 0.0)
    return Verdict(chosen, best, behind)
