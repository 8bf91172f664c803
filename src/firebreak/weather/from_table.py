"""The rows of a weather table as weather that a fire burns under, with moistures worked out."""


import numpy as np
from numpy.typing import NDArray

from firebreak.units import M_MIN_PER_KM_H, WIND_10M_PER_20FT
from firebreak.weather import fwi
from firebreak.weather.formats.table import (
    GAP_FACTOR,
    Floats,
    WeatherTable,
    missing_weather,
    runs,
    step_min,
)
from firebreak.weather.moisture import (
    LIVE_CLASSES,
    air_at_sunlit_fuel,
    boundary_moistures,
    conditioned,
    dead_moistures_of_ffmc,
    equilibrium_moisture,
    moisture_scenario,
)
from firebreak.weather.scenarios import (
    DEAD_MOISTURES,
    DEFAULT_BUILDUP_INDEX,
    LIVE_MOISTURES,
    WeatherScenarios,
    make_scenarios,
)

LATITUDE_DEG = 46.0
"""Latitude of a station that gives none: the one that the Canadian codes were made for."""
LEAST_DAYS = 12
"""Days from which on a BUI is computed: the time lag of its Duff Moisture Code (Van Wagner 1987,
FTR-35). Before that it mostly reflects its start values, those of a wet spring."""

_SUNNY = (8, 18)
_NOON_MIN = 720.0
_NEAR_NOON_MIN = 90.0
# What the codes take at most; they are saturated long before.
_MOST_BUILDUP = 1000.0
_MOST_RAIN_MM = 600.0
_MOST_WIND_KM_H = 300.0


def rows_of(table: WeatherTable, *, sunlit: bool = False, moisture: str | None = None,
            latitude_deg: float | None = None) -> WeatherScenarios:
    """Each row of a table as weather, [N], of equal weights.

    Dead moistures are the table's own; else those of its moisture scenarios; else they follow
    temperature, humidity and rain from the table's first row on, and after a gap anew; else those
    of its FFMC; else those of `moisture`. Live moistures are the table's own, or of its moisture
    scenarios, or of `moisture`, or two-thirds cured. FFMC and BUI are the table's own; a
    missing BUI is that of DMC and DC, else that of the season so far, else 80; a missing FFMC is
    that of the hours so far where dead moistures follow the weather, else that of the 1-hour
    moisture. BUI and FFMC follow from a season that has temperature, humidity, rain and
    `LEAST_DAYS` days; codes begin at 85, 6 and 15.

    Args:
        table: as read.
        sunlit: dead fuel lies in the open, so that the sun dries it between 8 and 18 h.
        moisture: scenario "D1L1" to "D4L4" for a table without moisture.
        latitude_deg: of the station, degrees north, negative in the south, for the length of the
            day in the BUI of a season; `LATITUDE_DEG` if not given, which is wrong in the south.

    Raises:
        InputError: the table has no moisture and `moisture` is not given.
    """
    dead = _dead_moistures(table, sunlit, moisture)
    herb, woody = _live_moistures(table, moisture)
    return make_scenarios(
        wind_20ft_m_min=table.wind_20ft_m_min, wind_from_deg=table.wind_from_deg,
        dead_moisture_1h=dead[:, 0], dead_moisture_10h=dead[:, 1], dead_moisture_100h=dead[:, 2],
        live_moisture_herb=herb, live_moisture_woody=woody,
        fine_fuel_moisture_code=_fine_fuel_code(table),
        buildup_index=_buildup(table, LATITUDE_DEG if latitude_deg is None else latitude_deg))


def _buildup(table: WeatherTable, latitude_deg: float) -> Floats:
    """BUI [N], by the first source that the table has."""
    if table.buildup_index is not None:
        return table.buildup_index
    if table.duff_moisture_code is not None and table.drought_code is not None:
        return fwi.buildup_index(table.duff_moisture_code, table.drought_code)
    noons = _noons(table)
    if noons.size < LEAST_DAYS:
        return np.full(table.rows, DEFAULT_BUILDUP_INDEX)
    assert table.time is not None
    assert table.rain_mm is not None
    days = table.time.astype("datetime64[D]")
    months = days[noons].astype("datetime64[M]").astype(int) % 12 + 1
    rain = np.minimum(np.diff(np.cumsum(table.rain_mm)[noons], prepend=0.0), _MOST_RAIN_MM)
    # Years without rain: the wetting of duff that holds no water at all is worked out, not used.
    with np.errstate(divide="ignore"):
        codes = fwi.daily_codes(**_air(table, noons), rain_mm=rain, month=months,
                                latitude_deg=latitude_deg)
    day = np.searchsorted(days[noons], days, side="right") - 1
    return np.minimum(codes.bui, _MOST_BUILDUP)[np.maximum(day, 0)]


def _fine_fuel_code(table: WeatherTable) -> Floats | None:
    """FFMC [N] of the table or of the hours so far, and after a gap anew; else None."""
    if table.fine_fuel_moisture_code is not None:
        return table.fine_fuel_moisture_code
    has_dead = table.dead_moisture_1h is not None or table.fire_scenario is not None
    if has_dead or _noons(table).size < LEAST_DAYS or step_min(table) > 60.0 * GAP_FACTOR:
        return None
    assert table.rain_mm is not None
    codes = []
    for run in runs(table):
        hours = np.diff(table.minutes[run], prepend=table.minutes[run.start] - step_min(table))
        rain = np.minimum(table.rain_mm[run], _MOST_RAIN_MM)
        codes.append(fwi.hourly_codes(**_air(table, run), rain_mm=rain, hours=hours / 60.0))
    return np.concatenate(codes)


def _air(table: WeatherTable, rows: NDArray[np.intp] | slice) -> dict[str, Floats]:
    """Weather of rows as the codes take it."""
    assert table.temperature_c is not None
    assert table.relative_humidity is not None
    wind = table.wind_20ft_m_min[rows] * WIND_10M_PER_20FT / M_MIN_PER_KM_H
    return {"temperature_c": table.temperature_c[rows],
            "humidity_pct": 100.0 * table.relative_humidity[rows],
            "wind_10m_km_h": np.minimum(wind, _MOST_WIND_KM_H)}


def _noons(table: WeatherTable) -> NDArray[np.intp]:
    """The row next to noon of each day of a season that has one; none where codes cannot follow.

    Without rain there are none: a code that only dries would grow beyond all bounds.
    """
    if (table.one_fire or table.time is None or table.temperature_c is None
            or table.relative_humidity is None or table.rain_mm is None):
        return np.array([], dtype=np.intp)
    days = table.time.astype("datetime64[D]")
    away = np.abs((table.time - days) / np.timedelta64(1, "m") - _NOON_MIN)
    near = np.lexsort((away, days))
    _, first = np.unique(days[near], return_index=True)
    nearest = near[first]
    return nearest[away[nearest] <= _NEAR_NOON_MIN]


def _dead_moistures(table: WeatherTable, sunlit: bool, moisture: str | None) -> Floats:
    """[N, 3], by the first source that the table has."""
    own = [getattr(table, name) for name in DEAD_MOISTURES]
    if all(values is not None for values in own):
        return np.stack(own, axis=1)
    if table.fire_scenario is not None:
        return np.array([moisture_scenario(f"D{int(k)}L{int(k)}")[:3]
                         for k in table.fire_scenario])
    if table.temperature_c is not None and table.relative_humidity is not None:
        return _conditioned_moistures(table, table.temperature_c, table.relative_humidity, sunlit)
    if table.fine_fuel_moisture_code is not None:
        return dead_moistures_of_ffmc(table.fine_fuel_moisture_code)
    if moisture is None:
        raise missing_weather(
            table, "temperature and humidity, FFMC, a moisture scenario or fuel moistures",
            "add such columns, or name a moisture scenario such as D2L2")
    return np.tile(np.array(moisture_scenario(moisture)[:3]), (table.rows, 1))


def _conditioned_moistures(table: WeatherTable, heat: Floats, humidity: Floats,
                           sunlit: bool) -> Floats:
    """[N, 3], conditioned from the first row on, and after a gap anew."""
    if sunlit:
        if table.time is None:
            raise missing_weather(table, "times of day, for fuel in the sun",
                                  "take the fuel as shaded, or add the times")
        sunny = within_hours(table, _SUNNY)
        warm, dry = air_at_sunlit_fuel(heat, humidity,
                                       0.0 if table.cloud_cover is None else table.cloud_cover)
        heat, humidity = np.where(sunny, warm, heat), np.where(sunny, dry, humidity)
    boundary = boundary_moistures(equilibrium_moisture(heat, humidity), table.rain_mm)
    return np.concatenate([conditioned(boundary[run], table.minutes[run]) for run in runs(table)])


def _live_moistures(table: WeatherTable, moisture: str | None) -> tuple[Floats, Floats]:
    """(herb, woody), [N] each, by the first source that the table has."""
    if table.fire_scenario is not None:
        found = np.array([moisture_scenario(f"D{int(k)}L{int(k)}")[3:]
                          for k in table.fire_scenario])
    else:
        standard = moisture_scenario(moisture)[3:] if moisture else LIVE_CLASSES["L2"]
        found = np.tile(np.array(standard), (table.rows, 1))
    own = [getattr(table, name) for name in LIVE_MOISTURES]
    herb, woody = (found[:, k] if values is None else values for k, values in enumerate(own))
    return herb, woody


def within_hours(table: WeatherTable, hours: tuple[int, int]) -> NDArray[np.bool_]:
    """Rows whose hour of the day lies within both hours given; all without a clock."""
    if table.time is None:
        return np.ones(table.rows, dtype=bool)
    hour = (table.time.astype("datetime64[h]") - table.time.astype("datetime64[D]")).astype(int)
    return (hour >= hours[0]) & (hour <= hours[1])
