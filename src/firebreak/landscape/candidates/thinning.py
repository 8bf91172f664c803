"""Masks as lines: thinned to rows of single cells, and followed from junction to junction."""

import numpy as np
from numpy.typing import NDArray

_AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # clockwise
_EDGES, _CORNERS = _AROUND[::2], _AROUND[1::2]

Path = NDArray[np.int64]
"""Flat cells of a line in order; the first is the last of a ring too."""


def thinned(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The skeleton of a mask [H, W] (Zhang & Suen 1984, doi:10.1145/357994.358023)."""
    out = np.pad(mask, 1)
    changed = True
    while changed:
        changed = False
        for first in (True, False):
            near = [np.roll(out, (-down, -right), (0, 1)) for down, right in _AROUND]
            count = np.sum(near, axis=0)
            turns = sum((~one & other) for one, other in zip(near, [*near[1:], near[0]],
                                                            strict=True))
            north, east, south, west = near[::2]
            a, b = ((north & east & south, east & south & west) if first
                    else (north & east & west, north & south & west))
            gone = out & (count >= 2) & (count <= 6) & (turns == 1) & ~a & ~b
            if gone.any():
                out &= ~gone
                changed = True
    return out[1:-1, 1:-1]


def paths_of(mask: NDArray[np.bool_], least: int) -> list[Path]:
    """The lines of a thin mask, from end or junction to end or junction: none of fewer than `least`
    cells. Spurs that are shorter are taken away first, so that what they part is one line.
    """
    neighbours = _neighbours(mask)
    touched = {cell: len(own) for cell, own in neighbours.items()}
    for path in _followed(neighbours):
        ends = {path[0], path[-1]}
        if len(path) < least and any(touched[cell] == 1 for cell in ends):
            for cell in path:
                if cell not in ends or touched[cell] == 1:
                    for other in neighbours.pop(cell):
                        neighbours.get(other, set()).discard(cell)
    return [np.array(path, np.int64) for path in _followed(neighbours) if len(path) >= least]


def _neighbours(mask: NDArray[np.bool_]) -> dict[int, set[int]]:
    """The cells that each cell of a mask touches, by corners only where not by edges around them.
    """
    width = mask.shape[1] + 2
    padded = np.pad(mask, 1)
    found: dict[int, set[int]] = {}
    for row, col in np.argwhere(mask).tolist():
        own = set()
        for down, right in _EDGES:
            if padded[row + 1 + down, col + 1 + right]:
                own.add((row + down) * (width - 2) + col + right)
        for down, right in _CORNERS:
            if (padded[row + 1 + down, col + 1 + right] and not padded[row + 1 + down, col + 1]
                    and not padded[row + 1, col + 1 + right]):
                own.add((row + down) * (width - 2) + col + right)
        found[row * (width - 2) + col] = own
    return found


def _followed(neighbours: dict[int, set[int]]) -> list[list[int]]:
    """Every line between cells that have not two neighbours, then the rings that are left."""
    done: set[tuple[int, int]] = set()
    found = []

    def follow(start: int, then: int) -> list[int]:
        path = [start, then]
        done.update(((start, then), (then, start)))
        while len(neighbours[path[-1]]) == 2 and path[-1] != start:
            (onward,) = neighbours[path[-1]] - {path[-2]}
            done.update(((path[-1], onward), (onward, path[-1])))
            path.append(onward)
        return path

    ends = [cell for cell, own in neighbours.items() if len(own) != 2]
    for start in [*ends, *neighbours]:
        for then in sorted(neighbours[start]):
            if (start, then) not in done:
                found.append(follow(start, then))
    return found
