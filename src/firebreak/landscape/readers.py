"""Read landscapes: landscape GeoTIFFs, FARSITE .lcp files, folders of LANDFIRE layers, synthetic.

Slope and aspect are derived from elevation unless the file's own are asked for: shipped layers come
in unnamed units, and their aspect is often relative to another north than the grid's. Where the two
disagree a `LandscapeWarning` says by how much.
"""

import re
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion

from firebreak.checks import fail
from firebreak.landscape import layers
from firebreak.landscape.geotiff import Band, Grid, checked_grid, open_raster, read_band
from firebreak.landscape.landscape import Landscape
from firebreak.landscape.layers import LCP_ORDER, Role
from firebreak.landscape.synthetic import generate
from firebreak.landscape.terrain import slope_aspect

Terrain = Literal["derived", "shipped"]

DEFAULT_SYNTHETIC_SIZE = 40

_SLOPE_TOLERANCE = 0.04
_ASPECT_TOLERANCE_DEG = 5.0
_STEEP = 0.10


_CANOPY_NAMES = {Role.COVER: "canopy cover", Role.HEIGHT: "canopy height",
                 Role.BASE: "canopy base height", Role.DENSITY: "canopy bulk density"}


class LandscapeWarning(UserWarning):
    """A landscape was read, but something about its files should be known."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """A band, and the text that may name its unit: its description or its file's stem."""

    band: Band
    label: str


@dataclass(frozen=True, slots=True)
class _Source:
    """What was read, before units: where it lies and its layers."""

    where: str
    name: str
    grid: Grid
    layers: dict[Role, _Layer]


def read_landscape(spec: str | Path, *, terrain: Terrain = "derived",
                   crs: str | None = None) -> Landscape:
    """The landscape that `spec` names; value 1 and cost 1 everywhere, all burnable cells treatable.

    Args:
        spec: `synthetic:SEED[:SIZE[:FAMILY]]` (SIZE 40 or 30x50); a landscape GeoTIFF of 8 bands
            (elevation, slope, aspect, fuel, canopy cover, height, base height, bulk density; or
            in the order that the band descriptions say) or of the first 5; a FARSITE .lcp; a
            folder with one of these, or with one GeoTIFF per layer named as LANDFIRE names them.
        terrain: "derived" takes slope and aspect from elevation by Horn's scheme, "shipped" from
            the file.
        crs: reference system to use instead of the file's own.

    Raises:
        InputError: nothing there, unreadable, or not a landscape on a projected north-up grid.

    Warns:
        LandscapeWarning: no reference system; slope or aspect disagree with elevation.
    """
    if str(spec).startswith("synthetic:"):
        return _synthetic(str(spec))
    path = Path(spec)
    if not path.exists():
        raise fail(expected="a landscape file or folder", given="nothing", where=str(spec),
                   remedy="check the path, or use synthetic:SEED")
    source = _read_folder(path, crs) if path.is_dir() else _read_file(path, crs)
    if source.grid.crs is None:
        warnings.warn(f"{source.where}: has no coordinate reference system, so results will carry "
                      "none; pass crs to set it", LandscapeWarning, stacklevel=2)
    missing = [name for role, name in _CANOPY_NAMES.items() if role not in source.layers]
    if missing:
        warnings.warn(f"{source.where}: has no {', '.join(missing)}, taken as 0: the wind is not "
                      "sheltered by trees", LandscapeWarning, stacklevel=2)
    landscape, found = _landscape(source, terrain)
    if found:
        outcome = "derived from elevation" if terrain == "derived" else "used as shipped"
        warnings.warn(f"{source.where}: the file's slope and aspect disagree with its elevation "
                      f"({' and '.join(found)}); they are {outcome}", LandscapeWarning,
                      stacklevel=2)
    return landscape


def _synthetic(spec: str) -> Landscape:
    match = re.fullmatch(r"synthetic:(\d+)(?::(\d+)(?:x(\d+))?(?::([a-z]+))?)?", spec)
    if not match:
        raise fail(expected="synthetic:SEED[:SIZE[:FAMILY]] with whole numbers", given=f"'{spec}'",
                   where="landscape", remedy="write for example synthetic:7:40")
    seed, rows, cols, family = match.groups()
    height = int(rows or DEFAULT_SYNTHETIC_SIZE)
    return generate(int(seed), (height, int(cols or height)), family=family)


def _read_file(path: Path, crs: str | None) -> _Source:
    """One raster that holds all layers."""
    with open_raster(path) as dataset:
        grid = checked_grid(dataset, crs)
        roles = _band_roles(path, dataset.count, dataset.descriptions)
        bands = {role: read_band(dataset, index) for role, index in roles.items()}
    return _Source(str(path), path.stem, grid,
                   {role: _Layer(band, band.description) for role, band in bands.items()})


def _band_roles(path: Path, count: int, descriptions: tuple[str | None, ...]) -> dict[Role, int]:
    """Which band (from 1) holds which layer: by description where there are any, else by order."""
    if any(descriptions):
        roles: dict[Role, int] = {}
        for index, description in enumerate(descriptions, start=1):
            role = layers.role_of(description or "")
            if role and role not in roles:
                roles[role] = index
        missing = [role.value for role in LCP_ORDER[:5] if role not in roles]
        if missing:
            raise fail(expected="bands described as elevation, slope, aspect, fuel model and canopy"
                                " cover at least",
                       given=f"{count} bands, none for {', '.join(missing)}", where=str(path),
                       remedy="correct the band descriptions, or remove them all to use LCP order")
        return roles
    if count not in (5, 8):
        raise fail(expected="a landscape of 8 bands, or 5 without crown fuels",
                   given=f"{count} band" + ("s" if count > 1 else ""), where=str(path),
                   remedy="pass the folder that holds all layers, or stack them in LCP order")
    return {role: index for index, role in enumerate(LCP_ORDER[:count], start=1)}


def _read_folder(folder: Path, crs: str | None) -> _Source:
    """A folder with one landscape file, or with one raster per layer."""
    rasters = sorted(p for p in folder.iterdir() if p.suffix.lower() in (".tif", ".tiff", ".lcp"))
    whole = [p for p in rasters if p.suffix.lower() == ".lcp" or _band_count(p) > 1]
    chosen = _choose_layers([p for p in rasters if p not in whole])
    layered = {Role.ELEVATION, Role.FUEL} <= chosen.keys()
    if len(whole) == 1 and not layered:
        return replace(_read_file(whole[0], crs), name=folder.resolve().name)
    if layered and not whole:
        return _read_layers(folder, chosen, crs)
    given = f"{len(whole)} landscape files and {len(chosen)} layers" if rasters else "no raster"
    raise fail(expected="one landscape file, or one raster per layer with elevation and fuel",
               given=given, where=str(folder),
               remedy="name the file itself, or complete the layers")


def _band_count(path: Path) -> int:
    with open_raster(path) as dataset:
        return int(dataset.count)


def _choose_layers(rasters: list[Path]) -> dict[Role, Path]:
    """The file of each layer; of two fuel layers the one of the 40 models."""
    chosen: dict[Role, Path] = {}
    for path in rasters:
        role = layers.role_of(path.stem)
        if role is None:
            continue
        if role not in chosen or (role is Role.FUEL and layers.is_40(path.stem)):
            chosen[role] = path
        elif role is not Role.FUEL:
            raise fail(expected=f"one raster for {role.value}",
                       given=f"{chosen[role].name} and {path.name}", where=str(path.parent),
                       remedy="remove one of them")
    return chosen


def _read_layers(folder: Path, chosen: dict[Role, Path], crs: str | None) -> _Source:
    grids: dict[Role, Grid] = {}
    found: dict[Role, _Layer] = {}
    for role, path in chosen.items():
        with open_raster(path) as dataset:
            grids[role] = checked_grid(dataset, crs)
            found[role] = _Layer(read_band(dataset, 1), path.stem)
    fuel_grid = grids[Role.FUEL]
    for role, grid in grids.items():
        if grid.shape != fuel_grid.shape or not np.allclose(grid.transform, fuel_grid.transform):
            raise fail(expected=f"the grid of the fuel model, {_size(fuel_grid)}",
                       given=_size(grid), where=str(chosen[role]),
                       remedy="bring all layers to one grid first")
    return _Source(str(folder), folder.resolve().name, fuel_grid, found)


def _size(grid: Grid) -> str:
    rows, cols = grid.shape
    return f"{rows} x {cols} cells at ({grid.transform[2]:.0f}, {grid.transform[5]:.0f})"


def _landscape(source: _Source, terrain: Terrain) -> tuple[Landscape, list[str]]:
    """The landscape in our units, and how the file's terrain differs from its elevation."""
    fuel = layers.fuel_codes(source.layers[Role.FUEL].band, source.where)
    elevation = layers.elevation_m(source.layers[Role.ELEVATION].band, source.where)
    slope, aspect, found = _terrain(source, elevation, terrain)
    ones = np.ones(source.grid.shape, dtype=np.float32)
    landscape = Landscape(
        name=source.name, fuel_model=fuel, elevation_m=elevation, slope_tan=slope,
        aspect_deg=aspect, **_canopy(source), value=ones, cost=ones,  # type: ignore[arg-type]
        treatable=np.ones(source.grid.shape, dtype=bool), cell_size_m=source.grid.cell_size_m,
        transform=source.grid.transform, crs=source.grid.crs)
    return landscape, found


def _canopy(source: _Source) -> dict[str, NDArray[np.float32]]:
    """The canopy layers in our units; zeros for layers that the source does not have."""
    converters = {
        "canopy_cover": (Role.COVER, layers.canopy_cover),
        "canopy_height_m": (Role.HEIGHT, layers.canopy_height_m),
        "canopy_base_height_m": (Role.BASE, layers.canopy_height_m),
        "canopy_bulk_density_kg_m3": (Role.DENSITY, layers.canopy_bulk_density_kg_m3),
    }
    return {name: convert(source.layers[role].band) if role in source.layers
            else np.zeros(source.grid.shape, dtype=np.float32)
            for name, (role, convert) in converters.items()}


def _terrain(source: _Source, elevation: NDArray[np.float32], terrain: Terrain,
             ) -> tuple[NDArray[np.float32], NDArray[np.float32], list[str]]:
    """(slope_tan, aspect_deg) as asked for, and how the file's differ from the derived ones."""
    valid = source.layers[Role.ELEVATION].band.valid
    derived = slope_aspect(elevation, source.grid.cell_size_m, valid)
    if not {Role.SLOPE, Role.ASPECT} <= source.layers.keys():
        if terrain == "shipped":
            raise fail(expected="slope and aspect layers", given="none", where=source.where,
                       remedy="use terrain='derived'")
        return *derived, []
    slope_layer = source.layers[Role.SLOPE]
    slope = layers.slope_tan(slope_layer.band, slope_layer.label)
    aspect, has_aspect = layers.aspect_deg(source.layers[Role.ASPECT].band)
    # Next to missing elevations, Horn's scheme has less to go by than the file's maker had.
    inner = binary_erosion(valid & slope_layer.band.valid)
    found = _disagreements(slope, aspect, *derived, inner, inner & has_aspect)
    return *((slope, aspect) if terrain == "shipped" else derived), found


def _disagreements(slope: NDArray[np.float32], aspect: NDArray[np.float32],
                   derived_slope: NDArray[np.float32], derived_aspect: NDArray[np.float32],
                   slope_known: NDArray[np.bool_],
                   aspect_known: NDArray[np.bool_]) -> list[str]:
    """What differs by more than rounding and resampling explain, each with its figure."""
    found = []
    difference = np.abs(slope - derived_slope)[slope_known]
    if difference.size and np.median(difference) > _SLOPE_TOLERANCE:
        found.append(f"median slope difference {100 * np.median(difference):.1f} percentage points")
    steep = aspect_known & (slope > _STEEP) & (derived_slope > _STEEP)
    error = np.exp(1j * np.radians((aspect - derived_aspect)[steep]))
    if error.size == 0:
        return found
    typical = np.degrees(np.median(np.abs(np.angle(error))))
    if typical > _ASPECT_TOLERANCE_DEG:
        turn = np.degrees(np.angle(error.mean()))
        found.append(f"median aspect error {typical:.1f} degrees, mean turn {turn:+.1f} degrees")
    return found
