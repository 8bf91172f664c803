"""Fuel moisture from weather. Moistures are fractions of oven-dry weight, humidities fractions.

Dead fuel exchanges water with the air until it holds its equilibrium moisture (Simard 1968), as in
the National Fire Danger Rating System (Cohen & Deeming 1985, PSW-82). How fast is its time lag: a
fuel of time lag L hours has gone 63 % of the way after L hours of constant weather (Byram 1963;
Fosberg 1970). Live fuel is of a class, or follows the curing of the herbs (Scott & Burgan 2005,
RMRS-GTR-153).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import unknown_name
from firebreak.weather.fwi import fine_fuel_moisture

Floats = NDArray[np.float64]

TIME_LAGS_H = (1.0, 10.0, 100.0)

WETTING_RAIN_MM = 0.25
"""Rain of an hour from which it counts as an hour of rain: 0.01 inch, the least that gauges of the
rating system report."""
LEAST_MOISTURE = 0.01
"""The least that published tables of fine dead moisture have (Rothermel 1983, INT-143)."""

_FINE_WET = 0.35  # 1-hour and 10-hour fuels while it rains (PSW-82)
_COARSE_WET = 0.41  # 100-hour fuels: 41 % and half a percent per hour of rain (PSW-82)
_COARSE_WET_PER_HOUR = 0.005
_RAIN_HOURS = 24
_START_HOURS = 24.0

# Cloud cover up to which, degrees F added to the air and factor of its humidity (PSW-82).
_SUNSHINE = ((0.1, 25.0, 0.75), (0.5, 19.0, 0.83), (0.9, 12.0, 0.92), (np.inf, 5.0, 1.0))


class Moistures(NamedTuple):
    """Fuel moistures, fractions: numbers, or arrays [N] of any one length."""

    dead_moisture_1h: Floats
    dead_moisture_10h: Floats
    dead_moisture_100h: Floats
    live_moisture_herb: Floats
    live_moisture_woody: Floats


DEAD_CLASSES: dict[str, tuple[float, float, float]] = {
    "D1": (0.03, 0.04, 0.05), "D2": (0.06, 0.07, 0.08),
    "D3": (0.09, 0.10, 0.11), "D4": (0.12, 0.13, 0.14),
}
"""1-h, 10-h and 100-h moistures: very low, low, moderate, high (Scott & Burgan 2005)."""

LIVE_CLASSES: dict[str, tuple[float, float]] = {
    "L1": (0.30, 0.60), "L2": (0.60, 0.90), "L3": (0.90, 1.20), "L4": (1.20, 1.50),
}
"""Herb and woody moistures: fully cured, two-thirds cured, one-third cured, green (the same)."""


def moisture_scenario(name: str, where: str = "moisture scenario") -> Moistures:
    """The five moistures of a scenario "D1L1" to "D4L4" (Scott & Burgan 2005).

    Raises:
        InputError: there is no such scenario.
    """
    known = [dead + live for dead in DEAD_CLASSES for live in LIVE_CLASSES]
    if name not in known:
        raise unknown_name("moisture scenario", name, known, where)
    values = (*DEAD_CLASSES[name[:2]], *LIVE_CLASSES[name[2:]])
    return Moistures(*map(np.asarray, values))


def herb_moisture_of_curing(curing: ArrayLike) -> Floats:
    """Herb moisture at which this fraction of the herbs has cured, 0.3 (all) to 1.2 (none).

    The inverse of `rothermel.cured_fraction`, in the exact numbers of Scott & Burgan 2005.
    """
    return 1.2 - 0.9 * np.clip(np.asarray(curing, dtype=np.float64), 0.0, 1.0)


def equilibrium_moisture(temperature_c: ArrayLike, relative_humidity: ArrayLike) -> Floats:
    """Moisture that wood keeps in air of this temperature and humidity (Simard 1968; PSW-82 eqs.
    1a to 1c).

    Three pieces below 10 %, below 50 % and above, which do not quite meet: above 43 degrees C the
    step at 10 % goes down.
    """
    heat = 1.8 * np.asarray(temperature_c, dtype=np.float64) + 32.0
    humidity = 100.0 * np.asarray(relative_humidity, dtype=np.float64)
    dry = 0.03229 + 0.281073 * humidity - 0.000578 * humidity * heat
    middle = 2.22749 + 0.160107 * humidity - 0.014784 * heat
    wet = 21.0606 + 0.005565 * humidity**2 - 0.00035 * humidity * heat - 0.483199 * humidity
    percent = np.where(humidity < 10.0, dry, np.where(humidity < 50.0, middle, wet))
    return np.asarray(np.maximum(percent, 0.0) / 100.0)


def air_at_sunlit_fuel(temperature_c: ArrayLike, relative_humidity: ArrayLike,
                       cloud_cover: ArrayLike) -> tuple[Floats, Floats]:
    """(degrees C, fraction) of the air that touches fuel in the open by day (PSW-82).

    Sunshine warms and dries it, the less the more clouds there are (fraction).
    """
    cloud = np.asarray(cloud_cover, dtype=np.float64)
    # The slack keeps a cover that was written in percent on its own side of a limit.
    kind = np.searchsorted([limit for limit, _, _ in _SUNSHINE[:-1]], cloud - 1e-9)
    warmer = np.array([degrees for _, degrees, _ in _SUNSHINE])[kind] / 1.8
    factor = np.array([factor for _, _, factor in _SUNSHINE])[kind]
    return np.asarray(temperature_c) + warmer, np.asarray(relative_humidity) * factor


def boundary_moistures(equilibrium: Floats, rain_mm: Floats | None) -> Floats:
    """The moistures that fuels of the three time lags tend to, by the hour, [N, 3]; at least 1 %.

    Without rain the equilibrium moisture [N]. In an hour of rain (0.25 mm or more) at least 35 %
    for 1-h and 10-h fuels, and 41 % and half a percent per hour of the shower so far, up to 24, for
    100-h fuels (PSW-82).
    """
    boundary = np.repeat(np.maximum(equilibrium, LEAST_MOISTURE)[:, None], 3, axis=1)
    if rain_mm is None:
        return boundary
    wet = rain_mm >= WETTING_RAIN_MM
    row = np.arange(1, wet.size + 1)
    shower = np.minimum(row - np.maximum.accumulate(np.where(wet, 0, row)), _RAIN_HOURS)
    soaked = np.stack([np.full(wet.size, _FINE_WET), np.full(wet.size, _FINE_WET),
                       _COARSE_WET + _COARSE_WET_PER_HOUR * shower], axis=1)
    return np.where(wet[:, None], np.maximum(boundary, soaked), boundary)


def conditioned(boundary: Floats, minutes: Floats, start: Floats | None = None) -> Floats:
    """Moistures [N, 3] of fuels of 1, 10 and 100 h time lag that follow a boundary [N, 3].

    m(k) = b(k) + (m(k-1) - b(k)) exp(-dt / L), the exact solution of Byram's time-lag equation for
    a boundary that is constant from row to row. So a moisture never passes what it tends to.

    Args:
        boundary: see `boundary_moistures`; row k holds for the time since row k-1.
        minutes: of the rows, rising.
        start: [3], moistures at the first row; if not given, the 1-h fuel has its boundary's and
            the others the boundary's mean over the first 24 hours.
    """
    if start is None:
        first = boundary[minutes - minutes[0] < 60.0 * _START_HOURS].mean(axis=0)
        start = np.array([boundary[0, 0], *first[1:]])
    keep = np.exp(-np.diff(minutes)[:, None] / (60.0 * np.array(TIME_LAGS_H)))
    moistures = np.empty_like(boundary)
    moistures[0] = start
    for row, kept in enumerate(keep, start=1):
        moistures[row] = boundary[row] + (moistures[row - 1] - boundary[row]) * kept
    return moistures


def dead_moistures_of_ffmc(ffmc: Floats) -> Floats:
    """Moistures [N, 3] of dead fuels at Fine Fuel Moisture Codes [N], at least 1 %.

    The 1-h fuel has the code's own moisture (Van Wagner 1987, eq. 1); 10-h and 100-h fuels have 1
    and 2 percentage points more, as in every scenario of Scott & Burgan 2005.
    """
    fine = np.maximum(fine_fuel_moisture(ffmc) / 100.0, LEAST_MOISTURE)
    return np.minimum(np.stack([fine, fine + 0.01, fine + 0.02], axis=1), 1.0)
