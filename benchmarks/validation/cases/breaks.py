"""Fire round the end of a break: the least, over both ends, of two straight times.

A break of 40 cells at four angles to the grid, a fire before its middle, wind across the break and
oblique to it. Behind the break a fire comes round one of its ends; the ends lie at the outer
corners of the end cells.
"""

import math

import numpy as np
from benchmarks.validation.growth import (
    Grid,
    arrival,
    field_of,
    grid_of,
    off,
    straight_min,
    uniform,
)
from benchmarks.validation.registry import Case, Check, Measured
from benchmarks.validation.shapes import Shape, shape_of
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ANGLES = (0, 30, 45, 90)
"""Of the break to the rows of the grid, degrees, each with its tolerances: mean and greatest."""
TOLERANCES = {0: (0.02, 0.06), 30: (0.04, 0.10), 45: (0.03, 0.08), 90: (0.02, 0.06)}
LENGTH_CELLS, SIDE_CELLS, BEFORE_CELLS, CELL_M = 40, 121, 15, 30.0
BEHIND_CELLS = 3  # what lies nearer behind the break is not compared
OBLIQUE = {"across": 0.0, "oblique": 40.0}  # heading to the normal of the break, degrees


def break_cells(grid: Grid, angle_deg: float, scale: int) -> tuple[Mask, list[tuple[int, int]]]:
    """A line of cells through the middle of the map, as long as LENGTH_CELLS cells of the coarse
    grid along the axis that it is nearer to; and its two end cells.
    """
    middle, turn = grid.east.shape[0] // 2, math.radians(angle_deg)
    run = np.arange(LENGTH_CELLS * scale) - LENGTH_CELLS * scale // 2
    if angle_deg <= 45:
        rows, cols = middle - np.round(run * math.tan(turn)).astype(int), middle + run
    else:
        rows, cols = middle - run, middle + np.round(run / math.tan(turn)).astype(int)
    cells = np.zeros(grid.east.shape, bool)
    cells[rows, cols] = True
    return cells, [(int(rows[0]), int(cols[0])), (int(rows[-1]), int(cols[-1]))]


def outer_corners(grid: Grid, end: tuple[int, int], outward: Floats) -> list[Floats]:
    """The corners of an end cell that lie outermost: one of a diagonal, else two."""
    centre = np.array([grid.east[end], grid.north[end]])
    corners = [centre + 0.5 * grid.cell_m * np.array(sign)
               for sign in ((-1, -1), (-1, 1), (1, -1), (1, 1))]
    furthest = sorted(corners, key=lambda corner: -float(corner @ outward))
    first = float(furthest[0] @ outward)
    return [corner for corner in furthest[:2]
            if first - float(corner @ outward) < 0.6 * grid.cell_m]


def round_the_ends(grid: Grid, shape: Shape, source: Floats, ends: list[tuple[int, int]],
                   along: Floats, across: Floats, targets: Mask) -> Floats:
    """Least minutes to the targets round either end; a path goes by the corner on the fire's side
    and then by the other. along, across: unit vectors of the break, across to the fire's far side.
    """
    def straight(start: Floats, east: Floats, north: Floats) -> Floats:
        return straight_min(shape, east - start[0], north - start[1])

    least = np.full(int(targets.sum()), np.inf)
    for end, outward in zip(ends, (-along, along), strict=True):
        corners = sorted(outer_corners(grid, end, outward), key=lambda point: float(point @ across))
        before, here = 0.0, source
        for corner in corners:
            before += float(straight(here, corner[0], corner[1]))
            here = corner
        least = np.minimum(least, before + straight(here, grid.east[targets], grid.north[targets]))
    return least


def shadow(grid: Grid, source: Floats, tips: list[Floats], along: Floats, across: Floats) -> Mask:
    """Cells behind the break to which no straight line leads from the source."""
    u, v = (grid.east * way[0] + grid.north * way[1] for way in (along, across))
    start_u, start_v = float(source @ along), float(source @ across)
    hit = start_u + (u - start_u) * (0.0 - start_v) / np.where(v > start_v, v - start_v, np.inf)
    low, high = sorted(float(tip @ along) for tip in tips)
    inside = 0.5 * grid.cell_m
    return (v > BEHIND_CELLS * CELL_M) & (hit > low + inside) & (hit < high - inside)


def difference(angle_deg: float, oblique_deg: float, scale: int) -> tuple[float, float]:
    """Mean and greatest difference of arrival in the shadow of a break."""
    size = SIDE_CELLS * scale
    grid, turn = grid_of(size, size, CELL_M / scale), math.radians(angle_deg)
    along = np.array([math.cos(turn), math.sin(turn)])
    across = np.array([-math.sin(turn), math.cos(turn)])
    shape = shape_of(2.0, math.degrees(math.atan2(across[0], across[1])) + oblique_deg)
    cells, ends = break_cells(grid, angle_deg, scale)
    row, col = grid.near(*(-BEFORE_CELLS * CELL_M * across))
    source = np.array([grid.east[row, col], grid.north[row, col]])
    found = arrival(field_of(uniform(shape, (size, size)), grid.cell_m), (row, col), cells)
    tips = [outer_corners(grid, end, outward)[0]
            for end, outward in zip(ends, (-along, along), strict=True)]
    targets = shadow(grid, source, tips, along, across)
    expected = round_the_ends(grid, shape, source, ends, along, across, targets)
    return off(found[targets], expected)


def measure(angle_deg: int) -> Measured:
    """All quantities of one angle."""
    measured: dict[str, float] = {}
    for words, oblique in OBLIQUE.items():
        mean, worst = difference(angle_deg, oblique, 1)
        measured |= {f"mean difference, wind {words}": mean,
                     f"greatest difference, wind {words}": worst}
        for scale in (2, 4):
            finer = difference(angle_deg, oblique, scale)[0]
            measured[f"mean difference at {scale} x resolution over it, wind {words}"] = (
                finer / mean)
    return measured


def _case(angle: int) -> Case:
    mean, worst = TOLERANCES[angle]
    return Case(
        identifier=f"BREAK-END-{angle}", title=f"fire round a break at {angle} degrees to the grid",
        area="numerics", source="closed form: least over both ends of two straight times",
        inputs=(f"{SIDE_CELLS} x {SIDE_CELLS} cells of {CELL_M:g} m, break of {LENGTH_CELLS} "
                f"cells, fire {BEFORE_CELLS} cells before it, length to width 2, wind across the "
                f"break and {OBLIQUE['oblique']:.0f} degrees from that"),
        checks=tuple(check for words in OBLIQUE for check in (
            Check(f"mean difference, wind {words}", "at most", mean),
            Check(f"greatest difference, wind {words}", "at most", worst),
            Check(f"mean difference at 2 x resolution over it, wind {words}", "at most", 0.75),
            Check(f"mean difference at 4 x resolution over it, wind {words}", "at most", 0.5))),
        measure=lambda _: measure(angle), slow=True, remark=(
            "The differences beyond the tolerance are those of some cells behind the end towards "
            "which the wind blows, less than 0.5 % of the cells compared."))


CASES = tuple(_case(angle) for angle in ANGLES)
