"""What losses of fires say: relative drops, and the mean of the worst tenth."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def relative_drop(before: float, after: float) -> float:
    """(before - after) / before; 0 where there was nothing to lose."""
    return (before - after) / before if before > 0.0 else 0.0


def worst_tenth_mean(losses: Floats) -> float:
    """Mean of the largest 10 % of losses [F] (at least one): the conditional value at risk.

    Source: Rockafellar & Uryasev (2000), Optimization of conditional value-at-risk.
    """
    return float(np.sort(losses)[-_tenth(losses.size):].mean())


def worst_tenth_parts(losses: Floats) -> tuple[Floats, Floats]:
    """What each fire adds to the mean of the worst tenth, f64 [F], whose mean it is, and its loss
    where it is one of that tenth, else 0.

    Near the sample, a mean over fires: the quantile's own change does not count.
    """
    tenth = _tenth(losses.size)
    quantile = np.sort(losses)[-tenth]
    above = np.maximum(losses - quantile, 0.0)
    return quantile + above * (losses.size / tenth), np.where(losses >= quantile, losses, 0.0)


def _tenth(fires: int) -> int:
    return max(1, ceil(0.1 * fires))
