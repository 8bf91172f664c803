"""Layers as files hold them become a `Landscape` in our units: the last step of every reader.

Slope and aspect are derived from elevation unless the file's own are chosen: shipped layers come
in unnamed units, and their aspect is often relative to another north than the grid's. Where the two
disagree a `LandscapeWarning` says by how much.
"""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion

from firebreak.checks import counted, fail
from firebreak.landscape.formats import layers
from firebreak.landscape.formats.layers import CANOPY, Role, SlopeUnit
from firebreak.landscape.fuel_systems import DEFAULT_SYSTEM, SYSTEMS, FuelSystem
from firebreak.landscape.landscape import DEFAULT_CURING, Landscape, check_codes
from firebreak.landscape.raster.ascii_grid import is_ascii_grid, read_ascii_grid
from firebreak.landscape.raster.degrees import check_ground_scale
from firebreak.landscape.raster.geotiff import Band, Grid, checked_grid, open_raster, read_band
from firebreak.landscape.raster.parts import Placed, check_landscape, part_over
from firebreak.landscape.terrain import disagreements, slope_aspect, slope_unit_by_elevation

Terrain = Literal["derived", "shipped"]

_STEEPEST_DEG = 90.0
_CLIFF_TAN = 3.0  # steeper ground is rarely ground: holes in the elevation look so


class LandscapeWarning(UserWarning):
    """A landscape was read, but its files have a property that the user should know."""


@dataclass(frozen=True, slots=True)
class Source:
    """Layers as read, before units: their file or folder and the one grid that all of them have."""

    where: str
    name: str
    grid: Grid
    layers: dict[Role, Band]
    fuel_system: str = DEFAULT_SYSTEM

    @property
    def fuels(self) -> FuelSystem:
        """The fuel system that the numbers of the fuel layer belong to."""
        return SYSTEMS[self.fuel_system]


def read_layer(path: Path, crs: str | None,
               over: Placed | None = None) -> tuple[Grid, Band, dict[str, str]]:
    """Grid, numbers and file tags of the first band of a raster of any format, labelled with the
    file's stem; of one that is far larger than the fuel layer, which lies at `over`, the part over
    it. Without `over` it is the fuel layer itself. `InputError` as `checked_grid`,
    `read_ascii_grid` and `part_over`.
    """
    if is_ascii_grid(path):
        return *read_ascii_grid(path, crs, over=over), {}
    with open_raster(path) as dataset:
        if over is None:
            check_landscape(str(path), dataset.shape, np.dtype(dataset.dtypes[0]).itemsize)
        part = None if over is None else part_over(dataset, over, str(path), crs)
        band = replace(read_band(dataset, 1, part), label=path.stem)
        return checked_grid(dataset, crs, part), band, dataset.tags()


def warn(text: str) -> None:
    """Warn with a `LandscapeWarning`."""
    warnings.warn(text, LandscapeWarning, stacklevel=3)


def landscape_of(source: Source, terrain: Terrain) -> Landscape:
    """The landscape in our units.

    Raises:
        InputError: metres that are none on the ground, unknown fuel codes, no elevations, slopes
            that are chosen but missing or of unknown unit, numbers outside their range.

    Warns:
        LandscapeWarning: no reference system, no canopy, terrain that disagrees with elevation,
            cliffs.
    """
    check_ground_scale(source.grid, source.layers[Role.FUEL].where)
    if source.grid.crs is None:
        warn(f"{source.where}: has no coordinate reference system, so results will carry none; "
             "pass --crs (in Python crs=) to set it")
    missing = [role.value for role in CANOPY if role not in source.layers]
    if missing and source.fuels.uses_canopy:
        shelter = {Role.COVER, Role.HEIGHT} <= source.layers.keys()
        effect = "" if shelter else "the wind is not sheltered by trees and "
        warn(f"{source.where}: has no {', '.join(missing)}, taken as 0: {effect}crowns do not burn")
    fuel = layers.fuel_codes(source.layers[Role.FUEL])
    check_codes(fuel, source.fuels, source.layers[Role.FUEL].where)
    ground = source.layers[Role.ELEVATION]
    elevation = layers.elevation_m(ground)
    slope, aspect = _terrain(source, elevation, terrain)
    if terrain == "derived":
        _warn_of_cliffs(slope, ground.where)
    none = np.zeros(source.grid.shape, dtype=np.float32)
    canopy = {name: convert(source.layers[role]) if role in source.layers else none
              for role, (name, convert) in CANOPY.items()}
    return Landscape(
        name=source.name, fuel_model=fuel, elevation_m=elevation, slope_tan=slope,
        aspect_deg=aspect, cell_size_m=source.grid.cell_size_m, transform=source.grid.transform,
        crs=source.grid.crs, fuel_system=source.fuel_system,
        **canopy, **_others(source))  # type: ignore[arg-type]


def _warn_of_cliffs(slope: NDArray[np.float32], where: str) -> None:
    cliffs = slope > _CLIFF_TAN
    if cliffs.any():
        row, col = divmod(int(np.argmax(cliffs)), slope.shape[1])
        warn(f"{where}: the elevation makes slopes above {100 * _CLIFF_TAN:g} % in "
             f"{counted(int(np.count_nonzero(cliffs)), 'cell')}, up to "
             f"{100 * slope.max():.0f} %, the first at row {row}, column {col}; cells without data "
             "may not be declared as such")


def _others(source: Source) -> dict[str, NDArray[Any]]:
    """The layers that few sources have, or their defaults: all cells alike, all treatable."""
    ones = np.ones(source.grid.shape, dtype=np.float32)
    found: dict[str, NDArray[Any]] = {
        "value": ones, "cost": ones, "treatable": ones.astype(bool)}
    for role, name, default in ((Role.VALUE, "value", 0.0), (Role.COST, "cost", 1.0),
                                (Role.IGNITION, "ignition_weight", 0.0)):
        if role in source.layers:
            found[name] = layers.filled(source.layers[role], default)
    if Role.TREATABLE in source.layers:
        found["treatable"] = layers.filled(source.layers[Role.TREATABLE], 0.0) != 0
    for role, name in ((Role.ROAD, "road_m"), (Role.BARE, "bare_m")):
        if role in source.layers:  # outside the data, where nothing is paid for, 0 m
            layer = source.layers[role]
            found[name] = np.where(layer.valid, layer.values.astype(np.float64), 0.0)
    if Role.CURING in source.layers:
        found["grass_curing"] = layers.fraction(source.layers[Role.CURING], DEFAULT_CURING)
    return found


def _terrain(source: Source, elevation: NDArray[np.float32], terrain: Terrain,
             ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(slope_tan, aspect_deg) as chosen; warns where the file's differ from the derived."""
    valid = source.layers[Role.ELEVATION].valid
    derived = slope_aspect(elevation, source.grid.cell_size_m, valid)
    if not {Role.SLOPE, Role.ASPECT} <= source.layers.keys():
        if terrain == "shipped":
            raise fail(expected="slope and aspect layers", given="none", where=source.where,
                       remedy="derive them from the elevation: --terrain derived")
        return derived
    shipped, turned = source.layers[Role.SLOPE], layers.odd_aspects(source.layers[Role.ASPECT])
    odd = (f"the unit '{shipped.unit}'" if shipped.unit and not layers.stated_slope_unit(shipped)
           else "")
    if odd or turned:
        if terrain == "derived":
            return derived
        raise fail(expected="slopes in percent or degrees" if odd else "aspects in degrees",
                   given=odd or turned, where=source.where,
                   remedy="derive them from the elevation: --terrain derived")
    # Next to missing elevations, Horn's scheme has less to go by than the file's maker had.
    inner = binary_erosion(valid & shipped.valid)
    unit = _slope_unit(source, derived[0], inner, terrain)
    if unit is None:
        return derived
    slope = layers.slope_tan(shipped, unit)
    aspect, has_aspect = layers.aspect_deg(source.layers[Role.ASPECT])
    found = disagreements(slope, aspect, *derived, inner, inner & has_aspect)
    if found:
        outcome = "derived from elevation" if terrain == "derived" else "used as shipped"
        warn(f"{source.where}: the file's slope and aspect disagree with its elevation "
             f"({' and '.join(found)}); they are {outcome}")
    return (slope, aspect) if terrain == "shipped" else derived


def _slope_unit(source: Source, derived_tan: NDArray[np.float32], known: NDArray[np.bool_],
                terrain: Terrain) -> SlopeUnit | None:
    """Unit of the slope layer: as stated, else as elevation shows; None if it does not matter."""
    layer = source.layers[Role.SLOPE]
    stated = layers.stated_slope_unit(layer)
    largest = float(np.max(layer.values, where=layer.valid, initial=0))
    impossible = stated == "degrees" and largest > _STEEPEST_DEG
    if largest <= 0 or (stated and not impossible):
        return stated or "percent"
    seen = slope_unit_by_elevation(layer.values, derived_tan, known)
    reason = "as its elevation shows"
    usual = source.fuels.level_slope_unit
    if seen == "level" and usual is not None:
        seen, reason = usual, f"as {source.fuels.title} has it; the ground is too level to show it"
    if seen in ("neither", "level"):
        if terrain == "shipped":
            named = "degrees" if impossible else "an unnamed unit"
            why = "agree with the elevation in no unit" if seen == "neither" else (
                "lie on level ground")
            raise fail(expected="slopes whose unit is known",
                       given=f"slopes in {named} up to {largest:g} that {why}", where=layer.where,
                       remedy="derive slope and aspect from the elevation: --terrain derived")
        warn(f"{layer.where}: slopes up to {largest:g} agree with the elevation neither in percent "
             "nor in degrees; slope is derived from elevation")
        return None
    unit: SlopeUnit = "percent" if seen == "percent" else "degrees"
    if impossible:
        warn(f"{layer.where}: slope counts as degrees but reaches {largest:g}, so it is in {unit}, "
             f"{reason}")
    elif terrain == "shipped":
        warn(f"{layer.where}: slope is taken to be in {unit}, {reason}")
    return unit
