"""Search that a policy guides: its plan, polished by moves that its Q-map and the fires propose.

A move takes away breaks that lie together. The policy refills most moves: with lines that it values
nearly as much as the best, if it places lines, or cell by cell where its Q-value is largest. The
other moves are refilled by what a break saves on the plan fires, exactly burned, among the cells of
the largest Q-values and those beside breaks. Cells are skipped at random, so that repeats differ.
The start is the policy's plan, with lookahead if it places lines, and the best plan seen is kept: a
search that is stopped before it begins returns the policy's own plan.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.env.storage.slots import Slots
from firebreak.planning.core.limits import Effort
from firebreak.planning.core.progress import no_report
from firebreak.planning.core.rounds import Placement, Score, Task
from firebreak.planning.learned.lookahead import look_ahead
from firebreak.planning.learned.policy import cell_values, line_values, place_dqn, policy_of
from firebreak.planning.search.filling import (
    Candidates,
    best_first,
    forever,
    randomized_fill,
    with_neighbours,
)
from firebreak.planning.search.plan_state import PlanState
from firebreak.planning.search.swap import large_neighbourhood_search
from firebreak.seeding import generator

CANDIDATES, REACH = 12, 1
"""A break is tried in so many cells by Q-value, and so near to other breaks."""

SKIPPED = 0.2
"""Chance that a cell is skipped."""

BY_POLICY, BY_POLICY_OF_CELLS, BY_LINES = 0.9, 0.5, 0.7
"""Share of the moves that the policy refills, for a policy of lines and for one of cells; and the
share of the former that it refills with lines. A plan found by burning the plan fires alone saves
less on other fires."""

NEARLY = 0.1
"""Share of the best line's value by which that of another may be less."""


def place_dqn_search(task: Task) -> Placement:
    """The policy's plan, improved until the limit is reached.

    Raises:
        InputError: as the policy's own plan.
    """
    policy = policy_of(task, "dqn-search")
    effort, lines = Effort(task.search, task.report), policy.network.shapes > 1
    # Progress is the share of the effort, not of the start.
    first = task._replace(report=no_report)
    start = look_ahead(first, policy, effort) if lines else place_dqn(first)
    rng = generator(task.seed, "dqn-search", task.problem.scene.key)
    state = PlanState(task.problem)
    state.become(start.cells.tolist())

    def values(slots: Slots) -> NDArray[np.float32]:
        return cell_values(policy, slots)

    candidates = with_neighbours(by_score(values, CANDIDATES), REACH)

    def refill() -> None:
        if rng.random() >= (BY_POLICY if lines else BY_POLICY_OF_CELLS):
            randomized_fill(state, candidates, SKIPPED, rng, effort.in_time)
        elif lines and rng.random() < BY_LINES:
            fill_with_lines(state, policy, rng, effort.in_time)
        else:
            fill_by_score(state, values, rng, effort.in_time)

    large_neighbourhood_search(state, refill, effort, rng)
    same = set(state.cells) == set(start.cells.tolist())
    cells = start.cells if same else best_first(state, effort.in_time_to_order)
    return Placement(np.array(cells, np.int64), start.simulations + state.simulations)


def by_score(score: Score, count: int) -> Candidates:
    """The `count` available cells of the largest scores."""
    def candidates(state: PlanState) -> NDArray[np.int64]:
        cells = state.available()
        if cells.size <= count:
            return cells
        return np.sort(cells[np.argsort(-state.score(score)[cells], kind="stable")[:count]])
    return candidates


def fill_by_score(state: PlanState, score: Score, rng: np.random.Generator,
                  go_on: Callable[[], bool] = forever) -> None:
    """Spends what is left on the cells of the largest scores, each skipped with a chance."""
    while go_on() and (cells := state.available()).size:
        state.evaluated += 1
        order = cells[np.argsort(-state.score(score)[cells], kind="stable")]
        skipped = min(int(rng.geometric(1.0 - SKIPPED)) - 1, order.size - 1)
        state.place(int(order[skipped]))


def fill_with_lines(state: PlanState, policy: Policy, rng: np.random.Generator,
                    go_on: Callable[[], bool] = forever) -> None:
    """Spends what is left on lines, each drawn from those that the policy values nearly as much as
    the best.
    """
    while go_on() and state.available().size:
        state.evaluated += 1
        values = state.score(lambda slots: line_values(policy, slots))
        best = float(values.max())
        action = int(rng.choice(np.flatnonzero(values >= best - NEARLY * abs(best))))
        state.change([], state.line_cells(action))
