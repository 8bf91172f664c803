"""Bare ground that fire may cross: how wide it is.

A pixel of a road is 30 m of bare ground on a map, and 10 m on the ground. A road is what an opening
by 3 x 3 cells (Serra 1982) takes away from developed land (NB1) or from given barriers: strips one
or two cells wide, and corners of what is wider. All other bare ground is as wide as its cells are
together, west to east or north to south, whichever is less.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_opening, distance_transform_edt, label

from firebreak.landscape.landscape import NODATA, Landscape

ROAD_M = 10.0
"""Width of a road of which nobody said how wide it is. Assumed: two lanes with shoulders."""
WIDEST_M = 30.0
"""No flame crosses more. Assumed: twice the widest break of Wilson's data."""
FEWEST = 10
"""Cells side by side from which on fuel does not count as hemmed in. Assumed."""

Mask = NDArray[np.bool_]


def with_bare_widths(landscape: Landscape, barriers: Mask | None = None,
                     width_m: NDArray[np.float64] | None = None) -> Landscape:
    """The landscape with the width of its bare ground, `Landscape.bare_m`; itself if all of it is
    too wide for flames.

    Args:
        barriers: [H, W], cells of given barriers, which do not burn.
        width_m: [H, W], their width, nan where nobody said.
    """
    bare, size = bare_cells(landscape), landscape.cell_size_m
    together = np.minimum(*(run_of(bare, axis)[1] for axis in (0, 1))) * size
    lined = np.zeros(landscape.shape, np.bool_) if barriers is None else barriers
    if landscape.fuels.developed is not None:
        lined = lined | (landscape.fuel_model == landscape.fuels.developed)
    road = lined & ~binary_opening(lined, np.ones((3, 3)))
    width = np.where(road, np.minimum(ROAD_M, together), together)
    if width_m is not None:
        said = np.where(road, np.minimum(width_m, together), width_m)
        width = np.where(np.isnan(said), width, said)
    if landscape.bare_m is not None:
        width = np.where(landscape.bare_m > 0.0, landscape.bare_m, width)
    width = np.where(bare, width, 0.0)
    if not ((width > 0.0) & (width <= WIDEST_M)).any():
        return landscape
    return replace(landscape, bare_m=width.astype(np.float32))


def bare_cells(landscape: Landscape) -> Mask:
    """Cells of the data that do not burn."""
    bare: Mask = ~landscape.burnable & (landscape.fuel_model != NODATA)
    return bare


def hemmed_in(landscape: Landscape) -> Mask:
    """Cells that burn in pieces of fewer than `FEWEST` cells, side by side, with bare ground around
    them; pieces at the map's edge go on there.
    """
    pieces, count = label(landscape.burnable)
    sizes = np.bincount(pieces.ravel(), minlength=count + 1)
    edge = np.concatenate([pieces[0], pieces[-1], pieces[:, 0], pieces[:, -1]])
    small = sizes < FEWEST
    small[edge] = False
    small[0] = False
    hemmed: Mask = small[pieces]
    return hemmed


def with_starts_moved(landscape: Landscape) -> tuple[Landscape, int]:
    """The landscape whose fires start in the nearest cell that burns and is not hemmed in, and how
    many cells of starts moved; for fires that are burned again.
    """
    good = landscape.burnable & ~hemmed_in(landscape)
    weight = landscape.ignition_weight
    moved = np.flatnonzero((weight > 0.0) & ~good)
    if not moved.size or not good.any():
        return landscape, 0
    nearest = distance_transform_edt(~good, return_distances=False, return_indices=True)
    there = np.ravel_multi_index(tuple(nearest.reshape(2, -1)[:, moved]), landscape.shape)
    made = np.where(good, weight, 0.0).ravel()
    np.add.at(made, there, weight.ravel()[moved])
    return replace(landscape, ignition_weight=made.reshape(landscape.shape)), moved.size


def run_of(mask: Mask, axis: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number, by cell of a mask [H, W], of cells of it that come before along the axis, and how
    many there are side by side, itself included; both 0 elsewhere.
    """
    along = np.moveaxis(mask, axis, -1)
    place = np.arange(along.shape[-1])
    edge = np.zeros((*along.shape[:-1], 1), np.bool_)
    begins = along & ~np.concatenate([edge, along[..., :-1]], axis=-1)
    ends = along & ~np.concatenate([along[..., 1:], edge], axis=-1)
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, place[-1])[..., ::-1], axis=-1)[..., ::-1]
    before = np.where(along, place - first, 0)
    length = np.where(along, last - first + 1, 0)
    return np.moveaxis(before, -1, axis), np.moveaxis(length, -1, axis)
