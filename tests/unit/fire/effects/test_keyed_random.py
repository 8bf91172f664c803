"""Numbers keyed by fire, cell and draw: uniform, independent, the same bits everywhere."""

import numpy as np
import pytest
from scipy import stats

from firebreak.checks import InputError
from firebreak.fire.effects.keyed_random import (
    DRAW_BREACH,
    DRAW_DISTANCE,
    DRAW_IGNITION,
    DRAW_SIDE,
    DRAW_THROW,
    fire_keys,
)
from native_probes import uniforms

KEYS = fire_keys(7, "plan", "somewhere", 60)
MASK = 2**64 - 1


def mixed(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def slow(key: int, cell: int, draw: int) -> float:
    """The definition in whole numbers of any size."""
    word = mixed((key + (cell + 1) * 0x9E3779B97F4A7C15) & MASK)
    word = mixed((word + (draw + 1) * 0xD1B54A32D192ED03) & MASK)
    return (word >> 11) / 2**53


def test_the_first_number_is_what_it_always_was():
    assert float(uniforms(0, 0, 0)).hex() == "0x1.7f8a2a39713a0p-3"
    assert fire_keys(1, "plan", "x", 1) == 17399925004097365823


def test_the_kernel_and_the_slow_version_have_the_same_bits():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**64, 500, dtype=np.uint64)
    cells = rng.integers(0, 2**40, 500)
    draws = rng.integers(0, 5, 500)
    expected = [slow(*map(int, triple)) for triple in zip(keys, cells, draws, strict=True)]
    np.testing.assert_array_equal(uniforms(keys, cells, draws), expected)


def test_arrays_are_broadcast():
    grid = uniforms(KEYS[:, None, None], np.arange(4)[:, None], np.arange(3))
    assert grid.shape == (60, 4, 3)
    assert grid[5, 2, 1] == slow(int(KEYS[5]), 2, 1)


@pytest.mark.parametrize("draw", [DRAW_BREACH, DRAW_IGNITION])
def test_numbers_of_a_map_are_uniform(draw):
    numbers = uniforms(KEYS[:, None], np.arange(4000), draw).ravel()
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    counts = np.histogram(numbers, bins=256, range=(0, 1))[0]
    assert stats.chisquare(counts).pvalue > 1e-3
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3


def test_numbers_of_one_fire_are_uniform_even_for_small_keys_and_cells():
    for key in (0, 1, 2**63):
        assert stats.kstest(uniforms(key, np.arange(5000), 0), "uniform").pvalue > 1e-3


@pytest.mark.parametrize(("step", "draw"), [(1, 0), (2, 0), (100, 0), (0, 1), (0, 2), (1, 1)])
def test_neighbouring_cells_and_draws_are_independent(step, draw):
    cells = np.arange(40_000)
    ours, theirs = uniforms(KEYS[0], cells, 0), uniforms(KEYS[0], cells + step, draw)
    assert abs(np.corrcoef(ours, theirs)[0, 1]) < 4 / np.sqrt(cells.size)
    pairs = np.histogram2d(ours, theirs, bins=16, range=[[0, 1], [0, 1]])[0]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-3


def test_keys_that_follow_each_other_are_independent_too():
    cells = np.arange(40_000)
    pairs = np.histogram2d(uniforms(5, cells, 0), uniforms(6, cells, 0), bins=16,
                           range=[[0, 1], [0, 1]])[0]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-3


def test_each_event_has_its_own_draw():
    draws = {DRAW_BREACH, DRAW_THROW, DRAW_DISTANCE, DRAW_SIDE, DRAW_IGNITION}
    assert len(draws) == 5


def test_a_short_set_of_keys_is_the_beginning_of_a_long_one():
    np.testing.assert_array_equal(fire_keys(7, "plan", "somewhere", 7), KEYS[:7])
    assert KEYS.dtype == np.uint64
    assert np.unique(KEYS).size == KEYS.size


@pytest.mark.parametrize("other", [(8, "plan", "somewhere"), (7, "test", "somewhere"),
                                   (7, "plan", "elsewhere")])
def test_other_names_give_other_keys(other):
    assert not np.isin(fire_keys(*other, 60), KEYS).any()


def test_a_seed_below_0_is_refused():
    with pytest.raises(InputError, match="0 or more"):
        fire_keys(-1, "plan", "somewhere", 1)
