"""Methods to compare with, which take lines from the flow of fire where others take a policy's.

`protocol.py` measures them; they are no methods of the package. Lines are rated by the value that
fire carries through them per cost, as in `segments`, and have the lengths of a policy's lines.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from firebreak.env.gains import saved_by_lines
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.line_actions import LINE_LENGTHS
from firebreak.planning.core.build_rules import BuildRules
from firebreak.planning.core.corridors import NO_CORRIDORS
from firebreak.planning.core.limits import Effort, forever
from firebreak.planning.core.line_trials import Trial, try_lines
from firebreak.planning.core.rounds import Placement, Task, loaded
from firebreak.planning.methods import Method
from firebreak.planning.patterns.line_greedy import OwnLines
from firebreak.planning.search.moves import Line, lines_best_first, move_lines
from firebreak.planning.search.plan_state import PlanState
from firebreak.seeding import generator

LENGTHS = (1, *LINE_LENGTHS)
PER_LENGTH, PER_LENGTH_IN_MOVES = 2, 1
"""Lines of each length that are burned before one is placed: in one pass, and in moves."""
LOOKED_AT = 400
"""Lines of a length, the best first, among which those that differ are sought."""
NOISE = 0.04
"""Scale of the Gumbel noise on the ratings in moves, as a share of a rating, as in `dqn-search`."""
MAX_SHARED = 0.5
JUDGED = 8
"""Lines that lead on one half of the fires and are judged on the other."""


class FlowLines:
    """The lines through which fire carries most value, some of each length."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._own = problem, OwnLines(problem, LENGTHS)
        self.simulations = self._own.simulations

    def burned(self, slots: ProblemBatch, per_length: int,
               rng: np.random.Generator | None = None) -> list[Trial]:
        """The best of each length that differ, burned; best first. rng: of noise on ratings."""
        lines = self._own.rated(slots)
        rate = lines.gain / lines.price
        if rng is not None:
            rate *= 1.0 + rng.gumbel(0.0, NOISE, rate.size)
        listed: list[NDArray[np.int64]] = []
        for length in self._own.lengths:
            own = np.flatnonzero(lines.length == length)
            own = own[np.argsort(-rate[own], kind="stable")[:LOOKED_AT]]
            cells = (self._own.cells_of(lines, k) for k in own.tolist())
            listed += _differing(cells, slots.available[0].ravel(), per_length)
        tried = [one for one in try_lines(self._problem, slots, listed) if one.cells.size]
        return sorted(tried, key=lambda one: -one.saved_per_cost)


def _differing(lines: Iterable[NDArray[np.int64]], free: NDArray[np.bool_],
               most: int) -> list[NDArray[np.int64]]:
    """The first `most` that share at most half of their free cells with those before them."""
    taken = np.zeros(free.size, np.bool_)
    chosen: list[NDArray[np.int64]] = []
    for line in lines:
        cells = line[free[line]]
        if taken[cells].sum() <= MAX_SHARED * cells.size:
            chosen.append(line)
            taken[cells] = True
        if len(chosen) == most:
            break
    return chosen


def place_lookahead_flow(task: Task) -> Placement:
    """Plan like `dqn-lookahead` with lines of the flow: the best of eighteen burned each time."""
    state, flow = PlanState(task.problem), FlowLines(task.problem)
    lines = _filled(state, lambda slots: flow.burned(slots, PER_LENGTH))
    return _placement(lines, state, flow.simulations)


def place_search_flow(task: Task) -> Placement:
    """Plan like `dqn-search` with lines of the flow."""
    effort, rng = Effort(task.search), generator(task.seed, "search-flow", task.problem.scene.key)
    state, flow = PlanState(task.problem), FlowLines(task.problem)
    lines = _filled(state, lambda slots: flow.burned(slots, PER_LENGTH))

    def refill(gone: list[Line]) -> list[Line]:
        return _filled(state, lambda slots: flow.burned(slots, PER_LENGTH_IN_MOVES, rng),
                       effort.in_time, gone)

    rules = BuildRules(NO_CORRIDORS, task.problem.scene.landscape)
    lines = move_lines(state, lines, refill, effort, rng, rules)
    lines = lines_best_first(state, lines, effort.in_time_to_order)
    return _placement(lines, state, flow.simulations)


def _filled(state: PlanState, burned: Callable[[ProblemBatch], list[Trial]],
            go_on: Callable[[], bool] = forever, gone: list[Line] | None = None) -> list[Line]:
    placed: list[Line] = []
    before = [set(line) for line in gone or ()]
    while go_on() and state.available().size:
        lines = [trial.cells.tolist() for trial in state.trials(burned)]
        others = [line for line in lines if placed or set(line) not in before]
        placed.append((others or lines)[0])
        state.change([], placed[-1])
    return placed


def _placement(lines: list[Line], state: PlanState, simulations: float) -> Placement:
    return Placement(np.array([cell for line in lines for cell in line], np.int64),
                     state.simulations + simulations)


def place_segments_halves(task: Task) -> Placement:
    """Plan like `segments`, but judge the lines that save most on one half of the plan fires on the
    other half.
    """
    problem = task.problem
    slots, own = loaded(problem), OwnLines(problem)
    count = problem.plan_fires.source.size
    halves = np.arange(0, count, 2), np.arange(1, count, 2)
    cost = problem.scene.landscape.cost.ravel().astype(np.float64)
    cells: list[int] = []
    burned = count
    while slots.available[0].any():
        lines = [line[slots.available[0].ravel()[line]] for line in own.listed(slots)[0]]
        price = np.array([cost[line].sum() for line in lines])
        rates = []
        for half in halves:
            saved, tried = saved_by_lines(slots, lines, half)
            rates.append(saved.sum(axis=0) / price)
            burned += int(tried.sum())
        leading = np.argsort(-rates[0], kind="stable")[:JUDGED]
        line = lines[int(leading[np.argmax(rates[1][leading])])]
        for cell in line.tolist():
            slots.place(0, cell)
            cells.append(cell)
        burned += slots.update(SLOT_0)
    return Placement(np.array(cells, np.int64), burned / count + own.simulations)


FLOW_METHODS = {
    "lookahead-flow": Method("dqn-lookahead with lines of the flow", place_lookahead_flow),
    "search-flow": Method("dqn-search with lines of the flow", place_search_flow, searches=True),
    "segments-halves": Method("segments, led by half of the fires and judged by the other",
                              place_segments_halves)}
