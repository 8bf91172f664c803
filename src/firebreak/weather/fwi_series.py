"""Codes of the Canadian Fire Weather Index System along a series of weather observations.

Days follow one another, or hours do; each step's codes start from the step before. Time runs along
the first axis, and further axes are stations, so that [T] is one station and [T, N] are N.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firebreak.checks import fail
from firebreak.weather import fwi

Floats = NDArray[np.float64]

_RANGES = {
    "temperature_c": (-60.0, 60.0), "humidity_pct": (0.0, 100.0), "wind_10m_km_h": (0.0, 300.0),
    "rain_mm": (0.0, 600.0), "month": (1.0, 12.0), "latitude_deg": (-90.0, 90.0),
    "buildup_index": (0.0, 1000.0), "hours": (0.0, 24.0),
    "start_ffmc": (0.0, 101.0), "start_dmc": (0.0, 1000.0), "start_dc": (0.0, 2000.0),
}
_WHERE = "weather series"


class DailyCodes(NamedTuple):
    """Codes of each day at its noon observation; float64 arrays [T, ...].

    Attributes:
        ffmc: Fine Fuel Moisture Code.
        dmc: Duff Moisture Code.
        dc: Drought Code.
        isi: Initial Spread Index.
        bui: Buildup Index.
        fwi: Fire Weather Index.
        dsr: Daily Severity Rating.
    """

    ffmc: Floats
    dmc: Floats
    dc: Floats
    isi: Floats
    bui: Floats
    fwi: Floats
    dsr: Floats


class HourlyCodes(NamedTuple):
    """Codes at the end of each hour; float64 arrays [T, ...].

    Attributes:
        ffmc: Fine Fuel Moisture Code.
        isi: Initial Spread Index.
        fwi: Fire Weather Index.
    """

    ffmc: Floats
    isi: Floats
    fwi: Floats


def daily_codes(*, temperature_c: ArrayLike, humidity_pct: ArrayLike, wind_10m_km_h: ArrayLike,
                rain_mm: ArrayLike, month: ArrayLike, latitude_deg: ArrayLike = 46.0,
                start_ffmc: ArrayLike = fwi.START_FFMC, start_dmc: ArrayLike = fwi.START_DMC,
                start_dc: ArrayLike = fwi.START_DC) -> DailyCodes:
    """Codes of successive days from weather at noon and the rain of 24 hours.

    Args:
        temperature_c: [T, ...], degrees C; so are the shapes of the other weather, or they
            broadcast to it.
        humidity_pct: relative humidity, percent.
        wind_10m_km_h: wind 10 m above open ground, km/h.
        rain_mm: of the 24 hours before, mm.
        month: 1 to 12.
        latitude_deg: degrees north, for the length of the day.
        start_ffmc: code of the day before the first.
        start_dmc: code of the day before the first.
        start_dc: code of the day before the first.

    Raises:
        InputError: if there is no day, or a number is not finite or out of range.
    """
    heat, humidity, wind, rain, months, latitude = _series(
        temperature_c=temperature_c, humidity_pct=humidity_pct, wind_10m_km_h=wind_10m_km_h,
        rain_mm=rain_mm, month=month, latitude_deg=latitude_deg)
    ffmc, dmc, dc = _starts(heat, start_ffmc=start_ffmc, start_dmc=start_dmc, start_dc=start_dc)
    rows = np.empty((3, *heat.shape))
    for day in range(len(heat)):
        ffmc = fwi.fine_fuel_moisture_code(
            ffmc, temperature_c=heat[day], humidity_pct=humidity[day], wind_10m_km_h=wind[day],
            rain_mm=rain[day])
        dmc = fwi.duff_moisture_code(
            dmc, temperature_c=heat[day], humidity_pct=humidity[day], rain_mm=rain[day],
            month=months[day], latitude_deg=latitude[day])
        dc = fwi.drought_code(dc, temperature_c=heat[day], rain_mm=rain[day], month=months[day],
                              latitude_deg=latitude[day])
        rows[:, day] = ffmc, dmc, dc
    isi, bui = fwi.initial_spread_index(rows[0], wind), fwi.buildup_index(rows[1], rows[2])
    index = fwi.fire_weather_index(isi, bui)
    return DailyCodes(ffmc=rows[0], dmc=rows[1], dc=rows[2], isi=isi, bui=bui, fwi=index,
                      dsr=fwi.daily_severity_rating(index))


def hourly_codes(*, temperature_c: ArrayLike, humidity_pct: ArrayLike, wind_10m_km_h: ArrayLike,
                 rain_mm: ArrayLike, buildup_index: ArrayLike, hours: ArrayLike = 1.0,
                 start_ffmc: ArrayLike = fwi.START_FFMC) -> HourlyCodes:
    """Codes of successive hours; the Buildup Index changes from day to day and is given.

    Args:
        temperature_c: [T, ...], degrees C, over the hour; so are the shapes of the other weather,
            or they broadcast to it.
        humidity_pct: relative humidity, percent.
        wind_10m_km_h: wind 10 m above open ground, km/h.
        rain_mm: of the hour, mm.
        buildup_index: of the day.
        hours: length of each step, hours; not much above 1.
        start_ffmc: code of the hour before the first.

    Raises:
        InputError: if there is no hour, or a number is not finite or out of range.
    """
    heat, humidity, wind, rain, buildup, time = _series(
        temperature_c=temperature_c, humidity_pct=humidity_pct, wind_10m_km_h=wind_10m_km_h,
        rain_mm=rain_mm, buildup_index=buildup_index, hours=hours)
    (ffmc,) = _starts(heat, start_ffmc=start_ffmc)
    codes = np.empty_like(heat)
    for hour in range(len(heat)):
        ffmc = fwi.hourly_fine_fuel_moisture_code(
            ffmc, temperature_c=heat[hour], humidity_pct=humidity[hour], wind_10m_km_h=wind[hour],
            rain_mm=rain[hour], hours=time[hour])
        codes[hour] = ffmc
    isi = fwi.initial_spread_index(codes, wind)
    return HourlyCodes(codes, isi, fwi.fire_weather_index(isi, buildup))


def _series(**given: ArrayLike) -> list[Floats]:
    """The columns as arrays of one shape [T, ...]; a column [T] goes along with [T, N]."""
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in given.items()}
    axes = max(1, *(array.ndim for array in arrays.values()))
    arrays = {name: array.reshape(*array.shape, *(1,) * (axes - array.ndim)) if array.ndim
              else array for name, array in arrays.items()}
    try:
        shaped = np.broadcast_arrays(*arrays.values())
    except ValueError as error:
        raise fail(expected="series of one length", where=_WHERE,
                   given="shapes " + ", ".join(str(array.shape) for array in arrays.values()),
                   remedy="give every quantity a value at every step") from error
    if shaped[0].ndim == 0 or shaped[0].size == 0:
        raise fail(expected="at least one step of weather", given=f"shape {shaped[0].shape}",
                   where=_WHERE, remedy="pass arrays whose first axis is time")
    for name, values in zip(arrays, shaped, strict=True):
        _check_range(name, values)
    return list(shaped)


def _starts(like: Floats, **given: ArrayLike) -> list[Floats]:
    """Codes before the first step, of the shape of one step."""
    starts = []
    for name, values in given.items():
        start = np.asarray(values, dtype=np.float64)
        _check_range(name, start)
        starts.append(np.broadcast_to(start, like.shape[1:]))
    return starts


def _check_range(name: str, values: Floats) -> None:
    low, high = _RANGES[name]
    good = (values >= low) & (values <= high)
    if not good.all():
        raise fail(expected=f"{name} in [{low:g}, {high:g}]",
                   given=f"{np.ravel(values)[np.argmin(good)]:g}", where=_WHERE,
                   remedy="fill the gaps and check the units first")
