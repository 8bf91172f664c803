"""Fires on uniform fuel against the closed-form ellipse.

A fire on uniform fuel in constant weather is an ellipse in the plane of the slope. Seen on the map
it is shortened up the slope by the cosine of the slope's angle.
"""

import math
from typing import NamedTuple

import numpy as np
from benchmarks.validation.tables import table
from numpy.typing import NDArray

from firebreak.cli.commands.bench.measurements import WINDS, ellipse_areas
from firebreak.fire import burn_field
from firebreak.fire.behavior.wind import backing_rate, flanking_rate
from firebreak.fire.fires import Fires
from firebreak.fire.travel.travel_field import Ellipse, field_from_ellipse

Floats = NDArray[np.float64]

SIZE, CELL_M, HEAD_M_MIN = 201, 30.0, 10.0
RATIOS = (1.0, 1.5, 2.0, 3.0, 4.0)
SLOPES = (0.0, 0.2, 0.5, 1.0)
OFF_UPSLOPE_DEG = (0.0, 45.0, 90.0)


class Shape(NamedTuple):
    """One ellipse of velocities and the slope it lies on; m/min, degrees, rise over run."""

    head: float
    back: float
    flank: float
    heading_deg: float
    slope_tan: float = 0.0
    aspect_deg: float = 0.0


def shape_of(length_to_width: float, heading_deg: float, slope_tan: float = 0.0,
             aspect_deg: float = 0.0, head_m_min: float = HEAD_M_MIN) -> Shape:
    """The ellipse of a length-to-width ratio with the ignition at its rear focus."""
    return Shape(head_m_min, float(backing_rate(head_m_min, length_to_width)),
                 float(flanking_rate(head_m_min, length_to_width)), heading_deg, slope_tan,
                 aspect_deg)


def outline(shape: Shape, minutes: float) -> tuple[Floats, Floats]:
    """(east, north) of the closed-form front on the map, metres from the ignition, [361] each."""
    turn, heading = np.radians(np.arange(361.0)), math.radians(shape.heading_deg)
    along = minutes * (0.5 * (shape.head - shape.back)
                       + 0.5 * (shape.head + shape.back) * np.cos(turn))
    across = minutes * shape.flank * np.sin(turn)
    east = along * math.sin(heading) + across * math.cos(heading)
    north = along * math.cos(heading) - across * math.sin(heading)
    aspect = math.radians(shape.aspect_deg)
    up_east, up_north = -math.sin(aspect), -math.cos(aspect)
    lost = (1.0 - 1.0 / math.hypot(1.0, shape.slope_tan)) * (east * up_east + north * up_north)
    return east - lost * up_east, north - lost * up_north


def area(shape: Shape, minutes: float) -> float:
    """Area of the closed-form fire on the map, m2."""
    plane = math.pi * 0.5 * (shape.head + shape.back) * shape.flank * minutes**2
    return plane / math.hypot(1.0, shape.slope_tan)


def burned(shape: Shape, size: int, minutes: float) -> Floats:
    """Arrival times [size, size] of a fire from the middle of a map of cells of CELL_M."""
    one = np.ones((size, size))
    ellipse = Ellipse(*(value * one[None] for value in shape[:4]))
    field = field_from_ellipse(ellipse, one.astype(bool), CELL_M, shape.slope_tan * one,
                               shape.aspect_deg * one)
    middle = np.array([(size // 2) * size + size // 2])
    nought = np.zeros(1, np.int64)
    return burn_field(field, Fires(middle, nought, np.array([minutes]),
                                     nought.astype(np.uint64)), want="arrival").arrivals_min[0]


def area_table(size: int = SIZE) -> str:
    """Burned area over the ellipse's on level ground: least and greatest of 12 winds."""
    return table(("length/width", "burned area over the ellipse's"),
                 [(f"{ratio:g}", _span(ellipse_areas(ratio, size)[0])) for ratio in RATIOS])


def slope_table(size: int = SIZE) -> str:
    """The same on slopes, by the angle between the heading and the way up: 12 aspects each."""
    rows = []
    for slope in SLOPES:
        found = [_span(slope_areas(slope, off, size)) for off in OFF_UPSLOPE_DEG]
        rows.append((f"{slope:.0%}".replace("%", " %"), *found))
    return table(("slope", "heading up the slope", "at 45 degrees to it", "across it"), rows)


def slope_areas(slope_tan: float, off_upslope_deg: float, size: int) -> Floats:
    """Burned area over the closed form's for fires of length to width 2 on 12 aspects, [12]."""
    minutes = 0.37 * size * CELL_M / HEAD_M_MIN
    ratios = []
    for aspect in np.linspace(0.0, 360.0, WINDS, endpoint=False) + 3.7:
        shape = shape_of(2.0, aspect + 180.0 + off_upslope_deg, slope_tan, aspect)
        cells = np.isfinite(burned(shape, size, minutes)).sum()
        ratios.append(cells * CELL_M**2 / area(shape, minutes))
    return np.array(ratios)


def _span(values: Floats) -> str:
    low, high = f"{values.min():.3f}", f"{values.max():.3f}"
    return low if low == high else f"{low} - {high}"
