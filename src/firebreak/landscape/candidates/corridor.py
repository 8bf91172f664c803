"""A corridor: a route over the map and the cells to treat on it. One type for lines that are found,
given or drawn as a cut, and for the built parts of any plan. And their centre lines: corners of
cells taken away, joined where corridors join.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape

BRIDGED_CELLS = 3.0
"""Longest step of a path that is part of it."""

Cells = NDArray[np.int64]
"""Flat cells, row * W + col."""


class Anchor(NamedTuple):
    """An end of a corridor: its flat cell, and what it is tied to there, such as "bare ground"."""

    cell: int
    kind: str


class Ground(NamedTuple):
    """The ground of a corridor: shares of its treated cells, 0 to 1, that lie on or beside a ridge,
    a road, an edge of fuels; and the slope that nine of ten of them keep below.
    """

    ridge: float
    road: float
    edge: float
    slope: float


class Corridor(NamedTuple):
    """A line that can be built as one.

    Attributes:
        cells: int64 [n], flat, ascending: what is treated.
        path: int64 [m], flat, from end to end, bare ground on the way included; of a part of a plan
            of cells the longest of its shortest paths.
        length_m: of the path, with half a cell at both ends.
        area_ha: of its cells.
        cost: of its cells, in the landscape's unit.
        kind: "route", "gap" between two barriers, "cut", "given", "required" by the user, "segment"
            of a plan of cells, or the kind of terrain that a line runs along.
        anchors: its two ends; none of a segment.
        name: as people call it; empty where nobody named it.
        ground: where it was looked at.
    """

    cells: Cells
    path: Cells
    length_m: float
    area_ha: float
    cost: float
    kind: str = "segment"
    anchors: tuple[Anchor, ...] = ()
    name: str = ""
    ground: Ground | None = None

    def facts(self) -> dict[str, str | float | None]:
        """Its ends and its ground, by column of a table; percentages are of its treated cells, None
        where nobody looked at the ground.
        """
        one, other = [anchor.kind for anchor in self.anchors] or ["", ""]
        shares = dict.fromkeys(Ground._fields) if self.ground is None else self.ground._asdict()
        return {"from": one, "to": other, **{
            f"{name}_percent": None if share is None else round(100.0 * share, 1)
            for name, share in shares.items()}}

    def along(self) -> Cells:
        """The treated cells of the path in its order, each once."""
        own = self.path[np.isin(self.path, self.cells)]
        return own[np.sort(np.unique(own, return_index=True)[1])]

    def in_order(self) -> Cells:
        """The treated cells in the order of the path, each once, then those beside it."""
        own = self.along()
        return np.concatenate([own, np.setdiff1d(self.cells, own)])


def corridor_of(path: Cells, landscape: Landscape, kind: str,
                anchors: tuple[Anchor, ...] = (), treated: Cells | None = None) -> Corridor:
    """The corridor along flat cells in order, which treats those of them that may be treated, or of
    `treated`, the cells of a wide one.
    """
    own = path if treated is None else treated
    cells = np.unique(own[landscape.treatable.ravel()[own]])
    return Corridor(cells, path, length_of(path, landscape),
                    cells.size * landscape.cell_size_m**2 / 1e4,
                    float(landscape.cost.ravel()[cells].astype(np.float64).sum()), kind, anchors)


def with_part_numbers(lines: Sequence[Corridor]) -> list[Corridor]:
    """Lines of which those that share a name, the parts of one, are numbered: "ridge part 2", but
    with no number that makes it the name of another.
    """
    count, number = Counter(own.name for own in lines), Counter[str]()
    taken = {name for name, many in count.items() if many == 1}
    found = []
    for own in lines:
        name = own.name
        while own.name and count[own.name] > 1 and (name == own.name or name in taken):
            number[own.name] += 1
            name = f"{own.name} part {number[own.name]}"
        taken.add(name)
        found.append(own._replace(name=name))
    return found


def length_of(cells: Cells, landscape: Landscape) -> float:
    """Length from the centre of the first cell to that of the last along cells in order, and a
    cell, m; without the steps over wide bare ground, which parts a cut.
    """
    steps = np.hypot(*np.diff(np.stack(np.divmod(cells, landscape.shape[1]))))
    return float((steps[steps <= BRIDGED_CELLS].sum() + 1.0) * landscape.cell_size_m)


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
