"""The centre lines of corridors: corners of cells taken away, joined where corridors join."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridor import BRIDGED_CELLS, Corridor

OFF_CELLS = 0.75
"""Distance of a centre line from the middles of its cells, at most, in cells."""

Line = NDArray[np.float64]
"""Corners [n, 2] of a line, rows and columns; whole numbers are middles of cells."""


def centre_lines(corridors: Sequence[Corridor], width: int) -> list[list[Line]]:
    """Centre line of each corridor, parted where it steps over wide bare ground.

    width: columns of the map.
    """
    ends = {int(cell) for own in corridors for cell in own.path[[0, -1]]}
    return [[simplified(part, ends, width) for part in _parts(own, width)] for own in corridors]


def with_line_lengths(corridors: Sequence[Corridor], width: int,
                      cell_size_m: float) -> list[Corridor]:
    """Corridors whose length is that of their centre lines, with half a cell at both ends."""
    return [own._replace(length_m=cell_size_m * (1.0 + sum(
        float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines)))
        for own, lines in zip(corridors, centre_lines(corridors, width), strict=True)]


def _parts(own: Corridor, width: int) -> list[NDArray[np.int64]]:
    """The path of a corridor without its steps over wide bare ground."""
    steps = np.hypot(*np.diff(np.stack(np.divmod(own.path, width))))
    return np.split(own.path, np.flatnonzero(steps > BRIDGED_CELLS) + 1)


def simplified(path: NDArray[np.int64], kept: set[int], width: int) -> Line:
    """The line through cells in order with as few corners as keep it within OFF_CELLS of all their
    middles (Douglas & Peucker 1973, doi:10.3138/FM57-6770-U75U-7727).

    kept: cells that are corners where the path has them.
    """
    line = np.stack(np.divmod(path, width), axis=1).astype(np.float64)
    corners = np.isin(path, list(kept))
    corners[[0, -1]] = True
    waiting = list(zip(np.flatnonzero(corners)[:-1].tolist(), np.flatnonzero(corners)[1:].tolist(),
                       strict=True))
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        away = _distance(line[first + 1:last], line[first], line[last])
        if away.max() > OFF_CELLS:
            middle = first + 1 + int(away.argmax())
            corners[middle] = True
            waiting += [(first, middle), (middle, last)]
    return line[corners]


def _distance(points: Line, one: Line, other: Line) -> NDArray[np.float64]:
    """Distance of points [n, 2] from the straight piece between two others."""
    along = other - one
    whole = float(along @ along)
    share = np.clip((points - one) @ along / whole, 0.0, 1.0) if whole > 0.0 else np.zeros(
        len(points))
    return np.asarray(np.hypot(*(points - one - share[:, None] * along).T))
