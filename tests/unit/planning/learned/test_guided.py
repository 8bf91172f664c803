"""Search guided by a policy: never worse than the policy's plan, repeatable, anytime."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import torch

from break_cases import BREAKS
from firebreak.agent.policy_file import Policy, load_policy
from firebreak.checks import InputError
from firebreak.env.storage.problem import problem_of
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire import FireConditions, Scene, burn, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.line_actions import SHAPES
from firebreak.planning.core import limits, line_trials
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.line_trials import Trial
from firebreak.planning.core.plan import Plan, cost_of
from firebreak.planning.core.rounds import Task
from firebreak.planning.core.rules import FREE, PlanRules, short_pieces
from firebreak.planning.learned import guided
from firebreak.planning.learned.guided import BURNED, fill_ahead
from firebreak.planning.learned.lookahead import Ahead
from firebreak.planning.making import make_plan
from firebreak.planning.search.plan_state import PlanState
from lines_of_cells import lines_of
from untrained import untrained

FIRES = 32


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(8, 12), FireConditions(scenarios=3), 1)


@pytest.fixture(scope="module", params=[1, SHAPES], ids=["cells", "segments"])
def policy(request: pytest.FixtureRequest) -> Policy:
    return load_policy() if request.param > 1 else untrained()


def plan_of(scene: Scene, policy: Policy | None, method: str, evaluations: int = 300,
            seed: int = 0) -> Plan:
    return make_plan(scene, 0.06, FIRES, method, seed=seed, policy=policy,
                     search=SearchOptions(evaluations=evaluations))


def loss_of(scene: Scene, plan: Plan) -> float:
    return float(burn(scene, scene.fires("plan", FIRES), plan.break_mask()).loss.mean())


def test_the_search_improves_on_the_policys_plan(scene: Scene, policy: Policy) -> None:
    bare, searched = (plan_of(scene, policy, name) for name in ("dqn", "dqn-search"))
    assert loss_of(scene, searched) < loss_of(scene, bare)
    assert searched.cells.size == bare.cells.size
    assert searched.simulations > bare.simulations
    assert searched.policy == policy.provenance


def test_more_evaluations_never_lose_more(scene: Scene, policy: Policy) -> None:
    losses = [loss_of(scene, plan_of(scene, policy, "dqn-search", n)) for n in (1, 40, 400)]
    assert losses[0] >= losses[1] >= losses[2]


@pytest.mark.filterwarnings("ignore:dqn-search. the time limit ended")
def test_without_room_to_search_it_is_the_policys_own_plan(scene: Scene, policy: Policy) -> None:
    bare = plan_of(scene, policy, "dqn")
    searched = make_plan(scene, 0.06, FIRES, "dqn-search", seed=0, policy=policy,
                         search=SearchOptions(seconds=1e-9))
    np.testing.assert_array_equal(searched.cells, bare.cells)


@pytest.mark.slow
def test_a_start_that_the_clock_cuts_short_says_so(scene: Scene, policy: Policy,
                                                   recwarn: pytest.WarningsRecorder) -> None:
    for search in (SearchOptions(evaluations=2), SearchOptions(seconds=1e-9)):
        assert not recwarn
        make_plan(scene, 0.05, 16, "dqn-search", seed=0, policy=policy, search=search)
    assert ["before the search began" in str(one.message) for one in recwarn] == [True]


def test_a_search_has_one_thread_of_its_network(scene: Scene, policy: Policy,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    """Several spend the processor's time on waiting for one another, beside other programs."""
    seen = set[int]()

    class Watched(guided.PlanState):
        def become(self, cells: list[int]) -> None:
            seen.add(torch.get_num_threads())
            super().become(cells)

    monkeypatch.setattr(guided, "PlanState", Watched)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        plan_of(scene, policy, "dqn-search", evaluations=1)
        assert (seen, torch.get_num_threads()) == ({1}, 2)
    finally:
        torch.set_num_threads(before)


def test_evaluations_repeat_and_seeds_differ(scene: Scene, policy: Policy) -> None:
    one, again = (plan_of(scene, policy, "dqn-search", 300) for _ in range(2))
    np.testing.assert_array_equal(one.cells, again.cells)
    others = [plan_of(scene, policy, "dqn-search", 300, seed=s).cells.tolist() for s in (1, 2, 3)]
    assert any(cells != one.cells.tolist() for cells in others)


def test_of_a_policy_for_cells_the_plan_begins_with_what_saves_most(scene: Scene) -> None:
    plan = plan_of(scene, untrained(), "dqn-search")
    fires = scene.fires("plan", FIRES)
    alone = []
    for cell in plan.cells.tolist():
        mask = np.zeros(scene.landscape.shape, bool)
        mask.ravel()[cell] = True
        alone.append(float(burn(scene, fires, mask).loss.mean()))
    assert alone[0] == min(alone)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [FREE, PlanRules(include=np.array([40, 41])),
                                   PlanRules(shortest_m=90.0), PlanRules(least_m=90.0)],
                         ids=["free", "include", "shortest", "least"])
def test_lines_are_moved_under_every_rule_and_never_lose(scene: Scene, rules: PlanRules) -> None:
    start, searched = (make_plan(scene, 0.1, FIRES, method, seed=0, policy=load_policy(),
                                 rules=rules, search=SearchOptions(evaluations=600))
                       for method in ("dqn-lookahead", "dqn-search"))
    assert not short_pieces(searched.cells, rules, scene.landscape)
    assert set(rules.include.tolist()) <= set(searched.cells.tolist())
    assert cost_of(searched.cells, scene.landscape) <= searched.budget
    if not rules.shortest_m and not rules.least_m:
        assert loss_of(scene, searched) < loss_of(scene, start)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BREAKS)
def test_moved_lines_never_lose_with_breaks_of_any_kind(kind: str) -> None:
    scene = make_scene(generate(8, 12), BREAKS[kind], 1)
    start, searched = (plan_of(scene, untrained(SHAPES), method, 400)
                       for method in ("dqn-lookahead", "dqn-search"))
    assert loss_of(scene, searched) <= loss_of(scene, start) + 1e-9
    assert searched.cells.size == start.cells.size


def test_lines_are_burned_before_one_is_placed(scene: Scene,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    fires, policy = scene.fires("plan", FIRES), untrained(SHAPES)
    problem = problem_of(scene, 0.2, fires, fires.first(0))
    state, burned = PlanState(problem), []
    task = Task(problem, 0, 1, policy, SearchOptions())

    def best_first(self: Ahead, slots: ProblemBatch, values: np.ndarray, leading: np.ndarray,
                   most: int, go_on: Callable[[], bool]) -> list[Trial]:
        trials = own(self, slots, values, leading, most, go_on)
        burned.append((len(trials), values[leading[0]] < values.max()))
        return trials

    own = Ahead.best_first
    monkeypatch.setattr(Ahead, "best_first", best_first)
    lines = fill_ahead(state, Ahead(task, policy), np.random.default_rng(0))
    assert not state.available().size
    assert [cell for line in lines for cell in line] == state.cells
    assert len(burned) == len(lines) > 2
    assert max(count for count, _ in burned) == BURNED
    assert any(other for _, other in burned)  # the noise lets another line lead
    again = PlanState(problem)
    assert fill_ahead(again, Ahead(task, policy), np.random.default_rng(0), lambda: False) == []
    other = fill_ahead(again, Ahead(task, policy), np.random.default_rng(0), gone=lines)
    assert set(other[0]) not in [set(line) for line in lines]


@pytest.mark.filterwarnings("ignore:dqn-search. the time limit ended")
def test_the_clock_ends_a_move_of_lines_between_two_trials(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """With shaded breaks every trial burns its fires anew, and may take as long as the limit."""
    scene, ticks, tried = make_scene(generate(8, 12), BREAKS["shaded"], 1), itertools.count(), []
    own = line_trials.try_line

    def try_line(*args: object, **named: object) -> Trial:
        tried.append(args)
        return own(*args, **named)

    monkeypatch.setattr(line_trials, "try_line", try_line)
    monkeypatch.setattr(limits, "process_time", lambda: float(next(ticks)))
    plan = make_plan(scene, 0.2, FIRES, "dqn-search", seed=0, policy=load_policy(),
                     search=SearchOptions(seconds=5.0))
    assert len(tried) <= 8  # each look at the clock takes a second of it
    tried.clear()
    fires = scene.fires("plan", FIRES)
    problem = problem_of(scene, 0.2, fires, fires.first(0))
    ahead = Ahead(Task(problem, 0, 1, load_policy(), SearchOptions()), load_policy())
    looks = iter([True, True, True, False, False])
    lines = fill_ahead(PlanState(problem), ahead, np.random.default_rng(0),
                       lambda: next(looks))
    assert len(tried) == 2
    assert len(lines) == 1
    assert plan.cells.size == int(0.2 * scene.landscape.treatable.sum())


def test_a_policy_for_cells_refuses_lines(scene: Scene) -> None:
    lines = lines_of((np.array([40, 41]),), (0,))
    with pytest.raises(InputError, match="method dqn-search: expected a policy that places lines"):
        make_plan(scene, 0.1, FIRES, "dqn-search", seed=0, policy=untrained(),
                  rules=PlanRules(lines=lines))


def test_without_a_policy_it_says_how_to_get_one(scene: Scene) -> None:
    with pytest.raises(InputError, match=r"method dqn-search: expected a trained policy.*--policy"):
        plan_of(scene, None, "dqn-search")
