"""Level-set check: a front whose crowns light by its normal grows as the Wulff shape.

    python -m benchmarks.validation.crown_direction_level_set [CELL_M ...]

A Lax-Friedrichs level set, monotone and so sure to converge as its cells shrink (Crandall & Lions
1984, Math. Comp. 43: 1-19), burns from a disk of SEED_M with the rates that Pyretechnics has at 35
km/h; the jump of speed where crowns light is spread over JUMP of the surface rate. Cells of 10, 5
and 2.5 m take half a minute together.
"""

import sys
from collections.abc import Sequence

import numpy as np
from benchmarks.validation.crown_direction import (
    MINUTES,
    UNIT_M,
    Floats,
    Rates,
    area,
    normal_speed,
    reached,
)

AT_35_KM_H = Rates(1.18381, 0.330126, 77.0811, 1.44644, 0.535673)
SEED_M, JUMP = 60.0, 0.05
AHEAD_M, BEHIND_M, ASIDE_M = 1900.0, 200.0, 400.0


def speed_of(rates: Rates, along: Floats, across2: Floats) -> Floats:
    """Speed across the front, m/min, by its unit normal's part along the heading and the square of
    the part across it.
    """
    def of(head: float, back: float) -> Floats:
        root = np.sqrt((0.5 * (head + back) * along)**2 + head * back * across2)
        return 0.5 * (head - back) * along + root

    surface, crown = of(rates.head, rates.back), of(rates.crown_head, rates.crown_back)
    lit = np.clip((surface / rates.lights - 1.0) / JUMP, 0.0, 1.0)
    return surface + lit * np.maximum(crown - surface, 0.0)


def closed_form(rates: Rates) -> tuple[float, float]:
    """Cells of UNIT_M that burn from the disk, by normal and at the head."""
    turn = np.radians(np.arange(1440) * 0.25)
    by_normal = speed_of(rates, np.cos(turn), np.sin(turn)**2)
    at_head = normal_speed(rates.crown_head, rates.crown_back)
    return (area(reached(by_normal + SEED_M / MINUTES)),
            area(reached(at_head + SEED_M / MINUTES)))


def level_set(rates: Rates, cell_m: float) -> float:
    """Cells of UNIT_M that the level set burns from the disk on cells of `cell_m`."""
    east = np.arange(-BEHIND_M, AHEAD_M, cell_m)
    north = np.arange(-ASIDE_M, ASIDE_M + 0.5 * cell_m, cell_m)
    phi = np.hypot(east[None], north[:, None]) - SEED_M
    most = _greatest_slopes(rates)
    steps = int(np.ceil(MINUTES * sum(most) / (0.9 * cell_m)))
    for _ in range(steps):
        around = np.pad(phi, 1, mode="edge")
        west, ahead = phi - around[1:-1, :-2], around[1:-1, 2:] - phi
        south, beside = phi - around[:-2, 1:-1], around[2:, 1:-1] - phi
        to_east, to_north = 0.5 * (west + ahead), 0.5 * (south + beside)
        norm = np.hypot(to_east, to_north) + 1e-12
        moved = norm * speed_of(rates, to_east / norm, (to_north / norm)**2)
        smeared = 0.5 * (most[0] * (ahead - west) + most[1] * (beside - south))
        phi = phi - MINUTES / steps / cell_m * (moved - smeared)
    return float((phi < 0.0).sum()) * (cell_m / UNIT_M)**2


def _greatest_slopes(rates: Rates) -> tuple[float, float]:
    """Greatest change of front speed x gradient by the gradient's parts east and north, m/min."""
    turn = np.radians(np.arange(1440) * 0.25)
    along, across = np.cos(turn), np.sin(turn)
    speed = speed_of(rates, along, across**2)
    by_turn = np.gradient(speed, turn)
    return (float(np.abs(speed * along - by_turn * across).max()),
            float(np.abs(speed * across + by_turn * along).max()))


def main(cells_m: Sequence[float]) -> None:
    """Prints the closed forms, then one line for each cell size."""
    by_normal, at_head = closed_form(AT_35_KM_H)
    print(f"closed form by normal {by_normal:.0f}, at the head {at_head:.0f}")
    for cell_m in cells_m:
        print(f"cells of {cell_m:g} m: {level_set(AT_35_KM_H, cell_m):.0f}", flush=True)


if __name__ == "__main__":
    main([float(text) for text in sys.argv[1:]] or (10.0, 5.0, 2.5))
