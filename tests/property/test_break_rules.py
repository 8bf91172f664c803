"""What must hold of breaks that are not magic, of embers and of changing weather."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import KINDS, by_class, slots_on, with_rules
from firebreak.fire import burn_field
from firebreak.fire.fires import Fires
from firebreak.fire.travel.arcs import BARE, Arcs, Spots
from firebreak.fire.travel.stencil import HELD, IGNITION, SPOT, STENCIL, UNBURNED
from firebreak.fire.travel.travel_field import (
    BreakRules,
    Ellipse,
    TravelField,
    field_from_ellipse,
    heat_of,
    in_streams,
    pad,
    padded_cells,
    unpad,
)
from native_probes import intensity
from strategies import CELL_SIZE_M, Case, cases, ellipse_like, random_case

RULES = st.sampled_from(KINDS)


@pytest.mark.slow
@given(cases(16, scenarios=4, fires=8), RULES, st.sampled_from([1, 2]), st.integers(0, 2**32 - 1))
@settings(max_examples=120, deadline=None)
def test_breaks_one_by_one_have_the_bits_of_burning_anew(case: Case, rules: str, steps: int,
                                                         seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = case._replace(fires=case.fires._replace(scenario=case.fires.scenario // steps))
    field = with_rules(case, rules, seed, steps)
    slots, problem = slots_on(case, field, by_class(case))
    cells = rng.permutation(np.r_[case.fires.source[:2], rng.integers(0, case.burnable.size, 6)])
    for cell in cells.tolist():
        if slots.available[0].ravel()[cell]:
            slots.place(0, cell)
            slots.update(np.zeros(1, np.int64))
        for ids, fires in ((slots.plan_ids(0), problem.plan_fires),
                           (slots.reward_ids(0), problem.reward_fires)):
            anew = burn_maps(field, fires, problem.scene.value_by_class, slots.breaks[0])
            code = unpad(slots.fires.code[ids], field.shape)
            np.testing.assert_array_equal(code, anew.parent_code)
            np.testing.assert_array_equal(slots.fires.loss[ids], anew.loss)
    if "shaded" in rules and slots.breaks.any():  # the scene's own field is left alone
        np.testing.assert_array_equal(field.metric, with_rules(case, rules, seed, steps).metric)


@given(cases(16, fires=6), RULES, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_tree_holds_the_whole_loss_and_every_parent_is_earlier(case: Case, rules: str,
                                                                 seed: int) -> None:
    field = with_rules(case, rules, seed)
    made = burn_maps(field, case.fires, by_class(case), case.breaks)
    below = made.downstream_value.reshape(case.fires.source.size, -1)
    np.testing.assert_allclose(below[np.arange(case.fires.source.size), case.fires.source],
                               made.loss, rtol=1e-6, atol=1e-9)
    arrival = made.arrival_time_min
    burned = ~np.isin(made.parent_code, (UNBURNED, HELD)) & unpad(field.burns, field.shape)
    assert (np.isfinite(arrival) == burned).all()
    total = burn_field(field, case.fires, by_class(case), case.breaks, want="statistics")
    np.testing.assert_allclose(total.lost.sum(), made.loss.mean(), rtol=1e-5)
    np.testing.assert_allclose(total.class_probability.sum(axis=0), total.burn_probability)


def strip(rules: BreakRules, width: int = 9) -> tuple[TravelField, Fires, np.ndarray]:
    """A fire on the west side of a map and a north-south break through its middle."""
    ellipse = ellipse_like(np.full((1, width, width), 10.0), 1.5, 90.0)
    field = field_from_ellipse(ellipse, np.ones((width, width), bool), CELL_SIZE_M)
    breaks = np.zeros((width, width), bool)
    breaks[:, width // 2] = True
    fires = Fires(np.full(400, width * (width // 2) + 1), np.zeros(400, np.int64),
                  np.full(400, np.inf), np.arange(400).astype(np.uint64))
    return field._replace(breaks=rules), fires, breaks


def test_a_break_is_breached_as_often_as_it_says_and_by_the_same_fires() -> None:
    chance = np.zeros((1, 9, 9), np.float32)
    chance[0, 4, 4] = 0.3
    field, fires, breaks = strip(BreakRules(breach=pad(chance)))
    beyond = np.isfinite(burn_maps(field, fires, np.ones((9, 9), np.float32), breaks)
                         .arrival_time_min[:, :, 5:]).any(axis=(1, 2))
    assert 0.23 < beyond.mean() < 0.37
    more = breaks.copy()
    more[0, 7] = True  # another plan, the same luck
    again = np.isfinite(burn_maps(field, fires, np.ones((9, 9), np.float32), more)
                        .arrival_time_min[:, :, 5:]).any(axis=(1, 2))
    np.testing.assert_array_equal(beyond, again)


def test_a_narrow_break_burns_what_it_leaves_and_passes_nothing_on() -> None:
    field, fires, breaks = strip(BreakRules(lost=0.75))
    made = burn_maps(field, fires.first(1), np.ones((9, 9), np.float32), breaks)
    assert np.isfinite(made.arrival_time_min[0, :, :5]).all()
    assert np.isinf(made.arrival_time_min[0, :, 5:]).all()
    assert made.loss[0] == pytest.approx(4 * 9 + 0.75 * 9)


def test_a_diagonal_of_breaks_holds_unless_it_may_leak() -> None:
    field, fires, _ = strip(BreakRules())
    diagonal = np.eye(9, dtype=bool)
    for leak in (False, True):
        rules = field._replace(breaks=BreakRules(leak=leak))
        made = burn_maps(rules, fires.first(1)._replace(source=np.array([8 * 9])),
                    np.ones((9, 9), np.float32), diagonal)
        behind = np.triu(np.ones((9, 9), bool), 1)
        assert np.isfinite(made.arrival_time_min[0][behind]).all() == leak
        assert np.isfinite(made.arrival_time_min[0][behind]).any() == leak


def test_bare_ground_is_crossed_as_often_as_it_says_and_neither_burns_nor_counts() -> None:
    """A road of one cell, and one of three whose cells share a draw: both are crossed alike."""
    chance = np.full((1, 9, 9), 0.1, np.float32)
    crossed = []
    for columns in ((4,), (3, 4, 5)):
        ground = np.zeros((9, 9), np.uint8)
        for k, col in enumerate(columns):
            ground[:, col] = BARE + k
        field, fires, _ = strip(BreakRules(breach=pad(chance * (ground > 0)), ground=ground))
        fires = fires.part(np.arange(400))
        made = burn_maps(field, fires, np.ones((9, 9), np.float32))
        arrival = made.arrival_time_min
        assert np.isinf(arrival[:, ground > 0]).all()
        beyond = np.isfinite(arrival[:, :, columns[-1] + 1:]).any(axis=(1, 2))
        np.testing.assert_array_equal(made.loss, np.isfinite(arrival).sum(axis=(1, 2)))
        total = burn_field(field, fires, want="statistics")
        assert (total.burn_probability[ground > 0] == 0.0).all()
        np.testing.assert_allclose(total.burn_probability,
                                   np.isfinite(arrival).mean(axis=0))
        crossed.append(beyond.mean())
    # One of nine rows is crossed, or a corner between two of them is not held.
    assert crossed[0] == pytest.approx(1.0 - 0.9**9, abs=0.08)
    assert crossed[1] == pytest.approx(crossed[0], abs=0.08)


def test_embers_neither_light_bare_ground_nor_come_from_it() -> None:
    ground = np.zeros((9, 9), np.uint8)
    ground[:, 4:6] = BARE
    chance = pad(np.ones((1, 9, 9), np.float32))
    field, fires, _ = strip(BreakRules(breach=chance, ground=ground))
    cells = np.zeros((5, 1, 9, 9), np.float32)
    cells[0], cells[1], cells[4] = 1.0, np.log(3 * CELL_SIZE_M), np.inf
    spots = Spots(pad(cells), np.array([[1.0], [1.0], [0.0], [0.0]], np.float32), 5.0, CELL_SIZE_M)
    made = burn_maps(field._replace(spots=spots), fires.first(1), np.ones((9, 9), np.float32))
    assert (made.parent_code[0][:, 4:6] != SPOT).all()
    assert (made.parent_code[0][:, 6] == SPOT).any()


def test_embers_cross_a_break_that_holds() -> None:
    field, fires, breaks = strip(BreakRules())
    cells = np.zeros((5, 1, 9, 9), np.float32)
    cells[0], cells[1], cells[4] = 1.0, np.log(3 * CELL_SIZE_M), np.inf
    spots = Spots(pad(cells), np.array([[1.0], [1.0], [0.0], [0.0]], np.float32), 5.0, CELL_SIZE_M)
    still = burn_maps(field, fires.first(1), np.ones((9, 9), np.float32), breaks)
    made = burn_maps(field._replace(spots=spots), fires.first(1), np.ones((9, 9), np.float32),
                     breaks)
    assert np.isinf(still.arrival_time_min[0, :, 5:]).all()
    assert np.isfinite(made.arrival_time_min[0, :, 5:]).all()
    lit = made.parent_code[0] == SPOT
    assert lit[4, 5]  # three cells downwind of (4, 2), five minutes later
    assert made.arrival_time_min[0, 4, 5] == made.arrival_time_min[0, 4, 2] + 5.0


def stream_field(first: Ellipse, second: Ellipse, minutes: float) -> TravelField:
    both = Ellipse(*(np.concatenate([a, b]) for a, b in zip(first, second, strict=True)))
    burnable = np.ones(first.head.shape[1:], bool)
    return in_streams(field_from_ellipse(both, burnable, CELL_SIZE_M), 2, minutes)


def test_weather_that_does_not_change_burns_like_constant_weather() -> None:
    for seed in range(8):
        case = random_case(np.random.default_rng(seed), 14, 17, scenarios=1, unburnable=0.0)
        constant = burn_maps(case.field(), case.fires, case.value).arrival_time_min
        for minutes in (7.0, 31.0):
            stream = burn_maps(stream_field(case.ellipse, case.ellipse, minutes), case.fires,
                          case.value).arrival_time_min
            np.testing.assert_allclose(stream, constant, rtol=1e-6)


def test_a_fire_speeds_up_when_the_wind_does() -> None:
    """No wind: 60 min at 2 m/min, then 60 at 6; along a row the way is the sum of the two."""
    calm, storm = (ellipse_like(np.full((1, 3, 31), rate), 1.0, 90.0) for rate in (2.0, 6.0))
    field = stream_field(calm, storm, 60.0)
    fires = Fires(np.array([31]), np.zeros(1, np.int64), np.array([120.0]), np.zeros(1, np.uint64))
    arrival = burn_maps(field, fires, np.ones((3, 31), np.float32)).arrival_time_min[0, 1]
    # Four cells of 15 min, and from then on 5 min each.
    np.testing.assert_allclose(arrival[:17], [*range(0, 61, 15), *range(65, 121, 5)], rtol=1e-6)
    assert np.isinf(arrival[17:]).all()


def gain_of_starting_later(seed: int, delay: float) -> np.ndarray:
    """By which share a fire that starts `delay` minutes into a stream arrives earlier than one that
    starts with it. The later one meets the change of the weather so much sooner.
    """
    case = random_case(np.random.default_rng(seed), 12, 12, scenarios=2, unburnable=0.0)
    one, two = (Ellipse(*(grid[s:s + 1] for grid in case.ellipse)) for s in (0, 1))
    fires = case.fires._replace(scenario=np.zeros(4, np.int64), duration_min=np.full(4, np.inf))
    first = burn_maps(stream_field(one, two, 60.0), fires, case.value).arrival_time_min
    late = burn_maps(stream_field(one, two, 60.0 - delay), fires, case.value).arrival_time_min
    return np.where(first > 0, (first - late - delay) / np.where(first > 0, first, 1.0), 0.0)


def test_first_in_is_first_out_but_for_few_cells_of_the_front() -> None:
    """The front takes the best point of a segment in one weather or the next, not the best across
    the change: where the wind turns anyhow, a later start may find a better one.
    """
    gains = np.stack([gain_of_starting_later(seed, 1.0 + 2.0 * (seed % 30))
                      for seed in range(90)])
    assert gains.max() < 0.12
    assert (gains > 0.01).mean() < 0.002


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.5))
@settings(max_examples=40, deadline=None)
def test_intensity_follows_the_speed_of_the_front_on_the_ground(seed: int, steepest: float) -> None:
    """Byram's intensity is proportional to the rate of spread of the front, along its normal: here
    300 kW/m per m/min. The ellipse lies in the slope; at the ignition the intensity is the head's.
    """
    case = random_case(np.random.default_rng(seed), 9, 9, scenarios=1, unburnable=0.0)
    rng = np.random.default_rng(seed)
    slope, aspect = steepest * rng.random((9, 9)), rng.uniform(0, 360, (9, 9))
    field = field_from_ellipse(case.ellipse, case.burnable, CELL_SIZE_M, slope, aspect)
    field = field._replace(heat=heat_of(field, 300.0 * case.ellipse.head, slope, aspect))
    arcs = Arcs(field.metric, field.unit_time, field.facets, field.accepts, field.sends,
                field.heat, 1, np.inf)
    for row, col in rng.integers(0, 9, (6, 2)):
        head, back, flank, heading = (grid[0, row, col] for grid in case.ellipse)
        if head == back:
            continue  # no head: the case's flanks may be the faster ones
        cell = int(padded_cells(np.array([row * 9 + col]), 9)[0])
        assert intensity(arcs, 0, cell, IGNITION, 0.0) == pytest.approx(300.0 * head, rel=1e-4)
        up = np.radians(aspect[row, col]) + np.pi
        for step in range(8):
            east, north = -STENCIL.steps[step, 1], STENCIL.steps[step, 0]
            # In the plane of the slope: longer up the slope, and turned to the heading.
            steep = np.hypot(1.0, slope[row, col]) - 1.0
            along_up = steep * (east * np.sin(up) + north * np.cos(up))
            east, north = east + along_up * np.sin(up), north + along_up * np.cos(up)
            angle = np.radians(heading)
            ahead = east * np.sin(angle) + north * np.cos(angle)
            side = east * np.cos(angle) - north * np.sin(angle)
            # Velocity v on the ellipse in this direction: the positive root for its length.
            a, c, b = (head + back) / 2, (head - back) / 2, flank
            p, q = (ahead / a)**2 + (side / b)**2, ahead * c / a**2
            length = (q + np.sqrt(q**2 - p * ((c / a)**2 - 1))) / p
            v = length * np.array([ahead, side])
            normal = np.array([(v[0] - c) / a**2, v[1] / b**2])
            front = v @ normal / np.linalg.norm(normal)
            assert intensity(arcs, 0, cell, step, 0.0) == pytest.approx(300.0 * front, rel=1e-3)
