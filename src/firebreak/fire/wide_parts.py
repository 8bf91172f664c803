"""The fires of a wide scene in parts, which can burn anywhere: their sums are whole numbers, so
parts added in any order have the bits of all fires burned together.

A part holds fires of one weather that start on a strip of the map, and its sums are those of the
rows and columns that its fires came near.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fires import Fires
from firebreak.fire.solver.statistics_kernel import Sums, Tiles
from firebreak.fire.sums import BurnStatistics, statistics_of
from firebreak.fire.travel.stencil import REACH
from firebreak.fire.travel.travel_field import padded_width
from firebreak.fire.wide_scene import WideScene, nothing_summed, sum_wide

STRIP_CELLS, PART_FIRES = 4_000_000, 1024
"""Cells of a strip, about, and fires of a part, at most: what comes back of a part is some 30 bytes
for each cell of a strip."""


class PartSums(NamedTuple):
    """What fires, i64 [N] by number, lost, f64 [N], and their sums on a rectangle of the padded
    map, which begins at row `top` and column `left`: burned i32 [C, h, w]; below, arrival i64
    [h, w]; stopped i32 [h, w], or without cells where nobody holds breaks.
    """

    which: NDArray[np.intp]
    loss: NDArray[np.float64]
    top: int
    left: int
    burned: NDArray[np.int32]
    below: NDArray[np.int64]
    arrival: NDArray[np.int64]
    stopped: NDArray[np.int32]


def parts_of(fires: Fires, shape: tuple[int, int]) -> list[NDArray[np.intp]]:
    """The fires of each part by number, each in one part; shape: (H, W) of the map."""
    _, cols = shape
    strip = fires.source // cols // max(1, STRIP_CELLS // cols)
    order = np.lexsort((np.arange(strip.size), strip, fires.scenario))
    same = np.stack([fires.scenario, strip])[:, order]
    ends = np.flatnonzero((np.diff(same, axis=1) != 0).any(axis=0)) + 1
    return [part[first:first + PART_FIRES] for part in np.split(order, ends)
            for first in range(0, part.size, PART_FIRES)]


def burn_part(scene: WideScene, fires: Fires, which: NDArray[np.intp],
              breaks: NDArray[np.bool_] | None = None) -> PartSums:
    """Burns the fires of one part of `fires`."""
    made = sum_wide(scene, fires, which, breaks)
    shape = scene.landscape.shape
    rows, cols = _near(made.tiles, shape)

    def cut(parts: NDArray) -> NDArray:
        grid = _on_map(parts, shape)[..., rows, cols]
        return grid.sum(axis=0, dtype=grid.dtype)

    sums = made.sums
    return PartSums(which, made.loss[which], rows.start, cols.start, cut(sums.burned),
                    cut(sums.below), cut(sums.arrival),
                    cut(sums.stopped) if sums.stopped.size else np.empty((0, 0), np.int32))


def statistics_of_parts(scene: WideScene, fires: Fires, breaks: NDArray[np.bool_] | None,
                        parts: Iterable[PartSums]) -> BurnStatistics:
    """The statistics over all fires from those of all parts, with the bits of
    `burn_wide_statistics`.
    """
    total = nothing_summed(scene, fires, breaks)
    for part in parts:
        _add(total.sums, part, scene.landscape.shape)
        total.loss[part.which] = part.loss
    return statistics_of(total.sums, total.loss, total.value, scene.landscape.shape)


def _add(sums: Sums, part: PartSums, shape: tuple[int, int]) -> None:
    rows, cols = (slice(first, first + size) for first, size in zip(
        (part.top, part.left), part.below.shape, strict=True))
    for whole, own in ((sums.burned, part.burned), (sums.below, part.below),
                       (sums.arrival, part.arrival), (sums.stopped, part.stopped)):
        if whole.size:
            _on_map(whole, shape)[0][..., rows, cols] += own


def _on_map(flat: NDArray, shape: tuple[int, int]) -> NDArray:
    """[..., P] as a padded map, a view."""
    return flat.reshape(*flat.shape[:-1], -1, padded_width(shape[1]))


def _near(tiles: Tiles, shape: tuple[int, int]) -> tuple[slice, slice]:
    """Rows and columns of the padded map that hold all tiles that are ready: fires burn there
    alone.
    """
    ready = tiles.ready.reshape(-1, tiles.across) > 0
    found = []
    for axis, size in ((1, shape[0]), (0, shape[1])):
        own = np.flatnonzero(ready.any(axis=axis))
        found.append(slice(int(own[0]) * tiles.side + REACH,
                           min((int(own[-1]) + 1) * tiles.side, size) + REACH))
    return found[0], found[1]
