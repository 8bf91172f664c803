"""What it costs to treat a cell: how many hectares are paid for, and what the way to roads adds."""

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape


def treated_ha(landscape: Landscape, width_m: float | None = None) -> float:
    """Hectares of a cell that are treated: all of it, or a strip of this width."""
    size = landscape.cell_size_m
    return size * (size if width_m is None else width_m) / 1e4


def with_roads(cost: NDArray[np.float64], road_m: NDArray[np.floating],
               per_km: float) -> NDArray[np.float64]:
    """Costs [H, W] with the share that the way from the nearest road, m, adds."""
    return cost * (1.0 + per_km * road_m / 1000.0)
