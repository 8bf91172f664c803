"""Lines that the user supplies, such as roads, ridges and edges of containment units: each is cut
into pieces, and a plan may build any run of neighbouring pieces of one line.

A run closes a gap that none of its pieces closes alone, so runs of 1, 2, 4, ... pieces and the
whole line are candidates.
"""

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GivenLines:
    """Lines on a map.

    Attributes:
        pieces: int64 [n] each, flat cells in order along the line, those of a line one after the
            other.
        line: the number of the line of each piece, ascending.
        only: the plan may have no other cells.
    """

    pieces: tuple[Cells, ...]
    line: tuple[int, ...]
    only: bool = False

    def mask(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """bool [H, W], True on the cells of all lines."""
        mask = np.zeros(shape, np.bool_)
        for piece in self.pieces:
            mask.ravel()[piece] = True
        return mask

    def runs(self) -> list[Cells]:
        """Cells of every run that a plan may build, in order along it, the shortest runs first;
        what covers the same cells comes once.
        """
        of_line = [[place for place, _ in own] for _, own in groupby(
            enumerate(self.line), key=lambda pair: pair[1])]
        most = max(map(len, of_line), default=0)
        found: dict[bytes, Cells] = {}
        for count in _counts(most):
            for places in of_line:
                if count > len(places) and count // 2 >= len(places):
                    continue
                some = min(count, len(places))
                for first in range(len(places) - some + 1):
                    cells = _once(np.concatenate([self.pieces[k] for k in
                                                  places[first:first + some]]))
                    found.setdefault(np.sort(cells).tobytes(), cells)
        return list(found.values())


def _counts(most: int) -> list[int]:
    """1, 2, 4, ... up to the first that is not below `most`."""
    counts = [1]
    while counts[-1] < most:
        counts.append(2 * counts[-1])
    return counts


def _once(cells: Cells) -> Cells:
    """Cells in their order, each at its first place."""
    return cells[np.sort(np.unique(cells, return_index=True)[1])]
