"""Plans of a learned policy that looks ahead: before it places a line, it burns the plan fires with
each of the lines that it values most and that differ in half of their cells. What a line saves is
exact, but for these fires only; the policy's value is an estimate for others. They are mixed by the
number of plan fires: with DISTRUST of them both count the same.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.checks import fail
from firebreak.env.core import line_cells, open_cells
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.planning.core.limits import Effort, forever
from firebreak.planning.core.line_trials import UNTRIED, Memory, Trial, TrialBound, try_lines
from firebreak.planning.core.rounds import Placement, Task, line_list
from firebreak.planning.learned.policy import (
    Built,
    GivenRating,
    Ordered,
    build_lines,
    by_policy,
    leading_actions,
    line_values,
    open_lines,
    policy_of,
)

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
    """The plan; once `effort` is spent the policy places what it values most. Without effort that
    alone is tried beyond the bound of trials, and the policy's other lines follow untried.
    """
    ahead, untried, bound = Ahead(task, policy), by_policy(task, policy), TrialBound()

    def order(slots: ProblemBatch) -> Ordered:
        if effort is not None and not effort.left():
            return untried(slots)
        values, ended = ahead.own_values(slots), effort is None and bound.ended(slots)
        leading = leading_actions(values, MAX_CANDIDATES)
        tried = ahead.best_first(slots, values, leading, 1 if ended else MAX_TRIED,
                                 forever if effort is None else effort.in_time)
        bound.count(slots, tried)
        if effort is not None and not tried and effort.share() == 1.0:
            return untried(slots)
        if effort is not None:
            effort.evaluated += len(tried)
        more = [open_lines(slots, leading)] if ended and leading.size else []
        return Ordered([line_list([trial.cells for trial in tried]), *more],
                       sum(trial.burned for trial in tried))

    built = build_lines(task, order)
    return built if bound.untried is None else built._replace(notes={UNTRIED: bound.untried})


class Ahead:
    """Burns the lines that a policy values most, and puts them in order by both."""

    def __init__(self, task: Task, policy: Policy) -> None:
        problem, land = task.problem, task.problem.scene.landscape
        n_plan_fires = problem.plan_fires.source.size
        self._problem, self._memory = problem, Memory()
        self._trust = n_plan_fires / (n_plan_fires + DISTRUST)
        self._mean_cost = float(land.cost[land.treatable].mean())
        self._policy = policy
        self._given = None if task.lines is None else GivenRating(
            policy, task.lines, problem.scene)
        self._own_too = task.lines is None or not task.lines.only

    def own_values(self, slots: ProblemBatch) -> NDArray[np.float32]:
        """Return `line_values` [A], or none [0] where lines that are given alone may be built."""
        return (line_values(self._policy, slots) if self._own_too
                else np.empty(0, np.float32))

    def best_first(self, slots: ProblemBatch, values: NDArray[np.float32],
                   leading: NDArray[np.int64], most: int,
                   go_on: Callable[[], bool] = forever) -> list[Trial]:
        """Lines that may be placed in slot 0 and differ, burned, best first: up to `most` of the
        policy's own, as many of those that are given, and as many of these that cost most; fewer
        where it may not go on.

        Args:
            values: see `own_values`.
            leading: allowed actions among which the policy's own are chosen, i64 [n], the first
                first.
        """
        actions = differing(slots, leading, most) if leading.size else []
        lines = [open_cells(slots, action) for action in actions]
        worth = [float(values[action]) for action in actions]
        if self._given is not None:
            more = self._given.best(slots, most, MAX_SHARED, most)
            lines, worth = lines + more[0], worth + more[1]
        tried = try_lines(self._problem, slots, lines, go_on, self._memory)
        percent = 100.0 * self._mean_cost / float(slots.untreated_plan_loss[0])
        score = [self._trust * percent * trial.saved_per_cost + (1.0 - self._trust) * value
                 for value, trial in zip(worth, tried, strict=False)]
        best_first = np.argsort(-np.array(score), kind="stable")
        return [tried[k] for k in best_first if tried[k].cells.size]


def differing(slots: ProblemBatch, actions: NDArray[np.int64], most: int) -> list[int]:
    """The first allowed actions, up to `most`, that share half of their cells with none before."""
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
