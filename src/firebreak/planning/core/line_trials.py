"""Trials of lines of breaks on the plan fires of slot 0."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import gains_of_lines, trial_in_place
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.planning.core.limits import forever


class Trial(NamedTuple):
    """A line that was burned. cells: i64 [n], flat; saved: mean loss saved over its cost;
    burned: fires burned for it.
    """

    cells: NDArray[np.int64]
    saved_per_cost: float
    burned: int


def try_lines(problem: Problem, slots: ProblemBatch, lines: Sequence[NDArray[np.int64]],
              go_on: Callable[[], bool] = forever) -> list[Trial]:
    """Savings by the available ones of each line's flat cells, alone, of slot 0's plan fires, which
    are the problem's. Where every trial burns its fires anew, those of the first lines, as long as
    it may go on.
    """
    if not trial_in_place(slots, 0):
        return [try_line(problem, slots, line) for line in takewhile(lambda _: go_on(), lines)]
    available, cost = slots.available[0].ravel(), problem.scene.landscape.cost.ravel()
    new = [line[available[line]] for line in lines]
    saved, burned = gains_of_lines(slots, 0, new)
    return [Trial(cells, float(saved[k]) / float(cost[cells].astype(np.float64).sum()),
                  int(burned[k])) if cells.size else Trial(cells, 0.0, 0)
            for k, cells in enumerate(new)]


def try_line(problem: Problem, slots: ProblemBatch, cells: NDArray[np.int64],
             fires: NDArray[np.bool_] | None = None) -> Trial:
    """Saving by the available ones of flat `cells` of slot 0's plan fires, which are the problem's:
    those that they may change are burned. fires: bool [F], which count; None: all.
    """
    trees, first = slots.plan_trees(0), slots.plan_ids(0).start
    new = cells[slots.available[0].ravel()[cells]]
    may = slots.depending_on(0, new).astype(np.bool_)
    which = np.flatnonzero(may if fires is None else may & fires)
    cost = float(problem.scene.landscape.cost.ravel()[new].astype(np.float64).sum())
    if which.size == 0:
        return Trial(new, 0.0, 0)
    slots.write_breaks(0, new, broken=True)
    loss = slots.fires.loss_anew(first + which, slots.fields, slots.overlays)
    slots.write_breaks(0, new, broken=False)
    saved = float((trees.loss[which] - loss).sum()) / trees.loss.size
    return Trial(new, saved / cost, which.size)
