"""Planning for a part of a large map: cut the part out with a margin, in which nothing is treated,
plan, put the plan back. An area is R0:R1,C0:C1, or shapes or a raster that lie in it; the margin is
that of `domain`, or on synthetic land MARGIN cells.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import NODATA, Landscape, rectangle_of
from firebreak.landscape.raster.windows import Window, inside_map, padded_to
from firebreak.planning.core.plan import Plan, check_plan, cost_of

if TYPE_CHECKING:
    from firebreak.landscape.candidates.corridor import Corridor
    from firebreak.landscape.raster.on_grid import ArrayOnGrid, Rule

Offset = tuple[int, int]
"""(row, column) of a part's north-west cell in the full map, below 0 where it begins beyond it."""
MARGIN = 16
"""Cells around an area of synthetic land in which fires start and spread."""
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
    """The cells that an area names with MARGIN cells around, only the area treatable, and where
    they lie.

    Raises:
        InputError: no such area or file, or none of it on the landscape.
    """
    inside = area_mask(full, area)
    window = _around(inside, MARGIN)
    land = window.of(full)
    return (replace(land, treatable=land.treatable & inside[window.slices]),
            (window.row, window.col))


def _around(mask: NDArray[np.bool_], rim: int) -> Window:
    """The rectangle of a mask with so many cells around it, as far as there are."""
    row, col, rows, cols = rectangle_of(mask)
    north, west = max(row - rim, 0), max(col - rim, 0)
    return Window(north, west, min(row + rows + rim, mask.shape[0]) - north,
                  min(col + cols + rim, mask.shape[1]) - west)


def area_mask(full: Landscape, area: "str | ArrayOnGrid") -> NDArray[np.bool_]:
    """The cells of an area itself, without a margin, bool [H, W] of the whole map.

    Raises:
        InputError: no such area or file, lines or points, or none of it on the landscape.

    Warns:
        LandscapeWarning: polygons that go on beyond the map.
    """
    from firebreak.landscape.formats.assemble import warn
    from firebreak.landscape.raster.on_grid import mask_of
    from firebreak.landscape.raster.shape_files import is_vector
    from firebreak.landscape.raster.shapes import polygons_end_on

    found = named_range(area)
    if found is not None:
        for what, cells, size in zip(("rows", "columns"), found, full.shape, strict=True):
            if not cells.start < cells.stop <= size:
                raise fail(expected=f"an area inside {what} 0:{size}",
                           given=f"{what} {cells.start}:{cells.stop}",
                           where=f"landscape {full.name}",
                           remedy="give half-open ranges, the smaller number first, --area "
                                  "R0:R1,C0:C1")
        inside = np.zeros(full.shape, np.bool_)
        inside[found] = True
        return inside
    if isinstance(area, str) and not Path(area).exists():
        raise fail(expected="an area like R0:R1,C0:C1, or a file of polygons", given=f"'{area}'",
                   where="--area", remedy="for example --area 100:164,200:264")
    inside = mask_of(area, full)
    if isinstance(area, str) and is_vector(Path(area)) and not polygons_end_on(Path(area), full):
        warn(f"{area}: the area goes on beyond the map; what lies there is not planned for")
    if not inside.any():
        raise fail(expected="an area on the landscape", given="no cell of it", where=str(area),
                   remedy="check its place and reference system")
    return inside


def mask_on_part(path: "str | Path | ArrayOnGrid", land: Landscape, offset: Offset,
                 full: Landscape, how: "Rule" = "any") -> NDArray[np.bool_]:
    """The cells [h, w] of a part of a map that shapes or a raster name; none beyond the map."""
    from firebreak.landscape.raster.on_grid import mask_of

    window = Window(*offset, *land.shape)
    real = inside_map(window, full.shape)
    if real == window:
        return mask_of(path, land, how=how)
    return padded_to(mask_of(path, real.of(full), how=how), real, window, False)


def cells_in(path: "Path | ArrayOnGrid | None", land: Landscape, offset: Offset,
             full: Landscape) -> NDArray[np.int64]:
    """Flat cells of a part that shapes or a raster name, by rows; none without a file."""
    if path is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(mask_on_part(path, land, offset, full))


def lift(plan: Plan, offset: Offset, landscape: Landscape) -> Plan:
    """The plan of a part as a plan of the full map: the same budget, a smaller share of the map.

    Raises:
        InputError: its cells are not treatable there.
    """
    return _placed(plan, lift_cells(plan.cells, plan.shape[1], offset, landscape), landscape)


def cut_plan(plan: Plan, offset: Offset, part: Landscape, landscape: Landscape,
             where: str = "plan") -> Plan:
    """The plan of a full map, from `where`, as a plan of a part of it: what `lift` undoes.

    Raises:
        InputError: as of `cut_cells`.
    """
    return _placed(plan, cut_cells(plan.cells, offset, part, landscape, where), part)


def cut_cells(cells: NDArray[np.int64], offset: Offset, part: Landscape, landscape: Landscape,
              where: str) -> NDArray[np.int64]:
    """Flat cells of a full map as those of a part of it.

    Raises:
        InputError: some lie outside it, or may not be treated.
    """
    row, col = np.divmod(cells, landscape.shape[1])
    row, col = row - offset[0], col - offset[1]
    inside = (row >= 0) & (row < part.shape[0]) & (col >= 0) & (col < part.shape[1])
    inside[inside] = part.treatable[row[inside], col[inside]]
    if not inside.all():
        raise fail(expected="a plan inside the area", given=f"{(~inside).sum()} cells outside it",
                   where=where, remedy="give the --area that the plan was made for")
    return row * part.shape[1] + col


def _placed(plan: Plan, cells: NDArray[np.int64], landscape: Landscape) -> Plan:
    """A plan with these cells, of a landscape; its budget stays."""
    whole = cost_of(np.flatnonzero(landscape.treatable), landscape)
    placed = replace(plan, cells=cells, shape=landscape.shape, landscape=landscape.name,
                     landscape_checksum=landscape.checksum(), budget_share=plan.budget / whole)
    check_plan(placed, landscape)
    return placed


def lift_segments(segments: "Sequence[Corridor]", shape: tuple[int, int], offset: Offset,
                  landscape: Landscape) -> "list[Corridor]":
    """Segments of a part of this shape as segments of the whole landscape that it lies in."""
    def lifted(cells: "Sequence[int] | NDArray[np.int64]") -> NDArray[np.int64]:
        return lift_cells(np.array(cells, np.int64), shape[1], offset, landscape)

    return [one._replace(cells=lifted(one.cells), path=lifted(one.path), anchors=tuple(
        anchor._replace(cell=int(lifted([anchor.cell])[0])) for anchor in one.anchors))
        for one in segments]


def lift_cells(cells: NDArray[np.int64], cols: int, offset: Offset,
               landscape: Landscape) -> NDArray[np.int64]:
    """Flat cells of a part with so many columns as flat cells of the whole landscape."""
    row, col = np.divmod(cells, cols)
    return (row + offset[0]) * landscape.shape[1] + col + offset[1]


def in_window(cells: NDArray[np.int64], window: Window, cols: int) -> NDArray[np.int64]:
    """Flat cells of a map of so many columns as those of a window, without those off it."""
    row, col = np.divmod(cells, cols)
    row, col = row - window.row, col - window.col
    inside = (row >= 0) & (row < window.rows) & (col >= 0) & (col < window.cols)
    return (row * window.cols + col)[inside]


class View(NamedTuple):
    """The rectangle of cells around the area of a domain, which pictures show; of other land all.

    land: the rectangle; window: where it lies in the domain, which has so many columns.
    """

    land: Landscape
    window: Window
    cols: int

    @classmethod
    def of(cls, land: Landscape, rim: int = 0) -> "View":
        """The view of a part of a map, with so many cells around the area as far as there are."""
        window = _around(land.inside, rim)
        return cls(replace(window.of(land), name=land.name), window, land.shape[1])

    def grid(self, whole: NDArray) -> NDArray:
        """The part of a grid that is shown."""
        return whole[self.window.slices]

    def cells(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Flat cells of the domain as those of the view, without those that it does not show."""
        return in_window(cells, self.window, self.cols)

    def whole_cells(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Flat cells of the view as those of the domain."""
        row, col = np.divmod(cells, self.window.cols)
        return (row + self.window.row) * self.cols + col + self.window.col

    def segments(self, segments: "Sequence[Corridor]") -> "list[Corridor]":
        """Segments of the domain as those of the view."""
        return [one._replace(cells=self.cells(one.cells), path=self.cells(one.path))
                for one in segments]

    def plan(self, plan: Plan) -> Plan:
        """A plan for the domain with the cells of the view, for pictures."""
        return replace(plan, cells=self.cells(plan.cells), shape=self.land.shape)


def lift_grid(grid: NDArray, part: Landscape, offset: Offset, landscape: Landscape,
              fill: float) -> NDArray:
    """A grid [h, w] of a part on the whole landscape [H, W], `fill` off area and data."""
    whole = np.full(landscape.shape, fill, grid.dtype)
    window = Window(*offset, *part.shape)
    real = inside_map(window, landscape.shape)
    whole[real.slices] = cut_grid(np.where(part.inside, grid, grid.dtype.type(fill)),
                                  (real.rows, real.cols),
                                  (real.row - window.row, real.col - window.col))
    whole[landscape.fuel_model == NODATA] = fill
    return whole


def cut_grid(grid: NDArray, shape: tuple[int, int], offset: Offset) -> NDArray:
    """The part of a grid of this shape that begins at an offset; 0 beyond the grid."""
    window = Window(*offset, *shape)
    real = inside_map(window, (grid.shape[0], grid.shape[1]))
    return np.ascontiguousarray(grid[real.slices] if real == window
                                else padded_to(grid[real.slices], real, window, 0))
