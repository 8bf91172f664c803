"""Closed forms: what an elliptical front does on uniform fuel, at a border and after a new wind.

A fire on uniform fuel runs straight, so its time to any point is known (Richards 1990; Anderson et
al. 1982). At a straight border of two fuels the least time is the least over the points at which
the path crosses it, and may lead along the border in the faster fuel. In a wind that changes once,
the burned area is the Minkowski sum of the two ellipses.
"""

import math

import numpy as np
from benchmarks.validation.growth import (
    Grid,
    arrival,
    field_of,
    grid_of,
    normal_rate,
    off,
    order,
    straight_min,
    uniform,
)
from benchmarks.validation.registry import Case, Check, Measured, Places
from benchmarks.validation.shapes import Shape, area, shape_of
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

from firebreak.fire.travel.travel_field import Ellipse

Floats = NDArray[np.float64]

SOURCE = "closed form: Anderson et al. 1982, Richards 1990"
SIZE, CELL_M = 201, 30.0
FAR_CELLS = 10.0  # from which on single cells are compared: nearer, a cell has few directions
WINDS = (3.7, 33.7, 63.7)  # headings, degrees; the others follow by symmetry


def _from_a_point(ratio: float, size: int = SIZE, cell_m: float = CELL_M) -> tuple[float, float]:
    """Mean and greatest difference of the arrival times of fires from a point, over headings."""
    grid, found = grid_of(size, size, cell_m), []
    far = np.hypot(grid.east, grid.north) > FAR_CELLS * CELL_M
    for heading in WINDS:
        shape = shape_of(ratio, heading)
        times = arrival(field_of(uniform(shape, (size, size)), cell_m), grid.near(0.0, 0.0))
        found.append(off(times[far], straight_min(shape, grid.east[far], grid.north[far])))
    return float(np.mean([mean for mean, _ in found])), max(worst for _, worst in found)


def point(_: Places) -> Measured:
    measured: dict[str, float] = {}
    for ratio in (1.0, 2.0, 3.0, 4.0):
        mean, worst = _from_a_point(ratio)
        measured |= {f"mean difference, length to width {ratio:g}": mean,
                     f"greatest difference, length to width {ratio:g}": worst}
    return measured


def convergence(_: Places) -> Measured:
    """The same domain in 128 to 1,024 cells a side, one more so that a cell is in the middle."""
    sides, shape = (128, 256, 512, 1024), shape_of(2.0, 33.7)
    cells = [SIZE * CELL_M / side for side in sides]
    times, areas = [], []
    for side, cell_m in zip(sides, cells, strict=True):
        grid = grid_of(side + 1, side + 1, cell_m)
        found = arrival(field_of(uniform(shape, (side + 1, side + 1)), cell_m),
                        grid.near(0.0, 0.0))
        far = np.hypot(grid.east, grid.north) > FAR_CELLS * CELL_M
        times.append(off(found[far], straight_min(shape, grid.east[far], grid.north[far]))[0])
        minutes = 0.37 * SIZE * CELL_M / shape.head
        areas.append(abs((found <= minutes).sum() * cell_m**2 / area(shape, minutes) - 1.0))
    return {"order of the mean difference of arrival": order(cells, times),
            "order of the difference of area": order(cells, areas),
            "mean difference of arrival, 1,024 cells a side": times[-1],
            "difference of area, 1,024 cells a side": areas[-1]}


def line(_: Places) -> Measured:
    """A strip at the southern edge of a wide map burns at once; what lies north of its middle."""
    rows, cols = 161, 801
    measured: dict[str, float] = {}
    for off_normal in (0.0, 30.0, 60.0):
        shape = shape_of(3.0, off_normal)
        grid, strip = grid_of(rows, cols, CELL_M), np.zeros((rows, cols), bool)
        strip[-4:] = True
        found = arrival(field_of(uniform(shape, (rows, cols), strip), CELL_M),
                        (rows - 2, cols // 2))
        edge = grid.north[-4, 0] + 0.5 * CELL_M
        # Fire from the strip's ends has not come to the middle third.
        middle = (np.abs(grid.east) < cols * CELL_M / 6) & (grid.north > edge + 5 * CELL_M)
        expected = (grid.north - edge) / normal_rate(shape, 0.0)
        measured[f"mean difference, wind at {off_normal:.0f} degrees to the normal"] = off(
            found[middle], expected[middle])[0]
    return measured


def _border_min(slow: Shape, fast: Shape, from_fast: bool, start: tuple[float, float],
                along: Floats, across: Floats, border_deg: float) -> Floats:
    """Least minutes from a start to targets, by the points of the border; places are metres along
    and across it, the fast fuel at across > 0. border_deg: bearing of its direction.
    """
    def straight(shape: Shape, d_along: Floats, d_across: Floats) -> Floats:
        turn = math.radians(border_deg)
        return straight_min(shape, d_along * math.sin(turn) - d_across * math.cos(turn),
                            d_along * math.cos(turn) + d_across * math.sin(turn))

    home = fast if from_fast else slow
    reach = 1.5 * float(np.abs(along).max())
    places = np.linspace(-reach, reach, 3001)
    at_border = straight(home, places - start[0], 0.0 * places - start[1])
    step = places[1] - places[0]
    if not from_fast:  # along the border in the faster fuel, either way
        for way in (1, -1):
            run = float(straight(fast, np.array([way * step]), np.array([0.0]))[0])
            travelled = run * np.arange(places.size)
            at_border[::way] = travelled + np.minimum.accumulate(at_border[::way] - travelled)
    is_fast, least = across > 0.0, np.full(along.shape, np.inf)
    for shape, side in ((fast, is_fast), (slow, ~is_fast)):
        times = np.empty(int(side.sum()))
        for part in np.array_split(np.arange(times.size), max(1, times.size // 500)):
            times[part] = (at_border + straight(
                shape, along[side][part, None] - places, across[side][part, None] + 0.0 * places)
            ).min(axis=1)
        least[side] = times
    own = is_fast == (home is fast)
    direct = straight(home, along - start[0], across - start[1])
    return np.where(own, np.minimum(least, direct), least)


def _two_fuels(border_deg: float, from_fast: bool, scale: int) -> float:
    """Mean difference of arrival on a map of two fuels; `scale` times as many cells a side."""
    size, cell_m = 100 * scale, CELL_M / scale  # even: the border lies between cells
    slow, fast = shape_of(2.0, 70.0, head_m_min=3.0), shape_of(2.0, 70.0, head_m_min=12.0)
    grid, turn = grid_of(size, size, cell_m), math.radians(border_deg)
    along = grid.east * math.sin(turn) + grid.north * math.cos(turn)
    across = -grid.east * math.cos(turn) + grid.north * math.sin(turn)
    is_fast = across > 0.0
    ellipse = Ellipse(*(np.where(is_fast, quick, slowly)[None]
                        for quick, slowly in zip(fast[:4], slow[:4], strict=True)))
    side = 15.0 * CELL_M * (1.0 if from_fast else -1.0)
    source = grid.near(-math.cos(turn) * side, math.sin(turn) * side)
    found = arrival(field_of(ellipse, cell_m), source)
    start = (float(along[source]), float(across[source]))
    far = np.hypot(along - start[0], across - start[1]) > FAR_CELLS * CELL_M
    far &= np.arange(size)[:, None] % scale + np.arange(size)[None] % scale == 0
    return off(found[far], _border_min(slow, fast, from_fast, start, along[far], across[far],
                                       border_deg))[0]


def two_fuels(_: Places) -> Measured:
    measured: dict[str, float] = {}
    for border in (90.0, 120.0, 135.0):
        for from_fast, words in ((False, "slow"), (True, "fast")):
            where = f"border at {border:.0f} degrees, from the {words} fuel"
            coarse, fine = (_two_fuels(border, from_fast, scale) for scale in (1, 4))
            measured |= {f"mean difference, {where}": coarse,
                         f"the same at 4 x resolution over it, {where}": fine / coarse}
    return measured


def _sum_of(first: Shape, first_min: float, second: Shape, second_min: float) -> Floats:
    """Outline [N, 2], east and north, of the Minkowski sum of two ellipses."""
    normals = np.radians(np.linspace(0.0, 360.0, 3601))
    points = np.zeros((normals.size, 2))
    for shape, minutes in ((first, first_min), (second, second_min)):
        heading = math.radians(shape.heading_deg)
        half, centre = 0.5 * (shape.head + shape.back), 0.5 * (shape.head - shape.back)
        turn = normals - heading
        length = np.hypot(half * np.cos(turn), shape.flank * np.sin(turn))
        ahead = centre + half**2 * np.cos(turn) / length
        beside = shape.flank**2 * np.sin(turn) / length
        points[:, 0] += minutes * (ahead * math.sin(heading) + beside * math.cos(heading))
        points[:, 1] += minutes * (ahead * math.cos(heading) - beside * math.sin(heading))
    return points


def _inside(outline: Floats, grid: Grid) -> NDArray[np.bool_]:
    points = np.column_stack([grid.east.ravel(), grid.north.ravel()])
    return Outline(outline).contains_points(points).reshape(grid.east.shape)


def wind_shift(_: Places) -> Measured:
    grid = grid_of(SIZE, SIZE, CELL_M)
    measured: dict[str, float] = {}
    for turn in (45.0, 90.0, 180.0):
        first, second, half = shape_of(3.0, 20.0), shape_of(3.0, 20.0 + turn), 100.0
        both = Ellipse(*(np.concatenate(pair) for pair in zip(
            uniform(first, (SIZE, SIZE)), uniform(second, (SIZE, SIZE)), strict=True)))
        found = np.isfinite(arrival(field_of(both, CELL_M, step_min=half), grid.near(0.0, 0.0),
                                    minutes=2.0 * half))
        expected = _inside(_sum_of(first, half, second, half), grid)
        measured |= {
            f"intersection over union, turn of {turn:.0f} degrees": float(
                (found & expected).sum() / (found | expected).sum()),
            f"area over the closed form's, turn of {turn:.0f} degrees": float(
                found.sum() / expected.sum())}
    return measured


CASES = (
    Case(identifier="CF-POINT", title="arrival times of a fire from a point", area="numerics",
         source=SOURCE, inputs=(
             f"{SIZE} x {SIZE} cells of {CELL_M:g} m, three headings, beyond {FAR_CELLS:g} cells"),
         checks=tuple(check for ratio in ("1", "2", "3", "4") for check in (
             Check(f"mean difference, length to width {ratio}", "at most", 0.02),
             Check(f"greatest difference, length to width {ratio}", "at most", 0.06))),
         measure=point, remark=(
             "The differences beyond 6 % are those of 2 and of 68 of 40,401 cells, about ten cells "
             "ahead of the start, where a narrow fire has few directions to run in.")),
    Case(identifier="CF-CONVERGENCE", title="convergence of the front", area="numerics",
         source=f"{SOURCE}; orders and limit as in ELMFIRE's case 17", inputs=(
             "length to width 2, one domain in 128, 256, 512 and 1,024 cells a side"),
         checks=(Check("order of the mean difference of arrival", "at least", 0.8),
                 Check("order of the difference of area", "at least", 0.8),
                 Check("mean difference of arrival, 1,024 cells a side", "at most", 0.005),
                 Check("difference of area, 1,024 cells a side", "at most", 0.01)),
         measure=convergence, slow=True, remark=(
             "Near its start a fire has few directions to run in, and that error travels with it. "
             "The order of arrival between successive grids rises: 0.71, 0.75, 0.78.")),
    Case(identifier="CF-LINE", title="arrival times of a fire from a line", area="numerics",
         source=SOURCE, inputs="801 x 161 cells of 30 m, length to width 3, three headings",
         checks=tuple(Check(f"mean difference, wind at {angle} degrees to the normal", "at most",
                            0.01) for angle in (0, 30, 60)),
         measure=line),
    Case(identifier="CF-TWO-FUELS", title="two fuels with a straight border", area="numerics",
         source="least time over the points of the border, the path along it included", inputs=(
             "100 x 100 cells of 30 m, rates of 3 and 12 m/min, length to width 2, start 15 cells "
             "from a border along the grid, at 30 and at 45 degrees to it"),
         checks=tuple(check for border in (90, 120, 135) for side in ("slow", "fast") for check in (
             Check(f"mean difference, border at {border} degrees, from the {side} fuel", "at most",
                   0.02 if border == 90 else 0.04),
             Check("the same at 4 x resolution over it, "
                   f"border at {border} degrees, from the {side} fuel", "at most", 0.5))),
         measure=two_fuels, slow=True),
    Case(identifier="CF-WIND-SHIFT", title="a wind that turns once", area="numerics",
         source="Minkowski sum of the two ellipses", inputs=(
             f"{SIZE} x {SIZE} cells of {CELL_M:g} m, length to width 3, 100 min in either wind"),
         checks=tuple(check for turn in (45, 90, 180) for check in (
             Check(f"intersection over union, turn of {turn} degrees", "at least", 0.95),
             Check(f"area over the closed form's, turn of {turn} degrees", "absolute", 0.05,
                   1.0))),
         measure=wind_shift),
)
