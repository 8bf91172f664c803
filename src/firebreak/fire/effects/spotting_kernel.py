"""Compiled embers: where the brand of a burning cell lands, and whether it ignites."""

import numpy as np

from firebreak.compiled import compiled
from firebreak.fire.effects.keyed_random import (
    DRAW_DISTANCE,
    DRAW_IGNITION,
    DRAW_SIDE,
    DRAW_THROW,
    uniform,
)


@compiled()
def spot_target(key: np.uint64, cell: int, row: int, col: int, rows: int, cols: int,
                cell_size_m: float, throw_probability: float, log_distance_mean: float,
                log_distance_sd: float, side_sd_m: float, downwind_east: float,
                downwind_north: float) -> tuple[int, int, float]:
    """Where the brand of a burning cell lands: (row, column, metres flown).

    (-1, -1, 0.0) if it throws none, or none that leaves the cell and stays on the map. All draws
    belong to (key, cell), so breaks elsewhere move none; whether the target burns or lies in a
    break is for the caller to ask.
    """
    if uniform(key, cell, DRAW_THROW) >= throw_probability:
        return -1, -1, 0.0
    # Two independent standard normals from two uniforms on [0, 1) (Box & Muller 1958).
    radius = np.sqrt(-2.0 * np.log1p(-uniform(key, cell, DRAW_DISTANCE)))
    angle = 2.0 * np.pi * uniform(key, cell, DRAW_SIDE)
    along = np.exp(log_distance_mean + log_distance_sd * radius * np.cos(angle))
    side = side_sd_m * radius * np.sin(angle)
    east = along * downwind_east + side * downwind_north
    north = along * downwind_north - side * downwind_east
    # Before they are whole numbers: a brand may fly further than an integer holds.
    down, right = np.floor(0.5 - north / cell_size_m), np.floor(0.5 + east / cell_size_m)
    if not (0 <= row + down < rows and 0 <= col + right < cols) or (down == 0 and right == 0):
        return -1, -1, 0.0
    return row + int(down), col + int(right), np.sqrt(along * along + side * side)


@compiled()
def spot_ignites(key: np.uint64, cell: int, ignition_probability: float) -> bool:
    """Whether the brand thrown by `cell` ignites what it lands on."""
    return uniform(key, cell, DRAW_IGNITION) < ignition_probability
