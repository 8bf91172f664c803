"""Other networks of breaks, with which a plan is compared."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.raster.arrays import ArrayOnGrid
    from firebreak.planning.core.plan import Plan


def existing_plan(path: "Path | ArrayOnGrid", land: "Landscape", full: "Landscape",
                  offset: tuple[int, int]) -> "Plan":
    """A network of breaks, as a plan for the part of the map that is planned for.

    Raises:
        InputError: nothing of it can be treated there.

    Warns:
        LandscapeWarning: a part of it lies where nothing may be treated, and is left out.
    """
    from firebreak.landscape.formats.overlays import mask_of
    from firebreak.landscape.raster.shape_files import is_vector
    from firebreak.planning.core.plan import EXISTING, Plan, cost_of, cost_unit
    from firebreak.planning.output.export import read_plan

    is_plan = isinstance(path, Path) and (path.is_dir() or path.suffix.lower() == ".csv"
                                          ) and not is_vector(path)
    if not is_plan:
        mask = mask_of(path, land, how="any") & land.burnable
    else:
        (top, left), (rows, cols) = offset, land.shape
        assert isinstance(path, Path)
        whole = read_plan(path, full).break_mask()
        mask = whole[top:top + rows, left:left + cols]
    cells = np.flatnonzero(mask & land.treatable)
    lost = int(mask.sum()) - cells.size
    if lost:
        from firebreak.landscape.formats.assemble import warn

        warn(f"{path}: {lost} of {int(mask.sum())} cells lie where nothing may be treated, and are "
             "left out of the comparison")
    if not cells.size:
        raise fail(expected="breaks on treatable cells", given="none", where=str(path),
                   remedy="check its place, and the area and masks")
    cost = cost_of(cells, land)
    whole_cost = cost_of(np.flatnonzero(land.treatable), land)
    return Plan(method=EXISTING, cells=cells, shape=land.shape, cost=cost,
                cost_unit=cost_unit(land), currency=land.currency, budget=cost,
                budget_share=cost / whole_cost, landscape=land.name,
                landscape_checksum=land.checksum(), plan_fires=0, seed=0, seconds=0.0,
                simulations=0.0)
