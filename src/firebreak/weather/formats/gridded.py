"""Gridded hourly weather: one raster per quantity, one band per hour, as ELMFIRE and GridFire use.

A folder with ws_*.tif (mph at 20 ft) and wd_*.tif (degrees the wind blows from), and any of m1,
m10, m100, lh and lw (moistures in %). Only the requested cell and hours are read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import rasterio
from rasterio.windows import Window

from firebreak.checks import fail
from firebreak.landscape.raster.geotiff import open_raster
from firebreak.landscape.raster.parts import check_blocks
from firebreak.units import M_MIN_PER_MPH
from firebreak.weather.formats.table import Floats, WeatherTable
from firebreak.weather.formats.text import LIMITS

# Quantity, column of the table, and its unit in ours.
_LAYERS = {
    "ws": ("wind_m_min", "wind_20ft_m_min", M_MIN_PER_MPH),
    "wd": ("wind_from_deg", "wind_from_deg", 1.0),
    "m1": ("dead_moisture_1h", "dead_moisture_1h", 0.01),
    "m10": ("dead_moisture_10h", "dead_moisture_10h", 0.01),
    "m100": ("dead_moisture_100h", "dead_moisture_100h", 0.01),
    "lh": ("live_moisture_herb", "live_moisture_herb", 0.01),
    "lw": ("live_moisture_woody", "live_moisture_woody", 0.01),
}


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


def read_gridded(folder: str | Path, *, cell: tuple[int, int] | None = None,
                 hours: Sequence[int] | None = None) -> WeatherTable:
    """The table of one cell.

    Args:
        folder: where the rasters lie.
        cell: (row, column) of the weather grid; the middle one if not given.
        hours: which hours, from 0, ascending; all if not given. Reading takes about 0.3 ms per
            hour and quantity.

    Raises:
        InputError: no such cell or hours, a cell without data or outside its range.
    """
    grid = grid_hours(folder)
    row, col = cell or (grid.shape[0] // 2, grid.shape[1] // 2)
    chosen = list(range(grid.hours)) if hours is None else list(hours)
    if not (0 <= row < grid.shape[0] and 0 <= col < grid.shape[1]):
        raise fail(expected=f"a cell of {grid.shape[0]} x {grid.shape[1]}", given=f"{(row, col)}",
                   where=str(folder), remedy="choose a cell inside")
    if not chosen or chosen[0] < 0 or chosen[-1] >= grid.hours or (np.diff(chosen) < 1).any():
        raise fail(expected=f"ascending hours from 0 to {grid.hours - 1}",
                   given=f"{len(chosen)} hours", where=str(folder),
                   remedy="choose hours in this range")
    columns = {}
    for name, path in _files(Path(folder)).items():
        quantity, column, factor = _LAYERS[name]
        with open_raster(path) as dataset:
            columns[column] = _read(dataset, quantity, factor, (row, col), chosen)
    columns["wind_from_deg"] = columns["wind_from_deg"] % 360.0
    minutes = (np.array(chosen, dtype=np.float64) - chosen[0]) * 60.0
    return WeatherTable(where=str(folder), one_fire=False, minutes=minutes, time=None,
                        **columns)


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


def _read(dataset: rasterio.DatasetReader, quantity: str, factor: float, cell: tuple[int, int],
          hours: list[int]) -> Floats:
    """One cell's numbers in our unit."""
    bands = [hour + 1 for hour in hours]
    raw = dataset.read(bands, window=Window(cell[1], cell[0], 1, 1)).ravel()
    low, high, words = LIMITS[quantity]
    values = raw.astype(np.float64) * factor
    good = (values >= low) & (values <= high + 1e-9)
    if not good.all():
        odd = int(np.argmin(good))
        raise fail(expected=f"{words} in [{low / factor:g}, {high / factor:g}]",
                   given=f"{raw[odd]:g}", where=f"{dataset.name}, band {bands[odd]}, cell {cell}",
                   remedy="choose a cell with data, or correct the raster")
    return np.minimum(values, high)
