"""Plans that are rows of breaks across a whole map, of any size: straight strips of several lengths
and gaps, and rows bent to where they cost least, across the winds in which most burns.

A straight row pays for every cell that burns. A row that may leave its line uses what cannot burn
on its way, roads, water and rock: the same budget buys more rows, and fires run less far between
them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import FireBehavior, Scene
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.kernels import lay_paths, path_steps
from firebreak.planning.core.plan import cost_of
from firebreak.planning.patterns.strips import KINDS, Pattern, cost_of_strips, strips_for

GAP = 50.0
"""Price of a cell that burns and may not be treated, in cells of mean cost: it leaves a gap."""
LENGTH = 0.02
"""Price of each cell besides its cost, in cells of mean cost: of equals the shorter row."""

Floats = NDArray[np.float64]


def cheap_rows(landscape: Landscape, towards: tuple[float, float], count: int, room: float,
               joined: bool) -> list[NDArray[np.int64]]:
    """Flat treatable cells of each of `count` rows, from one end to the other; those without any
    are left out.

    Args:
        towards: (rows, columns) that fire runs to, of length 1; rows lie across it.
        room: share of the distance between rows within which a row may bend, (0, 1].
        joined: rows are joined by edges of cells, else also by corners.

    Source: least-cost paths as fire lines, e.g. O'Connor, Calkin & Thompson (2017), International
    Journal of Wildland Fire 26(7); the path is found by dynamic programming.
    """
    shape = landscape.shape
    turned = abs(towards[1]) > abs(towards[0])
    price, number = _price(landscape), np.arange(landscape.fuel_model.size).reshape(shape)
    if turned:
        price, number = price.T, number.T
    bands = _Bands(price.shape, towards[::-1] if turned else towards, count, room)
    found = []
    for some, columns in bands.groups():
        for col, row in _paths(price, bands, some, columns, joined):
            on_map = (row >= 0) & (row < price.shape[0])
            cells = number[row[on_map], col[on_map]]
            cells = cells[landscape.treatable.ravel()[cells]]
            if cells.size:
                found.append(cells)
    return found


def most_rows(cost_of: Callable[[int], float], budget: float, most: int) -> int:
    """The number of rows, at most `most`, that a budget buys; 0 where it does not buy one.

    cost_of: so many rows. Looked for where the cost grows as their number does, then in steps that
    double, then by halves: where the first rows cost next to nothing, it begins far off.
    """
    price, count = cache(cost_of), min(4, most)
    while price(count) <= 0.0 and count < most:
        count = min(2 * count, most)
    for _ in range(2):
        if price(count) > 0.0:
            count = max(int(min(count * budget / price(count), most)), 1)

    def buys(number: int) -> bool:
        return number <= 0 or (number <= most and price(number) <= budget)

    bought, step = buys(count), 1
    near, far = count, count + (1 if bought else -1)
    while buys(far) == bought:
        step *= 2
        near, far = far, far + (step if bought else -step)
    while abs(far - near) > 1:
        middle = (near + far) // 2
        near, far = (middle, far) if buys(middle) == bought else (near, middle)
    return min(near, far)


def _price(landscape: Landscape) -> Floats:
    """Price of each cell [H, W] in a row: nothing where nothing burns."""
    treatable = landscape.treatable
    mean = float(landscape.cost[treatable].mean(dtype=np.float64)) if treatable.any() else 1.0
    return (np.where(treatable, landscape.cost.astype(np.float64),
                     np.where(landscape.burnable, GAP * mean, 0.0)) + LENGTH * mean)


class _Bands:
    """Parallel bands in which rows of breaks may run, on a map that is turned so that they lead
    from its first column to its last.

    Args:
        shape: of the map; towards: across the bands; count, room: see `cheap_rows`.

    Attributes:
        height: cells of a band in a column.
    """

    def __init__(self, shape: tuple[int, int], towards: tuple[float, float], count: int,
                 room: float) -> None:
        self._shape, self._towards, self._count = shape, towards, count
        ends = [row * towards[0] + col * towards[1]
                for row in (0, shape[0] - 1) for col in (0, shape[1] - 1)]
        self._low, self._spacing = min(ends), (max(ends) - min(ends) + 1.0) / count
        # At least two cells: those of neighbouring columns then have a row in common.
        self._whole = max(2, round(room * self._spacing / abs(towards[0])))
        # A band that is higher than the map needs no more than one row beyond it on either side.
        self.height = min(self._whole, shape[0] + 2)

    def first_rows(self, bands: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first row of some bands in some columns, i64 [n, m]; it may lie beyond the map."""
        middle = self._low - 0.5 + (bands + 0.5) * self._spacing
        row = (middle[:, None] - columns * self._towards[1]) / self._towards[0]
        first = np.floor(row - 0.5 * (self._whole - 1) + 0.5).astype(np.int64)
        return np.minimum(np.maximum(first, -1), first + self._whole - self.height)

    def groups(self) -> Iterator[tuple[NDArray[np.int64], range]]:
        """Bands on the map, as many at a time as have its cells; their columns, one more around."""
        rows, cols = self._shape
        every, group, among = np.arange(cols), list[int](), range(0)
        for band in range(self._count):
            first = self.first_rows(np.array([band]), every)[0]
            meets = np.flatnonzero((first > -self.height) & (first < rows))
            if not meets.size:
                continue
            own = range(max(int(meets[0]) - 1, 0), min(int(meets[-1]) + 2, cols))
            both = range(min(among.start, own.start), max(among.stop, own.stop))
            if group and (len(group) + 1) * len(both) * self.height > rows * cols:
                yield np.array(group), among
                group = []
            among = both if group else own
            group.append(band)
        if group:
            yield np.array(group), among


def _paths(price: Floats, bands: _Bands, some: NDArray[np.int64], columns: range,
           joined: bool) -> Iterator[NDArray[np.int64]]:
    """The cheapest path, (column, row) i64 [2, n], along each of some bands; price [rows, cols]."""
    cols = price.shape[1]
    first = bands.first_rows(some, np.arange(columns.start, columns.stop))
    own = np.ascontiguousarray(price[:, columns.start:columns.stop].T)
    best, room = np.empty((some.size, bands.height)), np.empty((2, bands.height))
    entered = np.empty((some.size, len(columns), bands.height), np.int32)
    came = np.empty_like(entered)
    lay_paths(own, first, joined, best, room, entered, came)
    end = np.argmin(best, axis=1)
    if columns.stop < cols:
        # Beyond the map all places cost the same: the path ends where the first of the last column
        # of the map leads to.
        last = bands.first_rows(some, np.array([cols - 1]))[:, 0]
        end = np.clip(last - first[:, -1], 0, bands.height - 1)
    count = np.zeros(1, np.int64)
    for k, place in enumerate(end.tolist()):
        path_steps(place, entered[k], came[k], np.empty((0, 2), np.int64), count)
        steps = np.empty((int(count[0]), 2), np.int64)
        path_steps(place, entered[k], came[k], steps, count)
        yield np.stack([steps[:, 0] + columns.start, first[k, steps[:, 0]] + steps[:, 1]])


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
    """Directions that the heads of fires run to in the weathers in which most is lost, mean over
    the map weighted by the rate of spread; the worst first, without those that run nearly the same
    way.

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
        # Rows across a wind are rows across its opposite.
        cosines = [abs(towards[0] * other[0] + towards[1] * other[1]) for other in found]
        if len(found) < WINDS and all(
                np.degrees(np.arccos(min(cosine, 1.0))) >= APART_DEG for cosine in cosines):
            found.append(towards)
    return found


def row_plans(landscape: Landscape, winds: list[Towards], budget: float,
              joined: bool) -> list[RowPlan]:
    """Plans of as many rows as the budget buys, of each pattern; patterns without any are left out.

    Args:
        winds: the worst first, to which strips are laid; see `main_winds`.
        joined: rows are joined by edges of cells, else also by corners.
    """
    worst = (Across(winds[0], 1.0),)
    plans = [RowPlan(_strips(landscape, winds[0], length, cover, budget, joined), worst)
             for length, cover in KINDS]
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
    """Strips as `strips.place_strips` has them, but for the search of their number."""
    count = most_rows(lambda count: cost_of_strips(
        landscape, towards, Pattern(length, cover, count), joined), budget, max(landscape.shape))
    return strips_for(landscape, towards, Pattern(length, cover, max(count, 1)), joined, budget)
