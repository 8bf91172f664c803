"""Compiled scores of straight lines of cells: the value that fire carries through each, counted
once.
"""

import numpy as np

from firebreak.compiled import compiled
from firebreak.env.line_action_kernel import PLACED, STOPS
from firebreak.fire import REACH


@compiled()
def score_lines(starts, steps, lengths, state, cost, max_price, through, along, step_index, offset,
                gain, price):
    """Scores of the lines from each start in one direction, for each length.

    gain f64 [S, L]: value that comes through the line's cells, less what comes to one of them from
    another within REACH along the line. price f64 [S, L]: what the new breaks cost, inf where the
    line stops short, does not end in a new break, or costs more than `max_price`.

    Args: starts i64 [S], padded cells. steps i64 [M, 2]: (rows, columns) of the line's cells from
    its start. lengths i64 [L], rising, at most M. state u8 [P]. cost f64 [P]. through f64 [P] and
    along f64 [32, P]: see `tree_kernel.flows`. step_index i64 [7, 7]: the step of the stencil by
    rows and columns + REACH, -1 for none. offset i64 [M]: of the line's cells from its start.
    """
    for i in range(starts.shape[0]):
        total, cost_so_far, reached = 0.0, 0.0, 0
        for k in range(lengths.shape[0]):
            price[i, k] = np.inf
            gain[i, k] = 0.0
        for j in range(steps.shape[0]):
            cell = starts[i] + offset[j]
            if state[cell] == STOPS or cost_so_far > max_price:
                break
            if state[cell] == PLACED:
                cost_so_far += cost[cell]
                total += through[cell]
                for back in range(max(0, j - 2 * REACH), j):
                    other = starts[i] + offset[back]
                    rows, cols = steps[back, 0] - steps[j, 0], steps[back, 1] - steps[j, 1]
                    if state[other] != PLACED or max(abs(rows), abs(cols)) > REACH:
                        continue
                    here = step_index[rows + REACH, cols + REACH]
                    if here >= 0:
                        total -= along[here, cell]
                        total -= along[step_index[REACH - rows, REACH - cols], other]
            if j + 1 == lengths[reached]:
                if state[cell] == PLACED and cost_so_far <= max_price:
                    gain[i, reached] = total
                    price[i, reached] = cost_so_far
                reached += 1
                if reached == lengths.shape[0]:
                    break
