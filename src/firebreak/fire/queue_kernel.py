"""A binary heap of (time, cell), ties by cell, with the place of every cell in it."""

import numba


@numba.njit(cache=True, inline="always")
def _before(key_a, cell_a, key_b, cell_b):
    return key_a < key_b or (key_a == key_b and cell_a < cell_b)


@numba.njit(cache=True)
def push(i, key, cell, keys, cells, position):
    """Moves (key, cell) up from place i, a new last place or the cell's own."""
    while i > 0:
        above = (i - 1) >> 1
        if not _before(key, cell, keys[above], cells[above]):
            break
        keys[i] = keys[above]
        cells[i] = cells[above]
        position[cells[i]] = i
        i = above
    keys[i] = key
    cells[i] = cell
    position[cell] = i


@numba.njit(cache=True)
def replace_root(size, key, cell, keys, cells, position):
    """Puts (key, cell) in the place of the root, which was taken out."""
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and _before(keys[below + 1], cells[below + 1],
                                        keys[below], cells[below]):
            below += 1
        if not _before(keys[below], cells[below], key, cell):
            break
        keys[i] = keys[below]
        cells[i] = cells[below]
        position[cells[i]] = i
        i = below
    keys[i] = key
    cells[i] = cell
    position[cell] = i
