"""Structs of kernels that burn fires: fires, breaks, rules, results, scratch memory."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.native_library import WRITTEN

# Of a cell: not final; final; burned and sends nothing; a break that crews hold.
UNSEEN, FINAL, BURNED_NO_SPREAD, STOPPED = range(4)
ADDED, MISSED = 0, 1  # of a fire: added; came near a tile that is not ready and was left out

QUEUE_SPARE = 8 * 41  # entries of a queue beyond two a cell
FRONT_WORDS = 39744  # of `FrontRoom` in `src/native/scratch.h`


class Rules(NamedTuple):
    """Rules of breaks under V overlays.

    leak: fire passes between two breaks that touch at a corner.
    breach: probability that a break in the cell is breached, or none: breaks are never breached;
        below 0 in the first cell of a row, which is padding: nor are they there.
    rows_a_breach: rows of the travel field for each row of breach.
    class_limits: intensities between the classes of the value tables, kW/m; none where losses do
        not depend on intensity.
    ready: minutes from ignition until crews can be in a cell of each overlay, or none: nobody holds
        breaks; inf in the first cell of a row: nor does anybody there. crew: a `CrewRule`.
    steps: weather steps of a stream under each overlay, or none: as the field has.
    """

    leak: bool
    breach: Annotated[NDArray[np.float32], "? P or none"]
    rows_a_breach: int
    class_limits: Annotated[NDArray[np.float64], "?"]
    ready: Annotated[NDArray[np.float32], "V P or none"]
    crew: Annotated[NDArray[np.float64], "7"]
    steps: Annotated[NDArray[np.int64], "V or none"]


class FireTable(NamedTuple):
    """F fires: row of the travel field (the first of the stream), overlay, padded ignition cell,
    duration in minutes, key of the fire's random numbers, and how often sums count the fire.

    Of up to L later burning periods: row of the travel field, minute of burning at which it begins
    (at or after the duration: none), minutes of all pauses before it.
    """

    row: Annotated[NDArray[np.int64], "F"]
    overlay: Annotated[NDArray[np.int64], "F"]
    source: Annotated[NDArray[np.int64], "F"]
    duration: Annotated[NDArray[np.float64], "F"]
    key: Annotated[NDArray[np.uint64], "F"]
    weight: Annotated[NDArray[np.int64], "F"]
    later_row: Annotated[NDArray[np.int64], "F L"]
    begin: Annotated[NDArray[np.float64], "F L"]
    pause: Annotated[NDArray[np.float64], "F L"]


class Overlays(NamedTuple):
    """V break overlays: state (codes of `arcs`), and what burning costs in each of C classes of
    intensity; C is 1 where intensity does not matter.
    """

    state: Annotated[NDArray[np.uint8], "V P"]
    value: Annotated[NDArray[np.float32], "V C P"]


class Results(NamedTuple):
    """Results of fires: the maps have rows for the first fires only, or none."""

    arrival: Annotated[NDArray[np.float64], "<=F P or none", WRITTEN]
    code: Annotated[NDArray[np.uint8], "<=F P or none", WRITTEN]
    downstream: Annotated[NDArray[np.float64], "<=F P or none", WRITTEN]
    classes: Annotated[NDArray[np.uint8], "<=F P or none", WRITTEN]
    loss: Annotated[NDArray[np.float64], "F", WRITTEN]


class Sums(NamedTuple):
    """Sums over fires by thread, and how they are scaled.

    burned: weight of the fires that burned the cell in each class of intensity; none: nothing is
        summed.
    below: value lost below the cell times `per_value`; none if not wanted.
    arrival: minutes times `per_minute`; none if not wanted.
    stopped: weight of the fires that crews stopped at a break in the cell; none where nobody does.
    """

    burned: Annotated[NDArray[np.int64], "T D P or none", WRITTEN]
    below: Annotated[NDArray[np.int64], "T P or none", WRITTEN]
    arrival: Annotated[NDArray[np.int64], "T P or none", WRITTEN]
    stopped: Annotated[NDArray[np.int64], "T P or none", WRITTEN]
    per_value: float
    per_minute: float


class Tracks(NamedTuple):
    """Burned cells in the order in which they burned, and their times, with rows for the first
    fires only, or none; burned: cells; latest: minutes.
    """

    cell: Annotated[NDArray[np.int32], "<=F P or none", WRITTEN]
    time: Annotated[NDArray[np.float32], "<=F P or none", WRITTEN]
    burned: Annotated[NDArray[np.int64], "F", WRITTEN]
    latest: Annotated[NDArray[np.float64], "F", WRITTEN]


class Tiles(NamedTuple):
    """Tiles in which the travel field is ready: N tiles of `side` x `side` cells, `across` in a row
    of tiles; no tiles where all of it is. requested: tiles that fires came near, by thread.
    """

    ready: Annotated[NDArray[np.uint8], "N or none"]
    requested: Annotated[NDArray[np.uint8], "T N or none", WRITTEN]
    side: int
    across: int


class Workspace(NamedTuple):
    """Scratch memory of T threads, for maps of up to S padded cells.

    order: the breaks that crews hold stand at its end, the first one last. thrower: of the ember
    that lit a cell. queue: a heap; current: entries that burn next. front: `FrontRoom` in C++.

    Between fires every time is inf, every code UNBURNED and every status 0: each fire cleans up the
    cells it burned, so that its cost does not depend on the size of the map.
    """

    time: Annotated[NDArray[np.float32], "T S", WRITTEN]
    code: Annotated[NDArray[np.uint8], "T S", WRITTEN]
    weight: Annotated[NDArray[np.float32], "T S", WRITTEN]
    status: Annotated[NDArray[np.uint8], "T S", WRITTEN]
    order: Annotated[NDArray[np.int32], "T 2S", WRITTEN]
    below: Annotated[NDArray[np.float64], "T S", WRITTEN]
    classes: Annotated[NDArray[np.uint8], "T S", WRITTEN]
    thrower: Annotated[NDArray[np.int32], "T S", WRITTEN]
    stack: Annotated[NDArray[np.int32], "T S", WRITTEN]
    queue: Annotated[NDArray[np.uint64], "T Q", WRITTEN]
    current: Annotated[NDArray[np.uint64], "T Q", WRITTEN]
    front: Annotated[NDArray[np.uint64], f"T {FRONT_WORDS}", WRITTEN]
