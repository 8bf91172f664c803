"""Durations that burn a share of the map, against the quantile of endless fires."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from firebreak.checks import InputError
from firebreak.fire import FireConditions, burn_field, make_scene
from firebreak.fire.burn_setup import make_setup
from firebreak.fire.fires import Fires
from firebreak.fire.making import calibrated_median, first_guess
from firebreak.fire.sums import times_of
from firebreak.landscape.synthetic.generate import generate
from strategies import random_case


def burner(arrival):
    """Fires whose arrival times [F, ...] are given."""
    flat = [np.sort(row[np.isfinite(row)]) for row in arrival.reshape(len(arrival), -1)]

    def burn(fires):
        return [row[row <= limit] for row, limit in zip(flat, fires.duration_min, strict=True)]

    return burn


def unit_fires(duration):
    none = np.zeros(len(duration), np.int64)
    return Fires(none, none, duration, none.astype(np.uint64))


def quantile_of_endless_fires(arrival, duration, cells, share):
    """The slow version: all ratios of fires without an end, sorted."""
    ratios = np.sort((arrival.reshape(len(arrival), -1) / duration[:, None]).ravel())
    finite = ratios[np.isfinite(ratios)]
    wanted = max(round(share * cells * len(duration)), len(duration) + 1)
    return finite[min(wanted, finite.size) - 1]


@pytest.mark.parametrize("guess", [1e-3, 1.0, 40.0, 1e6])
@pytest.mark.parametrize("share", [0.02, 0.3, 1.0])
def test_no_guess_changes_a_bit_of_the_median(guess: float, share: float) -> None:
    rng = np.random.default_rng(0)
    arrival = rng.exponential(30.0, (40, 50)).astype(np.float32)
    arrival[:, 0] = 0.0
    duration = np.exp(0.5 * rng.standard_normal(40))
    median = calibrated_median(unit_fires(duration), 50, share, guess, burner(arrival))
    assert median == quantile_of_endless_fires(arrival, duration, 50, share)
    if share == 0.3:
        assert (arrival / duration[:, None] <= median).sum() == 0.3 * 40 * 50


@pytest.mark.parametrize("seed", range(4))
def test_fires_that_stop_early_give_the_median_of_fires_that_do_not(seed: int) -> None:
    case = random_case(np.random.default_rng(seed), 14, 17, fires=30, unburnable=0.3)
    field = case.field()
    setup = make_setup(field, case.value, np.zeros(field.shape, bool))
    cells = int(case.burnable.sum())
    unit = case.fires._replace(duration_min=np.exp(np.linspace(-1.0, 1.0, 30)))
    without_end = unit._replace(duration_min=np.full(30, np.inf))
    endless = burn_field(field, without_end, want="arrival").arrivals_min

    def burn(fires):
        return times_of(setup, fires).times

    for share in (0.01, 0.2, 0.95):
        guess = first_guess(share, cells, 30.0, 10.0)
        median = calibrated_median(unit, cells, share, guess, burn)
        assert median == quantile_of_endless_fires(endless, unit.duration_min, cells, share)


def test_the_median_lets_some_fire_leave_its_ignition_cell() -> None:
    arrival = np.array([[0.0, 5.0, np.inf], [0.0, 7.0, np.inf]])
    unit = unit_fires(np.ones(2))
    assert calibrated_median(unit, 3, 0.01, 0.1, burner(arrival)) == 5.0
    assert calibrated_median(unit, 3, 1.0, 0.1, burner(arrival)) == 7.0
    alone = calibrated_median(unit, 1, 0.5, 0.1, burner(np.zeros((2, 1))))
    assert alone == 1.0


def test_a_guess_is_longer_for_slower_fuel_and_a_larger_share() -> None:
    assert first_guess(0.1, 1000, 30.0, 2.0) == 2.0 * first_guess(0.1, 1000, 30.0, 4.0)
    assert first_guess(0.4, 1000, 30.0, 2.0) == pytest.approx(2 * first_guess(0.1, 1000, 30.0, 2.0))
    assert first_guess(0.1, 1000, 30.0, 0.0) == 1.0


def test_a_map_on_which_nothing_burns_is_refused_without_a_warning() -> None:
    land = generate(1, (8, 8))
    water = replace(land, fuel_model=np.full_like(land.fuel_model, 98),
                    treatable=np.zeros(land.shape, np.bool_))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="burnable cells, got none"):
            make_scene(water, FireConditions(scenarios=1), 0)
