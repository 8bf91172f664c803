"""The parts of a plan as corridors: of a plan that chose among corridors each of them, or what it
adds to those before it; of any other plan its segments.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridor import Anchor, Cells, Corridor, corridor_of
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.break_segments import MAX_LENGTH_M, break_segments_of
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.plan import Plan

JOINS = "break"
"""The kind of an anchor where a corridor meets one that was built before it."""


def parts_of(plan: Plan, landscape: Landscape, longest_m: float = MAX_LENGTH_M,
             lines: Corridors | None = None) -> list[Corridor]:
    """The parts of a plan in the order in which it took the first cell of each; no cell is in two.

    Args:
        longest_m: longer parts of a plan of cells are cut, see `break_segments_of`.
        lines: that it chose among; where these were given by the user alone its parts are segments.
    """
    rank = np.full(landscape.fuel_model.size, plan.cells.size, np.int64)
    rank[plan.cells] = np.arange(plan.cells.size)
    left = plan.break_mask()
    found = []
    if lines is not None and lines.routes:
        for own in _chosen(plan, rank, lines):
            found += _new_parts(own, left, landscape)
            left.ravel()[own.cells] = False
    found += break_segments_of(left, landscape, longest_m)
    return sorted(found, key=lambda part: int(rank[part.cells].min()))


def _chosen(plan: Plan, rank: NDArray[np.int64], lines: Corridors) -> list[Corridor]:
    """The corridors that a plan's cells come from, in its order: of those that it has whole, and
    that begin at a cell, the one of which most cells follow at once.
    """
    whole = [own for own in lines.corridors
             if own.cells.size and (rank[own.cells] < plan.cells.size).all()]
    through: dict[int, list[Corridor]] = {}
    for own in whole:
        for cell in own.cells.tolist():
            through.setdefault(cell, []).append(own)
    covered = np.zeros(rank.size, np.bool_)
    found = []
    for cell in plan.cells.tolist():
        if covered[cell] or cell not in through:
            continue
        best = max(through[cell], key=lambda own: _follow(rank, covered, own.cells))
        covered[best.cells] = True
        found.append(best)
    return found


def _follow(rank: NDArray[np.int64], covered: NDArray[np.bool_], cells: Cells) -> tuple[int, int]:
    """The number of a corridor's cells that a plan took one after the other, and of those that it
    took elsewhere, negative: with them it was not built as one.
    """
    own = np.sort(rank[cells[~covered[cells]]])
    in_a_row = int(np.count_nonzero(own == own[0] + np.arange(own.size)))
    return in_a_row, in_a_row - own.size


def _new_parts(own: Corridor, left: NDArray[np.bool_], landscape: Landscape) -> list[Corridor]:
    """The stretches of a corridor whose cells are left, with the cell that each joins at an end."""
    may = np.isin(own.path, own.cells)
    new = may & left.ravel()[own.path]
    stops = np.flatnonzero(may & ~new)
    found = []
    for first, last in zip([-1, *stops.tolist()], [*stops.tolist(), own.path.size], strict=True):
        there = np.flatnonzero(new[first + 1:last]) + first + 1
        if not there.size:
            continue
        cells = np.unique(own.path[there])
        begin = first if first >= 0 else 0
        end = last if last < own.path.size else own.path.size - 1
        path = own.path[begin:end + 1]
        anchors = (_anchor(own, 0) if first < 0 else Anchor(int(path[0]), JOINS),
                   _anchor(own, -1) if last == own.path.size else Anchor(int(path[-1]), JOINS))
        part = corridor_of(path, landscape, own.kind)
        found.append(part._replace(
            cells=cells, anchors=anchors, name=own.name, ground=own.ground,
            area_ha=cells.size * landscape.cell_size_m**2 / 1e4,
            cost=float(landscape.cost.ravel()[cells].astype(np.float64).sum())))
    return found


def _anchor(own: Corridor, end: int) -> Anchor:
    return own.anchors[end] if own.anchors else Anchor(int(own.path[end]), "end of line")
