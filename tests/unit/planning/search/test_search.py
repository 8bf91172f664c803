"""Greedy and moves of breaks against plain burning of the plan fires under each plan."""

from dataclasses import replace

import numpy as np
import pytest

from break_cases import BREAKS
from firebreak.checks import InputError
from firebreak.env.sources import treat_inside
from firebreak.env.storage.problem import Problem, problem_of
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core import limits
from firebreak.planning.core.limits import Effort, SearchOptions
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.rules import PlanRules, short_pieces
from firebreak.planning.learned.guided import fill_by_score
from firebreak.planning.making import make_plan
from firebreak.planning.search.filling import best_first, fill, randomized_fill, ranked
from firebreak.planning.search.moves import (
    improved,
    large_neighbourhood_search,
    local_search,
    rounds_of,
)
from firebreak.planning.search.plan_state import PlanState

CONDITIONS = FireConditions(scenarios=3)
FIRES = 32
FEW = SearchOptions(evaluations=400)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(8, (11, 13)), CONDITIONS, 1)


@pytest.fixture(scope="module")
def priced() -> Scene:
    land = generate(8, (11, 13))
    cost = np.random.default_rng(2).uniform(0.5, 4.0, land.shape)
    return make_scene(replace(land, cost=cost), CONDITIONS, 1)


def loss_of(scene: Scene, cells: list[int]) -> float:
    """Mean loss of the plan fires, burned anew."""
    mask = np.zeros(scene.landscape.shape, bool)
    mask.ravel()[cells] = True
    return float(burn(scene, scene.fires("plan", FIRES), mask).loss.mean())


def plan_of(scene: Scene, method: str, share: float = 0.06, search: SearchOptions = FEW,
            seed: int = 0, batch: int | None = None) -> Plan:
    return make_plan(scene, share, FIRES, method, seed=seed, search=search, batch=batch)


def slow_greedy(scene: Scene, share: float) -> list[int]:
    """Greedy as its documentation has it: every affordable cell burned for, ties by downstream
    value, then by index.
    """
    land = scene.landscape
    cost = land.cost.ravel().astype(float)
    left = share * cost[land.treatable.ravel()].sum()
    chosen: list[int] = []
    while True:
        free = [cell for cell in np.flatnonzero(land.treatable).tolist()
                if cell not in chosen and cost[cell] <= left + 1e-9]
        if not free:
            return chosen
        mask = np.zeros(land.shape, bool)
        mask.ravel()[chosen] = True
        below = burn(scene, scene.fires("plan", FIRES), mask,
                     want="statistics").downstream_value.ravel()
        now = loss_of(scene, chosen)
        gain = {cell: now - loss_of(scene, [*chosen, cell]) for cell in free}
        best = min(free, key=lambda cell: (-round(gain[cell] / cost[cell], 9),
                                            -round(below[cell] / cost[cell], 6), cell))
        chosen.append(best)
        left -= cost[best]


def test_greedy_takes_the_cell_that_saves_most_at_every_step(scene: Scene) -> None:
    assert plan_of(scene, "greedy", 0.04).cells.tolist() == slow_greedy(scene, 0.04)


@pytest.mark.slow
def test_greedy_goes_by_gain_per_cost(priced: Scene) -> None:
    assert plan_of(priced, "greedy", 0.04).cells.tolist() == slow_greedy(priced, 0.04)


def test_greedy_spends_the_budget_where_nothing_is_left_to_save(scene: Scene) -> None:
    plan = plan_of(scene, "greedy", 1.0, batch=4)
    assert plan.cells.size == scene.landscape.treatable.sum()


@pytest.mark.slow
def test_greedy_of_a_large_map_points_to_segments() -> None:
    land = generate(1, (48, 48))
    large = make_scene(land, FireConditions(scenarios=1), 0)
    cells = land.treatable.sum()
    with pytest.raises(InputError, match=f"at most 1,600 treatable cells, or 4,096 with up to 256 "
                                         f"plan fires, got {cells:,} with 257; use segments"):
        make_plan(large, 2.5 / cells, 257, "greedy", seed=0)


@pytest.mark.slow
def test_greedy_counts_the_cells_that_may_be_treated() -> None:
    land = generate(1, (48, 48))
    inside = make_scene(treat_inside(land, 5), FireConditions(scenarios=1), 0)
    assert make_plan(inside, 2.5 / inside.landscape.treatable.sum(), 257, "greedy",
                     seed=0).cells.size == 2


@pytest.mark.parametrize("kind", BREAKS)
def test_a_board_has_the_loss_of_the_plan_fires_under_its_breaks(kind: str) -> None:
    scene = make_scene(generate(8, (11, 13)), BREAKS[kind], 1)
    fires = scene.fires("plan", FIRES)
    state = PlanState(problem_of(scene, 0.1, fires, fires.first(0)))
    free = state.available().tolist()
    for cell in free[10:60:9]:
        state.place(cell)
    state.remove(free[28])
    assert state.cells == [free[10], free[19], free[37], free[46], free[55]]
    assert state.loss == pytest.approx(loss_of(scene, state.cells))
    cells = state.available()[::7]
    single = [state.loss - loss_of(scene, [*state.cells, int(cell)]) for cell in cells]
    assert state.gains(cells) == pytest.approx(single, abs=1e-6)
    assert state.evaluated == cells.size
    state.become(free[50:54])
    assert sorted(state.cells) == free[50:54]
    assert state.loss == pytest.approx(loss_of(scene, free[50:54]))


def test_an_effort_counts_what_is_nearer() -> None:
    effort = Effort(SearchOptions(seconds=1e9, evaluations=10))
    assert effort.left()
    effort.evaluated = 5
    assert effort.share() == pytest.approx(0.5)
    effort.evaluated = 12
    assert effort.share() == 1.0
    assert not effort.left()
    assert 0.0 < Effort(SearchOptions()).seconds_left() <= limits.DEFAULT_SECONDS
    assert Effort(SearchOptions(evaluations=3)).seconds_left() == float("inf")
    assert Effort(SearchOptions(seconds=1e-9)).share() == 1.0


def test_best_first_keeps_the_breaks(scene: Scene) -> None:
    fires = scene.fires("plan", FIRES)
    state = PlanState(problem_of(scene, 0.06, fires, fires.first(0)))
    fill(state, lambda of: of.available()[::5])
    before, loss = sorted(state.cells), state.loss
    assert sorted(best_first(state)) == before
    assert state.loss == loss


def test_a_problem_without_available_cells_is_left_alone(scene: Scene) -> None:
    fires = scene.fires("plan", FIRES)
    problem: Problem = problem_of(scene, 0.06, fires, fires.first(0))
    state = PlanState(replace(problem, budget=1e-6))
    fill(state, lambda of: of.available())
    assert state.cells == []
    assert best_first(state) == []


def test_keeping_gains_changes_what_is_counted_and_nothing_else(scene: Scene) -> None:
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.05, fires, fires.first(0))
    plain, keeps = PlanState(problem), PlanState(problem, keep_gains=True)
    cells = plain.available()
    assert plain.gains(cells).tolist() == keeps.gains(cells).tolist()
    assert plain.simulations == keeps.simulations
    fill(plain, PlanState.available)
    fill(keeps, PlanState.available)
    assert plain.cells == keeps.cells
    assert keeps.simulations < plain.simulations


def state_under(scene: Scene, method: str) -> PlanState:
    fires = scene.fires("plan", FIRES)
    state = PlanState(problem_of(scene, 0.06, fires, fires.first(0)))
    state.become(plan_of(scene, method).cells.tolist())
    return state


def test_the_best_plan_seen_is_left_however_much_may_be_lost(scene: Scene) -> None:
    state = state_under(scene, "greedy")
    loss, rng = state.loss, np.random.default_rng(0)

    def refill() -> None:
        randomized_fill(state, PlanState.available, 0.95, rng)

    large_neighbourhood_search(state, refill, Effort(SearchOptions(evaluations=3000)), rng,
                               slack=10.0)
    assert state.loss <= loss


def test_a_search_whose_effort_is_spent_leaves_the_plan(scene: Scene) -> None:
    state = state_under(scene, "downstream-value")
    before, spent = list(state.cells), Effort(SearchOptions(evaluations=1))
    spent.evaluated = 1
    looks = state.evaluated
    local_search(state, PlanState.available, spent)
    large_neighbourhood_search(state, lambda: fill(state, PlanState.available), spent,
                               np.random.default_rng(0))
    assert state.cells == before
    assert state.evaluated == looks


def test_of_equal_cells_the_first_is_taken(scene: Scene) -> None:
    fires = scene.fires("plan", FIRES)
    state = PlanState(problem_of(scene, 1.0, fires, fires.first(0)))
    dead = np.flatnonzero((state.downstream_value() == 0.0)
                          & scene.landscape.treatable.ravel())
    if dead.size < 2:  # break what burns until some cells are out of reach
        fill(state, lambda of: of.available()[of.downstream_value()[of.available()] > 0.0])
        dead = state.available()
    assert dead.size >= 2
    assert ranked(state, dead[::-1]).tolist() == dead.tolist()


def test_rounds_double_while_the_burns_last(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.06, fires, fires.first(0))
    monkeypatch.setattr("firebreak.planning.search.moves.MOST_BURNS", 7.9 * 500 * FIRES)
    assert list(rounds_of(problem)) == [500, 1000, 2000]
    monkeypatch.setattr("firebreak.planning.search.moves.MOST_BURNS", 0.9 * 500 * FIRES)
    assert list(rounds_of(problem)) == []


@pytest.mark.parametrize("include", [[], [40, 41]])
def test_moves_never_lose_on_the_plan_fires_and_keep_the_rules(scene: Scene,
                                                               include: list[int]) -> None:
    rules = PlanRules(include=np.array(include, np.int64))
    start = make_plan(scene, 0.06, FIRES, "random", seed=1, rules=rules)
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.06, fires, fires.first(0))
    seen = [start.cells]
    improved(problem, start.cells, rules, start.budget, seen.append)
    losses = [loss_of(scene, cells.tolist()) for cells in seen]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]
    for cells in seen:
        assert set(include) <= set(cells.tolist())
        assert len(set(cells.tolist())) == cells.size
        assert cost_of(cells, scene.landscape) <= start.budget


def test_moves_leave_no_short_piece(scene: Scene) -> None:
    rules = PlanRules(least_m=2.0 * scene.landscape.cell_size_m)
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.06, fires, fires.first(0))
    seen: list[np.ndarray] = []
    start = make_plan(scene, 0.06, FIRES, "downstream-value", seed=1, rules=rules)
    improved(problem, start.cells, rules, start.budget, seen.append)
    assert seen
    assert not any(short_pieces(cells, rules, scene.landscape) for cells in seen)
    assert all(cost_of(cells, scene.landscape) <= start.budget for cells in seen)


def test_nothing_is_placed_where_a_filling_may_not_go_on(scene: Scene) -> None:
    fires = scene.fires("plan", FIRES)
    state = PlanState(problem_of(scene, 0.06, fires, fires.first(0)))
    rng = np.random.default_rng(0)

    def never() -> bool:
        return False

    def score(slots: ProblemBatch) -> np.ndarray:
        return np.ones(slots.sizes.shape)

    fill(state, PlanState.available, go_on=never)
    randomized_fill(state, PlanState.available, 0.3, rng, never)
    fill_by_score(state, score, rng, never)
    assert state.cells == []
    fill(state, PlanState.available)
    kept = list(state.cells)
    assert best_first(state, never) == kept
    assert sorted(best_first(state)) == sorted(kept)
