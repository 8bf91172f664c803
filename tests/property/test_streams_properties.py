"""Streams cut from rows of weather hold those rows, whatever the rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from firebreak.weather.scenarios import make_scenarios
from firebreak.weather.streams import constant, gather_streams, join_rows


def rows(count, first=0.0):
    return make_scenarios(wind_20ft_m_min=first + np.arange(count), wind_from_deg=90.0,
                          dead_moisture_1h=0.06, dead_moisture_10h=0.07, dead_moisture_100h=0.08,
                          live_moisture_herb=0.6, live_moisture_woody=0.9)


@given(st.integers(1, 40), st.integers(1, 6), st.integers(1, 8), st.data())
def test_a_stream_is_the_rows_it_was_cut_from(count, streams, length, data):
    flat = data.draw(st.lists(st.integers(0, count - 1), min_size=streams * length,
                              max_size=streams * length))
    index = np.array(flat).reshape(streams, length)
    found = gather_streams(rows(count), index, 60.0)
    np.testing.assert_array_equal(found.steps.wind_20ft_m_min.reshape(streams, length), index)
    assert found.steps_per_stream == length
    assert found.step_min == (60.0 if length > 1 else np.inf)
    np.testing.assert_allclose(found.weight, 1.0 / streams)


def test_joined_rows_come_one_part_after_the_other():
    joined = join_rows([rows(3), rows(2, first=10.0)])
    np.testing.assert_array_equal(joined.wind_20ft_m_min, [0, 1, 2, 10, 11])
    assert all(values.shape == (5,) for values in joined)


def test_constant_weather_is_streams_of_one_step():
    found = constant(rows(4))
    assert (found.steps_per_stream, found.step_min) == (1, np.inf)
    np.testing.assert_allclose(found.weight, 0.25)
