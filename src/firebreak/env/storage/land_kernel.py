"""Compiled placing of breaks in N slots, and which cells are then left to treat."""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire import REACH, write_break


@compiled(inline="always")
def _most(left):
    # Sums of costs carry rounding; a budget that is short by less still buys the cell.
    return np.float32(left * (1.0 + 1e-9) + 1e-9)


@compiled()
def refresh_available(slot, treatable, cost, left, breaks, available):
    """Writes available bool [N, H, W] of one slot: treatable, unbroken, affordable."""
    most = _most(left[slot])
    for row in range(breaks.shape[1]):
        for col in range(breaks.shape[2]):
            available[slot, row, col] = (treatable[slot, row, col] and not breaks[slot, row, col]
                                         and cost[slot, row, col] <= most)


@compiled()
def place_breaks(which, cells, kinds, treatable, cost, left, breaks, available, states, places):
    """Breaks flat `cells` i64 [M] of the slots `which` i64 [M], one after the other, those that are
    available when their turn comes.

    kinds: u8 [N], codes of `arc_kernel` for a break of each slot. left: f64 [N], budgets. states:
    u8 [N, P], see `write_break`. Sets places i64 [M]: the padded cell, or -1 where none was broken.
    """
    cols = breaks.shape[2]
    for i in range(which.size):
        slot, row = which[i], cells[i] // cols
        col = cells[i] - row * cols
        places[i] = -1
        price = cost[slot, row, col]
        if (treatable[slot, row, col] and not breaks[slot, row, col]
                and price <= _most(left[slot])):
            left[slot] -= price
            breaks[slot, row, col] = True
            write_break(row, col, kinds[slot], breaks[slot], states[slot])
            places[i] = (row + REACH) * (cols + 2 * REACH) + col + REACH
        if i + 1 == which.size or which[i + 1] != slot:
            refresh_available(slot, treatable, cost, left, breaks, available)
