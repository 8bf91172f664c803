"""Tables of Cell2Fire folders: Data.csv, ignitions, fire breaks, scars.

Cells are numbered from 1 in these files, row by row from the north-west; here from 0.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.reading import MOST_TABLE, csv_rows, lines_of, text_of

DATA_COLUMNS = ("elev", "ps", "saz", "cur", "cbd", "cbh", "ccf", "tree_height", "probmap")
"""Columns of Data.csv that hold layers, in lower case."""
_LONGEST_CELL = 24  # bytes with its comma


def read_data_table(path: Path, cells: int) -> dict[str, NDArray[np.float64]]:
    """Columns of Data.csv by name in lower case, float64 [cells], nan where there is no number.

    Columns differ in order and number between versions, so only their names count; those without
    any number are left out.

    Raises:
        InputError: another number of lines than cells, or text in place of a number (with line).
    """
    rows = csv_rows(lines_of(path, encoding="utf-8", errors="replace"), str(path),
                    skipinitialspace=True)
    header = [name.strip("\ufeff ").lower() for name in next(rows, (0, []))[1]]
    places = {name: header.index(name) for name in DATA_COLUMNS if name in header}
    table = {name: np.full(cells, np.nan) for name in places}
    count = 0
    for line, row in rows:
        if not row:
            continue
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
        return float(text)
    except ValueError:
        raise fail(expected="a number", given=f"'{text[:20]}'", where=where,
                   remedy="correct this line") from None


def read_ignitions(path: str | Path, cells: int) -> NDArray[np.int64]:
    """Ignition cells of a table "Year,Ncell": int64 [n], flat from 0, in the file's order.

    Args:
        path: the file.
        cells: number of cells of the map.

    Raises:
        InputError: missing, no cells in it, a cell outside the map (with line).
    """
    found = [cell for _, ids in _id_lines(Path(path), cells) for cell in ids]
    if not found:
        raise fail(expected="lines such as 1,970", given="no cells", where=str(path),
                   remedy="write Year,Ncell and a line for each ignition")
    return np.array(found, dtype=np.int64)


def read_firebreaks(path: str | Path, cells: int) -> NDArray[np.int64]:
    """Cells of a fire-break or harvest table: int64 [n], flat from 0, ascending, each once.

    The first line is a header whatever it holds. The others are a year and its cells ("1,142,161"),
    or one cell each if the header names no year.

    Raises:
        InputError: missing, a cell outside the map (with line).
    """
    found = [cell for _, ids in _id_lines(Path(path), cells) for cell in ids]
    return np.unique(np.array(found, dtype=np.int64))


def _id_lines(path: Path, cells: int) -> list[tuple[int, list[int]]]:
    """(line, flat cells from 0) of a table with a header and a year before its cells."""
    if not path.is_file():
        raise fail(expected="a table of cells", given="no such file", where=str(path),
                   remedy="check the path")
    lines = text_of(path, _most(cells), errors="replace").splitlines()
    header = lines[0] if lines else ""
    if any(word.strip().isdigit() for word in header.split(",")):
        raise fail(expected="a header such as Year,Ncell in the first line, which is not read",
                   given=f"'{header[:30]}'", where=str(path), remedy="write one above the cells")
    found = []
    for number, line in enumerate(lines[1:], start=2):
        words = [word.strip() for word in line.split(",")]
        lone = len(words) == 1 and "year" not in header.lower()
        ids = [_cell(word, cells, f"{path}, line {number}")
               for word in (words if lone else words[1:]) if word]
        found.append((number, ids))
    return found


def _most(cells: int) -> int:
    """Bytes that a table of a map's cells may have: each cell by its number and more."""
    return max(MOST_TABLE, _LONGEST_CELL * cells)


def _cell(word: str, cells: int, where: str) -> int:
    number = _number(word, where)
    if not (number.is_integer() and 1 <= number <= cells):
        raise fail(expected=f"a cell from 1 to {cells:,}", given=f"'{word[:20]}'", where=where,
                   remedy="check that the table belongs to this map")
    return int(number) - 1


def read_scar(path: str | Path, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Burned cells of a matrix of 0 and 1 without a header, blank or comma separated; bool [H, W].

    Raises:
        InputError: missing, another shape, numbers other than 0 and 1 (with line).
    """
    file = Path(path)
    if not file.is_file():
        raise fail(expected="a matrix of 0 and 1", given="no such file", where=str(path),
                   remedy="check the path")
    rows: list[NDArray[np.bool_]] = []
    for number, line in enumerate(text_of(
            file, _most(shape[0] * shape[1]), encoding="latin-1").splitlines(), start=1):
        words = line.replace(",", " ").split()
        if not words:
            continue
        values = [_number(word, f"{path}, line {number}") for word in words]
        if len(values) != shape[1] or not set(values) <= {0.0, 1.0}:
            raise fail(expected=f"{shape[1]} numbers, all 0 or 1", given=f"'{line[:20]}...'",
                       where=f"{path}, line {number}",
                       remedy="check that the matrix belongs to this map")
        rows.append(np.array(values, dtype=np.bool_))
    if len(rows) != shape[0]:
        raise fail(expected=f"{shape[0]} rows", given=f"{len(rows)}", where=str(path),
                   remedy="check that the matrix belongs to this map")
    return np.stack(rows)
