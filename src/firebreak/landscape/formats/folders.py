"""Write landscapes as folders with one ASCII grid per layer: named for a GIS, or as Cell2Fire (FBP
landscapes) and C2F-W (Scott & Burgan's models) read them.

In the tables of Cell2Fire cells are numbered from 1, row by row from the north-west. A landscape
holds no weather, which the simulators need in the folder: it is copied from the folder that the
landscape came from.
"""

import colorsys
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from firebreak.checks import counted, fail
from firebreak.files import copy_file, made_folder, write_pieces
from firebreak.landscape.formats.cell2fire import COLUMNS
from firebreak.landscape.formats.layers import CANOPY, RASTERS, TABLE_END, Role
from firebreak.landscape.formats.write import (
    esri_system,
    extra_layers,
    percent,
    whole_file,
    write_text,
)
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.ascii_grid import ascii_lines
from firebreak.landscape.raster.degrees import centre_of

_ASCII_NAMES = {
    Role.ELEVATION: "elevation_m", Role.SLOPE: "slope_percent", Role.ASPECT: "aspect_deg",
    Role.COVER: "canopy_cover_percent", Role.HEIGHT: "canopy_height_m",
    Role.BASE: "canopy_base_height_m", Role.DENSITY: "canopy_bulk_density_kg_m3"}
_CELL2FIRE_NAMES = {
    Role.ELEVATION: "elevation", Role.SLOPE: "slope", Role.ASPECT: "saz", Role.DENSITY: "cbd",
    Role.BASE: "cbh", Role.COVER: "ccf", Role.HEIGHT: "hm", Role.CURING: "cur"}
_UNPLACED = (-115.608378, 51.621244)
"""Longitude and latitude of all published instances; for maps without a reference system."""
_TIME = "20"  # a placeholder in all published instances
_WEATHER_NAMES = ("weather.csv", "weathers")
_IGNITIONS_NAME = "ignitions.csv"


def write_ascii_folder(folder: str | Path, landscape: Landscape) -> list[Path]:
    """A folder with one ASCII grid per layer, named with its unit, and a .prj for each.

    Numbers are written in full, so the landscape is read back as it is (slope and aspect with
    `terrain="shipped"`). The fuel layer of the FBP System is fuel_model_fbp.

    Raises:
        InputError: `folder` is a file, may not be written, or holds other rasters: see
            `refuse_other_layers`.
        OSError: the disk is full.
    """
    refuse_other_layers(folder, landscape)
    return write_ascii_layers(folder, _ascii_layers(landscape), landscape)


def _ascii_layers(landscape: Landscape) -> dict[str, np.ndarray]:
    """The grids of a folder by the names of their files."""
    natural = _natural_layers(landscape)
    return {landscape.fuels.layer_name: landscape.fuel_model,
            **{name: natural[role] for role, name in _ASCII_NAMES.items()},
            **extra_layers(landscape)}


def _natural_layers(landscape: Landscape) -> dict[Role, np.ndarray]:
    """The layers of every landscape beside the fuel, in natural units: m, percent, degrees with -1
    on level ground, kg/m3.
    """
    level = (landscape.slope_tan == 0) & (landscape.aspect_deg == 0)
    return {
        Role.ELEVATION: landscape.elevation_m, Role.SLOPE: percent(landscape.slope_tan),
        Role.ASPECT: np.where(level, np.float32(-1.0), landscape.aspect_deg),
        Role.COVER: percent(landscape.canopy_cover), Role.HEIGHT: landscape.canopy_height_m,
        Role.BASE: landscape.canopy_base_height_m,
        Role.DENSITY: landscape.canopy_bulk_density_kg_m3,
        Role.CURING: percent(landscape.grass_curing)}


def refuse_other_layers(folder: str | Path, landscape: Landscape,
                        names: Collection[str] | None = None,
                        tables: Collection[str] = ()) -> None:
    """Refuse a folder in which other files lie that would be read with the landscape's grids: as
    layers, as a whole landscape, as its fuel table, or as the reference system of grids that have
    none.

    Args:
        names: of the grids that are written; None takes those of `write_ascii_folder`.
        tables: names of the files that are written beside them.

    Raises:
        InputError: there are such files, or the folder cannot be looked into.
    """
    place = Path(folder)
    names = _ascii_layers(landscape).keys() if names is None else names
    written = {*tables, *(f"{name}.asc" for name in names)}
    if os.path.lexists(place) and not place.is_dir():
        raise fail(expected="a folder", given="a file", where=str(place),
                   remedy="choose another name")
    try:
        found = sorted(place.iterdir()) if place.is_dir() else []
        other = [path.name for path in found if (
            not path.is_file() if path.name in written else
            path.suffix.lower() in RASTERS or path.name.lower().endswith(TABLE_END)
            or (not landscape.crs and path.suffix.lower() == ".prj" and path.stem in names))]
    except OSError as error:
        raise fail(expected="a folder that can be looked into", given=error.strerror or str(error),
                   where=str(place), remedy="check its permissions") from error
    if other:
        raise fail(expected="a folder without other layers or fuel tables",
                   given=", ".join(other), where=str(place),
                   remedy="move them elsewhere, or choose another folder")


def write_ascii_layers(folder: str | Path, grids: Mapping[str, np.ndarray], landscape: Landscape,
                       tables: Mapping[str, Iterable[str]] | None = None) -> list[Path]:
    """Write [H, W] grids as NAME.asc on the landscape's grid, each with a .prj if there is a
    reference system, and tables by the names of their files; the folder is made. `InputError` as
    `write_ascii_folder`.

    No file takes its place before all are written, so a full disk leaves an earlier landscape as it
    was. Then the fuel grid of that one, which is the first, goes, and the new one comes last: where
    it is missing, as after a kill, no folder is read as a landscape.
    """
    place = Path(folder)
    made_folder(place)
    system = landscape.crs and esri_system(landscape.crs)
    fuel, *others = grids
    files = {place / name: lines for name, lines in (tables or {}).items()}
    for name in (*others, fuel):
        if system:
            files[place / f"{name}.prj"] = [system + "\n"]
        files[place / f"{name}.asc"] = ascii_lines(grids[name], landscape.transform, NODATA)

    def without_fuel(kind: object, *_: object) -> None:
        if kind is None:
            (place / f"{fuel}.asc").unlink(missing_ok=True)

    with ExitStack() as stack:
        for path, lines in reversed(files.items()):  # the first to be written is the last to stand
            part = stack.enter_context(whole_file(path, "a file"))
            write_pieces(part, (line.encode() for line in lines))
        stack.push(without_fuel)
    return list(files)


def write_cell2fire(folder: str | Path, landscape: Landscape) -> list[Path]:
    """Write a landscape as a Cell2Fire or C2F-W folder.

    Fuel grid (Forest.asc or fuels.asc) and its lookup table, elevation (m), slope (percent), saz
    (down-slope aspect, -1 = level), cur (percent, FBP) or cbd, cbh, ccf, hm (kg/m3, m, percent, m),
    Data.csv; value, cost, treatable and probabilityMap where they differ from their defaults (the
    programs read only the last of these); heights unless all are 0. Read with `terrain="shipped"`
    the folder gives the same landscape; without heights the reader warns.

    Args:
        folder: made if missing; files of the same names are replaced.
        landscape: what to write; its map unit must be the metre.

    Returns:
        The files.

    Raises:
        InputError: codes that the program does not know, such as Anderson's; a map unit other than
            the metre; a folder with other rasters or another fuel table; a failed write.
    """
    where = f"landscape {landscape.name}"
    if abs(landscape.transform[0] - landscape.cell_size_m) > 1e-6 * landscape.cell_size_m:
        raise fail(expected="a map in metres, as Cell2Fire takes it",
                   given=f"cells of {landscape.transform[0]:g} map units", where=where,
                   remedy="warp it to a system in metres first")
    _refuse_unknown_codes(landscape, where)
    place = Path(folder)
    grids = _cell2fire_layers(landscape)
    table = landscape.fuels.cell2fire.lookup_table
    refuse_other_layers(place, landscape, grids, (table, "Data.csv"))
    return write_ascii_layers(place, grids, landscape, {
        table: _lookup_lines(landscape), "Data.csv": _data_lines(landscape)})


def copy_weather_and_ignitions(source: Path, folder: Path, *,
                               ignitions: bool = True) -> list[Path]:
    """Copy Weather.csv, Weathers/ and, by default, Ignitions.csv from one folder to another.

    Returns:
        The copies, none where the source has no such files.

    Raises:
        InputError: a file that cannot be read or written.
    """
    names = _WEATHER_NAMES + ((_IGNITIONS_NAME,) if ignitions else ())
    found = [path for path in sorted(source.iterdir()) if path.name.lower() in names]
    inside = [sorted(path.iterdir()) if path.is_dir() else [path] for path in found]
    files = [file for files in inside for file in files if file.is_file()]
    copies = [folder / file.relative_to(source) for file in files]
    for file, copy in zip(files, copies, strict=True):
        try:
            copy.parent.mkdir(exist_ok=True)
            copy_file(file, copy)
        except (PermissionError, IsADirectoryError, FileExistsError) as error:
            raise fail(expected="to copy a file", given=f"'{error}'", where=str(file),
                       remedy="check the permissions of both folders") from error
    return copies


def write_firebreak_csv(path: str | Path, cells: ArrayLike) -> Path:
    """Cells [n], flat from 0, as the table "Year,Ncell" that Cell2Fire takes as harvested cells and
    C2F-W as fire breaks: one line "1,ID,ID,..." with ids from 1; `InputError` for a failed write.
    """
    ids = (np.asarray(cells, dtype=np.int64).ravel() + 1).tolist()
    return write_text(path, ["Year,Ncell\n", ",".join(map(str, [1, *ids])) + "\n"])


def _refuse_unknown_codes(landscape: Landscape, where: str) -> None:
    fuels = landscape.fuels
    codes = landscape.fuel_model[landscape.fuel_model != NODATA]
    unknown = codes[codes < fuels.cell2fire.least_code]
    if unknown.size:
        code = int(unknown[0])
        raise fail(expected=f"{fuels.cell2fire.known}, which the simulator knows",
                   given=f"{counted(unknown.size, 'cell')} of other models, such as code {code} "
                         f"({fuels.label(code)})", where=where,
                   remedy="map them to such models, or write ASCII grids instead")


def _cell2fire_layers(landscape: Landscape) -> dict[str, np.ndarray]:
    """The grids of a folder of Cell2Fire by the names of their files."""
    fuels, natural, extra = landscape.fuels, _natural_layers(landscape), extra_layers(landscape)
    needed = {Role.ELEVATION, Role.SLOPE, Role.ASPECT}
    if fuels.uses_canopy:
        needed |= {Role.DENSITY, Role.BASE, Role.COVER}
    if extra.pop("grass_curing", None) is not None or fuels.uses_curing:
        needed.add(Role.CURING)
    grids = {fuels.cell2fire.fuel_grid: landscape.fuel_model}
    grids |= {name: natural[role] for role, name in _CELL2FIRE_NAMES.items()
              if role in needed or (role in CANOPY and natural[role].any())}
    if "ignition_weight" in extra:
        grids["probabilityMap"] = extra.pop("ignition_weight")
    return grids | extra


def _lookup_lines(landscape: Landscape) -> Iterator[str]:
    """The lookup table of the codes that are present; colours in 0-255."""
    yield "grid_value, export_value, descriptive_name, fuel_type, r, g, b, h, s, l\n"
    fuels = landscape.fuels
    for code in np.unique(landscape.fuel_model[landscape.fuel_model != NODATA]).tolist():
        rgb = bytes.fromhex(fuels.colours[code].removeprefix("#"))
        hue, light, saturation = colorsys.rgb_to_hls(*(part / 255.0 for part in rgb))
        hsl = [round(255.0 * part) for part in (hue, saturation, light)]
        numbers = ",".join(map(str, [*rgb, *hsl]))
        kind = fuels.label(code) if code in fuels.burnable_codes else "Non-fuel"
        yield f"{code},{code},{fuels.label(code)},{kind},{numbers}\n"


def _data_lines(landscape: Landscape) -> Iterator[str]:
    """Data.csv: one line per cell; columns that are not known stay empty, as in the originals."""
    fuels, natural = landscape.fuels, _natural_layers(landscape)
    if not fuels.uses_curing:
        del natural[Role.CURING]
    if not landscape.canopy_height_m.any():
        del natural[Role.HEIGHT]
    if (landscape.ignition_weight != 1.0).any():
        natural[Role.IGNITION] = landscape.ignition_weight
    grids = {COLUMNS[role]: grid for role, grid in natural.items()}
    east, north = centre_of(landscape) or _UNPLACED
    constant = {"lat": f"{north:.6f}", "lon": f"{east:.6f}", "time": _TIME}
    codes = landscape.fuel_model.ravel().tolist()
    of_code = {code: fuels.cell2fire.data_fields(code) if code in fuels.burnable_codes
               else {"fueltype": "NF", "ftypeN": str(code)} for code in set(codes)}

    def column(name: str) -> Iterable[str]:
        if name in constant:
            return repeat(constant[name])
        if name.lower() in grids:
            return grids[name.lower()].ravel().astype(str).tolist()
        return (of_code[code].get(name, "") for code in codes)

    columns = fuels.cell2fire.data_columns
    yield ",".join(columns) + "\n"
    for row in zip(*map(column, columns), strict=False):
        yield ",".join(row) + "\n"
