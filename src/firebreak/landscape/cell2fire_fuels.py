"""Fuel codes of Cell2Fire folders: the grid's numbers are ids of a lookup table beside it.

The table's fuel type text decides; where it agrees with one of our codes, the number is kept.
"""

import csv
import re
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import fail
from firebreak.landscape.fbp_codes import FBP_CODES
from firebreak.landscape.fuel_systems import (
    NON_BURNABLE,
    FuelSystem,
    burnable_codes,
    fuel_name,
    is_known,
)
from firebreak.landscape.landscape import NODATA

TABLE_END = "_lookup_table.csv"
TABLES: dict[str, FuelSystem] = {"fbp_lookup_table.csv": "fbp", "spain_lookup_table.csv":
                                 "rothermel"}
"""File name of a lookup table -> fuel system."""

_UNCLASSIFIED = 0  # of the grids of C2F-W with Scott & Burgan's models


def read_fuel_table(folder: Path, fuel_file: Path) -> tuple[FuelSystem, dict[int, str]]:
    """The fuel system of a folder, and its table: grid value -> fuel type text.

    A folder without a table is of the FBP System if its fuel grid is named Forest.

    Raises:
        InputError: a table of another fuel system, several or none, or one that is broken.
    """
    tables = sorted(p for p in folder.iterdir() if p.name.lower().endswith(TABLE_END))
    known = [p for p in tables if p.name.lower() in TABLES]
    if len(known) == 1:
        return TABLES[known[0].name.lower()], _read_table(known[0])
    if not tables and fuel_file.stem.lower() == "forest":
        return "fbp", {}
    given = ", ".join(p.name for p in known or tables) or "none"
    raise fail(expected=f"the lookup table of one fuel system that is known, {' or '.join(TABLES)}",
               given=given, where=str(folder),
               remedy="convert the fuels to the FBP System or to Scott & Burgan's models first")


def _read_table(path: Path) -> dict[int, str]:
    table: dict[int, str] = {}
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        rows = csv.reader(file, skipinitialspace=True)
        header = [name.strip("\ufeff ").lower() for name in next(rows, [])]
        if not {"grid_value", "fuel_type"} <= set(header):
            raise fail(expected="columns grid_value and fuel_type",
                       given=", ".join(header)[:60] or "an empty file", where=str(path),
                       remedy="use the table that belongs to the fuel grid")
        value_at, text_at = header.index("grid_value"), header.index("fuel_type")
        for row in rows:
            if len(row) <= max(value_at, text_at):
                continue  # blank lines
            try:
                table[int(float(row[value_at]))] = row[text_at].strip()
            except (ValueError, OverflowError):
                raise fail(expected="a whole grid_value", given=f"'{row[value_at][:20]}'",
                           where=f"{path}, line {rows.line_num}", remedy="correct it") from None
    return table


def our_codes(values: NDArray[np.float64], valid: NDArray[np.bool_], table: dict[int, str],
              system: FuelSystem) -> NDArray[np.float64]:
    """Grid values [H, W] as codes of the fuel system; those of unknown meaning stay as they are."""
    numbers, place = np.unique(np.where(valid, values, NODATA), return_inverse=True)
    codes = [float(NODATA) if number == NODATA or not float(number).is_integer()
             else float(_code(int(number), table, system)) for number in numbers.tolist()]
    kept = np.where(np.array([float(n).is_integer() for n in numbers.tolist()]), codes, numbers)
    return kept[place].reshape(values.shape)


def _code(value: int, table: dict[int, str], system: FuelSystem) -> int:
    text = table.get(value)
    named = _names(system).get(_plain(text)) if text else None
    if named is None and value == _UNCLASSIFIED and system == "rothermel":
        return NON_BURNABLE[system]
    if named is None or (is_known(value, system) and _alike(value, named, system)):
        return value
    return named


def _alike(one: int, other: int, system: FuelSystem) -> bool:
    """Whether two codes burn alike."""
    burns = [code in _burnable(system) for code in (one, other)]
    if not all(burns):
        return not any(burns)
    if system == "rothermel":
        return one == other
    return FBP_CODES[one][1:4] == FBP_CODES[other][1:4]


@cache
def _burnable(system: FuelSystem) -> frozenset[int]:
    return frozenset(burnable_codes(system).tolist())


@cache
def _names(system: FuelSystem) -> dict[str, int]:
    """Fuel type text without dashes and blanks -> code; "C-2" and "C2" are the same."""
    codes = FBP_CODES if system == "fbp" else _burnable(system)
    names = {_plain(fuel_name(code, system)): code for code in codes}
    return names | {name: NON_BURNABLE[system] for name in ("NF", "NONFUEL")}


def _plain(text: str) -> str:
    return re.sub(r"[^A-Z0-9/]", "", text.upper())


def table_text(code: int, system: FuelSystem) -> str:
    """What a lookup table says of a code of ours."""
    return fuel_name(code, system) if code in _burnable(system) else "Non-fuel"
