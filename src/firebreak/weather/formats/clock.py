"""The clock of a weather file: dates and times from text, and whether rows follow each other."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, fail
from firebreak.weather.formats.table import GAP_FACTOR, Floats, Times
from firebreak.weather.formats.text import Cells

_STAMP = re.compile(r"(\d{1,4})([-/])(\d{1,2})\2(\d{1,4})[ T](\d{1,2}):(\d{2})"
                    r"(?::(\d{2})(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?")


def times(cells: Cells, *names: str) -> Times:
    """A column of dates and times, [N] datetime64[m].

    Where the year is last, the day comes before the month, unless the other order gives dates
    that exist at equal and shorter steps: both kinds of files exist.

    Raises:
        InputError: no such column, no date, a date that does not exist, or mixed styles.
    """
    stamps = cells.column(*names)
    parsed = [_stamp(cells, row, text) for row, text in enumerate(stamps)]
    for row, stamp in enumerate(parsed):
        if stamp.style != parsed[0].style:
            raise fail(expected=f"dates written like '{stamps[0]}'", given=f"'{stamps[row]}'",
                       where=cells.where(row), remedy="write all dates in one way")
    swapped = _month_first(cells, stamps, parsed)
    try:
        found = _moments(cells, stamps, parsed)
    except InputError:
        if swapped is None:
            raise
        return swapped
    if swapped is not None and (np.diff(found).max() > np.diff(swapped).max()):
        return swapped
    return found


class _Stamp(NamedTuple):
    """A date and time as written: the place of its year, its separator, its numbers."""

    style: tuple[int, str]
    year: int
    month: int
    day: int
    hhmm: int


def _stamp(cells: Cells, row: int, text: str) -> _Stamp:
    """The parts of a date, day before month."""
    match = _STAMP.fullmatch(text)
    if match is None:
        raise _no_date(cells, row, text)
    first, separator, month, last, hour, minute, _ = match.groups()
    year_first = len(first) == 4
    year, day = (first, last) if year_first else (last, first)
    if len(year) not in (2, 4) or len(day) > 2:
        raise _no_date(cells, row, text)
    century = 2000 if len(year) == 2 else 0
    return _Stamp((0 if year_first else len(year), separator), int(year) + century, int(month),
                  int(day), 100 * int(hour) + int(minute))


def _moments(cells: Cells, stamps: list[str], parsed: list[_Stamp]) -> Times:
    return np.array([moment(cells, row, text, stamp.year, stamp.month, stamp.day, stamp.hhmm)
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
    return found if _equal_steps(found) else None


def _equal_steps(time: Times) -> bool:
    steps = np.diff(time)
    return bool((steps == steps[:1]).all() and (steps > np.timedelta64(0, "m")).all())


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
        raise fail(expected="a date and time that exist, the day before the month",
                   given=f"'{text}' ({error})", where=cells.where(row),
                   remedy="correct it, or write YYYY-MM-DD HH:MM") from error


def _no_date(cells: Cells, row: int, text: str) -> InputError:
    return fail(expected="a date and time such as 2001-10-16 13:00", given=f"'{text}'",
                where=cells.where(row), remedy="correct this line")


def minutes_since_first(time: Times) -> Floats:
    """Minutes since the first of these times, [N]."""
    return (time - time[0]) / np.timedelta64(1, "m")


def check_rising(cells: Cells, minutes: Floats) -> None:
    """Refuses rows whose time is not after the row before."""
    late = np.flatnonzero(np.diff(minutes) <= 0)
    if late.size:
        row = int(late[0]) + 1
        raise fail(expected="times that rise from row to row",
                   given=f"{minutes[row] - minutes[row - 1]:g} min after the row before",
                   where=cells.where(row), remedy="sort the rows by time and remove duplicates")


def check_steps(cells: Cells, minutes: Floats) -> None:
    """Refuses rows that are not all the same time apart."""
    check_rising(cells, minutes)
    steps = np.diff(minutes)
    odd = np.flatnonzero(np.abs(steps - steps[:1]) > 0.5)
    if odd.size:
        row = int(odd[0]) + 1
        raise fail(expected=f"a row every {steps[0]:g} min", given=f"one after {steps[row - 1]:g} "
                   "min", where=cells.where(row), remedy="fill the gap, or cut the file there")


def gaps(minutes: Floats) -> NDArray[np.intp]:
    """The rows that come too long after the row before."""
    steps = np.diff(minutes)
    return np.flatnonzero(steps > GAP_FACTOR * np.median(steps)) + 1 if steps.size else np.array(
        [], dtype=np.intp)
