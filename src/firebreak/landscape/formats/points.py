"""Tables of points beside a landscape: ignitions, houses."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail, nearest
from firebreak.landscape.formats.assemble import warn
from firebreak.landscape.formats.cell2fire_tables import read_ignitions
from firebreak.landscape.landscape import Landscape
from firebreak.reading import csv_rows, lines_of

MOST_POINTS = 5_000_000
"""Points of a table, of each of which Python makes some hundred bytes."""


class Points(NamedTuple):
    """Of N points on the map. cells: int64 [N], flat. numbers: f64 [N], 1 where none was asked for.
    """

    cells: NDArray[np.int64]
    numbers: NDArray[np.float64]


def read_points(path: str | Path, landscape: Landscape, attribute: str | None = None) -> Points:
    """The points of a table, those outside the map left out.

    Columns are found by name: x,y in the map's coordinates; row,col from 0; or Year,Ncell from 1.

    Args:
        attribute: name of a column of numbers of 0 or more.

    Raises:
        InputError: missing, other columns, text in place of a number (with line), all outside.

    Warns:
        LandscapeWarning: some points lie outside the map.
    """
    file = Path(path)
    if not file.is_file():
        raise fail(expected="a table of points", given="no such file", where=str(path),
                   remedy="check the path")
    rows = csv_rows(lines_of(file, encoding="utf-8", errors="replace"), str(path),
                    skipinitialspace=True)
    header = [name.strip("\ufeff ").lower() for name in next(rows, (0, []))[1]]
    if "ncell" in header and attribute is None:
        cells = read_ignitions(file, landscape.fuel_model.size)
        return Points(cells, np.ones(cells.size))
    names = next((pair for pair in (("x", "y"), ("row", "col")) if set(pair) <= set(header)), None)
    if names is None:
        raise fail(expected="columns x,y or row,col or Year,Ncell",
                   given=", ".join(header)[:60] or "an empty file", where=str(path),
                   remedy="name the columns in the first line")
    places = [header.index(name) for name in names]
    if attribute is not None:
        places.append(_column(attribute, header, str(path)))
    points: list[list[float]] = []
    for line, row in rows:
        if row:
            points.append(_numbers(row, places, f"{path}, line {line}"))
        if len(points) > MOST_POINTS:
            raise fail(expected=f"at most {MOST_POINTS:,} points", given="more", where=str(path),
                       remedy="make a raster of weights of them")
    if not points:
        raise fail(expected="at least one point", given="none below the first line",
                   where=str(path), remedy="check that the table is whole")
    found = np.array(points, dtype=np.float64).reshape(-1, len(places))
    cells, inside = _cells_of(found[:, :2], names, landscape, str(path))
    return Points(cells, np.ones(cells.size) if attribute is None else found[inside, 2])


def _column(name: str, header: list[str], where: str) -> int:
    if name.lower() in header:
        return header.index(name.lower())
    close = nearest(name.lower(), header)
    raise fail(expected=f"a column '{name}'", given=", ".join(header)[:200], where=where,
               remedy=f"is '{close}' meant?" if close else "name one of these")


def _numbers(row: list[str], places: list[int], where: str) -> list[float]:
    """A point, and where there is a third place its number."""
    try:
        numbers = [float(row[place]) for place in places]
    except (ValueError, IndexError):
        numbers = [np.nan]
    if not np.isfinite(numbers).all() or min(numbers[2:], default=0.0) < 0.0:
        words = "two numbers" if len(places) == 2 else "two numbers and one of 0 or more"
        raise fail(expected=words, given=f"'{','.join(row)[:80]}'", where=where,
                   remedy="correct this line")
    return numbers


def _cells_of(points: NDArray[np.float64], names: tuple[str, str], landscape: Landscape,
              where: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The cells of the points on the map, and which of all points these are."""
    if names == ("x", "y"):
        a, b, c, d, e, f = landscape.transform
        col, row = np.linalg.solve([[a, b], [d, e]], (points - (c, f)).T)
    else:
        row, col = points[:, 0], points[:, 1]
    row, col = np.floor(row), np.floor(col)
    height, width = landscape.shape
    inside = (row >= 0) & (row < height) & (col >= 0) & (col < width)
    if not inside.any():
        raise fail(expected=f"points inside the map of {height} x {width} cells",
                   given=f"{counted(len(points), 'point')}, all outside", where=where,
                   remedy="check their coordinates and reference system")
    if not inside.all():
        warn(f"{where}: {np.count_nonzero(~inside)} of {len(points)} points lie outside the map "
             "and are left out")
    return (row * width + col)[inside].astype(np.int64), inside
