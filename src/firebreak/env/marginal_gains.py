"""Gains of all candidate breaks, kept while breaks come and go: what an exact greedy asks for."""

import numpy as np
from numpy.typing import NDArray

from firebreak.env.slots import Slots
from firebreak.env.what_if import savings


class MarginalGains:
    """What each of some cells alone would save of each plan fire of a slot.

    After a break has come or gone and `Slots.update` has burned what that changes, `refresh` tries
    the breaks again on those fires alone that burn close to it. It holds 8 bytes per plan fire and
    cell.
    """

    def __init__(self, slots: Slots, slot: int, cells: NDArray[np.int64]) -> None:
        """cells: flat, i64 [n]."""
        self._slots, self._slot, self._cells = slots, slot, cells
        problem = slots.problems[slot]
        assert problem is not None, "slot used before load"
        self._count = problem.plan_fires.source.size
        self._saved = np.zeros((self._count, cells.size), np.int64)
        self._total = np.zeros(cells.size, np.int64)
        self._beyond = np.ones(self._count, np.bool_)
        self._concerned = np.full(self._count, -1, np.int64)
        self._moves = -1

    def refresh(self) -> NDArray[np.float64]:
        """Gains f64 [n] as things stand now, with the bits of `what_if.gains`."""
        concerned = self._slots.concerned(self._slot)[:self._count]
        moves = int(self._slots.moves[self._slot])
        if moves != self._moves:
            # A fire that some break lets burn new cells may meet the change there.
            again = (concerned != self._concerned) | self._beyond
            self._try_again(np.flatnonzero(again))
            self._moves, self._concerned = moves, concerned.copy()
        unit = self._slots.loss_unit(self._slot)
        return self._total / (unit * max(self._count, 1))

    def _try_again(self, fires: NDArray[np.int64]) -> None:
        saved, beyond = savings(self._slots, self._slot, self._cells, fires)
        self._total += (saved - self._saved[fires]).sum(axis=0)
        self._saved[fires], self._beyond[fires] = saved, beyond
