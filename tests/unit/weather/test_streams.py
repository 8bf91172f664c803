"""Changing weather that a mixture draws: the course of a day from a climate's afternoon."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.weather.scenarios import WindClimate, draw_scenarios
from firebreak.weather.streams import STEP_MIN, STEPS, draw_streams, warmth

HOUR_OF_DAY = np.arange(0.0, 24.0, 0.01)


def test_the_course_of_the_day_is_that_of_parton_and_logan() -> None:
    warm = warmth(HOUR_OF_DAY)
    assert warm.min() >= 0.0
    # Noon is at 13; their maximum comes a = 1.86 h later, at half of day length + 2 a, less c.
    assert HOUR_OF_DAY[warm.argmax()] == pytest.approx(13.0 + 1.86 - 0.17, abs=0.011)
    assert warm.max() == pytest.approx(1.0, abs=1e-6)
    # At sunset, and half of the night later: exp(-b / 2) of that.
    sunset, later = warmth([20.0, 1.0])
    assert sunset == pytest.approx(np.sin(np.pi * 14.17 / (14.0 + 2 * 1.86)))
    assert later == pytest.approx(sunset * np.exp(-2.20 / 2))
    assert warmth(6.0 - 0.17) == pytest.approx(0.0)
    assert (np.diff(warm[(HOUR_OF_DAY > 14.8)]) < 0.0).all()  # cools until midnight


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 9), st.floats(20.0, 1000.0), st.floats(0.0, 90.0))
def test_no_hour_is_windier_or_drier_than_the_afternoon(seed: int, count: int, wind: float,
                                                        turns: float) -> None:
    climate = WindClimate(wind_20ft_mean_m_min=wind, direction_spread_deg=turns)
    afternoon = draw_scenarios(climate, np.random.default_rng(seed), count)
    streams = draw_streams(climate, np.random.default_rng(seed), count)
    assert (streams.steps_per_stream, streams.step_min) == (STEPS, STEP_MIN)
    np.testing.assert_allclose(streams.weight, 1.0 / count)
    for name, sign in (("wind_20ft_m_min", 1.0), ("dead_moisture_1h", -1.0),
                       ("dead_moisture_100h", -1.0), ("fine_fuel_moisture_code", 1.0)):
        hours = getattr(streams.steps, name).reshape(count, STEPS)
        assert (sign * hours <= sign * getattr(afternoon, name)[:, None] + 1e-9).all()
        # A fire that begins by day burns into the night, or began in the warmest hours.
        assert (np.ptp(hours, axis=1) > 0.0).all()
    np.testing.assert_array_equal(
        streams.steps.live_moisture_herb.reshape(count, STEPS),
        np.repeat(afternoon.live_moisture_herb[:, None], STEPS, axis=1))


def test_the_wind_turns_once_from_its_first_direction() -> None:
    climate = WindClimate(dominant_from_deg=90.0, direction_spread_deg=0.0)
    streams = draw_streams(climate, np.random.default_rng(3), 400)
    turned = (streams.steps.wind_from_deg.reshape(400, STEPS) - 90.0 + 180.0) % 360.0 - 180.0
    assert (turned[:, 0] == 0.0).all()
    last = turned[:, -1]
    assert np.std(last) == pytest.approx(45.0, abs=9.0)  # a few have not turned to the end
    assert (np.diff(turned, axis=1) * np.sign(last)[:, None] >= -1e-9).all()
    assert ((np.abs(np.diff(turned, axis=1)) > 0.0).sum(axis=1) <= 3).all()


def test_streams_of_one_seed_are_the_same() -> None:
    one, other = (draw_streams(WindClimate(), np.random.default_rng(7), 3) for _ in range(2))
    for mine, theirs in zip(one.steps, other.steps, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_last_step_is_of_the_time_of_day_of_the_first() -> None:
    assert STEPS * STEP_MIN == 24 * 60.0
    streams = draw_streams(WindClimate(), np.random.default_rng(1), 300)
    wind = streams.steps.wind_20ft_m_min.reshape(300, STEPS)
    # Fires that begin by day meet the night in between, and do not end in it.
    assert (wind[:, -1] > wind.min(axis=1)).mean() > 0.95
    assert (wind[:, -1] / wind[:, 0]).mean() > 0.6


@pytest.mark.parametrize("moisture", [(0.001, 0.001), (0.9, 0.97)])
@pytest.mark.parametrize("wind", [1.0, 2500.0, 6000.0])
def test_climates_near_the_bounds_of_weather_give_streams(moisture: tuple[float, float],
                                                          wind: float) -> None:
    climate = WindClimate(dead_moisture_1h=moisture, dead_moisture_10h_above_1h=0.0,
                          dead_moisture_100h_above_1h=0.0, wind_20ft_mean_m_min=wind,
                          wind_20ft_spread_m_min=wind)
    for seed in range(30):
        streams = draw_streams(climate, np.random.default_rng(seed), 8)
        assert streams.steps.wind_20ft_m_min.max() <= 6000.0
