"""Compiled writing of the channels of an observation that change as breaks come."""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire import REACH


@compiled(inline="always")
def _byte(share):
    """[0, 1] -> byte, rounded as `observation.to_bytes` rounds."""
    return np.uint8(np.rint(min(max(share, 0.0), 1.0) * 255.0))


@compiled()
def write_cells(which, burned, below, unit, fires, usual, free, breaks, available, best, layers):
    """Writes the first four channels of layers u8 [N, C, H, W] of the slots i64 `which`: burn
    probability, downstream value, breaks, available cells.

    Args:
        burned, below: i64 [N, P], plan fires that burned a padded cell, and downstream value summed
            over them in whole units, `unit` f64 [N] to a loss of 1.
        fires: i64 [N], plan fires of a slot.
        usual: f64 [N], untreated mean burn probability: half of full scale.
        free: bool [N, H, W], cells that may be treated.
        best: f64 [N], out: the largest downstream value of a free cell without a break: full scale.
    """
    rows, cols = free.shape[1:]
    width = cols + 2 * REACH
    for slot in which:
        first = REACH * width + REACH
        most = np.int64(0)
        for row in range(rows):
            for col in range(cols):
                if free[slot, row, col] and not breaks[slot, row, col]:
                    most = max(most, below[slot, first + row * width + col])
        best[slot] = most / unit[slot] / fires[slot]
        most_below, middle = max(best[slot], 1e-9), max(usual[slot], 1e-9)
        view = layers[slot]
        for row in range(rows):
            for col in range(cols):
                cell = first + row * width + col
                chance = burned[slot, cell] / fires[slot]
                value = below[slot, cell] / unit[slot] / fires[slot]
                view[0, row, col] = _byte(chance / (chance + middle))
                view[1, row, col] = _byte(np.sqrt(value / most_below))
                view[2, row, col] = 255 if breaks[slot, row, col] else 0
                view[3, row, col] = 255 if available[slot, row, col] else 0
