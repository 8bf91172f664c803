"""Areas and cells that a planner names: the part of a map to plan for, and masks on it."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail

if TYPE_CHECKING:
    from firebreak.landscape.landscape import Landscape
    from firebreak.landscape.raster.arrays import ArrayOnGrid

MARGIN = 16  # cells around an area in which fires start and spread but nothing is treated
_AREA = re.compile(r"(\d{1,9}):(\d{1,9}),(\d{1,9}):(\d{1,9})")


def cells_named(area: str | None) -> tuple[int, int] | None:
    """Rows and columns of an area R0:R1,C0:C1, without its margin; None for any other area."""
    found = None if area is None else _AREA.fullmatch(area.replace(" ", ""))
    if found is None:
        return None
    top, bottom, left, right = map(int, found.groups())
    return max(bottom - top, 0), max(right - left, 0)


def part_of(full: "Landscape", area: "str | ArrayOnGrid") -> "tuple[Landscape, tuple[int, int]]":
    """The cells that an area names with a margin, only the area treatable."""
    from firebreak.landscape.formats.overlays import mask_of
    from firebreak.planning.core.area import plan_area

    found = _AREA.fullmatch(area.replace(" ", "")) if isinstance(area, str) else None
    if found is not None:
        top, bottom, left, right = map(int, found.groups())
        return plan_area(full, slice(top, bottom), slice(left, right), MARGIN)
    if isinstance(area, str) and not Path(area).exists():
        raise fail(expected="an area like R0:R1,C0:C1, or a file of polygons", given=f"'{area}'",
                   where="--area", remedy="for example --area 100:164,200:264")
    inside = mask_of(area, full)
    rows, cols = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        raise fail(expected="an area on the landscape", given="no cell of it", where=str(area),
                   remedy="check its place and reference system")
    land, offset = plan_area(full, slice(int(rows[0]), int(rows[-1]) + 1),
                             slice(int(cols[0]), int(cols[-1]) + 1), MARGIN)
    (top, left), (height, width) = offset, land.shape
    own = inside[top:top + height, left:left + width]
    return replace(land, treatable=land.treatable & own), offset


def area_mask(full: "Landscape", area: "str | ArrayOnGrid", offset: tuple[int, int],
              shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The cells of an area itself, without the margin, in the part that `part_of` cuts out for it.
    """
    from firebreak.landscape.formats.overlays import mask_of

    found = _AREA.fullmatch(area.replace(" ", "")) if isinstance(area, str) else None
    if found is None:
        inside = mask_of(area, full)
    else:
        top, bottom, left, right = map(int, found.groups())
        inside = np.zeros(full.shape, np.bool_)
        inside[top:bottom, left:right] = True
    (first, west), (height, width) = offset, shape
    return inside[first:first + height, west:west + width]


def cells_in(path: "Path | ArrayOnGrid | None", land: "Landscape") -> NDArray[np.int64]:
    """Flat cells that shapes or a raster name, by rows; none where there is no file."""
    from firebreak.landscape.formats.overlays import mask_of

    if path is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(mask_of(path, land, how="any"))
