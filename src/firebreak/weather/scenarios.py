"""Fire weather: the scenarios that fires burn under, of a climate or of a wind rose.

A scenario is one constant state of wind and fuel moisture. Winds are those at 20 ft above the
vegetation, in m/min, named by the direction they blow from, clockwise from north. Moistures are
fractions of oven-dry weight, so 6 % is 0.06.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail, unknown_name
from firebreak.units import M_MIN_PER_KM_H, M_MIN_PER_MPH, WIND_10M_PER_20FT
from firebreak.weather.fwi import ffmc_of_moisture
from firebreak.weather.moisture import Moistures, herb_moisture_of_curing, moisture_scenario

Floats = NDArray[np.float64]

DEFAULT_FOLIAR_MOISTURE = 1.0
DEFAULT_BUILDUP_INDEX = 80.0

DEAD_MOISTURES = ("dead_moisture_1h", "dead_moisture_10h", "dead_moisture_100h")
LIVE_MOISTURES = ("live_moisture_herb", "live_moisture_woody")
_MAX_WIND_M_MIN = 6000.0
# By column: lowest, highest, remedy.
_RANGES: dict[str, tuple[float, float, str]] = {
    **dict.fromkeys(DEAD_MOISTURES, (1e-3, 1.0, "write 6 % as 0.06")),
    **dict.fromkeys((*LIVE_MOISTURES, "foliar_moisture"), (1e-3, 5.0, "write 60 % as 0.6")),
    **dict.fromkeys(("wind_20ft_m_min", "midflame_wind_m_min"), (
        0.0, _MAX_WIND_M_MIN, "convert the wind to metres per minute (1 km/h is 16.7)")),
    "wind_from_deg": (-360.0, 360.0, "pass degrees clockwise from north"),
    "fine_fuel_moisture_code": (0.0, 101.0, "pass a code of the Canadian system"),
    "buildup_index": (0.0, 1000.0, "pass an index of the Canadian system"),
    "weight": (0.0, np.inf, "pass weights of 0 or more")}
_WHERE = "weather scenarios"

_SPEEDS = {"wind_20ft_m_min": 1.0, "wind_20ft_mph": M_MIN_PER_MPH,
           "wind_10m_km_h": M_MIN_PER_KM_H / WIND_10M_PER_20FT}
_NUMBERS = ("foliar_moisture", "fine_fuel_moisture_code", "buildup_index")
_KEYS = ("wind_from_deg", *_SPEEDS, "frequency", "moisture", *Moistures._fields, "curing",
         *_NUMBERS)

EVENT_WINDS_KM_H, EVENT_SHARES = (32.0, 56.0, 80.0), (1.0, 2.0, 1.0)
EVENT_TURNS_DEG = (-22.5, 0.0, 22.5)


class WeatherScenarios(NamedTuple):
    """Weather of S scenarios; all arrays float64 [S]. Build it with `make_scenarios`.

    Attributes:
        wind_20ft_m_min: wind speed 20 ft above the vegetation, m/min.
        wind_from_deg: where the wind blows from, clockwise from north, [0, 360).
        dead_moisture_1h, dead_moisture_10h, dead_moisture_100h, live_moisture_herb,
            live_moisture_woody: fractions.
        weight: probability of the scenario; they sum to 1.
        foliar_moisture: of the crowns' needles, fraction.
        fine_fuel_moisture_code: FFMC of the Canadian system, 0-101.
        buildup_index: BUI of the Canadian system.
    """

    wind_20ft_m_min: Floats
    wind_from_deg: Floats
    dead_moisture_1h: Floats
    dead_moisture_10h: Floats
    dead_moisture_100h: Floats
    live_moisture_herb: Floats
    live_moisture_woody: Floats
    weight: Floats
    foliar_moisture: Floats
    fine_fuel_moisture_code: Floats
    buildup_index: Floats


def make_scenarios(*, wind_20ft_m_min: ArrayLike, wind_from_deg: ArrayLike,
                   dead_moisture_1h: ArrayLike, dead_moisture_10h: ArrayLike,
                   dead_moisture_100h: ArrayLike, live_moisture_herb: ArrayLike,
                   live_moisture_woody: ArrayLike,
                   weight: ArrayLike = 1.0,
                   foliar_moisture: ArrayLike = DEFAULT_FOLIAR_MOISTURE,
                   fine_fuel_moisture_code: ArrayLike | None = None,
                   buildup_index: ArrayLike = DEFAULT_BUILDUP_INDEX) -> WeatherScenarios:
    """Checked scenarios from numbers or [S] arrays, broadcast; see `WeatherScenarios` for units.

    Directions are brought to [0, 360) and weights are scaled to sum to 1. A fine fuel moisture code
    that is not given is that of the 1-hour moisture (the two are one number on two scales).

    Raises:
        InputError: if a number is not finite or lies outside its range.
    """
    if fine_fuel_moisture_code is None:
        fine_fuel_moisture_code = np.clip(ffmc_of_moisture(np.multiply(dead_moisture_1h, 100.0)),
                                          0.0, 101.0)
    weather = {"wind_20ft_m_min": wind_20ft_m_min, "wind_from_deg": wind_from_deg,
               "dead_moisture_1h": dead_moisture_1h, "dead_moisture_10h": dead_moisture_10h,
               "dead_moisture_100h": dead_moisture_100h, "live_moisture_herb": live_moisture_herb,
               "live_moisture_woody": live_moisture_woody, "weight": weight,
               "foliar_moisture": foliar_moisture,
               "fine_fuel_moisture_code": fine_fuel_moisture_code, "buildup_index": buildup_index}
    shaped = np.broadcast_arrays(*(np.atleast_1d(np.asarray(values, dtype=np.float64))
                                   for values in weather.values()))
    columns = {name: np.array(array) for name, array in zip(weather, shaped, strict=True)}
    check_weather_ranges(columns, where=_WHERE)
    total = columns["weight"].sum()
    if not total > 0.0:
        raise fail(expected="weights that sum to more than 0", given=f"{total:g}", where=_WHERE,
                   remedy="give at least one scenario a weight")
    columns["weight"] = columns["weight"] / total
    columns["wind_from_deg"] = columns["wind_from_deg"] % 360.0
    return WeatherScenarios(**columns)


def check_weather_ranges(columns: dict[str, Floats], *, where: str) -> None:
    """Check columns by name; those of other names are not looked at.

    Raises:
        InputError: naming the column, its range and `where`.
    """
    for name, values in columns.items():
        if name in _RANGES:
            low, high, remedy = _RANGES[name]
            # Written so that nan fails too; infinity is refused even where there is no upper limit.
            good = (values >= low) & (values <= high) & np.isfinite(values)
            if not good.all():
                first = int(np.argmin(good))
                raise fail(expected=f"{name} in [{low:g}, {high:g}]",
                           given=f"{values[first]:g} at index {first}", where=where, remedy=remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindClimate:
    """A fire season to draw scenarios from, within the bounds of the settings. The default is
    moderate to severe fire weather.

    Attributes:
        dominant_from_deg: where most winds blow from, or None to draw it once per set.
        direction_spread_deg: standard deviation of the wrapped normal around it, degrees.
        wind_20ft_mean_m_min: mean of the lognormal wind speed, m/min.
        wind_20ft_spread_m_min: its standard deviation, m/min; no draw is above 6,000 m/min.
        dead_moisture_1h: (lowest, highest), fraction, drawn uniformly.
        dead_moisture_10h_above_1h, dead_moisture_100h_above_1h: added to the 1-hour moisture,
            fraction.
        live_moisture_herb, live_moisture_woody: (lowest, highest), fraction, drawn uniformly.
    """

    dominant_from_deg: float | None = None
    direction_spread_deg: float = 25.0
    wind_20ft_mean_m_min: float = 270.0
    wind_20ft_spread_m_min: float = 120.0
    dead_moisture_1h: tuple[float, float] = (0.03, 0.10)
    dead_moisture_10h_above_1h: float = 0.01
    dead_moisture_100h_above_1h: float = 0.02
    live_moisture_herb: tuple[float, float] = (0.3, 1.2)
    live_moisture_woody: tuple[float, float] = (0.6, 1.2)


def draw_scenarios(climate: WindClimate, rng: np.random.Generator, count: int) -> WeatherScenarios:
    """`count` scenarios of equal weight from `climate`.

    A larger set of the same stream begins with the smaller one, and a change of one setting
    moves no draw of another.

    Raises:
        InputError: if the climate leads outside the ranges of weather.
    """
    # Drawn even where it is given, so that setting it moves no other draw.
    drawn_dominant = rng.uniform(0.0, 360.0)
    dominant = drawn_dominant if climate.dominant_from_deg is None else climate.dominant_from_deg
    uniform = rng.random((count, 5)).T
    turn, gust = _two_normals(uniform[0], uniform[1])
    moisture_1h = _between(climate.dead_moisture_1h, uniform[2])
    return make_scenarios(
        wind_20ft_m_min=_lognormal(climate, gust),
        wind_from_deg=(dominant + climate.direction_spread_deg * turn) % 360.0,
        dead_moisture_1h=moisture_1h,
        dead_moisture_10h=moisture_1h + climate.dead_moisture_10h_above_1h,
        dead_moisture_100h=moisture_1h + climate.dead_moisture_100h_above_1h,
        live_moisture_herb=_between(climate.live_moisture_herb, uniform[3]),
        live_moisture_woody=_between(climate.live_moisture_woody, uniform[4]),
    )


def _between(bounds: tuple[float, float], uniform: Floats) -> Floats:
    low, high = bounds
    return low + (high - low) * uniform


def _two_normals(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Two independent standard normals from two uniforms on [0, 1) (Box & Muller 1958).

    Unlike the generator's own normals they take a fixed number of draws each.
    """
    radius = np.sqrt(-2.0 * np.log1p(-first))
    return radius * np.cos(2.0 * np.pi * second), radius * np.sin(2.0 * np.pi * second)


def _lognormal(climate: WindClimate, normal: Floats) -> Floats:
    """Wind speeds, m/min, of the climate's mean and standard deviation from standard normals; those
    beyond what weather may have are the most that it may have.
    """
    variation = climate.wind_20ft_spread_m_min / climate.wind_20ft_mean_m_min
    variance = np.log1p(variation**2)
    speed = climate.wind_20ft_mean_m_min * np.exp(np.sqrt(variance) * normal - 0.5 * variance)
    return np.minimum(speed, _MAX_WIND_M_MIN)


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
    named = [key for key in _SPEEDS if key in table]
    if len(named) != 1:
        raise fail(expected=f"one of {', '.join(_SPEEDS)}", given=" and ".join(named) or "none",
                   where=where, remedy="give the speeds in one unit")
    speed = _numbers(table, named[0], where) * _SPEEDS[named[0]]
    frequency = _frequency(table, direction.size, speed.size, where)
    moistures, share = _moistures(table, where)
    weight = frequency[:, :, None] * share
    d, v, m = np.indices(weight.shape).reshape(3, -1)
    weather = {name: values[m] for name, values in moistures.items()}
    if "curing" in table:
        curing = _number(table, "curing", where)
        if not ((curing >= 0.0) & (curing <= 1.0)).all():
            raise fail(expected="curing as a fraction from 0 to 1", given=f"{curing.max():g}",
                       where=where, remedy="write 80 % as 0.8")
        weather["live_moisture_herb"] = herb_moisture_of_curing(curing)
    weather |= {key: _number(table, key, where) for key in _NUMBERS if key in table}
    weather |= {"wind_20ft_m_min": speed[v], "wind_from_deg": direction[d]}
    check_weather_ranges(weather, where=where)
    kept = weight.ravel() > 0.0
    every = make_scenarios(weight=weight.ravel(), **weather)
    return WeatherScenarios(*(values[kept] for values in every))


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
