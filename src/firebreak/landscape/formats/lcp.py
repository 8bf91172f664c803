"""Write FARSITE landscape files (.lcp), by GDAL."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from rasterio.crs import CRS
from rasterio.io import MemoryFile
from rasterio.shutil import copy

from firebreak.checks import fail
from firebreak.files import write_pieces
from firebreak.landscape.formats.write import landscape_bytes, whole_file, write_text
from firebreak.landscape.landscape import DEFAULT_CURING, Landscape
from firebreak.landscape.raster.geotiff import (
    check_bands,
    gdal_faults,
    sums_of,
    unnamed_places,
)

PRJ = ".prj"
"""Ending of the file beside it that names the reference system."""
_UNITS = {"ELEVATION_UNIT": "METERS", "SLOPE_UNIT": "DEGREES",
          "ASPECT_UNIT": "AZIMUTH_DEGREES", "CANOPY_COV_UNIT": "PERCENT",
          "CANOPY_HT_UNIT": "METERS_X_10", "CBH_UNIT": "METERS_X_10",
          "CBD_UNIT": "KG_PER_CUBIC_METER_X_100", "LINEAR_UNIT": "METER",
          "FUEL_MODEL_OPTION": "NO_CUSTOM_AND_NO_FILE"}
_NO_LATITUDE = 0
_FOLDER = "firebreak"  # in GDAL's memory; the file holds the name of what it was made from


def write_lcp(path: str | Path, landscape: Landscape) -> list[Path]:
    """A landscape file of eight bands, and a .prj beside it if there is a reference system; returns
    what was written. It has no room for values, costs, treatable cells or roads. Without a
    reference system its latitude is 0, with a warning.

    Raises:
        InputError: fuels of the FBP System, another suffix, a folder that is missing or may
            not be written.
        OSError, ResourceFailedError: the disk is full, or memory.
    """
    target = Path(path)
    if not landscape.fuels.in_lcp or target.suffix.lower() != ".lcp":
        raise fail(expected="fuels of Anderson or Scott & Burgan, and a name that ends in .lcp",
                   given=f"'{landscape.fuel_system}' and '{target.name}'", where=str(target),
                   remedy="correct the name, or write a GeoTIFF or a Cell2Fire folder instead")
    if not target.parent.is_dir():
        raise fail(expected="a folder to write into", given="none", where=str(target.parent),
                   remedy="create it first")
    place: dict[str, object] = {}
    if landscape.crs is None:
        warnings.warn(f"{target}: latitude {_NO_LATITUDE} is written, as the map has no reference "
                      "system to tell its own", stacklevel=2)
        place = {"LATITUDE": _NO_LATITUDE}
    bands = landscape_bytes(target, without_extras(landscape))
    # GDAL knows the format by its suffix alone.
    with unnamed_places(), gdal_faults(target), MemoryFile(
            bands, dirname=_FOLDER, filename="bands.tif") as source, MemoryFile(
            dirname=_FOLDER, filename="landscape.lcp") as made:
        with source.open() as dataset:
            copy(dataset, made.name, driver="LCP", **_UNITS, **place)
            sums = sums_of(dataset)
        with made.open() as back:
            check_bands(back, sums, target)
        content = bytes(made.getbuffer())
    with whole_file(target, "a landscape file") as part:
        write_pieces(part, [content])
    if landscape.crs is None:
        return [target]
    system = CRS.from_user_input(landscape.crs).to_wkt(version="WKT1_ESRI")
    return [target, write_text(target.with_suffix(PRJ), [system])]


def without_extras(landscape: Landscape) -> Landscape:
    """A landscape without values, costs, treatable cells, ignition weights, curing and roads."""
    ones = np.ones(landscape.shape, np.float32)
    return replace(landscape, value=ones, cost=ones, ignition_weight=ones,
                   grass_curing=DEFAULT_CURING * ones, treatable=landscape.burnable, road_m=None)
