"""The rows of a weather table as weather that a fire burns under, with moistures worked out."""

import numpy as np
from numpy.typing import NDArray

from firebreak.fire.fwi import buildup_index
from firebreak.fire.moisture import (
    air_at_sunlit_fuel,
    boundary_moistures,
    conditioned,
    dead_moistures_of_ffmc,
    equilibrium_moisture,
    live_moistures,
    moisture_scenario,
)
from firebreak.fire.weather import DEFAULT_BUILDUP_INDEX, WeatherScenarios, make_scenarios
from firebreak.landscape.weather_tables import Floats, WeatherTable, missing_weather, runs

DEFAULT_DROUGHT = "severe"
"""Class of live moisture where a table has none."""

_SUNNY = (8, 18)
_DEAD = ("dead_moisture_1h", "dead_moisture_10h", "dead_moisture_100h")
_LIVE = ("live_moisture_herb", "live_moisture_woody")


def rows_of(table: WeatherTable, *, drought: str = DEFAULT_DROUGHT, sunlit: bool = False,
            moisture: str | None = None) -> WeatherScenarios:
    """Each row of a table as weather, [N], of equal weights.

    Dead moistures are the table's own; else those of its moisture scenarios; else they follow
    temperature, humidity and rain from the table's first row on, and after a gap anew; else those
    of its FFMC; else those of `moisture`. Live moistures are the table's own, or of its moisture
    scenarios, or of `moisture`, or of the drought class. FFMC and BUI are the table's own; a
    missing BUI is that of DMC and DC, a missing FFMC that of the 1-hour moisture.

    Args:
        table: as read.
        drought: class of live moisture, see `moisture.live_moistures`.
        sunlit: whether dead fuel lies in the open, so that the sun dries it between 8 and 18 h.
        moisture: scenario "D1L1" to "D4L4" for a table that says nothing of moisture.

    Raises:
        InputError: the table says nothing of moisture and `moisture` is not given.
    """
    dead = _dead_moistures(table, sunlit, moisture)
    herb, woody = _live_moistures(table, drought, moisture)
    bui = table.buildup_index
    if bui is None:
        duff, drought_code = table.duff_moisture_code, table.drought_code
        bui = (np.full(table.rows, DEFAULT_BUILDUP_INDEX) if duff is None or drought_code is None
               else buildup_index(duff, drought_code))
    return make_scenarios(
        wind_20ft_m_min=table.wind_20ft_m_min, wind_from_deg=table.wind_from_deg,
        dead_moisture_1h=dead[:, 0], dead_moisture_10h=dead[:, 1], dead_moisture_100h=dead[:, 2],
        live_moisture_herb=herb, live_moisture_woody=woody,
        fine_fuel_moisture_code=table.fine_fuel_moisture_code, buildup_index=bui)


def _dead_moistures(table: WeatherTable, sunlit: bool, moisture: str | None) -> Floats:
    """[N, 3], by the first source that the table has."""
    given = [getattr(table, name) for name in _DEAD]
    if all(values is not None for values in given):
        return np.stack(given, axis=1)
    if table.fire_scenario is not None:
        return np.array([moisture_scenario(f"D{int(k)}L{int(k)}")[:3]
                         for k in table.fire_scenario])
    if table.temperature_c is not None and table.relative_humidity is not None:
        return _followed(table, table.temperature_c, table.relative_humidity, sunlit)
    if table.fine_fuel_moisture_code is not None:
        return dead_moistures_of_ffmc(table.fine_fuel_moisture_code)
    if moisture is None:
        raise missing_weather(
            table, "temperature and humidity, FFMC, a moisture scenario or fuel moistures",
            "add such columns, or name a moisture scenario such as D2L2")
    return np.tile(np.array(moisture_scenario(moisture)[:3]), (table.rows, 1))


def _followed(table: WeatherTable, heat: Floats, humidity: Floats, sunlit: bool) -> Floats:
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


def _live_moistures(table: WeatherTable, drought: str,
                    moisture: str | None) -> tuple[Floats, Floats]:
    """(herb, woody), [N] each, by the first source that the table has."""
    if table.fire_scenario is not None:
        found = np.array([moisture_scenario(f"D{int(k)}L{int(k)}")[3:]
                          for k in table.fire_scenario])
    else:
        standard = moisture_scenario(moisture)[3:] if moisture else live_moistures(drought)
        found = np.tile(np.array(standard), (table.rows, 1))
    given = [getattr(table, name) for name in _LIVE]
    herb, woody = (found[:, k] if values is None else values for k, values in enumerate(given))
    return herb, woody


def within_hours(table: WeatherTable, hours: tuple[int, int]) -> NDArray[np.bool_]:
    """Rows whose hour of the day lies within both hours given; all without a clock."""
    if table.time is None:
        return np.ones(table.rows, dtype=bool)
    hour = (table.time.astype("datetime64[h]") - table.time.astype("datetime64[D]")).astype(int)
    return (hour >= hours[0]) & (hour <= hours[1])
