"""Write landscapes as folders with one ASCII grid per layer, named for a GIS; and breaks as the
table of cells that Cell2Fire and C2F-W take.
"""

import os
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from firebreak.checks import fail
from firebreak.files import made_folder, write_pieces
from firebreak.landscape.formats.layers import RASTERS, TABLE_END
from firebreak.landscape.formats.write import (
    esri_system,
    extra_layers,
    percent,
    whole_file,
    write_text,
)
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.ascii_grid import ascii_lines


def write_ascii_folder(folder: str | Path, landscape: Landscape) -> list[Path]:
    """A folder with one ASCII grid per layer, named with its unit, and a .prj for each.

    Numbers are written in full, so the landscape is read back as it is (slope and aspect with
    `terrain="shipped"`). The fuel layer of the FBP System is fuel_model_fbp.

    No file takes its place before all are written, so a full disk leaves an earlier landscape as it
    was. Then the fuel grid of that one, which is the first, goes, and the new one comes last: where
    it is missing, as after a kill, no folder is read as a landscape.

    Raises:
        InputError: `folder` is a file, may not be written, or holds other files that would be read
            with these grids.
        OSError: the disk is full.
    """
    place, grids = Path(folder), _ascii_layers(landscape)
    _refuse_other_layers(place, grids, landscape)
    made_folder(place)
    system = landscape.crs and esri_system(landscape.crs)
    fuel, *others = grids
    files: dict[Path, Iterable[str]] = {}
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


def _ascii_layers(landscape: Landscape) -> dict[str, np.ndarray]:
    """The grids by the names of their files, in natural units: m, percent, degrees with -1 on level
    ground, kg/m3.
    """
    level = (landscape.slope_tan == 0) & (landscape.aspect_deg == 0)
    return {landscape.fuels.layer_name: landscape.fuel_model,
            "elevation_m": landscape.elevation_m,
            "slope_percent": percent(landscape.slope_tan),
            "aspect_deg": np.where(level, np.float32(-1.0), landscape.aspect_deg),
            "canopy_cover_percent": percent(landscape.canopy_cover),
            "canopy_height_m": landscape.canopy_height_m,
            "canopy_base_height_m": landscape.canopy_base_height_m,
            "canopy_bulk_density_kg_m3": landscape.canopy_bulk_density_kg_m3,
            **extra_layers(landscape)}


def _refuse_other_layers(place: Path, grids: Collection[str], landscape: Landscape) -> None:
    """Refuse a folder in which other files lie that would be read with the landscape's grids: as
    layers, as a whole landscape, as its fuel table, or as the reference system of grids that have
    none.
    """
    written = {f"{name}.asc" for name in grids}
    if os.path.lexists(place) and not place.is_dir():
        raise fail(expected="a folder", given="a file", where=str(place),
                   remedy="choose another name")
    try:
        found = sorted(place.iterdir()) if place.is_dir() else []
        other = [path.name for path in found if (
            not path.is_file() if path.name in written else
            path.suffix.lower() in RASTERS or path.name.lower().endswith(TABLE_END)
            or (not landscape.crs and path.suffix.lower() == ".prj" and path.stem in grids))]
    except OSError as error:
        raise fail(expected="a folder that can be looked into", given=error.strerror or str(error),
                   where=str(place), remedy="check its permissions") from error
    if other:
        raise fail(expected="a folder without other layers or fuel tables",
                   given=", ".join(other), where=str(place),
                   remedy="move them elsewhere, or choose another folder")


def write_firebreak_csv(path: str | Path, cells: ArrayLike) -> Path:
    """Cells [n], flat from 0, as the table "Year,Ncell" that Cell2Fire takes as harvested cells and
    C2F-W as fire breaks: one line "1,ID,ID,..." with ids from 1; `InputError` for a failed write.
    """
    ids = (np.asarray(cells, dtype=np.int64).ravel() + 1).tolist()
    return write_text(path, ["Year,Ncell\n", ",".join(map(str, [1, *ids])) + "\n"])
