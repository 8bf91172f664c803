"""Read weather of any format; the content of a file shows its format."""

import re
from pathlib import Path

import numpy as np

from firebreak.checks import fail
from firebreak.weather.formats.csv import read_csv
from firebreak.weather.formats.farsite import is_wxs, read_wtr_wnd, read_wxs
from firebreak.weather.formats.gridded import grid_hours, is_gridded, read_gridded
from firebreak.weather.formats.table import WeatherTable, turned
from firebreak.weather.formats.text import read_lines

SAMPLED_HOURS = 480
"""Hours of gridded weather that are read as a season; more are thinned out evenly."""

_NUMBERED = re.compile(r"weather(\d+)\.csv", re.IGNORECASE)


def read_weather(path: str | Path, *, year: int | None = None,
                 wind_towards: bool = False) -> WeatherTable:
    """The weather that a file holds.

    Args:
        path: a CSV file of Cell2Fire, C2F-W, an hourly station or WindNinja; a .wxs file; a .wtr or
            .wnd file, the other beside it; a Cell2Fire folder, for its Weather.csv; a folder of
            gridded weather, for the cell in the middle at 480 hours spread evenly.
        year: of a .wtr and .wnd, which name none.
        wind_towards: directions are those the wind blows TO, as C2F-W takes them for FBP
            fuels; all formats say, and all else reads, where it blows FROM.

    Raises:
        InputError: one sentence with the file and, where there is one, the line.

    Warns:
        WeatherWarning: gaps, blank rain, times in UTC, or a clock that does not advance.
    """
    source = Path(path)
    table = _read_folder(source) if source.is_dir() else _read_file(source, year)
    return turned(table) if wind_towards else table


def numbered_weather(folder: str | Path) -> list[Path]:
    """The files Weather<N>.csv of a folder, or of the folder Weathers in it, by their number.

    None if the folder has a Weather.csv, which goes before its Weathers.
    """
    if (Path(folder) / "Weather.csv").is_file():
        return []
    for place in (Path(folder), Path(folder) / "Weathers"):
        if place.is_dir():
            found = [(int(match[1]), file) for file in place.iterdir()
                     if (match := _NUMBERED.fullmatch(file.name))]
            if found:
                return [file for _, file in sorted(found)]
    return []


def _read_file(path: Path, year: int | None) -> WeatherTable:
    lines = read_lines(path)
    if path.suffix.lower() in (".wtr", ".wnd"):
        return read_wtr_wnd(path, year=year)
    return read_wxs(path, lines) if is_wxs(lines) else read_csv(path, lines)


def _read_folder(folder: Path) -> WeatherTable:
    weather = folder / "Weather.csv"
    if weather.is_file():
        return _read_file(weather, None)
    if is_gridded(folder):
        hours = grid_hours(folder).hours
        # Evenly over the season, and over the hours of the day.
        sample = np.unique(np.linspace(0, hours - 1, min(hours, SAMPLED_HOURS)).astype(int))
        return read_gridded(folder, hours=sample.tolist())
    raise fail(expected="Weather.csv, or rasters ws_*.tif and wd_*.tif",
               given=f"{len(numbered_weather(folder))} files Weather<N>.csv", where=str(folder),
               remedy="name the weather file itself")
