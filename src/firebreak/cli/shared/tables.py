"""Tables of cases: CSV files read as text, columns taken out as checked numbers, results beside.

Comma, semicolon or tab; any line ends; a byte order mark is ignored. What a table holds is kept as
it was written, so that columns nobody asked for come out as they went in. Every mistake is one
sentence that names the file, the line, the column and the remedy.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, counted, fail, nearest
from firebreak.files import write_text
from firebreak.reading import MOST_LINES, csv_rows, number_in, text_of

Floats = NDArray[np.float64]

DELIMITERS = (",", ";", "\t")
BLANKS = ("", "NA")


class NumberColumn(NamedTuple):
    """A column of numbers, and the range that it must keep to.

    Attributes:
        name: its name; the case of letters does not matter.
        low: lowest number allowed.
        high: highest number allowed.
        remedy: what to do about a number outside.
        standard: number for a blank or a missing column; None if there must be one.
        positive_only: whether numbers of 0 and below also mean blank.
    """

    name: str
    low: float
    high: float
    remedy: str
    standard: float | None = None
    positive_only: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file as text.

    Attributes:
        path: where it was read.
        delimiter: between its cells.
        names: of its columns.
        rows: cells by row; each row is as long as `names`.
        lines: number of the file's line that each row ends on.
    """

    path: Path
    delimiter: str
    names: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def position(self, name: str) -> int | None:
        """Position of a column, or None; the case of letters does not matter.

        Raises:
            InputError: if two columns have the name.
        """
        found = [k for k, other in enumerate(self.names) if other.casefold() == name.casefold()]
        if len(found) > 1:
            raise fail(expected=f"one column '{name}'", given=f"{len(found)} of them",
                       where=f"{self.path}, line 1", remedy="rename or remove the others")
        return found[0] if found else None

    def where(self, row: int, name: str) -> str:
        """A cell's place in words."""
        return f"{self.path}, line {self.lines[row]}, column '{name}'"

    def texts(self, name: str) -> list[str]:
        """The cells of a column that must be there, without spaces around.

        Raises:
            InputError: if it is missing; names the nearest column.
        """
        position = self.position(name)
        if position is None:
            raise self.missing(name)
        return [row[position].strip() for row in self.rows]

    def missing(self, name: str, *others: str) -> InputError:
        """The error for a column that is missing; `others` would have served as well."""
        wanted = " or ".join(f"'{one}'" for one in (name, *others))
        close = [match for one in (name, *others) if (match := nearest(one, self.names))]
        remedy = f"is '{close[0]}' meant? rename it" if close else f"add a column {wanted}"
        return fail(expected=f"a column {wanted}", given=f"columns {', '.join(self.names)}",
                    where=f"{self.path}, line 1", remedy=remedy)


def read_table(path: Path) -> Table:
    """Reads a CSV file with a header; blank lines are skipped.

    Raises:
        InputError: if there is no such file, it is not text, or a row does not fit the header.
    """
    if not path.is_file():
        raise fail(expected="a CSV file", given="a folder" if path.is_dir() else "nothing",
                   where=str(path), remedy="check the name")
    try:
        file = io.StringIO(text_of(path, lines=MOST_LINES), newline="")
    except UnicodeDecodeError as error:
        raise fail(expected="a CSV file in UTF-8", given=f"'{error}'", where=str(path),
                   remedy="save it again as CSV, UTF-8") from error
    header = file.readline()
    delimiter = max(DELIMITERS, key=header.count)
    file.seek(0)
    numbered = [(line, row) for line, row in csv_rows(file, str(path), delimiter=delimiter,
                                                      strict=True) if any(map(str.strip, row))]
    if len(numbered) < 2:
        raise fail(expected="a header and at least one row", given=counted(len(numbered), "line"),
                   where=str(path), remedy="add the cases")
    names = tuple(name.strip() for name in numbered[0][1])
    for line, row in numbered[1:]:
        if len(row) != len(names):
            raise fail(expected=f"{len(names)} cells as in the header", given=f"{len(row)}",
                       where=f"{path}, line {line}",
                       remedy="add or remove a delimiter, or put quotes around a text with one")
    return Table(path, delimiter, names, [row for _, row in numbered[1:]],
                 [line for line, _ in numbered[1:]])


def numbers(table: Table, column: NumberColumn) -> Floats:
    """A column as numbers [N]; its standard where it is blank, "NA" or missing.

    Raises:
        InputError: at the first cell that is no number, is blank without a standard, or lies
            outside the column's range.
    """
    if column.standard is not None and table.position(column.name) is None:
        return np.full(len(table.rows), column.standard)
    return np.array([_number(table, column, row, text)
                     for row, text in enumerate(table.texts(column.name))], dtype=np.float64)


def _number(table: Table, column: NumberColumn, row: int, text: str) -> float:
    if column.standard is not None and text.upper() in BLANKS:
        return column.standard
    try:
        value = number_in(text)
    except ValueError as error:
        remedy = "write a decimal point" if "," in text else "write a number"
        raise fail(expected="a number", given=f"'{text}'",
                   where=table.where(row, column.name), remedy=remedy) from error
    if column.positive_only and column.standard is not None and value <= 0.0:
        return column.standard
    if not column.low <= value <= column.high:
        raise fail(expected=f"a number in [{column.low:g}, {column.high:g}]", given=text,
                   where=table.where(row, column.name), remedy=column.remedy)
    return value


def kept_names(table: Table, added: Iterable[str]) -> list[str]:
    """Names of a table's own columns beside `added` ones: "NAME_given" where a name is taken."""
    taken, kept = set(added), []
    for name in table.names:
        while name in taken:
            name = f"{name}_given"
        kept.append(name)
    return kept


def write_table(path: Path, table: Table, added: Mapping[str, Floats]) -> Path:
    """Writes a table with numbers [N] added on its right; the file appears whole or not at all.

    Columns of the table that have the name of an added one are kept as "NAME_given".
    """
    new = zip(*([f"{value:.9g}" for value in column.tolist()] for column in added.values()),
              strict=True)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=table.delimiter, lineterminator="\n")
    writer.writerow([*kept_names(table, added), *added])
    writer.writerows([*row, *more] for row, more in zip(table.rows, new, strict=True))
    write_text(path, text.getvalue())
    return path
