"""Slope and aspect from elevation, by the third-order finite difference of Horn 1981
("Hill shading and the reflectance map", Proc. IEEE 69), the scheme that GDAL and ArcGIS use.

Derived on the grid actually used, so that aspect is relative to the grid's own north: shipped
aspect layers are often relative to another north. Shipped layers are compared with the derived
ones, which also shows the unit of a slope layer that names none.

And how much land drains through each cell. The map is entered from its edge, always at the lowest
cell that is reached, and a cell drains to where it was reached from (Ehlschlaeger 1989, the A*
search of GRASS r.watershed): a pit drains along its floor and over its lowest sill. Valleys are
cells with much land above them; ridges are the valleys of the relief turned upside down.
"""

import heapq
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatGrid = NDArray[np.float32]

_SLOPE_TOLERANCE = 0.04
_ASPECT_TOLERANCE_DEG = 5.0
_STEEP = 0.10

_SLOPING = 0.02  # rise over run below which all units look alike
_FEWEST_CELLS = 9
_GOOD_MATCH = 0.4  # of the median slope; the right unit was seen to miss by 0.00-0.30
_CLEARLY_WORSE = 2.0

_STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))


def slope_aspect(elevation_m: np.ndarray, cell_size_m: float,
                 valid: np.ndarray | None = None) -> tuple[FloatGrid, FloatGrid]:
    """Slope and aspect of a [H, W] elevation grid, rows from north to south.

    A neighbour beyond the edge repeats the nearest cell inside; a neighbour that is not `valid`
    takes the centre's elevation.

    Args:
        elevation_m: [H, W], metres.
        cell_size_m: metres.
        valid: bool [H, W]; None means all.

    Returns:
        (slope_tan, aspect_deg), float32 [H, W]: rise over run, and the direction the slope
        faces (down-slope), clockwise from north in [0, 360); both 0 where it is flat or not valid.
    """
    # Metres of rise per metre.
    rise_east, rise_north = (
        _weighted_difference(elevation_m, valid, east=east) / (sign * 8.0 * cell_size_m)
        for east, sign in ((True, 1.0), (False, -1.0)))
    slope = np.hypot(rise_east, rise_north)
    aspect = np.degrees(np.arctan2(-rise_east, -rise_north)) % 360.0
    flat = slope < 1e-6
    aspect[flat] = 0.0
    aspect_deg = aspect.astype(np.float32)
    aspect_deg[aspect_deg >= 360.0] = 0.0  # rounding to float32 may reach 360
    return np.where(flat, 0.0, slope).astype(np.float32), aspect_deg


def _weighted_difference(elevation_m: np.ndarray, valid: np.ndarray | None,
                         *, east: bool) -> np.ndarray:
    """Horn's sum of six neighbours with weights 1, 2, 1 ahead and -1, -2, -1 behind.

    Neighbours enter as differences to the centre: then the ones that are missing count 0, and
    high ground loses no digits.
    """
    centre = np.asarray(elevation_m, dtype=np.float64)
    rows, cols = centre.shape
    padded = np.pad(centre, 1, mode="edge")
    present = None if valid is None else np.pad(np.asarray(valid, dtype=bool), 1, mode="edge")
    total = np.zeros_like(centre)
    for ahead in (-1, 1):
        for across, weight in ((-1, 1.0), (0, 2.0), (1, 1.0)):
            row, col = (across, ahead) if east else (ahead, across)
            window = (slice(1 + row, 1 + row + rows), slice(1 + col, 1 + col + cols))
            difference = padded[window] - centre
            if present is not None:
                difference[~(present[window] & present[1:-1, 1:-1])] = 0.0
            total += ahead * weight * difference
    return total


def slope_unit_by_elevation(slope: np.ndarray, derived_tan: np.ndarray, known: np.ndarray,
                            ) -> Literal["percent", "degrees", "neither", "level"]:
    """The unit in which a slope layer that names none agrees with the elevation.

    Each unit is judged by its median error over sloping cells, relative to the median slope; one
    must be small and the other more than twice as large.

    Args:
        slope: [H, W], the numbers of the file.
        derived_tan: [H, W], slope from elevation, rise over run.
        known: bool [H, W], cells to compare.

    Returns:
        "percent" or "degrees"; "neither" where no unit agrees; "level" where too few cells
        slope.
    """
    sloping = known & (derived_tan > _SLOPING)
    if np.count_nonzero(sloping) < _FEWEST_CELLS:
        return "level"
    ground = derived_tan[sloping].astype(np.float64)
    numbers = slope[sloping].astype(np.float64)
    readings: dict[Literal["percent", "degrees"], np.ndarray] = {
        "percent": numbers / 100.0, "degrees": np.tan(np.radians(np.clip(numbers, 0.0, 89.0)))}
    misses = {unit: float(np.median(np.abs(reading - ground)) / np.median(ground))
              for unit, reading in readings.items()}
    best, other = sorted(misses, key=lambda unit: misses[unit])
    clear = misses[best] <= _GOOD_MATCH and misses[other] > _CLEARLY_WORSE * misses[best]
    return best if clear else "neither"


def disagreements(slope: FloatGrid, aspect: FloatGrid, derived_slope: FloatGrid,
                  derived_aspect: FloatGrid, slope_known: NDArray[np.bool_],
                  aspect_known: NDArray[np.bool_]) -> list[str]:
    """Differences larger than rounding and resampling explain, each with its figure."""
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


def drained_cells(elevation: NDArray[np.floating]) -> NDArray[np.int64]:
    """The number of cells [H, W] whose water passes through each cell, itself among them."""
    rows, cols = elevation.shape
    width = cols + 2
    height = np.full((rows + 2, width), -np.inf)
    height[1:-1, 1:-1] = elevation
    level: list[float] = height.ravel().tolist()
    inner = np.zeros((rows + 2, width), np.bool_)
    inner[1:-1, 1:-1] = True
    reached: list[bool] = (~inner).ravel().tolist()
    offsets = [down * width + right for down, right in _STEPS]
    edge = inner.copy()
    edge[2:-2, 2:-2] = False
    waiting = [(level[cell], cell) for cell in np.flatnonzero(edge).tolist()]
    for _, cell in waiting:
        reached[cell] = True
    heapq.heapify(waiting)
    order: list[int] = []
    below = [-1] * len(level)
    while waiting:
        cell = heapq.heappop(waiting)[1]
        order.append(cell)
        for offset in offsets:
            near = cell + offset
            if not reached[near]:
                reached[near] = True
                below[near] = cell
                heapq.heappush(waiting, (level[near], near))
    drained = [1] * len(level)
    for cell in reversed(order):
        if below[cell] >= 0:
            drained[below[cell]] += drained[cell]
    return np.array(drained, np.int64).reshape(rows + 2, width)[1:-1, 1:-1]
