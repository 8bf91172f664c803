"""Compiled metrics: how long fire takes through a cell in any direction.

With the ellipse of velocities written (v-c)'Q(v-c) = 1, the time along a displacement d is
t = (-d'Qc + sqrt((d'Qc)^2 + (1-c'Qc) d'Qd)) / (1-c'Qc). Dividing through by g = 1-c'Qc turns it
into F(d) = sqrt(d'Md) - w.d with w = Qc/g and M = Q/g + ww'.

The ellipse lies in the plane of the slope, the map does not: a displacement on the map is longer on
the ground, by sqrt(1 + tan^2) up the slope and not at all across it.
"""

import math

import numba
import numpy as np

from firebreak.compiled import compiled_arrays
from firebreak.fire.travel.stencil import NEIGHBOURS, REACH

_STEP_ROW, _STEP_COL = np.array(NEIGHBOURS, np.int64).T.copy()
SLOWEST_BACK = 1e-3  # of the head's rate
SLOWEST = 1e-5  # cells per minute; slower than any fire that matters, keeps the metric finite
MAX_SLOPE_TAN = 1e4  # rise over run; steeper is no ground, and its metric would not be finite


@compiled_arrays(inline="always")
def _metric_of(head, back, flank, heading_deg, cell_size):
    """M (11, 12, 22) and w (east, north) of an ellipse in its own plane."""
    head = max(head / cell_size, SLOWEST)
    # A back far slower than the head would cancel out in float32.
    back = min(max(back / cell_size, SLOWEST, SLOWEST_BACK * head), head)
    flank = max(flank / cell_size, SLOWEST)
    east = math.sin(math.radians(heading_deg))
    north = math.cos(math.radians(heading_deg))
    semi, offset = 0.5 * (head + back), 0.5 * (head - back)
    g = 1.0 - (offset / semi) ** 2
    along, across = 1.0 / (semi * semi * g), 1.0 / (flank * flank * g)
    drift = offset / (semi * semi * g)
    along += drift * drift
    return (along * east * east + across * north * north, (along - across) * east * north,
            along * north * north + across * east * east, drift * east, drift * north)


@compiled_arrays(inline="always")
def _onto_map(slope_stretch, east, north, own):
    """The metric seen on the map: A'MA and A'w, A = I + stretch uu', u upslope."""
    if slope_stretch == 0.0:
        return own
    a11, a12, a22 = (1.0 + slope_stretch * east * east, slope_stretch * east * north,
                     1.0 + slope_stretch * north * north)
    m11, m12, m22, w_east, w_north = own
    first_e, first_n = m11 * a11 + m12 * a12, m12 * a11 + m22 * a12
    second_e, second_n = m11 * a12 + m12 * a22, m12 * a12 + m22 * a22
    return (a11 * first_e + a12 * first_n, a12 * first_e + a22 * first_n,
            a12 * second_e + a22 * second_n, a11 * w_east + a12 * w_north,
            a12 * w_east + a22 * w_north)


@compiled_arrays()
def fill_ground(slope_tan, aspect_deg, ground):
    """Fills ground f64 [3, H, W]: how much longer a path up the slope is than on the map, and where
    upslope is, east and north. Returns in how many cells a slope or an aspect is nan or out of its
    range.
    """
    odd = 0
    for row in range(slope_tan.shape[0]):
        for col in range(slope_tan.shape[1]):
            slope, aspect = slope_tan[row, col], aspect_deg[row, col]
            if not (0.0 <= slope <= MAX_SLOPE_TAN and abs(aspect) < np.inf):
                odd += 1
                continue
            ground[0, row, col] = math.sqrt(1.0 + slope * slope) - 1.0
            ground[1, row, col] = -math.sin(math.radians(aspect))
            ground[2, row, col] = -math.cos(math.radians(aspect))
    return odd


@compiled_arrays(parallel=True)
def fill_metric(head, back, flank, heading_deg, ground, burnable, cell_size, width, metric,
                unit_time, rate):
    """Fills metric f32 [R, P, 5], unit_time f32 [R, P, 8] and rate f32 [R, P], of padded maps of
    this width; what does not burn, and the padding, is left alone but for its rate. Returns in how
    many cells a number of the ellipse is nan or out of its range.

    head, back, flank f64 [R, H, W] m/min and heading_deg f64 [R, H, W] in the plane of the slope,
    ground of `fill_ground`, burnable bool [H, W].
    """
    rows, odd = burnable.shape[0], 0
    for k in numba.prange(head.shape[0] * rows):
        r, row = k // rows, k % rows
        for col in range(burnable.shape[1]):
            cell = (row + REACH) * width + col + REACH
            ahead, behind, aside, heading = (head[r, row, col], back[r, row, col],
                                             flank[r, row, col], heading_deg[r, row, col])
            rate[r, cell] = ahead
            if not (0.0 <= ahead < np.inf and 0.0 <= behind < np.inf and 0.0 <= aside < np.inf
                    and abs(heading) < np.inf):
                odd += 1
                continue
            if not burnable[row, col]:
                continue
            m11, m12, m22, w_east, w_north = _onto_map(
                ground[0, row, col], ground[1, row, col], ground[2, row, col],
                _metric_of(ahead, behind, aside, heading, cell_size))
            metric[r, cell, 0], metric[r, cell, 1], metric[r, cell, 2] = m11, m12, m22
            metric[r, cell, 3], metric[r, cell, 4] = w_east, w_north
            for step in range(4):
                east, north = -_STEP_COL[step], _STEP_ROW[step]
                still = math.sqrt(m11 * east * east + 2.0 * m12 * east * north
                                  + m22 * north * north)
                unit_time[r, cell, step] = still - w_east * east - w_north * north
                unit_time[r, cell, step + 4] = still + w_east * east + w_north * north
    return odd
