"""Counts that say whether crews can build a plan: its pieces, single cells, houses beside it, and
the ground that it lies on. The same for every plan, whatever it was made of.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from firebreak.checks import counted
from firebreak.landscape.candidates.corridor import Cells, Corridor
from firebreak.landscape.candidates.corridors.ground import GroundMaps, houses_of, within
from firebreak.landscape.candidates.lines import narrow_ground
from firebreak.landscape.landscape import Landscape, mask_of_cells
from firebreak.planning.core.break_segments import CORNERS
from firebreak.planning.core.corridors import HA_A_PIECE, MORE_PIECES

STEEP_TAN = 0.4


class Counts(NamedTuple):
    """pieces: connected parts, narrow bare ground between their cells included. single: pieces of
    one cell. houses: cells of houses that have a treated cell within their buffer; None where no
    houses are known. area_ha: treated. on_line: share of the treated cells on or beside a ridge or
    a road; steep: steeper than STEEP_TAN.
    """

    pieces: int
    single: int
    houses: int | None
    area_ha: float
    on_line: float
    steep: float

    @property
    def can_be_built(self) -> bool:
        """True for few pieces, none of a single cell, off the houses that are known."""
        return (not self.single and not self.houses
                and self.pieces <= self.area_ha / HA_A_PIECE + MORE_PIECES)


def counts_of(cells: NDArray[np.int64], land: Landscape, ground: GroundMaps,
              house_buffer_m: float, parts: Sequence[Corridor] = ()) -> Counts:
    """The counts of a plan of flat cells.

    Args:
        parts: that it was built of, each of which is of one piece, bare ground included.
    """
    mask = mask_of_cells(cells, land.shape)
    stretch = ndimage.label(mask | narrow_ground(land), CORNERS)[0].ravel()
    piece = _joined(stretch, [part.path for part in parts])[stretch[cells]]
    sizes = np.unique(piece, return_counts=True)[1]
    near = within(mask, max(house_buffer_m, 1e-9), land.cell_size_m)
    count, houses = max(cells.size, 1), houses_of(land)
    return Counts(
        sizes.size, int((sizes == 1).sum()),
        int((houses & near).sum()) if houses.any() else None,
        cells.size * land.cell_size_m**2 / 1e4,
        float((ground.ridge | ground.road).ravel()[cells].sum()) / count,
        float((land.slope_tan.ravel()[cells] > STEEP_TAN).sum()) / count)


def _joined(stretch: NDArray[np.int32], paths: Sequence[Cells]) -> NDArray[np.int32]:
    """The piece of each stretch [0 .. n], where paths of flat cells join stretches."""
    pairs = [pair for path in paths for pair in pairwise(np.unique(stretch[path]).tolist())
             if pair[0] > 0]
    one, other = np.array(pairs, np.int64).reshape(-1, 2).T
    count = int(stretch.max(initial=0)) + 1
    found: NDArray[np.int32] = connected_components(coo_array(
        (np.ones(one.size), (one, other)), shape=(count, count)))[1]
    return found


def words_of(name: str, counts: Counts) -> str:
    """A sentence on the counts of a plan."""
    houses = ("" if counts.houses is None else ", off houses" if not counts.houses else
              f", {counted(counts.houses, 'cell')} of houses within the buffer")
    verdict = "" if counts.can_be_built else "; it cannot be built as it is"
    return (f"{name}: {counted(counts.pieces, 'piece')} on {counts.area_ha:,.1f} ha, "
            f"{counted(counts.single, 'single cell')}{houses}; {counts.on_line:.0%} on or beside "
            f"ridges and roads, {counts.steep:.0%} steeper than {STEEP_TAN:.0%}{verdict}")
