"""Many cells of many slots broken at once are what one after the other is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import KINDS, by_class, slots_on, with_rules
from firebreak.env import synthetic_source
from firebreak.env.core import begin
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire.incremental.fire_store import MAX_CHANGES
from strategies import random_case


def two(slots: int = 2) -> ProblemBatch:
    source = synthetic_source(12, budget=0.5, plan_fires=9, reward_fires=7)
    made = ProblemBatch(source.sizes(slots))
    begin(made, np.arange(slots), [source.problem(k, 0) for k in range(slots)])
    return made


def state_of(slots: ProblemBatch) -> list[np.ndarray]:
    everyone = np.arange(slots.sizes.slots)
    slots.update(everyone)
    return [slots.breaks, slots.available, slots.budget_left, slots.moves, slots.layers,
            slots.reward_losses(everyone), *(slots.affected(k) for k in everyone.tolist()),
            *slots.plan_trees(0)]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 999), count=st.integers(0, 2 * MAX_CHANGES + 9))
def test_cells_of_two_slots_at_once(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    which, cells = rng.integers(0, 2, count), rng.integers(0, 144, count)
    at_once, slowly = two(), two()
    placed = at_once.place_each(which, cells)
    for slot, cell, done in zip(which.tolist(), cells.tolist(), placed.tolist(), strict=True):
        assert done == slowly.available[slot].flat[cell]
        if done:
            slowly.place(slot, cell)
    for one, other in zip(state_of(at_once), state_of(slowly), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_any_kind_of_break(kind: str) -> None:
    case = random_case(np.random.default_rng(3), 11, 13, fires=14)
    field = with_rules(case, kind, 3)
    at_once, _ = slots_on(case, field, by_class(case))
    slowly, _ = slots_on(case, field, by_class(case))
    cells = np.random.default_rng(3).choice(np.flatnonzero(slowly.available[0]), 9, replace=False)
    assert at_once.place_each(np.zeros(9, np.int64), cells).all()
    for cell in cells.tolist():
        slowly.place(0, cell)
    for one, other in zip(state_of(at_once), state_of(slowly), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_cells_come_and_go_together(kind: str) -> None:
    case = random_case(np.random.default_rng(4), 11, 13, fires=14)
    field = with_rules(case, kind, 4)
    at_once, _ = slots_on(case, field, by_class(case))
    slowly, _ = slots_on(case, field, by_class(case))
    cells = np.random.default_rng(4).choice(np.flatnonzero(slowly.available[0]), 9, replace=False)
    at_once.place(0, cells)
    at_once.update(np.array([0]))
    at_once.remove(0, cells[2:6])
    for cell in cells.tolist():
        slowly.place(0, cell)
    slowly.update(np.array([0]))
    for cell in cells[2:6].tolist():
        slowly.remove(0, cell)
    for one, other in zip(state_of(at_once), state_of(slowly), strict=True):
        assert np.array_equal(one, other)


def test_what_is_spent_is_no_longer_there_for_the_next() -> None:
    slots = two(1)
    free = np.flatnonzero(slots.available[0])
    slots.put_back(0, slots.breaks[0], 2.5)
    assert slots.place_each(np.zeros(4, np.int64), free[[0, 0, 1, 2]]).tolist() == [
        True, False, True, False]
    assert slots.budget_left[0] == 0.5
    assert not slots.available[0].any()
