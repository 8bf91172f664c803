"""Short pieces of a plan that are worth their while: those that close a gap against a barrier.

A barrier is what cannot burn. A piece closes a gap where fire that stands beside it on one side
must leave the ring of cells around the piece to come to its other side.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

LEAST_M, LEAST_CELLS, ENOUGH_CELLS = 100.0, 2.0, 3.0
"""A piece is worth a crew's way from so many metres, but from no fewer and no more cells."""

_EDGES = ndimage.generate_binary_structure(2, 1)
_CORNERS = np.ones((3, 3), np.bool_)


def least_length_m(cell_size_m: float) -> float:
    """The length of the shortest piece that is worth a crew's way where it closes no gap."""
    return float(np.clip(LEAST_M, LEAST_CELLS * cell_size_m, ENOUGH_CELLS * cell_size_m))


def closes_gap(piece: NDArray[np.int64], burnable: NDArray[np.bool_], *, leak: bool) -> bool:
    """Whether a piece and the barriers beside it part the burnable cells around it.

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
    around = _part(burnable, top, left, own.shape)
    ring = ndimage.binary_dilation(own, _CORNERS) & ~own & around
    steps = _CORNERS if leak else _EDGES
    sides, _ = ndimage.label(ring, steps)
    beside = ndimage.binary_dilation(own, steps) & ring
    return np.unique(sides[beside]).size > 1


def _part(mask: NDArray[np.bool_], top: int, left: int,
          shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """A part of a mask, True beyond the map."""
    part = np.ones(shape, np.bool_)
    first_row, first_col = max(top, 0), max(left, 0)
    inside = mask[first_row:top + shape[0], first_col:left + shape[1]]
    row, col = first_row - top, first_col - left
    part[row:row + inside.shape[0], col:col + inside.shape[1]] = inside
    return part
