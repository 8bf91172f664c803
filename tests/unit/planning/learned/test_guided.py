"""Search guided by a policy: never worse than the policy's plan, repeatable, anytime."""

import numpy as np
import pytest

from firebreak.agent.policy_file import Policy
from firebreak.checks import InputError
from firebreak.env.storage.problem import problem_of
from firebreak.fire.engine import burn_loss
from firebreak.fire.scene import FireConditions, Scene, make_scene
from firebreak.landscape.synthetic.generate import generate
from firebreak.line_actions import SHAPES
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.plan import Plan
from firebreak.planning.learned.guided import NEARLY, fill_with_lines
from firebreak.planning.learned.policy import line_values
from firebreak.planning.methods import make_plan
from firebreak.planning.search.plan_state import PlanState
from untrained import untrained

FIRES = 32


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(generate(8, 12), FireConditions(scenarios=3), 1)


@pytest.fixture(scope="module", params=[1, SHAPES], ids=["cells", "segments"])
def policy(request: pytest.FixtureRequest) -> Policy:
    return untrained(request.param)


def plan_of(scene: Scene, policy: Policy | None, method: str, evaluations: int = 300,
            seed: int = 0) -> Plan:
    return make_plan(scene, 0.06, FIRES, method, seed=seed, policy=policy,
                     search=SearchOptions(evaluations=evaluations))


def loss_of(scene: Scene, plan: Plan) -> float:
    return float(burn_loss(scene.field, scene.fires("plan", FIRES), scene.value_by_class,
                           plan.break_mask()).mean())


def test_the_search_improves_on_an_untrained_policys_plan(scene: Scene, policy: Policy) -> None:
    bare, searched = (plan_of(scene, policy, name) for name in ("dqn", "dqn-search"))
    assert loss_of(scene, searched) < loss_of(scene, bare)
    assert searched.cells.size == bare.cells.size
    assert searched.simulations > bare.simulations
    assert searched.policy == policy.provenance


def test_more_evaluations_never_lose_more(scene: Scene, policy: Policy) -> None:
    losses = [loss_of(scene, plan_of(scene, policy, "dqn-search", n)) for n in (1, 40, 400)]
    assert losses[0] >= losses[1] >= losses[2]


def test_without_room_to_search_it_is_the_policys_own_plan(scene: Scene, policy: Policy) -> None:
    bare = plan_of(scene, policy, "dqn")
    searched = make_plan(scene, 0.06, FIRES, "dqn-search", seed=0, policy=policy,
                         search=SearchOptions(seconds=1e-9))
    np.testing.assert_array_equal(searched.cells, bare.cells)


def test_evaluations_repeat_and_seeds_differ(scene: Scene, policy: Policy) -> None:
    one, again = (plan_of(scene, policy, "dqn-search", 300) for _ in range(2))
    np.testing.assert_array_equal(one.cells, again.cells)
    others = [plan_of(scene, policy, "dqn-search", 300, seed=s).cells.tolist() for s in (1, 2, 3)]
    assert any(cells != one.cells.tolist() for cells in others)


def test_the_plan_begins_with_what_saves_most(scene: Scene, policy: Policy) -> None:
    plan = plan_of(scene, policy, "dqn-search")
    fires = scene.fires("plan", FIRES)
    alone = []
    for cell in plan.cells.tolist():
        mask = np.zeros(scene.landscape.shape, bool)
        mask.ravel()[cell] = True
        alone.append(float(burn_loss(scene.field, fires, scene.value_by_class, mask).mean()))
    assert alone[0] == min(alone)


def test_segments_are_drawn_from_those_nearly_as_good_as_the_best(
        scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, fires, drawn = untrained(SHAPES), scene.fires("plan", FIRES), []
    state = PlanState(problem_of(scene, 0.2, fires, fires.first(0)))

    def line_cells(of: PlanState, action: int) -> list[int]:
        values = of.score(lambda slots: line_values(policy, slots))
        drawn.append((float(values[action]), float(values.max())))
        return own(of, action)

    own = PlanState.line_cells
    monkeypatch.setattr(PlanState, "line_cells", line_cells)
    fill_with_lines(state, policy, np.random.default_rng(0))
    assert not state.available().size
    assert len(set(state.cells)) == len(state.cells) > len(drawn)
    assert all(value >= best - NEARLY * abs(best) > -np.inf for value, best in drawn)
    assert any(value < best for value, best in drawn)


def test_without_a_policy_it_says_how_to_get_one(scene: Scene) -> None:
    with pytest.raises(InputError, match=r"method dqn-search: expected a trained policy.*--policy"):
        plan_of(scene, None, "dqn-search")
