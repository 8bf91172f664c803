"""The calendar of the graph: same bits as the queue it replaces, whatever its days."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.fire.engine import burn
from firebreak.fire.travel.shaded_breaks import treated_part
from firebreak.fire.travel.travel_field import BreakRules
from strategies import Case, cases, ellipse_like, random_case

RULES = {"hard": BreakRules(), "leaking": BreakRules(leak=True), "narrow": BreakRules(lost=0.4)}


def assert_same_fires(case: Case, field, plain) -> None:
    for with_days, without in zip(burn(field, case.fires, case.value, case.breaks),
                                  burn(plain, case.fires, case.value, case.breaks), strict=True):
        np.testing.assert_array_equal(with_days, without)


def without_calendar(field):
    return field._replace(edges=field.edges[:0], bucket_min=field.bucket_min[:0])


@pytest.mark.slow
@given(cases(24), st.sampled_from(sorted(RULES)),
       st.sampled_from([1e-6, 0.03, 1.0, 30.0, 1e6]))
@settings(max_examples=150, deadline=None)
def test_days_of_any_length_give_the_bits_of_the_queue(case: Case, rules: str,
                                                       length: float) -> None:
    """Long days: cells send again and again. Short ones: most arrivals are beyond the calendar."""
    field = case.field("graph")._replace(breaks=RULES[rules])
    assert field.edges.shape[0] == 2
    assert_same_fires(case, field._replace(bucket_min=field.bucket_min * length),
                      without_calendar(field))


def test_speeds_of_all_magnitudes_burn_alike() -> None:
    """From about 1e-4 to 1e6 m/min: most days hold one arrival, most arrivals are far away."""
    case = random_case(np.random.default_rng(3), 50, 50, roughness=4.0)
    case = case._replace(fires=case.fires._replace(duration_min=np.full(4, np.inf)))
    field = case.field("graph")
    assert_same_fires(case, field, without_calendar(field))


@pytest.mark.parametrize("length", [0.03, 1.0, 100.0])
def test_even_fuel_without_wind_burns_alike(length: float) -> None:
    """Many arrivals at the same time by several ways, and more of them a day than are counted."""
    case = random_case(np.random.default_rng(3), 70, 70, unburnable=0.0, broken=0.02)
    case = case._replace(ellipse=ellipse_like(np.full(case.ellipse.head.shape, 10.0), 1.0, 0.0))
    field = case.field("graph")
    assert_same_fires(case, field._replace(bucket_min=field.bucket_min * length),
                      without_calendar(field))


def test_treated_fuel_in_breaks_is_in_the_edges() -> None:
    case = random_case(np.random.default_rng(5), 20, 20)
    slow = case._replace(ellipse=case.ellipse._replace(
        **{part: 0.1 * getattr(case.ellipse, part) for part in ("head", "back", "flank")}))
    field = case.field("graph")
    field = field._replace(breaks=BreakRules(treated=treated_part(field, slow.field("graph"))))
    assert_same_fires(case, field, without_calendar(field))
    with_breaks, without = (burn(field, case.fires, case.value, breaks).arrival_time_min
                            for breaks in (case.breaks, None))
    assert (with_breaks != without).any()
