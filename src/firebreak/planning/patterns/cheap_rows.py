"""Rows of breaks across the wind, each bent to where it costs least.

A straight row pays for every cell that burns. A row that may leave its line uses what cannot burn
on its way, roads, water and rock: the same budget buys more rows, and fires run less far between
them.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from firebreak.landscape.landscape import Landscape

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
    down, right = towards[::-1] if turned else towards
    bands = _bands(price.shape, (down, right), count, room)
    rows, cols = price.shape
    place = bands[:, :, None] + np.arange(_height(price.shape, (down, right), count, room))
    inside = (place >= 0) & (place < rows)
    own = np.where(inside, price[np.clip(place, 0, rows - 1), np.arange(cols)[:, None]], 0.0)
    found = []
    for band, steps in zip(bands, _paths(own, bands, joined), strict=True):
        col, row = steps[:, 0], band[steps[:, 0]] + steps[:, 1]
        on_map = (row >= 0) & (row < rows)
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


def _spacing(shape: tuple[int, int], towards: tuple[float, float], count: int) -> tuple[float,
                                                                                      float]:
    """Where the map begins in a direction, and the distance between rows, in cells."""
    ends = [row * towards[0] + col * towards[1]
            for row in (0, shape[0] - 1) for col in (0, shape[1] - 1)]
    return min(ends), (max(ends) - min(ends) + 1.0) / count


def _height(shape: tuple[int, int], towards: tuple[float, float], count: int, room: float) -> int:
    # At least two cells: those of neighbouring columns then have a row in common.
    return max(2, round(room * _spacing(shape, towards, count)[1] / abs(towards[0])))


def _bands(shape: tuple[int, int], towards: tuple[float, float], count: int,
           room: float) -> NDArray[np.int64]:
    """The first row of each band in each column, i64 [count, cols]; it may lie beyond the map."""
    low, spacing = _spacing(shape, towards, count)
    middle = low - 0.5 + (np.arange(count) + 0.5) * spacing
    row = (middle[:, None] - np.arange(shape[1]) * towards[1]) / towards[0]
    return np.floor(row - 0.5 * (_height(shape, towards, count, room) - 1) + 0.5).astype(np.int64)


def _paths(price: Floats, bands: NDArray[np.int64], joined: bool) -> list[NDArray[np.int64]]:
    """The cheapest path along each band, steps of (column, place in the band).

    price: [bands, cols, height].
    """
    count, cols, height = price.shape
    place = np.broadcast_to(np.arange(height), (count, height))
    entered = np.zeros((cols, count, height), np.int32)
    came = np.zeros((cols, count, height), np.int32)
    best, entered[0] = _settled(price[:, 0], price[:, 0])
    for col in range(1, cols):
        shift = (bands[:, col] - bands[:, col - 1])[:, None]
        first = np.full((count, height), np.inf)
        for step in (0,) if joined else (0, -1, 1):
            before = place + shift + step
            inside = (before >= 0) & (before < height)
            cost = np.where(inside, np.take_along_axis(
                best, np.clip(before, 0, height - 1), axis=1), np.inf)
            came[col] = np.where(cost < first, before, came[col])
            first = np.minimum(cost, first)
        best, entered[col] = _settled(first + price[:, col], price[:, col])
    return [_back(int(np.argmin(best[k])), entered[:, k], came[:, k]) for k in range(count)]


def _settled(first: Floats, price: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """Costs [bands, height] once paths have run up or down their column, and where each entered it.

    first: of paths that have just entered.
    """
    down, entered_down = _run(first, price)
    up, entered_up = _run(first[:, ::-1], price[:, ::-1])
    up, entered_up = up[:, ::-1], price.shape[1] - 1 - entered_up[:, ::-1]
    return np.minimum(down, up), np.where(down <= up, entered_down, entered_up).astype(np.int32)


def _run(first: Floats, price: Floats) -> tuple[Floats, NDArray[np.int64]]:
    below = np.cumsum(price, axis=1)
    key = first - below
    least = np.minimum.accumulate(key, axis=1)
    entered = np.maximum.accumulate(
        np.where(key <= least, np.arange(price.shape[1]), 0), axis=1)
    return least + below, entered


def _back(place: int, entered: NDArray[np.int32], came: NDArray[np.int32]) -> NDArray[np.int64]:
    """The path that ends in a place of the last column, (column, place) from the first."""
    parts = []
    for col in range(entered.shape[0] - 1, -1, -1):
        begin = int(entered[col, place])
        step = 1 if place >= begin else -1
        run = np.arange(begin, place + step, step)[::-1]
        parts.append(np.stack([np.full(run.size, col), run], axis=1))
        place = int(came[col, begin])
    return np.concatenate(parts)[::-1]
