"""Kernels of the environment: placing breaks, masks of lines, observations."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from firebreak.native_library import WRITTEN, entry

STOPS, CROSSED, PLACED = 0, 1, 2
"""States of a cell for a line: ends it; costs nothing; would become a break."""


@entry()
def allow_lines(state: Annotated[NDArray[np.uint8], "M H W"],
                available: Annotated[NDArray[np.bool_], "M H W"],
                cost: Annotated[NDArray[np.float64], "M H W"],
                most: Annotated[NDArray[np.float64], "M"],
                steps: Annotated[NDArray[np.int64], "D N 2"],
                lengths: Annotated[NDArray[np.int64], "L"],
                period: Annotated[NDArray[np.int64], "D"],
                clear: Annotated[NDArray[np.uint8], "H W", WRITTEN],
                out: Annotated[NDArray[np.bool_], "M ? H W", WRITTEN]) -> None:
    """Sets `out` [M, 1 + D * L, H, W] of M maps, at the middle cell of each line that begins and
    ends in an available cell, meets none that stops it, and costs at most `most`; out is all False
    before.

    available: treatable, unbroken, affordable. steps: (rows, columns) of each direction's cells
    from its start, rows rising; in one row, columns rising. lengths: rising, the last of them N.
    period: steps[d, j + period] = steps[d, j] + steps[d, period]. clear: room.
    """


@entry()
def place_breaks(which: Annotated[NDArray[np.int64], "B"], cells: Annotated[NDArray[np.int64], "B"],
                 kinds: Annotated[NDArray[np.uint8], "V"],
                 treatable: Annotated[NDArray[np.bool_], "V H W"],
                 cost: Annotated[NDArray[np.float32], "V H W"],
                 left: Annotated[NDArray[np.float64], "V", WRITTEN],
                 breaks: Annotated[NDArray[np.bool_], "V H W", WRITTEN],
                 available: Annotated[NDArray[np.bool_], "V H W", WRITTEN],
                 states: Annotated[NDArray[np.uint8], "V P", WRITTEN],
                 places: Annotated[NDArray[np.int64], "B", WRITTEN]) -> None:
    """Breaks flat `cells` of the slots `which`, one after the other, those that are available when
    their turn comes.

    kinds: codes of `fire.arcs` for a break of each slot. left: budgets. states: see `write_breaks`.
    Sets `places`: the padded cell, or -1 where none was broken.
    """


@entry()
def write_cells(which: Annotated[NDArray[np.int64], "B"],
                burned: Annotated[NDArray[np.int64], "V P"],
                below: Annotated[NDArray[np.int64], "V P"],
                unit: Annotated[NDArray[np.float64], "V"], fires: Annotated[NDArray[np.int64], "V"],
                usual: Annotated[NDArray[np.float64], "V"],
                free: Annotated[NDArray[np.bool_], "V H W"],
                breaks: Annotated[NDArray[np.bool_], "V H W"],
                available: Annotated[NDArray[np.bool_], "V H W"],
                best: Annotated[NDArray[np.float64], "V", WRITTEN],
                layers: Annotated[NDArray[np.uint8], "V ? H W", WRITTEN]) -> None:
    """Writes the first four channels of `layers` of the slots `which`: burn probability, downstream
    value, breaks, available cells.

    burned, below: plan fires that burned a padded cell, and downstream value summed over them in
    whole units, `unit` to a loss of 1. fires: plan fires of a slot. usual: untreated mean burn
    probability: half of full scale. free: cells that may be treated. best, out: the largest
    downstream value of a free cell without a break: full scale.
    """
