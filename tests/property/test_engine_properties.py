"""What must hold of burning whatever the map, the wind and the breaks."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.env.storage.problem_batch import ProblemBatch, Sizes
from firebreak.fire import burn_field
from firebreak.fire.fires import Fires
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import Ellipse, field_from_ellipse, unpad
from reference import burn_slowly, crossed_by_segment, crossed_by_step, parents_of
from strategies import CELL_SIZE_M, Case, cases, ellipse_like, problem_on, random_case


def cell_of(source, cols):
    return divmod(int(source), cols)


@given(cases())
@settings(max_examples=80, deadline=None)
def test_fires_have_the_bits_of_the_slow_version(case: Case) -> None:
    field = case.field()
    made = burn_maps(field, case.fires, case.value, case.breaks)
    for fire, (source, scenario, duration, _) in enumerate(zip(*case.fires[:4], strict=True)):
        slow = burn_slowly(field, int(scenario), cell_of(source, case.burnable.shape[1]),
                           duration, case.value, case.breaks)
        np.testing.assert_array_equal(made.arrival_time_min[fire], slow.arrival)
        np.testing.assert_array_equal(made.parent_code[fire], slow.code)
        np.testing.assert_allclose(made.downstream_value[fire], slow.downstream, rtol=1e-9)
        assert made.loss[fire] == slow.loss
        for cell in slow.order:
            for parent, _ in parents_of(cell, slow.code[cell], slow.weight[cell]):
                assert made.arrival_time_min[fire][parent] < made.arrival_time_min[fire][cell]


@given(cases(20))
@settings(max_examples=60, deadline=None)
def test_downstream_value_at_the_ignition_is_the_loss(case: Case) -> None:
    made = burn_maps(case.field(), case.fires, case.value, case.breaks)
    flat = made.downstream_value.reshape(case.fires.source.size, -1)
    at_ignition = flat[np.arange(case.fires.source.size), case.fires.source]
    np.testing.assert_allclose(at_ignition, made.loss, rtol=1e-9)
    burned = made.parent_code != UNBURNED
    assert (made.downstream_value >= np.where(burned, case.value, 0.0) * (1 - 1e-9)).all()


def earlier_with_breaks(case: Case) -> np.ndarray:
    """How much earlier each cell burns once there are breaks, relative; inf: burned only then."""
    field = case.field()
    before = burn_maps(field, case.fires, case.value).arrival_time_min
    after = burn_maps(field, case.fires, case.value, case.breaks).arrival_time_min
    gain = np.zeros(before.shape)
    both = np.isfinite(before) & np.isfinite(after) & (before > 0)
    gain[both] = (before[both] - after[both]) / before[both]
    gain[np.isfinite(after) & ~np.isfinite(before)] = np.inf
    return gain


@given(cases(20), st.floats(1.0, 4.0), st.floats(0.0, 360.0))
@settings(max_examples=80, deadline=None)
def test_a_break_makes_no_cell_burn_earlier_in_uniform_fuel(case: Case, ratio: float,
                                                            heading: float) -> None:
    uniform = ellipse_like(np.full(case.ellipse.head.shape, 10.0), ratio, heading)
    case = case._replace(ellipse=uniform,
                         fires=case.fires._replace(duration_min=np.full(4, np.inf)))
    assert (earlier_with_breaks(case) <= 1e-9).all()


def test_a_break_makes_hardly_any_cell_burn_earlier_in_mixed_fuel() -> None:
    """Where fuels differ this holds only nearly: a segment's weight is the best one in the child's
    own ellipse, while half of the way is counted in its ends'. A later end can thus lead to a
    better weight.
    """
    earlier, cells = 0, 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        gain = earlier_with_breaks(
            random_case(rng, *rng.integers(3, 24, 2).tolist(), roughness=rng.choice([0.1, 0.5]),
                        turning=rng.choice([0.0, 10.0, 90.0])))
        finite = gain[np.isfinite(gain)]
        earlier += (gain > 1e-6).sum()
        cells += gain.size
        assert finite.max() < 0.1
    assert earlier < 2e-4 * cells


@given(cases(16))
@settings(max_examples=60, deadline=None)
def test_a_duration_is_a_cut_and_nothing_else(case: Case) -> None:
    field = case.field()
    endless = burn_maps(field, case.fires._replace(duration_min=np.full(4, np.inf)), case.value,
                   case.breaks)
    late = endless.arrival_time_min > case.fires.duration_min[:, None, None]
    cut = burn_maps(field, case.fires, case.value, case.breaks)
    np.testing.assert_array_equal(cut.arrival_time_min,
                                  np.where(late, np.inf, endless.arrival_time_min))
    np.testing.assert_array_equal(cut.parent_code, np.where(late, UNBURNED, endless.parent_code))


@given(cases(16, fires=7))
@settings(max_examples=40, deadline=None)
def test_a_batch_has_the_bits_of_fires_burned_alone(case: Case) -> None:
    field = case.field()
    batch = burn_maps(field, case.fires, case.value, case.breaks)
    for fire in range(7):
        one = case.fires.part(slice(fire, fire + 1))
        for together, alone in zip(batch, burn_maps(field, one, case.value, case.breaks),
                                   strict=True):
            np.testing.assert_array_equal(together[fire], alone[0])


@pytest.mark.slow
@given(cases(24, fires=12), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_breaks_one_by_one_have_the_bits_of_burning_anew(case: Case, seed: int) -> None:
    """Slots burn only what a break changes; on ignitions, along diagonals, anywhere."""
    rng = np.random.default_rng(seed)
    rows, cols = case.burnable.shape
    plan, reward = (case.fires.part(half) for half in (slice(0, 7), slice(7, 12)))
    problem = problem_on(case, plan, reward)
    slots = ProblemBatch(Sizes(1, (rows, cols), 2, 7, 5))
    slots.load(0, problem)
    slots.update(np.zeros(1, np.int64), fresh=True)
    assert_as_burned_anew(slots, problem)
    for cell in sequence(rng, case)[:12]:
        if slots.available[0].ravel()[cell]:
            slots.place(0, cell)
        if rng.random() < 0.8:  # now and then two breaks before one update
            slots.update(np.zeros(1, np.int64))
            assert_as_burned_anew(slots, problem)
    slots.update(np.zeros(1, np.int64))
    assert_as_burned_anew(slots, problem)
    fresh = ProblemBatch(slots.sizes)
    fresh.load(0, problem)
    fresh.update(np.zeros(1, np.int64), fresh=True)
    for cell in np.flatnonzero(slots.breaks[0]).tolist():
        fresh.place(0, cell)
    fresh.update(np.zeros(1, np.int64))
    np.testing.assert_array_equal(slots.layers, fresh.layers)
    for kept, made in zip(slots.maps(0), fresh.maps(0), strict=True):
        np.testing.assert_array_equal(kept, made)


def sequence(rng, case: Case) -> list[int]:
    """Cells to break: ignitions, a diagonal, then others in random order."""
    rows, cols = case.burnable.shape
    first = case.fires.source[:2].tolist()
    row, col, turn = rng.integers(rows), rng.integers(cols), rng.choice([-1, 1])
    line = [(row + k) * cols + col + turn * k for k in range(5)
            if row + k < rows and 0 <= col + turn * k < cols]
    others = rng.permutation(rows * cols)[:8].tolist()
    return [int(cell) for cell in rng.permutation(np.array(first + line + others))]


def assert_as_burned_anew(slots: ProblemBatch, problem) -> None:
    field, value = problem.scene.field, problem.scene.landscape.value
    for ids, fires in ((slots.plan_ids(0), problem.plan_fires),
                       (slots.reward_ids(0), problem.reward_fires)):
        anew = burn_maps(field, fires, value, slots.breaks[0])
        np.testing.assert_array_equal(unpad(slots.fires.code[ids], field.shape), anew.parent_code)
        np.testing.assert_array_equal(slots.fires.loss[ids], anew.loss)
    anew = burn_field(field, problem.plan_fires, value, slots.breaks[0], want="statistics")
    burn_probability, downstream = slots.maps(0)
    np.testing.assert_array_equal(burn_probability, anew.burn_probability)
    # Slots keep whole numbers, 2^-30 of the largest loss.
    np.testing.assert_allclose(downstream, anew.downstream_value, rtol=1e-6,
                               atol=1e-8 * value.sum())
    assert slots.plan_loss(0) == anew.loss.mean()


@pytest.mark.parametrize("seed", [216, 338])
def test_a_cell_that_a_break_makes_burn_earlier_is_solved_again(seed: int) -> None:
    """Rare: on these maps a cell that does not depend on the break gets a better way from it."""
    rng = np.random.default_rng(seed)
    rows, cols = rng.integers(3, 20, 2).tolist()
    case = random_case(rng, rows, cols, fires=12, roughness=float(rng.choice([0, 0.1, 0.5])),
                       turning=float(rng.choice([0, 10.0, 90.0])))
    problem = problem_on(case, case.fires.part(slice(0, 7)), case.fires.part(slice(7, 12)))
    slots = ProblemBatch(Sizes(1, (rows, cols), 2, 7, 5))
    slots.load(0, problem)
    slots.update(np.zeros(1, np.int64), fresh=True)
    for cell in sequence(rng, case)[:12]:
        if slots.available[0].ravel()[cell]:
            slots.place(0, cell)
        slots.update(np.zeros(1, np.int64))
        assert_as_burned_anew(slots, problem)


@pytest.mark.slow
def test_a_break_in_an_unburned_cell_under_a_long_way_counts() -> None:
    """The end of a fire's time may leave a cell unburned that a long step or segment crosses."""
    n, rng = 24, np.random.default_rng(6)
    ellipse = ellipse_like(np.full((6, n, n), 10.0), 4.0, 60.0 * np.arange(6)[:, None, None] + 7)
    fires = Fires(rng.integers(0, n * n, 240), rng.integers(0, 6, 240), rng.uniform(5, 60, 240),
                  np.zeros(240, np.uint64))
    case = Case(ellipse, np.ones((n, n), bool), np.ones((n, n), np.float32), fires, None)
    codes = burn_maps(case.field(), fires, case.value).parent_code
    under_step, under_segment = [], []
    for fire, row, col in np.argwhere((codes >= 8) & (codes < IGNITION)):
        code = int(codes[fire, row, col])
        kind = int(code >= FACET_CODE)
        crossed = (crossed_by_segment(code - FACET_CODE) if code >= FACET_CODE + 8 else
                   crossed_by_step(tuple(STENCIL.steps[code].tolist())) if not kind else ())
        for down, right in crossed:
            r, c = row + down, col + right
            if codes[fire, r, c] == UNBURNED:
                (under_segment if kind else under_step).append(r * n + c)
    for found in (under_step, under_segment):
        problem = problem_on(case, fires, fires.first(1), budget=1e9)
        slots = ProblemBatch(Sizes(1, (n, n), 6, 240, 1))
        slots.load(0, problem)
        slots.update(np.zeros(1, np.int64), fresh=True)
        assert found
        for cell in list(dict.fromkeys(found))[:12]:
            slots.place(0, int(cell))
            slots.update(np.zeros(1, np.int64))
            assert_as_burned_anew(slots, problem)


def test_only_fires_that_a_break_touches_are_burned_anew() -> None:
    case = random_case(np.random.default_rng(4), 24, 24, fires=200, unburnable=0.0)
    case.fires.duration_min[:] = 20.0
    problem = problem_on(case, case.fires, case.fires)
    slots = ProblemBatch(Sizes(1, (24, 24), 2, 200, 200))
    slots.load(0, problem)
    one = np.zeros(1, np.int64)
    everyone = slots.update(one, fresh=True)
    assert everyone == 400
    assert slots.update(one) == 0
    burn_probability, _ = slots.maps(0)
    touched = 400 * burn_probability.max()
    slots.place(0, int(burn_probability.argmax()))
    # The few that start there stay as they are, and a few pass it by and are burned anew.
    assert 0.5 * touched < slots.update(one) < touched + 40 < 300
    # Fires that start in a treated cell burn as before.
    alone = Fires(np.full(3, 50), np.zeros(3, np.int64), np.full(3, 20.0),
                  np.zeros(3, np.uint64))
    slots.load(0, problem_on(case, alone, alone))
    assert slots.update(one, fresh=True) == 6
    slots.place(0, 50)
    assert slots.update(one) == 0


def turned(case: Case, k: int, mirror: bool) -> Case:
    """Map and winds turned anticlockwise k quarter turns, then mirrored east-west."""
    def move(grid):
        out = np.rot90(grid, k, axes=(-2, -1))
        return np.ascontiguousarray(out[..., ::-1] if mirror else out)

    heading = case.ellipse.heading_deg - 90.0 * k
    ellipse = Ellipse(*(move(grid) for grid in case.ellipse[:3]),
                      move(-heading if mirror else heading))
    cells = move(np.arange(case.burnable.size).reshape(case.burnable.shape)).ravel()
    place = np.argsort(cells)
    return Case(ellipse, move(case.burnable), move(case.value),
                case.fires._replace(source=place[case.fires.source]), move(case.breaks))


@pytest.mark.parametrize("uniform", [True, False])
def test_a_turned_map_burns_like_the_map_turned(uniform: bool) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        case = random_case(rng, 17, 13, fires=6, turning=0.0 if uniform else 40.0)
        if uniform:
            shape = case.ellipse.head.shape
            case = case._replace(ellipse=ellipse_like(np.full(shape, 9.0), 1.0 + 3.0 * rng.random(),
                                                      360.0 * rng.random()))
        case.fires.duration_min[:] = np.inf
        before = burn_maps(case.field(), case.fires, case.value, case.breaks).arrival_time_min
        for k in range(4):
            for mirror in (False, True):
                other = turned(case, k, mirror)
                after = burn_maps(other.field(), other.fires, other.value,
                             other.breaks).arrival_time_min
                expected = np.rot90(before, k, axes=(-2, -1))
                np.testing.assert_allclose(after, expected[..., ::-1] if mirror else expected,
                                           rtol=1e-6)


@given(cases(10))
@settings(max_examples=30, deadline=None)
def test_twice_the_speed_is_half_the_time(case: Case) -> None:
    fires = case.fires._replace(duration_min=np.full(4, np.inf))
    fast = Ellipse(*(2.0 * grid for grid in case.ellipse[:3]), case.ellipse.heading_deg)
    slow_time = burn_maps(case.field(), fires, case.value).arrival_time_min
    fast_time = burn_maps(field_from_ellipse(fast, case.burnable, CELL_SIZE_M), fires,
                     case.value).arrival_time_min
    np.testing.assert_allclose(2.0 * fast_time, slow_time, rtol=1e-6)
