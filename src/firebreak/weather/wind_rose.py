"""Constant scenarios of a wind rose: directions, speeds and how often they come together."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail, unknown_name
from firebreak.units import M_MIN_PER_KM_H, M_MIN_PER_MPH, WIND_10M_PER_20FT
from firebreak.weather.moisture import Moistures, herb_moisture_of_curing, moisture_scenario
from firebreak.weather.scenarios import WeatherScenarios, check_weather_ranges, make_scenarios

Floats = NDArray[np.float64]

_SPEEDS = {"wind_20ft_m_min": 1.0, "wind_20ft_mph": M_MIN_PER_MPH,
                "wind_10m_km_h": M_MIN_PER_KM_H / WIND_10M_PER_20FT}
_NUMBERS = ("foliar_moisture", "fine_fuel_moisture_code", "buildup_index")
_KEYS = ("wind_from_deg", *_SPEEDS, "frequency", "moisture", *Moistures._fields,
              "curing", *_NUMBERS)


def rose_of(table: Mapping[str, Any], where: str = "wind rose") -> WeatherScenarios:
    """Constant scenarios of a wind rose: one per direction, speed and moisture scenario.

    Keys of `table`:

    - `wind_from_deg`: D directions.
    - one of `wind_20ft_m_min`, `wind_20ft_mph`, `wind_10m_km_h`: V speeds.
    - `frequency`: D rows of V numbers of 0 or more; D numbers if V is 1; equal if not given.
      Scaled to sum to 1, they are the weights.
    - `moisture`: a scenario "D1L1" to "D4L4", or a table of such names and their weights; or the
      five moistures by name (fractions) instead.
    - `curing` (fraction of the herbs, in place of their moisture), `foliar_moisture`,
      `fine_fuel_moisture_code`, `buildup_index`: optional, one number each.

    Args:
        table: as above.
        where: the file, for messages.

    Raises:
        InputError: a key is unknown or missing, shapes differ, or a number is out of range.
    """
    unknown = [key for key in table if key not in _KEYS]
    if unknown:
        raise unknown_name("key", unknown[0], _KEYS, where)
    direction = _numbers(table, "wind_from_deg", where)
    speed = _speeds(table, where)
    frequency = _frequency(table, direction.size, speed.size, where)
    moistures, share = _moistures(table, where)
    weight = frequency[:, :, None] * share
    d, v, m = np.indices(weight.shape).reshape(3, -1)
    weather = {name: values[m] for name, values in moistures.items()}
    if "curing" in table:
        weather["live_moisture_herb"] = herb_moisture_of_curing(_curing(table, where))
    weather |= {key: _number(table, key, where) for key in _NUMBERS if key in table}
    weather |= {"wind_20ft_m_min": speed[v], "wind_from_deg": direction[d]}
    check_weather_ranges(weather, where=where)
    kept = weight.ravel() > 0.0
    every = make_scenarios(weight=weight.ravel(), **weather)
    return WeatherScenarios(*(values[kept] for values in every))


EVENT_WINDS_KM_H, EVENT_SHARES = (32.0, 56.0, 80.0), (1.0, 2.0, 1.0)
EVENT_TURNS_DEG = (-22.5, 0.0, 22.5)


def wind_event(wind_from_deg: float) -> WeatherScenarios:
    """The days of wind and dry fuel in which most is lost: an assumption, for want of weather.

    Winds at 20 ft of three speeds, from about the main direction, over dead fuel that is very dry
    and live fuel that is fully or two-thirds cured (Scott & Burgan 2005).
    """
    return rose_of({
        "wind_from_deg": [(wind_from_deg + turn) % 360.0 for turn in EVENT_TURNS_DEG],
        "wind_20ft_m_min": [speed * M_MIN_PER_KM_H for speed in EVENT_WINDS_KM_H],
        "frequency": [list(EVENT_SHARES)] * len(EVENT_TURNS_DEG),
        "moisture": {"D1L1": 1.0, "D1L2": 1.0}}, "wind event")


def _numbers(table: Mapping[str, Any], key: str, where: str, axes: int = 1) -> Floats:
    """A number or a list of numbers; with 2 axes a list of lists too."""
    if key not in table:
        raise fail(expected=f"a key '{key}'", given=f"{', '.join(table) or 'none'}", where=where,
                   remedy="add this key")
    try:
        values = np.atleast_1d(np.asarray(table[key]))
    except ValueError:  # lists of several lengths
        values = np.empty(0)
    is_real = values.size > 0 and values.dtype.kind in "iuf"
    if not is_real or values.ndim > axes or not np.isfinite(values).all():
        raise fail(expected=f"numbers for {key}", given=f"{table[key]!r}", where=where,
                   remedy="write a list of numbers")
    return values.astype(np.float64)


def _number(table: Mapping[str, Any], key: str, where: str) -> Floats:
    """One number, [1]."""
    values = _numbers(table, key, where)
    if values.size > 1:
        raise fail(expected=f"one number for {key}", given=f"{table[key]!r}", where=where,
                   remedy="write one; only the moisture may be a table of scenarios and weights")
    return values


def _curing(table: Mapping[str, Any], where: str) -> Floats:
    curing = _number(table, "curing", where)
    if not ((curing >= 0.0) & (curing <= 1.0)).all():
        raise fail(expected="curing as a fraction from 0 to 1", given=f"{curing.max():g}",
                   where=where, remedy="write 80 % as 0.8")
    return curing


def _speeds(table: Mapping[str, Any], where: str) -> Floats:
    named = [key for key in _SPEEDS if key in table]
    if len(named) != 1:
        raise fail(expected=f"one of {', '.join(_SPEEDS)}",
                   given=" and ".join(named) or "none", where=where,
                   remedy="give the speeds in one unit")
    return _numbers(table, named[0], where) * _SPEEDS[named[0]]


def _frequency(table: Mapping[str, Any], directions: int, speeds: int, where: str) -> Floats:
    """[D, V], summing to 1."""
    if "frequency" not in table:
        return np.full((directions, speeds), 1.0 / (directions * speeds))
    found = _numbers(table, "frequency", where, axes=2)
    if found.ndim == 1 and speeds == 1:
        found = found[:, None]
    if found.shape != (directions, speeds):
        raise fail(expected=f"{directions} rows of {speeds} numbers, one row per direction",
                   given=f"an array of shape {found.shape}", where=f"{where}, frequency",
                   remedy="write one number per direction and speed")
    return _shares(found, "frequencies", f"{where}, frequency")


def _shares(values: Floats, words: str, where: str) -> Floats:
    """Numbers of 0 or more, scaled to sum to 1."""
    if not (values >= 0.0).all() or values.sum() <= 0.0:
        raise fail(expected=f"{words} of 0 or more, not all 0", given=f"{values.min():g}",
                   where=where, remedy="correct the numbers")
    return values / values.sum()


def _moistures(table: Mapping[str, Any], where: str) -> tuple[dict[str, Floats], Floats]:
    """Five moistures by name, [M] each, and their shares [M]."""
    named = [key for key in Moistures._fields if key in table]
    if "moisture" in table and not named:
        weights = table["moisture"]
        if isinstance(weights, str):
            weights = {weights: 1.0}
        if not isinstance(weights, Mapping):
            raise fail(expected="moisture as the name of a scenario, or a table of names and "
                       "weights", given=f"{weights!r}", where=where,
                       remedy='write for example moisture = "D2L2"')
        columns = np.array([moisture_scenario(name, where) for name in weights])
        share = _numbers({"moisture": list(weights.values())}, "moisture", where)
        share = _shares(share, "weights", f"{where}, moisture")
        return dict(zip(Moistures._fields, columns.T, strict=True)), share
    if "moisture" in table or len(named) != len(Moistures._fields):
        raise fail(expected="either 'moisture' or all of " + ", ".join(Moistures._fields),
                   given=", ".join([*named, *(["moisture"] if "moisture" in table else [])])
                   or "none", where=where, remedy='write for example moisture = "D2L2"')
    return {key: _number(table, key, where) for key in named}, np.ones(1)
