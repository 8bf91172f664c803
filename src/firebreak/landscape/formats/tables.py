"""Tables beside a landscape: points (ignitions, houses), and those of Cell2Fire folders (Data.csv,
ignitions, fire breaks).

Cells are numbered from 1 in the tables of Cell2Fire, row by row from the north-west; here from 0.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail, nearest
from firebreak.landscape.formats.assemble import warn
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.raster.shapes import flat_cells
from firebreak.reading import MOST_TABLE, check_file, csv_rows, lines_of, number_in, text_of

MOST_POINTS = 5_000_000
"""Points of a table, of each of which Python makes some hundred bytes."""
_LONGEST_CELL = 24  # bytes with its comma


class Points(NamedTuple):
    """N points on the map. cells: int64 [N], flat. numbers: f64 [N], 1 where none was asked for.
    """

    cells: NDArray[np.int64]
    numbers: NDArray[np.float64]


def named_columns(path: Path, lines: Iterable[str] | None = None,
                  ) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The header of a CSV table in lower case; line and cells of each row below it that has any.

    Args:
        lines: of the file, where they are read already.

    Raises:
        InputError: as `lines_of` and `csv_rows`.
    """
    if lines is None:
        lines = lines_of(path, encoding="utf-8", errors="replace")
    rows = csv_rows(lines, str(path), skipinitialspace=True)
    header = [name.strip("\ufeff ").lower() for name in next(rows, (0, []))[1]]
    return header, ((line, row) for line, row in rows if row)


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
    check_file(file, "a table of points")
    header, rows = named_columns(file)
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
    found = _numbers_of(rows, places, "point", str(path))
    cells, inside = _cells_of(found[:, :2], names, landscape, str(path))
    return Points(cells, np.ones(cells.size) if attribute is None else found[inside, 2])


_HECTARES = {"hectares": 1.0, "ha": 1.0, "area_ha": 1.0, "acres": 0.40468564224,
             "fire_size": 0.40468564224}
"""Of one unit of the columns in which tables of fires have their sizes; FIRE_SIZE, of the database
of US fires (Short 2022), is in acres."""


def read_fire_sizes(path: Path) -> NDArray[np.float64]:
    """The sizes of fires on record, ha, of a CSV table with a column hectares, ha, area_ha, acres
    or fire_size (acres).

    Raises:
        InputError: missing, no such column, a size that is not a number of 0 or more, none.
    """
    check_file(path, "a table of fire sizes")
    header, rows = named_columns(path)
    name = next((name for name in _HECTARES if name in header), None)
    if name is None:
        raise fail(expected="a column hectares or acres",
                   given=", ".join(header)[:60] or "an empty file", where=str(path),
                   remedy="name the column of sizes in the first line")
    return _numbers_of(rows, [header.index(name)], "fire", str(path))[:, 0] * _HECTARES[name]


def _column(name: str, header: list[str], where: str) -> int:
    if name.lower() in header:
        return header.index(name.lower())
    close = nearest(name.lower(), header)
    raise fail(expected=f"a column '{name}'", given=", ".join(header)[:200], where=where,
               remedy=f"is '{close}' meant?" if close else "name one of these")


def _numbers_of(rows: Iterable[tuple[int, list[str]]], places: list[int], thing: str,
                where: str) -> NDArray[np.float64]:
    """The numbers [N, K] in K places of rows: both coordinates first if there are two or more, then
    numbers of 0 or more.
    """
    found: list[list[float]] = []
    pair = 2 if len(places) > 1 else 0
    for line, row in rows:
        try:
            numbers = [number_in(row[place]) for place in places]
        except (ValueError, IndexError):
            numbers = [np.nan]
        if not np.isfinite(numbers).all() or min(numbers[pair:], default=0.0) < 0.0:
            words = ["two numbers"] if pair else []
            words += ["a number of 0 or more"] if len(places) > pair else []
            raise fail(expected=" and ".join(words), given=f"'{','.join(row)[:80]}'",
                       where=f"{where}, line {line}", remedy="correct this line")
        found.append(numbers)
        if len(found) > MOST_POINTS:
            raise fail(expected=f"at most {MOST_POINTS:,} {thing}s", given="more", where=where,
                       remedy="make a raster of weights of them, or leave some out")
    if not found:
        raise fail(expected=f"at least one {thing}", given="none below the first line",
                   where=where, remedy="check that the table is whole")
    return np.array(found, dtype=np.float64)


def _cells_of(points: NDArray[np.float64], names: tuple[str, str], landscape: Landscape,
              where: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The cells of the points on the map, and which of all points these are."""
    if names == ("x", "y"):
        a, b, c, d, e, f = landscape.transform
        col, row = np.linalg.solve([[a, b], [d, e]], (points - (c, f)).T)
    else:
        row, col = points[:, 0], points[:, 1]
    cells, inside = flat_cells(np.floor(row), np.floor(col), landscape.shape)
    if not inside.any():
        raise fail(expected="points inside the map of "
                            f"{landscape.shape[0]} x {landscape.shape[1]} cells",
                   given=f"{counted(len(points), 'point')}, all outside", where=where,
                   remedy="check their coordinates and reference system")
    if not inside.all():
        warn(f"{where}: {np.count_nonzero(~inside)} of {len(points)} points lie outside the map "
             "and are left out")
    return cells, inside


def read_data_table(path: Path, cells: int,
                    names: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Columns of Data.csv of these names in lower case, float64 [cells], nan where there is no
    number.

    Columns differ in order and number between versions, so only their names count; those without
    any number are left out.

    Raises:
        InputError: another number of lines than cells, or text in place of a number (with line).
    """
    header, rows = named_columns(path)
    places = {name: header.index(name) for name in names if name in header}
    table = {name: np.full(cells, np.nan) for name in places}
    count = 0
    for line, row in rows:
        if count < cells:
            for name, place in places.items():
                if place < len(row) and row[place].strip():
                    table[name][count] = _number(row[place], f"{path}, line {line}")
        count += 1
    if count != cells:
        raise fail(expected=f"{cells:,} lines after the header, one per cell", given=f"{count:,}",
                   where=str(path), remedy="write the table again for this map, or remove it")
    return {name: column for name, column in table.items() if np.isfinite(column).any()}


def _number(text: str, where: str) -> float:
    try:
        return number_in(text)
    except ValueError:
        raise fail(expected="a number", given=f"'{text[:20]}'", where=where,
                   remedy="correct this line") from None


def read_ignitions(path: str | Path, cells: int) -> NDArray[np.int64]:
    """Ignition cells of a table "Year,Ncell": int64 [n], flat from 0, in the file's order.

    Args:
        cells: number of cells of the map.

    Raises:
        InputError: missing, no cells in it, a cell outside the map (with line).
    """
    found = _flat_cells(Path(path), cells)
    if not found.size:
        raise fail(expected="lines such as 1,970", given="no cells", where=str(path),
                   remedy="write Year,Ncell and a line for each ignition")
    return found


def read_firebreaks(path: str | Path, cells: int) -> NDArray[np.int64]:
    """Cells of a fire-break or harvest table: int64 [n], flat from 0, ascending, each once.

    The first line is a header whatever it holds. The others are a year and its cells ("1,142,161"),
    or one cell each if the header names no year.

    Raises:
        InputError: missing, a cell outside the map (with line).
    """
    return np.unique(_flat_cells(Path(path), cells))


def _flat_cells(path: Path, cells: int) -> NDArray[np.int64]:
    """The cells, flat from 0, of a table with a header and a year before its cells."""
    check_file(path, "a table of cells")
    # Each cell by its number, and more.
    most = max(MOST_TABLE, _LONGEST_CELL * cells)
    header, *lines = text_of(path, most, errors="replace").splitlines() or [""]
    if any(word.strip().isdigit() for word in header.split(",")):
        raise fail(expected="a header such as Year,Ncell in the first line, which is not read",
                   given=f"'{header[:30]}'", where=str(path), remedy="write one above the cells")
    found = []
    for number, line in enumerate(lines, start=2):
        words = [word.strip() for word in line.split(",")]
        lone = len(words) == 1 and "year" not in header.lower()
        found += [_cell(word, cells, f"{path}, line {number}")
                  for word in (words if lone else words[1:]) if word]
    return np.array(found, dtype=np.int64)


def _cell(word: str, cells: int, where: str) -> int:
    number = _number(word, where)
    if not (number.is_integer() and 1 <= number <= cells):
        raise fail(expected=f"a cell from 1 to {cells:,}", given=f"'{word[:20]}'", where=where,
                   remedy="check that the table belongs to this map")
    return int(number) - 1
