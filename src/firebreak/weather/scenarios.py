"""Fire weather: the scenarios that fires burn under, and a climate to draw them from.

A scenario is one constant state of wind and fuel moisture. Winds are those at 20 ft above the
vegetation, in m/min, named by the direction they blow from, clockwise from north. Moistures are
fractions of oven-dry weight, so 6 % is 0.06.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail
from firebreak.weather.fwi import ffmc_of_moisture

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
