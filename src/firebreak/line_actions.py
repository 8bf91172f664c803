"""Line actions: straight lines of cells that one action breaks, their shapes and their symmetries.

An action is a shape and the cell in the middle of it: number `shape * H * W + middle`, flat. Shape
0 is the single cell, so that the first H * W actions are the cells themselves.
"""

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

COMPASS = ((0, 1), (1, 2), (1, 1), (2, 1), (1, 0), (2, -1), (1, -1), (1, -2))
"""(rows, columns) of the eight directions of a line, 22.5 to 26.6 degrees apart."""

LINE_LENGTHS = (2, 3, 4, 6, 8, 12, 16, 24)
"""Cells of a line action, besides the single cell."""

SHAPES = 1 + len(COMPASS) * len(LINE_LENGTHS)
"""Number of shapes: the single cell, then the lengths of each direction."""


def line_steps(direction: tuple[float, float], count: int, joined: bool) -> NDArray[np.int64]:
    """Cells i64 [count, 2] of the straight line from (0, 0) towards `direction` (rows, columns).

    joined: by edges, for breaks that leak where they touch at a corner; else by corners too.
    """
    rows, cols = direction
    longer = max(abs(rows), abs(cols))
    along = np.arange(count)
    thin = np.stack([np.floor(rows / longer * along + 0.5), np.floor(cols / longer * along + 0.5)],
                    axis=1).astype(np.int64)
    if not joined:
        return thin
    cells = [thin[0]]
    for before, after in pairwise(thin):
        if (before != after).all():
            cells.append(np.array([before[0], after[1]]))
        cells.append(after)
    return np.stack(cells)[:count]


def shape_number(direction: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Shapes of directions (indices into COMPASS) and lengths; -1 where no action is as long."""
    place = np.full(LINE_LENGTHS[-1] + 1, -1)
    place[list(LINE_LENGTHS)] = np.arange(len(LINE_LENGTHS))
    known = (length <= LINE_LENGTHS[-1]) & (place[np.minimum(length, place.size - 1)] >= 0)
    number = 1 + direction * len(LINE_LENGTHS) + place[np.minimum(length, place.size - 1)]
    return np.where(length == 1, 0, np.where(known, number, -1))


@cache
def shape_cells(number: int, joined: bool = False) -> NDArray[np.int64]:
    """Cells i64 [n, 2] of a shape, (rows, columns) from the one in its middle, in order."""
    if number == 0:
        return np.zeros((1, 2), np.int64)
    direction, place = divmod(number - 1, len(LINE_LENGTHS))
    steps = line_steps(COMPASS[direction], LINE_LENGTHS[place], joined)
    return steps - steps[len(steps) // 2]


def action_cells(action: int, shape: tuple[int, int], joined: bool) -> NDArray[np.int64]:
    """Flat cells of an action on a map [H, W], in order.

    The action must be one that fits the map, as every allowed one does.
    """
    number, middle = divmod(action, shape[0] * shape[1])
    steps = shape_cells(number, joined)
    return middle + steps[:, 0] * shape[1] + steps[:, 1]


@cache
def turned_shapes() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Shapes that shapes become under the eight symmetries of `agent.symmetry`.

    Returns i64 [8, SHAPES], the shape that a turned one is, and i64 [8, SHAPES, 2], by how many
    (rows, columns) its middle then lies off the turned middle. Steps between the axes and the
    diagonals round to one side, so a turned line may differ from every shape in a few cells: the
    one that shares most with it is taken.
    """
    cells = [shape_cells(number) for number in range(SHAPES)]
    to = np.tile(np.arange(SHAPES), (8, 1))
    off = np.zeros((8, SHAPES, 2), np.int64)
    around = sorted(((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)), key=lambda s: (
        abs(s[0]) + abs(s[1]), s))
    for k in range(1, 8):
        for number, own in enumerate(cells):
            turned = {tuple(step) for step in turn_steps(own, k).tolist()}
            best = -1
            for other in range(SHAPES):
                if len(cells[other]) != len(own):
                    continue
                for shift in around:
                    shared = len(turned & {tuple(s) for s in (cells[other] + shift).tolist()})
                    if shared > best:
                        best, to[k, number], off[k, number] = shared, other, shift
    return to, off


def turn_steps(steps: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """(rows, columns) turned anticlockwise k % 4 quarters, then mirrored east-west if k >= 4."""
    rows, cols = steps[..., 0], steps[..., 1]
    for _ in range(k % 4):
        rows, cols = -cols, rows
    return np.stack([rows, -cols if k >= 4 else cols], axis=-1)
