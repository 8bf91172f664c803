"""Eight neighbours at a time: the same bits as one way after the other."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.travel.breaks import treated_part
from firebreak.fire.travel.travel_field import BreakRules
from strategies import Case, cases, ellipse_like, random_case

RULES = {"hard": BreakRules(), "leaking": BreakRules(leak=True), "narrow": BreakRules(lost=0.4)}


def assert_same_fires(case: Case, field) -> None:
    one_by_one = field._replace(edges=field.edges[:0])
    for together, apart in zip(burn_maps(field, case.fires, case.value, case.breaks),
                               burn_maps(one_by_one, case.fires, case.value, case.breaks),
                               strict=True):
        np.testing.assert_array_equal(together, apart)


@pytest.mark.slow
@given(cases(24), st.sampled_from(sorted(RULES)))
@settings(max_examples=150, deadline=None)
def test_fires_have_the_bits_of_one_way_after_the_other(case: Case, rules: str) -> None:
    field = case.field()._replace(breaks=RULES[rules])
    assert field.edges.shape[0] == 2
    assert_same_fires(case, field)


@given(cases(24), st.sampled_from([1e-4, 0.03, 30.0, 1e4]))
@settings(max_examples=60, deadline=None)
def test_the_length_of_a_day_changes_no_bit(case: Case, length: float) -> None:
    """Short days reach beyond the calendar, of long ones most batches end early."""
    field = case.field()
    assert_same_fires(case, field._replace(bucket_min=field.bucket_min * length))


@pytest.mark.parametrize("length_to_width", [1.0, 3.0, 8.0])
def test_even_fuel_burns_alike_whatever_the_wind(length_to_width: float) -> None:
    """Without wind many arrivals are level; with much, long steps and segments are in use."""
    case = random_case(np.random.default_rng(3), 40, 40, unburnable=0.0, broken=0.02)
    for heading in (0.0, 45.0, 67.3):
        even = ellipse_like(np.full(case.ellipse.head.shape, 10.0), length_to_width, heading)
        field = case._replace(ellipse=even).field()
        assert (field.sends_far != 0).any() == (length_to_width > 1.0)
        assert_same_fires(case, field)


def test_speeds_of_all_magnitudes_burn_alike() -> None:
    case = random_case(np.random.default_rng(4), 50, 50, roughness=4.0)
    case = case._replace(fires=case.fires._replace(duration_min=np.full(4, np.inf)))
    assert_same_fires(case, case.field())


def test_treated_fuel_in_breaks_is_in_the_edges() -> None:
    case = random_case(np.random.default_rng(5), 20, 20)
    slow = case._replace(ellipse=case.ellipse._replace(
        **{part: 0.1 * getattr(case.ellipse, part) for part in ("head", "back", "flank")}))
    field = case.field()
    field = field._replace(breaks=BreakRules(treated=treated_part(field, slow.field())))
    assert_same_fires(case, field)
    with_breaks, without = (burn_maps(field, case.fires, case.value, breaks).arrival_time_min
                            for breaks in (case.breaks, None))
    assert (with_breaks != without).any()
