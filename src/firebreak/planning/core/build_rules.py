"""Rules of a plan that is built of corridors: few pieces, none of them beside another."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse.csgraph import connected_components

from firebreak.landscape.candidates.corridor import Cells, Corridor
from firebreak.landscape.candidates.lines import narrow_ground
from firebreak.landscape.landscape import Landscape
from firebreak.planning.core.break_segments import CORNERS
from firebreak.planning.core.corridors import HA_A_PIECE, MORE_PIECES, Corridors, mask_of

BESIDE_M, BESIDE_CELLS = 90.0, 3
"""Two routes nearer than the larger of both run beside one another."""
MOST_BESIDE = 1.0 / 3.0
"""Share of a route that may run beside what is built, at most, and that must be new, at least."""


def near_to(breaks: NDArray[np.bool_], landscape: Landscape) -> NDArray[np.bool_]:
    """Cells [H, W] of breaks [H, W], and those so near that a route through them runs beside."""
    reach = max(BESIDE_CELLS, round(BESIDE_M / landscape.cell_size_m))
    found: NDArray[np.bool_] = ndimage.binary_dilation(breaks, CORNERS, reach)
    return found


def run_together(one: Corridor, other: Corridor, landscape: Landscape) -> bool:
    """True for two routes of which neither may be built after the other."""
    return not any(_is_apart(new.cells.size, new.cells[~np.isin(new.cells, old.cells)], near_to(
        mask_of([old], landscape.shape), landscape).ravel())
        for new, old in ((one, other), (other, one)))


def _is_apart(whole: int, cells: Cells, beside: NDArray[np.bool_]) -> bool:
    """False for a route of so many cells where those that are not built lie mostly beside what is
    built, mask of all cells, or are few.
    """
    return bool(cells.size >= MOST_BESIDE * whole
                and beside[cells].sum() <= MOST_BESIDE * cells.size)


class _Built(NamedTuple):
    """Masks of what is built, flat, of what lies beside it and of what touches it; its numbers of
    cells and pieces.
    """

    breaks: NDArray[np.bool_]
    beside: NDArray[np.bool_]
    touching: NDArray[np.bool_]
    cells: int
    pieces: int


class BuildRules:
    """The runs of corridors that may come next in a plan; all of them where it is not built of
    corridors one by one.
    """

    def __init__(self, lines: Corridors, landscape: Landscape) -> None:
        tried = list(lines.tried().values())
        self._land, self._lines = landscape, lines
        self.runs = [cells for _, cells in tried]
        self._places = [places for places, _ in tried]
        self._stretches: dict[tuple[int, ...], list[Cells]] = {}
        self._last: _Built | None = None
        if lines.routes:
            self._narrow = narrow_ground(landscape)
            self._strips = ndimage.label(self._narrow, CORNERS)[0]

    def paths(self) -> list[Cells]:
        """The cells along every run, see `Corridors.along`."""
        return [self._lines.along(places, self._land.shape[1]) for places in self._places]

    def allow(self, breaks: NDArray[np.bool_], cells: list[Cells]) -> NDArray[np.bool_]:
        """Mask of runs [N] that may come next.

        Args:
            breaks: [H, W], what is built.
            cells: of every run those that may be built and are not yet.
        """
        if not self._lines.routes:
            return np.ones(len(cells), np.bool_)
        built = self._built(breaks)
        return np.array([self._may(built, places, own) for places, own in zip(
            self._places, cells, strict=True)], np.bool_)

    def may_come_next(self, breaks: NDArray[np.bool_], run: int, cells: Cells) -> bool:
        """True for a run, by its number, that may come next; see `allow`."""
        return self.may_be_built(breaks, self._places[run], cells)

    def may_be_built(self, breaks: NDArray[np.bool_], places: Sequence[int], cells: Cells) -> bool:
        """True for corridors, by their places, that may come next as one; see `allow`."""
        return not self._lines.routes or self._may(self._built(breaks), tuple(places), cells)

    def too_many(self, breaks: NDArray[np.bool_]) -> float:
        """The pieces of what is built [H, W] beyond those that a plan of its hectares may have."""
        if not self._lines.routes:
            return 0.0
        built = self._built(breaks)
        return max(0.0, built.pieces - self._most_pieces(built.cells))

    def with_crossings(self, lines: Sequence[list[int]], gone: Sequence[int],
                       breaks: NDArray[np.bool_]) -> list[list[int]]:
        """Lines of flat cells with those cells of others that go which the corridor of each needs:
        where it crosses them, or joins them.

        breaks: [H, W], what is built before they go.
        """
        if not self._lines.routes:
            return list(lines)
        left, built = set(gone), breaks.ravel()
        whole = sorted((run.tolist() for run in self.runs
                        if built[run].all() and not left.isdisjoint(run.tolist())), key=len)
        found = []
        for line in lines:
            own = next((run for run in whole if set(run).issuperset(line)), line)
            more = [cell for cell in own if cell in left]
            left.difference_update(more)
            found.append(line + more)
        return found

    def _most_pieces(self, cells: int) -> float:
        return cells * self._land.cell_size_m**2 / 1e4 / HA_A_PIECE + MORE_PIECES

    def _built(self, breaks: NDArray[np.bool_]) -> _Built:
        """Narrow bare ground joins what it touches, as in the counts of a plan."""
        if self._last is not None and np.array_equal(self._last.breaks, breaks.ravel()):
            return self._last
        stretch = ndimage.label(breaks | self._narrow, CORNERS)[0]
        pieces = np.unique(stretch[breaks])
        self._last = _Built(
            breaks.ravel().copy(), near_to(breaks, self._land).ravel(),
            ndimage.binary_dilation(np.isin(stretch, pieces), CORNERS).ravel(),
            int(breaks.sum()), pieces.size)
        return self._last

    def _may(self, built: _Built, places: tuple[int, ...], cells: Cells) -> bool:
        return self._apart(built, places, cells) and self._few(built, places, cells)

    def _apart(self, built: _Built, places: tuple[int, ...], cells: Cells) -> bool:
        """False for routes and cuts that would mostly run beside what is built, together or one of
        several, or were mostly built.
        """
        some = [self._lines.corridors[k] for k in places]
        some = [own for own in some if own.kind in ("route", "cut")]
        if not all(self._stays_off(built, own) for own in some):
            return False
        return len(some) < len(places) or _is_apart(
            np.unique(np.concatenate([own.cells for own in some])).size, cells, built.beside)

    @staticmethod
    def _stays_off(built: _Built, own: Corridor) -> bool:
        new = own.cells[~built.breaks[own.cells]]
        return bool(built.beside[new].sum() <= MOST_BESIDE * own.cells.size)

    def _few(self, built: _Built, places: tuple[int, ...], cells: Cells) -> bool:
        """False for what makes more pieces than a plan of as many hectares may have."""
        more = sum(not built.touching[own].any() for own in self._stretches_of(places))
        return not more or built.pieces + more <= self._most_pieces(built.cells + cells.size)

    def _stretches_of(self, places: tuple[int, ...]) -> list[Cells]:
        """The cells of corridors, of those together that touch; a corridor is one piece, with bare
        ground on the way.
        """
        if places not in self._stretches:
            own = [self._lines.corridors[k].cells for k in places]
            self._stretches[places] = own if len(own) == 1 else _joined(own, self._strips)
        return self._stretches[places]


def _joined(parts: Sequence[Cells], strips: NDArray[np.int32]) -> list[Cells]:
    """Flat cells of parts, those together that touch, over narrow ground too.

    strips: number of each strip of narrow ground [H, W], 0 elsewhere.
    """
    near = [_around(own, strips.shape) for own in parts]
    names = [set(strips.ravel()[own].tolist()) - {0} for own in near]
    touch = [[not mine.isdisjoint(others) or bool(np.isin(around, other).any())
              for other, others in zip(parts, names, strict=True)]
             for around, mine in zip(near, names, strict=True)]
    count, piece = connected_components(np.array(touch))
    return [np.concatenate([own for own, k in zip(parts, piece, strict=True) if k == number])
            for number in range(count)]


def _around(cells: Cells, shape: tuple[int, ...]) -> Cells:
    """Flat cells and those that touch them, also at a corner."""
    row, col = (place[:, None] for place in np.divmod(cells, shape[1]))
    down, right = (step.ravel() for step in np.mgrid[-1:2, -1:2])
    return np.unique(np.clip(row + down, 0, shape[0] - 1) * shape[1]
                     + np.clip(col + right, 0, shape[1] - 1))
