"""The fire engine against closed forms, scipy and the slow version; breaks; bad input."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from scipy.optimize import minimize_scalar

from firebreak.checks import InputError
from firebreak.fire import burn_field
from firebreak.fire.fires import Fires
from firebreak.fire.travel.stencil import FACET_CODE, IGNITION, NEIGHBOURS, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import Ellipse, field_from_ellipse, padded_cells, unpad
from firebreak.native_library import max_threads, set_threads, thread_count
from native_probes import facet_weight
from reference import burn_slowly, travel_time
from strategies import CELL_SIZE_M, ellipse_like, random_case

HEAD = 10.0
WINDS = np.arange(12) * 30.0 + 3.7


def one_fire(row, col, cols, duration=np.inf, scenario=0):
    return Fires(np.array([row * cols + col]), np.array([scenario]), np.array([duration]),
                 np.zeros(1, np.uint64))


def uniform_field(shape, length_to_width, heading_deg, burnable=None, head=HEAD):
    ellipse = ellipse_like(np.full((1, *shape), head), length_to_width, heading_deg)
    ground = np.ones(shape, bool) if burnable is None else burnable
    return field_from_ellipse(ellipse, ground, CELL_SIZE_M)


@pytest.mark.parametrize(("length_to_width", "tolerance"),
                         [(1.0, 0.03), (1.5, 0.03), (2.0, 0.03), (3.0, 0.03), (4.0, 0.05)])
def test_a_fire_on_uniform_fuel_is_the_ellipse(length_to_width: float, tolerance: float) -> None:
    n = 201
    middle = n // 2
    ellipse = ellipse_like(np.full((12, n, n), HEAD), length_to_width, WINDS[:, None, None])
    field = field_from_ellipse(ellipse, np.ones((n, n), bool), CELL_SIZE_M)
    minutes = (0.37 if length_to_width > 1 else 0.4) * n * CELL_SIZE_M / HEAD
    fires = Fires(np.full(12, middle * n + middle), np.arange(12), np.full(12, minutes),
                  np.zeros(12, np.uint64))
    burned = np.isfinite(burn_maps(field, fires, np.ones((n, n), np.float32)).arrival_time_min)
    head, back, flank = (float(rate[0, 0, 0]) for rate in ellipse[:3])

    area = np.pi * 0.5 * (head + back) * flank * minutes**2 / CELL_SIZE_M**2
    np.testing.assert_allclose(burned.sum(axis=(1, 2)) / area, 1.0, atol=tolerance)
    row, col = np.mgrid[:n, :n] - middle
    for wind, cells in zip(np.radians(WINDS), burned, strict=True):
        along = (col * np.sin(wind) - row * np.cos(wind))[cells]
        across = (col * np.cos(wind) + row * np.sin(wind))[cells]
        for reached, rate in ((along.max(), head), (-along.min(), back), (across.max(), flank),
                              (-across.min(), flank)):
            # A cell counts as burned once fire is at its centre.
            assert reached == pytest.approx(rate * minutes / CELL_SIZE_M, rel=tolerance, abs=1.0)


def test_wind_along_the_grid_takes_the_head_and_back_rates_exactly() -> None:
    for heading, (row, col) in zip((0.0, 90.0, 180.0, 270.0), NEIGHBOURS[::2], strict=True):
        field = uniform_field((21, 21), 2.0, heading)
        time = burn_maps(field, one_fire(10, 10, 21), np.ones((21, 21))).arrival_time_min[0]
        e = np.sqrt(1 - 1 / 4)
        assert time[10 + 8 * row, 10 + 8 * col] == pytest.approx(8 * CELL_SIZE_M / HEAD)
        assert time[10 - 8 * row, 10 - 8 * col] == pytest.approx(
            8 * CELL_SIZE_M / HEAD * (1 + e) / (1 - e), rel=0.01)


def test_unit_times_are_those_of_the_ellipse() -> None:
    """F(d) = t solves |(v - c) / axes| = 1 for v = d / t: here by that equation itself."""
    case = random_case(np.random.default_rng(5), 6, 7, scenarios=2, unburnable=0.0)
    field = case.field()
    times = np.moveaxis(unpad(np.moveaxis(field.unit_time, -1, 1), (6, 7)), 1, -1)
    head, back, flank, heading = (grid[..., None] for grid in case.ellipse)
    steps = np.array(NEIGHBOURS)
    east, north = -steps[:, 1] / times * CELL_SIZE_M, steps[:, 0] / times * CELL_SIZE_M
    sin, cos = np.sin(np.radians(heading)), np.cos(np.radians(heading))
    along = east * sin + north * cos - 0.5 * (head - back)
    across = east * cos - north * sin
    on_the_ellipse = (along / (0.5 * (head + back)))**2 + (across / flank)**2
    np.testing.assert_allclose(on_the_ellipse, 1.0, rtol=2e-5)


@pytest.mark.slow
def test_the_weight_is_where_the_segment_burns_the_child_first() -> None:
    rng = np.random.default_rng(2)
    field = random_case(rng, 8, 8, unburnable=0.0).field()
    child = int(padded_cells(np.array([3 * 8 + 3]), 8)[0])
    metric = field.metric[0]
    inside = 0
    for facet, (a, b) in enumerate(STENCIL.facets.tolist()):
        for difference in rng.normal(0.0, 2.0, 20):
            weight = facet_weight(metric, child, facet, 0.0, difference)
            (row_a, col_a), (row_b, col_b) = STENCIL.steps[a], STENCIL.steps[b]

            def time_at(w, row_a=row_a, col_a=col_a, row_b=row_b, col_b=col_b, late=difference):
                row, col = row_a + w * (row_b - row_a), col_a + w * (col_b - col_a)
                return w * late + travel_time(metric[child].tolist(), -col, row)

            best = minimize_scalar(time_at, bounds=(0.0, 1.0), method="bounded",
                                   options={"xatol": 1e-9})
            if weight > 0.0:
                inside += 1
                assert time_at(weight) <= best.fun * (1 + 1e-6) + 1e-9
            else:
                assert min(time_at(0.0), time_at(1.0)) <= best.fun + 1e-6
    assert inside > 100


def test_blocks_of_fires_give_the_statistics_of_all_at_once() -> None:
    case = random_case(np.random.default_rng(3), 15, 18, fires=150)
    field = case.field()
    whole = burn_maps(field, case.fires, case.value, case.breaks)
    made = burn_field(field, case.fires, case.value, case.breaks, want="statistics")
    burned = np.isfinite(whole.arrival_time_min)
    np.testing.assert_array_equal(made.loss, whole.loss)
    np.testing.assert_array_equal(made.burn_probability, burned.mean(axis=0))
    np.testing.assert_allclose(made.downstream_value, whole.downstream_value.mean(axis=0),
                               rtol=1e-12)


def test_the_loss_is_the_value_of_the_burned_cells() -> None:
    case = random_case(np.random.default_rng(8), 12, 12, fires=30)
    made = burn_maps(case.field(), case.fires, case.value, case.breaks)
    burned = made.parent_code != UNBURNED
    np.testing.assert_array_equal(burned, np.isfinite(made.arrival_time_min))
    np.testing.assert_allclose(made.loss, (burned * case.value).sum(axis=(1, 2)))
    assert (made.downstream_value[~burned] == 0).all()


@pytest.mark.parametrize("length_to_width", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("falling", [True, False])
def test_a_diagonal_line_of_breaks_holds(length_to_width: float, falling: bool) -> None:
    n = 17
    line = np.eye(n, dtype=bool) if falling else np.eye(n, dtype=bool)[::-1]
    row, col = np.mgrid[:n, :n]
    behind = col > row if falling else row + col > n - 1
    start = (12, 4) if falling else (4, 4)
    for heading in np.arange(0.0, 360.0, 22.5):
        field = uniform_field((n, n), length_to_width, heading)
        time = burn_maps(field, one_fire(*start, n), np.ones((n, n)), line).arrival_time_min[0]
        assert np.isinf(time[behind]).all()
        assert np.isfinite(time[~behind & ~line]).all()


def test_a_straight_line_of_breaks_holds_and_a_gap_of_one_cell_does_not() -> None:
    n = 15
    for heading in (0.0, 40.0, 90.0, 131.0, 260.0):
        field = uniform_field((n, n), 3.0, heading)
        line = np.zeros((n, n), bool)
        line[:, 7] = True
        fire = one_fire(7, 3, n)
        closed = burn_maps(field, fire, np.ones((n, n)), line).arrival_time_min[0]
        assert np.isinf(closed[:, 7:]).all()
        line[4, 7] = False
        through = burn_maps(field, fire, np.ones((n, n)), line).arrival_time_min[0]
        assert np.isfinite(through[~line]).all()
        assert through[:, 8:].min() > through[4, 7]


def test_a_gap_in_a_diagonal_line_lets_fire_through() -> None:
    n = 15
    line = np.eye(n, dtype=bool)
    line[6, 6] = False
    for heading in (0.0, 45.0, 200.0):
        time = burn_maps(uniform_field((n, n), 3.0, heading), one_fire(12, 2, n), np.ones((n, n)),
                    line).arrival_time_min[0]
        assert np.isfinite(time[~line]).all()


def test_a_thin_slow_strip_is_not_jumped() -> None:
    n = 21
    for heading in (90.0, 70.0, 117.0):
        head = np.full((1, n, n), HEAD)
        head[0, :, 12] = HEAD / 20.0
        fast = uniform_field((n, n), 4.0, heading)
        slow = field_from_ellipse(ellipse_like(head, 4.0, heading), np.ones((n, n), bool),
                                  CELL_SIZE_M)
        fire = one_fire(10, 3, n)
        before = burn_maps(fast, fire, np.ones((n, n))).arrival_time_min[0]
        after = burn_maps(slow, fire, np.ones((n, n))).arrival_time_min[0]
        # To cross one cell at a twentieth of the head rate takes 20 cells' time instead of one.
        delay = (after - before)[:, 13:]
        assert delay.min() > 0.9 * 19 * CELL_SIZE_M / HEAD
        np.testing.assert_allclose(after[:, :11], before[:, :11], rtol=0.02)


def test_a_fire_that_starts_in_a_break_burns_as_if_it_were_not_treated() -> None:
    n = 11
    field = uniform_field((n, n), 2.0, 33.0)
    treated = np.zeros((n, n), bool)
    treated[5, 5] = True
    fire = one_fire(5, 5, n)
    free = burn_maps(field, fire, np.ones((n, n), np.float32))
    kept = burn_maps(field, fire, np.ones((n, n), np.float32), treated)
    for before, after in zip(free, kept, strict=True):
        np.testing.assert_array_equal(before, after)
    assert kept.loss[0] == n * n
    # Another fire meets the same cell as a break.
    other = burn_maps(field, one_fire(5, 4, n), np.ones((n, n)), treated)
    assert other.loss[0] == n * n - 1


def test_a_fire_of_no_minutes_burns_its_ignition_cell() -> None:
    made = burn_maps(uniform_field((5, 5), 2.0, 0.0), one_fire(2, 3, 5, 0.0), np.full((5, 5), 7.0))
    assert made.loss[0] == 7.0
    assert made.parent_code[0, 2, 3] == IGNITION
    assert np.isfinite(made.arrival_time_min).sum() == 1


def test_one_thread_and_two_give_the_same_bits() -> None:
    if max_threads() < 2:
        pytest.skip("one thread on this machine; set FIREBREAK_THREADS=2 before starting")
    case = random_case(np.random.default_rng(11), 24, 21, fires=60)
    before = thread_count()
    made = []
    try:
        for threads in (1, 2):
            set_threads(threads)
            field = case.field()
            made.append((*field[1:8], *burn_maps(field, case.fires, case.value, case.breaks)))
    finally:
        set_threads(before)
    for one, two in zip(*made, strict=True):
        np.testing.assert_array_equal(one, two)


def test_rates_gate_long_steps() -> None:
    """A long segment is in use only over cells that burn at nearly the child's rate."""
    n = 9
    head = np.full((1, n, n), HEAD)
    uniform = field_from_ellipse(ellipse_like(head, 4.0, 20.0), np.ones((n, n), bool), 30.0)
    head[0, :, 5] *= 1.4
    striped = field_from_ellipse(ellipse_like(head, 4.0, 20.0), np.ones((n, n), bool), 30.0)
    crossing = set()
    for facet in range(8, 56):
        bit = np.uint64(1 << facet)
        crosses = STENCIL.facet_crosses[facet, :STENCIL.facet_cross_count[facet], 1]
        for col in (3, 4):
            cell = int(padded_cells(np.array([4 * n + col]), n)[0])
            if uniform.facets[0, cell] & bit and (crosses + col == 5).any():
                crossing.add(facet)
                assert not striped.facets[0, cell] & bit
    assert crossing
    assert FACET_CODE + max(crossing) < IGNITION


@pytest.mark.parametrize(("change", "message"), [
    ({"source": np.array([0])}, "burnable"), ({"source": np.array([25])}, "burnable"),
    ({"source": np.array([-1])}, "burnable"), ({"scenario": np.array([1])}, "scenarios"),
    ({"scenario": np.array([-1])}, "scenarios"),
    ({"duration_min": np.array([np.nan])}, "durations"),
    ({"duration_min": np.array([-1.0])}, "durations")])
def test_fires_outside_the_map_are_refused(change, message) -> None:
    burnable = np.ones((5, 5), bool)
    burnable[0, 0] = False
    field = uniform_field((5, 5), 1.0, 0.0, burnable=burnable)
    with pytest.raises(InputError, match=message):
        burn_maps(field, one_fire(2, 2, 5)._replace(**change), np.ones((5, 5)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_rates_that_are_none_are_refused(bad) -> None:
    good = ellipse_like(np.full((1, 3, 3), 1.0), 1.0, 0.0)
    for name in Ellipse._fields[:3]:
        with pytest.raises(InputError, match=name):
            field_from_ellipse(good._replace(**{name: np.full((1, 3, 3), bad)}),
                               np.ones((3, 3), bool), 30.0)


@pytest.mark.parametrize("count", [0, -1, 10_000])
def test_thread_counts_out_of_range_are_refused(count) -> None:
    with pytest.raises(InputError, match="threads"):
        set_threads(count)


def test_fuel_that_does_not_carry_fire_stays_all_but_unburned() -> None:
    head = np.full((1, 5, 5), HEAD)
    head[0, :, 3] = 0.0
    field = field_from_ellipse(ellipse_like(head, 1.0, 0.0), np.ones((5, 5), bool), CELL_SIZE_M)
    time = burn_maps(field, one_fire(2, 0, 5, 1000.0), np.ones((5, 5))).arrival_time_min[0]
    assert np.isfinite(time[:, :3]).all()
    assert np.isinf(time[:, 3:]).all()


def test_the_slow_version_agrees_on_a_uniform_windy_map() -> None:
    """Ties everywhere: equal codes need the same order of breaking them."""
    field = uniform_field((13, 13), 4.0, 45.0)
    made = burn_maps(field, one_fire(6, 6, 13), np.ones((13, 13)))
    slow = burn_slowly(field, 0, (6, 6), np.inf, np.ones((13, 13)))
    np.testing.assert_array_equal(made.arrival_time_min[0], slow.arrival)
    np.testing.assert_array_equal(made.parent_code[0], slow.code)
