"""Least-cost routes between anchors, over the surface of `ground`.

A step goes to one of 16 cells, also a knight's move away, so that a route keeps its direction over
even ground. The map is taken in tiles: a route is local, and so is the work.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from firebreak.landscape.candidates.corridor import Cells

TILE_M = 1000.0
"""Side of the tiles whose anchors share a graph."""
DETOUR = 1.7
"""Length of a route beside the distance between its ends, at most."""
DEAR = 2.0
"""The surface of a route in the mean, beside that of ordinary ground, at most."""

# The cell that a step leads to, and those that it may pass on the way: it takes the easier one.
_STEPS = tuple((step, ()) for step in ((0, 1), (1, 0), (1, 1), (1, -1))) + tuple(
    ((down, right), ((down // 2 if abs(down) == 2 else 0, right // 2 if abs(right) == 2 else 0),
                     (1 if abs(down) == 2 else down, right // abs(right))))
    for down, right in ((1, 2), (2, 1), (1, -2), (2, -1)))


class Route(NamedTuple):
    """ends: places of two anchors. path: flat cells from one to the other."""

    ends: tuple[int, int]
    path: Cells


def routes_between(surface: NDArray[np.float64], at: Cells, pairs: NDArray[np.int64],
                   cell_size_m: float, reach_m: float) -> list[Route]:
    """The least-cost routes between pairs of anchors, those left out that are too long or lead
    over ground that is too hard.

    Args:
        surface: [H, W], inf where no route may run.
        at: flat cells of the anchors. pairs: [n, 2], places in it, within `reach_m`.
    """
    shape = surface.shape
    rows, cols = np.divmod(at, shape[1])
    side, margin = max(int(TILE_M / cell_size_m), 1), int(1.2 * reach_m / cell_size_m) + 2
    usual = float(np.median(surface[np.isfinite(surface)], axis=None))
    of_tile: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for one, other in pairs.tolist():
        of_tile[int(rows[one]) // side, int(cols[one]) // side][one].append(other)
    found = []
    for (down, right), wanted in sorted(of_tile.items()):
        top, left = max(down * side - margin, 0), max(right * side - margin, 0)
        part = surface[top:(down + 1) * side + margin, left:(right + 1) * side + margin]
        graph, width = _graph(part), part.shape[1]
        own = (rows - top) * width + cols - left
        for one, others in sorted(wanted.items()):
            away = np.hypot(rows[others] - rows[one], cols[others] - cols[one])
            cost, before = dijkstra(graph, indices=int(own[one]), return_predecessors=True,
                                    limit=float(DETOUR * DEAR * usual * away.max()))
            for other, distance in zip(others, away.tolist(), strict=True):
                if not cost[own[other]] <= DETOUR * DEAR * usual * distance:
                    continue
                path = _followed(before, int(own[other]), part)
                row, col = np.divmod(path, width)
                if np.hypot(np.diff(row), np.diff(col)).sum() <= DETOUR * distance:
                    found.append(Route((one, other),
                                       ((row + top) * shape[1] + col + left)[::-1]))
    return found


def _graph(surface: NDArray[np.float64]) -> csr_array:
    """The cost of each step from cell to cell: its length, in cells, times the mean surface of the
    cells that it touches.
    """
    height, width = surface.shape
    number = np.arange(surface.size).reshape(surface.shape)
    parts = []
    for (down, right), between in _STEPS:
        first = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))

        def moved(by: tuple[int, int], first: tuple[slice, slice] = first) -> tuple[slice, slice]:
            return (slice(first[0].start + by[0], first[0].stop + by[0]),
                    slice(first[1].start + by[1], first[1].stop + by[1]))

        ends = surface[first] + surface[moved((down, right))]
        mean = ends / 2.0 if not between else (ends + np.minimum(
            surface[moved(between[0])], surface[moved(between[1])])) / 3.0
        open_ = np.isfinite(mean)
        parts.append((number[first][open_], number[moved((down, right))][open_],
                      mean[open_] * np.hypot(down, right)))
    one, other, cost = (np.concatenate(column) for column in zip(*parts, strict=True))
    return csr_array((np.concatenate([cost, cost]), (np.concatenate([one, other]),
                                                     np.concatenate([other, one]))),
                     shape=(surface.size, surface.size))


def _followed(before: NDArray[np.int32], end: int, surface: NDArray[np.float64]) -> Cells:
    """The cells from an end back to the start; of a knight's move also the cell that it passes."""
    path, width = [end], surface.shape[1]
    while (last := int(before[path[-1]])) >= 0:
        (row, col), (down, right) = divmod(path[-1], width), np.subtract(
            divmod(last, width), divmod(path[-1], width)).tolist()
        if abs(down) == 2 or abs(right) == 2:
            straight = (row + down // 2 * (abs(down) == 2), col + right // 2 * (abs(right) == 2))
            slanted = (row + (down > 0) - (down < 0), col + (right > 0) - (right < 0))
            passed = min((straight, slanted), key=lambda cell: float(surface[cell]))
            path.append(passed[0] * width + passed[1])
        path.append(last)
    return np.array(path, np.int64)


def joined_by_edges(path: Cells, surface: NDArray[np.float64]) -> Cells:
    """A path whose cells touch by edges: at each step over a corner the easier cell beside it
    comes between.
    """
    width, found = surface.shape[1], [int(path[0])]
    for cell in path[1:].tolist():
        (row, col), (to_row, to_col) = divmod(found[-1], width), divmod(cell, width)
        if row != to_row and col != to_col:
            between = min(((row, to_col), (to_row, col)), key=lambda one: float(surface[one]))
            found.append(between[0] * width + between[1])
        found.append(cell)
    return np.array(found, np.int64)
