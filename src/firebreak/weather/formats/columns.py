"""Columns of station tables by the names and units that their makers write.

Besides those of Cell2Fire: hourly input of cffdrs (yr, mon, day, hr, temp, rh, ws, wd, prec), FW21
of FireFamilyPlus, exports of Synoptic (units in a row of their own) and of Open-Meteo. A unit in
brackets after a name holds; a name that leaves the unit open is refused without one.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.reading import is_number, number_in
from firebreak.units import M_MIN_PER_KM_H, METRES_PER_FOOT
from firebreak.weather.formats.table import HEIGHT_10M, HEIGHT_20FT_M, WeatherWarning
from firebreak.weather.formats.text import (
    CELSIUS,
    FAHRENHEIT,
    KM_H,
    LIMITS,
    MM,
    MPH,
    PERCENT,
    PLAIN,
    Cells,
    Unit,
    csv_cells,
)

_M_S, _KNOTS = Unit("m/s", 60.0), Unit("kn", 1.852 * M_MIN_PER_KM_H)

WIND_UNITS = {**dict.fromkeys(("km/h", "kmh", "kph", "kmph"), KM_H),
              **dict.fromkeys(("mph", "mp/h", "mi/h", "miles/hour"), MPH),
              **dict.fromkeys(("m/s", "ms", "mps", "m s-1", "m s**-1", "meters/second"), _M_S),
              **dict.fromkeys(("kn", "kt", "kts", "knots"), _KNOTS)}
"""Units of a wind by the names that files give them."""

# Our name, its quantity, the names that others write, and the units by the names of theirs.
_STATION: tuple[tuple[str, str, tuple[str, ...], dict[str, Unit]], ...] = (
    ("WS", "wind_m_min", ("windspeed", "wind_speed", "wind_speed_10m", "windspeed_10m",
                          "wind_speed_set_1"),
     WIND_UNITS),
    ("WD", "wind_from_deg", ("winddirection", "wind_direction", "wind_direction_10m",
                             "winddirection_10m", "wind_direction_set_1", "windazimuth"),
     dict.fromkeys(("°", "deg", "degrees", "degree"), PLAIN)),
    ("TMP", "temperature_c", ("t", "temp", "temperature", "temperature_2m", "air_temp",
                              "air_temp_set_1"),
     {**dict.fromkeys(("c", "°c", "celsius", "degc"), CELSIUS),
      **dict.fromkeys(("f", "°f", "fahrenheit", "degf"), FAHRENHEIT)}),
    ("RH", "relative_humidity", ("relativehumidity", "relative_humidity", "relative_humidity_2m",
                                 "relativehumidity_2m", "relative_humidity_set_1"),
     dict.fromkeys(("%", "percent"), PERCENT)),
    ("APCP", "rain_mm", ("precip", "precipitation", "precip_accum_one_hour_set_1", "prec", "rain"),
     {**dict.fromkeys(("mm", "millimeters"), MM),
      **dict.fromkeys(("in", "inch", "inches"), Unit("in", 25.4))}),
    ("datetime", "", ("date_time", "time"), dict.fromkeys(("iso8601", "lst", "local", "utc", "gmt"),
                                                          PLAIN)),
)
_DEFINED = ("t", "temp", "prec", "rain")
"""Names without a unit that have one by definition: ours, and those of cffdrs."""
_PLAIN_UNITS = ("", "%", "-", "1")
"""Units in brackets after names that have one unit only."""
_STATIONS = ("id", "stid", "station_id", "stationid", "location_id")
_DATE = ("yr", "mon", "day", "hr")
_OF_FW21 = "windazimuth"
_REMARK = re.compile(r"#\s*([^:]+):(.*)")
_UTC = ("utc", "gmt", "etc/utc", "etc/gmt", "z")
_AT_HEIGHT = re.compile(r"(.*?)\s*(?:at|@)\s*([\d.]+)\s*(m|ft)")
_HEIGHT_OPEN = ("windspeed", "wind_speed", "wind_speed_set_1")
"""Names of winds of which nobody says at what height they are measured."""
_NAME_AND_UNIT = re.compile(r"(.*?)\s*[(\[]([^)\]]*)[)\]]")
_MISSING = ("", "NA", "N/A", "NAN", "NULL", "NONE", "M", "-")
_MISSING_CODES = (99.0, 99.9, 999.0, 999.9, 9999.0)
_MOST_MISSING = 0.1  # of all rows; of more the column is wrong, not the hour
_TOP_LINES = 40  # that may stand above the header


class Station(NamedTuple):
    """cells: with our names, and the units that the file states. height_m: of the wind, above the
    vegetation. longitude_deg: of the place, or None.
    """

    cells: Cells
    height_m: float = HEIGHT_10M
    longitude_deg: float | None = None


def station_cells(path: Path, lines: list[str], wanted: tuple[str, ...]) -> Station:
    """The rows of a station's CSV file. Times in UTC end with Z.

    Raises:
        InputError: no rows, or a column whose unit is not known or not stated.

    Warns:
        WeatherWarning: the file does not say at what height the wind is measured.
    """
    cells = csv_cells(path, _from_header(lines), wanted)
    split = [_NAME_AND_UNIT.fullmatch(name) for name in cells.names]
    stems = [(found[1] if found else name).casefold()
             for found, name in zip(split, cells.names, strict=True)]
    if "station_name" in stems:  # WindNinja's, which has names of its own
        return Station(cells)
    units = [found[2] if found else "" for found in split]
    cells, units = _without_unit_row(cells, stems, units)
    _check_one_station(cells, stems)
    names, stated = list(cells.names), {}
    height_m = HEIGHT_20FT_M
    own = {name.casefold(): name for name in wanted}
    for number, found in enumerate(split):
        if found and stems[number] in own and found[2].strip() in _PLAIN_UNITS:
            names[number] = own[stems[number]]
    for ours, quantity, others, known in _STATION:
        place = next((stems.index(stem) for stem in (ours.casefold(), *others) if stem in stems),
                     None)
        if place is None:
            continue
        unit = units[place].strip().casefold()
        height = _AT_HEIGHT.fullmatch(unit) if ours == "WS" else None
        unit = height[1] if height else unit
        if not quantity and unit and unit not in known:  # as in datetime (UTC)
            continue
        open_unit = quantity in ("wind_m_min", "temperature_c", "rain_mm")
        if unit not in known and (unit or (open_unit and stems[place] in others
                                           and stems[place] not in _DEFINED)):
            raise fail(expected=f"a unit of '{names[place]}' such as {', '.join(known)}",
                       given=f"'{unit}'" if unit else "none",
                       where=f"{path}, line {cells.header_line}",
                       remedy=f"write it into the header, for example {stems[place]} "
                              f"({next(iter(known))})")
        if unit and quantity:
            stated[ours.casefold()] = known[unit]
        if ours == "WS" and (height or _OF_FW21 not in stems):
            height_m = _height_m(path, names[place], height)
        names[place] = ours
    cells = replace(cells, names=tuple(names), units=stated)
    cells = _with_dates(cells, stems)
    about = _about(lines, cells.header_line)
    zone = about.get("timezone", "").casefold()
    if "datetime" in cells.names:
        place = cells.names.index("datetime")
        of_header = units[place].casefold() if place < len(units) else ""
        offset_s = _number_under(about, "utc_offset_seconds")
        if of_header in _UTC or (zone in _UTC and offset_s == 0.0):
            cells = replace(cells, rows=[
                [*row[:place], row[place].strip().removesuffix("Z") + "Z", *row[place + 1:]]
                for row in cells.rows])
    return Station(cells, height_m, _number_under(about, "longitude"))


def _height_m(path: Path, name: str, stated: re.Match[str] | None) -> float:
    """Height of a wind above the vegetation, as stated beside its unit, or by its name."""
    if stated:
        return number_in(stated[2]) * (METRES_PER_FOOT if stated[3] == "ft" else 1.0)
    if _NAME_AND_UNIT.sub(r"\1", name).casefold() in _HEIGHT_OPEN:
        warnings.warn(f"{path}: nothing says at what height '{name}' is measured, so it is read as "
                      "a wind at 10 m; write another height beside the unit, such as mph at 20 ft "
                      "for a RAWS", WeatherWarning, stacklevel=5)
    return HEIGHT_10M


def _about(lines: list[str], header_line: int) -> dict[str, str]:
    """The lines above the header on the place: remarks, as in exports of Synoptic, or a table
    of one row, as in those of Open-Meteo.
    """
    about = {found[1].strip().casefold(): found[2].strip() for line in lines[:header_line - 1]
             if (found := _REMARK.fullmatch(line.strip()))}
    for names, values in pairwise(lines[:header_line - 1]):
        words = [word.strip(' "').casefold() for word in names.split(",")]
        if "longitude" in words and len(words) == values.count(",") + 1:
            about |= zip(words, (word.strip(' "') for word in values.split(",")), strict=True)
    return about


def _number_under(about: dict[str, str], name: str) -> float | None:
    """The number under a name, or None."""
    text = about.get(name, "")
    return number_in(text) if is_number(text) else None


def _check_one_station(cells: Cells, stems: list[str]) -> None:
    """Refuses the rows of several stations, which are no one's weather.

    Raises:
        InputError: naming two of them.
    """
    place = next((stems.index(stem) for stem in _STATIONS if stem in stems), None)
    names = [] if place is None else list(dict.fromkeys(row[place].strip() for row in cells.rows))
    if len(names) > 1:
        raise fail(expected="the rows of one station", given=f"{len(names)}, such as '{names[0]}' "
                   f"and '{names[1]}'", where=str(cells.path),
                   remedy="keep those of the station that is nearest")


def _from_header(lines: list[str]) -> list[str]:
    """The lines with those above the header blank: remarks, and a table about the place."""
    speeds = {"ws", *_STATION[0][2]}
    for number, line in enumerate(lines[:_TOP_LINES]):
        words = {re.split(r"[(\[]", word)[0].strip(' "').casefold()
                 for word in re.split("[,;\t]", line)}
        if words & speeds and not line.lstrip().startswith("#"):
            return [""] * number + lines[number:]
    return ["" if line.lstrip().startswith("#") else line for line in lines]


def _without_unit_row(cells: Cells, stems: list[str],
                      units: list[str]) -> tuple[Cells, list[str]]:
    """The cells without the row of units below the header, if there is one, and the units."""
    row = cells.rows[0]
    known = {unit for _, _, _, names in _STATION for unit in names}
    texts = [text.strip() for text in row]
    if (len(cells.rows) < 2 or any(map(is_number, texts))
            or not any(text.casefold() in known for text in texts)):
        return cells, units
    return replace(cells, rows=cells.rows[1:], lines=cells.lines[1:]), [
        text if stem != "datetime" and text else unit
        for text, stem, unit in zip(texts, stems, units, strict=True)]


def _with_dates(cells: Cells, stems: list[str]) -> Cells:
    """Table with a column of dates and times in place of year, month, day and hour."""
    if "datetime" in (name.casefold() for name in cells.names) or not set(_DATE) <= set(stems):
        return cells
    year, month, day, hour = map(stems.index, _DATE)
    rows = [[*row, f"{row[year].strip()}-{row[month].strip()}-{row[day].strip()} "
                   f"{row[hour].strip()}:00"] for row in cells.rows]
    return replace(cells, names=(*cells.names, "datetime"), rows=rows)


def without_missing(cells: Cells, columns: Mapping[str, tuple[str, Unit]]) -> Cells:
    """The rows of a station that have a number in each of these columns (name: quantity, unit):
    blank ones and codes such as 999 are left out, if they are few, and become gaps.

    Warns:
        WeatherWarning: saying where the first is and how many there are.
    """
    missing = np.zeros(len(cells.rows), np.bool_)
    for name, (quantity, unit) in columns.items():
        missing |= _missing(cells, quantity, unit, name)
    if not missing.any() or missing.mean() > _MOST_MISSING:
        return cells
    _warn_left_out(cells, missing, "a number is missing")
    return kept(cells, ~missing)


def with_blanks(cells: Cells, quantity: str, unit: Unit, name: str) -> Cells:
    """The cells with blanks in a column for what stands for no number there."""
    place = cells.position(name)
    return replace(cells, rows=[
        [*row[:place], "", *row[place + 1:]] if blank and place is not None else row
        for row, blank in zip(cells.rows, _missing(cells, quantity, unit, name), strict=True)])


def _missing(cells: Cells, quantity: str, unit: Unit, name: str) -> list[bool]:
    """True for the rows that have no number in a column; for none where there is no such column."""
    place, (low, high, _) = cells.position(name), LIMITS[quantity]
    if place is None:
        return [False] * len(cells.rows)
    factor, offset = cells.units.get(name.casefold(), unit)[1:]

    def is_missing(text: str) -> bool:
        if text.upper() in _MISSING or not is_number(text):
            return text.upper() in _MISSING
        number = number_in(text)
        return abs(number) in _MISSING_CODES and not low <= factor * number + offset <= high

    return [is_missing(row[place].strip()) for row in cells.rows]


def without_repeats(cells: Cells, minutes: NDArray[np.float64],
                    hour: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The rows [N] without the hour that the end of daylight saving time repeats, in the small
    hours (`hour`, of the day) and at most an hour back.

    Warns:
        WeatherWarning: saying where the first is and how many there are.
    """
    latest = np.maximum.accumulate(minutes)
    repeated = np.append(False, minutes[1:] <= latest[:-1])
    plausible = (hour <= 3) & (latest - minutes <= 60.0)
    if not repeated.any() or not plausible[repeated].all() or repeated.mean() > _MOST_MISSING:
        return np.ones(minutes.size, np.bool_)
    _warn_left_out(cells, repeated, "the clock repeats an hour")
    return ~repeated


def _warn_left_out(cells: Cells, rows: NDArray[np.bool_], why: str) -> None:
    more = int(rows.sum()) - 1
    warnings.warn(f"{cells.where(int(np.argmax(rows)))}: {why}; this row"
                  f"{f' and {more} more are' if more else ' is'} left out", WeatherWarning,
                  stacklevel=6)


def kept(cells: Cells, keep: NDArray[np.bool_]) -> Cells:
    """The cells of the rows that are True."""
    rows = np.flatnonzero(keep).tolist()
    return replace(cells, rows=[cells.rows[row] for row in rows],
                   lines=[cells.lines[row] for row in rows])
