"""Lines of a file as thin rows of cells in order, cut at a length: candidates for breaks.

Cells of a line touch at corners, or by edges where breaks leak at corners, so that a line holds
fire and costs no more than it must. A line with a width has the cells beside it too, whose centres
lie within half of the width.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shape_files import Shape, is_vector
from firebreak.landscape.raster.shapes import (
    covered_cells,
    damaged,
    flat_cells,
    numbered_shapes,
)

MOST_CELLS = 20_000_000
"""Cells of all lines of a file, on the map or not, at most."""
_ROUNDING = 1e-9
_AT_ONCE = 32.0  # cells of a line whose neighbours are looked at together

Cells = NDArray[np.int64]


class CutLines(NamedTuple):
    """pieces: by line its pieces, flat cells on the map in order, int64 [n] each; none is empty.
    outside: lines of the file that do not touch the map. names: of the lines, empty where the file
    has none. wide: by line and piece its cells and those beside it, ascending.
    """

    pieces: list[list[Cells]]
    outside: int
    names: list[str]
    wide: list[list[Cells]]


def lines_on_grid(path: Path, landscape: Landscape, longest_m: float, *,
                  joined: bool, attribute: str | None = None) -> CutLines:
    """The lines of a file, and the rings of its polygons.

    Args:
        longest_m: a line is cut into pieces of equal length, none longer, or none longer than a
            cell where a cell is longer.
        joined: cells touch by edges.
        attribute: that holds the width of each shape, m; without one a line is a cell wide.

    Raises:
        InputError: no shapes, points, a line of no length, all lines outside the map, a width that
            is none.
    """
    if not is_vector(path):
        raise fail(expected="shapes of lines", given=f"a file '{path.suffix or path.name}'",
                   where=str(path), remedy="name GeoJSON, a GeoPackage or a shapefile")
    size, found, names, wide, outside, cells = landscape.cell_size_m, [], [], [], 0, 0.0
    lines = [(shape.name, line, width) for shape, own, width in _wide_shapes(
        path, attribute, landscape) for one in own for line in _lines_of(one, path)]
    for number, (name, line, width) in enumerate(lines, start=1):
        corners, reach = _in_cells(line, landscape), 0.5 * width / size
        cells += _area(corners, reach)
        _check_cells(cells, path)
        parts = cut_path(corners, max(longest_m / size, 1.0))
        if not parts:
            raise fail(expected="lines of some length", given=f"line {number} of none",
                       where=str(path), remedy="remove it")
        pieces = [(own, np.union1d(own, cells_within(part, reach, landscape.shape)))
                  for part in parts
                  if (own := _on_map(cells_along(part, joined), landscape)).size]
        if pieces:
            found.append([own for own, _ in pieces])
            wide.append([own for _, own in pieces])
            names.append(name)
        outside += not pieces
    if not found:
        raise fail(expected="lines on the landscape", given=f"{outside}, all outside",
                   where=str(path), remedy="check their place and reference system")
    return CutLines(found, outside, names, wide)


class Covering(NamedTuple):
    """A shape on a map. name: or its number from 1 where it has none. mask: bool [H, W], the cells
    that it touches, of a line with a width those beside it too. width_m: 0 for none. treatment:
    text of the attribute, empty for none.
    """

    name: str
    mask: NDArray[np.bool_]
    width_m: float
    treatment: str


def masks_of_shapes(path: Path, landscape: Landscape,
                    attribute: str | None = None) -> Iterator[Covering]:
    """Yield each shape of a file on a map. attribute: that holds the widths.

    Raises: as `lines_on_grid`, but for lines of no length and outside the map.
    """
    where, cells = rasterio.Affine(*landscape.transform), 0.0
    for number, (shape, own, width) in enumerate(_wide_shapes(path, attribute, landscape), start=1):
        mask = covered_cells(own, landscape.shape, where, touched=True)
        lines = [_in_cells(line, landscape) for one in own
                 if attribute and one["type"].endswith("LineString")
                 for line in _lines_of(one, path)]
        reach = 0.5 * width / landscape.cell_size_m
        for line in lines:
            cells += _area(line, reach)
            _check_cells(cells, path)
            mask.ravel()[cells_within(line, reach, landscape.shape)] = True
        yield Covering(shape.name or str(number), mask, width, shape.treatment)


def _wide_shapes(path: Path, attribute: str | None, landscape: Landscape,
                 ) -> list[tuple[Shape, list[dict[str, Any]], float]]:
    """Shapes, their geometries on the map and their widths, m: 0 where nobody says one."""
    found = list(numbered_shapes(path, attribute, landscape, positive=True))
    return found if attribute else [(shape, own, 0.0) for shape, own, _ in found]


def _in_cells(line: NDArray[np.float64], landscape: Landscape) -> NDArray[np.float64]:
    """Corners [n, 2] in rows and columns of a map."""
    to_cells = ~rasterio.Affine(*landscape.transform)
    col = to_cells.a * line[:, 0] + to_cells.b * line[:, 1] + to_cells.c
    row = to_cells.d * line[:, 0] + to_cells.e * line[:, 1] + to_cells.f
    return np.stack([row, col], axis=1)


def _area(corners: NDArray[np.float64], reach: float) -> float:
    """Cells of a line, about, on the map or not."""
    return float(np.abs(np.diff(corners, axis=0)).max(axis=1, initial=0.0).sum()
                 ) * (1.0 + 2.0 * reach)


def _check_cells(cells: float, path: Path) -> None:
    if cells > MOST_CELLS:  # before lines are cut into as many pieces
        raise fail(expected=f"lines of at most {MOST_CELLS:,} cells", given="more",
                   where=str(path), remedy="cut them to the landscape's area")


def cells_within(path: NDArray[np.float64], reach: float, shape: tuple[int, int]) -> Cells:
    """Flat cells on a map, ascending, whose centres lie within `reach` cells of a path [n, 2] in
    rows and columns.
    """
    found = [np.empty(0, np.int64)]
    for part in cut_path(path, _AT_ONCE) if reach > 0.0 else ():
        low = np.clip(np.floor(part.min(axis=0) - reach), 0, shape).astype(np.int64)
        high = np.clip(np.ceil(part.max(axis=0) + reach), 0, shape).astype(np.int64)
        row, col = np.mgrid[low[0]:high[0], low[1]:high[1]].reshape(2, -1)
        centre = np.stack([row, col], axis=1) + 0.5
        near = np.zeros(row.size, np.bool_)
        for first, last in pairwise(part):
            along = last - first
            share = (centre - first) @ along / max(float(along @ along), _ROUNDING)
            foot = first + np.clip(share, 0.0, 1.0)[:, None] * along
            near |= np.hypot(*(centre - foot).T) <= reach + _ROUNDING
        found.append(row[near] * shape[1] + col[near])
    return np.unique(np.concatenate(found))


def _lines_of(geometry: dict[str, Any], path: Path) -> list[NDArray[np.float64]]:
    """Corners [n, 2] of every line and ring of a geometry."""
    kind, lines = geometry["type"], [geometry["coordinates"]]
    if kind.endswith("Point"):
        raise fail(expected="lines or polygons", given="points", where=str(path),
                   remedy="leave the points out")
    for _ in range({"LineString": 0, "MultiLineString": 1, "Polygon": 1, "MultiPolygon": 2}[kind]):
        lines = [line for group in lines for line in group]
    try:
        return [np.array([point[:2] for point in line], np.float64).reshape(-1, 2)
                for line in lines]
    except (ValueError, TypeError) as error:
        raise damaged(path, error) from error


def cut_path(corners: NDArray[np.float64], longest: float) -> list[NDArray[np.float64]]:
    """A path [n, 2] cut into pieces [m, 2] of equal length, none longer than `longest`; no piece of
    a path of no length.
    """
    steps = np.hypot(*np.diff(corners, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    whole = float(along[-1])
    if not whole > 0.0:
        return []
    count = max(1, int(np.ceil(whole / longest * (1.0 - _ROUNDING))))
    ends = np.linspace(0.0, whole, count + 1)
    pieces = []
    for first, last in pairwise(ends):
        inner = np.flatnonzero((along > first) & (along < last))
        at = np.concatenate([[first], along[inner], [last]])
        pieces.append(np.stack([np.interp(at, along, corners[:, k]) for k in (0, 1)], axis=1))
    return pieces


def cells_along(path: NDArray[np.float64], joined: bool) -> NDArray[np.int64]:
    """Cells (row, column) [n, 2] along a path in rows and columns, none twice in a row: straight
    lines of cells from the cell of one corner to that of the next.
    """
    corners = np.floor(path).astype(np.int64)
    found = [corners[:1]]
    for before, after in pairwise(corners):
        step = after - before
        count = int(np.abs(step).max())
        part = np.arange(1, count + 1)[:, None] / max(count, 1)
        found.append(before + np.floor(step * part + 0.5).astype(np.int64))
    cells = np.concatenate(found)
    if not joined:
        return cells
    moved = np.diff(cells, axis=0)
    corner = np.flatnonzero((moved != 0).all(axis=1))
    return np.insert(cells, corner + 1, np.stack([cells[corner, 0], cells[corner + 1, 1]], axis=1),
                     axis=0)


def _on_map(cells: NDArray[np.int64], landscape: Landscape) -> Cells:
    """Flat cells on the map, each once."""
    flat, _ = flat_cells(cells[:, 0], cells[:, 1], landscape.shape)
    return flat[np.sort(np.unique(flat, return_index=True)[1])]
