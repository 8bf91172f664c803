"""Weather files as text: cells with the number of their line, checked numbers, dates and times.

Every mistake is one sentence that names the file and the line.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

from firebreak.checks import InputError, fail, nearest
from firebreak.reading import MOST_LINES, check_file, csv_rows, number_in, text_of
from firebreak.units import M_MIN_PER_KM_H, M_MIN_PER_MPH
from firebreak.weather.formats.table import Floats, Times, WeatherWarning

_STAMP = re.compile(r"(\d{1,4})([-/])(\d{1,2})\2(\d{1,4})[ T](\d{1,2}):(\d{2})"
                    r"(?::(\d{2})(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?", re.ASCII)

_DATE = re.compile(r"\d{1,4}([-/])\d{1,2}\1\d{1,4}", re.ASCII)


class Unit(NamedTuple):
    """The unit of a quantity in a file: ours is factor * theirs + offset. name: as people write it.
    """

    name: str
    factor: float = 1.0
    offset: float = 0.0


PLAIN, PERCENT, MM = Unit(""), Unit("%", 0.01), Unit("mm")
CELSIUS, FAHRENHEIT = Unit("C"), Unit("F", 5.0 / 9.0, -160.0 / 9.0)
KM_H, MPH = Unit("km/h", M_MIN_PER_KM_H), Unit("mph", M_MIN_PER_MPH)

# Lowest and highest value in our units, and the quantity in words.
LIMITS: dict[str, tuple[float, float, str]] = {
    "temperature_c": (-60.0, 60.0, "a temperature"),
    "relative_humidity": (0.0, 1.0, "a relative humidity"),
    "rain_mm": (0.0, 500.0, "rain"),
    "cloud_cover": (0.0, 1.0, "a cloud cover"),
    **dict.fromkeys(("wind_m_min", "wind_20ft_m_min"), (0.0, 6000.0, "a wind speed")),
    "wind_from_deg": (0.0, 360.0, "a wind direction"),
    "fine_fuel_moisture_code": (0.0, 101.0, "an FFMC"),
    "duff_moisture_code": (0.0, 1000.0, "a DMC"),
    "drought_code": (0.0, 3000.0, "a DC"),
    "initial_spread_index": (0.0, 1000.0, "an ISI"),
    "buildup_index": (0.0, 1000.0, "a BUI"),
    **{f"dead_moisture_{hours}h": (0.001, 1.0, "a dead moisture") for hours in (1, 10, 100)},
    **{f"live_moisture_{kind}": (0.001, 5.0, "a live moisture") for kind in ("herb", "woody")},
    "longitude_deg": (-180.0, 180.0, "a longitude"),
    "height_m": (0.0, 1000.0, "a height"),
    "fire_scenario": (1.0, 4.0, "a moisture scenario"),
}


_WANTED_UNITS = {"WS": ", km/h at 10 m", "WD": ", degrees that the wind blows from"}
"""Units of columns that are needed, in words."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A file's rows as text.

    Attributes:
        path: the file.
        names: of the columns.
        rows: cells by row.
        lines: number of the file's line of each row.
        wanted: names that mean something to the reader, so that none is taken for another.
        header_line: number of the line with the names.
        units: that the file states, by the name of the column in small letters.
    """

    path: Path
    names: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]
    wanted: tuple[str, ...] = ()
    header_line: int = 1
    units: Mapping[str, Unit] = field(default_factory=dict)

    def where(self, row: int) -> str:
        """A row's place in words."""
        return f"{self.path}, line {self.lines[row]}"

    def wrong(self, row: int, expected: str, given: str, remedy: str) -> InputError:
        """The error for a row."""
        return fail(expected=expected, given=given, where=self.where(row), remedy=remedy)

    def position(self, *names: str) -> int | None:
        """Position of the first of `names` that is a column, or None; case does not matter."""
        known = [name.casefold() for name in self.names]
        return next((known.index(name.casefold()) for name in names if name.casefold() in known),
                    None)

    def column(self, *names: str) -> list[str]:
        """The cells of the first of `names` that is a column, without blanks around.

        Raises:
            InputError: there is none of them.
        """
        position = self.position(*names)
        if position is None:
            known = {name.casefold() for name in self.wanted}
            close = nearest(names[0], [name for name in self.names if name.casefold() not in known])
            unit = _WANTED_UNITS.get(names[0], "")
            remedy = (f"is '{close}' meant? rename it" + (", if that is its unit" if unit else "")
                      if close else f"add a column '{names[0]}'")
            raise fail(expected=f"a column {' or '.join(map(repr, names))}{unit}",
                       given=f"columns {', '.join(self.names)}",
                       where=f"{self.path}, line {self.header_line}", remedy=remedy)
        return [row[position].strip() for row in self.rows]

    def numbers(self, quantity: str, *names: str, unit: Unit = PLAIN,
                blank: float | None = None) -> Floats:
        """A column as numbers [N] in our unit; `blank` for an empty cell, which else is an error.

        Raises:
            InputError: no such column, a cell that is no number, or one out of the quantity's
                range.
        """
        place = self.position(*names)
        if place is not None:
            unit = self.units.get(self.names[place].casefold(), unit)
        return np.array([self.number(row, text, quantity, unit, blank)
                         for row, text in enumerate(self.column(*names))], dtype=np.float64)

    def number(self, row: int, text: str, quantity: str, unit: Unit = PLAIN,
               blank: float | None = None) -> float:
        """One cell as a number in our unit; see `numbers`."""
        low, high, words = LIMITS[quantity]
        if blank is not None and text.upper() in ("", "NA"):
            return blank
        try:
            theirs = number_in(text)
        except ValueError as error:
            raise self.wrong(row, f"{words} as a number", f"'{text}'", "write a decimal point"
                             if "," in text else "write a number") from error
        value = unit.factor * theirs + unit.offset
        # The slack lets a limit itself pass that conversion rounded; nan fails both.
        if not low - 1e-9 <= value <= high + 1e-9:
            lowest, highest = ((limit - unit.offset) / unit.factor for limit in (low, high))
            raise self.wrong(row, f"{words} in [{lowest:g}, {highest:g}] {unit.name}".rstrip(),
                             text, "correct the number, or the file's unit")
        return min(max(value, low), high)

    def directions(self, name: str) -> Floats:
        """A column of directions [N], degrees in [0, 360)."""
        return self.numbers("wind_from_deg", name) % 360.0


def refuse_fractions(cells: Cells, humidity: Floats) -> None:
    """Refuse a whole column of humidities that were written as fractions instead of percent."""
    if humidity.max() <= 0.01:
        raise fail(expected="relative humidities in percent",
                   given=f"at most {100.0 * humidity.max():g}", where=str(cells.path),
                   remedy="multiply the column by 100 if it holds fractions")


def read_lines(path: Path) -> list[str]:
    """The lines of a text file; `InputError` if it is missing, empty, not text or far too large."""
    check_file(path, "a weather file")
    try:
        lines = text_of(path, lines=MOST_LINES).splitlines()
    except UnicodeDecodeError as error:
        raise fail(expected="a text file in UTF-8", given=f"'{error}'", where=str(path),
                   remedy="save it again as UTF-8") from error
    if not any(map(str.strip, lines)):
        raise fail(expected="rows of weather", given="an empty file", where=str(path),
                   remedy="write the weather into it")
    return lines


def csv_cells(path: Path, lines: list[str], wanted: tuple[str, ...] = ()) -> Cells:
    """The cells of a CSV file with a header, comma or semicolon; blank lines are skipped.

    Raises:
        InputError: no rows, or one that does not fit the header.
    """
    header = next((line for line in lines if line.strip()), "")
    delimiter = max(",;\t", key=header.count)
    numbered = [(line, row) for line, row in csv_rows(lines, str(path), delimiter=delimiter)
                if any(map(str.strip, row))]
    if len(numbered) < 2:
        raise fail(expected="rows of weather below the header", given="none",
                   where=f"{path}, line {numbered[0][0] if numbered else 1}",
                   remedy="write the weather into it")
    names = tuple(name.strip() for name in numbered[0][1])
    cells = Cells(path, names, [row for _, row in numbered[1:]],
                  [line for line, _ in numbered[1:]], wanted, numbered[0][0])
    for k, row in enumerate(cells.rows):
        if len(row) != len(names):
            raise cells.wrong(k, f"{len(names)} cells as in the header", f"{len(row)}",
                              "add what is missing in this line")
    return cells


class _Stamp(NamedTuple):
    """A date and time as written: the place of its year, its separator, its numbers."""

    style: tuple[int, str]
    year: int
    month: int
    day: int
    hhmm: int


def times(cells: Cells, name: str, *, one_fire: bool = False) -> Times:
    """A column of dates and times, [N] datetime64[m]; of one fire also of dates alone, at 0:00.

    Where the year is last, the day comes before the month, unless the other order gives dates
    that exist at equal and shorter steps: both kinds of files exist.

    Raises:
        InputError: no such column, no date, a date that does not exist, or mixed styles.

    Warns:
        WeatherWarning: both orders are possible in the dates of a station.
    """
    stamps = cells.column(name)
    if one_fire and all(_DATE.fullmatch(text) for text in stamps):
        stamps = [f"{text} 0:00" for text in stamps]
    parsed = [_stamp(cells, row, text) for row, text in enumerate(stamps)]
    for row, stamp in enumerate(parsed):
        if stamp.style != parsed[0].style:
            raise cells.wrong(row, f"dates written like '{stamps[0]}'", f"'{stamps[row]}'",
                              "write all dates in one way")
    swapped = _month_first(cells, stamps, parsed)
    try:
        found = _moments(cells, stamps, parsed)
    except InputError:
        if swapped is None:
            raise
        return swapped
    if swapped is None or (longest := np.diff(found).max()) < (other := np.diff(swapped).max()):
        return found
    if longest > other:
        return swapped
    if not one_fire and (found != swapped).any():
        warnings.warn(f"{cells.where(0)}: dates such as '{stamps[0]}' are read with the day before "
                      "the month; write YYYY-MM-DD HH:MM if the month comes first", WeatherWarning,
                      stacklevel=5)
    return found


def _stamp(cells: Cells, row: int, text: str) -> _Stamp:
    """The parts of a date, day before month."""
    match = _STAMP.fullmatch(text)
    first, separator, month, last, hour, minute = match.groups()[:6] if match else ("",) * 6
    year_first = len(first) == 4
    year, day = (first, last) if year_first else (last, first)
    if len(year) not in (2, 4) or len(day) > 2:
        raise cells.wrong(row, "a date and time such as 2001-10-16 13:00", f"'{text}'",
                          "correct this line")
    century = 2000 if len(year) == 2 else 0
    return _Stamp((0 if year_first else len(year), separator), int(year) + century, int(month),
                  int(day), 100 * int(hour) + int(minute))


def _moments(cells: Cells, stamps: list[str], parsed: list[_Stamp]) -> Times:
    return np.array([moment(cells, row, text, *stamp[1:])
                     for row, (text, stamp) in enumerate(zip(stamps, parsed, strict=True))],
                    dtype="datetime64[m]")


def _month_first(cells: Cells, stamps: list[str], parsed: list[_Stamp]) -> Times | None:
    """The times with the month before the day if that gives equal steps, else None."""
    if parsed[0].style[0] == 0 or len(parsed) < 2:
        return None
    try:
        found = _moments(cells, stamps, [stamp._replace(month=stamp.day, day=stamp.month)
                                         for stamp in parsed])
    except InputError:
        return None
    steps = np.diff(found)
    return found if (steps == steps[0]).all() and steps[0] > np.timedelta64(0, "m") else None


def moment(cells: Cells, row: int, text: str, year: int, month: int, day: int,
           hhmm: int) -> datetime:
    """A date and a time of day written as HHMM, where 2400 is the end of the day.

    Raises:
        InputError: there is no such date or time.
    """
    hour, minute = divmod(hhmm, 100)
    try:
        if (hour, minute) == (24, 0):
            return datetime(year, month, day) + timedelta(days=1)
        return datetime(year, month, day, hour, minute)
    except (ValueError, OverflowError) as error:
        raise cells.wrong(row, "a date and time that exist, the day before the month",
                          f"'{text}' ({error})", "correct it, or write YYYY-MM-DD HH:MM",
                          ) from error


def minutes_since_first(time: Times) -> Floats:
    """Minutes since the first of these times, [N]."""
    return (time - time[0]) / np.timedelta64(1, "m")


def check_rising(cells: Cells, minutes: Floats) -> None:
    """Refuse rows whose time is not after the row before."""
    late = np.flatnonzero(np.diff(minutes) <= 0)
    if late.size:
        row = int(late[0]) + 1
        raise cells.wrong(row, "times that rise from row to row",
                          f"{minutes[row] - minutes[row - 1]:g} min after the row before",
                          "sort the rows by time and remove duplicates")


def check_steps(cells: Cells, minutes: Floats) -> None:
    """Refuse rows that are not all the same time apart."""
    check_rising(cells, minutes)
    steps = np.diff(minutes)
    odd = np.flatnonzero(np.abs(steps - steps[:1]) > 0.5)
    if odd.size:
        row = int(odd[0]) + 1
        raise cells.wrong(row, f"a row every {steps[0]:g} min", f"one after {steps[row - 1]:g} min",
                          "fill the gap, or cut the file there")
