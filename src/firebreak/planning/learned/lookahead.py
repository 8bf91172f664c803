"""Plans of a learned policy that looks ahead: before it places a line, it burns the plan fires with
each of the lines that it values most and that differ in half of their cells.

What a line saves on the plan fires is exact, but for these fires only; the policy's value is an
estimate for other fires. The two are mixed by the number of plan fires: with DISTRUST of them both
count the same.

Lines that the user supplies are rated by their straight pieces: a given line is taken apart into
lines that the policy values, the longest first, and is worth the mean of their values per cell.
That chooses which given lines are burned; burning decides.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.checks import fail
from firebreak.env.actions import line_cells, open_cells
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.landscape.candidates.corridor import Cells
from firebreak.line_actions import COMPASS, LINE_LENGTHS, line_steps, shape_number
from firebreak.planning.core.corridors import Corridors
from firebreak.planning.core.limits import Effort, forever
from firebreak.planning.core.line_trials import Trial, try_lines
from firebreak.planning.core.rounds import Placement, Task, line_list, spendable
from firebreak.planning.learned.policy import (
    Built,
    Ordered,
    build_lines,
    by_value,
    leading_actions,
    policy_of,
)

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
        """Of the runs that can be paid for those that are worth most, by what the policy says of
        all actions [A], and what each is worth: cells that are not broken, best first.

        Args:
            most: how many.
            most_shared: of the cells of the longer of two runs, how many both may have: a run may
                stand beside its halves.
        """
        problem = slots.problem(0)
        land = problem.scene.landscape
        free, cost = slots.available[0].ravel(), land.cost.ravel().astype(np.float64)
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


MAX_TRIED, MAX_CANDIDATES = 16, 4096
"""Lines that are burned before one is placed, and the best ones among which these are chosen."""

DISTRUST = 256.0
MAX_SHARED = 0.5
"""Share of its cells that a line may have in common with those before it."""


def place_dqn_lookahead(task: Task) -> Placement:
    """The lines that save most, by the policy and by the plan fires, of those that the policy
    values most.

    Raises:
        InputError: as the policy's own plan; a policy that places single cells.
    """
    policy = policy_of(task, "dqn-lookahead")
    check_places_lines(policy)
    return look_ahead(task, policy, None).placement()


def check_places_lines(policy: Policy) -> None:
    """Refuses a policy that places single cells: there are no lines to burn before one is placed.

    Raises:
        InputError: naming methods that follow it.
    """
    if policy.network.shapes == 1:
        raise fail(expected="a policy that places lines", given="a policy that places single cells",
                   where="method dqn-lookahead",
                   remedy="use method dqn or dqn-search, or train with agent.segments = true")


def look_ahead(task: Task, policy: Policy, effort: Effort | None) -> Built:
    """The plan; once `effort` is spent the policy stops looking ahead and places what it values
    most.
    """
    ahead = Ahead(task)

    def order(slots: ProblemBatch, values: NDArray[np.float32]) -> Ordered:
        if effort is not None and not effort.left():
            return by_value(slots, values)
        tried = ahead.best_first(slots, values, leading_actions(values, MAX_CANDIDATES), MAX_TRIED,
                                 forever if effort is None else effort.in_time)
        if effort is not None and not tried and effort.share() == 1.0:
            return by_value(slots, values)
        if effort is not None:
            effort.evaluated += len(tried)
        return Ordered([line_list([trial.cells for trial in tried])],
                       sum(trial.burned for trial in tried))

    return build_lines(task, policy, order)


class Ahead:
    """Burns the lines that a policy values most, and puts them in order by both."""

    def __init__(self, task: Task) -> None:
        problem, land = task.problem, task.problem.scene.landscape
        n_plan_fires = problem.plan_fires.source.size
        self._problem = problem
        self._trust = n_plan_fires / (n_plan_fires + DISTRUST)
        self._mean_cost = float(land.cost[land.treatable].mean())
        self._given = None if task.lines is None else GivenRating(
            task.lines, land.shape, problem.scene.field.breaks.leak)
        self._own_too = task.lines is None or not task.lines.only

    def best_first(self, slots: ProblemBatch, values: NDArray[np.float32],
                   leading: NDArray[np.int64], most: int,
                   go_on: Callable[[], bool] = forever) -> list[Trial]:
        """Lines that may be placed in slot 0 and differ, burned, best first: up to `most` of the
        policy's own and as many of those that are given; fewer where it may not go on.

        Args:
            values: `line_values` of all actions [A].
            leading: allowed actions among which the policy's own are chosen, i64 [n], the first
                first.
        """
        actions = differing(slots, leading, most) if self._own_too else []
        lines = [open_cells(slots, action) for action in actions]
        worth = [float(values[action]) for action in actions]
        if self._given is not None:
            more = self._given.best(slots, values, most, MAX_SHARED)
            lines, worth = lines + more[0], worth + more[1]
        tried = try_lines(self._problem, slots, lines, go_on)
        percent = 100.0 * self._mean_cost / float(slots.untreated_plan_loss[0])
        score = [self._trust * percent * trial.saved_per_cost + (1.0 - self._trust) * value
                 for value, trial in zip(worth, tried, strict=False)]
        best_first = np.argsort(-np.array(score), kind="stable")
        return [tried[k] for k in best_first if tried[k].cells.size]


def differing(slots: ProblemBatch, actions: NDArray[np.int64], most: int) -> list[int]:
    """The first of some line actions that are allowed in slot 0, up to `most`, that share at most
    half of their cells with those before them.
    """
    rows, cols, part = line_cells(slots, actions)
    part &= slots.available[0][rows, cols]
    size, taken = part.sum(axis=1), np.zeros(slots.sizes.shape, np.bool_)
    chosen: list[int] = []
    left = np.ones(actions.size, np.bool_)
    while left.any() and len(chosen) < most:
        k = int(left.argmax())
        chosen.append(int(actions[k]))
        taken[rows[k][part[k]], cols[k][part[k]]] = True
        left &= (taken[rows, cols] & part).sum(axis=1) <= MAX_SHARED * size
    return chosen
