"""Weather streams of FARSITE and FlamMap: .wxs (RAWS), and pairs of .wtr and .wnd.

.wxs has hourly rows. A .wtr has the extremes of each day and the hours at which they occur, a
.wnd the wind; neither names the year. Between the extremes temperature and humidity follow half a
cosine (Finney 1998, RMRS-RP-4). English files are in F, inches, mph at 20 ft; metric ones in C,
mm, km/h at 10 m.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from firebreak.checks import InputError, fail
from firebreak.weather.formats.csv import CELSIUS, FAHRENHEIT, KM_H, MPH
from firebreak.weather.formats.table import (
    HEIGHT_10M,
    HEIGHT_20FT_M,
    Floats,
    Times,
    WeatherTable,
    wind_at_20ft,
)
from firebreak.weather.formats.text import (
    PERCENT,
    Cells,
    Unit,
    check_rising,
    check_steps,
    minutes_since_first,
    moment,
    numbers,
    read_lines,
    refuse_fractions,
)

_WXS_NAMES = ("Year", "Mth", "Day", "Time", "Temp", "RH", "HrlyPcp", "WindSpd", "WindDir",
              "CloudCov")
_WTR_NAMES = ("Month", "Day", "Precip", "Hour1", "Hour2", "Tmin", "Tmax", "RHmax", "RHmin",
              "Elevation")
_WND_NAMES = ("Month", "Day", "Time", "Speed", "Direction", "Cloud")
_RAIN_SPAN = ("RainStart", "RainEnd")
_HOUR = np.timedelta64(60, "m")
_DAY_MIN = 1440


class _System(NamedTuple):
    """The units of a file."""

    temperature: Unit
    rain: Unit
    speed: Unit
    wind_height_m: float


_ENGLISH = _System(FAHRENHEIT, Unit("in", 25.4), MPH, HEIGHT_20FT_M)
_METRIC = _System(CELSIUS, Unit("mm"), KM_H, HEIGHT_10M)
_SYSTEMS = {"english": _ENGLISH, "metric": _METRIC}


def is_wxs(lines: list[str]) -> bool:
    """Whether a file holds a RAWS block."""
    return any(line.strip().upper().startswith("RAWS_UNITS") for line in lines)


def read_wxs(path: Path, lines: list[str]) -> WeatherTable:
    """The table of a RAWS block: a .wxs or .raws file, or one inside a FARSITE .input file.

    Raises:
        InputError: a heading, a row or a number is wrong, or the rows are not equally far apart.
    """
    system, first, count = _wxs_heading(path, lines)
    cells = _wxs_rows(path, lines, first, count)
    time = _stamps(cells, [row[0] for row in cells.rows], 1)
    minutes = minutes_since_first(time)
    check_steps(cells, minutes)
    humidity = numbers(cells, "relative_humidity", "RH", unit=PERCENT)
    refuse_fractions(cells, humidity)
    speed = numbers(cells, "wind_m_min", "WindSpd", unit=system.speed)
    return WeatherTable(
        where=str(path), one_fire=False, minutes=minutes, time=time,
        wind_height_m=system.wind_height_m,
        wind_20ft_m_min=wind_at_20ft(speed, system.wind_height_m, str(path)),
        wind_from_deg=numbers(cells, "wind_from_deg", "WindDir") % 360.0,
        temperature_c=numbers(cells, "temperature_c", "Temp", unit=system.temperature),
        relative_humidity=humidity,
        rain_mm=numbers(cells, "rain_mm", "HrlyPcp", unit=system.rain),
        cloud_cover=numbers(cells, "cloud_cover", "CloudCov", unit=PERCENT))


def _wxs_heading(path: Path, lines: list[str]) -> tuple[_System, int, int]:
    """The units, the index of the first line below the headings, and the stated number of rows."""
    found: dict[str, str] = {}
    last = 0
    for index, line in enumerate(lines):
        match = re.match(r"\s*(RAWS(?:_[A-Z]+)?)\s*:\s*(\S*)", line, re.IGNORECASE)
        if match:
            found[match[1].upper()], last = match[2], index + 1
    units = found.get("RAWS_UNITS", "")
    system = _SYSTEMS.get(units.lower())
    if system is None:
        raise fail(expected="RAWS_UNITS: English or Metric", given=f"'{units}'",
                   where=str(path), remedy="correct the heading")
    if not re.fullmatch(r"[0-9]{1,9}", found.get("RAWS", "")):
        raise fail(expected="a heading 'RAWS: number of rows'",
                   given=f"'{found.get('RAWS', '')}'", where=str(path), remedy="add the heading")
    return system, last, int(found["RAWS"])


def _wxs_rows(path: Path, lines: list[str], first: int, count: int) -> Cells:
    """As many rows as the heading states, below the row of names if there is one."""
    rows: list[list[str]] = []
    numbered: list[int] = []
    for index in range(first, len(lines)):
        row = lines[index].split()
        if not row or (not rows and row[0].casefold() == "year"):
            continue
        if len(rows) == count:
            break
        rows.append(row)
        numbered.append(index + 1)
    cells = Cells(path, _WXS_NAMES, rows, numbered)
    _check_widths(cells, len(_WXS_NAMES), len(_WXS_NAMES))
    if len(rows) < max(count, 1):
        raise fail(expected=f"{count} rows as the heading says", given=f"{len(rows)}",
                   where=f"{path}, line {len(lines)}",
                   remedy="correct the heading, or add the rows")
    return cells


def read_wtr_wnd(path: Path, *, year: int | None) -> WeatherTable:
    """The hourly table of a .wtr and the .wnd of the same name, given one of the two.

    Hours run from the first wind to the last; a wind holds until the next. A day's rain falls
    evenly over the hours that the .wtr gives for it, else over the whole day. After the last day
    and before the first, the extremes of that day repeat.

    Raises:
        InputError: no year, the other file is missing, or a row is invalid.
    """
    if year is None:
        raise fail(expected="the year of the weather, which .wtr and .wnd files do not name",
                   given="none", where=str(path), remedy="give the year (--year)")
    days = _measured(_partner(path, ".wtr"), _WTR_NAMES, len(_WTR_NAMES), len(_WTR_NAMES) + 2)
    winds = _measured(_partner(path, ".wnd"), _WND_NAMES, len(_WND_NAMES), len(_WND_NAMES))
    wind_time = _stamps(winds.cells, [str(year)] * len(winds.cells.rows), 0)
    check_rising(winds.cells, minutes_since_first(wind_time))
    time = np.arange(wind_time[0], wind_time[-1] + np.timedelta64(1, "m"), _HOUR)
    held = np.searchsorted(wind_time, time, side="right") - 1
    where, height = str(winds.cells.path), winds.system.wind_height_m
    speed = numbers(winds.cells, "wind_m_min", "Speed", unit=winds.system.speed)
    return WeatherTable(
        where=where, one_fire=False, minutes=minutes_since_first(time), time=time,
        wind_height_m=height, wind_20ft_m_min=wind_at_20ft(speed, height, where)[held],
        wind_from_deg=numbers(winds.cells, "wind_from_deg", "Direction")[held] % 360.0,
        cloud_cover=numbers(winds.cells, "cloud_cover", "Cloud", unit=PERCENT)[held],
        **_daily(days, year, time))


class _Measured(NamedTuple):
    cells: Cells
    system: _System


def _partner(path: Path, suffix: str) -> Path:
    """The file of this name with another suffix, in lower or upper case."""
    for candidate in (path.with_suffix(suffix), path.with_suffix(suffix.upper())):
        if candidate.is_file():
            return candidate
    raise fail(expected=f"{path.with_suffix(suffix).name} beside it, since .wtr and .wnd belong "
                        "together",
               given="no such file", where=str(path), remedy="put the two files into one folder")


def _measured(path: Path, names: tuple[str, ...], least: int, most: int) -> _Measured:
    """The rows of a .wtr or .wnd file and its units."""
    lines = read_lines(path)
    system = _SYSTEMS.get(lines[0].strip().lower())
    if system is None:
        raise fail(expected="ENGLISH or METRIC", given=f"'{lines[0].strip()}'",
                   where=f"{path}, line 1", remedy="name the units in the first line")
    numbered = [(index, line.split()) for index, line in enumerate(lines[1:], start=2)
                if line.strip()]
    cells = Cells(path, names, [row for _, row in numbered], [index for index, _ in numbered])
    if not numbered:
        raise fail(expected="rows of weather below the first line", given="none", where=str(path),
                   remedy="write the weather into it")
    _check_widths(cells, least, most)
    return _Measured(cells, system)


def _check_widths(cells: Cells, least: int, most: int) -> None:
    for row, content in enumerate(cells.rows):
        if len(content) not in (least, most):
            more = f" or {most}" if most != least else ""
            raise fail(expected=f"{least}{more} numbers ({' '.join(cells.names)})",
                       given=f"{len(content)}", where=cells.where(row),
                       remedy="complete the line")


def _stamps(cells: Cells, years: list[str], month_at: int) -> Times:
    """The times of rows that hold month, day and HHMM from column `month_at` on."""
    found = []
    for row, (year, content) in enumerate(zip(years, cells.rows, strict=True)):
        parts = [year, *content[month_at:month_at + 3]]
        if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
            raise _no_stamp(cells, row, parts)
        found.append(moment(cells, row, " ".join(parts), *map(int, parts)))
    return np.array(found, dtype="datetime64[m]")


def _no_stamp(cells: Cells, row: int, parts: list[str]) -> InputError:
    return fail(expected="year, month, day and time as whole numbers", given=f"'{' '.join(parts)}'",
                where=cells.where(row), remedy="correct the line")


def _daily(days: _Measured, year: int, time: Times) -> dict[str, Floats]:
    """Temperature, humidity and rain at these times from a .wtr file."""
    cells, system = days
    midnight = _stamps(Cells(cells.path, cells.names, [[*row[:2], "0"] for row in cells.rows],
                             cells.lines), [str(year)] * len(cells.rows), 0)
    check_rising(cells, minutes_since_first(midnight))
    # A column may hold day after day only: between two extremes there is one night or one day.
    check_steps(cells, minutes_since_first(midnight))
    coldest, hottest = (_clock_minutes(cells, column) for column in (3, 4))
    knots = np.stack([coldest, hottest], axis=1)
    order = np.argsort(knots, axis=1)
    at = (minutes_since_first(midnight)[:, None] + np.take_along_axis(knots, order, 1)).ravel()
    wanted = (time - midnight[0]) / np.timedelta64(1, "m")
    result = {}
    for name, unit, first, second in (
            ("temperature_c", system.temperature, "Tmin", "Tmax"),
            ("relative_humidity", PERCENT, "RHmax", "RHmin")):
        extremes = np.stack([numbers(cells, name, first, unit=unit),
                             numbers(cells, name, second, unit=unit)], axis=1)
        level = np.take_along_axis(extremes, order, 1)
        result[name] = _cosine(at, level, wanted)
    refuse_fractions(cells, result["relative_humidity"])
    return {**result, "rain_mm": _hourly_rain(days, minutes_since_first(midnight), wanted)}


def _clock_minutes(cells: Cells, column: int) -> Floats:
    """A column of HHMM as minutes after midnight."""
    found = []
    for row, content in enumerate(cells.rows):
        text = content[column]
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > 2400 or int(text) % 100 > 59:
            raise fail(expected="a time of day as HHMM", given=f"'{text}'",
                       where=cells.where(row), remedy="write for example 1400")
        found.append(60.0 * (int(text) // 100) + int(text) % 100)
    return np.array(found)


def _cosine(at: Floats, level: Floats, wanted: Floats) -> Floats:
    """Levels [D, 2] at the times `at` [2D], joined by half cosines, at the times `wanted`.

    One day more of the same at either end, so that the ends follow the daily course too.
    """
    knots = np.concatenate((at[:2] - _DAY_MIN, at, at[-2:] + _DAY_MIN))
    values = np.concatenate((level[0], level.ravel(), level[-1]))
    left = np.clip(np.searchsorted(knots, wanted, side="right") - 1, 0, knots.size - 2)
    share = np.clip((wanted - knots[left]) / (knots[left + 1] - knots[left]), 0.0, 1.0)
    weight = 0.5 - 0.5 * np.cos(np.pi * share)
    return values[left] + weight * (values[left + 1] - values[left])


def _hourly_rain(days: _Measured, midnight: Floats, wanted: Floats) -> Floats:
    """Rain in the hour before each time, mm, from the days' sums."""
    cells, system = days
    unit = Unit("1/100 in", 0.254) if system is _ENGLISH else Unit("mm")
    total = numbers(cells, "rain_mm", "Precip", unit=unit)
    rain = np.zeros(wanted.size)
    for day, (amount, content) in enumerate(zip(total, cells.rows, strict=True)):
        start, stop = 0.0, float(_DAY_MIN)
        if len(content) > len(_WTR_NAMES):
            one = Cells(cells.path, cells.names, [content], [cells.lines[day]])
            start, stop = (float(_clock_minutes(one, len(_WTR_NAMES) + k)[0]) for k in (0, 1))
        if amount > 0.0 and stop <= start:
            raise fail(expected="rain that ends after it starts", given=f"{start:g} to {stop:g} "
                       "min after midnight", where=cells.where(day), remedy="correct the line")
        begin, end = midnight[day] + start, midnight[day] + stop
        wet = np.clip(np.minimum(wanted, end) - np.maximum(wanted - 60.0, begin), 0.0, None)
        rain += amount * wet / max(stop - start, 1.0)
    return rain
