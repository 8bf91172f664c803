"""Lines across the seams between cores: windows do not see what their neighbours propose, so two
lines that almost meet there get a third that joins them.

It is judged as every line is: it saves nothing before the lines that it joins are taken, and is
rated again when they are, for it lies beside them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from firebreak.landscape.landscape import Landscape
from firebreak.line_actions import line_steps
from firebreak.planning.windows.cores import Core

GAP = 6
"""Cells (Chebyshev) between lines of two cores that a line across a seam joins, at most."""


def seam_lines(lines: Sequence[NDArray[np.int64]], landscape: Landscape, cores: Sequence[Core],
               *, joined: bool) -> list[NDArray[np.int64]]:
    """Lines of flat treatable cells that no other line has, each between two lines of different
    cores; nearest pairs first.

    joined: by edges, see `line_steps`.
    """
    cols = landscape.shape[1]
    core_of = np.empty(landscape.shape, np.int64)
    for core in cores:
        core_of[core.inside.slices] = core.number
    cells = np.concatenate([np.empty(0, np.int64), *lines])
    line_of = np.repeat(np.arange(len(lines)), [line.size for line in lines])
    if not cells.size:
        return []
    own = core_of.ravel()[cells]
    place = np.stack(np.divmod(cells, cols), axis=1)
    pairs = cKDTree(place).query_pairs(GAP, p=np.inf, output_type="ndarray")
    pairs = pairs[own[pairs[:, 0]] != own[pairs[:, 1]]]
    apart = np.abs(place[pairs[:, 0]] - place[pairs[:, 1]]).max(axis=1)
    taken = np.zeros(landscape.shape, np.bool_)
    taken.ravel()[cells] = True
    found: list[NDArray[np.int64]] = []
    done: set[tuple[int, int]] = set()
    for k in np.lexsort((pairs[:, 1], pairs[:, 0], apart)).tolist():
        one, other = sorted(line_of[pairs[k]].tolist())
        if (one, other) in done:
            continue
        done.add((one, other))  # they touch, or their nearest cells cannot be joined
        if apart[k] > 1:
            line = _between(place[pairs[k, 0]], place[pairs[k, 1]], landscape, taken, joined)
            if line.size:
                found.append(line)
                taken.ravel()[line] = True
    return found


def _between(first: NDArray[np.int64], last: NDArray[np.int64], landscape: Landscape,
             taken: NDArray[np.bool_], joined: bool) -> NDArray[np.int64]:
    """Cells between two on a straight line that may be treated and are in no line; none where one
    burns and may not be treated.
    """
    down, right = (last - first).tolist()
    count = 2 * max(abs(down), abs(right)) + 2 if joined else max(abs(down), abs(right)) + 1
    steps = first + line_steps((down, right), count, joined)
    end = np.flatnonzero((steps == last).all(axis=1))
    row, col = steps[1:end[0]].T
    free = ~taken[row, col]
    if (landscape.burnable & ~landscape.treatable)[row[free], col[free]].any():
        return np.empty(0, np.int64)
    new = free & landscape.treatable[row, col]
    return row[new] * landscape.shape[1] + col[new]
