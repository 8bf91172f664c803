"""What every planning method promises, whatever it does inside."""

from dataclasses import replace

import numpy as np
import pytest

from firebreak.agent.policy_file import Policy
from firebreak.fire import FireConditions, Scene, make_scene
from firebreak.fire.fires import Fires
from firebreak.landscape.synthetic.generate import generate
from firebreak.planning.core.limits import SearchOptions
from firebreak.planning.core.plan import Plan
from firebreak.planning.making import make_plan
from firebreak.planning.methods import METHODS
from untrained import fitting, untrained

NAMES = sorted(METHODS)
TREATING = sorted(METHODS.keys() - {"none"})


@pytest.fixture(scope="module")
def scene() -> Scene:
    """14 x 15 cells: odd and even sides, unit costs."""
    return make_scene(generate(3, (14, 15)), FireConditions(scenarios=3), 5)


@pytest.fixture(scope="module")
def priced() -> Scene:
    """As `scene` with costs from 0.5 to 3.5 and only the western columns treatable."""
    land = generate(3, (14, 15))
    cost = np.random.default_rng(0).uniform(0.5, 3.5, land.shape)
    treatable = land.treatable.copy()
    treatable[:, 9:] = False
    return make_scene(replace(land, cost=cost, treatable=treatable), FireConditions(scenarios=3), 5)


@pytest.fixture(scope="module")
def policy() -> Policy:
    return untrained()


def plan_of(scene: Scene, method: str, policy: Policy, share: float = 0.06, *, seed: int = 2,
            batch: int | None = None) -> Plan:
    return make_plan(scene, share, 24, method, seed=seed, policy=fitting(method, policy),
                     batch=batch, search=SearchOptions(evaluations=100))


@pytest.mark.parametrize("method", NAMES)
def test_cells_are_distinct_and_treatable(priced: Scene, policy: Policy, method: str) -> None:
    plan = plan_of(priced, method, policy, 0.2)
    assert np.unique(plan.cells).size == plan.cells.size
    assert priced.landscape.treatable.ravel()[plan.cells].all()
    assert plan.break_mask().sum() == plan.cells.size
    assert not plan.cells.flags.writeable


@pytest.mark.parametrize("method", TREATING)
def test_the_budget_is_kept_and_used(scene: Scene, priced: Scene, policy: Policy,
                                     method: str) -> None:
    unit = plan_of(scene, method, policy)
    assert unit.cells.size == int(0.06 * scene.landscape.treatable.sum())
    assert unit.cost_unit == "cells"
    dear = plan_of(priced, method, policy, 0.2)
    land = priced.landscape
    budget = 0.2 * land.cost[land.treatable].astype(float).sum()
    left = budget - land.cost[dear.break_mask()].astype(float).sum()
    assert dear.cost_unit == "cost"
    assert -1e-6 < left < land.cost[land.treatable & ~dear.break_mask()].min()


def test_none_treats_nothing(scene: Scene, policy: Policy) -> None:
    plan = plan_of(scene, "none", policy)
    assert (plan.cells.size, plan.cost, plan.simulations) == (0, 0.0, 0.0)


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("batch", [None, 3])
def test_the_same_arguments_give_the_same_plan(scene: Scene, policy: Policy, method: str,
                                               batch: int | None) -> None:
    first, second = (plan_of(scene, method, policy, batch=batch) for _ in range(2))
    assert first.cells.tolist() == second.cells.tolist()
    assert first.simulations == second.simulations


@pytest.mark.parametrize("method", NAMES)
def test_the_landscape_is_left_alone(scene: Scene, policy: Policy, method: str) -> None:
    plan = plan_of(scene, method, policy)
    assert scene.landscape.fire_checksum() == scene.key
    assert scene.landscape.checksum() == plan.landscape_checksum


@pytest.mark.parametrize("method", NAMES)
def test_every_method_is_shown_the_plan_fires_and_no_others(
        scene: Scene, policy: Policy, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    draw = Scene.fires

    def fires(self: Scene, fire_set: str, count: int) -> Fires:
        asked.append((fire_set, count))
        return draw(self, fire_set, count)

    monkeypatch.setattr(Scene, "fires", fires)
    plan_of(scene, method, policy)
    assert asked == [("plan", 24)]


@pytest.mark.parametrize("method", TREATING)
def test_a_batch_saves_simulations_and_spends_as_much(scene: Scene, policy: Policy,
                                                      method: str) -> None:
    single, batched = (plan_of(scene, method, policy, batch=batch) for batch in (1, 4))
    assert batched.cells.size == single.cells.size
    if method in ("burn-probability", "downstream-value", "dqn"):
        assert batched.simulations < single.simulations
        rows, cols = np.divmod(batched.cells[:4], scene.landscape.shape[1])
        apart = np.maximum(abs(rows[:, None] - rows), abs(cols[:, None] - cols))
        assert apart[~np.eye(4, dtype=bool)].min() >= 3


def test_every_method_has_one_line_of_help() -> None:
    assert all(method.description and "\n" not in method.description
               for method in METHODS.values())
