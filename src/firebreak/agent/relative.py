"""Q-values relative to what the best cell could save: one scale for maps of any size.

A break saves at most its cell's downstream value (but for fire that comes round earlier), so the
largest downstream value of a treatable cell is a natural unit of what one more break is worth. It
is in the observation. The network gives Q-values in that unit: the first break on a small map and
the four-hundredth on a large one are learned at the same scale.
"""

from torch import Tensor

from firebreak.layout import ObservationLayout

NETWORK_SCALE = 5.0
"""The network's output for a Q-value of one unit; errors above 1 / NETWORK_SCALE units count
linearly (Huber)."""
_LEAST = 1e-6


def unit_of(observation: Tensor, layout: ObservationLayout) -> Tensor:
    """[M], what a network output of 1 stands for, as a share of the untreated loss.

    observation: float32 [M, C, H, W].
    """
    best = observation[:, layout.channel("best_downstream"), 0, 0] ** 4
    return best.clamp(min=_LEAST) / NETWORK_SCALE
