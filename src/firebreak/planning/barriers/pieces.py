"""The pieces of a cut: its cells in order along the barrier, short corridors, parts of it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, depth_first_order

from firebreak.landscape.candidates.corridor import Anchor, Corridor, corridor_of
from firebreak.landscape.candidates.corridors.anchors import BARE
from firebreak.landscape.candidates.corridors.ground import houses_of
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.planning.barriers.cut import (
    CORNERS,
    EDGES,
    Cells,
    Cut,
)
from firebreak.planning.core.corridors import Corridors

PIECE_CELLS = 6
"""Cells of a corridor that a cut is offered in; runs of neighbouring ones are tried as one."""
POCKET_CELLS = 9
"""Cells of a pocket off houses that a loop is drawn around, at most."""
ARCS = 16
"""Places along a cut at which a part of it begins that the budget buys."""


def corridors_of(cuts: Sequence[Cut], landscape: Landscape, *, leak: bool) -> Corridors | None:
    """Short corridors along cuts, a cut one line, none with the same cells twice; or None."""
    found = dict[bytes, tuple[Cells, int]]()
    for number, cut in enumerate(cuts):
        for path in in_order(cut.cells, landscape.shape, leak=leak):
            for part in np.array_split(path, -(-path.size // PIECE_CELLS)):
                found.setdefault(np.sort(part).tobytes(), (part, number))
    if not found:
        return None
    return Corridors(corridors=tuple(corridor_of(part, landscape, "cut")
                                     for part, _ in found.values()),
                     line=tuple(number for _, number in found.values()))


def whole_cuts(cuts: Sequence[Cut], landscape: Landscape, *, leak: bool,
               least_m: float = 0.0) -> list[list[Corridor]]:
    """Connected parts of each cut without its loops, with bare ground between their cells. A part
    shorter than `least_m` is a gap where it meets bare ground or the map's edge; else it is a loop.
    """
    kept = {cells.tobytes(): cells for cells in (
        without_loops(cut, landscape, leak=leak) for cut in cuts) if cells.size}
    found = []
    tied = np.pad(~landscape.burnable, 1, constant_values=True)
    tied = ndimage.binary_dilation(tied, CORNERS)[1:-1, 1:-1].ravel()
    for cells in kept.values():
        # Cells that touch one another, or one stretch of bare ground.
        mask = ~landscape.burnable | mask_of_cells(cells, landscape.shape)
        parts = [corridor_of(np.concatenate(in_order(part, landscape.shape, leak=leak)),
                             landscape, "cut") for part in by_number(
            cells, ndimage.label(mask, CORNERS)[0].ravel()[cells])]
        found.append([part if part.length_m >= least_m else part._replace(kind="gap", anchors=tuple(
            Anchor(int(end), BARE) for end in part.path[[0, -1]])) for part in parts
            if part.length_m >= least_m or tied[part.path].any()])
    return [parts for parts in found if parts]


def without_loops(cut: Cut, landscape: Landscape, *, leak: bool) -> Cells:
    """The cells of a cut without those that shut in but a pocket where a plan fire starts."""
    steps = CORNERS if leak else EDGES
    pocket = ndimage.label(cut.exposed, steps)[0]
    open_ = np.bincount(pocket.ravel()) > POCKET_CELLS
    open_[pocket[houses_of(landscape)]] = True
    for edge in (pocket[0], pocket[-1], pocket[:, 0], pocket[:, -1]):
        open_[edge] = True
    open_[0] = False
    return cut.cells[ndimage.binary_dilation(open_[pocket], steps).ravel()[cut.cells]]


def arcs(cut: Cut, landscape: Landscape, budget: float, *, leak: bool) -> list[Cells]:
    """Parts of a cut as long as the budget buys, from places spread evenly along it: flat cells.
    """
    paths = in_order(cut.cells, landscape.shape, leak=leak)
    if not paths:
        return []
    along = np.concatenate(paths)
    price = landscape.cost.ravel()[along].astype(np.float64)
    total = np.cumsum(np.concatenate([[0.0], price, price]))
    begins = np.unique(np.linspace(0, along.size, ARCS, endpoint=False).astype(np.int64))
    ends = np.searchsorted(total, total[begins] + budget * (1.0 + 1e-9), side="right") - 1
    twice = np.concatenate([along, along])
    return [twice[begin:min(end, begin + along.size)]
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True) if end > begin]


def in_order(cells: Cells, shape: tuple[int, int], *, leak: bool) -> list[Cells]:
    """Flat cells as paths of touching cells, each path next to where the one before it ends.

    leak: cells touch by edges only, as breaks must where fire passes at corners.
    """
    mask = mask_of_cells(cells, shape)
    own = np.flatnonzero(mask)
    part = ndimage.label(mask, EDGES if leak else CORNERS)[0].ravel()[own]
    paths = [path for some in by_number(own, part) for path in _paths(some, shape[1], leak)]
    return _chained(paths, shape[1])


def by_number(cells: Cells, number: NDArray[np.integer]) -> list[Cells]:
    """Cells in groups of one number, the lowest first, as they were within each."""
    order = np.argsort(number, kind="stable")
    groups = np.split(cells[order], np.flatnonzero(np.diff(number[order])) + 1)
    return groups if cells.size else []


def _paths(cells: Cells, cols: int, leak: bool) -> list[Cells]:
    """Connected flat cells, ascending, as paths: from end to end, or round a ring."""
    row, col = np.divmod(cells, cols)
    tails, heads = [], []
    for down, right in np.argwhere(EDGES if leak else CORNERS).tolist():
        there = cells + (down - 1) * cols + right - 1
        place = np.searchsorted(cells, there) % cells.size
        touch = (cells[place] == there) & (col[place] - col == right - 1) & (there != cells)
        tails.append(np.flatnonzero(touch))
        heads.append(place[touch])
    tail, head = np.concatenate(tails), np.concatenate(heads)
    order = np.lexsort((head, tail))  # neighbours of a cell ascending
    graph = csr_array((np.ones(tail.size), (tail[order], head[order])), (cells.size, cells.size))
    far = int(breadth_first_order(graph, 0, return_predecessors=False)[-1])
    walk = depth_first_order(graph, far, return_predecessors=False)
    down, right = np.abs(np.diff(row[walk])), np.abs(np.diff(col[walk]))
    jumps = np.flatnonzero((down + right if leak else np.maximum(down, right)) > 1) + 1
    return [cells[part] for part in np.split(walk, jumps)]


def _chained(paths: list[Cells], cols: int) -> list[Cells]:
    """Paths one after the other, each the nearest to the end of the one before, turned if need be.
    """
    if not paths:
        return []
    ends: NDArray[np.int64] = np.array([[path[0], path[-1]] for path in paths])
    row, col = np.divmod(ends, cols)
    row, col = row.astype(np.float64), col.astype(np.float64)
    chain, last = [paths[0]], (0, 1)
    for _ in paths[1:]:
        (down, right), row[last[0]] = (row[last], col[last]), np.inf  # taken
        k, turned = divmod(int(np.hypot(row - down, col - right).argmin()), 2)
        chain.append(paths[k][::-1] if turned else paths[k])
        last = (k, 1 - turned)
    return chain
