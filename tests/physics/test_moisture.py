"""Fuel moisture from weather: published values, closed forms and what must never happen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire.behavior.rothermel import cured_fraction
from firebreak.weather.fwi import ffmc_of_moisture
from firebreak.weather.moisture import (
    DEAD_CLASSES,
    LIVE_CLASSES,
    air_at_sunlit_fuel,
    boundary_moistures,
    conditioned,
    dead_moistures_of_ffmc,
    equilibrium_moisture,
    herb_moisture_of_curing,
    moisture_scenario,
)

HOURS = 60.0 * np.arange(48.0)


def celsius(fahrenheit):
    return (fahrenheit - 32.0) / 1.8


@pytest.mark.parametrize(("heat_f", "humidity", "percent"), [
    # Worked by hand from the three equations of PSW-82, one pair for each.
    (80.0, 5.0, 0.03229 + 1.405365 - 0.2312),
    (70.0, 40.0, 2.22749 + 6.40428 - 1.03488),
    (50.0, 90.0, 21.0606 + 45.0765 - 1.575 - 43.48791),
    (70.0, 10.0, 2.22749 + 1.60107 - 1.03488),  # the limits belong to the piece above
    (70.0, 50.0, 21.0606 + 13.9125 - 1.225 - 24.15995),
    (60.0, 0.0, 0.03229),
])
def test_equilibrium_moisture_is_that_of_the_equations(heat_f, humidity, percent):
    found = equilibrium_moisture(celsius(heat_f), humidity / 100.0)
    assert found == pytest.approx(percent / 100.0, rel=1e-12)


@given(st.floats(-30.0, 42.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_damper_air_never_means_drier_fuel(heat, one, other):
    low, high = sorted((one, other))
    assert equilibrium_moisture(heat, low) <= equilibrium_moisture(heat, high)


@given(st.floats(-30.0, 50.0), st.floats(0.0, 20.0), st.floats(0.0, 1.0))
def test_warmer_air_never_means_damper_fuel(heat, more, humidity):
    assert equilibrium_moisture(heat + more, humidity) <= equilibrium_moisture(heat, humidity)


@pytest.mark.parametrize(("cloud", "degrees_f", "factor"), [
    (0.0, 25.0, 0.75), (0.1, 25.0, 0.75), (0.3, 19.0, 0.83), (0.5, 19.0, 0.83), (0.7, 12.0, 0.92),
    (0.9, 12.0, 0.92), (1.0, 5.0, 1.0)])
def test_sunshine_warms_and_dries_as_published(cloud, degrees_f, factor):
    heat, humidity = air_at_sunlit_fuel(20.0, 0.4, cloud)
    assert heat == pytest.approx(20.0 + degrees_f / 1.8)
    assert humidity == pytest.approx(0.4 * factor)


def test_rain_soaks_by_the_published_rule():
    rain = np.array([0.0, 0.2, 0.25, 5.0, 0.0, 1.0])
    boundary = boundary_moistures(np.full(6, 0.1), rain)
    np.testing.assert_allclose(boundary[:, 0], [0.1, 0.1, 0.35, 0.35, 0.1, 0.35])
    np.testing.assert_array_equal(boundary[:, 0], boundary[:, 1])
    np.testing.assert_allclose(boundary[:, 2], [0.1, 0.1, 0.415, 0.42, 0.1, 0.415])
    long = boundary_moistures(np.full(60, 0.1), np.full(60, 2.0))
    np.testing.assert_allclose(long[[23, 24, 59], 2], 0.41 + 0.12)


def test_bone_dry_air_leaves_one_percent():
    np.testing.assert_allclose(boundary_moistures(np.zeros(2), None), 0.01)


def test_conditioning_is_the_exponential_of_the_time_lag():
    boundary = np.full((48, 3), 0.05)
    found = conditioned(boundary, HOURS, start=np.array([0.25, 0.25, 0.25]))
    for column, lag in enumerate((1.0, 10.0, 100.0)):
        exact = 0.05 + 0.20 * np.exp(-HOURS / 60.0 / lag)
        np.testing.assert_allclose(found[:, column], exact, rtol=1e-12)
    # After one time lag 63 % of the way is gone.
    assert (0.25 - found[10, 1]) / 0.20 == pytest.approx(0.632, abs=5e-4)


def test_shorter_steps_of_the_same_weather_change_nothing():
    boundary = np.repeat(np.linspace(0.05, 0.2, 12), 4)[:, None] * np.ones(3)
    start = np.array([0.1, 0.1, 0.1])
    quarter = conditioned(boundary, 15.0 * np.arange(48), start)
    # Row k holds for the time before it, so the hour's boundary is that of its last quarter.
    whole = conditioned(boundary[3::4], 60.0 * np.arange(12), quarter[3])
    np.testing.assert_allclose(quarter[3::4], whole, rtol=1e-12)


def test_conditioning_starts_at_the_first_row_and_the_first_day():
    boundary = np.linspace(0.05, 0.25, 48)[:, None] * np.ones(3)
    found = conditioned(boundary, HOURS)
    assert found[0, 0] == boundary[0, 0]
    np.testing.assert_allclose(found[0, 1:], boundary[:24].mean(axis=0)[1:])


fractions = st.lists(st.floats(0.01, 0.5), min_size=2, max_size=30)


@given(fractions, st.floats(0.01, 0.6), st.floats(1.0, 3000.0))
def test_conditioning_never_passes_what_it_tends_to(values, start, step):
    boundary = np.array(values)[:, None] * np.ones(3)
    found = conditioned(boundary, step * np.arange(len(values)), np.full(3, start))
    before, target, after = found[:-1], boundary[1:], found[1:]
    slack = 1e-12
    assert (np.minimum(before, target) - slack <= after).all()
    assert (after <= np.maximum(before, target) + slack).all()
    # The shorter the time lag, the closer it comes in one step from one start.
    left = np.abs(found[1] - boundary[1])
    assert left[0] <= left[1] + slack <= left[2] + 2 * slack


@given(st.lists(st.floats(0.0, 3.0), min_size=2, max_size=40), st.data())
def test_more_rain_never_dries(rain, data):
    extra = data.draw(st.lists(st.floats(0.0, 3.0), min_size=len(rain), max_size=len(rain)))
    equilibrium = np.linspace(0.05, 0.28, len(rain))
    minutes = 60.0 * np.arange(len(rain))
    less, more = (conditioned(boundary_moistures(equilibrium, np.array(amount)), minutes)
                  for amount in (rain, np.add(rain, extra)))
    assert (more >= less - 1e-12).all()


def test_the_scenarios_are_those_of_scott_and_burgan():
    assert len(DEAD_CLASSES) == len(LIVE_CLASSES) == 4
    np.testing.assert_allclose(moisture_scenario("D1L1"), [0.03, 0.04, 0.05, 0.30, 0.60])
    np.testing.assert_allclose(moisture_scenario("D2L3"), [0.06, 0.07, 0.08, 0.90, 1.20])
    np.testing.assert_allclose(moisture_scenario("D4L4"), [0.12, 0.13, 0.14, 1.20, 1.50])
    with pytest.raises(InputError, match="moisture scenario 'D2L5'"):
        moisture_scenario("D2L5")


def test_live_moisture_follows_its_class_and_the_curing():
    assert LIVE_CLASSES["L1"] == (0.30, 0.60)
    assert LIVE_CLASSES["L4"] == (1.20, 1.50)
    curing = np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(herb_moisture_of_curing([0.0, 1.0]), [1.2, 0.3])
    # BEHAVE's coefficients, which the surface fire uses, are rounded.
    np.testing.assert_allclose(cured_fraction(herb_moisture_of_curing(curing)), curing, atol=2e-3)


def test_moisture_and_ffmc_are_one_number_on_two_scales():
    found = dead_moistures_of_ffmc(np.array([92.0, 85.0, 101.0]))
    np.testing.assert_allclose(ffmc_of_moisture(100.0 * found[:2, 0]), [92.0, 85.0])
    np.testing.assert_allclose(found[:, 1] - found[:, 0], 0.01)
    np.testing.assert_allclose(found[2], [0.01, 0.02, 0.03])
