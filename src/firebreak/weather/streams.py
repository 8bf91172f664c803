"""Weather that changes while a fire burns: S streams of K steps of equal length.

A stream begins when its fire starts. After its last step the last weather holds. Constant weather
is a stream of one step.

Streams are cut out of rows of weather, or drawn from a climate, which says how the weather is in
the afternoon. From there moisture and wind follow the course of the day, and the wind turns once in
each stream. How much they do is an assumption, drawn anew for each set of streams; the course is
that of air temperature (Parton & Logan 1981, Agricultural Meteorology 23:205-216, their values for
150 cm above the ground), which wind and the moisture of fine fuel follow.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.weather.scenarios import (
    DEAD_MOISTURES,
    LIVE_MOISTURES,
    WeatherScenarios,
    WindClimate,
    draw_scenarios,
    make_scenarios,
)

STEPS, STEP_MIN = 12, 120.0
"""Of a drawn stream, a day in all: what burns longer burns on in the weather of the last step, of
the time of day at which it began.
"""

_LAG, _DECAY, _LATE_H = 1.86, 2.20, -0.17  # a, b, c of Parton & Logan: hours, none, hours
_SUNRISE_H, _SUNSET_H = 6.0, 20.0
_IGNITION_H = (10.0, 20.0)  # fires begin by day
_CALM = (0.3, 0.9)  # wind in the coldest hour, as a share of the afternoon's
_NIGHT_RISE = (0.02, 0.10)  # what 1-h moisture gains until then: little or good recovery
_COARSER = (1.0, 0.5, 0.1)  # of it, what 1-h, 10-h and 100-h fuels gain
_TURN_DEG = 45.0  # standard deviation of how far the wind turns
_TURN_H = 4.0  # hours that it takes
_WETTEST = 1.0  # most that dead fuel may hold


class WeatherStreams(NamedTuple):
    """S streams of K steps.

    Attributes:
        steps: weather of all steps, [S * K], one stream after the other; their weights are not
            used.
        steps_per_stream: K.
        step_min: length of a step, minutes; inf where K is 1.
        weight: [S], probability of each stream; they sum to 1.
        later: int64 [S, L], the streams of the later burning periods of a fire whose first one has
            stream s.
    """

    steps: WeatherScenarios
    steps_per_stream: int
    step_min: float
    weight: NDArray[np.float64]
    later: NDArray[np.int64] = np.empty((0, 0), np.int64)


def with_later(streams: WeatherStreams, count: int, rng: np.random.Generator) -> WeatherStreams:
    """Streams with those of `count` later burning periods, drawn anew from the same ones by their
    weights.

    By systematic sampling in an order of chance (Madow 1949): all together draw a stream about as
    often as its weight says.
    """
    weight = streams.weight / streams.weight.sum()
    drawn = np.empty((weight.size, count), np.int64)
    for period in range(count):
        order = rng.permutation(weight.size)
        places = np.cumsum(weight[order]) - weight[order] * rng.random(weight.size) + rng.random()
        last = np.searchsorted(np.cumsum(weight), places % 1.0, "right")
        drawn[order, period] = np.minimum(last, weight.size - 1)
    return streams._replace(later=drawn)


def constant(scenarios: WeatherScenarios) -> WeatherStreams:
    """Streams of one step each."""
    return WeatherStreams(scenarios, 1, float("inf"), scenarios.weight)


def make_streams(steps: WeatherScenarios, steps_per_stream: int, step_min: float) -> WeatherStreams:
    """Streams of equal weight from weather that fills whole ones."""
    count = steps.wind_from_deg.size // steps_per_stream
    return WeatherStreams(steps, steps_per_stream, step_min if steps_per_stream > 1
                          else float("inf"), np.full(count, 1.0) / count)


def gather_streams(rows: WeatherScenarios, index: NDArray[np.intp],
                   step_min: float) -> WeatherStreams:
    """Streams of equal weight cut out of rows of weather: stream s has row `index[s, k]` at its
    step k.

    Args:
        rows: weather, [N]; its weights are not used.
        index: [S, K], positions in `rows`.
        step_min: length of a step, minutes.
    """
    taken = WeatherScenarios(*(values[index.ravel()] for values in rows))
    return make_streams(taken, index.shape[1], step_min)


def join_rows(parts: Sequence[WeatherScenarios]) -> WeatherScenarios:
    """Rows of weather, one part after the other; their weights are not used."""
    return WeatherScenarios(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def warmth(hour: ArrayLike) -> NDArray[np.float64]:
    """Warmth of an hour of the day: 0 as the coldest, 1 as the warmest. hour: [0, 24)."""
    hour = np.asarray(hour, np.float64)
    day, coldest = _SUNSET_H - _SUNRISE_H, _SUNRISE_H + _LATE_H

    def by_day(since: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.sin(np.pi * since / (day + 2.0 * _LAG))

    night = np.exp(-_DECAY * ((hour - _SUNSET_H) % 24.0) / (24.0 - day))
    last = by_day(np.array(_SUNSET_H - coldest))
    return np.where((hour >= coldest) & (hour <= _SUNSET_H), by_day(hour - coldest), last * night)


def draw_streams(climate: WindClimate, rng: np.random.Generator, count: int) -> WeatherStreams:
    """`count` streams of a day and equal weight, whose afternoons are of the climate.

    Raises:
        InputError: as `draw_scenarios`.
    """
    afternoon = draw_scenarios(climate, rng, count)
    calm, rise = rng.uniform(*_CALM), rng.uniform(*_NIGHT_RISE)
    begin = rng.uniform(*_IGNITION_H, count)[:, None]
    hours = STEP_MIN / 60.0 * np.arange(STEPS)[None]
    turn, turns_at = _TURN_DEG * rng.standard_normal(count), rng.uniform(0.0, hours[0, -1], count)
    warm = warmth((begin + hours) % 24.0)
    turned = np.clip((hours - turns_at[:, None]) / _TURN_H, 0.0, 1.0) * turn[:, None]
    return make_streams(_by_step(afternoon, calm + (1.0 - calm) * warm, rise * (1.0 - warm),
                                 turned), STEPS, STEP_MIN)


def _by_step(afternoon: WeatherScenarios, wind: NDArray[np.float64], wetter: NDArray[np.float64],
             turned: NDArray[np.float64]) -> WeatherScenarios:
    """Weather of all steps, one stream after the other, from factors of the wind, what 1-h moisture
    gains and degrees that the wind has turned, [S, K] each.
    """
    def at_steps(name: str) -> NDArray[np.float64]:
        return np.broadcast_to(getattr(afternoon, name)[:, None], wind.shape).ravel()

    moistures = {name: np.minimum(at_steps(name) + share * wetter.ravel(), _WETTEST)
                 for name, share in zip(DEAD_MOISTURES, _COARSER, strict=True)}
    moistures |= {name: at_steps(name) for name in LIVE_MOISTURES}
    return make_scenarios(
        wind_20ft_m_min=at_steps("wind_20ft_m_min") * wind.ravel(), **moistures,
        wind_from_deg=(at_steps("wind_from_deg") + turned.ravel()) % 360.0)
