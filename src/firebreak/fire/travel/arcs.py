"""Arcs as the kernels take them: travel fields, embers, codes of cells, rules of crews.

An arc leads into a cell (the child) from a step of the stencil, or from a point of a facet between
two steps. The kernels are in `src/native/arcs.h`.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.travel.stencil import NEIGHBOURS

LANES = tuple((row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if (row, col) != (0, 0))
"""A cell's eight neighbours, row by row from north-west to south-east."""
STEP_OF_LANE = np.array([NEIGHBOURS.index((-row, -col)) for row, col in LANES], np.int64)
"""The step by which a neighbour sees the cell in the middle."""
LANE_OF_STEP = np.array([LANES.index(step) for step in NEIGHBOURS], np.int64)

CLOSED = 0  # unburnable, or a break that holds
OPEN = 1
NEAR = 2  # open, with a break within REACH: long arcs must look at what they cross
NARROW_BREAK = 3  # a break narrower than its cell that holds: burns what it has left, sends nothing
BREAK = 4  # a break that may be breached: CLOSED or NEAR in each fire
HELD_BREAK = 5  # a break that burns unless crews hold it when fire arrives
BARE = 6  # and those that follow: bare ground that may be crossed; CLOSED or NEAR in each fire

GATES = ((0, 0), (0, -1), (0, -2), (-1, 0), (-2, 0))
"""Rows and columns from a cell of code BARE + k to the one whose draw it shares: the first of the
cells side by side that fire crosses together."""
BARE_CODES = len(GATES)


class Arcs(NamedTuple):
    """Travel fields; R rows, one per weather step, of P padded cells.

    metric, unit_time, facets, accepts, sends, sends_far: see `travel_field`.
    heat: fireline intensity over speed on the ground, kW/m per cell/min, and the rise of the
        ground per cell east and north; or none.
    steps: weather steps of a stream; its rows lie one after the other.
    step_min: their length, minutes.
    edges: minutes from a cell to each neighbour in the order of LANES, inf where closed, where
        weather is constant; or none.
    bucket_min: length of a bucket of the queue, minutes; or none.
    """

    metric: Annotated[NDArray[np.float32], "R P 5"]
    unit_time: Annotated[NDArray[np.float32], "R P 8"]
    facets: Annotated[NDArray[np.uint64], "R P"]
    accepts: Annotated[NDArray[np.uint32], "R P"]
    sends: Annotated[NDArray[np.uint32], "R P"]
    heat: Annotated[NDArray[np.float32], "R P 3 or none"]
    steps: int
    step_min: float
    edges: Annotated[NDArray[np.float64], "R P 8 or none"] = np.empty((0, 0, 8))
    bucket_min: Annotated[NDArray[np.float64], "R or none"] = np.empty(0)
    sends_far: Annotated[NDArray[np.uint32], "R P or none"] = np.empty((0, 0), np.uint32)


class Spots(NamedTuple):
    """Embers: the parts of `spotting.SpotField` in their order.

    cells: probability of a throw, mean and standard deviation of the log distance, side deviation
        and longest distance in m; or none: fires throw no embers.
    winds: probability of ignition, downwind east and north, minutes in the air per m.
    """

    cells: Annotated[NDArray[np.float32], "5 R P or none"]
    winds: Annotated[NDArray[np.float32], "4 R or none"]
    delay_min: float
    cell_size_m: float


NO_SPOTS = Spots(np.empty((5, 0, 0), np.float32), np.empty((4, 0), np.float32), 0.0, 1.0)
"""Fires that throw no embers."""


class CrewRule(NamedTuple):
    """Rule by which crews act in a fire.

    always, never: the hottest fire that they surely hold, and that from which on they never do, in
    the measure scale * intensity^power, which is flame length in m, or intensity in kW/m.
    cells: breaks that they hold in one fire, inf for any number. attack_min: minutes to the initial
    attack, inf for none. cell_ha: hectares of a cell.
    """

    scale: float
    power: float
    always: float
    never: float
    cells: float
    attack_min: float
    cell_ha: float


NO_CREWS = CrewRule(1.0, 1.0, 0.0, 0.0, 0.0, math.inf, 1.0)
"""Fires meet nobody."""
