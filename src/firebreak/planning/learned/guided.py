"""Search that a policy guides: its plan, improved by moves that it and the plan fires propose.

Whole lines move: one to three that lie near one another are taken away, and the freed budget is
spent as in looking ahead. The values carry a little noise, so that repeats differ, and the first of
the new lines is none of those taken away. A policy of cells moves breaks that lie together: half of
the moves it refills itself, in the others decides what a break saves on the plan fires. The best
plan seen is kept: a search that is stopped before it begins returns the policy's own plan.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray

from firebreak.agent.policy_file import Policy
from firebreak.checks import fail
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import NO_CORRIDORS
from firebreak.planning.core.limits import Effort, forever
from firebreak.planning.core.line_trials import Trial
from firebreak.planning.core.progress import no_report
from firebreak.planning.core.rounds import Placement, Score, Task
from firebreak.planning.learned.lookahead import MAX_CANDIDATES, Ahead, look_ahead
from firebreak.planning.learned.policy import (
    cell_values,
    leading_actions,
    place_dqn,
    policy_of,
)
from firebreak.planning.search.filling import (
    best_first,
    leading,
    randomized_fill,
    with_neighbours,
)
from firebreak.planning.search.moves import (
    Line,
    large_neighbourhood_search,
    lines_best_first,
    move_lines,
)
from firebreak.planning.search.plan_state import PlanState
from firebreak.seeding import generator

BURNED, DRAWN = 6, 1024
"""Lines burned before one is placed, chosen among so many of the best ones, with noise."""
NOISE = 0.04
"""Scale of the Gumbel noise on their values, as a share of the largest value."""
CANDIDATES, REACH = 12, 1
"""A break is tried in so many cells by Q-value, and so near to other breaks."""
SKIPPED = 0.2
"""Chance that a cell is skipped."""
BY_POLICY = 0.5
"""Share of the moves of cells that the policy refills."""


def place_dqn_search(task: Task) -> Placement:
    """The policy's plan, improved until the limit is reached.

    Raises:
        InputError: as the policy's own plan; lines to choose among, and a policy that places single
            cells.
    """
    policy = policy_of(task, "dqn-search")
    if policy.network.shapes == 1 and task.lines is not None:
        raise fail(expected="a policy that places lines, to choose among those of --lines",
                   given="a policy that places single cells", where="method dqn-search",
                   remedy="use method segments, leave out --lines, or train with "
                          "agent.segments = true")
    effort = Effort(task.search, task.report)
    rng = generator(task.seed, "dqn-search", task.problem.scene.key)
    search = _by_lines if policy.network.shapes > 1 else _by_cells
    with _one_network_thread():
        # Progress is the share of the effort, not of the start.
        return search(task._replace(report=no_report), policy, effort, rng)


@contextmanager
def _one_network_thread() -> Iterator[None]:
    """Several wait for one another in loops: beside other programs these take most of the time of
    the processor that a search has.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _by_lines(task: Task, policy: Policy, effort: Effort, rng: np.random.Generator) -> Placement:
    start, ahead = look_ahead(task, policy, effort), Ahead(task, policy)
    _warn_if_cut_short(effort)
    state = PlanState(task.problem)
    state.become([cell for line in start.lines for cell in line])

    def refill(gone: list[Line]) -> list[Line]:
        return fill_ahead(state, ahead, rng, effort.in_time, gone)

    rules = BuildRules(task.lines or NO_CORRIDORS, task.problem.scene.landscape)
    lines = move_lines(state, start.lines, refill, effort, rng, rules)
    if lines != start.lines:
        lines = lines_best_first(state, lines, effort.in_time_to_order)
    return Placement(np.array([cell for line in lines for cell in line], np.int64),
                     start.simulations + state.simulations)


def _warn_if_cut_short(effort: Effort) -> None:
    if not effort.in_time():
        warnings.warn("dqn-search: the time limit ended before the search began, so the plan is as "
                      "the policy places it; give more seconds (--time-limit)", stacklevel=2)


def fill_ahead(state: PlanState, ahead: Ahead, rng: np.random.Generator,
               go_on: Callable[[], bool] = forever, gone: Sequence[Line] = ()) -> list[Line]:
    """Spends what is left on lines, each the best of BURNED that the policy values most, or nearly;
    the first is none of `gone` if there is another. Returns them.
    """
    def burned(slots: ProblemBatch) -> list[Trial]:
        values = ahead.own_values(slots)
        leading = leading_actions(values, MAX_CANDIDATES)
        largest = values[leading[:1]].sum()
        own = values[leading] + rng.gumbel(0.0, NOISE * abs(float(largest)), leading.size)
        best = np.argsort(-own, kind="stable")[:DRAWN]
        return ahead.best_first(slots, values, leading[best], BURNED, go_on)

    placed: list[Line] = []
    before = [set(line) for line in gone]
    while go_on() and state.available().size:
        trials = state.trials(burned)
        if not trials:  # no line that is given can be paid for, or no time is left
            break
        lines = [trial.cells.tolist() for trial in trials]
        others = [line for line in lines if placed or set(line) not in before]
        placed.append((others or lines)[0])
        state.change([], placed[-1])
    return placed


def _by_cells(task: Task, policy: Policy, effort: Effort, rng: np.random.Generator) -> Placement:
    start = place_dqn(task)
    _warn_if_cut_short(effort)
    state = PlanState(task.problem)
    state.become(start.cells.tolist())

    def values(slots: ProblemBatch) -> NDArray[np.float32]:
        return cell_values(policy, slots)

    candidates = with_neighbours(leading(
        lambda state, cells: state.score(values)[cells], CANDIDATES), REACH)

    def refill() -> None:
        if rng.random() < BY_POLICY:
            fill_by_score(state, values, rng, effort.in_time)
        else:
            randomized_fill(state, candidates, SKIPPED, rng, effort.in_time)

    large_neighbourhood_search(state, refill, effort, rng)
    same = set(state.cells) == set(start.cells.tolist())
    cells = start.cells if same else best_first(state, effort.in_time_to_order)
    return Placement(np.array(cells, np.int64), start.simulations + state.simulations)


def fill_by_score(state: PlanState, score: Score, rng: np.random.Generator,
                  go_on: Callable[[], bool] = forever) -> None:
    """Spends what is left on the cells of the largest scores, each skipped with a chance."""
    while go_on() and (cells := state.available()).size:
        state.evaluated += 1
        order = cells[np.argsort(-state.score(score)[cells], kind="stable")]
        skipped = min(int(rng.geometric(1.0 - SKIPPED)) - 1, order.size - 1)
        state.place(int(order[skipped]))
