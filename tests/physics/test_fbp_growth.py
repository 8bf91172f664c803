"""Fires of the Canadian FBP System in time and direction, against published cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire.fbp.growth import acceleration, growth, rate_towards
from firebreak.fire.fbp.system import FbpBehavior, fbp_behavior

NAMES = ("head_rate_m_min", "flank_rate_m_min", "back_rate_m_min", "length_to_breadth",
         "head_distance_m", "back_distance_m", "flank_distance_m")

# Cases of cffdrs with a start at a point: inputs, hours since ignition, then HROSt, FROSt, BROSt,
# LBt, DH, DB and DF with four digits.
PUBLISHED = (
    ("C-1", 1 / 3, {"ffmc": 90, "bui": 130, "wind_10m_km_h": 20, "slope_pct": 15,
                    "aspect_deg": 270, "latitude_deg": 55, "longitude_deg": 110,
                    "day_of_year": 182},
     (4.999, 1.032, 0.002213, 2.423, 67.65, 0.02995, 13.97)),
    ("C-3", 1 / 12, {"ffmc": 95, "bui": 30, "wind_10m_km_h": 50, "latitude_deg": 55,
                     "longitude_deg": 110, "day_of_year": 182},
     (33.75, 5.403, 0.001017, 3.124, 91.99, 0.002772, 14.72)),
    ("C-6", 1.0, {"ffmc": 94, "bui": 56, "wind_10m_km_h": 25, "slope_pct": 10, "aspect_deg": 180,
                  "latitude_deg": 55, "longitude_deg": 105, "day_of_year": 152,
                  "minimum_moisture_day": 132},
     (42.71, 7.301, 0.1519, 2.935, 2160.07, 7.679, 369.24)),
    ("M-3", 1 / 3, {"ffmc": 87, "bui": 25, "wind_10m_km_h": 10.7, "wind_from_deg": 180,
                    "slope_pct": 8, "aspect_deg": 273, "latitude_deg": 56, "longitude_deg": 90,
                    "elevation_m": 10, "day_of_year": 130, "percent_dead_fir": 70},
     (4.299, 2.131, 1.046, 1.254, 47.37, 11.53, 23.48)),
    ("O-1a", 1 / 12, {"ffmc": 95, "bui": 20, "wind_10m_km_h": 35, "wind_from_deg": 180,
                      "slope_pct": 50, "aspect_deg": 270, "curing_pct": 90},
     (58.89, 8.693, 0.3982, 3.41, 161.26, 1.09, 23.8)),
    ("S-2", 1 / 3, {"ffmc": 87, "bui": 63, "wind_10m_km_h": 0},
     (0.9094, 0.9094, 0.9094, 1.0, 12.31, 12.31, 12.31)),
)


def fires() -> FbpBehavior:
    """The published cases at equilibrium, arrays [N]."""
    found = [fbp_behavior(fuel, **case) for fuel, _, case, _ in PUBLISHED]
    return FbpBehavior(*(np.concatenate(values) for values in zip(*found, strict=True)))


FUELS = [fuel for fuel, *_ in PUBLISHED]
HOURS = np.array([hours for _, hours, *_ in PUBLISHED])


def test_fires_from_a_point_grow_as_in_cffdrs():
    grown = growth(FUELS, fires(), 60.0 * HOURS)
    for name, expected in zip(NAMES, np.array([row[-1] for row in PUBLISHED]).T, strict=True):
        np.testing.assert_allclose(getattr(grown, name), expected, rtol=6e-4, err_msg=name)


def test_distances_are_rates_summed_over_time():
    fire, ends = fires(), 60.0 * HOURS
    times = np.linspace(0.0, 1.0, 401)[:, None] * ends
    rates = [growth(FUELS, fire, time).head_rate_m_min for time in times]
    distance = np.trapezoid(rates, times, axis=0)
    np.testing.assert_allclose(growth(FUELS, fire, ends).head_distance_m, distance, rtol=1e-4)


def test_a_line_burns_at_equilibrium_at_once_and_a_point_in_the_long_run():
    fire = fires()
    line, point = growth(FUELS, fire, 7.0, from_point=False), growth(FUELS, fire, 1e4)
    for name in ("head_rate_m_min", "back_rate_m_min", "flank_rate_m_min", "length_to_breadth"):
        np.testing.assert_allclose(getattr(point, name), getattr(line, name), rtol=1e-9)
    np.testing.assert_array_equal(line.head_rate_m_min, fire.rate_of_spread_m_min)
    np.testing.assert_allclose(line.head_distance_m, 7.0 * fire.rate_of_spread_m_min)
    start = growth(FUELS, fire, 0.0)
    assert not start.head_rate_m_min.any()
    assert not start.head_distance_m.any()
    assert (start.length_to_breadth == 1.0).all()


def test_crowns_that_burn_a_little_slow_the_acceleration_of_closed_stands():
    # Eq. 72 has its minimum at a crown fraction of 2.5 / 8 and returns to 0.115.
    closed, opened = np.array([1]), np.array([0])  # C-2, C-1
    fractions = np.array([0.0, 0.3125, 1.0])
    slow = 0.115 - 18.8 * 0.3125**2.5 * np.exp(-2.5)
    np.testing.assert_allclose(acceleration(closed, fractions),
                               [0.115, slow, 0.115 - 18.8 * np.exp(-8.0)])
    assert (acceleration(opened, fractions) == 0.115).all()


def test_bad_times_are_refused():
    for minutes in (-1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="minutes"):
            growth(FUELS, fires(), minutes)


def test_rate_in_a_direction_agrees_with_cffdrs_on_the_ellipse_about_a_focus():
    # cffdrs's TROS is of the ellipse with the origin at its focus; the angle is RAZ (or none), and
    # its cosine is of the degrees taken as radians.
    cases = np.array([  # ROS, LB, RAZ, TROS
        (5.556055, 2.581372, 174.6964, 0.6249), (80.50874, 6.065998, 180.0, 0.6927),
        (42.79, 2.939, 180.0, 1.634), (9.355199, 1.553466, 13.30574, 5.054),
        (13.29422, 3.169329, 0.0, 13.29), (45.09, 2.885, 16.89, 2.06),
    ])
    head, ratio, angle, expected = cases.T
    eccentricity = np.sqrt(1.0 - 1.0 / ratio**2)
    back = head * (1.0 - eccentricity) / (1.0 + eccentricity)
    found = rate_towards(head, back, (head + back) / (2.0 * ratio), np.degrees(angle))
    np.testing.assert_allclose(found, expected, rtol=2e-3)  # RAZ has two decimals


@given(st.floats(0.1, 100.0), st.floats(0.0, 1.0), st.floats(0.02, 1.0), st.floats(-360.0, 360.0))
def test_rate_in_a_direction_lies_on_the_ellipse(head, back_share, narrow, angle):
    back = head * back_share
    flank = narrow * 0.5 * (head + back)
    rate = rate_towards(head, back, flank, angle)
    along = (rate * np.cos(np.radians(angle)) - 0.5 * (head - back)) / (0.5 * (head + back))
    across = rate * np.sin(np.radians(angle)) / flank
    assert along**2 + across**2 == pytest.approx(1.0, abs=1e-9)
    assert rate_towards(head, back, flank, 0.0) == pytest.approx(head)
    assert rate_towards(head, back, flank, 180.0) == pytest.approx(back, abs=1e-9 * head)


def test_what_does_not_spread_spreads_in_no_direction():
    assert rate_towards([0.0, 5.0], 0.0, [3.0, 0.0], 90.0).tolist() == [0.0, 0.0]
