"""Rules of a plan that is built of corridors: few pieces, none of them beside another."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from firebreak.landscape.candidates.corridor import Cells
from firebreak.landscape.candidates.lines import narrow_ground
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.break_segments import CORNERS
from firebreak.planning.core.corridors import HA_A_PIECE, MORE_PIECES, Corridors

BESIDE_M, BESIDE_CELLS = 90.0, 3
"""Two routes nearer than the larger of both run beside one another."""
MOST_BESIDE = 1.0 / 3.0
"""Share of a route that may run beside what is built, at most, and that must be new, at least."""


def near_to(breaks: NDArray[np.bool_], landscape: Landscape) -> NDArray[np.bool_]:
    """Cells [H, W] of breaks [H, W], and those so near that a route through them runs beside."""
    reach = max(BESIDE_CELLS, round(BESIDE_M / landscape.cell_size_m))
    found: NDArray[np.bool_] = ndimage.binary_dilation(breaks, CORNERS, reach)
    return found


class BuildRules:
    """The runs of corridors that may come next in a plan; all of them where it is not built of
    corridors one by one.
    """

    def __init__(self, lines: Corridors, landscape: Landscape) -> None:
        self._land, self._lines, self.runs = landscape, lines, lines.runs()
        if lines.routes:
            self._narrow = narrow_ground(landscape)
            on = (lines.mask(landscape.shape, "route") | lines.mask(landscape.shape, "cut")).ravel()
            self._routes = [bool(on[run].all()) for run in self.runs]

    def allow(self, breaks: NDArray[np.bool_], cells: list[Cells]) -> NDArray[np.bool_]:
        """Mask of runs [N] that may come next.

        Args:
            breaks: [H, W], what is built.
            cells: of every run those that may be built and are not yet.
        """
        if not self._lines.routes or not breaks.any():
            return np.ones(len(cells), np.bool_)
        return self._apart(breaks, cells) & self._few(breaks, cells)

    def _apart(self, breaks: NDArray[np.bool_], cells: list[Cells]) -> NDArray[np.bool_]:
        """False by run for a route or cut that would mostly run beside what is built, or was mostly
        built.
        """
        near = near_to(breaks, self._land).ravel()
        return np.array([not route or (
            own.size >= MOST_BESIDE * run.size and float(near[own].mean()) <= MOST_BESIDE)
            for route, own, run in zip(self._routes, cells, self.runs, strict=True)], np.bool_)

    def _few(self, breaks: NDArray[np.bool_], cells: list[Cells]) -> NDArray[np.bool_]:
        """False for a run that makes one more piece than a plan of as many hectares may have;
        narrow bare ground joins what it touches, as in the counts of a plan.
        """
        stretch = ndimage.label(breaks | self._narrow, CORNERS)[0]
        pieces = np.unique(stretch[breaks])
        near = ndimage.binary_dilation(np.isin(stretch, pieces), CORNERS).ravel()
        built, cell_ha = int(breaks.sum()), self._land.cell_size_m**2 / 1e4
        return np.array([
            pieces.size + (not near[own].any()) <= (built + own.size) * cell_ha / HA_A_PIECE
            + MORE_PIECES for own in cells], np.bool_)
