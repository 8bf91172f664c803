"""The rating of corridors by a policy: each is taken apart into straight lines that it values, the
longest first, and is worth the mean of their values per cell. That chooses which corridors are
burned; burning decides.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.landscape.candidates.corridor import Cells
from firebreak.line_actions import COMPASS, LINE_LENGTHS, line_steps, shape_number
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.rounds import spendable

_LONGEST_FIRST = (*reversed(LINE_LENGTHS), 1)


class GivenRating:
    """The runs of given lines, as lines that a policy values."""

    def __init__(self, lines: Corridors, shape: tuple[int, int], joined: bool) -> None:
        """shape: of the map. joined: as `line_steps`."""
        self.runs = lines.runs()
        actions = [straight_actions(run, shape, joined) for run in self.runs]
        self._action = np.array([one for own in actions for one, _ in own], np.int64)
        self._size = np.array([size for own in actions for _, size in own], np.float64)
        self._run = np.repeat(np.arange(len(actions)), [len(own) for own in actions])

    def best(self, slots: ProblemBatch, values: NDArray[np.float32], most: int,
             most_shared: float) -> tuple[list[Cells], list[float]]:
        """Runs that can be paid for and are worth most, by what the policy says of all actions [A],
        and what each is worth: cells that are not broken, best first.

        Args:
            most: how many.
            most_shared: of the cells of the longer of two runs, how many both may have: a run may
                stand beside its halves.
        """
        problem = slots.problem(0)
        land = problem.scene.landscape
        free = (land.treatable & ~slots.breaks[0]).ravel()
        cost = land.cost.ravel().astype(np.float64)
        left = spendable(float(slots.budget_left[0]))
        worth = self._worth(values)
        chosen: list[Cells] = []
        own: list[float] = []
        for k in np.argsort(-worth, kind="stable").tolist():
            cells = self.runs[k][free[self.runs[k]]]
            if not cells.size or cost[cells].sum() > left or any(
                    np.isin(cells, other).sum() > most_shared * max(cells.size, other.size)
                    for other in chosen):
                continue
            chosen.append(cells)
            own.append(float(worth[k]))
            if len(chosen) == most:
                break
        return chosen, own

    def _worth(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Mean value per cell of each run; pieces that may not be built count 0."""
        own = values[self._action].astype(np.float64)
        total = np.bincount(self._run, np.where(np.isfinite(own), own, 0.0) * self._size,
                            len(self.runs))
        return total / np.maximum(np.bincount(self._run, self._size, len(self.runs)), 1.0)


def straight_actions(cells: Cells, shape: tuple[int, int],
                     joined: bool) -> list[tuple[int, int]]:
    """Line actions that cover a row of cells one after the other, the longest that fits each time:
    (action, its cells).
    """
    known = _known(joined)
    places = np.stack(np.divmod(cells, shape[1]), axis=1)
    found, at = [], 0
    while at < cells.size:
        for length in _LONGEST_FIRST:
            part = places[at:at + length]
            hit = known.get((part - part[0]).tobytes()) if len(part) == length else None
            if hit is not None:
                number, middle = hit
                found.append((number * shape[0] * shape[1] + int(cells[at + middle]), length))
                at += length
                break
    return found


@cache
def _known(joined: bool) -> dict[bytes, tuple[int, int]]:
    """Shape and place of the middle by the steps of a row of cells from its first, either way."""
    found = {np.zeros((1, 2), np.int64).tobytes(): (0, 0)}
    for place, direction in enumerate(COMPASS):
        for length in LINE_LENGTHS:
            steps = line_steps(direction, length, joined)
            number = int(shape_number(np.array(place), np.array(length)))
            found.setdefault(np.ascontiguousarray(steps - steps[0]).tobytes(),
                             (number, length // 2))
            back = np.ascontiguousarray(steps[::-1] - steps[-1])
            found.setdefault(back.tobytes(), (number, length - 1 - length // 2))
    return found
