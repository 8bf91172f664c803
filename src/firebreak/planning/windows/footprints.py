"""What the plan fires burn on the whole map, as little as is needed: a box, and where each enters
windows.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire import Fires, Scene, burn_tracks
from firebreak.planning.windows.cores import Box, Core


class Entry(NamedTuple):
    """Where and when a fire is first in a window: flat cell of the whole map, minutes."""

    cell: int
    minutes: float


class Footprint(NamedTuple):
    """What a fire burns untreated. box: the smallest that holds it; entries: by core."""

    box: Box
    entries: dict[int, Entry]


def footprints_of(scene: Scene, fires: Fires, cores: Sequence[Core]) -> list[Footprint]:
    """Of each fire, in order."""
    cols = scene.landscape.shape[1]
    found: list[Footprint] = [Footprint((0, 0, 0, 0), {})] * fires.source.size

    def take(fire: int, cells: NDArray[np.int64], minutes: NDArray[np.float32]) -> None:
        row, col = np.divmod(cells, cols)
        box = (int(row.min()), int(col.min()), int(row.max()) + 1, int(col.max()) + 1)
        entries = {}
        for core in cores:
            own = core.whole
            if not _meet(box, own.row, own.col, own.row + own.rows, own.col + own.cols):
                continue
            inside = np.flatnonzero((row >= own.row) & (row < own.row + own.rows)
                                    & (col >= own.col) & (col < own.col + own.cols))
            if inside.size:
                first = inside[int(np.argmin(minutes[inside]))]
                entries[core.number] = Entry(int(cells[first]), float(minutes[first]))
        found[fire] = Footprint(box, entries)

    burn_tracks(scene, fires, take)
    return found


def fires_in(core: Core, fires: Fires, footprints: Sequence[Footprint], most: int,
             cols: int) -> Fires:
    """The fires that come into a window, as its own: one that enters starts in the cell where it
    does, with the time that it has left then. At most the first `most` of them.
    """
    numbers = [k for k, footprint in enumerate(footprints)
               if (entry := footprint.entries.get(core.number)) is not None
               and entry.minutes < fires.duration_min[k]][:most]
    entries = [footprints[k].entries[core.number] for k in numbers]
    own = fires.part(np.array(numbers, np.int64))
    row, col = np.divmod(np.array([entry.cell for entry in entries], np.int64), cols)
    minutes = np.array([entry.minutes for entry in entries])
    return own._replace(
        source=(row - core.whole.row) * core.whole.cols + col - core.whole.col,
        duration_min=own.duration_min - minutes)


def _meet(box: Box, top: int, left: int, bottom: int, right: int) -> bool:
    return box[0] < bottom and box[2] > top and box[1] < right and box[3] > left
