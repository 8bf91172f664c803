"""Rows of breaks across the wind, each bent to where it costs least.

A straight row pays for every cell that burns. A row that may leave its line uses what cannot burn
on its way, roads, water and rock: the same budget buys more rows, and fires run less far between
them.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.kernels import lay_paths, path_steps

GAP = 50.0
"""What a cell that burns and may not be treated counts, in cells of mean cost: it leaves a gap."""
LENGTH = 0.02
"""What each cell counts besides its cost, in cells of mean cost: of equals the shorter row."""

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
    """What a row pays for each cell [H, W]: nothing where nothing burns."""
    treatable = landscape.treatable
    mean = float(landscape.cost[treatable].mean(dtype=np.float64)) if treatable.any() else 1.0
    return (np.where(treatable, landscape.cost.astype(np.float64),
                     np.where(landscape.burnable, GAP * mean, 0.0)) + LENGTH * mean)


class _Bands:
    """In which rows of breaks may run, parallel, on a map that is turned so that they lead from its
    first column to its last.

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
        """Bands that lie on the map, as many at a time as have no more cells than the map, and the
        columns in which they do, with one more on either side.
        """
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
    """The cheapest path along each of some bands, steps of (column, row), i64 [2, n].

    price: [rows, cols].
    """
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
