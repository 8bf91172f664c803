"""How far the burned area on uniform fuel is from the closed-form ellipse, and at what cost.

    .venv/bin/python benchmarks/front_accuracy.py [SIZE]

Prints, for the front and for the eight-neighbour graph, least and greatest area over the true
ellipse's in 12 wind directions on a SIZE x SIZE map (default 201), and nanoseconds per burned cell
on one core. Nothing is asserted on time.
"""

import math
import sys
import time

import numpy as np

from firebreak.fire.engine import burn_arrival, set_threads
from firebreak.fire.fires import Fires
from firebreak.fire.travel import Ellipse, SpreadMode, field_from_ellipse

HEAD_M_MIN, CELL_M = 10.0, 30.0


def measure(mode: SpreadMode, ratio: float, size: int) -> str:
    """One row of the table."""
    winds = np.linspace(0.0, 360.0, 12, endpoint=False) + 3.7
    e = math.sqrt(1.0 - 1.0 / ratio**2)
    back = HEAD_M_MIN * (1.0 - e) / (1.0 + e)
    semi = 0.5 * (HEAD_M_MIN + back)
    grid = np.ones((winds.size, size, size))
    field = field_from_ellipse(
        Ellipse(HEAD_M_MIN * grid, back * grid, semi / ratio * grid, winds[:, None, None] * grid),
        np.ones((size, size), np.bool_), CELL_M, mode)
    duration = 0.37 * size * CELL_M / HEAD_M_MIN
    fires = Fires(np.full(winds.size, (size // 2) * size + size // 2), np.arange(winds.size),
                  np.full(winds.size, duration))
    burn_arrival(field, fires)
    begin = time.perf_counter()
    cells = np.isfinite(burn_arrival(field, fires)).sum(axis=(1, 2))
    seconds = time.perf_counter() - begin
    area = cells * CELL_M**2 / (math.pi * semi**2 / ratio * duration**2)
    return (f"{mode:<6} length/width {ratio:<4g} area {area.min():.3f} to {area.max():.3f}   "
            f"{seconds / cells.sum() * 1e9:.0f} ns per cell")


def main() -> None:
    """Prints the table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 201
    set_threads(1)
    modes: tuple[SpreadMode, ...] = ("front", "graph")
    for mode in modes:
        for ratio in (1.0, 1.5, 2.0, 3.0, 4.0):
            print(measure(mode, ratio, size), flush=True)


if __name__ == "__main__":
    main()
