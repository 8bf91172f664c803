"""Weather from CSV files: Cell2Fire and C2F-W, hourly stations, WindNinja stations.

Cell2Fire, C2F-W and stations of their kind: columns datetime, WS (km/h at 10 m), WD (degrees the
wind blows from) and any of TMP or T (C), RH (%), APCP (mm), FFMC, DMC, DC, ISI, BUI, FireScenario
(1 to 4), as `columns` knows them, and m_1h, m_10h, m_100h, m_lherb, m_lwoody (%). A column Scenario
or Instance makes it the weather of one fire, from its start; else it is a station's season.
WindNinja: units stand in columns of their own, row by row; times in UTC become local solar time.
"""

import warnings
from pathlib import Path

import numpy as np

from firebreak.checks import fail
from firebreak.units import METRES_PER_FOOT
from firebreak.weather.formats.columns import (
    WIND_UNITS,
    kept,
    station_cells,
    with_blanks,
    without_missing,
    without_repeats,
)
from firebreak.weather.formats.table import (
    Floats,
    Times,
    WeatherTable,
    WeatherWarning,
    gaps,
    wind_at_20ft,
)
from firebreak.weather.formats.text import (
    CELSIUS,
    FAHRENHEIT,
    KM_H,
    MM,
    PERCENT,
    PLAIN,
    Cells,
    Unit,
    check_rising,
    check_steps,
    minutes_since_first,
    refuse_fractions,
    times,
)

# Name as `columns` has it -> column of the table, unit.
_OPTIONAL: dict[str, tuple[str, Unit]] = {
    "TMP": ("temperature_c", CELSIUS), "RH": ("relative_humidity", PERCENT),
    "FFMC": ("fine_fuel_moisture_code", PLAIN), "DMC": ("duff_moisture_code", PLAIN),
    "DC": ("drought_code", PLAIN), "ISI": ("initial_spread_index", PLAIN),
    "BUI": ("buildup_index", PLAIN), "m_1h": ("dead_moisture_1h", PERCENT),
    "m_10h": ("dead_moisture_10h", PERCENT), "m_100h": ("dead_moisture_100h", PERCENT),
    "m_lherb": ("live_moisture_herb", PERCENT), "m_lwoody": ("live_moisture_woody", PERCENT),
    "FireScenario": ("fire_scenario", PLAIN)}
_FIRE = ("Scenario", "Instance")
_WANTED = ("datetime", "WS", "WD", "APCP", *_FIRE, *_OPTIONAL)
_UTC = ("Z", "+00:00", "+0000")

_SPEED_UNITS = {name: WIND_UNITS[name] for name in ("mph", "kph", "mps", "kts")}
_TEMPERATURE_UNITS = {"F": FAHRENHEIT, "C": CELSIUS}
_HEIGHT_UNITS = {"meters": PLAIN, "feet": Unit("ft", METRES_PER_FOOT)}


def read_csv(path: Path, lines: list[str]) -> WeatherTable:
    """The table of a CSV file, by what its header names.

    Raises:
        InputError: columns are missing, or a cell, a date or the clock is invalid.

    Warns:
        WeatherWarning: a station's rows have gaps, rain without a number or times in UTC;
            a fire's dates do not advance.
    """
    _refuse_list(path, lines)
    station = station_cells(path, lines, _WANTED)
    if station.cells.position("Station_Name") is not None:
        return _windninja(station.cells)
    return _cell2fire(*station)


def _refuse_list(path: Path, lines: list[str]) -> None:
    """Refuse WindNinja's list of station files, whose rows may lack the header's last comma."""
    names = [name for line in lines if (name := line.strip(' ,;"'))]
    if names and names[0].casefold() == "station_file_list":
        raise fail(expected="a station's rows", given="a list of station files", where=str(path),
                   remedy=f"name one of them, such as {names[1]}" if len(names) > 1
                   else "name a station's file")


def _cell2fire(cells: Cells, height_m: float, longitude_deg: float | None) -> WeatherTable:
    one_fire = cells.position(*_FIRE) is not None
    if not one_fire:
        cells = without_missing(cells, {"WS": ("wind_m_min", KM_H), "WD": ("wind_from_deg", PLAIN),
                                        **_OPTIONAL})
        stamps = times(cells, "datetime")
        hours = (stamps - stamps.astype("datetime64[D]")) // np.timedelta64(1, "h")
        once = without_repeats(cells, minutes_since_first(stamps), hours)
        cells, stamps = kept(cells, once), stamps[once]
    speed = wind_at_20ft(cells.numbers("wind_m_min", "WS", unit=KM_H), height_m, str(cells.path))
    direction = cells.directions("WD")
    columns: dict[str, Floats] = {
        column: cells.numbers(column, name, unit=unit)
        for name, (column, unit) in _OPTIONAL.items() if cells.position(name) is not None}
    if "relative_humidity" in columns:
        refuse_fractions(cells, columns["relative_humidity"])
    scenarios = columns.get("fire_scenario", np.zeros(1))
    if (odd := np.flatnonzero(scenarios % 1.0)).size:
        raise cells.wrong(int(odd[0]), "a moisture scenario 1, 2, 3 or 4",
                          f"{scenarios[odd[0]]:g}", "write 1 for D1L1 to 4 for D4L4")
    if cells.position("APCP") is not None:
        columns["rain_mm"] = _rain(cells)
    minutes, time = _fire_clock(cells, times(cells, "datetime", one_fire=True)) if one_fire else (
        _station_clock(cells, _solar(cells, "datetime", stamps, longitude_deg)))
    return WeatherTable(where=str(cells.path), one_fire=one_fire, minutes=minutes, time=time,
                        wind_20ft_m_min=speed, wind_from_deg=direction, **columns)


def _rain(cells: Cells) -> Floats:
    cells = with_blanks(cells, "rain_mm", MM, "APCP")
    rain = cells.numbers("rain_mm", "APCP", unit=MM, blank=np.nan)
    blank = np.isnan(rain)
    if blank.any():
        warnings.warn(f"{cells.where(int(np.argmax(blank)))}: rain is blank here and in "
                      f"{blank.sum() - 1} more rows, read as no rain", WeatherWarning, stacklevel=5)
    return np.where(blank, 0.0, rain)


def _fire_clock(cells: Cells, stamps: Times) -> tuple[Floats, Times | None]:
    """(minutes, time) of a fire's rows, which must be equally far apart.

    Files exist whose rows all have one date although the hours go past midnight, or one and the
    same time: the order of their rows is the clock, an hour a row.
    """
    minutes, days = minutes_since_first(stamps), stamps.astype("datetime64[D]")
    steps, why = np.diff(minutes), ""
    if ":" not in cells.column("datetime")[0] and (steps == 0.0).any():
        why = "dates have no time of day"
    elif (days == days[0]).all() and (steps <= 0.0).any():
        why = "all rows have one date and their times do not rise"
    if why:
        warnings.warn(f"{cells.path}: {why}, so each row is read as the hour after the row before",
                      WeatherWarning, stacklevel=5)
        return np.arange(stamps.size, dtype=np.float64) * 60.0, None
    check_steps(cells, minutes)
    return minutes, stamps


def _station_clock(cells: Cells, stamps: Times) -> tuple[Floats, Times]:
    """(minutes, time) of a station's rows; gaps are kept, with a warning."""
    minutes = minutes_since_first(stamps)
    check_rising(cells, minutes)
    found = gaps(minutes)
    if found.size:
        row = int(found[0])
        hours = (minutes[row] - minutes[row - 1]) / 60.0
        more = f", and {found.size - 1} more gaps" if found.size > 1 else ""
        warnings.warn(f"{cells.where(row)}: {hours:g} hours after the row before{more}; no period "
                      "of weather spans a gap", WeatherWarning, stacklevel=5)
    return minutes, stamps


def _windninja(cells: Cells) -> WeatherTable:
    speed = _in_named_units(cells, "wind_m_min", "Speed", "Speed_Units(mph,kph,mps,kts)",
                            _SPEED_UNITS)
    heat = _in_named_units(cells, "temperature_c", "Temperature", "Temperature_Units(F,C)",
                           _TEMPERATURE_UNITS)
    height = _in_named_units(cells, "height_m", "Height", "Height_Units(meters,feet)",
                             _HEIGHT_UNITS)
    if (other := np.flatnonzero(height != height[0])).size:
        raise cells.wrong(int(other[0]), f"one height of the wind, {height[0]:g} m",
                          f"{height[other[0]]:g} m", "give each height a file of its own")
    stamps, longitude = times(cells, "date_time"), None
    if cells.column("date_time")[0].endswith(_UTC) and (
            cells.column("Coord_Sys(PROJCS,GEOGCS)")[0] == "GEOGCS"):
        longitude = cells.number(0, cells.column("Lon/XCoord")[0], "longitude_deg")
    minutes, time = _station_clock(cells, _solar(cells, "date_time", stamps, longitude))
    return WeatherTable(
        where=str(cells.path), one_fire=False, minutes=minutes, time=time,
        wind_20ft_m_min=wind_at_20ft(speed, float(height[0]), str(cells.path)),
        wind_from_deg=cells.directions("Direction(degrees)"), temperature_c=heat,
        cloud_cover=cells.numbers("cloud_cover", "Cloud_Cover(%)", unit=PERCENT))


def _solar(cells: Cells, name: str, stamps: Times, longitude_deg: float | None) -> Times:
    """A station's times; those in UTC become local solar time, so that hours of the day are those
    of the station.
    """
    if not cells.column(name)[0].endswith(_UTC):
        return stamps
    if longitude_deg is None:
        warnings.warn(f"{cells.path}: times are in UTC and no longitude is given, so the afternoon "
                      "and other hours of the day are read as UTC", WeatherWarning, stacklevel=5)
    return stamps + np.timedelta64(round(4.0 * (longitude_deg or 0.0)), "m")


def _in_named_units(cells: Cells, quantity: str, name: str, unit_name: str,
                    known: dict[str, Unit]) -> Floats:
    """A column as numbers [N] in our unit, each in the unit that another column names."""
    units = cells.column(unit_name)
    for row, unit in enumerate(units):
        if unit not in known:
            raise cells.wrong(row, f"a unit of {', '.join(known)}", f"'{unit}'", "correct the unit")
    return np.array([cells.number(row, text, quantity, known[units[row]])
                     for row, text in enumerate(cells.column(name))])
