"""Lines of a file as thin rows of cells in order, cut at a length: candidates for breaks.

Cells of a line touch at corners, or by edges where breaks leak at corners, so that a line holds
fire and costs no more than it must.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rasterio
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shape_files import is_vector, read_shapes
from firebreak.landscape.raster.shapes import damaged, flat_cells, on_map

MOST_CELLS = 20_000_000
"""Cells of all lines of a file, on the map or not, at most."""
_ROUNDING = 1e-9

Cells = NDArray[np.int64]


class CutLines(NamedTuple):
    """pieces: by line its pieces, flat cells on the map in order, int64 [n] each; none is empty.
    outside: lines of the file that do not touch the map.
    """

    pieces: list[list[Cells]]
    outside: int


def lines_on_grid(path: Path, landscape: Landscape, longest_m: float, *,
                  joined: bool) -> CutLines:
    """The lines of a file, and the rings of its polygons.

    Args:
        longest_m: a line is cut into pieces of equal length, none longer, or none longer than a
            cell where a cell is longer.
        joined: cells touch by edges.

    Raises:
        InputError: no shapes, points, a line of no length, all lines outside the map.
    """
    if not is_vector(path):
        raise fail(expected="shapes of lines", given=f"a file '{path.suffix or path.name}'",
                   where=str(path), remedy="name GeoJSON, a GeoPackage or a shapefile")
    shapes = read_shapes(path)
    ours = on_map(shapes.geometries, shapes.crs, landscape, path)
    size, to_cells = landscape.cell_size_m, ~rasterio.Affine(*landscape.transform)
    found, outside, cells = [], 0, 0.0
    for number, line in enumerate(_lines_of(ours, path), start=1):
        col = to_cells.a * line[:, 0] + to_cells.b * line[:, 1] + to_cells.c
        row = to_cells.d * line[:, 0] + to_cells.e * line[:, 1] + to_cells.f
        corners = np.stack([row, col], axis=1)
        cells += float(np.abs(np.diff(corners, axis=0)).max(axis=1, initial=0.0).sum())
        if cells > MOST_CELLS:  # before it is cut into as many pieces
            raise fail(expected=f"lines of at most {MOST_CELLS:,} cells", given="more",
                       where=str(path), remedy="cut them to the landscape's area")
        parts = cut_path(corners, max(longest_m / size, 1.0))
        if not parts:
            raise fail(expected="lines of some length", given=f"line {number} of none",
                       where=str(path), remedy="remove it")
        pieces = [own for part in parts
                  if (own := _on_map(cells_along(part, joined), landscape)).size]
        if pieces:
            found.append(pieces)
        outside += not pieces
    if not found:
        raise fail(expected="lines on the landscape", given=f"{outside}, all outside",
                   where=str(path), remedy="check their place and reference system")
    return CutLines(found, outside)


def _lines_of(geometries: list[dict[str, Any]], path: Path) -> list[NDArray[np.float64]]:
    """Corners [n, 2] of every line and ring."""
    found: list[NDArray[np.float64]] = []
    for one in geometries:
        kind, coordinates = one["type"], one["coordinates"]
        if kind.endswith("Point"):
            raise fail(expected="lines or polygons", given="points", where=str(path),
                       remedy="leave the points out")
        depth = {"LineString": 0, "MultiLineString": 1, "Polygon": 1, "MultiPolygon": 2}[kind]
        lines = [coordinates]
        for _ in range(depth):
            lines = [line for group in lines for line in group]
        try:
            found += [np.array([point[:2] for point in line], np.float64).reshape(-1, 2)
                      for line in lines]
        except (ValueError, TypeError) as error:
            raise damaged(path, error) from error
    return found


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
