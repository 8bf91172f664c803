"""What the way to a road adds to the cost of treating a cell."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.place.options import PlaceOptions
from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape


def with_costs(options: PlaceOptions, full: "Landscape") -> "Landscape":
    """A landscape whose costs rise with the way to a road, where the options say so.

    Raises:
        InputError: no roads.
    """
    from firebreak.landscape.treatment_choice import with_roads

    if not options.cost_per_km:
        return full
    if full.road_m is None:
        raise fail(expected="--roads beside --cost-per-km", given="no roads",
                   where="--cost-per-km", remedy="name the roads too")
    dearer = with_roads(full.cost.astype(np.float64), full.road_m, options.cost_per_km)
    return replace(full, cost=dearer.astype(np.float32))
