"""Streams cut from rows of weather hold those rows, whatever the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.weather.scenarios import make_scenarios
from firebreak.weather.streams import constant, gather_streams, join_rows, make_streams


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


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=12), st.integers(1, 5))
def test_weights_of_streams_sum_to_one(weights, length):
    if not sum(weights) > 0.0:
        return
    found = make_streams(rows(len(weights) * length), length, 30.0, np.array(weights))
    assert found.weight.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found.weight * sum(weights), weights, atol=1e-6)


def test_joined_rows_come_one_part_after_the_other():
    joined = join_rows([rows(3), rows(2, first=10.0)])
    np.testing.assert_array_equal(joined.wind_20ft_m_min, [0, 1, 2, 10, 11])
    assert all(values.shape == (5,) for values in joined)


def test_constant_weather_is_streams_of_one_step():
    found = constant(rows(4))
    assert (found.steps_per_stream, found.step_min) == (1, np.inf)
    np.testing.assert_allclose(found.weight, 0.25)


@pytest.mark.parametrize(("length", "step", "weight"), [
    (0, 60.0, None), (2, 60.0, None), (3, 0.0, None), (3, np.nan, None), (3, 60.0, [1.0, 1.0]),
    (3, 60.0, [-1.0]), (3, 60.0, [0.0]), (3, 60.0, [np.inf])])
def test_streams_that_make_no_sense_are_refused(length, step, weight):
    with pytest.raises(InputError, match="weather streams"):
        make_streams(rows(3), length, step, None if weight is None else np.array(weight))
