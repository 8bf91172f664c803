"""Compiled fireline intensity: how hot a fire is where it enters a cell, from whatever side."""

import math

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.travel.arc_kernel import (
    A_EAST,
    A_NORTH,
    AB_EAST,
    AB_NORTH,
    FACET_A,
    STEP_EAST,
    STEP_NORTH,
    cost,
)
from firebreak.fire.travel.stencil import FACET_CODE


@compiled()
def intensity(arcs, row, cell, code, weight):
    """Fireline intensity where fire came into the cell, kW/m: the head's, times the speed of the
    front there, which is that along its normal, over the head's (Catchpole, de Mestre & Gill 1982).
    The head's own for an ignition and an ember.

    The gradient of F is the slowness of the front, in minutes per cell of the map; on the ground it
    is shorter by its part up the slope.
    """
    metric = arcs.metric[row]
    if code < FACET_CODE:
        east, north = STEP_EAST[code], STEP_NORTH[code]
    elif code < FACET_CODE + FACET_A.shape[0]:
        facet = code - FACET_CODE
        east = A_EAST[facet] + weight * AB_EAST[facet]
        north = A_NORTH[facet] + weight * AB_NORTH[facet]
    else:
        return arcs.heat[row, cell, 0] / _head_minutes(metric, arcs.heat[row], cell)
    m11, m12 = np.float64(metric[cell, 0]), np.float64(metric[cell, 1])
    m22 = np.float64(metric[cell, 2])
    norm = math.sqrt(m11 * east * east + 2.0 * m12 * east * north + m22 * north * north)
    slow_east = (m11 * east + m12 * north) / norm - metric[cell, 3]
    slow_north = (m12 * east + m22 * north) / norm - metric[cell, 4]
    up_east = np.float64(arcs.heat[row, cell, 1])
    up_north = np.float64(arcs.heat[row, cell, 2])
    up = slow_east * up_east + slow_north * up_north
    slowness2 = (slow_east * slow_east + slow_north * slow_north
                 - up * up / (1.0 + up_east * up_east + up_north * up_north))
    return arcs.heat[row, cell, 0] / math.sqrt(slowness2)


@compiled()
def _head_minutes(metric, heat, cell):
    """Minutes per cell of ground in the direction of the head, heat f32 [P, 3] of one row.

    The drift w is the heading's, seen on the map; without one every direction is as fast.
    """
    east, north = np.float64(metric[cell, 3]), np.float64(metric[cell, 4])
    up_east, up_north = np.float64(heat[cell, 1]), np.float64(heat[cell, 2])
    if east == 0.0 and north == 0.0:
        east = 1.0
    lean = (up_east * east + up_north * north) / (1.0 + up_east * up_east + up_north * up_north)
    east, north = east - lean * up_east, north - lean * up_north
    rise = up_east * east + up_north * north
    return cost(metric, cell, east, north) / math.sqrt(east * east + north * north + rise * rise)


@compiled()
def heat_per_speed(metric, heat, intensity_kw_m):
    """Turns heat [P, 3], whose slopes are set, into intensity over speed of one row, in place."""
    for cell in range(intensity_kw_m.shape[0]):
        if intensity_kw_m[cell] > 0.0:
            heat[cell, 0] = intensity_kw_m[cell] * _head_minutes(metric, heat, cell)
