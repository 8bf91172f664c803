"""Fires of several burning periods: the front rests between them, and goes on in other weather."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from break_cases import by_class, crewed, with_periods, with_rules
from firebreak.checks import InputError
from firebreak.fire.fires import Fires
from firebreak.fire.travel.stencil import HELD
from firebreak.fire.travel.travel_field import (
    BreakRules,
    TravelField,
    field_from_ellipse,
    heat_of,
    in_streams,
    pad,
)
from strategies import CELL_SIZE_M, Case, cases, ellipse_like

RATES = (2.0, 6.0, 3.0)  # m/min: 15, 5 and 10 minutes a cell
ONE = np.ones((3, 31), np.float32)


def row_field(rates: tuple[float, ...] = RATES) -> TravelField:
    """A strip on which fire runs east, in a weather of each of these rates after the other."""
    head = np.stack([np.full(ONE.shape, rate) for rate in rates])
    field = field_from_ellipse(ellipse_like(head, 1.0, 90.0), np.ones(ONE.shape, bool), CELL_SIZE_M)
    return field._replace(later=np.tile(np.arange(1, len(rates)), (len(rates), 1)))


def fire(duration: float, *begins: float) -> Fires:
    """A fire in the middle of the strip's west side."""
    return Fires(np.array([31]), np.zeros(1, np.int64), np.array([duration]),
                 np.zeros(1, np.uint64), later_min=np.array([begins]))


def test_a_fire_goes_on_in_the_weather_of_its_next_period() -> None:
    arrival = burn_maps(row_field(), fire(120.0, 60.0, 90.0), ONE).arrival_time_min[0, 1]
    np.testing.assert_allclose(
        arrival[:14], [*range(0, 61, 15), *range(65, 91, 5), *range(100, 121, 10)], rtol=1e-6)
    assert np.isinf(arrival[14:]).all()


def test_an_arc_goes_on_where_the_period_ended() -> None:
    """A third of the fifth cell is behind the fire at 65 minutes."""
    arrival = burn_maps(row_field(), fire(80.0, 65.0, np.inf), ONE).arrival_time_min[0, 1]
    assert arrival[5] == pytest.approx(65.0 + 2.0 / 3.0 * 5.0)


@given(cases(16, scenarios=2, fires=6, roughness=0.0), st.floats(1.0, 60.0))
@settings(max_examples=60, deadline=None)
def test_without_wind_periods_have_the_bits_of_weather_that_changes_then(
        case: Case, begin: float) -> None:
    """Where fire runs alike in all directions and meets no breaks, both look at the same arcs."""
    round_ones = ellipse_like(case.ellipse.head, 1.0, 0.0)
    field = field_from_ellipse(round_ones, case.burnable, CELL_SIZE_M)
    periods = field._replace(later=np.array([[1], [1]]))
    fires = case.fires._replace(scenario=np.zeros(6, np.int64))
    stream = in_streams(field_from_ellipse(round_ones, case.burnable, CELL_SIZE_M), 2, begin)
    expected = burn_maps(stream, fires, case.value)
    made = burn_maps(periods, fires._replace(later_min=np.full((6, 1), begin)), case.value)
    for ours, theirs in zip(made, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(cases(16, scenarios=4, fires=8), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_in_constant_weather_a_fire_has_its_bits_until_the_next_period(
        case: Case, seed: int) -> None:
    own, field = with_periods(case, with_rules(case, "hard", seed), 2)
    made = burn_maps(field, own.fires, by_class(case), case.breaks).arrival_time_min
    before = burn_maps(field, case.fires, by_class(case), case.breaks).arrival_time_min
    rests = own.fires.begins_min[:, 0, None, None]
    for ours, theirs in ((made, before), (before, made)):
        np.testing.assert_array_equal(np.where(ours < rests, theirs, np.inf),
                                      np.where(ours < rests, ours, np.inf))


def held_strip(begins: list[float], ready: float, attack: float = np.inf) -> np.ndarray:
    """Codes of a strip whose tenth cell crews hold from `ready` minutes after ignition on."""
    field = row_field((3.0, 3.0))
    crew = crewed(BreakRules(), Case(*[np.empty((3, 31))] * 5), "held", np.random.default_rng(0))
    grid = np.full(ONE.shape, ready, np.float32)
    field = field._replace(heat=heat_of(field, np.full((2, 3, 31), 40.0)))
    breaks = BreakRules(breach=pad(np.ones((2, *ONE.shape), np.float32)), ready=pad(grid)[None],
                        crew=crew.crew._replace(attack_min=attack))
    broken = np.zeros(ONE.shape, bool)
    broken[:, 10] = True
    return burn_maps(field._replace(breaks=breaks), fire(200.0, *begins), ONE,
                     broken).parent_code[0, 1]


@pytest.mark.parametrize(("begins", "ready", "held"), [
    ([np.inf], 99.0, True), ([np.inf], 101.0, False),
    # The first period lasts 60 minutes, so the second begins 1380 minutes later than it would.
    ([60.0], 1479.0, True), ([60.0], 1481.0, False),
    ([120.0], 101.0, False)])  # fire is there in the first period
def test_crews_may_come_in_the_pause(begins: list[float], ready: float, held: bool) -> None:
    assert (held_strip(begins, ready)[10] == HELD) == held


@pytest.mark.parametrize(("attack", "cells"), [(40.0, 5), (500.0, 7), (1475.0, 10)])
def test_an_initial_attack_counts_the_minutes_of_the_pause(attack: float, cells: int) -> None:
    """Fire runs a cell in ten minutes and rests after an hour; a small fire is contained."""
    burned = held_strip([60.0], np.inf, attack) < HELD
    burned[0] = True
    assert burned.sum() == cells


def test_a_break_is_breached_by_its_chance_in_the_worst_period() -> None:
    field, broken = row_field((3.0, 3.0)), np.zeros(ONE.shape, bool)
    broken[:, 3] = True
    chance = np.stack([np.zeros(ONE.shape), np.ones(ONE.shape)]).astype(np.float32)
    field = field._replace(breaks=BreakRules(breach=pad(chance)))
    for begins, crossed in (([np.inf], False), ([60.0], True), ([200.0], False)):
        made = burn_maps(field, fire(120.0, *begins), ONE, broken)
        assert np.isfinite(made.arrival_time_min[0, 1, 4]) == crossed


@pytest.mark.parametrize("begins", [[60.0, 90.0, 100.0], [90.0, 60.0]])
def test_periods_that_no_weather_has_are_refused(begins: list[float]) -> None:
    with pytest.raises(InputError, match="at most 3 burning periods, one after the other"):
        burn_maps(row_field(), fire(120.0, *begins), ONE)
