"""The pieces of a plan: cells that touch by edges or corners, as fire cannot pass between them,
long ones cut into segments that a crew is sent to; and which short ones close a gap against what
cannot burn: fire beside the piece must leave the ring of cells around it to pass it.

The length is that of the longest of the shortest paths between two cells, centre to centre, and one
cell more for the two half cells at the ends.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.landscape.raster.windows import Window, inside_map, padded_to
from firebreak.planning.core.plan import cost_of

MAX_LENGTH_M, MIN_CELLS_IN_ROW = 500.0, 8
"""Longer segments are cut, but not below this many cells in a row."""
MIN_CELLS = 3
"""A piece of fewer cells that cutting leaves goes to the segment it touches."""

EDGES = ndimage.generate_binary_structure(2, 1)
CORNERS = np.ones((3, 3), np.bool_)
"""The neighbours of a cell that touch it by edges; by edges or corners."""
_STEPS = ((0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0**0.5), (1, -1, 2.0**0.5))


def break_segments_of(mask: NDArray[np.bool_], landscape: Landscape,
                      max_length_m: float = MAX_LENGTH_M) -> list[Corridor]:
    """The segments of a break mask [H, W], by their first cell."""
    size = landscape.cell_size_m
    longest = max(max_length_m / size, float(MIN_CELLS_IN_ROW))
    named = np.zeros(mask.shape, np.int64)
    count = 0
    for piece in pieces(mask):
        parts = _cut(piece, mask.shape, longest)
        named.ravel()[piece] = count + parts
        count += int(parts.max()) + 1
    cells = np.flatnonzero(mask)
    order = cells[np.argsort(named.ravel()[cells], kind="stable")]
    ends = np.searchsorted(named.ravel()[order], np.arange(count + 1))
    found = []
    for k in range(count):
        own = order[ends[k]:ends[k + 1]]
        path, steps = _longest_path(own, landscape.shape)
        found.append(Corridor(own, path, (steps + 1.0) * size, own.size * size**2 / 1e4,
                              cost_of(own, landscape)))
    return sorted(found, key=lambda segment: int(segment.cells[0]))


def pieces(mask: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Flat cells of each connected piece of a mask, ascending; corners connect."""
    labels, count = ndimage.label(mask, CORNERS)
    cells = np.flatnonzero(mask)
    own = labels.ravel()[cells]
    order = cells[np.argsort(own, kind="stable")]
    return np.split(order, np.cumsum(np.bincount(own, minlength=count + 1)[1:-1])) if count else []


def length_m(cells: NDArray[np.int64], shape: tuple[int, int], cell_size_m: float) -> float:
    """Length of connected cells; see the module."""
    return (_longest_path(cells, shape)[1] + 1.0) * cell_size_m


def _cut(piece: NDArray[np.int64], shape: tuple[int, int], longest: float) -> NDArray[np.int64]:
    """The part [n], from 0, of each cell of a connected piece: equal lengths up to `longest`."""
    from_end = _from_far_end(piece, shape)[0]
    count = int(np.ceil((from_end.max() + 1.0) / longest))
    if count <= 1:
        return np.zeros(piece.size, np.int64)
    part = np.minimum((from_end * count / (from_end.max() + 1e-9)).astype(np.int64), count - 1)
    parts = np.empty(piece.size, np.int64)
    done = 0
    for k in range(count):
        for cells in pieces(mask_of_cells(piece[part == k], shape)):
            parts[np.searchsorted(piece, cells)] = done
            done += 1
    return _without_small_parts(piece, parts, shape)


def _without_small_parts(piece: NDArray[np.int64], parts: NDArray[np.int64],
                         shape: tuple[int, int]) -> NDArray[np.int64]:
    """Parts with those of fewer than MIN_CELLS cells joined to the part they touch most."""
    graph = _graph(piece, shape)
    one, other = graph.nonzero()
    for small in np.argsort(np.bincount(parts), kind="stable").tolist():
        if np.count_nonzero(parts == small) >= MIN_CELLS:
            continue
        touched = parts[other[(parts[one] == small) & (parts[other] != small)]]
        if touched.size:
            parts[parts == small] = int(np.bincount(touched).argmax())
    return np.unique(parts, return_inverse=True)[1].reshape(-1)


def _graph(cells: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    """Lengths of the steps between touching cells, symmetric, in cells; cells ascending."""
    row, col = np.divmod(cells, shape[1])
    pairs = []
    for down, right, step in _STEPS:
        inside = (row + down < shape[0]) & (col + right >= 0) & (col + right < shape[1])
        target = (cells + down * shape[1] + right)[inside]
        place = np.minimum(np.searchsorted(cells, target), cells.size - 1)
        there = cells[place] == target
        pairs.append((np.flatnonzero(inside)[there], place[there], np.full(there.sum(), step)))
    one, other, step_ = (np.concatenate(part) for part in zip(*pairs, strict=True))
    size = cells.size
    return csr_array((np.concatenate([step_, step_]),
                      (np.concatenate([one, other]), np.concatenate([other, one]))),
                     shape=(size, size))


def _from_far_end(cells: NDArray[np.int64], shape: tuple[int, int],
                  ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Distances, in cells, of connected `cells` from that furthest from the first; predecessors."""
    graph = _graph(cells, shape)
    end = int(np.argmax(dijkstra(graph, indices=0)))
    distance, before = dijkstra(graph, indices=end, return_predecessors=True)
    return distance, before


def _longest_path(cells: NDArray[np.int64],
                  shape: tuple[int, int]) -> tuple[NDArray[np.int64], float]:
    """Cells of a longest shortest path between two of connected `cells`, and its length in cells.

    Found from the cell furthest from the first: exact without rings, nearly so with them.
    """
    distance, before = _from_far_end(cells, shape)
    at = int(np.argmax(distance))
    path = [at]
    while before[path[-1]] >= 0:
        path.append(int(before[path[-1]]))
    return cells[np.array(path)], float(distance[at])


LEAST_M, LEAST_CELLS, ENOUGH_CELLS = 100.0, 2.0, 3.0
"""A piece is worth a crew's way from so many metres, but from no fewer and no more cells."""


def least_length_m(cell_size_m: float) -> float:
    """The length of the shortest piece that is worth a crew's way where it closes no gap."""
    return float(np.clip(LEAST_M, LEAST_CELLS * cell_size_m, ENOUGH_CELLS * cell_size_m))


def closes_gap(piece: NDArray[np.int64], burnable: NDArray[np.bool_], *, leak: bool) -> bool:
    """True where a piece and the barriers beside it part the burnable cells around it.

    The map's edge is no barrier: what lies beyond it may burn.

    Args:
        piece: int64 [n], flat cells that touch by edges or corners.
        burnable: bool [H, W], before any break.
        leak: fire passes between breaks, and between a break and a barrier, that touch at a corner
            only.
    """
    rows, cols = np.divmod(piece, burnable.shape[1])
    top, left = int(rows.min()) - 1, int(cols.min()) - 1
    own = np.zeros((int(rows.max()) - top + 2, int(cols.max()) - left + 2), np.bool_)
    own[rows - top, cols - left] = True
    window = Window(top, left, *own.shape)
    real = inside_map(window, (burnable.shape[0], burnable.shape[1]))
    around = padded_to(burnable[real.slices], real, window, True)
    ring = ndimage.binary_dilation(own, CORNERS) & ~own & around
    steps = CORNERS if leak else EDGES
    sides, _ = ndimage.label(ring, steps)
    beside = ndimage.binary_dilation(own, steps) & ring
    return np.unique(sides[beside]).size > 1
