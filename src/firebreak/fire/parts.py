"""The fires of a scene in parts, which can burn anywhere: their sums are whole numbers, so
parts added in any order have the bits of all fires burned together.

A part holds fires of one weather that start on a strip of the map, and its sums are those of the
rows and columns that its fires came near.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.engine import Breaks, nothing_summed, sum_fires
from firebreak.fire.fires import Fires
from firebreak.fire.scene import Scene
from firebreak.fire.solver.structs import Tiles
from firebreak.fire.sums import BurnResult, result_of
from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import padded_width

STRIP_CELLS, PART_FIRES = 4_000_000, 256
"""Cells of a strip, about, and fires of a part, at most: what comes back of a part is some 64 bytes
for each cell of a strip."""


class PartSums(NamedTuple):
    """Losses of the fires of a part, f64 [N], and their sums on a rectangle of the padded map,
    which begins at row `top` and column `left`: burned i64 [C, h, w]; below, arrival, stopped i64
    [h, w]; stopped without cells where nobody holds breaks.
    """

    loss: NDArray[np.float64]
    top: int
    left: int
    burned: NDArray[np.int64]
    below: NDArray[np.int64]
    arrival: NDArray[np.int64]
    stopped: NDArray[np.int64]


class PartsTotal:
    """Sums over the fires of a scene under breaks, to which parts are added in any order.

    Attributes:
        units: in which parts must be burned, so that all of them fit.
    """

    def __init__(self, scene: Scene, fires: Fires, breaks: Breaks = None) -> None:
        self._shape = scene.landscape.shape
        self._total = nothing_summed(scene, fires, breaks)
        self.units = self._total.sums.per_value, self._total.sums.per_minute

    def add(self, which: NDArray[np.intp], part: PartSums) -> None:
        """Adds what the fires of these numbers burned."""
        self._total.loss[which] = part.loss
        sums = self._total.sums
        rows, cols = (slice(first, first + size) for first, size in zip(
            (part.top, part.left), part.below.shape, strict=True))
        for whole, own in ((sums.burned, part.burned), (sums.below, part.below),
                           (sums.arrival, part.arrival), (sums.stopped, part.stopped)):
            if whole.size:
                _on_map(whole, self._shape)[0][..., rows, cols] += own

    def result(self) -> BurnResult:
        """Statistics over all fires, once all parts are added, with the bits of `burn`; the sums
        are used up.
        """
        total = self._total
        return result_of(total.sums, total.loss, total.whole, total.value, self._shape)


def parts_of(fires: Fires, shape: tuple[int, int]) -> list[NDArray[np.intp]]:
    """The fires of each part by number, each in one part; shape: (H, W) of the map."""
    _, cols = shape
    strip = fires.source // cols // max(1, STRIP_CELLS // cols)
    order = np.lexsort((np.arange(strip.size), strip, fires.scenario))
    same = np.stack([fires.scenario, strip])[:, order]
    ends = np.flatnonzero((np.diff(same, axis=1) != 0).any(axis=0)) + 1
    return [part[first:first + PART_FIRES] for part in np.split(order, ends)
            for first in range(0, part.size, PART_FIRES)]


def burn_part(scene: Scene, fires: Fires, breaks: Breaks,
              units: tuple[float, float]) -> PartSums:
    """Burns the fires of one part, all of one weather. units: those of the sums over all parts."""
    sums, loss, _, tiles, _ = sum_fires(scene, fires, breaks, units)
    shape = scene.landscape.shape
    rows, cols = _near(tiles, shape)

    def cut(parts: NDArray) -> NDArray:
        grid = _on_map(parts, shape)[..., rows, cols]
        return grid.sum(axis=0, dtype=grid.dtype)

    return PartSums(loss, rows.start, cols.start, cut(sums.burned), cut(sums.below),
                    cut(sums.arrival),
                    cut(sums.stopped) if sums.stopped.size else np.empty((0, 0), np.int64))


def _on_map(flat: NDArray, shape: tuple[int, int]) -> NDArray:
    """[..., P] as a padded map, a view."""
    return flat.reshape(*flat.shape[:-1], -1, padded_width(shape[1]))


def _near(tiles: Tiles, shape: tuple[int, int]) -> tuple[slice, slice]:
    """Rows and columns of the padded map that hold all tiles that are ready: fires burn, and are
    held, there alone.
    """
    if not tiles.ready.size:  # all of them are
        return slice(REACH, shape[0] + REACH), slice(REACH, shape[1] + REACH)
    ready = tiles.ready.reshape(-1, tiles.across) > 0
    found = []
    for axis, size in ((1, shape[0]), (0, shape[1])):
        own = np.flatnonzero(ready.any(axis=axis))
        found.append(slice(int(own[0]) * tiles.side + REACH,
                           min((int(own[-1]) + 1) * tiles.side, size) + REACH))
    return found[0], found[1]
