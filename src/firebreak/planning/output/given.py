"""Breaks that were drawn or planned elsewhere, in any form, on the part of a map that is burned: a
plan's folder or table, a raster, shapes of lines or polygons.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, listed
from firebreak.landscape.formats.overlays import file_and_attribute
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.line_cells import masks_of_shapes
from firebreak.landscape.raster.shape_files import file_and_layer, is_vector
from firebreak.planning.core.area import Offset, cut_grid, mask_on_part
from firebreak.planning.core.plan import EXISTING, Plan, plan_of_cells
from firebreak.planning.output.earlier import is_planned
from firebreak.planning.output.export import read_plan, read_widths

if TYPE_CHECKING:
    from firebreak.landscape.raster.on_grid import ArrayOnGrid


MOST_NAMED = 10
"""Shapes that a warning names."""


class Feature(NamedTuple):
    """A line or polygon of a map of breaks: its name, its treated cells, flat, ascending, and the
    treatment that it names, empty for none.
    """

    name: str
    cells: NDArray[np.int64]
    treatment: str = ""


def is_drawn(path: object) -> bool:
    """True for a path of shapes, which have no order and no budget."""
    return isinstance(path, Path) and is_vector(path)


def breaks_in(path: "Path | ArrayOnGrid", land: Landscape, full: Landscape,
              offset: Offset) -> NDArray[np.bool_]:
    """The breaks [h, w] on the part of a map, whether they may be treated there or not.

    Raises:
        InputError: a file that is damaged, or breaks that all lie elsewhere.
    """
    if is_planned(path):
        return cut_grid(read_plan(path, full).break_mask(), land.shape, offset)
    file, width = file_and_attribute(path)
    if isinstance(file, Path) and width is not None:
        mask = np.any([one.mask for one in masks_of_shapes(file, full, width)], axis=0)
        return cut_grid(mask, land.shape, offset) & land.burnable
    return mask_on_part(path, land, offset, full) & land.burnable


def widths_in(path: Path, full: Landscape) -> NDArray[np.float64] | None:
    """The widths that a file of shapes, or a plan's, has for its breaks, m, [H, W]: the widest of
    each cell, 0 off them; None where it has none.

    Raises:
        InputError: a width that is none, a damaged file.
    """
    file, attribute = file_and_attribute(path)
    assert isinstance(file, Path)
    if attribute is None:
        return read_widths(file, full) if is_planned(file) else None
    found = np.zeros(full.shape)
    for one in masks_of_shapes(file, full, attribute):
        found[one.mask] = np.maximum(found[one.mask], one.width_m)
    return found


def given_plan(path: "Path | ArrayOnGrid", land: Landscape, full: Landscape, offset: Offset,
               name: str = EXISTING) -> Plan:
    """Breaks as a plan of that name, for the part of a map, at their own cost.

    Raises:
        InputError: nothing of it can be treated there.

    Warns:
        LandscapeWarning: a part of it lies where nothing may be treated, and is left out.
    """
    from firebreak.landscape.formats.assemble import warn

    mask = breaks_in(path, land, full, offset)
    cells = np.flatnonzero(mask & land.treatable)
    lost = int(mask.sum()) - cells.size
    if lost:
        warn(f"{path}: {lost} of {int(mask.sum())} cells lie where nothing may be treated, and are "
             "left out of the comparison")
    if not cells.size:
        raise fail(expected="breaks on treatable cells", given="none", where=str(path),
                   remedy="check its place, and the area and masks")
    return plan_of_cells(cells, land, name)


def name_of(path: Path) -> str:
    """The name of drawn breaks beside those of methods."""
    return file_and_layer(path)[0].stem


def features_of(path: Path, plan: Plan, full: Landscape, offset: Offset) -> list[Feature]:
    """The shapes of a file that have cells of its plan, by name, or else number from 1; of several
    with one name each but the first has a number after it that no other has: "ridge (2)".

    Warns:
        LandscapeWarning: some have none.
    """
    from firebreak.landscape.formats.assemble import warn

    found, without, said = [], [], dict[str, int]()
    file, width = file_and_attribute(path)
    assert isinstance(file, Path)
    for shape in masks_of_shapes(file, full, width):
        title = shape.name
        while title in said:
            said[shape.name] += 1
            title = f"{shape.name} ({said[shape.name]})"
        said[title] = 1
        own = cut_grid(shape.mask, plan.shape, offset).ravel()[plan.cells]
        if own.any():
            found.append(Feature(title, np.sort(plan.cells[own]), shape.treatment))
        else:
            without.append(title)
    if without:
        warn(f"{path}: {len(without)} of {len(found) + len(without)} shapes "
             f"{'has' if len(without) == 1 else 'have'} no cell that may be treated there, and no "
             f"row: {listed(without, MOST_NAMED)}")
    return found
