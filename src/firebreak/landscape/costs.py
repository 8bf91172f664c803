"""What it costs to treat a cell, from what a crew costs: per hectare, more on slopes and far from
roads.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """A cell costs per_ha x its treated hectares x (1 + slope x its slope) x (1 + per_km x its
    distance to the nearest road).

    Attributes:
        per_ha: on level ground beside a road, above 0, in any currency.
        slope: what a slope of 100 % adds, as a share.
        per_km: what a kilometre from the nearest road adds, as a share.
    """

    per_ha: float
    slope: float = 0.0
    per_km: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("per_ha", 0.0), ("slope", None), ("per_km", None)):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf or value == least:
                raise fail(expected=f"a number {'above 0' if least == 0.0 else 'of 0 or more'}",
                           given=f"{value:g}", where=f"cost {name.replace('_', ' ')}",
                           remedy="correct this number")


def cell_costs(model: CostModel, landscape: Landscape,
               width_m: float | None = None) -> NDArray[np.float64]:
    """Cost of each cell [H, W]; on a landscape without roads distance costs nothing.

    Args:
        width_m: of the strip that is treated; None for the whole cell.
    """
    hectares = treated_ha(landscape, width_m)
    cost = model.per_ha * hectares * (1.0 + model.slope * landscape.slope_tan.astype(np.float64))
    return with_roads(cost, landscape, model.per_km)


def treated_ha(landscape: Landscape, width_m: float | None = None) -> float:
    """Hectares of a cell that are treated: all of it, or a strip of this width."""
    size = landscape.cell_size_m
    return size * (size if width_m is None else width_m) / 1e4


def with_roads(cost: NDArray[np.float64], landscape: Landscape,
               per_km: float) -> NDArray[np.float64]:
    """Costs [H, W] with the share that the way from the nearest road adds."""
    if landscape.road_m is None:
        return cost
    return cost * (1.0 + per_km * landscape.road_m / 1000.0)
