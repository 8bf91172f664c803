"""Write grids as GeoTIFFs that any GIS opens in place: north-up, compressed, bands described; and
as folders of ASCII grids.

A file appears whole or not at all: it is written under another name beside its place, then moved.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import rasterio
from numpy.typing import DTypeLike, NDArray
from rasterio.crs import CRS
from rasterio.io import DatasetWriter

from firebreak.checks import fail
from firebreak.files import made_folder, replacing, write_pieces
from firebreak.landscape.formats.layers import RASTERS, TABLE_END
from firebreak.landscape.fuel_systems import FuelSystem
from firebreak.landscape.landscape import DEFAULT_CURING, NODATA, Landscape
from firebreak.landscape.raster.ascii_grid import ascii_lines
from firebreak.landscape.raster.geotiff import raster_bytes

SYSTEM_TAG = "FUEL_SYSTEM"
"""The tag in which a GeoTIFF names its fuel system."""

Colour = tuple[int, int, int, int]
"""Red, green, blue and opacity, 0-255."""

TILE_CELLS = 512
"""Along a side of a tile. A larger raster is written in tiles with coarser copies of itself (cloud
optimized GeoTIFF), of which a viewer reads what it shows.
"""

_FUEL_MAP_NODATA = 0


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
        InputError: no grids, a grid of another shape, a folder that is missing or may not be
            written.
        OSError, ResourceFailedError: the disk is full, or memory.
    """
    target = Path(path)
    return _write(target, _geotiff(target, grids, landscape, nodata, dtype, tags or {}, colours))


def _geotiff(target: Path, grids: Mapping[str, np.ndarray], landscape: Landscape,
             nodata: float | None, dtype: DTypeLike | None, tags: Mapping[str, object],
             colours: Mapping[int, Colour] | None = None) -> bytes:
    bands = _checked_bands(target, grids, landscape, dtype)
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
    """How a GeoTIFF is laid out. Coarser copies have cells of the map, as ranks and codes have no
    mean.
    """
    if max(shape) <= TILE_CELLS:
        return {"driver": "GTiff", "predictor": 3 if floating else 2}
    return {"driver": "COG", "predictor": "yes", "blocksize": TILE_CELLS,
            "overview_resampling": "nearest"}


def _write(target: Path, content: bytes) -> Path:
    with whole_file(target, "a GeoTIFF") as part:
        write_pieces(part, [content])
    return target


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


def write_text(path: str | Path, lines: Iterable[str]) -> Path:
    """Write pieces of text as one file; raises as `whole_file`."""
    target = Path(path)
    with whole_file(target, "a file") as part:
        write_pieces(part, (line.encode() for line in lines))
    return target


def _checked_bands(target: Path, grids: Mapping[str, np.ndarray], landscape: Landscape,
                   dtype: DTypeLike | None) -> list[np.ndarray]:
    _check_folder(target)
    wrong = {name: np.shape(grid) for name, grid in grids.items()
             if np.shape(grid) != landscape.shape}
    if wrong or not grids:
        raise fail(expected=f"grids of shape {landscape.shape}", given=f"{wrong or 'none'}",
                   where=str(target), remedy="write grids of this landscape only")
    arrays = [grid.astype(np.uint8) if grid.dtype == np.bool_ else grid for grid in grids.values()]
    common = np.dtype(dtype) if dtype is not None else np.result_type(*arrays)
    return [array.astype(common) for array in arrays]


def _colour_table(fuels: FuelSystem) -> dict[int, Colour]:
    table = {_FUEL_MAP_NODATA: (255, 255, 255, 0)}
    for code, colour in fuels.colours.items():
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        table[code] = (red, green, blue, 255)
    return table


def write_fuel_map(path: str | Path, landscape: Landscape) -> Path:
    """The fuel codes as a GeoTIFF in the usual colours of the fuel system; no data is 0.

    A cell takes the bytes that the codes of its fuel system need: one, or two for the FBP System.
    """
    codes = np.where(landscape.fuel_model == NODATA, _FUEL_MAP_NODATA, landscape.fuel_model)
    return write_geotiff(path, {"fuel_model": codes}, landscape, nodata=_FUEL_MAP_NODATA,
                         dtype=landscape.fuels.fuel_map_dtype,
                         tags={SYSTEM_TAG: landscape.fuel_system},
                         colours=_colour_table(landscape.fuels))


def write_landscape(path: str | Path, landscape: Landscape) -> Path:
    """The 8-band int16 landscape GeoTIFF that LANDFIRE ships and fire programs read.

    Elevation is rounded to metres, slope to degrees, aspect to degrees (-1 = flat), cover to
    percent, heights to decimetres, bulk density to 0.01 kg/m3; a tag names the fuel system. Grass
    curing (percent), ignition weights, value, cost, treatable cells and the distance to a road
    (m) follow as more bands where they are not everywhere what a landscape has by default; the
    file is then float32, as one GeoTIFF has one type of numbers.

    Raises:
        InputError: `path` does not end in .tif or .tiff; see also `write_geotiff`.
        OSError, ResourceFailedError: as `write_geotiff`.
    """
    target = Path(path)
    if target.suffix.lower() not in (".tif", ".tiff"):
        raise fail(expected="the name of a GeoTIFF, .tif or .tiff", given=f"'{target.name}'",
                   where=str(target), remedy="choose a name such as landscape.tif")
    return _write(target, landscape_bytes(target, landscape))


def landscape_bytes(target: Path, landscape: Landscape) -> bytes:
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
    if landscape.road_m is not None:
        found["road_m"] = landscape.road_m
    return found


def percent(grid: np.ndarray) -> NDArray[np.float64]:
    """A float32 fraction in percent, as the shortest number that gives it back exactly."""
    exact = 100.0 * grid.astype(np.float64)
    short = np.round(exact, 4)
    return np.where((short / 100.0).astype(np.float32) == grid, short, exact)


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
    grids: dict[str, np.ndarray] = {
        landscape.fuels.layer_name: landscape.fuel_model,
        "elevation_m": landscape.elevation_m,
        "slope_percent": percent(landscape.slope_tan),
        "aspect_deg": shown_aspect(landscape),
        "canopy_cover_percent": percent(landscape.canopy_cover),
        "canopy_height_m": landscape.canopy_height_m,
        "canopy_base_height_m": landscape.canopy_base_height_m,
        "canopy_bulk_density_kg_m3": landscape.canopy_bulk_density_kg_m3,
    }
    return grids | extra_layers(landscape)


def refuse_other_layers(folder: str | Path, landscape: Landscape,
                        names: Collection[str] | None = None,
                        tables: Collection[str] = ()) -> None:
    """Refuses a folder in which other files lie that would be read with the landscape's grids: as
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
    system = landscape.crs and CRS.from_user_input(landscape.crs).to_wkt(version="WKT1_ESRI")
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


def shown_aspect(landscape: Landscape) -> NDArray[np.float32]:
    """Aspect in degrees, and -1 on level ground."""
    level = (landscape.slope_tan == 0) & (landscape.aspect_deg == 0)
    return np.where(level, np.float32(-1.0), landscape.aspect_deg)
