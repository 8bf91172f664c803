"""Write folders that Cell2Fire (FBP landscapes) and C2F-W (Scott & Burgan's models) read.

Cells are numbered from 1, row by row from the north-west. A landscape holds no weather, which the
simulators need in the folder: it is copied from the folder that the landscape came from.
"""

import colorsys
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from firebreak.checks import counted, fail
from firebreak.files import copy_file
from firebreak.landscape.formats.cell2fire import table_text
from firebreak.landscape.formats.write import (
    extra_layers,
    percent,
    refuse_other_layers,
    shown_aspect,
    write_ascii_layers,
    write_text,
)
from firebreak.landscape.fuel_systems import FuelSystem
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.degrees import centre_of

_UNPLACED = (51.621244, -115.608378)
"""Latitude and longitude of all published instances; for maps without a reference system."""
_TIME = 20  # a placeholder in all published instances
_WEATHER_NAMES = ("weather.csv", "weathers")
_IGNITIONS_NAME = "ignitions.csv"


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
    grids = _layers(landscape)
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


def write_firebreak_csv(path: str | Path, cells: ArrayLike, map_cells: int | None = None) -> Path:
    """Cells [n], flat from 0, as the table "Year,Ncell" that Cell2Fire takes as harvested cells and
    C2F-W as fire breaks: one line "1,ID,ID,..." with ids from 1.

    Args:
        path: the file to make or replace.
        cells: flat cells from 0.
        map_cells: number of cells of the map, to check against.

    Raises:
        InputError: cells outside the map, or a failed write.
    """
    ids = _ids(cells, map_cells, path)
    return write_text(path, ["Year,Ncell\n", ",".join(["1", *ids]) + "\n"])


def _ids(cells: ArrayLike, map_cells: int | None, path: str | Path) -> list[str]:
    flat = np.asarray(cells, dtype=np.int64).ravel()
    limit = np.iinfo(np.int64).max if map_cells is None else map_cells
    if flat.size and (flat.min() < 0 or flat.max() >= limit):
        raise fail(expected=f"cells from 0 to {limit - 1:,}",
                   given=f"{flat.min()} to {flat.max()}", where=str(path),
                   remedy="give cells of this map")
    return [str(cell + 1) for cell in flat.tolist()]


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


def _layers(landscape: Landscape) -> dict[str, np.ndarray]:
    fuels = landscape.fuels
    grids: dict[str, np.ndarray] = {
        fuels.cell2fire.fuel_grid: landscape.fuel_model,
        "elevation": landscape.elevation_m,
        "slope": percent(landscape.slope_tan),
        "saz": shown_aspect(landscape),
    }
    canopy: dict[str, np.ndarray] = {
        "cbd": landscape.canopy_bulk_density_kg_m3, "cbh": landscape.canopy_base_height_m,
        "ccf": percent(landscape.canopy_cover), "hm": landscape.canopy_height_m}
    grids |= {name: grid for name, grid in canopy.items()
              if grid.any() or (fuels.uses_canopy and name != "hm")}
    extra = extra_layers(landscape)
    curing = extra.pop("grass_curing", None)
    if fuels.uses_curing or curing is not None:
        grids["cur"] = percent(landscape.grass_curing)
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
        yield f"{code},{code},{fuels.label(code)},{table_text(code, fuels)},{numbers}\n"


def _data_lines(landscape: Landscape) -> Iterator[str]:
    """Data.csv: one line per cell; columns that are not known stay empty, as in the originals."""
    fuels = landscape.fuels
    columns = fuels.cell2fire.data_columns
    lat, lon = _centre_degrees(landscape)
    by_code = {code: _fuel_fields(code, fuels)
               for code in np.unique(landscape.fuel_model).tolist()}
    grids: dict[str, np.ndarray] = {
        "elev": landscape.elevation_m, "ps": percent(landscape.slope_tan),
        "saz": shown_aspect(landscape), "cur": percent(landscape.grass_curing),
        "cbd": landscape.canopy_bulk_density_kg_m3, "cbh": landscape.canopy_base_height_m,
        "ccf": percent(landscape.canopy_cover), "tree_height": landscape.canopy_height_m,
    }
    if (landscape.ignition_weight != 1.0).any():
        grids["probMap"] = landscape.ignition_weight
    if not fuels.uses_curing:
        del grids["cur"]
    if not landscape.canopy_height_m.any():
        del grids["tree_height"]
    values = {name: _words(grid) for name, grid in grids.items() if name in columns}
    constant = {"lat": f"{lat:.6f}", "lon": f"{lon:.6f}", "time": str(_TIME)}
    yield ",".join(columns) + "\n"
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for cell, code in enumerate(landscape.fuel_model.ravel().tolist()):
        row = constant | by_code[code] | {name: words[cell] for name, words in values.items()}
        writer.writerow([row.get(name, "") for name in columns])
    yield buffer.getvalue()


def _words(grid: np.ndarray) -> list[str]:
    words: list[str] = grid.ravel().astype(str).tolist()
    return words


def _fuel_fields(code: int, fuels: FuelSystem) -> dict[str, str]:
    """What Data.csv says of a fuel code, by column."""
    if code in fuels.burnable_codes:
        return fuels.cell2fire.data_fields(code)
    return {"fueltype": "NF", "ftypeN": str(code)}


def _centre_degrees(landscape: Landscape) -> tuple[float, float]:
    """(latitude, longitude) of the map's centre."""
    centre = centre_of(landscape)
    return _UNPLACED if centre is None else (centre[1], centre[0])
