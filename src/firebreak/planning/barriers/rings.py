"""Rings: closed barriers around clusters of value, each the easiest to build within a distance.

A cut of the whole map is cheapest wherever it runs, and knows no crews: they hold a length of line
of each fire, so a short barrier close by may save more than a long one far off. Narrow bare ground
is part of a ring, though fire may cross it: burning decides what a ring is worth.
"""

from collections.abc import Iterator

import numpy as np
from scipy import ndimage

from firebreak.landscape.candidates.corridor import Corridor, corridor_of, length_of
from firebreak.landscape.candidates.corridors.ground import GroundMaps
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.planning.barriers.cut import CORNERS, Cells, Floats, Mask, Network, Stakes
from firebreak.planning.barriers.pieces import by_number, in_order

APART_M = (150.0, 400.0, 1000.0)
"""Value nearer to other value than this is of one cluster, at each scale."""
WITHIN_M = (150.0, 300.0, 540.0, 900.0)
"""Distances from its cluster within which a ring runs."""
LEAST_CELLS = 3.0
"""That distance in cells, at least."""
PARTS = (1.0, 2.0, 4.0)
"""Lengths of the parts of a ring that are offered by themselves, in shortest ones."""


def rings_around(value: Mask, land: Landscape, ground: GroundMaps, *,
                 least_m: float, leak: bool) -> list[Corridor]:
    """Rings around clusters of value, and parts of each, which lie where fires may come from.

    Args:
        value: bool [H, W], what is shut in.
        least_m: no part is shorter.
    """
    may = land.treatable & ~ground.near_houses
    bare = ~land.burnable & (land.fuel_model != NODATA) & (ground.wide == 0)
    cost = np.where(may | bare, ground.surface, np.inf)
    open_, found = (land.burnable | bare), dict[bytes, Corridor]()
    for cluster in _clusters(value, land.cell_size_m):
        for within_m in WITHIN_M:
            cells = _ring(cluster, open_, cost, max(within_m / land.cell_size_m, LEAST_CELLS), leak)
            for path in _whole_and_parts(cells, land, least_m, leak):
                own = corridor_of(path, land, "cut")
                if own.cells.size:
                    found.setdefault(own.cells.tobytes(), own)
    return list(found.values())


def _clusters(value: Mask, cell_size_m: float) -> list[Cells]:
    """Clusters at every scale, flat cells, none twice."""
    cells, found = np.flatnonzero(value), dict[bytes, Cells]()
    if cells.size:
        away = ndimage.distance_transform_edt(~value)
        for apart_m in APART_M:
            number = ndimage.label(away <= max(apart_m / 2.0 / cell_size_m, 1.0), CORNERS)[0]
            for own in by_number(cells, number.ravel()[cells]):
                found.setdefault(own.tobytes(), own)
    return list(found.values())


def _ring(cluster: Cells, open_: Mask, cost: Floats, within: float, leak: bool) -> Cells:
    """Flat cells of the cheapest barrier within so many cells of a cluster, or none."""
    rows, cols = np.divmod(cluster, open_.shape[1])
    reach = int(within) + 3
    part = (slice(max(int(rows.min()) - reach, 0), int(rows.max()) + reach + 1),
            slice(max(int(cols.min()) - reach, 0), int(cols.max()) + reach + 1))
    own = np.zeros_like(open_[part])
    own[rows - part[0].start, cols - part[1].start] = True
    away = ndimage.distance_transform_edt(~own)
    outside = open_[part] & (away > within)
    near = open_[part] & (away <= within + 2.0) | own
    if not outside.any():
        return np.empty(0, np.int64)
    nothing = np.zeros(own.shape)
    network = Network(Stakes(near, np.where(outside, np.inf, cost[part]), own.astype(np.float64),
                             outside & near, nothing, leak))
    cut = network.cut(network.most_willing())
    if cut.lost > 0.0:
        return np.empty(0, np.int64)
    row, col = np.divmod(cut.cells, own.shape[1])
    return np.asarray((row + part[0].start) * open_.shape[1] + col + part[1].start)


def _whole_and_parts(cells: Cells, land: Landscape, least_m: float,
                     leak: bool) -> Iterator[Cells]:
    """The cells of a ring in order along it, and parts of its longest path, none shorter than
    `least_m`; a path that the map's edge or wide bare ground ends has no part over its end.
    """
    if not cells.size:
        return
    paths = in_order(cells, land.shape, leak=leak)
    if length_of(whole := np.concatenate(paths), land) >= least_m:
        yield whole
    path = max(paths, key=len)
    rows, cols = np.divmod(path[[0, -1]], land.shape[1])
    is_closed = max(np.ptp(rows), np.ptp(cols)) <= 1
    around = np.concatenate([path, path]) if is_closed else path
    for share in PARTS:
        count = int(np.ceil(share * least_m / land.cell_size_m))
        if count <= 0.75 * path.size:
            for first in range(0, min(path.size, around.size - count + 1), max(count // 2, 1)):
                yield around[first:first + count]
