"""A weather table: the rows of a station, a forecast or a fire's own file, in our units.

Every format becomes one `WeatherTable`; see `read.read_weather`. Winds are those 20 ft
above the vegetation: a wind measured at 10 m is divided by 1.15 (Turner & Lawson 1978, BC-X-177).
"""

from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, fail
from firebreak.units import METRES_PER_FOOT, WIND_10M_PER_20FT

Floats = NDArray[np.float64]
Times = NDArray[np.datetime64]

HEIGHT_20FT_M = 20.0 * METRES_PER_FOOT
HEIGHT_10M = 10.0
_HEIGHT_TOLERANCE_M = 0.15

GAP_FACTOR = 1.5
"""Rows further apart than this many steps of the table do not follow each other."""


class WeatherWarning(UserWarning):
    """A weather file was read, but it has a property that the user should know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeatherTable:
    """N rows of weather; float64 arrays [N], read-only. A column that the file lacks is None.

    Attributes:
        where: the file, for messages.
        one_fire: True where the rows are one fire's weather from its start, else a season to draw
            from.
        minutes: since the first row, rising.
        time: datetime64[m], or None where one fire's file has no usable clock.
        wind_20ft_m_min: wind speed 20 ft above the vegetation, m/min.
        wind_from_deg: where the wind blows from, clockwise from north, [0, 360).
        temperature_c: of the air, degrees C.
        relative_humidity, cloud_cover: fractions.
        rain_mm: since the row before, mm.
        fine_fuel_moisture_code, duff_moisture_code, drought_code, initial_spread_index,
            buildup_index: FFMC, DMC, DC, ISI and BUI.
        dead_moisture_1h and the moistures that follow: fractions.
        fire_scenario: 1 to 4, the moisture scenarios D1L1 to D4L4 of Scott & Burgan 2005.
    """

    where: str
    one_fire: bool
    minutes: Floats
    time: Times | None
    wind_20ft_m_min: Floats
    wind_from_deg: Floats
    temperature_c: Floats | None = None
    relative_humidity: Floats | None = None
    rain_mm: Floats | None = None
    cloud_cover: Floats | None = None
    fine_fuel_moisture_code: Floats | None = None
    duff_moisture_code: Floats | None = None
    drought_code: Floats | None = None
    initial_spread_index: Floats | None = None
    buildup_index: Floats | None = None
    dead_moisture_1h: Floats | None = None
    dead_moisture_10h: Floats | None = None
    dead_moisture_100h: Floats | None = None
    live_moisture_herb: Floats | None = None
    live_moisture_woody: Floats | None = None
    fire_scenario: Floats | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            values = getattr(self, field.name)
            if isinstance(values, np.ndarray):
                values.flags.writeable = False

    @property
    def rows(self) -> int:
        """N."""
        return self.minutes.size


def wind_at_20ft(speed: Floats, height_m: float, where: str) -> Floats:
    """Wind 20 ft above the vegetation from one measured at 20 ft or at 10 m; any unit of speed.

    Raises:
        InputError: the wind was measured at another height.
    """
    if abs(height_m - HEIGHT_20FT_M) <= _HEIGHT_TOLERANCE_M:
        return np.array(speed)
    if abs(height_m - HEIGHT_10M) <= _HEIGHT_TOLERANCE_M:
        return speed / WIND_10M_PER_20FT
    raise fail(expected="a wind measured at 10 m or at 20 ft (6.1 m)", given=f"{height_m:g} m",
               where=where, remedy="convert the speeds to one of the two heights")


def turned(table: WeatherTable) -> WeatherTable:
    """The table with its directions read as where the wind blows TO."""
    return replace(table, wind_from_deg=(table.wind_from_deg + 180.0) % 360.0)


def step_min(table: WeatherTable) -> float:
    """The usual time between two rows, minutes; 60 for a single row."""
    return float(np.median(np.diff(table.minutes))) if table.rows > 1 else 60.0


def gaps(minutes: Floats) -> NDArray[np.intp]:
    """The rows that come too long after the row before."""
    steps = np.diff(minutes)
    return np.flatnonzero(steps > GAP_FACTOR * (np.median(steps) if steps.size else 0.0)) + 1


def runs(table: WeatherTable) -> list[slice]:
    """The stretches of rows that follow each other without a gap."""
    edges = [0, *gaps(table.minutes).tolist(), table.rows]
    return [slice(start, stop) for start, stop in pairwise(edges)]


def take(table: WeatherTable, rows: NDArray[np.intp]) -> WeatherTable:
    """The table of these rows, which must ascend."""
    changed = {field.name: getattr(table, field.name)[rows] for field in fields(table)
               if isinstance(getattr(table, field.name), np.ndarray)}
    changed["minutes"] = changed["minutes"] - changed["minutes"][0]
    return replace(table, **changed)


def hourly(table: WeatherTable) -> WeatherTable:
    """A season with a row more often than hourly, reduced to the last row of each full hour.

    Rain is summed over the rows that are left out. Tables of an hour's step or more stay as they
    are.
    """
    if step_min(table) > 60.0 / GAP_FACTOR:
        return table
    assert table.time is not None  # only one fire's weather has no clock
    began = table.time[0].astype("datetime64[h]")
    offset = float((table.time[0] - began) / np.timedelta64(1, "m"))
    hour = np.ceil((table.minutes + offset) / 60.0).astype(np.intp)
    last = np.flatnonzero(np.diff(hour, append=hour[-1] + 1))
    thinned = take(table, last)
    minutes = 60.0 * (hour[last] - hour[last[0]])
    time = began.astype("datetime64[m]") + 60 * hour[last].astype("timedelta64[m]")
    rain = None if table.rain_mm is None else np.add.reduceat(
        table.rain_mm, np.concatenate(([0], last[:-1] + 1)))
    return replace(thinned, minutes=minutes, time=time, rain_mm=rain)


def missing_weather(table: WeatherTable, expected: str, remedy: str) -> InputError:
    """The error for a table that lacks what it is used for."""
    return fail(expected=expected, given="a table that has none", where=table.where, remedy=remedy)
