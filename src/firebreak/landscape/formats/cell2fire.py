"""Read the folders of Cell2Fire (Canadian FBP System) and C2F-W (also Scott & Burgan's models).

One raster per layer by fixed names (ASCII grids or GeoTIFFs), all with the fuel grid's rows and
columns; a lookup table that names the fuel system; Data.csv, the same layers as a table, from which
a layer that is missing or of another shape is taken. Headers may hold a parent map's corner, so
layers are matched cell by cell, as in these programs.
"""

from pathlib import Path

import numpy as np

from firebreak.checks import InputError, fail
from firebreak.landscape.formats.assemble import Layer, Source, read_layer, warn
from firebreak.landscape.formats.cell2fire_fuels import TABLE_END, our_codes, read_fuel_table
from firebreak.landscape.formats.cell2fire_tables import read_data_table
from firebreak.landscape.formats.layers import UNSTATED, Role
from firebreak.landscape.raster.geotiff import Band, Grid, valid_cells
from firebreak.landscape.raster.parts import Place
from firebreak.landscape.raster.resample import same_place

_STEMS = {
    "forest": Role.FUEL, "fuels": Role.FUEL, "elevation": Role.ELEVATION, "slope": Role.SLOPE,
    "saz": Role.ASPECT, "cur": Role.CURING, "cbd": Role.DENSITY, "cbh": Role.BASE,
    "ccf": Role.COVER, "hm": Role.HEIGHT, "py": Role.IGNITION, "probabilitymap": Role.IGNITION,
    "value": Role.VALUE, "cost": Role.COST, "treatable": Role.TREATABLE,
    "road_m": Role.ROAD,
}
_SUFFIXES = (".asc", ".tif", ".tiff")
_COLUMNS = {
    Role.ELEVATION: "elev", Role.SLOPE: "ps", Role.ASPECT: "saz", Role.CURING: "cur",
    Role.DENSITY: "cbd", Role.BASE: "cbh", Role.COVER: "ccf", Role.HEIGHT: "tree_height",
    Role.IGNITION: "probmap",
}
# Natural units, stated in the words of an .lcp header. Slopes occur in percent and in degrees.
_UNIT_TAGS = {
    Role.SLOPE: {"SLOPE_UNIT": UNSTATED}, Role.BASE: {"CBH_UNIT": "1"},
    Role.HEIGHT: {"CANOPY_HT_UNIT": "1"}, Role.DENSITY: {"CBD_UNIT": "1"},
}
_SPARSE = (Role.CURING, Role.IGNITION)  # what Data.csv may leave empty in some cells
_DERIVED = (Role.SLOPE, Role.ASPECT)


def is_folder(folder: Path) -> bool:
    """Whether a folder is one of Cell2Fire's: it has a lookup table, Forest.asc or saz.asc."""
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
    files = _layer_files(folder)
    if Role.FUEL not in files:
        raise fail(expected="a fuel grid Forest.asc, fuels.asc or fuels.tif", given="none",
                   where=str(folder), remedy="add the fuel grid")
    fuels, table = read_fuel_table(folder, files[Role.FUEL])
    grid, fuel, _ = read_layer(files[Role.FUEL], crs)
    codes = our_codes(np.asarray(fuel.values, dtype=np.float64), fuel.valid, table, fuels)
    found = {Role.FUEL: Layer(Band("", {}, codes, fuel.valid), "fuels", str(files[Role.FUEL]))}
    data = folder / "Data.csv"
    columns = read_data_table(data, fuel.values.size) if data.is_file() else {}
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


def _layer_files(folder: Path) -> dict[Role, Path]:
    files: dict[Role, Path] = {}
    for path in sorted(folder.iterdir()):
        role = _STEMS.get(path.stem.lower())
        if role is None or path.suffix.lower() not in _SUFFIXES:
            continue
        if role in files:
            raise fail(expected=f"one raster for {role.value}",
                       given=f"{files[role].name} and {path.name}", where=str(folder),
                       remedy="remove one of them")
        files[role] = path
    return files


def _layer(role: Role, path: Path | None, target: Grid, notes: list[str]) -> Layer | None:
    """The layer of a file; None if there is none, or of another shape, which is noted."""
    if path is None:
        return None
    grid, band, _ = read_layer(path, None, Place(target.shape, target.transform, target.crs))
    if grid.shape != target.shape:
        notes.append(f"{path.name} has {_size(grid)} cells, not the fuel grid's {_size(target)}, "
                     "and is not used")
        return None
    if not same_place(grid, target):
        notes.append(f"{path.name} has another corner or cell size than {_size(target)} cells of "
                     "fuel and is taken cell by cell")
    return Layer(Band("", _UNIT_TAGS.get(role, {}), band.values, band.valid), path.stem, str(path))


def _from_table(role: Role, columns: dict[str, np.ndarray], data: Path, fuel: Band,
                notes: list[str]) -> Layer | None:
    """The layer as Data.csv has it; None if it is not there or has gaps where there is fuel."""
    column = columns.get(_COLUMNS.get(role, ""))
    if column is None:
        return None
    values = column.reshape(fuel.values.shape)
    valid = valid_cells(values, None)
    if role not in _SPARSE and not valid[fuel.valid].all():
        notes.append(f"{data.name} has {role.value} for {np.count_nonzero(valid)} of "
                     f"{valid.size} cells only, which is not used")
        return None
    notes.append(f"{role.value} is taken from {data.name}")
    return Layer(Band("", _UNIT_TAGS.get(role, {}), values, valid), _COLUMNS[role], str(data))


def _no_layer(role: Role, path: Path | None, grid: Grid, folder: Path) -> InputError:
    if path is None:
        return fail(expected=f"a layer of {role.value}", given="no file and no column in Data.csv",
                    where=str(folder), remedy=f"add {role.value}.asc")
    return fail(expected=f"the fuel grid's {_size(grid)} cells",
                given="another shape, and no full column in Data.csv to take its place",
                where=str(path), remedy="cut the layer to the fuel grid, or remove it")


def _size(grid: Grid) -> str:
    return f"{grid.shape[0]} x {grid.shape[1]}"
