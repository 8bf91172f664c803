"""How well a simulated fire agrees with the area that an observed fire burned."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Agreement(NamedTuple):
    """simulated, observed, both: burned cells. precision: share of the simulated cells that were
    observed. recall: share of the observed cells that were simulated. area_ratio: simulated over
    observed. iou: intersection over union.
    """

    simulated: int
    observed: int
    both: int
    precision: float
    recall: float
    area_ratio: float
    iou: float


def agreement_of(simulated: NDArray[np.bool_], observed: NDArray[np.bool_]) -> Agreement:
    """The agreement of two masks [H, W], of which both hold burned cells."""
    one, other, both = (int(np.count_nonzero(mask))
                        for mask in (simulated, observed, simulated & observed))
    return Agreement(one, other, both, both / one, both / other, one / other,
                     both / (one + other - both))
