"""Plans as a mixed-integer program over the plan fires' spread graphs, solved by HiGHS.

    least   mean over fires f of the sum over cells v of value(v) * x(v, f)
    where   x(v, f) >= x(u, f) - y(v) - z(u, v)   for every edge u -> v of the fire's spread graph
            x(ignition, f) = 1,  0 <= x <= 1
            the sum of cost(v) * y(v) is at most the budget,  y(v) is 0 or 1

y(v): v is broken; x(v, f): v burns in fire f; z(u, v): the diagonal u -> v is closed, at most y of
each of the two cells beside it. An ignition inside a treated cell still burns and spreads. x is 0
or 1 by itself once y is. The bound is a bound of this program: no plan of the budget has less mean
loss on these graphs. The fires as burned may lose less (a delay may outlast the fire) or more (fire
may come round a break against the order of time).

Sources: the form of Wei, Rideout & Kirsch (2008), Canadian Journal of Forest Research 38:868; the
sample average: Kleywegt, Shapiro & Homem-de-Mello (2002), doi:10.1137/S1052623499363220; HiGHS:
Huangfu & Hall (2018), doi:10.1007/s12532-017-0130-5.
"""

from typing import NamedTuple

import numpy as np
from benchmarks.rivals.spread_graph import UNIT_STEPS, SpreadGraph, beside_diagonal, spread_graph
from benchmarks.rivals.starts import starts_of
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_array

from firebreak.checks import InputError, fail
from firebreak.env.storage.problem import Problem
from firebreak.fire import break_state
from firebreak.fire.travel.arcs import CLOSED
from firebreak.landscape.treatments import break_width_m
from firebreak.planning.core.limits import Effort, SearchOptions
from firebreak.planning.core.rounds import Placement, PlanningCase, Task
from firebreak.planning.search.filling import best_first, fill
from firebreak.planning.search.plan_state import PlanState
from firebreak.seeding import generator

MAX_SIDE = 20
DEFAULT_SECONDS = 60.0
"""Time limit where none is given: the first relaxation of some hundred fires takes seconds."""

CLOSED_GAP = 1e-4
WINDOW_REACH, WINDOW_SECONDS, MIN_SECONDS = 2, 3.0, 0.1
"""Cells on each side of a break that are planned anew together, and for how long at
most."""

_NONE = -1


class Program(NamedTuple):
    """Columns: y of the treatable cells, then z, then x.

    cells: int64 [Y], the treatable cells. columns: how many in all. loss: f64 [columns], mean loss
    by column; fixed: mean loss of the ignition cells. rows: what holds, see `scipy.optimize`.
    """

    cells: NDArray[np.int64]
    columns: int
    loss: NDArray[np.float64]
    fixed: float
    rows: list[LinearConstraint]


class Solved(NamedTuple):
    """cells: int64 [n], flat. loss, bound: mean loss on the spread graphs, of these cells and the
    least that any plan can have that keeps to what was fixed.
    """

    cells: NDArray[np.int64]
    loss: float
    bound: float

    @property
    def gap(self) -> float:
        """(loss - bound) / loss."""
        return (self.loss - self.bound) / self.loss if self.loss > 0.0 else 0.0


def place_milp(task: Task) -> Placement:
    """The best plan of the program that is found in time: half of it goes to the whole program,
    the other half, where that is not solved by then, to a part of the map at a time. What the plan
    leaves of the budget is spent as by `greedy`.

    Raises:
        InputError: a map above 20 x 20, breaks or fires that the program has no form for.
    """
    problem = task.problem
    _check_problem(problem)
    seconds = task.search.seconds or DEFAULT_SECONDS
    found, spent = starts_of(task, None)
    effort = Effort(SearchOptions(seconds=seconds))
    program = build(spread_graph(problem.scene, problem.plan_fires), problem)
    solved = _best_known(program, found, seconds)
    if solved.gap > CLOSED_GAP:
        rng = generator(task.seed, "milp", problem.scene.key)
        solved = improve(program, solved, problem.scene.landscape.shape, effort, rng)
    state = PlanState(problem)
    state.become(solved.cells.tolist())
    fill(state, PlanState.available)
    return Placement(np.array(best_first(state), np.int64), 1.0 + spent + state.simulations)


def _best_known(program: Program, plans: list[list[int]], seconds: float) -> Solved:
    """The whole program's answer or the best of the plans given, with the program's bound."""
    whole = solve(program, 0.5 * seconds)
    nothing_free = np.zeros(program.cells.size, np.bool_)
    own = [solve(program, seconds, np.array(cells, np.int64), nothing_free) for cells in plans]
    known = [solved for solved in (whole, *own) if solved is not None]
    if not known:
        raise fail(expected="a plan within the time limit", given=f"none in {seconds:g} s",
                   where="method milp", remedy="raise --time-limit or lower --plan-fires")
    bound = 0.0 if whole is None else whole.bound
    return min(known, key=lambda solved: solved.loss)._replace(bound=bound)


def improve(program: Program, solved: Solved, shape: tuple[int, int], effort: Effort,
            rng: np.random.Generator) -> Solved:
    """Solves the program anew in windows around one or two breaks, all else kept, until the limit
    is reached.

    Source: Danna, Rothberg & Le Pape (2005), doi:10.1007/s10107-004-0518-7; Shaw (1998).
    """
    row, col = np.divmod(program.cells, shape[1])
    while effort.left() and solved.cells.size:
        free = np.zeros(program.cells.size, np.bool_)
        for centre in rng.choice(solved.cells, int(rng.integers(1, 3))).tolist():
            away = np.maximum(abs(row - centre // shape[1]), abs(col - centre % shape[1]))
            free |= away <= WINDOW_REACH
        left = max(effort.seconds_left(), MIN_SECONDS)
        again = solve(program, min(left, WINDOW_SECONDS), solved.cells, free)
        if again is not None and again.loss < solved.loss:
            solved = again._replace(bound=solved.bound)
    return solved


def check_case(case: PlanningCase) -> None:
    """Refuses a map, breaks and crews that the program has no form for.

    Raises:
        InputError: naming what it has.
    """
    rows, cols = case.land.shape
    if max(rows, cols) > MAX_SIDE:
        raise fail(expected=f"a map of at most {MAX_SIDE} x {MAX_SIDE} cells",
                   given=f"{rows} x {cols}", where="method milp",
                   remedy=f"use greedy, or {case.smaller}")
    conditions, cell_size_m = case.conditions, case.land.cell_size_m
    if (conditions.treatment.kind != "hard" or conditions.breach != "never"
            or conditions.meets_crews
            or break_width_m(conditions.treatment, cell_size_m) < cell_size_m):
        raise _no_form()


def _check_problem(problem: Problem) -> None:
    """Refuses what `check_case` does, cells to include, and embers, which a scene knows alone."""
    check_case(PlanningCase.of(problem))
    scene = problem.scene
    breaks = scene.field.breaks
    if problem.standing_mask().any():
        raise fail(expected="no cells that a plan must have", given="some", where="method milp",
                   remedy="use method greedy, which includes them")
    if break_state(breaks) != CLOSED or scene.field.burns_anew:
        raise _no_form()


def _no_form() -> InputError:
    return fail(expected="breaks as wide as their cells that fire cannot cross, and fires without "
                         "embers and crews", given="other breaks or fires", where="method milp",
                remedy="use method greedy, which allows them")


def build(graph: SpreadGraph, problem: Problem) -> Program:
    """The program of a problem's spread graphs. With losses by flame length a burned cell counts
    the most that it can lose.
    """
    land, fires = problem.scene.landscape, problem.plan_fires
    cells = np.flatnonzero(land.treatable)
    y = np.full(land.treatable.size, _NONE)
    y[cells] = np.arange(cells.size)
    free = graph.burned.copy()
    free[np.arange(fires.source.size), fires.source] = False
    edges = graph._replace(**{name: getattr(graph, name)[graph.child != fires.source[graph.fire]]
                              for name in ("fire", "parent", "child", "step")})
    closing, pairs = _closing(edges, problem, y)
    first = cells.size + pairs.shape[0]
    x = np.full(free.shape, _NONE)
    x[free] = first + np.arange(np.count_nonzero(free))
    columns = first + int(np.count_nonzero(free))
    value = problem.scene.value.ravel().astype(np.float64)
    loss = np.zeros(columns)
    loss[first:] = value[np.nonzero(free)[1]] / fires.source.size
    return Program(cells, columns, loss, float(value[fires.source].mean()), [
        _passes_on(edges, x, y, closing, columns),
        _closes(pairs, cells.size, columns),
        _costs(land.cost.ravel()[cells], problem.budget, columns)])


def _closing(edges: SpreadGraph, problem: Problem,
             y: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Variable closing each edge beside a break in its child: a column [E] of a z, of a y where the
    other side never burns, or none; and the y of both sides [Z, 2] for each z, which follow the ys.
    """
    closing = np.full(edges.fire.size, _NONE)
    no_pairs = np.empty((0, 2), np.int64)
    diagonal = np.flatnonzero((edges.step < UNIT_STEPS) & (edges.step % 2 == 1))
    if problem.scene.field.breaks.leak or diagonal.size == 0:
        return closing, no_pairs
    land = problem.scene.landscape
    source = problem.plan_fires.source[edges.fire[diagonal]]
    sides = np.stack(beside_diagonal(edges.child[diagonal], edges.step[diagonal],
                                     land.shape[1]), axis=1)
    burnable = land.burnable.ravel()[sides]
    may_close = np.where(sides == source[:, None], _NONE, y[sides])
    both = (may_close != _NONE).all(axis=1)
    pairs, which = np.unique(np.sort(may_close[both], axis=1), axis=0, return_inverse=True)
    closing[diagonal[both]] = np.count_nonzero(y != _NONE) + which.ravel()
    for side, other in ((0, 1), (1, 0)):
        alone = ~burnable[:, other] & (may_close[:, side] != _NONE)
        closing[diagonal[alone]] = may_close[alone, side]
    return closing, pairs.reshape(-1, 2)


def _passes_on(edges: SpreadGraph, x: NDArray[np.int64], y: NDArray[np.int64],
               closing: NDArray[np.int64], columns: int) -> LinearConstraint:
    """x(child) - x(parent) + y(child) + closing >= 0, with 1 for x of an ignition."""
    parent = x[edges.fire, edges.parent]
    parts = ((x[edges.fire, edges.child], 1.0), (parent, -1.0), (y[edges.child], 1.0),
             (closing, 1.0))
    return LinearConstraint(_matrix(parts, columns), np.where(parent == _NONE, 1.0, 0.0), np.inf)


def _closes(pairs: NDArray[np.int64], first: int, columns: int) -> LinearConstraint:
    """z - y <= 0 for the y of both sides."""
    z = np.repeat(first + np.arange(pairs.shape[0]), 2)
    return LinearConstraint(_matrix(((z, 1.0), (pairs.ravel(), -1.0)), columns), -np.inf, 0.0)


def _costs(cost: NDArray[np.float32], budget: float, columns: int) -> LinearConstraint:
    row = np.zeros((1, columns))
    row[0, :cost.size] = cost
    return LinearConstraint(csr_array(row), -np.inf, budget)


def _matrix(parts: tuple[tuple[NDArray[np.int64], float], ...], columns: int) -> csr_array:
    """Rows of which each part has one entry (column [E], value), or none where the column is."""
    count = parts[0][0].size
    row = np.concatenate([np.flatnonzero(column != _NONE) for column, _ in parts])
    column = np.concatenate([column[column != _NONE] for column, _ in parts])
    value = np.concatenate([np.full(np.count_nonzero(column != _NONE), of)
                            for column, of in parts])
    return csr_array((value, (row, column)), shape=(count, columns))


def solve(program: Program, seconds: float, kept: NDArray[np.int64] | None = None,
          free: NDArray[np.bool_] | None = None) -> Solved | None:
    """Solves a program to optimality or until the time is up; None if there is no plan by then.

    Args:
        kept, free: cells of a plan that is kept but where `free`, bool [Y].
    """
    low, high = np.zeros(program.columns), np.ones(program.columns)
    count = program.cells.size
    if kept is not None and free is not None:
        fixed = np.isin(program.cells, kept)
        low[:count], high[:count] = fixed & ~free, fixed | free
    whole = np.arange(program.columns) < count
    found: OptimizeResult = milp(program.loss, integrality=whole, bounds=Bounds(low, high),
                                 constraints=program.rows, options={"time_limit": seconds})
    if found.x is None:
        return None
    loss = float(found.fun) + program.fixed
    bound = loss if found.mip_dual_bound is None else float(found.mip_dual_bound) + program.fixed
    return Solved(program.cells[found.x[:count] > 0.5], loss, min(bound, loss))
