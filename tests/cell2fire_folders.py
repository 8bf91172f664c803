"""Folders as Cell2Fire and C2F-W read them, written from a landscape."""

from pathlib import Path

import numpy as np

from firebreak.landscape.formats.cell2fire import COLUMNS
from firebreak.landscape.formats.layers import Role
from firebreak.landscape.formats.write import esri_system, percent
from firebreak.landscape.landscape import NODATA, Landscape
from firebreak.landscape.raster.ascii_grid import ascii_lines


def write_cell2fire(folder: Path, land: Landscape) -> list[Path]:
    """The fuel grid, the layers of its fuel system, the lookup table and Data.csv; the files."""
    folder.mkdir(exist_ok=True)
    form, level = land.fuels.cell2fire, (land.slope_tan == 0) & (land.aspect_deg == 0)
    layers = {"elevation": (Role.ELEVATION, land.elevation_m),
              "slope": (Role.SLOPE, percent(land.slope_tan)),
              "saz": (Role.ASPECT, np.where(level, np.float32(-1.0), land.aspect_deg))}
    if land.fuels.uses_canopy:
        layers |= {"cbd": (Role.DENSITY, land.canopy_bulk_density_kg_m3),
                   "cbh": (Role.BASE, land.canopy_base_height_m),
                   "ccf": (Role.COVER, percent(land.canopy_cover)),
                   "hm": (Role.HEIGHT, land.canopy_height_m)}
    if land.fuels.uses_curing:
        layers["cur"] = (Role.CURING, percent(land.grass_curing))
    files = {f"{name}.asc": "".join(ascii_lines(grid, land.transform, NODATA)) for name, grid in (
        (form.fuel_grid, land.fuel_model), *((name, grid) for name, (_, grid) in layers.items()))}
    if land.crs:
        files |= {name.replace(".asc", ".prj"): esri_system(land.crs) + "\n" for name in files}
    codes = np.unique(land.fuel_model[land.fuel_model != NODATA]).tolist()
    names = [land.fuels.label(k) if k in land.fuels.burnable_codes else "Non-fuel" for k in codes]
    files[form.lookup_table] = (
        "grid_value, export_value, descriptive_name, fuel_type, r, g, b, h, s, l\n" + "".join(
            f"{k},{k},x,{name},0,0,0,0,0,0\n" for k, name in zip(codes, names, strict=True)))
    columns = [grid.ravel().astype(str) for _, grid in layers.values()]
    files["Data.csv"] = "\n".join(map(",".join, [
        ("fueltype", *(COLUMNS[role] for role, _ in layers.values())),
        *zip(np.full(land.fuel_model.size, "x"), *columns, strict=True)])) + "\n"
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in files]
