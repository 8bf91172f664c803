"""Read weather of any format; the content of a file shows its format."""

import re
from pathlib import Path

from firebreak.checks import fail
from firebreak.weather.formats.csv import read_csv
from firebreak.weather.formats.farsite import is_wxs, read_wtr_wnd, read_wxs
from firebreak.weather.formats.table import WeatherTable, turned
from firebreak.weather.formats.text import read_lines

_NUMBERED = re.compile(r"weather(\d+)\.csv", re.IGNORECASE)


def read_weather(path: str | Path, *, wind_towards: bool = False) -> WeatherTable:
    """The weather that a file holds.

    Args:
        path: a CSV file of Cell2Fire, C2F-W, an hourly station or WindNinja; a .wxs file; a .wtr or
            .wnd file, the other beside it; a Cell2Fire folder, for its Weather.csv.
        wind_towards: directions are those the wind blows TO, as C2F-W takes them for FBP
            fuels; all formats say, and all else reads, where it blows FROM.

    Raises:
        InputError: one sentence with the file and, where there is one, the line.

    Warns:
        WeatherWarning: gaps, blank rain, times in UTC, or a clock that does not advance.
    """
    source = Path(path)
    table = _read_folder(source) if source.is_dir() else _read_file(source)
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


def _read_file(path: Path) -> WeatherTable:
    lines = read_lines(path)
    if path.suffix.lower() in (".wtr", ".wnd"):
        return read_wtr_wnd(path)
    return read_wxs(path, lines) if is_wxs(lines) else read_csv(path, lines)


def _read_folder(folder: Path) -> WeatherTable:
    weather = folder / "Weather.csv"
    if weather.is_file():
        return _read_file(weather)
    if any(path.name.lower().startswith("ws_") for path in folder.glob("*.tif")):
        raise fail(expected="a table of weather", given="rasters of hourly weather",
                   where=str(folder), remedy="write the hours of one cell as a CSV with datetime, "
                   "WS and WD, and name that file")
    raise fail(expected="Weather.csv",
               given=f"{len(numbered_weather(folder))} files Weather<N>.csv", where=str(folder),
               remedy="name the weather file itself")
