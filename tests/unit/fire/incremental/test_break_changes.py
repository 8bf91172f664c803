"""Breaks that come and go, and what-ifs: all as if the fires were burned anew."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import HARD_KINDS, KINDS, by_class, slots_on, with_periods, with_rules
from firebreak.checks import InputError
from firebreak.env.gains import MarginalGains, gains_of_cells, gains_of_lines
from firebreak.env.storage.problem import Problem
from firebreak.env.storage.problem_batch import ProblemBatch
from firebreak.fire.travel.stencil import UNBURNED
from firebreak.fire.travel.travel_field import pad, unpad
from firebreak.planning.core.line_trials import Memory, try_lines
from strategies import Case, cases, random_case

ONE = np.zeros(1, np.int64)
PERIODS = st.sampled_from([0, 0, 1, 3])  # later burning periods of a fire


def update(slots: ProblemBatch) -> int:
    return slots.update(ONE)


def toggle(slots: ProblemBatch, cell: int) -> None:
    if slots.breaks[0].flat[cell]:
        slots.remove(0, cell)
    elif slots.available[0].flat[cell]:
        slots.place(0, cell)


def with_breaks(problem: Problem, slots: ProblemBatch) -> ProblemBatch:
    """Other slots, given the same breaks before any fire burned."""
    fresh = ProblemBatch(slots.sizes)
    fresh.load(0, problem)
    fresh.update(ONE, fresh=True)
    for cell in np.flatnonzero(slots.breaks[0]).tolist():
        fresh.place(0, cell)
    update(fresh)
    return fresh


def assert_as_anew(slots: ProblemBatch, problem: Problem) -> None:
    for ids, fires in ((slots.plan_ids(0), problem.plan_fires),
                       (slots.reward_ids(0), problem.reward_fires)):
        anew = burn_maps(problem.scene.field, fires, problem.scene.value_by_class, slots.breaks[0])
        np.testing.assert_array_equal(unpad(slots.fires.code[ids], problem.scene.field.shape),
                                      anew.parent_code)
        np.testing.assert_array_equal(slots.fires.loss[ids], anew.loss)


def near_each_other(rng: np.random.Generator, case: Case, count: int) -> list[int]:
    """Cells to break and to free again: ignitions, and others close together."""
    rows, cols = case.burnable.shape
    row, col = rng.integers(rows), rng.integers(cols)
    around = [(min(max(row + dr, 0), rows - 1), min(max(col + dc, 0), cols - 1))
              for dr, dc in rng.integers(-3, 4, (count, 2))]
    cells = [int(r * cols + c) for r, c in around]
    return [*rng.permutation(np.array([*case.fires.source[:2], *cells])).tolist(),
            *rng.integers(0, rows * cols, 3).tolist()]


@given(cases(16, scenarios=4, fires=8), st.sampled_from(KINDS), st.sampled_from([1, 2, 4]),
       PERIODS, st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_breaks_that_come_and_go_leave_what_burning_anew_would(
        case: Case, kind: str, steps: int, later: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario // steps))
    case, field = with_periods(case, with_rules(case, kind, seed, steps), later)
    slots, problem = slots_on(case, field, by_class(case))
    cells = near_each_other(rng, case, 6)
    for _ in range(14):
        toggle(slots, int(rng.choice(cells)))
        if rng.random() < 0.7:  # now and then several before one update
            update(slots)
            assert_as_anew(slots, problem)
    update(slots)
    assert_as_anew(slots, problem)
    fresh = with_breaks(problem, slots)
    np.testing.assert_array_equal(slots.layers, fresh.layers)
    np.testing.assert_array_equal(slots.available, fresh.available)
    assert slots.budget_left[0] == fresh.budget_left[0]
    for kept, made in zip(slots.maps(0), fresh.maps(0), strict=True):
        np.testing.assert_array_equal(kept, made)


@pytest.mark.parametrize("seed", [3, 166])
def test_rough_maps_where_cells_that_stood_burn_earlier(seed: int) -> None:
    """Where speeds differ much between neighbours, a changed end of a segment often leads to a
    better point of it: cells that stood are forgotten, some twice with one time between (166).
    """
    rng = np.random.default_rng(seed)
    size = int(rng.integers(20, 60))
    case = random_case(rng, size, size, scenarios=4, fires=12,
                       roughness=float(rng.choice([0.0, 0.3, 1.0, 3.0])),
                       turning=float(rng.choice([0.0, 30.0, 180.0])),
                       unburnable=float(rng.choice([0.0, 0.1, 0.3])), broken=0.0)
    slots, problem = slots_on(case, with_rules(case, "hard", seed, 1), by_class(case))
    for _ in range(40):
        for cell in rng.integers(size * size, size=rng.integers(1, 4)).tolist():
            toggle(slots, cell)
        broken = np.flatnonzero(slots.breaks[0])
        if broken.size and rng.random() < 0.3:
            toggle(slots, int(rng.choice(broken)))
        update(slots)
        assert_as_anew(slots, problem)


def gain_slowly(slots: ProblemBatch, cell: int) -> float:
    """What placing a break saves of the mean loss; it is taken away again."""
    before = slots.plan_loss(0)
    slots.place(0, cell)
    update(slots)
    gain = before - slots.plan_loss(0)
    slots.remove(0, cell)
    update(slots)
    assert slots.plan_loss(0) == before
    return gain


@given(cases(14, scenarios=4, fires=10), st.sampled_from(KINDS), st.sampled_from([1, 2, 4]),
       PERIODS, st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_gains_are_those_of_placing_each_break(case: Case, kind: str, steps: int, later: int,
                                               seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario // steps))
    case, field = with_periods(case, with_rules(case, kind, seed, steps), later)
    slots, _ = slots_on(case, field, by_class(case))
    for cell in near_each_other(rng, case, 4)[:4]:
        toggle(slots, cell)
    update(slots)
    layers = slots.layers.copy()
    cells = rng.choice(case.burnable.size, min(case.burnable.size, 40), replace=False)
    gained = gains_of_cells(slots, cells)
    update(slots)
    np.testing.assert_array_equal(slots.layers, layers)  # nothing changed
    for cell, gain in zip(cells.tolist(), gained.tolist(), strict=True):
        if slots.available[0].flat[cell]:
            assert gain == pytest.approx(gain_slowly(slots, cell), abs=1e-12 * slots.plan_loss(0))
        else:
            assert gain == 0.0


@given(cases(16, scenarios=4, fires=16), st.sampled_from(HARD_KINDS), PERIODS,
       st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_lines_save_what_breaking_all_their_cells_does(case: Case, kind: str, later: int,
                                                       seed: int) -> None:
    rng = np.random.default_rng(seed)
    case, field = with_periods(case, with_rules(case, kind, seed), later)
    slots, problem = slots_on(case, field, by_class(case))
    for cell in near_each_other(rng, case, 4)[:4]:
        toggle(slots, cell)
    update(slots)
    free = np.flatnonzero(slots.available[0])
    lines = [rng.permutation(free)[:count] for count in (1, 2, 7, 0)]
    near = [cell for cell in near_each_other(rng, case, 9) if slots.available[0].flat[cell]]
    lines.append(np.unique(near).astype(np.int64))
    saved, burned = gains_of_lines(slots, lines)
    assert saved[3] == burned[3] == 0
    before = slots.plan_loss(0)
    for line, gained in zip(lines, saved.tolist(), strict=True):
        other = with_breaks(problem, slots)
        for cell in line.tolist():
            other.place(0, cell)
        update(other)
        assert gained == pytest.approx(before - other.plan_loss(0), abs=1e-9 * before)


@pytest.mark.slow
@given(cases(12, scenarios=4, fires=12), st.sampled_from(KINDS), st.sampled_from([1, 2]),
       st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_lines_that_methods_try_burn_under_the_rules_of_the_breaks(
        case: Case, kind: str, steps: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario // steps))
    slots, problem = slots_on(case, with_rules(case, kind, seed, steps), by_class(case))
    for cell in near_each_other(rng, case, 4)[:4]:
        toggle(slots, cell)
    update(slots)
    lines = [rng.permutation(case.burnable.size)[:count].astype(np.int64) for count in (1, 3, 7)]
    cost = problem.scene.landscape.cost.ravel().astype(np.float64)
    for trial in try_lines(problem, slots, lines):
        breaks = slots.breaks[0].copy()
        breaks.ravel()[trial.cells] = True
        anew = burn_maps(problem.scene.field, problem.plan_fires, problem.scene.value_by_class,
                         breaks)
        saved = slots.plan_loss(0) - anew.loss.mean()
        price = max(float(cost[trial.cells].sum()), 1e-9)
        assert trial.saved_per_cost == pytest.approx(saved / price,
                                                     abs=1e-6 * slots.plan_loss(0))


@pytest.mark.slow
@given(cases(16, scenarios=4, fires=12), st.sampled_from(KINDS), PERIODS,
       st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_what_is_known_of_lines_is_what_they_save_while_breaks_come_and_go(
        case: Case, kind: str, later: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    case, field = with_periods(case, with_rules(case, kind, seed), later)
    slots, problem = slots_on(case, field, by_class(case))
    start = rng.integers(case.burnable.size, size=6)
    lines = [np.unique((first + np.arange(count)) % case.burnable.size)
             for first, count in zip(start.tolist(), (1, 2, 3, 5, 8, 12), strict=True)]
    memory = Memory()
    for cell in [-1, *near_each_other(rng, case, 3)]:
        if cell >= 0:
            toggle(slots, cell)
            update(slots)
        known, anew = try_lines(problem, slots, lines, memory=memory), try_lines(
            problem, slots, lines)
        for one, other in zip(known, anew, strict=True):
            assert one.saved_per_cost == other.saved_per_cost
            assert one.burned <= other.burned


@given(cases(16, scenarios=4, fires=12), st.sampled_from(KINDS), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_fires_that_burn_anew_and_come_to_new_cells_are_told(
        case: Case, kind: str, seed: int) -> None:
    slots, problem = slots_on(case, with_rules(case, kind, seed), by_class(case))
    for cell in near_each_other(np.random.default_rng(seed), case, 4)[:4]:
        toggle(slots, cell)
    update(slots)
    plan, kept = slots.plan_ids(0), slots.fires.code[slots.plan_ids(0)] != UNBURNED
    slots.write_breaks(0, np.flatnonzero(slots.breaks[0]), broken=False)
    beyond = np.zeros(len(kept), np.bool_)
    loss = slots.fires.loss_anew(np.arange(plan.start, plan.stop), slots.fields, slots.overlays,
                                 beyond)
    anew = burn_maps(problem.scene.field, problem.plan_fires, problem.scene.value_by_class)
    came = pad(anew.parent_code, UNBURNED) != UNBURNED
    np.testing.assert_array_equal(loss, anew.loss)
    np.testing.assert_array_equal(beyond, (came & ~kept).any(axis=1))


@given(cases(24, scenarios=6, fires=24), st.sampled_from(["held-shaded", "few-held-shaded",
                                                          "shaded-embers", "attack-held-shaded"]),
       st.sampled_from([1, 2]), PERIODS, st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_breaks_that_are_written_for_some_fires_change_these_as_for_all(
        case: Case, kind: str, steps: int, later: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario // steps))
    case, field = with_periods(case, with_rules(case, kind, seed, steps), later)
    slots, problem = slots_on(case, field, by_class(case))
    for cell in near_each_other(rng, case, 4):
        toggle(slots, cell)
    update(slots)
    plan = slots.plan_ids(0)
    which = rng.permutation(np.arange(plan.start, plan.stop))[:2]
    cells = np.flatnonzero(~slots.breaks[0] & case.burnable)[rng.integers(0, 9)::7]
    before = [array.copy() for array in slots.fields.arrays()]
    with slots.broken_for(0, cells, which):
        loss = slots.fires.loss_anew(which, slots.fields, slots.overlays)
        anew = burn_maps(problem.scene.field, problem.plan_fires, problem.scene.value_by_class,
                         slots.breaks[0])
        np.testing.assert_array_equal(loss, anew.loss[which - plan.start])
    for array, other in zip(slots.fields.arrays(), before, strict=True):
        np.testing.assert_array_equal(array, other)


@pytest.mark.slow
@given(cases(16, scenarios=4, fires=16), st.sampled_from(KINDS), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_kept_gains_have_the_bits_of_fresh_ones(case: Case, kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    slots, problem = slots_on(case, with_rules(case, kind, seed), by_class(case))
    cells = rng.permutation(case.burnable.size)[:60]
    kept = MarginalGains(slots, cells)
    places = near_each_other(rng, case, 8)
    for _ in range(8):
        toggle(slots, int(rng.choice(places)))
        update(slots)
        np.testing.assert_array_equal(kept.refresh(), gains_of_cells(slots, cells))
    np.testing.assert_array_equal(kept.refresh(), gains_of_cells(with_breaks(problem, slots),
                                                                 cells))


@pytest.mark.parametrize("kind", HARD_KINDS)
def test_a_break_that_is_taken_away_burns_few_fires_anew(kind: str) -> None:
    case = random_case(np.random.default_rng(4), 24, 24, fires=200, unburnable=0.0, scenarios=4)
    slots, _ = slots_on(case, with_rules(case, kind, 0), by_class(case))
    slots.place(0, 50)
    update(slots)
    codes = unpad(slots.fires.code, (24, 24))
    near = (codes[:, 0:6, 0:6] != 255).any(axis=(1, 2)).sum()
    slots.remove(0, 50)
    assert 0 < update(slots) <= near < 200


def test_only_what_was_placed_is_taken_away() -> None:
    case = random_case(np.random.default_rng(4), 6, 6, unburnable=0.0)
    slots, _ = slots_on(case, with_rules(case, "hard", 0), by_class(case))
    with pytest.raises(InputError, match="a cell with a break"):
        slots.remove(0, 3)
