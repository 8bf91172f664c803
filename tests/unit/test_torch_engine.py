"""Burning on a torch device: cases with known answers, and what bad input says."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from firebreak.checks import InputError
from firebreak.fire.fires import Fires
from firebreak.fire.shading import treated_part
from firebreak.fire.spotting import SpotField
from firebreak.fire.torch_engine import burn_on_device
from firebreak.fire.torch_field import device_of, listed_bits, root, to_device
from firebreak.fire.torch_metric import fields_from_ellipses
from firebreak.fire.travel import (
    BreakRules,
    Ellipse,
    TravelField,
    field_from_ellipse,
    in_streams,
    spots_on,
)
from strategies import CELL_SIZE_M, ellipse_like, random_case

SHAPE = (9, 15)


def round_fires(mode="front", scenarios=1) -> TravelField:
    """3 m/min every way: 10 minutes a cell."""
    return field_from_ellipse(ellipse_like(np.full((scenarios, *SHAPE), 3.0), 1.0, 0.0),
                              np.ones(SHAPE, bool), CELL_SIZE_M, mode)


def fire_at(row, col, duration=np.inf, scenario=0) -> Fires:
    return Fires(np.array([row * SHAPE[1] + col]), np.array([scenario]),
                 np.array([float(duration)]), np.zeros(1, np.uint64))


@pytest.mark.parametrize(("mode", "diagonal"), [("front", 2**0.5), ("graph", 2**0.5)])
def test_a_cell_takes_as_long_as_its_distance(mode: str, diagonal: float) -> None:
    made = burn_on_device(round_fires(mode), fire_at(4, 7), np.ones(SHAPE, np.float32))
    arrival = made.arrival_time_min[0]
    np.testing.assert_allclose(arrival[4], 10.0 * abs(np.arange(15) - 7), rtol=1e-6)
    np.testing.assert_allclose(arrival[0, 3], 40.0 * diagonal, rtol=1e-6)


def test_a_fire_of_no_duration_burns_its_ignition_alone() -> None:
    value = np.arange(135, dtype=np.float32).reshape(SHAPE)
    made = burn_on_device(round_fires(), fire_at(4, 7, 0.0), value, downstream=True)
    assert made.loss.tolist() == [67.0]
    assert made.burn_probability.sum() == made.burn_probability[0, 4, 7] == 1.0
    assert made.downstream_value.sum() == 67.0


def test_nothing_passes_a_wall_and_a_narrow_wall_burns_its_share() -> None:
    wall = np.zeros(SHAPE, bool)
    wall[:, 10] = True
    value, field = np.full(SHAPE, 2.0, np.float32), round_fires()
    hard = burn_on_device(field, fire_at(4, 7), value, wall, arrival=False)
    assert hard.arrival_time_min is None
    assert hard.downstream_value is None
    assert hard.loss.tolist() == [2.0 * 9 * 10]
    narrow = field._replace(breaks=BreakRules(lost=0.25))
    assert burn_on_device(narrow, fire_at(4, 7), value, wall).loss.tolist() == [180.0 + 0.5 * 9]


def test_a_fire_in_a_break_burns_that_break_alone() -> None:
    wall = np.zeros(SHAPE, bool)
    wall[:, 10] = True
    fires = Fires(np.array([4 * 15 + 10, 4 * 15 + 7]), np.zeros(2, int), np.full(2, np.inf),
                  np.zeros(2, np.uint64))
    made = burn_on_device(round_fires(), fires, np.ones(SHAPE, np.float32), wall)
    assert made.loss.tolist() == [9 * 14 + 1, 9 * 10]


def test_fields_on_a_device_burn_again_with_other_breaks() -> None:
    field = round_fires()
    on, value = to_device(field), np.ones(SHAPE, np.float32)
    rng = np.random.default_rng(0)
    for _ in range(3):
        breaks = rng.random(SHAPE) < 0.3
        np.testing.assert_array_equal(
            burn_on_device(on, fire_at(4, 7), value, breaks).arrival_time_min,
            burn_on_device(field, fire_at(4, 7), value, breaks).arrival_time_min)


def test_float32_keeps_its_promise_under_strong_wind_on_even_ground() -> None:
    shape = (60, 60)
    even = ellipse_like(np.full((3, *shape), 10.0), 5.0, np.array([17.0, 45.0, 90.0])[:, None,
                                                                                      None])
    field = field_from_ellipse(even, np.ones(shape, bool), CELL_SIZE_M)
    fires = Fires(np.full(3, 30 * 60 + 30), np.arange(3), np.full(3, np.inf),
                  np.zeros(3, np.uint64))
    single, double = (burn_on_device(field, fires, np.ones(shape, np.float32), arithmetic=kind)
                      for kind in ("float32", "float64"))
    np.testing.assert_allclose(single.arrival_time_min, double.arrival_time_min, rtol=1e-5)


def test_square_roots_are_the_nearest_numbers() -> None:
    numbers = torch.rand(10_000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    np.testing.assert_array_equal(root(numbers), np.sqrt(numbers.numpy()))
    assert root(-numbers[:1]).isnan()


def test_listed_bits_are_the_set_ones_lowest_first() -> None:
    words = torch.tensor([0, 0b1011, 1 << 55, 1])
    assert listed_bits(words, 56).tolist() == [[56, 56, 56], [0, 1, 3], [55, 56, 56], [0, 56, 56]]
    assert listed_bits(torch.zeros(2, dtype=torch.int64), 56).shape == (2, 0)


def test_the_fire_layer_loads_torch_only_to_burn_on_a_device() -> None:
    code = ("import firebreak.fire.torch_engine, firebreak.fire.torch_metric, sys; "
            "assert 'torch' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)


def embers() -> TravelField:
    layer = np.zeros((1, *SHAPE))
    spots = SpotField(*[layer] * 4, *[np.zeros(1)] * 4, 0.0)
    return round_fires()._replace(spots=spots_on(spots, CELL_SIZE_M))


def burning_breaks() -> TravelField:
    field = round_fires()
    return field._replace(breaks=BreakRules(treated=treated_part(field, round_fires())))


ONES, NONE = np.ones(SHAPE, np.float32), np.zeros(SHAPE, bool)


@pytest.mark.parametrize(("call", "said"), [
    (lambda: burn_on_device([], [], ONES), "at least 1 travel field"),
    (lambda: burn_on_device([round_fires(), random_case(np.random.default_rng(0), 3, 3).field()],
                            [fire_at(0, 0)] * 2, ONES), "landscapes of one shape"),
    (lambda: burn_on_device(embers(), fire_at(0, 0), ONES), "no embers"),
    (lambda: burn_on_device(in_streams(round_fires(scenarios=2), 2, 60.0), fire_at(0, 0), ONES),
     "steady weather"),
    (lambda: burn_on_device(round_fires(), [fire_at(0, 0)] * 2, ONES), "1 sets of fires"),
    (lambda: burn_on_device(round_fires(), fire_at(9, 0), ONES), "ignitions in burnable cells"),
    (lambda: burn_on_device(round_fires(), fire_at(0, 0).part(slice(0)), ONES),
     "at least 1 fire, got none"),
    (lambda: burn_on_device(round_fires(), fire_at(0, 0, scenario=1), ONES), "scenarios 0 to 0"),
    (lambda: burn_on_device(round_fires(), fire_at(0, 0, np.nan), ONES), "durations of 0"),
    (lambda: burn_on_device(round_fires(), fire_at(0, 0), ONES[1:]), "values"),
    (lambda: burn_on_device(round_fires(), fire_at(0, 0), ONES, NONE[1:]), "breaks"),
    (lambda: burn_on_device(burning_breaks(), fire_at(0, 0), ONES, NONE[1:]), "breaks"),
    (lambda: burn_on_device(burning_breaks(), fire_at(0, 0), ONES, NONE[None], breaks_of="fire"),
     "breaks of landscapes"),
    (lambda: burn_on_device(to_device(burning_breaks()), fire_at(0, 0), ONES, NONE),
     "travel fields where breaks burn"),
    (lambda: fields_from_ellipses(ellipse_like(np.ones((1, 3, 3)), 1.0, 0.0), np.ones((1, 3, 3)),
                                  30.0), "ellipses"),
    (lambda: fields_from_ellipses(Ellipse(*-np.ones((4, 1, 1, 3, 3))), np.ones((1, 3, 3)), 30.0),
     "non-negative rates"),
    (lambda: to_device(round_fires(), "tpu"), "'cpu', 'cuda' or 'cuda:N'"),
    (lambda: to_device(round_fires(), "cuda:x"), "'cpu', 'cuda' or 'cuda:N'"),
    (lambda: to_device(round_fires(), ""), "'cpu', 'cuda' or 'cuda:N'"),
    (lambda: to_device(round_fires(), "cpu:1"), "one processor"),
    (lambda: to_device(round_fires(), "cuda:99"), "a CUDA device that torch can use"),
])
def test_bad_input_is_one_sentence(call, said: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_cpu_may_be_numbered() -> None:
    assert device_of("cpu") == torch.device("cpu")
    assert device_of("cpu:0").type == "cpu"
