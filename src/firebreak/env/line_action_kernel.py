"""Compiled masks of lines: which lines of cells can be placed and paid for.

Where a budget pays for any line, only what stops a line is looked at: how far each direction is
clear follows from how far it is one period of its steps further on.
"""

from firebreak.compiled import compiled

STOPS, CROSSED, PLACED = 0, 1, 2
"""States of a cell for a line: ends it; costs nothing; would become a break."""


@compiled()
def allow_lines(state, available, cost, most, steps, lengths, period, clear, out):
    """Sets out bool [M, 1 + W * L, H, W] of M maps, at the middle cell of each line that begins
    and ends in an available cell, meets none that stops it, and costs at most `most`; out is all
    False before.

    Args: state u8 [M, H, W]. available bool [M, H, W]: treatable, unbroken, affordable. cost
    f64 [M, H, W]. most f64 [M]. steps i64 [W, N, 2]: (rows, columns) of each direction's cells
    from its start, rows rising; in one row, columns rising. lengths i64 [L], rising, the last of
    them N. period i64 [W]: steps[w, j + period] = steps[w, j] + steps[w, period]. clear u8 [H, W]:
    room.
    """
    for k in range(state.shape[0]):
        for row in range(state.shape[1]):
            for col in range(state.shape[2]):
                out[k, 0, row, col] = available[k, row, col]
        pays = _pays_for_any(k, state, cost, most[k], steps.shape[1])
        for direction in range(steps.shape[0]):
            if pays:
                _clear(k, direction, state, steps, period[direction], clear)
                _allow_clear(k, direction, state, available, steps, lengths, clear, out)
                continue
            for row in range(state.shape[1]):
                for col in range(state.shape[2]):
                    if available[k, row, col]:
                        _allow(k, row, col, direction, state, cost, most[k], steps, lengths, out)


@compiled()
def _pays_for_any(k, state, cost, most, longest):
    """Whether `most` pays for the dearest cells, as many as the longest line has."""
    dearest = 0.0
    for row in range(state.shape[1]):
        for col in range(state.shape[2]):
            if state[k, row, col] == PLACED:
                dearest = max(dearest, cost[k, row, col])
    return dearest * (longest + 1) <= most  # one more: sums of costs carry rounding


@compiled()
def _clear(k, direction, state, steps, period, clear):
    """Writes clear u8 [H, W]: cells of the direction's line from each cell, up to the longest
    length, before the map ends or one stops it.
    """
    rows, cols, longest = state.shape[1], state.shape[2], steps.shape[1]
    for row in range(rows - 1, -1, -1):
        for col in range(cols - 1, -1, -1):
            run = 0
            while run < period:
                r, c = row + steps[direction, run, 0], col + steps[direction, run, 1]
                if r >= rows or c < 0 or c >= cols or state[k, r, c] == STOPS:
                    break
                run += 1
            r, c = row + steps[direction, period, 0], col + steps[direction, period, 1]
            if run == period and r < rows and 0 <= c < cols:
                run = min(run + clear[r, c], longest)
            clear[row, col] = run


@compiled()
def _allow_clear(k, direction, state, available, steps, lengths, clear, out):
    rows, cols, count = state.shape[1], state.shape[2], lengths.shape[0]
    for number in range(count):
        length = lengths[number]
        last, middle = steps[direction, length - 1], steps[direction, length // 2]
        left, end = max(0, -last[1]), min(cols, cols - last[1])
        if end <= left:
            continue
        for row in range(rows - last[0]):
            begins, clear_here = available[k, row, left:end], clear[row, left:end]
            ends = state[k, row + last[0], left + last[1]:end + last[1]]
            allowed = out[k, 1 + direction * count + number, row + middle[0],
                          left + middle[1]:end + middle[1]]
            for col in range(allowed.shape[0]):
                allowed[col] = begins[col] & (clear_here[col] >= length) & (ends[col] == PLACED)


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
