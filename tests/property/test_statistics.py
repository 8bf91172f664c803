"""Sums over fires against dense maps of every fire; the same bits in any order."""

import numpy as np
import pytest
from benchmarks.rivals.burned_maps import burn_maps
from hypothesis import given, settings
from hypothesis import strategies as st

from firebreak.checks import InputError
from firebreak.fire import BurnResult, burn_field
from firebreak.fire import sums as sums_module
from firebreak.fire.burn_setup import make_setup
from firebreak.fire.effects.losses import CLASSES
from firebreak.fire.sums import add_fires, new_sums, result_of, times_of
from firebreak.fire.travel.travel_field import heat_of
from firebreak.native_library import max_threads, set_threads, thread_count
from reference import class_of_intensity
from strategies import cases, random_case


def hot(case, field):
    """The field with intensities of all classes."""
    spread = np.random.default_rng(5).normal(6.0, 2.0, case.ellipse.head.shape)
    return field._replace(heat=heat_of(field, np.exp(spread)))


def slow_statistics(field, case) -> BurnResult:
    """Means of dense maps, fire by fire."""
    whole = burn_maps(field, case.fires, case.value, case.breaks)
    burned = np.isfinite(whole.arrival_time_min)
    often = burned.sum(axis=0)
    reached = np.where(burned, whole.arrival_time_min, 0.0).sum(axis=0)
    mean_arrival = np.divide(reached, often, out=np.full(often.shape, np.inf), where=often > 0)
    chance = burned.mean(axis=0)
    return BurnResult(whole.loss, chance, whole.downstream_value.mean(axis=0), mean_arrival,
                          chance * case.value, chance[None], np.zeros(chance.shape))


@settings(max_examples=60, deadline=None)
@given(cases(most_side=14))
def test_sums_are_the_means_of_dense_maps(case) -> None:
    field = case.field()
    made = burn_field(field, case.fires, case.value, case.breaks, want="statistics")
    slow = slow_statistics(field, case)
    np.testing.assert_array_equal(made.loss, slow.loss)
    np.testing.assert_array_equal(made.burn_probability, slow.burn_probability)
    np.testing.assert_array_equal(made.class_probability, slow.class_probability)
    np.testing.assert_allclose(made.lost, slow.lost, rtol=1e-12)
    for name in ("downstream_value", "arrival_time_min"):
        np.testing.assert_allclose(getattr(made, name), getattr(slow, name), rtol=1e-6, atol=1e-9)


def test_classes_are_those_of_the_intensities() -> None:
    """A fire of one cell burns it in the class of the head's own intensity."""
    case = random_case(np.random.default_rng(2), 9, 11, fires=40, broken=0.0)
    intensity = np.exp(np.random.default_rng(5).normal(6.0, 2.0, case.ellipse.head.shape))
    field = case.field()
    field = field._replace(heat=heat_of(field, intensity))
    still = case.fires._replace(duration_min=np.zeros(40))
    made = burn_field(field, still, case.value, want="statistics")
    row, col = np.divmod(still.source, 11)
    wanted = np.zeros((CLASSES, 9, 11))
    np.add.at(wanted, (class_of_intensity(intensity[still.scenario, row, col]), row, col), 1 / 40)
    np.testing.assert_allclose(made.class_probability, wanted)
    assert (wanted.sum(axis=(1, 2)) > 0).sum() > 3


@settings(max_examples=25, deadline=None)
@given(cases(most_side=12), st.integers(0, 2**32 - 1))
def test_no_order_of_fires_and_no_blocks_change_a_bit(case, seed) -> None:
    field = hot(case, case.field())
    value = np.random.default_rng(seed).random((CLASSES, *field.shape)).astype(np.float32)
    count = case.fires.source.size
    shuffled = np.random.default_rng(seed).permutation(count)
    whole = burn_field(field, case.fires, value, case.breaks, want="statistics")
    setup = make_setup(field, value, case.breaks)
    sums = new_sums(setup, case.fires)
    loss = np.zeros(count)
    for part in np.array_split(shuffled, min(3, count)):
        loss[part] = add_fires(setup, case.fires.part(part), sums).loss
    parts = result_of(sums, loss, case.fires.whole, setup.overlays.value[0], field.shape)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    if max_threads() < 2:
        pytest.skip("one thread on this machine; set FIREBREAK_THREADS=2 before starting")
    case = random_case(np.random.default_rng(4), 25, 31, fires=300)
    field = hot(case, case.field())
    before, made = thread_count(), []
    try:
        for threads in (1, 2):
            set_threads(threads)
            made.append(burn_field(field, case.fires, case.value, case.breaks, want="statistics"))
    finally:
        set_threads(before)
    for one, two in zip(*made, strict=True):
        np.testing.assert_array_equal(one, two)


def test_times_are_those_of_the_burned_cells_in_order(monkeypatch) -> None:
    case = random_case(np.random.default_rng(6), 12, 13, fires=20)
    field = case.field()
    arrival = burn_field(field, case.fires, want="arrival").arrivals_min
    setup = make_setup(field, case.value, np.zeros(field.shape, bool))
    for most in (1, 3000, 10**9):
        monkeypatch.setattr(sums_module, "MAX_TRACKED", most)
        for row, times in zip(arrival, times_of(setup, case.fires).times, strict=True):
            np.testing.assert_array_equal(np.sort(row[np.isfinite(row)]), times)


def test_values_of_any_size_are_summed_without_overflow() -> None:
    case = random_case(np.random.default_rng(7), 10, 10, fires=50)
    field = case.field()
    plain = burn_field(field, case.fires, case.value, want="statistics")
    for factor in (np.float32(2.0**-60), np.float32(2.0**60)):
        scaled = burn_field(field, case.fires, case.value * factor, want="statistics")
        np.testing.assert_allclose(scaled.downstream_value / factor, plain.downstream_value,
                                   rtol=1e-5, atol=1e-9)


def test_fires_longer_than_can_be_summed_are_refused() -> None:
    case = random_case(np.random.default_rng(8), 8, 8, fires=4, unburnable=0.0)
    slow = case.field()
    slow.unit_time[:] *= np.float32(1e12)
    slow.metric[..., :3] *= np.float32(1e24)
    slow.edges[:] *= 1e12
    endless = case.fires._replace(duration_min=np.full(4, np.inf))
    with pytest.raises(InputError, match="shorten the fires' durations"):
        burn_field(slow, endless, case.value, want="statistics")
