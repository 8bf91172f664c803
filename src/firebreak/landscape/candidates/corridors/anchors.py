"""The places that a corridor is tied to: where roads meet ridges, edges of wide bare ground,
junctions of ridges, the rim of what may be treated; and between them ground near houses.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.landscape.candidates.corridor import Anchor
from firebreak.landscape.candidates.corridors.ground import GroundMaps, beside
from firebreak.landscape.landscape import NODATA, Landscape

APART_M, APART_NEAR_M, NEAR_M = 750.0, 400.0, 1500.0
"""Distance between anchors; and between those nearer to a house than the last number."""
CLOSE_M = 2000.0
"""Distance from houses up to which ground without anything to tie to has anchors too."""

BARE, RIM, JUNCTION, ROAD_RIDGE = "bare ground", "rim", "ridge junction", "road on a ridge"
ROAD, RIDGE, OPEN = "road", "ridge", "open ground"

_AROUND = np.ones((3, 3), np.bool_)


def anchors_of(land: Landscape, ground: GroundMaps, closer: float = 1.0) -> list[Anchor]:
    """Anchors on a map, those of a better kind first; of a kind those near houses first.

    closer: share of the distances APART_M and APART_NEAR_M that they keep.
    """
    may = land.treatable & ~ground.near_houses
    open_ = may | (~land.burnable & (land.fuel_model != NODATA) & ~ground.near_houses
                   & (ground.wide == 0))
    touching = ndimage.convolve(ground.on_ridge.astype(np.int8), np.ones((3, 3), np.int8),
                                mode="constant") - 1
    rim = ndimage.binary_dilation(land.burnable & ~land.treatable, _AROUND)
    rim[[0, -1]] = True
    rim[:, [0, -1]] = True
    near = ground.house_m < CLOSE_M
    kinds = {ROAD_RIDGE: ground.road & ground.ridge & open_, BARE: may & beside(ground.wide > 0),
             JUNCTION: ground.on_ridge & (touching != 2) & may, ROAD: ground.road & open_,
             RIM: rim & may, RIDGE: near & ground.ridge & may, OPEN: near & may}
    size = land.cell_size_m
    apart = closer * np.where(ground.house_m < NEAR_M, APART_NEAR_M, APART_M) / size
    # The cells within reach of an offset, by how far it is.
    reach = int(APART_M / size) + 1
    offset = np.mgrid[-reach:reach + 1, -reach:reach + 1]
    distance = np.hypot(*offset)
    nearest = np.pad(np.full(land.shape, np.inf), reach, constant_values=np.inf)
    found: list[Anchor] = []
    for kind, mask in kinds.items():
        cells = np.flatnonzero(mask)
        for cell in cells[np.argsort(ground.house_m.ravel()[cells], kind="stable")].tolist():
            row, col = divmod(cell, land.shape[1])
            if nearest[row + reach, col + reach] > apart[row, col]:
                found.append(Anchor(cell, kind))
                window = nearest[row:row + 2 * reach + 1, col:col + 2 * reach + 1]
                np.minimum(window, distance, out=window)
    return found


def kind_at(cell: int, land: Landscape, ground: GroundMaps) -> str:
    """The kind of anchor of a corridor that ends in a flat cell."""
    kinds = {ROAD: ground.road, BARE: beside(ground.wide > 0), RIDGE: ground.ridge,
             RIM: beside(land.burnable & ~land.treatable)}
    return next((kind for kind, mask in kinds.items() if mask.ravel()[cell]), OPEN)


def neighbours_of(anchors: list[Anchor], land: Landscape, least_m: float, near_m: float,
                  most_m: float) -> NDArray[np.int64]:
    """Pairs of anchors [n, 2] to join, the lower place first: in each of eight sectors around an
    anchor the three nearest up to `near_m` and the nearest beyond, none nearer than `least_m`.
    """
    from scipy.spatial import cKDTree

    place = np.stack(np.divmod(np.array([own.cell for own in anchors], np.int64), land.shape[1]),
                     axis=1) * land.cell_size_m
    found: set[tuple[int, int]] = set()
    for k, others in enumerate(cKDTree(place).query_ball_point(place, most_m)):
        around = np.array([one for one in others if one != k], np.int64)
        down, right = (place[around] - place[k]).T
        away = np.hypot(down, right)
        sector = (np.degrees(np.arctan2(down, right)) % 360.0 // 45.0).astype(np.int64)
        order = np.lexsort((around, away))
        for eighth in range(8):
            own = order[(sector[order] == eighth) & (away[order] >= least_m)]
            chosen = [*own[away[own] <= near_m][:3], *own[away[own] > near_m][:1]]
            found.update((min(k, other), max(k, other)) for other in around[chosen].tolist())
    return np.array(sorted(found), np.int64).reshape(-1, 2)
