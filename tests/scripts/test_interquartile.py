"""Interquartile means, their intervals, chances of improvement."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from interquartile import interquartile_mean, probability_of_improvement, stratified_interval


def test_the_interquartile_mean_leaves_out_a_quarter_at_each_end() -> None:
    assert interquartile_mean(np.array([9.0, 1.0, 2.0, -50.0])) == 1.5
    rows = np.array([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], np.full(8, 3.0)])
    np.testing.assert_array_equal(interquartile_mean(rows), [3.5, 3.0])


def test_the_stratified_interval_covers_the_true_value_about_19_times_in_20() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        values = rng.normal(size=24) + 0.3 * rng.normal(size=(5, 24))
        low, high = stratified_interval(values, rng, resamples=400)
        covered += low <= 0.0 <= high
    assert 178 <= covered <= 199


def test_the_stratified_interval_of_one_row_resamples_landscapes() -> None:
    low, high = stratified_interval(np.arange(40.0)[None], np.random.default_rng(0))
    assert low < 19.5 < high
    assert high - low > 5.0
    assert stratified_interval(np.full((3, 7), 2.0), np.random.default_rng(0)) == (2.0, 2.0)


def test_the_probability_of_improvement_counts_ties_half() -> None:
    ours = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert probability_of_improvement(ours, np.array([2.0, 2.0])) == pytest.approx(0.625)
