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

from firebreak.checks import fail
from firebreak.weather.formats.table import (
    HEIGHT_10M,
    HEIGHT_20FT_M,
    Floats,
    Times,
    WeatherTable,
    wind_at_20ft,
)
from firebreak.weather.formats.text import (
    CELSIUS,
    FAHRENHEIT,
    KM_H,
    MM,
    MPH,
    PERCENT,
    Cells,
    Unit,
    check_rising,
    check_steps,
    minutes_since_first,
    moment,
    read_lines,
    refuse_fractions,
)

_WXS_NAMES = ("Year", "Mth", "Day", "Time", "Temp", "RH", "HrlyPcp", "WindSpd", "WindDir",
              "CloudCov")
_WTR_NAMES = ("Month", "Day", "Precip", "Hour1", "Hour2", "Tmin", "Tmax", "RHmax", "RHmin",
              "Elevation")  # and, in some files, when the rain starts and ends
_WND_NAMES = ("Month", "Day", "Time", "Speed", "Direction", "Cloud")
_HOUR = np.timedelta64(60, "m")
_DAY_MIN = 1440


class _System(NamedTuple):
    """The units of a file. daily_rain: of a .wtr."""

    temperature: Unit
    rain: Unit
    daily_rain: Unit
    speed: Unit
    wind_height_m: float

    def wind_20ft_m_min(self, cells: Cells, name: str) -> Floats:
        """A column of wind speeds, 20 ft above the vegetation."""
        return wind_at_20ft(cells.numbers("wind_m_min", name, unit=self.speed), self.wind_height_m,
                            str(cells.path))


_SYSTEMS = {"english": _System(FAHRENHEIT, Unit("in", 25.4), Unit("1/100 in", 0.254), MPH,
                               HEIGHT_20FT_M),
            "metric": _System(CELSIUS, MM, MM, KM_H, HEIGHT_10M)}


def is_wxs(lines: list[str]) -> bool:
    """True where a file holds a RAWS block."""
    return any(line.strip().upper().startswith("RAWS_UNITS") for line in lines)


def read_wxs(path: Path, lines: list[str]) -> WeatherTable:
    """The table of a RAWS block: a .wxs or .raws file, or one inside a FARSITE .input file.

    Raises:
        InputError: a heading, a row or a number is wrong, or the rows are not equally far apart.
    """
    system, first, count = _wxs_heading(path, lines)
    cells = _wxs_rows(path, lines, first, count)
    time = _stamps(cells, [row[:4] for row in cells.rows])
    minutes = minutes_since_first(time)
    check_steps(cells, minutes)
    humidity = cells.numbers("relative_humidity", "RH", unit=PERCENT)
    refuse_fractions(cells, humidity)
    return WeatherTable(
        where=str(path), one_fire=False, minutes=minutes, time=time, relative_humidity=humidity,
        wind_20ft_m_min=system.wind_20ft_m_min(cells, "WindSpd"),
        wind_from_deg=cells.directions("WindDir"),
        temperature_c=cells.numbers("temperature_c", "Temp", unit=system.temperature),
        rain_mm=cells.numbers("rain_mm", "HrlyPcp", unit=system.rain),
        cloud_cover=cells.numbers("cloud_cover", "CloudCov", unit=PERCENT))


def _wxs_heading(path: Path, lines: list[str]) -> tuple[_System, int, int]:
    """The units, the index of the first line below the headings, and the stated number of rows."""
    found: dict[str, str] = {}
    last = 0
    for index, line in enumerate(lines):
        match = re.match(r"\s*(RAWS(?:_[A-Z]+)?)\s*:\s*(\S*)", line, re.IGNORECASE)
        if match:
            found[match[1].upper()], last = match[2], index + 1
    units, rows = found.get("RAWS_UNITS", ""), found.get("RAWS", "")
    system = _SYSTEMS.get(units.lower())
    if system is None:
        raise fail(expected="RAWS_UNITS: English or Metric", given=f"'{units}'",
                   where=str(path), remedy="correct the heading")
    if not re.fullmatch(r"[0-9]{1,9}", rows):
        raise fail(expected="a heading 'RAWS: number of rows'", given=f"'{rows}'", where=str(path),
                   remedy="add the heading")
    return system, last, int(rows)


def _wxs_rows(path: Path, lines: list[str], first: int, count: int) -> Cells:
    """Rows, as many as the heading states, below the row of names if there is one."""
    numbered = [(line, row) for line, text in enumerate(lines[first:], start=first + 1)
                if (row := text.split())]
    if numbered and numbered[0][1][0].casefold() == "year":
        del numbered[0]
    cells = _cells(path, _WXS_NAMES, numbered[:count], len(_WXS_NAMES))
    if len(cells.rows) < max(count, 1):
        raise fail(expected=f"{count} rows as the heading says", given=f"{len(cells.rows)}",
                   where=f"{path}, line {len(lines)}",
                   remedy="correct the heading, or add the rows")
    return cells


def read_wtr_wnd(path: Path) -> WeatherTable:
    """The hourly table of a .wtr and the .wnd of the same name, given one of the two.

    Hours run from the first wind to the last; a wind holds until the next. A day's rain falls
    evenly over the hours that the .wtr gives for it, else over the whole day. After the last day
    and before the first, the extremes of that day repeat. Nothing follows from the year: it is one
    that has the days.

    Raises:
        InputError: the other file is missing, or a row is invalid.
    """
    days, daily_system = _read_rows(_partner(path, ".wtr"), _WTR_NAMES, len(_WTR_NAMES) + 2)
    winds, system = _read_rows(_partner(path, ".wnd"), _WND_NAMES, len(_WND_NAMES))
    leap = any(re.match("0*2 0*29 ", " ".join(row)) for row in [*days.rows, *winds.rows])
    year = "2024" if leap else "2023"
    wind_time = _stamps(winds, [[year, *row[:3]] for row in winds.rows])
    check_rising(winds, minutes_since_first(wind_time))
    time = np.arange(wind_time[0], wind_time[-1] + np.timedelta64(1, "m"), _HOUR)
    held = np.searchsorted(wind_time, time, side="right") - 1
    return WeatherTable(
        where=str(winds.path), one_fire=False, minutes=minutes_since_first(time), time=time,
        wind_20ft_m_min=system.wind_20ft_m_min(winds, "Speed")[held],
        wind_from_deg=winds.directions("Direction")[held],
        cloud_cover=winds.numbers("cloud_cover", "Cloud", unit=PERCENT)[held],
        **_daily(days, daily_system, year, time))


def _partner(path: Path, suffix: str) -> Path:
    """The file of this name with another suffix, in lower or upper case."""
    for candidate in (path.with_suffix(suffix), path.with_suffix(suffix.upper())):
        if candidate.is_file():
            return candidate
    raise fail(expected=f"{path.with_suffix(suffix).name} beside it, since .wtr and .wnd belong "
                        "together",
               given="no such file", where=str(path), remedy="put the two files into one folder")


def _read_rows(path: Path, names: tuple[str, ...], most: int) -> tuple[Cells, _System]:
    """The rows of a .wtr or .wnd file and its units."""
    lines = read_lines(path)
    system = _SYSTEMS.get(lines[0].strip().lower())
    if system is None:
        raise fail(expected="ENGLISH or METRIC", given=f"'{lines[0].strip()}'",
                   where=f"{path}, line 1", remedy="name the units in the first line")
    numbered = [(index, line.split()) for index, line in enumerate(lines[1:], start=2)
                if line.strip()]
    if not numbered:
        raise fail(expected="rows of weather below the first line", given="none", where=str(path),
                   remedy="write the weather into it")
    return _cells(path, names, numbered, most), system


def _cells(path: Path, names: tuple[str, ...], numbered: list[tuple[int, list[str]]],
           most: int) -> Cells:
    """Rows with the numbers of their lines, each of as many cells as there are names, or `most`."""
    cells = Cells(path, names, [row for _, row in numbered], [line for line, _ in numbered])
    for row, content in enumerate(cells.rows):
        if len(content) not in (len(names), most):
            more = f" or {most}" if most != len(names) else ""
            raise cells.wrong(row, f"{len(names)}{more} numbers ({' '.join(names)})",
                              f"{len(content)}", "complete the line")
    return cells


def _stamps(cells: Cells, parts: list[list[str]]) -> Times:
    """The times of rows of which year, month, day and HHMM are given."""
    found = []
    for row, own in enumerate(parts):
        if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in own):
            raise cells.wrong(row, "year, month, day and time as whole numbers",
                              f"'{' '.join(own)}'", "correct the line")
        found.append(moment(cells, row, " ".join(own), *map(int, own)))
    return np.array(found, dtype="datetime64[m]")


def _daily(cells: Cells, system: _System, year: str, time: Times) -> dict[str, Floats]:
    """Temperature, humidity and rain at these times from a .wtr file."""
    dates = _stamps(cells, [[year, *row[:2], "0"] for row in cells.rows])
    midnight = minutes_since_first(dates)
    # A column may hold day after day only: between two extremes there is one night or one day.
    check_steps(cells, midnight)
    knots = np.array([[_minutes_of_day(cells, row, column) for column in (3, 4)]
                      for row in range(len(cells.rows))])
    order = np.argsort(knots, axis=1)
    at = (midnight[:, None] + np.take_along_axis(knots, order, 1)).ravel()
    wanted = (time - dates[0]) / np.timedelta64(1, "m")
    result = {}
    for name, unit, columns in (("temperature_c", system.temperature, ("Tmin", "Tmax")),
                                ("relative_humidity", PERCENT, ("RHmax", "RHmin"))):
        extremes = np.stack([cells.numbers(name, column, unit=unit) for column in columns], axis=1)
        result[name] = _cosine(at, np.take_along_axis(extremes, order, 1), wanted)
    refuse_fractions(cells, result["relative_humidity"])
    return {**result, "rain_mm": _hourly_rain(cells, system.daily_rain, midnight, wanted)}


def _minutes_of_day(cells: Cells, row: int, column: int) -> float:
    """HHMM as minutes after midnight."""
    text = cells.rows[row][column]
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > 2400 or int(text) % 100 > 59:
        raise cells.wrong(row, "a time of day as HHMM", f"'{text}'", "write for example 1400")
    return 60.0 * (int(text) // 100) + int(text) % 100


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


def _hourly_rain(cells: Cells, unit: Unit, midnight: Floats, wanted: Floats) -> Floats:
    """Rain in the hour before each time, mm, from the days' sums."""
    rain = np.zeros(wanted.size)
    for day, amount in enumerate(cells.numbers("rain_mm", "Precip", unit=unit)):
        start, stop = 0.0, float(_DAY_MIN)
        if len(cells.rows[day]) > len(_WTR_NAMES):
            start, stop = (_minutes_of_day(cells, day, len(_WTR_NAMES) + k) for k in (0, 1))
        if amount > 0.0 and stop <= start:
            raise cells.wrong(day, "rain that ends after it starts",
                              f"{start:g} to {stop:g} min after midnight", "correct the line")
        begin, end = midnight[day] + start, midnight[day] + stop
        wet = np.clip(np.minimum(wanted, end) - np.maximum(wanted - 60.0, begin), 0.0, None)
        rain += amount * wet / max(stop - start, 1.0)
    return rain
