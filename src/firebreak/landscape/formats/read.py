"""Read landscapes: landscape GeoTIFFs, FARSITE .lcp files, folders of layers, Cell2Fire folders,
synthetic.

A landscape is read on the grid of its fuel layer. Layers on another grid of the same reference
system are brought onto it, with a `LandscapeWarning` for each.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import check_utf8, fail
from firebreak.landscape.bare_ground import with_bare_widths
from firebreak.landscape.formats import cell2fire, layers
from firebreak.landscape.formats.assemble import (
    LandscapeWarning,
    Source,
    Terrain,
    landscape_of,
    read_layer,
    warn,
)
from firebreak.landscape.formats.layers import LCP_ORDER, Role, rasters_in
from firebreak.landscape.formats.write import SYSTEM_TAG
from firebreak.landscape.fuel_systems import DEFAULT_SYSTEM, SYSTEMS
from firebreak.landscape.landscape import FIRE_GRIDS, Landscape
from firebreak.landscape.names import (
    CLOSED_FORM,
    LANDSCAPE_FILE,
    ROADS_FILE,
    SURROUNDINGS_FILE,
    SYNTHETIC,
    check_there,
    is_sample,
    path_of,
    sample_folder,
)
from firebreak.landscape.raster.ascii_grid import is_ascii_grid
from firebreak.landscape.raster.geotiff import checked_grid, open_raster, read_band
from firebreak.landscape.raster.on_grid import Rule, describe, onto, same_place
from firebreak.landscape.raster.parts import check_landscape
from firebreak.landscape.raster.windows import Window, padded_to
from firebreak.landscape.synthetic.closed_form import closed_form
from firebreak.landscape.synthetic.generate import generate

__all__ = ["LandscapeWarning", "Terrain", "read_landscape"]

DEFAULT_SYNTHETIC_SIZE = 40
_OFF = 1e-3  # of a cell, by which the grids of a map and of the land around it may be off
_MADE_PER_CELL = 150  # bytes, beside what reading takes
# Codes have no mean, and the mean of 350 and 10 degrees is not 180.
_HOW: dict[Role, Rule] = {Role.FUEL: "majority", Role.TREATABLE: "majority", Role.ASPECT: "nearest",
                         Role.ELEVATION: "smooth"}


def read_landscape(spec: str | Path, *, terrain: Terrain = "derived",
                   crs: str | None = None) -> Landscape:
    """The landscape that `spec` names; value 1 and cost 1 everywhere and all burnable cells
    treatable, unless the file says otherwise.

    Args:
        spec: `synthetic:SEED[:SIZE[:FAMILY]]` (SIZE 40 or 30x50); `closed-form:NAME[:SIZE[:SEED]]`,
            a map whose best plan is known, with values of its own; `sample:NAME`, a small real map
            that comes with firebreak, with its roads; a landscape GeoTIFF of 8 bands
            (elevation, slope, aspect, fuel, canopy cover, height, base height, bulk density; or
            in the order that the band descriptions say) or of the first 5; a FARSITE .lcp; a
            folder with one of these, or with one GeoTIFF or ASCII grid per layer named as
            LANDFIRE names them; a Cell2Fire or C2F-W folder.
        terrain: "derived" takes slope and aspect from elevation by Horn's scheme, "shipped" from
            the file.
        crs: reference system to use instead of the file's own.

    Raises:
        InputError: nothing there, unreadable, or not a landscape on a projected north-up grid.

    Warns:
        LandscapeWarning: no reference system; slope or aspect disagree with elevation; layers
            that were resampled or replaced.
    """
    if str(spec).startswith(SYNTHETIC):
        return _synthetic(str(spec))
    if str(spec).startswith(CLOSED_FORM):
        return _closed_form(str(spec))
    if is_sample(spec):
        return _sample(str(spec), terrain, crs)
    check_there(spec)
    path = Path(spec)
    if not path.is_dir():
        return landscape_of(_read_file(path, crs), terrain)
    if cell2fire.is_folder(path):
        return landscape_of(cell2fire.read_folder(path, crs), terrain)
    return landscape_of(_read_folder(path, crs), terrain)


def _synthetic(spec: str) -> Landscape:
    match = re.fullmatch(r"synthetic:(\d{1,18})(?::(\d{1,9})(?:x(\d{1,9}))?(?::([a-z]+))?)?", spec,
                         re.ASCII)
    if not match:
        raise fail(expected="synthetic:SEED[:SIZE[:FAMILY]] with whole numbers", given=f"'{spec}'",
                   where="landscape", remedy="write for example synthetic:7:40")
    seed, rows, cols, family = match.groups()
    height = int(rows or DEFAULT_SYNTHETIC_SIZE)
    shape = height, int(cols or height)
    check_landscape(spec, shape, _MADE_PER_CELL)
    return generate(int(seed), shape, family=family)


def _closed_form(spec: str) -> Landscape:
    match = re.fullmatch(r"closed-form:([a-z-]+)(?::(\d{1,9})(?::(\d{1,18}))?)?", spec, re.ASCII)
    if not match:
        raise fail(expected="closed-form:NAME[:SIZE[:SEED]]", given=f"'{spec}'",
                   where="landscape", remedy="write for example closed-form:door:20")
    name, size, seed = match.groups()
    side = int(size or DEFAULT_SYNTHETIC_SIZE)
    check_landscape(spec, (side, side), _MADE_PER_CELL)
    return closed_form(name, side, int(seed or 0)).landscape


def _sample(spec: str, terrain: Terrain, crs: str | None) -> Landscape:
    from firebreak.landscape.formats.overlays import with_rasters

    folder = sample_folder(spec)
    source = replace(_read_file(folder / LANDSCAPE_FILE, crs), name=spec)
    return with_rasters(landscape_of(source, terrain), roads=folder / ROADS_FILE)


def _read_file(path: Path, crs: str | None) -> Source:
    """One raster that holds all layers."""
    if is_ascii_grid(path):
        raise fail(expected="a landscape of several layers", given="one ASCII grid",
                   where=str(path), remedy="pass the folder that holds all layers")
    with open_raster(path) as dataset:
        grid = checked_grid(dataset, crs)
        roles = bands_by_role(path, dataset.count, dataset.descriptions)
        check_landscape(str(path), dataset.shape,
                        sum(np.dtype(dataset.dtypes[index - 1]).itemsize
                            for index in roles.values()))
        bands = {role: read_band(dataset, index) for role, index in roles.items()}
        system = _system(str(path), dataset.tags().get(SYSTEM_TAG), "")
    return Source(str(path), path.stem, grid, bands, system)


def _system(where: str, tag: str | None, name: str) -> str:
    """The name of the fuel system: by the file's tag, else by a word in its name."""
    if tag is None:
        words = re.split(r"[^A-Z]+", name.upper())
        return next((system.name for system in SYSTEMS.values() if system.file_word in words),
                    DEFAULT_SYSTEM)
    if tag not in SYSTEMS:
        raise fail(expected=f"the tag {SYSTEM_TAG} to be {' or '.join(SYSTEMS)}",
                   given=f"'{tag}'", where=where, remedy="correct the tag")
    return tag


def bands_by_role(path: Path, count: int, descriptions: tuple[str | None, ...]) -> dict[Role, int]:
    """The band (from 1) of each layer: by description where there are any, else by order."""
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


def _read_folder(folder: Path, crs: str | None) -> Source:
    """A folder with one landscape file, or with one raster per layer."""
    rasters = rasters_in(folder)
    for path in rasters:
        check_utf8(path.name, f"folder {folder}")
    whole = [p for p in rasters if _is_whole(p)]
    chosen = layers.layers_among([p for p in rasters if p not in whole], layers.role_of)
    layered = {Role.ELEVATION, Role.FUEL} <= chosen.keys()
    if len(whole) == 1 and not layered:
        return replace(_read_file(whole[0], crs), name=folder.resolve().name)
    if layered and not whole:
        return _read_layers(folder, chosen, crs)
    found = f"{len(whole)} landscape files and {len(chosen)} layers" if rasters else "no raster"
    raise fail(expected="one landscape file, or one raster per layer with elevation and fuel",
               given=found, where=str(folder),
               remedy="name the file itself, or complete the layers")


def _is_whole(path: Path) -> bool:
    """True where a raster may hold all layers."""
    if path.suffix.lower() == ".lcp":
        return True
    if is_ascii_grid(path):
        return False
    with open_raster(path) as dataset:
        return int(dataset.count) > 1


def _read_layers(folder: Path, chosen: dict[Role, Path], crs: str | None) -> Source:
    """One raster per layer, each brought onto the fuel layer's grid where it lies on another."""
    target, fuel, tags = read_layer(chosen[Role.FUEL], crs)
    found = {Role.FUEL: fuel}
    check_landscape(str(folder), target.shape, len(chosen) * fuel.values.itemsize)
    for role, path in chosen.items():
        if role is Role.FUEL:
            continue
        grid, band, _ = read_layer(path, crs, target)
        if not same_place(grid, target):
            band = onto(band, grid, target, _HOW.get(role, "mean"))
            warn(f"{path}: resampled from {describe(grid)} to the fuel layer's {describe(target)}")
        found[role] = band
    return Source(str(folder), folder.resolve().name, target, found,
                  _system(fuel.where, tags.get(SYSTEM_TAG), fuel.label))


def with_surroundings(landscape: Landscape, spec: str) -> tuple[Landscape, tuple[int, int]]:
    """A landscape with the land around it, which a file in its folder holds, and the row and column
    of its own north-west cell there; itself, at (0, 0), where there is no such file.

    The landscape keeps all that it has. Fires come from the land around it: it has no values, no
    roads and no costs, and nothing may be treated there.

    Args:
        spec: what the landscape was read from.

    Raises:
        InputError: the file is damaged, on another grid, or does not hold the landscape.
    """
    folder = path_of(spec) if spec else None
    if folder is None or not folder.is_dir() or not (file := folder / SURROUNDINGS_FILE).is_file():
        return landscape, (0, 0)
    wide = read_landscape(str(file), crs=landscape.crs)
    row, col = _place_in(wide, landscape, file)
    if landscape.bare_m is not None:
        wide = with_bare_widths(wide)
    own, whole = Window(row, col, *landscape.shape), Window(0, 0, *wide.shape)

    def around(grid: NDArray, fill: float) -> NDArray:
        return padded_to(grid, own, whole, fill)

    def on(name: str) -> NDArray:
        grid = np.array(getattr(wide, name))
        grid[own.slices] = getattr(landscape, name)
        return grid

    road, bare, made = landscape.road_m, landscape.bare_m, landscape.treatment
    burns: dict[str, Any] = {name: on(name) for name in (*FIRE_GRIDS, "ignition_weight")}
    joined = replace(
        wide, name=landscape.name, value_unit=landscape.value_unit, currency=landscape.currency,
        **burns, value=around(landscape.value, 0.0), cost=around(landscape.cost, 1.0),
        treatable=around(landscape.treatable, False),
        layers=tuple(around(layer, 0.0) for layer in landscape.layers),
        road_m=None if road is None else around(road, max(float(road.max()), wide.cell_size_m)),
        fought=None if landscape.fought is None else around(landscape.fought, False),
        bare_m=None if bare is None else on("bare_m") if wide.bare_m is not None
        else around(bare, 0.0),
        strip_m=None if landscape.strip_m is None
        else around(landscape.strip_m, wide.cell_size_m),
        treatment=None if made is None else around(made, -1))
    return joined, (row, col)


def _place_in(wide: Landscape, landscape: Landscape, file: Path) -> tuple[int, int]:
    """The row and column of the landscape's north-west cell on the wide map's grid."""
    (a, b, west, d, e, north), own = wide.transform, landscape.transform
    col, row = (own[2] - west) / a, (own[5] - north) / e
    same = (np.allclose((a, b, d, e), (own[0], own[1], own[3], own[4]))
            and abs(row - round(row)) < _OFF and abs(col - round(col)) < _OFF
            and wide.fuel_system == landscape.fuel_system)
    place = Window(round(row), round(col), *landscape.shape)
    inside = (place.row >= 0 and place.col >= 0 and place.row + place.rows <= wide.shape[0]
              and place.col + place.cols <= wide.shape[1])
    if not (same and inside):
        raise fail(expected=f"a map on the grid of {landscape.name} that holds it",
                   given="another grid" if not same else "one that ends within it",
                   where=str(file), remedy="cut both from one map, or remove the file")
    return place.row, place.col
