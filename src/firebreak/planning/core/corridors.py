"""Corridors that a plan may choose among: routes that were found on the map, or lines that the user
supplies, cut into corridors. A run of neighbouring ones closes a gap that none closes alone: runs
of 1, 2, 4, ... and whole lines are candidates, and so are pairs of routes that share an anchor.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.candidates.corridor import (
    Anchor,
    Cells,
    Corridor,
    corridor_of,
    with_part_numbers,
)
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.planning.core.break_segments import MAX_LENGTH_M, break_segments_of
from firebreak.planning.core.plan import Plan

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

    def mask(self, shape: tuple[int, int], kind: str | None = None) -> NDArray[np.bool_]:
        """bool [H, W], True on the cells that corridors, all or those of a kind, treat."""
        return mask_of([one for one in self.corridors if kind in (None, one.kind)], shape)

    def kept(self, keep: Sequence[bool]) -> "Corridors":
        """Some of the corridors, those of which `keep` is True."""
        new = {k: number for number, k in enumerate(np.flatnonzero(keep).tolist())}
        return replace(self, corridors=tuple(self.corridors[k] for k in new),
                       line=tuple(self.line[k] for k in new), pairs=tuple(
                           (new[a], new[b]) for a, b in self.pairs if a in new and b in new))

    def along(self, places: Sequence[int], cols: int) -> Cells:
        """The treated cells along corridors that are tried as one, each once, but for those beside
        the path of a wide one: from end to end, each corridor turned to go on from the one before.
        """
        first, *rest = (self.corridors[k] for k in places)
        path = first.path
        for count, own in enumerate(rest):
            # The first of equals is as they stand.
            path = np.concatenate(min(
                ((one, other) for one in ((path,) if count else (path, path[::-1]))
                 for other in (own.path, own.path[::-1])),
                key=lambda pair: _apart(pair[0][-1], pair[1][0], cols)))
        return first._replace(path=path, cells=np.concatenate(
            [self.corridors[k].cells for k in places])).along()

    def runs(self) -> list[Cells]:
        """Cells of every run, in order along it, the shortest first; none covers the same twice."""
        return [cells for _, cells in self.tried().values()]

    def tried(self) -> dict[bytes, tuple[tuple[int, ...], Cells]]:
        """Every run by its cells in ascending order: places of its corridors, and see `runs`."""
        own = [corridor.in_order() for corridor in self.corridors]
        of_line = [[place for place, _ in some] for _, some in groupby(
            enumerate(self.line), key=lambda pair: pair[1])]
        found: dict[bytes, tuple[tuple[int, ...], Cells]] = {}

        def add(places: Sequence[int]) -> None:
            cells = np.concatenate([own[k] for k in places])
            cells = cells[np.sort(np.unique(cells, return_index=True)[1])]
            found.setdefault(np.sort(cells).tobytes(), (tuple(places), cells))

        most = max(map(len, of_line), default=1)
        for count in [2**k for k in range((most - 1).bit_length() + 1)]:
            for places in of_line:
                if count > len(places) and count // 2 >= len(places):
                    continue
                some = min(count, len(places))
                for first in range(len(places) - some + 1):
                    add(places[first:first + some])
        for pair in self.pairs:
            add(pair)
        return found


def _apart(one: int, other: int, cols: int) -> int:
    return (one // cols - other // cols)**2 + (one % cols - other % cols)**2


NO_CORRIDORS = Corridors(corridors=(), line=())
"""None to choose among."""


def mask_of(parts: Sequence[Corridor], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """bool [H, W], True on the cells that parts treat."""
    return mask_of_cells(np.concatenate([np.empty(0, np.int64), *(
        part.cells for part in parts)]), shape)


JOINS, ENDS = "break", "open ground"
"""Kinds of an anchor: at a corridor built before, and where the rest is not built."""
GIVEN, REQUIRED, REQUIRED_NAME = "given", "required", "required break"
"""Kinds of the user's lines and of what a plan must include, and the name of the latter."""
_NO_CELLS = np.empty(0, np.int64)


def parts_of(plan: Plan, landscape: Landscape, longest_m: float = MAX_LENGTH_M,
             lines: Corridors | None = None, included: Cells = _NO_CELLS) -> list[Corridor]:
    """The parts of a plan in the order in which it took the first cell of each; no cell is in two,
    and no name: a corridor of which several stretches are built has numbered parts.

    Args:
        longest_m: longer parts of a plan of cells are cut, see `break_segments_of`.
        lines: that it chose among: its parts are routes, or named lines of which it has half.
        included: flat cells that it had to have: a part of routes of the user's alone.
    """
    rank = np.full(landscape.fuel_model.size, plan.cells.size, np.int64)
    rank[plan.cells] = np.arange(plan.cells.size)
    built, found = plan.break_mask(), []
    left = built.copy()

    def take(some: Corridors, free: NDArray[np.bool_]) -> None:
        for own in _chosen(plan, rank, some, free):
            parts = stretches_of(own, left, built, landscape)
            found.extend(parts)
            for part in parts:  # cells of a wide one beside a stop are segments
                left.ravel()[part.cells] = False

    if lines is not None and lines.routes and included.size:
        required = mask_of_cells(included, landscape.shape)
        take(replace(lines.kept([own.kind == GIVEN for own in lines.corridors]), routes=False),
             required)
        found += [part._replace(kind=REQUIRED, name=REQUIRED_NAME)
                  for part in break_segments_of(left & required, landscape, longest_m)]
        left &= ~required
    if lines is not None:
        take(lines, left.copy())
    found += break_segments_of(left, landscape, longest_m)
    return with_part_numbers(sorted(found, key=lambda part: int(rank[part.cells].min())))


def with_crossings(parts: Sequence[Corridor], landscape: Landscape) -> list[Corridor]:
    """Parts of a plan, of which others were left out, with the cells where they joined those: the
    first that did has the cell.
    """
    built = mask_of(parts, landscape.shape).ravel()
    found = []
    for part in parts:
        ends = [own.cell for own in part.anchors if own.kind == JOINS and not built[own.cell]]
        built[ends] = True
        found.append(corridor_of(part.path, landscape, part.kind, part.anchors, np.union1d(
            part.cells, ends))._replace(name=part.name, ground=part.ground) if ends else part)
    return found


def _chosen(plan: Plan, rank: NDArray[np.int64], lines: Corridors,
            free: NDArray[np.bool_]) -> list[Corridor]:
    """The corridors that a plan's cells, those that are free, come from, in its order: of those
    that have a cell the one of which most cells follow at once, and fewest were taken elsewhere or
    not at all.
    """
    through: dict[int, list[Corridor]] = {}
    for own in lines.corridors:
        built = own.cells[rank[own.cells] < plan.cells.size]
        if lines.routes or (own.name and 2 * built.size >= own.cells.size):
            for cell in built.tolist():
                through.setdefault(cell, []).append(own)
    covered, found = np.zeros(rank.size, np.bool_), []
    covered[plan.cells] = ~free.ravel()[plan.cells]
    for cell in plan.cells.tolist():
        if covered[cell] or cell not in through:
            continue
        best = max(through[cell], key=partial(_follow, rank, covered, cell))
        covered[best.cells] = True
        found.append(best)
    return found


def _follow(rank: NDArray[np.int64], covered: NDArray[np.bool_], cell: int,
            corridor: Corridor) -> tuple[int, int]:
    """Cells of a corridor that a plan took one after the other, and others left, negative."""
    first = int(rank[cell])
    own = np.sort(rank[corridor.cells[~covered[corridor.cells]]])
    own = own[own >= first]
    in_a_row = int(np.count_nonzero(own == first + np.arange(own.size)))
    return in_a_row, in_a_row - own.size


def stretches_of(own: Corridor, left: NDArray[np.bool_], breaks: NDArray[np.bool_],
                 landscape: Landscape) -> list[Corridor]:
    """The stretches of a corridor whose cells are left [H, W], which end where fuel may not be
    treated, as fire passes there, each with the cell of breaks [H, W] that it joins at an end;
    without cells beside its path whose nearest on it is not left.
    """
    beside = np.setdiff1d(own.cells[left.ravel()[own.cells]], own.path)
    rows, cols = np.divmod(own.path, landscape.shape[1])
    row, col = (part[:, None] for part in np.divmod(beside, landscape.shape[1]))
    nearest = np.hypot(row - rows, col - cols).argmin(axis=1)
    may, built = np.isin(own.path, own.cells), breaks.ravel()[own.path]
    new = may & left.ravel()[own.path]
    burns = (landscape.burnable & ~landscape.treatable).ravel()[own.path] & ~built
    stops = np.flatnonzero((may & ~new) | burns)
    found = []
    for first, last in zip([-1, *stops.tolist()], [*stops.tolist(), own.path.size], strict=True):
        there = np.flatnonzero(new[first + 1:last]) + first + 1
        if not there.size:
            continue
        cells = np.union1d(own.path[there], beside[(nearest > first) & (nearest < last)])
        joins = (first >= 0 and built[first], last < own.path.size and built[last])
        begin = first if joins[0] else 0 if first < 0 else int(there[0])
        end = last if joins[1] or last == own.path.size else int(there[-1])
        path = own.path[begin:end + 1]
        anchors = tuple(_anchor(own, end) if edge else Anchor(int(path[end]), kind)
                        for end, edge, kind in (
                            (0, first < 0, JOINS if joins[0] else ENDS),
                            (-1, last == own.path.size, JOINS if joins[1] else ENDS)))
        found.append(corridor_of(path, landscape, own.kind, anchors, cells)._replace(
            name=own.name, ground=own.ground))
    return found


def _anchor(own: Corridor, end: int) -> Anchor:
    kind = "end of the cut" if own.kind == "cut" else "end of the line"
    return own.anchors[end] if own.anchors else Anchor(int(own.path[end]), kind)
