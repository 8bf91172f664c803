"""Compiled masks of segments: which lines of cells can be placed and paid for."""

from firebreak.fire.compiled import compiled

STOPS, CROSSED, PLACED = 0, 1, 2
"""States of a cell for a line: ends it; costs nothing; would become a break."""


@compiled()
def allow_segments(state, available, cost, most, steps, lengths, out):
    """Sets out bool [1 + W * L, H, W], at the middle cell of each segment that begins and ends in
    an available cell, meets none that stops it, and costs at most `most`.

    Args: state u8 [H, W]. available bool [H, W]: treatable, unbroken, affordable. cost f64 [H, W].
    steps i64 [W, M, 2]: (rows, columns) of each way's cells from its start. lengths i64 [L],
    rising, the last of them M.
    """
    rows, cols = state.shape
    out[:] = False
    for row in range(rows):
        for col in range(cols):
            out[0, row, col] = available[row, col]
            if not available[row, col]:
                continue
            for way in range(steps.shape[0]):
                paid, reached = 0.0, 0
                for j in range(steps.shape[1]):
                    r, c = row + steps[way, j, 0], col + steps[way, j, 1]
                    if r < 0 or r >= rows or c < 0 or c >= cols or state[r, c] == STOPS:
                        break
                    if state[r, c] == PLACED:
                        paid += cost[r, c]
                    if paid > most:
                        break
                    if j + 1 == lengths[reached]:
                        if state[r, c] == PLACED:
                            middle = lengths[reached] // 2
                            out[1 + way * lengths.shape[0] + reached,
                                row + steps[way, middle, 0], col + steps[way, middle, 1]] = True
                        reached += 1

