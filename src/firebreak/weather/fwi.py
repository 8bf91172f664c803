"""The Canadian Forest Fire Weather Index System: moisture codes and fire behaviour indices.

One function per code, as in Van Wagner 1987 (FTR-35) and its program, Van Wagner & Pickett 1985
(FTR-33), whose equation numbers are those of FTR-35. A day's codes follow from the day before and
from the weather at noon: temperature in degrees C, relative humidity in percent, wind 10 m above
open ground in km/h, rain of 24 hours in mm. Fuel moistures are in percent of dry weight, as in the
papers. Every function works on scalars and arrays.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

START_FFMC, START_DMC, START_DC = 85.0, 6.0, 15.0
"""Codes of the day before the first one of a season (Van Wagner 1987)."""

# FTR-35 prints 147.2; with 250 * 59.5 / 101 a code of 0 is a moisture of exactly 250 %, and back.
_FFMC_SCALE = 250.0 * 59.5 / 101.0
_MAX_FINE_MOISTURE_PCT = 250.0
# Factors of the logarithmic drying rates: of a day (FTR-35), and per hour (PS-X-69, as cffdrs).
_DAILY_RATE, _HOURLY_RATE = 0.581, 0.0579

_DMC_DAY_HOURS = {  # effective day length of each month, by the latitude it was worked out for
    46: (6.5, 7.5, 9.0, 12.8, 13.9, 13.9, 12.4, 10.9, 9.4, 8.0, 7.0, 6.0),
    20: (7.9, 8.4, 8.9, 9.5, 9.9, 10.2, 10.1, 9.7, 9.1, 8.6, 8.1, 7.8),
    0: (9.0,) * 12,
    -20: (10.1, 9.6, 9.1, 8.5, 8.1, 7.8, 7.9, 8.3, 8.9, 9.4, 9.9, 10.2),
    -40: (11.5, 10.5, 9.2, 7.9, 6.8, 6.2, 6.5, 7.4, 8.7, 10.0, 11.2, 11.8),
}
_DC_DAY_FACTORS = {
    46: (-1.6, -1.6, -1.6, 0.9, 3.8, 5.8, 6.4, 5.0, 2.4, 0.4, -1.6, -1.6),
    0: (1.4,) * 12,
    -46: (6.4, 5.0, 2.4, 0.4, -1.6, -1.6, -1.6, -1.6, -1.6, 0.9, 3.8, 5.8),
}


def _float(*values: ArrayLike) -> list[Floats]:
    return [np.asarray(value, dtype=np.float64) for value in values]


def fine_fuel_moisture(ffmc: ArrayLike) -> Floats:
    """Moisture of fine dead fuel, percent, at a Fine Fuel Moisture Code (eq. 1)."""
    (code,) = _float(ffmc)
    return _FFMC_SCALE * (101.0 - code) / (59.5 + code)


def ffmc_of_moisture(moisture_pct: ArrayLike) -> Floats:
    """Fine Fuel Moisture Code of a fine fuel moisture in percent (eq. 10)."""
    (moisture,) = _float(moisture_pct)
    return 59.5 * (_MAX_FINE_MOISTURE_PCT - moisture) / (_FFMC_SCALE + moisture)


def fine_fuel_moisture_code(yesterday: ArrayLike, *, temperature_c: ArrayLike,
                            humidity_pct: ArrayLike, wind_10m_km_h: ArrayLike,
                            rain_mm: ArrayLike) -> Floats:
    """Today's Fine Fuel Moisture Code, 0 to 101 (eqs. 1 to 10)."""
    heat, humidity, wind, rain = _float(temperature_c, humidity_pct, wind_10m_km_h, rain_mm)
    start = fine_fuel_moisture(yesterday)
    # The canopy keeps the first half millimetre (eqs. 2 and 3); the 1 stands in where that is all.
    net = np.where(rain > 0.5, rain - 0.5, 1.0)
    wet = np.minimum(start + _rain_gain(start, net), _MAX_FINE_MOISTURE_PCT)
    wet = np.where(rain > 0.5, wet, start)
    moisture = _dried_or_wetted(wet, heat, humidity, wind, np.asarray(_DAILY_RATE))
    return np.clip(ffmc_of_moisture(moisture), 0.0, 101.0)


def hourly_fine_fuel_moisture_code(before: ArrayLike, *, temperature_c: ArrayLike,
                                   humidity_pct: ArrayLike, wind_10m_km_h: ArrayLike,
                                   rain_mm: ArrayLike, hours: ArrayLike = 1.0) -> Floats:
    """Fine Fuel Moisture Code after `hours` of constant weather, 0 to 101.

    Van Wagner 1977 (PS-X-69), with the scale, the rain and the equilibria of the daily code as in
    the cffdrs package; `rain_mm` is that of these hours, and all of it reaches the litter.
    """
    heat, humidity, wind, rain, time = _float(temperature_c, humidity_pct, wind_10m_km_h, rain_mm,
                                              hours)
    start = fine_fuel_moisture(before)
    wet = np.minimum(start + _rain_gain(start, np.where(rain > 0.0, rain, 1.0)),
                     _MAX_FINE_MOISTURE_PCT)
    wet = np.where(rain > 0.0, wet, start)
    moisture = _dried_or_wetted(wet, heat, humidity, wind, _HOURLY_RATE * time)
    return np.clip(ffmc_of_moisture(moisture), 0.0, 101.0)


def _dried_or_wetted(wet: Floats, heat: Floats, humidity: Floats, wind: Floats,
                     rate: Floats) -> Floats:
    """Moisture after it dried or wetted towards the equilibrium of the air, percent (eqs. 4-9)."""
    warmth = 0.18 * (21.1 - heat) * (1.0 - np.exp(-0.115 * humidity))
    humid = np.exp((humidity - 100.0) / 10.0)
    when_drying = 0.942 * humidity**0.679 + 11.0 * humid + warmth
    when_wetting = 0.618 * humidity**0.753 + 10.0 * humid + warmth
    dried = _approached(when_drying, wet, humidity / 100.0, heat, wind, rate)
    wetted = _approached(when_wetting, wet, 1.0 - humidity / 100.0, heat, wind, rate)
    return np.where(wet > when_drying, dried, np.where(wet < when_wetting, wetted, wet))


def _approached(equilibrium: Floats, start: Floats, fraction: Floats, heat: Floats,
                wind: Floats, rate: Floats) -> Floats:
    """Moisture after its approach to its equilibrium, percent (eqs. 6 to 9)."""
    at_21c = 0.424 * (1.0 - fraction**1.7) + 0.0694 * np.sqrt(wind) * (1.0 - fraction**8)
    log_rate = at_21c * rate * np.exp(0.0365 * heat)
    return equilibrium + (start - equilibrium) * 10.0**-log_rate


def _rain_gain(moisture: Floats, net_rain: Floats) -> Floats:
    """Moisture of fine fuel that rain above 0 mm adds, percent (eqs. 3a and 3b)."""
    gain = 42.5 * net_rain * np.exp(-100.0 / (251.0 - moisture)) * (1.0 - np.exp(-6.93 / net_rain))
    return gain + 0.0015 * np.maximum(moisture - 150.0, 0.0) ** 2 * np.sqrt(net_rain)


def duff_moisture_code(yesterday: ArrayLike, *, temperature_c: ArrayLike, humidity_pct: ArrayLike,
                       rain_mm: ArrayLike, month: ArrayLike,
                       latitude_deg: ArrayLike = 46.0) -> Floats:
    """Today's Duff Moisture Code, 0 or more (eqs. 11 to 16); month 1 to 12.

    The day lengths of the bands of latitude are those of Lawson & Armitage 2008.
    """
    before, heat, humidity, rain = _float(yesterday, temperature_c, humidity_pct, rain_mm)
    hours = _by_month_and_latitude(_DMC_DAY_HOURS, (-30.0, -10.0, 10.0, 30.0), month, latitude_deg)
    drying = 1.894e-4 * (np.maximum(heat, -1.1) + 1.1) * (100.0 - humidity) * hours
    return np.where(rain > 1.5, duff_code_after_rain(before, rain), before) + drying


def duff_code_after_rain(code: ArrayLike, rain_mm: ArrayLike) -> Floats:
    """Duff Moisture Code after a day's rain of more than 1.5 mm (eqs. 11 to 15)."""
    before, rain = _float(code, rain_mm)
    net = np.maximum(0.92 * rain - 1.27, 0.0)
    # Eq. 12 as the program of FTR-33 rounds it; the rounding moves the code by up to 0.5 %.
    moisture = 20.0 + 280.0 / np.exp(0.023 * before)
    log_code = np.log(np.maximum(before, 1.0))
    slope = np.where(before <= 33.0, 100.0 / (0.5 + 0.3 * before),
                     np.where(before <= 65.0, 14.0 - 1.3 * log_code, 6.2 * log_code - 17.2))
    wet = moisture + 1000.0 * net / (48.77 + slope * net)
    # A code so high that its moisture rounds to the 20 % it tends to must not divide by 0.
    return np.maximum(43.43 * (5.6348 - np.log(np.maximum(wet - 20.0, 1e-300))), 0.0)


def drought_code(yesterday: ArrayLike, *, temperature_c: ArrayLike, rain_mm: ArrayLike,
                 month: ArrayLike, latitude_deg: ArrayLike = 46.0) -> Floats:
    """Today's Drought Code, 0 or more (eqs. 18 to 23); month 1 to 12."""
    before, heat, rain = _float(yesterday, temperature_c, rain_mm)
    factor = _by_month_and_latitude(_DC_DAY_FACTORS, (-20.0, 20.0), month, latitude_deg)
    evaporation = np.maximum(0.36 * (np.maximum(heat, -2.8) + 2.8) + factor, 0.0)
    return np.where(rain > 2.8, drought_code_after_rain(before, rain), before) + 0.5 * evaporation


def drought_code_after_rain(code: ArrayLike, rain_mm: ArrayLike) -> Floats:
    """Drought Code after a day's rain of more than 2.8 mm (eqs. 18 to 21)."""
    before, rain = _float(code, rain_mm)
    net = np.maximum(0.83 * rain - 1.27, 0.0)
    water = 800.0 * np.exp(-before / 400.0) + 3.937 * net
    return np.maximum(400.0 * np.log(800.0 / water), 0.0)


def _by_month_and_latitude(table: Mapping[int, tuple[float, ...]], edges: tuple[float, ...],
                           month: ArrayLike, latitude_deg: ArrayLike) -> Floats:
    """The entry of a month (1 to 12) in the band of a latitude; bands lie between `edges`."""
    rows = np.array([table[latitude] for latitude in sorted(table)])
    # A latitude on an edge belongs to the band south of it.
    band = np.searchsorted(edges, np.asarray(latitude_deg, dtype=np.float64), side="left")
    values: Floats = rows[band, np.asarray(month, dtype=np.intp) - 1]
    return values


def fine_fuel_function(ffmc: ArrayLike) -> Floats:
    """f(F) of the Initial Spread Index, dimensionless (eq. 25)."""
    moisture = fine_fuel_moisture(ffmc)
    return 91.9 * np.exp(-0.1386 * moisture) * (1.0 + moisture**5.31 / 4.93e7)


def initial_spread_index(ffmc: ArrayLike, wind_10m_km_h: ArrayLike) -> Floats:
    """Initial Spread Index (eqs. 24 to 26)."""
    (wind,) = _float(wind_10m_km_h)
    return 0.208 * np.exp(0.05039 * wind) * fine_fuel_function(ffmc)


def buildup_index(dmc: ArrayLike, dc: ArrayLike) -> Floats:
    """Buildup Index of a Duff Moisture Code and a Drought Code (eqs. 27a and 27b)."""
    duff, drought = _float(dmc, dc)
    total = duff + 0.4 * drought
    safe = np.where(total > 0.0, total, 1.0)
    low = 0.8 * duff * drought / safe
    high = duff - (1.0 - 0.8 * drought / safe) * (0.92 + (0.0114 * duff) ** 1.7)
    return np.maximum(np.where(duff <= 0.4 * drought, low, high), 0.0)


def fire_weather_index(isi: ArrayLike, bui: ArrayLike) -> Floats:
    """Fire Weather Index of an Initial Spread Index and a Buildup Index (eqs. 28 to 30)."""
    spread, buildup = _float(isi, bui)
    duff = np.where(buildup <= 80.0, 0.626 * buildup**0.809 + 2.0,
                    1000.0 / (25.0 + 108.64 * np.exp(-0.023 * buildup)))
    intensity = 0.1 * spread * duff
    log_intensity = np.log(np.maximum(intensity, 1.0))
    return np.where(intensity > 1.0, np.exp(2.72 * (0.434 * log_intensity) ** 0.647), intensity)


def daily_severity_rating(fwi: ArrayLike) -> Floats:
    """Daily Severity Rating of a Fire Weather Index (eq. 31)."""
    (index,) = _float(fwi)
    return 0.0272 * index**1.77


class DailyCodes(NamedTuple):
    """Codes of each day at its noon observation, [T, ...] each: Fine Fuel Moisture Code, Duff
    Moisture Code, Drought Code, Initial Spread Index, Buildup Index, Fire Weather Index, Daily
    Severity Rating.
    """

    ffmc: Floats
    dmc: Floats
    dc: Floats
    isi: Floats
    bui: Floats
    fwi: Floats
    dsr: Floats


def daily_codes(*, temperature_c: Floats, humidity_pct: Floats, wind_10m_km_h: Floats,
                rain_mm: Floats, month: ArrayLike, latitude_deg: ArrayLike = 46.0) -> DailyCodes:
    """Codes of successive days, each of which starts from the day before; the first from
    `START_FFMC`, `START_DMC` and `START_DC`. Weather at noon and the rain of 24 hours, [T, ...]
    with time first; month and latitude broadcast to it.
    """
    months = np.broadcast_to(month, temperature_c.shape[:1])
    latitudes = np.broadcast_to(latitude_deg, temperature_c.shape[:1])
    ffmc, dmc, dc = _float(START_FFMC, START_DMC, START_DC)
    days = np.empty((3, *temperature_c.shape))
    for day, (heat, humidity, wind, rain, own_month, latitude) in enumerate(zip(
            temperature_c, humidity_pct, wind_10m_km_h, rain_mm, months, latitudes, strict=True)):
        ffmc = fine_fuel_moisture_code(ffmc, temperature_c=heat, humidity_pct=humidity,
                                       wind_10m_km_h=wind, rain_mm=rain)
        dmc = duff_moisture_code(dmc, temperature_c=heat, humidity_pct=humidity, rain_mm=rain,
                                 month=own_month, latitude_deg=latitude)
        dc = drought_code(dc, temperature_c=heat, rain_mm=rain, month=own_month,
                          latitude_deg=latitude)
        days[:, day] = ffmc, dmc, dc
    isi, bui = initial_spread_index(days[0], wind_10m_km_h), buildup_index(days[1], days[2])
    index = fire_weather_index(isi, bui)
    return DailyCodes(days[0], days[1], days[2], isi, bui, index, daily_severity_rating(index))


def hourly_codes(*, temperature_c: Floats, humidity_pct: Floats, wind_10m_km_h: Floats,
                 rain_mm: Floats, hours: Floats) -> Floats:
    """Fine Fuel Moisture Codes [T, ...] after successive steps of `hours` (not much above 1), each
    of which starts from the step before; the first from `START_FFMC`.
    """
    codes = np.empty_like(temperature_c)
    (code,) = _float(START_FFMC)
    for step, (heat, humidity, wind, rain, time) in enumerate(zip(
            temperature_c, humidity_pct, wind_10m_km_h, rain_mm, hours, strict=True)):
        codes[step] = code = hourly_fine_fuel_moisture_code(
            code, temperature_c=heat, humidity_pct=humidity, wind_10m_km_h=wind, rain_mm=rain,
            hours=time)
    return codes
