"""Search by lines: a plan is a list of lines, and a move replaces one to three whole lines.

A line that closes a gap saves nothing once one of its cells is gone, so a move that takes single
cells away seldom leads to another line. Here a move removes lines that lie near one another and has
the freed budget spent on other lines; a plan that loses a little more than the best may be kept for
a while, and the best plan seen is left: it is never worse on the plan fires than the start.

Sources: Shaw (1998), doi:10.1007/3-540-49481-2_30, for taking away what lies together; Dueck
(1993), doi:10.1006/jcph.1993.1010, for how much may be lost.
"""

from collections.abc import Callable, Sequence

import numpy as np

from firebreak.planning.core.limits import Effort
from firebreak.planning.search.plan_state import PlanState

Line = list[int]
"""Flat cells of a line that were broken with it."""

MAX_REMOVED = 3
"""Lines that one move takes away at most."""

BLUR = 6.0
"""Cells by which the nearness of lines is blurred, so that moves from one line differ."""

MAY_LOSE = 0.02
"""Share of the best loss by which the current plan may be worse than the best."""

_HELPS = 1e-9  # relative; less is rounding


def move_lines(state: PlanState, lines: Sequence[Line], refill: Callable[[list[Line]], list[Line]],
               effort: Effort, rng: np.random.Generator) -> list[Line]:
    """Moves lines until the limit is reached; leaves the best plan seen and returns its lines.

    Args:
        lines: of the plan that `state` has; they have no cell in common.
        refill: spends what is left of the budget and returns the lines that it placed; takes those
            that were just removed. Stopped by the clock it may leave something.
    """
    best, best_loss = list(lines), state.loss
    now = list(best)
    while effort.left() and now:
        gone = near_lines(now, state.shape[1], int(rng.integers(1, MAX_REMOVED + 1)), rng)
        evaluated = state.evaluated
        state.change([cell for k in sorted(gone) for cell in now[k]], [])
        after = [line for k, line in enumerate(now) if k not in gone]
        after += refill([now[k] for k in sorted(gone)])
        effort.evaluated += state.evaluated - evaluated
        if state.loss < best_loss * (1.0 - _HELPS):
            best, best_loss = after, state.loss
        elif state.loss > best_loss * (1.0 + MAY_LOSE * (1.0 - effort.share())):
            state.become([cell for line in now for cell in line])
            continue
        now = after
    state.become([cell for line in best for cell in line])
    return best


def near_lines(lines: Sequence[Line], cols: int, count: int, rng: np.random.Generator) -> set[int]:
    """Numbers of a random line and of those whose middles lie nearest to its own, blurred."""
    middle = np.array([np.mean(np.divmod(np.array(line), cols), axis=1) for line in lines])
    k = int(rng.integers(len(lines)))
    away = np.hypot(*(middle - middle[k]).T) + rng.uniform(0.0, BLUR, len(lines))
    away[k] = -1.0
    return set(np.argsort(away, kind="stable")[:count].tolist())


def lines_best_first(state: PlanState, lines: Sequence[Line],
                     go_on: Callable[[], bool]) -> list[Line]:
    """The plan's lines, each next one that which saves most per cost after those before it, so that
    every beginning is a plan for a smaller budget. The plan keeps the same breaks. Where it may not
    go on, the others follow as they were.
    """
    left, ordered = list(lines), []
    state.become([])
    while len(left) > 1 and go_on():
        saved = [trial.saved_per_cost for trial in state.try_lines(left)]
        ordered.append(left.pop(int(np.argmax(saved))))
        state.change([], ordered[-1])
    ordered += left
    state.become([cell for line in ordered for cell in line])
    return ordered
