"""Compiled masks of lines: which lines of cells can be placed and paid for."""

from firebreak.compiled import compiled

STOPS, CROSSED, PLACED = 0, 1, 2
"""States of a cell for a line: ends it; costs nothing; would become a break."""


@compiled()
def allow_lines(state, available, cost, most, steps, lengths, out):
    """Sets out bool [M, 1 + W * L, H, W] of M maps, at the middle cell of each line that begins
    and ends in an available cell, meets none that stops it, and costs at most `most`; out is all
    False before.

    Args: state u8 [M, H, W]. available bool [M, H, W]: treatable, unbroken, affordable. cost
    f64 [M, H, W]. most f64 [M]. steps i64 [W, N, 2]: (rows, columns) of each direction's cells
    from its start. lengths i64 [L], rising, the last of them N.
    """
    for k in range(state.shape[0]):
        for row in range(state.shape[1]):
            for col in range(state.shape[2]):
                if available[k, row, col]:
                    out[k, 0, row, col] = True
                    for direction in range(steps.shape[0]):
                        _allow(k, row, col, direction, state, cost, most[k], steps, lengths, out)


@compiled(inline="always")
def _allow(k, row, col, direction, state, cost, most, steps, lengths, out):
    cost_so_far, reached = 0.0, 0
    for j in range(steps.shape[1]):
        r, c = row + steps[direction, j, 0], col + steps[direction, j, 1]
        if r < 0 or r >= state.shape[1] or c < 0 or c >= state.shape[2] or state[k, r, c] == STOPS:
            break
        if state[k, r, c] == PLACED:
            cost_so_far += cost[k, r, c]
        if cost_so_far > most:
            break
        if j + 1 == lengths[reached]:
            if state[k, r, c] == PLACED:
                middle = lengths[reached] // 2
                out[k, 1 + direction * lengths.shape[0] + reached,
                    row + steps[direction, middle, 0], col + steps[direction, middle, 1]] = True
            reached += 1
