"""The landscape: what there is to burn, where it lies, what it is worth and costs to treat.

Arrays are read-only. Breaks are never written into a landscape: they are an overlay that the fire
engine takes beside it.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from firebreak.checks import counted, fail
from firebreak.landscape.fuel_systems import DEFAULT_SYSTEM, SYSTEMS, FuelSystem

NODATA = -9999
"""Fuel code of cells outside the data. They do not burn and cannot be treated."""

BEYOND, MARGIN, AREA = 0, 1, 2
"""Zones of a domain: where no fire starts, where fires start that may reach the area, the area."""

DEFAULT_CURING = 0.8
"""Grass curing, fraction, of a map that has none."""

FloatGrid = NDArray[np.float32]

_GRIDS: tuple[tuple[str, type], ...] = (
    ("fuel_model", np.int16),
    ("elevation_m", np.float32),
    ("slope_tan", np.float32),
    ("aspect_deg", np.float32),
    ("canopy_cover", np.float32),
    ("canopy_height_m", np.float32),
    ("canopy_base_height_m", np.float32),
    ("canopy_bulk_density_kg_m3", np.float32),
    ("grass_curing", np.float32),
    ("ignition_weight", np.float32),
    ("value", np.float32),
    ("cost", np.float32),
    ("treatable", np.bool_),
)
# Grids that few files have, and what they hold everywhere then.
_DEFAULTS = {"grass_curing": DEFAULT_CURING, "ignition_weight": 1.0}
# Grids that are not there unless something was said of them.
_OPTIONAL: tuple[tuple[str, type], ...] = (("road_m", np.float64), ("bare_m", np.float32),
                                           ("treatment", np.int16), ("zone", np.int8),
                                           ("fought", np.bool_), ("strip_m", np.float32))
FIRE_GRIDS = tuple(name for name, _ in _GRIDS
                   if name not in ("value", "cost", "treatable", "ignition_weight"))
"""Grids that decide how fire spreads and is drawn: all but what people value, pay and may treat.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Landscape:
    """A rectangular map. Rows run north to south, columns west to east; all grids are [H, W].

    Attributes:
        name: where it came from, for messages and captions.
        fuel_model: int16, codes of the fuel system, or NODATA. "rothermel": Anderson 1-13, Scott &
            Burgan 101-204, unburnable 91-99, see `fuels`; "fbp": see `fbp_codes`.
        elevation_m: float32, metres.
        slope_tan: float32, rise over run, >= 0.
        aspect_deg: float32, direction the slope faces (down-slope), clockwise from north, [0, 360).
        canopy_cover: float32, fraction 0-1.
        canopy_height_m: float32, metres.
        canopy_base_height_m: float32, metres.
        canopy_bulk_density_kg_m3: float32.
        grass_curing: float32, fraction 0-1, of grass in the FBP System; the other system takes the
            curing from the live moisture. Default 0.8.
        ignition_weight: float32, >= 0, relative chance that a fire starts in the cell. Default 1.
        value: float32, >= 0, what is lost if the cell burns (1 = one burned cell).
        cost: float32, > 0, what treating the cell costs (1 = one cell of budget).
        treatable: bool, where a break may be placed; never true on unburnable cells.
        cell_size_m: metres, square cells.
        transform: affine (a, b, c, d, e, f): x = a*col + b*row + c, y = d*col + e*row + f.
        crs: coordinate reference system as WKT, or None.
        fuel_system: name of the fuel system, "rothermel" or "fbp"; `fuels` is the system itself.
        value_unit: what the values are counted in, such as "houses"; None where nobody said.
        currency: of the costs, such as "USD"; None where nobody said.
        layers: float32, >= 0 each, several values of a cell instead of one; what each loses and
            weighs is a matter of the fires' conditions.
        road_m: float64, >= 0, distance to the nearest road, metres, or None where no roads are
            known.
        fought: bool, where crews hold breaks; None where they do everywhere.
        bare_m: float32, width of the bare ground that fire may cross, metres; 0 where there is none
            (fuel, and walls that nothing crosses); None where bare ground is a wall everywhere.
        strip_m: float32, width of the bare strip that a break is in the cell, metres, at most a
            cell; None where the treatment says it for all cells. `cost` follows from it.
        treatment: int16, which of the treatments that were asked for a cell gets, or -1 for none;
            None where no table of treatments was asked. `cost` and `treatable` follow from it.
        zone: int8, BEYOND, MARGIN or AREA, of a domain: of an area and the land around it where
            its fires come from; None for a map without such land.
        burnable: bool, derived from fuel_model.
    """

    name: str
    fuel_model: NDArray[np.int16]
    elevation_m: FloatGrid
    slope_tan: FloatGrid
    aspect_deg: FloatGrid
    canopy_cover: FloatGrid
    canopy_height_m: FloatGrid
    canopy_base_height_m: FloatGrid
    canopy_bulk_density_kg_m3: FloatGrid
    value: FloatGrid
    cost: FloatGrid
    treatable: NDArray[np.bool_]
    cell_size_m: float
    transform: tuple[float, float, float, float, float, float]
    crs: str | None = None
    fuel_system: str = DEFAULT_SYSTEM
    grass_curing: FloatGrid = None  # type: ignore[assignment]
    ignition_weight: FloatGrid = None  # type: ignore[assignment]
    layers: tuple[FloatGrid, ...] = ()
    value_unit: str | None = None
    currency: str | None = None
    road_m: NDArray[np.float64] | None = None
    fought: NDArray[np.bool_] | None = None
    strip_m: FloatGrid | None = None
    bare_m: FloatGrid | None = None
    treatment: NDArray[np.int16] | None = None
    zone: NDArray[np.int8] | None = None
    burnable: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        shape = np.shape(self.fuel_model)
        if len(shape) != 2 or 0 in shape:
            raise fail(expected="a grid of two dimensions", given=f"shape {shape}",
                       where=f"landscape {self.name}", remedy="pass [rows, columns] arrays")
        for name, constant in _DEFAULTS.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.full(shape, constant, np.float32))
        present = [own for own in _OPTIONAL if getattr(self, own[0]) is not None]
        for name, dtype in (*_GRIDS, *present):
            object.__setattr__(self, name,
                               self._frozen(name, getattr(self, name), dtype, shape))
        object.__setattr__(self, "layers", tuple(
            self._frozen("value layers", layer, np.float32, shape) for layer in self.layers))
        object.__setattr__(self, "cell_size_m", float(self.cell_size_m))
        object.__setattr__(self, "transform", tuple(map(float, self.transform)))
        _check_values(self)
        burnable = np.isin(self.fuel_model, self.fuels.burnable_codes)
        burnable.flags.writeable = False
        object.__setattr__(self, "burnable", burnable)
        treatable = self.treatable & burnable
        treatable.flags.writeable = False
        object.__setattr__(self, "treatable", treatable)

    def _frozen(self, name: str, values: object, dtype: type,
                shape: tuple[int, ...]) -> np.ndarray:
        # A copy, so that a caller's later write cannot reach the landscape; not of a window of
        # another landscape, whose grids nobody writes.
        grid: np.ndarray = (values if _is_window(values, dtype)  # type: ignore[assignment]
                            else np.array(values, dtype=dtype, order="C"))
        if grid.shape != shape:
            raise fail(expected=f"{name} of shape {shape} like fuel_model",
                       given=f"{grid.shape}", where=f"landscape {self.name}",
                       remedy="bring all layers to one grid first")
        grid.flags.writeable = False
        return grid

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<landscape {self.name}: {rows} x {cols} cells of {self.cell_size_m:g} m>"

    @property
    def fuels(self) -> FuelSystem:
        """The fuel system: what the codes of `fuel_model` mean."""
        return SYSTEMS[self.fuel_system]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        rows, cols = self.fuel_model.shape
        return rows, cols

    @property
    def inside(self) -> NDArray[np.bool_]:
        """[H, W], True in the area of a domain, everywhere on a map without one."""
        return np.ones(self.shape, np.bool_) if self.zone is None else self.zone == AREA

    @property
    def starts(self) -> NDArray[np.bool_]:
        """[H, W], True where a fire may start, whatever its chance there."""
        return self.burnable if self.zone is None else self.burnable & (self.zone != BEYOND)

    @property
    def starts_anywhere(self) -> bool:
        """True where all cells that burn have the same chance that a fire starts there."""
        chances = self.ignition_weight[self.burnable]
        return bool((chances == chances[:1]).all())

    def checksum(self) -> str:
        """SHA-256 over all grids and the cell size; equal landscapes have equal checksums. Bare
        ground that nothing crosses is as if nobody said how wide it is.
        """
        optional = {name: getattr(self, name) for name, _ in _OPTIONAL}
        more = [grid for name, grid in optional.items()
                if grid is not None and (name != "bare_m" or grid.any())]
        return self._digest(tuple(name for name, _ in _GRIDS), (*self.layers, *more))

    def fire_checksum(self) -> str:
        """SHA-256 over what decides how fire spreads. It names the landscape in random streams, so
        that a plan for other values, costs or treatable cells meets the same weather and fires; of
        a domain over its area's rectangle, so that the weather does not hang on the margin.
        """
        if self.zone is None:
            return self._digest(FIRE_GRIDS)
        return replace(self.crop(*rectangle_of(self.inside)), zone=None).fire_checksum()

    def _digest(self, names: tuple[str, ...], layers: tuple[NDArray, ...] = ()) -> str:
        digest = hashlib.sha256()
        for grid in (*(getattr(self, name) for name in names), *layers):
            digest.update(grid.tobytes())
        digest.update(repr((self.shape, self.cell_size_m, self.fuel_system)).encode())
        return digest.hexdigest()

    def crop(self, row: int, col: int, rows: int, cols: int) -> "Landscape":
        """The window of `rows` x `cols` cells whose north-west cell is (row, col)."""
        height, width = self.shape
        inside = row >= 0 and col >= 0 and row + rows <= height and col + cols <= width
        if not inside or rows < 1 or cols < 1:
            raise fail(expected=f"a window inside {height} x {width} cells",
                       given=f"rows {row}:{row + rows}, columns {col}:{col + cols}",
                       where=f"landscape {self.name}", remedy="move or shrink the window")
        a, b, c, d, e, f = self.transform
        origin = (a, b, c + a * col + b * row, d, e, f + d * col + e * row)
        name = f"{self.name}[{row}:{row + rows},{col}:{col + cols}]"
        window = (slice(row, row + rows), slice(col, col + cols))
        return self.map_grids(lambda grid: grid[window], name=name, transform=origin)

    def map_grids(self, change: Callable[[np.ndarray], np.ndarray],
                  **fields: object) -> "Landscape":
        """A landscape whose every grid is `change(grid)`, and with other fields replaced."""
        grids: dict[str, object] = {name: change(getattr(self, name)) for name, _ in _GRIDS}
        grids["layers"] = tuple(map(change, self.layers))
        for name, _ in _OPTIONAL:
            own = getattr(self, name)
            grids[name] = None if own is None else change(own)
        return replace(self, **(grids | fields))  # type: ignore[arg-type]


def mask_of_cells(cells: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """bool [H, W], True on flat cells."""
    mask = np.zeros(shape, np.bool_)
    mask.ravel()[cells] = True
    return mask


def rectangle_of(mask: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """The smallest rectangle that holds the cells of a mask, some at least: row, column, rows,
    columns.
    """
    (top, *_, bottom), (left, *_, right) = (
        np.flatnonzero(mask.any(axis=axis))[[0, -1]] for axis in (1, 0))
    return int(top), int(left), int(bottom - top) + 1, int(right - left) + 1


def _is_window(grid: object, dtype: type) -> bool:
    """True for a window of rows and columns of an array that can never be written again."""
    if not isinstance(grid, np.ndarray) or grid.dtype != dtype or grid.ndim != 2:
        return False
    row, column = grid.strides
    frozen = row >= column * grid.shape[1] and column == grid.itemsize
    base: object = grid
    while frozen and base is not None:
        frozen = isinstance(base, np.ndarray) and not base.flags.writeable
        base = getattr(base, "base", None)
    return frozen


def check_codes(fuel_model: NDArray[np.int16], fuels: FuelSystem, where: str) -> None:
    """Refuse fuel codes [H, W] that a fuel system does not know.

    Raises:
        InputError: naming the codes, how many cells have them, and the first of these.
    """
    codes, counts = np.unique(fuel_model, return_counts=True)
    unknown = {code: count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)
               if code != NODATA and code not in fuels.labels}
    if unknown:
        listed = ", ".join(f"{code} ({counted(unknown[code], 'cell')})"
                           for code in [*unknown][:8])
        row, col = np.argwhere(fuel_model == next(iter(unknown)))[0]
        raise fail(expected=fuels.known,
                   given=f"unknown codes {listed}, the first at row {row}, column {col}",
                   where=where, remedy="map these cells to known fuel models first")


def _check_values(land: Landscape) -> None:
    where = f"landscape {land.name}"
    check_codes(land.fuel_model, land.fuels, where)
    for name, dtype in _GRIDS:
        if dtype is np.float32 and not np.isfinite(getattr(land, name)).all():
            raise fail(expected=f"finite {name}", given="nan or infinity", where=where,
                       remedy="fill or mask these cells")
    if not (land.cell_size_m > 0 and np.isfinite(land.cell_size_m)):
        raise fail(expected="a cell size above 0 m", given=f"{land.cell_size_m}", where=where,
                   remedy="check the raster's transform")
    road, bare, strip = land.road_m, land.bare_m, land.strip_m
    for is_good, expected, remedy in (
            (all(np.isfinite(layer).all() and (layer >= 0).all() for layer in land.layers),
             "value layers of finite values of 0 or more", "fill or mask these cells"),
            ((land.value >= 0).all() and (land.cost > 0).all() and (land.slope_tan >= 0).all(),
             "value >= 0, cost > 0 and slope >= 0", "check these rasters"),
            (((land.grass_curing >= 0) & (land.grass_curing <= 1)).all(),
             "grass curing in 0-1", "write 80 % as 0.8"),
            (bare is None or ((bare >= 0) & (bare < np.inf)).all(),
             "finite widths of bare ground of 0 m or more", "correct the layer bare_m"),
            (strip is None or ((strip > 0) & (strip <= land.cell_size_m)).all(),
             "widths of breaks above 0 m, at most a cell", "correct the layer strip_m"),
            (road is None or ((road >= 0) & (road < np.inf)).all(),
             "finite distances to a road of 0 m or more", "check the roads"),
            ((land.ignition_weight >= 0).all(),
             "ignition weights of 0 or more", "check the ignition raster")):
        if not is_good:
            raise fail(expected=expected, given="a cell out of this range", where=where,
                       remedy=remedy)
