"""Fires that cross bare breaks: published numbers, and what must hold of every rule."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firebreak.fire.effects.breaks import breach_probability, in_one_cell
from firebreak.settings.scene import BreachRule

RULES = st.sampled_from(get_args(BreachRule))
INTENSITY, FLAME = st.floats(0.0, 2e5), st.floats(0.0, 100.0)
WIDTH = st.floats(0.1, 500.0)


# What the research prototype of the Australian Fire Danger Rating System (2017) states of Wilson's
# equation. It gives 88 and 98 % for breaks without trees; the equation gives them with trees.
@pytest.mark.parametrize(("intensity", "width", "rule", "percent"), [
    (2000.0, 3.0, "wilson", 29), (2000.0, 5.0, "wilson", 5), (5000.0, 10.0, "wilson-trees", 35),
    (5000.0, 3.0, "wilson-trees", 88), (10000.0, 3.0, "wilson-trees", 98),
])
def test_wilson_gives_the_percentages_that_are_quoted(intensity, width, rule, percent):
    assert 100 * breach_probability(intensity, 3.0, width, rule) == pytest.approx(percent, abs=0.6)


def test_wilson_by_hand():
    # 1.36 + 0.00036 x 4000 - 0.99 x 5 = -2.15; 1 / (1 + e^2.15) = 0.1043
    assert breach_probability(4000.0, 3.4, 5.0) == pytest.approx(0.1043, abs=5e-5)


def test_flames_cross_what_is_narrower_than_one_and_a_half_times_their_length():
    crossed = breach_probability(5000.0, 4.0, [5.9, 6.0, 6.1], "flame-length")
    np.testing.assert_array_equal(crossed, [1.0, 0.0, 0.0])


@given(INTENSITY, FLAME, WIDTH, RULES)
def test_it_is_a_probability(intensity, flame, width, rule):
    assert 0.0 <= breach_probability(intensity, flame, width, rule) <= 1.0


@given(INTENSITY, FLAME, WIDTH, WIDTH, RULES)
def test_a_wider_break_is_never_crossed_more_often(intensity, flame, width, more, rule):
    narrow, wide = breach_probability(intensity, flame, [width, width + more], rule)
    assert wide <= narrow


@given(INTENSITY, FLAME, WIDTH, INTENSITY, FLAME, RULES)
def test_a_fiercer_fire_never_crosses_less_often(intensity, flame, width, more, longer, rule):
    mild, fierce = breach_probability([intensity, intensity + more], [flame, flame + longer],
                                      width, rule)
    assert mild <= fierce


@given(INTENSITY, FLAME, RULES)
def test_nothing_crosses_an_infinite_break(intensity, flame, rule):
    assert breach_probability(intensity, flame, np.inf, rule) == 0.0


@pytest.mark.parametrize("rule", get_args(BreachRule))
def test_no_fire_crosses_nothing(rule):
    assert breach_probability(0.0, 0.0, 0.1, rule) == 0.0


def test_never_means_never():
    assert breach_probability(1e6, 100.0, 0.1, "never") == 0.0


def test_trees_beside_the_break_help_the_fire():
    width = np.array([1.5, 5.0, 15.0, 100.0])
    assert (breach_probability(4000.0, 3.0, width, "wilson-trees")
            > breach_probability(4000.0, 3.0, width, "wilson")).all()


@given(st.floats(0.0, 1.0), st.integers(1, 20))
def test_the_cells_of_a_front_together_cross_as_often_as_the_front(probability, cells):
    one = in_one_cell(probability, 100.0 / cells)
    assert 1 - (1 - one) ** cells == pytest.approx(probability, abs=1e-9)


def test_certain_and_impossible_crossings_are_so_in_every_cell():
    np.testing.assert_array_equal(in_one_cell([0.0, 1.0], 30.0), [0.0, 1.0])
    assert in_one_cell(0.19, 50.0) == pytest.approx(0.1)


def test_maps_are_broadcast():
    shape = (2, 3, 4)
    assert breach_probability(np.ones(shape), np.ones(shape), 30.0).shape == shape
