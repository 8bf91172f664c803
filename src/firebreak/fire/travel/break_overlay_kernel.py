"""Compiled writing of the codes that say where breaks are."""

from firebreak.compiled import compiled
from firebreak.fire.travel.arc_kernel import NEAR, OPEN
from firebreak.fire.travel.stencil import REACH


@compiled()
def _near_break(row, col, breaks):
    found = False
    for r in range(max(row - REACH, 0), min(row + REACH + 1, breaks.shape[0])):
        for c in range(max(col - REACH, 0), min(col + REACH + 1, breaks.shape[1])):
            found |= breaks[r, c]
    return found


@compiled()
def write_break(row, col, kind, breaks, state):
    """Writes the codes of `arc_kernel` around a burnable cell whose break came or went.

    breaks bool [H, W], as they are now, all of one kind; state u8 [P].
    """
    width = breaks.shape[1] + 2 * REACH
    for r in range(max(row - REACH, 0), min(row + REACH + 1, breaks.shape[0])):
        for c in range(max(col - REACH, 0), min(col + REACH + 1, breaks.shape[1])):
            place = (r + REACH) * width + c + REACH
            if breaks[r, c]:
                state[place] = kind
            elif breaks[row, col] and state[place] == OPEN:
                state[place] = NEAR
            elif not breaks[row, col] and (state[place] == NEAR or (r == row and c == col)):
                state[place] = NEAR if _near_break(r, c, breaks) else OPEN
