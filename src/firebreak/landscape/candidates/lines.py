"""Candidate lines of a map: ridges, valleys, roads and edges of fuels.

They are what holds of fires are made of in practice (O'Connor, Calkin & Thompson 2017,
doi:10.1071/WF16135). Where they run is a matter of thresholds, which the user may move.
"""

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.landscape.candidates.corridor import Corridor, corridor_of
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.terrain import drained_cells

Kind = Literal["ridge", "valley", "road", "fuel-edge"]
KINDS: tuple[Kind, ...] = get_args(Kind)

BASIN_HA = 15.0
"""Land that drains through a valley's cell, or off a ridge's, at least."""
LEAST_M = 300.0
"""Length of a line, at least."""
PATCH_HA = 10.0
"""Patches of one kind of fuel have an edge from this size on."""
ROAD_CELLS = 1.5
"""Bare ground is a road where no cell of it is further than this from what burns."""
AROUND_M, STANDS_OUT = 270.0, 0.01
"""A ridge is above the mean of its surroundings, a valley below it, by this share of their width:
else water runs down an even slope, in parallel lines."""
_SMOOTH_M = 45.0  # of the relief: the scale of a ridge, not of a boulder
_KEPT_SMOOTH = 5  # cells along the side of the window in which the commonest kind of fuel counts

_AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # clockwise

Path = NDArray[np.int64]
"""Flat cells of a line in order; the first is the last of a ring too."""


def candidate_lines(landscape: Landscape, masks: Mapping[Kind, NDArray[np.bool_]],
                    least_m: float = LEAST_M) -> list[Corridor]:
    """Lines along masks of some kinds; see `masks_of`. But for roads they end where ground that
    does not burn is wider than a road: a lake or a field holds by itself.

    Args:
        least_m: a line is no shorter.
    """
    least = max(2, int(np.ceil(least_m / landscape.cell_size_m)))
    above = _above_surroundings(landscape).ravel()
    open_ = landscape.burnable | (landscape.fuel_model == NODATA) | narrow_ground(landscape)
    signs: dict[Kind, float] = {"ridge": 1.0, "valley": -1.0}
    found = []
    for kind, mask in masks.items():
        for path in paths_of(thinned(mask if kind == "road" else mask & open_), least):
            parts = [path] if kind not in signs else _standing_out(
                path, signs[kind] * above[path], round(AROUND_M / landscape.cell_size_m))
            for part in parts:
                line = corridor_of(without_corners(part, landscape.shape[1]), landscape, kind)
                if line.length_m >= least_m:
                    found.append(line)
    return found


def _standing_out(path: Path, height_m: NDArray[np.float64], around: int) -> list[Path]:
    """The parts of a path that stand out from their surroundings in the mean over so many cells of
    it; height_m: by how much each cell does.
    """
    there = ndimage.uniform_filter1d(height_m, max(around, 1), mode="nearest") >= (
        STANDS_OUT * AROUND_M)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(np.int8)))
    return [path[first:last] for first, last in ends.reshape(-1, 2)]


def without_corners(path: Path, width: int) -> Path:
    """A path without the cells that it passes between two that touch at a corner: a staircase is a
    diagonal, which holds as well and costs half. width: of the map.
    """
    kept: list[int] = []
    for cell in path.tolist():
        before = kept[-2] if len(kept) > 1 else cell
        if abs(before // width - cell // width) == 1 == abs(before % width - cell % width):
            kept.pop()
        kept.append(cell)
    return np.array(kept, np.int64)


def _above_surroundings(landscape: Landscape) -> NDArray[np.float64]:
    """Height of each cell above the mean of a square around it, m (topographic position,
    Weiss 2001).
    """
    side = max(3, round(AROUND_M / landscape.cell_size_m) | 1)
    elevation = landscape.elevation_m.astype(np.float64)
    return elevation - ndimage.uniform_filter(elevation, side)


def masks_of(landscape: Landscape, roads: NDArray[np.bool_] | None = None,
             basin_ha: float = BASIN_HA) -> dict[Kind, NDArray[np.bool_]]:
    """The cells along which each kind of line runs, bool [H, W].

    Args:
        roads: where they are known; else bare or built-up ground that is narrow.
        basin_ha: see BASIN_HA.
    """
    data = landscape.fuel_model != NODATA
    smooth = _SMOOTH_M / landscape.cell_size_m
    relief = ndimage.gaussian_filter(landscape.elevation_m.astype(np.float64), smooth)
    least = basin_ha * 1e4 / landscape.cell_size_m**2
    flat = bool(np.ptp(landscape.elevation_m[data]) == 0.0) if data.any() else True
    valley, ridge = (np.zeros(data.shape, np.bool_) if flat else
                     drained_cells(turned) >= least for turned in (relief, -relief))
    return {"ridge": ridge & data, "valley": valley & data,
            "road": narrow_ground(landscape) if roads is None else roads,
            "fuel-edge": fuel_edges(landscape)}


def narrow_ground(landscape: Landscape) -> NDArray[np.bool_]:
    """Ground that does not burn and is as narrow as a road; water is none."""
    water = [code for code, label in landscape.fuels.labels.items() if "water" in label.lower()]
    bare = ~landscape.burnable & (landscape.fuel_model != NODATA) & ~np.isin(
        landscape.fuel_model, water)
    inside = ndimage.distance_transform_edt(bare)
    wide = ndimage.binary_dilation(inside > ROAD_CELLS, np.ones((3, 3)), iterations=2)
    return bare & ~wide


def fuel_edges(landscape: Landscape) -> NDArray[np.bool_]:
    """Cells that burn beside fuel of another kind, patches that are small left aside: on the side
    whose kind comes later in `fuel_kinds`.
    """
    kinds = fuel_kinds(landscape)
    smooth = _commonest(kinds)
    least = PATCH_HA * 1e4 / landscape.cell_size_m**2
    for kind in np.unique(kinds).tolist():
        patches, count = ndimage.label(smooth == kind)
        sizes = np.bincount(patches.ravel(), minlength=count + 1)
        smooth[(sizes[patches] < least) & (patches > 0)] = -1
    edge, padded = np.zeros(kinds.shape, np.bool_), np.pad(smooth, 1, constant_values=-1)
    for axis in (0, 1):
        for step in (1, -1):
            other = np.roll(padded, step, axis)[1:-1, 1:-1]
            edge |= (smooth > other) & (other >= 0)
    return edge & landscape.burnable


def fuel_kinds(landscape: Landscape) -> NDArray[np.int64]:
    """The kind of fuel of each cell [H, W]: 0 for none, then grass, shrubs, timber litter, slash as
    far as the fuel system distinguishes them; what it does not is one kind.
    """
    found = np.zeros(landscape.shape, np.int64)
    fuels = landscape.fuels
    # A shaded treatment leaves the least load of the same kind: one code stands for a kind.
    kinds = {code: fuels.least_load(code) for code in fuels.burnable_codes.tolist()}
    order = {kind: place for place, kind in enumerate(sorted(set(kinds.values())), start=1)}
    for code, kind in kinds.items():
        found[landscape.fuel_model == code] = order[kind]
    return found


def _commonest(kinds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The commonest kind in a window around each cell; of equals the first."""
    known = np.unique(kinds)
    share = np.stack([ndimage.uniform_filter((kinds == kind).astype(np.float64), _KEPT_SMOOTH)
                      for kind in known.tolist()])
    return np.asarray(known[np.argmax(np.round(share, 9), axis=0)])


def thinned(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The skeleton of a mask [H, W] (Zhang & Suen 1984, doi:10.1145/357994.358023)."""
    out = np.pad(mask, 1)
    changed = True
    while changed:
        changed = False
        for first in (True, False):
            near = [np.roll(out, (-down, -right), (0, 1)) for down, right in _AROUND]
            count = np.sum(near, axis=0)
            turns = sum((~one & other) for one, other in zip(near, [*near[1:], near[0]],
                                                            strict=True))
            north, east, south, west = near[::2]
            a, b = ((north & east & south, east & south & west) if first
                    else (north & east & west, north & south & west))
            gone = out & (count >= 2) & (count <= 6) & (turns == 1) & ~a & ~b
            out &= ~gone
            changed |= bool(gone.any())
    return out[1:-1, 1:-1]


def paths_of(mask: NDArray[np.bool_], least: int) -> list[Path]:
    """The lines of a thin mask, from end or junction to end or junction: none of fewer than `least`
    cells. Spurs that are shorter are taken away first, so that what they part is one line.
    """
    neighbours = _neighbours(mask)
    touched = {cell: len(own) for cell, own in neighbours.items()}
    for path in _followed(neighbours):
        ends = {path[0], path[-1]}
        if len(path) < least and any(touched[cell] == 1 for cell in ends):
            for cell in path:
                if cell not in ends or touched[cell] == 1:
                    for other in neighbours.pop(cell):
                        neighbours.get(other, set()).discard(cell)
    return [np.array(path, np.int64) for path in _followed(neighbours) if len(path) >= least]


def _neighbours(mask: NDArray[np.bool_]) -> dict[int, set[int]]:
    """The cells that each cell of a mask touches, by corners only where not by edges around them.
    """
    cols, found = mask.shape[1], dict[int, set[int]]()
    padded = np.pad(mask, 1)
    for row, col in np.argwhere(mask).tolist():
        found[row * cols + col] = {
            (row + down) * cols + col + right for down, right in _AROUND
            if padded[row + 1 + down, col + 1 + right] and (not (down and right) or not (
                padded[row + 1 + down, col + 1] or padded[row + 1, col + 1 + right]))}
    return found


def _followed(neighbours: dict[int, set[int]]) -> list[list[int]]:
    """Every line between cells that have not two neighbours, then the rings that are left."""
    done: set[tuple[int, int]] = set()
    found = []

    def follow(start: int, then: int) -> list[int]:
        path = [start, then]
        done.update(((start, then), (then, start)))
        while len(neighbours[path[-1]]) == 2 and path[-1] != start:
            (onward,) = neighbours[path[-1]] - {path[-2]}
            done.update(((path[-1], onward), (onward, path[-1])))
            path.append(onward)
        return path

    ends = [cell for cell, own in neighbours.items() if len(own) != 2]
    for start in [*ends, *neighbours]:
        for then in sorted(neighbours[start]):
            if (start, then) not in done:
                found.append(follow(start, then))
    return found
