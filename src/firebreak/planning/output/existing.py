"""Other networks of breaks, with which a plan is compared."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.area import Offset
from firebreak.planning.core.plan import EXISTING, Plan, plan_of_cells
from firebreak.planning.output.export import read_plan

if TYPE_CHECKING:
    from firebreak.landscape.raster.on_grid import ArrayOnGrid


def existing_plan(path: "Path | ArrayOnGrid", land: Landscape, full: Landscape,
                  offset: Offset) -> Plan:
    """A network of breaks, as a plan for the part of the map that is planned for.

    Raises:
        InputError: nothing of it can be treated there.

    Warns:
        LandscapeWarning: a part of it lies where nothing may be treated, and is left out.
    """
    from firebreak.landscape.formats.assemble import warn
    from firebreak.landscape.raster.on_grid import mask_of
    from firebreak.landscape.raster.shape_files import is_vector

    if isinstance(path, Path) and not is_vector(path) and (
            path.is_dir() or path.suffix.lower() == ".csv"):
        (top, left), (rows, cols) = offset, land.shape
        mask = read_plan(path, full).break_mask()[top:top + rows, left:left + cols]
    else:
        mask = mask_of(path, land, how="any") & land.burnable
    cells = np.flatnonzero(mask & land.treatable)
    lost = int(mask.sum()) - cells.size
    if lost:
        warn(f"{path}: {lost} of {int(mask.sum())} cells lie where nothing may be treated, and are "
             "left out of the comparison")
    if not cells.size:
        raise fail(expected="breaks on treatable cells", given="none", where=str(path),
                   remedy="check its place, and the area and masks")
    return plan_of_cells(cells, land, EXISTING)
