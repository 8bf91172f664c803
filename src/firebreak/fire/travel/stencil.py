"""The directions a fire can come from: a stencil of cells around the receiving cell, refined twice.

A step is (rows, columns) from the receiving cell to the cell the fire comes from. Level 0 is the
eight neighbours. Each further level puts the sum of two neighbouring steps between them
(Stern-Brocot), so every facet of the stencil spans a triangle of the same area, half a cell, and
holds no other cell. 32 steps and 8 + 16 + 32 facets; the cells that a long step or triangle
crosses must burn for it to be open.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Step = tuple[int, int]

NEIGHBOURS: tuple[Step, ...] = (
    (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1),
)  # clockwise from north; odd ones are diagonal
LEVELS = 2
REACH = 3  # longest step in rows or columns, and the padding around a map

STEPS = 32
FACETS = 56
HELD = 252  # parent code of a break that fire reached and crews hold: it does not burn
SPOT = 253  # parent code of a cell that an ember lit; its weight is the index of the thrower
IGNITION = 254  # parent code of a fire's own ignition cell
UNBURNED = 255  # parent code of a cell the fire did not reach
FACET_CODE = STEPS  # parent codes 0-31 are single steps, 32-87 are facets


class Stencil(NamedTuple):
    """Geometry of the refined stencil.

    steps: int64 [32, 2], (rows, columns) from child to parent; the first 8 are NEIGHBOURS.
    facets: int64 [56, 2], indices of a facet's two steps; level 0 first.
    parent: int64 [56], the facet that a facet halves, -1 at level 0.
    touching: uint64 [32], bit s set where facet s ends at the step.
    step_crosses, segment_crosses: int64 [., K, 2] cells crossed, relative to the child, padded
        with (0, 0); zero rows for the 8 unit steps and the 8 unit facets.
    step_cross_count, segment_cross_count: int64, how many of the K are meant.
    """

    steps: NDArray[np.int64]
    facets: NDArray[np.int64]
    parent: NDArray[np.int64]
    touching: NDArray[np.uint64]
    step_crosses: NDArray[np.int64]
    step_cross_count: NDArray[np.int64]
    facet_crosses: NDArray[np.int64]
    facet_cross_count: NDArray[np.int64]


def build_stencil() -> Stencil:
    """The stencil of 32 steps and 56 facets."""
    steps, facets, parents = _refine()
    crosses_step = [_cells_on((0.0, 0.0), step) if i >= 8 else [] for i, step in enumerate(steps)]
    crosses_facet = [
        # Where a facet is open so are its ends: its earliest point may be one of them.
        sorted({*_cells_under(steps[a], steps[b]), *crosses_step[a], *crosses_step[b]})
        if parent >= 0 else []
        for (a, b), parent in zip(facets, parents, strict=True)
    ]
    touching = np.zeros(STEPS, np.uint64)
    for s, ends in enumerate(facets):
        for end in ends:
            touching[end] |= np.uint64(1) << np.uint64(s)
    step_cells, step_count = _padded(crosses_step)
    facet_cells, facet_count = _padded(crosses_facet)
    return Stencil(np.array(steps, np.int64), np.array(facets, np.int64),
                   np.array(parents, np.int64), touching,
                   step_cells, step_count, facet_cells, facet_count)


def _refine() -> tuple[list[Step], list[tuple[int, int]], list[int]]:
    steps: list[Step] = list(NEIGHBOURS)
    facets = [(i, (i + 1) % 8) for i in range(8)]
    parents = [-1] * 8
    level = list(range(8))
    for _ in range(LEVELS):
        finer = []
        for facet in level:
            a, b = facets[facet]
            middle = len(steps)
            steps.append((steps[a][0] + steps[b][0], steps[a][1] + steps[b][1]))
            for half in ((a, middle), (middle, b)):
                finer.append(len(facets))
                facets.append(half)
                parents.append(facet)
        level = finer
    return steps, facets, parents


def _padded(cells: list[list[Step]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    count = np.array([len(c) for c in cells], np.int64)
    out = np.zeros((len(cells), int(count.max()), 2), np.int64)
    for i, listed in enumerate(cells):
        if listed:
            out[i, : len(listed)] = listed
    return out, count


def _cells_under(a: Step, b: Step) -> list[Step]:
    """Cells other than the origin that share an area with the triangle (origin, a, b)."""
    triangle = [(0.0, 0.0), (float(a[0]), float(a[1])), (float(b[0]), float(b[1]))]
    return [cell for cell in _around() if _area(_clip(triangle, cell, 0.0)) > 1e-9]


def _cells_on(start: tuple[float, float], end: Step) -> list[Step]:
    """Cells other than the origin that the straight step meets, in a corner counted too."""
    line = [start, (float(end[0]), float(end[1]))]
    return [cell for cell in _around() if _clip(line, cell, 1e-9)]


def _around() -> list[Step]:
    span = range(-REACH, REACH + 1)
    return [(r, c) for r in span for c in span if (r, c) != (0, 0)]


def _clip(polygon: list[tuple[float, float]], cell: Step,
          slack: float) -> list[tuple[float, float]]:
    """Sutherland-Hodgman: the part of the polygon inside the unit square around `cell`."""
    for axis in (0, 1):
        for sign in (1, -1):
            edge = cell[axis] - sign * (0.5 + slack)
            polygon = _clip_half(polygon, axis, sign, edge)
    return polygon


def _clip_half(polygon: list[tuple[float, float]], axis: int, sign: int,
               edge: float) -> list[tuple[float, float]]:
    kept = []
    for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        inside_p, inside_q = sign * (p[axis] - edge), sign * (q[axis] - edge)
        if inside_p >= 0:
            kept.append(p)
        if inside_p * inside_q < 0:
            t = inside_p / (inside_p - inside_q)
            kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return kept


def _area(polygon: list[tuple[float, float]]) -> float:
    total = sum(p[0] * q[1] - p[1] * q[0]
                for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True))
    return abs(total) / 2.0


STENCIL = build_stencil()
