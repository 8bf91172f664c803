"""Planning for a part of a large map: cut the part out with a margin, plan, put the plan back.

In the margin fires start and spread as anywhere, but nothing is treated there. An area is named as
R0:R1,C0:C1, or by shapes or a raster that lie in it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.planning.core.plan import Plan, check_plan, cost_of

if TYPE_CHECKING:
    from firebreak.landscape.candidates.corridor import Corridor
    from firebreak.landscape.raster.on_grid import ArrayOnGrid

Offset = tuple[int, int]
"""(row, column) of a part's north-west cell in the full map."""
MARGIN = 16
"""Cells around an area in which fires start and spread but nothing is treated."""
_AREA = re.compile(r"(\d{1,9}):(\d{1,9}),(\d{1,9}):(\d{1,9})", re.ASCII)


def named_range(area: "str | ArrayOnGrid | None") -> tuple[slice, slice] | None:
    """Return rows and columns of an area R0:R1,C0:C1, without its margin; None for any other."""
    found = _AREA.fullmatch(area.replace(" ", "")) if isinstance(area, str) else None
    if found is None:
        return None
    top, bottom, left, right = map(int, found.groups())
    return slice(top, bottom), slice(left, right)


def named_shape(area: "str | ArrayOnGrid | None") -> tuple[int, int] | None:
    """Return the numbers of rows and columns of an area R0:R1,C0:C1; None for any other."""
    found = named_range(area)
    if found is None:
        return None
    rows, cols = found
    return max(rows.stop - rows.start, 0), max(cols.stop - cols.start, 0)


def named_area(full: Landscape, area: "str | ArrayOnGrid") -> tuple[Landscape, Offset]:
    """The cells that an area names with a margin, only the area treatable, and where they lie.

    Raises:
        InputError: no such area or file, or none of it on the landscape.
    """
    found = named_range(area)
    if found is not None:
        return plan_area(full, *found, MARGIN)
    if isinstance(area, str) and not Path(area).exists():
        raise fail(expected="an area like R0:R1,C0:C1, or a file of polygons", given=f"'{area}'",
                   where="--area", remedy="for example --area 100:164,200:264")
    inside = area_mask(full, area)
    rows, cols = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        raise fail(expected="an area on the landscape", given="no cell of it", where=str(area),
                   remedy="check its place and reference system")
    land, offset = plan_area(full, slice(int(rows[0]), int(rows[-1]) + 1),
                             slice(int(cols[0]), int(cols[-1]) + 1), MARGIN)
    (top, left), (height, width) = offset, land.shape
    own = inside[top:top + height, left:left + width]
    return replace(land, treatable=land.treatable & own), offset


def area_mask(full: Landscape, area: "str | ArrayOnGrid") -> NDArray[np.bool_]:
    """The cells of an area itself, without the margin, bool [H, W] of the whole map."""
    from firebreak.landscape.raster.on_grid import mask_of

    found = named_range(area)
    if found is None:
        return mask_of(area, full)
    inside = np.zeros(full.shape, np.bool_)
    inside[found] = True
    return inside


def cells_in(path: "Path | ArrayOnGrid | None", land: Landscape) -> NDArray[np.int64]:
    """Flat cells that shapes or a raster name, by rows; none where there is no file."""
    from firebreak.landscape.raster.on_grid import mask_of

    if path is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(mask_of(path, land, how="any"))


def plan_area(landscape: Landscape, rows: slice, cols: slice,
              margin: int) -> tuple[Landscape, Offset]:
    """The part of a map to plan for, `margin` cells around it included, and where it lies.

    Args:
        rows, cols: half-open ranges of cells, as in `--area R0:R1,C0:C1`.
        margin: cells on every side, cut off at the map's edge.

    Raises:
        InputError: an area that is empty or reaches beyond the map, or a margin below 0.
    """
    height, width = landscape.shape
    _check_range(landscape, "rows", rows, height)
    _check_range(landscape, "columns", cols, width)
    if margin < 0:
        raise fail(expected="a margin of 0 cells or more", given=f"{margin}", where="area",
                   remedy="leave it out or raise it")
    top, left = max(rows.start - margin, 0), max(cols.start - margin, 0)
    bottom, right = min(rows.stop + margin, height), min(cols.stop + margin, width)
    part = landscape.crop(top, left, bottom - top, right - left)
    inside = np.zeros(part.shape, np.bool_)
    inside[rows.start - top:rows.stop - top, cols.start - left:cols.stop - left] = True
    return replace(part, treatable=part.treatable & inside), (top, left)


def lift(plan: Plan, offset: Offset, landscape: Landscape) -> Plan:
    """The plan of a part as a plan of the full map: the same budget, a smaller share of the map.

    Raises:
        InputError: the part does not lie inside the map, or its cells are not treatable there.
    """
    height, width = landscape.shape
    if offset[0] + plan.shape[0] > height or offset[1] + plan.shape[1] > width or min(offset) < 0:
        raise fail(expected=f"a part of a map of {height} x {width} cells",
                   given=f"{plan.shape[0]} x {plan.shape[1]} cells at row {offset[0]}, "
                         f"column {offset[1]}", where=f"landscape {landscape.name}",
                   remedy="use the map that the plan's area was cut from")
    cells = lift_cells(plan.cells, plan.shape[1], offset, landscape)
    whole = cost_of(np.flatnonzero(landscape.treatable), landscape)
    lifted = replace(plan, cells=cells, shape=landscape.shape, landscape=landscape.name,
                     landscape_checksum=landscape.checksum(), budget_share=plan.budget / whole)
    check_plan(lifted, landscape)
    return lifted


def _check_range(landscape: Landscape, what: str, cells: slice, size: int) -> None:
    start, stop = cells.start, cells.stop
    if start is None or stop is None or not 0 <= start < stop <= size:
        raise fail(expected=f"an area inside {what} 0:{size}", given=f"{what} {start}:{stop}",
                   where=f"landscape {landscape.name}",
                   remedy="give half-open ranges, --area R0:R1,C0:C1")


def lift_segments(segments: "Sequence[Corridor]", shape: tuple[int, int], offset: Offset,
                  landscape: Landscape) -> "list[Corridor]":
    """Segments of a part of this shape as segments of the whole landscape that it lies in."""
    return [one._replace(cells=lift_cells(one.cells, shape[1], offset, landscape),
                         path=lift_cells(one.path, shape[1], offset, landscape))
            for one in segments]


def lift_cells(cells: NDArray[np.int64], cols: int, offset: Offset,
               landscape: Landscape) -> NDArray[np.int64]:
    """Flat cells of a part with so many columns as flat cells of the whole landscape."""
    row, col = np.divmod(cells, cols)
    return (row + offset[0]) * landscape.shape[1] + col + offset[1]


def lift_grid(grid: NDArray, offset: Offset, landscape: Landscape, fill: float) -> NDArray:
    """A grid [h, w] of a part on the whole landscape, [H, W], `fill` outside it and its data."""
    whole = np.full(landscape.shape, fill, grid.dtype)
    (top, left), (rows, cols) = offset, grid.shape
    whole[top:top + rows, left:left + cols] = grid
    whole[landscape.fuel_model == NODATA] = fill
    return whole
