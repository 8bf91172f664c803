"""Plans that are rows of breaks across a whole map, of any size: straight strips of several lengths
and gaps, and rows bent to where they cost least, across the winds in which most burns.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import FireBehavior, Scene
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rounds import afford
from firebreak.planning.patterns.cheap_rows import cheap_rows, most_rows
from firebreak.planning.patterns.strips import (
    COVERS,
    STRIP_CELLS,
    Pattern,
    distance_to_strips,
)

ROOM = (0.3, 0.6, 0.9)
"""Shares of the distance between rows within which they bend."""
ROOM_OF_MORE, SECOND = 0.6, 0.35
"""That share for rows across two winds, and what those across the second cost of the budget."""
WINDS, APART_DEG = 3, 15.0
"""Winds that rows are laid across, at most, and by how much they differ, at least."""

Towards = tuple[float, float]
"""(rows, columns) that fire runs to, of length 1."""


class Across(NamedTuple):
    """Rows across a wind, and the share of the budget that they cost."""

    towards: Towards
    share: float


class RowPlan(NamedTuple):
    """Rows across a map: flat treatable cells, and the winds that they lie across."""

    cells: NDArray[np.int64]
    across: tuple[Across, ...]


def main_winds(scene: Scene, lost: Sequence[int]) -> list[Towards]:
    """Where the heads of fires run to in the weathers in which most is lost, mean over the map
    weighted by the rate of spread; the worst first, without those that run nearly the same way.

    Where weather changes while fires burn, in the step of it in which fire runs fastest.

    Args:
        lost: by the plan fires in each stream of weather.
    """
    steps, found = scene.streams.steps_per_stream, list[Towards]()
    total = np.zeros((scene.streams.steps.weight.size, 3))

    def add(behavior: FireBehavior) -> dict[str, NDArray]:
        """A band's sums: maps of all rows of weather would not fit the memory."""
        for row, (rate, heading) in enumerate(zip(
                behavior.rate_of_spread_m_min, np.radians(behavior.heading_deg), strict=True)):
            total[row] += [part.sum(dtype=np.float64) for part in (
                rate, rate * np.cos(heading), rate * np.sin(heading))]
        return {}

    scene.mean_behavior(None, add)
    for stream in sorted(range(len(lost)), key=lambda stream: -lost[stream]):
        row = max(range(stream * steps, (stream + 1) * steps), key=lambda row: total[row, 0])
        _, north, east = total[row].tolist()
        length = float(np.hypot(north, east))
        towards = (-north / length, east / length) if length > 0.0 else (0.0, 1.0)
        if len(found) < WINDS and all(_apart_deg(towards, other) >= APART_DEG for other in found):
            found.append(towards)
    return found


def row_plans(landscape: Landscape, winds: list[Towards], budget: float,
              joined: bool) -> list[RowPlan]:
    """As many rows as the budget buys, of each pattern; those that have none are left out.

    Args:
        winds: the worst first, to which strips are laid; see `main_winds`.
        joined: rows are joined by edges of cells, else also by corners.
    """
    worst = (Across(winds[0], 1.0),)
    plans = [RowPlan(_strips(landscape, winds[0], length, cover, budget, joined), worst)
             for length, cover in product(STRIP_CELLS, COVERS)
             if cover < 1.0 or length == STRIP_CELLS[0]]
    every: list[tuple[float, tuple[Across, ...]]] = [
        (room, (Across(towards, 1.0),)) for towards, room in product(winds, ROOM)]
    every += [(ROOM_OF_MORE, (Across(winds[0], 1.0 - SECOND), Across(towards, SECOND)))
              for towards in winds[1:]]
    plans += [RowPlan(rows_across(landscape, across, room, budget, joined), across)
              for room, across in every]
    return [plan for plan in plans if plan.cells.size]


def rows_across(landscape: Landscape, across: tuple[Across, ...], room: float, budget: float,
                joined: bool) -> NDArray[np.int64]:
    """Flat treatable cells, each once, of the most rows that cost least, see `cheap_rows`."""
    return _each_once([cells for towards, share in across for cells in _most(
        landscape, towards, room, share * budget, joined)])


def _most(landscape: Landscape, towards: Towards, room: float, budget: float,
          joined: bool) -> list[NDArray[np.int64]]:
    made = cache(lambda count: cheap_rows(landscape, towards, count, room, joined))
    count = most_rows(lambda count: cost_of(_each_once(made(count)), landscape), budget,
                      max(landscape.shape))
    return made(count) if count else []


def _each_once(rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Cells of rows: two may share some, where their bands meet or cross."""
    cells = np.concatenate([np.empty(0, np.int64), *rows])
    return cells[np.sort(np.unique(cells, return_index=True)[1])]


def _strips(landscape: Landscape, towards: Towards, length: float, cover: float, budget: float,
            joined: bool) -> NDArray[np.int64]:
    """As `strips.place_strips` has them, but for the search of their number; what is left of the
    budget lengthens them.
    """
    allowed = np.flatnonzero(landscape.treatable)

    def gap(count: int) -> NDArray[np.float64]:
        return distance_to_strips(landscape.shape, towards, Pattern(length, cover, count),
                                  joined).ravel()[allowed]

    count = most_rows(lambda count: cost_of(allowed[gap(count) <= 0.0], landscape), budget,
                      max(landscape.shape))
    away = gap(max(count, 1))
    return afford(allowed[np.argsort(away, kind="stable")], landscape.cost, budget)


def _apart_deg(one: Towards, other: Towards) -> float:
    """Between two axes: rows across a wind are rows across its opposite."""
    cosine = abs(one[0] * other[0] + one[1] * other[1])
    return float(np.degrees(np.arccos(min(cosine, 1.0))))
