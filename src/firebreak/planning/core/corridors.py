"""Corridors that a plan may choose among: routes that were found on the map, or lines that the user
supplies, such as roads, ridges and edges of containment units. A line is cut into corridors, and a
plan may build any run of neighbouring ones.

A run closes a gap that none of its corridors closes alone, so runs of 1, 2, 4, ... of them and the
whole line are candidates, and so are pairs of routes that share an anchor.
"""

from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridor import Cells, Corridor

HA_A_PIECE, MORE_PIECES = 5.0, 5
"""A plan that can be built has at most one piece for so many hectares, and so many more."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corridors:
    """Corridors on a map.

    Attributes:
        corridors: those of a line one after the other, in order along it.
        line: the number of the line of each corridor, ascending.
        pairs: places of corridors that are tried as one too.
        only: the plan may have no other cells.
        routes: the plan is built of them one by one, and told by them.
    """

    corridors: tuple[Corridor, ...]
    line: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    only: bool = False
    routes: bool = False

    def mask(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """bool [H, W], True on the cells that all corridors treat."""
        mask = np.zeros(shape, np.bool_)
        for corridor in self.corridors:
            mask.ravel()[corridor.cells] = True
        return mask

    def mask_of(self, kind: str, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """bool [H, W], True on the cells that corridors of a kind treat."""
        own = tuple(one for one in self.corridors if one.kind == kind)
        return replace(self, corridors=own).mask(shape)

    def runs(self) -> list[Cells]:
        """Cells of every run that a plan may build, in order along it, the shortest runs first;
        what covers the same cells comes once.
        """
        own = [corridor.in_order() for corridor in self.corridors]
        of_line = [[place for place, _ in some] for _, some in groupby(
            enumerate(self.line), key=lambda pair: pair[1])]
        most = max(map(len, of_line), default=0)
        found: dict[bytes, Cells] = {}
        for count in _counts(most):
            for places in of_line:
                if count > len(places) and count // 2 >= len(places):
                    continue
                some = min(count, len(places))
                for first in range(len(places) - some + 1):
                    _add(found, [own[k] for k in places[first:first + some]])
        for one, other in self.pairs:
            _add(found, [own[one], own[other]])
        return list(found.values())


def _counts(most: int) -> list[int]:
    """1, 2, 4, ... up to the first that is not below `most`."""
    counts = [1]
    while counts[-1] < most:
        counts.append(2 * counts[-1])
    return counts


def _add(found: dict[bytes, Cells], parts: list[Cells]) -> None:
    """Adds the cells of parts in their order, each at its first place, unless they are there."""
    cells = np.concatenate(parts)
    cells = cells[np.sort(np.unique(cells, return_index=True)[1])]
    found.setdefault(np.sort(cells).tobytes(), cells)
