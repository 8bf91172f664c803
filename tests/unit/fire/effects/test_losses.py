"""Value lost by class of flame length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire.behavior.rothermel import flame_length
from firebreak.fire.effects.losses import (
    BURNED,
    CLASS_NAMES,
    FLAME_LENGTH_EDGES_FT,
    ResponseFunction,
    ValueLayer,
    annual_burn_probability,
    intensity_edges_kw_m,
    loss_by_class,
)
from firebreak.units import KW_M_PER_BTU_FT_S, METRES_PER_FOOT
from reference import class_of_intensity

RISING = ResponseFunction(name="rising", loss=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


def layer(values, **kwargs):
    return ValueLayer(name="homes", value=np.asarray(values, np.float32), **kwargs)


def test_edges_in_kw_m_are_those_of_byrams_metric_form():
    expected = (np.array(FLAME_LENGTH_EDGES_FT) * METRES_PER_FOOT / 0.0775) ** (1 / 0.46)
    np.testing.assert_allclose(intensity_edges_kw_m(), expected, rtol=2e-3)
    # 4 and 8 ft, the limits of hand crews and machines, are about 100 and 500 BTU/ft/s.
    np.testing.assert_allclose(intensity_edges_kw_m()[[1, 3]] / KW_M_PER_BTU_FT_S, [100, 500],
                               rtol=0.16)


@given(st.floats(0.0, 1e6))
def test_the_class_is_that_of_the_flame_length(intensity):
    length = flame_length(np.float64(intensity / KW_M_PER_BTU_FT_S))
    nearest = np.abs(np.array(FLAME_LENGTH_EDGES_FT) - length).min()
    if nearest > 1e-9:
        assert class_of_intensity(intensity) == np.digitize(length, FLAME_LENGTH_EDGES_FT)


def test_there_are_six_classes_and_an_edge_is_in_the_upper_one():
    edges = intensity_edges_kw_m()
    np.testing.assert_array_equal(class_of_intensity(edges), [1, 2, 3, 4, 5])
    np.testing.assert_array_equal(class_of_intensity([[0.0, 1e9]]), [[0, 5]])
    assert class_of_intensity(edges).dtype == np.uint8
    assert len(CLASS_NAMES) == 6


def test_worth_is_the_sum_over_layers_of_weight_value_and_response():
    total = loss_by_class([layer([[10.0, 0.0]], weight=2.0, response=RISING), layer([[1.0, 5.0]])])
    assert total.shape == (6, 1, 2)
    assert total.dtype == np.float32
    np.testing.assert_allclose(total[:, 0, 0], [1, 5, 9, 13, 17, 21])
    np.testing.assert_allclose(total[:, 0, 1], 5.0)


def test_without_a_response_all_is_lost_at_any_intensity():
    values = np.random.default_rng(0).random((3, 4)).astype(np.float32)
    assert BURNED.loss == (1.0,) * 6
    for lost in loss_by_class([layer(values)]):
        np.testing.assert_array_equal(lost, values)


@pytest.mark.parametrize("loss", [(0.0,) * 5, (0, 0, 0, 0, 0, 1.1), (-0.1, 0, 0, 0, 0, 0),
                                  (np.nan, 0, 0, 0, 0, 0)])
def test_a_response_outside_0_to_1_is_refused(loss):
    with pytest.raises(InputError, match="6 fractions"):
        ResponseFunction(name="odd", loss=loss)


@pytest.mark.parametrize("weight", [-1.0, np.nan])
def test_a_bad_weight_is_refused(weight):
    with pytest.raises(InputError, match="homes"):
        layer([[1.0]], weight=weight)


def test_annual_burn_probability_by_hand():
    # 2 fires a year, each burns the cell with 5 %: 1 - exp(-0.1)
    assert annual_burn_probability(0.05, 1e-4, 20_000.0) == pytest.approx(0.0951626, abs=1e-7)


def test_rare_fires_add_up_and_frequent_ones_saturate():
    p = np.array([0.0, 1e-9, 1.0])
    np.testing.assert_allclose(annual_burn_probability(p, 1e-6, 1e3)[:2], [0, 1e-12], rtol=1e-9)
    assert annual_burn_probability(p, 1.0, 1000.0)[2] == 1.0


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 12))
def test_years_of_parts_make_the_whole(p, rate, parts):
    """Not burning in any of n n-ths of a year is not burning in the year."""
    share = annual_burn_probability(p, rate / parts, 10.0)
    assert 1 - (1 - share) ** parts == pytest.approx(annual_burn_probability(p, rate, 10.0),
                                                     abs=1e-12)
