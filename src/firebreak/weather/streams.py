"""Weather that changes while a fire burns: S streams of K steps of equal length.

A stream begins when its fire starts. After its last step the last weather holds. Constant weather
is a stream of one step.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.weather.scenarios import WeatherScenarios


class WeatherStreams(NamedTuple):
    """S streams of K steps.

    Attributes:
        steps: weather of all steps, [S * K], one stream after the other; their weights are not
            used.
        steps_per_stream: K.
        step_min: length of a step, minutes; inf where K is 1.
        weight: [S], probability of each stream; they sum to 1.
    """

    steps: WeatherScenarios
    steps_per_stream: int
    step_min: float
    weight: NDArray[np.float64]


def constant(scenarios: WeatherScenarios) -> WeatherStreams:
    """Streams of one step each."""
    return WeatherStreams(scenarios, 1, float("inf"), scenarios.weight)


def make_streams(steps: WeatherScenarios, steps_per_stream: int, step_min: float,
                 weight: NDArray[np.float64] | None = None) -> WeatherStreams:
    """Checked streams; weights are scaled to sum to 1, equal if not given.

    Raises:
        InputError: the steps do not fill whole streams, or a length or weight is invalid.
    """
    total = steps.wind_from_deg.size
    if steps_per_stream < 1 or total % steps_per_stream or not step_min > 0.0:
        raise fail(expected="whole streams of steps longer than 0 minutes",
                   given=f"{total} steps, {steps_per_stream} a stream, {step_min:g} min each",
                   where="weather streams", remedy="cut the weather into streams of equal length")
    count = total // steps_per_stream
    share = np.full(count, 1.0) if weight is None else np.asarray(weight, dtype=np.float64)
    if share.shape != (count,) or not (share >= 0).all() or not 0 < share.sum() < np.inf:
        raise fail(expected=f"{count} weights of 0 or more, not all 0", given=f"{share}",
                   where="weather streams", remedy="pass one weight per stream")
    return WeatherStreams(steps, steps_per_stream, step_min if steps_per_stream > 1
                          else float("inf"), share / share.sum())


def gather_streams(rows: WeatherScenarios, index: NDArray[np.intp], step_min: float,
                   weight: NDArray[np.float64] | None = None) -> WeatherStreams:
    """Streams cut out of rows of weather: stream s has row `index[s, k]` at its step k.

    Args:
        rows: weather, [N]; its weights are not used.
        index: [S, K], positions in `rows`.
        step_min: length of a step, minutes.
        weight: [S]; equal if not given.

    Raises:
        InputError: as in `make_streams`.
    """
    taken = WeatherScenarios(*(values[index.ravel()] for values in rows))
    return make_streams(taken, index.shape[1], step_min, weight)


def join_rows(parts: Sequence[WeatherScenarios]) -> WeatherScenarios:
    """Rows of weather, one part after the other; their weights are not used."""
    return WeatherScenarios(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
