"""Write FARSITE landscape files (.lcp), by GDAL."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from rasterio.errors import RasterioError
from rasterio.shutil import copy

from firebreak.checks import fail
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.writers import write_landscape

_UNITS = {"ELEVATION_UNIT": "METERS", "SLOPE_UNIT": "DEGREES",
          "ASPECT_UNIT": "AZIMUTH_DEGREES", "CANOPY_COV_UNIT": "PERCENT",
          "CANOPY_HT_UNIT": "METERS_X_10", "CBH_UNIT": "METERS_X_10",
          "CBD_UNIT": "KG_PER_CUBIC_METER_X_100", "LINEAR_UNIT": "METER",
          "FUEL_MODEL_OPTION": "NO_CUSTOM_AND_NO_FILE"}
_CURING = 0.8


def write_lcp(path: str | Path, landscape: Landscape) -> list[Path]:
    """A landscape file of eight bands, and a .prj beside it if there is a reference system; returns
    what was written. It has no room for values, costs or treatable cells.

    Raises:
        InputError: fuels of the FBP System, another suffix, a folder that is missing, a failed
            write.
    """
    target = Path(path)
    if landscape.fuel_system != "rothermel" or target.suffix.lower() != ".lcp":
        raise fail(expected="fuels of Anderson or Scott & Burgan, and a name that ends in .lcp",
                   given=f"'{landscape.fuel_system}' and '{target.name}'", where=str(target),
                   remedy="correct the name, or write a GeoTIFF or a Cell2Fire folder instead")
    if not target.parent.is_dir():
        raise fail(expected="a folder to write into", given="none", where=str(target.parent),
                   remedy="create it first")
    # GDAL knows the format by its suffix alone, and writes files beside it.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".lcp-") as folder:
        made = Path(folder) / "landscape.lcp"
        try:
            copy(write_landscape(Path(folder) / "bands.tif", without_extras(landscape)), made,
                 driver="LCP", **_UNITS)
        except RasterioError as error:
            raise fail(expected="to write a landscape file", given=f"'{error}'",
                       where=str(target), remedy="check the folder's permissions and free space",
                       ) from error
        written = [target]
        if made.with_suffix(".prj").is_file():
            written.append(target.with_suffix(".prj"))
            os.replace(made.with_suffix(".prj"), written[-1])
        os.replace(made, target)
    return written


def without_extras(landscape: Landscape) -> Landscape:
    """A landscape without values, costs, treatable cells, ignition weights and curing."""
    ones = np.ones(landscape.shape, np.float32)
    return replace(landscape, value=ones, cost=ones, ignition_weight=ones,
                   grass_curing=_CURING * ones, treatable=landscape.burnable)
