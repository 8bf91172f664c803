"""What treating a cell costs, where a planner names it by the hectare."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from firebreak.api.place.options import PlaceOptions
from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape


def with_costs(options: PlaceOptions, full: "Landscape",
               width_m: float | None) -> "Landscape":
    """A landscape with the costs of the options, else as it is. width_m: of a break, which is what
    is paid for.

    Raises:
        InputError: costs said twice, or a part of a cost whose whole is not said.
    """
    from firebreak.landscape.costs import CostModel, cell_costs, with_roads

    tabled = full.treatment is not None
    if options.cost_per_ha is None:
        unused = [name for name, given in (
            ("--cost-slope", options.cost_slope),
            ("--cost-per-km", 0.0 if tabled else options.cost_per_km)) if given]
        if unused and tabled:
            raise fail(expected="no --cost-slope beside --treatment, whose table has it",
                       given=f"{options.cost_slope:g}", where=unused[0], remedy="leave it out")
        if unused:
            raise fail(expected=f"--cost-per-ha together with {unused[0]}", given="none",
                       where=unused[0], remedy="say what a hectare costs, or leave it out")
        if not options.cost_per_km:
            return full
        _check_roads(full)
        dearer = with_roads(full.cost.astype(np.float64), full, options.cost_per_km)
        return replace(full, cost=dearer.astype(np.float32))
    if tabled:
        raise fail(expected="--cost-per-ha, or --treatment, whose table has costs", given="both",
                   where="--cost-per-ha", remedy="leave one of them out")
    if (full.cost != 1.0).any():
        raise fail(expected="--cost-per-ha, or costs by cell", given="both",
                   where="--cost-per-ha", remedy="leave one of them out")
    if options.cost_per_km:
        _check_roads(full)
    model = CostModel(per_ha=options.cost_per_ha, slope=options.cost_slope,
                      per_km=options.cost_per_km)
    cost = cell_costs(model, full, width_m).astype(np.float32)
    return replace(full, cost=cost)


def _check_roads(full: "Landscape") -> None:
    if full.road_m is None:
        raise fail(expected="--roads beside --cost-per-km", given="no roads",
                   where="--cost-per-km", remedy="name the roads too")
