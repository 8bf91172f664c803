"""Write rasters: grids as GeoTIFFs that any GIS opens in place (north-up, compressed, bands
described), landscapes as the GeoTIFFs and FARSITE landscape files (.lcp) that fire programs read.

A file appears whole or not at all: it is written under another name beside its place, then moved.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import rasterio
from numpy.typing import DTypeLike, NDArray
from rasterio.crs import CRS
from rasterio.io import DatasetWriter, MemoryFile
from rasterio.shutil import copy

from firebreak.checks import fail
from firebreak.files import replacing, write_pieces
from firebreak.landscape.landscape import DEFAULT_CURING, NODATA, Landscape
from firebreak.landscape.raster.geotiff import (
    check_bands,
    gdal_faults,
    raster_bytes,
    sums_of,
)

SYSTEM_TAG = "FUEL_SYSTEM"
"""The tag in which a GeoTIFF names its fuel system."""

Colour = tuple[int, int, int, int]
"""Red, green, blue and opacity, 0-255."""

TILE_CELLS = 512
"""Along a side of a tile. A larger raster is written in tiles with coarser copies of itself (cloud
optimized GeoTIFF), of which a viewer reads what it shows.
"""

_FUEL_MAP_NODATA = 0
_LCP_UNITS = {"ELEVATION_UNIT": "METERS", "SLOPE_UNIT": "DEGREES",
              "ASPECT_UNIT": "AZIMUTH_DEGREES", "CANOPY_COV_UNIT": "PERCENT",
              "CANOPY_HT_UNIT": "METERS_X_10", "CBH_UNIT": "METERS_X_10",
              "CBD_UNIT": "KG_PER_CUBIC_METER_X_100", "LINEAR_UNIT": "METER",
              "FUEL_MODEL_OPTION": "NO_CUSTOM_AND_NO_FILE"}
PRJ = ".prj"
"""Ending of the file beside an .lcp that names the reference system."""
_NO_LATITUDE = 0
_FOLDER = "firebreak"  # in GDAL's memory; an .lcp holds the name of what it was made from


def write_geotiff(path: str | Path, grids: Mapping[str, np.ndarray], landscape: Landscape, *,
                  nodata: float | None = None, dtype: DTypeLike | None = None,
                  tags: Mapping[str, object] | None = None,
                  colours: Mapping[int, Colour] | None = None) -> Path:
    """Write [H, W] grids as the bands of one GeoTIFF on the landscape's grid, a cloud optimized one
    where it is larger than a tile.

    Args:
        path: the file to make or replace.
        grids: band description -> grid; bool is written as 0 and 1.
        landscape: gives cell size, position and reference system.
        nodata: value that means no data, written to the file's tag.
        dtype: of the file; None takes the smallest that holds all grids.
        tags: key -> text, written into the file.
        colours: number -> colour, written as the colour table of a file of one band of uint8 or
            uint16.

    Returns:
        The path.

    Raises:
        InputError: a folder that is missing or may not be written.
        OSError, ResourceFailedError: the disk is full, or memory.
    """
    target = Path(path)
    return write_whole(target, "a GeoTIFF", [
        _geotiff(target, grids, landscape, nodata, dtype, tags or {}, colours)])


def _geotiff(target: Path, grids: Mapping[str, np.ndarray], landscape: Landscape,
             nodata: float | None, dtype: DTypeLike | None, tags: Mapping[str, object],
             colours: Mapping[int, Colour] | None = None) -> bytes:
    _check_folder(target)
    arrays = [grid.astype(np.uint8) if grid.dtype == np.bool_ else grid for grid in grids.values()]
    common = np.dtype(dtype) if dtype is not None else np.result_type(*arrays)
    bands = [array.astype(common) for array in arrays]
    profile = {
        "height": landscape.shape[0], "width": landscape.shape[1],
        "count": len(bands), "dtype": bands[0].dtype, "crs": landscape.crs, "nodata": nodata,
        "transform": rasterio.Affine(*landscape.transform), "compress": "deflate",
        **_layout(landscape.shape, floating=np.issubdtype(bands[0].dtype, np.floating)),
    }

    def finish(dataset: DatasetWriter) -> None:
        for index, name in enumerate(grids, start=1):
            dataset.set_band_description(index, name)
        dataset.update_tags(**{key: str(text) for key, text in tags.items()})
        if colours is not None:
            dataset.write_colormap(1, dict(colours))

    return raster_bytes(target, profile, bands, finish)


def _layout(shape: tuple[int, int], *, floating: bool) -> dict[str, object]:
    """Options of a GeoTIFF; coarser copies have cells of the map, as ranks have no mean."""
    if max(shape) <= TILE_CELLS:
        return {"driver": "GTiff", "predictor": 3 if floating else 2}
    return {"driver": "COG", "predictor": "yes", "blocksize": TILE_CELLS,
            "overview_resampling": "nearest"}


@contextmanager
def whole_file(target: Path, kind: str) -> Iterator[Path]:
    """A path beside `target` to write to; what is there takes the target's place at the end.

    Raises:
        InputError: a folder that is missing or may not be written, or one of the target's name.
        OSError: the disk is full.
    """
    _check_folder(target)
    try:
        with replacing(target) as part:
            yield part
    except (PermissionError, IsADirectoryError) as error:
        raise fail(expected=f"to write {kind}", given=f"'{error.strerror}'", where=str(target),
                   remedy="check the permissions of file and folder") from error


def _check_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise fail(expected="a folder to write into", given="none", where=str(target.parent),
                   remedy="create it first")


def write_whole(target: Path, kind: str, pieces: Iterable[bytes]) -> Path:
    """Write pieces as one file; returns its path, raises as `whole_file`."""
    with whole_file(target, kind) as part:
        write_pieces(part, pieces)
    return target


def write_text(path: str | Path, lines: Iterable[str]) -> Path:
    """Write pieces of text as one file; returns its path, raises as `whole_file`."""
    return write_whole(Path(path), "a file", (line.encode() for line in lines))


def write_fuel_map(path: str | Path, landscape: Landscape) -> Path:
    """The fuel codes as a GeoTIFF in the usual colours of the fuel system; no data is 0.

    A cell takes the bytes that the codes of its fuel system need: one, or two for the FBP System.
    """
    codes = np.where(landscape.fuel_model == NODATA, _FUEL_MAP_NODATA, landscape.fuel_model)
    colours: dict[int, Colour] = {_FUEL_MAP_NODATA: (255, 255, 255, 0)}
    for code, colour in landscape.fuels.colours.items():
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        colours[code] = (red, green, blue, 255)
    return write_geotiff(path, {"fuel_model": codes}, landscape, nodata=_FUEL_MAP_NODATA,
                         dtype=landscape.fuels.fuel_map_dtype,
                         tags={SYSTEM_TAG: landscape.fuel_system}, colours=colours)


def write_landscape(path: str | Path, landscape: Landscape) -> Path:
    """The 8-band int16 landscape GeoTIFF that LANDFIRE ships and fire programs read.

    Elevation is rounded to metres, slope to degrees, aspect to degrees (-1 = flat), cover to
    percent, heights to decimetres, bulk density to 0.01 kg/m3; a tag names the fuel system. Grass
    curing (percent), ignition weights, value, cost, treatable cells, the distance to a road and
    the width of bare ground (m) follow as more bands where they are not everywhere what a landscape
    has by default; the file is then float32, as one GeoTIFF has one type of numbers.

    Raises:
        InputError: `path` does not end in .tif or .tiff; see also `write_geotiff`.
        OSError, ResourceFailedError: as `write_geotiff`.
    """
    target = Path(path)
    if target.suffix.lower() not in (".tif", ".tiff"):
        raise fail(expected="the name of a GeoTIFF, .tif or .tiff", given=f"'{target.name}'",
                   where=str(target), remedy="choose a name such as landscape.tif")
    return write_whole(target, "a GeoTIFF", [_landscape_bytes(target, landscape)])


def _landscape_bytes(target: Path, landscape: Landscape) -> bytes:
    """The GeoTIFF of `write_landscape`; `target` is the file that it is for."""
    aspect = np.round(landscape.aspect_deg) % 360
    bands = {
        "elevation": landscape.elevation_m,
        "slope degrees": np.degrees(np.arctan(landscape.slope_tan)),
        "aspect": np.where(landscape.slope_tan > 0, aspect, -1),
        "fuel model": landscape.fuel_model,
        "canopy cover": 100 * landscape.canopy_cover,
        "canopy height": 10 * landscape.canopy_height_m,
        "canopy base height": 10 * landscape.canopy_base_height_m,
        "canopy bulk density": 100 * landscape.canopy_bulk_density_kg_m3,
    }
    outside = landscape.fuel_model == NODATA
    whole: dict[str, NDArray[np.float64]] = {
        name: np.where(outside, NODATA, np.round(grid)) for name, grid in bands.items()}
    extra = {name.replace("_", " "): np.where(outside, NODATA, grid)
             for name, grid in extra_layers(landscape).items()}
    return _geotiff(target, whole | extra, landscape, NODATA,
                    np.float32 if extra else np.int16, {SYSTEM_TAG: landscape.fuel_system})


def extra_layers(landscape: Landscape) -> dict[str, np.ndarray]:
    """The optional grids that differ from their defaults, by layer name."""
    found: dict[str, np.ndarray] = {}
    if (landscape.grass_curing != np.float32(DEFAULT_CURING)).any():
        found["grass_curing"] = percent(landscape.grass_curing)
    for name in ("ignition_weight", "value", "cost"):
        if (getattr(landscape, name) != 1.0).any():
            found[name] = getattr(landscape, name)
    if (landscape.treatable != landscape.burnable).any():
        found["treatable"] = landscape.treatable.astype(np.int16)
    found |= {name: grid for name in ("road_m", "bare_m")
              if (grid := getattr(landscape, name)) is not None}
    return found


def percent(grid: np.ndarray) -> NDArray[np.float64]:
    """A float32 fraction in percent, as the shortest number that gives it back exactly."""
    exact = 100.0 * grid.astype(np.float64)
    short = np.round(exact, 4)
    return np.where((short / 100.0).astype(np.float32) == grid, short, exact)


def write_lcp(path: str | Path, landscape: Landscape) -> list[Path]:
    """A landscape file of eight bands, and a .prj beside it if there is a reference system; returns
    what was written. It has no room for values, costs, treatable cells, roads or widths. Without a
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
                   remedy="correct the name, or write a GeoTIFF or ASCII grids instead")
    _check_folder(target)
    place: dict[str, object] = {}
    if landscape.crs is None:
        warnings.warn(f"{target}: latitude {_NO_LATITUDE} is written, as the map has no reference "
                      "system to tell its own", stacklevel=2)
        place = {"LATITUDE": _NO_LATITUDE}
    bands = _landscape_bytes(target, without_extras(landscape))
    # GDAL knows the format by its suffix alone.
    with gdal_faults(target), MemoryFile(
            bands, dirname=_FOLDER, filename="bands.tif") as source, MemoryFile(
            dirname=_FOLDER, filename="landscape.lcp") as lcp:
        with source.open() as dataset:
            copy(dataset, lcp.name, driver="LCP", **_LCP_UNITS, **place)
            sums = sums_of(dataset)
        with lcp.open() as back:
            check_bands(back, sums, target)
        content = bytes(lcp.getbuffer())
    written = [write_whole(target, "a landscape file", [content])]
    if landscape.crs is not None:
        written.append(write_text(target.with_suffix(PRJ), [esri_system(landscape.crs)]))
    return written


def esri_system(crs: str) -> str:
    """A reference system as .prj files name it: WKT as ESRI spells it."""
    return str(CRS.from_user_input(crs).to_wkt(version="WKT1_ESRI"))


def without_extras(landscape: Landscape) -> Landscape:
    """A landscape without values, costs, treatable cells, ignition weights, curing, roads and
    widths of bare ground.
    """
    ones = np.ones(landscape.shape, np.float32)
    return replace(landscape, value=ones, cost=ones, ignition_weight=ones,
                   grass_curing=DEFAULT_CURING * ones, treatable=landscape.burnable, road_m=None,
                   bare_m=None)
