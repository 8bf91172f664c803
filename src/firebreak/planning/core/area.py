"""Planning for a part of a large map: cut the part out with a margin, plan, put the plan back.

In the margin fires start and spread as anywhere, but nothing is treated there.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.break_segments import BreakSegment
from firebreak.planning.core.plan import Plan, check_plan, cost_of

Offset = tuple[int, int]
"""(row, column) of a part's north-west cell in the full map."""


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
    rows, cols = np.divmod(plan.cells, plan.shape[1])
    height, width = landscape.shape
    if offset[0] + plan.shape[0] > height or offset[1] + plan.shape[1] > width or min(offset) < 0:
        raise fail(expected=f"a part of a map of {height} x {width} cells",
                   given=f"{plan.shape[0]} x {plan.shape[1]} cells at row {offset[0]}, "
                         f"column {offset[1]}", where=f"landscape {landscape.name}",
                   remedy="use the map that the plan's area was cut from")
    cells = (rows + offset[0]) * width + cols + offset[1]
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


def lift_segments(segments: Sequence[BreakSegment], shape: tuple[int, int], offset: Offset,
                  landscape: Landscape) -> list[BreakSegment]:
    """Segments of a part of this shape as segments of the whole landscape that it lies in."""
    width, (top, left) = shape[1], offset

    def lifted(cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return (cells // width + top) * landscape.shape[1] + cells % width + left

    return [one._replace(cells=lifted(one.cells), path=lifted(one.path)) for one in segments]
