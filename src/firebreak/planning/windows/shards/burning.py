"""The fires of a shard, kept burning: each in a place of its own in storage, which holds every cell
of the shard; or, where places are fewer, all but a few put aside in the boxes that they burned.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.fire import REACH, UNBURNED, Fires, padded_cells, padded_width, unpad

NEARBY = 2 * REACH
"""Cells between a break and what a fire burned within which the break may change it."""

Side = tuple[slice, slice]


class BurningFires:
    """Fires that burn under the breaks of the only slot of some storage, which holds their scene.

    Args:
        slots: without plan fires; its reward fires are the places.
        fires: of the slot's scene, any number.
        sides: rows and columns in which no fire should burn, since what lies beyond is cut off.

    Attributes:
        loss: f64 [n], of each fire.
        beyond: whether a fire burned there.
    """

    def __init__(self, slots: ProblemBatch, fires: Fires, sides: Sequence[Side]) -> None:
        count, places = fires.source.size, slots.sizes.reward_fires
        self._slots, self._sides = slots, sides
        self._rules = slots.problem(0).scene.field.breaks
        self._waits = places < count
        self._fire_at = np.full(places, -1, np.int64)
        self._box = np.zeros((count, 4), np.int64)
        self._looked_at = slots.fires.affected.copy()
        self.loss, self.beyond = np.zeros(count), False
        for some in self._groups(np.arange(count)):
            self._make_room(places)
            slots.fires.load(slots.reward_ids(0), fires.part(some), 0,
                             slots.problem(0).scene.field)
            self._fire_at[:some.size] = some
            self._burn(np.arange(some.size))

    def break_lines(self, lines: Sequence[NDArray[np.int64]]) -> None:
        """Breaks lines of flat cells that are available, and burns what that changes."""
        near, cols = self._near(lines), self._slots.sizes.shape[1]
        waiting = np.setdiff1d(np.flatnonzero(near.any(axis=1)), self._fire_at)
        cells = np.concatenate([np.empty(0, np.int64), *lines])
        # What is available is known without looking at every cell, since money is no object here.
        self._slots.write_breaks(0, cells, broken=True)
        self._slots.available[0].ravel()[cells] = False
        self._mark(padded_cells(cells, cols))
        self._burn(np.empty(0, np.int64))
        for some in self._groups(waiting):
            places, which = self._places_of(some), np.flatnonzero(near[some].any(axis=0))
            if self._rules.strips:
                self._slots.fires.burns_anew(places)
            else:
                self._mark(padded_cells(np.concatenate([lines[k] for k in which.tolist()]), cols))
            self._burn(places)

    def _mark(self, breaks: NDArray[np.int64]) -> None:
        """Mark the fires in their places that new breaks in padded cells may change."""
        fires = self._slots.fires
        if self._rules.acts_nearby:
            for place in breaks.tolist():
                fires.changes_at(0, place)
            return
        fires.breaks_at(np.zeros(breaks.size, np.int64), breaks)
        for place in breaks.tolist() if self._rules.strips else ():
            fires.starts_at(0, place)

    def tried(self, lines: Sequence[NDArray[np.int64]], fires: Sequence[NDArray[np.int64]], *,
              standing: bool = False,
              ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]]:
        """Fires group by group, in order, for trials of lines, each on some fires: their numbers
        and places, i64 [m], and whether to try each line on each, bool [m, lines].

        standing: the lines are broken, and are tried by taking them away.
        """
        wanted = np.zeros((self.loss.size, len(lines)), np.bool_)
        for line, some in enumerate(fires):
            wanted[some, line] = True
        if not (standing and self._has_embers()):  # which land where a break goes from anywhere
            wanted &= self._near(lines)
        for some in self._groups(np.flatnonzero(wanted.any(axis=1))):
            yield some, self._places_of(some), wanted[some]

    def put_all_aside(self) -> None:
        """Put every fire in the box that it burned."""
        self._waits = True
        self._make_room(self._fire_at.size)

    def _has_embers(self) -> bool:
        return self._slots.problem(0).scene.field.spots.cells.size > 0

    def _groups(self, fires: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        size = max(self._fire_at.size, 1)
        for first in range(0, fires.size, size):
            yield fires[first:first + size]

    def _near(self, lines: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Fires that lines may change, bool [n, lines]: by the boxes of those put aside."""
        width = padded_width(self._slots.sizes.shape[1])
        near = np.zeros((self.loss.size, len(lines)), np.bool_)
        near[self._fire_at[self._fire_at >= 0]] = True
        if not self._waits:
            return near
        top, left, bottom, right = self._box.T
        for number, cells in enumerate(lines):
            if cells.size:
                row, col = np.divmod(padded_cells(cells, self._slots.sizes.shape[1]), width)
                near[:, number] |= ((top <= row.max() + NEARBY) & (bottom > row.min() - NEARBY)
                                    & (left <= col.max() + NEARBY) & (right > col.min() - NEARBY))
        return near

    def _burn(self, places: NDArray[np.int64]) -> None:
        """Burns what is stale; places: of fires that may have changed besides."""
        self._slots.update(SLOT_0)
        fires = self._slots.fires
        changed = np.union1d(places, np.flatnonzero(fires.affected != self._looked_at))
        changed = changed[self._fire_at[changed] >= 0]
        self._looked_at = fires.affected.copy()
        self.loss[self._fire_at[changed]] = fires.loss[changed]
        code = unpad(fires.code, self._slots.sizes.shape)
        self.beyond |= any(bool((code[(changed, *side)] != UNBURNED).any())
                           for side in self._sides)

    def _places_of(self, some: NDArray[np.int64]) -> NDArray[np.int64]:
        """Places of fires in storage, no more of them than places; others make room."""
        if not self._waits:
            return some
        away = np.setdiff1d(some, self._fire_at)
        self._make_room(away.size, some)
        for fire, place in zip(away.tolist(), np.flatnonzero(self._fire_at < 0).tolist(),
                               strict=False):
            self._slots.fires.bring_back(place, fire)
            self._fire_at[place] = fire
        order = np.argsort(self._fire_at)
        return order[np.searchsorted(self._fire_at, some, sorter=order)]

    def _make_room(self, count: int, stay: NDArray[np.int64] = SLOT_0[:0]) -> None:
        """Puts fires aside, but for those that stay, until so many places are free."""
        taken = np.flatnonzero((self._fire_at >= 0) & ~np.isin(self._fire_at, stay))
        free = int((self._fire_at < 0).sum())
        embers = self._has_embers()
        for place in taken[:max(count - free, 0)].tolist():
            fire = int(self._fire_at[place])
            top, left, bottom, right = self._box[fire].tolist()
            known = (top, left, bottom, right) if bottom and not embers else None
            self._box[fire] = self._slots.fires.put_aside(place, fire, known)
            self._fire_at[place] = -1
