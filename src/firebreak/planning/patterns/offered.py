"""The corridors that a plan chooses among: of those of a map the ones with most value burned behind
them per cost, of each kind so many, and pairs of routes that share an anchor; and straight ones,
for where ground is even no route is better, and a straight line is the easiest to flag.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem import Problem
from firebreak.landscape.candidates.corridor import Anchor, Cells, Corridor, corridor_of
from firebreak.landscape.candidates.corridors.anchors import kind_at
from firebreak.landscape.candidates.corridors.find import LEAST_TREATED, with_names
from firebreak.landscape.candidates.corridors.ground import GroundMaps
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.build_rules import run_together
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.rounds import line_list, loaded, spaced_lines
from firebreak.planning.patterns.line_greedy import LENGTHS, OwnLines

MOST, CELLS_EACH = 300, 500
"""Routes that are offered on a map that is not large; and one for each so many treatable cells."""
RINGS = 3
"""For so many routes one ring or part of a ring."""
MOST_SHARED = 0.8
"""Share of the cells of the shorter of two corridors that both may treat."""
PAIRED, MOST_PAIRS = 60, 60
"""The best corridors that pairs are made of, and how many pairs are offered."""
LEAST_LONGER = 1.5
"""Cells of a pair beside those of the longer of the two, at least."""


def offered(found: Sequence[Corridor], worth: NDArray[np.float64], land: Landscape,
            given: Corridors | None = None,
            cuts: Sequence[Sequence[Corridor]] = (), *,
            rings: Sequence[Corridor] = (), straight: Sequence[Corridor] = (),
            named: Mapping[str, Cells] = MappingProxyType({})) -> Corridors:
    """Corridors to choose among, with names.

    Args:
        found: on the map.
        worth: [H, W], value that burns behind each cell.
        given: lines that the user supplies: all of them are offered too.
        cuts: the corridors of each closed barrier, which are tried together too.
        rings: around clusters of value, and parts of them.
        straight: straight corridors, all of which are offered.
        named: the flat cells of roads and lines by their names.
    """
    most = max(MOST, int(land.treatable.sum()) // CELLS_EACH)
    kept = leading(found, worth, most)
    supplied, line = ((), ()) if given is None else (given.corridors, given.line)
    groups = [*([one] for one in (*kept, *leading(rings, worth, most // RINGS), *straight)), *cuts]
    first = max(line, default=-1) + 1
    return Corridors(
        corridors=tuple(with_names([*supplied, *(one for own in groups for one in own)],
                                   land, named)),
        line=(*line, *(first + k for k, own in enumerate(groups) for _ in own)),
        pairs=tuple((len(supplied) + one, len(supplied) + other)
                    for one, other in pairs_of(kept, worth)
                    if not run_together(kept[one], kept[other], land)), only=True, routes=True)


def rate_of(corridor: Corridor, worth: NDArray[np.float64]) -> float:
    """Value burned behind the cells of a corridor, per cost."""
    return float(worth.ravel()[corridor.cells].sum()) / max(corridor.cost, 1e-300)


def leading(found: Sequence[Corridor], worth: NDArray[np.float64], most: int) -> list[Corridor]:
    """Up to `most` corridors of the largest rates, best first, none of which shares MOST_SHARED of
    its cells with one before it; of equals the first.
    """
    rates = np.array([rate_of(own, worth) for own in found])
    kept: list[Corridor] = []
    through: dict[int, list[int]] = defaultdict(list)  # by cell the places of those kept
    for k in np.argsort(-rates, kind="stable").tolist():
        cells = found[k].cells
        shared: dict[int, int] = defaultdict(int)
        for cell in cells.tolist():
            for place in through[cell]:
                shared[place] += 1
        if any(count > MOST_SHARED * min(cells.size, kept[place].cells.size)
               for place, count in shared.items()):
            continue
        for cell in cells.tolist():
            through[cell].append(len(kept))
        kept.append(found[k])
        if len(kept) == most:
            break
    return kept


def pairs_of(kept: Sequence[Corridor], worth: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Places of two corridors that share an anchor, by value behind both per cost, best first."""
    found = []
    for one, other in combinations(range(min(len(kept), PAIRED)), 2):
        ends = [{anchor.cell for anchor in kept[k].anchors} for k in (one, other)]
        if not ends[0] & ends[1]:
            continue
        cells = np.union1d(kept[one].cells, kept[other].cells)
        if cells.size > LEAST_LONGER * max(kept[one].cells.size, kept[other].cells.size):
            value = float(worth.ravel()[cells].sum())
            found.append((-value / (kept[one].cost + kept[other].cost), one, other))
    return [(one, other) for _, one, other in sorted(found)[:MOST_PAIRS]]


EACH = 16
"""Straight corridors of one length, at most."""
LONGEST_M = 2600.0
RATED = 4000
"""Lines of one length that are looked at, of the largest rates."""


def straight_corridors(problem: Problem, ground: GroundMaps, least_m: float) -> list[Corridor]:
    """Straight corridors of `least_m` at least, those of one length apart from one another."""
    land = problem.scene.landscape
    cells = [n for n in LENGTHS if least_m <= n * land.cell_size_m <= max(LONGEST_M, least_m)]
    if not cells:
        return []
    own = OwnLines(problem, cells)
    lines = own.rated(loaded(problem))
    rate, found = lines.gain / lines.price, []
    for length in own.lengths:
        those = np.flatnonzero((lines.length == length) & (rate > 0.0))
        first = those[np.argsort(-rate[those], kind="stable")[:RATED]]
        chosen = spaced_lines([line_list([own.cells_of(lines, k) for k in first.tolist()])],
                              EACH * length, land.shape)
        for path in chosen:
            if land.treatable.ravel()[path].mean() >= LEAST_TREATED:
                ends = tuple(Anchor(int(end), kind_at(int(end), land, ground))
                             for end in path[[0, -1]])
                found.append(corridor_of(path, land, "route", ends))
    return found
