"""How much land drains through each cell. The map is entered from its edge, always at the lowest
cell that is reached, and a cell drains to where it was reached from (Ehlschlaeger 1989, the A*
search of GRASS r.watershed): a pit drains along its floor and over its lowest sill.

Valleys are cells with much land above them; ridges are the valleys of the relief turned upside
down.
"""

import heapq

import numpy as np
from numpy.typing import NDArray

_STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))


def drained_cells(elevation: NDArray[np.floating]) -> NDArray[np.int64]:
    """The number of cells [H, W] whose water passes through each cell, itself among them."""
    rows, cols = elevation.shape
    width = cols + 2
    height = np.full((rows + 2, width), -np.inf)
    height[1:-1, 1:-1] = elevation
    level: list[float] = height.ravel().tolist()
    reached = [True] * len(level)
    inner = np.zeros((rows + 2, width), np.bool_)
    inner[1:-1, 1:-1] = True
    for cell in np.flatnonzero(inner).tolist():
        reached[cell] = False
    offsets = [down * width + right for down, right in _STEPS]
    edge = inner.copy()
    edge[2:-2, 2:-2] = False
    waiting = [(level[cell], cell) for cell in np.flatnonzero(edge).tolist()]
    for _, cell in waiting:
        reached[cell] = True
    heapq.heapify(waiting)
    order: list[int] = []
    below = [-1] * len(level)
    while waiting:
        cell = heapq.heappop(waiting)[1]
        order.append(cell)
        for offset in offsets:
            near = cell + offset
            if not reached[near]:
                reached[near] = True
                below[near] = cell
                heapq.heappush(waiting, (level[near], near))
    drained = [1] * len(level)
    for cell in reversed(order):
        if below[cell] >= 0:
            drained[below[cell]] += drained[cell]
    return np.array(drained, np.int64).reshape(rows + 2, width)[1:-1, 1:-1]
