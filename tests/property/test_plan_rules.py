"""What planners ask for holds for every method: cells to have and to leave alone, money, pieces."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.agent.policy_file import Policy
from firebreak.checks import InputError
from firebreak.env.core import begin
from firebreak.env.storage.problem import Problem, problem_of
from firebreak.env.storage.problem_batch import ProblemBatch, sizes_for
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.landscape.candidates.corridor import Corridor
from firebreak.landscape.synthetic.generate import generate
from firebreak.landscape.treatments import Treatment
from firebreak.planning.core.break_segments import length_m, pieces
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.plan import cost_of
from firebreak.planning.core.rounds import Placement
from firebreak.planning.core.rules import FREE, PlanRules, place_under, short_pieces
from firebreak.planning.evaluation.build_order import Phase, check_phases, years_of
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from untrained import fitting, untrained

RULED = sorted(set(METHODS) - {"none"})
SEARCH = SearchOptions(evaluations=40)
LAND = generate(5, 12, cell_size_m=30.0)
SCENES = {
    "equal costs": make_scene(LAND, FireConditions(scenarios=2), 0),
    "costs": make_scene(replace(LAND, cost=np.random.default_rng(1).uniform(
        0.5, 3.0, LAND.shape).astype(np.float32)), FireConditions(scenarios=2), 0),
    "shaded": make_scene(LAND, FireConditions(scenarios=2, treatment=Treatment(kind="shaded")), 0),
}


@pytest.fixture(scope="module")
def policy() -> Policy:
    return untrained()


def ruled_plan(scene: Scene, method: str, rules: PlanRules, policy: Policy, share: float = 0.1):
    return make_plan(scene, share, 12, method, seed=0, policy=fitting(method, policy),
                     search=SEARCH, rules=rules)


def some_cells(scene: Scene, seed: int, count: int) -> np.ndarray:
    allowed = np.flatnonzero(scene.landscape.treatable)
    return np.random.default_rng(seed).choice(allowed, count, replace=False)


@pytest.mark.parametrize("method", RULED)
@settings(max_examples=3, deadline=None, derandomize=True)
@given(data=st.data())
def test_rules_hold_for_every_method(method: str, policy: Policy, data: st.DataObject) -> None:
    scene = SCENES[data.draw(st.sampled_from(["costs", "equal costs"]))]
    land = scene.landscape
    include = some_cells(scene, data.draw(st.integers(0, 99)), data.draw(st.integers(0, 4)))
    excluded = np.setdiff1d(some_cells(scene, data.draw(st.integers(100, 199)), 20), include)
    open_ = land.treatable.copy()
    open_.ravel()[excluded] = False
    left = replace(scene, landscape=replace(land, treatable=open_))
    budget = cost_of(include, land) + data.draw(st.floats(3.0, 12.0))
    rules = PlanRules(include=include, budget=budget,
                      shortest_m=data.draw(st.sampled_from([0.0, 65.0])))
    try:
        plan = ruled_plan(left, method, rules, policy)
    except InputError as error:
        if rules.shortest_m > 0.0 and "pieces of at least" in str(error):
            return  # a method that makes no line
        raise
    cells = plan.cells
    assert plan.cost == pytest.approx(cost_of(cells, land))
    assert plan.cost <= budget * (1 + 1e-6)
    assert plan.budget == budget
    assert open_.ravel()[cells].all()
    assert cells[:include.size].tolist() == include.tolist()  # what must be there comes first
    mask = plan.break_mask()
    for piece in pieces(mask):
        assert (np.isin(piece, include).any()
                or length_m(piece, mask.shape, 30.0) >= rules.shortest_m - 1e-6)
    if method not in ("strips", "segments") and rules.shortest_m == 0.0:
        affordable = open_ & ~mask & (land.cost <= budget - plan.cost)
        assert not affordable.any()  # the budget is spent


@pytest.mark.parametrize("method", RULED)
def test_no_rules_change_nothing(method: str, policy: Policy) -> None:
    scene = SCENES["costs"]
    free = ruled_plan(scene, method, PlanRules(), policy)
    again = ruled_plan(scene, method, PlanRules(budget=free.budget), policy)
    assert again.cells.tolist() == free.cells.tolist()
    assert again.simulations == free.simulations


@pytest.mark.parametrize("method", ["downstream-value", "dqn", "greedy", "betweenness"])
def test_a_plan_goes_on_from_what_it_must_have(method: str, policy: Policy) -> None:
    """A nested method that must have the beginning of its own plan goes on as it would have."""
    scene = SCENES["costs"]
    free = ruled_plan(scene, method, PlanRules(), policy, 0.12)
    begun = PlanRules(include=free.cells[:3])
    again = make_plan(scene, 0.12, 12, method, seed=0, policy=policy, search=SEARCH, rules=begun,
                      batch=1)
    own = make_plan(scene, 0.12, 12, method, seed=0, policy=policy, search=SEARCH, batch=1)
    if own.cells[:3].tolist() == free.cells[:3].tolist():
        assert again.cells[:3].tolist() == own.cells[:3].tolist()
        # A policy sees the budget that is left as a whole one; all others see the same.
        if method != "dqn":
            assert again.cells.tolist() == own.cells.tolist()


def test_nothing_stays_nothing() -> None:
    scene = SCENES["costs"]
    rules = PlanRules(include=some_cells(scene, 0, 3), shortest_m=1e4)
    assert make_plan(scene, 0.2, 12, "none", seed=0, rules=rules).cells.size == 0


@given(st.integers(0, 99), st.sampled_from(sorted(SCENES)))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_given_cells_burn_as_breaks_and_cost_nothing(seed: int, kind: str) -> None:
    scene = SCENES[kind]
    given_ = some_cells(scene, seed, 4)
    fires = scene.fires("plan", 12)
    free = problem_of(scene, 0.1, fires, fires.first(0))
    slots = ProblemBatch(sizes_for(scene, 1, 12, 0))
    problem = Problem(scene=free.scene, plan_fires=fires, reward_fires=free.reward_fires,
                      budget=5.0, budget_share=0.1, layers=free.layers, standing=given_)
    begin(slots, np.zeros(1, np.int64), [problem])
    loss = burn(scene, fires, problem.standing_mask()).loss
    assert np.array_equal(slots.plan_trees(0).loss, loss)
    assert slots.budget_left[0] == 5.0
    assert not slots.available[0].ravel()[given_].any()
    untreated = burn(scene, fires).loss
    assert slots.untreated_plan_loss[0] == pytest.approx(untreated.mean())


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 999), st.sampled_from([31.0, 65.0, 100.0]))
def test_short_pieces_are_found(seed: int, shortest: float) -> None:
    cells = some_cells(SCENES["costs"], seed, 25)
    include = cells[:2]
    short = short_pieces(cells, PlanRules(include=include, shortest_m=shortest), LAND)
    found = np.concatenate([np.empty(0, np.int64), *short.values()])
    mask = np.zeros(LAND.shape, np.bool_)
    mask.ravel()[cells] = True
    for piece in pieces(mask):
        short = length_m(piece, LAND.shape, 30.0) < shortest and not np.isin(piece, include).any()
        assert np.isin(piece, found).all() == short
        assert np.isin(piece, found).any() == short


def test_what_short_pieces_cost_is_spent_elsewhere() -> None:
    """A method that likes a lone cell best gets to place its second choice, a line."""
    scene = make_scene(replace(LAND, fuel_model=np.full(LAND.shape, 102, np.int16),
                               treatable=np.ones(LAND.shape, bool)),
                       FireConditions(scenarios=2), 0)
    fires = scene.fires("plan", 4)
    free = problem_of(scene, 0.1, fires, fires.first(0))
    liked = [0, 50, 51, 52]

    def place(problem: Problem) -> Placement:
        allowed = problem.scene.landscape.treatable.ravel()
        cells = [cell for cell in liked if allowed[cell]][:int(problem.budget)]
        return Placement(np.array(cells, np.int64), 1.0)

    placed = place_under(PlanRules(shortest_m=80.0), free, 3.0, place)
    assert placed.cells.tolist() == [50, 51, 52]
    assert placed.simulations == 2.0
    # A placement that no rule can change is not made again.
    begun = Placement(np.array(liked[:3]), 1.0)
    assert place_under(FREE, free, 3.0, place, begun) is begun
    assert place_under(PlanRules(include=begun.cells), free, 3.0, place, begun
                       ).cells.tolist() == liked[:3]


@pytest.mark.parametrize(("rules", "method", "message"), [
    (PlanRules(budget=0.1), "random", "buys the cheapest cell"),
    (PlanRules(include=some_cells(SCENES["costs"], 0, 9), budget=3.0), "random",
     r"pays for what must be included \([0-9.]+ units of cost\), got 3;"),
    (PlanRules(include=np.flatnonzero(~LAND.treatable)[:1]), "random",
     "treatable cells to include, got"),
    (PlanRules(shortest_m=1e4), "random", "pieces of at least 10000 m, got only shorter ones"),
])
def test_rules_that_cannot_hold_are_refused(rules: PlanRules, method: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_plan(SCENES["costs"], 0.1, 12, method, seed=0, rules=rules)


def segment(cost: float) -> Corridor:
    cells = np.zeros(1, np.int64)
    return Corridor(cells, cells, 30.0, 0.09, cost)


@given(st.lists(st.floats(0.1, 9.0), min_size=1, max_size=12),
       st.lists(st.floats(0.0, 20.0), min_size=1, max_size=5))
def test_every_year_pays_for_a_beginning(costs: list[float], budgets: list[float]) -> None:
    budgets[-1] += sum(costs)  # enough in all
    phases = [Phase(2030 + k, budget) for k, budget in enumerate(budgets)]
    check_phases(phases, "here")
    years = years_of([segment(cost) for cost in costs], phases)
    assert years == sorted(years)  # nested: what is built by a year is a beginning
    for k, phase in enumerate(phases):
        spent = sum(cost for cost, year in zip(costs, years, strict=True) if year <= phase.year)
        assert spent <= sum(one.budget for one in phases[:k + 1]) * (1 + 1e-5) + 1e-9
        after = [cost for cost, year in zip(costs, years, strict=True) if year > phase.year]
        if after:  # the next one could not be paid yet
            assert spent + after[0] > sum(one.budget for one in phases[:k + 1])


@pytest.mark.parametrize(("phases", "message"), [
    ([Phase(2028, 1.0), Phase(2027, 1.0)], "years in ascending order"),
    ([Phase(2027, 1.0), Phase(2027, 1.0)], "years in ascending order"),
    ([Phase(2027, -1.0)], "a budget of 0 or more"),
    ([Phase(2027, 0.0)], "a budget of 0 or more"),
    ([Phase(2027, float("nan"))], "a budget of 0 or more"),
    ([Phase(0, 1.0)], "years from 1 to 9999, got 0"),
    ([Phase(2027, 1.0), Phase(10**20, 1.0)], "years from 1 to 9999, got 2027, 10000000"),
])
def test_bad_phases_are_refused(phases: list[Phase], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_phases(phases, "--phases")


def test_phases_must_pay() -> None:
    with pytest.raises(InputError, match=r"phases whose budgets pay for the plan \(5\), got 3"):
        years_of([segment(5.0)], [Phase(2027, 3.0)])
