"""Arrival along one arc through weather that changes on the way."""

import numpy as np

from firebreak.fire.travel.arcs import Arcs
from native_probes import probe_arrivals

WIDTH, CHILD = 3, 4


def arcs_of_minutes(minutes: list[float], step_min: float) -> Arcs:
    """An arc that takes so many minutes in each step of weather."""
    rows = len(minutes)
    unit_time = np.repeat(np.array(minutes, np.float32)[:, None], 9 * 8, axis=1)
    return Arcs(np.zeros((rows, 9, 5), np.float32), unit_time.reshape(rows, 9, 8),
                np.zeros((rows, 9), np.uint64), np.zeros((rows, 9), np.uint32),
                np.zeros((rows, 9), np.uint32), np.zeros((0, 0, 3), np.float32), rows, step_min)


def arrival(minutes: list[float], step_min: float, start: float = 0.0) -> float:
    out = np.empty(1)
    probe_arrivals(arcs_of_minutes(minutes, step_min), np.full(32, 1), np.array([start]),
                   np.array([CHILD]), np.zeros(1, np.int64), np.zeros(1), out)
    return float(out[0])


def test_the_share_that_is_left_goes_on_at_the_next_speed() -> None:
    assert arrival([40.0, 10.0], 60.0) == 40.0
    assert arrival([120.0, 40.0], 60.0) == 60.0 + 0.5 * 40.0
    assert arrival([120.0, 40.0], 60.0, start=30.0) == 60.0 + 0.75 * 40.0
    assert arrival([np.inf, 40.0], 60.0) == 60.0 + 40.0
    assert arrival([120.0, np.inf], 60.0) == np.inf


def share_lost_by_rounding() -> tuple[float, float, float]:
    """A step and minutes of an arc in two steps of which the second ends it, but for a rounding:
    its arrival is later than the step, and nothing is left.
    """
    rng = np.random.default_rng(0)
    while True:
        first, second = (float(np.float32(minutes)) for minutes in rng.uniform(80.0, 300.0, 2))
        # As much as is left after the first step ends with the second.
        for step in first * second / (first + second) * (1.0 + 2.0**-52 * np.arange(-4, 5)):
            left = 1.0 - step / first
            if step + left * second > 2.0 * step and left - step / second <= 0.0:
                return float(step), first, second


def test_an_arc_that_ends_with_its_weather_does_not_look_further() -> None:
    step, first, second = share_lost_by_rounding()
    assert arrival([first, second, np.inf, np.inf], step) == 2.0 * step
