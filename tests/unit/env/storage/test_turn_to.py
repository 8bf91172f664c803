"""A slot that turns to another problem with the same fires is as one that was made for it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import KINDS, by_class, with_rules
from firebreak.env.core import begin
from firebreak.env.storage.problem import Again, Problem
from firebreak.env.storage.problem_batch import SLOT_0, ProblemBatch
from firebreak.planning.core.rounds import loaded
from strategies import Case, cases, problem_on, random_case


def problem_of(case: Case, rules: str, rng: np.random.Generator) -> Problem:
    """One of all fires of a case, of which something of value burns."""
    case.value[np.divmod(case.fires.source, case.value.shape[1])] = 3.0
    return problem_on(case, case.fires, case.fires.first(0), field=with_rules(case, rules, 7),
                      value_by_class=by_class(case), cost=rng.integers(1, 4, case.value.shape))


def under(problem: Problem, rng: np.random.Generator, budget: float) -> Problem:
    """The problem where some cells stand from the start and fewer may be treated."""
    land = problem.scene.landscape
    stands = land.treatable & (rng.random(land.shape) < 0.1)
    free = land.treatable & ~stands & (rng.random(land.shape) < 0.8)
    return replace(problem, standing=np.flatnonzero(stands), budget=budget, scene=replace(
        problem.scene, landscape=replace(land, treatable=free)))


def state_of(slots: ProblemBatch) -> list[np.ndarray]:
    return [slots.breaks, slots.available, slots.budget_left, slots.land.states, slots.value,
            slots.untreated_plan_loss, slots.layers, *slots.maps(0), *slots.plan_trees(0),
            slots.fires.loss, np.array(slots.plan_loss(0))]


@settings(max_examples=60, deadline=None)
@given(case=cases(most_side=14, fires=7), seed=st.integers(0, 2**32 - 1),
       rules=st.sampled_from(KINDS))
def test_turning_leaves_what_beginning_makes(case: Case, seed: int, rules: str) -> None:
    rng = np.random.default_rng(seed)
    problem = problem_of(case, rules, rng)
    again = Again()
    before, after = (under(problem, rng, budget) for budget in (40.0, 30.0))
    used = loaded(replace(before, again=again))
    for cell in rng.permutation(np.flatnonzero(used.available[0]))[:9].tolist():
        if used.available[0].flat[cell]:
            used.place(0, cell)
    used.update(SLOT_0)
    turned = loaded(replace(after, again=again))
    assert turned is used
    anew = loaded(after)
    assert anew is not used
    for one, other in zip(state_of(turned), state_of(anew), strict=True):
        np.testing.assert_array_equal(one, other)
    free = np.flatnonzero(anew.available[0])[:5]
    for slots in (turned, anew):
        for cell in free.tolist():
            slots.place(0, cell)
        slots.update(SLOT_0)
    for one, other in zip(state_of(turned), state_of(anew), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("change", ["fires", "durations", "travel", "value", "reward"])
def test_slots_of_other_fires_are_made_anew(change: str) -> None:
    rng = np.random.default_rng(1)
    case = random_case(rng, 9, 9, fires=5)
    problem = problem_of(case, "hard", rng)
    again, fires, scene = Again(), problem.plan_fires, problem.scene
    used = loaded(replace(problem, again=again))
    longer = fires._replace(duration_min=fires.duration_min + 1.0)
    other = {
        "fires": replace(problem, plan_fires=fires.first(4)),
        "durations": replace(problem, plan_fires=longer),
        "travel": replace(problem, scene=replace(scene, travel=with_rules(case, "hard", 7))),
        "value": replace(problem, scene=replace(scene, value_by_class=scene.value_by_class + 1.0)),
        "reward": replace(problem, reward_fires=fires)}[change]
    made = loaded(replace(other, again=again))
    assert made is not used
    anew = ProblemBatch(made.sizes)
    begin(anew, SLOT_0, [other])
    np.testing.assert_array_equal(made.fires.loss, anew.fires.loss)
