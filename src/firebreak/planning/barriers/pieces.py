"""The pieces of a cut: its cells in order along the barrier, short corridors, parts of it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, depth_first_order

from firebreak.landscape.candidates.corridor import Corridor, corridor_of
from firebreak.landscape.candidates.corridors.ground import houses_of
from firebreak.landscape.landscape import Landscape
from firebreak.planning.barriers.cut import CORNERS, EDGES, Cells, Cut
from firebreak.planning.core.corridors import Corridors

PIECE_CELLS = 6
"""Cells of a corridor that a cut is offered in; runs of neighbouring ones are tried as one."""
POCKET_CELLS = 9
"""Cells of a pocket off houses that a loop is drawn around, at most."""
ARCS = 16
"""Places along a cut at which a part of it begins that the budget buys."""


def corridors_of(cuts: Sequence[Cut], landscape: Landscape, *, leak: bool) -> Corridors | None:
    """Short corridors along cuts, a cut one line; None where there are none. What covers the same
    cells comes once.
    """
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


def whole_cuts(cuts: Sequence[Cut], landscape: Landscape, *, leak: bool) -> list[list[Corridor]]:
    """Connected parts of each cut, without its loops, as corridors, bare ground between their cells
    included.
    """
    kept = {cells.tobytes(): cells for cells in (
        without_loops(cut, landscape, leak=leak) for cut in cuts) if cells.size}
    return [[corridor_of(np.concatenate(in_order(part, landscape.shape, leak=leak)), landscape,
                         "cut") for part in _joined_over_bare(cells, landscape)]
            for cells in kept.values()]


def without_loops(cut: Cut, landscape: Landscape, *, leak: bool) -> Cells:
    """The cells of a cut without those that shut in nothing but a pocket where a plan fire starts:
    other fires start elsewhere.
    """
    steps = CORNERS if leak else EDGES
    pocket = ndimage.label(cut.exposed, steps)[0]
    open_ = np.bincount(pocket.ravel()) > POCKET_CELLS
    open_[pocket[houses_of(landscape)]] = True
    for edge in (pocket[0], pocket[-1], pocket[:, 0], pocket[:, -1]):
        open_[edge] = True
    open_[0] = False
    return cut.cells[ndimage.binary_dilation(open_[pocket], steps).ravel()[cut.cells]]


def _joined_over_bare(cells: Cells, landscape: Landscape) -> list[Cells]:
    """Flat cells in the groups that touch one another, or one stretch of bare ground."""
    mask = ~landscape.burnable
    mask.ravel()[cells] = True
    number = ndimage.label(mask, CORNERS)[0].ravel()[cells]
    return [cells[number == one] for one in np.unique(number)]


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
    mask = np.zeros(shape, np.bool_)
    mask.ravel()[cells] = True
    parts, count = ndimage.label(mask, EDGES if leak else CORNERS)
    own = parts.ravel()
    paths = [path for number in range(1, count + 1)
             for path in _paths(np.flatnonzero(own == number), shape[1], leak)]
    return _chained(paths, shape[1])


def _paths(cells: Cells, cols: int, leak: bool) -> list[Cells]:
    """Connected flat cells, ascending, as paths: from end to end, or round a ring."""
    row, col = np.divmod(cells, cols)
    down, right = np.abs(row[:, None] - row), np.abs(col[:, None] - col)
    touch = ((down + right) if leak else np.maximum(down, right)) == 1
    # Those that touch by edges first: a path that cuts a corner leaves its cell behind.
    graph = csr_array(touch)
    far = int(breadth_first_order(graph, 0, return_predecessors=False)[-1])
    walk = depth_first_order(graph, far, return_predecessors=False)
    jumps = np.flatnonzero(~touch[walk[:-1], walk[1:]]) + 1
    return [cells[part] for part in np.split(walk, jumps)]


def _chained(paths: list[Cells], cols: int) -> list[Cells]:
    """Paths one after the other, each the nearest to the end of the one before, turned if need be.
    """
    if not paths:
        return []
    chain, rest = [paths[0]], paths[1:]
    while rest:
        row, col = divmod(int(chain[-1][-1]), cols)
        ends: NDArray[np.int64] = np.array([[path[0], path[-1]] for path in rest])
        away = np.hypot(ends // cols - row, ends % cols - col)
        k, turned = divmod(int(away.argmin()), 2)
        path = rest.pop(k)
        chain.append(path[::-1] if turned else path)
    return chain
