"""Straight corridors: where ground is even no route of a map is better than another, and a straight
line is the easiest to flag. Of each length those are offered that most value burns behind per cost.
"""

import numpy as np

from firebreak.env.storage.problem import Problem
from firebreak.landscape.candidates.corridor import Anchor, Corridor, corridor_of
from firebreak.landscape.candidates.corridors.anchors import kind_at
from firebreak.landscape.candidates.corridors.find import LEAST_TREATED
from firebreak.landscape.candidates.corridors.ground import GroundMaps
from firebreak.planning.core.rounds import line_list, loaded, spaced_lines
from firebreak.planning.patterns.line_greedy import LENGTHS, OwnLines

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
