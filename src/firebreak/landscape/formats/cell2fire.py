"""Read the folders of Cell2Fire (Canadian FBP System) and C2F-W (also Scott & Burgan's models).

One raster per layer by fixed names (ASCII grids or GeoTIFFs), all with the fuel grid's rows and
columns; a lookup table that names the fuel system; Data.csv, the same layers as a table, from which
a layer that is missing or of another shape is taken. Headers may hold a parent map's corner, so
layers are matched cell by cell, as in these programs.

The fuel grid's numbers are ids of the lookup table. The table's fuel type text decides what they
are; where it agrees with one of our codes, the number is kept.
"""

import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import InputError, fail
from firebreak.landscape.formats.assemble import Source, read_layer, warn
from firebreak.landscape.formats.layers import TABLE_END, UNSTATED, Role, layers_among
from firebreak.landscape.formats.tables import named_columns, read_data_table
from firebreak.landscape.fuel_systems import SYSTEMS, FuelSystem
from firebreak.landscape.landscape import NODATA
from firebreak.landscape.raster.geotiff import Band, Grid, valid_cells
from firebreak.landscape.raster.on_grid import same_place
from firebreak.reading import MOST_SETTINGS, number_in, text_of

_STEMS = {
    "forest": Role.FUEL, "fuels": Role.FUEL, "elevation": Role.ELEVATION, "slope": Role.SLOPE,
    "saz": Role.ASPECT, "cur": Role.CURING, "cbd": Role.DENSITY, "cbh": Role.BASE,
    "ccf": Role.COVER, "hm": Role.HEIGHT, "py": Role.IGNITION, "probabilitymap": Role.IGNITION,
    "value": Role.VALUE, "cost": Role.COST, "treatable": Role.TREATABLE,
    "road_m": Role.ROAD, "bare_m": Role.BARE,
}
_SUFFIXES = (".asc", ".tif", ".tiff")
COLUMNS = {
    Role.ELEVATION: "elev", Role.SLOPE: "ps", Role.ASPECT: "saz", Role.CURING: "cur",
    Role.DENSITY: "cbd", Role.BASE: "cbh", Role.COVER: "ccf", Role.HEIGHT: "tree_height",
    Role.IGNITION: "probmap",
}
"""Columns of Data.csv that hold layers, in lower case."""
# Natural units, stated in the words of an .lcp header. Slopes occur in percent and in degrees.
_UNIT_TAGS = {
    Role.SLOPE: {"SLOPE_UNIT": UNSTATED}, Role.BASE: {"CBH_UNIT": "1"},
    Role.HEIGHT: {"CANOPY_HT_UNIT": "1"}, Role.DENSITY: {"CBD_UNIT": "1"},
}
_SPARSE = (Role.CURING, Role.IGNITION)  # what Data.csv may leave empty in some cells
_DERIVED = (Role.SLOPE, Role.ASPECT)
TABLES: dict[str, FuelSystem] = {system.cell2fire.lookup_table: system
                                 for system in SYSTEMS.values()}
"""File name of a lookup table -> fuel system."""


def is_folder(folder: Path) -> bool:
    """True for a folder of Cell2Fire: it has a lookup table, Forest.asc or saz.asc."""
    return any(path.name.lower().endswith(TABLE_END)
               or (path.suffix.lower() in _SUFFIXES and path.stem.lower() in ("forest", "saz"))
               for path in folder.iterdir())


def read_folder(folder: Path, crs: str | None = None) -> Source:
    """The layers of a folder, on the fuel grid.

    Raises:
        InputError: no fuel grid or elevation, an unknown fuel system, a layer of another shape
            that Data.csv does not hold, files that are broken.

    Warns:
        LandscapeWarning: layers of another shape or corner, layers taken from Data.csv.
    """
    rasters = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    files = layers_among(rasters, lambda stem: _STEMS.get(stem.lower()))
    if Role.FUEL not in files:
        raise fail(expected="a fuel grid Forest.asc, fuels.asc or fuels.tif", given="none",
                   where=str(folder), remedy="add the fuel grid")
    fuels, table = read_fuel_table(folder, files[Role.FUEL])
    grid, fuel, _ = read_layer(files[Role.FUEL], crs)
    codes = our_codes(np.asarray(fuel.values, dtype=np.float64), fuel.valid, table, fuels)
    found = {Role.FUEL: replace(fuel, values=codes)}
    data = folder / "Data.csv"
    columns = read_data_table(data, fuel.values.size, COLUMNS.values()) if data.is_file() else {}
    notes: list[str] = []
    for role in dict.fromkeys(_STEMS.values()):
        if role not in found:
            layer = _layer(role, files.get(role), grid, notes)
            layer = layer or _from_table(role, columns, data, fuel, notes)
            if layer:
                found[role] = layer
            elif role is Role.ELEVATION or (role in files and role not in _DERIVED):
                raise _no_layer(role, files.get(role), grid, folder)
    if notes:
        warn(f"{folder}: {'; '.join(notes)}")
    return Source(str(folder), folder.resolve().name, grid, found, fuels.name)


def _layer(role: Role, path: Path | None, target: Grid, notes: list[str]) -> Band | None:
    """The layer of a file; None if there is none, or of another shape, which is noted."""
    if path is None:
        return None
    grid, band, _ = read_layer(path, None, target)
    if grid.shape != target.shape:
        notes.append(f"{path.name} has {_size(grid)} cells, not the fuel grid's {_size(target)}, "
                     "and is not used")
        return None
    if not same_place(grid, target):
        notes.append(f"{path.name} has another corner or cell size than {_size(target)} cells of "
                     "fuel and is taken cell by cell")
    return replace(band, tags=_UNIT_TAGS.get(role, {}))


def _from_table(role: Role, columns: dict[str, np.ndarray], data: Path, fuel: Band,
                notes: list[str]) -> Band | None:
    """The layer as Data.csv has it; None if it is not there or has gaps where there is fuel."""
    column = columns.get(COLUMNS.get(role, ""))
    if column is None:
        return None
    values = column.reshape(fuel.values.shape)
    valid = valid_cells(values, None)
    if role not in _SPARSE and not valid[fuel.valid].all():
        notes.append(f"{data.name} has {role.value} for {np.count_nonzero(valid)} of "
                     f"{valid.size} cells only, which is not used")
        return None
    notes.append(f"{role.value} is taken from {data.name}")
    return Band(COLUMNS[role], _UNIT_TAGS.get(role, {}), values, valid, str(data))


def _no_layer(role: Role, path: Path | None, grid: Grid, folder: Path) -> InputError:
    if path is None:
        return fail(expected=f"a layer of {role.value}", given="no file and no column in Data.csv",
                    where=str(folder), remedy=f"add {role.value}.asc")
    return fail(expected=f"the fuel grid's {_size(grid)} cells",
                given="another shape, and no full column in Data.csv to take its place",
                where=str(path), remedy="cut the layer to the fuel grid, or remove it")


def _size(grid: Grid) -> str:
    return f"{grid.shape[0]} x {grid.shape[1]}"


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
    found = ", ".join(p.name for p in known or tables) or "none"
    raise fail(expected=f"the lookup table of one fuel system, {' or '.join(TABLES)}",
               given=found, where=str(folder),
               remedy="convert the fuels to the FBP System or to Scott & Burgan's models first")


def _read_table(path: Path) -> dict[int, str]:
    table: dict[int, str] = {}
    text = text_of(path, MOST_SETTINGS, encoding="utf-8", errors="replace")
    header, rows = named_columns(path, io.StringIO(text, newline=""))
    if not {"grid_value", "fuel_type"} <= set(header):
        raise fail(expected="columns grid_value and fuel_type",
                   given=", ".join(header)[:60] or "an empty file", where=str(path),
                   remedy="use the table that belongs to the fuel grid")
    value_at, text_at = header.index("grid_value"), header.index("fuel_type")
    for line, row in rows:
        if len(row) <= max(value_at, text_at):
            continue
        try:
            table[int(number_in(row[value_at]))] = row[text_at].strip()
        except (ValueError, OverflowError):
            raise fail(expected="a whole grid_value", given=f"'{row[value_at][:20]}'",
                       where=f"{path}, line {line}", remedy="correct this line") from None
    return table


def our_codes(values: NDArray[np.float64], valid: NDArray[np.bool_], table: dict[int, str],
              fuels: FuelSystem) -> NDArray[np.float64]:
    """Grid values [H, W] as codes of the fuel system; those of unknown meaning stay as they are."""
    numbers, place = np.unique(np.where(valid, values, NODATA), return_inverse=True)
    codes = np.array([number if number == NODATA or not number.is_integer()
                      else float(_code(int(number), table, fuels)) for number in numbers.tolist()])
    return codes[place].reshape(values.shape)


def _code(value: int, table: dict[int, str], fuels: FuelSystem) -> int:
    text = table.get(value)
    named = _names(fuels).get(_plain(text)) if text else None
    if named is None and value == fuels.cell2fire.unclassified:
        return fuels.non_burnable
    if named is None or value not in fuels.labels:
        return value if named is None else named
    burns = [code in fuels.burnable_codes for code in (value, named)]
    alike = fuels.cell2fire.same_fuel(value, named) if all(burns) else not any(burns)
    return value if alike else named


@cache
def _names(fuels: FuelSystem) -> dict[str, int]:
    """Fuel type text without dashes and blanks -> code; "C-2" and "C2" are the same."""
    names = {_plain(fuels.label(code)): code for code in fuels.cell2fire.named_codes}
    return names | {name: fuels.non_burnable for name in ("NF", "NONFUEL")}


def _plain(text: str) -> str:
    return re.sub(r"[^A-Z0-9/]", "", text.upper())
