"""Write grids as GeoTIFFs that any GIS opens in place: north-up, compressed, bands described.

A file appears whole or not at all: it is written under another name beside its place, then moved.
"""

import os
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import rasterio
from numpy.typing import DTypeLike, NDArray
from rasterio.errors import NotGeoreferencedWarning, RasterioError

from firebreak.checks import fail
from firebreak.landscape.fuels import FUEL_COLOURS
from firebreak.landscape.landscape import NODATA, Landscape

_FUEL_MAP_NODATA = 0


def write_geotiff(path: str | Path, grids: Mapping[str, np.ndarray], landscape: Landscape, *,
                  nodata: float | None = None, dtype: DTypeLike | None = None,
                  tags: Mapping[str, object] | None = None) -> Path:
    """Write [H, W] grids as the bands of one GeoTIFF on the landscape's grid.

    Args:
        path: the file to make or replace.
        grids: band description -> grid; bool is written as 0 and 1.
        landscape: gives cell size, position and reference system.
        nodata: value that means no data, written to the file's tag.
        dtype: of the file; None takes the smallest that holds all grids.
        tags: key -> text, written into the file.

    Returns:
        The path.

    Raises:
        InputError: no grids, a grid of another shape, a folder that is missing, a failed write.
    """
    target = Path(path)
    bands = _checked_bands(target, grids, landscape, dtype)
    profile = {
        "driver": "GTiff", "height": landscape.shape[0], "width": landscape.shape[1],
        "count": len(bands), "dtype": bands[0].dtype, "crs": landscape.crs, "nodata": nodata,
        "transform": rasterio.Affine(*landscape.transform), "compress": "deflate",
    }
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _write(part, profile, dict(zip(grids, bands, strict=True)), tags or {})
        os.replace(part, target)
    except (RasterioError, OSError) as error:
        raise fail(expected="to write a GeoTIFF", given=f"'{error}'", where=str(target),
                   remedy="check the folder's permissions and free space") from error
    finally:
        part.unlink(missing_ok=True)
    return target


def _checked_bands(target: Path, grids: Mapping[str, np.ndarray], landscape: Landscape,
                   dtype: DTypeLike | None) -> list[np.ndarray]:
    if not target.parent.is_dir():
        raise fail(expected="a folder to write into", given="none", where=str(target.parent),
                   remedy="create it first")
    wrong = {name: np.shape(grid) for name, grid in grids.items()
             if np.shape(grid) != landscape.shape}
    if wrong or not grids:
        raise fail(expected=f"grids of shape {landscape.shape}", given=f"{wrong or 'none'}",
                   where=str(target), remedy="write grids of this landscape only")
    arrays = [grid.astype(np.uint8) if grid.dtype == np.bool_ else grid for grid in grids.values()]
    common = np.dtype(dtype) if dtype is not None else np.result_type(*arrays)
    return [array.astype(common) for array in arrays]


def _write(path: Path, profile: dict[str, object], bands: Mapping[str, np.ndarray],
           tags: Mapping[str, object]) -> None:
    with warnings.catch_warnings():
        # Landscapes without a reference system are written without one; the reader said so.
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, "w", **profile) as dataset:
            for index, (name, grid) in enumerate(bands.items(), start=1):
                dataset.write(grid, index)
                dataset.set_band_description(index, name)
            dataset.update_tags(**{key: str(text) for key, text in tags.items()})
            if list(bands) == ["fuel_model"] and profile["dtype"] == np.uint8:
                dataset.write_colormap(1, _colour_table())


def _colour_table() -> dict[int, tuple[int, int, int, int]]:
    table = {_FUEL_MAP_NODATA: (255, 255, 255, 0)}
    for code, colour in FUEL_COLOURS.items():
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        table[code] = (red, green, blue, 255)
    return table


def write_fuel_map(path: str | Path, landscape: Landscape) -> Path:
    """The fuel codes as a uint8 GeoTIFF with LANDFIRE's colours; no data is 0."""
    codes = np.where(landscape.fuel_model == NODATA, _FUEL_MAP_NODATA, landscape.fuel_model)
    return write_geotiff(path, {"fuel_model": codes}, landscape, nodata=_FUEL_MAP_NODATA,
                         dtype=np.uint8)


def write_landscape(path: str | Path, landscape: Landscape) -> Path:
    """The 8-band int16 landscape GeoTIFF that LANDFIRE ships and fire programs read.

    Elevation is rounded to metres, slope to degrees, aspect to degrees (-1 = flat), cover to
    percent, heights to decimetres, bulk density to 0.01 kg/m3. Value, cost and treatable cells
    have no place in the format.

    Raises:
        InputError: as `write_geotiff`.
    """
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
    return write_geotiff(path, whole, landscape, nodata=NODATA, dtype=np.int16)
