"""Weather scenarios: what is refused, and what a climate draws."""

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.seeding import generator
from firebreak.weather.scenarios import WindClimate, draw_scenarios, make_scenarios

GOOD = {"wind_20ft_m_min": 300.0, "wind_from_deg": 270.0, "dead_moisture_1h": 0.06,
        "dead_moisture_10h": 0.07, "dead_moisture_100h": 0.08, "live_moisture_herb": 0.6,
        "live_moisture_woody": 0.9}


def test_numbers_become_one_scenario():
    scenarios = make_scenarios(**GOOD)
    assert all(column.shape == (1,) and column.dtype == np.float64 for column in scenarios)
    assert scenarios.weight == 1.0


def test_arrays_are_broadcast_and_weights_scaled():
    scenarios = make_scenarios(**GOOD | {"wind_from_deg": [-90.0, 0.0, 360.0]},
                               weight=[2.0, 1.0, 1.0])
    np.testing.assert_array_equal(scenarios.wind_from_deg, [270.0, 0.0, 0.0])
    np.testing.assert_array_equal(scenarios.wind_20ft_m_min, [300.0] * 3)
    np.testing.assert_array_equal(scenarios.weight, [0.5, 0.25, 0.25])


def test_a_scenario_keeps_no_hold_on_the_callers_array():
    speed = np.array([100.0, 200.0])
    scenarios = make_scenarios(**GOOD | {"wind_20ft_m_min": speed})
    speed[:] = 0.0
    np.testing.assert_array_equal(scenarios.wind_20ft_m_min, [100.0, 200.0])


@pytest.mark.parametrize(("change", "words"), [
    ({"dead_moisture_1h": 6.0}, "write 6 % as 0.06"),
    ({"dead_moisture_10h": 0.0}, "dead_moisture_10h"),
    ({"live_moisture_woody": 90.0}, "write 60 % as 0.6"),
    ({"wind_20ft_m_min": -1.0}, "wind_20ft_m_min"),
    ({"wind_20ft_m_min": [1.0, np.nan]}, "nan at index 1"),
    ({"wind_from_deg": 400.0}, "clockwise from north"),
    ({"weight": [1.0, -1.0]}, "weight"),
    ({"weight": 0.0}, "sum to more than 0"),
    ({"weight": np.inf}, "weight"),
])
def test_bad_weather_is_refused_in_one_sentence(change, words):
    with pytest.raises(InputError) as refusal:
        make_scenarios(**GOOD | change)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_default_climate_is_fire_weather():
    scenarios = draw_scenarios(WindClimate(), generator(1, "weather"), 5000)
    speed_km_h = scenarios.wind_20ft_m_min * 0.06
    low, high = np.percentile(speed_km_h, [5, 95])
    assert 5.0 < low < high < 32.0
    assert scenarios.wind_20ft_m_min.mean() == pytest.approx(270.0, rel=0.02)
    assert scenarios.wind_20ft_m_min.std() == pytest.approx(120.0, rel=0.05)
    assert scenarios.dead_moisture_1h.min() >= 0.03
    assert scenarios.dead_moisture_1h.max() <= 0.10
    np.testing.assert_allclose(scenarios.dead_moisture_100h, scenarios.dead_moisture_1h + 0.02)
    assert scenarios.weight.sum() == pytest.approx(1.0)


def test_winds_gather_around_the_dominant_direction():
    climate = WindClimate(dominant_from_deg=0.0, direction_spread_deg=20.0)
    scenarios = draw_scenarios(climate, generator(2), 5000)
    turn = (scenarios.wind_from_deg + 180.0) % 360.0 - 180.0
    assert turn.mean() == pytest.approx(0.0, abs=1.0)
    assert turn.std() == pytest.approx(20.0, rel=0.05)


def test_dominant_direction_is_drawn_where_it_is_not_given():
    climate = WindClimate(direction_spread_deg=0.0)
    first, second = (draw_scenarios(climate, generator(seed), 3).wind_from_deg for seed in (3, 4))
    assert first.std() < 1e-9
    assert first[0] != second[0]


def test_a_larger_set_begins_with_the_smaller():
    small = draw_scenarios(WindClimate(), generator(5), 4)
    large = draw_scenarios(WindClimate(), generator(5), 9)
    for name in set(small._fields) - {"weight"}:
        np.testing.assert_array_equal(getattr(small, name), getattr(large, name)[:4])


def test_setting_one_thing_moves_no_other_draw():
    drawn = draw_scenarios(WindClimate(), generator(6), 8)
    given = draw_scenarios(WindClimate(dominant_from_deg=90.0), generator(6), 8)
    np.testing.assert_array_equal(drawn.wind_20ft_m_min, given.wind_20ft_m_min)
    np.testing.assert_array_equal(drawn.live_moisture_woody, given.live_moisture_woody)


def test_no_climate_draws_more_wind_than_weather_may_have():
    climate = WindClimate(wind_20ft_mean_m_min=2500.0, wind_20ft_spread_m_min=1100.0)
    winds = draw_scenarios(climate, generator(0, "gale"), 20_000).wind_20ft_m_min
    assert winds.max() == 6000.0  # the most
    assert winds.mean() == pytest.approx(2500.0, rel=0.02)
