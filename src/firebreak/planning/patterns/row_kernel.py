"""Compiled least-cost paths along bands of cells."""

import numpy as np

from firebreak.compiled import compiled_arrays


@compiled_arrays()
def lay_paths(price, first, joined, best, settled, entered, came):
    """The cheapest paths along bands, column by column, to every place of their last columns.

    Sets best f64 [n, h]: the cost of each. entered, came i32 [n, m, h]: of the cheapest path to a
    place of a column the place at which it entered that column, and where it came from in the
    column before.

    Args: price f64 [m, R]: of the cells of the columns, 0 beyond them. first i64 [n, m]: row of
    place 0 of a band in a column. settled f64 [2, h]: room.
    """
    rows, height = price.shape[1], best.shape[1]
    for band in range(first.shape[0]):
        for col in range(first.shape[1]):
            own = price[col]
            top = first[band, col]
            shift = top - first[band, col - 1] if col > 0 else 0
            for place in range(height):
                least, origin = np.inf, 0
                for turn in range(0 if col == 0 else (1 if joined else 3)):
                    before = place + shift + (0 if turn == 0 else (-1 if turn == 1 else 1))
                    if 0 <= before < height and best[band, before] < least:
                        least, origin = best[band, before], before
                cost = own[top + place] if 0 <= top + place < rows else 0.0
                settled[0, place] = cost if col == 0 else least + cost
                came[band, col, place] = origin
            _run_along(own, top, settled, best[band], entered[band, col])


@compiled_arrays(inline="always")
def _run_along(own, top, settled, best, entered):
    """Costs once paths have run up or down their column.

    settled[0] f64 [h]: of paths that have just entered; settled[1]: room. Sets best f64 [h] and
    entered i32 [h]: at which place the cheapest one to each place entered; of equals the one that
    ran down, and the one that entered last.
    """
    rows, height = own.shape[0], best.shape[0]
    below, least, at = 0.0, np.inf, 0
    for place in range(height):
        below += own[top + place] if 0 <= top + place < rows else 0.0
        if settled[0, place] - below <= least:
            least, at = settled[0, place] - below, place
        settled[1, place] = least + below
        entered[place] = at
    below, least, at = 0.0, np.inf, 0
    for place in range(height - 1, -1, -1):
        below += own[top + place] if 0 <= top + place < rows else 0.0
        if settled[0, place] - below <= least:
            least, at = settled[0, place] - below, place
        if settled[1, place] <= least + below:
            best[place] = settled[1, place]
        else:
            best[place] = least + below
            entered[place] = at


@compiled_arrays()
def path_steps(place, entered, came, steps):
    """How many steps the path to a place of the last column has; sets the last ones of steps i64
    [s, 2], (column, place) in order, where they have room.

    Args: entered, came i32 [m, h]: of its band, see `lay_paths`.
    """
    count = 0
    for col in range(entered.shape[0] - 1, -1, -1):
        begin = entered[col, place]
        step = 1 if place < begin else -1
        while True:
            count += 1
            if count <= steps.shape[0]:
                steps[steps.shape[0] - count, 0] = col
                steps[steps.shape[0] - count, 1] = place
            if place == begin:
                break
            place += step
        place = came[col, begin]
    return count
