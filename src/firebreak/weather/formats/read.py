"""Read weather of any format; the content of a file shows its format.

Gridded hourly weather is read here, as ELMFIRE and GridFire use it: one raster per quantity, one
band per hour; a folder with ws_*.tif (mph at 20 ft) and wd_*.tif (degrees the wind blows from), and
any of m1, m10, m100, lh and lw (moistures in %). Only one cell at the requested hours is read.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import rasterio
from rasterio.windows import Window

from firebreak.checks import fail
from firebreak.landscape.raster.geotiff import open_raster, scaled
from firebreak.landscape.raster.parts import check_blocks
from firebreak.units import M_MIN_PER_MPH
from firebreak.weather.formats.columns import WIND_UNITS
from firebreak.weather.formats.csv import read_csv
from firebreak.weather.formats.farsite import is_wxs, read_wtr_wnd, read_wxs
from firebreak.weather.formats.table import Floats, WeatherTable, turned
from firebreak.weather.formats.text import LIMITS, read_lines

SAMPLED_HOURS = 480
"""Hours of gridded weather that are read as a season; more are thinned out evenly."""

_NUMBERED = re.compile(r"weather(\d+)\.csv", re.IGNORECASE)

# Column of the table, and the units in ours by their names; "" is the usual one.
_SPEEDS = {"": M_MIN_PER_MPH, **{name: unit.factor for name, unit in WIND_UNITS.items()}}
_ANGLES = dict.fromkeys(("", "°", "deg", "degree", "degrees"), 1.0)
_MOISTURES = {**dict.fromkeys(("", "%", "percent"), 0.01), "fraction": 1.0, "1": 1.0}
_LAYERS = {
    "ws": ("wind_20ft_m_min", _SPEEDS), "wd": ("wind_from_deg", _ANGLES),
    "m1": ("dead_moisture_1h", _MOISTURES), "m10": ("dead_moisture_10h", _MOISTURES),
    "m100": ("dead_moisture_100h", _MOISTURES), "lh": ("live_moisture_herb", _MOISTURES),
    "lw": ("live_moisture_woody", _MOISTURES)}


def read_weather(path: str | Path, *, wind_towards: bool = False) -> WeatherTable:
    """The weather that a file holds.

    Args:
        path: a CSV file of Cell2Fire, C2F-W, an hourly station or WindNinja; a .wxs file; a .wtr or
            .wnd file, the other beside it; a Cell2Fire folder, for its Weather.csv; a folder of
            gridded weather, for the cell in the middle at 480 hours spread evenly.
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
    if is_gridded(folder):
        hours = grid_hours(folder).hours
        # Evenly over the season, and over the hours of the day.
        sample = np.unique(np.linspace(0, hours - 1, min(hours, SAMPLED_HOURS)).astype(int))
        return read_gridded(folder, sample.tolist())
    raise fail(expected="Weather.csv, or rasters ws_*.tif and wd_*.tif",
               given=f"{len(numbered_weather(folder))} files Weather<N>.csv", where=str(folder),
               remedy="name the weather file itself")


class GridHours(NamedTuple):
    """Size of a folder of gridded weather."""

    shape: tuple[int, int]
    hours: int


def is_gridded(path: str | Path) -> bool:
    """True for a folder of gridded weather."""
    return Path(path).is_dir() and {"ws", "wd"} <= _files(Path(path)).keys()


def grid_hours(folder: str | Path) -> GridHours:
    """(rows, columns) of cells and number of hours; only headers are read.

    Raises:
        InputError: wind is missing, or the rasters differ in cells or hours.
    """
    files = _files(Path(folder))
    missing = [name for name in ("ws", "wd") if name not in files]
    if missing:
        raise fail(expected="rasters ws_*.tif and wd_*.tif", given=f"none of {', '.join(missing)}",
                   where=str(folder), remedy="add the wind")
    found: GridHours | None = None
    for path in files.values():
        with open_raster(path) as dataset:
            check_blocks(dataset, str(path))
            this = GridHours(dataset.shape, int(dataset.count))
        found = found or this
        if this != found:
            raise fail(expected=f"{found.hours} hours of {found.shape} cells",
                       given=f"{this.hours} hours of {this.shape} cells", where=str(path),
                       remedy="bring all layers to one grid and one period")
    assert found is not None
    return found


def read_gridded(folder: str | Path, hours: Sequence[int]) -> WeatherTable:
    """The table of the cell in the middle at hours from 0, ascending. Reading takes about 0.3 ms
    per hour and quantity.

    Raises:
        InputError: as `grid_hours`; a cell without data or outside its range.
    """
    shape = grid_hours(folder).shape
    middle = shape[0] // 2, shape[1] // 2
    columns = {}
    for name, path in _files(Path(folder)).items():
        column, units = _LAYERS[name]
        with open_raster(path) as dataset:
            columns[column] = _read(dataset, column, units, middle, hours)
    columns["wind_from_deg"] = columns["wind_from_deg"] % 360.0
    minutes = (np.array(hours, dtype=np.float64) - hours[0]) * 60.0
    return WeatherTable(where=str(folder), one_fire=False, minutes=minutes, time=None, **columns)


def _files(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        name = path.stem.split("_")[0].lower()
        if path.suffix.lower() in (".tif", ".tiff") and name in _LAYERS:
            if name in found:
                raise fail(expected=f"one raster {name}_*.tif",
                           given=f"{found[name].name} and {path.name}", where=str(folder),
                           remedy="give each period a folder of its own")
            found[name] = path
    return found


def _read(dataset: rasterio.DatasetReader, column: str, units: Mapping[str, float],
          cell: tuple[int, int], hours: Sequence[int]) -> Floats:
    """One cell's numbers in our unit, by the units, scales and offsets that its bands declare."""
    bands = [hour + 1 for hour in hours]
    of_bands = np.array(bands) - 1
    named = {(dataset.units[place] or "").strip().lower() for place in of_bands.tolist()}
    if len(named) > 1 or not named <= units.keys():
        raise fail(expected=f"one unit, such as {', '.join(name for name in units if name)}",
                   given=" and ".join(sorted(map(repr, named))), where=dataset.name,
                   remedy="convert the numbers, and set the unit with gdal_edit.py -units")
    factor = units[named.pop()]
    stored = dataset.read(bands, window=Window(cell[1], cell[0], 1, 1)).ravel()
    raw = scaled(stored, np.array(dataset.scales)[of_bands], np.array(dataset.offsets)[of_bands])
    low, high, words = LIMITS[column]
    values = raw.astype(np.float64) * factor
    none = np.array([np.nan if tag is None else tag for tag in dataset.nodatavals])[of_bands]
    good = (values >= low) & (values <= high + 1e-9) & (stored != none)
    if not good.all():
        odd = int(np.argmin(good))
        raise fail(expected=f"{words} in [{low / factor:g}, {high / factor:g}]",
                   given=f"{raw[odd]:g}", where=f"{dataset.name}, band {bands[odd]}, cell {cell}",
                   remedy="choose a cell with data, or correct the raster")
    return np.minimum(values, high)
