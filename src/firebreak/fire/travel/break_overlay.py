"""Breaks as kernels take them: an overlay of codes on the travel field, and which arcs a
break closes.
"""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.travel.arcs import (
    BREAK,
    CLOSED,
    HELD_BREAK,
    NARROW_BREAK,
    NEAR,
    OPEN,
)
from firebreak.fire.travel.stencil import FACET_CODE, REACH, STENCIL
from firebreak.fire.travel.travel_field import BreakRules, pad, padded_width


def break_state(rules: BreakRules) -> int:
    """What a break is in the engine's overlay; OPEN for breaks that burn as treated fuel."""
    if rules.treated is not None:
        return HELD_BREAK if rules.held else OPEN
    return NARROW_BREAK if rules.lost > 0.0 else _bare_state(rules)


def _bare_state(rules: BreakRules) -> int:
    """What bare ground as wide as its cell is."""
    return BREAK if rules.breach.size else CLOSED


def open_state(burnable: NDArray[np.bool_], breaks: NDArray[np.bool_],
               rules: BreakRules) -> NDArray[np.uint8]:
    """u8 [H, W] -> padded [P]: codes of `arcs`.

    The engine looks at breaks beside a long step only where the receiving cell says NEAR.
    """
    rows, cols = breaks.shape
    kind = np.full(breaks.shape, break_state(rules))
    if rules.bare.size:
        kind[rules.bare] = _bare_state(rules)
    near = np.zeros(breaks.shape, np.bool_)
    for row, col in zip(*np.nonzero(breaks & (kind != OPEN)), strict=True):
        near[max(row - REACH, 0):row + REACH + 1, max(col - REACH, 0):col + REACH + 1] = True
    # Fuel in a break that burns beside bare ground is near it like any other.
    kind[near & (kind == OPEN)] = NEAR
    state = np.where(burnable, np.where(breaks, kind, np.where(near, NEAR, OPEN)), CLOSED)
    return pad(state.astype(np.uint8)).reshape((rows + 2 * REACH) * padded_width(cols))


def closing_table(width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What a new break closes: pairs (offset of the child from the break, parent code).

    A diagonal beside the break is listed although it closes only if its other side is closed too:
    burning that fire anew then changes nothing.
    """
    pairs = []
    for step in (1, 3, 5, 7):
        for side in (step - 1, (step + 1) % 8):
            pairs.append((-(STENCIL.steps[side, 0] * width + STENCIL.steps[side, 1]), step))
    for crosses, counts, base in (
            (STENCIL.step_crosses, STENCIL.step_cross_count, 0),
            (STENCIL.facet_crosses, STENCIL.facet_cross_count, FACET_CODE)):
        for index, count in enumerate(counts):
            for row, col in crosses[index, :count]:
                pairs.append((-(row * width + col), base + index))
    table = np.array(pairs, np.int64)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])
