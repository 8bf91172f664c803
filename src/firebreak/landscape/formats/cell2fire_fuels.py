"""Fuel codes of Cell2Fire folders: the grid's numbers are ids of a lookup table beside it.

The table's fuel type text decides; where it agrees with one of our codes, the number is kept.
"""

import io
import re
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.fuel_systems import SYSTEMS, FuelSystem
from firebreak.landscape.landscape import NODATA
from firebreak.reading import MOST_SETTINGS, csv_rows, text_of

TABLE_END = "_lookup_table.csv"
TABLES: dict[str, FuelSystem] = {system.cell2fire.lookup_table: system
                                 for system in SYSTEMS.values()}
"""File name of a lookup table -> fuel system."""


def read_fuel_table(folder: Path, fuel_file: Path) -> tuple[FuelSystem, dict[int, str]]:
    """The fuel system of a folder, and its table: grid value -> fuel type text.

    A folder without a table is of the system that needs none if its fuel grid has that system's
    name: Forest, of the FBP System.

    Raises:
        InputError: a table of another fuel system, several or none, or one that is broken.
    """
    tables = sorted(p for p in folder.iterdir() if p.name.lower().endswith(TABLE_END))
    known = [p for p in tables if p.name.lower() in TABLES]
    if len(known) == 1:
        return TABLES[known[0].name.lower()], _read_table(known[0])
    for system in SYSTEMS.values() if not tables else ():
        form = system.cell2fire
        if not form.needs_table and fuel_file.stem.lower() == form.fuel_grid.lower():
            return system, {}
    given = ", ".join(p.name for p in known or tables) or "none"
    raise fail(expected=f"the lookup table of one fuel system, {' or '.join(TABLES)}",
               given=given, where=str(folder),
               remedy="convert the fuels to the FBP System or to Scott & Burgan's models first")


def _read_table(path: Path) -> dict[int, str]:
    table: dict[int, str] = {}
    text = text_of(path, MOST_SETTINGS, encoding="utf-8", errors="replace")
    rows = csv_rows(io.StringIO(text, newline=""), str(path), skipinitialspace=True)
    header = [name.strip("\ufeff ").lower() for name in next(rows, (0, []))[1]]
    if not {"grid_value", "fuel_type"} <= set(header):
        raise fail(expected="columns grid_value and fuel_type",
                   given=", ".join(header)[:60] or "an empty file", where=str(path),
                   remedy="use the table that belongs to the fuel grid")
    value_at, text_at = header.index("grid_value"), header.index("fuel_type")
    for line, row in rows:
        if len(row) <= max(value_at, text_at):
            continue  # blank lines
        try:
            table[int(float(row[value_at]))] = row[text_at].strip()
        except (ValueError, OverflowError):
            raise fail(expected="a whole grid_value", given=f"'{row[value_at][:20]}'",
                       where=f"{path}, line {line}", remedy="correct this line") from None
    return table


def our_codes(values: NDArray[np.float64], valid: NDArray[np.bool_], table: dict[int, str],
              fuels: FuelSystem) -> NDArray[np.float64]:
    """Grid values [H, W] as codes of the fuel system; those of unknown meaning stay as they are."""
    numbers, place = np.unique(np.where(valid, values, NODATA), return_inverse=True)
    codes = [float(NODATA) if number == NODATA or not float(number).is_integer()
             else float(_code(int(number), table, fuels)) for number in numbers.tolist()]
    kept = np.where(np.array([float(n).is_integer() for n in numbers.tolist()]), codes, numbers)
    return kept[place].reshape(values.shape)


def _code(value: int, table: dict[int, str], fuels: FuelSystem) -> int:
    text = table.get(value)
    named = _names(fuels).get(_plain(text)) if text else None
    if named is None and value == fuels.cell2fire.unclassified:
        return fuels.non_burnable
    if named is None or (fuels.is_known(value) and _alike(value, named, fuels)):
        return value
    return named


def _alike(one: int, other: int, fuels: FuelSystem) -> bool:
    """Whether two codes burn alike."""
    burns = [code in fuels.burnable_codes for code in (one, other)]
    if not all(burns):
        return not any(burns)
    return fuels.cell2fire.same_fuel(one, other)


@cache
def _names(fuels: FuelSystem) -> dict[str, int]:
    """Fuel type text without dashes and blanks -> code; "C-2" and "C2" are the same."""
    names = {_plain(fuels.label(code)): code for code in fuels.cell2fire.named_codes}
    return names | {name: fuels.non_burnable for name in ("NF", "NONFUEL")}


def _plain(text: str) -> str:
    return re.sub(r"[^A-Z0-9/]", "", text.upper())


def table_text(code: int, fuels: FuelSystem) -> str:
    """The fuel type text of a code in a lookup table."""
    return fuels.label(code) if code in fuels.burnable_codes else "Non-fuel"
