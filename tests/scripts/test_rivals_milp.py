"""The mixed-integer program against enumeration of all plans on a slow, obvious version of it."""

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np
import pytest
from benchmarks import rivals
from benchmarks.rivals.burned_maps import burn_maps
from benchmarks.rivals.milp import Solved, build, solve
from benchmarks.rivals.spread_graph import spread_graph

from firebreak.checks import InputError
from firebreak.env.storage.problem import Problem, problem_of
from firebreak.fire import FireConditions, burn, make_scene
from firebreak.fire.fires import Fires
from firebreak.fire.travel.stencil import STENCIL
from firebreak.fire.travel.travel_field import BreakRules, unpad
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.making import make_plan
from strategies import problem_on, random_case


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with rivals.known():
        yield


class SlowProgram:
    """Reachability over the edges that the documentation describes, cell by cell."""

    def __init__(self, problem: Problem) -> None:
        scene, self.fires = problem.scene, problem.plan_fires
        self.rows, self.cols = scene.field.shape
        self.value = scene.value.ravel().astype(float)
        self.burnable = scene.landscape.burnable
        self.leak = scene.field.breaks.leak
        self.unit = unpad(np.moveaxis(scene.field.unit_time, 2, 1), scene.field.shape)
        burned = burn_maps(scene.field, self.fires, scene.value_by_class)
        self.arrival, self.code = burned.arrival_time_min, burned.parent_code

    def on_map(self, row: int, col: int) -> bool:
        return 0 <= row < self.rows and 0 <= col < self.cols

    def closed(self, fire: int, row: int, col: int, plan: set[int]) -> bool:
        cell = row * self.cols + col
        return not self.burnable[row, col] or (cell in plan and cell != self.fires.source[fire])

    def parents(self, fire: int, row: int, col: int) -> list[tuple[int, int, int]]:
        """(row, column, step) of the cells from which fire may come, before any break."""
        found = []
        for step, (down, right) in enumerate(STENCIL.steps[:8].tolist()):
            up = (row + down, col + right)
            if not self.on_map(*up):
                continue
            way = 0.5 * (self.unit[self.fires.scenario[fire], step][row, col]
                         + self.unit[self.fires.scenario[fire], step][up])
            early, late = self.arrival[fire][up], self.arrival[fire][row, col]
            open_ = step % 2 == 0 or self.leak or (
                self.burnable[row + down, col] or self.burnable[row, col + right])
            if early < late and early + way <= self.fires.duration_min[fire] and open_:
                found.append((*up, step))
        if not found:
            code = int(self.code[fire][row, col])
            steps = [code] if code < 32 else STENCIL.facets[code - 32].tolist()
            found = [(row + int(STENCIL.steps[s][0]), col + int(STENCIL.steps[s][1]),
                      s) for s in steps]
        return found

    def loss(self, plan: Iterable[int]) -> float:
        """Mean loss of the fires under a plan."""
        broken, total = set(plan), 0.0
        for fire, source in enumerate(self.fires.source.tolist()):
            lit = {divmod(source, self.cols)}
            order = np.argsort(self.arrival[fire].ravel(), kind="stable")
            for cell in order[np.isfinite(self.arrival[fire].ravel()[order])].tolist():
                row, col = divmod(cell, self.cols)
                if (row, col) in lit or self.closed(fire, row, col, broken):
                    continue
                for up_row, up_col, step in self.parents(fire, row, col):
                    holds = (step < 8 and step % 2 == 1 and not self.leak
                             and self.closed(fire, up_row, col, broken)
                             and self.closed(fire, row, up_col, broken))
                    if (up_row, up_col) in lit and not holds:
                        lit.add((row, col))
            total += sum(self.value[row * self.cols + col] for row, col in lit)
        return total / self.fires.source.size


def small_problem(seed: int, budget: float, *, leak: bool = False, **layers: object) -> Problem:
    """A random map of 5 x 5 cells, values 0 to 3, with 6 fires."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, 5, 5, fires=6, unburnable=0.12, most_length_to_width=3.0)
    field = case.field()._replace(breaks=BreakRules(leak=leak))
    # A map on which nothing of value burns has nothing to plan for.
    value = case.value + 0.1
    return problem_on(case, case.fires, case.fires.first(0), budget=budget, field=field,
                      value=value, **layers)


def affordable_plans(problem: Problem, most: int) -> list[tuple[int, ...]]:
    land = problem.scene.landscape
    cells = np.flatnonzero(land.treatable).tolist()
    cost = land.cost.ravel().astype(float)
    return [plan for count in range(most + 1) for plan in combinations(cells, count)
            if cost[list(plan)].sum() <= problem.budget]


def solved_to_the_end(problem: Problem) -> Solved:
    solved = solve(build(spread_graph(problem.scene, problem.plan_fires), problem), 60.0)
    assert solved is not None
    return solved


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "budget", "leak"), [
    (0, 2.0, False), (1, 2.0, False), (2, 2.0, True), (3, 3.0, False), (4, 2.0, False)])
def test_the_optimum_is_that_of_trying_every_plan(seed: int, budget: float, leak: bool) -> None:
    problem = small_problem(seed, budget, leak=leak)
    slow = SlowProgram(problem)
    losses = {plan: slow.loss(plan) for plan in affordable_plans(problem, int(budget))}
    solved = solved_to_the_end(problem)
    assert solved.loss == pytest.approx(min(losses.values()), rel=1e-9)
    assert slow.loss(solved.cells.tolist()) == pytest.approx(solved.loss, rel=1e-9)
    assert solved.loss < losses[()]
    assert solved.bound <= min(losses.values()) * (1.0 + 1e-9)
    assert solved.gap <= 1e-4


def patchy_problem(seed: int) -> Problem:
    """A random map of 5 x 5 cells, many of them unburnable, with 6 fires in strong wind."""
    case = random_case(np.random.default_rng(seed), 5, 5, fires=6, unburnable=0.3,
                       most_length_to_width=6.0)
    return problem_on(case, case.fires, case.fires.first(0), budget=1e9, value=case.value + 0.1)


def test_the_edges_are_those_that_the_documentation_describes() -> None:
    for seed in range(60):
        problem = patchy_problem(seed)
        slow, graph = SlowProgram(problem), spread_graph(problem.scene, problem.plan_fires)
        made = sorted(zip(graph.fire.tolist(), graph.parent.tolist(), graph.child.tolist(),
                          graph.step.tolist(), strict=True))
        expected = [(fire, up_row * 5 + up_col, row * 5 + col, step)
                    for fire, row, col in np.argwhere(np.isfinite(slow.arrival)).tolist()
                    if row * 5 + col != problem.plan_fires.source[fire]
                    for up_row, up_col, step in slow.parents(fire, row, col)]
        assert made == sorted(expected)


@pytest.mark.slow
def test_a_given_plan_loses_what_walking_its_graphs_finds() -> None:
    """All ignitions broken, and some cells more."""
    for seed in range(60):
        problem = patchy_problem(seed)
        program = build(spread_graph(problem.scene, problem.plan_fires), problem)
        chance = np.where(np.isin(program.cells, problem.plan_fires.source), 1.0, 0.3)
        plan = program.cells[np.random.default_rng(seed).random(program.cells.size) < chance]
        solved = solve(program, 10.0, plan, np.zeros(program.cells.size, bool))
        assert solved is not None
        assert solved.cells.tolist() == plan.tolist()
        assert solved.loss == pytest.approx(SlowProgram(problem).loss(plan.tolist()), rel=1e-9)


def test_a_broken_ignition_closes_no_diagonal_beside_it() -> None:
    """A square in which fire comes sooner round the corner than straight: from 3 by 1 to 2."""
    case = random_case(np.random.default_rng(613), 2, 2, fires=3, unburnable=0.0, turning=90.0,
                       roughness=1.0, most_length_to_width=20.0)
    fires = case.fires.first(1)
    problem = problem_on(case, fires, fires.first(0), budget=1e9, value=case.value + 0.1)
    slow, plan = SlowProgram(problem), np.array([0, 3])
    assert fires.source.tolist() == [3]
    assert slow.parents(0, 1, 0) == [(0, 1, 1)]
    solved = solve(build(spread_graph(problem.scene, fires), problem), 10.0, plan,
                   np.zeros(4, bool))
    assert solved is not None
    assert solved.loss == pytest.approx(slow.loss(plan.tolist()), rel=1e-6)
    assert solved.loss > slow.loss([0, 1, 3])


def test_costs_and_masks_bind_the_program() -> None:
    rng = np.random.default_rng(5)
    cost = rng.uniform(0.5, 3.0, (5, 5)).astype(np.float32)
    treatable = rng.random((5, 5)) < 0.6
    problem = small_problem(6, 2.5, cost=cost, treatable=treatable)
    slow = SlowProgram(problem)
    best = min(slow.loss(plan) for plan in affordable_plans(problem, 5))
    solved = solved_to_the_end(problem)
    assert solved.loss == pytest.approx(best, rel=1e-9)
    assert problem.scene.landscape.treatable.ravel()[solved.cells].all()
    assert cost.ravel()[solved.cells].sum() <= 2.5 + 1e-6


def test_without_breaks_the_graphs_burn_what_the_fires_burn() -> None:
    for seed in range(20):
        problem = small_problem(seed, 1.0)
        burned = burn(problem.scene, problem.plan_fires).loss.mean()
        assert SlowProgram(problem).loss(()) == pytest.approx(burned)
        graph = spread_graph(problem.scene, problem.plan_fires)
        lit = np.zeros_like(graph.burned)
        lit[np.arange(6), problem.plan_fires.source] = True
        for _ in range(25):
            lit[graph.fire, graph.child] |= lit[graph.fire, graph.parent]
        assert (lit == graph.burned).all()


def test_a_fire_in_a_broken_cell_starts_all_the_same() -> None:
    rng = np.random.default_rng(0)
    case = random_case(rng, 1, 5, fires=1, unburnable=0.0)
    fires = Fires(np.array([2]), np.array([0]), np.array([1e6]), np.array([1], np.uint64))
    problem = problem_on(case, fires, fires.first(0), budget=1.0,
                         value=np.array([[1, 1, 9, 2, 4]], np.float32))
    solved = solved_to_the_end(problem)
    # Breaking the ignition would save nothing; the neighbour with 6 behind it is the best.
    assert solved.cells.tolist() == [3]
    assert solved.loss == pytest.approx(11.0)


def test_the_plan_spends_the_budget() -> None:
    scene = make_scene(generate(3, 12), FireConditions(scenarios=2), 5)
    plan = make_plan(scene, 0.05, 12, "milp", seed=0, search=SearchOptions(seconds=60.0))
    assert plan.cells.size == int(0.05 * scene.landscape.treatable.sum())


def test_a_beginning_of_the_plan_is_a_plan() -> None:
    """Cells are in the order in which each saves most after those before it."""
    scene = make_scene(generate(3, 12), FireConditions(scenarios=2), 5)
    plan = make_plan(scene, 0.1, 12, "milp", seed=0, search=SearchOptions(seconds=1.0))
    fires = scene.fires("plan", 12)

    def loss(cells: list[int]) -> float:
        mask = np.zeros(scene.landscape.shape, bool)
        mask.ravel()[cells] = True
        return float(burn(scene, fires, mask).loss.mean())

    cells = plan.cells.tolist()
    assert cells != sorted(cells)
    for place in range(len(cells) - 1):
        own = loss(cells[:place + 1])
        assert own <= min(loss([*cells[:place], other]) for other in cells[place:]) + 1e-9


def test_what_the_program_has_no_form_for_is_refused() -> None:
    wide = make_scene(generate(3, (10, 21)), FireConditions(scenarios=1), 5)
    with pytest.raises(InputError, match=r"at most 20 x 20 cells, got 10 x 21.*--area"):
        make_plan(wide, 0.05, 4, "milp", seed=0)
    shaded = make_scene(generate(3, 10), FireConditions(
        scenarios=1, treatment=Treatment(kind="shaded")), 5)
    with pytest.raises(InputError, match="breaks as wide as their cells"):
        make_plan(shaded, 0.05, 4, "milp", seed=0)


@pytest.mark.slow
def test_windows_improve_a_plan_and_keep_what_lies_outside() -> None:
    problem = small_problem(3, 3.0)
    slow = SlowProgram(problem)
    program = build(spread_graph(problem.scene, problem.plan_fires), problem)
    cells = program.cells
    worst = max(combinations(cells.tolist(), 3), key=slow.loss)
    free = np.isin(cells, cells[:9])
    kept = np.array(worst)
    solved = solve(program, 60.0, kept, free)
    assert solved is not None
    outside = set(worst) - set(cells[:9].tolist())
    assert set(solved.cells.tolist()) - set(cells[:9].tolist()) == outside
    possible = [{*outside, *inside} for count in range(4 - len(outside))
                for inside in combinations(cells[:9].tolist(), count)]
    assert solved.loss == pytest.approx(min(map(slow.loss, possible)), rel=1e-9)


@pytest.mark.slow
def test_where_time_is_short_the_plan_is_no_worse_on_the_graphs_than_its_starts() -> None:
    scene = make_scene(generate(1, 20), FireConditions(scenarios=2), 5)
    fires = scene.fires("plan", 64)
    slow = SlowProgram(problem_of(scene, 0.05, fires, fires.first(0)))
    starts = [make_plan(scene, 0.05, 64, name, seed=0).cells.tolist()
              for name in ("downstream-value", "greedy")]
    plan = make_plan(scene, 0.05, 64, "milp", seed=0, search=SearchOptions(seconds=0.2))
    assert slow.loss(plan.cells.tolist()) <= min(map(slow.loss, starts)) * (1.0 + 1e-9)
